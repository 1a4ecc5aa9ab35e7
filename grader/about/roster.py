"""The LMS's own file, filled in: Canvas's gradebook export or Moodle's grades, with a chapter's points in it.

What stands in the file stays as it is, but for the column of the chapter: the LMS finds its students, and its
assignment, again.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..classroom.numbers import CANVAS, Ids
from ..classroom.who import FULL, NAMES, composed, full_names, ids_in, plain_name, turned
from ..errors import CourseError
from ..publish.course import assignment, release_notebook
from .report import YET, Row, total


@dataclass(frozen=True)
class Filled:
    """The file, and what a person should know of it.

    Attributes:
        text: the file's text.
        column: the column that was filled.
        students: how many got points.
        said: sentences: who is not in the file, or is there twice, and points that differ.
    """

    text: str
    column: str
    students: int
    said: list[str]


def fill(
    path: Path, rows: list[Row], column: str = "", per_exercise: bool = False, numbers: Ids | None = None
) -> Filled:
    """Fill in a chapter's points.

    Args:
        path: the LMS's file.
        rows: the chapter's.
        column: the heading of the column to fill; the one that names the chapter if "".
        per_exercise: a further column for each exercise, and one for what lateness takes off, if it does.
        numbers: whom the LMS told by which number when it made the class's zips; see `numbers.known`.

    Raises:
        CourseError: it cannot be read, is no such file, or it is not clear which column is the chapter's.
    """
    text, table, comma = _read(path)
    head = table[0]
    place = _column(head, rows[0].chapter, column, path)
    own: dict[str, list[Row]] = {}
    for row in rows:
        own.setdefault(row.student, []).append(row)
    waiting = sorted(student for student, found in own.items() if any(row.state == YET for row in found))
    own = {student: found for student, found in own.items() if student not in waiting}
    named, said = _matches(head, table[1:], own, numbers or {})
    said += [f"{student} is {YET}: the file keeps what it has." for student in waiting]
    names = [f"{assignment(rows[0].chapter)} {exercise}" for exercise in dict.fromkeys(row.exercise for row in rows)]
    late = any(found[0].penalty for found in own.values())
    names += [f"{assignment(rows[0].chapter)} lateness"] * late
    for number, line in enumerate(table):
        line += [""] * (len(head) - len(line))
        found = own.get(named.get(number - 1, ""), [])
        if found:
            line[place] = f"{total(found):g}"
        if per_exercise and number:
            scores = [f"{row.score:g}" for row in found]
            line += [*scores, *([f"{0 - found[0].penalty:g}"] * late)] if found else [""] * len(names)
    if per_exercise:
        head += names
    said += _possible(table, place, rows)
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=comma, lineterminator="\r\n" if "\r\n" in text else "\n").writerows(table)
    return Filled(("\ufeff" if text.startswith("\ufeff") else "") + out.getvalue(), head[place], len(named), said)


def _read(path: Path) -> tuple[str, list[list[str]], str]:
    """The file's text, its table, and what parts the columns."""
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{path} cannot be read ({error}): export it from the LMS as CSV in UTF-8.") from None
    first = text.lstrip("\ufeff").split("\n", 1)[0]
    comma = max(",;\t", key=first.count)
    table = [line for line in csv.reader(io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter=comma) if line]
    if len(table) < 2 or not ({*NAMES} | {one for pair in FULL for one in pair}) & {*table[0]}:
        raise CourseError(
            f"{path} names no students: export the gradebook from Canvas (Grades, Export), or the grades from Moodle "
            "(Export, plain text file)."
        )
    return text, table, comma


