"""What programs ask about numbers and the machine."""

from __future__ import annotations  # NumPy 2.0's finfo and iinfo take no brackets

from typing import Any

import numpy as np

from ..core.tensor import Tensor
from . import dtypes
from .give import give


def finfo(type: Any = None) -> np.finfo[Any]:
    """The limits of a dtype of floating point: `.eps`, `.max`, `.min`, `.tiny`."""
    return np.finfo((type or dtypes.default).numpy)


def iinfo(type: Any) -> np.iinfo[Any]:
    """The limits of a dtype of integers: `.max`, `.min`."""
    return np.iinfo(type.numpy)


def numel(input: Tensor) -> int:
    """The number of elements."""
    return input.numel()


def type_of(x: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """torch's name for such a tensor: `torch.FloatTensor`; or the tensor in another dtype."""
    return dtypes.type_name(x.dtype) if dtype is None else x.to(dtype)


def stride(x: Tensor, dim: int | None = None) -> Any:
    """How many elements further in memory the next one along each dimension lies; or along one."""
    steps = tuple(step // x._array.itemsize for step in x._array.strides)
    return steps if dim is None else steps[dim]


give(Tensor, nelement=Tensor.numel, type=type_of, stride=stride)


def compile(model: Any = None, **settings: Any) -> Any:  # noqa: A001 - torch's name
    """The model, or function, as it is."""
    return model if model is not None else lambda function: function


def get_num_threads() -> int:
    """1: NumPy's own threads are not asked."""
    return 1


def set_num_threads(number: int) -> None:
    """Nothing changes: NumPy's threads are set by the environment."""
