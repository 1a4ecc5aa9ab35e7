"""Which student has which number of the LMS's: of two of one name, who came first keeps the id in later zips."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from ..errors import CourseError
from ..publish.course import assignment
from ..run.verdicts import write_whole
from .classroom import Classroom
from .who import composed

FILE = "lms-numbers.json"
CANVAS = "canvas"


class Told(NamedTuple):
    """How an LMS tells a student in a zip.

    Attributes:
        where: what the number belongs to: Canvas's to a student, Moodle's to a student in one assignment (`chapter1`).
        name: the student's name.
        number: the student's number.
    """

    where: str
    name: str
    number: str


Ids = dict[Told, str]


def owner(chapter: int, canvas: bool) -> str:
    """What a number in a zip of this chapter belongs to."""
    return CANVAS if canvas else assignment(chapter)


def known(classroom: Classroom) -> Ids:
    """The ids that were given in this class; none in one that remembers nothing yet.

    Raises:
        CourseError: the file that says so cannot be read.
    """
    path = classroom.folder / FILE
    try:
        rows = json.loads(path.read_text("utf-8"))
        return {Told(*map(composed, map(str, told))): str(student) for *told, student in rows}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError) as error:
        raise CourseError(
            f"{path} cannot be read ({error}): put it back from a backup. Without it, two students of one name may be "
            "taken for one."
        ) from None


def namesakes(classroom: Classroom, student: str) -> list[str]:
    """The ids of others whom the LMS calls by the same name."""
    ids = known(classroom)
    names = {told.name for told, one in ids.items() if one == student}
    return sorted({one for told, one in ids.items() if told.name in names} - {student})


def remember(classroom: Classroom, ids: Ids) -> None:
    """Keep ids for later zips, beside those that are kept already."""
    before = known(classroom)
    if ids.items() - before.items():
        classroom.make_folder()
        _write(classroom, before | ids)


def forget(classroom: Classroom, student: str) -> None:
    """Keep nothing of the student who has this id."""
    before = known(classroom)
    if student in before.values():
        _write(classroom, {told: one for told, one in before.items() if one != student})


def _write(classroom: Classroom, ids: Ids) -> None:
    rows = sorted([*told, student] for told, student in ids.items())
    write_whole(classroom.folder / FILE, json.dumps(rows, indent=0) + "\n")


def ids_of(told: Collection[Told], known: Ids) -> Ids:
    """The id of each: the one they have; else the name, or where that could be somebody else's, with the number.

    Of a name that is bare and one with a number that are alike, the bare one gets its number.
    """
    ids = {one: known.get(one, one.name) for one in told}
    new, names = sorted(one for one in ids if one not in known), _names(known)
    while alike := _alike(new, ids, names):
        bare = [one for one in alike if ids[one] == one.name]
        for one in bare or alike[:1]:
            ids[one] += f"_{one.number}"
    return ids


def _names(known: Ids) -> dict[str, set[tuple[str, str]]]:
    """What no other student may have as an id -> whose it is: the ids that were given, and the names that have one."""
    names: dict[str, set[tuple[str, str]]] = {}
    for told, student in known.items():
        names.setdefault(student, set()).add((told.where, told.name))
        names.setdefault(told.name, set()).add((told.where, told.name))
    return names


def _alike(new: list[Told], ids: Ids, names: dict[str, set[tuple[str, str]]]) -> list[Told]:
    """Of the new ones, those whose id another has, or could have.

    In another assignment of Moodle's, the same name with another number is the same student, as far as anybody knows.
    """
    times = Counter(ids.values())
    others = {one: names.get(ids[one], set()) for one in new}
    return [
        one
        for one in new
        if times[ids[one]] > 1 or any(where == one.where or name != one.name for where, name in others[one])
    ]
