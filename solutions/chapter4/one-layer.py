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
# # A one-layer network
#
# You build the matrix product, the sigmoid and a loss that never overflows: together, a layer that can learn.
#
# **The question:** A network says "yes, 90 %", and the answer was no. How wrong is that, and which of its numbers are
# to blame?
#
# **Time:** 50 to 60 minutes.
#
# **Before you start:** chapters 1 to 3; matrix products; rules of natural logarithms.
#
# **Afterwards you can**
#
# - write the rules of a matrix product, and say where the transposes come from;
# - work out a layer's gradients by hand;
# - rearrange a formula so that it cannot overflow;
# - say which tensors are parameters, and ask for their gradients.

# %% [markdown]
# ## From earlier chapters
#
# Answer first, then unfold.
#
# **1.** Chapter 2: `b` has shape (3,), and $z = xw + b$ has shape (4, 3). What is the gradient of `b`?
#
# <details><summary>Answer</summary>
#
# The gradient of $z$, summed over its four rows.
# </details>
#
# **2.** Chapter 3: which input of an operation gets no edge?
#
# <details><summary>Answer</summary>
#
# One that requires no grad.
# </details>

# %% [markdown]
# ## A layer, and how wrong it is
#
# A **layer** makes three numbers from five: $z = xw + b$, with $x$ of shape (5,), $w$ (5, 3) and $b$ (3,). Each of
# these **logits** $z_j$ says yes if it is large, no if it is very negative; the **sigmoid**
# $\sigma(z) = 1/(1 + e^{-z})$ turns it into the probability of yes. The **targets** $y_j$ are the right answers: 1 for
# yes, 0 for no. The right answers together have the *product* of their
# probabilities: $\sigma(z_j)$ for each yes, $1 - \sigma(z_j)$ for each no. Minus its logarithm is a sum, small if the layer
# is right; the mean is the **binary cross entropy** (BCE):
#
# $$\mathit{loss} = \text{mean over } j \text{ of }
# \bigl(-y_j \log \sigma(z_j) - (1 - y_j) \log(1 - \sigma(z_j))\bigr).$$
#
# A "yes, 90 %" where the answer was no costs $-\log(1 - 0.9) \approx 2.3$; where it was yes, only
# $-\log 0.9 \approx 0.1$.
#
# $w$ and $b$ are **parameters**, to be adjusted until the loss is small. For that we need
# $\partial\mathit{loss}/\partial w$ and $\partial\mathit{loss}/\partial b$ at the given $x$ and $y$, so $w$ and $b$
# get `requires_grad=True`.
#
# Below, $x$ holds ones and $y$ zeros. Predict the shape of `w.grad`, and what its rows share.
# The layer is that of the tutorial *Automatic Differentiation with torch.autograd*.

# %% [markdown]
# ✎ **Your prediction** (double-click here to write): `w.grad` has shape …, and its rows …

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "torch-snippet", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch

torch.set_printoptions(sci_mode=False)  # no powers of ten
torch.manual_seed(4)

x = torch.ones(5)  # the input
y = torch.zeros(3)  # the expected output
w = torch.randn(5, 3, requires_grad=True)
b = torch.randn(3, requires_grad=True)

z = torch.matmul(x, w) + b  # or x @ w + b
loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
print("Gradient function for z =", z.grad_fn.name())
print("Gradient function for loss =", loss.grad_fn.name())

loss.backward()
print(w.grad)
print(b.grad)
del x, y, w, b, z, loss  # so that no code of yours finds them by accident

