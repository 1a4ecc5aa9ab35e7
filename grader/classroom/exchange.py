"""`nbgrader collect`, from an exchange that every student writes into: each folder is its student's matter alone."""

from __future__ import annotations

import logging
import stat
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from nbgrader.exchange.default import ExchangeCollect

from ..run.folders import copy, first_odd, last_change, tree, what
from ..verdict.inert import CONTROL, one_line
from .classroom import name_problem, time_in, unread_time
from .collect import STAMP

if sys.platform != "win32":  # where nbgrader has no exchange, and nobody an account of this kind
    import pwd

SLACK = timedelta(minutes=1)  # between the time in a folder's name and its last change: nbgrader copies in between
NOBODY = {"username": "", "filename": "", "timestamp": datetime.min}  # the record of what is not collected


class Left(Exception):
    """Why a folder stays in the exchange, and what to do."""

    def __init__(self, why: str, then: str = "ask its student to hand in again") -> None:
        super().__init__(f"{why}: {then}")


def escaped(text: str) -> str:
    """The text with escapes in the place of what would command a terminal."""
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def _escape(record: logging.LogRecord) -> bool:
    """A filter for a log: every line goes through, `escaped`."""
    record.msg, record.args = escaped(record.getMessage()), ()
    return True


class Collect(ExchangeCollect):
    """nbgrader's own, which sees only what is fit to be collected, and copies what nobody else can change meanwhile."""

    src_records: list[dict[str, Any]]

    def start(self) -> None:
        """Collect; what students named says nothing to a terminal."""
        self.log.addFilter(_escape)
        try:
            super().start()
        finally:
            self.log.removeFilter(_escape)

    def init_src(self) -> None:
        """Find what is to be collected."""
        super().init_src()
        self.src_records = [record for record in self.src_records if record["username"]]

    def _path_to_record(self, path: str) -> dict[str, Any]:
        """nbgrader's record of a folder, with a time that is believed; or nobody's, and a sentence."""
        try:
            return self._record(Path(path))
        except Exception as error:
            self._leave(Path(path).name, error)
            return NOBODY

    def _record(self, folder: Path) -> dict[str, Any]:
        """The record of a folder that is fit to be collected.

        Raises:
            Left: it is not.
        """
        self._look(folder)
        try:
            record: dict[str, Any] = super()._path_to_record(str(folder))
        except Exception:  # dateutil's and others
            raise Left("its name has no time that nbgrader can read") from None
        if problem := name_problem(record["username"]):
            why, _, then = problem.partition(": ")
            raise Left(why, then)
        changed = last_change(folder)
        told, lasting = record["timestamp"], datetime.fromtimestamp(changed, UTC).replace(tzinfo=None)
        said = self._owner(folder, record["username"])
        if not lasting - SLACK <= told <= datetime.now(UTC).replace(tzinfo=None):
            record["timestamp"] = lasting
            said.append(
                f"its name says {told} UTC, but it was last changed at {lasting} UTC: that counts as the time of the "
                "hand-in"
            )
        return {**record, "changed": changed, "said": said}

    def _look(self, folder: Path) -> None:
        """Look at what a folder holds.

        Raises:
            Left: something that is not copied, or too much.
        """
        if not stat.S_ISDIR(folder.lstat().st_mode):
            raise Left("it is no folder, and no link is followed")
        if odd := first_odd(folder):
            raise Left(f"{odd.name} is {what(odd)}, which is not followed")
        sizes = [path.lstat().st_size for path in tree(folder).files]
        if sum(sizes) > self._most or max(sizes, default=0) > (1000 * self.coursedir.max_file_size or self._most):
            raise Left("it is too large (CourseDirectory.max_dir_size and max_file_size say what may be)")

    @property
    def _most(self) -> int:
        """Bytes that a folder may hold."""
        most: int = 1000 * self.coursedir.max_dir_size
        return most

    def _owner(self, folder: Path, student: str) -> list[str]:
        """Compare a folder's owner with the account it names; a sentence if there is no such account.

        Raises:
            Left: it is another's.
        """
        if not self.check_owner:
            return []
        try:
            named = pwd.getpwnam(student).pw_uid
        except KeyError:
            return ["this machine has no account of that name, so nothing says whose it is"]
        if (owner := folder.lstat().st_uid) != named:
            raise Left(f"it claims to be {student}'s, and belongs to {_account(owner)}")
        return []

    def copy_files(self) -> None:
        """Collect one submission after another; what goes wrong with one is its own matter."""
        records, inbound = self.src_records, Path(self.inbound_path)
        self.check_owner = False  # `_owner` has; what nbgrader would look at is our copy
        if not records:
            super().copy_files()
        for record in records:
            try:
                self._collect(record, inbound / record["filename"])
            except Exception as error:
                self._leave(record["filename"], error)

    def _collect(self, record: dict[str, Any], folder: Path) -> None:
        """Let nbgrader collect a copy of the folder, in which timestamp.txt has the time that is believed.

        Raises:
            Left: it is not what it was a moment ago, or nothing says whether it is newer than what is there.
        """
        places, student = self.coursedir, record["username"]
        there = Path(places.format_path(places.submitted_directory, student, places.assignment_id))
        if problem := unread_time(there / STAMP):
            why, _, then = problem.rpartition(": ")
            raise Left(why, then)
        with tempfile.TemporaryDirectory() as own:
            place = Path(own) / folder.name
            if copy(folder, place, self._most) != record["changed"]:
                raise Left("it was changed while it was collected", "collect again")
            said = [*record["said"], *_other_time(place / STAMP, record["timestamp"])]
            for sentence in said:
                self.log.warning("%s: %s.", one_line(escaped(folder.name)), one_line(escaped(sentence)))
            (place / STAMP).write_text(f"{record['timestamp']} UTC\n", "utf-8")
            self.inbound_path, self.src_records = own, [record]
            super().copy_files()

    def _leave(self, name: str, error: Exception) -> None:
        """Say why a folder is not collected."""
        left = error if isinstance(error, Left) else Left(f"it cannot be copied ({type(error).__name__}: {error})")
        text = f"{name} is not collected and stays in the exchange, because {left}"
        self.log.warning("%s.", one_line(escaped(text)))


def _account(uid: int) -> str:
    """What an account is called."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"the unknown account {uid}"


def _other_time(stamp: Path, counts: datetime) -> list[str]:
    """A sentence if a student's timestamp.txt has another time than the one that counts."""
    text = "" if unread_time(stamp) or not stamp.is_file() else stamp.read_text("utf-8").strip()
    told = time_in(text) if text else counts
    other = abs(told - counts) > SLACK
    return [f"its {STAMP} says {told} UTC, and {counts} UTC counts"] if other else []
