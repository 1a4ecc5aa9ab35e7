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
# # Computing gradients
#
# **The question:** A network has a million parameters and one loss. Why can one *backward* pass replace a million
# small changes?
#
# **Time:** two sittings of 35 to 40 minutes.
#
# **Before you start:** chapters 1 to 4; a row times a matrix.
#
# **Afterwards you can**
#
# - take a large batch in pieces, and get the same gradient;
# - start a pass at any output, and compute a Jacobian row by row;
# - say when a second `backward()` fails, and why;
# - say where a gradient is a convention.

# %% [markdown]
# ## From earlier chapters
# **1.** Chapter 4: what is the gradient of a logit in BCE, before the mean?
#
# <details><summary>Answer</summary>
#
# $\sigma(z) - y$: prediction minus truth.
# </details>
#
# **2.** Chapter 3: when does the traversal run a node?
#
# <details><summary>Answer</summary>
#
# When all that flows into its result has arrived.
# </details>
#
# ## One graph, three passes
#
# In the tutorial *Automatic Differentiation with torch.autograd*, `inp` has ones on its diagonal, zeros elsewhere, and
# `out` is $(\mathit{inp} + 1)^2$, transposed. The first pass gives each element's slope, $2(\mathit{inp} + 1)$: 4 on
# the diagonal, 2 elsewhere. Predict the first number of passes 2 and 3.

# %% [markdown]
# ✎ **Your prediction** (double-click here to write): the second pass prints … and the third …

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "torch-snippet", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch

inp = torch.eye(4, 5, requires_grad=True)
out = (inp + 1).pow(2).t()
out.backward(torch.ones_like(out), retain_graph=True)  # the graph will serve again
print("first pass", inp.grad, sep="\n")
out.backward(torch.ones_like(out), retain_graph=True)
print("second pass", inp.grad, sep="\n")
inp.grad.zero_()
out.backward(torch.ones_like(out), retain_graph=True)
print("third pass, after zero_()", inp.grad, sep="\n")

# %% [markdown]
# <details><summary>Answer</summary>
#
# 8, then 4. `backward` *adds* to `.grad`; `inp.grad.zero_()` or `inp.grad = None` clears it.
# </details>

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import tracemalloc

import numpy as np

import minigrad
from grader import check
from minigrad import workshop
from minigrad.core.engine import MISMATCH, NOT_SCALAR, one_like, run_hooks, visit_and_keep
from minigrad.core.function import Function, owned
from minigrad.core.tensor import Tensor, wrap

workshop.open(5)

# %% [markdown]
# ## The Jacobian by hand
#
# Why `ones_like(out)`? Take $y_0 = x_0 x_1$ and $y_1 = x_1 + 4x_2$, at $x = (2, 3, 1)$. The slopes of both outputs fill
# a table, the **Jacobian** $J$, with a row for each output:
#
# | $\partial y_i/\partial x_j$ | $x_0$ | $x_1$ | $x_2$ |
# |---|---|---|---|
# | $y_0$ | $x_1 = 3$ | $x_0 = 2$ | 0 |
# | $y_1$ | 0 | 1 | 4 |
#
# Let a loss $L$ be computed from $y$, with $v = \partial L/\partial y = (1, 10)$. Each $x_j$ may reach $L$ through both
# outputs, so the chain rule adds two paths: $\partial L/\partial x_j = \sum_i v_i \, \partial y_i/\partial x_j$.
# Together they are the **vector-Jacobian product**
#
# $$\begin{aligned}
# vJ &= (1 \cdot 3 + 10 \cdot 0, \; 1 \cdot 2 + 10 \cdot 1, \; 1 \cdot 0 + 10 \cdot 4) \\
# &= (3, 12, 40).
# \end{aligned}$$
#
# At an output with one element, $v$ is 1. At one with many, *you* choose it: `y.backward(v)` differentiates
# $\sum_i v_i\,y_i$. With ones, this is the sum.
#
# Your rules compute such products, with `grad` for $v$, and build no $J$: element $i$ of `x * y` depends on element $i$ of `x` alone, so $J$ has `y` on its diagonal, and $vJ$ is `grad * y`. **Back-propagation** is no more than this: from the output
# down, a product for each layer, $(v J_2) J_1$, always a row times a matrix. Why in this order?
#
# ## A row or a table
#
# A product of shapes $(l, m)$ and $(m, n)$ takes $l \cdot m \cdot n$ multiplications. Ten layers of 300 numbers have
# ten Jacobians, 300 by 300. Not graded: write `from_the_output`, which multiplies as a pass does. `from_the_input`
# begins at the other end, with $v$ last. How many times more multiplications does it need?


