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
# # Beyond the tutorials
#
# You differentiate gradients, and train a small GPT. Most of what it writes is true.
#
# **The question:** What can an engine do if it can differentiate everything, even itself?
#
# **Time:** two sittings of 35 to 45 minutes.
#
# **Before you start:** chapters 1 to 8; matrix products.
#
# **Afterwards you can**
#
# - take second derivatives, and Hessian-vector products without the Hessian;
# - write LayerNorm's rule, causal attention, and the block that a GPT is made of;
# - train a GPT on your engine, and tell learning from cheating.

# %% [markdown]
# ## From earlier chapters
#
# Answer first, then unfold.
#
# **1.** Chapter 5: what part of a Jacobian does one pass give?
#
# <details><summary>Answer</summary>
#
# One row.
# </details>
#
# **2.** Chapter 8: which parameters does an optimizer not see?
#
# <details><summary>Answer</summary>
#
# Those that were not assigned to a module: in a plain list, say.
# </details>

# %% [markdown]
# ## The slope of a slope
#
# At $x = 2$ chapter 1's polynomial has slope 93. The slope has a slope, too: the **second derivative** $y''$.
# `grad(y, x)` returns the gradient in a tuple, and leaves `.grad` alone; `create_graph=True` records the
# backward pass. Predict: what is $y''$ at 2, and which result has a `grad_fn`?

# %% [markdown]
# ✎ **Your prediction** (double-click here to write): $y''$ is …, and a `grad_fn` has …

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "torch-snippet", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch

x = torch.tensor(2.0, requires_grad=True)
y = 2 * x**4 + x**3 + 3 * x**2 + 5 * x + 1
(slope,) = torch.autograd.grad(y, x, create_graph=True)
(bend,) = torch.autograd.grad(slope, x)
print(slope)
print(bend)
print(x.grad)

# %% [markdown]
# <details><summary>Answer</summary>
#
# $y'' = 24x^2 + 6x + 6 = 114$. The slope has a `grad_fn`: its computation was recorded.
# </details>
#
# ## By hand
#
# Take $y = x^4$ alone. Its backward pass runs `Pow`'s rule, made of operations with rules:
#
# | pass | computes | at $x = 2$ | leaves behind |
# |---|---|---|---|
# | forward | $y = x^4$ | 16 | a node for the power |
# | backward, recorded | $y' = 1 \cdot 4x^3$ | 32 | nodes for a power and products |
# | backward through those | $y'' = 4 \cdot 3x^2$ | 48 | nothing |
#
# That is why rules use operators: on tensors, they are recorded.

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import numpy as np

import minigrad
from grader import check
from minigrad import tensor, workshop
from minigrad.autograd import grad, gradcheck, gradgradcheck
from minigrad.rules.activation import Normalisation

workshop.open(9)

