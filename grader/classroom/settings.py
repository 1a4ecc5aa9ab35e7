"""How a class is graded, as its `course.toml` says. All of it may be left out:

follow_through = true             # each part is judged with minigrad's own definitions in the place of those that are
                                  # wrong; false: what fails on the student's own engine gets nothing
chapters = [1, 2, 3]              # those that count; all of them, if nothing is said
anonymous = false                 # true: reports call students by names that are drawn

[points.chapter1]                 # what an exercise is worth, where not as in the course; 0 leaves it out
mul = 4
paths = 0

[due]                             # when a chapter is due; UTC, if nothing else is said
chapter1 = 2026-11-30T18:00:00Z
chapter2 = "2026-12-07 18:00 UTC"

[extensions.chapter1]             # for whom it is due later
ada = 2026-12-02T18:00:00Z

[more_time]                       # who has so many hours more in every chapter
bo = 48

[late]                            # what lateness costs; nothing without this table
per_day = 0.1                     # of the points, for each day that has begun
most = 0.5                        # and no more than that
grace_minutes = 15                # so much later is not late
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import ceil
from pathlib import Path
from typing import Any

from ..chapters import CHAPTERS
from ..errors import CourseError
from .words import counted

FILE = "course.toml"


@dataclass(frozen=True)
class Late:
    """What lateness costs.

    Attributes:
        per_day: share of the points that each day costs, from its first second on.
        most: the largest share that it costs.
        grace_minutes: lateness that costs nothing.
    """

    per_day: float = 0.0
    most: float = 1.0
    grace_minutes: float = 0.0

    def share(self, seconds: float) -> float:
        """The share of the points that so many seconds cost, 0 to 1."""
        if seconds <= 60 * self.grace_minutes:
            return 0.0
        return min(self.most, self.per_day * ceil(seconds / timedelta(days=1).total_seconds()))

    def __str__(self) -> str:
        most = f", at most {self.most:.0%}" if self.most < 1 else ""
        grace = f"; {counted(self.grace_minutes, 'minute')} late is not late" if self.grace_minutes else ""
        return f"{self.per_day:.0%} of the points for each day that has begun{most}{grace}"


@dataclass(frozen=True)
class Settings:
    """A class's settings; times are in UTC, without a zone, as nbgrader keeps them.

    Attributes:
        follow_through: whether a part that is right keeps its points where another, on which it runs, is wrong.
        chapters: those that count.
        anonymous: whether reports call students by names that are drawn.
        points: chapter → exercise → what it is worth, where not as in the course; 0 for one that is left out.
        due: chapter → when it is due.
        extensions: chapter → student → when it is due for them.
        more_time: student → how much later every chapter is due for them.
        late: what lateness costs; None where nbgrader's own settings say it.
    """

    follow_through: bool = True
    chapters: tuple[int, ...] = tuple(CHAPTERS)
    anonymous: bool = False
    points: dict[int, dict[str, float]] = field(default_factory=dict)
    due: dict[int, datetime] = field(default_factory=dict)
    extensions: dict[int, dict[str, datetime]] = field(default_factory=dict)
    more_time: dict[str, timedelta] = field(default_factory=dict)
    late: Late | None = None

    def has_dates(self, chapter: int) -> bool:
        """Whether the file says anything of when the chapter is due."""
        return bool(chapter in self.due or self.extensions.get(chapter) or self.more_time)

    def extension(self, chapter: int, student: str, due: datetime) -> timedelta | None:
        """How much later than for the others the chapter is due for a student, if it is."""
        until = self.extensions.get(chapter, {}).get(student)
        more = until - due if until else self.more_time.get(student, timedelta())
        return more if more > timedelta() else None


def read_settings(folder: Path) -> Settings:
    """The settings of the class in this folder; the usual ones where it has no `course.toml`.

    Raises:
        CourseError: the file is no TOML, or sets what is not there, or to what it cannot be.
    """
    path = folder / FILE
    try:
        text = path.read_text("utf-8-sig")
        found = tomllib.loads(text)
    except FileNotFoundError:
        return Settings()
    except (OSError, ValueError, RecursionError) as error:
        raise CourseError(f"{path} cannot be read: {str(error).rstrip('.')}.") from None
    try:
        return _settings(found)
    except _Wrong as wrong:
        raise CourseError(f"{path}, line {line_of(text, *wrong.keys)}: {wrong}.") from None


class _Wrong(Exception):
    """A setting that cannot be; `keys` lead to it."""

    def __init__(self, words: str, *keys: str) -> None:
        super().__init__(words)
        self.keys = keys


def line_of(text: str, *keys: str) -> int:
    """The number of the line of a TOML file in which a setting stands, as far as it can be found."""
    lines, at = text.splitlines(), 0
    for depth, key in enumerate(keys):
        dotted = r"\s*\.\s*".join(map(_name, keys[: depth + 1]))
        header = re.compile(rf"\s*\[\s*{dotted}\s*\]")
        setting = re.compile(rf"\s*{_name(key)}\s*[.=]")
        at = next((n for n in range(at, len(lines)) if header.match(lines[n]) or setting.match(lines[n])), at)
    return at + 1


def _name(key: str) -> str:
    return rf"[\"']?{re.escape(key)}[\"']?"


def _settings(found: dict[str, Any]) -> Settings:
    known: dict[str, Callable[[Any], Any]] = {
        "follow_through": lambda value: _is(value, bool, "true or false", "follow_through"),
        "chapters": _counting,
        "anonymous": lambda value: _is(value, bool, "true or false", "anonymous"),
        "points": lambda table: _by_chapter(table, "points", _points),
        "due": lambda table: _by_chapter(table, "due", lambda value, *keys: _time(value, *keys)),
        "extensions": lambda table: _by_chapter(table, "extensions", _times),
        "more_time": lambda table: {
            student: timedelta(hours=_number(hours, 0, 10_000, "a number of hours", "more_time", student))
            for student, hours in _table(table, "more_time").items()
        },
        "late": _late,
    }
    for name in found:
        if name not in known:
            raise _Wrong(f"there is no setting {name}; there is {', '.join(known)}", name)
    return Settings(**{name: known[name](value) for name, value in found.items()})


def _counting(value: Any) -> tuple[int, ...]:
    words = f"chapters is a list of chapters, such as [1, 2, 3], of {min(CHAPTERS)} to {max(CHAPTERS)}"
    if not isinstance(value, list) or not value or not all(type(one) is int and one in CHAPTERS for one in value):
        raise _Wrong(f"{words}, and not {value!r}", "chapters")
    return tuple(sorted(set(value)))


def _points(table: Any, *keys: str) -> dict[str, float]:
    known = [exercise.name for exercise in CHAPTERS[int(keys[-1].removeprefix("chapter"))]]
    for name in _table(table, *keys):
        if name not in known:
            raise _Wrong(f"there is no exercise {name} in {keys[-1]}; there is {', '.join(known)}", *keys, name)
    return {name: _number(value, 0, 1000, "a number of points", *keys, name) for name, value in table.items()}


def _late(table: Any) -> Late:
    shares = {"per_day": (1.0, "a share of the points, 0 to 1"), "most": (1.0, "a share of the points, 0 to 1")}
    known = {**shares, "grace_minutes": (100_000.0, "a number of minutes")}
    for name in _table(table, "late"):
        if name not in known:
            raise _Wrong(f"there is no setting {name} in [late]; there is {', '.join(known)}", "late", name)
    return Late(**{name: _number(value, 0, *known[name], "late", name) for name, value in table.items()})


def _by_chapter(table: Any, key: str, read: Callable[..., Any]) -> dict[int, Any]:
    """Chapter → what is said of it in a table whose keys are chapters."""
    chapters = {f"chapter{number}": number for number in CHAPTERS}
    for name in _table(table, key):
        if name not in chapters:
            raise _Wrong(f"there is no {name}; chapters are called chapter0 to chapter{max(CHAPTERS)}", key, name)
    return {chapters[name]: read(value, key, name) for name, value in table.items()}


def _times(table: Any, *keys: str) -> dict[str, datetime]:
    return {student: _time(value, *keys, student) for student, value in _table(table, *keys).items()}


def _time(value: Any, *keys: str) -> datetime:
    try:
        when = value if isinstance(value, datetime) else datetime.fromisoformat(value.removesuffix(" UTC").strip())
        if not 1 < when.year < 9990:  # there is no room for a zone, or for more time
            raise ValueError
        return when.astimezone(UTC).replace(tzinfo=None) if when.tzinfo else when
    except (ValueError, AttributeError):
        words = f'{keys[-1]} is a time, such as 2026-11-30T18:00:00Z or "2026-11-30 18:00 UTC", and not {value!s}'
        raise _Wrong(words, *keys) from None


def _table(value: Any, *keys: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Wrong(f"{keys[-1]} is a table, [{'.'.join(keys)}], and not {value!r}", *keys)
    return value


def _number(value: Any, least: float, most: float, words: str, *keys: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise _Wrong(f"{keys[-1]} is {words}, and not {value!r}", *keys)
    return float(value)


def _is(value: Any, kind: type, words: str, *keys: str) -> Any:
    if type(value) is not kind:
        raise _Wrong(f"{keys[-1]} is {words}, and not {value!r}", *keys)
    return value


def extend(folder: Path, chapter: int, student: str, until: str) -> datetime:
    """Write into `course.toml` that a chapter is due later for a student, and return when, in UTC.

    Raises:
        CourseError: that is no time, or the file cannot be read or written.
    """
    try:
        when = _time(until, "--until")
    except _Wrong as wrong:
        raise CourseError(f"{wrong}.") from None
    path, header = folder / FILE, f"[extensions.chapter{chapter}]"
    key = (
        student
        if re.fullmatch(r"[\w-]+", student, re.ASCII)
        else '"' + student.replace("\\", r"\\").replace('"', r"\"") + '"'
    )
    setting = f"{key} = {when:%Y-%m-%dT%H:%M:%SZ}"
    had = student in read_settings(folder).extensions.get(chapter, {})
    lines = path.read_text("utf-8-sig").splitlines() if path.is_file() else []
    if had:
        lines[line_of("\n".join(lines), "extensions", f"chapter{chapter}", student) - 1] = setting
    elif header in lines:
        lines.insert(lines.index(header) + 1, setting)
    else:
        lines += [*([""] if lines else []), header, setting]
    text = "\n".join(lines) + "\n"
    _written(path, text, chapter, student, when)
    return when


def _written(path: Path, text: str, chapter: int, student: str, when: datetime) -> None:
    """Write the file, if it then says what it is to say.

    Raises:
        CourseError: it is written in a way that is to be changed by hand.
    """
    try:
        text.encode("utf-8")
        said = _settings(tomllib.loads(text)).extensions[chapter][student] == when
    except (ValueError, KeyError, _Wrong):
        said = False
    if not said:
        line = f"{student} = {when:%Y-%m-%dT%H:%M:%SZ}"
        raise CourseError(f"{path} is written in another way: add `{line}` to [extensions.chapter{chapter}] yourself.")
    path.write_text(text, "utf-8")