# %%
def from_the_output(v, jacobians):
    row, count = v, 0
    # your lines: the last of the Jacobians comes first, and each product takes row.shape[0] * J.size multiplications
    return row, count


def from_the_input(v, jacobians):
    table, count = jacobians[0], 0
    for J in jacobians[1:]:
        table, count = J @ table, count + J.size * table.shape[1]
    return v @ table, count + v.shape[0] * table.size


random = np.random.default_rng(5)
layers = [random.normal(size=(300, 300)) / 300**0.5 for _ in range(10)]
v = random.normal(size=(1, 300))  # a loss: one row. Later, try three outputs, or 300
(row, few), (same, many) = from_the_output(v, layers), from_the_input(v, layers)
print(f"from the output {few:11,} multiplications")
print(f"from the input  {many:11,}; the same row:", np.allclose(row, same))
h = random.normal(size=(1, 300))  # what flows into a layer z = h @ W
print(f"the slopes of its W: {(h.T @ v[:1]).size:,} numbers, a multiplication each")

# %% [markdown]
# <details><summary>An answer</summary>
#
# ```python
# for J in reversed(jacobians):
#     row, count = row @ J, count + row.shape[0] * J.size
# ```
#
# A row costs 90,000 multiplications a layer; a table, with a column for each of 300 inputs, 27 million. Nine
# products are of tables: $9 \cdot 27\,000\,000 / 900\,000 = 270$. With 300 outputs, both ways cost the same;
# with more, the other one wins.
# </details>
#
# To *run* the layers takes 900,000, too. Where $z = hW$ is a layer, $W_{ij}$ reaches $z_j$ alone, with the slope $h_i$:
# the row $v$ at $z$ gives $\partial L/\partial W_{ij} = h_i v_j$, and all weights take another 900,000. **A pass costs as much as two runs, and tells you about all inputs and all parameters, even a million.** A
# nudge costs a run, and tells you how *one* number moves the outputs: one column of a Jacobian. For 900,000 weights, that
# takes 900,000 runs.
#
# ## Adding to a leaf
# When a pass reaches a leaf, the last product goes into its `.grad`. Our table is now an operation, `Example`. We send $v = (1, 10)$ in two passes,
# $(1, 0)$ and $(0, 10)$; `take` keeps what arrives. Predict `x.grad`.


# %%
J = np.float32([[3, 2, 0], [0, 1, 4]])  # at x = (2, 3, 1)


class Example(Function):
    def forward(self, x):
        return np.stack([x[0] * x[1], x[1] + 4 * x[2]])

    def backward_x(self, grad):
        return grad @ J  # a row times a matrix


# Careless stand-ins for what you will write. Inside `with workshop.using(**careless)` the engine runs on them.
def take(leaf, grad):
    leaf._grad = wrap(grad)  # a tensor on grad's own memory


def any_start(output, gradient, i):  # i: the output's number, if a pass starts at several
    return one_like(output) if gradient is None else gradient  # one_like: ones, in the output's shape and dtype


careless = {"accumulate": take, "first_gradient": any_start, "visit_and_free": visit_and_keep}

x = minigrad.tensor([2.0, 3.0, 1.0], requires_grad=True)
with workshop.using(**careless):
    y = Example.apply(x)
    y.backward(minigrad.tensor([1.0, 0.0]))
    y.backward(minigrad.tensor([0.0, 10.0]))
print("x.grad", x.grad.tolist())

# Both a and b get a gradient of 1. Then a's is cleared: what is b's?
a, b = (minigrad.tensor([1.0], requires_grad=True) for _ in range(2))
with workshop.using(**careless):
    (a + b).backward()
a.grad.zero_()
print("b.grad", b.grad.tolist())

