"""The transpose of broadcasting."""

from typing import Any, TypeVar

Array = TypeVar("Array", bound=Any)  # an ndarray or a Tensor


def unbroadcast(grad: Array, shape: tuple[int, ...]) -> Array:
    """Sum `grad` over the axes along which an array of `shape` was broadcast to its shape; the result has `shape`."""
    added = grad.ndim - len(shape)
    stretched = [added + i for i, n in enumerate(shape) if n == 1 and grad.shape[added + i] != 1]
    return grad.sum(axis=(*range(added), *stretched)).reshape(shape)