def _column(head: list[str], chapter: int, wanted: str, path: Path) -> int:
    """The place of the column to fill."""
    if wanted:
        if wanted not in head:
            raise CourseError(f"{path} has no column {wanted!r}; it has {', '.join(head)}.")
        return head.index(wanted)
    title = release_notebook(chapter).cells[0].source.splitlines()[0].lstrip("# ")
    names = rf"chapter\W*{chapter}(?!\d)|{re.escape(title)}"
    found = [place for place, name in enumerate(head) if re.search(names, name, re.IGNORECASE)]
    found = [place for place in found if "feedback" not in head[place].lower()]
    if len(found) != 1:
        several = " or ".join(repr(head[place]) for place in found) or "none"
        raise CourseError(
            f"It is not clear which column of {path} is chapter {chapter}'s ({several}): name it by --column."
        )
    return found[0]


def _matches(
    head: list[str], lines: list[list[str]], own: Iterable[str], numbers: Ids
) -> tuple[dict[int, str], list[str]]:
    """Line → student, and a sentence on each student who is in no line, or in several, or in one with another.

    A line that two students claim is nobody's: one of them may have taken the other's name. Canvas's number of a
    student is in its zips and in its file, and tells more than any name; Moodle's are in its zips alone, and tell there
    that a name is two students'.
    """
    ids: dict[str, set[int]] = {}
    names: dict[str, set[int]] = {}
    by_number: dict[str, int] = {}
    for number, line in enumerate(lines):
        known = dict(zip(head, line, strict=False))
        if number_of_line := (known.get("ID") or "").strip():
            by_number[number_of_line] = number
        for called, words in (ids, ids_in(known)), (names, full_names(known)):
            for word in words:
                called.setdefault(word, set()).add(number)
    claims: dict[int, list[str]] = {}
    twice = _namesakes(numbers)
    found = {student: set() if student in twice else _lines(student, ids, names) for student in own}
    canvas = {student: told.number for told, student in numbers.items() if told.where == CANVAS}
    found |= {student: {by_number[canvas[student]]} for student in found if canvas.get(student) in by_number}
    for student, lines_of in found.items():
        for place in lines_of:
            claims.setdefault(place, []).append(student)
    where = {student: "in several lines" if lines_of else "in no line" for student, lines_of in found.items()}
    said = [f"{s} is {where[s]} of the file: fill it in by hand." for s in found if len(found[s]) != 1]
    alone = {student for student, lines_of in found.items() if len(lines_of) == 1}
    several = [students for students in claims.values() if students[1:] and alone & {*students}]
    said += [f"{' and '.join(students)} are the same line of the file: fill it in by hand." for students in several]
    return {line: who for line, (who, *others) in claims.items() if not others and who in alone}, said


def _namesakes(numbers: Ids) -> set[str]:
    """Those whose name the LMS gave to another number, too."""
    called: dict[str, set[str]] = {}
    for told, student in numbers.items():
        called.setdefault(told.name, set()).add(student)
    return {student for students in called.values() if len(students) > 1 for student in students}


def _lines(student: str, ids: dict[str, set[int]], names: dict[str, set[int]]) -> set[int]:
    """The lines that may be the student's.

    One that an id alone tells is not taken against another that the name tells; and who has a name with a space for an
    id, as in Moodle's zips, is nobody whose login was chosen to be that name. Nor is a name with a number, which a
    collected zip's two students of one name have, the name of somebody else who is called so.
    """
    if " " in student and re.search(r"_\d+$", student):
        return set()
    student, plain = composed(student), plain_name(student)
    named = names.get(student, set()) or names.get(plain, set())
    told = set() if " " in student else ids.get(student, set()) or ids.get(plain, set())
    if told and not named:
        named = {line for name in turned(student) for line in names.get(name, ())}
    return told | named


def _possible(table: list[list[str]], place: int, rows: list[Row]) -> list[str]:
    """A sentence, if Canvas counts another number of points as all."""
    ours = sum(row.max_score for row in rows if row.student == rows[0].student)
    theirs = [line[place].strip() for line in table[1:3] if "points possible" in line[0].lower()]
    if not theirs or not theirs[0] or float(theirs[0] if theirs[0].replace(".", "", 1).isdigit() else ours) == ours:
        return []
    return [
        f"The LMS counts {theirs[0]} points as all of {table[0][place]!r}; the chapter has {ours:g}: change it there."
    ]
