"""A zip of submissions, as Moodle, Canvas, Blackboard or a file manager makes it; no name in it is trusted."""

from __future__ import annotations

import os
import re
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath

from ..errors import CourseError
from ..run.folders import DEEPEST, MOST_BYTES
from ..verdict.inert import one_line
from .classroom import Classroom
from .collect import STAMP, WHEN, NotCollected, is_attempt
from .numbers import Ids, Told, ids_of, known, owner

MOST_ENTRIES = 100_000
LONGEST = 500  # characters of an entry's name, which several expressions are held against
MOST_OF_ONE, MOST_BYTES_OF_ONE = 500, 200_000_000  # entries, and bytes, of one student
# What a file manager and Jupyter add, of which no student knows.
SKIPPED = {"__MACOSX", ".ipynb_checkpoints"}
DAMAGED = (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, ValueError)
# A name may hold a line's end: one student's would else keep all names from being the LMS's.
# Moodle: `Ada Lovelace_4711_assignsubmission_file_/one-step.ipynb`, or without the folder.
MOODLE = re.compile(r"(?P<student>.+?)_(?P<number>\d+)_assignsubmission_file_?(?P<file>.*)", re.DOTALL)
# A folder's name ends there: the last number is Moodle's, and what is before it the student's name, whatever it says.
MOODLE_FOLDER = re.compile(r"(?P<student>.+)_(?P<number>\d+)_assignsubmission_file_?(?P<file>)", re.DOTALL)
# Blackboard: `Chapter 1_ada_attempt_2026-11-20-18-30-00_one-step.ipynb`, once for each attempt. The first time is the
# LMS's own: what follows it is the file's name, which the student wrote.
BLACKBOARD = re.compile(r"(?P<head>.+?_.+?)_(?P<attempt>attempt_20\d\d(-\d\d){5})_(?P<file>.+)", re.DOTALL)
# Canvas: `lovelaceada_4711_0815_one-step.ipynb`, `_LATE_` before the numbers if it came late; the second number is the
# file's own, and grows with each that is handed in.
CANVAS = re.compile(r"(?P<student>.+?)(?P<late>_LATE)?_(?P<number>\d+)_(?P<upload>\d+)_(?P<file>.+)", re.DOTALL)
# One number too many: a student whose name ends in a number, or one whose file's name begins with one.
CANVAS_UNCLEAR = re.compile(r".+?(_LATE)?_\d+_\d+_\d+_.+", re.DOTALL)
TWO_WAYS = (
    "a student's name that ends in a number, or a file's name that begins with one, can be read as another student's; "
    "put it into a folder that has the student's id as its name, and collect that"
)


class Left(list[str]):
    """A sentence on each entry of a zip that was left alone.

    Attributes:
        times: file -> when it came, by the LMS.
        late: how many files the LMS marked late without saying when they came.
        ids: the ids of those whom the LMS tells with a number.
    """

    def __init__(
        self,
        sentences: Iterable[str] = (),
        times: dict[str, datetime] | None = None,
        late: int = 0,
        ids: Ids | None = None,
    ) -> None:
        super().__init__(sentences)
        self.times, self.late, self.ids = times or {}, late, ids or {}


@contextmanager
def unpacked(inbox: Path, classroom: Classroom | None = None, chapter: int = 1) -> Iterator[tuple[Path, Left]]:
    """The folder of one folder a student that `inbox` is, or that is made of it for as long as the block runs.

    Args:
        inbox: the folder, or the zip.
        classroom: whose students keep the ids that they have; None for a class that has nobody yet.
        chapter: what was handed in.

    Yields:
        The folder, and a sentence on each entry of a zip that was left alone, with the times that the LMS wrote.

    Raises:
        CourseError: the zip cannot be read, or holds nothing to collect.
    """
    if not inbox.is_file():
        yield inbox, Left()
        return
    before = known(classroom) if classroom else {}
    with tempfile.TemporaryDirectory(prefix="inbox") as folder:
        try:
            with zipfile.ZipFile(inbox) as archive:
                left = _unpack(archive, Path(folder), before, chapter)
        except DAMAGED as error:
            raise CourseError(f"{inbox} cannot be read as a zip ({error}).") from None
        if not os.listdir(folder):
            why = f" ({left[0].removesuffix('.')})" if left else ""
            raise CourseError(f"{inbox} holds no notebook in a student's folder{why}: there is nothing to collect.")
        try:
            yield Path(folder), left
        except CourseError as error:  # of the folder's, whose name tells nobody anything
            raise CourseError(str(error).replace(folder, str(inbox))) from None


