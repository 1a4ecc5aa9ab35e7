"""Validate one notebook: whether each of its exercises is right, on the inputs of a learner's own check."""

from __future__ import annotations

from pathlib import Path

from ..ask.exercise import PUBLIC_SECRET
from ..errors import CourseError
from ..publish.course import chapters, release_notebook
from ..run.execution import Limits
from ..run.judge import judge
from ..run.submission import Unreadable, given_cells, grade_id, read_notebook, restore, stopped
from ..verdict import render
from ..verdict.assess import Result
from .grading import need_sandbox


def validate(path: Path, unsafe: bool = False, limits: Limits | None = None) -> list[tuple[Result, str]]:
    """The results of a notebook's exercises, reached as grading reaches them, each with its cell's error, "" if none.

    Args:
        path: the notebook.
        unsafe: run without a sandbox where there is none.
        limits: what it may use.

    Raises:
        CourseError: the file is no notebook of the course, or there is no sandbox and `unsafe` is False.
    """
    try:
        notebook = read_notebook(path)
        chapter = _chapter(path, {grade_id(cell) for cell in notebook.cells})
        release = release_notebook(chapter)
        restored = restore(notebook, release)
    except Unreadable as error:
        raise CourseError(f"{str(error).replace(path.name, str(path), 1)}: give a notebook of the course.") from None
    need_sandbox(unsafe)
    verdict = judge(restored, release, chapter, "", PUBLIC_SECRET, unsafe, limits)
    for index, outputs in verdict.outputs.items():
        restored.cells[index].outputs = outputs
    errors = stopped(restored)
    return [(result, errors.get(result.exercise, "")) for result in verdict.results]


def _chapter(path: Path, names: set[str]) -> int:
    """The chapter that most of these cells are of."""
    shared = {n: len(names & {name for name in given_cells(release_notebook(n)) if name}) for n in chapters()}
    best = max(shared, key=lambda number: shared[number])
    if not shared[best]:
        raise Unreadable(f"{path.name} has no cell of any chapter")
    return best


def line(result: Result, error: str = "") -> str:
    """An exercise in a line: its name, its points on these inputs, and what was found."""
    points = f"{result.score:g} of {result.max_score:g}"
    return f"{result.exercise:<20} {points:>8}   {'right' if result.right else render.diagnosis(result, error)}"
