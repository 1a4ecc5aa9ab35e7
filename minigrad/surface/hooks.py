"""Hooks on gradients, and `retain_grad`: both watch the node that a tensor's gradient flows into."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from ..core.function import AccumulateGrad, Function, gradient_edge
from ..core.tensor import Tensor, wrap
from . import dtypes
from .give import give

give(Tensor, _hooks=None)
give(Function, hooks=())  # called with each gradient that arrives at the node
give(Function, retained=None)  # weak reference to the tensor that asked for its gradient by retain_grad()


def hooks_of(node: Any) -> list[Any]:
    """The hooks that see the gradient of a node's tensor: the node of a leaf comes and goes, the leaf keeps them."""
    kept: list[Any] = node.variable._hooks if isinstance(node, AccumulateGrad) else node.hooks
    return kept


def show(node: Any, grad: Any) -> Any:
    """Show the gradient to the hooks of the node's tensor, then keep it where `retain_grad` asked."""
    recorded = isinstance(grad, Tensor)
    for hook in hooks_of(node):
        given = grad if recorded or grad is None else wrap(grad)  # None of a result that nothing depends on
        returned = hook(given)
        if returned is not None:
            if given is None:
                raise RuntimeError("can't replace a None gradient with a non-None value")
            check_returned(hook, given, returned)
            grad = returned if recorded else returned._array
    tensor = node.retained and node.retained()
    if tensor is not None and grad is not None:
        AccumulateGrad(tensor).backward(grad)
    return grad


def check_returned(hook: Callable[[Tensor], Any], given: Tensor, returned: Any) -> None:
    """TypeError or RuntimeError for a hook that returns something else than a gradient like the one it was given."""
    if not isinstance(returned, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(returned).__name__}'")
    name = getattr(hook, "__name__", hook)
    if returned.shape != given.shape:
        raise RuntimeError(f"hook '{name}' has changed the size of value")
    if returned.dtype != given.dtype:
        was, got = (dtypes.type_name(x.dtype) for x in (given, returned))
        raise RuntimeError(f"hook '{name}' has changed the type of value (was {was} got {got})")


def add_hook(tensor: Any, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
    """Call `hook` with each gradient that flows into `tensor`."""
    node: Any = gradient_edge(tensor)
    if isinstance(node, AccumulateGrad):
        if tensor._hooks is None:
            tensor._hooks, tensor._watched = [], show
    elif not node.hooks:
        node.hooks = []
    node.watched = show
    kept = tensor._hooks if isinstance(node, AccumulateGrad) else node.hooks
    kept.append(hook)
    return RemovableHandle(kept, hook)


def retain(tensor: Tensor) -> None:
    """Let `backward` fill the `.grad` of a tensor that is no leaf."""
    node = tensor.grad_fn
    node.retained = weakref.ref(tensor)  # weak: a tensor owns its node
    node.watched = show


class RemovableHandle:
    """What `register_hook` returns: `remove()`, or the end of a `with` block, takes the hook away."""

    def __init__(self, hooks: list[Any], hook: Any) -> None:
        self.hooks = hooks
        self.hook = hook

    def remove(self) -> None:
        """Take the hook away; a second time does nothing."""
        if self.hook in self.hooks:
            self.hooks.remove(self.hook)
        self.hooks = []

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()
