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
# # Training
#
# You turn gradients into learning: a loss, a step, a loop. At the end, 1,000 steps on your engine and in PyTorch give
# the same parameters, step for step.
#
# **The question:** A gradient says which way is up. How do you get from there to a network that has learned, and how
# long may the steps be?
#
# **Time:** 50 to 60 minutes.
#
# **Before you start:** chapters 4 to 6: a linear layer, gradients that add up in `.grad`, `no_grad` and `detach`.
#
# **Afterwards you can**
#
# - write a loss and its gradients;
# - say what an optimizer remembers, and write SGD with momentum and Adam;
# - put the calls of a training loop in order;
# - differentiate a model whose number of layers depends on its data.

# %% [markdown]
# ## From earlier chapters
#
# Answer first, then unfold.
#
# **1.** Chapter 6: why does an optimizer change parameters under `no_grad`?
#
# <details><summary>Answer</summary>
#
# A step is not part of the function you differentiate; and a leaf that requires grad may not be changed in place
# while operations are recorded.
# </details>
#
# **2.** Chapter 5: gradients were not cleared. What does the second step use?
#
# <details><summary>Answer</summary>
#
# The sum of both gradients.
# </details>

# %% [markdown]
# ## A linear layer that learns
#
# A linear layer computes $z = wx + b$, with a row of $w$ for each output. (Chapter 4's $xw + b$ had a column for each:
# the same layer, turned round.) Input $x$ and target $y$ are given; the
# **parameters** $w$ and $b$ are what training may change, so only they have `requires_grad=True`. The **loss** says how
# far $z$ is from $y$. An **optimizer** holds the parameters, and at each **step** moves them a little against their
# gradients.
#
# Predict: after 1,000 steps, is `w.grad` one gradient, or 1,000 of them added up? Which line decides?

# %% [markdown]
# ✎ **Your prediction** (double-click here to write): `w.grad` holds … gradients, because of the line …

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "torch-snippet", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch

torch.manual_seed(0)
x, y = torch.rand(16), torch.randn(10)
w = torch.randn(10, 16, requires_grad=True)
b = torch.randn(10, requires_grad=True)
optimizer = torch.optim.Adam(params=[w, b])
for i in range(1000):
    z = w @ x + b
    loss = torch.nn.functional.mse_loss(z, y)
    if i % 100 == 0:
        print(loss)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("gradients of the last step:", w.grad.shape, b.grad.shape)
del x, y, w, b, z, loss, optimizer  # so that no code of yours finds them by accident

# %% [markdown]
# <details><summary>Answer</summary>
#
# One, the last step's: `zero_grad` clears the old gradients of the tensors that this optimizer holds.
# </details>
#
# ## Three steps by hand
#
# Take one parameter $p$ and the loss $p^2$. The gradient $2p$ points to where the loss grows, so go the other way, by
# the **learning rate**, $\mathit{lr} = 0.25$, times the gradient. Fill in:
#
# | step | $p$ | gradient $2p$ | $p - 0.25 \cdot 2p$ |
# |---|---|---|---|
# | 1 | 2 | 4 | 1 |
# | 2 | 1 | ? | ? |
# | 3 | ? | ? | ? |
#
# Which rate would reach the lowest point in one step?
#
# <details><summary>Answer</summary>
#
# The gradients are 2 and 1, and $p$ becomes 0.5 and 0.25. A rate of 0.5 would do: $2 - 0.5 \cdot 4 = 0$.
# </details>

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import numpy as np

import minigrad
from grader import check
from minigrad import workshop
from minigrad.rules.loss import Loss

workshop.open(7)

