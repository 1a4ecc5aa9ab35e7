"""`Parameter`: a leaf that a Module finds by itself."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor, materialise


class Parameter(Tensor):
    """A tensor that requires grad and belongs to a Module as soon as it is assigned to one."""

    def __new__(cls, data: Tensor, requires_grad: bool = True) -> Parameter:
        """A Parameter on the memory of `data`."""
        parameter = object.__new__(cls)
        parameter._array = materialise(data)
        parameter._versions = [0]
        if requires_grad and parameter._array.dtype.kind != "f":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        parameter._requires_grad = bool(requires_grad)
        return parameter

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __reduce__(self) -> Any:
        return Parameter, (self.detach().clone(), self.requires_grad)
