'''What a misconception is, and how the bank writes one down: a sentence, and a patch to the right definition.

A chapter's `misconceptions.py` has a group for each definition that a learner writes – the exercise, the definition,
the section that treats it – and in it an entry for each mistake, with blank lines between them:

    MISCONCEPTIONS, about = bank(globals())

    about("mul", "Mul", "Mul")("""
    mul-own-value: Your Mul hands each operand its own value. Hold y still and move x: …
    =backward_x(grad, x): grad * x
    =backward_y(grad, y): grad * y

    mul-in-place: …
    -        return x * y
    +        x *= y
    +        return x
    or
    =forward(x, y): np.multiply(x, y, out=x)
    """)

An entry begins with its name and the sentence that the learner reads. Its patch is written as `diff` writes one: lines
that go (`-`), lines that come (`+`), and lines that stay, with a space before them, where the place would not be clear
else; `@` parts two places. `=` gives a method as a formula, or a setting (`=promotes = False`); `|` is before each line
of a definition that is written whole, or of whole methods of a class. `or` begins another way to write the same
mistake; `§` names another section than the group's. What a patch changes has to stand exactly once in the right
definition, which is minigrad's own, or the text that the group is given after the section; docstrings and comments are
not part of it.
'''

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import io
import itertools
import re
import textwrap
import tokenize
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from types import CodeType
from typing import Any

from minigrad.workshop import places, source

from .merge import Clash, merged

MADE = {"__dict__", "__weakref__", "names", "plans"}  # what Python, and Function, add to a class themselves
MARKS = "-+ =|"


class BadPatch(ValueError):
    """An entry of the bank does not say what it should."""


@dataclass(frozen=True, eq=False)
class Reference:
    """The right definition that a group's patches change.

    Attributes:
        name: what the learner writes, e.g. `Mul`.
        written: its text; "" for minigrad's own part of that name.
        namespace: the names that definitions use: those of the chapter's file.
    """

    name: str
    written: str
    namespace: dict[str, Any]

    @functools.cached_property
    def text(self) -> str:
        """The definition without docstrings and comments."""
        return bare(self.written or source.reference(places.find(self.name)))

    def made(self) -> type:
        """minigrad's own class: the bank may be imported when a chapter is open, and another stands in its place."""
        made: type = places.reference(places.find(self.name))
        return made


@dataclass(frozen=True, eq=False)
class Wrong:
    """One wrong definition, as a patch to the right one.

    Attributes:
        patch: its lines, with their marks.
        reference: what it changes.
        where: the misconception that it belongs to, for messages.
    """

    patch: tuple[str, ...]
    reference: Reference
    where: str

    @functools.cached_property
    def text(self) -> str:
        """The whole wrong definition, as a learner would have written it.

        Raises:
            BadPatch: what is to be changed does not stand exactly once in the right definition.
        """
        methods = self.methods
        if methods:
            return self.written({**statements(tree(self.reference.text)), **methods})
        if all(line.startswith("|") for line in self.patch):
            return learners("\n".join(line[1:] for line in self.patch))
        text = self.reference.text
        for _, block in itertools.groupby(self.patch, lambda line: line == "@"):
            lines = [line for line in block if line != "@"]
            if lines:
                text = self.changed(text, lines)
        return learners(text)

    def changed(self, text: str, lines: list[str]) -> str:
        """The text with one block of the patch applied."""
        old, new = ("".join(f"{line[1:]}\n" for line in lines if line[0] in marks) for marks in ("- ", "+ "))
        found = [match.start() for match in re.finditer(f"(?m)^(?={re.escape(old)})", text)]
        if len(found) != 1:
            times = f"{len(found)} times in {self.reference.name}"
            raise BadPatch(f"{self.where}: {old!r} stands {times}, and has to just once.")
        return text[: found[0]] + new + text[found[0] + len(old) :]

    @functools.cached_property
    def methods(self) -> dict[str, ast.stmt]:
        """The methods and settings that take the place of a class's own; {} for another patch."""
        text = "\n".join(formula(line[1:]) if line.startswith("=") else line[1:] for line in self.patch)
        whole = not any(line.startswith("=") for line in self.patch)
        if whole and (not self.patch[0].startswith("|def ") or not self.reference.text.startswith("class ")):
            return {}
        return {name(node): node for node in ast.parse(text).body}

    def written(self, body: dict[str, ast.stmt]) -> str:
        """The class with these statements in its body."""
        whole = tree(self.reference.text)
        whole.body = list(body.values())
        return learners(ast.unparse(ast.fix_missing_locations(whole)))

    @functools.cached_property
    def definition(self) -> Any:
        """The wrong class or function itself."""
        text = self.text
        if self.methods:
            right = self.reference.made()
            text = "class _:\n" + textwrap.indent("\n".join(map(ast.unparse, self.methods.values())), "    ")
            made = self.run(text, "_")
            return named(type(self.reference.name, right.__bases__, {**body(right), **body(made)}), self.reference.name)
        made = self.run(text, self.reference.name)
        if isinstance(made, type) and not self.reference.written:
            self.share(made)
        return named(made, self.reference.name)

    def share(self, made: type) -> None:
        """Give a wrong class the right one's own methods where they are written alike, unless they call `super()`."""
        right = methods(self.reference.made())
        own, wrong = (statements(tree(learners(text))) for text in (self.reference.text, self.text))
        for label, statement in own.items():
            alike = label in wrong and ast.dump(wrong[label]) == ast.dump(statement)
            if alike and label in right and "__class__" not in right[label].__code__.co_freevars:
                setattr(made, label, right[label])

    def run(self, text: str, wanted: str) -> Any:
        """What `text` defines under the name `wanted`, among the names of the chapter's file."""
        found = dict(self.reference.namespace)  # a definition may call itself
        exec(compile(text, f"<{self.where}>", "exec"), found)
        return found[wanted]