# %% [markdown]
# ## Mean squared error
#
# A loss is an operation with two inputs: here $x$ is the model's result, and $y$ the target. For $N$ numbers each it is
# $\frac{1}{N} \sum_i (x_i - y_i)^2$. The base class `Loss` handles the mean:
#
# - `self.reduce(losses, reduction)`, in `forward`, takes the `"mean"` or `"sum"` of the elements' losses, or leaves
#   them alone (`"none"`);
# - `self.each(grad)`, in a rule, is the gradient that arrives at each element's loss: $\mathit{grad}/N$ under a mean,
#   else $\mathit{grad}$.
#
# **Exercise 1.** Write `forward` and the rules of `MseLoss`, of operators alone.
#
# - **Shapes:** `x`, `y` and both gradients have one shape; the loss is a number, or has that shape.
# - **Six minutes, easy, 3 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Leave the mean to `reduce` and `each`. What remains is a square.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $\partial (x - y)^2/\partial x = 2(x - y)$. When $y$ grows, the difference shrinks.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# difference = ...
# return self.reduce(..., reduction)
# # and in a rule:
# return self.each(grad) * ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "mse", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
class MseLoss(Loss):
    """The squared differences of x, the results, and y, the targets: their mean, their sum, or each of them.

    forward: arrays x and y of one shape, and the reduction; returns the loss.
    backward_x, backward_y: grad is the gradient of the loss; return the gradient of x, of y.
    """

    def forward(self, x, y, *, reduction="mean"):
        ### BEGIN SOLUTION
        difference = x - y
        return self.reduce(difference * difference, reduction)
        ### END SOLUTION

    def backward_x(self, grad, x, y):
        ### BEGIN SOLUTION
        return self.each(grad) * 2 * (x - y)
        ### END SOLUTION

    def backward_y(self, grad, x, y):
        ### BEGIN SOLUTION
        return self.each(grad) * 2 * (y - x)
        ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "mse-graded", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("mse")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# Squares do not cancel: every error counts, large ones most. But mind the shapes: (4,) and (4, 1) broadcast to 16
# differences.
# </details>
#
# ## A step downhill
#
# **SGD**, stochastic gradient descent, takes steps as in the table; “stochastic”, as the data for a step are often
# drawn at random: a **minibatch**. Its gradient is cheaper, and right on average: over many steps, errors largely
# cancel.
#
# **Momentum** adds a memory, the velocity $v$, at first 0:
#
# $$v \leftarrow \mathit{momentum} \cdot v + \mathit{grad}, \qquad p \leftarrow p - \mathit{lr} \cdot v.$$
#
# `optimizer.step()` calls your function for each parameter that has a gradient. It passes arrays, so nothing is
# recorded: `array` is the parameter's own memory; `state` is a dictionary that the optimizer keeps for it.
#
# **Exercise 2.** Write `sgd_step`.
#
# - **Shapes:** `array`, `grad` and $v$ have one shape; `lr` and `momentum` are numbers.
# - **Eight minutes, medium, 3 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# `array -= …` changes the array; `array = array - …` makes another, which the parameter never sees.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# Without momentum $v$ is the gradient. With it, keep the new $v$ in `state`.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# velocity = grad
# if momentum:
#     velocity = state["momentum_buffer"] = ...
# array -= ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "sgd", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
def sgd_step(array, grad, state, lr, momentum):
    """One step of gradient descent: change array in place.

    grad: the gradient, of array's shape, which is not changed. lr, momentum: numbers.
    state: with momentum, state["momentum_buffer"] is the velocity: zeros before the first step, and kept up to date by
    you. Without momentum, an empty dictionary.
    """
    ### BEGIN SOLUTION
    velocity = grad
    if momentum:
        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
    array -= lr * velocity
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "sgd-graded", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("sgd")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# Gradients that agree build up velocity; those that alternate cancel. With momentum 0.9 an even slope $g$ gives
# $v = g$, $1.9g$, $2.71g$ … up to $g/(1 - 0.9) = 10g$: ten times the step.
# </details>
#
# ## Clearing the gradients
#
# Gradients add up over steps, too. `optimizer.zero_grad()` calls your next function for each of its parameters. By
# default the gradient becomes `None`; with `set_to_none=False` it becomes zeros.
#
# **Exercise 3.** Write `clear_grad(p, set_to_none)`.
#
# - **Shapes:** zeros are written into the tensor `p.grad` itself.
# - **Four minutes, easy, 2 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Before the first backward pass there is no gradient.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# `t.zero_()` fills the tensor `t` with zeros, in place.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# if set_to_none:
#     p.grad = ...
# elif p.grad is not ...:
#     ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "clear-grad", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
def clear_grad(p, set_to_none):
    """Clear the gradient of the parameter p.

    set_to_none: when True, p.grad is None afterwards; when False, a gradient stays the same tensor, filled with zeros,
    and None stays None.
    """
    ### BEGIN SOLUTION
    if set_to_none:
        p.grad = None
    elif p.grad is not None:
        p.grad.zero_()
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "clear-grad-graded", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("clear-grad")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# `None` frees the memory, and says that no gradient has arrived: `step` skips that parameter.
# </details>
#
# ## Break it
#
# Take the three steps by hand again, with a `clear_grad` that does nothing. Predict the first two results. The picture
# shows both on a bowl, $p_1^2 + 4p_2^2$.


