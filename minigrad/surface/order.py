"""Elements in order, and those that are asked for: sort … nonzero. Gradients go back to where the elements were."""

from typing import Any, NamedTuple

import numpy as np

from ..core.tensor import Tensor, wrap
from ..rules.dims import check_dim
from ..rules.index import Sort, Topk
from .give import give
from .index import taken


class Sorted(NamedTuple):
    """Elements in order, and where they were."""

    values: Tensor
    indices: Tensor


def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """The places of the elements along `dim`, the smallest first; equal ones stay in their order."""
    array = input._array
    if not array.ndim:
        return wrap(np.int64(0))
    axis = check_dim(dim, array.ndim)
    if descending:
        order = np.flip(array.shape[axis] - 1 - np.argsort(np.flip(array, axis), axis=axis, kind="stable"), axis)
    else:
        order = np.argsort(array, axis=axis, kind="stable")
    return wrap(np.ascontiguousarray(order, np.int64))


def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Sorted:
    """The elements along `dim` in order, and where they were."""
    places = argsort(input, dim, descending, stable)
    return Sorted(taken(Sort, input, dim, places), places)


def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Sorted:
    """The k largest elements along `dim`, the largest first, and their places; RuntimeError where there are fewer."""
    if not 0 <= k <= (input._array.shape[dim] if input._array.ndim else 1):
        raise RuntimeError("selected index k out of range")
    places = argsort(input, dim, descending=largest)
    places = places.narrow(dim, 0, k) if places._array.ndim else places
    return Sorted(taken(Topk, input, dim, places), places.contiguous())


def unique(input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The elements, each once, in order; if asked, also which one each element is, and how often each is there."""
    found: Any = np.unique(np.asarray(input._array), False, return_inverse, return_counts)  # type: ignore[call-overload]
    if not isinstance(found, tuple):
        return wrap(found)
    return tuple(wrap(x.reshape(input._array.shape) if return_inverse and i == 1 else x) for i, x in enumerate(found))


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The places of the elements that are not 0: a row each, or with `as_tuple` a vector a dimension."""
    places = np.nonzero(np.atleast_1d(input._array))
    if as_tuple:
        return tuple(map(wrap, places))
    return wrap(np.argwhere(input._array))


def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """How many elements are not 0."""
    return (input != 0).sum(dim)


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where the mask, broadcast, holds: a vector."""
    shape = np.broadcast_shapes(input.shape, mask.shape)
    return input.expand(shape)[mask.expand(shape)]


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices along `dim` that a vector of integers names."""
    return input[(*[slice(None)] * check_dim(dim, input.ndim), index)]


give(Tensor, argsort=argsort, sort=sort, topk=topk, unique=unique, nonzero=nonzero, count_nonzero=count_nonzero)
give(Tensor, masked_select=masked_select, index_select=index_select)

__all__ = [
    "argsort", "count_nonzero", "index_select", "masked_select", "nonzero", "sort", "topk", "unique",
]  # fmt: skip
