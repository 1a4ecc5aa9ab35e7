"""The traversal: from an output down to the leaves, each node once, newest first."""

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

import numpy as np

from . import grad_mode
from .function import Function, gradient_edge
from .tensor import Tensor, wrap

NOTHING = "element {} of tensors does not require grad and does not have a grad_fn"
NOT_SCALAR = "grad can be implicitly created only for scalar outputs"
MISMATCH = "Mismatch in shape: grad_output[{0}] has a shape of {1} and output[{0}] has a shape of {2}."

Visit = Callable[[Function, Any], list[Any]]


def run_backward(root: Function, grad: Any, visit: Visit) -> None:
    """Send `grad` from `root` to every node below it.

    A node is numbered when it is made, after everything that it depends on. Taking the newest
    first therefore meets a node only when all of its gradients have arrived. `visit(node, grad)`
    runs one node: it returns the gradient of each of its inputs, None for one that needs none.
    """
    grads = {root: grad}
    queue = [(root.number, root)]
    while queue:
        _, node = heappop(queue)
        for below, grad in zip(node.edges, visit(node, grads.pop(node))):  # noqa: B905 - this line is hot
            if grad is None:
                continue
            if below in grads:
                grads[below] = grads[below] + grad
            else:
                grads[below] = grad
                heappush(queue, (below.number, below))


def visit_and_free(node: Function, grad: Any) -> list[Any]:
    """Run a node, then drop what it saved."""
    if node.watched:
        grad = run_hooks(node, grad)
    grads = node.backward(grad)
    if node.saved:
        node.free()
    return grads


def visit_and_keep(node: Function, grad: Any) -> list[Any]:
    """Run a node that may be run again."""
    if node.watched:
        grad = run_hooks(node, grad)
    return node.backward(grad)


def run_hooks(node: Function, grad: Any) -> Any:
    """Show the gradient to those who watch the node, who may replace it."""
    return node.watched(node, grad) if node.watched else grad


def first_gradient(output: Tensor, gradient: Tensor | None, i: int) -> Tensor:
    """What arrives at output number `i`: `gradient`, which has its shape, or 1 if it has one element."""
    if gradient is None:
        if output.numel() != 1:
            raise RuntimeError(NOT_SCALAR)
        return one_like(output)
    if gradient.shape != output.shape:
        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
    return gradient.to(output.dtype)


def one_like(output: Tensor) -> Tensor:
    """A tensor of ones in the output's shape and dtype."""
    array = output._array
    return wrap(np.ones(array.shape, array.dtype) if isinstance(array, np.ndarray) else array.__class__(1))


def backward(output: Tensor, gradient: Tensor | None = None, retain_graph: bool = False) -> None:
    """Accumulate the gradient of `output` into the `.grad` of the leaves below it; RuntimeError where it needs none.

    `gradient`, of the output's shape, arrives from above: 1 for one element. `retain_graph` keeps what was saved.
    """
    if not output._requires_grad:
        raise RuntimeError(NOTHING.format(0))
    first = first_gradient(output, gradient, 0)._array
    walk(gradient_edge(output), first, visit_and_keep if retain_graph else visit_and_free)


def walk(root: Function, grad: Any, visit: Visit, recorded: bool = False) -> None:
    """The traversal, of which nothing is recorded; or all of it, for a gradient of the gradient."""
    previous = grad_mode.state.enabled
    grad_mode.state.enabled = recorded
    try:
        run_backward(root, grad, visit)
    finally:
        grad_mode.state.enabled = previous
