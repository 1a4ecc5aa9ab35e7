"""The class's report as a page: who needs help, which exercises were hard, which mistakes are common.

It loads nothing from anywhere, and opens from disk; students' names link to their feedback pages, where there are some.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ..chapters import exercises
from ..classroom.classroom import Classroom
from ..publish.course import release_notebook
from ..verdict.render import plain
from .items import items
from .report import Common, Row, summary, total
from .weeks import Week

TEMPLATES = Path(__file__).with_name("templates")
# State of a cell → its sign, which says without colour what the colour says, and its words.
SIGNS = {
    "full": ("✓", "right"),
    "part": ("◐", "right in part"),
    "none": ("✗", "not right"),
    "open": ("–", "not graded"),
}


@dataclass(frozen=True)
class Cell:
    """One exercise of one student in the table."""

    state: str
    points: str
    said: str

    @property
    def sign(self) -> str:
        """What stands for the state."""
        return SIGNS[self.state][0]


@dataclass(frozen=True)
class Line:
    """A student in the table: their name, where their page is, their points, and how many there are."""

    name: str
    page: str
    points: str
    most: str
    cells: list[Cell]


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
    lines = [_line(classroom, each, named) for each in sorted(own.values(), key=total)]
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)
    text = environment.get_template("report/class.html.j2").render(
        title=release_notebook(chapter).cells[0].source.splitlines()[0].lstrip("# "),
        style=(TEMPLATES / "feedback-page" / "page.css").read_text("utf-8"),
        summary=summary(rows),
        titles=[exercise.title for exercise in counted],
        signs=SIGNS.values(),
        lines=lines,
        items=list(zip(items(rows), counted, strict=True)),
        common=[(one, [_linked(classroom, who, chapter, named) for who in one.who]) for one in common],
        weeks=list(dict.fromkeys((one.week, one.handed_in) for one in weeks)),
        found={(one.misconception, one.week): one.students for one in weeks},
        students=len(own),
    )
    path.write_text(text, "utf-8")
    return path


def _line(classroom: Classroom, rows: list[Row], named: Callable[[str], str]) -> Line:
    most = sum(row.max_score for row in rows)
    name, page = _linked(classroom, rows[0].student, rows[0].chapter, named)
    return Line(name, page, f"{total(rows):g}", f"{most:g}", [_cell(row) for row in rows])


def _linked(classroom: Classroom, student: str, chapter: int, named: Callable[[str], str]) -> tuple[str, str]:
    name = named(student)
    return plain(name, 60), _page(classroom, student, chapter) if name == student else ""


def _cell(row: Row) -> Cell:
    if row.state != "graded":
        return Cell("open", "–", plain(row.diagnosis, 300))
    state = "full" if row.score >= row.max_score else "part" if row.score else "none"
    return Cell(state, f"{row.score:g}", plain(row.diagnosis, 300))


def _page(classroom: Classroom, student: str, chapter: int) -> str:
    """A student's feedback page as a link; "" where there is none."""
    page = classroom.feedback(student, chapter)
    return quote(page.relative_to(classroom.folder).as_posix(), errors="surrogateescape") if page.is_file() else ""
