"""A zip of submissions, as Moodle, Canvas, Blackboard or a file manager makes it; no name in it is trusted."""

from __future__ import annotations

import os
import re
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..errors import CourseError
from ..run.submission import MOST_BYTES
from .collect import STAMP, NotCollected, is_attempt

MOST_ENTRIES = 100_000
# What a file manager and Jupyter add, of which no student knows.
SKIPPED = {"__MACOSX", ".ipynb_checkpoints"}
DAMAGED = (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, ValueError)
# Moodle: `Ada Lovelace_4711_assignsubmission_file_/one-step.ipynb`, or without the folder.
MOODLE = re.compile(r"(?P<student>.+?)_(?P<number>\d+)_assignsubmission_file_?(?P<file>.*)")
# Blackboard: `Chapter 1_ada_attempt_2026-11-20-18-30-00_one-step.ipynb`, once for each attempt.
BLACKBOARD = re.compile(r"(?P<head>.+_.+)_(?P<attempt>attempt_20\d\d(-\d\d){5})_(?P<file>.+)")
# Canvas: `lovelaceada_4711_0815_one-step.ipynb`, `_LATE_` before the numbers if it came late.
CANVAS = re.compile(r"(?P<student>[^_]+)(_LATE)?_(?P<number>\d+)_\d+_(?P<file>.+)")


@contextmanager
def unpacked(inbox: Path) -> Iterator[tuple[Path, list[str]]]:
    """The folder of one folder a student that `inbox` is, or that is made of it for as long as the block runs.

    Yields:
        The folder, and a sentence on each entry of a zip that was left alone.

    Raises:
        CourseError: the zip cannot be read, or holds nothing to collect.
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
        if not os.listdir(folder):
            why = f" ({left[0].removesuffix('.')})" if left else ""
            raise CourseError(f"{inbox} holds no notebook in a student's folder{why}: there is nothing to collect.")
        try:
            yield Path(folder), left
        except CourseError as error:  # of the folder's, whose name tells nobody anything
            raise CourseError(str(error).replace(folder, str(inbox))) from None


def _unpack(archive: zipfile.ZipFile, folder: Path) -> list[str]:
    entries = [entry for entry in archive.infolist() if _is_wanted(entry.filename.split("/"))]
    if len(entries) > MOST_ENTRIES:
        raise CourseError(f"The zip holds more than {MOST_ENTRIES:,} notebooks; make smaller ones.")
    paths = [entry.filename for entry in entries]
    top = _shared_folder(paths)
    naming = _naming([path.removeprefix(top) for path in paths])
    left = naming.sentences()
    for entry in entries:
        student, name = _whose(entry.filename.removeprefix(top), naming)
        if not student:
            left.append(f"{entry.filename!r}: left alone, because it is in no student's folder.")
        elif problem := _write(archive, entry, folder / student / name):
            left.append(NotCollected(f"{entry.filename!r}: left alone, because {problem}."))
    return left


def _is_wanted(parts: list[str]) -> bool:
    """A notebook, or nbgrader's timestamp."""
    return (parts[-1].endswith(".ipynb") or parts[-1] == STAMP) and not SKIPPED & set(parts)


def _shared_folder(paths: list[str]) -> str:
    """The one folder that holds all students' folders, "" if there is none. Notebooks beside them are nobody's."""
    inside = [path.split("/") for path in paths if "/" in path and not path.startswith(("/", "../"))]
    tops = {parts[0] for parts in inside}
    if len(tops) == 1 and _tell_students([parts[1] for parts in inside if parts[-1] != STAMP]):
        return f"{min(tops)}/"
    below = {parts[1] for parts in inside if len(parts) > 2}
    if len(tops) != 1 or not below or any(map(is_attempt, below)) or MOODLE.fullmatch(min(tops)):
        return ""
    # One folder beside a notebook is one that a student made.
    alone = len(below) == 1 and any(len(parts) == 2 for parts in inside)
    return "" if alone else f"{min(tops)}/"


def _tell_students(names: list[str]) -> bool:
    """Whether each of the names tells a student, as Canvas's and Blackboard's do, and not the same one."""
    canvas = {name: match["student"] + match["number"] for name in names if (match := CANVAS.fullmatch(name))}
    blackboard = {name: match["head"] for name in names if (match := BLACKBOARD.fullmatch(name))}
    told = blackboard | canvas
    return len(told) == len(set(names)) and len(set(told.values())) > 1


@dataclass(frozen=True)
class _Naming:
    """What the names in a zip mean, as only all of them together tell.

    Attributes:
        title: what Blackboard writes before every student's id: the assignment's title and `_`.
        unclear: whether the title may end at another `_`.
        shared: the names that several students have, whom Moodle or Canvas tells apart by a number.
    """

    title: str
    unclear: bool
    shared: list[str]

    def sentences(self) -> list[str]:
        """What was guessed, and what a person should know."""
        said = [f"{name}: several students have this name; the LMS's number is in their ids." for name in self.shared]
        if self.unclear:
            said.append(f"{self.title!r} was taken for the title before every student's id.")
        return said


def _naming(paths: list[str]) -> _Naming:
    heads = [match["head"] for path in paths if (match := BLACKBOARD.fullmatch(path))]
    common = os.path.commonprefix(heads)
    title = common[: common.rfind("_") + 1]
    numbers: dict[str, set[str]] = {}
    for match in filter(None, (_numbered(path.split("/")) for path in paths)):
        numbers.setdefault(match["student"], set()).add(match["number"])
    unclear = any(head.count("_") > 1 for head in heads)
    return _Naming(title, unclear, sorted(name for name, found in numbers.items() if len(found) > 1))


def _numbered(parts: Sequence[str]) -> re.Match[str] | None:
    """A name of Moodle's or Canvas's, with the student's number in it."""
    return MOODLE.fullmatch(parts[0]) or (CANVAS.fullmatch(parts[0]) if len(parts) == 1 else None)


def _whose(path: str, naming: _Naming) -> tuple[str, str]:
    """The student, and the file below the student's folder; ("", "") if the path does not tell, or goes astray."""
    parts = PurePosixPath(path.replace("\\", "/")).parts
    if not parts or {"/", "..", "."} & set(parts) or any("\0" in part for part in parts):
        return "", ""
    student, name = (parts[0], "/".join(parts[1:])) if len(parts) > 1 else ("", "")
    if len(parts) == 1 and (attempt := BLACKBOARD.fullmatch(parts[0])):
        student, name = attempt["head"].removeprefix(naming.title), f"{attempt['attempt']}/{attempt['file']}"
    elif known := _numbered(parts):
        number = f"_{known['number']}" if known["student"] in naming.shared else ""
        student, name = known["student"] + number, name or known["file"] or parts[0]
    return ("", "") if student in ("", ".", "..") else (student, name)


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
