"""The class's most common misconceptions as bars: in the terminal, and as a drawing."""

from __future__ import annotations

import textwrap
from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from ..learner.draw import figure
from .report import Common, Row

MOST = 10  # that are shown; --json has all
WIDTH = 24  # of the longest bar in the terminal, in characters


def bars(common: list[Common]) -> Table:
    """A line a misconception for the terminal: how many students, as a bar and a number, and its sentence."""
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    shown.add_column("misconception", overflow="fold")
    shown.add_column("students", no_wrap=True)
    shown.add_column("what it is", overflow="fold")
    unit = max(1.0, max((one.students for one in common), default=1) / WIDTH)  # students a block
    for one in common[:MOST]:
        bar = "█" * max(1, round(one.students / unit))
        shown.add_row(Text(one.name), Text(f"{bar} {one.students}"), Text(one.advice))
    return shown


def write(path: Path, common: list[Common], rows: list[Row]) -> Path:
    """Write the drawing as SVG, with its description in it; one that was written before is removed if there is none.

    Args:
        path: the file.
        common: the misconceptions, the most common first.
        rows: the class.
    """
    if not common:
        path.unlink(missing_ok=True)
        return path
    students = len({row.student for row in rows})
    first = common[:MOST]
    fig, ax = figure.new(width=8.0, height=1.1 + 0.36 * len(first))
    names = [textwrap.shorten(one.name, 48, placeholder="…") for one in first]
    drawn = ax.barh(range(len(first)), [one.students for one in first], color="#0b4f8a")
    ax.bar_label(drawn, padding=3)
    ax.set_yticks(range(len(first)), names)
    ax.invert_yaxis()
    ax.set_xlabel(f"students, of {students}")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlim(0, max(5.0, 1.1 * first[0].students))
    ax.grid(False, axis="y")
    ax.set_title(f"Chapter {rows[0].chapter}: the most common misconceptions", loc="left")
    path.write_text(figure.show(fig, _alt(first, students, rows[0].chapter)).svg, "utf-8")
    return path


def _alt(common: list[Common], students: int, chapter: int) -> str:
    counts = ", ".join(f"{one.name} {one.students}" for one in common)
    return f"Bars: the most common misconceptions in chapter {chapter}, by how many of {students} students: {counts}."
