"""The LMS's numbers of what was collected: an earlier hand-in replaces no later one, in whichever order zips come."""

from __future__ import annotations

import contextlib
import json

from ..publish.course import assignment
from ..run.verdicts import write_whole
from .classroom import Classroom

FILE = "lms-uploads.json"


def number(classroom: Classroom, student: str, chapter: int) -> int:
    """The number of what is there; 0 where none was remembered."""
    return _all(classroom).get(student, {}).get(assignment(chapter), 0)


def remember(classroom: Classroom, student: str, chapter: int, upload: int) -> None:
    """Keep the number of what was collected; of what has none, that it has none."""
    before = _all(classroom)
    if before.get(student, {}).get(assignment(chapter), 0) != upload:
        before.setdefault(student, {})[assignment(chapter)] = upload
        _write(classroom, before)


def forget(classroom: Classroom, student: str) -> None:
    """Keep nothing of a student."""
    before = _all(classroom)
    if before.pop(student, None):
        _write(classroom, before)


def _all(classroom: Classroom) -> dict[str, dict[str, int]]:
    """Student -> assignment -> number; nothing of a file that cannot be read: then the last that comes counts."""
    with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
        rows = json.loads((classroom.folder / FILE).read_text("utf-8"))
        return {who: {str(name): int(upload) for name, upload in own.items()} for who, own in rows.items()}
    return {}


def _write(classroom: Classroom, rows: dict[str, dict[str, int]]) -> None:
    write_whole(classroom.folder / FILE, json.dumps(rows, indent=0, sort_keys=True) + "\n")
