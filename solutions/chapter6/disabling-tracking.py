# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Disabling gradient tracking
#
# You build the switch that turns recording off, the tensor without a history, and the guard against changes in
# place. Then you repair programs that misuse them.
#
# **The question:** Sometimes you do not want gradients: when you measure, when you update, when a part must stay as it
# is. What can you switch off, and what breaks if you overdo it?
#
# **Time:** 50 to 60 minutes.
#
# **Before you start:** chapters 1 to 5; Python's `with` and decorators (reminder below).
#
# **Afterwards you can**
#
# - choose between `no_grad`, `detach` and `requires_grad_(False)`;
# - say which tensors keep their history, and which have a gradient afterwards;
# - notice a value that was changed between the forward and the backward pass;
# - find where a chain to a parameter is broken, even without an error.

# %% [markdown]
# ## From earlier chapters
#
# Answer first, then unfold.
#
# **1.** Chapter 5: why does a second `backward()` through a graph raise an error?
#
# <details><summary>Answer</summary>
#
# Its nodes have freed what they saved. `retain_graph=True` in the first pass keeps it.
# </details>
#
# **2.** Chapter 3: which results get a node?
#
# <details><summary>Answer</summary>
#
# Those computed from something that requires grad.
# </details>

# %% [markdown]
# ## Results that remember nothing
#
# The next cell computes a layer, $z = xw + b$, and once more inside `torch.no_grad()`. Then it
# back-propagates a loss of `z.detach()`. Before you run it, predict its six answers.

# %% [markdown]
# ✎ **Your prediction** (double-click here to write): inside … … …; detached …; `w.grad` …; `z_det.grad` …

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "torch-snippet", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch
import torch.nn.functional as F

torch.manual_seed(6)
x, y = torch.ones(5), torch.zeros(3)
w = torch.randn(5, 3, requires_grad=True)
b = torch.randn(3, requires_grad=True)
z = torch.matmul(x, w) + b
with torch.no_grad():
    z_off = torch.matmul(x, w) + b
    print("inside: z_off", z_off.requires_grad, "| w", w.requires_grad, "| z", z.requires_grad)
