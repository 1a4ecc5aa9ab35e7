"""Sums, means, extremes, and the softmax family: operations along dimensions."""

import math
from typing import Any

import numpy as np

from ..core.function import Function
from . import both
from .both import raw
from .dims import check_dim

BLOCK = 2**16  # elements that stay in the cache


class Reduction(Function):
    """An operation along dimensions: what its rules share."""

    def axes(self, x: Any, dim: Any, keepdim: bool) -> Any:
        """Keep what the rules need, and give NumPy's axis."""
        self.shape = x.shape
        self.dim = check_dim(dim, x.ndim)
        self.keepdim = keepdim
        return self.dim if x.ndim else None

    def spread(self, value: Any) -> Any:
        """A reduced value, spread out again over the input's shape."""
        return both.expand(self.kept(value), self.shape)

    def kept(self, value: Any) -> Any:
        """A reduced value, with the reduced dimensions kept at length 1, so that it broadcasts."""
        if self.dim is None or self.keepdim or not self.shape:
            return value
        dims = self.dim if isinstance(self.dim, tuple) else (self.dim,)
        return value.reshape(tuple(1 if i in dims else n for i, n in enumerate(self.shape)))

    def count(self) -> int:
        """How many elements each result was made of."""
        if self.dim is None or not self.shape:
            return math.prod(self.shape)
        dims = self.dim if isinstance(self.dim, tuple) else (self.dim,)
        return math.prod([self.shape[i] for i in dims])


class Sum(Reduction):
    """The sum: each element has weight 1."""

    def forward(self, x, *, dim=None, keepdim=False):
        return x.sum(axis=self.axes(x, dim, keepdim), keepdims=keepdim)

    def backward_x(self, grad):
        return self.spread(grad)


class Mean(Reduction):
    """The mean: each element has weight 1/N."""

    def forward(self, x, *, dim=None, keepdim=False):
        total = x.sum(axis=self.axes(x, dim, keepdim), keepdims=keepdim)
        return total / self.count()  # np.mean takes twice as long for a small array

    def backward_x(self, grad):
        return self.spread(grad / self.count())


class Var(Reduction):
    """The variance, over N - correction."""

    def forward(self, x, *, dim=None, correction=1, keepdim=False):
        axis = self.axes(x, dim, keepdim)
        n = self.count()
        self.degrees = n - correction if n > correction else 0
        mean = np.add.reduce(x, axis=axis, keepdims=True) / n  # unlike x.sum(), silent about an overflow
        if axis is None and x.size > BLOCK and not keepdim:
            return squares(x.reshape(-1), mean.reshape(-1)) / self.degrees
        centred = x - mean
        return np.add.reduce(centred * centred, axis=axis, keepdims=keepdim) / self.degrees

    def backward_x(self, grad, x):
        centred = x - x.mean(axis=self.dim, keepdims=True)
        return self.kept(2 * grad / self.degrees) * centred


def squares(x: np.ndarray, mean: np.ndarray) -> Any:
    """The sum of (x - mean)², a block at a time: what stays in the cache is read five times faster."""
    blocks = (x[start : start + BLOCK] - mean for start in range(0, x.size, BLOCK))
    return np.add.reduce([block @ block for block in blocks])


class Std(Var):
    """The standard deviation; gradient 0 where it is 0."""

    def forward(self, x, *, dim=None, correction=1, keepdim=False):
        return np.sqrt(super().forward(x, dim=dim, correction=correction, keepdim=keepdim))

    def backward_x(self, grad, x, out):
        centred = x - x.mean(axis=self.dim, keepdims=True)
        weight = both.where(out == 0, 0.0, grad / out)
        return self.kept(weight) * centred / self.degrees


class Prod(Reduction):
    """The product: each element's weight is the product of the others."""

    def forward(self, x, *, dim=None, keepdim=False):
        axis = self.axes(x, dim, keepdim)
        return np.multiply.reduce(x, axis=axis, keepdims=keepdim)

    def backward_x(self, grad, x, out):
        if np.all(raw(x) != 0):
            return self.kept(grad * out) / x
        # With a zero, out / x is 0/0: multiply the others, one copy of x a row with a 1 in its own place.
        flat = x.reshape((-1,)) if self.dim is None else x.swapaxes(self.dim, -1)
        n = flat.shape[-1]
        others = both.where(np.eye(n, dtype=bool), 1.0, flat[..., None, :]).prod(axis=-1)
        others = others.reshape(self.shape) if self.dim is None else others.swapaxes(self.dim, -1)
        return self.kept(grad) * others


