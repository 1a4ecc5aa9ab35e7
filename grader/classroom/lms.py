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
from . import inside
from .classroom import Classroom
from .collect import STAMP, WHEN, NotCollected, is_attempt, is_notebook
from .numbers import Ids, Told, ids_of, known, owner
from .who import composed

MOST_ENTRIES = 100_000
LONGEST = 500  # characters of an entry's name, which several expressions are held against
MOST_OF_ONE, MOST_BYTES_OF_ONE = 500, 200_000_000  # entries, and bytes, of one student
NAMED = 10  # files of a student without a notebook, of which it is said that they are there
SKIPPED = "__MACOSX"  # what a file manager adds, of which no student knows
DAMAGED = (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, ValueError)
# A name may hold a line's end: one student's would else keep all names from being the LMS's.
# Moodle: `Ada Lovelace_4711_assignsubmission_file_/one-step.ipynb`, or without the folder.
SUBMISSION = r"assignsubmission_(?:file|onlinetext)_?"
MOODLE = re.compile(rf"(?P<student>.+?)_(?P<number>\d+)_{SUBMISSION}(?P<file>.*)", re.DOTALL)
# A folder's name ends there: the last number is Moodle's, and what is before it the student's name, whatever it says.
MOODLE_FOLDER = re.compile(rf"(?P<student>.+)_(?P<number>\d+)_{SUBMISSION}(?P<file>)", re.DOTALL)
# A file without a folder whose name says two students' names and numbers, one after the other.
MOODLE_TWICE = re.compile(rf".+?_\d+_{SUBMISSION}.*?_\d+_{SUBMISSION}.*", re.DOTALL)
# Blackboard: `Chapter 1_ada_attempt_2026-11-20-18-30-00_one-step.ipynb`, once for each attempt. The first time is the
# LMS's own: what follows it is the file's name, which the student wrote.
BLACKBOARD = re.compile(r"(?P<head>.+?_.+?)_(?P<attempt>attempt_20\d\d(-\d\d){5})(?:_(?P<file>.+)|\.txt)", re.DOTALL)
# Canvas: `lovelaceada_4711_0815_one-step.ipynb`, `_LATE_` before the numbers if it came late; the second number is the
# file's own, and grows with each that is handed in.
CANVAS = re.compile(r"(?P<student>.+?)(?P<late>_LATE)?_(?P<number>\d+)_(?P<upload>\d+)_(?P<file>.+)", re.DOTALL)
# One number too many: a student whose name ends in a number, or one whose file's name begins with one; or two numbers
# once more. A date is none.
CANVAS_UNCLEAR = re.compile(r".+?_\d+_\d+_(?:\d+_.+|.*?_\d+_\d+_.+)", re.DOTALL)
DATE = re.compile(r"_20\d\d_[01]?\d_[0-3]?\d(?=[_.])")
TWO_WAYS = (
    "it can be read as another student's, by a number at the end of a name or at the beginning of a file's; put it "
    "into a folder that has the student's id as its name, and collect that"
)


class Left(list[str]):
    """A sentence on each entry of a zip that was left alone.

    Attributes:
        times: file -> when it came, by the LMS.
        uploads: file -> Canvas's number of it, which grows with each that is handed in.
        late: how many files the LMS marked late without saying when they came.
        ids: the ids of those whom the LMS tells with a number.
    """

    def __init__(
        self,
        sentences: Iterable[str] = (),
        times: dict[str, datetime] | None = None,
        late: int = 0,
        ids: Ids | None = None,
        uploads: dict[str, int] | None = None,
    ) -> None:
        super().__init__(sentences)
        self.times, self.late, self.ids, self.uploads = times or {}, late, ids or {}, uploads or {}


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
    there = {path.name for path in classroom.folder.glob("submitted/*")} if classroom else set[str]()
    with tempfile.TemporaryDirectory(prefix="inbox") as folder:
        try:
            with zipfile.ZipFile(inbox) as archive:
                left = _Unpacking(archive, Path(folder), before, chapter, there).left()
        except DAMAGED as error:
            raise CourseError(f"{inbox} cannot be read as a zip ({error}).") from None
        if not os.listdir(folder):
            why = f" ({left[0].removesuffix('.')})" if left else ""
            raise CourseError(f"{inbox} holds no notebook in a student's folder{why}: there is nothing to collect.")
        try:
            yield Path(folder), left
        except CourseError as error:  # of the folder's, whose name tells nobody anything
            raise CourseError(str(error).replace(folder, str(inbox))) from None


