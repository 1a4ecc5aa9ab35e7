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
# # Back-propagation on one step
#
# You write the derivative rules of five operations, and code that turns them into gradients. At the end
# your code gives the same numbers as `torch.autograd`.
#
# **The question:** PyTorch gives the slope of any formula you write, though nobody has told it the derivative. How
# does it know?
#
# **Time:** 50 to 60 minutes.
#
# **Before you start:** Python functions and classes; the derivative of a polynomial; the chain rule for
# $f(g(x))$. You need no PyTorch.
#
# **Afterwards you can**
#
# - read a formula as a graph of operations;
# - write an operation's backward rule, and say what it needs to know;
# - carry a gradient from an output to a leaf along every path;
# - explain why gradients that meet at a leaf are added;
# - test a gradient with finite differences, and say how far to trust them.

# %% [markdown]
# ## A polynomial and its slope
#
# A **tensor** is PyTorch's array of numbers; here it holds one. A tensor that you make yourself is a **leaf**.
# With `requires_grad=True`, PyTorch records every operation on it, and `y.backward()` computes $dy/dx$ and
# stores it in `x.grad`.
#
# The next code cell does this for $y = 2x^4 + x^3 + 3x^2 + 5x + 1$ at $x = 2$. Before you run it, predict the
# two numbers that it prints.

# %% [markdown]
# ✎ **Your prediction** (double-click here to write): `y` is … and `x.grad` is …

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "torch-snippet", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch

x = torch.tensor(2.0, requires_grad=True)
y = 2 * x**4 + x**3 + 3 * x**2 + 5 * x + 1
print(y)
y.backward()
print(x.grad)
del x, y  # so that no code of yours finds them by accident

# %% [markdown]
# <details><summary>Answer</summary>
#
# `y` is 32 + 8 + 12 + 10 + 1 = 63, and `x.grad` is 93, the slope of the curve at the point (2, 63).
# `grad_fn=<AddBackward0>` names the operation that made `y`: an addition. (The example opens the tutorial *PyTorch
# Gradients*.)
# </details>
#
# ## The derivative by hand
#
# Term by term, $y' = 8x^3 + 3x^2 + 6x + 5$. At $x = 2$ this is $64 + 12 + 12 + 5 = 93$.
#
# A program does not see the whole formula: it meets one operation, one **step**, at a time. Give each a letter.
# In the picture, arrows carry **local derivatives**: how fast a step changes with an input. A step's **gradient** is
# how fast $y$ changes with it.
#
# ![The graph of the polynomial at x = 2. Four arrows leave x: to a = x⁴ with local derivative 32, to c = x³ with 12, to e = x² with 4, to h = 5·x with 5. Then b = 2·a, d = b + c, f = 3·e, g = d + f, i = g + h and y = i + 1. The values are those of the table below.](by-hand.svg)
#
# | step | value | local derivative |
# |---|---|---|
# | $x$ | 2 | |
# | $a = x^4$ | 16 | $da/dx = 4x^3 = 32$ |
# | $b = 2a$ | 32 | $db/da = 2$ |
# | $c = x^3$ | 8 | $dc/dx = 3x^2 = 12$ |
# | $d = b + c$ | 40 | $\partial d/\partial b = \partial d/\partial c = 1$ |
# | $e = x^2$ | 4 | $de/dx = 2x = 4$ |
# | $f = 3e$ | 12 | $df/de = 3$ |
# | $g = d + f$ | 52 | $\partial g/\partial d = \partial g/\partial f = 1$ |
# | $h = 5x$ | 10 | $dh/dx = 5$ |
# | $i = g + h$ | 62 | $\partial i/\partial g = \partial i/\partial h = 1$ |
# | $y = i + 1$ | 63 | $dy/di = 1$ |
#
# The gradients are for you to find. Start at $y$, whose gradient is 1, and go back: a step's gradient, times the
# local derivative, goes to each step it is made from. Where a step receives several, add them. Take paper, or the
# worksheet below: type a number, press Enter, and it is judged. Then nudge a step with the slider: your gradient
# predicts how far $y$ moves. Instead of the fields you can call `sheet.gradients(i=1)` and `sheet.nudge(x=0.1)` in a
# cell of your own. If the fields stop answering, run the cell again.

# %% tags=["demonstration"] picture="by-hand.svg" nbgrader={"grade": false, "grade_id": "by-hand", "locked": true, "schema_version": 3, "solution": false, "task": false}
from grader import worksheet

