"""A class: its folder, its nbgrader settings, and what nbgrader is asked to do there.

nbgrader takes two seconds to import: those import it who ask something of it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from ..errors import CourseError
from ..publish.course import assignment, course_root, notebook_name
from ..run.folders import first_odd, read, what
from ..verdict.inert import one_line

if TYPE_CHECKING:
    from nbgrader.api import Gradebook
    from nbgrader.apps import NbGraderAPI
    from traitlets.config import Config

LONGEST_TIME = 100  # characters of a timestamp.txt
JOINERS = re.compile("(?<=[\u0600-\ud7ff])[\u200c\u200d](?=[\u0600-\ud7ff])")  # with which some languages write names
# What nobody sees, besides what Unicode calls control and format characters: fillers, variants, a pattern without dots.
UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]")


@dataclass(frozen=True)
class Classroom:
    """The folder of a class, with nbgrader's `submitted/`, `autograded/` and `feedback/` in it.

    Attributes:
        folder: its absolute path.
        unsafe: run submissions without a sandbox where there is none.
        database: the gradebook's URL, as `database.database_url` returns it; "" for `gradebook.db` in the folder.
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
        if not self.database:
            return str(self.folder / "gradebook.db")
        from ..publish.database import place

        return place(self.database)

    @functools.cached_property
    def _names(self) -> dict[int, str]:
        return {}

    def notebook(self, chapter: int) -> str:
        """The file name of a chapter's notebook, which is looked up once: it is asked for with every submission."""
        if chapter not in self._names:
            self._names[chapter] = notebook_name(chapter)
        return self._names[chapter]

    def submitted(self, student: str, chapter: int) -> Path:
        """The folder of a student's submission."""
        return self.folder / "submitted" / student / assignment(chapter)

    def autograded(self, student: str, chapter: int) -> Path:
        """A student's autograded notebook."""
        return self.folder / "autograded" / student / assignment(chapter) / self.notebook(chapter)

    def feedback(self, student: str, chapter: int) -> Path:
        """A student's feedback page."""
        path = self.folder / "feedback" / student / assignment(chapter) / self.notebook(chapter)
        return path.with_suffix(".html")

    def stray(self, student: str, chapter: int) -> str:
        """Why a submission's files are not only its own; "" if they are.

        A link could name a neighbour's work or any file of the instructor's, and nbgrader copies what it leads to.
        """
        folder = self.submitted(student, chapter)
        odd = next((path for path in (folder.parent, folder) if path.is_symlink()), None) or first_odd(folder)
        if not odd:
            return self._in_the_place_of(folder, chapter)
        name = odd.relative_to(self.folder / "submitted")
        return f"{one_line(str(name))} is {what(odd)}, which is not followed: remove it, or collect the submission anew"

    def unfit(self, student: str, chapter: int) -> str:
        """Why nothing of a submission may be opened; "" if it may."""
        return self.stray(student, chapter) or unread_time(self.submitted(student, chapter) / "timestamp.txt")

    def _in_the_place_of(self, folder: Path, chapter: int) -> str:
        """What in a submission is a folder where the course has a file of that name, or the other way round; or ""."""
        for given in sorted((course_root() / "solutions" / assignment(chapter)).glob("*")):
            own = folder / given.name
            if own.exists() and own.is_dir() != given.is_dir():
                name = f"{one_line(folder.parent.name)}/{folder.name}/{given.name}"
                return f"{name} is {what(own)}, and the course's is not: remove it, or collect the submission anew"
        return ""

    def students(self, chapter: int) -> list[str]:
        """Who has submitted something, in order; also folders of names that nobody can have (`name_problem`)."""
        found = self.folder.glob(f"submitted/*/{assignment(chapter)}")
        return sorted(path.parent.name for path in found if path.is_dir())

    def config(self) -> Config:
        """The course's nbgrader settings, with this class's folders."""
        from ..publish.database import once_compiled
        from ..publish.release import course_config

        config = course_config(course_root())
        config.CourseDirectory.db_url = once_compiled(self.db_url)
        for step in ("submitted", "autograded", "feedback"):
            config.CourseDirectory[f"{step}_directory"] = str(self.folder / step)
        config.Judge.classroom = config.ExerciseExport.classroom = config.LatePenalty.classroom = str(self.folder)
        config.Judge.unsafe = self.unsafe
        config.NbGraderAPI.log_level = "WARN"
        return config

    @contextlib.contextmanager
    def gradebook(self) -> Iterator[Gradebook]:
        """The class's gradebook, open.

        Raises:
            CourseError: it is damaged, in use, or cannot be written.
        """
        from nbgrader.api import Gradebook, InvalidEntry
        from sqlalchemy.exc import SQLAlchemyError

        from ..publish.database import alembic_here, once_compiled, trouble

        try:
            with alembic_here(), Gradebook(once_compiled(self.db_url), course_id="minigrad") as gradebook:
                yield gradebook
        except (SQLAlchemyError, InvalidEntry) as error:
            if not (problem := trouble(str(error))):
                raise
            raise CourseError(f"The gradebook {self.gradebook_place} {problem}.") from None

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Let no other run grade this class meanwhile: each would take the other's half-written files for failures.

        Raises:
            CourseError: another run is at work.
        """
        try:
            import fcntl

            lock = os.open(self.folder / ".grading", os.O_RDWR | os.O_CREAT)  # to write: NFS locks nothing else
        except (ImportError, OSError):  # Windows; a class that may not be written says so elsewhere
            yield
            return
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # until it is closed, or this process ends
        except (BlockingIOError, PermissionError):
            os.close(lock)
            words = "is being graded by another run: wait until that one has ended, and run the command again"
            raise CourseError(f"{self.folder} {words}.") from None
        except OSError:
            pass  # a file system without locks
        try:
            yield
        finally:
            os.close(lock)

    def has_gradebook(self) -> bool:
        """Whether the class has a gradebook yet."""
        from ..publish.database import is_there

        return is_there(self.db_url)

    def gradebook_state(self) -> list[int | str] | None:
        """What differs after each change of SQLite's file; None where there is no such file to tell by."""
        try:
            with open(unquote(self.database).removeprefix("sqlite:///") or self.folder / "gradebook.db", "rb") as file:
                status = os.fstat(file.fileno())
                header = file.read(100)  # SQLite counts changes here
        except OSError:
            return None
        return [status.st_ino, status.st_size, status.st_mtime_ns, header.hex()]

    def make_folder(self) -> None:
        """Make the class's folder where there is none: its owner alone may look into it."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def enroll(self, chapter: int, points: Mapping[str, float] | None = None) -> None:
        """Let the gradebook know the chapter's exercises, as nbgrader's generate_assignment does.

        Args:
            chapter: its number.
            points: exercise → what it is worth in the class, where not as in the course.

        Raises:
            CourseError: nbgrader refuses the chapter.
        """
        from ..publish.database import once_compiled
        from ..publish.release import make_release
        from .worth import weighed_solution

        self.make_folder()
        solution = weighed_solution(chapter, points or {})
        make_release(chapter, course_root(), solution, once_compiled(self.db_url))

    def autograde(self, student: str, chapter: int) -> str:
        """nbgrader's autograde for one submission; returns what went wrong, "" if nothing did."""
        self._forget_time(student, chapter)
        with self._nbgrader() as api:
            api.coursedir.notebook_id = Path(notebook_name(chapter)).stem  # it asks the database for each that is there
            result = api.autograde(assignment(chapter), student, force=True, create=True)
        unread = "" if result["success"] else unread_time(self.submitted(student, chapter) / "timestamp.txt")
        return unread or self._problem(result)

    def _forget_time(self, student: str, chapter: int) -> None:
        """Let the gradebook forget when earlier work came, where nothing says when this did: nbgrader would keep it."""
        from nbgrader.api import MissingEntry

        if not self.has_gradebook() or (self.submitted(student, chapter) / "timestamp.txt").exists():
            return
        with contextlib.suppress(OSError):
            self.autograded(student, chapter).with_name("timestamp.txt").unlink()
        with self.gradebook() as gradebook, contextlib.suppress(MissingEntry):
            gradebook.find_submission(assignment(chapter), student).timestamp = None
            gradebook.db.commit()

    def generate_feedback(self, student: str, chapter: int) -> str:
        """nbgrader's feedback page for one submission; returns what went wrong, "" if nothing did."""
        with self._nbgrader() as api:
            return self._problem(api.generate_feedback(assignment(chapter), student, force=True))

    def _problem(self, result: dict[str, object]) -> str:
        """What nbgrader failed with, and where it says more; "" if it did not."""
        from ..publish.release import failure

        reason = failure(result, self.db_url)
        return reason and f"nbgrader failed ({reason}): {self._log} says more"

    def log(self, text: str) -> None:
        """Add to what nbgrader printed about this class."""
        with self._log.open("a", encoding="utf-8") as file:
            file.write(f"{text.rstrip()}\n")

    @property
    def _log(self) -> Path:
        return self.folder / "nbgrader.log"

    @contextlib.contextmanager
    def _nbgrader(self) -> Iterator[NbGraderAPI]:
        """nbgrader's API with this class's settings; what it prints goes to the class's log."""
        from nbgrader.apps import NbGraderAPI

        from ..publish.database import alembic_here

        with alembic_here(), self._log.open("a", encoding="utf-8") as file, contextlib.redirect_stderr(file):
            yield NbGraderAPI(config=self.config())


