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
# # Challenge: an operation of your own
#
# **Time:** 10 to 15 minutes. **Before you start:** chapter 1.
#
# In chapter 1 you wrote the five operations that everybody needs. Here is one that nobody has asked you for yet: the
# hyperbolic tangent, $\tanh x = (e^x - e^{-x})/(e^x + e^{-x})$. It squeezes any number into the range from −1 to 1.
#
# It runs on the complete engine. Nothing is graded, and nothing is kept: run it as often as you like.

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import numpy as np

from grader import challenge
from minigrad.core.function import Function

# %% [markdown]
# ## An operation of your own
#
# Write the class `Tanh`, with `forward` and `backward_x`. No `@workshop.part` this time: `Tanh.apply(x)` is all that
# you need to run it.
#
# - **Shapes:** `x`, `grad` and both results have the same shape.
#
# <details><summary>Hint 1: the idea</summary>
#
# Which is easier to write down: the derivative in terms of $x$, or in terms of the result?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $\tanh'(x) = 1 - \tanh^2 x$, and a rule can ask for `out`.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# class Tanh(Function):
#     def forward(self, x):
#         return np....
#
#     def backward_x(self, grad, ...):
#         return grad * (...)
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "tanh", "locked": false, "schema_version": 3, "solution": true, "task": false}
class Tanh(Function):
    """The hyperbolic tangent of x, an array of any shape."""

    ### BEGIN SOLUTION
    def forward(self, x):
        return np.tanh(x)

    def backward_x(self, grad, out):
        return grad * (1 - out * out)

    ### END SOLUTION


# %%
challenge("tanh")

# %% [markdown]
# ## Go on
#
# Plot `Tanh.apply` and its gradient from −4 to 4. Where does it learn fastest, and where hardly at all? Chapter 4
# meets the same trouble with the sigmoid.
