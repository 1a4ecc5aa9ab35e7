"""Sums, means, extremes, and the softmax family: operations along dimensions."""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core.tensor import Tensor, wrap
from ..rules import reduce as rules
from ..rules.dims import check_dim, check_one_dim
from . import dtypes
from .dtypes import check_float
from .give import called, give
from .refusals import no_element

MEAN_KIND = (
    "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {}"
)

# `axis` and `keepdims` are NumPy's words for `dim` and `keepdim`: torch takes both, and so a rule may
# call `grad.sum(axis=…)` on an ndarray and on a Tensor.


def sum(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, axis: Any = None,
    keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """The sum of all elements, or along `dim`; integers and bools add up to int64."""
    input = input if dtype is None else input.to(dtype)
    return rules.Sum.apply(input, dim=axis if dim is None else dim, keepdim=keepdim or keepdims)


def mean(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, axis: Any = None,
    keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """The mean of all elements, or along `dim`; RuntimeError for integers."""
    input = input if dtype is None else input.to(dtype)
    check_kind(input, MEAN_KIND)
    return rules.Mean.apply(input, dim=axis if dim is None else dim, keepdim=keepdim or keepdims)


def dispersion(name: str, operation: Any, text: str) -> Callable[..., Tensor]:
    """The variance or the standard deviation; torch lets `var(False)` mean `unbiased=False`."""

    def function(
        input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
    ) -> Tensor:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if correction is None:
            correction = 0 if unbiased is False else 1
        check_kind(input, "std and var only support floating point and complex dtypes")
        out = operation.apply(input, dim=dim, correction=correction, keepdim=keepdim)
        if input._array.size <= correction * out._array.size:
            warnings.warn(
                f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
                "(input numel divided by output numel).",
                UserWarning,
                stacklevel=2,
            )
        return out

    return called(name, f"The {text} over N - correction (1 unless told otherwise).", function)


def check_kind(input: Tensor, message: str) -> None:
    """RuntimeError for integers and bools."""
    if input._array.dtype.kind != "f":
        raise RuntimeError(message.format(dtypes.word(input)))


var, std = dispersion("var", rules.Var, "variance"), dispersion("std", rules.Std, "standard deviation")


def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None) -> Tensor:
    """The product of all elements, or along one dimension."""
    dim = check_one_dim("prod", axis if dim is None else dim, input._array.ndim)
    return rules.Prod.apply(input, dim=dim, keepdim=keepdim)


class MaxResult(NamedTuple):
    """What `max(dim)` returns."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        name = type(self).__name__[:3].lower()
        return f"torch.return_types.{name}(\nvalues={self.values!r},\nindices={self.indices!r})"


class MinResult(MaxResult):
    """What `min(dim)` returns."""


def extremes(name: str, text: str, operation: Any, search: Any, result: Any) -> Callable[..., Any]:
    """`max` or `min`."""

    def function(input: Tensor, dim: Any = None, keepdim: bool = False, *, axis: Any = None) -> Any:
        if isinstance(dim, Tensor):
            return getattr(input, f"{name}imum")(dim)
        dim = axis if dim is None else dim
        return operation.apply(input) if dim is None else extreme(input, search, dim, keepdim, name, result)

    text = f"The {text} element; along `dim` a pair (values, indices); of two tensors the {text[:-3]}er elements."
    return called(name, text, function)


def extreme(x: Tensor, search: Any, dim: int, keepdim: bool, name: str, result: Any) -> Any:
    """Values and places of the extremes along a dimension."""
    places = found(search, x, check_one_dim(name, dim, x._array.ndim), name, dim, keepdims=True)
    values = rules.Pick.apply(x, places, dim=dim, keepdim=keepdim, named=name.capitalize())
    return result(values, wrap(places if keepdim or not x._array.ndim else places.squeeze(dim)))


def found(search: Any, x: Tensor, axis: Any, name: str, dim: Any, keepdims: bool) -> Any:
    """The places of extremes along an axis; IndexError of no elements."""
    try:
        return search(x._array, axis=axis if x._array.ndim else None, keepdims=keepdims)
    except ValueError:
        raise no_element(name, dim) from None


max = extremes("max", "largest", rules.Max, np.argmax, MaxResult)  # noqa: A001 - torch's names
min = extremes("min", "smallest", rules.Min, np.argmin, MinResult)  # noqa: A001


def along(name: str, operation: Any, text: str) -> Callable[..., Tensor]:
    """`amax` or `amin`."""

    def function(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        return operation.apply(input, dim=dim or None if isinstance(dim, tuple | list) else dim, keepdim=keepdim)

    return called(name, f"The {text} element along `dim`; ties share the gradient.", function)


def place(search: Any, text: str) -> Callable[..., Tensor]:
    """`argmax` or `argmin`."""
    name = search.__name__

    def function(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        return wrap(found(search, input, check_one_dim(name, dim, input._array.ndim), name, dim, keepdim))

    text = f"The place of the {text} element, in the flattened tensor or along `dim`; the first on a tie."
    return called(name, text, function)


amax, amin = along("amax", rules.Amax, "largest"), along("amin", rules.Amin, "smallest")
argmax, argmin = place(np.argmax, "largest"), place(np.argmin, "smallest")


def cumsum(input: Tensor, dim: int | None = None, *, axis: int | None = None) -> Tensor:
    """The running sum along `dim`."""
    return rules.Cumsum.apply(input, dim=check_one_dim("cumsum", axis if dim is None else dim, input._array.ndim))


def normalised(name: str, operation: Any, text: str) -> Callable[..., Tensor]:
    """`softmax` or its logarithm."""

    def function(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
        input = input if dtype is None else input.to(dtype)
        dim = check_one_dim(name, dim, input._array.ndim)
        check_float(input._array, f"{name}_lastdim_kernel_impl")
        return operation.apply(input, dim=dim)

    return called(name, f"{text} along `dim`.", function)


softmax = normalised("softmax", rules.Softmax, "exp(input) / sum(exp(input))")
log_softmax = normalised("log_softmax", rules.LogSoftmax, "log(softmax(input)), stable,")


def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """log(sum(exp(input))) along `dim`, stable."""
    return rules.Logsumexp.apply(
        input if input.is_floating_point() else input.to(dtypes.default), dim=dim, keepdim=keepdim
    )


def every(ufunc: Any, text: str) -> Callable[..., Tensor]:
    """`all` or `any`."""

    def function(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        return wrap(ufunc(input._array, axis=check_dim(dim, input._array.ndim), keepdims=keepdim))

    return called(ufunc.__name__, f"True where {text}.", function)


all, any = every(np.all, "all elements are true"), every(np.any, "an element is true")  # noqa: A001


give(Tensor, sum=sum, mean=mean, var=var, std=std, prod=prod, max=max, min=min, amax=amax, amin=amin, argmax=argmax)
give(Tensor, argmin=argmin, cumsum=cumsum, all=all, any=any, softmax=softmax, log_softmax=log_softmax)
give(Tensor, logsumexp=logsumexp)
__all__ = [
    "all", "amax", "amin", "any", "argmax", "argmin", "cumsum", "log_softmax", "logsumexp", "max", "mean", "min",
    "prod", "softmax", "std", "sum", "var",
]  # fmt: skip