def _unpack(archive: zipfile.ZipFile, folder: Path, before: Ids, chapter: int) -> Left:
    wanted = [entry for entry in archive.infolist() if _is_wanted(entry.filename.split("/"))]
    entries = [entry for entry in wanted if _is_short(entry.filename)]
    if len(entries) > MOST_ENTRIES:
        raise CourseError(f"The zip holds more than {MOST_ENTRIES:,} notebooks; make smaller ones.")
    paths = [entry.filename for entry in entries]
    top = _shared_folder(paths)
    unclear = _unclear([path.removeprefix(top) for path in paths])
    naming = _naming([name for path in paths if (name := path.removeprefix(top)) not in unclear], before, chapter)
    left, times, late = naming.sentences(), dict[str, datetime](), 0
    long = [entry.filename[:60] for entry in wanted if not _is_short(entry.filename)]
    left += [NotCollected(f"{name!r} …: left alone, because its name is longer than anybody's.") for name in long[:100]]
    taken: dict[str, list[int]] = {}  # student → the sizes of what was written
    uploads: dict[str, list[tuple[int, Path]]] = {}  # student → Canvas's numbers of their files
    for entry in entries:
        path = entry.filename.removeprefix(top)
        student, name = ("", "") if path in unclear else _whose(path, naming)
        sizes = taken.setdefault(student, [])
        if path in unclear:
            left.append(NotCollected(f"{entry.filename!r}: left alone, because {TWO_WAYS}."))
        elif not student:
            left.append(f"{entry.filename!r}: left alone, because it is in no student's folder.")
        elif len(sizes) >= MOST_OF_ONE or sum(sizes) >= MOST_BYTES_OF_ONE:
            left.append(NotCollected(f"{entry.filename!r}: left alone, because it is more than anybody hands in."))
        elif problem := _write(archive, entry, folder / student / name):
            left.append(NotCollected(f"{entry.filename!r}: left alone, because {problem}."))
        else:
            sizes.append((folder / student / name).stat().st_size)
            times |= _lms_time(path, f"{student}/{name}") if naming.blackboard else {}
            if not naming.blackboard and (canvas := CANVAS.fullmatch(path)):
                uploads.setdefault(student, []).append((int(canvas["upload"]), folder / student / name))
                late += bool(canvas["late"])
    for files in uploads.values():
        _in_order([path for _, path in sorted(files)])
    return Left((type(sentence)(one_line(sentence)) for sentence in left), times, late, naming.ids)


def _lms_time(path: str, file: str) -> dict[str, datetime]:
    """The file with the time that the LMS wrote into its name; nothing where it wrote none."""
    attempt = BLACKBOARD.fullmatch(path)
    when = WHEN.search(attempt["attempt"]) if attempt else None
    with suppress(ValueError):  # the 31st of February
        if when:
            year, month, day, hour, minute, second = (int(number or 0) for number in when.groups())
            return {file: datetime(year, month, day, hour, minute, second)}
    return {}


def _is_wanted(parts: list[str]) -> bool:
    """A notebook, or nbgrader's timestamp."""
    return (parts[-1].endswith(".ipynb") or parts[-1] == STAMP) and not SKIPPED & set(parts)


def _is_short(name: str) -> bool:
    return len(name) <= LONGEST and name.count("/") < DEEPEST


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
        ids: the ids of those whom Moodle or Canvas tells with a number.
        before: the ids that the class has given already.
        where: what these numbers belong to.
        blackboard, moodle: which LMS wrote the names. It does so for all or for none: a single one is a student's.
    """

    title: str
    unclear: bool
    ids: Ids
    before: Ids
    where: str
    blackboard: bool
    moodle: bool

    def sentences(self) -> list[str]:
        """What was guessed, and what a person should know."""
        said = [sentence for name in sorted({told.name for told in self.ids}) for sentence in self._about(name)]
        if self.unclear:
            said.append(f"{self.title!r} was taken for the title before every student's id.")
        return said

    def _about(self, name: str) -> list[str]:
        """What a person should know of the ids of those who have one name."""
        ids = {told: student for told, student in self.ids.items() if told.name == name}
        numbered = {told: student for told, student in ids.items() if student != name}
        if len(ids) > 1 and numbered == ids:
            return [f"{name}: several students have this name; the LMS's number is in their ids."]
        new = sorted(set(numbered) - set(self.before))
        first = next((student for told, student in self.before.items() if told[:2] == (self.where, name)), "")
        if first:
            return [
                f"{name}: {first} has another number in the LMS than {told.number}, who is {ids[told]}. If they are "
                f"one student, put the notebook into a folder that is called {first}, and collect that."
                for told in new
            ]
        return [f"{name}: another student's id would be the same; the LMS's number is in both."] if new else []


def _naming(paths: list[str], before: Ids, chapter: int) -> _Naming:
    blackboard, moodle = _is_blackboards(paths), _is_moodles(paths)
    heads = [match["head"] for path in paths if blackboard and (match := BLACKBOARD.fullmatch(path))]
    common = os.path.commonprefix(heads)
    title = common[: common.rfind("_") + 1]
    unclear = any(head.count("_") > 1 for head in heads)
    loose = [path for path in paths if "/" in path or not blackboard]
    found = [match for path in loose if (match := _numbered(_parts(path, blackboard or moodle), moodle))]
    where = owner(chapter, canvas=all(match.re is CANVAS for match in found))
    ids = ids_of({Told(where, match["student"], match["number"]) for match in found}, before)
    return _Naming(title, unclear, ids, before, where, blackboard, moodle)


def _unclear(paths: list[str]) -> set[str]:
    """Canvas's names that may be two students'. They say nothing of either, so that no name takes another's place."""
    if _is_blackboards(paths) or _is_moodles(paths):
        return set()
    return {path for path in paths if "/" not in path and CANVAS_UNCLEAR.fullmatch(path)}


