"""The one scaffold: back-propagation path by path, which chapter 1 builds and chapter 3 replaces.

No module of the finished engine uses it.
"""

from __future__ import annotations

from typing import Any

from ..function import AccumulateGrad, Function
from ..tensor import Tensor, wrap


def backpropagate(node: Function, grad: Tensor) -> None:
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
    backpropagate(root, grad if isinstance(grad, Tensor) else wrap(grad))