# %% [markdown]
# <details><summary>What you saw</summary>
#
# `x.grad` is $(0, 10, 40)$: the first row, $(3, 2, 0)$, is lost. And with `a.grad`, `b.grad` was cleared: a sum hands
# *one* array to both inputs.
# </details>
#
# As $(1, 0)J + (0, 10)J = (1, 10)J$, rows must be *added*: $(3, 12, 40)$.
#
# - The first row is copied: `owned(grad)` is a tensor with a copy.
# - Later ones are added *in place*: whoever holds `leaf.grad` sees it grow. A tensor's `+=` takes an array.
#
# **Exercise 1.** Write `accumulate(leaf, grad)`.
#
# - **Shapes:** `grad` is an array in the leaf's shape.
# - **Six minutes, easy, 3 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Is there something to add to?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $g_1 + g_2$, in the memory of $g_1$.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# if leaf._grad is ...:
#     leaf._grad = ...
# else:
#     ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "accumulate", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
def accumulate(leaf, grad):
    """Add grad to the leaf's .grad.

    leaf: a tensor. leaf._grad is None, or a tensor of the leaf's shape; that one stays, and grows.
    grad: an array of the leaf's shape, which is not changed. No result is asked for.
    """
    ### BEGIN SOLUTION
    if leaf._grad is None:
        leaf._grad = owned(grad)
    else:
        leaf._grad += grad
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "accumulate-graded", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("accumulate")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# A leaf's gradient is a sum over paths, and over passes.
# </details>
#
# ## Where a pass starts
#
# `any_start` checks nothing. We give no $v$, then a table, $(1, 0)$ and $(0, 1)$, hoping for both rows
# of $J$. Predict `x.grad`.

# %%
for v in (None, minigrad.tensor([[1.0, 0.0], [0.0, 1.0]])):
    with workshop.using(**careless):
        Example.apply(x).backward(v)
    print("x.grad", x.grad.tolist())

# %% [markdown]
# <details><summary>What you saw</summary>
#
# Both times $(3, 3, 4)$, the *sum* of the rows of $J$. Without $v$, the pass started with ones. The table's product had
# two rows, and `unbroadcast` (chapter 2) added them, to fit $x$.
# </details>
#
# **Exercise 2.** Write `first_gradient(output, gradient, i)`: it refuses such starts, as its docstring
# says. Tools:
#
# - `one_like(output)`, as above; `output.numel()` counts elements;
# - `gradient.to(dtype)`, and the messages `NOT_SCALAR` and `MISMATCH.format(i, gradient.shape, output.shape)`.
#
# - **Shapes:** the result has the output's shape, and its dtype.
# - **Ten minutes, medium, 3 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Is there a gradient? Does it fit?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $\partial y/\partial y = 1$. With a gradient, compare two shapes.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# if gradient is None:
#     if ...:
#         raise ...
#     return ...
# if ...:
#     raise ...
# return ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "first-gradient", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
def first_gradient(output, gradient, i):
    """The gradient that arrives at an output.

    output: a tensor. gradient: a tensor, or None. i: the output's number, for the message.
    Returns a tensor of the output's shape and dtype.
    Raises RuntimeError: no gradient, where the output has not exactly one element; a gradient of another shape.
    """
    ### BEGIN SOLUTION
    if gradient is None:
        if output.numel() != 1:
            raise RuntimeError(NOT_SCALAR)
        return one_like(output)
    if gradient.shape != output.shape:
        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
    return gradient.to(output.dtype)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "first-gradient-graded", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("first-gradient")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# *Scalar* means one element, as in `[[7.0]]`.
# </details>
#
# ---
#
# **A good place to pause.** Later, rerun from the top.
#
# ## What a node keeps
#
# `Example` had its $J$ from our table. A real node **saves** what its $J$ needs: the slopes of $x_0 x_1$ are $x_1$ and
# $x_0$, numbers from the forward pass. The engine calls `node.save(places, inputs, out)`, with a **place** for each
# value that the rules name: 0 or 1 for that input, −1 for the result, `out`.
#
# What do the last three nodes save?
#
# | node of | slopes | places | `saved` |
# |---|---|---|---|
# | `x * y` | `y` and `x` | (0, 1) | `[x._array, y._array]` |
# | `x * 3` | 3, which is input 1; only `x` gets a gradient | (1,) | `[3]` |
# | `x * data`, where `data` requires no grad | `data` | (1,) | … |
# | `x ** 2` | $2 x^{2 - 1}$ | (0, 1) | … |
# | `out = x.exp()` | `out` | (−1,) | … |
#
# <details><summary>Answer</summary>
#
# `[data._array]`, `[x._array, 2]`, `[out._array]`.
# </details>
#
# At $a = 2$ and $b = 3$, the slopes of $ab$ are 3 and 2. Which slopes will the node give after `a += 10`?


