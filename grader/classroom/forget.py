"""Delete a student from a class: what was handed in, what was made of it, and every row of the gradebook."""

from __future__ import annotations

import contextlib
import csv
import io
import shutil
from collections.abc import Iterator
from pathlib import Path

from ..chapters import CHAPTERS
from ..errors import CourseError
from ..publish.course import notebook_name, read_secret
from ..run import verdicts
from ..run.submission import Unreadable, digest, read_notebook, restore
from . import numbers, uploaded
from .classroom import Classroom, is_text
from .edition import edition, release
from .ledger import Ledger
from .settings import read_settings
from .who import FOLDERS, names_in, plain_name
from .words import counted


def forget(classroom: Classroom, student: str) -> list[str]:
    """Delete all that the class's folder and its gradebook hold of a student.

    Verdicts are kept under names that tell nothing of a student: those go that no submission which stays would find.

    Args:
        classroom: the class.
        student: whom to forget.

    Returns:
        What was deleted, in words.

    Raises:
        CourseError: nothing is known of the student, or another run grades this class.
    """
    if student in ("", ".", "..") or Path(student).name != student:
        raise CourseError(f"{student!r} is no student's name.")
    folders = [path for name in FOLDERS if (path := classroom.folder / name / student).is_dir() or path.is_symlink()]
    with classroom.alone():
        rows = _forget_rows(classroom, student)
        if not folders and not rows:
            raise CourseError(f"Nothing is known of {student} in {classroom.folder}.")
        numbers.forget(classroom, student)
        uploaded.forget(classroom, student)
        for path in folders:
            path.unlink() if path.is_symlink() else shutil.rmtree(path)
        secret = read_secret(classroom.folder)
        for chapter in CHAPTERS:
            Ledger(classroom, chapter, secret).forget(student)
        kept = set(_keys(classroom, secret))
        gone = [path for path in (classroom.folder / "verdicts").glob("*.json") if path.stem not in kept]
        for path in gone:
            path.unlink(missing_ok=True)
    said = [str(path.relative_to(classroom.folder)) for path in folders]
    said += ["the student's rows of the gradebook"] if rows else []
    return said + ([f"{counted(len(gone), 'verdict')} that nobody else's submission has"] if gone else [])


def still_named(classroom: Classroom, student: str) -> list[str]:
    """The files in the class's folder that still name a student: what was written for people and other programs."""
    found = []
    for path in sorted(
        path for path in classroom.folder.iterdir() if path.suffix in (".csv", ".html", ".toml", ".log")
    ):
        text = path.read_text("utf-8-sig", errors="replace")
        lines = csv.DictReader(io.StringIO(text)) if path.suffix == ".csv" else []
        called = (plain_name(name) for line in lines for name in names_in(line))
        if student in text or plain_name(student) in called:
            found.append(path.name)
    return found


def _forget_rows(classroom: Classroom, student: str) -> bool:
    """Whether the gradebook knew the student, who is no longer in it."""
    if not (is_text(student) and classroom.has_gradebook()):
        return False
    from nbgrader.api import MissingEntry

    with classroom.gradebook() as gradebook, contextlib.suppress(MissingEntry):
        gradebook.remove_student(student)
        return True
    return False


def _keys(classroom: Classroom, secret: bytes) -> Iterator[str]:
    """The names of the verdicts on all submissions that are there."""
    follow = read_settings(classroom.folder).follow_through
    for chapter in CHAPTERS:
        if not (students := classroom.students(chapter)):
            continue
        given, grader = release(classroom, chapter), edition(classroom, chapter).grader
        for student in students:
            with contextlib.suppress(Unreadable, OSError):
                path = classroom.submitted(student, chapter) / notebook_name(chapter)
                handed_in = digest(restore(read_notebook(path), given))
                yield verdicts.key(handed_in, chapter, student, secret, follow, grader)
