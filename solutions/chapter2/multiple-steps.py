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
# # Back-propagation on multiple steps
#
# Your engine learns to divide, to sum, to take means, and to work on arrays of different shapes. At the end it agrees
# with PyTorch, and with your pencil.
#
# **The question:** Between input and output lie layers of numbers, and arrays of different shapes meet there. How does
# a gradient find its way back through them?
#
# **Time:** 50 to 60 minutes.
#
# **Before you start:** chapter 1; NumPy arrays with their `shape`, and `sum` along an `axis`.
#
# **Afterwards you can**
#
# - carry a gradient through two layers, with your engine and by hand;
# - give each operand a gradient of its own shape;
# - write the rules of a quotient, a sum and a mean;
# - say why a result in the middle has no `.grad`, and ask for one.

# %% [markdown]
# ## From earlier chapters
#
# Answer first, then unfold.
#
# **1.** What does an operation's rule return for one input?
#
# <details><summary>Answer</summary>
#
# The gradient that arrives from above, times the local derivative of that input.
# </details>
#
# **2.** In $x \cdot x$, how many paths lead to $x$, and how do you combine them?
#
# <details><summary>Answer</summary>
#
# Two. What they bring is added.
# </details>

# %% [markdown]
# ## A network of two layers
#
# Now $x$ is an array with 2 rows and 3 columns: its **shape** is (2, 3). Two **layers** follow, each computed
# element by element from the one before, and one number comes out:
#
# $$y = 3x + 2, \qquad z = 2y^2, \qquad \mathit{out} = \text{the mean of all elements of } z.$$
#
# `x.grad` is the gradient of $\mathit{out}$ *with respect to* $x$: for each element of $x$, how fast
# $\mathit{out}$ changes with it. `y.retain_grad()` asks for the same for $y$. Before you run the next code cell,
# predict the shape of `x.grad`, and its first number. Follow that one element: multiply the slopes along its path, as
# in chapter 1. Its share of the mean is a sixth.

# %% [markdown]
# ✎ **Your prediction** (double-click here to write): `x.grad` has shape … and starts with …

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "torch-snippet", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch

x = torch.tensor([[1.0, 2, 3], [3, 2, 1]], requires_grad=True)
y = 3 * x + 2
y.retain_grad()
z = 2 * y**2
out = z.mean()
out.backward()
print(out)
print(x.grad)
print(y.grad)
del x, y, z, out  # so that no code of yours finds them by accident

# %% [markdown]
# <details><summary>Answer</summary>
#
# One number for each element of $x$: shape (2, 3). The first is $3 \cdot 4y \cdot 1/6 = 10$, with $y = 5$. (The layers
# are those of the tutorial *PyTorch Gradients*.)
# </details>
#
# ## The gradients by hand
#
# Elements meet only in the mean, where each of the $N = 6$ has its share: $\partial\mathit{out}/\partial z = 1/6$. Then
# multiply by one local derivative for each layer: $dz/dy = 4y$ and $dy/dx = 3$. For the first row:
#
# | first row | column 0 | column 1 | column 2 |
# |---|---|---|---|
# | $x$ | 1 | 2 | 3 |
# | $y = 3x + 2$ | 5 | 8 | 11 |
# | $z = 2y^2$ | 50 | 128 | 242 |
# | $\partial\mathit{out}/\partial z = 1/6$ | 0.1667 | 0.1667 | 0.1667 |
# | $\partial\mathit{out}/\partial y = 1/6 \cdot 4y$ | 3.333 | 5.333 | 7.333 |
# | $\partial\mathit{out}/\partial x = 1/6 \cdot 4y \cdot 3$ | 10 | 16 | 22 |
#
# For an engine, each operation is a step. The second row of $x$ holds the same numbers in reverse:
#
# ![The graph of the two layers, in a row from left to right: x, u = 3·x with local derivative 3, y = u + 2 with 1, v = y² with 10 to 22, z = 2·v with 2, and out = mean(z) = 140 with 0.1667. Each box shows a table of values above a table of gradients; those of x, y, z and out are in the table above.](layers.svg)

# %% [markdown]
# ## What is missing
#
# Your rules from chapter 1 already work on arrays. What your engine lacks is division, sums and means, and a rule for
# operands of different shapes.

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import warnings

import numpy as np

import minigrad
from grader import check
from minigrad import workshop
from minigrad.core.function import Function
from minigrad.rules.reduce import Reduction

workshop.open(2)

