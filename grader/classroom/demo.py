"""The sample class: submissions kept as small differences from the chapter's own notebooks.

A file in a chapter's `sample/` is one student; every misconception of the bank is one more. The
keys of a file are the fields of `Sample`.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

import nbformat
from nbformat import NotebookNode

from minigrad.workshop.source import definition, replace

from ..ask.bank import Misconception
from ..chapters import exercises, sample_files
from ..chapters.answers import BANK
from ..errors import CourseError
from ..publish.course import assignment, chapters, course_root, notebook_name, release_notebook
from ..run.submission import grade_id
from .classroom import Classroom


class Expected(TypedDict, total=False):
    """What a sample must come to.

    Attributes:
        scores: exercise → points, 0 for one that is not named; all points without it.
        state: `graded` or `not graded`, of every exercise; `graded` without it.
        states: the same of single exercises.
    """

    scores: dict[str, float]
    state: str
    states: dict[str, str]


@dataclass(frozen=True)
class Sample:
    """One submission of the sample class, as a difference from the solved or the unsolved notebook.

    Attributes:
        student: its name.
        about: a sentence.
        base: `solution` or `release`: the notebook that it starts from.
        take: exercises that are taken from the solution although the base is the release.
        cells: exercise → source of its solution cell.
        before, after: exercise → source of an extra cell before or after its solution cell.
        delete, duplicate, as_markdown: ids of cells that are deleted, copied or turned into text.
        tag: a tag put on every cell.
        points: what the graded cells claim to be worth.
        kernelspec: what the notebook claims to run on.
        file_name: the name under which it is handed in.
        keep_bytes: where the file is cut off.
        text: what is handed in instead of a notebook.
        expect: `scores` (exercise → points, all others 0; everything right if the key is missing),
            `state` of all exercises or `states` of some.
    """

    student: str
    about: str
    base: str = "solution"
    take: tuple[str, ...] = ()
    cells: dict[str, str] = field(default_factory=dict)
    before: dict[str, str] = field(default_factory=dict)
    after: dict[str, str] = field(default_factory=dict)
    delete: tuple[str, ...] = ()
    duplicate: tuple[str, ...] = ()
    as_markdown: tuple[str, ...] = ()
    tag: str = ""
    points: float = 0
    kernelspec: str = ""
    file_name: str = ""
    keep_bytes: int = 0
    text: str | None = None
    expect: Expected = field(default_factory=Expected)


def samples(chapter: int) -> list[Sample]:
    """The chapter's sample class: its students, and one more for each misconception.

    Raises:
        CourseError: the chapter has none.
    """
    found = students(chapter)
    solved = _solution_cells(chapter)
    known = [m for exercise in exercises(chapter) for m in BANK.get(exercise.name, ())]
    return found + [_of_misconception(m, solved) for m in known]


def students(chapter: int) -> list[Sample]:
    """Those of the sample class that are files.

    Raises:
        CourseError: the chapter has none.
    """
    exercises(chapter)  # a chapter that there is
    files = sample_files(chapter)
    if not files:
        raise CourseError(f"There is no sample class for chapter {chapter}.")
    return [Sample(path.stem, **tomllib.loads(path.read_text("utf-8"))) for path in files]


def _of_misconception(misconception: Misconception, solved: dict[str, str]) -> Sample:
    source = solved[misconception.exercise]
    own = definition(source, misconception.replaces)
    assert own, f"{misconception.exercise} does not define {misconception.replaces}"
    decorator = own.splitlines()[0] + "\n" if own.startswith("@") else ""
    wrong = replace(source, {misconception.replaces: decorator + misconception.text()})
    return Sample(f"wrong-{misconception.name}", misconception.advice, cells={misconception.exercise: wrong})


def _solution_cells(chapter: int) -> dict[str, str]:
    notebook = solution_notebook(chapter)
    return {grade_id(c): c.source for c in notebook.cells if c.metadata.get("nbgrader", {}).get("solution")}


def solution_notebook(chapter: int) -> NotebookNode:
    """The release with the solutions in it: what a student hands in who has done everything."""
    path = course_root() / "solutions" / assignment(chapter) / notebook_name(chapter)
    solved = {grade_id(cell): cell.source for cell in nbformat.read(path, as_version=4).cells if grade_id(cell)}
    notebook = release_notebook(chapter)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            lines = solved[grade_id(cell)].splitlines()
            cell.source = "\n".join(line for line in lines if "### BEGIN SOL" not in line and "### END SOL" not in line)
    return notebook


def notebook_of(sample: Sample, chapter: int) -> NotebookNode:
    """The sample as the notebook that its student hands in."""
    notebook = solution_notebook(chapter) if sample.base == "solution" else release_notebook(chapter)
    solved = _solution_cells(chapter)
    sources = {**{name: solved[name] for name in sample.take}, **sample.cells}
    cells: list[NotebookNode] = []
    for cell in notebook.cells:
        name = grade_id(cell)
        if name in sources:
            cell.source = sources[name].strip("\n")
        extra = [
            [nbformat.v4.new_code_cell(d[name].strip("\n"))] if name in d else [] for d in (sample.before, sample.after)
        ]
        copies = 2 if name in sample.duplicate else 0 if name in sample.delete else 1
        cells += extra[0] + [nbformat.from_dict(cell) for _ in range(copies)] + extra[1]
    notebook.cells = cells
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
        _change_metadata(sample, cell)
    if sample.kernelspec:
        notebook.metadata.kernelspec = {"name": sample.kernelspec, "display_name": sample.kernelspec, "language": "R"}
    return notebook


def _change_metadata(sample: Sample, cell: NotebookNode) -> None:
    if sample.tag:
        cell.metadata.tags = [sample.tag]
    if sample.points and cell.metadata.get("nbgrader", {}).get("grade"):
        cell.metadata.nbgrader.points = sample.points
    if grade_id(cell) in sample.as_markdown:
        cell.cell_type = "markdown"
        cell.pop("outputs", None)
        cell.pop("execution_count", None)


def refuse_a_class(folder: Path, chapter: int) -> None:
    """Leave a real class alone, whatever chapter it is at.

    Raises:
        CourseError: somebody who is not in the sample class has handed in there.
    """
    for number in chapters():
        handed_in = Classroom(folder).students(number)
        known = {sample.student for sample in samples(number)} if handed_in else set()
        if strangers := set(handed_in) - known:
            raise CourseError(
                f"{folder} is a class of its own ({min(strangers)} has handed in chapter {number}): give the sample "
                f"class another folder, with `grader demo --chapter {chapter} --classroom FOLDER`."
            )


def write_samples(inbox: Path, chapter: int) -> list[Sample]:
    """Write the chapter's sample class as students hand it in: `inbox/<student>/<notebook>`."""
    written = samples(chapter)
    for sample in written:
        path = inbox / sample.student / (sample.file_name or notebook_name(chapter))
        path.parent.mkdir(parents=True, exist_ok=True)
        text = sample.text if sample.text is not None else nbformat.writes(notebook_of(sample, chapter))
        path.write_bytes(text.encode()[: sample.keep_bytes or None])
    return written
