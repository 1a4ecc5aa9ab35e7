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
# # Welcome
#
# In this course you build an engine that computes gradients, as PyTorch's `torch.autograd` does. In nine chapters,
# each of one sitting or two, you write its core yourself. This chapter shows you the workbench.
#
# **Time:** 15 to 20 minutes.
#
# **Before you start:** you can write a Python function, and have met NumPy arrays.
#
# **Afterwards you can**
#
# - run a notebook's cells, and restart it;
# - work on an exercise: its text, its hints, its check, its points;
# - read what a check says about a wrong answer, and use it.

# %% [markdown]
# ## What you will have built
#
# Click on the next cell, press Shift+Enter and watch for a few seconds. An engine learns to read handwritten digits,
# then to finish sums written in words. The first line says which: `minigrad`, this course's engine, or, while its parts
# are missing for you to write, `torch`, which is PyTorch.

# %% tags=["demonstration", "nbval-ignore-output"] nbgrader={"grade": false, "grade_id": "preview", "locked": true, "schema_version": 3, "solution": false, "task": false}
from grader import preview

preview.show()

# %% [markdown]
# Nobody has told it what a 7 looks like. It begins with thousands of random numbers, and one number that says how wrong
# its answers are. For each of the thousands, it asks: if this one grew a little, how much more or less wrong would the
# answers be? That is its **gradient**. It moves each number a little against its gradient, and asks again.
#
# Why go *backward* for that? Going forward, you would move one number, run everything again and look: for a million
# numbers, a million runs. Back-propagation starts at the one number at the end, and goes back through the computation
# once. On the way every number gets its gradient. That is what you build.

# %% [markdown]
# ## Cells
#
# A notebook is a row of **cells**: text, like this one, and code. Click on the next cell and press Shift+Enter: it
# runs, and the next one is selected. Work from top to bottom like this; a cell may need what an
# earlier one has defined.

# %%
steps = 2 + 1
print("This cell ran, and steps is", steps)

# %% [markdown]
# A cell that is run twice does its work twice: after `x = 3`, running `x = x * 2` twice leaves 12. Only a run from the
# top shows what a notebook says: 6.
#
# If things get out of step, choose *Kernel → Restart Kernel and Run up to Selected Cell*: Python starts afresh
# and forgets everything but your text. This is always safe, and the first thing to try when you are stuck.
# While a cell runs, a `*` stands beside it; *Kernel → Interrupt Kernel* stops a cell that never finishes.
#
# ## Where you are
#
# The next cell shows the chapters in your folder, and how many of their exercises were right when you last checked
# them. Click on a title to open it. Run this cell whenever you come back: it says what comes next.

# %% tags=["nbval-ignore-output"] nbgrader={"grade": false, "grade_id": "progress", "locked": true, "schema_version": 3, "solution": false, "task": false}
from grader import progress

progress()

# %% [markdown]
# ## What a gradient is
#
# The next cell draws the curve $y = 2x^4 + x^3 + 3x^2 + 5x + 1$. At $x = 1$ it is as steep as a straight line of
# **slope** 22: a small step to the right raises $y$ by about 22 times as much. This slope is the **gradient** of $y$
# with respect to $x$. PyTorch finds it by itself, and so will your engine after chapter 1: `requires_grad=True` asks it
# to follow what happens to `x`, `y.backward()` goes back through that, and then `x.grad` holds the gradient.
#
# At $x = 0$ the slope is still 5. Before you run the cell: does it become 0 left or right of there?

# %% [markdown]
# ✎ **Your prediction** (double-click here to write): it is 0 to the … of $x = 0$

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "slope", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch

from grader import figure


def polynomial(x):
    return 2 * x**4 + x**3 + 3 * x**2 + 5 * x + 1


x = torch.tensor(1.0, requires_grad=True)
y = polynomial(x)
y.backward()
print("at x = 1: y is", y.item(), "and the gradient is", x.grad.item())

fig, ax = figure.new()
along = torch.linspace(-2, 2, 60)
beside = torch.tensor([0.2, 2.2])
ax.plot(along, polynomial(along), label="y")
ax.plot(beside, y.item() + x.grad.item() * (beside - 1), label="slope 22")
ax.plot(1, y.item(), "o", color="black")
ax.annotate("(1, 12)", (1, y.item()), (0.5, 20))
ax.set_xlabel("x")
ax.legend()
del x, y  # so that no code of yours finds them by accident
figure.show(
    fig,
    "The curve of the polynomial falls, then rises more and more steeply. At x = 1 a straight line of slope 22 touches "
    "it in the point (1, 12).",
)

