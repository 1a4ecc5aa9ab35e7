"""Chapter 0 in other words."""

import math

import numpy as np

from ...ask.right import collector

RIGHT, right = collector()


@right(exercise="square", replaces="square")
def as_power(x):
    return x**2


@right(exercise="square", replaces="square")
def by_numpy(x):
    return np.square(x)


@right(exercise="square", replaces="square")
def by_places(x):
    result = np.empty(x.shape)
    for place in np.ndindex(x.shape):
        result[place] = x[place] * x[place]
    return result


@right(exercise="square", replaces="square")
def by_einsum(x):
    return np.einsum("...,...->...", x, x)


@right(exercise="square", replaces="square")
def in_place_on_a_copy(x):
    result = x.copy()
    result *= x
    return result


@right(exercise="average", replaces="average")
def mean_of_numpy(values):
    return np.mean(values)


@right(exercise="average", replaces="average")
def exactly_summed(values):
    return math.fsum(values.ravel()) / values.size


@right(exercise="average", replaces="average")
def running(values):
    mean = 0.0
    for count, value in enumerate(values.flat, start=1):
        mean += (value - mean) / count
    return mean


@right(exercise="average", replaces="average")
def shares(values):
    return (values / values.size).sum()


@right(exercise="average", replaces="average")
def as_product(values):
    return values.ravel() @ np.full(values.size, 1 / values.size)