# %% [markdown]
# ## Div
#
# **Exercise 1.** Write $z = x / y$ and its two rules, which are made of operators, as in chapter 1.
#
# - **Shapes:** `x`, `y`, `grad` and both gradients have the shape of $z$.
# - **Five minutes, easy, 2 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# $x / y$ is $x \cdot y^{-1}$: a product and a power, and you know the slopes of both.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $\partial z/\partial x = 1/y$ and $\partial z/\partial y = -x/y^2$.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# def backward_y(self, grad, x, y):
#     return ... * (x / ... / ...)  # which sign?
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "div", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
class Div(Function):
    """z = x / y, element by element.

    forward: arrays x and y of one shape, or one of them a number; returns z.
    backward_x, backward_y: grad is the gradient of z; return the gradient of x, of y.
    """

    def forward(self, x, y):
        ### BEGIN SOLUTION
        return x / y
        ### END SOLUTION

    def backward_x(self, grad, y):
        ### BEGIN SOLUTION
        return grad / y
        ### END SOLUTION

    def backward_y(self, grad, x, y):
        ### BEGIN SOLUTION
        return -grad * (x / y / y)
        ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "div-graded", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("div")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# For $x$, $1/y$ is a constant factor. For $y$, the power $-1$ comes down in front and becomes $-2$. `x / y**2` is
# right, too; dividing by $y$ twice is safer, as $y^2$ overflows sooner.
# </details>
#
# ## Different shapes
#
# In $x + b$ with shapes (2, 3) and (3,), NumPy uses $b$ once for each row of $x$; this is called **broadcasting**.
# So two paths lead from the result to each number of $b$, and where paths meet, gradients are added. In numbers, for
# $b = (10, 20, 30)$:
#
# | in numbers | column 0 | column 1 | column 2 |
# |---|---|---|---|
# | $x + b$, row 0 | 1 + 10 | 2 + 20 | 3 + 30 |
# | $x + b$, row 1 | 3 + 10 | 2 + 20 | 1 + 30 |
# | gradient that arrives at row 0, say | 1 | 2 | 3 |
# | gradient that arrives at row 1 | 4 | 5 | 6 |
# | gradient of $b$ | 1 + 4 = 5 | 2 + 5 = 7 | 3 + 6 = 9 |
#
# If $b$ had shape (2, 1), each row would use one number three times, with gradient $1 + 2 + 3 = 6$ or
# $4 + 5 + 6 = 15$. In $x \cdot b$, the rule of `Mul` multiplies first; then the products are added in the same way.
#
# An array can be broadcast in two ways, along a *new* axis in front or along a *stretched* axis of length 1:
#
# | shape | broadcast to | gradients are added along |
# |---|---|---|
# | (3,) | (2, 3) | axis 0, which is new |
# | (2, 1) | (2, 3) | axis 1, which was stretched |
# | () | (2, 3) | axes 0 and 1, both new |
# | (3, 1) | (2, 3, 4) | axis 0, new, and axis 2, stretched |
#
# When a rule returns a gradient whose shape differs from its input's, the engine calls the function that you write
# next. So no rule has to change.
#
# **Exercise 2.** Write `unbroadcast(grad, shape)`.
#
# - **Shapes:** an array of `shape` can be broadcast to `grad.shape`; the result has `shape`.
# - **Twelve minutes, the hardest one, 4 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Shapes line up at the right. How many more axes does `grad` have? Those are the new ones. Then look
# for a 1 in `shape`.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# For the first row of the table: gradient of $b_j = \sum_i \mathrm{grad}_{ij}$. `grad.ndim` counts axes;
# `grad.sum(axis=(0, 2))` (a tuple, not a list) sums along two at once and drops them; `axis=()` sums along none, as where
# nothing was broadcast. `reshape` brings axes of length 1 back.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# added = ...  # how many axes are new
# stretched = [added + i for i, n in enumerate(shape) if ...]
# return grad.sum(axis=(*range(...), *...)).reshape(...)
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "unbroadcast", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
def unbroadcast(grad, shape):
    """The gradient of an array of `shape` that was broadcast to grad.shape.

    grad: an array, the gradient of what the array became.
    shape: a tuple. Returns an array of this shape.
    """
    ### BEGIN SOLUTION
    added = grad.ndim - len(shape)
    stretched = [added + i for i, n in enumerate(shape) if n == 1 and grad.shape[added + i] != 1]
    return grad.sum(axis=(*range(added), *stretched)).reshape(shape)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "unbroadcast-graded", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("unbroadcast")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# Broadcasting copies a number; each copy has a gradient; the number's gradient is their sum. It is chapter 1's