z_det = z.detach()
print("detached:", z_det.requires_grad)
z_det.requires_grad_(True)
F.binary_cross_entropy_with_logits(z_det, y).backward()
print("w.grad is", w.grad, "| z_det.grad is there:", z_det.grad is not None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Only what is *computed* inside has no **history** (`grad_fn` and graph). The leaf `w` and the earlier result `z` keep
# their `requires_grad`.
#
# A tensor without history is a leaf. `z_det` is one, cut off from `w`: the gradient ends there.
# </details>
#
# ![Three graphs of the same layer. Leaves have square corners, results have round ones. Recorded: arrows lead from the leaves w and b to the result z and on to the result loss; w.grad and b.grad are filled. Detached: the same arrows end at z; beside it, without an arrow, z_det is a leaf on the same memory, and an arrow leads from it to loss; only z_det.grad is filled. Under no_grad: w and b are leaves that require grad, z is a leaf that does not, and no arrow leads to it; nothing is filled.](three-graphs.svg)
#
# ## The gradients by hand
#
# Take $y = x \cdot x$ at $x = 3$. The product's rule runs for each recorded factor:
#
# | second factor | paths from $y$ to $x$ | gradient of $x$ |
# |---|---|---|
# | `x` | two | $3 + 3 = 6$ |
# | `x.detach()` | one; the other factor is a constant, 3 | $3$ |
# | `x` or `x.detach()`, under `no_grad` | none | `y.backward()` refuses |

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import functools
import timeit
import tracemalloc

import numpy as np

import minigrad
from grader import check
from minigrad import workshop
from minigrad.core.function import FREED  # PyTorch's words for a graph that was freed
from minigrad.core.grad_mode import state  # state.enabled: is anything recorded?

workshop.open(6)
bce = minigrad.nn.functional.binary_cross_entropy_with_logits

# %% [markdown]
# ## A block without recording
#
# The switch is `state.enabled`: an operation is recorded only where it is `True`. `no_grad()` returns
# `GradMode(False)`; `enable_grad()`, which records again inside of such a block, returns `GradMode(True)`.
#
# - `with block:` calls `block.__enter__()`, and at the end `block.__exit__(...)`, even when an error ends the block.
# - `@block` above a function calls `block(function)`, that is `__call__`, and replaces the function with what
#   it returns.
#
# **Exercise 1.** Write the three methods of `GradMode`.
#
# - **Shapes:** no arrays: `mode` and `state.enabled` are `True` or `False`.
# - Blocks can be nested in each other and ended by an error. One object can be used again, but only when its block has
#   ended; a decorated function may call itself.
# - **Twelve minutes, medium, 4 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Leave the switch as you found it. What can remember its state?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# Enter: remember `state.enabled`, then set it to `self.mode`. Exit: set it to what you remembered.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# @functools.wraps(function)  # keeps the function's name
# def inside(*args, **kwargs):
#     with ...:  # a new block for each call
#         return ...
# return inside
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "grad-mode", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
class GradMode:
    """A block in which operations are recorded (mode True), or are not (mode False).

    __enter__, __exit__: called where a block begins and ends. After the block, operations are recorded or not as they
    were before it.
    __call__: takes a function; returns one that does the same inside a block.
    """

    def __init__(self, mode):
        self.mode = mode

    def __enter__(self):
        ### BEGIN SOLUTION
        self.before = state.enabled
        state.enabled = self.mode
        ### END SOLUTION

    def __exit__(self, *error):
        ### BEGIN SOLUTION
        state.enabled = self.before
        ### END SOLUTION

    def __call__(self, function):
        ### BEGIN SOLUTION
        @functools.wraps(function)
        def inside(*args, **kwargs):
            with GradMode(self.mode):
                return function(*args, **kwargs)

        return inside
        ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "grad-mode-graded", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("grad-mode")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# Each block keeps its own memory, so nested blocks unwind in order. `__exit__` runs after an error too, and returns
# nothing, so the error propagates.
# </details>
#
# ## What recording costs
#
# A forward pass computes no gradients; it records. When a trained network just answers, that is wasted. How much memory
# and time does it take on your machine?


# %% tags=["nbval-ignore-output"]
def many_steps():
    y = minigrad.tensor(np.ones(10_000), requires_grad=True)
    for _ in range(100):
        y = y * y
    return y


seconds = []
for name, run in [("recorded", many_steps), ("not recorded", GradMode(False)(many_steps))]:
    tracemalloc.start()
    result = run()
    print(f"{name}: {tracemalloc.get_traced_memory()[0] / 1e6:.0f} MB kept")
    tracemalloc.stop()
    seconds.append(min(timeit.repeat(run, number=5, repeat=5)))
print(f"not recorded, it runs {seconds[0] / seconds[1]:.1f} times as fast here")

# %% [markdown]
# PyTorch's `model.eval()` records all the same: it changes how a few layers compute. To evaluate, use it and `no_grad`.
#
# ## What a node remembers
#
# In a `no_grad` block you may change a leaf that requires grad in place, `w -= 0.1 * w.grad`, which is refused
# elsewhere. Before a backward pass this is dangerous: a node saved `w` without a copy, and its rule would compute with
# the new numbers. It must notice. Your `save` keeps triples in `self.versions`: position, counter (a list of one number), version.
#
# **Exercise 2.** Write the rest of `saved_tensors`, which backward calls before the rules run. For each tensor that was
# changed since it was saved, and no other, call `self.changed(position, counter, version)` with its triple; that raises
# PyTorch's error.
#
# - **Shapes:** returns `self.saved`, the list of arrays, as it is.
# - **Six minutes, medium, 3 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Compare two numbers, for each saved tensor.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# Changed means: the numbers `counter[0]` and `version` differ. A change *before* saving does no harm.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# for position, counter, version in ...:
#     if ...:
#         self.changed(position, counter, version)
# return ...  # after the loop
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "versions", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
def saved_tensors(self):
    """The saved arrays of a node, self; an error where they were freed, or changed since they were saved.

    The engine makes it a property: backward reads self.saved_tensors, without parentheses.
    """
    if self.saved is None:
        raise RuntimeError(FREED)
    ### BEGIN SOLUTION
    for position, counter, version in self.versions:
        if counter[0] != version:
            self.changed(position, counter, version)
    return self.saved
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "versions-graded", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("versions")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# Counting is cheap; comparing all the numbers would need a copy. After `b + b` you may change `b`: no rule needs it.
# </details>
#
# ## detach
#
# `z.detach()` is a new tensor without history that shares the memory of `z`. So `z.detach().add_(1)`
# changes `z`, and the nodes that saved `z` must notice. `z.data` is almost the same: same memory, no history, but a
# counter of its own.
#
# **Exercise 3.** Write `detach`. `self._versions` is the list that holds a tensor's counter.
#
# - **Shapes:** the result has the shape, dtype and memory of `self`.
# - **Four minutes, easy, 2 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Start from `.data`. What does it lack?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# One counter for both: the *same list*, not a list with the same number.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# out = ...
# out._versions = ...
# return out
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "detach", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
def detach(self):
    """A tensor on the memory of self, with its version counter: no history, and no gradient required.

    self: any tensor; it stays as it is.
    """
    ### BEGIN SOLUTION
    out = self.data
    out._versions = self._versions
    return out
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "detach-graded", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("detach")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# A change to either tensor counts for both. For a copy, use `z.detach().clone()`. With an underscore, `z.detach_()`
# cuts `z` itself.
# </details>
#
# Below, the slope is $2b = 6$. Which change spoils it? Which are refused?


# %%
def slope(change):
    a = minigrad.tensor(1.0, requires_grad=True)
    b = a + 2
    squared = b * b
    change(b)
    try:
        squared.backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(': ')[0]}"
    return a.grad.item()


