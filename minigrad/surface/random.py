"""Random tensors: the same numbers as torch's for the same seed.

torch draws from a Mersenne twister. Uniform numbers are its bits, scaled; normal ones come by Box and
Muller's transform, for 16 and more numbers in blocks of 16 (torch/aten: `normal_fill`).
"""

from __future__ import annotations

import functools
import os
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from . import dtypes
from .creation import leaf, shape_of


class Generator:
    """A stream of random numbers."""

    spare: float | None = None

    def __init__(self) -> None:
        self.seed = int.from_bytes(os.urandom(4))

    def manual_seed(self, seed: int) -> Generator:
        """Start anew from a seed: its lower 32 bits, as in torch."""
        self.__dict__.clear()  # the bits and a spare number, too
        self.seed = seed
        return self

    @functools.cached_property
    def bits(self) -> Any:
        """The twister, made when it is first asked: numpy.random takes long to import."""
        return np.random.RandomState(self.seed % 2**32)._bit_generator

    def words(self, count: int) -> np.ndarray:
        """32 random bits each."""
        return self.bits.random_raw(count)

    def uniform(self, count: int, dtype: np.dtype) -> np.ndarray:
        """Numbers in [0, 1): 24 random bits for float32, 53 for float64."""
        if dtype == np.float32:
            return ((self.words(count) & (2**24 - 1)).astype(np.float32) * np.float32(2**-24)).astype(np.float32)
        high, low = self.words(2 * count).reshape(-1, 2).T
        return ((high << np.uint64(32) | low) & np.uint64(2**53 - 1)).astype(np.float64) * 2.0**-53

    def normal(self, count: int, dtype: np.dtype) -> np.ndarray:
        """Numbers with mean 0 and standard deviation 1."""
        if count < 16:
            return np.array([self.one_normal() for _ in range(count)], dtype)
        out = self.uniform(count, dtype)
        whole = count - count % 16
        out[:whole] = box_muller(out[:whole])
        if count % 16:  # the last 16 are drawn again, together
            out[-16:] = box_muller(self.uniform(16, dtype))
        return out

    def one_normal(self) -> float:
        """One normal number in double precision; they come in pairs."""
        if self.spare is not None:
            value, self.spare = self.spare, None
            return value
        angle, radius = self.uniform(2, np.dtype(np.float64))
        radius = np.sqrt(-2 * np.log1p(-radius))
        self.spare = radius * np.sin(2 * np.pi * angle)
        return radius * np.cos(2 * np.pi * angle)


def box_muller(uniform: np.ndarray) -> np.ndarray:
    """Normal from uniform numbers, in blocks of 16: 8 radii, then 8 angles."""
    radius, angle = uniform.reshape(-1, 2, 8).transpose(1, 0, 2)
    radius = np.sqrt(-2 * np.log(1 - radius))
    angle = uniform.dtype.type(2 * np.pi) * angle
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).reshape(-1)


default_generator = Generator()


def manual_seed(seed: int) -> Generator:
    """Start the random numbers from a seed."""
    return default_generator.manual_seed(seed)


def rand(*size: Any, dtype: Any = None, requires_grad: bool = False, generator: Any = None) -> Tensor:
    """Uniform numbers in [0, 1)."""
    return drawn((generator or default_generator).uniform, shape_of(size), dtype, requires_grad)


def randn(*size: Any, dtype: Any = None, requires_grad: bool = False, generator: Any = None) -> Tensor:
    """Normal numbers, mean 0 and standard deviation 1."""
    return drawn((generator or default_generator).normal, shape_of(size), dtype, requires_grad)


def drawn(draw: Any, shape: tuple[int, ...], dtype: Any, requires_grad: bool) -> Tensor:
    """A tensor of a shape from a function that draws a count."""
    wanted = dtypes.to_numpy(dtype) or dtypes.default.numpy
    if np.dtype(wanted).kind != "f":
        kernel = "normal_kernel_cpu" if draw.__name__ == "normal" else "check_uniform_bounds"
        dtypes.check_float(np.empty(0, wanted), kernel)
    return leaf(draw(int(np.prod(shape)), wanted).reshape(shape), requires_grad)


def randint(low: int, high: Any = None, size: Any = None, *, dtype: Any = None, generator: Any = None) -> Tensor:
    """Integers from low to high - 1."""
    if size is None:
        low, high, size = 0, low, high
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    words = (generator or default_generator).words(int(np.prod(size)))
    array = (words % np.uint64(high - low)).astype(np.int64) + low
    return leaf(array.reshape(tuple(size)).astype(dtypes.to_numpy(dtype) or np.int64), False)


def randperm(n: int, *, generator: Any = None) -> Tensor:
    """0 … n - 1 in random order."""
    order = np.arange(n)
    words = (generator or default_generator).words(max(n - 1, 0))
    for i in range(n - 1):
        j = i + int(words[i] % np.uint64(n - i))
        order[i], order[j] = order[j], order[i]
    return leaf(order, False)


def rand_like(input: Tensor, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Uniform numbers of input's shape and dtype."""
    return rand(*input.shape, dtype=dtype or input.dtype, requires_grad=requires_grad)


def randn_like(input: Tensor, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Normal numbers of input's shape and dtype."""
    return randn(*input.shape, dtype=dtype or input.dtype, requires_grad=requires_grad)


__all__ = ["manual_seed", "rand", "rand_like", "randint", "randn", "randn_like", "randperm"]