@dataclass(frozen=True, eq=False)
class Made:
    """A definition that was made of others."""

    definition: Any


@dataclass(frozen=True)
class Misconception:
    """One labelled way of being wrong.

    Attributes:
        name: its label, e.g. `mul-own-value`.
        exercise: the exercise in which it shows.
        replaces: the name that the learner writes, e.g. `Mul`.
        advice: the sentence that the learner reads; it names the mistake, not the solution.
        section: the heading of the chapter that treats it.
        ways: the wrong definitions: several where the same mistake can be written so that it answers differently.
        of: the two misconceptions that it is made of, where it is two at once.
    """

    name: str
    exercise: str
    replaces: str
    advice: str
    section: str
    ways: tuple[Any, ...]
    of: tuple[str, ...] = ()

    @property
    def definition(self) -> Any:
        """The wrong class or function."""
        return self.ways[0].definition

    @property
    def definitions(self) -> tuple[Any, ...]:
        """Every wrong definition of this kind."""
        return tuple(way.definition for way in self.ways)

    def text(self) -> str:
        """The wrong definition as a learner would have written it."""
        text: str = self.ways[0].text
        return text


# ---------------------------------------------------------------------- reading entries


def bank(namespace: dict[str, Any]) -> tuple[list[Misconception], Callable[..., Callable[[str], None]]]:
    """A list, and the function that begins a group; called with the group's entries, what it returns adds them.

    Args:
        namespace: of the chapter's file: the names that definitions use.
    """
    found: list[Misconception] = []

    def about(exercise: str, replaces: str, section: str, reference: str = "") -> Callable[[str], None]:
        right = Reference(replaces, reference, namespace)

        def add(entries: str) -> None:
            for entry in re.split(r"\n\s*\n", entries.strip("\n")):
                one = read(entry.splitlines(), exercise, section, right)
                refuse_twins(one, found)
                found.append(one)

        return add

    return found, about


def refuse_twins(one: Misconception, others: Iterable[Misconception]) -> None:
    """Two names for one mistake would silence each other, for what two misconceptions explain is given no name.

    Raises:
        BadPatch: another misconception about the same definition has a patch of this one's.
    """
    own = {(way.reference.written, *way.patch) for way in one.ways}
    for other in (m for m in others if (m.exercise, m.replaces) == (one.exercise, one.replaces)):
        if own & {(way.reference.written, *way.patch) for way in other.ways}:
            raise BadPatch(f"{one.name} and {other.name} are the same patch: one mistake has one name.")


def read(lines: list[str], exercise: str, section: str, reference: Reference) -> Misconception:
    """One entry.

    Raises:
        BadPatch: it has no name, no sentence or no patch.
    """
    head = list(itertools.takewhile(lambda line: line[0] not in MARKS + "§", lines))
    label, _, advice = " ".join(head).partition(": ")
    rest = lines[len(head) :]
    if rest and rest[0].startswith("§"):
        section, rest = rest[0][1:].strip(), rest[1:]
    ways = [tuple(way) for last, way in itertools.groupby(rest, lambda line: line == "or") if not last]
    if not advice or not ways or any(line[0] not in MARKS + "@" for way in ways for line in way):
        raise BadPatch(f"{label or exercise}: an entry is its name, a colon, its sentence, and then a patch.")
    wrong = tuple(Wrong(way, reference, label) for way in ways)
    return Misconception(label, exercise, reference.name, advice, section, wrong)