sheet = worksheet.Worksheet(
    x=2,
    a="x**4",
    b="2*a",
    c="x**3",
    d="b + c",
    e="x**2",
    f="3*e",
    g="d + f",
    h="5*x",
    i="g + h",
    y="i + 1",
)
sheet

# %% [markdown]
# <details><summary>Answer</summary>
#
# The gradient of $e$ is 3, that of $a$ is 2 and that of $x$ is 93. All others are 1.
# </details>
#
# Multiply along a path: from $y$ through $a$ to $x$, $1 \cdot 1 \cdot 1 \cdot 1 \cdot 2 \cdot 32 = 64$.
# Add over the paths, for a nudge of $x$ travels along all of them, and its effects on $y$ add up: $64 + 12 + 3 \cdot 4 + 5 = 93$. This is the chain rule. A nudge of
# $x$ moves $y$ by about 93 times as much: not exactly, since the curve bends. The smaller the nudge, the better the
# prediction.

# %% [markdown]
# ## How an operation is written
#
# minigrad is a small engine that behaves like `torch.autograd`; it still lacks the parts of this chapter.
# An operation is a `Function` class. Here is a complete example, $e^x$:
#
# ```python
# class Exp(Function):
#     def forward(self, x):
#         return np.exp(x)
#
#     def backward_x(self, grad, out):
#         return grad * out
# ```
#
# - `forward` takes arrays and returns the result.
# - `backward_x` is the rule for the input `x`. It receives `grad`, the gradient of the result, and returns the
#   gradient of `x`: `grad` times the local derivative.
# - The rule's other parameters name what it needs: inputs of `forward`, or `out`, the result. The derivative
#   of $e^x$ is $e^x$ again, so this rule asks for `out`.
# - Write the rules with operators (`*`, `**`, …), not with NumPy's functions. They get arrays for now, but in chapter 9
#   they get tensors, which NumPy's functions refuse. `forward` always gets arrays, so it may use NumPy.
# - `forward` and the rules only read what they are given; they never change it.
#
# `@workshop.part` puts your class into the engine: from then on each `+` runs your `Add`.

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import numpy as np

import minigrad
from grader import check
from minigrad import workshop
from minigrad.core.function import AccumulateGrad, Function

workshop.open(1)

# %% [markdown]
# ## Add
#
# **Exercise 1.** Write $z = x + y$ and its two rules.
#
# - **Shapes:** `x`, `y`, `grad` and both gradients have the shape of $z$; a number gets no gradient.
# - **Four minutes, easy, 2 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# If $x$ grows a little, by how much does $x + y$ grow?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $\partial z/\partial x = 1$ and $\partial z/\partial y = 1$; multiply `grad` by them.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# def forward(self, x, y):
#     return ...
#
# def backward_x(self, grad):
#     return ...  # what arrives, times 1
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "add", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
class Add(Function):
    """z = x + y, element by element.

    forward: arrays x and y of one shape, or one of them a number; returns z.
    backward_x, backward_y: grad is the gradient of z; return the gradient of x, of y.
    """

    def forward(self, x, y):
        ### BEGIN SOLUTION
        return x + y
        ### END SOLUTION

    def backward_x(self, grad):
        ### BEGIN SOLUTION
        return grad
        ### END SOLUTION

    def backward_y(self, grad):
        ### BEGIN SOLUTION
        return grad
        ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "add-graded", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("add")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# Both local derivatives are 1, so a sum hands each input everything that arrives. Nothing is split.
# </details>
#
# ## Mul
#
# **Exercise 2.** Write $z = xy$ and its two rules. Each rule's parameters already show what it needs.
#
# - **Shapes:** all equal, as for addition.
# - **Four minutes, easy, 2 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Hold $y$ fixed. Then $z$ is a straight line in $x$. What is its slope?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $\partial z/\partial x = y$ and $\partial z/\partial y = x$.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# def backward_x(self, grad, y):
#     return ... * ...  # what arrives, times the slope
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "mul", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
class Mul(Function):
    """z = x * y, element by element.

    forward: arrays x and y of one shape, or one of them a number; returns z.
    backward_x, backward_y: grad is the gradient of z; return the gradient of x, of y.
    """

    def forward(self, x, y):
        ### BEGIN SOLUTION
        return x * y
        ### END SOLUTION

    def backward_x(self, grad, y):
        ### BEGIN SOLUTION
        return grad * y
        ### END SOLUTION

    def backward_y(self, grad, x):
        ### BEGIN SOLUTION
        return grad * x
        ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "mul-graded", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("mul")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# Each input's slope is the *other* input. So multiplication must remember its inputs until the backward pass;
