"""`backward` and `grad` as torch has them: of several outputs, with respect to some inputs, recorded or not."""

from typing import Any

import numpy as np

from ..core import engine
from ..core.engine import NOTHING, first_gradient, run_hooks, visit_and_free, visit_and_keep
from ..core.function import AccumulateGrad, Function, gradient_edge, next_number
from ..core.tensor import Tensor, wrap
from ..rules.reduce import Sum
from .once import warn_once
from .views import repeated

CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break the "
    "cycle and avoid the leak."
)


class GraphRoot(Function):
    """A node above several outputs, so that one traversal starts from all of them."""

    def __init__(self, nodes: list[Function]) -> None:
        self.edges = nodes
        self.number = next_number()

    def backward(self, grad: list[Any]) -> list[Any]:
        """Hand each output its gradient."""
        return grad


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """`torch.autograd.backward`: accumulate into the `.grad` of the leaves, or of `inputs` only."""
    if create_graph:
        warn_once(CYCLE, stacklevel=4)
    keep = create_graph if retain_graph is None else retain_graph
    visit = visit_and_keep if keep else visit_and_free
    if inputs is not None:
        inputs = sequence(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
        found = capture(tensors, inputs, grad_tensors, retain_graph, create_graph)
        for x, grad in dict(zip(inputs, found, strict=True)).items():
            if grad is not None and not x._retains_grad:  # what retains its gradient has it already
                AccumulateGrad(x).backward(grad)
        return
    if isinstance(tensors, Tensor) and grad_tensors is None and not create_graph:
        if not tensors._requires_grad:
            raise RuntimeError(NOTHING.format(0))
        grad_tensors = first_gradient(tensors, None, 0)._array  # the common call, a loss, spares the lists below
        root = gradient_edge(tensors)
    else:
        root, grad_tensors = start(tensors, grad_tensors, create_graph)
    engine.walk(root, grad_tensors, visit, create_graph)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,  # torch has kept the name only: no other leaf gets a gradient
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """`torch.autograd.grad`: the gradients of `outputs` with respect to `inputs`; writes no `.grad`.

    Returns:
        One tensor an input; None for one that the outputs do not depend on (`allow_unused=True`), or
        zeros (`materialize_grads=True`).

    Raises:
        RuntimeError: an input requires no grad, or was not used and `allow_unused` is not True.
        ValueError: `materialize_grads` with `allow_unused=False`.
    """
    if is_grads_batched:
        raise NotImplementedError("minigrad sends one gradient at a time down the graph: loop over grad_outputs.")
    inputs = sequence(inputs)
    if not inputs:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    found = capture(outputs, inputs, grad_outputs, retain_graph, create_graph)
    grads = []
    for i, (x, grad) in enumerate(zip(inputs, found, strict=True)):
        if grad is None and materialize_grads:
            grad = wrap(np.zeros_like(x._array))
            grad._requires_grad = create_graph
        if grad is None and not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior."
            )
        if grad is not None and not isinstance(grad, Tensor):
            grad = repeated(grad) if isinstance(grad, np.ndarray) and not grad.flags.writeable else wrap(grad)
        grads.append(grad)
    return tuple(grads)


def capture(outputs: Any, inputs: list[Tensor], grad_outputs: Any, retain_graph: Any, create_graph: bool) -> list[Any]:
    """What arrives at each of `inputs`. Only the nodes that lead to them run, and only those are freed."""
    root, first = start(outputs, grad_outputs, create_graph)
    for x in inputs:
        if not isinstance(x, Tensor):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(x).__name__}")
    if any(not x._requires_grad for x in inputs):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    keep = create_graph if retain_graph is None else retain_graph
    edges = [gradient_edge(x) for x in inputs]
    arrived: dict[Function, Any] = dict.fromkeys(edges)
    needed = nodes_above(arrived, root)

    def visit(node: Function, grad: Any) -> list[Any]:
        if node not in needed and node not in arrived:
            return [None] * len(node.edges)
        if node.watched:
            grad = run_hooks(node, grad)
        if node in arrived:
            arrived[node] = grad
        if node not in needed:
            return [None] * len(node.edges)
        grads = node.backward(grad)
        if isinstance(node, Sum) and not isinstance(grad, Tensor):
            grads = [np.broadcast_to(node.kept(grad), node.shape)]  # one number, repeated, as torch has it
        if node.saved and not keep:
            node.free()
        return grads

    engine.walk(root, first, visit, create_graph)
    return [arrived[edge] for edge in edges]


def nodes_above(targets: Any, root: Function) -> set[Function]:
    """The nodes between `root` and `targets`: those that must run so that the targets' gradients are known."""
    reached = {root}
    stack = [root]
    while stack:
        for below in stack.pop().edges:
            if below is not None and below not in reached:
                reached.add(below)
                stack.append(below)
    needed: set[Function] = set()
    for node in sorted(reached, key=lambda node: -node.number):  # oldest first: what is below is decided
        if any(below in targets or below in needed for below in node.edges):
            needed.add(node)
    return needed


def start(outputs: Any, grad_outputs: Any, create_graph: bool) -> tuple[Function, Any]:
    """The node to start at, and the gradient that arrives there."""
    outputs = sequence(outputs)
    given = [None] * len(outputs) if grad_outputs is None else sequence(grad_outputs)
    for gradient in given:
        if not isinstance(gradient, Tensor | None):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
    if len(given) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(given)} gradients")
    grads = []
    for i, (output, gradient) in enumerate(zip(outputs, given, strict=True)):
        if gradient is None and not output._requires_grad:
            raise RuntimeError(NOTHING.format(i))
        grads.append(first_gradient(output, gradient, i))
    for i, output in enumerate(outputs):
        if not output._requires_grad:
            raise RuntimeError(NOTHING.format(i))
    if not create_graph:
        grads = [g._array for g in grads]
    if len(outputs) == 1:
        return gradient_edge(outputs[0]), grads[0]
    return GraphRoot([gradient_edge(output) for output in outputs]), grads


def sequence(tensors: Any) -> list[Any]:
    """One tensor or several, as a list."""
    return [tensors] if tensors is None or isinstance(tensors, Tensor) else list(tensors)