# %% [markdown]
# <details><summary>Answer</summary>
#
# That of $w$, (5, 3). Because every $x_i$ is 1, each row equals `b.grad`.
# </details>
#
# ## The gradients by hand
#
# In a smaller layer, $x = (1, 2)$, $y = (0, 1, 1)$, and $w$ and $b$ make $z = (0, 2, -2)$. First, simplify one logit's
# loss. Since $\sigma(z) = e^z/(1 + e^z)$ and $1 - \sigma(z) = 1/(1 + e^z)$, their logarithms are
#
# $$\log \sigma(z) = z - \log(1 + e^z), \qquad \log(1 - \sigma(z)) = -\log(1 + e^z).$$
#
# Put both into the loss: the terms $y \log(1 + e^z)$ cancel, and what remains is
#
# $$\log(1 + e^z) - zy.$$
#
# As $\log u$ has the slope $1/u$, its slope in $z$ is $\frac{1}{1 + e^z} \cdot e^z - y = \sigma(z) - y$: the probability minus the
# target. The mean over $N = 3$ logits divides by 3. And $z_j = \sum_i x_i w_{ij} + b_j$, so $w_{ij}$ acts on $z_j$ alone,
# with the factor $x_i$:
#
# | quantity | output 0 | output 1 | output 2 |
# |---|---|---|---|
# | $z$ | 0 | 2 | −2 |
# | $\sigma(z)$ | 0.5 | 0.8808 | 0.1192 |
# | $y$ | 0 | 1 | 1 |
# | $\partial\mathit{loss}/\partial z = (\sigma(z) - y)/3$ | 0.1667 | −0.03973 | −0.2936 |
# | $\partial\mathit{loss}/\partial b$, the same | 0.1667 | −0.03973 | −0.2936 |
# | $\partial\mathit{loss}/\partial w$, row 0: times $x_0 = 1$ | 0.1667 | −0.03973 | −0.2936 |
# | $\partial\mathit{loss}/\partial w$, row 1: times $x_1 = 2$ | 0.3333 | −0.07947 | −0.5872 |
#
# The last two rows, each number of $x$ times each of $\partial\mathit{loss}/\partial z$, are an **outer
# product**.
#
# ![The graph of the layer, from left to right. x and w lead to u = x @ w; u and b to z = u + b; z and y to loss = BCE(z, y), which is 0.9823. w, b and the steps carry the gradients of the table above; x and y carry none.](one-layer.svg)
#
# Where an arrow stands for several factors, it shows the smallest and the largest.

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import numpy as np

import minigrad
from grader import check
from minigrad import workshop
from minigrad.core.function import Function
from minigrad.nn import functional as F
from minigrad.rules import both
from minigrad.rules.linalg import Product
from minigrad.rules.loss import Loss

workshop.open(4)

# %% [markdown]
# ## MatMul
#
# `MatMul` is the operation behind `x @ y`, for any two matrices: $z_{ij} = \sum_k x_{ik}\, y_{kj}$. Its rules need the
# **transpose**: `y.mT` is `y` with its rows and columns swapped.
#
# Take $x = [[1, 2], [3, 4]]$ and $y = [[5, 6], [7, 8]]$, and let $[[1, 10], [100, 1000]]$ be the gradient of $z$:
#
# | number | acts on | its gradient |
# |---|---|---|
# | $x_{01} = 2$ | $z_{00}$, with $y_{10} = 7$; $z_{01}$, with $y_{11} = 8$ | $1 \cdot 7 + 10 \cdot 8 = 87$ |
# | $y_{10} = 7$ | $z_{00}$, with $x_{01} = 2$; $z_{10}$, with $x_{11} = 4$ | $1 \cdot 2 + 100 \cdot 4 = 402$ |
#
# Your rules may treat every factor as a matrix, or as a batch, where `.mT` swaps the last two axes. The class
# `Product`, from which `MatMul` is made, hands over a vector `x` as a row and a vector `y` as a column, and takes the
# extra axis off your gradient.
#
# **Exercise 1.** Write the two rules of `MatMul`, whose `forward` is given. Like all rules, they are made of operators,
# without NumPy's functions.
#
# - **Shapes:** `x` is (n, k), `y` is (k, m), the result and `grad` are (n, m). A gradient has its input's shape.
# - **Ten minutes, medium, 4 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Which numbers of $z$ change with $x_{ik}$, and how fast? The shapes help too: how do (n, m) and (k, m) make (n, k)?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $\partial/\partial x_{ik} = \sum_j \mathrm{grad}_{ij}\, y_{kj}$, a row of `grad` with a row of `y`;
# $\partial/\partial y_{kj} = \sum_i x_{ik}\, \mathrm{grad}_{ij}$, a column of `x` with a column of `grad`.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# def backward_x(self, grad, y):
#     return ... @ ...  # a product takes rows with columns: which of the two is transposed?
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "matmul", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
class MatMul(Product):
    """x @ y, the product of two matrices, or of batches of them.

    forward: arrays x and y; returns the product.
    backward_x, backward_y: grad is the gradient of the product; return the gradient of x, of y.
    """

    def forward(self, x, y):
        self.ranks = x.ndim, y.ndim  # the numbers of axes: Product reads here which of the two is a vector
        return x @ y

    def backward_x(self, grad, y):
        ### BEGIN SOLUTION
        return grad @ y.mT
        ### END SOLUTION

    def backward_y(self, grad, x):
        ### BEGIN SOLUTION
        return x.mT @ grad
        ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "matmul-graded", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("matmul")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# From $x_{ik}$ a path leads to each number in row $i$ of $z$; the product with a transpose adds over these paths. If
