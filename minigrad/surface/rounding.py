"""Whole numbers: floor … trunc, `//` and `%`; and what is no number."""

from typing import Any

import numpy as np

from ..core.tensor import Tensor, wrap
from ..rules.both import raw
from ..rules.elementwise import Remainder, Round
from . import dtypes
from .arithmetic import is_number
from .give import formula, give


def whole(input: Tensor, ufunc: Any, named: str, variant: int = 0) -> Tensor:
    """The elements rounded by a function of NumPy's; their gradient is 0, and integers stay what they are."""
    if input._array.dtype.kind != "f":
        return input.clone().detach()
    return Round.apply(input, ufunc=ufunc, named=named, variant=variant)


floor = formula("floor", "The whole numbers below.", lambda input: whole(input, np.floor, "Floor"))
ceil = formula("ceil", "The whole numbers above.", lambda input: whole(input, np.ceil, "Ceil"))
trunc = formula("trunc", "The whole numbers towards 0.", lambda input: whole(input, np.trunc, "Trunc"))


def round(input: Tensor, *, decimals: int = 0) -> Tensor:  # noqa: A001 - torch's name
    """The nearest integers, halves to the even one; or the nearest with so many decimals."""
    if decimals:
        return Round.apply(input, ufunc=lambda x: np.round(x, decimals), named="Round", variant=1)
    return whole(input, np.rint, "Round")


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


isnan = formula("isnan", "True where an element is no number.", lambda input: wrap(np.isnan(input._array)))
isinf = formula("isinf", "True where an element is ±inf.", lambda input: wrap(np.isinf(input._array)))
isfinite = formula("isfinite", "True where an element is a number.", lambda input: wrap(np.isfinite(input._array)))
logical_not = formula("logical_not", "True where an element is 0.", lambda input: wrap(np.logical_not(input._array)))


def operator(function: Any) -> Any:
    """The operator of a function; for what is no number Python finds the words."""
    return lambda x, y: function(x, y) if is_number(x) and is_number(y) else NotImplemented


give(Tensor, __floordiv__=operator(floor_divide), __rfloordiv__=operator(lambda x, y: floor_divide(y, x)))
give(Tensor, __mod__=operator(remainder), __rmod__=operator(lambda x, y: remainder(y, x)))
give(Tensor, round=round, floor_divide=floor_divide, remainder=remainder)

__all__ = [
    "ceil", "floor", "floor_divide", "isfinite", "isinf", "isnan", "logical_not", "remainder", "round", "trunc",
]  # fmt: skip
