"""The one scaffold: back-propagation path by path, which chapter 1 builds and chapter 3 replaces.

No module of the finished engine uses it.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

from ..core.function import AccumulateGrad, Function
from ..core.tensor import Tensor, wrap
from ..rules.both import raw


def backpropagate(node: Any, grad: Tensor) -> None:
    """Send `grad` from `node` along every path down to the leaves, and add what arrives to their `.grad`.

    Args:
        node: a node of the graph: the `grad_fn` of an operation's result, or a leaf's AccumulateGrad.
        grad: the gradient of the output with respect to the node's result, in that result's shape.
    """
    if isinstance(node, AccumulateGrad):
        leaf = node.variable
        leaf.grad = grad if leaf.grad is None else leaf.grad + grad
        return
    for (below, _), below_grad in zip(node.next_functions, node.backward(grad), strict=True):
        if below is not None:
            backpropagate(below, below_grad)


def run_backward(root: Function, grad: Any, visit: Any) -> None:
    """Stand in for the engine's traversal: walk path by path. Nodes run more than once, so `visit` is not asked."""
    with _seen_by_the_walk():
        backpropagate(root, wrap(raw(grad)))


@contextlib.contextmanager
def _seen_by_the_walk() -> Iterator[None]:
    """While the walk runs, a node takes and returns tensors, and what comes by is added where `retain_grad` asked.

    The rules run on bare arrays, as they do under the finished traversal.
    """
    on_arrays = Function.backward

    def on_tensors(node: Any, grad: Any) -> list[Any]:
        retained = node.retained and node.retained()
        if retained is not None:
            AccumulateGrad(retained).backward(raw(grad))
        grads = on_arrays(node, raw(grad))
        made = {id(below): None if below is None else wrap(below) for below in grads}
        return [made[id(below)] for below in grads]  # one array that goes to two inputs stays one tensor

    Function.backward = on_tensors  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        Function.backward = on_arrays  # type: ignore[method-assign]
