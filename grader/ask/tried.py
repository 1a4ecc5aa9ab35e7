"""One case of an exercise as lines that a learner can paste into a cell and run, in the notebook's own names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

OPERATORS = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "truediv": "{} / {}",
    "pow": "{} ** {}",
    "neg": "-{}",
}


def tensor(value: Any, needs: bool = False) -> str:
    """A tensor in double precision, or of integers, as it is written; one that needs a gradient says so."""
    dtype = "" if np.array(value).dtype.kind == "i" else ", dtype=minigrad.float64"
    return f"minigrad.tensor({value!r}{dtype}{', requires_grad=True' if needs else ''})"


@dataclass(frozen=True)
class Tried:
    """How a case is asked: lines, above which the case's numbers that they mention get their names.

    Attributes:
        lines: of Python; the last one's value is shown.
        leaves, tensors, arrays: which of the numbers are tensors that need a gradient, others, and arrays of NumPy's.
        first: a line above all, such as an import that the notebook has not.
    """

    lines: str
    leaves: str = ""
    tensors: str = ""
    arrays: str = ""
    first: str = ""

    def __call__(self, case: Mapping[str, Any]) -> list[str]:
        """The lines for a case."""
        mentioned = re.findall(r"\w+", self.lines)
        made = [f"{name} = {self.written(name, value)}" for name, value in case.items() if name in mentioned]
        return [*filter(None, [self.first]), *made, *self.lines.splitlines()]

    def written(self, name: str, value: Any) -> str:
        """A value of the case as Python."""
        if name in self.arrays.split():
            return f"np.array({value!r})"
        needs = name in self.leaves.split()
        return tensor(value, needs) if needs or name in self.tensors.split() else repr(value)


def operation(case: Mapping[str, Any]) -> list[str]:
    """The lines for one application of an operator; see `operations.application`."""
    return [*_applied(case), f"out, out.grad_fn.backward(np.array({case['above']!r}))"]


def _applied(case: Mapping[str, Any]) -> Iterator[str]:
    names = []
    for name, value in case["operands"]:
        if name and value is not None:
            yield f"{name} = {tensor(value, needs=True)}"
        names.append(name or repr(value))
    yield f"out = {OPERATORS[case['op']].format(*names)}"