# "add over the paths", for many paths at once.
# </details>
#
# ## Sum and Mean
#
# A sum goes the other way: many elements become one number, and its gradient goes back to each of them.
# `x.sum()` adds all elements, `x.sum(dim=1)` those along axis 1, and `keepdim=True` keeps that axis with length 1.
# `dim` may be negative, too, or a tuple of axes. The base class `Reduction` looks after the shapes:
#
# - `self.axes(x, dim, keepdim)` returns NumPy's `axis`, and notes what the other two need: they fail until `forward`
#   has called it;
# - `self.spread(value)` expands a value of the result's shape to the shape of `x`;
# - `self.count()` is the number of elements behind each result.
#
# In NumPy, `spread` takes two steps, here for `dim=1`. What will they print? Then change the cell for `dim=0`, where
# `grad` has three numbers.

# %%
shape = (2, 3)  # of x
grad = np.array([10.0, 20.0])  # of x.sum(dim=1)
kept = np.expand_dims(grad, 1)  # the axis that was summed is back, with length 1
print(kept.shape)
print(np.broadcast_to(kept, shape))
del shape, grad, kept  # so that no code of yours finds them by accident

# %% [markdown]
# **Exercise 3.** Write the rule of `Sum`, whose `forward` is given, and the whole of `Mean`. Rules use operators and
# these three, not NumPy's functions.
#
# - **Shapes:** `grad` has the shape of the result; the gradient has the shape of `x`.
# - **Six minutes, medium, 4 points for both.**
#
# <details><summary>Hint 1: the idea</summary>
#
# If one element grows a little, by how much does the sum grow? And the mean of $N$ elements?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $\partial(\text{sum})/\partial x_i = 1$ and $\partial(\text{mean})/\partial x_i = 1/N$, for every $i$.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# def forward(self, x, *, dim=None, keepdim=False):
#     total = ...  # as in Sum
#     return total / ...
#
# def backward_x(self, grad):
#     return self.spread(...)  # Sum: times 1. Mean: over how many?
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "sum-mean", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
class Sum(Reduction):
    """The sum of x: of all elements, or along dim.

    forward: an array x; returns the sum.
    backward_x: grad is the gradient of the sum; returns the gradient of x.
    """

    def forward(self, x, *, dim=None, keepdim=False):
        return x.sum(axis=self.axes(x, dim, keepdim), keepdims=keepdim)

    def backward_x(self, grad):
        ### BEGIN SOLUTION
        return self.spread(grad)
        ### END SOLUTION


@workshop.part
class Mean(Reduction):
    """The mean of x: of all elements, or along dim.

    forward: an array x; returns the mean.
    backward_x: grad is the gradient of the mean; returns the gradient of x.
    """

    def forward(self, x, *, dim=None, keepdim=False):
        ### BEGIN SOLUTION
        total = x.sum(axis=self.axes(x, dim, keepdim), keepdims=keepdim)
        return total / self.count()
        ### END SOLUTION

    def backward_x(self, grad):
        ### BEGIN SOLUTION
        return self.spread(grad / self.count())
        ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "sum-mean-graded", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("sum-mean")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# A sum's backward pass copies, and a copy's backward pass sums: `Sum` and `unbroadcast` mirror each
# other. A mean is a sum divided by $N$; its gradient is divided too.
# </details>
#
# ## A gradient in the middle
#
# The result $y$ is not a leaf: an operation made it. The gradient of $y$ exists briefly, on its way to $x$, and is
# then forgotten: keeping one for each step would take as much memory as all the values. So `y.grad` is `None`,
# with a warning. Call `y.retain_grad()` *before* the backward pass, and the gradient that passes through is
# stored in `y.grad`, too. Here with one number, $x = 1$:


# %%
def middle_gradient(ask):
    x = minigrad.tensor(1.0, requires_grad=True)
    middle = 3 * x + 2
    if ask:
        middle.retain_grad()
    (2 * middle**2).backward()
    return middle.grad


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print("not asked:", middle_gradient(ask=False))
print("warning:", str(caught[0].message).split(" If ")[0])
print("asked:", middle_gradient(ask=True))

