"""`Parameter`: a leaf that a Module finds by itself."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor, materialise
from ..surface.creation import empty


class Leaves(type):
    """The type of `Parameter`, which without data holds no element."""

    def __call__(cls, *given: Any, **named: Any) -> Any:
        """A parameter."""
        return super().__call__(*given or (() if "data" in named else [empty(0)]), **named)


class Leaf(Tensor, metaclass=Leaves):
    """A leaf on the memory of another tensor: what a Parameter is besides its flag."""

    def __new__(cls, data: Tensor, requires_grad: bool = True) -> Leaf:
        """A leaf on the memory of `data`."""
        leaf = object.__new__(cls)
        leaf._array = materialise(data)
        leaf._versions = [0]
        if requires_grad and leaf._array.dtype.kind != "f":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        return leaf

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __reduce__(self) -> Any:
        return Parameter, (self.detach().clone(), self.requires_grad)

    def __deepcopy__(self, memo: Any) -> Parameter:
        return Parameter(self.detach().clone(), self.requires_grad)


class Parameter(Leaf):
    """A tensor that requires grad and belongs to a Module as soon as it is assigned to one."""

    def __init__(self, data: Tensor, requires_grad: bool = True) -> None:
        self.requires_grad = requires_grad
