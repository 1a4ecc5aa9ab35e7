"""Functions of one element, and of two: exp … where."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.function import Function
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


class Log1p(Function):
    """log(1 + x), exact for small x."""

    def forward(self, x):
        return np.log1p(x)

    def backward_x(self, grad, x):
        return grad / (x + 1)


class Expm1(Function):
    """exp(x) - 1, exact for small x."""

    def forward(self, x):
        return np.expm1(x)

    def backward_x(self, grad, out):
        return grad * (out + 1)


class Atan(Function):
    """The angle of a tangent."""

    def forward(self, x):
        return np.arctan(x)

    def backward_x(self, grad, x):
        return grad / (x * x + 1)


class Round(Function):
    """Rounded by a function of NumPy's: steps, whose derivative is 0; the other settings are torch's name."""

    def forward(self, x, *, ufunc, named, variant=0):
        self.named, self.variant = named, variant
        return ufunc(x)

    def backward_x(self, grad):
        return both.zeros_like(grad)


class Remainder(Function):
    """x - y floor(x / y), of the sign of y."""

    def forward(self, x, y):
        return np.remainder(x, y)

    def backward_x(self, grad):
        return grad

    def backward_y(self, grad, x, y):
        return -grad * np.floor(both.raw(x) / both.raw(y))


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

    dtypes: Any = ()  # forward says

    def forward(self, x, *, dtype):
        self.dtypes = (x.dtype,)
        return x.astype(dtype)

    def backward_x(self, grad):
        return grad