def set_due(classroom: Classroom, chapter: int, text: str) -> datetime:
    """Write into the gradebook when the chapter is due, and return it in UTC.

    Raises:
        CourseError: nbgrader cannot read it.
    """
    try:
        due = time_in(text)
    except ValueError:
        raise CourseError(f"{text!r} is no time: write it as 2026-11-30 18:00 UTC.") from None
    with classroom.gradebook() as gradebook:
        gradebook.update_or_create_assignment(assignment(chapter), duedate=due)
    return due


def grades(gradebook: Gradebook, chapter: int) -> dict[str, dict[str, tuple[float, float]]]:
    """All grades of a chapter at once: student → graded cell → the grader's own points, and the points that count.

    A manual grade comes before the grader's.
    """
    from nbgrader.api import Assignment, BaseCell, Grade, SubmittedAssignment, SubmittedNotebook

    rows = gradebook.db.query(SubmittedAssignment.student_id, BaseCell.name, Grade.auto_score, Grade.score)
    rows = rows.select_from(Grade).join(Grade.cell).join(Grade.notebook).join(SubmittedNotebook.assignment)
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for student, cell, own, counted in rows.join(Assignment).filter(Assignment.name == assignment(chapter)):
        found.setdefault(student, {})[cell] = (own or 0.0, counted or 0.0)
    return found


