"""A class's own chapter: its room lies in `chapters/` in the class's folder, with the script in it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from ..ask.exercise import Exercise
from ..chapters import CHAPTERS, of_class
from ..errors import CourseError
from .course import assignment

KEPT = "# %%"  # a script that is a notebook has cells
# What nbgrader is to know of an exercise's two cells, as the script's line before each says it.
SOLUTION = {"grade": False, "locked": False, "schema_version": 3, "solution": True, "task": False}
GRADED = {"grade": True, "locked": True, "schema_version": 3, "solution": False, "task": False}


def numbers() -> list[int]:
    """The class's own chapters."""
    return [number for number in CHAPTERS if _room(number).is_dir()]


def bring(chapter: int, root: Path) -> None:
    """Put the script of the class's own chapter where the course's scripts are; nothing, if it is the course's.

    Raises:
        CourseError: something is missing in its room, or its number is taken.
    """
    room, target = _room(chapter), root / "solutions" / assignment(chapter)
    if not room.is_dir():
        return
    if (root / "grader" / "chapters" / assignment(chapter)).is_dir():
        raise CourseError(f"{room}: the course has a chapter {chapter} itself; give yours another number.")
    if chapter not in CHAPTERS:
        raise CourseError(f"{room} has no exercises.py, which says what is asked; CONTRIBUTING.md shows one.")
    scripts = [path for path in sorted(room.glob("*.py")) if f"\n{KEPT}" in f"\n{path.read_text('utf-8')}"]
    if len(scripts) != 1:
        raise CourseError(
            f"{room} should hold one notebook script, whose cells begin with {KEPT}; it has {len(scripts)}."
        )
    target.mkdir(parents=True, exist_ok=True)
    for old in target.glob("*.py"):
        old.unlink()
    shutil.copy(scripts[0], target)


def demanded(notebook: NotebookNode, exercises: Sequence[Exercise]) -> Iterator[str]:
    """What a chapter's script lacks, a sentence each.

    Args:
        notebook: the script, as a notebook.
        exercises: the chapter's.
    """
    cells = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in notebook.cells}
    if not notebook.cells or not notebook.cells[0].source.startswith("# "):
        yield "It begins with a text cell whose first line is its title: # My chapter."
    others = {e.name: n for n, some in CHAPTERS.items() for e in some if e not in exercises}
    for exercise in exercises:
        if exercise.name in others:
            yield f"The name {exercise.name} is taken, by chapter {others[exercise.name]}: each exercise has its own."
        solution, graded = cells.get(exercise.name), cells.get(exercise.graded_cell)
        if solution is None or not solution.metadata.nbgrader.get("solution"):
            yield f'No solution cell has the grade_id "{exercise.name}"; its line is {_line(exercise.name, SOLUTION)}.'
        elif "### BEGIN SOLUTION" not in solution.source:
            yield f'The solution cell "{exercise.name}" has no line ### BEGIN SOLUTION: students would get all of it.'
        if graded is None or not graded.metadata.nbgrader.get("grade"):
            line = _line(exercise.graded_cell, {**GRADED, "points": exercise.max_score})
            yield f'No graded cell has the grade_id "{exercise.graded_cell}"; its line is {line}.'
        elif float(graded.metadata.nbgrader.get("points", 0)) != exercise.max_score:
            points = f"{graded.metadata.nbgrader.get('points', 0):g} points, and exercises.py {exercise.max_score:g}"
            yield f'The graded cell "{exercise.graded_cell}" has {points}: they are to be the same.'
        for cell, name, about in (solution, exercise.name, SOLUTION), (graded, exercise.graded_cell, GRADED):
            if cell is not None and (lacks := [key for key in about if key not in cell.metadata.nbgrader]):
                own = {**about, **cell.metadata.nbgrader}
                yield f'The cell "{name}" lacks {", ".join(lacks)}; its line is {_line(name, own)}.'
    asked = {name for exercise in exercises for name in (exercise.name, exercise.graded_cell)}
    for name, cell in cells.items():
        about = cell.metadata.get("nbgrader", {})
        if name not in asked and (about.get("grade") or about.get("solution")):
            yield f'The cell "{name}" is marked as an exercise, and exercises.py names none of it.'


def _line(name: str, about: dict[str, Any]) -> str:
    """The line of a script before a cell that nbgrader is to know."""
    return f"{KEPT} nbgrader={json.dumps({'grade_id': name, **about})}"


def _room(chapter: int) -> Path:
    return of_class() / assignment(chapter)