# %%
def only_arrays(self, places, inputs, out):
    self.saved = [inputs[i]._array for i in places]
    self.versions = []


with workshop.using(save=only_arrays):
    a, b = (minigrad.tensor([n], requires_grad=True) + 0 for n in (2.0, 3.0))  # results, as leaves may not be changed
    z = a * b
    print("slopes of a * b", *z.grad_fn.backward(np.ones(1)))
    a += 10
    print("after a += 10  ", *z.grad_fn.backward(np.ones(1)))

# %% [markdown]
# <details><summary>What you saw</summary>
#
# 3 and 12. But $z$ was computed from 2: 3 and 2 are still right. The node holds the array of $a$, which was changed.
# </details>
#
# A copy would cost memory. Instead, a pass refuses where a saved tensor was changed. Each tensor counts its changes
# in `_versions`, a *list* of one number. Why a list? Predict what is printed:

# %%
data = minigrad.tensor([3.0])
counter, number = data._versions, data._versions[0]
data += 1
print("the list:", counter, "| the number that was in it:", number)

# %% [markdown]
# <details><summary>What you saw</summary>
#
# The list shows the change; the number that you took out does not.
# </details>
#
# A node notes the list and the number, and later compares: is that number still in the list? Its second list,
# `self.versions`, has a triple for each *tensor* that it saves:
#
# | entry | what it is | what backward does with it, before it runs the rules |
# |---|---|---|
# | 0 | the position in `saved` | finds the array that is meant |
# | 1 | the tensor's counter, the list `_versions` | looks up its number again |
# | 2 | its number when saving, `_versions[0]` | compares the two: if they differ, an error |
#
# `x * y` has `[(0, x._versions, 0), (1, y._versions, 0)]`, `x * 3` has `[]`. And `x ** 2`, if `x` was changed once
# before?
#
# <details><summary>Answer</summary>
#
# `[(0, x._versions, 1)]`: only a change *after* saving spoils the saved array.
# </details>
#
# **Exercise 3.** Write the method `save`, in two steps. Fill `self.saved`, with `self.versions = []`, and run the
# check: it should object only that changes go unnoticed. Then add the triples.
#
# - **Shapes:** `inputs` holds tensors and numbers; `out` is a tensor.
# - **Fifteen minutes, medium, 3 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Which value does a place mean? Is it a tensor?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# `inputs[-1]` would be the *last input*. What is appended next will stand at `len(self.saved)`.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# self.saved, self.versions = [], []
# for i in places:
#     value = ... if ... else ...
#     if isinstance(value, Tensor):
#         ...
#     ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "save", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
def save(self, places, inputs, out):
    """Keep what the rules will need.

    places: numbers; i means inputs[i], but -1 means out, the result.
    inputs: tensors and numbers. out: a tensor. No result is asked for.
    Sets two lists. self.saved: an array or a number for each place. self.versions: for each place that means a
    tensor (its position in saved, its _versions, its _versions[0]).
    """
    ### BEGIN SOLUTION
    self.saved = saved = []
    self.versions = versions = []
    for i in places:
        value = inputs[i] if i >= 0 else out
        if isinstance(value, Tensor):
            counter = value._versions
            versions.append((len(saved), counter, counter[0]))
            value = value._array
        saved.append(value)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "save-graded", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("save")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# Arrays, not tensors: `out` holds this node. If the node held `out`, Python would free neither at once.
# </details>
#
# ## What a node gives back
#
# Once a node has made its product $vJ$, nobody needs its $J$.
#
# Because passes add up, a batch can go in pieces, one pass each. Each piece adds its share of the mean. Here nothing is
# freed. Do ten pieces need less memory?


# %%
batch = np.random.default_rng(5).normal(size=(3000, 100))
share = minigrad.tensor(1 / batch.size)


def in_pieces(count, **parts):
    layers = [minigrad.tensor(np.eye(100), requires_grad=True) for _ in range(6)]
    losses = []  # kept for a plot
    tracemalloc.start()
    with workshop.using(**parts):
        for piece in np.array_split(batch, count):
            z = minigrad.tensor(piece)
            for w in layers:
                z = z @ w
            losses.append((z * z).sum() * share)  # this piece's share of the mean
            losses[-1].backward()
    megabytes = tracemalloc.get_traced_memory()[1] / 1e6  # the most that was held at once
    tracemalloc.stop()
    print(f"pieces: {count:2}, memory: {megabytes:2.0f} MB")
    return layers[0].grad.numpy()