# $x$ is a single row, `x.mT @ grad` is a column times a row: the outer product.
# </details>
#
# ## Sigmoid
#
# At $x = -1000$, $e^{-x}$ overflows to $\infty$. NumPy warns, but $1/(1 + \infty) = 0$ is right, and the check does not
# mind. With $e^x/(1 + e^x)$, $\sigma(1000)$ would be $\infty/\infty$: undefined.
#
# **Exercise 2.** Write `Sigmoid`. `forward` may use `np.exp`; the rule is made of operators again.
#
# - **Shapes:** `x`, the result, `grad` and the gradient share one shape.
# - **Five minutes, easy, 2 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# As with $e^x$, the slope can be written from the result alone, `out`.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $\sigma'(x) = \sigma(x)\,(1 - \sigma(x))$.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# def backward_x(self, grad, out):
#     return ... * (1 - ...) * ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "sigmoid", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
class Sigmoid(Function):
    """The sigmoid of x, element by element: between 0 and 1, rising.

    forward: an array x; returns the sigmoid.
    backward_x: grad is the gradient of the result, out; returns the gradient of x.
    """

    promotes = True  # for the engine: the sigmoid of integers is a floating-point number

    def forward(self, x):
        ### BEGIN SOLUTION
        return 1 / (1 + np.exp(-x))
        ### END SOLUTION

    def backward_x(self, grad, out):
        ### BEGIN SOLUTION
        return grad * (1 - out) * out
        ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "sigmoid-graded", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("sigmoid")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# $1/(1 + e^{-x})$ has the derivative $e^{-x}/(1 + e^{-x})^2$, which is $\sigma(x)$ times
# $e^{-x}/(1 + e^{-x}) = 1 - \sigma(x)$. Where σ is close to 0 or 1, hardly any gradient gets through.
# </details>
#
# ## A loss that overflows
#
# One logit's loss was $\log(1 + e^z) - zy$. The first term is called **softplus**. Here it is as it stands, in the
# engine's usual `float32` numbers, with its slope. Where will it go wrong?

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "as-it-stands", "locked": true, "schema_version": 3, "solution": false, "task": false}
from grader import figure


def as_it_stands(z):
    return (1 + z.exp()).log()


exact = np.linspace(-20, 120, 281)
z = minigrad.tensor(exact, dtype=minigrad.float32, requires_grad=True)
with np.errstate(all="ignore"):  # without NumPy's warnings
    value = as_it_stands(z)
    value.sum().backward()
