"""Sums, means, extremes, and the softmax family: operations along dimensions."""

from __future__ import annotations

import math
import warnings
from typing import Any, NamedTuple

import numpy as np

from .. import dtypes
from ..dtypes import check_float
from ..function import Function
from ..tensor import Tensor, wrap
from . import both
from .both import raw
from .dims import check_dim, check_one_dim


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
        if self.dim is None:
            return math.prod(self.shape)
        dims = self.dim if isinstance(self.dim, tuple) else (self.dim,)
        count = 1
        for i in dims:
            count *= self.shape[i] if self.shape else 1
        return count

    def name(self) -> str:
        """torch's name: `SumBackward0` for all elements, `SumBackward1` along dimensions."""
        return f"{type(self).__name__}Backward{0 if self.dim is None else 1}"


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
        centred = x - np.add.reduce(x, axis=axis, keepdims=True) / n  # unlike x.sum(), silent about an overflow
        return np.add.reduce(centred * centred, axis=axis, keepdims=keepdim) / self.degrees

    def backward_x(self, grad, x):
        centred = x - x.mean(axis=self.dim, keepdims=True)
        return self.kept(2 * grad / self.degrees) * centred

    def name(self) -> str:
        return "VarBackward0"


class Std(Var):
    """The standard deviation; gradient 0 where it is 0."""

    def forward(self, x, *, dim=None, correction=1, keepdim=False):
        return np.sqrt(super().forward(x, dim=dim, correction=correction, keepdim=keepdim))

    def backward_x(self, grad, x, out):
        centred = x - x.mean(axis=self.dim, keepdims=True)
        weight = both.where(out == 0, 0.0, grad / out)
        return self.kept(weight) * centred / self.degrees

    def name(self) -> str:
        return "StdBackward0"


class Prod(Reduction):
    """The product: each element's weight is the product of the others."""

    def forward(self, x, *, dim=None, keepdim=False):
        axis = self.axes(x, check_one_dim("prod", dim, x.ndim), keepdim)
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


SPECIFY = "Specify the reduction dim with the 'dim' argument."


def no_element(name: str, dim: Any) -> IndexError:
    """torch's error for the largest or the smallest of no elements."""
    what = "to be specified for input.numel() == 0" if dim is None else f"{dim} to have non-zero size"
    return IndexError(f"{name}(): Expected reduction dim {what}.")


class Max(Reduction):
    """The largest: on a tie the gradient is shared evenly (`max()` and `amax`)."""

    def forward(self, x, *, dim=None, keepdim=False):
        return x.max(axis=self.axes(x, dim, keepdim), keepdims=keepdim)

    def backward_x(self, grad, x, out):
        ties = raw(x) == self.kept(raw(out))
        count = ties.sum(axis=self.dim, keepdims=self.dim is not None)
        return self.kept(grad) * (ties / np.maximum(count, 1)).astype(raw(grad).dtype)

    def explain(self, x, *, dim=None, keepdim=False):
        """torch's error for an empty tensor."""
        name = type(self).__name__.lower()
        return no_element(name, dim) if dim is not None else RuntimeError(f"{no_element(name, dim)} {SPECIFY}")

    def name(self) -> str:
        return f"{type(self).__name__}Backward1"


class Min(Max):
    """The smallest: on a tie the gradient is shared evenly (`min()` and `amin`)."""

    def forward(self, x, *, dim=None, keepdim=False):
        return x.min(axis=self.axes(x, dim, keepdim), keepdims=keepdim)


class Amax(Max):
    """`Max` under torch's other name."""

    def name(self) -> str:
        return "AmaxBackward0"


class Amin(Min):
    """`Min` under torch's other name."""

    def name(self) -> str:
        return "AminBackward0"


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

    def name(self) -> str:
        return f"{self.named}Backward0"


class Cumsum(Function):
    """The running sum along a dimension: backward, it runs from the end."""

    def forward(self, x, *, dim):
        self.dim = check_one_dim("cumsum", dim, x.ndim)
        return x.cumsum(axis=self.dim if x.ndim else None).reshape(x.shape)

    def backward_x(self, grad):
        if not grad.shape:
            return grad
        return both.flip(both.flip(grad, self.dim).cumsum(axis=self.dim), self.dim)