def deadlines(gradebook: Gradebook, chapter: int) -> dict[str, str]:
    """What lateness is counted from: student → when the chapter is due for them, in UTC; "" for everybody else.

    An extension that formgrader, or nbgrader's API, gave a student is in it.
    """
    from nbgrader.api import Assignment, SubmittedAssignment

    due = gradebook.db.query(Assignment.duedate).filter(Assignment.name == assignment(chapter)).scalar()
    if due is None:
        return {}
    rows = gradebook.db.query(SubmittedAssignment.student_id, SubmittedAssignment.extension)
    extended = rows.join(Assignment).filter(Assignment.name == assignment(chapter))
    return {"": due.isoformat()} | {who: (due + more).isoformat() for who, more in extended if more}


def late_students(gradebook: Gradebook, chapter: int) -> set[str]:
    """Those whose submission of a chapter the gradebook takes for late."""
    from nbgrader.api import Assignment, SubmittedAssignment

    rows = gradebook.db.query(SubmittedAssignment).join(Assignment).filter(Assignment.name == assignment(chapter))
    return {one.student_id for one in rows if one.total_seconds_late > 0}


def unread_time(path: Path) -> str:
    """Why nbgrader cannot read when a submission came; "" if it can, or if nothing says when that was."""
    if not os.path.lexists(path):
        return ""
    with contextlib.suppress(OSError, ValueError):
        text = read(path, LONGEST_TIME + 1).decode("utf-8").strip()
        if text:
            time_in(text)
        return ""
    return f"{one_line(str(path))} is no time: write it as 2026-11-30 18:00 UTC, or remove the file"


def time_in(text: str) -> datetime:
    """nbgrader's reading of a time that somebody else wrote, in UTC.

    Raises:
        ValueError: it is none.
    """
    from nbgrader.utils import parse_utc

    # What it parses with takes the square of a long text's length, and opens the file that a zone names.
    if len(text) > LONGEST_TIME or re.search(r"(^|\s)[/:]|\.\.", text):
        raise ValueError("it is no time")
    try:
        when: datetime = parse_utc(text)
    except Exception as error:  # dateutil's own, and its warnings, struct's, decimal's and others
        raise ValueError("it is no time") from error
    return when


def is_text(name: str) -> bool:
    """Whether a file's name can be written down; bytes that are no UTF-8 are halves of surrogate pairs in Python."""
    return not any("\ud800" <= letter <= "\udfff" for letter in name)


def name_problem(student: str) -> str:
    """Why nbgrader cannot have a student of this name; "" if it can.

    It looks submissions up by patterns, line by line, and strips what it was given: `*` would be everybody.
    """
    if not is_text(student):
        return "its name is no text in UTF-8, as another system's zip leaves it: rename the folder"
    if student.strip() != student or len(student.splitlines()) != 1:
        return "nbgrader takes no name with a line's end in it, or a space at its own end: rename the folder"
    if odd := [letter for letter in student if letter in "*?[]"]:
        return f"nbgrader takes no name with {odd[0]}, which would be a pattern for others: rename the folder"
    if odd := [letter for letter in student if letter in '<>"\\']:
        return f"formgrader would take the {odd[0]} in its name for markup: rename the folder"
    seen = JOINERS.sub("", student)
    if UNSEEN.search(seen) or any(unicodedata.category(letter) in ("Cc", "Cf", "Cn", "Co") for letter in seen):
        return "its name has characters that nobody sees: rename the folder"
    return ""
