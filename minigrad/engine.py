"""The traversal: from an output down to the leaves, each node once, newest first."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

from .function import Function
from .unbroadcast import unbroadcast


def run_backward(root: Function, grad: Any, retain_graph: bool = False) -> None:
    """Send `grad` from `root` to every leaf below it.

    A node is numbered when it is made, after everything that it depends on. Taking the newest
    first therefore meets a node only when all of its gradients have arrived.
    """
    grads = {root: grad}
    queue = [(root.number, root)]
    while queue:
        node = heappop(queue)[1]
        input_grads = node.backward(grads.pop(node))
        if not retain_graph:
            node.free()
        for (below, _), grad, shape in zip(node.next_functions, input_grads, node.shapes):
            if grad is None or below is None:
                continue
            if grad.shape != shape:
                grad = unbroadcast(grad, shape)
            if below in grads:
                grads[below] = grads[below] + grad
            else:
                grads[below] = grad
                heappush(queue, (below.number, below))
