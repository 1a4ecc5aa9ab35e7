"""Which student is meant: ids are what the LMS wrote into its zip, and people write names."""

from __future__ import annotations

import contextlib
import csv
import re
import unicodedata
from collections.abc import Iterator

from ..errors import CourseError
from .classroom import Classroom
from .names import shown_as

# What the columns are called in which a student is named, in Canvas's export and in Moodle's.
NAMES = ("Student", "SIS Login ID", "SIS User ID", "ID", "Username", "Email address", "ID number")
FULL = (("First name", "Surname"), ("First name", "Last name"), ("Vorname", "Nachname"))
FOLDERS = ("submitted", "autograded", "feedback", "earlier")  # each with a folder a student


class Nobody(CourseError):
    """Nobody in the class is called so."""


def plain_name(name: str) -> str:
    """A name as Canvas writes it into a zip: small letters and digits alone, with what stands over or below them."""
    return "".join(letter for letter in composed(composed(name).lower()) if _tells(letter))


def _tells(letter: str) -> bool:
    """Whether a letter tells a name from others; not every one with a mark on it is a letter of its own."""
    return letter.isalnum() or unicodedata.category(letter).startswith("M")


def composed(name: str) -> str:
    """A name in the one of Unicode's spellings that is compared: `é` as one letter, of which a Mac makes two."""
    return unicodedata.normalize("NFC", name)


def turned(name: str) -> set[str]:
    """A name as `plain_name` writes it, its words in any order that begins elsewhere: Bo Li, and Li, Bo."""
    words = re.split(r"[\s,]+", name.strip())
    return {plain_name("".join(words[n:] + words[:n])) for n in range(len(words))} - {""}


def find(classroom: Classroom, called: str) -> str:
    """The id in the class of the student who is called so: by id, name, e-mail address, or a number of the LMS's.

    Names may stand in any order. What the gradebook knows of students counts, and each LMS's file that was filled in;
    in an anonymous class, the drawn names do, too.

    Raises:
        Nobody: nobody is called so.
        CourseError: several are.
    """
    known = students(classroom)
    if called in known:
        return called
    named = shown_as(classroom.folder)
    if drawn := {named(student): student for student in known}.get(called):
        return drawn
    ways = turned(called)
    found = {student for student in known if plain_name(student) in ways}
    if not found:
        found = {student for student, names in _more(classroom, known) if composed(called) in names or ways & names}
    if len(found) == 1:
        return found.pop()
    if found:
        raise CourseError(f"{called} may be {' or '.join(sorted(found))}: name one of them.")
    raise Nobody(f"Nothing is known of {called} in {classroom.folder}: is it one of the ids in submitted/?")


def exactly(classroom: Classroom, student: str) -> str:
    """The id that was given, if it is one of the class: for what asks nobody before it deletes.

    Raises:
        CourseError: it is none; the sentence says whom it may mean.
    """
    if student in students(classroom):
        return student
    meant = find(classroom, student)
    raise CourseError(f"{student} is no id of this class and may mean {meant}: give that id, or leave out --yes.")


def students(classroom: Classroom) -> set[str]:
    """The ids of all of whom the class's folders or its gradebook know something."""
    known = {path.name for folder in FOLDERS for path in (classroom.folder / folder).glob("*")}
    if classroom.has_gradebook():
        with classroom.gradebook() as gradebook:
            known |= {student.id for student in gradebook.students}
    return known


def _more(classroom: Classroom, known: set[str]) -> Iterator[tuple[str, set[str]]]:
    """Student → further names: those that the gradebook has, and those of a line of an LMS's file that names them."""
    if classroom.has_gradebook():
        with classroom.gradebook() as gradebook:
            for one in gradebook.students:
                name = plain_name(f"{one.first_name or ''}{one.last_name or ''}")
                yield one.id, {name, one.email or "", one.lms_user_id or ""} - {""}
    ids = {plain_name(student): student for student in known}
    for path in classroom.folder.glob("*-filled.csv"):
        with contextlib.suppress(OSError, UnicodeDecodeError, csv.Error), path.open(encoding="utf-8-sig") as file:
            for line in csv.DictReader(file):
                names = names_in(line)
                if len(match := {ids[plain_name(name)] for name in names if plain_name(name) in ids}) == 1:
                    yield match.pop(), names


def names_in(line: dict[str, str]) -> set[str]:
    """All that the student of a line of Canvas's or Moodle's file may be called: ids, and what stands in a zip."""
    return ids_in(line) | full_names(line)


def ids_in(line: dict[str, str]) -> set[str]:
    """What the columns of ids say of the line's student; a login or an address may be the student's own choice."""
    return {composed(line[column]).strip() for column in NAMES[1:] if (line.get(column) or "").strip()}


def full_names(line: dict[str, str]) -> set[str]:
    """The name of the line's student, also as it stands in a zip, and with the number that may follow it there."""
    pairs = [(line[first], line.get(key, "")) for first, key in FULL if first in line]
    full = {composed(f"{first} {last}").strip() for first, last in pairs if last}
    squashed = {plain_name(name) for name in (line.get("Student") or "", *full) if name.strip()}
    number = (line.get("ID") or "").strip()
    own = {composed(line.get("Student") or "").strip()} - {""}
    return own | full | squashed | {f"{name}_{number}" for name in squashed if number}