class Max(Reduction):
    """The largest: on a tie the gradient is shared evenly (`max()` and `amax`)."""

    def forward(self, x, *, dim=None, keepdim=False):
        return x.max(axis=self.axes(x, dim, keepdim), keepdims=keepdim)

    def backward_x(self, grad, x, out):
        ties = raw(x) == self.kept(raw(out))
        count = ties.sum(axis=self.dim, keepdims=self.dim is not None)
        return self.kept(grad) * (ties / np.maximum(count, 1)).astype(raw(grad).dtype)


class Min(Max):
    """The smallest: on a tie the gradient is shared evenly (`min()` and `amin`)."""

    def forward(self, x, *, dim=None, keepdim=False):
        return x.min(axis=self.axes(x, dim, keepdim), keepdims=keepdim)


Amax, Amin = *both.named(Max, "Amax"), *both.named(Min, "Amin")


class Pick(Reduction):
    """The elements at given places along a dimension (`max(dim)`: the first on a tie)."""

    def forward(self, x, places, *, dim, keepdim=False, named="Max"):
        self.axes(x, dim, keepdim)
        self.named = named
        picked = np.take_along_axis(x, places, self.dim) if x.ndim else x
        return picked if keepdim or not x.ndim else picked.squeeze(self.dim)

    def backward_x(self, grad, places):
        if not self.shape:
            return grad
        chosen = np.zeros(self.shape, bool)
        np.put_along_axis(chosen, raw(places), True, self.dim)
        return self.kept(grad) * chosen


class Cumsum(Function):
    """The running sum along a dimension: backward, it runs from the end."""

    def forward(self, x, *, dim):
        self.dim = dim
        if x.ndim == 1 and x.dtype == np.float32 and x.size > BLOCK and x.flags.c_contiguous:
            return running_sum(x)
        return x.cumsum(axis=self.dim if x.ndim else None).reshape(x.shape)

    def backward_x(self, grad):
        if not grad.shape:
            return grad
        return both.flip(both.flip(grad, self.dim).cumsum(axis=self.dim), self.dim)


def running_sum(x: np.ndarray) -> np.ndarray:
    """The running sum of a long vector of float32, a block at a time: BLAS adds up rows of 32, by a triangle of ones.

    NumPy's own waits for each sum before the next. An infinite or missing number would spread in its row: then it is
    NumPy's after all.
    """
    triangle = np.triu(np.ones((32, 32), x.dtype))
    out, before = np.empty_like(x), 0.0
    for start in range(0, x.size, BLOCK):
        stop = start + (min(BLOCK, x.size - start) & -32)  # whole rows
        rows = out[start:stop].reshape(-1, 32)
        np.matmul(x[start:stop].reshape(-1, 32), triangle, out=rows)
        totals = before + np.add.accumulate(rows[:, -1], dtype=np.float64)
        rows += np.concatenate([[before], totals[:-1]]).astype(x.dtype)[:, None]
        before = totals[-1] if len(totals) else before
    rest = x.size & -32
    out[rest:] = before + np.cumsum(x[rest:], dtype=np.float64)
    return out if np.isfinite(before) else x.cumsum()


class Softmax(Function):
    """exp(x) / sum(exp(x)); subtracting the largest changes nothing and avoids overflow."""

    def forward(self, x, *, dim):
        self.dim = dim
        e = x - both.largest(x, dim)
        own = e if x.ndim else None  # memory that is written again: new one takes as long as to compute
        e = np.exp(e, out=own)
        return np.divide(e, both.total(e, dim), out=own)

    def backward_x(self, grad, out):
        weighted = grad * out
        return weighted - out * both.total(weighted, self.dim)


class LogSoftmax(Function):
    """x - log(sum(exp(x)))."""

    def forward(self, x, *, dim):
        self.dim = dim
        x = x - both.largest(x, dim)
        return x - np.log(both.total(np.exp(x), dim))

    def backward_x(self, grad, out):
        return grad - both.exp(out) * both.total(grad, self.dim)


class Logsumexp(Reduction):
    """log(sum(exp(x))): its gradient is the softmax."""

    def forward(self, x, *, dim, keepdim=False):
        axis = self.axes(x, dim, keepdim)
        top = x.max(axis=axis, keepdims=True, initial=-np.inf)  # of no elements too
        top = np.where(np.isfinite(top), top, x.dtype.type(0))
        total = np.log(np.exp(x - top).sum(axis=axis, keepdims=True)) + top
        return total if keepdim or not x.ndim else total.squeeze(axis)

    def backward_x(self, grad, x, out):
        return self.kept(grad) * both.exp(x - self.kept(out))
