"""The class in rows: one a student and exercise, from nbgrader's gradebook and the autograded notebooks."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.api import Gradebook
from rich import box
from rich.table import Table
from rich.text import Text

from . import render
from .assess import Result, not_graded
from .classroom import Classroom, grades
from .course import chapter_of, notebook_name
from .exercise import exercises
from .nbgrader_plugin import results_in


@dataclass(frozen=True)
class Row:
    """One exercise of one student.

    Attributes:
        student: nbgrader's id of the student.
        chapter, exercise: which exercise.
        score, max_score: points; a manual grade comes before the grader's.
        state: `graded`, or `not graded: …` with the reason.
        diagnosis: what was found, in words.
    """

    student: str
    chapter: int
    exercise: str
    score: float
    max_score: float
    state: str
    diagnosis: str


def class_rows(folder: Path, gradebook: Gradebook, chapters: Iterable[int] | None = None) -> list[Row]:
    """All rows of a class, by chapter and student.

    Args:
        folder: the classroom.
        gradebook: its gradebook, open.
        chapters: which; every chapter that the gradebook knows if None.
    """
    wanted = sorted(chapters or (chapter_of(known.name) for known in gradebook.assignments))
    return [row for chapter in wanted for row in _chapter_rows(Classroom(folder), gradebook, chapter)]


def _chapter_rows(classroom: Classroom, gradebook: Gradebook, chapter: int) -> list[Row]:
    rows, points = [], grades(gradebook, chapter)
    for student in classroom.students(chapter):
        for exercise, result in zip(exercises(chapter), results(classroom, student, chapter), strict=True):
            score = points.get(student, {}).get(exercise.graded_cell, (0.0, 0.0))[1]
            state = result.state if result.state == "graded" else "not graded"
            diagnosis = render.diagnosis(result).removeprefix("not graded: ")
            rows.append(Row(student, chapter, exercise.name, score, exercise.max_score, state, diagnosis))
    return rows


def results(classroom: Classroom, student: str, chapter: int) -> list[Result]:
    """The results in a student's autograded notebook; without one, why there are none."""
    path, submitted = classroom.autograded(student, chapter), classroom.submitted(student, chapter)
    handed_in = submitted / notebook_name(chapter)
    again = path.is_file() and handed_in.is_file() and handed_in.stat().st_mtime > path.stat().st_mtime
    if path.is_file() and not again:
        return results_in(nbformat.read(path, as_version=4), chapter)
    reason = f"{notebook_name(chapter)} is missing from the submission"
    if handed_in.is_file():
        reason = (
            f"it was handed in {'again after it was graded' if again else 'and not graded yet'}: run grader autograde"
        )
    return [not_graded(exercise, f"not graded: {reason}") for exercise in exercises(chapter)]


def as_json(classroom: Classroom, chapter: int, rows: list[Row]) -> dict[str, Any]:
    """A chapter for machines: every student with each exercise, what happened, and how common each misconception is."""
    students: dict[str, dict[str, Any]] = {}
    common: dict[str, int] = {}
    for student in dict.fromkeys(row.student for row in rows):
        own = [row for row in rows if row.student == student]
        causes = _causes(results(classroom, student, chapter))
        for cause in {cause for names in causes.values() for cause in names}:
            common[cause] = common.get(cause, 0) + 1
        exercises = [{**asdict(row), "misconceptions": causes.get(row.exercise, [])} for row in own]
        for exercise in exercises:
            del exercise["student"], exercise["chapter"]
        total = {"score": sum(row.score for row in own), "max_score": sum(row.max_score for row in own)}
        happened = sorted(set(_metadata(classroom, student, chapter).get("happened", {}).values()))
        students[student] = {**total, "happened": happened, "exercises": exercises}
    ordered = dict(sorted(common.items(), key=lambda item: (-item[1], item[0])))
    return {"chapter": chapter, "students": students, "misconceptions": ordered}


def _causes(found: list[Result]) -> dict[str, list[str]]:
    """Exercise → the misconceptions that were named."""
    named = {r.exercise: sorted({f.cause for f in r.findings.values() if f.cause}) for r in found}
    return {exercise: causes for exercise, causes in named.items() if causes}


def _metadata(classroom: Classroom, student: str, chapter: int) -> dict[str, Any]:
    try:
        notebook = json.loads(classroom.autograded(student, chapter).read_text("utf-8"))
    except OSError:
        return {}
    return notebook["metadata"].get("minigrad", {})


def write_csv(path: Path, rows: list[Row]) -> None:
    """Write the rows; a text that a spreadsheet would take for a formula gets an apostrophe before it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)])
        writer.writeheader()
        writer.writerows({name: _safe(value) for name, value in asdict(row).items()} for row in rows)


def _safe(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def summary(rows: list[Row]) -> str:
    """The class in a sentence."""
    students = list(dict.fromkeys(row.student for row in rows))
    graded = [name for name in students if all(row.state == "graded" for row in rows if row.student == name)]
    mean = sum(row.score for row in rows) / max(1, len(students))
    most = sum(row.max_score for row in rows) / max(1, len(students))
    ungraded = len(students) - len(graded)
    return (
        f"{len(students)} students: {len(graded)} graded, {ungraded} not, or not in full; mean {mean:.1f} of {most:g}."
    )


def table(rows: list[Row], width: int) -> Table:
    """A table for the terminal: a line a student, and what was found, in words; a column an exercise if it is wide.

    Args:
        rows: the class.
        width: the terminal's, in characters.
    """
    names = list(dict.fromkeys(row.exercise for row in rows)) if width >= WIDE else []
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    shown.add_column("student", overflow="fold")
    for title in ("score", *names):
        shown.add_column(title, justify="right", no_wrap=True)
    shown.add_column("state and diagnosis", overflow="fold")
    for student in dict.fromkeys(row.student for row in rows):
        own = [row for row in rows if row.student == student]
        total = f"{sum(row.score for row in own):g}/{sum(row.max_score for row in own):g}"
        points = [f"{row.score:g}" if row.state == "graded" else "–" for row in own if row.exercise in names]
        shown.add_row(Text(render.plain(student, 40)), total, *points, Text(_words(own)))
    return shown


WIDE = 120


def _words(rows: list[Row]) -> str:
    """What a student's exercises come to; the same sentence is said once."""
    said: dict[str, list[str]] = {}
    for row in rows:
        if row.state != "graded" or row.score < row.max_score:
            state = "" if row.state == "graded" else "not graded: "
            said.setdefault(state + row.diagnosis, []).append(row.exercise)
    if not said:
        return "graded: all right"
    lines = [f"{'all' if len(names) == len(rows) else ', '.join(names)}: {words}" for words, names in said.items()]
    return "\n".join(lines)
