"""Whether two tensors are alike."""

from typing import Any

import numpy as np

from ..core.tensor import Tensor
from . import dtypes


def is_tensor(x: Any) -> bool:
    """True for a Tensor."""
    return isinstance(x, Tensor)


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """|input - other| <= atol + rtol * |other| everywhere; RuntimeError when the dtypes differ."""
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{dtypes.word(input)} did not match {dtypes.word(other)}")
    return np.allclose(input.detach().numpy(), other.detach().numpy(), rtol, atol, equal_nan).__bool__()


def equal(input: Tensor, other: Tensor) -> bool:
    """The same shape and the same elements."""
    return input.shape == other.shape and bool(np.all(input._array == other._array))


__all__ = ["allclose", "equal", "is_tensor"]