# %%
def does_nothing(p, set_to_none):
    pass


def descend(start, loss_of, lr, count, momentum=0.0):
    p = minigrad.tensor(start, requires_grad=True)
    sgd = minigrad.optim.SGD([p], lr=lr, momentum=momentum)
    path = [p.detach().numpy().copy()]  # p itself refuses numpy(); a copy, as step overwrites the memory
    for _ in range(count):
        sgd.zero_grad()
        loss_of(p).backward()
        sgd.step()
        path.append(p.detach().numpy().copy())
    return np.array(path)


for function in (clear_grad, does_nothing):
    with workshop.using(clear_grad=function):
        print(f"{function.__name__}: {descend(2.0, lambda p: p * p, 0.25, 3)[1:].round(3)}")

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "bowl", "locked": true, "schema_version": 3, "solution": false, "task": false}
from grader import figure

fig, ax = figure.new(height=3.4)
across, up = np.meshgrid(np.linspace(-2.6, 2.6, 80), np.linspace(-1.4, 1.4, 80))
ax.contour(across, up, across**2 + 4 * up**2, levels=6, colors="#999999", linewidths=0.8, linestyles="-")
for function, marker in ((clear_grad, "o"), (does_nothing, "s")):
    with workshop.using(clear_grad=function):
        path = descend([2.0, 1.0], lambda p: p[0] ** 2 + 4 * p[1] ** 2, 0.05, 22)
    ax.plot(*path.T, marker=marker, markersize=5, linewidth=1.3, label=function.__name__)
ax.text(2.15, 1.0, "start")
ax.text(0, 0.08, "lowest point", ha="center")
ax.plot(0, 0, "k+", markersize=10)
ax.set(xlabel="first parameter", ylabel="second parameter")
ax.legend(loc="lower right")
figure.show(
    fig,
    "Contour lines of a bowl, and two paths from the same start. With clear_grad the steps get shorter and shorter on "
    "the way to the lowest point. With does_nothing they swing past it, up the other side and back, again and again.",
)

# %% [markdown]
# <details><summary>What you saw</summary>
#
# `.grad` holds 4, then 4 + 2, then 6 − 1, as a velocity with momentum 1 does. Nothing fades, so nothing comes to rest.
# </details>
#
# ## How long may a step be?
#
# The bowl's slope is $2p_1$ in one direction and $8p_2$ in the other. So a step multiplies $p_1$ by
# $1 - 2\,\mathit{lr}$ and $p_2$ by $1 - 8\,\mathit{lr}$. Up to which $\mathit{lr}$ does neither grow? At which rates does
# momentum help? Predict, then try your own:

# %%
for lr in (0.005, 0.02, 0.1, 0.2, 0.25, 0.3):
    print(f"lr = {lr:5}, loss 8", end="")
    for momentum in (0.0, 0.9):
        with workshop.using(clear_grad=clear_grad):
            path = descend([2.0, 1.0], lambda p: p[0] ** 2 + 4 * p[1] ** 2, lr, 20, momentum)
        print(f"; momentum {momentum}, 20 steps: {(path[-1] ** 2 * [1, 4]).sum():8.3g}", end="")
    print()

