"""The class's report as a page: who needs help, which exercises were hard, which mistakes are common.

It loads nothing from anywhere, and opens from disk; students' names link to their feedback pages, where there are some.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ..chapters import exercises
from ..classroom.classroom import Classroom
from ..classroom.words import counted, how_late
from ..publish.course import release_notebook
from ..verdict.box import SIGNS, shown
from ..verdict.render import plain
from .items import FEWEST, items
from .report import Common, Row, states, summary, total
from .weeks import Week

TEMPLATES = Path(__file__).with_name("templates")
PARSERS = re.compile(r" [(].*[)]$", re.DOTALL)  # the words that a parser has for a file that is none


@dataclass(frozen=True)
class Cell:
    """One exercise of one student in the table: its heading, how it went, the points, and what was found."""

    title: str
    state: str
    points: str
    said: str

    @property
    def sign(self) -> str:
        """What stands for the state."""
        return SIGNS[self.state][0]


@dataclass(frozen=True)
class Line:
    """A student in the table: their name, where their page is, their points, how many there are, and what is off.

    Where nothing of a submission could be graded, `why` says why, and there are no points.
    """

    name: str
    page: str
    points: str
    most: str
    late: str
    cells: list[Cell]
    why: str = ""

    @property
    def right(self) -> int:
        """How many exercises are right."""
        return sum(cell.state == "right" for cell in self.cells)

    @property
    def in_part(self) -> bool:
        """Whether something of it could not be graded."""
        return any(cell.state == "open" for cell in self.cells)

    @property
    def finished(self) -> bool:
        """Whether there is nothing to look at: every exercise is right, and nothing was late."""
        return not self.why and not self.late and self.right == len(self.cells)


def write(
    path: Path,
    classroom: Classroom,
    rows: list[Row],
    common: list[Common],
    weeks: list[Week],
    named: Callable[[str], str] = str,
) -> Path:
    """Write the page of one chapter.

    Args:
        path: the file, in the class's folder.
        classroom: the class.
        rows: those of the chapter.
        common: its misconceptions, the most common first.
        weeks: in which week each of them was handed in.
        named: what a student is called; who is called by another name than their own has no link to their page.
    """
    chapter, asked = rows[0].chapter, {row.exercise for row in rows}
    counted = [exercise for exercise in exercises(chapter) if exercise.name in asked]
    own: dict[str, list[Row]] = {}
    for row in rows:
        own.setdefault(row.student, []).append(row)
    titles = {exercise.name: exercise.title for exercise in counted}
    worth = {row.exercise: row.max_score for row in rows}
    lines = [_line(classroom, each, named, titles) for each in sorted(own.values(), key=_place)]
    found = items(rows)
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)
    text = environment.get_template("report/class.html.j2").render(
        title=release_notebook(chapter).cells[0].source.splitlines()[0].lstrip("# "),
        style=(TEMPLATES / "feedback-page" / "page.css").read_text("utf-8"),
        summary=summary(rows),
        titles=[(title, f"{worth[name]:g}") for name, title in titles.items()],
        signs=SIGNS.items(),
        lines=[line for line in lines if not line.finished],
        finished=[line for line in lines if line.finished],
        items=list(zip(found, counted, strict=True)),
        apart=any(item.discrimination is not None for item in found),
        fewest=FEWEST,
        common=[_found(classroom, one, chapter, named) for one in common if one.students > 1],
        single=[_found(classroom, one, chapter, named) for one in common if one.students == 1],
        most=max((one.students for one in common), default=0),
        differ=len({one.students for one in common if one.students > 1}) > 1,
        weeks=list(dict.fromkeys((one.week, one.handed_in) for one in weeks)),
        found={(one.misconception, one.week): one.students for one in weeks},
        students=len(own),
    )
    path.write_text(text, "utf-8")
    return path


def _line(classroom: Classroom, rows: list[Row], named: Callable[[str], str], titles: dict[str, str]) -> Line:
    most = sum(row.max_score for row in rows)
    name, link = _linked(classroom, rows[0].student, rows[0].chapter, named)
    how = states(classroom, rows[0].student, rows[0].chapter)
    cells = [_cell(row, titles[row.exercise], how[row.exercise]) for row in rows]
    late = f"{counted(rows[0].penalty, 'point')} less: late by {how_late(rows[0].seconds_late)}"
    said = {row.diagnosis for row in rows}
    why = plain(PARSERS.sub("", said.pop()), 300) if len(said) == 1 and not _graded(rows) else ""
    return Line(name, link, f"{total(rows):g}", f"{most:g}", late if rows[0].penalty else "", cells, why)


def _graded(rows: list[Row]) -> bool:
    """Whether anything of a student's was graded."""
    return any(row.state == "graded" for row in rows)


def _place(rows: list[Row]) -> tuple[bool, float]:
    """Where a student stands: the fewest points first, and last those of whom nothing was graded."""
    return not _graded(rows), total(rows)


def _linked(classroom: Classroom, student: str, chapter: int, named: Callable[[str], str]) -> tuple[str, str]:
    name = named(student)
    return plain(name, 60), _page(classroom, student, chapter) if name == student else ""


def _found(
    classroom: Classroom, one: Common, chapter: int, named: Callable[[str], str]
) -> tuple[Common, Markup, list[tuple[str, str]]]:
    """A mistake, its sentence with code as code, and in whose work it was found."""
    return one, Markup(shown(one.advice)), sorted(_linked(classroom, who, chapter, named) for who in one.who)


def _cell(row: Row, title: str, how: str) -> Cell:
    said = plain(row.diagnosis, 300)
    if row.state != "graded":
        return Cell(title, "open", "", said)
    if row.score >= row.max_score and how != "waits":  # points given by hand, too
        how = "right"
    return Cell(title, how if how != "open" else "wrong", f"{row.score:g}", said)


def _page(classroom: Classroom, student: str, chapter: int) -> str:
    """A student's feedback page as a link; "" where there is none."""
    path = classroom.feedback(student, chapter)
    return quote(path.relative_to(classroom.folder).as_posix(), errors="surrogateescape") if path.is_file() else ""
