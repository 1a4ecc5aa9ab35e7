"""`Tensor`: an array, and what differentiation has to know about it."""

from __future__ import annotations

from typing import Any

import numpy as np

_new = object.__new__


class Moved(float):
    """Half a version more, in the counter of a number that has moved to an array: nothing has changed."""

    array: np.ndarray


class Tensor:
    """An n-dimensional array that remembers how it was computed.

    Attributes:
        grad_fn: the node of the operation that made this tensor; None for a leaf.
    """

    # Defaults live on the class: a tensor that no one asks a gradient of sets two attributes only.
    # `_array` is an ndarray, or a NumPy scalar when 0-d: arithmetic on a scalar is ten times faster
    # than on a 0-d array. `_versions[0]` counts changes in place; views share the list.
    grad_fn: Any = None
    _array: Any
    _versions: list[Any]
    _requires_grad = False
    _grad: Tensor | None = None
    _accumulator: Any = None  # weak reference to a leaf's AccumulateGrad
    _watched: Any = None  # of a leaf: `watched` of its node, which comes and goes

    __array_ufunc__ = None  # `ndarray * Tensor` asks Tensor.__rmul__

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the dimensions."""
        return self._array.shape

    def numel(self) -> int:
        """The number of elements."""
        return self._array.size

    @property
    def dtype(self) -> Any:
        """The elements' type, NumPy's; with the surface, torch's."""
        return self._array.dtype

    def to(self, dtype: Any) -> Tensor:
        """The tensor in another dtype; itself where it has that one."""
        return self if dtype == self._array.dtype else wrap(self._array.astype(dtype))

    def __iadd__(self, array: Any) -> Tensor:
        """Add an array in place, one version on: whoever saved the tensor will notice."""
        self._array += array
        self._versions[0] += 1
        return self

    @property
    def requires_grad(self) -> bool:
        """True when a gradient can be asked for."""
        return self._requires_grad

    @property
    def is_leaf(self) -> bool:
        """True for a tensor that no recorded operation made; `backward` fills the `.grad` of these."""
        return self.grad_fn is None

    @property
    def grad(self) -> Tensor | None:
        """What `backward` has accumulated."""
        return self._grad

    @grad.setter
    def grad(self, new: Tensor | None) -> None:
        self._grad = new

    @property
    def data(self) -> Tensor:
        """A tensor on the same memory, without history; changes through it are not noticed."""
        return wrap(materialise(self))

    def detach(self) -> Tensor:
        """A tensor on the same memory, with the same version counter, that knows nothing of its history."""
        out = self.data
        out._versions = self._versions
        return out


def wrap(array: Any) -> Tensor:
    """A Tensor on `array`, an ndarray or a NumPy scalar, without a copy."""
    out = _new(Tensor)
    out._array = array
    out._versions = [0]
    return out


def materialise(tensor: Tensor) -> np.ndarray:
    """The tensor's array, for sharing: a NumPy scalar cannot be shared, so it becomes a 0-d array.

    Nodes may have saved the scalar. They compare `_versions[0]` with the number they saw; half a version more tells
    them to look up the array (see `Function.changed`).
    """
    array = tensor._array
    if not isinstance(array, np.ndarray):
        array = tensor._array = np.array(array)
        tensor._versions[0] = moved = Moved(tensor._versions[0] + 0.5)
        moved.array = array
    return array