# addition remembers nothing.
# </details>
#
# ## Neg and Sub
#
# **Exercise 3.** Write $z = -x$ and $z = x - y$, with their rules.
#
# - **Shapes:** all equal, as for addition.
# - **Four minutes, easy, 2 points for both.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Which input pulls $z$ down when it grows?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $\partial(-x)/\partial x = -1$; $\partial(x - y)/\partial x = 1$ and $\partial(x - y)/\partial y = -1$.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# def backward_y(self, grad):
#     return ...  # what arrives, with which sign?
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "neg-sub", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
class Neg(Function):
    """z = -x, element by element.

    forward: an array x; returns z.
    backward_x: grad is the gradient of z; returns the gradient of x.
    """

    def forward(self, x):
        ### BEGIN SOLUTION
        return -x
        ### END SOLUTION

    def backward_x(self, grad):
        ### BEGIN SOLUTION
        return -grad
        ### END SOLUTION


@workshop.part
class Sub(Function):
    """z = x - y, element by element.

    forward: arrays x and y of one shape, or one of them a number; returns z.
    backward_x, backward_y: grad is the gradient of z; return the gradient of x, of y.
    """

    def forward(self, x, y):
        ### BEGIN SOLUTION
        return x - y
        ### END SOLUTION

    def backward_x(self, grad):
        ### BEGIN SOLUTION
        return grad
        ### END SOLUTION

    def backward_y(self, grad):
        ### BEGIN SOLUTION
        return -grad
        ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "neg-sub-graded", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("neg-sub")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# $x - y$ is $x + (-y)$: addition's rules, with a minus sign for $y$.
# </details>
#
# ## Pow
#
# **Exercise 4.** Write $z = x^n$, with a Python number $n$. Since $n$ gets no gradient, one rule is enough.
#
# - **Shapes:** `x`, `grad` and the gradient of `x` share a shape.
# - **Four minutes, easy, 2 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# You used this rule by hand: what is the derivative of $x^4$? Of $x^n$?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $dz/dx = n\,x^{n-1}$.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# def backward_x(self, grad, x, n):
#     return grad * (... * x ** ...)
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "pow", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
class Pow(Function):
    """z = x ** n, element by element, for a Python number n.

    forward: an array x and a number n; returns z.
    backward_x: grad is the gradient of z; returns the gradient of x.
    """

    def forward(self, x, n):
        ### BEGIN SOLUTION
        return x**n
        ### END SOLUTION

    def backward_x(self, grad, x, n):
        ### BEGIN SOLUTION
        return grad * (n * x ** (n - 1))
        ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "pow-graded", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("pow")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# For a whole $n$, $x^n$ has $n$ factors $x$. Each contributes $x^{n-1}$, the product of the others. The power rule says
# the same of every $n$.
# </details>
#
# ## Path by path
#
# Each rule knows one step. Now walk the graph. Each operation's result `z` has a **node**, `z.grad_fn`:
# the `Function` object that made it.
#
# - `node.backward(grad)` runs your rules and returns a list with the gradient of each input, or `None` where no
#   gradient is needed: for `x * 2`, the list is `[2 * grad, None]`. (Checks write `node(grad)` for it.)
# - `node.next_functions` has, in the same order, a pair `(below, 0)` for each input: its node, and a 0 to ignore. Where
#   no gradient is needed, the pair is `(None, 0)`.
# - A leaf has a node too, an `AccumulateGrad`, and `node.variable` is the leaf. Such a node has no rule: paths end there.
#
# The next cell asks the two nodes of $z = a \cdot b + a$, at $a = 3$ and $b = 4$. What will the product's node return
# for the gradient 1?

# %%
a = minigrad.tensor(3.0, requires_grad=True)
b = minigrad.tensor(4.0, requires_grad=True)
z = a * b + a  # change this line, and look again
print("z is", z)
print("its node is an object of your class Add:", isinstance(z.grad_fn, Add))

node, grad = z.grad_fn, minigrad.tensor(1.0)
while node and node.next_functions:  # from each node to its first input
    grads = node.backward(grad)
    print(node.name(), "returns", [None if g is None else g.item() for g in grads])
    print("    below:", [below and below.name() for below, _ in node.next_functions])
    node, grad = node.next_functions[0][0], grads[0]
del a, b, z, node, grad, grads  # so that no code of yours finds them by accident

