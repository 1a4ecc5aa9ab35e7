"""What a misconception is, and how one is written down."""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from types import CodeType
from typing import Any

from minigrad.workshop import places, source

DEFINITION = ast.ClassDef | ast.FunctionDef
MADE = {"__dict__", "__weakref__", "names", "plans"}  # what Python, and Function, add to a class themselves


@dataclass(frozen=True)
class Misconception:
    """One labelled way of being wrong.

    Attributes:
        name: its label, e.g. `mul-own-value`.
        exercise: the exercise in which it shows.
        replaces: the name that the learner writes, e.g. `Mul`.
        definition: the wrong class or function.
        variants: other ways to write the same mistake, which answer differently.
        advice: the sentence that the learner reads; it names the mistake, not the solution.
        section: the heading of the chapter that treats it.
        of: the two misconceptions that it is made of, where it is two at once.
        written_as: what its definition is called in the bank.
    """

    name: str
    exercise: str
    replaces: str
    definition: Any
    advice: str
    section: str
    variants: tuple[Any, ...] = ()
    of: tuple[str, ...] = ()
    written_as: str = ""

    @property
    def definitions(self) -> tuple[Any, ...]:
        """Every wrong definition of this kind."""
        return (self.definition, *self.variants)

    def text(self) -> str:
        """The wrong definition as a learner would have written it."""
        node = written(self.definition.__module__)[self.written_as]
        if isinstance(node, ast.ClassDef) and [ast.unparse(base) for base in node.bases] == [Reference.__name__]:
            node = completed(node, self.replaces)
        return re.sub(rf"\b{self.written_as}\b", self.replaces, ast.unparse(node))


class Reference:
    """The base of a wrong class that shows only what it gets wrong: the rest is as in minigrad's own.

    A class in which something is missing, or that calls `super()`, is written in full.
    """


@functools.cache  # Python would parse the whole module for each of its classes
def written(module: str) -> dict[str, DEFINITION]:
    """The classes and functions of a module by name, without their decorators; to be read only."""
    found = [n for n in ast.parse(inspect.getsource(sys.modules[module])).body if isinstance(n, DEFINITION)]
    for node in found:
        node.decorator_list.clear()
    return {node.name: node for node in found}


def completed(node: ast.ClassDef, name: str) -> ast.ClassDef:
    """minigrad's own class of that name as a learner would write it, with what `node` writes in its place."""
    own = next(n for n in ast.parse(source.reference(places.find(name))).body if isinstance(n, ast.ClassDef))
    for part in ast.walk(own):
        if isinstance(part, ast.FunctionDef):
            part.returns = None
        if isinstance(part, ast.arg):
            part.annotation = None
    own.body = list({**statements(own), **statements(node)}.values())
    return own


def statements(node: ast.ClassDef) -> dict[str, ast.stmt]:
    """The methods and settings of a class, by name."""
    return {getattr(s, "name", "") or ast.unparse(s).split()[0]: s for s in node.body if not isinstance(s, ast.Expr)}


def collector() -> tuple[list[Misconception], Callable[..., Any], Callable[..., Any]]:
    """A list, the decorator that adds a wrong definition to it, and the one that adds a variant to the last."""
    found: list[Misconception] = []

    def misconception(name: str, *, exercise: str, replaces: str, section: str, advice: str) -> Callable[[Any], Any]:
        def add(definition: Any) -> Any:
            written_as = definition.__name__
            definition = as_learners(definition, replaces)
            found.append(Misconception(name, exercise, replaces, definition, advice, section, written_as=written_as))
            return definition

        return add

    def variant(definition: Any) -> Any:
        definition = as_learners(definition, found[-1].replaces)
        found[-1] = replace(found[-1], variants=(*found[-1].variants, definition))
        return definition

    return found, misconception, variant


def as_learners(definition: Any, name: str) -> Any:
    """The definition as it is in a learner's notebook: whole, and under its name, which messages of errors repeat."""
    if isinstance(definition, type) and Reference in definition.__bases__:
        reference = places.reference(places.find(name))  # the bank may be imported when a chapter is open
        definition = type(name, reference.__bases__, {**body(reference), **body(definition)})
    for function in methods(definition).values():
        function.__qualname__ = f"{name}.{function.__name__}"
    definition.__name__ = definition.__qualname__ = name
    return definition


def together(one: Misconception, other: Misconception, definition: Any) -> Misconception:
    """Two misconceptions in one definition."""
    advice = f"Two mistakes at once. {one.advice} And: {other.advice}"
    section = one.section if one.section == other.section else f"{one.section}” and “{other.section}"
    return Misconception(
        f"{one.name} and {other.name}",
        one.exercise,
        one.replaces,
        definition,
        advice,
        section,
        of=(one.name, other.name),
    )


def blends(misconceptions: Iterable[Misconception], reference: Any) -> Iterator[Misconception]:
    """Classes that spoil each method in the way of one misconception or not at all: one or two mistakes in each class.

    Those with one mistake, in some of the methods that it can spoil, come first, and keep its name.

    Args:
        misconceptions: about one class.
        reference: the right class.
    """
    wrong = list(misconceptions)
    spoilt = {name: [m for m in wrong if name in changed(m.definition, reference)] for name in methods(reference)}
    choices = [
        dict(zip(spoilt, row, strict=True)) for row in itertools.product(*([None, *ms] for ms in spoilt.values()))
    ]
    for count in (1, 2):
        for choice in choices:
            used = list(dict.fromkeys(m for m in choice.values() if m))
            if len(used) == count:
                taken = {name: methods(m.definition)[name] for name, m in choice.items() if m}
                blend = type(used[0].replaces, reference.__bases__, {**body(reference), **taken})
                yield replace(used[0], definition=blend, variants=()) if count == 1 else together(*used, blend)


def body(definition: type) -> dict[str, Any]:
    """What the statement `class` was given: methods, and settings such as `promotes`."""
    return {name: value for name, value in vars(definition).items() if name not in MADE}


def changed(definition: Any, reference: Any) -> dict[str, Any]:
    """The methods of a wrong class that differ from the right one's; {} for a function."""
    right = methods(reference)
    return {name: f for name, f in methods(definition).items() if name not in right or code(f) != code(right[name])}


def methods(definition: Any) -> dict[str, Any]:
    """The functions that a class defines itself; {} for a function."""
    return {n: f for n, f in vars(definition).items() if inspect.isfunction(f)} if isinstance(definition, type) else {}


def code(function: Any) -> tuple[Any, ...]:
    """What a function does, however it is laid out and described."""
    return _instructions(function.__code__, function.__doc__)


def _instructions(compiled: CodeType, doc: str | None = None) -> tuple[Any, ...]:
    """Instructions, constants and names, of functions inside it too; where it stands in its file counts for nothing."""
    kept = [c for c in compiled.co_consts if not (isinstance(c, str) and "<locals>" in c)]  # a qualified name
    constants = tuple(_instructions(c) if isinstance(c, CodeType) else None if c == doc else c for c in kept)
    return compiled.co_code, constants, compiled.co_names, compiled.co_varnames, compiled.co_freevars