for count in (1, 10):
    in_pieces(count, **careless, save=only_arrays)

# %% [markdown]
# <details><summary>What you saw</summary>
#
# Only a little less: 18 MB instead of 24. Each loss, which is kept, holds its graph, and the graph all that was saved.
# </details>
#
# With `retain_graph=True`, this function runs each node. It frees nothing:
#
# ```python
# def visit_and_keep(node, grad):
#     if node.watched:  # by a hook: y.register_hook(f) lets f see the gradient of y, and replace it
#         grad = run_hooks(node, grad)
#     return node.backward(grad)
# ```
#
# **Exercise 4.** Write `visit_and_free`, which also frees: `node.free()` replaces `node.saved` by `None`, which makes a
# later pass refuse. A node whose `saved` is empty can run again: do not free it.
#
# - **Shapes:** `grad` has the result's shape; you return a list, a gradient for each input.
# - **Five minutes, easy, 3 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# The rules read what `free` drops.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# An empty `saved` counts as false.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# ...  # as in visit_and_keep, or call it
# grads = ...
# if ...:
#     ...
# return grads
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "visit", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
def visit_and_free(node, grad):
    """Run a node, then drop what it saved.

    node: a node of the graph; its saved is a list, or () where it saved nothing. grad: the gradient of its result.
    Returns the gradient of each input, in a list.
    """
    ### BEGIN SOLUTION
    if node.watched:
        grad = run_hooks(node, grad)
    grads = node.backward(grad)
    if node.saved:
        node.free()
    return grads
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "visit-graded", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("visit")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# A graph usually serves one pass.
# </details>
#
# Your parts at work: `a += 10`; the pieces; then two passes each for three functions. What does the node save? Does the
# second pass run?


# %%
def second_pass(function, retain=False):
    saved = []
    try:
        y = function(minigrad.tensor(2.0, requires_grad=True))
        saved = [round(float(value), 2) for value in y.grad_fn.saved]
        y.backward(retain_graph=retain)
        y.backward()
    except RuntimeError as error:
        return f"saved {saved}, second pass: {type(error).__name__}"
    return f"saved {saved}, second pass: runs"


a = minigrad.tensor([2.0], requires_grad=True) + 0
z = a * a  # your save notes the counter of a
a += 10
try:
    z.backward()
    print("after a += 10 the pass runs, with a wrong gradient")
except RuntimeError as error:
    print("after a += 10:", error)
one, ten = (in_pieces(count, visit_and_free=visit_and_free) for count in (1, 10))
print("the same gradient:", np.allclose(one, ten))
print("x + 1 ", second_pass(lambda x: x + 1))
print("x * 3 ", second_pass(lambda x: x * 3))
print("exp(x)", second_pass(lambda x: x.exp()))
print("exp(x)", second_pass(lambda x: x.exp(), retain=True), "with retain_graph=True")

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "your-pass", "locked": true, "schema_version": 3, "solution": false, "task": false}
from grader import nodes

x = minigrad.tensor(2.0, requires_grad=True)
product = x * 3
power = product.exp()
y = power + 1
steps = nodes.backward(y, first_gradient(y, None, 0), x=x)  # one by one; the box of a node that has freed is dashed
for name, result in {"product": product, "power": power, "y": y}.items():
    held = result.grad_fn.saved
    print(f"after the pass, the node of {name} holds", held if held is None else list(held))
steps

# %% [markdown]
# <details><summary>What you saw</summary>
# Now 3 MB. `x + 1` saved nothing, so it can run again.
# </details>
#
# ## A Jacobian row by row
#
# With $v = (1, 0)$, the product $vJ$ is the first row of $J$; with $(0, 1)$, the second. Predict what these two passes
# give:

# %%
x = minigrad.tensor([2.0, 3.0, 1.0], requires_grad=True)
y, rows = Example.apply(x), []
with workshop.using(accumulate=accumulate):  # yours
    for v in ([1.0, 0.0], [0.0, 1.0]):
        y.backward(minigrad.tensor(v), retain_graph=True)
        rows.append(x.grad.numpy())  # numpy() does not copy
print(*rows)

