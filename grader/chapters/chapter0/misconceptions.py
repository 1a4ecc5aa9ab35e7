# ruff: noqa: ANN001, ANN201, ANN202, D101, D102, D103
"""Chapter 0's ways of being wrong: what one may type into a first exercise."""

import numpy as np

from ...ask.bank import collector

MISCONCEPTIONS, misconception, variant = collector()


@misconception(
    "square-doubles",
    exercise="square",
    replaces="square",
    section="A check that passes",
    advice="Your square doubles x: x + x instead of x times x.",
)
def doubles(x):
    return 2 * x


@misconception(
    "square-gives-x-back",
    exercise="square",
    replaces="square",
    section="A check that passes",
    advice="Your square gives x back as it is.",
)
def gives_back(x):
    return x


@misconception(
    "square-root",
    exercise="square",
    replaces="square",
    section="A check that passes",
    advice="Your square takes the square root, which undoes a square.",
)
def root(x):
    return np.sqrt(np.abs(x))


@misconception(
    "average-is-the-sum",
    exercise="average",
    replaces="average",
    section="A check that fails",
    advice="Your average adds the numbers up and does not divide by how many there are.",
)
def the_sum(values):
    return values.sum()


@misconception(
    "average-divides-by-rows",
    exercise="average",
    replaces="average",
    section="A check that fails",
    advice="Your average divides by the length of the first axis. An array of 2 rows and 3 columns has six numbers.",
)
def by_rows(values):
    return values.sum() / (values.shape[0] if values.ndim else 1)


@variant
def by_length(values):
    return values.sum() / len(values)


@misconception(
    "average-is-the-median",
    exercise="average",
    replaces="average",
    section="A check that fails",
    advice="Your average takes the median, the number in the middle, and not the mean.",
)
def the_median(values):
    return np.median(values)


@misconception(
    "average-of-columns",
    exercise="average",
    replaces="average",
    section="A check that fails",
    advice="Your average takes the mean along one axis only. The result is one number, for an array of any shape.",
)
def of_columns(values):
    return values.mean(axis=0)


@misconception(
    "square-adds-up",
    exercise="square",
    replaces="square",
    section="A check that passes",
    advice="Your square adds the squares up. Each element keeps its own: the result has the shape of x.",
)
def adds_up(x):
    return np.sum(x * x)
