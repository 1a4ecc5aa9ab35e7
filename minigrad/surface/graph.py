"""Nodes as torch shows and runs them: `next_functions`, a rule by hand, and backward passes that are recorded."""

from typing import Any

import numpy as np

from ..core import unbroadcast
from ..core.function import AccumulateGrad, Function
from ..core.grad_mode import state
from ..core.tensor import Tensor, wrap
from ..rules.elementwise import ToCopy
from .give import give


def differentiable(node: Function) -> list[bool]:
    """Per input: has it a rule?"""
    return [hasattr(node, f"backward_{name}") for name in node.names] or [True] * len(node.edges)


def next_functions(node: Function) -> tuple[tuple[Function | None, int], ...]:
    """The edges in torch's form, `(node, output number)` for each input, in the order of `backward`'s gradients."""
    return tuple([(edge, 0) for edge in node.edges])


def by_hand(node: Function, *grads: Any) -> Any:
    """The rules by hand, as in torch: `node(grad)` is the gradient of each input, as Tensors."""
    arrays = [g._array if isinstance(g, Tensor) and not state.enabled else g for g in grads]
    below = [g if g is None or isinstance(g, Tensor) else wrap(g) for g in node.backward(*arrays)]
    below = [g for g, has_rule in zip(below, differentiable(node), strict=False) if has_rule]
    return below[0] if len(below) == 1 else tuple(below)


def fitted(node: Function, rule: Any, below: Any, edge: Any) -> Any:
    """A rule's gradient in its input's shape; TypeError or RuntimeError for what is no gradient of that input."""
    if edge is None:
        raise no_edge(rule)
    if not hasattr(below, "shape"):
        raise no_array(rule.__qualname__, below)
    check_fits(rule, below.shape, edge.out_shape)
    return unbroadcast.unbroadcast(below, edge.out_shape)


def no_array(where: str, found: Any) -> TypeError:
    """The error for a forward or a rule that returned something else than an array."""
    if found is None:
        return TypeError(f"{where} returned None: is its `return` missing?")
    return TypeError(f"{where} returned {found!r:.40}, of type {type(found).__name__}; it has to return an array.")


def no_edge(rule: Any) -> TypeError:
    """The error for a node whose edges are not those of its inputs."""
    return TypeError(
        f"{rule.__qualname__} is a rule for an input to which its node has no edge: its edges do not fit its inputs."
    )


def check_fits(rule: Any, found: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    """RuntimeError for a rule whose gradient has a shape to which its input does not broadcast."""
    if not broadcasts(wanted, found):
        raise RuntimeError(
            f"{rule.__qualname__} returned an invalid gradient: got {list(found)} but expected shape compatible with "
            f"{list(wanted)}"
        )


def broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Whether an array of `shape` broadcasts to the shape `to`."""
    pairs = zip(reversed(shape), reversed(to), strict=False)
    return len(shape) <= len(to) and all([n in (1, m) for n, m in pairs])


def returned(node: Function, grads: list[Any], recorded: bool) -> list[Any]:
    """The gradients in their inputs' dtypes; TypeError for a rule that left the graph in a recorded pass."""
    if node.dtypes is not None:
        grads = [g if g is None else cast(g, dtype) for g, dtype in zip(grads, node.dtypes, strict=True)]
    for i, rule, _ in node.plan.rules if recorded else ():
        if not isinstance(grads[i], Tensor):
            raise TypeError(
                f"{rule.__qualname__} returned an array in a backward pass that is recorded (create_graph=True). "
                "Compute with operators, which tensors have as well, in place of NumPy's functions."
            )
    return grads


def cast(grad: Any, dtype: Any) -> Any:
    """`grad`, an array or a Tensor, in another of NumPy's dtypes."""
    if not isinstance(grad, Tensor):
        return grad.astype(dtype)
    return grad if grad._array.dtype == dtype else ToCopy.apply(grad, dtype=dtype)


def as_tensors(owner: Function, positions: Any, values: Any) -> list[Any]:
    """Saved values with their place in the graph: for a backward pass that is itself recorded.

    Args:
        owner: the node that saved them.
        positions: per value, which input it is; -1 for the result.
        values: arrays, numbers, None.
    """
    tensors = []
    for i, value in zip(positions, values, strict=True):
        if isinstance(value, np.ndarray | np.generic):
            node = owner if i == -1 else owner.edges[i]
            if isinstance(node, AccumulateGrad):
                value = node.variable
            else:
                value = wrap(value)
                value.grad_fn = node
                value._requires_grad = node is not None
        tensors.append(value)
    return tensors


give(Function, next_functions=property(next_functions), __call__=by_hand)
give(Function, fitted=fitted, returned=returned, as_tensors=as_tensors)