# %% [markdown]
# <details><summary>What you saw</summary>
#
# $(3, 3, 4)$ twice. The second row was added to the first, in place, and both of `rows` are the one array of `.grad`.
# </details>
#
# Each pass should fill a row, here for $(x + 1)^2$, transposed, with `x = np.eye(2, 3)`:
#
# ![Three tables of 6 rows and 6 columns: the Jacobian of (x + 1)², transposed, for an x with 2 rows and 3 columns. After pass 1 the first row is filled, after pass 3 the first three, after pass 6 all. In each row one number is not 0: in rows 1 to 6, 4 in column 1, 2 in 4, 2 in 2, 4 in 5, 2 in 3, 2 in 6.](jacobian.svg)
#
# **Exercise 5.** Write `jacobian(f, x)`. `minigrad.tensor(x)` copies `x`.
#
# - **Shapes:** `x` is a `float64` array of any shape; the result has a row for each element of $f(x)$,
#   a column for each of `x`, in the order of `ravel()`.
# - **Twelve minutes, the hardest one, 4 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# What should each pass find in `.grad`? What must it not free?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# Row $r$ is $vJ$, with $v_r = 1$ and 0 elsewhere: row $r$ of `np.eye(n)`, in the shape of $f(x)$. `zero_()` would clear
# rows that you keep without a copy.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# leaf = minigrad.tensor(..., requires_grad=...)
# y, rows = ..., []
# for v in np.eye(...):
#     ...  # clear, so that the next pass makes a new array
#     y.backward(minigrad.tensor(...), ...)
#     rows.append(...)
# return np.stack(...)
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "jacobian", "locked": false, "schema_version": 3, "solution": true, "task": false}
def jacobian(f, x):
    """The Jacobian of f at x: a row for each element of f(x), a column for each element of x.

    f: maps a tensor to a tensor, of any shapes; it is run once.
    x: a float64 array, which is not changed. Returns an array.
    """
    ### BEGIN SOLUTION
    leaf = minigrad.tensor(x, requires_grad=True)
    y = f(leaf)
    rows = []
    for v in np.eye(y.numel()):
        leaf.grad = None
        y.backward(minigrad.tensor(v.reshape(y.shape)), retain_graph=True)
        rows.append(leaf.grad.numpy().ravel())
    return np.stack(rows)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "jacobian-graded", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("jacobian")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# A loss has a single row, however many parameters there are: one pass.
# </details>

# %% tags=["demonstration"] picture="jacobian.svg" nbgrader={"grade": false, "grade_id": "your-jacobian", "locked": true, "schema_version": 3, "solution": false, "task": false}
from grader import figure

table = jacobian(lambda x: ((x + 1) ** 2).t(), np.eye(2, 3))
fig, axes = figure.new(columns=3, width=8.4, height=3.5)
for ax, done in zip(axes, (1, 3, 6), strict=True):
    known = np.arange(6)[:, None] < done
    ax.imshow(np.where(known, table, np.nan), cmap="Blues", vmin=0, vmax=8)
    for row, column in np.ndindex(6, 6):
        number = f"{table[row, column]:.0f}" if row < done else "?"
        ax.text(column, row, number, ha="center", va="center")
    ax.set(title=f"after pass {done}", xlabel="element of x")
    ax.set_xticks(range(6), range(1, 7))
    ax.set_yticks(range(6), range(1, 7))
    ax.grid(False)
axes[0].set_ylabel("element of f(x)")
figure.show(
    fig,
    "A Jacobian of 6 rows and 6 columns after 1, 3 and 6 passes. A pass fills one row. "
    "Of each row one number is not 0: 4 in column 1, 2 in 4, 2 in 2, 4 in 5, 2 in 3, 2 in 6.",
)

# %% [markdown]
# ## Rows, columns and PyTorch
# Three ways to one table; then a million, by the clock:

# %% tags=["demonstration", "nbval-ignore-output"] nbgrader={"grade": false, "grade_id": "torch-comparison", "locked": true, "schema_version": 3, "solution": false, "task": false}
import time

import torch

from grader import figure


def example(x):
    return x[1:] * x[:-1] ** 2