def formula(line: str) -> str:
    """`backward_x(grad, x): grad * x` as a method; a setting as it is."""
    match = re.match(r"(\w+)\((.*?)\): (.*)", line)
    if not match:
        return line
    parameters = ", ".join(filter(None, ["self", match[2]]))
    return f"def {match[1]}({parameters}):\n    return {match[3]}"


def bare(text: str) -> str:
    """A definition without docstrings, comments and blank lines."""
    lines = text.splitlines()
    kept = set(range(len(lines)))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            kept -= set(range(node.body[0].lineno - 1, node.body[0].end_lineno or 0))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            lines[token.start[0] - 1] = lines[token.start[0] - 1][: token.start[1]].rstrip()
    return "".join(f"{lines[i]}\n" for i in sorted(kept) if lines[i].strip())


def tree(text: str) -> Any:
    """The class or function that a text defines."""
    return next(node for node in ast.parse(text).body if isinstance(node, ast.ClassDef | ast.FunctionDef))


def learners(text: str) -> str:
    """A definition as a learner writes it: without annotations, and without a decorator of minigrad's own."""
    whole = tree(text)
    whole.decorator_list = []
    for node in ast.walk(whole):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    return ast.unparse(whole)


def statements(node: ast.ClassDef) -> dict[str, ast.stmt]:
    """The methods and settings of a class, by name."""
    return {name(statement): statement for statement in node.body}


def name(statement: ast.stmt) -> str:
    """What a statement in a class's body defines."""
    return getattr(statement, "name", "") or ast.unparse(statement).split()[0]


def named(definition: Any, name: str) -> Any:
    """The definition under the name that it has in a learner's notebook, which messages of errors repeat."""
    for function in methods(definition).values():
        function.__qualname__ = f"{name}.{function.__name__}"
    definition.__name__ = definition.__qualname__ = name
    return definition


# ---------------------------------------------------------------------- blends


def together(one: Misconception, other: Misconception, definition: Any, *where: str) -> Misconception:
    """Two misconceptions in one definition; `where` may say of each in which methods, with a space before it."""
    first, second = where or ("", "")
    advice = f"Two mistakes at once. {one.advice}{first} And: {other.advice}{second}"
    section = one.section if one.section == other.section else f"{one.section}” and “{other.section}"
    label, of = f"{one.name} and {other.name}", (one.name, other.name)
    return Misconception(label, one.exercise, one.replaces, advice, section, (Made(definition),), of)


def blends(misconceptions: Iterable[Misconception], reference: type) -> Iterator[Misconception]:
    """Classes that spoil each method in the way of one misconception or not at all: one or two mistakes in each class.

    Those with one mistake, in some of the methods that it can spoil, come first, and keep its name; then two that are
    whole. A sentence is about all of its mistake: of two, one that is in some rules only says which. Where it is about
    the forward pass as well, it is not said of rules alone.

    Args:
        misconceptions: about one class.
        reference: the right class.
    """
    wrong = list(misconceptions)
    whole = {m: changed(m.definition, reference).keys() for m in wrong}
    spoilt = {name: [m for m in wrong if name in whole[m]] for name in methods(reference)}
    choices = []
    for row in itertools.product(*([None, *ms] for ms in spoilt.values())):
        parts = {m: [name for name, one in zip(spoilt, row, strict=True) if one is m] for m in row if m}
        left = {m: whole[m] - set(names) for m, names in parts.items()}
        if 1 <= len(parts) <= 2 and all(name.startswith("backward_") for names in left.values() for name in names):
            choices.append((len(parts), sum(map(bool, left.values())), parts, left))
    for count, _, parts, left in sorted(choices, key=lambda choice: choice[:2]):
        taken = {name: methods(m.definition)[name] for m, names in parts.items() for name in names}
        one, other = [*parts][0], [*parts][-1]
        blend = type(one.replaces, reference.__bases__, {**body(reference), **taken})
        where = [f" It is so in {' and '.join(names)}." if left[m] else "" for m, names in parts.items()]
        yield together(one, other, blend, *where) if count == 2 else replace(one, ways=(Made(blend),))


def both_in_one_text(one: Misconception, other: Misconception) -> Iterator[Misconception]:
    """Definitions with the mistakes of both, made of the texts of two wrong ones, where they change other places."""
    for way, another in itertools.product(one.ways, other.ways):
        with contextlib.suppress(Clash):
            text = merged(learners(way.reference.text), way.text, another.text)
            yield together(one, other, named(way.run(text, one.replaces), one.replaces))


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
