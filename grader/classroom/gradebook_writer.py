"""The one writer: a class's verdicts as nbgrader's rows and files, for many submissions at once.

nbgrader's `autograde` converts each notebook twice, opens the gradebook seven times and commits after each cell. What
it leaves behind is made here with its own objects, in one session a batch: the same rows and the same files, at a tenth
of the processor time. What is not as this course configures it, and what fails here, goes nbgrader's way.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from nbconvert.writers.files import FilesWriter
from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.api import (
    Assignment,
    Comment,
    Grade,
    Gradebook,
    Notebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.converters import Autograde
from nbgrader.preprocessors import AssignLatePenalties, LimitOutput, SaveAutoGrades
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, selectinload
from traitlets.config import Config

from ..publish.course import assignment, course_root
from ..run.verdicts import write_whole
from .autograded import Autograded
from .classroom import Classroom, time_in
from .nbgrader_plugin import Restore, SubmissionExporter, own_files

BATCH = 32  # submissions that one commit is for
SECONDS = 1.0  # … or fewer, when the first of them has waited so long
STEPS = (Autograde, SubmissionExporter, Restore, LimitOutput, SaveAutoGrades, FilesWriter)  # what is done here
OURS = {
    "Autograde": {
        "exporter_class": "grader.classroom.nbgrader_plugin.SubmissionExporter",
        "sanitize_preprocessors": ["grader.classroom.nbgrader_plugin.Restore"],
        "autograde_preprocessors": [
            "grader.classroom.nbgrader_plugin.Judge",
            "nbgrader.preprocessors.LimitOutput",
            "nbgrader.preprocessors.SaveAutoGrades",
            "nbgrader.preprocessors.AssignLatePenalties",
        ],
    },
    "Exporter": {"optimistic_validation": True},
}

Told = Callable[[str, str], None]  # called with a student and what went wrong ("" if nothing), once each


def is_usual(config: Config) -> bool:
    """Whether nbgrader's `autograde` would do, with these settings, what is done here: no other step, hook or limit."""
    names = {base.__name__ for step in STEPS for base in step.__mro__}
    found = {name: dict(config[name]) for name in names if name in config and config[name]}
    return found == OURS and not config.CourseDirectory.get("groupshared", False)


@dataclass(frozen=True)
class Points:
    """What nbgrader was told of a submission, and what it knew.

    Attributes:
        own: graded cell → the grader's own points.
        by_hand: graded cell → other points, that somebody gave; of work that was late alone, whose penalty is a share.
    """

    own: dict[str, float]
    by_hand: dict[str, float]


@dataclass(frozen=True)
class _Taken:
    """A submission whose files are written: its cells that nbgrader knows, and when it came."""

    cells: list[NotebookNode]
    when: datetime | None