at = np.array([2.0, 3.0, 1.0, -1.0])
mine = jacobian(example, at)
theirs = torch.autograd.functional.jacobian(example, torch.tensor(at)).numpy()
nudges = 1e-5 * np.eye(4)
measured = np.stack([(example(at + h) - example(at - h)) / 2e-5 for h in nudges], axis=1)
print("PyTorch agrees:", np.allclose(mine, theirs, atol=1e-12))
print("finite differences agree:", np.allclose(mine, measured, atol=1e-6))


runs = 0
inputs = minigrad.tensor(np.random.default_rng(5).normal(size=(1, 1000)))


def loss(w):  # of a layer with a million weights
    global runs
    runs += 1
    z = inputs @ w.reshape(1000, 1000)
    return (z * z).mean()


def nudged(i, h=1e-3):
    nudge = np.zeros(w.size)
    nudge[i] = h
    return (loss(minigrad.tensor(w + nudge)) - loss(minigrad.tensor(w - nudge))).item() / (2 * h)


w = np.linspace(-1, 1, 1_000_000)
begun = time.perf_counter()
slopes = jacobian(loss, w)[0]
both = time.perf_counter() - begun
print(f"one pass: the slopes of {slopes.size:,} weights, from {runs} run, in {both * 1e3:.0f} ms")
some = [0, 123_456, 999_999]
runs = 0
begun = time.perf_counter()
agree = np.allclose([nudged(i) for i in some], slopes[some], atol=1e-4)
each = (time.perf_counter() - begun) / len(some)
print(f"nudges: {len(some)} slopes from {runs} runs, and they agree: {agree}")
print(f"nudges for a million slopes would take {each * 1e6 / 60:.0f} minutes")
figure.compare(mine, theirs)

# %% [markdown]
# ## Where there is no slope
#
# At a kink (`abs`, `maximum`, `relu`: $\max(x, 0)$) the engine follows PyTorch's conventions: the slope of one side, or one between. $\mathrm{relu}(x) - \mathrm{relu}(-x)$ is just $x$. What is its slope at 0, and what will the engine
# say?


# %%
def slope_at_zero(name):
    return jacobian(lambda x: getattr(x, name)(), np.zeros(1))[0, 0]


for name in ("relu", "abs"):
    print(f"{name:4} at 0: slope {slope_at_zero(name)}")
tie = jacobian(lambda x: minigrad.maximum(x[0], x[1]), np.ones(2))
print("maximum at a tie: slopes", *tie[0])
print("relu(x) - relu(-x) at 0: slope", jacobian(lambda x: x.relu() - (-x).relu(), np.zeros(1))[0, 0])
print("relu at 0, measured: slope", (np.maximum(1e-5, 0) - np.maximum(-1e-5, 0)) / 2e-5)

# %% [markdown]
# <details><summary>What you saw</summary>
#
# The slope of $x$ is 1; the engine says $0 + 0$, as relu's slope at 0 counts as 0. At a tie, each input gets half.
# </details>
#
# **At a kink a slope is a convention, and two together can give a wrong one: test gradients elsewhere.**
#
# ## Recap
#
# - `backward(v)` multiplies $v$ by one Jacobian after another, and adds to the leaves' `.grad`.
# - A node saves what its Jacobian needs; the pass frees it, unless you retain the graph.
#
# ## Exit questions
#
# **1.** `h = exp(x)`; `h.sum().backward()` runs. Then `(2 * h).sum().backward()`. What happens?
#
# <details><summary>Answer</summary>
#
# `RuntimeError`: both share the node of `exp`, whose saved values are gone. Retain the graph, or add both first.
# </details>
#
# **2.** A function has 1000 inputs and 3 outputs. How many passes, or how many nudges, fill its Jacobian?
#
# <details><summary>Answer</summary>
#
# 3 passes; 1000 nudges.
# </details>
#
# **Find the bug.** `w.grad` should be the gradient of 100 examples' mean loss. What is it instead?
#
# ```python
# w.grad = None
# for piece in (batch[:60], batch[60:]):
#     losses = losses_of(w, piece)  # a loss for each example
#     losses.mean().backward()
# ```
#
# <details><summary>Answer</summary>
#
# The sum of two means, about twice too large, and the last 40 count more. Divide each sum by 100.
# </details>
#
# **In your own words.** Why does one pass beat nudges for a million inputs? Write, then compare.
#
# <details><summary>One answer</summary>
#
# Nudges take a run for each input. One row, times a matrix at each layer, tells about all.
# </details>
#
# ## What comes next
# Chapter 6 computes without a graph.