# %% [markdown]
# <details><summary>Answer</summary>
#
# To the left: from $x = 1$ to $x = 0$ the slope fell from 22 to 5, and it goes on falling. It is 0 near $x = -0.7$, the
# lowest point, where the curve is flat: a small step changes $y$ by almost nothing.
# </details>
#
# Cells that show what PyTorch does, like the last one, are only to look at. No other cell needs them.
#
# ## Your engine
#
# The next cell opens the **workshop**: an engine called `minigrad`, without the parts that you
# will build.

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import numpy as np

import minigrad
from grader import check
from minigrad import workshop

workshop.open(0)

# %%
print(minigrad.tensor([1.0, 2.0, 3.0]))

try:
    minigrad.tensor(2.0) * minigrad.tensor(3.0)
except workshop.NotBuiltYet as error:
    print("multiply:", error)

# %% [markdown]
# It holds numbers; multiplying comes in chapter 1.
#
# ## A check that passes
#
# An exercise has a text, a cell for your code, and a locked cell that checks it and carries the points. Replace the
# two lines `# YOUR CODE HERE` and `raise NotImplementedError(…)`, run your cell, then the one below it. Until your
# answer is right, the check ends in a line `NotRight`. If you run many cells at once, the run stops there; go on below
# it with Shift+Enter.
#
# Try the hints too: click on one to unfold it. The last one is almost the solution. Hints cost no points.
#
# **Exercise 1.** Write `square(x)`, which returns $x \cdot x$.
#
# - **Shapes:** `x` is a NumPy array of any shape; the result has its shape.
# - **Two minutes, easy, 1 point.**
#
# <details><summary>Hint 1: the idea</summary>
#
# NumPy multiplies element by element: `x * y`.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $x^2 = x \cdot x$.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# return x * ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "square", "locked": false, "schema_version": 3, "solution": true, "task": false}
def square(x):
    """x times x, element by element.

    x: an array. Returns an array of its shape.
    """
    ### BEGIN SOLUTION
    return x * x
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "square-graded", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
check("square")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# The check called your `square` with arrays of several shapes, and compared each number with PyTorch's. "Right" means
# that all agree. At grading it draws other numbers, so memorising these gains nothing.
# </details>
#
# ## A check that fails
#
# A mean is the sum of the numbers, divided by how many there are.
#
# **Exercise 2.** Write `average(values)`. Make a mistake first: type `return values.sum()`, run the check, and
# read what it says. Then correct it.
#
# - **Shapes:** `values` is a NumPy array of any shape, even `()`, a single number; the result is one number.
# - **Three minutes, easy, 1 point.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Add the numbers up, then share the sum out evenly.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# The sum of $N$ numbers, divided by $N$; `values.size` is $N$.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# return values.sum() / ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "average", "locked": false, "schema_version": 3, "solution": true, "task": false}
def average(values):
    """The mean of all elements.

    values: an array. Returns one number.
    """
    ### BEGIN SOLUTION
    return values.sum() / values.size
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "average-graded", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
check("average")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# The check recognised the mistake, because it knows the answer you get if you forget to divide. It names the mistake
# and leaves the repair to you. When it doesn't recognise a mistake, it shows the largest difference from PyTorch's
# numbers, what rounding explains and, where it can, a small input to try.
# </details>
#
# ## Break it
#
# Most chapters plant a mistake on purpose, so that you can see what it looks like. Here is one that a single example
# does not show: on the first of three arrays, `average_of_three` agrees with the mean. On which of the others does it
# differ? Decide before you run the cell.


# %%
def average_of_three(values):
    return values.sum() / 3


for values in (np.array([1.0, 5.0, 6.0]), np.array([1.0, 5.0]), np.ones((2, 3))):
    print(values.size, "numbers:", values.sum() / values.size, "and", average_of_three(values))

# %% [markdown]
# <details><summary>What you saw</summary>
#
# On both: 3 is right only for three numbers. One example is no proof, so the checks of this course try many shapes.
# </details>
#
# ## Recap
#
# - Shift+Enter runs a cell; restarting the kernel is always safe.
# - Run `check(...)` as often as you like: only your answer counts, and only when you hand it in.
# - A correct part is saved in a folder, `my_minigrad/`, and used in later chapters. Where a part of yours is
#   missing, the next chapter borrows minigrad's, so you can always go on to it. Within a chapter, cells below an
#   exercise may need it: finish it first.
#
# ## Exit questions
#
# **1.** A cell says `NameError: name 'check' is not defined`. What has happened?
#
# <details><summary>Answer</summary>
#
# The cell that imports it has not run since Python started. Run the cells from the top.
# </details>
#
# **2.** You change an exercise's cell and run its check at once. The message stays the same. Why?
#
# <details><summary>Answer</summary>
#
# The changed cell itself was not run: Python still has the old function.
# </details>
#
# ## What comes next
#
# In chapter 1 you write five operations' derivative rules, and code that turns them into gradients.
