"""Dimensions as arguments, and torch's errors about them."""

from typing import Any


def check_dim(dim: Any, ndim: int) -> Any:
    """A dimension, or several, as nonnegative axes; IndexError when out of range, TypeError for what is no integer."""
    if dim is None:
        return None
    if isinstance(dim, tuple | list):
        axes = tuple(check_dim(d, ndim) for d in dim)
        for axis in axes:
            if axes.count(axis) > 1:
                raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
        return axes or None
    return axis_of(dim, ndim)


def check_one_dim(name: str, dim: Any, ndim: int) -> Any:
    """The one dimension that a function takes, as a nonnegative axis; TypeError for several."""
    if isinstance(dim, tuple | list):
        raise TypeError(f"{name}(): argument 'dim' must be int, not {type(dim).__name__}")
    return None if dim is None else axis_of(dim, ndim)


def axis_of(dim: Any, ndim: int) -> int:
    """A dimension as a nonnegative axis."""
    if type(dim) is not int:  # else it is not asked: reductions run for every batch
        if isinstance(dim, bool) or not hasattr(dim, "__index__"):
            raise TypeError(f"argument 'dim' must be int, not {type(dim).__name__}")
        dim = dim.__index__()
    limit = ndim or 1
    if not -limit <= dim < limit:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {dim})")
    return dim % limit
