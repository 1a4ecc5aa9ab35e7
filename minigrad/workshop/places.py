"""The running engine's parts: which definition stands in each place, and putting another one there."""

import contextlib
import functools
import importlib
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

try:
    from ..flat import refresh
except ImportError:

    def refresh() -> None:
        """Without its flat code the engine runs each step as it stands."""


from .later import Later, later
from .parts import BY_NAME, PARTS, Part

_references: dict[str, Any] = {}  # what minigrad itself defines, remembered before it is first replaced


def find(name: str) -> Part:
    """The part called `name`.

    Raises:
        ValueError: minigrad has no such part; the message lists those that it has.
    """
    if name not in BY_NAME:
        raise ValueError(f"minigrad has no part called {name}. Its parts: {', '.join(BY_NAME)}.")
    return BY_NAME[name]


def owner(part: Part) -> Any:
    """The module or class that holds the part."""
    holder: Any = sys.modules.get(part.module) or importlib.import_module(part.module)
    for name in part.qualname.split(".")[:-1]:
        holder = getattr(holder, name)
    return holder


def current(part: Part) -> Any:
    """The definition that stands in the part's place now."""
    return vars(owner(part))[part.qualname.rsplit(".", 1)[-1]]


def stands(part: Part, definition: Any) -> bool:
    """Whether `definition` stands in the part's place now, be it inside a property or a method of the class."""
    now = current(part)
    if isinstance(now, Later):
        return False
    return any(definition is each for each in (now, getattr(now, "fget", None), getattr(now, "__func__", None)))


def reference(part: Part) -> Any:
    """minigrad's own definition of the part, whatever stands in its place now."""
    if part.name not in _references:
        _references[part.name] = current(part)
    return _references[part.name]


def as_of(part: Part, chapter: int, finished: bool = True) -> Any:
    """What stands in the part's place when `chapter` is finished – or begins – and every part is minigrad's own."""
    if part.before and chapter < part.chapter:
        return getattr(importlib.import_module(part.before), part.name)
    if part.hidden_in(chapter) and not (finished and part.chapter == chapter):
        return later(part.name, part.chapter, here=part.chapter == chapter)
    return reference(part)


def install(part: Part, definition: Any) -> None:
    """Put `definition` in the part's place: in its owner, and in each module that imported it by name.

    What is a property, or a method of the class, in minigrad becomes one.
    """
    kind = type(reference(part))
    old, name = current(part), part.qualname.rsplit(".", 1)[-1]
    if definition is old:
        return
    if kind in (property, classmethod, staticmethod) and not isinstance(definition, kind):
        definition = kind(definition)
    setattr(owner(part), name, definition)
    for module in _modules(len(sys.modules)) if "." not in part.qualname else ():
        if module.__name__ != part.before and vars(module).get(name) is old:
            setattr(module, name, definition)
    refresh()


@functools.lru_cache(maxsize=1)  # the grader puts parts in and out thousands of times
def _modules(imported: int) -> list[ModuleType]:
    """The engine's modules, when so many modules are imported."""
    return [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == "minigrad"]


def clear(chapter: int) -> None:
    """Make the engine what it is before `chapter`: earlier parts are minigrad's own, the others not there yet."""
    for part in PARTS:
        install(part, as_of(part, chapter, finished=False))


@contextlib.contextmanager
def using(**definitions: Any) -> Iterator[None]:
    """Run the block on other definitions: `with workshop.using(Mul=WrongMul): …`.

    Raises:
        ValueError: minigrad has no part of that name.
    """
    parts = {name: find(name) for name in definitions}
    before = {name: old for name, part in parts.items() if (old := current(part)) is not definitions[name]}
    try:
        for name in before:
            install(parts[name], definitions[name])
        yield
    finally:
        for name, definition in before.items():
            install(parts[name], definition)


def own_parts(chapter: int) -> dict[str, Any]:
    """minigrad's own definition of every part, as of the finished chapter `chapter`."""
    return {part.name: as_of(part, chapter) for part in PARTS}
