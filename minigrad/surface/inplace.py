"""The methods that end in `_`, and `+=` and friends."""

from typing import Any

import numpy as np

from ..core.tensor import Tensor
from . import arithmetic, elementwise, random, shape
from .give import give
from .views import inplace

CHANGED: list[Any] = [
    *(arithmetic.add, arithmetic.sub, arithmetic.mul, arithmetic.div, arithmetic.pow, arithmetic.neg),
    *(elementwise.exp, elementwise.log, elementwise.sqrt, elementwise.abs, elementwise.sin, elementwise.cos),
    *(elementwise.tanh, elementwise.sigmoid, elementwise.relu, elementwise.clamp, shape.masked_fill),
]
DIRECT = {arithmetic.add: np.add, arithmetic.sub: np.subtract, arithmetic.mul: np.multiply, arithmetic.div: np.divide}
for operation in CHANGED:
    inplace(f"{operation.__name__}_", operation, ufunc=DIRECT.get(operation))


def augmented(method: Any) -> Any:
    """`+=` and its like by `add_` and its like; for what is no number Python finds the words."""
    return lambda x, y: method(x, y) if arithmetic.is_number(y) else NotImplemented


for name in ("add", "sub", "mul", "truediv", "pow"):
    changed = getattr(Tensor, {"truediv": "div_"}.get(name, f"{name}_"))
    give(Tensor, **{f"__i{name}__": augmented(changed)})


def normal_(x: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with normal numbers; RuntimeError for a negative standard deviation."""
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
    return x.copy_(random.randn(*x.shape, dtype=x.dtype, generator=generator) * std + mean)


def uniform_(x: Tensor, low: float = 0.0, high: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with uniform numbers in [low, high); RuntimeError when low is above high."""
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low} > to={high}")
    return x.copy_(random.rand(*x.shape, dtype=x.dtype, generator=generator) * (high - low) + low)


give(Tensor, normal_=normal_, uniform_=uniform_)
