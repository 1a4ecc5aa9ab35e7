"""Right answers, written in as many ways as a class would: none of them may be rejected.

A file a chapter; each definition is one way to write one part of an exercise:

    @right(exercise="mul", replaces="Mul")
    class MulByHand(Function): ...
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Right:
    """One right definition of one part of an exercise."""

    exercise: str
    replaces: str
    definition: Any


RIGHT: list[Right] = []


def right(*, exercise: str, replaces: str) -> Callable[[Any], Any]:
    """Add the decorated class or function to the right answers."""

    def add(definition: Any) -> Any:
        RIGHT.append(Right(exercise, replaces, definition))
        return definition

    return add


for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f".{_module.name}", __name__)
