"""What a misconception is, and how one is written down."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Misconception:
    """One labelled way of being wrong.

    Attributes:
        name: its label, e.g. `mul-own-value`.
        exercise: the exercise in which it shows.
        replaces: the name that the learner writes, e.g. `Mul`.
        definition: the wrong class or function.
        variants: other ways to write the same mistake, which answer differently.
        advice: the sentence that the learner reads; it names the mistake, not the solution.
        section: the heading of the chapter that treats it.
    """

    name: str
    exercise: str
    replaces: str
    definition: Any
    advice: str
    section: str
    variants: tuple[Any, ...] = ()

    @property
    def definitions(self) -> tuple[Any, ...]:
        """Every wrong definition of this kind."""
        return (self.definition, *self.variants)

    def text(self) -> str:
        """The wrong definition as a learner would have written it."""
        tree = ast.parse(textwrap.dedent(inspect.getsource(self.definition)))
        tree.body[0].decorator_list.clear()  # type: ignore[attr-defined]
        return re.sub(rf"\b{self.definition.__name__}\b", self.replaces, ast.unparse(tree))


def collector() -> tuple[list[Misconception], Callable[..., Any], Callable[..., Any]]:
    """A list, the decorator that adds a wrong definition to it, and the one that adds a variant to the last."""
    found: list[Misconception] = []

    def misconception(name: str, *, exercise: str, replaces: str, section: str, advice: str) -> Callable[[Any], Any]:
        def add(definition: Any) -> Any:
            found.append(Misconception(name, exercise, replaces, definition, advice, section))
            return definition

        return add

    def variant(definition: Any) -> Any:
        found[-1] = dataclasses.replace(found[-1], variants=(*found[-1].variants, definition))
        return definition

    return found, misconception, variant
