"""Operations that move elements about: reshape … stack. Those that can share memory are views."""

import math
import warnings
from itertools import accumulate
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from ..rules import shape as rules
from ..rules.both import raw
from ..rules.dims import check_dim
from . import dtypes
from .give import give
from .views import view, views

REVERSED = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
    "error in a future release. Consider `x.mT` to transpose batches of matrices or `x.permute(*torch.arange(x.ndim - "
    "1, -1, -1))` to reverse the dimensions of a tensor."
)
REVERSED_NUMBER = "Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases."


def sizes(shape: tuple[Any, ...]) -> tuple[Any, ...]:
    """`f(2, 3)` and `f((2, 3))` mean the same."""
    return tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape


def whole(numbers: tuple[Any, ...], name: str) -> tuple[int, ...]:
    """The numbers as ints; TypeError, as torch's, for one that is none."""
    for place, number in enumerate(numbers):
        if not hasattr(number, "__index__"):
            words = f"must be tuple of ints, but found element of type {type(number).__name__} at pos {place}"
            raise TypeError(f"argument '{name}' {words}")
    return tuple(int(number) for number in numbers)


def full_shape(x: Tensor, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape with its -1 computed; RuntimeError when the number of elements differs."""
    shape = whole(shape, "shape")
    known = math.prod([n for n in shape if n != -1])
    size = x._array.size
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if -1 in shape and known and size % known == 0:
        shape = tuple(size // known if n == -1 else n for n in shape)
    elif -1 in shape or known != size:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {size}")
    return shape


def reshape(input: Tensor, *lengths: Any, shape: Any = ()) -> Tensor:
    """The same elements in another shape: a view where the memory allows, else a copy."""
    new = full_shape(input, sizes(lengths or shape))
    if not shares(input, new):
        return rules.UnsafeView.apply(input, shape=new)
    return view(rules.View if input._array.flags.c_contiguous else rules.ReshapeAlias, input, shape=new)


def view_as_shape(input: Tensor, *lengths: Any, size: Any = ()) -> Tensor:
    """The same memory in another shape; RuntimeError when that would need a copy."""
    new = full_shape(input, sizes(lengths or size))
    if not shares(input, new):
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        )
    return view(rules.View, input, shape=new)


def shares(input: Tensor, shape: tuple[int, ...]) -> bool:
    """Whether the same memory can be looked at in another shape."""
    if input._array.flags.c_contiguous:
        return True
    try:
        np.reshape(input._array, shape, copy=False)
    except ValueError:
        return False
    except TypeError:  # NumPy 2.0 has no `copy` here
        return np.may_share_memory(input._array.reshape(shape), input._array)
    return True


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Dimensions start_dim to end_dim made one."""
    shape = input._array.shape
    start, end = check_dim(start_dim, len(shape)), check_dim(end_dim, len(shape))
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end and shape:
        return input
    return reshape(input, (*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :]))


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged."""
    ndim = input._array.ndim
    dim0, dim1 = check_dim(dim0, ndim), check_dim(dim1, ndim)
    return view(rules.Transpose, input, dim0=dim0, dim1=dim1)


def t(input: Tensor) -> Tensor:
    """A matrix transposed; a vector stays; RuntimeError for more dimensions."""
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return view(rules.T, input)


def reverse(input: Tensor) -> Tensor:
    """The dimensions in reverse order; torch warns unless there are two."""
    ndim = input._array.ndim
    if ndim != 2:
        warnings.warn(REVERSED if ndim else REVERSED_NUMBER, UserWarning, stacklevel=2)
    return permute(input, tuple(range(ndim))[::-1])


def mT(input: Tensor) -> Tensor:  # noqa: N802 - torch's name
    """The last two dimensions exchanged."""
    if input._array.ndim < 2:
        raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return view(rules.Transpose, input, dim0=-2, dim1=-1)


def permute(input: Tensor, *order: Any, dims: Any = ()) -> Tensor:
    """The dimensions in the given order."""
    dims = sizes(order or dims)
    ndim = input._array.ndim
    if len(dims) != ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = {len(dims)}"
        )
    if len({check_dim(dim, ndim) for dim in dims}) < ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return view(rules.Permute, input, dims=check_dim(dims, ndim) or ())


def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Dimensions of length 1 left out: all, or the given ones."""
    shape = input._array.shape
    given = (dim,) if isinstance(dim, int) else dim
    dims = range(len(shape)) if dim is None else check_dim(given, len(shape)) or ()
    return view(rules.Squeeze, input, shape=tuple(n for i, n in enumerate(shape) if n != 1 or i not in dims), given=dim)


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A dimension of length 1 put in at `dim`."""
    shape = input._array.shape
    dim = check_dim(dim, len(shape) + 1)
    return view(rules.Unsqueeze, input, shape=(*shape[:dim], 1, *shape[dim:]))


def expand(input: Tensor, *lengths: Any, size: Any = ()) -> Tensor:
    """Dimensions of length 1 repeated, without a copy; -1 keeps a length."""
    new = sizes(lengths or size)
    old = input._array.shape
    added = len(new) - len(old)
    if added < 0:
        raise RuntimeError(
            f"expand({dtypes.type_name(input.dtype)}{{{list(old)}}}, size={list(new)}): the number of sizes provided "
            f"({len(new)}) must be greater or equal to the number of dimensions in the tensor ({len(old)})"
        )
    new = tuple(old[i - added] if n == -1 and i >= added else n for i, n in enumerate(new))
    if -1 in new:
        place = f"a leading, non-existing dimension {new.index(-1)}"
        raise RuntimeError(f"The expanded size of the tensor (-1) isn't allowed in {place}")
    for i, n in reversed(list(enumerate(old))):
        if n not in (1, new[added + i]):
            raise RuntimeError(
                f"The expanded size of the tensor ({new[added + i]}) must match the existing size ({n}) at "
                f"non-singleton dimension {added + i}.  Target sizes: {list(new)}.  Tensor sizes: {list(old)}"
            )
    return view(rules.Expand, input, shape=new)


def flip(input: Tensor, *axes: Any, dims: Any = ()) -> Tensor:
    """The elements in reverse order along the given dimensions."""
    if not axes and dims == ():
        raise TypeError('flip() missing 1 required positional arguments: "dims"')
    dims = check_dim(sizes(axes or (dims,)), input._array.ndim)
    return rules.Flip.apply(input, dims=dims if dims and input._array.ndim else ())


def check_tensors(tensors: Any, name: str) -> None:
    """TypeError unless it is a tuple or list of Tensors."""
    if not isinstance(tensors, tuple | list):
        kind = type(tensors).__name__
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {kind}")
    for i, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(x).__name__}")


def cat(tensors: Any, dim: int = 0, *, axis: int | None = None) -> Tensor:
    """Tensors one after the other along `dim`; all other lengths must agree, but an empty vector fits anywhere."""
    check_tensors(tensors, "cat")
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    shapes = [x._array.shape for x in tensors]
    if () in shapes:
        raise RuntimeError(f"zero-dimensional tensor (at position {shapes.index(())}) cannot be concatenated")
    first = shapes[0] if (0,) not in shapes else next((shape for shape in shapes if shape != (0,)), (0,))
    dim = check_dim(dim if axis is None else axis, len(first))
    for i, shape in enumerate(shapes):
        if shape not in (first, (0,)):
            check_joins(shape, first, dim, i)
    if (0,) in shapes and len(first) > 1:
        empty = (*first[:dim], 0, *first[dim + 1 :])
        tensors = [x.reshape(empty) if x._array.shape == (0,) else x for x in tensors]
    return rules.Cat.apply(*tensors, dim=dim)


def check_joins(shape: tuple[int, ...], first: tuple[int, ...], dim: int, number: int) -> None:
    """RuntimeError unless a shape is like the first one except along `dim`."""
    if len(shape) != len(first):
        raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}")
    for d in range(len(first)):
        if d != dim and shape[d] != first[d]:
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {dim}. Expected size {first[d]} but got size "
                f"{shape[d]} for tensor number {number} in the list."
            )


def stack(tensors: Any, dim: int = 0, *, axis: int | None = None) -> Tensor:
    """Tensors of one shape along a new dimension."""
    check_tensors(tensors, "stack")
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    for i, x in enumerate(tensors):
        if x._array.shape != tensors[0]._array.shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(tensors[0].shape)} at entry 0 and "
                f"{list(x.shape)} at entry {i}"
            )
    return rules.Stack.apply(*tensors, dim=check_dim(dim if axis is None else axis, tensors[0]._array.ndim + 1))


def check_ndim(x: Tensor, least: int, message: str) -> None:
    """RuntimeError for a tensor of fewer dimensions."""
    if x._array.ndim < least:
        raise RuntimeError(message)


def split(
    tensor: Tensor, split_size_or_sections: Any = None, dim: int = 0, *, split_size: Any = None
) -> tuple[Tensor, ...]:
    """Pieces along `dim`: views of a given length (the last may be shorter), or of given lengths."""
    check_ndim(tensor, 1, "split expects at least a 1-dimensional tensor")
    dim = check_dim(dim, tensor._array.ndim)
    length = tensor._array.shape[dim]
    pieces = split_size_or_sections if split_size is None else split_size
    named = "Split" if isinstance(pieces, int) else "SplitWithSizes"
    if isinstance(pieces, int):
        if pieces < 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={pieces}")
        if pieces == 0 and length:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {length}")
        pieces = [min(pieces, length - start) for start in range(0, length, pieces or 1)] or [0]
    elif sum(pieces) != length:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {length} (input tensor's size at dimension {dim}),"
            f" but got split_sizes={list(pieces)}"
        )
    before = (slice(None),) * dim
    return views(
        tensor, named, [(*before, slice(end - n, end)) for end, n in zip(accumulate(pieces), pieces, strict=True)]
    )


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` pieces of one length along `dim`."""
    check_ndim(input, 1, "chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    length = input._array.shape[check_dim(dim, input._array.ndim)]
    return split(input, max(1, -(-length // chunks)), dim)


def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangle; zeros above the diagonal."""
    check_ndim(input, 2, "tril: input tensor must have at least 2 dimensions")
    return rules.Tril.apply(input, diagonal=diagonal)


def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The upper triangle; zeros below the diagonal."""
    check_ndim(input, 2, "triu: input tensor must have at least 2 dimensions")
    return rules.Triu.apply(input, diagonal=diagonal)


def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """`value` where the mask (bool, broadcast) holds, input elsewhere."""
    if not isinstance(mask, Tensor):
        raise TypeError(f"masked_fill() received a mask of type {type(mask).__name__}; it has to be a Tensor")
    if mask._array.dtype != np.bool_:
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype}")
    if isinstance(value, Tensor):
        if value._array.ndim:
            found = f"{value._array.ndim} dimension(s)"
            raise RuntimeError(f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {found}.")
        value = value.item()
    dtypes.check_number(value, input._array.dtype)
    return rules.MaskedFill.apply(input, raw(mask), value=value)


def contiguous(input: Tensor) -> Tensor:
    """The tensor itself when its memory is in order, else a copy."""
    return input if not isinstance(input._array, np.ndarray) or input._array.flags.c_contiguous else input.clone()


give(Tensor, reshape=reshape, view=view_as_shape, flatten=flatten, transpose=transpose)
give(Tensor, swapaxes=transpose, t=t, mT=property(mT), permute=permute)
give(Tensor, T=property(reverse))
give(Tensor, squeeze=squeeze, unsqueeze=unsqueeze, expand=expand, flip=flip)
give(Tensor, split=split, chunk=chunk, tril=tril, triu=triu, masked_fill=masked_fill)
give(Tensor, contiguous=contiguous)
give(Tensor, is_contiguous=lambda x: contiguous(x) is x)
give(Tensor, expand_as=lambda x, other: expand(x, other.shape))
give(Tensor, view_as=lambda x, other: view_as_shape(x, other.shape))
give(Tensor, reshape_as=lambda x, other: reshape(x, other.shape))

__all__ = [
    "cat", "chunk", "flatten", "flip", "masked_fill", "permute", "reshape", "split", "squeeze", "stack", "t",
    "transpose", "tril", "triu", "unsqueeze",
]  # fmt: skip
