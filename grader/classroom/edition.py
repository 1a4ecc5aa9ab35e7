"""What a class's marks rest on until `grader upgrade`: the grader, the release, and the exercises that were handed out.

Bringing the course up to date changes none of them for a class that has begun: what is graded stays as it is, and an
exercise that the students' notebooks did not have does not count. `edition.json` names them, and `editions/` holds the
releases.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..chapters import CHAPTERS, exercises
from ..errors import CourseError
from ..publish.course import assignment, release_path
from ..run.verdicts import grader_parts, grader_version, write_whole
from .classroom import Classroom
from .settings import read_settings

if TYPE_CHECKING:
    from nbformat import NotebookNode

FILE, RELEASES = "edition.json", "editions"
EARLIER = "an earlier version"  # in the place of the grader and the release that nobody wrote down


@dataclass(frozen=True)
class Edition:
    """What a chapter was graded with.

    Attributes:
        grader: its version, as `grader_version` gives it.
        release: a digest of the release.
        exercises: the names of those that students have.
        parts: of a class's own chapter, what its grader's version is made of, as `grader_parts` gives it.
    """

    grader: str
    release: str
    exercises: tuple[str, ...]
    parts: dict[str, str] = field(default_factory=dict, compare=False)


def current(chapter: int) -> Edition:
    """The chapter as the course has it now."""
    release = release_path(chapter).read_bytes()
    digest = hashlib.sha256(release).hexdigest()
    return Edition(grader_version(chapter), digest, _named(release), grader_parts(chapter))


def _named(release: bytes) -> tuple[str, ...]:
    """The exercises that a release asks for. They are not imported: most runs find that nothing has changed."""
    marks = [cell["metadata"].get("nbgrader", {}) for cell in json.loads(release)["cells"]]
    return tuple(mark["grade_id"].removesuffix("-graded") for mark in marks if mark.get("grade"))


def edition(classroom: Classroom, chapter: int, note: bool = False) -> Edition:
    """What the class's marks of the chapter rest on.

    Args:
        classroom: the class.
        chapter: the chapter.
        note: write it down, if it is not yet: from then on only `upgrade` changes it.
    """
    known = _read(classroom)
    if chapter not in known:
        known[chapter] = _found(classroom, chapter)
        if note:
            _write(classroom, known, [chapter])
    return known[chapter]


def _found(classroom: Classroom, chapter: int) -> Edition:
    """The course's, with those exercises alone that the class's gradebook knows, if it has the chapter at all."""
    now, cells = current(chapter), _graded_cells(classroom, chapter)
    named = tuple(e.name for e in exercises(chapter) if not cells or e.graded_cell in cells)
    earlier = _has_marks(classroom, chapter)
    return Edition(EARLIER, EARLIER, named) if earlier else replace(now, exercises=named)


def _has_marks(classroom: Classroom, chapter: int) -> bool:
    return (classroom.folder / "verdicts" / "told" / assignment(chapter)).is_dir()


def _held(classroom: Classroom, only: int | None = None) -> dict[int, Edition]:
    """Of every chapter that has marks, or of one, what they rest on."""
    known = _read(classroom)
    more = [chapter for chapter in CHAPTERS if chapter not in known and _has_marks(classroom, chapter)]
    held = known | {chapter: _found(classroom, chapter) for chapter in more}
    return {chapter: one for chapter, one in held.items() if only in (None, chapter)}


def _graded_cells(classroom: Classroom, chapter: int) -> set[str]:
    if not classroom.has_gradebook():
        return set()
    from nbgrader.api import MissingEntry

    with classroom.gradebook() as gradebook, contextlib.suppress(MissingEntry):
        notebooks = gradebook.find_assignment(assignment(chapter)).notebooks
        return {cell.name for notebook in notebooks for cell in notebook.grade_cells}
    return set()


def points(classroom: Classroom, chapter: int) -> dict[str, float]:
    """Exercise → what it is worth in the class, where not as in the course; 0 for one that does not count."""
    handed_out = edition(classroom, chapter).exercises
    missing = {exercise.name: 0.0 for exercise in exercises(chapter) if exercise.name not in handed_out}
    return missing | read_settings(classroom.folder).points.get(chapter, {})


def release_file(classroom: Classroom, chapter: int) -> Path:
    """The release that the class's marks of the chapter rest on: its own copy, or the course's where it has none."""
    kept = _kept(classroom, chapter)
    return kept if kept.is_file() else release_path(chapter)


def release(classroom: Classroom, chapter: int) -> NotebookNode:
    """What is in `release_file`."""
    import nbformat  # takes a second

    found: NotebookNode = nbformat.read(release_file(classroom, chapter), as_version=4)
    return found


def need(classroom: Classroom, chapter: int) -> None:
    """Make sure that the course can go on grading what the class's marks rest on.

    Raises:
        CourseError: an earlier version graded it, which did not write down which it was; or an exercise is gone.
    """
    now, held = {exercise.name for exercise in exercises(chapter)}, _held(classroom).get(chapter)
    if held and held.grader == EARLIER:
        raise CourseError(
            f"Chapter {chapter} of this class was graded by an earlier version, and the same work may get other marks "
            "now: `grader upgrade --diff` shows whose, and `grader upgrade --yes` lets it count."
        )
    if gone := [name for name in held.exercises if name not in now] if held else []:
        raise CourseError(
            f"Chapter {chapter} of this class has {', '.join(gone)}, which the course has no longer: grade it with the "
            "version from before, or let `grader upgrade` take it out."
        )


def news(classroom: Classroom, only: int | None = None) -> Iterator[str]:
    """What `upgrade` would change, a sentence each."""
    for chapter, held in sorted(_held(classroom, only).items()):
        now = current(chapter)
        if held.grader == EARLIER:
            yield (
                f"Chapter {chapter}: an earlier version graded it; the same work can get other marks. 1.0.0 gave "
                "nothing to a part that failed on the student's own engine: follow_through = false in course.toml "
                "keeps that."
            )
        elif held.grader != now.grader:
            yield f"Chapter {chapter}: {_changed(held, now)} changed since; the same work can get other marks."
        if held.release not in (now.release, EARLIER):
            yield f"Chapter {chapter}: its release has changed; the course's own cells are those of the new one."
        if added := [name for name in now.exercises if name not in held.exercises]:
            yield f"Chapter {chapter}: {', '.join(added)} would count, which your students' notebooks may not have."
        if gone := [name for name in held.exercises if name not in now.exercises]:
            yield f"Chapter {chapter}: {', '.join(gone)} is not in the course any more: its points would go."


def _changed(held: Edition, now: Edition) -> str:
    """What of the grader has changed, with the verb."""
    if not now.parts:
        return "the grader has"
    if not held.parts:
        return "the grader, or a file of the class's own chapter, has"
    moved = sorted(name for name in held.parts.keys() | now.parts.keys() if held.parts.get(name) != now.parts.get(name))
    what = ["the grader" if not name else f"{name} of the class's own chapter" for name in moved]
    return f"{' and '.join(what)} {'has' if len(what) == 1 else 'have'}"


def is_behind(classroom: Classroom, chapter: int) -> bool:
    """Whether the class's marks of the chapter rest on another course than the one that is here."""
    held = _held(classroom).get(chapter)
    return held is not None and held != current(chapter)


