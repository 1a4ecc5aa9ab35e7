"""Grade a copy of a class, to see whose marks would change: nothing of the class itself is written but verdicts."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from ..errors import CourseError
from ..publish.course import assignment
from .classroom import Classroom
from .dates import FOLDER as DATES
from .edition import FILE as EDITION
from .edition import RELEASES
from .settings import FILE as SETTINGS

FILES = ("secret", "gradebook.db", SETTINGS, EDITION)


@contextmanager
def copy_of(classroom: Classroom, chapter: int) -> Iterator[Classroom]:
    """A copy of what a class's marks of a chapter depend on, for the time of the block; new verdicts are kept.

    Raises:
        CourseError: the gradebook is not the class's own file.
    """
    if classroom.database:
        raise CourseError("--diff grades a copy of gradebook.db, and not a database that --db names.")
    with tempfile.TemporaryDirectory(prefix=".rehearsal", dir=classroom.folder) as folder:
        room = replace(classroom, folder=Path(folder))
        for name in FILES:
            if (classroom.folder / name).is_file():
                shutil.copy(classroom.folder / name, room.folder)
        for student in classroom.students(chapter):
            for step in ("submitted", "autograded"):
                source = classroom.folder / step / student / assignment(chapter)
                if source.is_dir():
                    shutil.copytree(source, room.folder / step / student / assignment(chapter), symlinks=True)
        verdicts = classroom.folder / "verdicts"
        for kept in (verdicts, classroom.folder / RELEASES, classroom.folder / DATES):
            if kept.is_dir():
                shutil.copytree(kept, room.folder / kept.name)
        yield room
        verdicts.mkdir(exist_ok=True)
        for path in (room.folder / "verdicts").glob("*.json"):
            if not (verdicts / path.name).exists():
                shutil.move(path, verdicts)