# %% [markdown]
# ## Second derivatives
#
# **Exercise 1.** Write `second_derivative(f, x)`, for an element-wise function.
#
# - **Shapes:** `x` is a leaf of any shape; `f(x)` and the result have its shape.
# - **Five minutes, easy, 2 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# A backward pass starts from one number. How do many become one, so that each element keeps its own slope?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $\partial\bigl(\sum_j f(x_j)\bigr)/\partial x_i = f'(x_i)$, and once more for $f''$.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# (first,) = grad(f(x)...., x, ...=True)
# (second,) = ...
# return second
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "second-derivative", "locked": false, "schema_version": 3, "solution": true, "task": false}
def second_derivative(f, x):
    """f'' at each element of x, as a tensor.

    f: works element by element on a tensor. x: a leaf that requires grad.
    """
    ### BEGIN SOLUTION
    (first,) = grad(f(x).sum(), x, create_graph=True)
    (second,) = grad(first.sum(), x)
    return second
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "second-derivative-graded", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("second-derivative")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# Elements never mix, so the sum's gradient holds each slope in its place.
# </details>
#
# ## A Hessian times a vector
#
# If $f$ makes one number out of $n$, it has $n^2$ second derivatives
# $H_{ij} = \partial^2 f/\partial x_i \partial x_j$: the **Hessian**, for a million parameters too many to store. But
# $Hv$, how the gradient changes when $x$ moves in the direction $v$, costs two backward passes. For $f = x_0^2 x_1$ at
# $x = (2, 3)$, with $v = (1, 10)$:
#
# | in numbers | component 0 | component 1 |
# |---|---|---|
# | gradient $(2 x_0 x_1,\; x_0^2)$ | 12 | 4 |
# | first row of $H$: $2 x_1,\; 2 x_0$ | 6 | 4 |
# | second row of $H$: $2 x_0,\; 0$ | 4 | 0 |
# | $Hv$ | $6 \cdot 1 + 4 \cdot 10 = 46$ | $4 \cdot 1 + 0 \cdot 10 = 4$ |
# | gradient at $x + 0.01\,v = (2.01, 3.1)$ | 12.462 | 4.0401 |
# | its change, divided by 0.01 | 46.2 | 4.01 |
#
# **Exercise 2.** Write `hvp(f, x, v)`, the product $Hv$ at `x`.
#
# - **Shapes:** `x` is a leaf of any shape; `v` and the result have its shape; `f(x)` is one number.
# - **Six minutes, medium, 3 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Which single number, made of the gradient and $v$, has $Hv$ as its own gradient?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $\sum_j H_{ij} v_j = \frac{\partial}{\partial x_i} \sum_j \frac{\partial f}{\partial x_j} v_j$, as $v$ is constant.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# (slope,) = grad(..., x, ...)
# along = (... * ...).sum()
# ...  # and differentiate that
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "hvp", "locked": false, "schema_version": 3, "solution": true, "task": false}
def hvp(f, x, v):
    """The Hessian of f at x times v, as a tensor.

    f: takes a tensor like x, returns a tensor of one element. x: a leaf that requires grad. v: a tensor like x.
    """
    ### BEGIN SOLUTION
    (slope,) = grad(f(x), x, create_graph=True)
    (product,) = grad((slope * v).sum(), x)
    return product
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "hvp-graded", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("hvp")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# Above, $\sum_j \frac{\partial f}{\partial x_j} v_j = 2 x_0 x_1 + 10 x_0^2$, with the gradient
# $(2 x_1 + 20 x_0,\; 2 x_0) = (46, 4)$.
# </details>
#
# In chapter 7 the steepest direction's $a$ limited $\mathit{lr}$ to $2/a$. In that direction a $v$ of length 1
# has the longest $Hv$, so repeating $v \leftarrow Hv/|Hv|$ turns $v$ there. Predict $a$ for that bowl:


# %%
def bowl(p):
    return p[0] ** 2 + 4 * p[1] ** 2


def steepest(f, at, steps):
    x, v = tensor(at, requires_grad=True), tensor(np.ones_like(at) / len(at) ** 0.5)
    for _ in range(steps):
        product = hvp(f, x, v)
        a = (product * product).sum().item() ** 0.5
        v = product / a
        print(f"a = {a:.4f}, lr below {2 / a:.4f}")


steepest(bowl, [2.0, 1.0], 6)

# %% [markdown]
# ## Two Jacobians
#
# In chapter 5 rules filled a **Jacobian**, $J_{ki} = \partial f_k/\partial x_i$, row by row: send back a gradient that
# is 1 at output $k$ and 0 elsewhere. Differences measure its columns: move $x_i$, see all outputs. `gradcheck` compares the two tables.
#
# **Exercise 3.** Write `numerical_jacobian(f, x, eps)`, with steps $\pm$`eps`, and
# `analytical_jacobian(output, x)`. In it, `grad(output, x, above, retain_graph=True, materialize_grads=True)` sends the
# tensor `above` back, keeps the graph for the next row, and gives zeros where nothing arrives.
#
# - **Shapes:** both results are arrays (outputs, inputs); `x` and the output have any shapes.
# - **Tools:** `a.flat[i]` is element `i` of an array of any shape, to read or to set; `np.ravel(a)` has them all in a
#   row.
# - **Twelve minutes, medium, 4 points for both.**
#
# <details><summary>Hint 1: the idea</summary>
#
# One loop runs over the inputs, the other over the outputs.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# Column $i$ is $\bigl(f(x + h) - f(x - h)\bigr)/(2\varepsilon)$, where $h$ is $\varepsilon$ at element $i$ and 0
# elsewhere.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# for i in range(x.size):
#     step = ...  # zeros like x, but eps at element i
#     jacobian[:, i] = ...
#
# for k in range(output.numel()):
#     above = ...
#     (row,) = grad(output, x, tensor(above), ...)
#     jacobian[k] = ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "jacobians", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
def numerical_jacobian(f, x, eps=1e-6):
    """The Jacobian of f at x by central differences: a row for each output of f, a column for each element of x.

    f: takes an array like x, returns an array. x: an array. eps: the step.
    """
    jacobian = np.zeros((np.size(f(x)), x.size))
    ### BEGIN SOLUTION
    for i in range(x.size):
        step = np.zeros(x.shape)
        step.flat[i] = eps
        jacobian[:, i] = np.ravel(f(x + step) - f(x - step)) / (2 * eps)
    ### END SOLUTION
    return jacobian