def upgrade(classroom: Classroom, only: int | None = None) -> None:
    """Let the class's marks rest on the course as it is now, from the next grading on: of one chapter, or of all."""
    now = {chapter: current(chapter) for chapter in _held(classroom, only)}
    _write(classroom, _read(classroom) | now, now)


def _kept(classroom: Classroom, chapter: int) -> Path:
    return classroom.folder / RELEASES / f"{assignment(chapter)}.ipynb"


def _path(classroom: Classroom) -> Path:
    return classroom.folder / FILE


def _read(classroom: Classroom) -> dict[int, Edition]:
    path = _path(classroom)
    try:
        data = json.loads(path.read_text("utf-8"))
        found = {int(chapter): _edition(**one) for chapter, one in data.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise CourseError(f"{path} is damaged: put a copy in its place, or remove it to begin anew.") from None
    return {chapter: one for chapter, one in found.items() if chapter in CHAPTERS}


def _edition(grader: str, release: str, exercises: list[str], parts: dict[str, str] | None = None) -> Edition:
    """An edition as the file has it; earlier versions wrote no parts."""
    return Edition(grader, release, tuple(exercises), dict(parts or {}))


def _write(classroom: Classroom, known: dict[int, Edition], anew: Iterable[int]) -> None:
    """Write the file, and keep the releases of those chapters whose edition is a new one."""
    for chapter in anew:
        write_whole(_kept(classroom, chapter), release_path(chapter).read_text("utf-8"))
    data = {str(chapter): asdict(one) for chapter, one in sorted(known.items())}
    write_whole(_path(classroom), json.dumps(data, indent=1))
