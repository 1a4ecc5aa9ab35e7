"""Which chapter builds which part of the engine.

A part is one definition – a class, a function or a method – written once, in one chapter, and final
from then on. This table is data: it imports nothing of the engine.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """One definition that a learner writes.

    Attributes:
        name: what the learner defines, e.g. `Mul`.
        chapter: the chapter that builds it.
        module: the module of minigrad that holds it, e.g. `minigrad.ops.arithmetic`.
        path: its dotted path inside that module; the name, unless it is a method.
        until: the chapter that replaces it, for the one scaffold; 0 for a part that is final.
        lent: the first chapter to which minigrad lends it before its own; 0 for a part that is never lent.
        before: the module whose definition of the same name stands in its place until its chapter.
    """

    name: str
    chapter: int
    module: str
    path: str = ""
    until: int = 0
    lent: int = 0
    before: str = ""

    @property
    def qualname(self) -> str:
        """The dotted path of the definition inside its module."""
        return self.path or self.name

    def hidden_in(self, chapter: int) -> bool:
        """Whether minigrad does not have the part when `chapter` begins."""
        return self.chapter == chapter or (self.chapter > chapter and not 0 < self.lent <= chapter)

    def exists_in(self, chapter: int) -> bool:
        """Whether the engine of this chapter has the part at all: a scaffold is taken down again."""
        return not self.until or chapter < self.until


ARITHMETIC = "minigrad.ops.arithmetic"
REDUCE = "minigrad.ops.reduce"

PARTS: tuple[Part, ...] = (
    Part("Add", 1, ARITHMETIC),
    Part("Mul", 1, ARITHMETIC),
    Part("Neg", 1, ARITHMETIC),
    Part("Sub", 1, ARITHMETIC),
    Part("Pow", 1, ARITHMETIC),
    Part("backpropagate", 1, "minigrad.workshop.scaffold", until=3),
    Part("Div", 2, ARITHMETIC),
    Part("unbroadcast", 2, "minigrad.unbroadcast"),
    Part("Sum", 2, REDUCE),
    Part("Mean", 2, REDUCE),
    Part("run_backward", 3, "minigrad.engine", before="minigrad.workshop.scaffold"),
    # In chapter 1 the learner's own walk ends at a leaf; from chapter 2 on minigrad lends what chapter 5 builds.
    Part("AccumulateGrad.backward", 5, "minigrad.function", lent=2),
)

BY_NAME = {part.name: part for part in PARTS}


def built_by(chapter: int) -> tuple[Part, ...]:
    """The parts that `chapter` builds, in the order in which it builds them."""
    return tuple(part for part in PARTS if part.chapter == chapter)
