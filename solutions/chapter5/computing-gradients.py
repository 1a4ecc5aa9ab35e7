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
# In the tutorial *Automatic Differentiation with torch.autograd*, `out` is $(\mathit{inp} + 1)^2$, transposed. The first
# pass gives each element's slope, $2(\mathit{inp} + 1)$: 4 on the diagonal, 2 elsewhere. Predict the first number of
# passes 2 and 3.

# %% [markdown]
# ✎ **Your prediction** (double-click here to write): pass 2 … and pass 3 …

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
import timeit
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
# For a loss $L$ of $y$, let $v = \partial L/\partial y = (1, 10)$. Each $x_j$ may reach $L$ through both
# outputs, so the chain rule adds two paths: $\partial L/\partial x_j = \sum_i v_i \, \partial y_i/\partial x_j$.
# Together they are the **vector-Jacobian product**
#
# $$vJ = (1 \cdot 3 + 10 \cdot 0, \; 1 \cdot 2 + 10 \cdot 1, \; 1 \cdot 0 + 10 \cdot 4)$$
#
# $$vJ = (3, 12, 40).$$
#
# At an output with one element, $v$ is 1. At one with many, *you* choose it: `y.backward(v)` differentiates
# $\sum_i v_i\,y_i$. With $v$ all ones, that is the sum of the outputs.
#
# Your rules compute such products, with `grad` for $v$, and build no $J$. For `a * b`: of the elements of $a$,
# only $a_i$ moves element $i$ of the product, with slope $b_i$. So $J$ is diagonal, and $vJ$ is `grad * b`.
#
# **Back-propagation** is no more than this: from the output down, a row times a matrix for each layer. For two layers
# with Jacobians $J_1$ and, nearer to the output, $J_2$, it computes $(v J_2) J_1$. Why in this order?
#
# ## A row or a table
#
# A product of shapes $(l, m)$ and $(m, n)$ takes $l \cdot m \cdot n$ multiplications. Ten layers of 300 numbers have
# ten Jacobians, 300 by 300. Not graded: write `from_the_output`, which multiplies as a pass does. `from_the_input`
# begins at the other end, with $v$ last. How many times more multiplications does it need?


# %%
def from_the_output(v, jacobians):
    row, count = v, 0
    # your lines: the last of the Jacobians comes first
    # each product takes row.shape[0] * J.size multiplications
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

# %% [markdown]
# <details><summary>An answer</summary>
#
# ```python
# for J in reversed(jacobians):
#     row, count = row @ J, count + row.shape[0] * J.size
# ```
#
# A row costs 90,000 multiplications a layer; a table, with 300 columns, 27 million, nine
# times: $9 \cdot 27\,000\,000 / 900\,000 = 270$. With 300 outputs, both ways cost the same;
# with more, the other one wins.
# </details>
#
# ![With three layers of five numbers. From the output, three products, each of a row and a table of 5 by 5, with 25 multiplications: a row stays a row. From the input, two products of two tables, with 125 multiplications each, and at last a row times a table, with 25.](row-or-table.svg)
#
# ## All weights at once
#
# Now let the ten tables be the *weights* of layers, $z = hW$. To run one example takes 900,000 multiplications, too.
# Let $g$ be the row that has arrived at $z$: $g_j = \partial L/\partial z_j$. What moves what?
#
# | what | moves | with slope | so its gradient is | multiplications in all |
# |---|---|---|---|---|
# | the number $h_i$ | every $z_j$ | $W_{ij}$, so that $J = W^\top$ | $\sum_j g_j W_{ij}$, a row for the layer below | one for each weight |
# | the weight $W_{ij}$ | $z_j$ alone | $h_i$ | $h_i g_j$ | one for each weight |
#
# Not graded: write `both_gradients`, for 100 examples at once, a row of `h` and `g` each, as in chapter 4. A run
# takes some milliseconds: predict how long 900,000 nudges take.