class _Unpacking:
    """One zip, on its way into one folder a student."""

    def __init__(self, archive: zipfile.ZipFile, folder: Path, before: Ids, chapter: int, there: set[str]) -> None:
        self.archive, self.folder, self.chapter = archive, folder, chapter
        self.said: list[str] = []
        self.taken: dict[str, list[int]] = {}  # student → the sizes of what was written
        self.times: dict[str, datetime] = {}
        self.uploads: dict[str, list[tuple[int, Path]]] = {}  # student → Canvas's numbers of their files
        self.zips: dict[str, int] = {}  # student → how many were looked into
        self.late = 0
        entries = {entry: composed(entry.filename) for entry in archive.infolist() if not entry.is_dir()}
        # What a program keeps in a student's folder is not opened, and says that the student handed something in.
        seen = {entry: name for entry, name in entries.items() if not _is_hidden(_top(name))}
        self.long = [name for name in seen.values() if _is_wanted(name) and not _is_short(name)]
        names = {entry: name for entry, name in seen.items() if _is_short(name)}
        wanted = [name for name in names.values() if _is_wanted(name)]
        if len(wanted) > MOST_ENTRIES:
            raise CourseError(f"The zip holds more than {MOST_ENTRIES:,} notebooks; make smaller ones.")
        zips = [name for name in names.values() if _is_zip(name)]
        top = _shared_folder(wanted, zips, {composed(student) for student in (*there, *before.values())})
        below = {entry: name.removeprefix(top) for entry, name in names.items()}
        self.paths = {entry: path for entry, path in below.items() if not _is_hidden(_top(path))}
        self.wanted = {path.removeprefix(top) for path in wanted}
        every, forms = [*self.paths.values()], [path.removeprefix(top) for path in wanted or zips]
        self.unclear = _unclear(every, forms)
        self.naming = _naming([path for path in every if path not in self.unclear], forms, before, chapter)

    def left(self) -> Left:
        """Unpack all, and return what was left alone."""
        self.said = self.naming.sentences()
        self.said += [
            NotCollected(f"{name[:60]!r} …: left alone, because its name is longer than anybody's.")
            for name in self.long[:100]
        ]
        for entry, path in self.paths.items():
            if path in self.wanted:
                self._take(entry, path)
        others = [(entry, path) for entry, path in self.paths.items() if path not in self.wanted][:MOST_ENTRIES]
        for entry, path in others:
            if _is_zip(path):
                self._look_into(entry, path)
        if self.taken:
            self._name([path for _, path in others])
        for files in self.uploads.values():
            _in_order([path for _, path in sorted(files)])
        uploads = {
            path.relative_to(self.folder).as_posix(): number
            for files in self.uploads.values()
            for number, path in files
        }
        said = (type(sentence)(one_line(sentence)) for sentence in self.said)
        return Left(said, self.times, self.late, self.naming.ids, uploads)

    def _take(self, entry: zipfile.ZipInfo, path: str) -> None:
        student, name = self._whose(path)
        sizes = self.taken.setdefault(student, [])
        if path in self.unclear:
            self.said.append(NotCollected(f"{entry.filename!r}: left alone, because {TWO_WAYS}."))
        elif not student:
            words = f"{entry.filename!r}: left alone, because it is in no student's folder."
            lmss = self.naming.ids or self.naming.blackboard  # whose names all tell a student
            self.said.append(NotCollected(words) if lmss else words)
        elif self._is_full(student):
            self.said.append(NotCollected(f"{entry.filename!r}: left alone, because it is more than anybody hands in."))
        elif problem := _write(self.archive, entry, self.folder / student / name):
            self.said.append(NotCollected(f"{entry.filename!r}: left alone, because {problem}."))
        else:
            sizes.append((self.folder / student / name).stat().st_size)
            self._note(path, student, name)

    def _whose(self, path: str) -> tuple[str, str]:
        return ("", "") if path in self.unclear else _whose(path, self.naming)

    def _is_full(self, student: str) -> bool:
        sizes = self.taken.get(student, [])
        return len(sizes) >= MOST_OF_ONE or sum(sizes) >= MOST_BYTES_OF_ONE

    def _note(self, path: str, student: str, name: str) -> None:
        """Keep what the LMS says of when a file came."""
        if self.naming.blackboard:
            self.times |= _lms_time(path, f"{student}/{name}")
        elif "/" not in path and not self.naming.moodle and (canvas := CANVAS.fullmatch(path)):
            self.uploads.setdefault(student, []).append((int(canvas["upload"]), self.folder / student / name))
            self.late += bool(canvas["late"])

    def _look_into(self, entry: zipfile.ZipInfo, path: str) -> None:
        """Take the chapter's notebooks out of a student's own zip, as if they had been handed in without it."""
        student, name = self._whose(path)
        if path in self.unclear:
            self.said.append(NotCollected(f"{entry.filename!r}: left alone, because {TWO_WAYS}."))
        if not student or self._is_full(student) or self.zips.get(student, 0) >= inside.MOST:
            return
        self.zips[student] = self.zips.get(student, 0) + 1
        for own, data in inside.notebooks(self.archive, entry, self.chapter).items():
            below = f"{name[:-4]}/{own}"
            if problem := _put(data, entry, self.folder / student / below):
                self.said.append(NotCollected(f"{own!r} in {entry.filename!r}: left alone, because {problem}."))
                continue
            self.taken.setdefault(student, []).append(len(data))
            self._note(path, student, below)
            self.said.append(f"{student}: {own} was taken out of {PurePosixPath(name).name}.")

    def _name(self, paths: list[str]) -> None:
        """Keep the students who have no notebook, with the names of some of their files and nothing in these."""
        count: dict[str, int] = {}
        for path in paths:
            student, name = self._whose(path)
            if student and not self.taken.get(student) and count.setdefault(student, 0) < NAMED:
                count[student] += 1
                with suppress(OSError):
                    (self.folder / student).mkdir(exist_ok=True)
                    if not _is_hidden(name.split("/")):
                        (self.folder / student / name).parent.mkdir(parents=True, exist_ok=True)
                        (self.folder / student / name).touch()


