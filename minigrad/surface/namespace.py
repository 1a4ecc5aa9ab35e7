"""torch's names: functions refuse what is no tensor in torch's words, and a name that is absent has a sentence."""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from ..core.tensor import Tensor
from .arguments import wrong_argument

P = ParamSpec("P")
R = TypeVar("R")


def of_tensors(function: Callable[P, R], module: str | None = None) -> Callable[P, R]:
    """`function`, with a TypeError for an argument that is declared as a Tensor and is none.

    Methods need no such check, and products, layers and losses, which run at every step, make their own.

    Args:
        function: its parameters' annotations say which arguments are tensors.
        module: the name of the module that holds the result, where that is not the function's: pickle looks there.
    """
    plain: Any = function
    parameters = plain.__code__.co_varnames  # and then what is local, without an annotation
    places = [(i, name) for i, name in enumerate(parameters) if plain.__annotations__.get(name) in (Tensor, "Tensor")]
    if not places:
        return function

    @functools.wraps(function)
    def checked(*given: P.args, **named: P.kwargs) -> R:
        for i, name in places:
            if i < len(given) or name in named:
                value, place = (given[i], i + 1) if i < len(given) else (named[name], None)
                if not isinstance(value, Tensor):
                    raise wrong_argument(plain.__name__, name, place, value)
        return function(*given, **named)

    checked.__module__ = module or function.__module__
    return checked


def absent(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module: an AttributeError that says that torch may have the name."""

    def refuse(name: str) -> Any:
        text = f"{module} has no '{name}'; torch may have it, but this course does not need it"
        raise AttributeError(name if name.startswith("__") else text)

    return refuse