class Softmax(Function):
    """exp(x) / sum(exp(x)); subtracting the largest changes nothing and avoids overflow."""

    def forward(self, x, *, dim):
        self.dim = dim = check_one_dim("softmax", dim, x.ndim)
        check_float(x, "softmax_lastdim_kernel_impl")
        e = np.exp(x - both.largest(x, dim))
        return e / both.total(e, dim)

    def backward_x(self, grad, out):
        weighted = grad * out
        return weighted - out * both.total(weighted, self.dim)

    def name(self) -> str:
        return "SoftmaxBackward0"


class LogSoftmax(Function):
    """x - log(sum(exp(x)))."""

    def forward(self, x, *, dim):
        self.dim = dim = check_one_dim("log_softmax", dim, x.ndim)
        check_float(x, "log_softmax_lastdim_kernel_impl")
        x = x - both.largest(x, dim)
        return x - np.log(both.total(np.exp(x), dim))

    def backward_x(self, grad, out):
        return grad - both.exp(out) * both.total(grad, self.dim)

    def name(self) -> str:
        return "LogSoftmaxBackward0"


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

    def name(self) -> str:
        return "LogsumexpBackward0"


# `axis` and `keepdims` are NumPy's words for `dim` and `keepdim`: torch takes both, and so a rule may
# call `grad.sum(axis=…)` on an ndarray and on a Tensor.


def sum(
    input: Tensor,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    axis: Any = None,
    keepdims: bool = False,
) -> Tensor:
    """The sum of all elements, or along `dim`; integers and bools add up to int64."""
    input = input if dtype is None else input.to(dtype)
    return Sum.apply(input, dim=axis if dim is None else dim, keepdim=keepdim or keepdims)


def mean(
    input: Tensor,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    axis: Any = None,
    keepdims: bool = False,
) -> Tensor:
    """The mean of all elements, or along `dim`; RuntimeError for integers."""
    input = input if dtype is None else input.to(dtype)
    if input._array.dtype.kind != "f":
        name = {"int64": "Long", "bool": "Bool"}[input.dtype.name]
        raise RuntimeError(
            f"mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
            f"Got: {name}"
        )
    return Mean.apply(input, dim=axis if dim is None else dim, keepdim=keepdim or keepdims)


