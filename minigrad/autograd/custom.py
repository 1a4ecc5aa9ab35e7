"""`torch.autograd.Function`: an operation with a rule of one's own."""

from __future__ import annotations

import inspect
import weakref
from typing import Any

import numpy as np

from ..core import function, unbroadcast
from ..core.function import gradient_edge, next_number
from ..core.grad_mode import state
from ..core.tensor import Tensor, wrap
from ..surface.arguments import kind_of
from ..surface.grad_mode import no_grad
from ..surface.graph import broadcasts, cast
from ..surface.several import Slot, Slots

OUTPUT = object()  # in place of the node that made a saved output: it would hold itself


class Context(function.Function):
    """`ctx`: what forward leaves for backward, and the node in the graph."""

    user: type[Function]
    materialize = True
    non_differentiable: tuple[Tensor, ...] = ()
    pending: tuple[Any, ...] = ()
    dirty: tuple[Any, ...] = ()
    needs_input_grad: tuple[bool, ...] = ()
    output_forms: list[tuple[tuple[int, ...], Any] | None]  # a shape and a dtype; None for what is no tensor
    dtypes: Any

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for backward: they are freed with the graph, and a later change in place is noticed."""
        for i, x in enumerate(tensors):
            if not isinstance(x, Tensor | None):
                kind = type(x).__name__
                raise TypeError(f"save_for_backward can only save variables, but argument {i} is of type {kind}")
        self.pending = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """These outputs get no gradient."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """False: an output that nothing depends on has gradient None, not zeros."""
        self.materialize = value

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What `save_for_backward` kept, with its place in the graph; RuntimeError when freed or modified."""
        if self.saved is None:
            raise RuntimeError(function.FREED)
        values = super().saved_tensors
        if self.places is None:
            return tuple(self.pending)
        return tuple(
            x if not isinstance(x, np.ndarray | np.generic) else self.rebuilt(place, x)
            for place, x in zip(self.places, values, strict=True)
        )

    places: Any = None  # per saved tensor: its node, OUTPUT for an output, None; and a weak reference to it

    def rebuilt(self, place: Any, array: Any) -> Tensor:
        """A saved tensor with its history: itself, if it is still there and what it was."""
        node, original = place
        if isinstance(node, function.AccumulateGrad):
            return node.variable
        if original() is not None and original()._array is array and gradient_edge(original()) is node:
            return original()
        out = wrap(array)
        if node is not None:
            out.grad_fn = self if node is OUTPUT else node
            out._requires_grad = True
        return out

    def keep(self, outputs: list[Tensor]) -> None:
        """Turn the tensors that were given into arrays and edges: a node that held its output would be a cycle."""
        saved: list[Any] = []
        versions: list[Any] = []
        places: list[Any] = []
        for i, x in enumerate(self.pending):
            if not isinstance(x, Tensor):
                saved.append(x)
                places.append(None)
                continue
            saved.append(x._array)
            versions.append((i, x._versions, x._versions[0]))
            is_output = any(x is out for out in outputs)
            node = None if not x._requires_grad else OUTPUT if is_output else gradient_edge(x)
            places.append((node, weakref.ref(x)))
        self.saved, self.versions, self.places, self.pending = saved, versions, places, ()

    def backward(self, grad: Any) -> list[Any]:
        """Call the user's rule with Tensors, and check what it returns."""
        grads = self.entries(grad.shown(self)) if isinstance(grad, Slots) else [grad]
        recorded = any(isinstance(g, Tensor) for g in grads)
        grads = [wrap(g) if isinstance(g, np.ndarray | np.generic) else g for g in grads]
        returned = self.user.backward(self, *grads)
        returned = list(returned) if isinstance(returned, tuple) else [returned]
        while len(returned) > len(self.edges) and returned[-1] is None:
            returned.pop()
        if len(returned) != len(self.edges):
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {len(self.edges)}, got "
                f"{len(returned)})"
            )
        for i, (g, dtype) in enumerate(zip(returned, self.dtypes, strict=True), start=1):
            if g is not None and dtype is None:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different than None at position {i}, but the "
                    "corresponding forward input was not a Variable"
                )
        return [
            self.checked(i, g, recorded) if edge is not None else None
            for i, (g, edge) in enumerate(zip(returned, self.edges, strict=True))
        ]

    def entries(self, given: dict[int, Any]) -> list[Any]:
        """One gradient an output: zeros for one that nothing depends on."""
        recorded = any(isinstance(grad, Tensor) for grad in given.values())
        out = []
        for i, form in enumerate(self.output_forms):
            grad = given.get(i)
            if grad is None and self.materialize and form is not None:
                grad = wrap(np.zeros(*form)) if recorded else np.zeros(*form)
            out.append(grad)
        return out

    def checked(self, i: int, grad: Any, recorded: bool) -> Any:
        """One gradient, of its input's shape (a broadcast one is summed) and dtype."""
        if grad is None:
            return None
        if not isinstance(grad, Tensor):
            raise RuntimeError(f"expected Variable or None (got {kind_of(grad)})")
        found, wanted = grad._array.shape, self.edges[i].out_shape
        if found != wanted:
            if not broadcasts(wanted, found):
                raise RuntimeError(
                    f"Function {self.name()} returned an invalid gradient at index {i} - got {list(found)} but "
                    f"expected shape compatible with {list(wanted)}"
                )
            grad = unbroadcast.unbroadcast(grad, wanted)
        if grad._array.dtype != self.dtypes[i]:
            grad = cast(grad, self.dtypes[i])
        return grad if recorded else grad._array

    def name(self) -> str:
        """The user's name for the function, and Backward."""
        return f"{self.user.__name__}Backward"