@workshop.part
def analytical_jacobian(output, x):
    """The Jacobian of `output` with respect to x by the rules: a row for each element of output, a column for each of x.

    output: a tensor with a grad_fn; its elements that do not depend on x have rows of zeros.
    x: a tensor that requires grad. Returns an array.
    """
    jacobian = np.zeros((output.numel(), x.numel()))
    ### BEGIN SOLUTION
    for k in range(output.numel()):
        above = np.zeros(output.shape)
        above.flat[k] = 1
        (row,) = grad(output, x, tensor(above), retain_graph=True, materialize_grads=True)
        jacobian[k] = row.numpy().ravel()
    ### END SOLUTION
    return jacobian


# %% nbgrader={"grade": true, "grade_id": "jacobians-graded", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("jacobians")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# Differences need two runs for each input, rules one pass for each output.
# </details>
#
# ## LayerNorm
#
# Deep networks train better when each row of numbers is brought to mean 0 and variance 1, then scaled by a learnt
# $\gamma$ and shifted by a learnt $\beta$. With a row's mean $\mu$ and variance $\sigma^2$ (over $N$ numbers, not
# $N - 1$) and a small $\varepsilon$:
#
# $$\hat x = \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}}, \qquad \mathit{out} = \gamma \hat x + \beta.$$
#
# Each $x_i$ acts along three paths. Let $g$ be the gradient of $\hat x$, $r = 1/\sqrt{\sigma^2 + \varepsilon}$, and a
# bar the mean of a row. The last column has $x = (1, 3)$, $g = (1, 0)$, $\varepsilon = 0$: so $\mu = 2$, $r = 1$ and
# $\hat x = (-1, 1)$.
#
# | path | what it does to $\hat x$ | sends back to $x_i$ | in numbers |
# |---|---|---|---|
# | directly | $\hat x_i$ grows by $r$ | $r g_i$ | (1, 0) |
# | through $\mu$ | $\partial\mu/\partial x_i = 1/N$; each $\hat x_j$ falls by $r/N$ | $-\frac{r}{N} \sum_j g_j = -r\,\overline{g}$ | (−0.5, −0.5) |
# | through $\sigma^2$ | $\partial\sigma^2/\partial x_i = 2(x_i - \mu)/N$ (moving $\mu$ adds a multiple of $\sum_j (x_j - \mu) = 0$); $\partial\hat x_j/\partial\sigma^2 = \;?$ | ? | ? |
#
# Fill in the third path: $\partial\hat x_j/\partial\sigma^2$; then that times $g_j$ and
# $\partial\sigma^2/\partial x_i$, summed over $j$.
#
# The base class `Normalisation` has a `forward` that calls your `normalise`, and
#
# - `self.mean(a)`, the mean of each row, as a column; `self.eps`, the $\varepsilon$;
# - `self.normalised(x)`, for the rules: the pair that `normalise(x)` returned.
#
# **Exercise 4.** Write `NativeLayerNorm`. `weight` is $\gamma$, `bias` is $\beta$.
#
# - **Shapes:** `x` and `grad` are (…, $N$), `weight` and `bias` ($N$,); the engine undoes broadcasting.
# - **Tools:** operators and `self.mean`. Subtract the mean *before* you square:
#   $\overline{x^2} - \mu^2$ loses its digits where $x$ is large.
# - **Fifteen minutes, the hardest one, 5 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# `weight` and `bias`: a product and a sum. The third path:
# $\partial\hat x_j/\partial\sigma^2 = -\frac12 (x_j - \mu)\, r^3$, and $(x_j - \mu)\, r = \hat x_j$.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# With $g = \gamma \cdot \mathrm{grad}$, the gradient of $x$ is
# $r\,\bigl(g - \overline{g} - \hat x \cdot \overline{g \hat x}\bigr)$.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# def normalise(self, x):
#     centred = ...
#     rstd = (self.mean(...) + ...) ** -0.5
#     return ..., rstd
#
# def backward_x(self, grad, x, weight):
#     hat, rstd = self.normalised(x)
#     hat_grad = ...
#     return rstd * (hat_grad - ... - hat * ...)
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "layer-norm", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
class NativeLayerNorm(Normalisation):
    """(x - mean) / √(var + eps) over each row of x, times weight, plus bias.

    normalise: returns the normalised x, and 1 / √(var + eps) as a column.
    backward_x, backward_weight, backward_bias: grad is the gradient of the result;
    return the gradient of x, of weight, of bias.
    """

    def normalise(self, x):
        ### BEGIN SOLUTION
        centred = x - self.mean(x)
        rstd = (self.mean(centred * centred) + self.eps) ** -0.5
        return centred * rstd, rstd
        ### END SOLUTION

    def backward_x(self, grad, x, weight):
        ### BEGIN SOLUTION
        hat, rstd = self.normalised(x)
        hat_grad = grad * weight
        return rstd * (hat_grad - self.mean(hat_grad) - hat * self.mean(hat_grad * hat))
        ### END SOLUTION

    def backward_weight(self, grad, x):
        ### BEGIN SOLUTION
        hat, _ = self.normalised(x)
        return grad * hat
        ### END SOLUTION

    def backward_bias(self, grad):
        ### BEGIN SOLUTION
        return grad
        ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "layer-norm-graded", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false}
