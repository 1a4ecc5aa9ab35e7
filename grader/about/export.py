"""A class's points as other programs import them – Canvas, Moodle, a spreadsheet: plugins of `nbgrader export`."""

from __future__ import annotations

import csv
import html
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from nbgrader.api import Gradebook, Student
from nbgrader.plugins import ExportPlugin
from traitlets import Unicode

from ..classroom import edition
from ..classroom.classroom import Classroom
from ..classroom.worth import possible
from ..errors import CourseError
from ..publish.course import assignment, chapter_of
from ..verdict import render
from ..verdict.inert import printable
from .report import YET, Row, class_rows, counting_chapters, in_one_cell, total

FORMULA = re.compile(r"\s*[=＝]|[\t\r]|\s*[-+@＋－＠].*[(|!]", re.DOTALL)
Writer = Callable[[Path, Classroom, Gradebook, list[int]], Path]


def write_canvas(path: Path, classroom: Classroom, gradebook: Gradebook, chapters: list[int]) -> Path:
    """Write a file for Canvas: Grades, Import.

    `ID` is the student's `lms_user_id` in nbgrader's gradebook, `SIS Login ID` nbgrader's id of the student. Who handed
    nothing in, or has something that is not graded yet, has an empty field, which Canvas leaves alone.
    """
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    most = [possible(chapter, edition.points(classroom, chapter)) for chapter in chapters]
    lines: list[list[object]] = [[*head, *map(assignment, chapters)], ["    Points Possible", "", "", "", "", *most]]
    for student, rows in _students(classroom, gradebook, chapters):
        named = ", ".join(filter(None, [student.last_name, student.first_name])) or student.id
        lines.append([named, student.lms_user_id or "", "", student.id, "", *(_points(own) for own in rows)])
    return _write(path, lines)


def write_moodle(path: Path, classroom: Classroom, gradebook: Gradebook, chapters: list[int]) -> Path:
    """Write a file for Moodle: Grades, Import, CSV file; map `Username` or `Email address` to the same in Moodle.

    Each chapter has a column of points and one of words, which Moodle takes as feedback for the same grade item.
    """
    head = ["Username", "First name", "Last name", "Email address"]
    about = [name for chapter in chapters for name in (assignment(chapter), f"{assignment(chapter)} (feedback)")]
    lines: list[list[object]] = [[*head, *about]]
    for student, rows in _students(classroom, gradebook, chapters):
        own = [field for found in rows for field in (_points(found), _words(found))]
        lines.append([student.id, student.first_name or "", student.last_name or "", student.email or "", *own])
    return _write(path, lines)


FORMATS: dict[str, Writer] = {"canvas": write_canvas, "moodle": write_moodle}


def writer(name: str) -> Writer:
    """What writes this format.

    Raises:
        CourseError: there is no such format.
    """
    if name not in FORMATS:
        raise CourseError(f"There is no format {name!r}; --format takes {' or '.join(FORMATS)}.")
    return FORMATS[name]


def _students(
    classroom: Classroom, gradebook: Gradebook, chapters: list[int]
) -> Iterator[tuple[Student, list[list[Row]]]]:
    """Every student of the gradebook, with the rows of each chapter that are graded."""
    rows: dict[tuple[str, int], list[Row]] = {}
    for row in class_rows(classroom.folder, gradebook, chapters):
        rows.setdefault((row.student, row.chapter), []).append(row)
    for student in sorted(gradebook.students, key=lambda one: one.id):
        yield student, [_graded(classroom, rows.get((student.id, chapter), [])) for chapter in chapters]


def _graded(classroom: Classroom, rows: list[Row]) -> list[Row]:
    if not rows or not classroom.autograded(rows[0].student, rows[0].chapter).is_file():
        return []
    return [] if any(row.state == YET for row in rows) else rows


def _points(rows: list[Row]) -> str:
    return f"{total(rows):g}" if rows else ""


def _words(rows: list[Row]) -> str:
    wrong = [f"{row.exercise}: {row.diagnosis}" for row in rows if row.state != "graded" or row.score < row.max_score]
    # Moodle shows it as HTML.
    return html.escape(in_one_cell(render.plain(" ".join(wrong), 2000))) if wrong else "All right." if rows else ""


def _write(path: Path, lines: list[list[object]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([_safe(value) for value in line] for line in lines)
    return path


def _safe(value: object) -> object:
    """The value, with an apostrophe before it only where a spreadsheet would compute something of it.

    The LMS looks students up by what is written here, so an id such as `-dash` or `@ada` stays as it is: nothing is
    computed of it, as it calls no function and reads nothing from elsewhere. What begins with `=` always is a formula.
    """
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if FORMULA.match(text) else in_one_cell(text)


def chapters_asked(names: Iterable[object]) -> list[int]:
    """The chapters of `nbgrader export --assignment`; a name that is none ends the command with its sentence."""
    try:
        return [chapter_of(str(name)) for name in names]
    except CourseError as error:  # nbgrader would show where in the code it was raised
        raise SystemExit(f"grader: {error}") from None


class ExerciseExport(ExportPlugin):
    """`nbgrader export --exporter=grader.about.export.ExerciseExport`: one row a student and exercise."""

    classroom = Unicode("classroom", help="Folder of the class.").tag(config=True)

    def export(self, gradebook: Gradebook) -> None:
        """Write the rows as CSV to `--to`, by default `grades.csv` in the classroom."""
        from ..about.report import class_rows, write_csv

        folder = Path(self.classroom)
        wanted = chapters_asked(self.assignment) or None
        rows = class_rows(folder, gradebook, wanted)
        students = {str(name) for name in self.student}
        write_csv(Path(self.to or folder / "grades.csv"), [r for r in rows if not students or r.student in students])


class _LmsExport(ExportPlugin):
    """Write a format to `--to`, by default into the classroom."""

    classroom = Unicode("classroom", help="Folder of the class.").tag(config=True)
    form = ""

    def export(self, gradebook: Gradebook) -> None:
        """Write the points of `--assignment`, by default of every chapter that counts."""
        room = Classroom(Path(self.classroom).resolve())
        chapters = chapters_asked(self.assignment) or counting_chapters(room.folder, gradebook)
        path = Path(self.to or room.folder / f"{self.form}.csv")
        FORMATS[self.form](path, room, gradebook, sorted(chapters))


class CanvasExport(_LmsExport):
    """`nbgrader export --exporter=grader.about.export.CanvasExport`: points for Canvas."""

    form = "canvas"


class MoodleExport(_LmsExport):
    """`nbgrader export --exporter=grader.about.export.MoodleExport`: points and words for Moodle."""

    form = "moodle"