print(f"at z = {exact[240]:.0f}: value {value[240].item()}, slope {z.grad[240].item()}")

fig, panels = figure.new(1, 2, width=8)
value_and_slope = [
    ("softplus", "∞ from here", np.log(1 + np.exp(exact)), value.detach().numpy()),
    ("its slope", "NaN from here", 1 / (1 + np.exp(-exact)), z.grad.numpy()),
]
for panel, (title, note, true, found) in zip(panels, value_and_slope):
    panel.plot(exact, true, linewidth=5, alpha=0.4, label="exact")
    panel.plot(exact, np.where(np.isfinite(found), found, np.nan), label="as it stands")
    panel.axvline(88.7, color="#333333", linestyle=":", linewidth=1.2)
    panel.annotate(note, (86, 0.2 * true.max()), ha="right")
    panel.set(title=title, xlabel="z")
panels[0].legend()
figure.show(
    fig,
    "Softplus and its slope for z from -20 to 120. As it stands it follows the exact curves, the value near 0 and then "
    "near z, the slope from 0 up to 1; from z = 88.7 on the value is infinite and the slope NaN.",
)

# %% [markdown]
# <details><summary>What you saw</summary>
#
# $e^{89}$ is more than the largest `float32` number, $3.4 \cdot 10^{38}$, and becomes ∞. So does its logarithm, and the
# slope is 1/∞ times ∞: NaN, *not a number*. One NaN spoils every gradient.
# </details>
#
# A rule of logarithms helps, as $1 + e^z = e^z\,(1 + e^{-z})$:
#
# $$\log(1 + e^z) = z + \log(1 + e^{-z}).$$
#
# And `np.log1p(a)` is $\log(1 + a)$, exact even where $1 + a$ would be rounded to 1.
#
# **Exercise 3.** Write `softplus(z)` with NumPy, right for every $z$.
#
# - **Shapes:** `z` is an array of any shape; the result has its shape.
# - **Five minutes, medium, 2 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Which side of the formula is safe for positive $z$, and which for negative?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# Take the right side for positive $z$, the left side for negative: either way the exponent is $-|z|$.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# return np.maximum(z, ...) + np.log1p(np.exp(...))
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "softplus", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
def softplus(z):
    """log(1 + exp(z)), element by element, without overflow.

    z: an array. Returns an array of its shape.
    """
    ### BEGIN SOLUTION
    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "softplus-graded", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("softplus")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# The exponent is never positive, so `exp` at worst becomes 0, and so does the logarithm. (`np.where` computes both
# sides, and overflows in one.)
# </details>
#
# ## BCE with logits
#
# The class `Loss`, which yours is made from, looks after the mean:
#
# - `self.reduce(losses, reduction)`, in `forward`, returns their mean or sum, or with `"none"` all of them;
# - `self.each(grad)`, in a rule, is what arrives at each single loss: for a mean of $N$ losses, `grad` divided by $N$.
#
# A rule works on arrays, in chapter 9 on tensors. For σ, write `both.sigmoid(z)`, which takes either. Targets have a
# rule, too: they may be another network's answers.
#
# **Exercise 4.** Write the loss, with your `softplus`, and its rules, one for the logits $z$ and one for the targets
# $y$.
#
# - **Shapes:** `z`, `y` and their gradients share one shape; `grad` has that of the result.
# - **Eight minutes, medium, 3 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Each loss is $\mathrm{softplus}(z) - zy$. Take the slope in $z$ with $y$ held fixed; then the other way round.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $\mathrm{softplus}'(z) = \sigma(z)$. In $y$, the loss is a straight line.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# def forward(self, z, y, *, reduction="mean"):
#     return self.reduce(... - ..., reduction)
#
# def backward_z(self, grad, z, y):
#     return self.each(grad) * (...)
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "bce-with-logits", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
class BinaryCrossEntropyWithLogits(Loss):
    """The binary cross entropy of logits z and targets y.

    forward: arrays z and y of one shape; returns the losses, reduced.
    backward_z, backward_y: grad is the gradient of the result; return the gradient of z, of y.
    """

    def forward(self, z, y, *, reduction="mean"):
        ### BEGIN SOLUTION
        return self.reduce(softplus(z) - z * y, reduction)
        ### END SOLUTION

    def backward_z(self, grad, z, y):
        ### BEGIN SOLUTION
        return self.each(grad) * (both.sigmoid(z) - y)
        ### END SOLUTION

    def backward_y(self, grad, z):
        ### BEGIN SOLUTION
        return self.each(grad) * -z
        ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "bce-with-logits-graded", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("bce-with-logits")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# The logarithm undoes the exponential in σ, so no $\sigma'$ is left. With $\sigma'$, the gradient would vanish where
