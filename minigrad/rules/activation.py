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
            return by_blocks(x, single_gelu)
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
        return by_blocks(x, single_cdf)
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


# x P(x²) / Q(x²) for float32, Q's first coefficient 1: erf, by a least-squares fit of relative errors, the largest of
# which is 5e-8, and Φ - 1/2, of absolute errors, up to 6e-8. Where x is larger than the limit, they are 1 and 1/2.
BLOCK = 2**16
ERF = (
    np.array([2.08404398e-05, -0.00204786278, 0.148373122, 3.87181343, 52.8985833, 209.116696, 1180.25895], np.float32),
    np.array([15.0131472, 120.285811, 533.982196, 1045.97732], np.float32),
    np.float32(3.92),
)
HALF = (
    np.array([11.6370382, 626.147522, 10995.6484, 98811.2734, 794859.688], np.float32),
    np.array([224.628174, 5387.01562, 74396.7734, 579741.312, 1992419.5], np.float32),
    np.float32(5.13),  # where, in float32, it is 1/2
)


def by_blocks(x: np.ndarray, compute: Any) -> np.ndarray:
    """`compute(block, out, memory)` for all of x: what stays in the cache is read five times faster."""
    out, flat, memory = np.empty(x.size, x.dtype), x.reshape(-1), np.empty((3, min(x.size, BLOCK)), x.dtype)
    for start in range(0, x.size, BLOCK):
        block = flat[start : start + BLOCK]
        compute(block, out[start : start + BLOCK], memory[:, : block.size])
    return out.reshape(x.shape)


def ratio(x: np.ndarray, out: np.ndarray, memory: np.ndarray, p: np.ndarray, q: np.ndarray, limit: Any) -> None:
    """x P(x²) / Q(x²), with x no larger than the limit, into `out`."""
    x = np.clip(x, -limit, limit, out=memory[0])
    square = np.multiply(x, x, out=memory[1])
    horner(np.multiply(p[0], square, out=out), p[1:], square)
    out *= x
    below = np.add(square, q[0], out=memory[2])
    below *= square
    horner(below, q[1:], square)
    out /= below


def horner(out: np.ndarray, coefficients: np.ndarray, x: np.ndarray) -> None:
    """((out + c) x + c) x + c …, the last c added: np.polyval in place."""
    for c in coefficients[:-1]:
        out += c
        out *= x
    out += coefficients[-1]


def single_erf(x: np.ndarray, out: np.ndarray, memory: np.ndarray) -> None:
    """The error function of a block of float32."""
    ratio(x, out, memory, *ERF)


def single_cdf(x: np.ndarray, out: np.ndarray, memory: np.ndarray) -> None:
    """Φ of a block of float32."""
    ratio(x, out, memory, *HALF)
    out += np.float32(0.5)


def single_gelu(x: np.ndarray, out: np.ndarray, memory: np.ndarray) -> None:
    """x Φ(x) of a block of float32."""
    single_cdf(x, out, memory)
    out *= x


def erf(x: Any) -> Any:
    """The error function of an array: to about 15 digits, and 6 for float32."""
    if x.dtype == np.float32:
        found = np.clip(by_blocks(x, single_erf), -1, 1)
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
