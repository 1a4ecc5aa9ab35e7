"""A plot in a notebook: matplotlib's, as SVG, with a description for those who cannot see it.

    fig, ax = figure.new()
    ax.plot(steps, loss, label="loss")
    ax.legend()
    figure.show(fig, "The loss falls from 2.3 to 0.1 in 100 steps, steeply at first.")

Lines differ in their dashes as well as in colour, and the background is part of the drawing: it
reads the same in a light and in a dark notebook, and in grey.
"""

from __future__ import annotations

import base64
import html
import io
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from cycler import cycler
from matplotlib.figure import Figure

STYLE = {
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


def image(svg: str, alt: str) -> str:
    """A drawing as an HTML image that holds it, with its description."""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img style="max-width: 100%" alt="{html.escape(alt)}" src="data:image/svg+xml;base64,{data}">'


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