print("b left alone      ", slope(lambda b: None))
print("there and back    ", slope(lambda b: b.add_(1).sub_(1)))
print("b.data.add_(1)    ", slope(lambda b: b.data.add_(1)))
print("detach(b).add_(1) ", slope(lambda b: detach(b).add_(1)))

# %% [markdown]
# <details><summary>What you saw</summary>
#
# There and back, the numbers are right again, but a counter only grows. `.data.add_(1)` made $b = 4$ unnoticed:
# $2 \cdot 4 = 8$ is the slope at another place. Through `detach` the same change was counted.
# </details>
#
# ## Frozen parameters
#
# To fine-tune a trained network, keep its first layers as they are, **frozen**, and train the last: call
# `requires_grad_(False)` on the frozen parameters. (That is for leaves; for a result, use `detach`.)
#
# **Exercise 4.** Write `fine_tune` for two layers, $x w + b$ each. After the first, which is frozen, comes
# `.sigmoid()`, which gives `hidden`; after the second, the loss, the mean of the squared differences to `y`. Nothing
# should be recorded for a frozen layer: when do you freeze it?
#
# - **Shapes:** `x` is (rows, inputs), `w1` (inputs, units), `b1` (units,), `w2` (units, outputs), `b2` (outputs,), `y`
#   (rows, outputs). `hidden` is (rows, units).
# - **Six minutes, easy, 3 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Which tensors are the first layer's parameters? There are two.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# Freeze, forward, backward.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# for parameter in (..., ...):
#     ...
# hidden = ...
# loss = ...
# ...
# return hidden, loss
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "frozen", "locked": false, "schema_version": 3, "solution": true, "task": false}
def fine_tune(x, y, w1, b1, w2, b2):
    """Freeze w1 and b1, run both layers on x, and back-propagate from the mean square error to y.

    Parameters are leaves that require grad. Returns hidden and loss; only w2 and b2 have a gradient afterwards.
    Uses the tensors' methods, not minigrad's functions: below it runs on PyTorch's tensors, too.
    """
    ### BEGIN SOLUTION
    for parameter in (w1, b1):
        parameter.requires_grad_(False)
    hidden = (x @ w1 + b1).sigmoid()
    loss = ((hidden @ w2 + b2 - y) ** 2).mean()
    loss.backward()
    return hidden, loss
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "frozen-graded", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("frozen")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# As neither `x` nor the first layer requires grad, `hidden` is a constant to the engine. `None` means "not
# asked for", not "slope 0".
# </details>
#
# Can the second layer alone learn, behind a first one of random numbers? And if the *middle* of three layers is frozen,
# in two ways, which weights will have a gradient?