# the layer is sure but wrong.
# </details>
#
# ## One layer
#
# `requires_grad` is set when a tensor is made, or later by `w.requires_grad_(True)`; the underscore says that `w`
# itself is changed. Set it last: with `w = 0.1 * torch.randn(5, 3, requires_grad=True)`, `w` is a product, no leaf, and `w.grad` stays `None`.
#
# **Exercise 5.** Write `one_layer(x, y, w, b)`. All four come without `requires_grad`. Ask for the parameters'
# gradients, compute $z$ and the loss, and back-propagate.
#
# - **Shapes:** `x` is (n,), or (rows, n) for a batch of examples; `w` is (n, m), `b` (m,), `y` and `z` (m,) or
#   (rows, m). The loss is one number.
# - **Five minutes, easy, 3 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# The PyTorch cell at the top does it; `F` is minigrad's `nn.functional`.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $z = xw + b$, with `@`. The loss takes logits, then targets, and applies σ itself.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# w....  # ask, and b as well
# z = ...
# loss = F.binary_cross_entropy_with_logits(...)
# ...  # the backward pass
# return z, loss
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "bce", "locked": false, "schema_version": 3, "solution": true, "task": false}
def one_layer(x, y, w, b):
    """Run x through the layer z = x @ w + b, and back-propagate from its binary cross entropy with the targets y.

    Returns the tensors z and loss; w.grad and b.grad hold the gradients of the loss.
    """
    ### BEGIN SOLUTION
    w.requires_grad_(True)
    b.requires_grad_(True)
    z = x @ w + b
    loss = F.binary_cross_entropy_with_logits(z, y)
    loss.backward()
    return z, loss
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "bce-graded", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("bce")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# In a batch, `x.mT @ grad` adds up the outer products of all rows, and $b$, which was broadcast to every row, gets its
# sum from `unbroadcast`.
# </details>
#
# ## The layer learns to read
#
# Seven segments, lit or dark, show a digit. Ten logits answer: is it a 0, is it a 1 …? At $w = b = 0$ all say 50 %, and
# the loss is $\log 2 \approx 0.69$. After a thousand steps against the gradients, which digit is read least surely?

# %%
DIGITS = [  # segments: top, top left, top right, middle, bottom left, bottom right, bottom
    "1110111",
    "0010010",
    "1011101",
    "1011011",
    "0111010",
    "1101011",
    "1101111",
    "1010010",
    "1111111",
    "1111011",
]


def learn(count, steps):
    lit = np.array([[float(segment) for segment in digit] for digit in DIGITS[:count]])
    w, b = np.zeros((7, count)), np.zeros(count)
    for _ in range(steps):
        weights, bias = minigrad.tensor(w), minigrad.tensor(b)
        _, loss = one_layer(minigrad.tensor(lit), minigrad.tensor(np.eye(count)), weights, bias)
        w, b = w - weights.grad.numpy(), b - bias.grad.numpy()
    return loss.item(), 1 / (1 + np.exp(-(lit @ w + b)))


