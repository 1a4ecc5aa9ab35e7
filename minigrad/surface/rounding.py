"""Whole numbers: floor … trunc, `//` and `%`; and what is no number."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.tensor import Tensor, wrap
from ..rules.both import raw
from ..rules.elementwise import Remainder, Round
from . import dtypes
from .arithmetic import is_number
from .give import give


def rounded(name: str, ufunc: Any) -> Any:
    """A function that rounds; its gradient is 0, and integers stay what they are."""

    def function(input: Tensor) -> Tensor:
        if input._array.dtype.kind != "f":
            return input.clone().detach()
        return Round.apply(input, ufunc=ufunc, named=name.capitalize())

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The elements, rounded by `{name}`."
    return function


floor, ceil, trunc = rounded("floor", np.floor), rounded("ceil", np.ceil), rounded("trunc", np.trunc)


def round(input: Tensor, *, decimals: int = 0) -> Tensor:  # noqa: A001 - torch's name
    """The nearest integers, halves to the even one; or the nearest with so many decimals."""
    if decimals:
        return Round.apply(input, ufunc=lambda x: np.round(x, decimals), named="Round", variant=1)
    return rounded("round", np.rint)(input)


def quotient(input: Any, other: Any, *, rounding_mode: str = "floor") -> Tensor:
    """input / other as a whole number: the one below, or with "trunc" the one towards 0. It has no gradient."""
    x, y = raw(input), raw(other)
    wanted = dtypes.result_type(x, y).numpy
    if wanted.kind != "f" and not np.all(y):
        raise RuntimeError("ZeroDivisionError")
    x, y = (np.asarray(v).astype(wanted) for v in (x, y))
    if rounding_mode == "floor":
        return wrap(np.floor_divide(x, y))
    return wrap(np.trunc(np.true_divide(x, y)).astype(wanted))


def floor_divide(input: Any, other: Any) -> Tensor:
    """The whole number below input / other."""
    return quotient(input, other)


def remainder(input: Any, other: Any) -> Tensor:
    """input - other * floor(input / other), of the sign of `other`: its gradient is 1, and -floor(input / other)."""
    wanted = dtypes.result_type(raw(input), raw(other))
    if not wanted.is_floating_point and not np.all(raw(other)):
        raise RuntimeError("ZeroDivisionError")
    return Remainder.apply(input, other)


def tested(name: str, ufunc: Any) -> Any:
    """A function that asks something of every element."""

    def function(input: Tensor) -> Tensor:
        return wrap(ufunc(input._array))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{name}` of every element: a tensor of bools."
    return function


isnan, isinf, isfinite = tested("isnan", np.isnan), tested("isinf", np.isinf), tested("isfinite", np.isfinite)
logical_not = tested("logical_not", np.logical_not)


def operator(function: Any, turned: bool = False) -> Any:
    """The operator of a function; for what is no number Python finds the words."""
    if turned:
        return lambda x, y: function(y, x) if is_number(y) else NotImplemented
    return lambda x, y: function(x, y) if is_number(y) else NotImplemented


give(Tensor, __floordiv__=operator(floor_divide), __rfloordiv__=operator(floor_divide, turned=True))
give(Tensor, __mod__=operator(remainder), __rmod__=operator(remainder, turned=True))
give(Tensor, floor=floor, ceil=ceil, trunc=trunc, round=round, floor_divide=floor_divide, remainder=remainder)
give(Tensor, isnan=isnan, isinf=isinf, isfinite=isfinite, logical_not=logical_not)

__all__ = [
    "ceil", "floor", "floor_divide", "isfinite", "isinf", "isnan", "logical_not", "remainder", "round", "trunc",
]  # fmt: skip
