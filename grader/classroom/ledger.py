"""What a class's gradebook holds already, so that grading it again writes only what has changed."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..publish.course import CONFIG, assignment, course_root
from ..run.folders import MOST_BYTES, read, tree
from ..run.verdicts import write_whole
from .classroom import Classroom, deadlines, grades, late_students
from .edition import edition
from .settings import read_settings

STAMP = "timestamp.txt"  # nbgrader's: when a submission came
# What moves a mark, and the words in which it is said that it has moved.
WHY = {
    "handed_in": "handed in again, or its timestamp.txt is another",
    "notebook": "handed in again",
    "stamp": "it came at another time, says its timestamp.txt",
    "due": "it is due at another time",
    "late": "lateness costs something else",
    "points": "exercises are worth other points",
    "by_hand": "other points were given by hand, of which lateness takes its share",
    "exercises": "other exercises count",
    "follow_through": "follow_through has changed",
    "grader": "the class was upgraded to another grader",
    "release": "the class was upgraded to another release",
    "secret": "the class has another secret",
    "config": "nbgrader_config.py has changed",
}

# Of these, the ones after which the grader itself may give other points.
JUDGED_ANEW = {WHY[name] for name in ("handed_in", "notebook", "follow_through", "grader", "release", "secret")}


@dataclass(frozen=True)
class Seen:
    """What a submission was when it was looked at, in digests: all of it, its notebook, and what says when it came."""

    handed_in: str
    notebook: str
    stamp: str


class Ledger:
    """The scores of a chapter that nbgrader was told, and for which submission.

    A submission is settled if nothing has changed since nbgrader was told of its verdict: not a byte of it, of the
    release and the grader that the class's marks rest on, of the settings or the secret, not the autograded notebook,
    not a score in the gradebook, and not when the chapter is due for that student. A manual grade unsettles it only
    where the submission is late: the penalty is a share of the points.

    Args:
        classroom: the class.
        chapter: the chapter.
        secret: the course's secret.
    """

    def __init__(self, classroom: Classroom, chapter: int, secret: bytes) -> None:
        self._classroom, self._chapter = classroom, chapter
        self._folder = classroom.folder / "verdicts" / "told" / assignment(chapter)
        held, settings = edition(classroom, chapter), read_settings(classroom.folder)
        self._about: dict[str, str] = {
            "late": repr(settings.late),
            "points": repr(settings.points.get(chapter)),
            "exercises": repr(held.exercises),
            "follow_through": repr(settings.follow_through),
            "grader": held.grader,
            "release": held.release,
            "secret": hashlib.sha256(secret).hexdigest(),
            "config": hashlib.sha256((course_root() / CONFIG).read_bytes()).hexdigest(),
        }
        self._course = repr((self._about, classroom.unsafe, settings)).encode()
        self._open = False  # whether the last run did not end well

    @functools.cached_property
    def _book(self) -> dict[str, Any]:
        """The grader's own points, and what is due when, as the gradebook has them, or as it had when it was read."""
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            read: dict[str, Any] = json.loads(self._read.read_text("utf-8"))
            if read["gradebook"] == (self._classroom.gradebook_state() or "unknown") and "by_hand" in read:
                return read
        return self._read_book()

    def _read_book(self) -> dict[str, Any]:
        state = self._classroom.gradebook_state()  # before it is read: what is written meanwhile will show
        if not self._classroom.has_gradebook():
            return {"scores": {}, "due": {}, "by_hand": {}}
        with self._classroom.gradebook() as gradebook:
            found, due = grades(gradebook, self._chapter), deadlines(gradebook, self._chapter)
            late = late_students(gradebook, self._chapter)
        scores = {student: {cell: own for cell, (own, _) in cells.items()} for student, cells in found.items()}
        by_hand = {who: {cell: count for cell, (own, count) in found[who].items() if count != own} for who in late}
        book = {"gradebook": state, "scores": scores, "due": due, "by_hand": by_hand}
        write_whole(self._read, json.dumps(book))
        return book

    def _due(self, student: str) -> str:
        """When the chapter is due for the student; "" where it is never late."""
        due: dict[str, str] = self._book["due"]
        return due.get(student, due.get("", ""))

    def _by_hand(self, student: str) -> dict[str, float]:
        """The points, given by hand, that a penalty is a share of."""
        given: dict[str, dict[str, float]] = self._book["by_hand"]
        return given.get(student, {})

    @property
    def _read(self) -> Path:
        return self._folder.with_suffix(".json")

    @property
    def _unfinished(self) -> Path:
        return self._folder.with_suffix(".unfinished")

    def begin(self) -> None:
        """A run begins. Until it has ended well, verdicts may be kept of which nbgrader was not told."""
        self._open = self._unfinished.exists()
        self._unfinished.parent.mkdir(parents=True, exist_ok=True)
        self._unfinished.touch()

    def may_know(self, student: str) -> bool:
        """Whether a verdict on this student's work may be kept: some was judged before, or a run did not end well."""
        classroom, chapter = self._classroom, self._chapter
        return self._open or self._file(student).exists() or classroom.autograded(student, chapter).exists()

    def reread(self) -> None:
        """Dates in the gradebook may be others now."""
        vars(self).pop("_book", None)

    def close(self, well: bool) -> None:
        """Read the gradebook once more, so that the next run need not as long as nobody writes there.

        Args:
            well: nbgrader was told of every verdict.
        """
        self._read_book()
        if well:
            self._unfinished.unlink(missing_ok=True)

    def look(self, student: str) -> Seen:
        """What a student's submission is now."""
        whole = hashlib.sha256(student.encode("utf-8", "surrogateescape"))
        folder, found = self._classroom.submitted(student, self._chapter), {}
        for path in tree(folder).files:
            found[path] = _digest(path)
            name = path.relative_to(folder).as_posix().encode("utf-8", "surrogateescape")
            whole.update(hashlib.sha256(name).digest() + bytes.fromhex(found[path]))
        notebook, stamp = folder / self._classroom.notebook(self._chapter), folder / STAMP
        return Seen(whole.hexdigest(), found.get(notebook) or _digest(notebook), found.get(stamp) or _digest(stamp))

    def _submission(self, seen: Seen) -> str:
        """What a submission is, with all that its verdict depends on."""
        return hashlib.sha256(self._course + seen.handed_in.encode()).hexdigest()

    def why(self, student: str, seen: Seen) -> list[str]:
        """What has moved since nbgrader was told of the student's verdict, in words; nothing, if it never was."""
        try:
            told: dict[str, Any] = json.loads(self._file(student).read_text("utf-8"))
            about: dict[str, str] = told["about"]
            before: dict[str, object] = {**about, "due": told["due"], "by_hand": told.get("by_hand", {})}
        except (OSError, ValueError, KeyError, TypeError):
            return []
        now: dict[str, object] = {**self._about, "due": self._due(student), "by_hand": self._by_hand(student)}
        now["handed_in"] = seen.handed_in
        if "stamp" in told:  # then it can be said which of the files is another
            del before["handed_in"], now["handed_in"]
            before |= {"notebook": told["notebook"], "stamp": told["stamp"]}
            now |= {"notebook": seen.notebook, "stamp": seen.stamp}
        return [words for name, words in WHY.items() if name in now and before.get(name) != now[name]]

    def was_due(self, student: str) -> str | None:
        """When the chapter was due for the student as nbgrader was told of the verdict; None, if it never was."""
        try:
            due: object = json.loads(self._file(student).read_text("utf-8"))["due"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return due if isinstance(due, str) else None

    def settled(self, student: str) -> bool:
        """Whether the gradebook holds the verdict on the submission as it is."""
        try:
            told: dict[str, object] = json.loads(self._file(student).read_text("utf-8"))
            same = told["submission"] == self._submission(self.look(student))
            same = same and told["autograded"] == self._autograded(student)
            same = same and told["due"] == self._due(student) and told.get("by_hand", {}) == self._by_hand(student)
            return same and told["scores"] == self._book["scores"].get(student)
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def note(self, student: str, seen: Seen, scores: dict[str, float], by_hand: dict[str, float]) -> None:
        """Remember that nbgrader was told of the verdict on the submission as it was seen.

        Args:
            student: whose it is.
            seen: what it was.
            scores: graded cell → the grader's own points.
            by_hand: the points by hand that its penalty is a share of.
        """
        told: dict[str, Any] = {"submission": self._submission(seen), "scores": scores}
        told |= {"autograded": self._autograded(student)}
        told |= {"due": self._due(student), "by_hand": by_hand}
        told |= {"about": {**self._about, "handed_in": seen.handed_in}}
        told |= {"notebook": seen.notebook, "stamp": seen.stamp}
        write_whole(self._file(student), json.dumps(told))

    def forget(self, student: str) -> None:
        """Nothing that was told of this student counts any more, or stays; what was read of all is read again."""
        for path in (self._file(student), looked_file(self._classroom, student, self._chapter), self._read):
            with contextlib.suppress(OSError):
                path.unlink()

    def _autograded(self, student: str) -> list[int]:
        status = os.stat(self._classroom.autograded(student, self._chapter))
        return [status.st_mtime_ns, status.st_size]

    def _file(self, student: str) -> Path:
        return told_file(self._classroom, student, self._chapter)


def told_file(classroom: Classroom, student: str, chapter: int) -> Path:
    """Where it stands what nbgrader was told of a submission."""
    return _file_of("told", classroom, student, chapter)


def looked_file(classroom: Classroom, student: str, chapter: int) -> Path:
    """Where it stands what a report has found in an autograded notebook."""
    return _file_of("looked", classroom, student, chapter)


def _file_of(folder: str, classroom: Classroom, student: str, chapter: int) -> Path:
    # A digest, for a folder's name may be as long as a file's name can be.
    name = hashlib.sha256(student.encode("utf-8", "surrogateescape")).hexdigest()
    return classroom.folder / "verdicts" / folder / assignment(chapter) / f"{name}.json"


def is_new(classroom: Classroom, student: str, chapter: int) -> bool:
    """Whether the notebook that lies in `submitted/` is another than the one that was graded."""
    handed_in, graded = classroom.submitted(student, chapter) / classroom.notebook(chapter), None
    if not handed_in.is_file():
        return False
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        graded = json.loads(told_file(classroom, student, chapter).read_text("utf-8"))["notebook"]
    if graded:
        return bool(graded != _digest(handed_in))
    # An earlier version wrote no digest down. Its files' times tell, until they are copied; then, what was run.
    autograded = classroom.autograded(student, chapter)
    if not autograded.is_file():
        return True
    later = handed_in.stat().st_mtime > autograded.stat().st_mtime
    return later and _code(handed_in) != _code(autograded)


def _digest(path: Path) -> str:
    return hashlib.sha256(_content(path)).hexdigest()


def _code(path: Path) -> list[str] | None:
    """The sources of a student's own code cells; None of what is no notebook, or stands for one that was none."""
    try:
        notebook = json.loads(read(path, MOST_BYTES))
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        own = [cell for cell in cells if not cell["metadata"].get("nbgrader", {}).get("locked")]
        unread = "unreadable" in notebook["metadata"].get("minigrad", {})
        return None if unread else ["".join(cell["source"]) for cell in own]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _content(path: Path) -> bytes:
    """What a file holds; of one that cannot be read, which is its student's matter and nobody else's, why."""
    try:
        return read(path, MOST_BYTES) + str(path.stat().st_size).encode()
    except OSError as error:
        return f"cannot be read: {error.strerror}".encode()
