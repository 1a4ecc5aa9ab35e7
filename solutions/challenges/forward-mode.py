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
# # Challenge: forward
#
# **Time:** 30 to 40 minutes. **Before you start:** chapter 2; Python's special methods, such as `__add__` and
# `__rmul__`.
#
# Back-propagation waits until the output is there, and then goes back. There is another way: carry the slope *along*.
# Replace each number by a pair, its value and its slope with respect to $x$, and let every operation compute both. No
# graph is recorded, and nothing has to be remembered.
#
# It runs on the complete engine. Nothing is graded, and nothing is kept: run it as often as you like.

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import math

from grader import challenge

# %% [markdown]
# ## Forward
#
# Write `forward_derivative(f, x)`, and in it a class for such pairs. It runs `f` once, on a pair, and returns the
# value and the slope, two numbers. `f` may use `+`, `-`, `*`, `/`, `**` with a number on the right, a minus sign,
# plain numbers on either side, and the method `.exp()`.
#
# <details><summary>Hint 1: the idea</summary>
#
# At $x$ itself the slope is 1; a plain number has slope 0.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $(a, a') \cdot (b, b') = (ab,\; a'b + ab')$; $1/(b, b') = (1/b,\; -b'/b^2)$; $\exp(a, a') = (e^a,\; e^a a')$.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# class Pair:
#     def __init__(self, value, slope=0.0): ...
#
#     def __mul__(self, other):
#         other = pair(other)  # a plain number becomes one, too
#         return Pair(..., ...)
#
#     __rmul__ = __mul__
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "forward-mode", "locked": false, "schema_version": 3, "solution": true, "task": false}
def forward_derivative(f, x):
    """The value of f at x, and its slope there: two numbers. f is called once.

    f: a function of one number, written with operators and `.exp()`. x: a number.
    """
    ### BEGIN SOLUTION

    class Pair:
        def __init__(self, value, slope=0.0):
            self.value, self.slope = value, slope

        def __add__(self, other):
            other = pair(other)
            return Pair(self.value + other.value, self.slope + other.slope)

        def __mul__(self, other):
            other = pair(other)
            return Pair(self.value * other.value, self.slope * other.value + self.value * other.slope)

        def __pow__(self, n):
            return Pair(self.value**n, n * self.value ** (n - 1) * self.slope)

        def __neg__(self):
            return self * -1

        def __sub__(self, other):
            return self + -pair(other)

        def __rsub__(self, other):
            return pair(other) - self

        def __truediv__(self, other):
            return self * pair(other) ** -1

        def __rtruediv__(self, other):
            return pair(other) / self

        def exp(self):
            return Pair(math.exp(self.value), math.exp(self.value) * self.slope)

        __radd__, __rmul__ = __add__, __mul__

    def pair(x):
        return x if isinstance(x, Pair) else Pair(x)

    result = pair(f(Pair(x, 1.0)))
    return result.value, result.slope
    ### END SOLUTION


# %%
challenge("forward-mode")

# %% [markdown]
# ## Go on
#
# How often would you have to call `f` for the gradient of a function of a million numbers? And for one number that
# makes a million? Put the answer beside what chapter 5 says of rows and columns.
