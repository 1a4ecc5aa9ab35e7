"""`einsum`: sums over products, spelled with letters."""

from typing import Any

import numpy as np

from ..core.function import Function, Plan
from ..core.tensor import Tensor
from . import both
from .index import scatter


class Einsum(Function):
    """A sum over products, spelled with letters: the rule is another einsum, the letters exchanged.

    The gradient of one input is the einsum of the result's gradient with the other inputs. A letter
    that only this input has was summed away: its gradient is repeated along it. A letter that the
    input has twice read its diagonal: there, and only there, its gradient is put.
    """

    def forward(self, *xs, terms, result):
        self.terms = terms
        self.result = result
        self.shapes = [x.shape for x in xs]
        return np.einsum(",".join(terms) + "->" + result, *xs)

    def save(self, places, inputs, out):
        """An input is needed for the gradients of the others."""
        needing = [i for i, edge in enumerate(self.edges) if edge is not None]
        kept = [i for i in range(len(inputs)) if needing != [i]]
        if len(inputs) > 1:
            self.saved = [x._array if i in kept else None for i, x in enumerate(inputs)]
            self.versions = [(i, inputs[i]._versions, inputs[i]._versions[0]) for i in kept]

    @classmethod
    def make_plan(cls, needs):
        """Save all; there is no rule per input."""
        return Plan(saves=(0,), rules=())

    def backward(self, grad):
        saved = self.saved_tensors
        if isinstance(grad, Tensor):
            saved = self.as_tensors(tuple(range(len(saved))), saved)
        return [self.input_grad(i, grad, saved) if edge is not None else None for i, edge in enumerate(self.edges)]

    def input_grad(self, i, grad, saved):
        """The gradient of input i."""
        own, shape = self.terms[i], self.shapes[i]
        others = [k for k in range(len(self.terms)) if k != i]
        terms = [self.result, *[self.terms[k] for k in others]]
        sizes = dict(zip(own, shape, strict=True))
        kept = [letter for letter in sizes if sizes[letter] != 1 and any(letter in term for term in terms)]
        out = contracted(terms, "".join(kept), [grad, *[saved[k] for k in others]])
        lengths = dict(zip(kept, out.shape, strict=True))
        out = out.reshape(tuple(lengths.get(letter, 1) for letter in sizes))
        if out.shape != tuple(sizes.values()):
            out = both.expand(out, tuple(sizes.values()))
        if len(sizes) == len(own):
            return out
        places = dict(zip(sizes, np.ix_(*map(np.arange, sizes.values())), strict=True))
        return scatter(out, shape, tuple(places[letter] for letter in own), once=True)


def contracted(terms: list[str], result: str, xs: list[Any]) -> Any:
    """A sum over products."""
    if any(isinstance(x, Tensor) for x in xs):
        return Einsum.apply(*xs, terms=terms, result=result)
    return np.einsum(",".join(terms) + "->" + result, *xs)