# %%
random = np.random.default_rng(6)
inputs = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
x, y = minigrad.tensor(inputs), minigrad.tensor(inputs[:, :1] - inputs[:, 1:]) ** 2  # 1 where the two inputs differ
w1, b1, w2, b2 = (minigrad.tensor(3 * random.normal(size=size), requires_grad=True) for size in [(2, 8), 8, (8, 1), 1])
before = w1.tolist()
for step in range(1001):
    hidden, loss = fine_tune(x, y, w1, b1, w2, b2)
    if step in (0, 10, 100, 1000):
        print(f"step {step:4}: loss {loss.item():.4f}")
    with GradMode(False):  # no_grad, as you have written it
        for parameter in (w2, b2):
            parameter -= 0.1 * parameter.grad
            parameter.grad = None
print("the answers:", (hidden @ w2 + b2).detach().numpy().ravel().round(2), "| w1 as before:", w1.tolist() == before)


def middle_frozen(way):
    w1, w2, w3 = (minigrad.tensor(2.0, requires_grad=True) for _ in range(3))
    hidden = 5 * w1
    if way == "no_grad":
        with GradMode(False):
            middle = hidden * w2
    else:
        w2.requires_grad_(False)
        middle = hidden * w2
    (middle * w3).backward()
    return [w.grad and w.grad.item() for w in (w1, w2, w3)]


for way in ("requires_grad_(False)", "no_grad"):
    print(f"the middle frozen by {way:21} {middle_frozen(way)}")

# %% [markdown]
# <details><summary>What you saw</summary>
#
# It can: `hidden` holds enough. In the middle, freezing drops the gradient of `w2`, not the way through to `w1`.
# `no_grad` cuts both: in silence, the first layer would never learn.
# </details>
#
# ## Errors that speak
#
# An error stops a program before something worse happens. This layer is stopped at four places; the comments quote the
# errors. For each, decide before you run anything: without it, what would go wrong, and when would you notice? (`bce`
# is chapter 4's loss.)
#
# ```python
# w = minigrad.tensor(weights, require_grad=True)  # 1. got an unexpected keyword argument 'require_grad'
# b = minigrad.tensor(bias, require_grad=True)
# z = minigrad.matml(x, w) + b  # 2. minigrad has no 'matml'
# loss = bce(x, y)  # 3. Target size … must be the same as input size …
# loss.backward()
# z_det = z.detach()
# z_det.requires_grad(True)  # 4. 'bool' object is not callable
# bce(z_det, y).backward()
# return w, b, z_det
# ```
#
# **Exercise 5.** Write `one_layer` so that none of them has to speak. Where you are not sure, leave the line as it is,
# run the check, and read what it says.
#
# - **Shapes:** `x` is (n,), `y` (m,), `weights` an (n, m) array, `bias` an (m,) array.
# - **Eight minutes, medium, 2 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Each error says what it expected: a name that is known, equal sizes, a function to call.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $\mathit{loss} = \mathrm{bce}(z, y)$. Methods that change a tensor in place end in an underscore.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# w = minigrad.tensor(weights, ...)
# z = minigrad....(x, w) + b
# bce(..., y).backward()
# z_det....(True)
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "loud", "locked": false, "schema_version": 3, "solution": true, "task": false}
def one_layer(x, y, weights, bias):
    """Run a layer back from its loss; then its detached result from another loss, as a leaf of its own.

    x, y: tensors; weights, bias: arrays. Returns the leaves w, b and z_det, each with its gradient.
    """
    ### BEGIN SOLUTION
    w = minigrad.tensor(weights, requires_grad=True)
    b = minigrad.tensor(bias, requires_grad=True)
    z = minigrad.matmul(x, w) + b
    bce(z, y).backward()
    z_det = z.detach()
    z_det.requires_grad_(True)
    bce(z_det, y).backward()
    return w, b, z_det
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "loud-graded", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("loud")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# What each error is for:
#
# | error | without it | where no error comes |
# |---|---|---|
# | 1 | `w` is data; if `b` requires grad, `backward` runs, and `w.grad` is `None`, which you notice at the first update | `w.require_grad = True`: Python accepts any attribute |
# | 2 | there is no `z` to go on with: you would notice at once | |
# | 3 | the loss does not depend on `w` | in an (n, n) layer the sizes agree: only `backward` complains |
# | 4 | the flag is read and not set: the second `backward` finds nothing to go back through | `z_det.requires_grad` alone, without parentheses |
#
# Where no error helps, look at the graph: `w.requires_grad`, `loss.grad_fn`.
# </details>
#
# ## Errors that keep silent
#
# Both functions run to the end. In the first, `backward` had raised "does not require grad", so someone set
# `loss.requires_grad`: no error now, but the loss never falls. In the second, `w.grad` is wrong.
#
# ```python
# def descend(w, x, y, rate, steps):
#     losses = []
#     for _ in range(steps):
#         with minigrad.no_grad():
#             loss = ((x @ w - y) ** 2).mean()
#         loss.requires_grad = True
#         loss.backward()
#         losses.append(loss.item())
#         if w.grad is not None:
#             w = w - rate * w.grad
#     return losses
#
# def centred(x, w):
#     h = (x @ w).sigmoid()
#     loss = (h * h).mean()
#     h.data -= h.data.mean()
#     loss.backward()
#     return h.data
# ```
#
# **Exercise 6.** Repair them. `descend` has three mistakes; the line with `loss.requires_grad` only hides the first and
# can go. It should change the leaf `w`, with a fresh gradient each step. `centred` has one mistake.
#
# - **Shapes:** `x` is (rows, n), `w` (n,), `y` (rows,); `centred` returns (rows,).
# - **Ten minutes, the hardest one, 4 points for both.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Draw the graph from the loss to `w`. Where does it break? Which tensor is called `w` after a step?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $w \leftarrow w - \mathrm{rate} \cdot \partial\mathit{loss}/\partial w$, in place and unrecorded. Gradients add up
# until they are set to `None`. `w - …` makes a new tensor.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# loss = ...  # recorded
# ...
# with ...:
#     w -= ...
# w.grad = ...
#
# values = h....()  # centred: no history
# return values - ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "silent", "locked": false, "schema_version": 3, "solution": true, "task": false}
def descend(w, x, y, rate, steps):
    """Take steps against the gradient of the mean of (x @ w - y)²; w, a leaf, is changed in place.

    Returns the loss before each step, a list of floats.
    """
    ### BEGIN SOLUTION
    losses = []
    for _ in range(steps):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with minigrad.no_grad():
            w -= rate * w.grad
        w.grad = None
    return losses
    ### END SOLUTION