# %% [markdown]
# The 20 is $4y$ at $y = 5$.
#
# ## Two layers
#
# **Exercise 4.** Write `two_layers(x, a, b, c)`: $y = ax + b$, $z = cy^2$, and $\mathit{out}$, the mean of $z$.
# Then back-propagate, so that both `x.grad` and `y.grad` are filled in.
#
# - **Shapes:** `x` is a leaf of any shape; `a`, `b` and `c` are Python numbers; $\mathit{out}$ holds one number.
# - **Eight minutes, medium, 3 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# The PyTorch cell at the top does it, with 3, 2 and 2.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# `**` binds more tightly than `*`: `c * y**2` is $c \cdot (y^2)$.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# y = ...
# y....  # ask for its gradient
# z = ...
# out = ...
# ...  # the backward pass
# return y, out
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "two-layers", "locked": false, "schema_version": 3, "solution": true, "task": false}
def two_layers(x, a, b, c):
    """Run x through y = a·x + b and z = c·y², and back-propagate from out, the mean of z.

    x: a leaf that requires grad. Returns the tensors y and out; x.grad and y.grad hold the gradients of out.
    """
    ### BEGIN SOLUTION
    y = a * x + b
    y.retain_grad()
    z = c * y**2
    out = z.mean()
    out.backward()
    return y, out
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "two-layers-graded", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("two-layers")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# The mean spreads $1/N$, the square turns it into $2cy/N$, and the first layer multiplies by $a$. Your rules did
# this, one after the other.
# </details>
#
# ## By hand
#
# The recipe of the table at the top, $1/6 \cdot 4y \cdot 3$, meets slopes that are measured, as in chapter 1. Why is it
# right for the first array, and wrong for the second?


# %%
def out_of(x):
    return (2 * (3 * x + 2) ** 2).mean()


def compare(x):
    recipe = 1 / 6 * 4 * (3 * x + 2) * 3
    nudges = 1e-5 * np.eye(len(x))  # each row nudges one element
    measured = [(out_of(x + nudge) - out_of(x - nudge)) / 2e-5 for nudge in nudges]
    print("recipe:", np.round(recipe, 2), "measured:", np.round(measured, 2))


compare(np.array([1.0, 2, 3, 3, 2, 1]))
compare(np.array([1.0, 2]))

# %% [markdown]
# <details><summary>What you saw</summary>
#
# 1/6 is the share of one element among six; among two it is 1/2. The 4 and the 3 belong to these two layers, too.
# </details>
#
# **Exercise 5.** Write `by_hand(values, a, b, c)`: the gradients of exercise 4 for any $a$, $b$, $c$ and any number of
# elements. Work the formulas out on paper, and use NumPy alone: the engine's recording is switched off while this is
# graded.
#
# - **Shapes:** `values` is a NumPy array of any shape; both results have its shape.
# - **Eight minutes, medium, 3 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Take the worked example at the top and write $a$, $b$, $c$ and $N$ for 3, 2, 2 and 6.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $\partial\mathit{out}/\partial y = \frac{1}{N} \cdot 2cy$ and
# $\partial\mathit{out}/\partial x = \partial\mathit{out}/\partial y \cdot a$, with $N$ the number of elements.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# y = ...
# y_grad = ... / y.size
# return ..., y_grad
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "by-hand", "locked": false, "schema_version": 3, "solution": true, "task": false}
def by_hand(values, a, b, c):
    """The gradients of out, the mean of c·(a·x + b)², at x = values, computed with NumPy alone.

    Returns two arrays: the gradient with respect to x, and with respect to y = a·x + b.
    """
    ### BEGIN SOLUTION
    y = a * values + b
    y_grad = 2 * c * y / y.size
    return a * y_grad, y_grad
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "by-hand-graded", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("by-hand")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# It is the same chain rule. But change a layer, and you start again; the engine just runs the new one.
# </details>
#
# ## Your graph
#
# The picture again, drawn from the graph your two layers record.

# %% tags=["demonstration"] picture="layers.svg" nbgrader={"grade": false, "grade_id": "your-graph", "locked": true, "schema_version": 3, "solution": false, "task": false}
from grader import picture

picture.graph(lambda x: two_layers(x, 3, 2, 2)[1], at=[[1, 2, 3], [3, 2, 1]], names="u y v z out")

# %% [markdown]
# ## The same layers in PyTorch
#
# Your `two_layers` also takes PyTorch tensors. Three ways to the same gradients should agree:

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "torch-comparison", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch

random = np.random.default_rng(2)
for shape in [(2, 3), (5,), (3, 1, 2)]:
    values, (a, b, c) = random.normal(size=shape), random.normal(size=3)
    theirs = torch.tensor(values, requires_grad=True)
    y, _ = two_layers(theirs, a, b, c)
    mine = minigrad.tensor(values, requires_grad=True)
    my_y, _ = two_layers(mine, a, b, c)
    hand_x, hand_y = by_hand(values, a, b, c)
    for name, torch_grad, my_grad, hand in [("x", theirs.grad, mine.grad, hand_x), ("y", y.grad, my_y.grad, hand_y)]:
        engine_agrees = np.allclose(my_grad.numpy(), torch_grad.numpy(), atol=1e-12)
        hand_agrees = np.allclose(hand, torch_grad.numpy(), atol=1e-12)
        print(f"{shape!s:9} {name}.grad: engine agrees: {engine_agrees}, by hand: {hand_agrees}")