# %% tags=["nbval-ignore-output"]
def run(h, weights):
    entered = []  # what enters each layer
    for W in weights:
        entered.append(h)
        h = h @ W
    return entered, h


def both_gradients(h, W, g):
    # your lines: the gradient of W, and that of h
    return 0 * W, g


def run_and_pass():
    entered, z = run(examples, layers)
    g, slopes = z, []  # the loss is half the sum of z²: its gradient at z is z
    for h, W in zip(reversed(entered), reversed(layers), strict=True):
        of_W, g = both_gradients(h, W, g)  # g: now the row at the layer below
        slopes.insert(0, of_W)
    return slopes


def loss_at(W, place, nudge):
    W[place] += nudge
    z = run(examples, layers)[1]
    W[place] -= nudge
    return (z**2).sum() / 2


def milliseconds(f):
    return min(timeit.repeat(f, number=1, repeat=3)) * 1e3  # the shortest of three


examples = random.normal(size=(100, 300))
slopes = run_and_pass()
for W, found in (layers[0], slopes[0]), (layers[9], slopes[9]):
    measured = (loss_at(W, (2, 3), 1e-4) - loss_at(W, (2, 3), -1e-4)) / 2e-4
    print(f"the slope of one weight: {found[2, 3]:.4f} by the pass, {measured:.4f} by nudges to both sides")
one, both = milliseconds(lambda: run(examples, layers)), milliseconds(run_and_pass)
print(f"a run: {one:.1f} ms; a run and a pass, with all 900,000 slopes: {both:.1f} ms")
print(f"900,000 nudges, a run each: {one * 900_000 / 60_000:.0f} minutes")

# %% [markdown]
# <details><summary>An answer</summary>
#
# `return h.T @ g, g @ W.T`
# </details>
#
# **A pass costs about two runs more, and has the slopes of *all* inputs and parameters, even of a
# million.** A nudge costs a run, and tells how *one* number moves the outputs: one column of a Jacobian.
#
# ## Adding to a leaf
# When a pass reaches a leaf, the last product goes into its `.grad`. Our table is now an operation,
# `Example`. We send $v = (1, 10)$ in two passes, $(1, 0)$ and $(0, 10)$. Read `take`, and predict `x.grad`.


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


def any_start(output, gradient, i):  # i: for messages, the output's number: 0, where a pass starts at one
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
# - Later ones are added *in place*: whoever holds `leaf.grad` sees it grow.
#   `leaf._grad += grad` can add an array.
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
# `any_start` checks nothing. We give no $v$; then, hoping for both rows of $J$, a table with the rows $(1, 0)$ and
# $(0, 1)$. Predict `x.grad`.

# %%
for v in (None, minigrad.tensor([[1.0, 0.0], [0.0, 1.0]])):
    with workshop.using(**careless):  # take, again
        Example.apply(x).backward(v)
    print("x.grad", x.grad.tolist())