check("layer-norm")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# The third path brings $-r\,\hat x \cdot \overline{g \hat x}$, here (−0.5, 0.5): all three add up to 0, as two numbers
# always become −1 and 1. Shifting a row or (but for $\varepsilon$) scaling it changes nothing in the result, so the
# rule removes these two directions from $g$.
# </details>
#
# ---
#
# **A good place to pause.** Rerun from the top when you come back.
#
# ## Attention
#
# After `three plus four is`, the word `is` must find the numbers. It asks a **query**, as if “who is a number?”;
# `three` and `four` have **keys** that match, and hand over **values**: which number.
#
# Each word $t$ has a query $q_t$, each word $s$ a key $k_s$ and a value $v_s$: vectors, which training finds. What $t$
# receives is a mean of the values, weighted by how well the keys match its query. With a row for each word in $Q$, $K$
# and $V$, and $d$ numbers in a query:
#
# $$\mathrm{attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{QK^\top}{\sqrt d} + M\right) V.$$
#
# The **causal mask** $M$ is $-\infty$ where
# $s > t$ and 0 elsewhere: no word sees what comes after it. The row of word 1 among words 0 to 2:
#
# | of word 1 | $s = 0$ | $s = 1$ | $s = 2$ |
# |---|---|---|---|
# | scores $z_{1s}$ | 0 | 1.1 | 2 |
# | with the mask | 0 | 1.1 | $-\infty$ |
# | $e^z$ | 1 | 3.0 | 0 |
# | weight: $e^z / (1 + 3.0)$ | 0.25 | 0.75 | 0 |
#
# It receives $0.25\,v_0 + 0.75\,v_1$.
#
# **Exercise 5.** Write `attention(q, k, v)`.
#
# - **Shapes:** `q` and `k` are (…, $T$, $d$), `v` and the result (…, $T$, $m$).
# - **Tools:** `.mT`; `minigrad.ones(T, T).tril() == 0`, true where $s > t$;
#   `scores.masked_fill(where, value)`, which puts `value`, here `-np.inf`, where `where` is true;
#   `scores.softmax(-1)`, along a row. Do without `functional.scaled_dot_product_attention`.
# - **Ten minutes, medium, 4 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Scores form a square: row $t$ asks, column $s$ answers. Which half must be hidden, and before or after the softmax?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# With $z = QK^\top/\sqrt d$, the weight of $s$ is $e^{z_{ts}} / \sum_{r \le t} e^{z_{tr}}$ for $s \le t$, otherwise 0.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# length, size = q.shape[-2:]
# scores = ... / ...
# future = minigrad.ones(length, length).tril() == ...
# return scores.masked_fill(...).softmax(...) @ ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "attention", "locked": false, "schema_version": 3, "solution": true, "task": false}
def attention(q, k, v):
    """Causal attention: for each row t of q, a weighted mean of the rows 0 to t of v.

    q, k: tensors (…, T, d). v: a tensor (…, T, m). Returns a tensor (…, T, m).
    """
    ### BEGIN SOLUTION
    length, size = q.shape[-2:]
    scores = q @ k.mT / size**0.5
    future = minigrad.ones(length, length).tril() == 0
    return scores.masked_fill(future, float("-inf")).softmax(-1) @ v
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "attention-graded", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("attention")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# $e^{-\infty} = 0$: the future has no weight. A sum of $d$ products of either sign grows like $\sqrt d$; undivided, it
# drives softmax to 0 and 1, where it is flat.
# </details>
#
# ## A test without any rule
#
# `gradcheck` uses your Jacobians to test what you built; `gradgradcheck` tests its second derivatives.