def centred(x, w):
    """Back-propagate from the mean of h², with h = sigmoid(x @ w), to w.grad.

    Returns h with its mean taken off, a tensor that requires no grad.
    """
    ### BEGIN SOLUTION
    h = (x @ w).sigmoid()
    loss = (h * h).mean()
    loss.backward()
    values = h.detach()
    return values - values.mean()
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "silent-graded", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("silent")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# Under `no_grad`, `loss` was a leaf; `loss.requires_grad = True` let backward fill `loss.grad`, and no other.
# `w = w - …` named a *result* `w`; the leaf stayed where it was. And `.data` changed what two nodes had saved; with
# `detach()`, your counter would have noticed.
# </details>
#
# ## The same in PyTorch
#
# The next cell breaks a chain in five ways and "repairs" each with `requires_grad_()`, in both packages. Then your
# `fine_tune` runs on PyTorch's tensors.

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "torch-comparison", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch


def unrecorded(package, w):
    with package.no_grad():
        return w * w


WAYS = {
    "not broken": lambda package, w: w * w,
    "no_grad": unrecorded,
    "detach()": lambda package, w: (w * w).detach(),
    ".data": lambda package, w: (w * w).data,
    "detach_()": lambda package, w: (w * w).detach_(),
    "item()": lambda package, w: package.tensor((w * w).item()),
}
for name, way in WAYS.items():
    grads = []
    for package in (torch, minigrad):
        w = package.tensor(3.0, requires_grad=True)
        (2 * way(package, w).requires_grad_()).backward()
        grads.append(w.grad and w.grad.item())
    print(f"{name:14} w.grad is {grads[0]} in torch, {grads[1]} in yours")

