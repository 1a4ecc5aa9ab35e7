"""When a chapter is due, and for whom later: `course.toml`'s dates in nbgrader's gradebook."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from ..publish.course import assignment
from ..run.verdicts import write_whole
from .classroom import Classroom, is_text
from .settings import Settings

FOLDER = "dates"  # in it, for each chapter of whose dates the file says something, what the gradebook had before


def write_dates(classroom: Classroom, chapter: int, settings: Settings, handed_in: Iterable[str]) -> None:
    """Make the gradebook's dates those of the file. Where the file says nothing of a chapter, nothing is changed.

    A line that is taken out of the file takes back what it did: the due date is the one that the gradebook had before.

    Args:
        classroom: the class, whose gradebook knows the chapter.
        chapter: the chapter.
        settings: the class's.
        handed_in: who has handed it in; nbgrader keeps an extension with a submission.
    """
    path = _path(classroom, chapter)
    if not settings.has_dates(chapter) and not path.is_file():
        return
    note = _read(path)
    with classroom.gradebook() as gradebook:
        found = gradebook.find_assignment(assignment(chapter))
        if chapter in settings.due:
            note.setdefault("due", found.duedate and found.duedate.isoformat())
            found.duedate = settings.due[chapter]
        elif "due" in note:
            before = note.pop("due")
            found.duedate = before and datetime.fromisoformat(before)
        due = found.duedate
        gradebook.db.commit()
        extensions = {who: settings.extension(chapter, who, due) if due else None for who in handed_in if is_text(who)}
        submissions = {one.student_id: one for one in found.submissions}
        for student in (who for who, more in extensions.items() if more and who not in submissions):
            gradebook.update_or_create_student(student)
            with gradebook.db.no_autoflush:  # nbgrader reads while it makes a submission
                submissions[student] = gradebook.update_or_create_submission(found.name, student)
        for student, submission in submissions.items():
            submission.extension = settings.extension(chapter, student, due) if due else None
        gradebook.db.commit()
    if settings.has_dates(chapter):
        write_whole(path, json.dumps(note))
    else:
        path.unlink()


def own_due_date(classroom: Classroom, chapter: int) -> None:
    """Forget which due date the gradebook had before the file's, for it has got a newer one of its own."""
    path = _path(classroom, chapter)
    note = _read(path)
    if "due" in note:
        del note["due"]
        write_whole(path, json.dumps(note))


def _path(classroom: Classroom, chapter: int) -> Path:
    return classroom.folder / FOLDER / f"{assignment(chapter)}.json"


def _read(path: Path) -> dict[str, Any]:
    with contextlib.suppress(OSError, ValueError):
        note: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return note
    return {}
