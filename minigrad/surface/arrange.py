"""More ways to move elements about, made of those in shape.py and index.py: narrow … meshgrid."""

from typing import Any

import numpy as np

from ..core.tensor import Tensor, wrap
from ..rules.dims import check_dim
from ..rules.index import Select
from ..rules.shape import Repeat, Roll
from .give import give
from .shape import cat, permute, reshape, sizes, whole
from .views import view


def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """`length` slices along `dim` from `start` on: a view; RuntimeError where there are not so many."""
    dim, start = check_dim(dim, input._array.ndim), int(start)
    size = input._array.shape[dim]
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -size <= start <= size:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-size}, {size}], but got {start})")
    start += size if start < 0 else 0
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return view(Select, input, index=(*(slice(None),) * dim, slice(start, start + length)))


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """The slice along `dim` at an index, without that dimension: a view."""
    dim = check_dim(dim, input._array.ndim)
    size = input._array.shape[dim] if input._array.ndim else 0
    if not size:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input.shape)} at dimension {dim}"
        )
    return view(Select, input, index=(*(slice(None),) * dim, int(index)))


def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Dimensions moved to other places, the others in their order: a view."""
    given = [list(d) if isinstance(d, tuple | list) else [d] for d in (source, destination)]
    source, destination = ([check_dim(d, input.ndim) for d in dims] for dims in given)
    order = [d for d in range(input.ndim) if d not in source]
    for place, d in sorted(zip(destination, source, strict=True)):
        order.insert(place, d)
    return permute(input, order)


def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """A dimension made several."""
    shape = input.shape
    dim = check_dim(dim, input.ndim)
    return input.view((*shape[:dim], *sizes, *shape[dim + 1 :]))


def ravel(input: Tensor) -> Tensor:
    """All elements in a row."""
    return reshape(input, -1)


def repeat(input: Tensor, *repeats: Any) -> Tensor:
    """A copy repeated so often along each dimension; more numbers than dimensions put new ones before."""
    counts = whole(sizes(repeats), "repeats")
    if len(counts) < input.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    return Repeat.apply(input, counts=counts)


def tile(input: Tensor, dims: Any) -> Tensor:
    """As `repeat`; fewer numbers than dimensions are for the last ones."""
    return repeat(input, (1,) * (input.ndim - len(dims)) + tuple(dims))


def repeat_interleave(input: Tensor, repeats: Any, dim: int | None = None) -> Tensor:
    """Each slice along `dim` repeated so often, one after the other; without `dim`, each element."""
    input, dim = (ravel(input), 0) if dim is None else (input, check_dim(dim, input.ndim))
    counts = repeats._array if isinstance(repeats, Tensor) else repeats
    places = np.repeat(np.arange(input.shape[dim]), counts)
    return input[(*[slice(None)] * dim, wrap(places))]


def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """The elements moved along, those that leave at the end coming back at the beginning."""
    shifts, dims = ([n] if isinstance(n, int) else list(n or ()) for n in (shifts, dims))
    if len(shifts) != len(dims or shifts[:1]):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    return Roll.apply(input, shifts=tuple(shifts), dims=tuple(dims))


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The elements whose places in two dimensions differ by `offset`, along a last dimension of their own."""
    input = movedim(input, (dim1, dim2), (-2, -1))
    count = len(np.diagonal(np.empty(tuple(input.shape[-2:]), bool), offset))
    rows, columns = (np.arange(count) + max(n, 0) for n in (-offset, offset))
    return input[(..., wrap(rows), wrap(columns))]


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """Of a matrix its diagonal; of a vector a matrix with it there."""
    if input.ndim != 1:
        return globals()["diagonal"](input, diagonal)
    n = len(input) + abs(diagonal)
    rows, columns = (np.arange(len(input)) + max(k, 0) for k in (-diagonal, diagonal))
    out = wrap(np.zeros((n, n), input._array.dtype))
    out[wrap(rows), wrap(columns)] = input
    return out


def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal."""
    return diagonal(input).sum()


def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """Coordinates: the i-th result repeats the i-th vector along all other dimensions."""
    vectors = sizes(tensors)
    if indexing == "xy" and len(vectors) > 1:
        grids = meshgrid(vectors[1], vectors[0], *vectors[2:])
        return (grids[1], grids[0], *grids[2:])
    shape = [v.numel() for v in vectors]
    return tuple(
        v.reshape([-1 if i == j else 1 for j in range(len(shape))]).expand(shape) for i, v in enumerate(vectors)
    )


def tril_indices(row: int, col: int, offset: int = 0) -> Tensor:
    """The places of the lower triangle of a matrix, as two rows."""
    return wrap(np.stack(np.tril_indices(row, offset, col)).astype(np.int64))


def triu_indices(row: int, col: int, offset: int = 0) -> Tensor:
    """The places of the upper triangle of a matrix, as two rows."""
    return wrap(np.stack(np.triu_indices(row, offset, col)).astype(np.int64))


def hstack(tensors: Any) -> Tensor:
    """Tensors side by side: vectors one after the other, others along dimension 1."""
    tensors = [x if x.ndim else x.reshape(1) for x in tensors]
    return cat(tensors, min(1, tensors[0].ndim - 1))


def vstack(tensors: Any) -> Tensor:
    """Tensors along dimension 0, a vector as a row."""
    return cat([x if x.ndim > 1 else x.reshape(1, -1) for x in tensors], 0)


concat, concatenate, row_stack = cat, cat, vstack

give(Tensor, narrow=narrow, select=select, movedim=movedim, unflatten=unflatten, ravel=ravel, repeat=repeat)
give(Tensor, tile=lambda x, *dims: tile(x, sizes(dims)), repeat_interleave=repeat_interleave, roll=roll)
give(Tensor, diagonal=diagonal, diag=diag, trace=trace, swapdims=Tensor.transpose)

__all__ = [
    "concat", "concatenate", "diag", "diagonal", "hstack", "meshgrid", "movedim", "narrow", "ravel",
    "repeat_interleave", "roll", "row_stack", "select", "tile", "trace", "tril_indices", "triu_indices", "unflatten",
    "vstack",
]  # fmt: skip