# %% [markdown]
# <details><summary>What you saw</summary>
#
# Up to 0.25, where $1 - 8\,\mathit{lr} = -1$: there $p_2$ jumps from side to side for ever, and above it diverges.
# Where the slope is $a\,p$, $\mathit{lr} \cdot a$ must stay below 2; with momentum $\beta$, below $2(1 + \beta)$. The steepest direction sets the limit, and in flat
# ones training creeps.
#
# Momentum speeds up small rates. Nobody knows a network's $a$: try
# 0.001, 0.01, 0.1 …, and keep the largest rate at which the loss falls steadily.
# </details>
#
# ## The loop
#
# **Exercise 4.** Write `train(optimizer, loss_of, steps)`. Each call of `loss_of()` is a forward pass and returns the
# loss, a tensor. Return the losses as plain numbers. Gradients that the parameters hold already do not count.
#
# - **Shapes:** each loss holds one number; the list has `steps` of them.
# - **Six minutes, medium, 3 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# The first code cell does it.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# Forward, clear, backward, step, all inside the loop. `loss.item()` is the number.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# losses = []
# for _ in range(steps):
#     loss = ...
#     ...  # three more calls
#     losses.append(...)
# return losses
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "train", "locked": false, "schema_version": 3, "solution": true, "task": false}
def train(optimizer, loss_of, steps):
    """Take `steps` steps of the optimizer against the gradient of the loss.

    loss_of: a function without arguments: a forward pass, which returns the loss.
    Gradients that the parameters already hold do not count.
    Returns the losses, a list of numbers: for each step the one that it started from.
    """
    ### BEGIN SOLUTION
    losses = []
    for _ in range(steps):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "train-graded", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("train")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# A graph lives as long as its loss, so you keep numbers. Clear anywhere before `backward`: the loop's end would be too
# late for gradients from before `train`.
# </details>
#
# ## Adam
#
# **Adam** gives each number in a parameter its own step. It keeps two **running means**, $m$ of the gradient and
# $v$ (no velocity here) of its square. At each step $m$ goes a tenth of the way to the new gradient, and $v$ a
# thousandth of the way to its square: $\beta_1 = 0.9$ and $\beta_2 = 0.999$ say how much they keep.
#
# $$m \leftarrow m + (1 - \beta_1)(\mathit{grad} - m), \qquad v \leftarrow v + (1 - \beta_2)(\mathit{grad}^2 - v).$$
#
# Both start at 0, so at first they are too small: after one step $m$ is a tenth of the gradient. Division by the share
# that has come in by step $t = 1, 2, …$ corrects that; a hat means “corrected”. A small $\varepsilon$, `eps`, prevents
# 0/0.
#
# $$\hat m = \frac{m}{1 - \beta_1^t}, \qquad \hat v = \frac{v}{1 - \beta_2^t}, \qquad
# p \leftarrow p - \mathit{lr} \cdot \frac{\hat m}{\sqrt{\hat v} + \varepsilon}.$$
#
# On $p^2$ again, with $\mathit{lr} = 0.1$. How long is the second step? The gradient has fallen by a tenth.
#
# | $t$ | $p$ | $\mathit{grad}$ | $m$ | $v$ | $\hat m$ | $\hat v$ | step |
# |---|---|---|---|---|---|---|---|
# | 1 | 1 | 2 | 0.2 | 0.004 | 2 | 4 | $0.1 \cdot 2/\sqrt 4 = 0.1$ |
# | 2 | 0.9 | 1.8 | 0.36 | 0.007236 | 1.895 | 3.620 | ? |
#
# <details><summary>Answer</summary>
#
# $0.1 \cdot 1.895/\sqrt{3.620} = 0.0996$: nearly $\mathit{lr}$ again. While its sign stays, a gradient's size hardly
# counts.
# </details>
#
# **Exercise 5.** Write `adam_step`. `state` holds $t$, $m$ and $v$ under PyTorch's names, `"step"`, `"exp_avg"` and
# `"exp_avg_sq"`, all 0 before the first step.
#
# - **Shapes:** `array`, `grad`, $m$ and $v$ have one shape; `betas` is the pair $(\beta_1, \beta_2)$.
# - **Ten minutes, hard, 4 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# First the count, then the means, then the parameter; all in place, or back into `state`.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# The new $m$ is also $\beta_1 m + (1 - \beta_1)\,\mathit{grad}$, and the new $v$ is
# $\beta_2 v + (1 - \beta_2)\,\mathit{grad}^2$.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# beta1, beta2 = betas
# state["step"] += 1
# t, m, v = state["step"], state["exp_avg"], state["exp_avg_sq"]
# m += (1 - beta1) * ...
# v += ...
# array -= ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "adam", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
def adam_step(array, grad, state, lr, betas, eps):
    """One step of Adam: change array in place, by about lr wherever the gradient keeps its sign.

    grad: the gradient, of array's shape, which is not changed. lr, eps: numbers.
    betas: beta1 and beta2, how much the running means keep.
    state: "step", the steps so far; "exp_avg" and "exp_avg_sq", the running means of grad and of its square. All are 0
    before the first step, and kept up to date by you.
    """
    ### BEGIN SOLUTION
    beta1, beta2 = betas
    state["step"] += 1
    t, m, v = state["step"], state["exp_avg"], state["exp_avg_sq"]
    m += (1 - beta1) * (grad - m)
    v += (1 - beta2) * (grad * grad - v)
    scale = np.sqrt(v / (1 - beta2**t)) + eps
    array -= lr / (1 - beta1**t) * m / scale
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "adam-graded", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("adam")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# $\sqrt{\hat v}$ is the usual size of a gradient: steep and flat ground count alike. Uncorrected, the first step would
# be $0.1 / \sqrt{0.001} = 3.16$ times as long.
# </details>
#
# ## The same 1,000 steps in PyTorch
#
# The curves below compare optimizers, on 20 examples (a minibatch: 5) whose 8 inputs differ in size: the loss is
# steep in some weights, flat in others.

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "torch-comparison", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch


def torch_train(optimizer, loss_of, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def run(package, train):
    """The losses of 1,000 steps, and the parameters that each of them started from."""
    random = np.random.default_rng(7)
    x, y, w, b = (package.tensor(random.normal(size=shape)) for shape in [16, 10, (10, 16), 10])
    w.requires_grad_(), b.requires_grad_()
    parameters = []

    def loss_of():
        parameters.append(np.concatenate([w.detach().numpy().ravel(), b.detach().numpy()]))
        return package.nn.functional.mse_loss(w @ x + b, y)

    return train(package.optim.Adam(params=[w, b]), loss_of, 1000), np.array(parameters)


(my_losses, mine), (their_losses, theirs) = run(minigrad, train), run(torch, torch_train)
print("losses:", [round(loss, 4) for loss in my_losses[::100]])
equal = np.isclose(mine, theirs, rtol=0, atol=1e-12).all(axis=1)
print(f"all {mine.shape[1]} parameters equal, to 12 decimals, at {equal.sum()} of {len(equal)} steps")
print("the furthest that one of yours moved:", abs(mine - mine[0]).max().round(2))

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "curves", "locked": true, "schema_version": 3, "solution": false, "task": false}
from grader import figure

fig, ax = figure.new()
random = np.random.default_rng(3)
x = minigrad.tensor(random.normal(size=(20, 8)) * np.geomspace(1, 0.05, 8))
y = x @ minigrad.tensor(random.normal(size=(8, 3)))
for name, lr, more, size in [
    ("SGD", 0.3, {}, 5),
    ("SGD", 0.3, {}, 20),
    ("SGD", 0.3, {"momentum": 0.9}, 20),
    ("Adam", 0.03, {}, 20),
]:
    w = minigrad.zeros(8, 3, dtype=minigrad.float64, requires_grad=True)
    optimizer = getattr(minigrad.optim, name)([w], lr=lr, **more)

    def loss_of(w=w, size=size):
        rows = random.permutation(20)[:size]  # a minibatch; 20 are all
        return minigrad.nn.functional.mse_loss(x[rows] @ w, y[rows])

    label = f"{name}, lr={lr}" + ", momentum=0.9" * bool(more) + ", minibatches" * (size < 20)
    ax.semilogy(train(optimizer, loss_of, 300), label=label, linewidth=0.8 if size < 20 else None)
ax.set(xlabel="step", ylabel="loss (logarithmic)")
ax.legend()
figure.show(
    fig,
    "Four loss curves over 300 steps, on a logarithmic scale. SGD falls steeply and then creeps, to 0.01; with "
    "minibatches a jagged curve goes along with it. With momentum it swings at first and ends at 0.0005. Adam starts "
    "slowest, falls steadily, and ends lowest, at 0.000001.",
)