loss, yes = learn(10, steps=1000)
print(f"loss {loss:.2f}")
for digit, row in enumerate(yes):
    second, first = row.argsort()[-2:]
    print(f"shown {digit}: read {first}, {row[first]:3.0%}; then {second}, {row[second]:3.0%}")

# %% [markdown]
# <details><summary>What you saw</summary>
#
# The 8: a single segment tells it from 0, 6 and 9.
# </details>
#
# ## By hand
#
# **Exercise 6.** Write `layer_by_hand(x, y, w, b)`: the gradients of $w$ and $b$ for one example, with NumPy alone. The
# engine records nothing while it is graded.
#
# - **Shapes:** `x` is (n,), `w` is (n, m), `b` and `y` are (m,). The results have the shapes of `w` and `b`.
# - **Eight minutes, medium, 3 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Follow the table of the worked example.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $\partial\mathit{loss}/\partial z_j = (\sigma(z_j) - y_j)/N$, with $N$ the number of logits, and
# $\partial\mathit{loss}/\partial w_{ij} = x_i \cdot \partial\mathit{loss}/\partial z_j$. A vector has no `.mT`.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# z = ...
# z_grad = (... - y) / ...
# return np.outer(..., ...), ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "layer-by-hand", "locked": false, "schema_version": 3, "solution": true, "task": false}
def layer_by_hand(x, y, w, b):
    """The gradients of the mean binary cross entropy of the logits x @ w + b, computed with NumPy alone.

    x, y, w, b: arrays; y holds zeros and ones. Returns two arrays: the gradient with respect to w, and to b.
    """
    ### BEGIN SOLUTION
    z = x @ w + b
    z_grad = (1 / (1 + np.exp(-z)) - y) / z.size
    return np.outer(x, z_grad), z_grad
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "layer-by-hand-graded", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("layer-by-hand")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# The gradient of $z$ is all that $w$ and $b$ need from the loss.
# </details>
#
# ## Your graph
#
# As your parts record it:

# %% tags=["demonstration"] picture="one-layer.svg" nbgrader={"grade": false, "grade_id": "your-graph", "locked": true, "schema_version": 3, "solution": false, "task": false}
from grader import picture


def layer_and_loss(x, w, b, y):
    z = MatMul.apply(x, w) + b  # what x @ w calls
    return BinaryCrossEntropyWithLogits.apply(z, y)


parameters = {"w": [[1, 2, -1], [-1, 1, 0]], "b": [1, -2, -1]}
picture.graph(layer_and_loss, at=parameters, data={"x": [1, 2], "y": [0, 1, 1]}, names="u z loss")

# %% [markdown]
# ## The same layer in PyTorch
#
# Your engine, your formula (a batch's gradient is the mean of its examples') and finite differences should agree with
# PyTorch.

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "torch-comparison", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch

random = np.random.default_rng(4)


def in_torch(x, y, w, b):
    x, y, w, b = map(torch.tensor, (x, y, w, b))
    w.requires_grad_(True)
    torch.nn.functional.binary_cross_entropy_with_logits(x @ w + b, y).backward()
    return w.grad.numpy()


def engine(x, y, w, b):
    x, y, w, b = map(minigrad.tensor, (x, y, w, b))
    _, loss = one_layer(x, y, w, b)
    return loss.item(), w.grad.numpy()


def measured(x, y, w, b, h=1e-5):
    grad = np.zeros(w.shape)
    for place in np.ndindex(w.shape):
        nudge = np.zeros(w.shape)
        nudge[place] = h
        grad[place] = (engine(x, y, w + nudge, b)[0] - engine(x, y, w - nudge, b)[0]) / (2 * h)
    return grad


