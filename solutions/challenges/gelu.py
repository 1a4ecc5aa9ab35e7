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
# # Challenge: the exact GELU
#
# **Time:** 20 to 30 minutes. **Before you start:** chapter 4.
#
# $\max(x, 0)$, which chapter 8 calls ReLU, has a kink. Many language models use a smooth relative of it, the
# **GELU**: $x \cdot \Phi(x)$, where $\Phi(x) = \tfrac12\bigl(1 + \text{erf}(x/\sqrt 2)\bigr)$ is the share of a bell
# curve that lies left of $x$. Large $x$ pass, very negative ones become 0, and in between there is a soft bend.
#
# It runs on the complete engine. Nothing is graded, and nothing is kept: run it as often as you like.

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import math

import numpy as np

from grader import challenge
from minigrad.core.function import Function

# %% [markdown]
# ## The exact GELU
#
# Write the class `Gelu`. `np.vectorize(math.erf)` applies `erf` to each element.
#
# - **Shapes:** `x`, `grad` and both results have the same shape.
#
# <details><summary>Hint 1: the idea</summary>
#
# A product of two functions of $x$: which rule of differentiation?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $\Phi(x) + x\,\varphi(x)$, with the bell curve $\varphi(x) = e^{-x^2/2}/\sqrt{2\pi}$.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# def backward_x(self, grad, x):
#     left = ...  # Φ
#     bell = ...  # φ
#     return grad * (...)
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "gelu", "locked": false, "schema_version": 3, "solution": true, "task": false}
class Gelu(Function):
    """x · Φ(x), element by element, for an array x of any shape."""

    ### BEGIN SOLUTION
    def forward(self, x):
        return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2

    def backward_x(self, grad, x):
        left = (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2
        bell = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        return grad * (left + x * bell)

    ### END SOLUTION


# %%
challenge("gelu")

# %% [markdown]
# ## Go on
#
# Your rule computes `erf` a second time. What could `forward` leave on `self`, and what would that cost? Look for the
# point where the GELU is lowest: its slope is 0 there, and a gradient that you trust finds it.
