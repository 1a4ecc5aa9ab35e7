"""Functions that make tensors."""

import functools
import itertools
import warnings
from collections.abc import Callable
from numbers import Number
from typing import Any

import numpy as np

from ..core.tensor import Tensor, wrap
from . import dtypes
from .arguments import check_tensors, kind_of, one_number
from .device import check
from .give import called, give
from .shape import sizes

SEQUENCES = (list, tuple, np.ndarray)
NESTED = {list, tuple}
NUMBERS = {float, int, bool}


def tensor(data: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """A new tensor with a copy of `data`: Python floats become float32, ints int64, as in torch.

    Args:
        data: a number, nested lists, an ndarray (whose dtype is kept) or a Tensor.
        dtype: float32, float64, int64 or bool.
        requires_grad: ask for gradients; floating point only.
    """
    if dtype is None and data.__class__ is float:  # this and lists of such are the common cases in a lesson
        out = wrap(dtypes.default.numpy.type(data))
        if requires_grad:
            out._requires_grad = True
        return out
    if dtype is None and data.__class__ is list and float in (kinds := types_in(data)) and kinds <= NUMBERS:
        return leaf(gathered(data, dtypes.default.numpy), requires_grad)
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
        kinds = types_in(data) if type(data) is list else types_in([data])
        array = gathered(data if kinds <= NUMBERS else plain(data, kinds))
        if wanted is None and array.dtype.kind == "f":
            wanted = dtypes.FLOAT64 if np.float64 in kinds else dtypes.default.numpy
        array = array if wanted is None else array.astype(wanted, copy=False)
    return leaf(array.astype(dtypes.of_numpy(array.dtype).numpy, copy=False), requires_grad)


def types_in(data: Any) -> set[type]:
    """The types of what nested sequences of one depth hold, found a level at a time; where depths differ, list too."""
    found = set(map(type, data))
    while found and found <= NESTED:
        data = list(itertools.chain.from_iterable(data))
        found = set(map(type, data))
    return found


def plain(data: Any, kinds: set[type]) -> Any:
    """Nested sequences of numbers and arrays, from sequences that may hold tensors of one element too.

    Adds to `kinds` the types of what it finds: NumPy's float64 decides the dtype, Python's float does not.
    """
    if isinstance(data, list | tuple):
        return [plain(item, kinds) for item in data]
    if isinstance(data, Tensor):
        one_number(data)
        data = data._array.reshape(())[()]
    elif isinstance(data, str):
        raise TypeError("new(): invalid data type 'str'")
    elif not isinstance(data, Number | np.generic | np.ndarray):
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
    kinds.add(data.dtype.type if isinstance(data, np.ndarray) else type(data))
    return data


def gathered(data: Any, dtype: np.dtype | None = None) -> np.ndarray:
    """One array of nested sequences; ValueError or TypeError when their lengths differ."""
    try:
        return np.array(data, dtype)
    except ValueError as error:
        raise misfit(data, lengths(data)) or error from None


def lengths(data: Any) -> list[int]:
    """The lengths that the first element of each sequence asks for."""
    return [len(data), *lengths(data[0])] if isinstance(data, SEQUENCES) and len(data) else []


def misfit(data: Any, wanted: list[int], dim: int = 0) -> Exception | None:
    """torch's error for the first sequence that has not the length of the others in its dimension."""
    if dim == len(wanted):
        return TypeError(f"must be real number, not {kind_of(data)}") if isinstance(data, SEQUENCES) else None
    if not isinstance(data, SEQUENCES):
        return TypeError("not a sequence")
    if len(data) != wanted[dim]:
        return ValueError(f"expected sequence of length {wanted[dim]} at dim {dim} (got {len(data)})")
    return next(filter(None, (misfit(item, wanted, dim + 1) for item in data)), None)


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


def constant(name: str, number: int) -> Callable[..., Tensor]:
    """A function that makes a tensor of one number."""

    def function(*size: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
        wanted = dtypes.to_numpy(dtype) or dtypes.default.numpy
        return leaf(np.full(shape_of(size), number, wanted), requires_grad)

    return called(name, f"A tensor of the given shape, full of {number}.", function)


def like(make: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function that makes the same in a tensor's shape, and in its dtype unless told otherwise."""
    name = f"{make.__name__}_like"

    def function(input: Tensor, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
        check_tensors(name, input=input)
        return make(*input.shape, dtype=dtype or input.dtype, requires_grad=requires_grad)

    return called(name, f"`{make.__name__}` of input's shape and dtype.", function)


zeros, ones = constant("zeros", 0), constant("ones", 1)
empty = constant("empty", 0)  # torch leaves the values as they are found
zeros_like, ones_like, empty_like = like(zeros), like(ones), like(empty)


def full(size: Any, fill_value: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """`fill_value` in the given shape; its type decides the dtype."""
    if not isinstance(size, tuple | list):
        raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {kind_of(size)}")
    value = number(fill_value)
    if not isinstance(value, int | float):
        raise TypeError(f"full(): argument 'fill_value' (position 2) must be Number, not {kind_of(value)}")
    wanted = dtypes.to_numpy(dtype) or dtypes.of_scalar(value).numpy
    dtypes.check_number(value, wanted)
    return leaf(np.full(shape_of((size,)), value, wanted), requires_grad)


def number(x: Any) -> Any:
    """The Python number in a tensor or a NumPy scalar; anything else as it is."""
    return x.item() if isinstance(x, Tensor | np.generic) else x


def shape_of(size: tuple[Any, ...]) -> tuple[Any, ...]:
    """The shape that is asked for; RuntimeError for a negative length."""
    shape = sizes(size)
    negative = [n for n in shape if isinstance(n, int) and n < 0]
    if negative:
        raise RuntimeError(f"Trying to create tensor with negative dimension {negative[0]}: {list(shape)}")
    return shape


def eye(n: int, m: int | None = None, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Ones on the diagonal of an n × m matrix."""
    return created(np.eye(n, m), dtype, requires_grad)


def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """start, start + step, … below end: int64 when all are integers; RuntimeError when step leads away from end."""
    start, end, step = number(start), number(end), number(step)
    start, end = (0, start) if end is None else (start, end)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    whole = all(isinstance(value, int) for value in (start, end, step))
    return created(np.arange(start, end, step), dtype or (dtypes.int64 if whole else None), requires_grad)


def linspace(start: float, end: float, steps: int, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """`steps` numbers from start to end, both included."""
    return created(np.linspace(start, end, steps), dtype, requires_grad)


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


def new(x: Tensor, make: Any, *given: Any, dtype: Any = None, device: Any = None, **named: Any) -> Any:
    """What `make` makes, in x's dtype."""
    check(device)
    return make(*given, dtype=dtype or x.dtype, **named)


for _make in (zeros, ones, empty, full, tensor):
    give(Tensor, **{f"new_{_make.__name__}": functools.partialmethod(new, _make)})

__all__ = [
    "arange", "as_tensor", "empty", "empty_like", "eye", "from_numpy", "full", "full_like", "linspace", "ones",
    "ones_like", "tensor", "zeros", "zeros_like",
]  # fmt: skip
