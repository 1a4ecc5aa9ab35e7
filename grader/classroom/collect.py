"""What students handed in, brought into nbgrader's `submitted/`: the newest attempt counts, and none is lost."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from ..errors import CourseError
from ..publish.course import CONFIG, assignment, notebook_name, release_notebook
from ..run.folders import MOST_BYTES, read, tree, what
from ..run.submission import Unreadable, given_cells, grade_id, is_untouched, read_notebook
from . import uploaded
from .classroom import LONGEST_TIME, Classroom, name_problem, time_in
from .numbers import Ids, remember
from .who import composed
from .words import counted

STAMP = "timestamp.txt"  # nbgrader's: when it was handed in
MOST_LOOKED_INTO = 100  # notebooks under other names, of one student
# As Blackboard writes it into a file's name, and people into a folder's: `attempt_2026-11-20-18-30-00`.
WHEN = re.compile(r"(20\d\d)-(\d\d)-(\d\d)[-T_ ](\d\d)[-:.](\d\d)(?:[-:.](\d\d))?")
# What a class's or the course's folder holds, and no inbox.
OURS = ("gradebook.db", CONFIG, "pyproject.toml")


class NotCollected(str):
    """A sentence about what a student handed in and the class has not got: somebody has to do something."""


@dataclass(frozen=True)
class Attempt:
    """A notebook that a student handed in.

    Attributes:
        path: its file.
        said: when it was handed in, by a time in its name or in timestamp.txt (UTC); None if nothing says. It puts a
            student's attempts in order.
        believed: the same, where no student wrote it.
        upload: the LMS's number of the file, which grows with each that is handed in; 0 if it has none.
        instead: why it is taken though it is not the newest; "" if it is.
    """

    path: Path
    said: datetime | None
    believed: datetime | None = None
    upload: int = 0
    instead: str = ""

    @property
    def when(self) -> datetime:
        """When it was handed in, as far as is known: else the file's own time."""
        return self.said or datetime.fromtimestamp(self.path.stat().st_mtime, UTC).replace(tzinfo=None)

    @property
    def stamp(self) -> str:
        """The text of nbgrader's timestamp.txt; "" if nothing that is believed says when it was."""
        return f"{self.believed:%Y-%m-%d %H:%M:%S} UTC" if self.believed else ""


def collect(
    classroom: Classroom,
    inbox: Path,
    chapter: int,
    lms: Mapping[str, datetime] | None = None,
    times: bool = False,
    ids: Ids | None = None,
    uploads: Mapping[str, int] | None = None,
) -> list[str]:
    """Copy what students handed in – one folder a student – into nbgrader's `submitted/`.

    A notebook under another name is taken for the chapter's if it has its exercises; of several attempts, the newest.
    The files that came are not changed. An earlier submission that was collected before is kept in `earlier/`.
    No link is followed. How late a submission is, only the LMS says that made the zip.

    Args:
        classroom: the class.
        inbox: the folder.
        chapter: the chapter.
        lms: file, below `inbox` -> when it was handed in, by the LMS; see `lms.unpacked`.
        times: believe also the times in names and in timestamp.txt, as no student wrote them.
        ids: the ids of those whom the LMS tells with a number; later zips remember who handed something in.
        uploads: file, below `inbox` -> the LMS's number of it; see `lms.unpacked`.

    Returns:
        One sentence for each submission in which something had to be guessed or is missing; a `NotCollected` where the
        student's folder has to be renamed first.

    Raises:
        CourseError: `inbox` is not a folder of students' folders, or nobody's holds the chapter's notebook.
    """
    known = {composed(path.name) for path in classroom.folder.glob("submitted/*")} | {*(ids or {}).values()}
    students = _students(inbox, known, bool(ids))
    search = _Search(chapter, lms or {}, uploads or {}, times)
    found = {path: search.attempts(path) for path in students}
    if not any(attempts for _, attempts in found.values()):
        raise CourseError(
            f"No folder in {inbox} holds {notebook_name(chapter)}, or a notebook with its exercises: is it the right "
            f"folder, and was chapter {chapter} handed in there?"
        )
    there = {path.name for path, (_, attempts) in found.items() if attempts}
    remember(classroom, {told: _spelt(student) for told, student in (ids or {}).items() if student in there})
    loose = sorted(path.name for path in inbox.iterdir() if is_notebook(path.name) and path not in found)
    said = []
    if loose:
        are = "it is" if len(loose) == 1 else f"these {len(loose)} notebooks are"
        said.append(f"{_some(loose, 10)}: left alone, because {are} in no student's folder.")
    links = sorted(path for path in inbox.iterdir() if path.is_symlink() and path.suffix != ".ipynb")
    said += [NotCollected(f"{path.name}: a link, which is not followed; it is not collected.") for path in links]
    first: dict[str, str] = {}
    # Of two spellings of a name, that in which the class knows it comes first: any other is somebody else's.
    for path in sorted(found, key=lambda path: path.name != _id(classroom, path.name)):
        sentences, attempts = found[path]
        if (other := first.setdefault(_spelt(path.name), path.name)) != path.name:
            words = f"its name is {other}'s, with other spaces or in another spelling of Unicode; it is not collected"
            said.append(NotCollected(f"{path.name!r}: {words}."))
            continue
        said += _collect_one(classroom, path, chapter, sentences, attempts)
    return said


