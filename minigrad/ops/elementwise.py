"""Functions of one element, and of two: exp … where."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes
from ..function import Function
from ..tensor import Tensor
from . import both
from .both import raw, step


class Exp(Function):
    """e to the x: its own derivative, so the rule needs the result."""

    promotes = True

    def forward(self, x):
        return np.exp(x)

    def backward_x(self, grad, out):
        return grad * out


class Log(Function):
    """Natural logarithm."""

    promotes = True

    def forward(self, x):
        return np.log(x)

    def backward_x(self, grad, x):
        return grad / x


class Sqrt(Function):
    """Square root."""

    promotes = True

    def forward(self, x):
        return np.sqrt(x)

    def backward_x(self, grad, out):
        return grad / (2 * out)


class Abs(Function):
    """|x|, with gradient 0 at 0."""

    def forward(self, x):
        return np.abs(x)

    def backward_x(self, grad, x):
        return grad * both.sign(x)


class Sign(Function):
    """-1, 0 or 1: flat, so the gradient is 0."""

    def forward(self, x):
        return np.sign(x)

    def backward_x(self, grad):
        return both.zeros_like(grad)


class Sin(Function):
    """Sine."""

    promotes = True

    def forward(self, x):
        return np.sin(x)

    def backward_x(self, grad, x):
        return grad * both.cos(x)


class Cos(Function):
    """Cosine."""

    promotes = True

    def forward(self, x):
        return np.cos(x)

    def backward_x(self, grad, x):
        return -grad * both.sin(x)


class Tanh(Function):
    """Hyperbolic tangent: the derivative is 1 - tanh², of the result."""

    promotes = True

    def forward(self, x):
        return np.tanh(x)

    def backward_x(self, grad, out):
        return grad * (1 - out * out)


class Sigmoid(Function):
    """1 / (1 + exp(-x)): where exp overflows, 1/∞ = 0 is right."""

    promotes = True

    def forward(self, x):
        return 1 / (1 + np.exp(-x))

    def backward_x(self, grad, out):
        return grad * (1 - out) * out


class Relu(Function):
    """max(x, 0), with gradient 0 at 0."""

    def forward(self, x):
        return np.maximum(x, 0)

    def backward_x(self, grad, out):
        return grad * step(out)


class Clamp(Function):
    """x limited to [low, high]: the gradient passes where x is inside, the limits included."""

    promotes = True

    def forward(self, x, low, high):
        self.between_tensors = hasattr(low, "shape") or hasattr(high, "shape")
        x = x if low is None else np.maximum(x, low)
        return x if high is None else np.minimum(x, high)

    def backward_x(self, grad, x, low, high):
        x, low, high = raw(x), raw(low), raw(high)
        inside = (x >= (-np.inf if low is None else low)) & (x <= (np.inf if high is None else high))
        return grad * inside

    def backward_low(self, grad, x, low, high):
        x, low, high = raw(x), raw(low), raw(high)
        return grad * ((x < low) & (low < (np.inf if high is None else high)))

    def backward_high(self, grad, x, low, high):
        x, low, high = raw(x), raw(low), raw(high)
        return grad * ((x > high) | ((-np.inf if low is None else low) > high))

    def name(self) -> str:
        """torch's name: between tensors, or between numbers."""
        return "ClampBackward0" if self.between_tensors else "ClampBackward1"


class Maximum(Function):
    """The larger of x and y: on a tie each gets half."""

    promotes = True

    def forward(self, x, y):
        return np.maximum(x, y)

    def backward_x(self, grad, x, y):
        return grad * share(np.greater, x, y, grad)

    def backward_y(self, grad, x, y):
        return grad * share(np.greater, y, x, grad)


class Minimum(Function):
    """The smaller of x and y: on a tie each gets half."""

    promotes = True

    def forward(self, x, y):
        return np.minimum(x, y)

    def backward_x(self, grad, x, y):
        return grad * share(np.less, x, y, grad)

    def backward_y(self, grad, x, y):
        return grad * share(np.less, y, x, grad)


def share(beats: Any, x: Any, y: Any, grad: Any) -> Any:
    """1 where x beats y, a half on a tie, else 0: compared, as in torch, in the result's dtype."""
    dtype = raw(grad).dtype
    x, y = (np.asarray(raw(operand), dtype=dtype) for operand in (x, y))
    return np.where(x == y, 0.5, beats(x, y)).astype(dtype)


class Where(Function):
    """x where the condition holds, y elsewhere."""

    promotes = True

    def forward(self, condition, x, y):
        return np.where(condition, x, y)

    def backward_x(self, grad, condition):
        return both.where(condition, grad, 0.0)

    def backward_y(self, grad, condition):
        return both.where(condition, 0.0, grad)


class Clone(Function):
    """A copy: the gradient passes."""

    def forward(self, x):
        return x.copy() if isinstance(x, np.ndarray) else x

    def backward_x(self, grad):
        return grad


class ToCopy(Function):
    """A copy in another dtype: the gradient comes back in the input's."""

    def forward(self, x, *, dtype):
        self.dtypes = (x.dtype,)
        return x.astype(dtype)

    def backward_x(self, grad):
        return grad


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


Tensor.exp, Tensor.log, Tensor.sqrt, Tensor.abs, Tensor.sin, Tensor.cos, Tensor.sign = (
    exp,
    log,
    sqrt,
    abs,
    sin,
    cos,
    sign,
)
Tensor.tanh, Tensor.sigmoid, Tensor.relu, Tensor.clamp, Tensor.square = tanh, sigmoid, relu, clamp, square
Tensor.maximum, Tensor.minimum, Tensor.clone = maximum, minimum, clone
Tensor.where = lambda x, condition, y: where(condition, x, y)
Tensor.__abs__ = abs


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
        if isinstance(item, str):
            device = item
        elif dtype is not None:
            raise TypeError(f"to() takes one dtype, not {dtype} and {item}")
        else:
            dtype = item.dtype if isinstance(item, Tensor) else item
    if device not in (None, "cpu"):
        raise RuntimeError(f"minigrad computes on the CPU: leave .to({device!r}) away, or write .to('cpu')")
    wanted = x._array.dtype if dtype is None else dtypes.to_numpy(dtype)
    return x if wanted == x._array.dtype and not copy else ToCopy.apply(x, dtype=wanted)


Tensor.to = to
Tensor.float = lambda x: to(x, dtypes.float32)
Tensor.double = lambda x: to(x, dtypes.float64)
Tensor.long = Tensor.int = lambda x: to(x, dtypes.int64)
Tensor.bool = lambda x: to(x, dtypes.bool_)
Tensor.type_as = lambda x, other: to(x, other.dtype)
Tensor.cpu = lambda x: x
__all__ = [
    "abs", "clamp", "clone", "cos", "exp", "log", "maximum", "minimum", "relu", "sigmoid", "sign", "sin", "sqrt", "square",  # noqa: E501
    "tanh", "where",
]  # fmt: skip