def var(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    """The variance over N - correction (1 unless told otherwise)."""
    return dispersion(Var, input, dim, unbiased, keepdim, correction)


def std(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    """The standard deviation over N - correction (1 unless told otherwise)."""
    return dispersion(Std, input, dim, unbiased, keepdim, correction)


def dispersion(operation: Any, x: Tensor, dim: Any, unbiased: bool | None, keepdim: bool, correction: Any) -> Tensor:
    """Variance or standard deviation; torch lets `var(False)` mean `unbiased=False`."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if correction is None:
        correction = 0 if unbiased is False else 1
    if x._array.dtype.kind != "f":
        raise RuntimeError("std and var only support floating point and complex dtypes")
    out = operation.apply(x, dim=dim, correction=correction, keepdim=keepdim)
    if x._array.size <= correction * out._array.size:
        warnings.warn(
            f"{operation.__name__.lower()}(): degrees of freedom is <= 0. Correction should be strictly less than the "
            "reduction factor (input numel divided by output numel).",
            UserWarning,
            stacklevel=3,
        )
    return out


def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None) -> Tensor:
    """The product of all elements, or along one dimension."""
    return Prod.apply(input, dim=axis if dim is None else dim, keepdim=keepdim)


class MaxResult(NamedTuple):
    """What `max(dim)` returns."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        return f"torch.return_types.max(\nvalues={self.values!r},\nindices={self.indices!r})"


class MinResult(NamedTuple):
    """What `min(dim)` returns."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        return f"torch.return_types.min(\nvalues={self.values!r},\nindices={self.indices!r})"


def max(input: Tensor, dim: Any = None, keepdim: bool = False, *, axis: Any = None) -> Any:  # noqa: A001
    """The largest element; along `dim` a pair (values, indices); of two tensors the larger elements."""
    if isinstance(dim, Tensor):
        return input.maximum(dim)
    dim = axis if dim is None else dim
    return Max.apply(input) if dim is None else extreme(input, np.argmax, dim, keepdim, "Max", MaxResult)


def min(input: Tensor, dim: Any = None, keepdim: bool = False, *, axis: Any = None) -> Any:  # noqa: A001
    """The smallest element; along `dim` a pair (values, indices); of two tensors the smaller elements."""
    if isinstance(dim, Tensor):
        return input.minimum(dim)
    dim = axis if dim is None else dim
    return Min.apply(input) if dim is None else extreme(input, np.argmin, dim, keepdim, "Min", MinResult)


def extreme(x: Tensor, search: Any, dim: int, keepdim: bool, named: str, result: Any) -> Any:
    """Values and places of the extremes along a dimension."""
    axis = check_one_dim(named.lower(), dim, x._array.ndim)
    array = x._array
    try:
        places = np.expand_dims(search(array, axis=axis), axis) if array.ndim else np.int64(0)
    except ValueError:
        raise no_element(named.lower(), dim) from None
    values = Pick.apply(x, places, dim=dim, keepdim=keepdim, named=named)
    return result(values, wrap(places if keepdim or not array.ndim else places.squeeze(axis)))


def amax(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The largest element along `dim`; ties share the gradient."""
    return Amax.apply(input, dim=dim or None if isinstance(dim, tuple | list) else dim, keepdim=keepdim)


def amin(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The smallest element along `dim`; ties share the gradient."""
    return Amin.apply(input, dim=dim or None if isinstance(dim, tuple | list) else dim, keepdim=keepdim)


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The place of the largest element, in the flattened tensor or along `dim`; the first on a tie."""
    return place(np.argmax, input, dim, keepdim)


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The place of the smallest element, in the flattened tensor or along `dim`; the first on a tie."""
    return place(np.argmin, input, dim, keepdim)


def place(search: Any, x: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    """An index tensor."""
    axis = check_one_dim(search.__name__, dim, x._array.ndim)
    try:
        return wrap(search(x._array, axis=axis if x._array.ndim else None, keepdims=keepdim))
    except ValueError:
        raise no_element(search.__name__, dim) from None


def cumsum(input: Tensor, dim: int | None = None, *, axis: int | None = None) -> Tensor:
    """The running sum along `dim`."""
    return Cumsum.apply(input, dim=axis if dim is None else dim)


def softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """exp(input) / sum(exp(input)) along `dim`."""
    return Softmax.apply(input if dtype is None else input.to(dtype), dim=dim)


def log_softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """log(softmax(input)) along `dim`, stable."""
    return LogSoftmax.apply(input if dtype is None else input.to(dtype), dim=dim)


def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """log(sum(exp(input))) along `dim`, stable."""
    return Logsumexp.apply(input if input.is_floating_point() else input.to(dtypes.default), dim=dim, keepdim=keepdim)


def all(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:  # noqa: A001
    """True where all elements are true."""
    return wrap(input._array.all(axis=check_dim(dim, input._array.ndim), keepdims=keepdim))


def any(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:  # noqa: A001
    """True where an element is true."""
    return wrap(input._array.any(axis=check_dim(dim, input._array.ndim), keepdims=keepdim))


Tensor.sum, Tensor.mean, Tensor.var, Tensor.std, Tensor.prod = sum, mean, var, std, prod
Tensor.max, Tensor.min, Tensor.amax, Tensor.amin = max, min, amax, amin
Tensor.argmax, Tensor.argmin, Tensor.cumsum, Tensor.all, Tensor.any = argmax, argmin, cumsum, all, any
Tensor.softmax, Tensor.log_softmax, Tensor.logsumexp = softmax, log_softmax, logsumexp
__all__ = [
    "all", "amax", "amin", "any", "argmax", "argmin", "cumsum", "log_softmax", "logsumexp", "max", "mean", "min",
    "prod", "softmax", "std", "sum", "var",
]  # fmt: skip
