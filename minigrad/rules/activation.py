"""Activations beyond tanh, sigmoid and relu, and the normalisation of a layer."""

import math
from typing import Any

import numpy as np

from ..core.function import Function
from ..core.tensor import Tensor
from . import both
from .both import raw
from .elementwise import of_one


class Softplus(Function):
    """log(1 + exp(beta x)) / beta, and x itself where beta x > threshold."""

    promotes = True

    def forward(self, x, *, beta=1.0, threshold=20.0):
        self.beta, self.threshold = beta, threshold
        bent = np.logaddexp(0, x * beta).astype(x.dtype, copy=False) / beta
        return np.where(x * beta > threshold, x, bent)

    def backward_x(self, grad, x):
        return both.where(raw(x) * self.beta > self.threshold, grad, grad * both.sigmoid(x * self.beta))


class LeakyRelu(Function):
    """x, or slope times x below 0."""

    def forward(self, x, *, slope=0.01):
        self.slope = slope
        return np.where(x > 0, x, x * slope)

    def backward_x(self, grad, x):
        return both.where(raw(x) > 0, grad, grad * self.slope)


class Silu(Function):
    """x σ(x)."""

    def forward(self, x):
        return x * both.sigmoid(x)

    def backward_x(self, grad, x):
        s = both.sigmoid(x)
        return grad * (s * (1 + x * (1 - s)))


class Gelu(Function):
    """x Φ(x), with Φ the normal distribution's cumulative function."""

    def forward(self, x):
        if x.dtype == np.float32 and x.ndim:
            return by_blocks(x, lambda y, out: np.multiply(single_cdf(y), y, out=out))
        return x * normal_cdf(x)

    def backward_x(self, grad, x):
        density = both.exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))
        return grad * (normal_cdf(x) + x * density)


class GeluTanh(Function):
    """The approximation x/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))."""

    def forward(self, x):
        return 0.5 * x * (1 + np.tanh(self.inner(x)))

    def inner(self, x):
        """The argument of tanh."""
        return math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))

    def backward_x(self, grad, x):
        t = both.tanh(self.inner(x))
        slope = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * (x * x))
        return grad * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope)


class Normalisation(Function):
    """What a normalisation over the last dimensions has beside its mathematics."""

    kept: Any = None  # what `normalise` returned in forward
    normalise: Any

    def forward(self, x, weight, bias, *, dims, eps=1e-5):
        self.axes, self.eps = tuple(range(-dims, 0)), eps
        self.kept = kept = self.normalise(x)
        if not (isinstance(kept, tuple | list) and len(kept) == 2):
            raise TypeError("normalise has to return two arrays: the normalised x, and 1 / √(var + eps)")
        return kept[0] * weight + bias

    def mean(self, x):
        """The mean over the normalised dimensions, which stay at length 1."""
        if self.axes == (-1,):
            return both.total(x, -1) / x.shape[-1]
        return x.mean(axis=self.axes, keepdims=True)

    def normalised(self, x):
        """`normalise(x)` again: as forward kept it, or anew where x is a Tensor, in a recorded backward pass."""
        return self.normalise(x) if isinstance(x, Tensor) else self.kept

    def free(self) -> None:
        """Drop what was saved."""
        super().free()
        self.kept = None


class NativeLayerNorm(Normalisation):
    """(x - mean) / √(var + eps) over the last dimensions, times weight, plus bias."""

    def normalise(self, x):
        centred = x - self.mean(x)
        rstd = (self.mean(centred * centred) + self.eps) ** -0.5
        return centred * rstd, rstd

    def backward_x(self, grad, x, weight):
        hat, rstd = self.normalised(x)
        hat_grad = grad * weight
        return rstd * (hat_grad - self.mean(hat_grad) - hat * self.mean(hat_grad * hat))

    def backward_weight(self, grad, x):
        hat, _ = self.normalised(x)
        return grad * hat

    def backward_bias(self, grad):
        return grad


def normal_cdf(x: Any) -> Any:
    """Φ(x) = (1 + erf(x/√2)) / 2, of an array or a Tensor."""
    if isinstance(x, np.ndarray) and x.dtype == np.float32:
        return by_blocks(x, lambda y, out: np.copyto(out, single_cdf(y)))
    x = x * math.sqrt(0.5)
    return (1 + (Erf.apply(x) if isinstance(x, Tensor) else erf(x))) * 0.5


