"""How the surface adds to the classes of the core."""

from collections.abc import Callable
from typing import TypeVar

from ..core.tensor import Tensor

T = TypeVar("T")


def give(kind: type, **members: object) -> None:
    """Make members the class's own: `give(Tensor, exp=exp)`."""
    for name, member in members.items():
        setattr(kind, name, member)


def called(name: str, text: str, function: Callable[..., T]) -> Callable[..., T]:
    """The function, which was made for several, under its name and with its text."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function


def formula(name: str, text: str, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A function that is one formula, and a method of tensors: its `input`, `other` and `end` are tensors."""
    function.__annotations__ = dict.fromkeys(("input", "other", "end", "return"), "Tensor")
    setattr(Tensor, name, called(name, text, function))
    return function