def _is_moodles(paths: list[str]) -> bool:
    """Whether the names are Moodle's, of files without a folder: all of them look so."""
    names = [path for path in paths if "/" not in path]
    return bool(names) and all(map(MOODLE.fullmatch, names))


def _is_blackboards(paths: list[str]) -> bool:
    """Whether the names are Blackboard's: all of them look so, and they are not Canvas's.

    `Week_3_1001_attempt_…` looks like both: a title with a number, or the student Week. Canvas's names then tell
    students apart; Blackboard's all begin with the same title.
    """
    names = [path for path in paths if "/" not in path]
    if not names or not all(BLACKBOARD.fullmatch(name) for name in names):
        return False
    canvas = [match for match in map(CANVAS.fullmatch, names) if match]
    titles = {(match["student"], match["number"]) for match in canvas}
    return len(canvas) < len(names) or (len(titles) == 1 and len({match["upload"] for match in canvas}) > 1)


def _parts(path: str, told: bool) -> tuple[str, ...]:
    """The folders and the file of a path; `told`: an LMS wrote the names of files that are in no folder."""
    # Between folders a backslash is a file manager's; in a name that an LMS wrote, the student's.
    own = "/" not in path and (told or CANVAS.fullmatch(path))
    return PurePosixPath(path.replace("\\", "_" if own else "/")).parts


def _numbered(parts: Sequence[str], moodle: bool) -> re.Match[str] | None:
    """A name of Moodle's or Canvas's, with the student's number in it."""
    if not parts:
        return None
    if len(parts) == 1:
        return (None if moodle else CANVAS.fullmatch(parts[0])) or MOODLE.fullmatch(parts[0])
    return MOODLE_FOLDER.fullmatch(parts[0]) or MOODLE.fullmatch(parts[0])


def _whose(path: str, naming: _Naming) -> tuple[str, str]:
    """The student, and the file below the student's folder; ("", "") if the path does not tell, or goes astray."""
    parts = _parts(path, naming.blackboard or naming.moodle)
    if not parts or {"/", "//", "..", "."} & set(parts) or any("\0" in part for part in parts):
        return "", ""
    student, name = (parts[0], "/".join(parts[1:])) if len(parts) > 1 else ("", "")
    if len(parts) == 1 and naming.blackboard and (attempt := BLACKBOARD.fullmatch(parts[0])):
        student, name = attempt["head"].removeprefix(naming.title), f"{attempt['attempt']}/{attempt['file']}"
    elif match := _numbered(parts, naming.moodle):
        told = Told(naming.where, match["student"], match["number"])
        student, name = naming.ids.get(told, ""), name or match["file"] or parts[0]
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


def _in_order(paths: list[Path]) -> None:
    """Give files times in their order, a second apart, up to the newest of theirs."""
    newest = max(path.stat().st_mtime for path in paths)
    for place, path in enumerate(reversed(paths)):
        os.utime(path, (newest - place, newest - place))


def _date(path: Path, entry: zipfile.ZipInfo) -> None:
    """Give the file the time that the zip says, where that is a time."""
    with suppress(ValueError, OverflowError, OSError):
        changed = time.mktime((*entry.date_time, 0, 0, -1))
        os.utime(path, (changed, changed))
