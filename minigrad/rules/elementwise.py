"""Functions of one element, and of two: exp … where."""

from typing import Any

import numpy as np

from ..core.function import Function, Rules
from . import both
from .both import raw, step


def of_one(name: str, ufunc: Any, rule: Any) -> Any:
    """An operation of one element from its formulas: a function of NumPy's, and the vector-Jacobian product."""

    def forward(self, x):
        return ufunc(x)

    forward.__qualname__, rule.__qualname__ = f"{name}.forward", f"{name}.backward_x"
    members = {"forward": forward, "backward_x": rule, "promotes": True, "__module__": __name__}
    return Rules(name, (Function,), members)


Exp = of_one("Exp", np.exp, lambda self, grad, out: grad * out)
Log = of_one("Log", np.log, lambda self, grad, x: grad / x)
Sqrt = of_one("Sqrt", np.sqrt, lambda self, grad, out: grad / (2 * out))
Abs = of_one("Abs", np.abs, lambda self, grad, x: grad * both.sign(x))  # 0 at 0
Sign = of_one("Sign", np.sign, lambda self, grad: both.zeros_like(grad))
Reciprocal = of_one("Reciprocal", lambda x: 1 / x, lambda self, grad, out: grad * -(out * out))
Sin = of_one("Sin", np.sin, lambda self, grad, x: grad * both.cos(x))
Cos = of_one("Cos", np.cos, lambda self, grad, x: -grad * both.sin(x))
Tanh = of_one("Tanh", np.tanh, lambda self, grad, out: grad * (1 - out * out))
Log1p = of_one("Log1p", np.log1p, lambda self, grad, x: grad / (x + 1))
Expm1 = of_one("Expm1", np.expm1, lambda self, grad, out: grad * (out + 1))
Atan = of_one("Atan", np.arctan, lambda self, grad, x: grad / (x * x + 1))


class Sigmoid(Function):
    """1 / (1 + exp(-x)): where exp overflows, 1/∞ = 0 is right."""

    promotes = True

    def forward(self, x):
        return 1 / (1 + np.exp(-x))

    def backward_x(self, grad, out):
        return grad * (1 - out) * out


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

    choose: Any = np.maximum
    beats: Any = np.greater

    def forward(self, x, y):
        return self.choose(x, y)

    def backward_x(self, grad, x, y):
        return grad * share(self.beats, x, y, grad)

    def backward_y(self, grad, x, y):
        return grad * share(self.beats, y, x, grad)


class Minimum(Maximum):
    """The smaller of x and y: on a tie each gets half."""

    choose, beats = np.minimum, np.less


def share(beats: Any, x: Any, y: Any, grad: Any) -> Any:
    """1 where x beats y, a half on a tie, else 0: compared, as in torch, in the result's dtype."""
    dtype = raw(grad).dtype
    x, y = (np.asarray(raw(operand), dtype=dtype) for operand in (x, y))
    return np.where(x == y, 0.5, beats(x, y)).astype(dtype)


class Where(Function):
    """x where the condition holds, y elsewhere."""

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
