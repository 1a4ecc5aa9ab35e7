"""A class: its folder, its nbgrader settings, and what nbgrader is asked to do there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from nbgrader.api import Assignment, BaseCell, Grade, Gradebook, SubmittedAssignment, SubmittedNotebook
from nbgrader.apps import NbGraderAPI
from nbgrader.utils import parse_utc
from sqlalchemy import create_engine, inspect, make_url
from sqlalchemy.exc import SQLAlchemyError
from traitlets.config import Config

from .course import assignment, course_root, notebook_name
from .errors import CourseError
from .release import course_config, make_release, tools_on_path


@dataclass(frozen=True)
class Classroom:
    """The folder of a class, with nbgrader's `submitted/`, `autograded/` and `feedback/` in it.

    Attributes:
        folder: its absolute path.
        unsafe: run submissions without a sandbox where there is none.
        database: the gradebook's URL, as `database_url` returns it; "" for `gradebook.db` in the folder.
    """

    folder: Path
    unsafe: bool = False
    database: str = ""

    @property
    def db_url(self) -> str:
        """The gradebook, as SQLAlchemy names it."""
        return self.database or f"sqlite:///{self.folder / 'gradebook.db'}"

    @property
    def gradebook_place(self) -> str:
        """The gradebook as a message names it: its file, or its URL without the password."""
        url = make_url(self.db_url)
        return str(url.database) if url.get_backend_name() == "sqlite" else url.render_as_string()

    def submitted(self, student: str, chapter: int) -> Path:
        """The folder of a student's submission."""
        return self.folder / "submitted" / student / assignment(chapter)

    def autograded(self, student: str, chapter: int) -> Path:
        """A student's autograded notebook."""
        return self.folder / "autograded" / student / assignment(chapter) / notebook_name(chapter)

    def feedback(self, student: str, chapter: int) -> Path:
        """A student's feedback page."""
        path = self.folder / "feedback" / student / assignment(chapter) / notebook_name(chapter)
        return path.with_suffix(".html")

    def students(self, chapter: int) -> list[str]:
        """Who has submitted something, in order."""
        found = (path.parent.name for path in self.folder.glob(f"submitted/*/{assignment(chapter)}") if path.is_dir())
        return sorted(found)

    def config(self) -> Config:
        """The course's nbgrader settings, with this class's folders."""
        config = course_config(course_root())
        config.CourseDirectory.db_url = self.db_url
        for step in ("submitted", "autograded", "feedback"):
            config.CourseDirectory[f"{step}_directory"] = str(self.folder / step)
        config.Judge.classroom = config.ExerciseExport.classroom = str(self.folder)
        config.Judge.unsafe = self.unsafe
        config.NbGraderAPI.log_level = "WARN"
        return config

    def gradebook(self) -> Gradebook:
        """The class's gradebook, open; use it in a `with`."""
        return Gradebook(self.db_url, course_id="minigrad")

    def has_gradebook(self) -> bool:
        """Whether the class has a gradebook yet."""
        url = make_url(self.db_url)
        if url.get_backend_name() == "sqlite":  # to look into one that is not there would make it
            return Path(str(url.database)).is_file()
        return inspect(create_engine(url)).has_table("assignment")

    def enroll(self, chapter: int) -> None:
        """Let the gradebook know the chapter's exercises, as nbgrader's generate_assignment does.

        Raises:
            CourseError: nbgrader refuses the chapter.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        make_release(chapter, course_root(), {}, self.db_url)

    def autograde(self, student: str, chapter: int) -> str:
        """nbgrader's autograde for one submission; returns what went wrong, "" if nothing did."""
        with self._nbgrader() as api:
            return _problem(api.autograde(assignment(chapter), student, force=True, create=True))

    def generate_feedback(self, student: str, chapter: int) -> str:
        """nbgrader's feedback page for one submission; returns what went wrong, "" if nothing did."""
        with self._nbgrader() as api:
            return _problem(api.generate_feedback(assignment(chapter), student, force=True))

    @contextlib.contextmanager
    def _nbgrader(self) -> Iterator[NbGraderAPI]:
        """nbgrader's API with this class's settings; what it prints goes to the class's log."""
        log = self.folder / "nbgrader.log"
        with tools_on_path(), log.open("a", encoding="utf-8") as file, contextlib.redirect_stderr(file):
            yield NbGraderAPI(config=self.config())


def database_url(text: str) -> str:
    """A gradebook's URL as nbgrader can have it: a file of SQLite by its absolute path, for nbgrader changes folders.

    Raises:
        CourseError: it is no URL of SQLAlchemy's, its driver is not installed, or nothing answers there.
    """
    try:
        url = make_url(text)
        if url.get_backend_name() == "sqlite":
            if not url.database or url.database == ":memory:":
                raise CourseError("A gradebook in memory is gone when the command ends: give sqlite:///a-file.db.")
            file = Path(url.database).expanduser().resolve()
            file.parent.mkdir(parents=True, exist_ok=True)
            url = url.set(database=str(file))
        else:
            create_engine(url).connect().close()
    except ImportError as error:
        raise CourseError(f"The gradebook's driver is missing: install it with `pip install {error.name}`.") from None
    except SQLAlchemyError as error:
        reason = str(error).strip().splitlines()[0].rstrip(".")
        raise CourseError(f"The gradebook cannot be reached ({reason}): --db takes an SQLAlchemy URL.") from None
    return url.render_as_string(hide_password=False)


def set_due(classroom: Classroom, chapter: int, text: str) -> datetime:
    """Write into the gradebook when the chapter is due, and return it in UTC.

    Raises:
        CourseError: nbgrader cannot read it.
    """
    try:
        due = parse_utc(text)
    except (ValueError, OverflowError, TypeError):
        raise CourseError(f"{text!r} is no time: write it as 2026-11-30 18:00 UTC.") from None
    with classroom.gradebook() as gradebook:
        gradebook.update_or_create_assignment(assignment(chapter), duedate=due)
    return due


def grades(gradebook: Gradebook, chapter: int) -> dict[str, dict[str, tuple[float, float]]]:
    """All grades of a chapter at once: student → graded cell → the grader's own points, and the points that count.

    A manual grade comes before the grader's.
    """
    rows = gradebook.db.query(SubmittedAssignment.student_id, BaseCell.name, Grade.auto_score, Grade.score)
    rows = rows.select_from(Grade).join(Grade.cell).join(Grade.notebook).join(SubmittedNotebook.assignment)
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for student, cell, own, counted in rows.join(Assignment).filter(Assignment.name == assignment(chapter)):
        found.setdefault(student, {})[cell] = (own or 0.0, counted or 0.0)
    return found


def _problem(result: dict[str, Any]) -> str:
    if result["success"]:
        return ""
    text = (result.get("error") or result.get("log") or "no reason given").strip()
    if text.splitlines()[-1] == "KeyboardInterrupt":  # nbgrader takes Ctrl-C, too, for a fault of the submission
        raise KeyboardInterrupt
    return text.splitlines()[-1]


def name_problem(student: str) -> str:
    """Why nbgrader cannot have a student of this name; "" if it can.

    It looks submissions up by patterns, line by line, and strips what it was given: `*` would be everybody.
    """
    if set(student) & set("*?[]") or student.strip() != student or len(student.splitlines()) != 1:
        return "nbgrader takes no name with *, ?, [, ], a line's end, or a space at its own end: rename the folder"
    return ""