# %% [markdown]
# It returns 4 and 3, each slope times 1. The walk takes such lists down to the leaves:
#
# | call | what happens |
# |---|---|
# | the sum's node, with 1 | its list is [1, 1]: two calls, for the product and for $a$ |
# | the product's node, with 1 | its list is [4, 3]: two calls, for $a$ and for $b$ |
# | the node of $a$, with 4 | `a.grad` was `None`, and is 4 |
# | the node of $b$, with 3 | `b.grad` was `None`, and is 3 |
# | the node of $a$, with 1 | `a.grad` was 4, and is 5 |
#
# **Exercise 5.** Write `backpropagate(node, grad)`, which `z.backward()` will call with `z.grad_fn` and the gradient 1.
# It adds what arrives to `leaf.grad`, which is `None` as long as nothing has arrived. Do not add with `+=`: after
# `a + b`, `a.grad` and `b.grad` are one tensor, so `a.grad += …` would change both.
#
# - **Shapes:** `grad` is a tensor shaped like the node's result, as the leaf's `.grad` will be. (Your rules get the
#   array inside.)
# - **Twenty minutes, the hardest one, 4 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# A leaf ends a path. Anywhere else, each input starts a shorter path: let the function call itself.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# leaf.grad ← leaf.grad + grad, once for each path. An empty `leaf.grad` is `None`, and counts as 0.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# if isinstance(node, AccumulateGrad):
#     leaf = node.variable
#     ...  # add grad to what is there
#     return
# for (below, _), below_grad in zip(..., ...):
#     if ...:
#         ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "paths", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
def backpropagate(node, grad):
    """Carry grad from node along every path to the leaves, and add what arrives to each leaf's .grad.

    node: the node of a result, or the AccumulateGrad of a leaf.
    grad: the gradient of that result, a tensor. No result is asked for.
    """
    ### BEGIN SOLUTION
    if isinstance(node, AccumulateGrad):
        leaf = node.variable
        leaf.grad = grad if leaf.grad is None else leaf.grad + grad
        return
    for (below, _), below_grad in zip(node.next_functions, node.backward(grad), strict=True):
        if below is not None:
            backpropagate(below, below_grad)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "paths-graded", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("paths")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# Each call carries the product of the local derivatives so far, so a leaf receives one product for each path.
# Adding them is the chain rule for several paths. (Many paths take many calls: chapter 3 mends that.)
# </details>
#
# ## The polynomial
#
# **Exercise 6.** Write `polynomial(x)`, the formula from the top, and `differentiate(f, at)`, which returns the
# value and the slope of any `f` made of your operations. A tensor is `float32` by default and keeps 7 digits;
# give your leaf `dtype=minigrad.float64`, which keeps 16.
#
# - **Shapes:** `f` maps a one-number tensor to another; `differentiate` takes and returns Python floats. `t.item()` is
#   the number in the tensor `t`.
# - **Eight minutes, medium, 4 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# The PyTorch cell at the top does it in three moves.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# value = $f(\mathrm{at})$; slope = $f'(\mathrm{at})$, which `backward()` leaves in the leaf's `.grad`.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# x = minigrad.tensor(..., dtype=..., requires_grad=...)
# y = ...
# ...
# return y.item(), ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "polynomial", "locked": false, "schema_version": 3, "solution": true, "task": false}
def polynomial(x):
    """2x⁴ + x³ + 3x² + 5x + 1, for a tensor x; returns a tensor."""
    ### BEGIN SOLUTION
    return 2 * x**4 + x**3 + 3 * x**2 + 5 * x + 1
    ### END SOLUTION


def differentiate(f, at):
    """The value and the slope of f at the number `at`: a pair of Python floats.

    f takes one tensor and returns one tensor, each holding a single number in float64.
    """
    ### BEGIN SOLUTION
    x = minigrad.tensor(at, dtype=minigrad.float64, requires_grad=True)
    y = f(x)
    y.backward()
    return y.item(), x.grad.item()
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "polynomial-graded", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("polynomial")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# `f` only has to be *run*: while it runs, each operation leaves its node. The derivative's formula is never
# written down.
# </details>
#
# ## Your graph
#
# Here is the picture again, with the gradients, drawn from the recorded graph. Try another function in your
# own cell.

# %% tags=["demonstration"] picture="graph.svg" nbgrader={"grade": false, "grade_id": "your-graph", "locked": true, "schema_version": 3, "solution": false, "task": false}
from grader import picture

