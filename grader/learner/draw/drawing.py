"""Boxes and arrows as SVG, with the same content as a table.

Text is measured in a font that comes with matplotlib, so that the same content gives the same bytes on every machine.
Corners, lines and words carry the meaning, and colour does not; in a dark notebook, light and dark change places.
"""

from __future__ import annotations

import functools
import html
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

from . import figure
from .placing import Edge, Point, Route, place

FONT, LINE, PAD, MARGIN = 13, 17, 8, 10  # pixels: a letter's size, a line's height, inside a box, around the drawing
WIDEST = 1100  # pixels: a drawing that is wider from left to right goes from top to bottom
BACKGROUND, INK = "#ffffff", "#1a1a1a"
LOOKS = {
    "leaf": f'fill="{BACKGROUND}" stroke="{INK}" stroke-width="2.6"',
    "data": f'fill="{BACKGROUND}" stroke="{INK}" stroke-width="1.2"',
    "result": f'fill="#f1f1f1" stroke="{INK}" stroke-width="1.2" rx="9"',
    "freed": f'fill="{BACKGROUND}" stroke="{INK}" stroke-width="1.2" stroke-dasharray="5 4" rx="9"',
    "running": f'fill="#dddddd" stroke="{INK}" stroke-width="4" rx="9"',
    "none": 'fill="none"',
}


@dataclass(frozen=True)
class Box:
    """A box: its key, its lines of text, of which the first is bold, and its look, one of `LOOKS`."""

    key: Hashable
    lines: Sequence[str]
    look: str = "result"


@dataclass(frozen=True)
class Arrow:
    """An arrow from one box's key to another's; dashed, or without its head, if wanted."""

    start: Hashable
    end: Hashable
    label: str = ""
    dashed: bool = False
    head: bool = True


