"""The picture of a module: what it holds, down to the shapes of its parameters.

    tree.modules(TwoLayers(3, 4, 2))

Modules have round corners and parameters square ones, and each box says what it is: colour carries nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from . import figure

COLUMN, ROW = 1.5, 0.95  # inches


@dataclass
class Box:
    """A module, or a parameter: its lines of text, what it holds, and where it stands."""

    lines: list[str]
    said: str
    inside: list[Box] = field(default_factory=list)
    is_module: bool = True
    x: float = 0.0
    depth: int = 0

    def all(self) -> list[Box]:
        """This box and those below it."""
        return [self, *(box for one in self.inside for box in one.all())]


def modules(net: Any) -> figure.Shown:
    """Draw the tree of a module."""
    root = _box("", net)
    columns = _place(root, 0, 0)
    boxes = root.all()
    rows = max(box.depth for box in boxes) + 1
    fig, ax = figure.new(width=columns * COLUMN, height=rows * ROW)
    ax.set_axis_off()
    ax.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5))
    for box in boxes:
        for below in box.inside:
            ax.plot([box.x, below.x], [box.depth, below.depth], "-", color="#555555", linewidth=1.2, zorder=1)
        style = "round,pad=0.4,rounding_size=0.9" if box.is_module else "square,pad=0.4"
        frame = {"boxstyle": style, "facecolor": "white", "edgecolor": "#222222", "linewidth": 1.2}
        ax.text(box.x, box.depth, "\n".join(box.lines), ha="center", va="center", fontsize=9, bbox=frame, zorder=2)
    return figure.show(fig, f"A tree of modules: {root.said}.")


def _box(name: str, module: Any) -> Box:
    kind = type(module).__name__
    inside = [_parameter(own, p) for own, p in module.named_parameters(recurse=False)]
    inside += [_box(own, child) for own, child in module.named_children()]
    said = f"{name}, a {kind}" if name else kind
    if inside:
        said += f" with {' and '.join(box.said for box in inside)}"
    return Box([name, kind] if name else [kind], said, inside)


def _parameter(name: str, parameter: Any) -> Box:
    shape = tuple(parameter.shape)
    return Box([name, f"{shape}"], f"{name} {shape}", is_module=False)


def _place(box: Box, column: int, depth: int) -> int:
    """Give the box and those below it their places; returns the first column that is still free."""
    box.depth, first = depth, column
    for below in box.inside:
        column = _place(below, column, depth + 1)
    column = max(column, first + 1)
    box.x = (box.inside[0].x + box.inside[-1].x) / 2 if box.inside else float(first)
    return column