# %%
def draw(*shapes):
    random = np.random.default_rng(9)
    return [tensor(random.normal(size=shape), requires_grad=True) for shape in shapes]


def norm(x, weight, bias):
    return NativeLayerNorm.apply(x, weight, bias, dims=1)  # a row is the last axis


for function, inputs in [(norm, draw((2, 5), (5,), (5,))), (attention, draw((4, 3), (4, 3), (4, 2)))]:
    print(f"{function.__name__}: {gradcheck(function, inputs)}, twice: {gradgradcheck(function, inputs)}")

# %% [markdown]
# ## A block
#
# A GPT is a stack of **blocks**. A block changes each word's vector in two steps. What a step finds is *added* to what
# was there, so a gradient always gets past it.
#
# 1. `norm1`, then `qkv`, which makes three vectors of each word's vector, side by side: $q$, $k$ and $v$, each as wide
#    as $x$. Each is cut into **heads**: of 4 numbers, one head gets 0 and 1, another 2 and 3. Each attends alone.
#    Their results, joined again, go through `out`, and are added to $x$.
# 2. `norm2`, `up`, ReLU, `down`; the result is added, too.
#
# **Exercise 6.** Write `through(block, x, attend)`.
#
# - **Shapes:** `x` and the result are (rows, words, width); `attend`, your attention or PyTorch's, takes and returns
#   (rows, heads, words, width // heads).
# - **Tools:** `x.split(width, 2)`, which cuts axis 2, the last, into pieces of `width`; `.reshape`, `.transpose(1, 2)`,
#   `.relu()`.
# - **Ten minutes, hard, 4 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# A reshape keeps the order of numbers: first cut the last axis in two, (heads, size), then swap axes. On the
# way back, swap first.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $u = x + \text{out}(\text{joined heads})$, and the result is $u + \text{down}(\max(\text{up}(\text{norm2}(u)), 0))$.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# rows, words, width = x.shape
# q, k, v = block.qkv(...).split(width, 2)
# q, k, v = (part.reshape(rows, words, ..., ...).transpose(1, 2) for part in (q, k, v))
# met = attend(q, k, v)....reshape(...)
# x = x + ...
# return x + ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "block", "locked": false, "schema_version": 3, "solution": true, "task": false}
def through(block, x, attend):
    """What a block of a GPT makes of x, a tensor (rows, words, width), in the same shape.

    block: has the functions norm1, qkv, out, norm2, up and down, and heads, a number.
    attend: takes q, k and v, each (rows, heads, words, width // heads), and returns that shape.
    """
    ### BEGIN SOLUTION
    rows, words, width = x.shape
    size = width // block.heads
    q, k, v = block.qkv(block.norm1(x)).split(width, 2)
    q, k, v = (part.reshape(rows, words, block.heads, size).transpose(1, 2) for part in (q, k, v))
    met = attend(q, k, v).transpose(1, 2).reshape(rows, words, width)
    x = x + block.out(met)
    return x + block.down(block.up(block.norm2(x)).relu())
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "block-graded", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("block")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# Heads attend side by side because `@` multiplies the last two axes and leaves the others alone.
# </details>
#
# ## A text
#
# A little grammar writes true sentences, like `six plus six is twelve .` The first begins with one of 13 numbers, the next with the last result. After
# a number $n$ comes `minus` with one of $0 … n$, or `plus` with one of $0 … 12 - n$: $(n + 1) + (13 - n) = 14$ pairs,
# all equally likely.
#
# Even a perfect reader must guess the first number and two pairs: over 12 words, its loss per word is
# $(\ln 13 + 2 \ln 14)/12 = 0.654$, the **floor**.
#
# A **GPT** guesses the next word from those so far. It turns each word into a vector, a row of a learnt table
# (`Embedding`), and adds another for its *place*, 0 to 11, as a weighted mean does not know where a word stood. The sums go
# through your block, with two heads; the end is a score for every word.


