"""Random tensors: the same numbers as torch's for the same seed.

torch draws from a Mersenne twister. Uniform numbers are its bits, scaled; normal ones come by Box and
Muller's transform, for 16 and more numbers in blocks of 16 (torch/aten: `normal_fill`).
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from . import dtypes
from .creation import leaf, like, shape_of
from .device import check
from .give import called, give


class Generator:
    """A stream of random numbers."""

    spare: float | None = None

    def __init__(self, device: Any = None) -> None:
        check(device)
        self.first = 67280421310721 if device is not None else int.from_bytes(os.urandom(4))

    def manual_seed(self, seed: int) -> Generator:
        """Start anew from a seed: its lower 32 bits, as in torch."""
        self.__dict__.clear()  # the bits and a spare number, too
        self.first = seed
        return self

    def initial_seed(self) -> int:
        """The seed that it started from."""
        return self.first

    def seed(self) -> int:
        """Start anew from a seed of the system's, and return it."""
        return self.manual_seed(int.from_bytes(os.urandom(7))).first

    @functools.cached_property
    def bits(self) -> Any:
        """The twister, made when it is first asked, as numpy.random takes long to import."""
        return np.random.RandomState(self.first % 2**32)._bit_generator

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


def source(name: str, text: str, draw: str) -> Callable[..., Tensor]:
    """A function that makes a tensor of random numbers, which a method of generators draws."""

    def function(*size: Any, dtype: Any = None, requires_grad: bool = False, generator: Any = None) -> Tensor:
        return drawn(getattr(generator or default_generator, draw), shape_of(size), dtype, requires_grad)

    return called(name, text, function)


rand = source("rand", "Uniform numbers in [0, 1).", "uniform")
randn = source("randn", "Normal numbers, mean 0 and standard deviation 1.", "normal")
rand_like, randn_like = like(rand), like(randn)


def drawn(draw: Any, shape: tuple[int, ...], dtype: Any, requires_grad: bool) -> Tensor:
    """A tensor of a shape from a function that draws a count."""
    wanted = dtypes.to_numpy(dtype) or dtypes.default.numpy
    if np.dtype(wanted).kind != "f":
        kernel = "normal_kernel_cpu" if draw.__name__ == "normal" else "check_uniform_bounds"
        dtypes.check_float(np.empty(0, wanted), kernel)
    return leaf(draw(int(np.prod(shape)), wanted).reshape(shape), requires_grad)


def randint(
    low: int = 0, high: Any = None, size: Any = None, *, dtype: Any = None, generator: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Integers from low to high - 1."""
    if size is None or high is None:
        low, high, size = 0, low if high is None or size is None else high, high if size is None else size
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    words = (generator or default_generator).words(int(np.prod(size)))
    array = (words % np.uint64(high - low)).astype(np.int64) + low
    return leaf(array.reshape(tuple(size)).astype(dtypes.to_numpy(dtype) or np.int64), requires_grad)


def randperm(n: int, *, generator: Any = None) -> Tensor:
    """0 … n - 1 in random order."""
    order = np.arange(n)
    words = (generator or default_generator).words(max(n - 1, 0))
    for i in range(n - 1):
        j = i + int(words[i] % np.uint64(n - i))
        order[i], order[j] = order[j], order[i]
    return leaf(order, False)


def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Any = None) -> Tensor:
    """Normal numbers of a mean and a standard deviation: numbers, with a `size`, or tensors."""
    if size is None:
        size = np.broadcast_shapes(*[x.shape for x in (mean, std) if isinstance(x, Tensor)])
    return randn(*size, generator=generator) * std + mean


def bernoulli(input: Tensor, *, generator: Any = None) -> Tensor:
    """1 with the probability that each element says, else 0."""
    drawn_numbers = (generator or default_generator).uniform(input._array.size, input._array.dtype)
    return leaf((drawn_numbers.reshape(input._array.shape) < input._array).astype(input._array.dtype), False)


def exponential(shape: Any, generator: Any = None) -> np.ndarray:
    """Numbers whose logarithm of the share that is larger falls by 1: -log(1 - u)."""
    uniform = (generator or default_generator).uniform(int(np.prod(shape)), np.dtype(np.float64))
    return -np.log1p(-uniform).reshape(shape)


def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """Places drawn from each row of weights, `num_samples` a row, each at most once unless with `replacement`.

    Raises:
        RuntimeError: there are fewer places with a weight than are to be drawn, or a weight that is none.
    """
    weights = input._array
    if weights.dtype.kind != "f":
        what = dtypes.word(input)
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {what}")
    if not np.all(weights >= 0) or not np.all(np.isfinite(weights)):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not np.all(weights.sum(-1) > 0):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    if not replacement and num_samples > weights.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if not replacement or num_samples == 1:  # as torch: the largest of weights that wait exponentially long
        waits = weights / exponential(weights.shape, generator).astype(weights.dtype)
        return leaf(np.argsort(-waits, -1, kind="stable")[..., :num_samples].astype(np.int64), False)
    totals = np.cumsum(weights / weights.sum(-1, keepdims=True), -1)
    uniform = (generator or default_generator).uniform(totals[..., 0].size * num_samples, np.dtype(np.float64))
    rows = zip(totals.reshape(-1, totals.shape[-1]), uniform.reshape(-1, num_samples), strict=True)
    found = np.stack([np.minimum(np.searchsorted(row, u), len(row) - 1) for row, u in rows])
    return leaf(found.reshape(*weights.shape[:-1], num_samples), False)


def random_(x: Tensor, *limits: int, generator: Any = None) -> Tensor:
    """Fill with integers: below a limit, from one limit to below another, or of all that the dtype holds."""
    words = (generator or default_generator).words(x._array.size * (1 if limits else 2))
    if not limits:
        high, low = words.reshape(-1, 2).T
        values = (high << np.uint64(32) | low) & np.uint64(2**63 - 1)
        if x._array.dtype != np.int64:
            raise NotImplementedError("minigrad's random_() without limits is for int64")
    else:
        start, end = (0, *limits)[-2:]
        values = words % np.uint64(end - start) + np.uint64(start) if start >= 0 else words % np.uint64(end - start)
    array = values.astype(np.int64) + (limits[0] if len(limits) == 2 and limits[0] < 0 else 0)
    return x.copy_(leaf(array.reshape(x._array.shape), False))


def bernoulli_(x: Tensor, p: float = 0.5, *, generator: Any = None) -> Tensor:
    """Fill with 1 with probability p, else 0."""
    uniform = (generator or default_generator).uniform(x._array.size, np.dtype(np.float64))
    return x.copy_(leaf((uniform < p).reshape(x._array.shape), False))


def exponential_(x: Tensor, lambd: float = 1, *, generator: Any = None) -> Tensor:
    """Fill with exponentially distributed numbers."""
    return x.copy_(leaf(exponential(x._array.shape, generator) / lambd, False))


def initial_seed() -> int:
    """The seed that the random numbers started from."""
    return default_generator.initial_seed()


give(Tensor, random_=random_, bernoulli_=bernoulli_, exponential_=exponential_, multinomial=multinomial)
give(Tensor, bernoulli=bernoulli)
__all__ = [
    "Generator", "bernoulli", "initial_seed", "manual_seed", "multinomial", "normal", "rand", "rand_like", "randint",
    "randn", "randn_like", "randperm",
]  # fmt: skip