# %% [markdown]
# <details><summary>What you saw</summary>
#
# Both times $(3, 3, 4)$, the *sum* of the rows of $J$. Without $v$, the pass started with ones. The table's product had
# two rows, and `unbroadcast` added them, to fit $x$.
# </details>
#
# **Exercise 2.** Write `first_gradient(output, gradient, i)`: it refuses such starts, as its docstring
# says. Tools:
#
# ```python
# one_like(output)  # as above
# output.numel()  # the number of elements
# gradient.to(dtype)
# NOT_SCALAR, MISMATCH.format(i, gradient.shape, output.shape)  # the two messages
# ```
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
    Raises RuntimeError if gradient is None and the output has not exactly one element, or if the shapes differ.
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
# A real node **saves** what its $J$ needs, numbers from the forward pass: the slopes of $x_0 x_1$ are $x_1$ and $x_0$.
# The engine calls `node.save(places, inputs, out)`, with a **place** for each
# value that the rules name: 0 means `inputs[0]`, −1 the result, `out`.
#
# What do the last three nodes save?
#
# | node of | slopes | places | `saved` |
# |---|---|---|---|
# | `x * y` | `y` and `x` | (0, 1) | `[x._array, y._array]` |
# | `x * 3` | that of `x` is 3: input 1. `x` would serve only the gradient of 3, which nobody wants | (1,) | `[3]` |
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
# A copy would cost memory. A pass refuses instead, if a saved tensor was changed. Each tensor counts its changes
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
# So a node notes both: its second list, `versions`, has a triple for each *tensor* that it saves:
#
# | entry | what it is | what backward does with it, before it runs the rules |
# |---|---|---|
# | 0 | the position in `saved` | finds the array that is meant |
# | 1 | the tensor's counter, the list `_versions` | reads the number that is in it now |
# | 2 | the number when saving, `_versions[0]` | compares the two: if they differ, an error |
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
    tensor t, (its position in saved, t._versions, t._versions[0]).
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
# Arrays, not tensors: `out` points to this node. If the node pointed back, Python would free both only later.
# </details>
#
# ## What a node gives back
#
# Once a node has made its product $vJ$, nobody needs its $J$.
#
# As passes add up, a batch can go in pieces. Here nothing is freed, and the losses are kept. Do ten pieces need less
# memory than one?


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
# Only the gradients on their way are a tenth.
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
# later pass refuse. A node that saved nothing can run again: leave it.
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
except RuntimeError as error:  # in PyTorch's own words
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
# Now 3 MB: each piece is freed before the next begins; one piece still holds all at first. `x + 1` saved
# nothing, so it can run again.
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
# **Exercise 5.** Write `jacobian(f, x)`: each pass fills a row. `minigrad.tensor(x)` copies `x`.
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
# A loss has one row, however many parameters: one pass.
# </details>

# ## Rows, columns and PyTorch
# Your passes; then three ways to one table:

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "torch-comparison", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch

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


def example(x):
    return x[1:] * x[:-1] ** 2


at = np.array([2.0, 3.0, 1.0, -1.0])
mine = jacobian(example, at)
theirs = torch.autograd.functional.jacobian(example, torch.tensor(at)).numpy()
nudges = 1e-5 * np.eye(4)
measured = np.stack([(example(at + h) - example(at - h)) / 2e-5 for h in nudges], axis=1)
print("PyTorch agrees:", np.allclose(mine, theirs, atol=1e-12))
print("finite differences agree:", np.allclose(mine, measured, atol=1e-6))

figure.compare(mine, theirs)

# %% [markdown]
# ## Where there is no slope
#
# At a kink (`abs`, `maximum`, `relu`: $\max(x, 0)$) the engine follows PyTorch: the slope of one side, or one
# between the two. $\mathrm{relu}(x) - \mathrm{relu}(-x)$ is $x$. What is its slope at 0, and what will the engine
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
# The slope of $x$ is 1; the engine says $0 + 0$.
# </details>
#
# **At a kink a slope is a convention, and two together can give a wrong one: test gradients elsewhere.**
#
# ## Recap
#
# - A pass multiplies a row by one Jacobian after another: two runs, for all slopes. They are added to `.grad`.
# - A node saves what its Jacobian needs; a pass frees it, unless told to retain the graph.
#
# ## Exit questions
#
# **1.** `h = exp(x)`; `h.sum().backward()` runs. Then `(2 * h).sum().backward()`. What happens?
#
# <details><summary>Answer</summary>
#
# `RuntimeError`: both share the node of `exp`, whose saved values are gone.
# </details>
#
# **2.** A function has 1000 inputs and 3 outputs. How many passes, or nudges, fill its Jacobian?
#
# <details><summary>Answer</summary>
#
# 3 passes, a row each; 1000 nudges, a column each.
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
# A nudge takes a run, for one input. A pass takes about two, for all: a row times a matrix at each layer, and
# one multiplication for each weight.
# </details>
#
# ## What comes next
# Where you only predict, all this is waste: chapter 6 does without.
