"""Indexing, reading and writing: integers, slices, None, …, boolean masks and integer tensors."""

import operator
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from ..rules.both import raw
from ..rules.dims import check_dim
from ..rules.index import Copy, Fill, Gather, Index, IndexPut, Put, Select, Zero
from .arguments import kind_of
from .dtypes import WORDS, check_number, type_name
from .give import give
from .views import check_history, check_overlap, inplace, opened, overlaps, view, views, write

LIST_AS_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
    "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], "
    "which will result either in an error or a different result"
)
EXPANDED = (
    "Use of index_put_ on expanded tensors is deprecated. Please clone() the tensor before performing this operation. "
    "This also applies to advanced indexing e.g. tensor[indices] = tensor"
)
IN_A_TUPLE = (Tensor, list, tuple, range, np.ndarray, slice, type(None))  # a list of such is taken for a tuple
ARRAYS = (Tensor, list, tuple, range, np.ndarray, bool)  # what picks elements: the result is a copy


def as_index(index: Any) -> tuple[tuple[Any, ...], bool]:
    """The index as NumPy takes it, and whether it is basic: then the result is a view."""
    plain = []
    basic = True
    if isinstance(index, list) and any([isinstance(i, IN_A_TUPLE) or i is Ellipsis for i in index]):
        warnings.warn(LIST_AS_TUPLE, UserWarning, stacklevel=3)
        index = tuple(index)
    for i in index if isinstance(index, tuple) else (index,):
        if isinstance(i, ARRAYS):
            i = as_places(i)
            basic = basic and isinstance(i, int)
        elif isinstance(i, slice):
            if i.step is not None and i.step <= 0:
                raise ValueError("step must be greater than zero")
        elif i is not None and i is not Ellipsis:
            i = as_integer(i)
        plain.append(i)
    return tuple(plain), basic


def as_places(i: Any) -> Any:
    """A mask or an array of integers; an int when 0-d."""
    array = np.asarray(raw(i))
    if isinstance(i, Tensor) and array.dtype.kind == "f":
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if array.dtype == bool:
        return array
    return array.astype(np.int64, copy=False) if array.ndim else int(array)


def as_integer(i: Any) -> int:
    """The integer that `i` stands for; IndexError for a float."""
    try:
        return operator.index(i)
    except TypeError:
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
            f"(got {type(i).__name__})"
        ) from None


def consumed(i: Any) -> int:
    """How many dimensions one part of an index is for (… counts none)."""
    if i is None or i is Ellipsis:
        return 0
    return i.ndim if isinstance(i, np.ndarray) and i.dtype == bool else 1


def whole(index: tuple[Any, ...], shape: tuple[int, ...]) -> bool:
    """Whether to write there is to write into the tensor itself, not into a view: slices from 0 to the end, and …."""
    cut = index.index(Ellipsis) if Ellipsis in index else len(index)
    before, after = index[:cut], index[cut + 1 :]
    if len(before) + len(after) > len(shape):
        return False
    pairs = [*zip(before, shape, strict=False), *zip(reversed(after), reversed(shape), strict=False)]
    return all([
        isinstance(i, slice) and i.start in (None, 0) and i.step in (None, 1) and (i.stop is None or i.stop >= n)
        for i, n in pairs
    ])  # fmt: skip


def select_first(x: Tensor, index: tuple[Any, ...]) -> tuple[Tensor, tuple[Any, ...]]:
    """torch selects by the integers first; what is left of the index then picks from that view."""
    if not any(isinstance(i, int) for i in index):
        return x, index
    integers: list[Any] = []
    for i in index:
        integers += [i] if isinstance(i, int) or i is Ellipsis else [slice(None)] * consumed(i)
    return select(x, tuple(integers)), tuple(i for i in index if not isinstance(i, int))


def select(x: Tensor, index: tuple[Any, ...]) -> Tensor:
    """A view, by integers, slices, None and …"""
    try:
        return view(Select, x, index=index) if isinstance(x._array, np.ndarray) else Index.apply(x, index)
    except IndexError as error:
        raise index_error(x, index, error) from None


def getitem(x: Tensor, index: Any) -> Tensor:
    """x[index]: a view for integers, slices, None and …; a copy for masks and integer tensors."""
    index, basic = as_index(index)
    if basic:
        return select(x, index)
    x, index = select_first(x, index)
    try:
        return Index.apply(x, index)
    except IndexError as error:
        raise index_error(x, index, error) from None