random = np.random.default_rng(6)
arrays = [random.normal(size=shape) for shape in [(4, 3), (4, 1), (3, 2), (2,), (2, 1), (1,)]]
found = {}
for package in (torch, minigrad):
    data = [package.tensor(array) for array in arrays]
    fine_tune(*data[:2], *(parameter.requires_grad_() for parameter in data[2:]))
    found[package] = [parameter.grad for parameter in data[2:]]
for name, theirs, mine in zip(["w1", "b1", "w2", "b2"], *found.values(), strict=True):
    if theirs is None:
        print(f"{name}.grad is None in torch, {mine} in yours")
    else:
        print(f"{name}.grad agrees: {np.allclose(mine.numpy(), theirs.numpy(), atol=1e-12)}")

# %% [markdown]
# ## Break it
#
# This `GradMode` restores the mode only if its block ends well. An evaluation fails; the program catches the
# error and trains on. Which line will complain? Decide before you run it.


# %%
class Forgetful(GradMode):
    def __exit__(self, kind, *error):
        if kind is None:
            super().__exit__(kind, *error)


def evaluate_then_train():
    try:
        with minigrad.no_grad():  # the evaluation
            raise ValueError("a target is missing")
    except ValueError as error:
        print("  skipped:", error)
    weight = minigrad.tensor(2.0, requires_grad=True)
    (weight * weight).backward()
    print("  gradient:", weight.grad.item())


for mode in (GradMode, Forgetful):
    print(mode.__name__)
    with workshop.using(GradMode=mode):
        try:
            evaluate_then_train()
        except RuntimeError as error:
            print("  RuntimeError:", error)
        finally:
            state.enabled = True

# %% [markdown]
# <details><summary>What you saw</summary>
#
# The training step complains, far from the cause, though `weight.requires_grad` is `True`. When a tensor "does not
# require grad" although it should, ask `minigrad.is_grad_enabled()`.
# </details>
#
# ## Recap
#
# | you want | write | it holds for |
# |---|---|---|
# | frozen parameters | `p.requires_grad_(False)` | a leaf, until you set it back |
# | forward only: evaluation; an update of parameters | `with no_grad():` | everything computed in the block |
# | a value without its history | `z.detach()` | that one tensor |
#
# - A broken chain cannot be repaired at its end: a flag restores no path.
# - In-place changes are counted; `.data` escapes the count.
#
# ## Exit questions
#
# **1.** `z` was recorded. In a `no_grad` block, `zz = z @ z`; in a block of `enable_grad` inside it, `z3 = z @ z`.
# Which of the three require grad?
#
# <details><summary>Answer</summary>
#
# `z`, as before, and `z3`. `zz` does not.
# </details>
#
# **2.** "Backward stops where it meets a node that requires no grad." What do you answer?
#
# <details><summary>Answer</summary>
#
# It never meets one: no such node is made, the edge is `None`.
# </details>
#
# **3.** `temp` is computed under `no_grad`; then `temp.requires_grad_(True)`. Does `temp` track its history again?
#
# <details><summary>Answer</summary>
#
# It has none. Tracking begins here, with `temp` as a leaf; what came before is lost.
# </details>
#
# **4.** At $x = 3$, the engine's slope of `x * x.detach()` is 3. What does a nudge measure?
#
# <details><summary>Answer</summary>
#
# 6: the value moves with both factors. `detach` only *declares* one constant.
# </details>
#
# **Find the bug.** Only the head is to be trained. What is wrong?
#
# ```python
# with torch.no_grad():
#     features = backbone(x)
#     loss = loss_of(head(features), y)
# loss.backward()
# ```
#
# <details><summary>Answer</summary>
#
# The head ran inside the block, too, so the loss has no history and `backward()` raises. Only the first line belongs
# there.
# </details>
#
# **In your own words.** When do you use `no_grad`, and when `detach`? Write, then compare.
#
# <details><summary>One answer</summary>
#
# `no_grad` for a stretch of code: nothing computed there is recorded. `detach` for one value: it goes on
# without a history, and everything else is recorded as before.
# </details>
#
# ## What comes next
#
# `my_minigrad/` now holds `GradMode` in `grad_mode.py`, `saved_tensors` in `function.py` and `detach` in `tensor.py`.
# Your `descend` was a training loop already: chapter 7 builds optimizers and trains.
#
# A challenge after the course: an operation that only selects, in `notebooks/challenges/gather.ipynb`.