for name, rows, size in [("one example", 1, 1), ("a batch of four", 4, 1), ("logits up to ±1000", 4, 300)]:
    x, y = random.normal(size=(rows, 5)), random.integers(0, 2, (rows, 3)).astype(float)
    w, b = size * random.normal(size=(5, 3)), random.normal(size=3)
    with np.errstate(over="ignore"):
        hand = np.mean([layer_by_hand(row, target, w, b)[0] for row, target in zip(x, y)], axis=0)
    ways = {"engine": engine(x, y, w, b)[1], "by hand": hand, "measured": measured(x, y, w, b)}
    agree = {way: np.allclose(grad, in_torch(x, y, w, b), atol=1e-6) for way, grad in ways.items()}
    print(f"{name:18} {agree}")

# %% [markdown]
# ## Break it
#
# The layer learns all ten digits, then only 0 to 6, each time also with a `MatMul` without transposes. What happens?


# %%
class NoTransposes(MatMul):
    def backward_x(self, grad, y):
        return grad @ y

    def backward_y(self, grad, x):
        return x @ grad


for count in (10, 7):
    for product in (MatMul, NoTransposes):
        with workshop.using(MatMul=product):
            try:
                loss, yes = learn(count, steps=100)
                outcome = f"loss {loss:.2f}, {sum(yes.argmax(axis=1) == range(count))} of {count} digits read"
            except ValueError as error:
                outcome = f"{type(error).__name__}: {str(error)[:55]} …"
        print(f"{count:2} digits, {product.__name__:12} {outcome}")

# %% [markdown]
# <details><summary>What you saw</summary>
#
# With ten digits, NumPy fails at once. With seven, all sizes are 7: the loss even falls a little, and you might blame
# the data. Test products on sizes that differ.
# </details>
#
# ## Recap
#
# - A product's gradients are products, too, with one factor transposed.
# - For BCE with logits, the gradient of $z$ is $(\sigma(z) - y)/N$.
# - Rearrange a formula so that `exp` gets no large argument.
#
# ## Exit questions
#
# **1.** The logits are 1000, 0 and −1000, the targets all 0. What are the loss and `b.grad`?
#
# <details><summary>Answer</summary>
#
# The losses are 1000, $\log 2$ and 0, with mean 333.56. $\sigma(z)$ is 1, 0.5 and 0, so `b.grad` is 0.3333, 0.1667
# and 0.
# </details>
#
# **2.** Someone calls `F.binary_cross_entropy_with_logits(sigmoid(z), y)`, and the network hardly learns. Why?
#
# <details><summary>Answer</summary>
#
# σ is applied twice. $\sigma(z)$ lies between 0 and 1; as a logit, it only gives probabilities between 0.5 and
# 0.73. And the extra factor $\sigma'$ shrinks the gradients.
# </details>
#
# **Find the bug.** At $z = 40$ and $y = 1$ the layer is sure, and right. Nothing overflows, yet the loss is NaN.
#
# ```python
# def bce(z, y):
#     p = 1 / (1 + np.exp(-z))
#     return -y * np.log(p) - (1 - y) * np.log(1 - p)
# ```
#
# <details><summary>Answer</summary>
#
# $p$ misses 1 by $4 \cdot 10^{-18}$, and is rounded to 1. So $1 - p$ is 0, its logarithm $-\infty$; 0 times ∞ is NaN.
# $\mathrm{softplus}(z) - zy$ never rounds a probability.
# </details>
#
# **In your own words.** Why is the loss a logarithm, not a squared error? Write, then compare.
#
# <details><summary>One answer</summary>
#
# $(\sigma - y)^2$ never costs more than 1; $-\log p$ has no limit. Its gradient, $\sigma - y$, does not shrink where
# $\sigma$ is flat: sure mistakes are corrected fastest.
# </details>
#
# ## What comes next
#
# `my_minigrad/` has four more definitions. Chapter 5 calls `backward()` twice, and on outputs of several numbers, and
# asks what a graph keeps.
#
# A challenge after the course: the exact GELU, in `notebooks/challenges/gelu.ipynb`.