def index_error(x: Tensor, index: tuple[Any, ...], error: IndexError) -> IndexError:
    """NumPy's complaint in torch's words."""
    shape = list(x.shape)
    if not shape and isinstance(index[0], slice):
        return IndexError("slice() cannot be applied to a 0-dim tensor.")
    if not shape:
        return IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
            "0-dim tensor to a number"
        )
    if "too many indices" in str(error):
        return IndexError(f"too many indices for tensor of dimension {len(shape)}")
    if "shape mismatch" in str(error):
        shapes = [str(list(i.shape)) for i in index if isinstance(i, np.ndarray)]
        return IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {', '.join(shapes)}"
        )
    dim, rest = 0, len(shape) - sum(consumed(i) for i in index)
    for i in index:
        if isinstance(i, np.ndarray) and i.dtype == bool and i.shape != x.shape[dim : dim + i.ndim]:
            place = [n == m for n, m in zip(i.shape, shape[dim:], strict=False)].index(False)
            return IndexError(
                f"The shape of the mask {list(i.shape)} at index {place} does not match the shape of the indexed "
                f"tensor {shape} at index {dim + place}"
            )
        dim += rest if i is Ellipsis else consumed(i)
    return IndexError(str(error).replace("axis", "dimension"))


def setitem(x: Tensor, index: Any, value: Any) -> None:
    """x[index] = value, in place."""
    if not isinstance(value, Tensor | int | float | np.generic):
        raise TypeError(f"can't assign a {kind_of(value)} to a {type_name(x.dtype)}")
    index, basic = as_index(index)
    if basic:
        place = x if whole(index, x._array.shape) else getitem(x, index)
        if not isinstance(value, Tensor) or value._array.ndim == 0:
            if isinstance(value, Tensor) and value._versions is place._versions:
                value = value.clone()
            place._put(value)
            return
        if value._array.shape != place._array.shape:
            while value._array.ndim and value._array.shape[0] == 1:
                value = value[0]  # leading dimensions of length 1 do not count
        expanded = value.expand(place.shape)
        if value._array.ndim == 0 and place._array.size == 1 and value._versions is place._versions:
            check_overlap(place._array, value._array)
        place.copy_(expanded)
        return
    if isinstance(value, Tensor) and value.dtype is not x.dtype:
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {WORDS[x.dtype.name]} for the "
            f"destination and {WORDS[value.dtype.name]} for the source."
        )
    check_number(value, x._array.dtype)
    x, index = select_first(x, index)
    check_history(x, (value,))
    try:
        out = IndexPut.apply(x, value, index)
    except IndexError as error:
        raise index_error(x, index, error) from None
    repeats = overlaps(x._array)
    if repeats:
        warnings.warn(EXPANDED, UserWarning, stacklevel=2)
    write(x, out, same=repeats)
    if repeats:  # of elements that share memory the one that was put there counts
        opened(x._array)[index] = raw(value)


def iterate(x: Tensor) -> Iterator[Tensor]:
    """The rows of x, one after the other."""
    if x._array.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(unbind(x))


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along a dimension, without it; IndexError for a number."""
    dim = check_dim(dim, input._array.ndim)
    if input._array.ndim == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    before = (slice(None),) * dim
    return views(input, "Unbind", [(*before, i, ...) for i in range(input._array.shape[dim])])


def copy(x: Tensor, other: Tensor, non_blocking: bool = False) -> Tensor:
    """`other`, broadcast to x's shape and in x's dtype."""
    return Copy.apply(x, other)


def fill(x: Tensor, value: Any) -> Tensor:
    """A tensor like x, full of a number; RuntimeError for one that its dtype cannot hold."""
    check_number(value, x._array.dtype)
    return Fill.apply(x, value)


def put(x: Tensor, value: Any) -> Tensor:
    """A tensor like x, full of a number or of a 0-d tensor's; RuntimeError for one that its dtype cannot hold."""
    check_number(value, x._array.dtype)
    return Put.apply(x, value)


def zero(x: Tensor) -> Tensor:
    """A tensor like x, full of zeros."""
    return Zero.apply(x)


def taken(operation: Any, input: Tensor, dim: int, places: Tensor) -> Tensor:
    """The elements at places along `dim`; a number is the only one it has."""
    index = list(np.ogrid[tuple(slice(n) for n in places.shape)]) if input._array.ndim else []
    if index:
        index[dim] = places._array
    out: Tensor = operation.apply(input, tuple(index))
    return out


def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """`out[i][j] = input[index[i][j]][j]` for dim 0, and so on."""
    if input._array.ndim == 0:
        return gather(input.reshape(1), dim, index.reshape(1)).reshape(())
    return taken(Gather, input, dim, index)


give(Tensor, __getitem__=getitem)
give(Tensor, __setitem__=setitem)
give(Tensor, __iter__=iterate)
give(Tensor, gather=gather, unbind=unbind)
inplace("copy_", copy)
inplace("fill_", fill, same=True)
inplace("zero_", zero, same=True)
inplace("_put", put)

__all__ = ["gather", "unbind"]
