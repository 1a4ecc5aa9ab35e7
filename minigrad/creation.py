"""Functions that make tensors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from . import dtypes
from .ops.shape import sizes
from .tensor import Tensor, check_tensors, wrap


def tensor(data: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """A new tensor with a copy of `data`: Python floats become float32, ints int64, as in torch.

    Args:
        data: a number, nested lists, an ndarray (whose dtype is kept) or a Tensor.
        dtype: float32, float64, int64 or bool.
        requires_grad: ask for gradients; floating point only.
    """
    if dtype is None and data.__class__ is float:  # the common case in a lesson
        return leaf(np.float32(data), requires_grad)
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
        array = gathered(data)
        if wanted is None:
            wanted = dtypes.default.numpy if array.dtype.kind == "f" else array.dtype
        array = array.astype(wanted)
    dtypes.of_numpy(array.dtype)
    return leaf(array, requires_grad)


def gathered(data: Any) -> np.ndarray:
    """One array of nested sequences of numbers and tensors; ValueError when their lengths differ."""
    try:
        return np.array(data)
    except ValueError:
        raise ValueError("expected sequences of equal length at every dimension") from None
    except RuntimeError:  # a tensor that requires grad does not show NumPy its array
        return gathered(plain(data))


def plain(data: Any) -> Any:
    """Nested sequences of numbers, from sequences that hold tensors."""
    if isinstance(data, Tensor):
        return data.tolist()
    return [plain(item) for item in data] if isinstance(data, (list, tuple)) else data


def leaf(array: np.ndarray, requires_grad: bool) -> Tensor:
    """A new tensor on `array`. A leaf keeps its flag also under `no_grad`."""
    if requires_grad and array.dtype.kind != "f":
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    out = wrap(array if array.ndim else array[()])
    if requires_grad:
        out._requires_grad = True
    return out


def created(array: np.ndarray, dtype: Any, requires_grad: bool) -> Tensor:
    """`array` in the dtype asked for, float32 unless told otherwise."""
    return leaf(array.astype(dtypes.to_numpy(dtype) or dtypes.default.numpy, copy=False), requires_grad)


def zeros(*size: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Zeros of the given shape."""
    return created(np.zeros(sizes(size), dtypes.to_numpy(dtype) or np.float32), dtype, requires_grad)


def ones(*size: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Ones of the given shape."""
    return created(np.ones(sizes(size), dtypes.to_numpy(dtype) or np.float32), dtype, requires_grad)


def empty(*size: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of the given shape whose values are not set: here zeros."""
    return zeros(*size, dtype=dtype, requires_grad=requires_grad)


def full(size: Any, fill_value: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """`fill_value` in the given shape; its type decides the dtype."""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    wanted = dtypes.to_numpy(dtype) or dtypes.of_scalar(value).numpy
    return leaf(np.full(tuple(size) if not isinstance(size, int) else size, value, wanted), requires_grad)


def eye(n: int, m: int | None = None, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Ones on the diagonal of an n × m matrix."""
    return created(np.eye(n, m), dtype, requires_grad)


def arange(start: Any, end: Any = None, step: Any = 1, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """start, start + step, … below end: int64 when all are integers."""
    start, end, step = [x.item() if isinstance(x, Tensor) else x for x in (start, end, step)]
    start, end = (0, start) if end is None else (start, end)
    whole = all(isinstance(value, int) for value in (start, end, step))
    return created(np.arange(start, end, step), dtype or (dtypes.int64 if whole else None), requires_grad)


def linspace(start: float, end: float, steps: int, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """`steps` numbers from start to end, both included."""
    return created(np.linspace(start, end, steps), dtype, requires_grad)


def ones_like(input: Tensor, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Ones of input's shape and dtype."""
    check_tensors("ones_like", input=input)
    return ones(*input.shape, dtype=dtype or input.dtype, requires_grad=requires_grad)


def zeros_like(input: Tensor, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Zeros of input's shape and dtype."""
    check_tensors("zeros_like", input=input)
    return zeros(*input.shape, dtype=dtype or input.dtype, requires_grad=requires_grad)


def full_like(input: Tensor, fill_value: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """`fill_value` in input's shape and dtype."""
    check_tensors("full_like", input=input)
    return full(input.shape, fill_value, dtype=dtype or input.dtype, requires_grad=requires_grad)


def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor on the ndarray's own memory."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    dtypes.of_numpy(array.dtype)
    return wrap(array)


def as_tensor(data: Any, *, dtype: Any = None) -> Tensor:
    """A tensor, without a copy where `data` is one already, or an ndarray."""
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    return from_numpy(data) if isinstance(data, np.ndarray) and dtype is None else tensor(data, dtype=dtype)


Tensor.new_zeros = lambda x, *size: zeros(*size, dtype=x.dtype)
Tensor.new_ones = lambda x, *size: ones(*size, dtype=x.dtype)
Tensor.new_tensor = lambda x, data: tensor(data, dtype=x.dtype)

__all__ = [
    "arange", "as_tensor", "empty", "eye", "from_numpy", "full", "full_like", "linspace", "ones", "ones_like",
    "tensor", "zeros", "zeros_like",
]  # fmt: skip
