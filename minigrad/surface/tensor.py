"""What torch's Tensor has beside operations: its data, flags, gradient, copies and text."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.grad_mode import state
from ..core.tensor import Tensor, materialise, wrap
from . import differentiate, dtypes, hooks
from .arguments import one_number
from .give import give
from .once import warn_once
from .printing import tensor_repr
from .size import Size
from .views import Sink, lead_nowhere, watch

TO_FLOAT = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\nConsider using "
    "tensor.detach() first."
)

NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
    "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure "
    "you access the leaf Tensor instead."
)

NON_LEAF_COPY = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  Use "
    "detach() or clone() to copy a computed one."
)


if TYPE_CHECKING:
    _Tensor = Tensor
else:
    _Tensor = object


class Methods(_Tensor):
    """What `Tensor` is given here: methods and properties, name by name."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """`Tensor([1., 2.])`: float32 whatever the data, as in torch."""
        data = np.asarray(args[0] if args else [], dtype=np.float32)
        if args and isinstance(args[0], int):
            data = np.zeros(args, dtype=np.float32)
        return wrap(data)

    @property
    def shape(self) -> Size:
        """The lengths of the dimensions."""
        return Size(self._array.shape)

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the length of one dimension."""
        if dim is None:
            return self.shape
        if not -self.ndim <= dim < self.ndim:
            n = max(self.ndim, 1)
            raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
        return self.shape[dim]

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    def dim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    @property
    def dtype(self) -> dtypes.dtype:
        """`float32`, `float64`, `int64` or `bool`."""
        return dtypes.of_numpy(self._array.dtype)

    def is_floating_point(self) -> bool:
        """True for float32 and float64."""
        return self._array.dtype.kind == "f"

    @property
    def _version(self) -> int:
        return int(self._versions[0])

    @property
    def data(self) -> Tensor:
        """A tensor on the same memory, without history; changes through it are not noticed."""
        return wrap(materialise(self))

    @data.setter
    def data(self, new: Tensor) -> None:
        if not isinstance(new, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(new).__name__}")
        if self._requires_grad and not new.is_floating_point():
            raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
        self._array = materialise(new)

    def item(self) -> Any:
        """The only element, as a Python number; RuntimeError when there is not exactly one."""
        if self._array.size != 1:
            raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to Scalar")
        return self._array.item()

    def tolist(self) -> Any:
        """Nested lists of Python numbers; a number when 0-d."""
        return self._array.tolist()

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """The ndarray, sharing memory; RuntimeError where its use would be missing from a graph, unless `force`."""
        if self._requires_grad and state.enabled and not force:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        return materialise(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = self.numpy()
        return np.array(array, dtype=dtype, copy=copy)

    def __float__(self) -> float:
        if self._requires_grad and state.enabled:
            warn_once(TO_FLOAT, stacklevel=3)
        return float(one_number(self))

    def __int__(self) -> int:
        return int(one_number(self))

    def __index__(self) -> int:
        if self._array.dtype.kind == "f" or self._array.size != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    def __bool__(self) -> bool:
        if self._array.size != 1:
            few = "no values" if self._array.size == 0 else "more than one value"
            raise RuntimeError(f"Boolean value of Tensor with {few} is ambiguous")
        return bool(self._array.item())

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return len(self._array)

    def __format__(self, spec: str) -> str:
        """A 0-d tensor is formatted as its number; others, and Parameters, take no `spec`, as in torch."""
        if self._array.ndim == 0 and type(self) is Tensor:
            return format(self.item(), spec)
        return object.__format__(self, spec)

    def __reduce__(self) -> Any:
        """A pickle, and `copy.copy`, is a leaf: the data and the flag, without gradient and history."""
        return restored, (self._array, self._requires_grad)

    def __deepcopy__(self, memo: Any) -> Tensor:
        """A leaf of its own, with a copy of `.grad`; RuntimeError for a tensor that has a history.

        Tensors that share memory share it in the copy, too, where they are copied together.
        """
        if self.grad_fn is not None:
            raise RuntimeError(NON_LEAF_COPY)
        out = memo[id(self)] = restored(copied(self._array, memo), self._requires_grad)
        out._versions = memo.setdefault(id(self._versions), [0])
        out._grad = copy.deepcopy(self._grad, memo)
        return out

    def __repr__(self) -> str:
        return tensor_repr(self)

    @property
    def requires_grad(self) -> bool:
        """True when a gradient can be asked for."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        if not isinstance(flag, bool):
            raise RuntimeError("requires_grad must be a bool")
        if self.grad_fn is not None and not flag:
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in "
                "a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        if flag and self._array.dtype.kind != "f":
            raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
        self._requires_grad = self.grad_fn is not None or flag
        for other in [reference() for reference in self._views or ()]:
            if other is not None and other.grad_fn is None:  # what a change of the view would change requires grad
                other._requires_grad = flag
                lead_nowhere(other)
        if isinstance(self._accumulator, Sink):  # now it requires grad for itself
            self._accumulator = None

    def requires_grad_(self, requires_grad: Any = True) -> Tensor:
        """Set `requires_grad` and return the tensor itself."""
        if not isinstance(requires_grad, bool):
            kind = type(requires_grad).__name__
            raise TypeError(f"requires_grad_(): argument 'requires_grad' (position 1) must be bool, not {kind}")
        if requires_grad and self._array.dtype.kind != "f":
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        self.requires_grad = requires_grad
        return self

    @property
    def grad(self) -> Tensor | None:
        """What `backward` has accumulated. Reading it on a non-leaf warns, unless `retain_grad` was called."""
        if self._grad is None and self.grad_fn is not None and not self._retains_grad:
            warnings.warn(NON_LEAF_GRAD, UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, new: Tensor | None) -> None:
        if new is not None:
            self._check_grad(new)
        self._grad = new

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    def _check_grad(self, new: Any) -> None:
        if not isinstance(new, Tensor):
            raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(new).__name__}")
        if new is self:
            raise RuntimeError("can't assign Variable as its own grad")
        if new._array.dtype != self._array.dtype:
            given, own = dtypes.WORDS[new.dtype.name].lower(), dtypes.WORDS[self.dtype.name]
            raise RuntimeError(
                f"attempting to assign a gradient with dtype '{given}' to a tensor with grad_dtype '{own}'. "
                "The gradient must match the tensor's dtype."
            )
        if new._array.shape != self._array.shape:
            raise RuntimeError(
                f"attempting to assign a gradient of size '{list(new.shape)}' to a tensor of size "
                f"'{list(self.shape)}'. Please ensure that the gradient and the tensor are the same size"
            )

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Accumulate the gradient of this tensor into the `.grad` of the leaves below it.

        Args:
            gradient: what arrives from above, of this tensor's shape; 1 for a one-element tensor.
            retain_graph: keep what was saved, so that the graph can be run again.
            create_graph: record the backward pass, so that it can be differentiated; keeps the graph too.
            inputs: accumulate into these tensors only.
        """
        differentiate.backward(self, gradient, retain_graph, create_graph, inputs)

    def detach_(self) -> Tensor:
        """Forget the history: the tensor becomes a leaf that requires no grad."""
        if self._view is not None:
            raise RuntimeError("Can't detach views in-place. Use detach() instead.")
        self.grad_fn = None
        self.requires_grad = False
        return self

    @property
    def retains_grad(self) -> bool:
        """True when a non-leaf was asked to keep its gradient."""
        return self._retains_grad

    _retains_grad: bool

    def retain_grad(self) -> None:
        """Let `backward` fill the `.grad` of this tensor though it is not a leaf."""
        if not self._requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if self.grad_fn is not None and not self._retains_grad:
            watch(self)
            self._retains_grad = True
            hooks.retain(self)

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> Any:
        """Call `hook(grad)` whenever a gradient of this tensor is computed; what it returns replaces it.

        Returns:
            A handle whose `remove()` takes the hook away.
        """
        if not self._requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        watch(self)
        return hooks.add_hook(self, hook)


def copied(array: Any, memo: dict[int, Any]) -> Any:
    """A copy of an array, in the copy of the memory that it is a part of."""
    if not isinstance(array, np.ndarray):
        return array
    whole = array
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    if not whole.flags.c_contiguous:
        return array.copy()
    if id(whole) not in memo:
        memo[id(whole)] = whole.copy()
    start = array.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    return np.ndarray(array.shape, array.dtype, memo[id(whole)], start, array.strides)


def restored(array: Any, requires_grad: bool) -> Tensor:
    """A leaf from what `Tensor.__reduce__` keeps."""
    out = wrap(array)
    out._requires_grad = requires_grad
    return out


def lend(methods: type, to: type) -> None:
    """Make the methods and properties of one class the other's own: in errors, too, they have its name."""
    for name, value in vars(methods).items():
        if isinstance(value, FunctionType | property | staticmethod):
            for part in (value, *(getattr(value, accessor, None) for accessor in ("fget", "fset", "fdel", "__func__"))):
                if isinstance(part, FunctionType):
                    part.__qualname__ = f"{to.__name__}.{name}"
            setattr(to, name, value)


lend(Methods, Tensor)
give(Tensor, __hash__=object.__hash__)
give(Tensor, _retains_grad=False)
give(Tensor, _view=None)  # of a view: see views.py
give(Tensor, _views=None)  # of a base: weak references to its views
