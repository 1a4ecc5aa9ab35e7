"""Parts of tensors, taken and put back: by integers, slices, None, …, boolean masks and integer tensors."""

from typing import Any

import numpy as np

from ..core.function import Function
from ..core.tensor import Tensor
from . import both


class Select(Function):
    """Integers, slices, None and …: a view; `number` of several when a function is `named`."""

    def forward(self, x, *, index, named=None, number=0):
        self.index = index
        self.shape = x.shape
        self.named = named
        return x[(*index, ...)] if Ellipsis not in index else x[index]  # with … a 0-d result is a view too

    def backward_x(self, grad):
        return scatter(grad, self.shape, self.index)


class Index(Function):
    """Masks and integer tensors: a copy. An element taken twice gets both gradients."""

    def forward(self, x, index):
        self.shape = x.shape
        return x[index]

    def backward_x(self, grad, index):
        return scatter(grad, self.shape, index)


Gather, Sort, Topk = both.named(Index, "Gather", "Sort", "Topk")


class Embedding(Index):
    """Rows of a table; the row `padding_idx` gets no gradient."""

    def forward(self, x, index, *, padding_idx):
        self.padding_idx = padding_idx
        return super().forward(x, index)

    def backward_x(self, grad, index):
        if self.padding_idx is not None:
            grad = grad * (index[0] != self.padding_idx)[..., None]
        return super().backward_x(grad, index)


class Scatter(Function):
    """The transpose of indexing: zeros, with x added at the index."""

    def forward(self, x, *, shape, index, once):
        self.index = index
        out = np.zeros(shape, x.dtype)
        if once or not any(isinstance(i, np.ndarray) and i.dtype != bool for i in index):
            out[index] = x
        elif len(index) == 1 and index[0].size:
            add_rows(out, index[0].reshape(-1), x)
        else:
            np.add.at(out, index, x)
        return out

    def backward_x(self, grad):
        return grad[self.index]


def scatter(grad: Any, shape: tuple[int, ...], index: Any, once: bool = False) -> Any:
    """`Scatter`, of an array or a Tensor; `once` when no element is taken twice."""
    if isinstance(grad, Tensor):
        return Scatter.apply(grad, shape=shape, index=index, once=once)
    return Scatter().forward(grad, shape=shape, index=index, once=once)


def add_rows(out: np.ndarray, places: np.ndarray, x: np.ndarray) -> None:
    """`np.add.at(out, places, x)`, ten times faster: rows for one place are brought together and summed."""
    order = np.argsort(places, kind="stable")
    places = places[order]
    starts = np.flatnonzero(np.concatenate(([True], places[1:] != places[:-1])))
    sums = np.add.reduceat(x.reshape((len(order), *out.shape[1:]))[order], starts, axis=0)
    if places.min() >= 0:
        out[places[starts]] = sums
    else:
        np.add.at(out, places[starts], sums)  # a place may come twice still: as 2 and as -1


class IndexPut(Function):
    """x with `value` at an index: there the gradient goes to the value."""

    def forward(self, x, value, index):
        out = x.copy()
        out[index] = value
        return out

    def backward_x(self, grad, index):
        untouched = np.ones(grad.shape, bool)
        untouched[index] = False
        return both.where(untouched, grad, 0.0)

    def backward_value(self, grad, index):
        return grad[index]


class Copy(Function):
    """x replaced by `value`, in x's shape and dtype (`copy_`, `fill_`)."""

    dtypes: Any = ()  # forward says

    def forward(self, x, value):
        self.dtypes = (x.dtype, getattr(value, "dtype", None))
        out = np.empty(np.broadcast_shapes(x.shape, np.shape(value)), x.dtype)
        out[...] = value
        return out

    def backward_x(self, grad):
        return both.zeros_like(grad)

    def backward_value(self, grad):
        return grad


class Zero(Function):
    """x replaced by zeros (`zero_`)."""

    def forward(self, x):
        return np.zeros(x.shape, x.dtype)

    def backward_x(self, grad):
        return both.zeros_like(grad)


Fill, Put = both.named(Copy, "Fill", "Put")  # of a number; of a number, or a tensor of one, in `x[:] = value`