def _id(classroom: Classroom, name: str) -> str:
    """The id of whose folder has this name: in one of Unicode's spellings, unless the class has them in another."""
    if (classroom.folder / "submitted" / name).is_dir():
        return name
    there = sorted(path.name for path in classroom.folder.glob("submitted/*") if _spelt(path.name) == _spelt(name))
    return there[0] if there else _spelt(name)


def _spelt(name: str) -> str:
    """A name as it is compared with others: in one of Unicode's spellings, and with one space where there are more."""
    return re.sub(r"(?<=\S)\s+(?=\S)", " ", composed(name))


def _students(inbox: Path, known: set[str], told: bool = False) -> list[Path]:
    """The students' folders; whoever is known is a student, whatever is in the folder, and `told`, whom an LMS names.

    Raises:
        CourseError: there are none, or `inbox` is another folder than the one that holds them.
    """
    if not inbox.is_dir():
        raise CourseError(f"{inbox} is not a folder; give the folder that holds one folder a student.")
    students = sorted(path for path in inbox.iterdir() if _is_students(path))
    ours = [name for name in OURS if (inbox / name).is_file()]  # a folder is a student's who is called so
    if not told and all(re.fullmatch(r"chapter\d+|challenges|project", path.name) for path in students):
        ours += [path.name for path in students]  # where others are, too, it is what a student is called
    if ours:
        raise CourseError(
            f"{inbox} belongs to the course or to a class, for it holds {ours[0]}; give the folder that holds one "
            "folder a student."
        )
    if not students:
        raise CourseError(f"{inbox} holds no student's folder: there is nothing to collect.")
    if len(students) == 1 and composed(students[0].name) not in known and _is_inbox(students[0]):
        raise CourseError(
            f"{inbox} holds one folder, and the students' folders seem to be in that: give {students[0]}, or put the "
            f"notebook directly into it if {students[0].name} is a student."
        )
    return students


