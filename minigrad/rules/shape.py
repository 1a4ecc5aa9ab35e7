"""Operations that move elements about: reshape … stack. Those that can share memory are views."""

from itertools import accumulate
from typing import Any

import numpy as np

from ..core.function import Function
from ..core.tensor import Tensor
from . import both


class View(Function):
    """The same elements in another shape."""

    def forward(self, x, *, shape):
        self.shape = x.shape
        return x.reshape(shape)

    def backward_x(self, grad):
        return grad.reshape(self.shape)


# With a length of 1 put in; of memory that is not in order; in memory of its own: no view, for the version counter.
Unsqueeze, ReshapeAlias, UnsafeView = both.named(View, "Unsqueeze", "ReshapeAlias", "UnsafeView")


class Transpose(Function):
    """Two dimensions exchanged: the same exchange leads back."""

    def forward(self, x, *, dim0, dim1):
        self.dims = dim0, dim1
        return x.swapaxes(dim0, dim1) if x.ndim else x.view()

    def backward_x(self, grad):
        return grad.swapaxes(*self.dims) if grad.ndim else grad


class T(Function):
    """`t()`: a matrix transposed, a vector as it is."""

    def forward(self, x):
        return x.T

    def backward_x(self, grad):
        return grad.T if grad.ndim == 2 else grad


class Permute(Function):
    """The dimensions in another order."""

    def forward(self, x, *, dims):
        self.back = tuple(np.argsort(dims).tolist())
        return x.transpose(dims)

    def backward_x(self, grad):
        return grad.permute(self.back) if isinstance(grad, Tensor) else grad.transpose(self.back)


class Squeeze(View):
    """Dimensions of length 1 left out."""

    def forward(self, x, *, shape, given=None):
        self.given = given
        return super().forward(x, shape=shape)


class Expand(Function):
    """Dimensions of length 1 repeated, without a copy: the engine's unbroadcast leads back."""

    def forward(self, x, *, shape):
        return np.broadcast_to(x, shape)

    def backward_x(self, grad):
        return grad


class Flip(Function):
    """The elements in reverse order."""

    def forward(self, x, *, dims):
        self.dims = dims
        return np.flip(x, dims).copy()

    def backward_x(self, grad):
        return grad.flip(self.dims) if isinstance(grad, Tensor) else np.flip(grad, self.dims).copy()


class Roll(Function):
    """The elements moved along, those that leave at the end coming back at the beginning."""

    def forward(self, x, *, shifts, dims):
        self.back, self.dims = tuple(-n for n in shifts), dims
        return rolled(x, shifts, dims)

    def backward_x(self, grad):
        return grad.roll(self.back, self.dims) if isinstance(grad, Tensor) else rolled(grad, self.back, self.dims)


def rolled(x: np.ndarray, shifts: tuple[int, ...], dims: tuple[int, ...]) -> np.ndarray:
    """The array moved along some dimensions; without them, all elements in a row."""
    return np.roll(x, shifts, dims) if dims else np.roll(x, shifts[0])


class Repeat(Function):
    """A copy repeated so often along each dimension: each element takes the sum of its copies' gradients."""

    def forward(self, x, *, counts):
        shape = (1,) * (len(counts) - x.ndim) + x.shape
        self.apart = tuple(n for pair in zip(counts, shape, strict=True) for n in pair)
        self.shape = x.shape
        return np.tile(x, counts)

    def backward_x(self, grad):
        return both.total(grad.reshape(self.apart), tuple(range(0, len(self.apart), 2))).reshape(self.shape)


class Joined(Function):
    """Tensors put together: each takes its part of the gradient."""

    dim: int
    places: Any

    def backward(self, grad):
        before = (slice(None),) * self.dim
        parts = [
            grad[(*before, place)] if edge is not None else None
            for edge, place in zip(self.edges, self.places(), strict=True)
        ]
        return parts if self.dtypes is None else self.returned(parts, recorded=False)


class Cat(Joined):
    """Tensors one after the other."""

    promotes = True

    def forward(self, *xs, dim):
        self.dim = dim
        self.lengths = [x.shape[dim] for x in xs]
        return np.concatenate(xs, axis=dim)

    def places(self) -> Any:
        """Where each tensor lies along `dim`."""
        return [slice(end - n, end) for n, end in zip(self.lengths, accumulate(self.lengths), strict=True)]


class Stack(Joined):
    """Tensors along a new dimension."""

    promotes = True

    def forward(self, *xs, dim):
        self.dim = dim
        return np.stack(xs, axis=dim)

    def places(self) -> Any:
        """Where each tensor lies along `dim`."""
        return range(len(self.edges))


class Tril(Function):
    """The lower triangle of the last two dimensions; zeros above."""

    def forward(self, x, *, diagonal):
        self.mask = self.inside(x.shape[-2], x.shape[-1], diagonal)
        return np.where(self.mask, x, x.dtype.type(0))

    def inside(self, rows, columns, diagonal):
        """True in the triangle."""
        return np.tri(rows, columns, diagonal, dtype=bool)

    def backward_x(self, grad):
        return grad * self.mask


class Triu(Tril):
    """The upper triangle of the last two dimensions; zeros below."""

    def inside(self, rows, columns, diagonal):
        return ~np.tri(rows, columns, diagonal - 1, dtype=bool)


class MaskedFill(Function):
    """`value` where the mask holds: there the gradient ends."""

    def forward(self, x, mask, *, value):
        return np.where(mask, x.dtype.type(value), x)

    def backward_x(self, grad, mask):
        return both.where(mask, 0.0, grad)
