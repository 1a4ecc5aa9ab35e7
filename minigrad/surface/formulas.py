"""Functions that are a formula of others: log2 … norm."""

import math
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from ..rules.activation import Erf
from ..rules.elementwise import Atan, Expm1, Log1p
from .arithmetic import div
from .dtypes import word
from .elementwise import clamp, exp, log
from .give import formula, give
from .rounding import quotient

log2 = formula("log2", "The logarithm to base 2.", lambda input: log(input) / math.log(2))
log10 = formula("log10", "The logarithm to base 10.", lambda input: log(input) / math.log(10))
log1p = formula("log1p", "log(1 + input), exact for small numbers.", lambda input: Log1p.apply(input))
expm1 = formula("expm1", "exp(input) - 1, exact for small numbers.", lambda input: Expm1.apply(input))
rsqrt = formula("rsqrt", "1 / √input.", lambda input: input**-0.5)
tan = formula("tan", "Tangent.", lambda input: input.sin() / input.cos())
atan = formula("atan", "The angle of a tangent.", lambda input: Atan.apply(input))
sinh = formula("sinh", "(exp(x) - exp(-x)) / 2.", lambda input: (exp(input) - exp(-input)) / 2)
cosh = formula("cosh", "(exp(x) + exp(-x)) / 2.", lambda input: (exp(input) + exp(-input)) / 2)
erf = formula("erf", "The error function.", lambda input: Erf.apply(input))
clip = formula("clip", "`clamp`.", lambda input, min=None, max=None: clamp(input, min, max))
lerp = formula("lerp", "The way from input to end.", lambda input, end, weight: input + weight * (end - input))


def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    """input + value * tensor1 * tensor2."""
    return input + value * tensor1 * tensor2


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    """input + value * tensor1 / tensor2."""
    return input + value * (tensor1 / tensor2)


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta * input + alpha * mat1 @ mat2."""
    return beta * input + alpha * (mat1 @ mat2)


def divide(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """input / other; as a whole number with "floor" or "trunc"."""
    return div(input, other) if rounding_mode is None else quotient(input, other, rounding_mode=rounding_mode)


def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False) -> Tensor:
    """(Σ|x|^p)^(1/p) of all elements, or along `dim`: p = 2 unless told otherwise, a number or ±inf."""
    p = 2.0 if p in (None, "fro") else float(p)
    if input._array.dtype.kind != "f":
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {word(input)}"
        )
    if p == 0:
        return (input * 0).masked_fill(input != 0, 1.0).sum(dim, keepdim=keepdim)
    if math.isinf(p):
        size = input.abs()
        every = tuple(range(input.ndim)) if dim is None else dim
        return size.amax(every, keepdim) if p > 0 else size.amin(every, keepdim)
    if p == 1:
        return input.abs().sum(dim, keepdim=keepdim)
    if p == 2:
        return root((input * input).sum(dim, keepdim=keepdim))
    return input.abs().pow(p).sum(dim, keepdim=keepdim) ** (1 / p)


def root(x: Tensor) -> Tensor:
    """√x, whose gradient at 0 is 0 and not infinite: so torch has it for a norm."""
    zero = x == 0
    if not np.any(zero._array):
        return x.sqrt()
    return x.masked_fill(zero, 1.0).sqrt().masked_fill(zero, 0.0)


def nan_to_num(input: Tensor, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
    """The elements, numbers in place of nan and ±inf: 0 and the largest there are."""
    limits = np.finfo(input._array.dtype)
    posinf, neginf = limits.max if posinf is None else posinf, limits.min if neginf is None else neginf
    input = input.masked_fill(input != input, nan)
    return input.masked_fill(input == math.inf, float(posinf)).masked_fill(input == -math.inf, float(neginf))


give(Tensor, addcdiv=addcdiv, addcmul=addcmul, addmm=addmm, nan_to_num=nan_to_num, norm=norm, arctan=atan)
give(Tensor, div=divide, divide=divide, multiply=Tensor.mul, subtract=Tensor.sub, absolute=Tensor.abs)
give(Tensor, negative=Tensor.neg, clamp_min=lambda x, min: clamp(x, min), clamp_max=lambda x, max: clamp(x, None, max))

__all__ = [
    "addcdiv", "addcmul", "addmm", "atan", "clip", "cosh", "erf", "expm1", "lerp", "log10", "log1p", "log2",
    "nan_to_num", "norm", "rsqrt", "sinh", "tan",
]  # fmt: skip
