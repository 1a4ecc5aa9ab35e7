"""A plot in a notebook: matplotlib's, as SVG, with a description for those who cannot see it.

    fig, ax = figure.new()
    ax.plot(steps, loss, label="loss")
    ax.legend()
    figure.show(fig, "The loss falls from 2.3 to 0.1 in 100 steps, steeply at first.")

Lines differ in their dashes as well as in colour, and the background is part of the drawing: it
reads the same in grey, and, with light and dark changed round, in a dark notebook.
"""

from __future__ import annotations

import base64
import html
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

if TYPE_CHECKING:
    from matplotlib.typing import RcKeyType

STYLE: dict[RcKeyType, Any] = {
    "axes.prop_cycle": cycler(color=["#0b4f8a", "#b34700", "#1b6b3a", "#7a2a7a"], linestyle=["-", "--", ":", "-."]),
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.facecolor": "white",
    "font.size": 11,
    "grid.color": "#d9d9d9",
    "legend.frameon": False,
    "lines.linewidth": 2.0,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "minigrad",  # the same plot gives the same bytes
}
LARGEST = 12  # rows and columns of a table whose numbers can be read


@dataclass(frozen=True)
class Shown:
    """A drawn plot and its description, as a notebook shows them; `print` shows the description."""

    svg: str
    alt: str

    def __str__(self) -> str:
        return self.alt

    def html(self) -> str:
        """The plot as an image with its description."""
        return image(self.svg, self.alt)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self.html(), "image/svg+xml": self.svg}


# In a dark notebook, or on a dark page of the book, light and dark change places, and each hue stays what it is. Where
# styles are taken out of outputs, as by JupyterLab from a notebook that it does not trust, the drawing stays light.
DARK = "filter: invert(0.9) hue-rotate(180deg)"
THEMES = "body[data-jp-theme-light=false] .minigrad-drawing, html[data-theme=dark] .minigrad-drawing"


def image(svg: str, alt: str) -> str:
    """A drawing as an HTML image that holds it, with its description. It follows JupyterLab's theme, and the book's.

    The class `dark-light` keeps the book's own theme from changing it a second time.
    """
    data = base64.b64encode(svg.encode()).decode()
    source = f'src="data:image/svg+xml;base64,{data}"'
    drawing = f'<img class="minigrad-drawing dark-light" style="max-width: 100%" alt="{html.escape(alt)}" {source}>'
    return f"<style>{THEMES} {{ {DARK} }}</style>{drawing}"


def new(rows: int = 1, columns: int = 1, width: float = 6.5, height: float = 3.6) -> tuple[Figure, Any]:
    """A figure and its axes – one, or an array of them – in the course's style; sizes in inches."""
    with mpl.rc_context(STYLE):
        fig = Figure(figsize=(width, height), layout="constrained")
        return fig, fig.subplots(rows, columns)


def show(fig: Figure, alt: str) -> Shown:
    """The figure as a notebook's output.

    Args:
        fig: the figure, finished.
        alt: what it shows, in a sentence or two: what a reader should take from it.

    Raises:
        ValueError: `alt` is too short to describe anything.
    """
    if len(alt) < 20:
        raise ValueError("A figure needs a description: say in a sentence what one should see in it.")
    text = io.StringIO()
    with mpl.rc_context(STYLE):
        fig.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    drawing = text.getvalue()
    drawing = drawing[drawing.index("<svg") :]
    end = drawing.index(">")
    return Shown(f'{drawing[:end]} role="img">\n<title>{html.escape(alt)}</title>{drawing[end + 1 :]}', alt)


def compare(mine: Any, theirs: Any, names: tuple[str, str] = ("yours", "PyTorch's"), rtol: float = 1e-5) -> Shown:
    """Two tables of numbers beside each other, and where they differ: thick frames and ≠, not colour, say so.

    Args:
        mine: an array or a tensor of at most two dimensions, on its way or not; also `theirs`, of the same shape.
        theirs: what to compare with.
        names: what to call them.
        rtol: the difference, relative to the other number, up to which two numbers agree.

    Raises:
        ValueError: the shapes differ, or are too large to be read.
    """
    tables = [np.asarray(x.detach() if hasattr(x, "detach") else x, dtype=float) for x in (mine, theirs)]
    shapes = [table.shape for table in tables]
    if shapes[0] != shapes[1]:
        raise ValueError(f"{names[0]} has shape {shapes[0]}, and {names[1]} {shapes[1]}: there is nothing to compare.")
    tables = [np.atleast_2d(table) for table in tables]
    rows, columns = tables[0].shape if tables[0].ndim == 2 else (0, 0)
    if not 0 < rows <= LARGEST or not 0 < columns <= LARGEST:
        raise ValueError(f"A comparison is drawn of tables with 1 to {LARGEST} rows and columns; this is {shapes[0]}.")
    differs = ~np.isclose(tables[0], tables[1], rtol=rtol, equal_nan=True)
    fig, axes = new(columns=2, width=max(5.0, 1.6 * columns + 1), height=0.45 * rows + 0.9)
    for ax, table, name in zip(axes, tables, names, strict=True):
        shown = np.ma.masked_invalid(tables)
        ax.imshow(table, cmap="cividis", vmin=shown.min(), vmax=shown.max(), alpha=0.35, aspect="auto")
        for row, column in np.ndindex(rows, columns):
            mark = "≠ " if differs[row, column] else ""
            ax.text(column, row, mark + number(table[row, column]), ha="center", va="center", fontsize=9)
            if mark:
                ax.add_patch(Rectangle((column - 0.46, row - 0.46), 0.92, 0.92, fill=False, linewidth=2.2))
        ax.set_title(name)
        ax.set_xticks(range(columns), range(1, columns + 1))
        ax.set_yticks(range(rows), range(1, rows + 1))
        ax.grid(False)
    return show(fig, _difference(tables, differs, names))


def _difference(tables: list[np.ndarray], differs: np.ndarray, names: tuple[str, str]) -> str:
    """How many numbers differ, and the two that differ most."""
    both = f"{names[0]} and {names[1]}"
    if not differs.any():
        return f"Two tables of {differs.size} numbers: {both} agree."
    gap = np.where(differs, np.nan_to_num(np.abs(tables[0] - tables[1]), nan=np.inf), -1)
    row, column = np.unravel_index(np.argmax(gap), gap.shape)
    most = " and ".join(number(table[row, column]) for table in tables)
    return (
        f"Two tables of {differs.size} numbers: {both} differ in {differs.sum()} of them, "
        f"most in row {row + 1}, column {column + 1}: {most}."
    )


def number(value: Any) -> str:
    """A value in at most four significant digits; an array as nested lists of such; "none" for None."""
    if value is None:
        return "none"
    if np.ndim(value):
        return f"[{', '.join(map(number, value))}]"
    return f"{value:.4g}".replace("-", "−")
