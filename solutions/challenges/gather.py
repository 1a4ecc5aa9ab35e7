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
# # Challenge: gather
#
# **Time:** 20 to 30 minutes. **Before you start:** chapter 6.
#
# An operation need not compute anything: it may only *choose*. `gather` takes from each row of `x` the elements at
# the positions that `index` names. An embedding works in this way, and so does the loss of a classifier.
#
# It runs on the complete engine. Nothing is graded, and nothing is kept: run it as often as you like.

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import numpy as np

from grader import challenge
from minigrad.core.function import Function

# %% [markdown]
# ## Gather
#
# Write the class `Gather`. It is called as `Gather.apply(x, index=index)`: `index` is a setting, an array of
# integers; `forward(self, x, *, index)` keeps it on `self` for the rule.
#
# - **Shapes:** `x` is (rows, columns); `index` and the result are (rows, picked). Element (i, j) of the result is
#   `x[i, index[i, j]]`.
#
# <details><summary>Hint 1: the idea</summary>
#
# An element that is picked twice acts twice. What does its gradient have to be?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# Begin with zeros in the shape of $x$, and *add* each number of `grad` at the place it came from.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# def backward_x(self, grad, x):
#     below = np.zeros(...)
#     rows = np.arange(...)[:, None]
#     np.add.at(below, (rows, ...), grad)  # adds, also where a place is named twice
#     return below
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "gather", "locked": false, "schema_version": 3, "solution": true, "task": false}
class Gather(Function):
    """From each row of x, (rows, columns), the elements at the positions index, integers of shape (rows, picked)."""

    ### BEGIN SOLUTION
    def forward(self, x, *, index):
        self.index = index
        return np.take_along_axis(x, index, axis=1)

    def backward_x(self, grad, x):
        below = np.zeros(x.shape)
        np.add.at(below, (np.arange(len(x))[:, None], self.index), grad)
        return below

    ### END SOLUTION


# %%
challenge("gather")

# %% [markdown]
# ## Go on
#
# `below[rows, index] += grad` looks like the same. Try it, and let the check tell you which case it loses. Then write
# down, without code, the gradient of an embedding's table.
