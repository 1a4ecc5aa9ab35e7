"""torch's names: functions refuse what is no tensor in torch's words, and a name that is absent has a sentence."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from .tensor import ELSEWHERE, Tensor, wrong_argument


def of_tensors(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, with a TypeError for an argument that is declared as a Tensor and is none.

    Methods need no such check, and what runs in every step of a training loop checks for itself.
    """
    parameters = inspect.signature(function).parameters.values()
    places = [(i, p.name) for i, p in enumerate(parameters) if p.annotation == "Tensor"]
    if not places:
        return function

    @functools.wraps(function)
    def checked(*given, **named):  # noqa: ANN002, ANN003, ANN202
        for i, name in places:
            if i < len(given) and not isinstance(given[i], Tensor):
                raise wrong_argument(function.__name__, name, i + 1, given[i])
        return function(*given, **named)

    return checked


def absent(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module: an AttributeError that says that torch may have the name."""

    def refuse(name: str) -> Any:
        raise AttributeError(name if name.startswith("__") else f"{module} has no '{name}'; {ELSEWHERE}")

    return refuse