# %%
NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
WORDS = [*NUMBERS, "plus", "minus", "is", "."]
PLUS, MINUS, IS, STOP = 13, 14, 15, 16


def text(random, count):
    """Rows of two sentences: arrays (count, 13) of positions in WORDS."""
    number = random.integers(13, size=count)
    columns = [number * 0 + STOP]
    for _ in range(2):
        way = random.integers(14, size=count)
        after = np.where(way <= number, way, way - 1)
        sign = np.where(way <= number, MINUS, PLUS)
        columns += [number, sign, abs(after - number), number * 0 + IS, after, number * 0 + STOP]
        number = after
    return np.stack(columns, axis=1)


def gpt(library, attend, words=17, length=12, width=32, heads=2):
    nn = library.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.heads = heads

        def forward(self, x):
            return through(self, x, attend)

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            # a table of parameters each: nn.Embedding(n, width)(i) is its row i
            self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
            self.block, self.norm, self.head = Block(), nn.LayerNorm(width), nn.Linear(width, words)

        def embed(self, index):
            return self.words(index) + self.places(library.arange(index.shape[1]))

        def forward(self, index):
            return self.head(self.norm(self.block(self.embed(index))))

    library.manual_seed(9)
    return GPT().double()


def train(library, model, batches, rate=0.008):
    # AdamW: Adam, but each step also pulls every parameter a little towards 0, so that none grows without need
    optimizer = library.optim.AdamW(model.parameters(), lr=rate)
    # CosineAnnealingLR: at each schedule.step() lr falls, along half a wave of a cosine, from rate to 0 at the last batch
    schedule = library.optim.lr_scheduler.CosineAnnealingLR(optimizer, len(batches))
    losses = []
    for rows in batches:
        optimizer.zero_grad()
        scores = model(library.tensor(rows[:, :-1])).flatten(0, 1)
        loss = library.nn.functional.cross_entropy(scores, library.tensor(rows[:, 1:].flatten()))
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return losses


def write(model, random, count):
    """Sample `count` words, one after the other; the model sees the last sentence and what is new."""
    said, row = [], [STOP]
    for _ in range(count):
        chances = model(tensor([row])).softmax(-1)[0, -1].detach().numpy()
        row.append(int(random.choice(len(WORDS), p=chances)))
        said.append(WORDS[row[-1]])
        row = row[6:] if len(row) > 12 else row
    return " ".join(said)


def is_true(sentence):
    a, sign, b, _, c = (WORDS.index(word) for word in sentence.split())
    return c == (a + b if sign == PLUS else a - b)


for row in text(np.random.default_rng(1), 3):
    print(" ".join(WORDS[i] for i in row[1:]))

# %% [markdown]
# ## Your GPT
#
# 800 steps take under a minute:

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "train", "locked": true, "schema_version": 3, "solution": false, "task": false}
import sys

