"""Functions of one element, and of two: exp … where."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.tensor import Tensor
from ..rules.both import raw
from ..rules.elementwise import (
    Abs,
    Clamp,
    Clone,
    Cos,
    Exp,
    Log,
    Maximum,
    Minimum,
    Relu,
    Sigmoid,
    Sign,
    Sin,
    Sqrt,
    Tanh,
    ToCopy,
    Where,
)
from . import dtypes
from .device import check
from .device import device as Device
from .give import give


def exp(input: Tensor) -> Tensor:
    """e to the input."""
    return Exp.apply(input)


def log(input: Tensor) -> Tensor:
    """Natural logarithm."""
    return Log.apply(input)


def sqrt(input: Tensor) -> Tensor:
    """Square root."""
    return Sqrt.apply(input)


def abs(input: Tensor) -> Tensor:  # noqa: A001 - torch's name
    """|input|."""
    return Abs.apply(input)


def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1."""
    return Sign.apply(input)


def sin(input: Tensor) -> Tensor:
    """Sine."""
    return Sin.apply(input)


def cos(input: Tensor) -> Tensor:
    """Cosine."""
    return Cos.apply(input)


def tanh(input: Tensor) -> Tensor:
    """Hyperbolic tangent."""
    return Tanh.apply(input)


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input))."""
    if input._array.dtype.kind == "b":
        input = input.float()
    return Sigmoid.apply(input)


def relu(input: Tensor) -> Tensor:
    """max(input, 0)."""
    return Relu.apply(input)


def square(input: Tensor) -> Tensor:
    """input ** 2."""
    return input**2


def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:  # noqa: A002 - torch's names
    """input limited to [min, max], numbers or tensors; RuntimeError when both are None."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    return Clamp.apply(input, min, max)


def maximum(input: Tensor, other: Tensor) -> Tensor:
    """The larger of input and other, elementwise."""
    return Maximum.apply(input, other)


def minimum(input: Tensor, other: Tensor) -> Tensor:
    """The smaller of input and other, elementwise."""
    return Minimum.apply(input, other)


def where(condition: Tensor, input: Any, other: Any) -> Tensor:
    """input where the condition holds, other elsewhere."""
    if raw(condition).dtype != np.bool_:
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {dtypes.word(condition)}"
        )
    return Where.apply(raw(condition), input, other)


def clone(input: Tensor) -> Tensor:
    """A copy, recorded: gradients flow through it."""
    return Clone.apply(input)


give(Tensor, exp=exp, log=log, sqrt=sqrt, abs=abs, sin=sin, cos=cos, sign=sign)
give(Tensor, tanh=tanh, sigmoid=sigmoid, relu=relu, clamp=clamp, square=square)
give(Tensor, maximum=maximum, minimum=minimum, clone=clone)
give(Tensor, where=lambda x, condition, y: where(condition, x, y))
give(Tensor, __abs__=abs)


def to(
    x: Tensor, *target: Any, dtype: Any = None, device: Any = None, non_blocking: bool = False, copy: bool = False
) -> Tensor:
    """x in another dtype: recorded, and the gradient comes back in x's dtype. The same tensor when nothing changes.

    Args:
        x: a tensor.
        target: a dtype, a tensor that has it, or "cpu", or the device and then the dtype; then non_blocking and copy.
        dtype: the dtype by name.
        device: "cpu", the only one.
        non_blocking: changes nothing here.
        copy: make a new tensor in any case.
    """
    flags = [item for item in target if isinstance(item, bool)]
    copy = copy or flags[1:] == [True]
    for item in target[: len(target) - len(flags)]:
        if isinstance(item, str | Device):
            device = item
        elif dtype is not None:
            raise TypeError(f"to() takes one dtype, not {dtype} and {item}")
        else:
            dtype = item.dtype if isinstance(item, Tensor) else item
    check(device)
    wanted = x._array.dtype if dtype is None else dtypes.to_numpy(dtype)
    return x if wanted == x._array.dtype and not copy else ToCopy.apply(x, dtype=wanted)


give(Tensor, to=to)
give(Tensor, float=lambda x: to(x, dtypes.float32))
give(Tensor, double=lambda x: to(x, dtypes.float64))
give(Tensor, long=lambda x: to(x, dtypes.int64), int=lambda x: to(x, dtypes.int32))
give(Tensor, bool=lambda x: to(x, dtypes.bool_))
give(Tensor, type_as=lambda x, other: to(x, other.dtype))
__all__ = [
    "abs", "clamp", "clone", "cos", "exp", "log", "maximum", "minimum", "relu", "sigmoid", "sign", "sin", "sqrt", "square",  # noqa: E501
    "tanh", "where",
]  # fmt: skip