# %% [markdown]
# <details><summary>Why did the 1,000 losses fall so slowly?</summary>
#
# Adam's default learning rate is 0.001: a thousand steps move a number by at most about 1.
# </details>
#
# ## A loop in the model
#
# Each forward pass records its own graph, so a model may decide *while it runs* what to do. Operations are recorded;
# Python's `if` and `while` are not.
#
# **Exercise 6.** Write `as_many_layers(x, w, limit)`. Start with $h = x$; while the **sum of the squares** of $h$ is
# less than `limit`, replace $h$ by `w @ h`. Return $h$ and how often you did it. (If the check never ends, interrupt
# the kernel: your $h$ does not grow.)
#
# - **Shapes:** `w` is square, (n, n); `x` and `h` have shape (n,); `limit` is a number.
# - **Six minutes, medium, 3 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Write it as if there were no gradients.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $k$ layers compute $h = w \cdots w\,x$, with $k$ factors $w$; $k$ may be 0.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# h, layers = x, 0
# while ...:
#     h = ...
#     layers += ...
# return ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "layers", "locked": false, "schema_version": 3, "solution": true, "task": false}
def as_many_layers(x, w, limit):
    """Apply h ← w @ h, from h = x, while the sum of the squares of h is less than limit.

    Returns h, a tensor of x's shape, and the number of layers.
    """
    ### BEGIN SOLUTION
    h, layers = x, 0
    while (h * h).sum() < limit:
        h = w @ h
        layers += 1
    return h, layers
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "layers-graded", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("layers")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# The graph holds $k$ products with edges to the same leaf $w$; its $k$ gradients are added. The comparison gives a
# bool, which needs no gradient.
# </details>
#
# The last $x$ below lies just above a jump: a slightly smaller one needs one more layer. Which slope will differ there,
# yours, PyTorch's or the measured one?

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "depths", "locked": true, "schema_version": 3, "solution": false, "task": false}
turn = 1.5 * np.array([[0.6, -0.8], [0.8, 0.6]])  # turns a vector, and stretches it by 1.5


def run_layers(package, first):
    x = package.tensor([first, 0.0], dtype=package.float64, requires_grad=True)
    h, layers = as_many_layers(x, package.tensor(turn), 100)
    return x, h.sum(), layers


def slope(package, first):
    x, out, _ = run_layers(package, first)
    out.backward()
    return x.grad[0].item()


for first in [20.0, 5.0, 0.1, 10 / 1.5**2 + 1e-7]:
    low, high = (run_layers(minigrad, first + nudge)[1].item() for nudge in (-1e-6, 1e-6))
    same = np.isclose(slope(minigrad, first), slope(torch, first))
    print(f"{run_layers(minigrad, first)[2]:2} layers: your slope {slope(minigrad, first):8.3f}", end=", ")
    print(f"equal to PyTorch's: {same}, measured {(high - low) / 2e-6:11.2f}")

# %% [markdown]
# <details><summary>What you saw</summary>
#
# The measured one: its two runs differed in depth. At a jump there is no slope; both engines give that of the layers
# that ran.
# </details>
#
# ## Recap
#
# - The gradient of the loss points uphill; a step goes the other way, in place.
# - Momentum remembers a velocity; Adam scales its steps by the gradients' usual size.
# - Forward, clear, backward, step.
#
# ## Exit questions
#
# **1.** Someone updates by `w = w - lr * w.grad`. Why does the second step fail?
#
# <details><summary>Answer</summary>
#
# The new `w` is no leaf: its `.grad` stays `None`.
# </details>
#
# **2.** Each step adds `total += loss`. What goes wrong?
#
# <details><summary>Answer</summary>
#
# The graph of `total` holds those of all steps: memory grows. Add `loss.item()`.
# </details>
#
# **Find the bug.** With one parameter it trains as PyTorch does. What is wrong?
#
# ```python
# for p, grad in zip(params, grads):
#     velocity = momentum * velocity + grad
#     p -= lr * velocity
# ```
#
# <details><summary>Answer</summary>
#
# All parameters share one velocity, so each is pushed by the gradients of those before it. Each needs its own.
# </details>
#
# **In your own words.** Why does momentum help in a narrow valley?
#
# <details><summary>One answer</summary>
#
# Across it, gradients change sign and cancel; along it, they agree and add up.
# </details>
#
# ## What comes next
#
# `my_minigrad/` has gained `MseLoss`, `clear_grad` and the two steps in `optim/`. Lists of parameters get long: in
# chapter 8 a `Module` finds them.
#
# A challenge, once you finish the course: another optimizer, in `notebooks/challenges/rmsprop.ipynb`.