from threadpoolctl import threadpool_limits
from tqdm import tqdm

random = np.random.default_rng(9)
batches = [text(random, 64) for _ in range(800)]
mine = gpt(minigrad, attention)
start = {name: p.numpy().copy() for name, p in mine.state_dict().items()}
with threadpool_limits(1):  # for matrices as small as these, one thread is fastest
    losses = train(minigrad, mine, tqdm(batches, "your engine", file=sys.stdout, leave=False))

said = write(mine, random, 600)
sentences = said.removesuffix(" .").split(" . ")
print(f"{sum(p.numel() for p in mine.parameters()):,} parameters")
print(f"loss: {losses[0]:.3f} at first, {np.mean(losses[-100:]):.3f} over the last 100 steps")
print(said[: said.index(".", 200) + 1].replace(" . ", " .\n"))
print(
    f"{sum(map(is_true, sentences))} of {len(sentences)} sentences are true; it learned from all 182 that the grammar allows"
)

# %% [markdown]
# ## Your turn
#
# Not graded: write `finish`, which appends the likeliest word until a row has 13. `model(tensor([row]))`, of shape
# (1, words, 17), scores for each word what may follow it; `.argmax().item()` finds the largest. Predict the last row,
# which the grammar forbids.


# %%
rows = [[STOP, 3, PLUS, 4, IS], [STOP, 12, MINUS], [STOP, 2, MINUS, 5, IS]]


def finish(model, row):
    row = list(row)
    # your lines
    return row


# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "finish", "locked": true, "schema_version": 3, "solution": false, "task": false}
for name, model in [("untrained", gpt(minigrad, attention)), ("trained", mine)]:
    for row in rows:
        print(f"{name:10}", " ".join(WORDS[i] for i in finish(model, row)[1:]))

# %% [markdown]
# <details><summary>An answer</summary>
#
# ```python
# while len(row) < 13:
#     row.append(model(tensor([row]))[0, -1].argmax().item())
# ```
#
# It says `three`: behind a `minus` it never saw the larger number.
# </details>
#
# ## The same GPT in PyTorch

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "torch-comparison", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch

from grader import figure

torch.set_num_threads(1)  # one thread, too


def fused(q, k, v):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


q, k, v = (x.detach().numpy() for x in draw((2, 6, 4), (2, 6, 4), (2, 6, 4)))
one, other = attention(tensor(q), tensor(k), tensor(v)), fused(*map(torch.tensor, (q, k, v)))
print("attention agrees:", np.allclose(one.numpy(), other.numpy(), atol=1e-14))

theirs = gpt(torch, fused)
theirs.load_state_dict({name: torch.tensor(p) for name, p in start.items()})
torch_losses = train(torch, theirs, tqdm(batches, "PyTorch", file=sys.stdout, leave=False))
worst = max(abs(a / b - 1) for a, b in zip(losses, torch_losses))
print("all 800 losses agree to 10 digits:", worst < 1e-10)

fig, ax = figure.new()
steps = np.arange(10, 800, 20)
smooth = [np.reshape(curve, (-1, 20)).mean(axis=1) for curve in (torch_losses, losses)]
ax.plot(steps, smooth[0], linewidth=6, linestyle="-", color="#e0a15e", label="PyTorch")
ax.plot(steps, smooth[1], marker="o", markevery=5, linestyle="--", color="#0b4f8a", label="your engine")
ax.axhline((np.log(13) + 2 * np.log(14)) / 12, linestyle=":", color="black", label="floor, 0.654")
ax.set(xlabel="step", ylabel="loss per word", ylim=(0, None))
ax.legend()
figure.show(
    fig,
    "The loss over 800 steps: your engine's dashed curve lies exactly on PyTorch's broad one. Both fall from 1.8 to "
    "1 within 150 steps, and come close to the dotted floor, 0.654, after some 400.",
)

# %% [markdown]
# ## Where it looks
#
# With the identity matrix as values, attention returns its weights (in percent). Where does the GPT look from
# `is` (framed)?

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "attention-map", "locked": true, "schema_version": 3, "solution": false, "task": false}
from matplotlib.patches import Rectangle

row = [STOP, 3, PLUS, 4, IS, 7, STOP, 7, MINUS, 2, IS]
looked = []


