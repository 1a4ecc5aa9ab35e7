"""`+ - * / **`, with a tensor or a number on either side."""

from typing import Any

from ..core.function import Function
from . import both


class Add(Function):
    """x + y."""

    def forward(self, x, y):
        return x + y

    def backward_x(self, grad):
        return grad

    def backward_y(self, grad):
        return grad


class Sub(Function):
    """x - y."""

    def forward(self, x, y):
        return x - y

    def backward_x(self, grad):
        return grad

    def backward_y(self, grad):
        return -grad


class Mul(Function):
    """x * y: each input's gradient is the other input times what arrives from above."""

    def forward(self, x, y):
        return x * y

    def backward_x(self, grad, y):
        return grad * y

    def backward_y(self, grad, x):
        return grad * x


class Div(Function):
    """x / y."""

    def forward(self, x, y):
        return x / y

    def backward_x(self, grad, y):
        return grad / y

    def backward_y(self, grad, x, y):
        return -grad * (x / y / y)


class Rsub(Function):
    """y - x, for a number y."""

    def forward(self, x, y):
        return y - x

    def backward_x(self, grad):
        return -grad


class Neg(Function):
    """-x."""

    def forward(self, x):
        return -x

    def backward_x(self, grad):
        return -grad


class Pow(Function):
    """x ** n, for a number n."""

    def forward(self, x, n):
        return x**n

    def backward_x(self, grad, x, n):
        return grad * (n * x ** (n - 1))


class PowZero(Function):
    """x ** 0, whose gradient is 0 everywhere, and not 0 * x**-1, which is NaN at 0."""

    def forward(self, x, n):
        return x**n

    def backward_x(self, grad, n):
        return both.zeros_like(grad)


class PowTensor(Function):
    """x ** y, for a tensor y: torch calls its node PowBackward1."""

    def forward(self, x, y):
        return raised(x, y)

    def backward_x(self, grad, x, y):
        return grad * both.where(both.raw(y) == 0, 0.0, y * x ** (y - 1))

    def backward_y(self, grad, x, y, out):
        zero_base = (both.raw(x) == 0) & (both.raw(y) >= 0)  # the limit of 0**y * log(0)
        return grad * both.where(zero_base, 0.0, out * both.log(x))


class PowNumber(Function):
    """n ** x, for a number n: torch calls its node PowBackward2."""

    def forward(self, x, n):
        return raised(n, x)

    def backward_x(self, grad, x, n, out):
        zero_base = (n == 0) & (both.raw(x) >= 0)  # the limit of 0**x * log(0)
        return grad * both.where(zero_base, 0.0, out * both.log(n))


def raised(x: Any, n: Any) -> Any:
    """x ** n; where n is negative, integers become 0, and 1 and -1 themselves or 1, as in torch: NumPy refuses."""
    try:
        return x**n
    except ValueError:
        return x ** abs(n) * ((n >= 0) | (abs(x) == 1))