def _lms_time(path: str, file: str) -> dict[str, datetime]:
    """The file with the time that the LMS wrote into its name; nothing where it wrote none."""
    attempt = BLACKBOARD.fullmatch(path)
    when = WHEN.search(attempt["attempt"]) if attempt else None
    with suppress(ValueError):  # the 31st of February
        if when:
            year, month, day, hour, minute, second = (int(number or 0) for number in when.groups())
            return {file: datetime(year, month, day, hour, minute, second)}
    return {}


def _is_wanted(name: str) -> bool:
    """A notebook, or nbgrader's timestamp, that no program keeps for itself."""
    file = name.rpartition("/")[2]
    return (is_notebook(file) or file == STAMP) and not _is_hidden(name.split("/"))


def _is_zip(name: str) -> bool:
    return inside.is_zip(name) and not _is_hidden(name.split("/"))


def _top(name: str) -> list[str]:
    """The folder, or the file, that the whole zip holds it in."""
    first, slash, _ = name.partition("/")
    return [first, ""] if slash else [first]


def _is_hidden(parts: list[str]) -> bool:
    """Whether a program keeps it for itself; a student's name may begin with a dot."""
    return SKIPPED in parts or any(
        part.startswith(".")
        and part != "."
        and not part.startswith("..")
        and not _is_lmss(part, folder=place < len(parts) - 1)
        for place, part in enumerate(parts)
    )


def _is_lmss(name: str, folder: bool) -> bool:
    if folder:
        return bool(MOODLE_FOLDER.fullmatch(name))
    # A Mac writes its own `._` files beside the LMS's.
    return not name.startswith("._") and any(form.fullmatch(name) for form in (MOODLE, BLACKBOARD, CANVAS))


def _is_short(name: str) -> bool:
    return len(name) <= LONGEST and name.count("/") < DEEPEST


