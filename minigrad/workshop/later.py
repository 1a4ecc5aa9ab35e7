"""What stands where a definition is not built yet."""

from __future__ import annotations

from typing import Any, NoReturn


class NotBuiltYet(NotImplementedError):
    """A part of the engine that a later cell or chapter builds was asked for."""


class Later:
    """Stands in for a part until its chapter: any use says in which chapter it is built."""

    def __init__(self, name: str, chapter: int) -> None:
        self.__dict__.update(_name=name, _chapter=chapter)

    def _refuse(self) -> NoReturn:
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

    def __repr__(self) -> str:
        return f"<{self._name}: built in chapter {self._chapter}>"


def later(name: str, chapter: int) -> Later:
    """A stand-in for the part `name`, which chapter `chapter` builds."""
    return Later(name, chapter)
