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
# # Challenge: Newton's step
#
# **Time:** 30 to 40 minutes. **Before you start:** chapter 9, up to "A Hessian times a vector".
#
# The gradient says which way is down, but not how far. The Hessian knows: near $x$, $f$ is like a bowl whose lowest
# point is at $x - H^{-1} g$, where $g$ is the gradient and $H$ the Hessian. Newton goes there in one step. Your `hvp`
# has a use at last.
#
# It runs on the complete engine. Nothing is graded, and nothing is kept: run it as often as you like.

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import numpy as np

import minigrad
from grader import challenge
from minigrad.autograd import grad

# %% [markdown]
# ## Newton's step
#
# Write `hvp` once more, and with it `newton(f, x, steps)`. `np.linalg.solve(H, g)` computes $H^{-1} g$.
#
# - **Shapes:** `x` is a tensor of shape ($n$,) that requires no grad and stays as it is; the result is a new one. `f`
#   returns a tensor of one number.
#
# <details><summary>Hint 1: the idea</summary>
#
# Which vector $v$ makes $Hv$ a column of $H$?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# Column $j$ is $H e_j$, where $e_j$ is 1 at place $j$ and 0 elsewhere.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# for _ in range(steps):
#     leaf = x.detach().clone().requires_grad_()
#     (slope,) = grad(...)
#     columns = [hvp(f, leaf, e).numpy() for e in minigrad.eye(len(x)).double()]
#     x = ...
# return x
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "newton", "locked": false, "schema_version": 3, "solution": true, "task": false}
def hvp(f, x, v):
    """The Hessian of f at x, a leaf that requires grad, times v: a tensor of x's shape."""
    ### BEGIN SOLUTION
    (slope,) = grad(f(x), x, create_graph=True)
    (product,) = grad((slope * v).sum(), x)
    return product
    ### END SOLUTION


def newton(f, x, steps):
    """Where so many of Newton's steps lead from x: a new tensor of shape (n,).

    f: takes a tensor of shape (n,), returns a tensor of one number.
    """
    ### BEGIN SOLUTION
    for _ in range(steps):
        leaf = x.detach().clone().requires_grad_()
        (slope,) = grad(f(leaf), leaf)
        columns = [hvp(f, leaf, e).numpy() for e in minigrad.eye(len(x)).double()]
        step = np.linalg.solve(np.stack(columns, axis=1), slope.numpy())
        x = minigrad.tensor(leaf.detach().numpy() - step)
    return x
    ### END SOLUTION


# %%
challenge("newton")

# %% [markdown]
# ## Go on
#
# How many passes does a step cost for $n$ numbers? Why does nobody train a network of a million parameters in this
# way, and which cheaper trick could keep some of it?
