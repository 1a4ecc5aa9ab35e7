"""The five dtypes, and torch's rules for an operation on two of them."""

import math
from typing import Any

import numpy as np


class dtype:  # noqa: N801 - torch's name
    """One of `float32`, `float64`, `int32`, `int64`, `bool`; it prints as torch's does."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.numpy = np.dtype(name)
        self.is_floating_point = self.numpy.kind == "f"
        self.category = "bif".index(self.numpy.kind)  # of two operands, the higher category wins

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return "bool_" if self.name == "bool" else self.name


float32 = dtype("float32")
float64 = dtype("float64")
int32 = dtype("int32")
int64 = dtype("int64")
bool_ = dtype("bool")

default = float32  # of what is made of Python's floats; see set_default_dtype
# In torch's messages:
WORDS = {"float32": "Float", "float64": "Double", "int32": "Int", "int64": "Long", "bool": "Bool"}
_of_numpy = {d.numpy: d for d in (float32, float64, int32, int64, bool_)}
_of_numpy[np.dtype(np.intp)] = int64  # NumPy's own integers, which in a browser have 32 bits
FLOAT32 = float32.numpy
FLOAT64 = float64.numpy


def get_default_dtype() -> dtype:
    """The dtype of what is made of Python's floats."""
    return default


def set_default_dtype(d: Any) -> None:
    """Make tensors of Python's floats in another dtype; TypeError for one that is not of floating point."""
    global default
    if not isinstance(d, dtype) or not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    default = d


def of_numpy(numpy_dtype: np.dtype) -> dtype:
    """minigrad's name of a NumPy dtype; TypeError for one that minigrad lacks."""
    found = _of_numpy.get(numpy_dtype)
    if found is None:
        raise TypeError(
            f"minigrad has no dtype for NumPy's {numpy_dtype}; it has float32, float64, int32, int64 and bool"
        )
    return found


def to_numpy(wanted: Any) -> np.dtype | None:
    """The NumPy dtype of a minigrad dtype, or of Python's `float`, `int` and `bool`."""
    if wanted is None:
        return None
    if isinstance(wanted, dtype):
        return wanted.numpy
    python = {bool: bool_, int: int64, float: float64}
    if wanted in python:
        return python[wanted].numpy
    raise TypeError(f"dtype must be one of minigrad's float32, float64, int32, int64 and bool, not {wanted!r}")


KERNEL_WORDS = {"float32": "float", "float64": "double", "int32": "int", "int64": "int64_t"}


def check_float(array: Any, kernel: str) -> None:
    """NotImplementedError, in torch's words, for an array of integers or bools."""
    if array.dtype.kind != "f":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{WORDS[of_numpy(array.dtype).name]}'")


def check_number(value: Any, wanted: np.dtype) -> None:
    """RuntimeError, in torch's words, for a finite number too large for the dtype, or one that is no integer at all."""
    if not isinstance(value, int | float) or wanted.kind == "b":
        return
    limits = np.finfo(wanted) if wanted.kind == "f" else np.iinfo(wanted)
    unlimited = wanted.kind == "f" and not math.isfinite(value)
    if not unlimited and not limits.min <= value <= limits.max:
        raise RuntimeError(f"value cannot be converted to type {KERNEL_WORDS[wanted.name]} without overflow")


def word(x: Any) -> str:
    """torch's word for the dtype of a tensor: `Float`."""
    return WORDS[x._array.dtype.name]


def type_name(wanted: dtype) -> str:
    """torch's name for the tensors of a dtype: `torch.FloatTensor`."""
    return f"torch.{WORDS[wanted.name]}Tensor"


def of_scalar(value: Any) -> dtype:
    """The dtype that a Python scalar counts as."""
    return bool_ if isinstance(value, bool) else int64 if isinstance(value, int) else default


def result_type(*operands: Any) -> dtype:
    """torch's promotion: the highest category decides, then rank, then width.

    Among the operands of the highest category (bool < int < float), a tensor with dimensions
    outweighs a 0-d tensor, which outweighs a Python scalar. NumPy differs: there, int64 with float32
    gives float64, and a 0-d array counts as much as any other.
    """
    ranked = []
    for x in operands:
        if isinstance(x, (bool, int, float)) and not isinstance(x, np.generic):
            ranked.append((of_scalar(x), 0))
        else:
            ranked.append((of_numpy(x.dtype), 2 if x.ndim else 1))
    category = max(d.category for d, _ in ranked)
    strongest = max(rank for d, rank in ranked if d.category == category)
    return max((d for d, r in ranked if d.category == category and r == strongest), key=lambda d: d.numpy.itemsize)
