"""What is verified: every exercise, on as many draws as one likes, with any definition in the learner's place."""

from __future__ import annotations

import ast
import functools
import linecache
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import minigrad
from grader.ask.exercise import Exercise, generator
from grader.chapters import CHAPTERS
from grader.classroom.demo import solution_notebook
from grader.verdict import probe
from grader.verdict.assess import Result, assess, compared
from grader.verdict.diagnose import answer_with
from grader.verdict.evidence import Seen
from minigrad import workshop
from minigrad.workshop import source

EXERCISES = [exercise for chapter in CHAPTERS.values() for exercise in chapter]
PARTS = {part.name: part for part in workshop.PARTS}


def exercise_of(name: str) -> Exercise:
    """The exercise of that name: between processes names travel, not exercises."""
    return next(exercise for exercise in EXERCISES if exercise.name == name)


def drawn(exercise: Exercise, seed: int) -> Any:
    """The inputs of one student: the seed's."""
    return exercise.draw(generator(b"verification", str(seed), exercise.name))


def observed(exercise: Exercise, inputs: Any, definitions: dict[str, Any]) -> str:
    """What minigrad answers with some definitions replaced, as a notebook's check asks it: JSON."""
    own = workshop.own_parts(exercise.chapter)
    parts = {name: d for name, d in definitions.items() if name in own}
    with workshop.using(**{**own, **parts}):
        given = {**exercise.twin(minigrad), **definitions}
        return probe.observe(exercise.probe, minigrad, given, inputs, twice=True)


def result_of(exercise: Exercise, inputs: Any, definitions: dict[str, Any]) -> Result:
    """The verdict on minigrad itself with some definitions replaced, as a notebook's check reaches it."""
    return assess(exercise, inputs, observed(exercise, inputs, definitions))


def is_right(exercise: Exercise, inputs: Any, definitions: dict[str, Any]) -> bool:
    """Whether the comparison accepts the definitions; nothing is diagnosed."""
    return agrees(exercise, inputs, answer_with(exercise, inputs, definitions))


def agrees(exercise: Exercise, inputs: Any, answer: list[Seen]) -> bool:
    """Whether the comparison accepts the answer."""
    return all(one.right for one in compared(exercise, inputs, answer).values())


def text_of(exercise: Exercise, part: str) -> str:
    """The course's own definition of what the learner writes, without decorators."""
    if part in PARTS:
        return source.reference(PARTS[part])
    for cell in solution_cells(exercise.chapter):
        if text := source.definition(cell, part):
            return text
    raise LookupError(f"The solution of {exercise.name} does not define {part}.")


@functools.cache
def solution_cells(chapter: int) -> list[str]:
    """The sources of a chapter's solved exercises."""
    cells = solution_notebook(chapter).cells
    return [c.source for c in cells if c.cell_type == "code" and c.metadata.get("nbgrader", {}).get("solution")]


@functools.cache
def imports(chapter: int) -> str:
    """What a chapter's notebook imports or gives a short name, demonstrations apart: its exercises may use it."""
    found = []
    for cell in solution_notebook(chapter).cells:
        if cell.cell_type == "code" and "demonstration" not in cell.metadata.get("tags", []):
            found += [ast.unparse(node) for node in ast.parse(cell.source).body if names_something(node)]
    return "\n".join(found)


def names_something(node: ast.stmt) -> bool:
    """Whether it is `import …`, or `name = package.something`."""
    short = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and is_path(node.value)
    return short or isinstance(node, ast.Import | ast.ImportFrom)


def is_path(node: ast.expr) -> bool:
    """Whether it is `minigrad.nn.…`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id == "minigrad"


def define(exercise: Exercise, text: str) -> dict[str, Any]:
    """Run a cell's text as the exercise's notebook would; returns the names that it defines.

    Other exercises' solutions are there, too: a right answer may call them.
    """
    names: dict[str, Any] = {}
    exec(imports(exercise.chapter), names)
    names |= workshop.own_parts(exercise.chapter) | exercise.twin(minigrad)
    before = dict(names)
    cell = f"<ipython-input-{exercise.name}>"  # so that an error says its line, as in a notebook
    linecache.cache[cell] = (len(text), None, text.splitlines(keepends=True), cell)
    exec(compile(text, cell, "exec"), names)
    return {name: value for name, value in names.items() if before.get(name) is not value}


class TooLong(BaseException):
    """A definition did not come back within its time: at grading it is stopped, and gets no credit."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise TooLong in the block when it takes more processor time: a busy machine takes nothing from it.

    It is raised again each second until the block ends: what is raised in a finalizer is lost, and an endless block
    would then take all memory.
    """

    def stop(*_: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, stop)
    clock = signal.setitimer(signal.ITIMER_PROF, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, *clock)
        signal.signal(signal.SIGPROF, before)


def accepted(exercise: Exercise, definitions: dict[str, Any], seeds: range, seconds: float = 5) -> bool:
    """Whether the grader calls the definitions right on every seed, and each answer comes in time."""
    for seed in seeds:
        inputs = drawn(exercise, seed)
        try:
            with within(seconds):  # torch is not hurried: an import that is broken off stays broken
                answer = answer_with(exercise, inputs, definitions)
        except TooLong:
            return False
        if not agrees(exercise, inputs, answer):
            return False
    return True
