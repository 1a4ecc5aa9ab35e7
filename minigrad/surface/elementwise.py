"""Functions of one element, and of two: exp … where."""

from typing import Any

import numpy as np

from ..core.tensor import Tensor
from ..rules import elementwise as rules
from ..rules.both import raw
from . import dtypes
from .device import check
from .device import device as Device
from .give import formula, give

# Each function looks its operation up when it is called: a class can be replaced.
exp = formula("exp", "e to the input.", lambda input: rules.Exp.apply(input))
log = formula("log", "Natural logarithm.", lambda input: rules.Log.apply(input))
sqrt = formula("sqrt", "Square root.", lambda input: rules.Sqrt.apply(input))
abs = formula("abs", "|input|.", lambda input: rules.Abs.apply(input))  # noqa: A001 - torch's name
sign = formula("sign", "-1, 0 or 1.", lambda input: rules.Sign.apply(input))
sin = formula("sin", "Sine.", lambda input: rules.Sin.apply(input))
cos = formula("cos", "Cosine.", lambda input: rules.Cos.apply(input))
tanh = formula("tanh", "Hyperbolic tangent.", lambda input: rules.Tanh.apply(input))
relu = formula("relu", "max(input, 0).", lambda input: rules.Relu.apply(input))
square = formula("square", "input ** 2.", lambda input: input**2)
clone = formula("clone", "A copy, recorded: gradients flow through it.", lambda input: rules.Clone.apply(input))
maximum = formula("maximum", "The larger, elementwise.", lambda input, other: rules.Maximum.apply(input, other))
minimum = formula("minimum", "The smaller, elementwise.", lambda input, other: rules.Minimum.apply(input, other))


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input))."""
    return rules.Sigmoid.apply(input.float() if input._array.dtype.kind == "b" else input)


def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:  # noqa: A002 - torch's names
    """input limited to [min, max], numbers or tensors; RuntimeError when both are None."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    return rules.Clamp.apply(input, min, max)


def where(condition: Tensor, input: Any, other: Any) -> Tensor:
    """input where the condition holds, other elsewhere."""
    if raw(condition).dtype != np.bool_:
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {dtypes.word(condition)}"
        )
    return rules.Where.apply(raw(condition), input, other)


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
    return x if wanted == x._array.dtype and not copy else rules.ToCopy.apply(x, dtype=wanted)


give(Tensor, sigmoid=sigmoid, clamp=clamp, where=lambda x, condition, y: where(condition, x, y), __abs__=abs, to=to)
give(Tensor, float=lambda x: to(x, dtypes.float32), double=lambda x: to(x, dtypes.float64))
give(Tensor, long=lambda x: to(x, dtypes.int64), int=lambda x: to(x, dtypes.int32), bool=lambda x: to(x, dtypes.bool_))
give(Tensor, type_as=lambda x, other: to(x, other.dtype))
__all__ = [
    "abs", "clamp", "clone", "cos", "exp", "log", "maximum", "minimum", "relu", "sigmoid", "sign", "sin", "sqrt", "square",  # noqa: E501
    "tanh", "where",
]  # fmt: skip
