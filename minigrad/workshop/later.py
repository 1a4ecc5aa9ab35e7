"""What stands where a definition is not built yet."""

from __future__ import annotations

import functools
from typing import Any, NoReturn


class Sentence(Exception):
    """An error that a notebook shows without its traceback: what it says is all that there is to know."""

    def _render_traceback_(self) -> list[str]:  # IPython asks an exception for its own rendering
        return [f"{type(self).__name__}: {self}"]


class NoSuchPart(Sentence, ValueError):
    """A definition has a name that no part of the open chapter has."""


class NotBuiltYet(Sentence, RuntimeError):
    """A part of the engine that a later chapter builds was asked for."""


class NotWrittenYet(NotBuiltYet, NotImplementedError):
    """A part that the open chapter builds was asked for before the learner has defined it."""


class Later:
    """Stands in for a part until it is built: any use says in which chapter that is."""

    def __init__(self, name: str, chapter: int, here: bool = False) -> None:
        self.__dict__.update(_name=name, _chapter=chapter, _here=here)

    def _refuse(self) -> NoReturn:
        if self._here:
            raise NotWrittenYet(
                f"{self._name} is built in chapter {self._chapter}, here: run the cell that defines it."
            )
        raise NotBuiltYet(f"{self._name} is built in chapter {self._chapter}.")

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse: a function or a class that is not there cannot be called."""
        self._refuse()

    def __get__(self, instance: object, owner: type | None = None) -> Later:
        """Stand in for a method, too."""
        return self

    def __getattr__(self, name: str) -> NoReturn:
        """Refuse, but leave Python's own questions (`__wrapped__` and the like) to Python."""
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse()

    def __instancecheck__(self, instance: object) -> NoReturn:
        """Refuse: nothing can be asked whether it is one."""
        self._refuse()

    def __repr__(self) -> str:
        return f"<{self._name}: built in chapter {self._chapter}>"


@functools.cache  # the same one each time: what stands in its place already is not put there again
def later(name: str, chapter: int, here: bool = False) -> Later:
    """A stand-in for the part `name` of chapter `chapter`, which is the open one if `here`."""
    return Later(name, chapter, here)
