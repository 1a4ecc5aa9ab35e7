"""The transpose of broadcasting."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from .tensor import Tensor

Array = TypeVar("Array", np.ndarray, Tensor)


def unbroadcast(grad: Array, shape: tuple[int, ...]) -> Array:
    """Sum `grad` over the axes along which an array of `shape` was broadcast to `grad.shape`.

    Args:
        grad: of a shape that `shape` broadcasts to.
        shape: the shape wanted.

    Returns:
        An array of `shape`.
    """
    added = grad.ndim - len(shape)
    stretched = [added + i for i, n in enumerate(shape) if n == 1 and grad.shape[added + i] != 1]
    return grad.sum(axis=(*range(added), *stretched)).reshape(shape)
