"""What a misconception is, and how one is written down."""

from __future__ import annotations

import ast
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
        advice: the sentence that the learner reads; it names the mistake, not the solution.
        section: the heading of the chapter that treats it.
    """

    name: str
    exercise: str
    replaces: str
    definition: Any
    advice: str
    section: str

    def text(self) -> str:
        """The wrong definition as a learner would have written it."""
        tree = ast.parse(textwrap.dedent(inspect.getsource(self.definition)))
        tree.body[0].decorator_list.clear()  # type: ignore[attr-defined]
        return re.sub(rf"\b{self.definition.__name__}\b", self.replaces, ast.unparse(tree))


def collector() -> tuple[list[Misconception], Callable[..., Callable[[Any], Any]]]:
    """A list, and the decorator that adds a wrong definition to it."""
    found: list[Misconception] = []

    def misconception(name: str, *, exercise: str, replaces: str, section: str, advice: str) -> Callable[[Any], Any]:
        def add(definition: Any) -> Any:
            found.append(Misconception(name, exercise, replaces, definition, advice, section))
            return definition

        return add

    return found, misconception
