"""Sums, means, extremes, and the softmax family: operations along dimensions."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from ..core.tensor import Tensor, wrap
from ..rules.dims import check_dim, check_one_dim
from ..rules.reduce import (
    Amax,
    Amin,
    Cumsum,
    LogSoftmax,
    Logsumexp,
    Max,
    Mean,
    Min,
    Pick,
    Prod,
    Softmax,
    Std,
    Sum,
    Var,
)
from . import dtypes
from .arguments import operation_name
from .dtypes import check_float
from .give import give
from .refusals import no_element

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
        name = dtypes.word(input)
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
            f"{operation_name(operation).lower()}(): degrees of freedom is <= 0. Correction should be strictly less "
            "than the reduction factor (input numel divided by output numel).",
            UserWarning,
            stacklevel=3,
        )
    return out


def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None) -> Tensor:
    """The product of all elements, or along one dimension."""
    dim = check_one_dim("prod", axis if dim is None else dim, input._array.ndim)
    return Prod.apply(input, dim=dim, keepdim=keepdim)


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
    return Cumsum.apply(input, dim=check_one_dim("cumsum", axis if dim is None else dim, input._array.ndim))


def softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """exp(input) / sum(exp(input)) along `dim`."""
    input = input if dtype is None else input.to(dtype)
    dim = check_one_dim("softmax", dim, input._array.ndim)
    check_float(input._array, "softmax_lastdim_kernel_impl")
    return Softmax.apply(input, dim=dim)


def log_softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """log(softmax(input)) along `dim`, stable."""
    input = input if dtype is None else input.to(dtype)
    dim = check_one_dim("log_softmax", dim, input._array.ndim)
    check_float(input._array, "log_softmax_lastdim_kernel_impl")
    return LogSoftmax.apply(input, dim=dim)


def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """log(sum(exp(input))) along `dim`, stable."""
    return Logsumexp.apply(input if input.is_floating_point() else input.to(dtypes.default), dim=dim, keepdim=keepdim)


def all(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:  # noqa: A001
    """True where all elements are true."""
    return wrap(input._array.all(axis=check_dim(dim, input._array.ndim), keepdims=keepdim))


def any(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:  # noqa: A001
    """True where an element is true."""
    return wrap(input._array.any(axis=check_dim(dim, input._array.ndim), keepdims=keepdim))


give(Tensor, sum=sum, mean=mean, var=var, std=std, prod=prod)
give(Tensor, max=max, min=min, amax=amax, amin=amin)
give(Tensor, argmax=argmax, argmin=argmin, cumsum=cumsum, all=all, any=any)
give(Tensor, softmax=softmax, log_softmax=log_softmax, logsumexp=logsumexp)
__all__ = [
    "all", "amax", "amin", "any", "argmax", "argmin", "cumsum", "log_softmax", "logsumexp", "max", "mean", "min",
    "prod", "softmax", "std", "sum", "var",
]  # fmt: skip
