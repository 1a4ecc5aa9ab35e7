"""What a right answer is, and how one is written down: none of them may be rejected.

A chapter's `right.py` holds its own, in as many ways as a class would write them:

    RIGHT, right = collector()


    @right(exercise="mul", replaces="Mul")
    class MulByHand(Function): ...
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Right:
    """One right definition of one part of an exercise.

    Attributes:
        exercise: its name.
        replaces: the name that the learner writes, e.g. `Mul`.
        definition: the right class or function.
    """

    exercise: str
    replaces: str
    definition: Any


def collector() -> tuple[list[Right], Callable[..., Any]]:
    """A list, and the decorator that adds a right definition to it."""
    found: list[Right] = []

    def right(*, exercise: str, replaces: str) -> Callable[[Any], Any]:
        def add(definition: Any) -> Any:
            found.append(Right(exercise, replaces, definition))
            return definition

        return add

    return found, right