class Writer:
    """Tells nbgrader of a chapter's verdicts, a batch at a time.

    Args:
        classroom: the class.
        chapter: the chapter, which the gradebook knows.
        told: called for each submission when the gradebook holds it, or with what went wrong.
    """

    def __init__(self, classroom: Classroom, chapter: int, told: Told) -> None:
        self._classroom, self._chapter, self._told = classroom, chapter, told
        self._config = classroom.config()
        self._usual = is_usual(self._config)
        self._waiting: dict[str, _Taken] = {}
        self._since = 0.0
        self.told: dict[str, Points] = {}  # by student

    def take(self, student: str, autograded: Autograded) -> None:
        """Take a submission's autograded notebook; where that has no text, nbgrader is to make it."""
        taken = self._written(student, autograded) if autograded.text and self._usual else None
        if not taken:
            self._ask_nbgrader(student)
            return
        self._since = self._since if self._waiting else time.monotonic()
        self._waiting[student] = taken
        if len(self._waiting) >= BATCH:
            self.flush()
        self.rest()

    def rest(self) -> None:
        """Commit what has waited long enough, also where nothing else comes for a while."""
        if self._waiting and time.monotonic() - self._since >= SECONDS:
            self.flush()

    def flush(self) -> None:
        """Commit what waits. Where that fails, nbgrader is asked to write one submission after another."""
        waiting, self._waiting = self._waiting, {}
        if not waiting:
            return
        try:
            try:
                self._commit(waiting)
            except IntegrityError:  # a writer of another chapter was first with a student of both
                self._commit(waiting)
        except Exception:  # a late plugin of the instructor's may raise anything; nbgrader says what is wrong with whom
            self._classroom.log(f"nbgrader is asked to write {len(waiting)} submissions:\n{traceback.format_exc()}")
            for student in waiting:
                self._ask_nbgrader(student)
        else:
            for student in waiting:
                self._told(student, "")

    def _commit(self, waiting: dict[str, _Taken]) -> None:
        with self._classroom.gradebook() as gradebook:
            self._write_rows(gradebook, waiting)

    def _ask_nbgrader(self, student: str) -> None:
        problem = self._classroom.autograde(student, self._chapter)
        if not problem:
            with self._classroom.gradebook() as gradebook:
                self.told[student] = _points(gradebook.find_submission(assignment(self._chapter), student))
        self._told(student, problem)

    # ---------------------------------------------------------------------- files

    def _written(self, student: str, autograded: Autograded) -> _Taken | None:
        """Write what nbgrader leaves in `autograded/`, to be read only; None where nbgrader is to say what is wrong."""
        source = self._classroom.submitted(student, self._chapter)
        target = self._classroom.autograded(student, self._chapter)
        try:
            when = _timestamp(source / "timestamp.txt")
            cells = json.loads(autograded.cells, object_hook=NotebookNode)
        except (OSError, ValueError, OverflowError, TypeError):
            return None
        shutil.rmtree(target.parent, ignore_errors=True)
        self._copy(source, self._beside(source), target.parent)
        self._copy(self._given, self._beside_given, target.parent)
        write_whole(target, autograded.text)
        target.chmod(0o444)
        return _Taken(cells, when)

    @functools.cached_property
    def _given(self) -> Path:
        return course_root() / str(self._config.CourseDirectory.source_directory) / assignment(self._chapter)

    @functools.cached_property
    def _beside_given(self) -> list[str]:
        return self._beside(self._given)

    def _beside(self, folder: Path) -> list[str]:
        """What lies beside the notebook, as far as nbgrader copies it."""
        return own_files(str(folder), [*self._config.CourseDirectory.ignore, "*.ipynb"])

    def _copy(self, folder: Path, paths: list[str], target: Path) -> None:
        for path in paths:
            copy = target / os.path.relpath(path, folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.unlink(missing_ok=True)
            shutil.copy(path, copy)
            copy.chmod(0o444)

    # ---------------------------------------------------------------------- rows

    def _write_rows(self, gradebook: Gradebook, waiting: dict[str, _Taken]) -> None:
        """Write and commit the rows that nbgrader would."""
        db = gradebook.db
        chapter: Assignment = gradebook.find_assignment(assignment(self._chapter))
        notebook: Notebook = _only(chapter.notebooks)
        known = {one.id: one for one in db.query(Student).filter(Student.id.in_(waiting))}
        handed_in = _submissions(db, chapter, waiting)
        late = _Late(config=self._config)
        late.init_plugin()
        with db.no_autoflush:
            for student, taken in waiting.items():
                if student not in handed_in:
                    who = known.get(student) or Student(id=student)
                    handed_in[student] = _new(chapter, notebook, who)
                    db.add(handed_in[student])
                # None, where nothing says when: the time of earlier work is not that of this.
                handed_in[student].timestamp = taken.when
                _mark(_only(handed_in[student].notebooks), notebook, taken.cells, late.log)
        db.flush()  # the database adds up what a penalty is taken off
        for student in waiting:
            late.settle(db, student, handed_in[student])
            self.told[student] = _points(handed_in[student])
        db.commit()


def settle_lateness(classroom: Classroom, gradebook: Gradebook, submission: SubmittedAssignment) -> None:
    """Take the penalty off a submission whose points are others now; the caller commits."""
    late = _Late(config=classroom.config())
    late.init_plugin()
    late.settle(gradebook.db, submission.student_id, submission)


def _timestamp(path: Path) -> datetime | None:
    """When a submission came, in UTC, if anybody says so."""
    text = path.read_text().strip() if path.exists() else ""
    return time_in(text) if text else None


def _only(found: Sequence[Any]) -> Any:
    """The one notebook of a chapter.

    Raises:
        ValueError: there are others, which nbgrader knows what to do with.
    """
    (one,) = found
    return one


def _submissions(db: Session, chapter: Assignment, students: dict[str, _Taken]) -> dict[str, SubmittedAssignment]:
    """The students' submissions that the gradebook holds, with their grades and comments."""
    notebooks = selectinload(SubmittedAssignment.notebooks)
    rows = db.query(SubmittedAssignment).options(
        notebooks.selectinload(SubmittedNotebook.grades), notebooks.selectinload(SubmittedNotebook.comments)
    )
    rows = rows.filter(SubmittedAssignment.assignment_id == chapter.id, SubmittedAssignment.student_id.in_(students))
    return {one.student_id: one for one in rows}


def _new(chapter: Assignment, notebook: Notebook, student: Student) -> SubmittedAssignment:
    """A submission with a grade for each graded cell, and a comment for each solution, as `Gradebook` adds one."""
    submission = SubmittedAssignment(assignment=chapter, student=student)
    handed_in = SubmittedNotebook(notebook=notebook, assignment=submission)
    for cell in (*notebook.grade_cells, *notebook.task_cells):
        Grade(cell_id=cell.id, notebook=handed_in)
    for cell in (*notebook.solution_cells, *notebook.task_cells):
        Comment(cell_id=cell.id, notebook=handed_in)
    return submission


def _mark(handed_in: SubmittedNotebook, notebook: Notebook, cells: list[NotebookNode], log: Any) -> None:
    """What nbgrader's SaveAutoGrades writes: the grader's own points, who must be looked at, and who wrote nothing."""
    grades = {one.cell_id: one for one in handed_in.grades}
    comments = {one.cell_id: one for one in handed_in.comments}
    graded = {cell.name: grades[cell.id] for cell in (*notebook.grade_cells, *notebook.task_cells)}
    commented = {cell.name: comments[cell.id] for cell in (*notebook.solution_cells, *notebook.task_cells)}
    for cell in cells:
        name = cell.metadata.nbgrader.get("grade_id")
        if utils.is_grade(cell):
            grade = graded[name]
            grade.auto_score, _ = utils.determine_grade(cell, log)
            grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None
        if utils.is_solution(cell) or utils.is_task(cell):
            same = cell.metadata.nbgrader.get("checksum") == utils.compute_checksum(cell)
            commented[name].auto_comment = "No response." if same and not utils.is_task(cell) else None


def _points(submission: SubmittedAssignment) -> Points:
    """The points of a submission, before the database adds them up."""
    grades = [grade for one in submission.notebooks for grade in one.grades]
    own = {grade.cell.name: grade.auto_score or 0.0 for grade in grades}
    if submission.total_seconds_late <= 0:
        return Points(own, {})
    counted = {grade.cell.name: _counted(grade) for grade in grades}
    return Points(own, {cell: points for cell, points in counted.items() if points != own[cell]})


def _counted(grade: Grade) -> float:
    """`Grade.score` before the database adds it up."""
    points = grade.auto_score if grade.manual_score is None else grade.manual_score
    return float((points or 0.0) + (grade.extra_credit or 0.0))


class _Late(AssignLatePenalties):
    """nbgrader's step that takes a penalty off late work, by the plugin that is configured, on rows at hand."""

    def settle(self, db: Session, student: str, submission: SubmittedAssignment) -> None:
        """Take the penalty off a submission, or give an earlier one back."""
        notebook, seconds = _only(submission.notebooks), submission.total_seconds_late
        notebook.late_submission_penalty = None
        if seconds > 0:
            db.refresh(notebook, ["score"])
            penalty = self.plugin_inst.late_submission_penalty(student, notebook.score, seconds)
            if penalty is not None:
                notebook.late_submission_penalty = self._check_late_penalty(notebook, penalty)
