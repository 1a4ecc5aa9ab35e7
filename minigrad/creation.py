"""Functions that make tensors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from . import dtypes
from .tensor import Tensor, wrap


def tensor(data: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """A new tensor with a copy of `data`: Python floats become float32, ints int64, as in torch.

    Args:
        data: a number, nested lists, an ndarray (whose dtype is kept) or a Tensor.
        dtype: float32, float64, int64 or bool.
        requires_grad: ask for gradients; floating point only.
    """
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
            UserWarning,
            stacklevel=2,
        )
        data = data.detach()._array
    wanted = dtypes.to_numpy(dtype)
    if isinstance(data, np.ndarray | np.generic):
        array = np.array(data, dtype=wanted)
    else:
        try:
            array = np.array(plain(data))
        except ValueError:
            raise ValueError("expected sequences of equal length at every dimension") from None
        if wanted is None:
            wanted = dtypes.default.numpy if array.dtype.kind == "f" else array.dtype
        array = array.astype(wanted)
    dtypes.of_numpy(array.dtype)
    return leaf(array, requires_grad)


def plain(data: Any) -> Any:
    """Nested sequences of numbers, from sequences that hold one-element tensors."""
    if isinstance(data, Tensor):
        return data.tolist()
    return [plain(item) for item in data] if isinstance(data, list | tuple) else data


def leaf(array: np.ndarray, requires_grad: bool) -> Tensor:
    """A new tensor on `array`. A leaf keeps its flag also under `no_grad`."""
    if requires_grad and array.dtype.kind != "f":
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    out = wrap(array if array.ndim else array[()])
    out._requires_grad = bool(requires_grad)
    return out
