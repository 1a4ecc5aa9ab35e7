"""A chapter as it is read, not run: exercises as cards, and without what only a running notebook needs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from nbformat import NotebookNode

EXERCISE = re.compile(r"^\*\*Exercise (\d+)\.\*\* ", re.MULTILINE)
CARD = "::::::{{admonition}} Exercise {number}\n:class: exercise\n\n{text}\n::::::\n"
BUTTON = '<a class="do-it-here" href="{address}">Do it here, in your browser</a>'
TO_WRITE = " (double-click here to write)"
LONG = 12  # rows of a table that a reader asks for


def for_reading(notebook: NotebookNode, address: str = "") -> None:
    """Change a chapter's notebook into a page of the book.

    Args:
        notebook: the notebook, which is changed.
        address: where it can be done; "" for nowhere.
    """
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = with_card(cell.source.replace(TO_WRITE, ""))
    if address:
        title, *others = notebook.cells[0].source.splitlines()
        notebook.cells[0].source = "\n".join([title, "", BUTTON.format(address=address), *others])


def with_card(text: str) -> str:
    """The text of a cell, with the exercise in it, and its hints, as a card."""
    found = EXERCISE.search(text)
    if found is None:
        return text
    after = text.find("\n## ", found.end())  # a heading; a single # may begin a comment in a hint's code
    end = len(text) if after < 0 else after
    return text[: found.start()] + CARD.format(number=found[1], text=text[found.end() : end]) + text[end:]


def folded(text: str) -> str:
    """A document, with each long table behind a line that opens it."""
    return "\n".join(_folded(text.split("\n")))


def _folded(lines: list[str]) -> Iterator[str]:
    for table, block in itertools.groupby(lines, lambda line: line.startswith("|")):
        rows = list(block)
        if table and len(rows) - 2 > LONG:
            yield from (f"<details><summary>The table: {len(rows) - 2} rows</summary>", "", *rows, "", "</details>")
        else:
            yield from rows