def _is_students(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink() and not path.name.startswith(".")


def _is_inbox(folder: Path) -> bool:
    """Whether the folder is no student's, but seems to hold several students' folders."""
    inside = {path.relative_to(folder).parts[:-1][:1] for path in _notebooks(folder)}
    return len(inside) > 1 and () not in inside and not any(is_attempt(name) for (name,) in inside)


def is_attempt(name: str) -> bool:
    """Whether a folder of this name is one in a student's folder: an attempt, or a chapter."""
    return bool(WHEN.search(name) or re.match(r"attempt|chapter\s?\d", name, re.IGNORECASE))


def _exercises(chapter: int) -> set[str]:
    """The ids of the chapter's graded cells, which no other chapter has."""
    return {name for name, given in given_cells(release_notebook(chapter)).items() if given.role == "graded"}


def _collect_one(classroom: Classroom, source: Path, chapter: int, said: list[str], found: list[Attempt]) -> list[str]:
    student, wanted = _id(classroom, source.name), notebook_name(chapter)
    if problem := name_problem(student):
        return [NotCollected(f"{student!r}: {problem}; it is not collected.")]
    target = classroom.submitted(student, chapter)
    if odd := classroom.stray(student, chapter):
        return [NotCollected(f"{student}: not collected, because in submitted/, {odd}.")]
    if not found:
        notebooks = _notebooks(source)
        names = _some([path.name for path in notebooks if path.stat().st_size <= MOST_BYTES])
        others = f"{names}, without its exercises" if names else "none of that size" if notebooks else _others(source)
        stays = "what was collected before stays" if (target / wanted).is_file() else "it is not graded"
        target.mkdir(parents=True, exist_ok=True)
        return [*said, f"{student}: {wanted} is missing (found: {others}); {stays}."]
    newest = found[-1]
    if len(found) > 1:
        others = _some([str(one.path.relative_to(source)) for one in found[:-1]], 10)
        name, best = newest.path.relative_to(source), "is taken" if newest.instead else "is the newest"
        when = f"{newest.when:%Y-%m-%d %H:%M}"
        said = [*said, f"{student}: {name} of {when} {best}{newest.instead}; left alone: {others}."]
    elif newest.path.name != wanted:
        said = [*said, f"{student}: {newest.path.name} was taken for {wanted}."]
    return [*said, *_put(classroom, student, chapter, newest)]


def _others(source: Path) -> str:
    """What a folder without a notebook holds, such as a notebook that a browser saved as `….ipynb.txt`."""
    found = tree(source)
    files = [path for path in found.files if path.name != STAMP and not _is_hidden(path, source)]
    odd = [f"{path.name}, {what(path)}, which is not followed" for path in found.odd]
    names = sorted([path.name for path in files] + odd)
    return f"no notebook, but {_some(names)}" if names else "no notebook"


def _some(names: list[str], most: int = 3) -> str:
    return f"{', '.join(names[:most])}{', …' if len(names) > most else ''}"


def _notebooks(source: Path) -> list[Path]:
    return [path for path in tree(source).files if is_notebook(path.name) and not _is_hidden(path, source)]


def is_notebook(name: str) -> bool:
    """Whether a file is called a notebook, also by a system that writes capital letters."""
    return name.lower().endswith(".ipynb")


def _is_hidden(path: Path, source: Path) -> bool:
    """Whether a program keeps a file for itself: a copy, a lock, what was thrown away."""
    return any(part.startswith(".") for part in path.relative_to(source).parts)


class _Search:
    """What to look for in every student's folder, and the attempts that are found in one."""

    def __init__(self, chapter: int, lms: Mapping[str, datetime], uploads: Mapping[str, int], times: bool) -> None:
        self.stem = notebook_name(chapter).removesuffix(".ipynb")
        self.release = release_notebook(chapter)
        self.exercises = _exercises(chapter)
        self.lms, self.uploads, self.times = lms, uploads, times

    def attempts(self, source: Path) -> tuple[list[str], list[Attempt]]:
        """A sentence on what was left out and on each time that cannot be read; and the attempts, the best last.

        The newest that has the chapter's name counts, whatever is in it: its student is told at grading what is wrong
        with it. But where others can be read, or have something done in them, what cannot or has not comes before them.
        """
        said, paths = _left_out(source, _notebooks(source))
        named = [path for path in paths if self.stem in path.name]
        others = [path for path in paths if path not in named]
        if not named:
            more, others = _few(source, others)
            return said + more, self._sorted(source, [path for path in others if self._state(path)], said)
        found = self._sorted(source, named, said)
        if len(found) == 1 and not others:
            return said, found
        states = self._states(source, found)
        beside = [path for path in _few(source, others)[1] if self._may_be(path) and self._state(path) == 2]
        if max(states) < 2:  # nothing is done in what has the name
            found, states = [*found, *self._sorted(source, beside, said)], [*states, *[2] * len(beside)]
        elif beside:
            names = _some([path.name for path in beside])
            said.append(f"{source.name}: left alone, because another has the chapter's name: {names}.")
        return said, self._best_last(found, states)

    def _may_be(self, path: Path) -> bool:
        """Whether a file of another name is worth reading: another chapter's, of which there may be many, is not."""
        data = read(path, MOST_BYTES)
        return any(f'"{exercise}"'.encode() in data for exercise in self.exercises)

    def _best_last(self, found: list[Attempt], states: list[int]) -> list[Attempt]:
        """The attempts, the newest of those in the best state last, with a word on why if it is not the newest."""
        place = max(range(len(found)), key=lambda place: (states[place], place))
        newest = next(at for at in reversed(range(len(found))) if self.stem in found[at].path.name)
        if place == newest:
            return found
        why = ("cannot be read", "is as it was handed out")[states[newest]] if states[newest] >= 0 else "is too large"
        best = replace(found[place], instead=f", because {found[newest].path.name} {why}")
        return [*found[:place], *found[place + 1 :], best]

    def _states(self, source: Path, found: list[Attempt]) -> list[int]:
        """The `_state` of each attempt, from the newest to the first in which something was done; -1 of the others."""
        states = [-1] * len(found)
        few = {*_few(source, [one.path for one in reversed(found)])[1]}
        for place, one in reversed([*enumerate(found)]):
            if one.path in few:
                states[place] = self._state(one.path)
            if states[place] == 2:
                break
        return states

    def _state(self, path: Path) -> int:
        """0 of what is no notebook of the chapter, 1 of one in which nothing was done, and 2 of others."""
        try:
            notebook = read_notebook(path)
        except Unreadable:
            return 0
        if not any(grade_id(cell) in self.exercises for cell in notebook.cells):
            return 0
        return 1 if is_untouched(notebook, self.release) else 2

    def _sorted(self, source: Path, paths: list[Path], said: list[str]) -> list[Attempt]:
        """The attempts, the newest last: by the LMS's number of each, or by its times; else by all files' own.

        A time that a student wrote into one file's name says nothing of the others. Where no student did (`--times`),
        what has one comes before a file's own time, which may be that of the download.
        """
        found = [self._attempt(source, path, said) for path in paths]
        if found and all(one.upload for one in found):
            return sorted(found, key=lambda one: one.upload)
        return sorted(found, key=lambda one: (one.believed is not None, one.when, _number(one.path.name, self.stem)))

    def _attempt(self, source: Path, path: Path, said: list[str]) -> Attempt:
        file = path.relative_to(source.parent).as_posix()
        known, upload = self.lms.get(file), self.uploads.get(file, 0)
        try:
            told = known or _time_of(path, source)
        except ValueError as error:
            said.append(f"{source.name}: {error}; the file's own time is taken.")
            return Attempt(path, None, upload=upload)
        return Attempt(path, told, told if self.times else known, upload)


def _number(name: str, stem: str) -> int:
    """Of files of one time, the order in which Canvas numbers them: `one-step.ipynb`, then `one-step-1.ipynb`."""
    again = re.fullmatch(rf"{re.escape(stem)}(?:-(\d{{1,3}}))?\.ipynb", name)
    return int(again[1] or 0) if again else -1


def _left_out(source: Path, paths: list[Path]) -> tuple[list[str], list[Path]]:
    """Sentences on what nobody looks at in a student's folder, and the notebooks that remain."""
    cut = tree(source).cut
    large = [path for path in paths if path.stat().st_size > MOST_BYTES]
    said: list[str] = [NotCollected(f"{source.name}: {cut}.")] if cut else []
    if large:
        names = _some([path.name for path in large])
        said.append(
            NotCollected(f"{source.name}: left out, because larger than {MOST_BYTES // 1_000_000} MB: {names}.")
        )
    return said, [path for path in paths if path not in set(large)]


def _few(source: Path, paths: list[Path]) -> tuple[list[str], list[Path]]:
    """As many notebooks under other names as are looked into, and a sentence on the others."""
    sizes = itertools.accumulate(path.stat().st_size for path in paths)
    few = [path for path, size in zip(paths[:MOST_LOOKED_INTO], sizes, strict=False) if size <= MOST_BYTES]
    if len(few) == len(paths):
        return [], paths
    left = counted(len(paths) - len(few), "notebook")
    return [NotCollected(f"{source.name}: too many notebooks under other names; not looked into: {left}.")], few


def _time_of(path: Path, source: Path) -> datetime | None:
    """When a file was handed in, by its name, its folders' or a timestamp.txt beside it.

    Raises:
        ValueError: such a time is none.
    """
    for part in reversed(path.relative_to(source).parts):
        if match := WHEN.search(part):
            try:
                year, month, day, hour, minute, second = (int(number or 0) for number in match.groups())
                return datetime(year, month, day, hour, minute, second)
            except ValueError:
                raise ValueError(f"{match[0]} in {part} is no time") from None
    stamp = next((file for file in (path.with_name(STAMP), source / STAMP) if file.is_file()), None)
    if stamp is None:
        return None
    try:
        text = read(stamp, LONGEST_TIME + 1).decode("utf-8", "replace").strip()
    except OSError:  # a link
        return None
    return _parsed(text) if text else None


def _parsed(text: str) -> datetime:
    """nbgrader's reading of a timestamp.

    Raises:
        ValueError: it is none.
    """
    try:
        return time_in(text)
    except ValueError:
        raise ValueError(f"{text[:40]!r} in {STAMP} is no time that nbgrader can read") from None


def _put(classroom: Classroom, student: str, chapter: int, attempt: Attempt) -> list[str]:
    """Make the attempt the student's submission, unless a newer one is there; put an earlier one aside."""
    target, wanted = classroom.submitted(student, chapter), notebook_name(chapter)
    data, aside = read(attempt.path, MOST_BYTES), None
    there, part = target / wanted, target.with_name(f"{wanted}.part")
    if there.is_file():
        before = _collected_time(target)
        if before and attempt.believed and before > attempt.believed:
            return [f"{student}: left alone, because a newer one, of {before:%Y-%m-%d %H:%M} UTC, is there already."]
        if attempt.upload and attempt.upload < uploaded.number(classroom, student, chapter):
            return [f"{student}: left alone, because one that was handed in later is there already."]
        if there.read_bytes() == data:
            uploaded.remember(classroom, student, chapter, attempt.upload)
            _stamp(target, attempt)
            return []
        aside = _aside(classroom, student, chapter)
        aside.parent.mkdir(parents=True, exist_ok=True)
    part.parent.mkdir(parents=True, exist_ok=True)
    try:
        part.write_bytes(data)  # a full disk ends it here, and what was handed in before stays
    except OSError:
        part.unlink(missing_ok=True)
        raise
    if aside:
        target.rename(aside)
    target.mkdir(exist_ok=True)
    part.replace(there)
    uploaded.remember(classroom, student, chapter, attempt.upload)
    _stamp(target, attempt)
    if not aside:
        return []
    unsure = "" if attempt.upload or attempt.believed else " If that one is the newer, copy it back: nothing here says."
    return [f"{student}: handed in again; the earlier submission is kept in {aside}.{unsure}"]


def _collected_time(target: Path) -> datetime | None:
    try:
        return _time_of(target / "any.ipynb", target)
    except ValueError:
        return None


def _stamp(target: Path, attempt: Attempt) -> None:
    if attempt.stamp and _collected_time(target) != attempt.believed:
        (target / STAMP).write_text(attempt.stamp + "\n", "utf-8")


def _aside(classroom: Classroom, student: str, chapter: int) -> Path:
    """A folder of the class's `earlier/` that is not there yet."""
    folder = classroom.folder / "earlier" / student / assignment(chapter)
    return next(path for path in (folder / str(number) for number in itertools.count(1)) if not path.exists())
