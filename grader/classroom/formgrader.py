"""A submission in formgrader, tidied: what an instructor reads, and none of nbgrader's own bookkeeping."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode

from .autograded import MARK

TEMPLATES = Path(__file__).with_name("templates") / "formgrader"


class Tidy(Preprocessor):
    """Runs before formgrader shows a notebook: changes what is shown, and no file."""

    def __init__(self, **settings: Any) -> None:
        """Let the exporter that this belongs to look for its templates here first: MathJax's is ours."""
        super().__init__(**settings)
        if self.parent is not None:
            self.parent.template_paths = [str(TEMPLATES), *self.parent.template_paths]

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Leave out the number that nbgrader reads a graded cell's points from."""
        for cell in nb.cells:
            if MARK in cell.metadata and cell.cell_type == "code":
                cell.outputs = [output for output in cell.outputs if output.output_type != "execute_result"]
        return nb, resources