class Function:
    """Subclass it with two static methods, `forward(ctx, …)` and `backward(ctx, *grads)`, and call `apply`.

    `forward` may also be written without ctx, with `setup_context(ctx, inputs, output)` beside it.
    """

    context: type[Context]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.context = type(f"{cls.__name__}Backward", (Context,), {"user": cls})

    @staticmethod
    def forward(*args: Any) -> Any:
        """Compute the outputs from the inputs."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        """One gradient an input (None where there is none) from one gradient an output."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run `forward` unrecorded, and record the function as one node."""
        ctx = cls.context()
        if hasattr(cls, "setup_context"):
            args = with_defaults(cls.forward, args)
        needs = [isinstance(x, Tensor) and x._requires_grad for x in args]
        ctx.needs_input_grad = tuple(needs)
        recorded = state.enabled and any(needs)
        with no_grad():
            if hasattr(cls, "setup_context"):
                result = cls.forward(*args)
                cls.setup_context(ctx, args, result)
            else:
                result = cls.forward(ctx, *args)
        if not recorded:
            return result
        results = result if isinstance(result, tuple) else (result,)
        given = {id(x) for x in args if isinstance(x, Tensor)}
        outputs = [alias(x) if id(x) in given else x for x in results]
        tensors = [x for x in outputs if isinstance(x, Tensor)]
        if not tensors:
            return result
        ctx.output_forms = [form_of(x) for x in outputs]
        ctx.out_shape = tensors[0]._array.shape
        ctx.record(args, tensors[0])
        ctx.dtypes = tuple(x._array.dtype if isinstance(x, Tensor) else None for x in args)
        tensors[0].grad_fn = None
        for i, x in enumerate(outputs):
            if isinstance(x, Tensor) and x._array.dtype.kind == "f" and id(x) not in map(id, ctx.non_differentiable):
                x._requires_grad = True
                x.grad_fn = ctx if len(outputs) == 1 else slot_of(ctx, i, x)
        ctx.keep(tensors)
        return outputs[0] if not isinstance(result, tuple) else tuple(outputs)


def with_defaults(forward: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a call, with the defaults of those that were left out: torch counts them as inputs."""
    bound = inspect.signature(forward).bind(*args)
    bound.apply_defaults()
    return bound.args


def slot_of(owner: Context, index: int, x: Tensor) -> Slot:
    """The node of one of several outputs."""
    node = Slot()
    node.edges, node.index, node.out_shape, node.number = [owner], index, x._array.shape, next_number()
    return node


def form_of(x: Any) -> tuple[tuple[int, ...], Any] | None:
    """A tensor's shape and dtype; None for anything else, which gets no gradient."""
    return (x._array.shape, x._array.dtype) if isinstance(x, Tensor) else None


def alias(x: Tensor) -> Tensor:
    """The same data as another tensor: an input that is returned is an output of its own."""
    return x.detach()