picture.graph(polynomial, at=2.0)

# %% [markdown]
# ## The same function in PyTorch
#
# Your `polynomial` also takes PyTorch tensors. Values and slopes should agree.

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "torch-comparison", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch

for at in (-1.3, 0.7, 2.0):
    x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
    y = polynomial(x)
    y.backward()
    value, slope = differentiate(polynomial, at)
    print(f"x = {at:4}: yours {value:.10f}, {slope:.10f}; torch {y.item():.10f}, {x.grad.item():.10f}")

# %% [markdown]
# ## Break it
#
# `workshop.using(...)` replaces a part within one block. Here your `Mul` has its two rules swapped, so
# that each input's slope is its own value, not the other's. Which pair in the cell below will show it? Decide
# before you run it.


# %%
class SwappedMul(Mul):
    backward_x = Mul.backward_y
    backward_y = Mul.backward_x


def slopes(x_value, y_value):
    x = minigrad.tensor(x_value, requires_grad=True)
    y = minigrad.tensor(y_value, requires_grad=True)
    (x * y).backward()
    return x.grad.item(), y.grad.item()


for x_value, y_value in [(3.0, 3.0), (3.0, 5.0)]:
    with workshop.using(Mul=SwappedMul):
        broken = slopes(x_value, y_value)
    print(f"x = {x_value}, y = {y_value}: your Mul {slopes(x_value, y_value)}, broken {broken}")

# %% [markdown]
# <details><summary>What you saw</summary>
#
# Only the second. With equal inputs this wrong rule gives the right numbers, which is why `check` draws unequal
# ones.
# </details>
#
# ## A test without any rule
#
# A slope can be measured: $\bigl(f(x + h) - f(x - h)\bigr) / 2h$ for a small step $h$, the **finite difference**.
# Which $h$ comes closest to 93?

# %%
f = np.polynomial.Polynomial([1, 5, 3, 1, 2])  # the constant term first
for h in (1e-1, 1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-13):
    slope = (f(2 + h) - f(2 - h)) / (2 * h)
    print(f"h = {h:.0e}: slope {slope:.9f}, error {abs(slope - 93):.0e}")

# %% [markdown]
# <details><summary>Why the error falls, then rises</summary>
#
# A chord is not the tangent: with $f'''(2) = 48 \cdot 2 + 6 = 102$, its error is $h^2 f'''(2)/6 = 17h^2$.
# And `float64` keeps 16 digits, so values near 63 are off by about $10^{-14}$; dividing by $h$ magnifies this to
# $10^{-14}/h$. The two balance near $h = 10^{-5}$. The one-sided slope, $\bigl(f(2 + h) - f(2)\bigr)/h$, is off by
# about $57h$, far more. Back-propagation has no $h$: only the rounding of each operation remains.
# </details>
#
# ## Recap
#
# - A formula is a graph; each operation is a node with one rule for each input.
# - A rule returns `grad` times its local derivative, and names what it needs.
# - Multiply along a path, add over the paths.
# - Finite differences test a gradient. They do not replace it: each input needs two more runs.
#
# ## Exit questions
#
# **1.** If the walk wrote `leaf.grad = grad`, what would `x * x` give at $x = 3$?
#
# <details><summary>Answer</summary>
#
# 3 instead of 6: the second path would overwrite the first.
# </details>
#
# **2.** You compute the polynomial at $x = 2$ and call `y.backward()`, then do both again. What is `x.grad`?
#
# <details><summary>Answer</summary>
#
# 186: the walk adds to what it finds. PyTorch does the same, so training loops clear gradients at each step.
# </details>
#
# **3.** Why do `Add`'s rules ask for neither `x` nor `y`?
#
# <details><summary>Answer</summary>
#
# The slope of a sum is 1 wherever you stand.
# </details>
#
# **In your own words.** A friend asks what `y.backward()` does. Explain it without a formula. Two or three sentences;
# then compare.
#
# <details><summary>One answer</summary>
#
# Each operation has kept a note of what it did. Starting at the result, we ask each how fast its result changes
# with each of its inputs. Along a path the answers are multiplied; where paths meet they are added. What arrives at $x$
# is the slope.
# </details>
#
# ## What comes next
#
# `my_minigrad/` now holds your five operations and your walk. Chapter 2 starts from them: it puts several layers,
# and arrays of different shapes, between the leaf and the output.
#
# A challenge, if you have the whole course: an operation of your own, in `notebooks/challenges/tanh.ipynb`.
