"""A zip of submissions, as Moodle, Canvas, Blackboard or a file manager makes it; no name in it is trusted."""

from __future__ import annotations

import os
import re
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from .collect import STAMP
from .errors import CourseError
from .submission import MOST_BYTES

MOST_ENTRIES = 100_000
# What a file manager and Jupyter add, of which no student knows.
SKIPPED = {"__MACOSX", ".ipynb_checkpoints"}
DAMAGED = (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, ValueError)
# Moodle: `Ada Lovelace_4711_assignsubmission_file_/one-step.ipynb`, or without the folder.
MOODLE = re.compile(r"(?P<student>.+?)_\d+_assignsubmission_file_?(?P<file>.*)")
# Blackboard: `Chapter 1_ada_attempt_2026-11-20-18-30-00_one-step.ipynb`, once for each attempt.
BLACKBOARD = re.compile(r".+_(?P<student>[^_]+)_(?P<attempt>attempt_20\d\d(-\d\d){5})_(?P<file>.+)")
# Canvas: `lovelaceada_4711_0815_one-step.ipynb`, `_LATE_` before the numbers if it came late.
CANVAS = re.compile(r"(?P<student>[^_]+)(_LATE)?_\d+_\d+_(?P<file>.+)")


@contextmanager
def unpacked(inbox: Path) -> Iterator[tuple[Path, list[str]]]:
    """The folder of one folder a student that `inbox` is, or that is made of it for as long as the block runs.

    Yields:
        The folder, and a sentence on each entry of a zip that was left alone.

    Raises:
        CourseError: the zip cannot be read.
    """
    if not inbox.is_file():
        yield inbox, []
        return
    with tempfile.TemporaryDirectory(prefix="inbox") as folder:
        try:
            with zipfile.ZipFile(inbox) as archive:
                left = _unpack(archive, Path(folder))
        except DAMAGED as error:
            raise CourseError(f"{inbox} cannot be read as a zip ({error}).") from None
        yield Path(folder), left


def _unpack(archive: zipfile.ZipFile, folder: Path) -> list[str]:
    entries = [entry for entry in archive.infolist() if _is_wanted(entry.filename.split("/"))]
    if len(entries) > MOST_ENTRIES:
        raise CourseError(f"The zip holds more than {MOST_ENTRIES:,} notebooks; make smaller ones.")
    top = _shared_folder(entries)
    left = []
    for entry in entries:
        student, name = _whose(entry.filename.removeprefix(top))
        problem = "" if student else "it is in no student's folder"
        if not problem:
            problem = _write(archive, entry, folder / student / name)
        if problem:
            left.append(f"{entry.filename!r}: left alone, because {problem}.")
    return left


def _is_wanted(parts: list[str]) -> bool:
    """A notebook, or nbgrader's timestamp."""
    return (parts[-1].endswith(".ipynb") or parts[-1] == STAMP) and not SKIPPED & set(parts)


def _shared_folder(entries: list[zipfile.ZipInfo]) -> str:
    """The one folder that holds all students' folders, "" if there is none."""
    tops = {entry.filename.split("/")[0] for entry in entries}
    deep = all(entry.filename.count("/") >= 2 for entry in entries)
    return f"{tops.pop()}/" if len(tops) == 1 and deep else ""


def _whose(path: str) -> tuple[str, str]:
    """The student, and the file below the student's folder; ("", "") if the path does not tell, or goes astray."""
    parts = PurePosixPath(path.replace("\\", "/")).parts
    if not parts or {"/", "..", "."} & set(parts) or any("\0" in part for part in parts):
        return "", ""
    attempt = BLACKBOARD.fullmatch(parts[0]) if len(parts) == 1 else None
    if attempt:
        return attempt["student"], f"{attempt['attempt']}/{attempt['file']}"
    known = MOODLE.fullmatch(parts[0]) or (CANVAS.fullmatch(parts[0]) if len(parts) == 1 else None)
    if known:
        return known["student"], "/".join(parts[1:]) or known["file"] or parts[0]
    return (parts[0], "/".join(parts[1:])) if len(parts) > 1 else ("", "")


def _write(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path) -> str:
    """Write one entry; returns why not, "" if it was. Its size is what is read, whatever the zip says."""
    try:
        with archive.open(entry) as file:
            data = file.read(MOST_BYTES + 1)
    except (*DAMAGED, RuntimeError) as error:  # an encrypted entry is a RuntimeError
        return f"it cannot be read ({error})"
    if len(data) > MOST_BYTES:
        return f"it is larger than {MOST_BYTES // 1_000_000} MB"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "xb") as target:
            target.write(data)
        _date(path, entry)
    except FileExistsError:
        return "there is another one of that student and name"
    except OSError as error:
        return f"its name cannot be used ({error.strerror})"
    return ""


def _date(path: Path, entry: zipfile.ZipInfo) -> None:
    """Give the file the time that the zip says, where that is a time."""
    with suppress(ValueError, OverflowError, OSError):
        changed = time.mktime((*entry.date_time, 0, 0, -1))
        os.utime(path, (changed, changed))