# %% [markdown]
# ## Break it
#
# A **bias** $b$ is added to each row of a layer, and learns by small steps against its gradient. Below it takes
# two steps with your `unbroadcast`, then two with one that does nothing. Which line will fail? Decide
# before you run it.


# %%
def does_nothing(grad, shape):
    return grad


def step(bias):
    rows = minigrad.tensor(np.ones((4, 3)))
    layer = rows + minigrad.tensor(bias, requires_grad=True)
    # As if the output were layer.sum(). A node also takes an array, not only a tensor, and then returns arrays.
    _, bias_grad = layer.grad_fn.backward(np.ones((4, 3)))
    return bias - 0.1 * bias_grad


for function in (unbroadcast, does_nothing):
    with workshop.using(unbroadcast=function):
        bias = np.zeros(3)
        for _ in range(2):
            bias = step(bias)
            print(f"{function.__name__}: shape {bias.shape}, first number {bias.flat[0]:.1f}")

# %% [markdown]
# <details><summary>What you saw</summary>
#
# None. The bias grew from 3 numbers to 12, NumPy kept broadcasting, and learning is four times too slow.
# </details>
#
# ## A test without any rule
#
# Take finite differences for each element of $x$ with the huge step $h = 0.5$. Chapter 1's best step was
# $10^{-5}$. Why is this one good enough?


# %%
def out_at(values):
    return two_layers(minigrad.tensor(values, requires_grad=True), 3, 2, 2)[1].item()


def measured(values, h):
    grad = np.zeros(values.shape)
    for place in np.ndindex(values.shape):
        nudge = np.zeros(values.shape)
        nudge[place] = h
        grad[place] = (out_at(values + nudge) - out_at(values - nudge)) / (2 * h)
    return grad


print(measured(np.array([[1.0, 2, 3], [3, 2, 1]]), h=0.5))

# %% [markdown]
# <details><summary>Why it is</summary>
#
# Its error grows with the third derivative, and that of $2(3x + 2)^2$ is 0. But six numbers took twelve runs;
# back-propagation takes one run and one walk.
# </details>
#
# ## Recap
#
# - Each further layer is one more factor.
# - Broadcasting copies, so its gradient is summed; a sum's gradient is copied.
# - A mean divides by $N$, and so does its gradient.
# - Only leaves keep `.grad`; `retain_grad` keeps others.
#
# ## Exit questions
#
# **1.** With three elements, $y = x + 2$, $z = y \cdot y \cdot 3$ and $\mathit{out}$ the mean of $z$. What is `x.grad`?
#
# <details><summary>Answer</summary>
#
# $\frac{1}{3} \cdot 6y \cdot 1 = 2y = 2x + 4$. The two factors $y$ are two paths of $3y/3$ each.
# </details>
#
# **2.** A mean's rule forgets $1/N$. It was tested on one element, and trains well on ten. What happens on a thousand?
#
# <details><summary>Answer</summary>
#
# The test could not fail: $N$ was 1. The gradient is ten times too large, then a thousand times: steps that worked
# overshoot.
# </details>
#
# **3.** Someone calls `x.grad` "the gradient of $x$ with respect to $\mathit{out}$". What do you answer?
#
# <details><summary>Answer</summary>
#
# It is the other way round: the gradient of $\mathit{out}$ with respect to $x$.
# </details>
#
# **Find the bug.** For `grad` of shape (3, 3) and `shape` (3,) the result has the right shape. What is wrong, and which
# input shows it?
#
# ```python
# def unbroadcast(grad, shape):
#     while grad.ndim > len(shape):
#         grad = grad.sum(axis=-1)
#     return grad
# ```
#
# <details><summary>Answer</summary>
#
# Broadcasting adds axes in front: axis 0 has to be summed. With `grad` of shape (2, 3) the result would be (2,). And
# stretched axes of length 1 are forgotten.
# </details>
#
# **In your own words.** A bias of shape (3,) is added to each of 100 rows. Why is its gradient a sum? Two or three
# sentences; then compare.
#
# <details><summary>One answer</summary>
#
# Each of its numbers was copied into 100 rows and acts in all of them. Its gradient is what all
# copies bring, added up.
# </details>
#
# ## What comes next
#
# `my_minigrad/` has grown by four definitions, some twenty lines. Chapter 3 looks at the graph itself, and at a
# function with too many paths to walk.
#
# A challenge, if you have the whole course: slopes carried forward, in `notebooks/challenges/forward-mode.ipynb`.