def look(q, k, v):
    looked.append(attention(q, k, minigrad.eye(len(row)).double()).detach().numpy()[0])
    return attention(q, k, v)


through(mine.block, mine.embed(tensor([row])), look)
(weights,) = looked

fig, axes = figure.new(1, 2, width=9.5, height=4.6)
for head, ax in enumerate(axes):
    ax.imshow(weights[head], cmap="Greys", vmin=0, vmax=1)
    for (t, s), weight in np.ndenumerate(weights[head]):
        if weight > 0.1:
            color = "white" if weight > 0.5 else "black"
            ax.text(s, t, f"{100 * weight:.0f}", ha="center", va="center", fontsize=8, color=color)
    for t in (4, 10):
        ax.add_patch(Rectangle((-0.5, t - 0.5), len(row), 1, fill=False, edgecolor="#b34700", linewidth=2))
    ax.set_xticks(range(len(row)), [WORDS[i] for i in row], rotation=90)
    ax.set_yticks(range(len(row)), [WORDS[i] for i in row])
    ax.set(title=f"head {head + 1}", xlabel="looks at")
    ax.grid(False)
axes[0].set_ylabel("word")


def seen(head, t):
    return " and ".join(dict.fromkeys(WORDS[row[s]] for s in np.flatnonzero(weights[head, t] > 0.1)))


figure.show(
    fig,
    "Two triangles of weights; above the diagonal all is white. "
    f"From the first is, head 1 looks at {seen(0, 4)}, and head 2 at {seen(1, 4)}. "
    f"From the second is, head 1 looks at {seen(0, 10)}, and head 2 at {seen(1, 10)}.",
)

# %% [markdown]
# <details><summary>What it has found</summary>
#
# Head 2 finds the two numbers to compute with. Head 1 finds a `minus`, if there is one.
# </details>
#
# ## Break it
#
# Nobody can guess a word drawn at random from 8: no loss can fall below $\ln 8 = 2.08$. A tiny GPT trains
# with your attention, then with one that forgets the mask. Predict both losses.


# %%
from threadpoolctl import threadpool_limits


def no_mask(q, k, v):
    return (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v


noise = np.random.default_rng(9).integers(8, size=(200, 64, 9))
for attend in (attention, no_mask):
    tiny = gpt(minigrad, attend, words=8, length=8, width=16)
    with threadpool_limits(1):
        end = train(minigrad, tiny, noise, rate=0.01)[-20:]
    print(f"{attend.__name__}: loss {np.mean(end):.2f}")

# %% [markdown]
# <details><summary>What you saw</summary>
#
# Without the mask it "predicts" dice: the answer is among those it sees. Only its last
# place sees none: $\frac{1}{8}\ln 8 = 0.26$.
# </details>
#
# ## Recap
#
# - A recorded backward pass is a graph: differentiate it again.
# - Attention is a mean of values, weighted by keys and queries.
#
# ## Exit questions
#
# `is` stands twice in a row of words. Which gradient does its row of the embedding table get?
#
# <details><summary>Answer</summary>
#
# The sum of both. An index has no slope.
#
# ```python
# table_grad = np.zeros_like(table)
# np.add.at(table_grad, index, grad)  # table_grad[index] += grad would keep the last of the two alone
# ```
# </details>
#
# **Find the bug.** Why do these weights not add up to 1?
#
# ```python
# weights = (q @ k.mT / size**0.5).softmax(-1)
# return weights.masked_fill(future, 0) @ v
# ```
#
# <details><summary>Answer</summary>
#
# The mask comes after the softmax, whose sum had the future in it. Mask the scores.
# </details>
#
# **In your own words.** What do differences test, and what does a floor?
#
# <details><summary>One answer</summary>
#
# Differences: that the gradients belong to the function you wrote. A floor: that it is the right function.
# </details>
#
# ## What comes next
#
# `my_minigrad/READING.md` leads you through your engine. `import my_minigrad as torch` works.
#
# A challenge: `notebooks/challenges/newton.ipynb`. A GPT on your own text:
# `notebooks/project/your-text.ipynb`.

# %%
workshop.summary()
