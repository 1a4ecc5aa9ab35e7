"""Operations of several results: a node for each of them, above the one node that takes all of their gradients."""

import weakref
from typing import Any

import numpy as np

from ..core.function import Function, Rules, gradient_edge, next_number
from ..core.tensor import Tensor
from ..rules.index import scatter
from .give import give
from .hooks import show


class Slots:
    """The gradients of several results, on their way to the one node: pairs of a result's number and a gradient.

    A sum has the pairs of both, in the first one's list where that ends there (`count` says how much of a list is
    whose): so each `+` takes the same short time, and changes neither.
    """

    def __init__(self, pairs: list[tuple[int, Any]]) -> None:
        self.pairs, self.count = pairs, len(pairs)

    def __add__(self, other: "Slots") -> "Slots":
        pairs = self.pairs if len(self.pairs) == self.count else self.pairs[: self.count]
        pairs += other.pairs[: other.count]
        return Slots(pairs)

    def by_number(self) -> dict[int, Any]:
        """The gradients, added up in the order in which they arrived."""
        grads: dict[int, Any] = {}
        for i, grad in self.pairs[: self.count]:
            grads[i] = grads[i] + grad if i in grads else grad
        return grads

    def shown(self, owner: Any) -> dict[int, Any]:
        """The gradients by number, once the hooks of all results have seen them: None of one that has none."""
        grads = self.by_number()
        for i in sorted(owner.listening):
            node = owner.listening[i]()
            grad = node and show(node, grads.get(i))
            if grad is not None:
                grads[i] = grad
        return grads


class Slot(Function):
    """One of several results: it tells the node below which one a gradient is of."""

    number: int
    index: int

    def backward(self, grad: Any) -> list[Any]:
        """The gradient, with its result's number."""
        return [Slots([(self.index, grad)])]

    def name(self) -> str:
        """The owner's name: to the user they are one node."""
        return self.edges[0].name()

    @property
    def watched(self) -> Any:
        """None, as who watches one result is asked by the owner, in the order of the results."""
        return None

    @watched.setter
    def watched(self, show: Any) -> None:
        owner = self.edges[0]
        owner.listening = owner.listening | {self.index: weakref.ref(self)}

    @property
    def next_functions(self) -> Any:
        """The owner's."""
        return self.edges[0].next_functions


class Parts(Function):
    """The node below several views of one tensor: their gradients go where they were taken."""

    def __init__(self, x: Tensor, named: str, indices: list[Any]) -> None:
        self.edges, self.number = [gradient_edge(x)], next_number()
        self.shape, self.named, self.indices = x._array.shape, named, indices

    def backward(self, grad: Slots) -> list[Any]:
        """One gradient of them all: zeros where there is none."""
        grads = grad.shown(self)
        some = next(iter(grads.values()))
        if isinstance(some, Tensor):
            parts = [scatter(grads[i], self.shape, self.indices[i]) for i in grads]
            return [sum(parts[1:], start=parts[0])]
        out = np.zeros(self.shape, some.dtype)
        for i in grads:
            out[self.indices[i]] = grads[i]
        return [out]

    def name(self) -> str:
        """`UnbindBackward0`."""
        return f"{self.named}Backward0"


SLOTS: dict[str, Any] = {name: Rules(f"{name}Backward0", (Slot,), {}) for name in ("Unbind", "Split", "SplitWithSizes")}
give(Function, listening={})  # of a node of several results: which of them are watched
