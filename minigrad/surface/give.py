"""How the surface adds to the classes of the core."""

from __future__ import annotations

from collections.abc import Callable

from ..core.tensor import Tensor


def give(kind: type, **members: object) -> None:
    """Make members the class's own: `give(Tensor, exp=exp)`."""
    for name, member in members.items():
        setattr(kind, name, member)


def formula(name: str, text: str, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A function that is one formula, and a method of tensors: its `input`, `other` and `end` are tensors."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    function.__annotations__ = dict.fromkeys(("input", "other", "end", "return"), "Tensor")
    setattr(Tensor, name, function)
    return function