@dataclass(frozen=True)
class Table:
    """Rows of text under their headings."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]

    def text(self) -> str:
        """The table for a console, in columns."""
        lines = [self.headings, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)

    def html(self) -> str:
        """The table for a page."""
        head = "".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in self.headings)
        body = ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in self.rows]
        rows = "".join(f"<tr>{row}</tr>" for row in body)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


@dataclass(frozen=True)
class Drawing(figure.Shown):
    """A drawing, its description, and a table that says the same: a notebook shows all, `print` the table."""

    table: Table

    def __str__(self) -> str:
        return f"{self.alt}\n{self.table.text()}"

    def html(self) -> str:
        """The drawing as an image with its description, and the table."""
        table = f"<details><summary>The same as a table</summary>{self.table.html()}</details>"
        return figure.image(self.svg, self.alt) + table


Content = tuple[Sequence[Box], Sequence[Arrow]]


def draw(boxes: Sequence[Box], arrows: Sequence[Arrow], alt: str, table: Table, down: bool = False) -> Drawing:
    """The drawing of boxes and arrows.

    Args:
        boxes: in the order in which they should stand, where the arrows leave a choice.
        arrows: from box to box, in no circle.
        alt: what it shows, in a sentence or two.
        table: what it shows, in full.
        down: from top to bottom, and not only where left to right would be too wide.
    """
    return Drawing(Layout([(boxes, arrows)], down).svg(boxes, arrows, alt), alt, table)


class Layout:
    """Where boxes stand and arrows run, with room for the text of several drawings of the same boxes.

    It goes from left to right, or from top to bottom where that would be too wide to read.
    """

    def __init__(self, contents: Sequence[Content], down: bool = False) -> None:
        self.sizes: dict[Hashable, tuple[float, float]] = {}
        self.ends: set[Hashable] = set()
        labels: dict[int, float] = {}
        for boxes, arrows in contents:
            for box in boxes:
                (wide, high), (widest, highest) = size(box), self.sizes.get(box.key, (0, 0))
                self.sizes[box.key] = max(wide, widest), max(high, highest)
                self.ends |= {box.key} if box.look in ("leaf", "data", "none") else set()
            for i, arrow in enumerate(arrows):
                labels[i] = max(labels.get(i, 0), width(arrow.label) + PAD if arrow.label else 0)
        edges = [
            # Results stand in a line, leaves beside it.
            Edge(a.start, a.end, labels[i], a.head, heavy=not {a.start, a.end} & self.ends)
            for i, a in enumerate(contents[0][1])
        ]
        placed = place(self.sizes, edges, down)
        if placed.width > WIDEST and not down:
            placed = min(placed, place(self.sizes, edges, True), key=lambda one: one.width)
        self.placed = placed

    def point(self, point: Point) -> Point:
        """A point of the layout in the drawing."""
        return round(MARGIN + point[0]), round(MARGIN + point[1])

    def path(self, route: Route) -> str:
        """An arrow's way as an SVG path, up to its tip."""
        first, *others = ["{:g} {:g}".format(*self.point(point)) for point in route.curve]
        tip = " L {:g} {:g}".format(*self.point(route.tip)) if route.tip else ""
        return f"M {first} C {' '.join(others)}{tip}"

    def svg(self, boxes: Sequence[Box], arrows: Sequence[Arrow], alt: str) -> str:
        """The drawing of these boxes and arrows."""
        wide, high = (round(length + 2 * MARGIN) for length in (self.placed.width, self.placed.height))
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{wide}" height="{high}" '
                f'viewBox="0 0 {wide} {high}" font-family="DejaVu Sans, Verdana, sans-serif" font-size="{FONT}">',
                f"<title>{html.escape(alt)}</title>",
                '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
                f'orient="auto"><path d="M 0 0 L 8 4 L 0 8 z" fill="{INK}"/></marker></defs>',
                f'<rect width="100%" height="100%" rx="6" fill="{BACKGROUND}"/>',
                *map(self.arrow, arrows, self.placed.routes),
                *(self.box(box) for box in boxes),
                "</svg>\n",
            ]
        )

    def arrow(self, arrow: Arrow, route: Route) -> str:
        """The line of an arrow, and its label."""
        look = ' stroke-dasharray="4 4"' if arrow.dashed else ""
        look += ' marker-end="url(#head)"' if arrow.head else ""
        line = f'<path d="{self.path(route)}" fill="none" stroke="{INK}" stroke-width="1.2"{look}/>'
        x, y = self.point(route.label)
        return line + text(x, y, arrow.label, ' font-style="italic"') if arrow.label else line

    def box(self, box: Box) -> str:
        """The frame of a box, and its lines."""
        (x, y), (wide, high) = self.point(self.placed.centres[box.key]), self.sizes[box.key]
        corner = f'x="{x - wide / 2:g}" y="{y - high / 2:g}" width="{wide:g}" height="{high:g}"'
        top = y - (len(box.lines) - 1) * LINE / 2
        lines = [text(x, top + i * LINE, line, "" if i else ' font-weight="bold"') for i, line in enumerate(box.lines)]
        return f"<rect {corner} {LOOKS[box.look]}/>" + "".join(lines)


def size(box: Box) -> tuple[float, float]:
    """The width and the height that the text of a box needs."""
    wide = max(width(line, bold=i == 0) for i, line in enumerate(box.lines))
    return wide + 2 * PAD, len(box.lines) * LINE + PAD


@functools.cache
def width(line: str, bold: bool = False) -> float:
    """How wide a line of text is, in whole pixels."""
    font = Path(mpl.get_data_path(), "fonts", "ttf", "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf")
    wide, _, _ = TextToPath().get_text_width_height_descent(line, FontProperties(fname=font, size=FONT), ismath=False)
    return round(wide)


def text(x: float, y: float, line: str, look: str = "") -> str:
    """A line of text around a point."""
    return f'<text x="{x:g}" y="{y + 4.5:g}" text-anchor="middle" fill="{INK}"{look}>{html.escape(line)}</text>'