# Cody's rational approximations (Math. Comp. 23, 1969): |x| <= 0.46875, up to 4, and beyond.
_A = (1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2, 3.20937758913846947e3)
_B = (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3)
_C = (2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1, 2.98635138197400131e2,
      8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3)  # fmt: skip
_D = (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
      3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3)  # fmt: skip
_P = (1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
      1.60837851487422766e-2, 6.58749161529837803e-4)  # fmt: skip
_Q = (1.0, 2.56852019228982242, 1.87295284992346725, 5.27905102951428412e-1, 6.05183413124413191e-2,
      2.33520497626869185e-3)  # fmt: skip


# x P(x²) / Q(x²) for float32, where x is no larger than LIMIT: beyond, erf is 1. A least-squares fit of relative
# errors, the largest of which is 5e-8.
LIMIT, BLOCK = np.float32(3.92), 2**16
SINGLE_P = np.array([1.99243707e-08, -1.95784626e-06, 0.000141851185, 0.00370162275, 0.0505733561, 0.199924695,
                     1.12837911], np.float32)  # fmt: skip
SINGLE_Q = np.array([0.000956043677, 0.0143532245, 0.114998489, 0.510510302, 1.0], np.float32)
# The same for erf(x/√2) / 2.
HALF_P = SINGLE_P * np.float32(0.5) ** (np.arange(6, -1, -1, dtype=np.float32) + 1.5)
HALF_Q = SINGLE_Q * np.float32(0.5) ** np.arange(4, -1, -1, dtype=np.float32)


def by_blocks(x: np.ndarray, compute: Any) -> np.ndarray:
    """`compute(block, out)` for all of x: what stays in the cache is read five times faster."""
    out, flat = np.empty(x.size, x.dtype), x.reshape(-1)
    for start in range(0, x.size, BLOCK):
        compute(flat[start : start + BLOCK], out[start : start + BLOCK])
    return out.reshape(x.shape)


def ratio(p: np.ndarray, q: np.ndarray, x: np.ndarray, limit: Any) -> np.ndarray:
    """x P(x²) / Q(x²), with x no larger than the limit."""
    x = np.clip(x, -limit, limit)
    square = x * x
    out = horner(p, square)
    out *= x
    out /= horner(q, square)
    return out


def single_cdf(x: np.ndarray) -> np.ndarray:
    """Φ of a block of float32."""
    out = ratio(HALF_P, HALF_Q, x, LIMIT * np.float32(math.sqrt(2)))
    out += np.float32(0.5)
    return np.clip(out, 0, 1, out=out)


def horner(coefficients: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The polynomial of x, the highest power's coefficient first: np.polyval in place."""
    out = coefficients[0] * x
    for c in coefficients[1:-1]:
        out += c
        out *= x
    out += coefficients[-1]
    return out


def erf(x: Any) -> Any:
    """The error function of an array: to about 15 digits, and 6 for float32."""
    if x.dtype == np.float32:
        found = by_blocks(x, lambda y, out: np.clip(ratio(SINGLE_P, SINGLE_Q, y, LIMIT), -1, 1, out=out))
        return found if x.ndim else found[()]
    y = np.abs(x).astype(np.float64)
    square = y * y
    small = y * np.polyval(_A, square) / np.polyval(_B, square)
    middle = 1 - np.exp(-square) * np.polyval(_C, y) / np.polyval(_D, y)
    inverse = 1 / np.maximum(square, 1)
    tail = inverse * np.polyval(_P, inverse) / np.polyval(_Q, inverse)
    large = 1 - np.exp(-square) / np.maximum(y, 1) * (1 / math.sqrt(math.pi) - tail)
    out = np.sign(x) * np.where(y <= 0.46875, small, np.where(y <= 4, middle, np.where(y < 6, large, 1.0)))
    return out.astype(x.dtype)


Erf = of_one("Erf", erf, lambda self, grad, x: grad * (2 / math.sqrt(math.pi)) * both.exp(-(x * x)))
