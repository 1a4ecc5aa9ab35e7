"""A class: its folder, its nbgrader settings, and what nbgrader is asked to do there.

nbgrader takes two seconds to import: those import it who ask something of it.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .course import assignment, course_root, notebook_name
from .errors import CourseError

if TYPE_CHECKING:
    from nbgrader.api import Gradebook
    from nbgrader.apps import NbGraderAPI
    from traitlets.config import Config


@dataclass(frozen=True)
class Classroom:
    """The folder of a class, with nbgrader's `submitted/`, `autograded/` and `feedback/` in it.

    Attributes:
        folder: its absolute path.
        unsafe: run submissions without a sandbox where there is none.
    """

    folder: Path
    unsafe: bool = False

    @property
    def db_url(self) -> str:
        """The gradebook, as SQLAlchemy names it."""
        return f"sqlite:///{self.folder / 'gradebook.db'}"

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
        from .release import course_config

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
        from nbgrader.api import Gradebook

        return Gradebook(self.db_url, course_id="minigrad")

    def has_gradebook(self) -> bool:
        """Whether the class has a gradebook yet."""
        return (self.folder / "gradebook.db").is_file()

    def gradebook_state(self) -> list[int | str]:
        """What differs after each change of the gradebook; empty if there is none yet."""
        try:
            with open(self.folder / "gradebook.db", "rb") as file:
                status = os.fstat(file.fileno())
                header = file.read(100)  # SQLite counts changes here
        except OSError:
            return []
        return [status.st_ino, status.st_size, status.st_mtime_ns, header.hex()]

    def enroll(self, chapter: int) -> None:
        """Let the gradebook know the chapter's exercises, as nbgrader's generate_assignment does.

        Raises:
            CourseError: nbgrader refuses the chapter.
        """
        from .release import make_release

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
        from nbgrader.apps import NbGraderAPI

        from .release import tools_on_path

        log = self.folder / "nbgrader.log"
        with tools_on_path(), log.open("a", encoding="utf-8") as file, contextlib.redirect_stderr(file):
            yield NbGraderAPI(config=self.config())


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


def collect(classroom: Classroom, inbox: Path, chapter: int) -> list[str]:
    """Copy what students handed in – one folder a student – into nbgrader's `submitted/`.

    A single notebook under another name is taken for the chapter's; the file that came is not changed.

    Returns:
        One sentence for each submission in which something had to be guessed or is missing.

    Raises:
        CourseError: `inbox` is not a folder, or has no student's folder in it.
    """
    if not inbox.is_dir():
        raise CourseError(f"{inbox} is not a folder; give the folder that holds one folder a student.")
    students = sorted(path for path in inbox.iterdir() if path.is_dir() and not path.name.startswith("."))
    if not students:
        raise CourseError(f"{inbox} holds no student's folder: there is nothing to collect.")
    if (inbox / "gradebook.db").exists() or any(re.fullmatch(r"chapter\d+", path.name) for path in students):
        raise CourseError(
            f"{inbox} belongs to the course or to a class; give the folder that holds one folder a student."
        )
    loose = sorted(path.name for path in inbox.iterdir() if path.suffix == ".ipynb")
    said = [f"{name}: left alone, because it is in no student's folder." for name in loose]
    said += [_collect_one(path, classroom.submitted(path.name, chapter), notebook_name(chapter)) for path in students]
    return [sentence for sentence in said if sentence]


def _collect_one(source: Path, target: Path, wanted: str) -> str:
    if problem := name_problem(source.name):
        return f"{source.name!r}: {problem}; it is not collected."
    notebooks = sorted(path for path in source.rglob("*.ipynb") if path.is_file() and not path.is_symlink())
    chosen = next((path for path in notebooks if path.name == wanted), notebooks[0] if len(notebooks) == 1 else None)
    if chosen is not None and _holds_only(target, wanted, chosen.read_bytes()):
        return ""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    if chosen is None:
        found = ", ".join(path.name for path in notebooks) or "no notebook"
        return f"{source.name}: {wanted} is missing (found: {found}); it is not graded."
    shutil.copy(chosen, target / wanted)
    return "" if chosen.name == wanted else f"{source.name}: {chosen.name} was taken for {wanted}."


def _holds_only(folder: Path, name: str, data: bytes) -> bool:
    """Whether the submission was collected before, as it is: then its verdict stays good."""
    return [path.name for path in folder.glob("*")] == [name] and (folder / name).read_bytes() == data
