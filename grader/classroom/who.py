"""Which student is meant: ids are what the LMS wrote into its zip, and people write names."""

from __future__ import annotations

import contextlib
import csv
import re
from collections.abc import Iterator

from ..errors import CourseError
from .classroom import Classroom

FOLDERS = ("submitted", "autograded", "feedback", "earlier")  # each with a folder a student


def plain_name(name: str) -> str:
    """A name as Canvas writes it into a zip: small letters and digits alone."""
    return re.sub(r"[\W_]+", "", name.lower())


def find(classroom: Classroom, called: str) -> str:
    """The id in the class of the student who is called so: by id, name, e-mail address, or a number of the LMS's.

    Names may stand in any order. What the gradebook knows of students counts, and each LMS's file that was filled in.

    Raises:
        CourseError: nobody is called so, or several are.
    """
    known = students(classroom)
    if called in known:
        return called
    words = re.split(r"[\s,]+", called.strip())
    turned = {plain_name("".join(words[n:] + words[:n])) for n in range(len(words))} - {""}
    found = {student for student in known if plain_name(student) in turned}
    if not found:
        found = {student for student, names in _more(classroom, known) if called in names or turned & names}
    if len(found) == 1:
        return found.pop()
    if found:
        raise CourseError(f"{called} may be {' or '.join(sorted(found))}: name one of them.")
    raise CourseError(f"Nothing is known of {called} in {classroom.folder}: is it one of the ids in submitted/?")


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
            for line in csv.reader(file):
                named = {plain_name(cell) for cell in line} | {plain_name("".join(line[:2]))}
                if len(match := {ids[name] for name in named if name in ids}) == 1:
                    yield match.pop(), {cell.strip() for cell in line} - {""}