def _shared_folder(paths: list[str], zips: list[str], there: set[str]) -> str:
    """The one folder that holds all students' folders, "" if there is none. Notebooks beside them are nobody's.

    Args:
        paths: of the notebooks.
        zips: of what may hold one.
        there: the students whom the class knows. A folder that names a student is never the one of all: its student
            chose the names in it.

    Raises:
        CourseError: either of two folders may be the student's.
    """
    inside = [path.split("/") for path in [*paths, *zips] if "/" in path and not path.startswith(("/", "../"))]
    tops = {parts[0] for parts in inside}
    top = min(tops, default="")
    if len(tops) != 1 or MOODLE.fullmatch(top) or top in there:
        return ""
    if _tell_students([parts[1] for parts in inside if parts[-1] != STAMP]):
        return f"{top}/"
    below = {parts[1] for parts in inside if len(parts) > 2}
    if not below or any(map(is_attempt, below)):
        return ""
    # One folder beside a notebook is one that a student made.
    if len(below) == 1 and any(len(parts) == 2 for parts in inside):
        return ""
    if len(below) == 1 and not is_attempt(top):
        if any("/" not in path for path in paths):  # the others are in no folder: this one is nobody's reason to stop
            return ""
        raise CourseError(
            f"The zip holds one folder, {one_line(top)}, and that holds one folder, {one_line(min(below))}: make a zip "
            "in which the student's folder is not in another one, with the notebook directly in it."
        )
    return f"{top}/"


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


def _naming(paths: list[str], forms: list[str], before: Ids, chapter: int) -> _Naming:
    """What all names together tell; `forms` are those by which an LMS is known."""
    blackboard, moodle = _is_blackboards(forms), _is_moodles(forms)
    heads = [match["head"] for path in paths if blackboard and (match := BLACKBOARD.fullmatch(path))]
    common = os.path.commonprefix(heads)
    title = common[: common.rfind("_") + 1]
    unclear = any(head.count("_") > 1 for head in heads)
    loose = [path for path in paths if "/" in path or not blackboard]
    found = [match for path in loose if (match := _numbered(_parts(path, blackboard or moodle), moodle))]
    where = owner(chapter, canvas=all(match.re is CANVAS for match in found))
    ids = ids_of({_told(where, match) for match in found}, before)
    return _Naming(title, unclear, ids, before, where, blackboard, moodle)


def _told(where: str, match: re.Match[str]) -> Told:
    """How an LMS tells the student; a name that begins with a dot begins with a line here, as no folder is hidden."""
    name = match["student"]
    dotted = name.startswith(".") and name not in (".", "..")
    return Told(where, f"_{name.lstrip('.')}" if dotted else name, match["number"])


def _unclear(paths: list[str], forms: list[str]) -> set[str]:
    """An LMS's names that may be two students'. They say nothing of either, so that no name takes another's place.

    Where an LMS wrote all names of files that are in no folder, one in a folder of anybody's may be two students', too.
    """
    told = next((form for form, is_its in FLAT if is_its(forms)), None)
    beside = {path for path in paths if told and _is_in_a_folder(path) and told.fullmatch(path.rpartition("/")[2])}
    if told is BLACKBOARD:
        return beside
    twice = MOODLE_TWICE if told is MOODLE else CANVAS_UNCLEAR
    return beside | {path for path in paths if "/" not in path and twice.fullmatch(DATE.sub("", path))}


def _is_in_a_folder(path: str) -> bool:
    """Whether a path has a folder above it that no LMS has named."""
    first, slash, _ = path.partition("/")
    return bool(slash) and not MOODLE_FOLDER.fullmatch(first) and not MOODLE.fullmatch(first)


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


def _is_canvas(paths: list[str]) -> bool:
    """Whether the names are Canvas's, of files without a folder: all of them look so."""
    names = [path for path in paths if "/" not in path]
    return bool(names) and all(map(CANVAS.fullmatch, names))


# Which LMS writes names so, of files that are in no folder; the first that it may be counts.
FLAT = ((BLACKBOARD, _is_blackboards), (MOODLE, _is_moodles), (CANVAS, _is_canvas))


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
        student, name = attempt["head"].removeprefix(naming.title), f"{attempt['attempt']}/{attempt['file'] or 'text'}"
    elif match := _numbered(parts, naming.moodle):
        student, name = naming.ids.get(_told(naming.where, match), ""), name or match["file"] or parts[0]
    return ("", "") if not student or student.startswith(".") else (student, name)


def _write(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path) -> str:
    """Write one entry; returns why not, "" if it was. Its size is what is read, whatever the zip says."""
    try:
        with archive.open(entry) as file:
            data = file.read(MOST_BYTES + 1)
    except (*DAMAGED, RuntimeError) as error:  # an encrypted entry is a RuntimeError
        return f"it cannot be read ({error})"
    if len(data) > MOST_BYTES:
        return f"it is larger than {MOST_BYTES // 1_000_000} MB"
    return _put(data, entry, path)


def _put(data: bytes, entry: zipfile.ZipInfo, path: Path) -> str:
    """Write what an entry holds; returns why not, "" if it was."""
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
