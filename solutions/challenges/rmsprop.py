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
# # Challenge: another optimizer
#
# **Time:** 20 to 30 minutes. **Before you start:** chapter 7.
#
# With SGD a parameter with large gradients takes large steps, and one with small gradients hardly moves. RMSprop
# divides each step by the usual size of that element's gradients. Adam, which came later, is RMSprop with momentum
# and two corrections.
#
# It runs on the complete engine. Nothing is graded, and nothing is kept: run it as often as you like.

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import minigrad
from grader import challenge

# %% [markdown]
# ## Another optimizer
#
# Write the class `RMSprop`: `RMSprop(params, lr, alpha)`, with the methods `step()` and `zero_grad()`. For each
# parameter, with gradient $g$ and a mean of squares $v$ that begins with zeros,
#
# $$v \leftarrow \alpha v + (1 - \alpha) g^2, \qquad p \leftarrow p - \text{lr} \cdot g / (\sqrt v + 10^{-8}).$$
#
# After `zero_grad()`, every `.grad` is `None`.
#
# <details><summary>Hint 1: the idea</summary>
#
# Every parameter needs a $v$ of its own, and it has to survive from one step to the next.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# Inside `minigrad.no_grad()`, `p -= …` moves the parameter in place.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# def step(self):
#     with minigrad.no_grad():
#         for i, p in enumerate(self.params):
#             self.squares[i] = ...
#             p -= ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "rmsprop", "locked": false, "schema_version": 3, "solution": true, "task": false}
class RMSprop:
    """Moves parameters, a list of leaves, by the formula above. lr: the rate. alpha: how much of v is kept."""

    def __init__(self, params, lr, alpha):
        ### BEGIN SOLUTION
        self.params, self.lr, self.alpha = list(params), lr, alpha
        self.squares = [minigrad.zeros_like(p) for p in self.params]
        ### END SOLUTION

    def step(self):
        ### BEGIN SOLUTION
        with minigrad.no_grad():
            for i, p in enumerate(self.params):
                self.squares[i] = self.alpha * self.squares[i] + (1 - self.alpha) * p.grad**2
                p -= self.lr * p.grad / (self.squares[i].sqrt() + 1e-8)
        ### END SOLUTION

    def zero_grad(self):
        ### BEGIN SOLUTION
        for p in self.params:
            p.grad = None
        ### END SOLUTION


# %%
challenge("rmsprop")

# %% [markdown]
# ## Go on
#
# Minimise $x^2 + 1000\,y^2$ from (1, 1) with SGD, and with yours. Which learning rate does each of them allow, and
# why?
