# ruff: noqa: F401 - patches use what is imported here
"""Chapter 0's ways of being wrong: what one may type into a first exercise."""

import numpy as np

from ...ask.bank import bank

MISCONCEPTIONS, about = bank(globals())

SQUARE = """
def square(x):
    return x * x
"""

about("square", "square", "A check that passes", SQUARE)("""
square-doubles: Your square doubles x: x + x instead of x times x.
-    return x * x
+    return 2 * x

square-gives-x-back: Your square gives x back as it is.
-    return x * x
+    return x

square-root: Your square takes the square root, which undoes a square.
-    return x * x
+    return np.sqrt(np.abs(x))

square-adds-up: Your square adds the squares up. Each element keeps its own: the result has the shape of x.
-    return x * x
+    return np.sum(x * x)
""")

AVERAGE = """
def average(values):
    return values.sum() / values.size
"""

about("average", "average", "A check that fails", AVERAGE)("""
average-is-the-sum: Your average adds the numbers up and does not divide by how many there are.
-    return values.sum() / values.size
+    return values.sum()

average-divides-by-rows: Your average divides by the length of the first axis. An array of 2 rows and 3 columns has
six numbers.
-    return values.sum() / values.size
+    return values.sum() / (values.shape[0] if values.ndim else 1)
or
-    return values.sum() / values.size
+    return values.sum() / len(values)

average-is-the-median: Your average takes the median, the number in the middle, and not the mean.
-    return values.sum() / values.size
+    return np.median(values)

average-of-columns: Your average takes the mean along one axis only. The result is one number, for an array of any
shape.
-    return values.sum() / values.size
+    return values.mean(axis=0)
""")
