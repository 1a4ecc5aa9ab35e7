"""A chapter as it is read, not run: exercises as cards, and without what only a running notebook needs."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

EXERCISE = re.compile(r"^\*\*Exercise (\d+)\.\*\* ", re.MULTILINE)
FACTS = re.compile(r"^- \*\*(.+points?(?: for both)?)\.\*\*\n?", re.MULTILINE)  # how long, how hard, how many points
CARD = "::::::{{admonition}} {title}\n:class: {kind}\n\n{text}\n::::::\n"
# What a paragraph begins with → the look of its card.
LOOKS = {
    "The question": "question",
    "Your prediction": "predict",
    "Find the bug": "bug",
    "In your own words": "words",
    "A good place to pause": "pause",
}
PARAGRAPH = re.compile(
    rf"^(?:✎ )?\*\*({'|'.join(LOOKS)})[.:]?\*\*:? "
    r"(.+?)(?=\n\n|\Z)",
    re.MULTILINE | re.DOTALL,
)
PICTURE = re.compile(r"!\[([^\]]*)\]\(((?:[\w-]+/)*[\w-]+)\.svg\)")
TITLE = re.compile(r"<title>(.+?)</title>", re.DOTALL)
NO_BRACKETS = str.maketrans("[]\n", "() ")  # they would end the words of a picture
BUTTON = '<a class="do-it-here begin" href="{address}">Do it here, in your browser</a>'
RUN = "*You are reading. To run the cells and check your answers, open the notebook{}.*"
SHOWN = "<details><summary>What it shows</summary>\n\n![{words}]({name}.svg)\n</details>"
MARKS = re.compile(r"^ *### (?:BEGIN|END) SOLUTION\n?", re.MULTILINE)
TO_WRITE = " (double-click here to write)"
CHANGED = re.compile(r"`- ((\w+).*?) \+ (\2\b.+?)`")  # a line before and after a change, of a table's cell
LETTERS, COLUMN, LEAST = 13, 760, 12  # pixels: a graph's letters, the page's column, and letters that can be read
WIDTH = re.compile(r'<svg[^>]* width="(\d+)"')
LONG = 12  # rows of a table that a reader asks for


def for_reading(notebook: NotebookNode, number: int, address: str = "") -> None:
    """Change a chapter's notebook into a page of the book, which says where its cells can be run.

    Args:
        notebook: the notebook, which is changed.
        number: the chapter's.
        address: where it can be done; "" for the course's folder.
    """
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source = MARKS.sub("", cell.source)
        elif cell.cell_type == "markdown":
            cell.source = with_card(with_paragraphs(cell.source.replace(TO_WRITE, "")))
    title, *others = notebook.cells[0].source.splitlines()
    title = f"# {number}\u00a0· {title[2:]}"
    button = [BUTTON.format(address=address), ""] if address else []
    where = RUN.format("" if address else ", which `make lab` opens")
    notebook.cells[0].source = "\n".join([title, "", *button, where, *others])


def with_card(text: str) -> str:
    """The text of a cell, with the exercise in it, and its hints, as a card; its title says what it takes."""
    found = EXERCISE.search(text)
    if found is None:
        return text
    after = text.find("\n## ", found.end())  # a heading; a single # may begin a comment in a hint's code
    end = len(text) if after < 0 else after
    asked, facts = text[found.end() : end], FACTS.search(text, found.end(), end)
    title = f"Exercise {found[1]} *{facts[1][0].lower()}{facts[1][1:]}*" if facts else f"Exercise {found[1]}"
    card = CARD.format(title=title, kind="exercise", text=FACTS.sub("", asked, 1))
    return text[: found.start()] + card + text[end:]


def with_paragraphs(text: str) -> str:
    """The text of a cell, with what asks the reader for something as cards."""
    return PARAGRAPH.sub(lambda found: CARD.format(title=found[1], kind=LOOKS[found[1]], text=found[2]), text)


def with_shown(notebook: NotebookNode, solved: NotebookNode, folder: Path) -> None:
    """After each cell of the course's that draws, behind a line that opens it, what it drew in the solved notebook.

    Args:
        notebook: the notebook, which is changed.
        solved: the same with its outputs; a cell that the learner writes has none here.
        folder: where the drawings are written.
    """
    drawn = {cell.source: _drawings(cell) for cell in solved.cells if cell.metadata.get("nbgrader", {}).get("locked")}
    cells = []
    for cell in notebook.cells:
        cells.append(cell)
        for svg in drawn.get(cell.source, []) if cell.cell_type == "code" else []:
            name = f"shown-{len(cells)}"
            (folder / f"{name}.svg").write_text(svg, "utf-8")
            words = html.unescape(TITLE.findall(svg)[0]).translate(NO_BRACKETS)
            cells.append(new_markdown_cell(SHOWN.format(words=words, name=name)))
    notebook.cells = cells


def _drawings(cell: NotebookNode) -> list[str]:
    """The drawings that a cell showed, of those that say in words what they show."""
    outputs = [output.get("data", {}).get("image/svg+xml", "") for output in cell.get("outputs", [])]
    return [svg for svg in outputs if TITLE.search(svg)]


def with_pictures(text: str, folder: Path, upright: bool = True) -> str:
    """A text, with each drawing in the page's colours, and on a narrow screen the one that was made for it.

    Args:
        text: Markdown, with the names of pictures as they are in the folder.
        folder: where the text is.
        upright: a graph whose letters the page's column would make too small stands upright on a wide screen, too.
    """

    def both(found: re.Match[str]) -> str:
        drawn = found[0] + "{.drawn .dark-light}"  # the latter keeps the theme from changing it, too
        if not (folder / f"{found[2]}-narrow.svg").is_file():
            return drawn
        narrow = f"![{found[1]}]({found[2]}-narrow.svg)"
        if upright and _small((folder / f"{found[2]}.svg").read_text("utf-8")):
            return f"{narrow}{{.drawn .dark-light .upright}}"
        return f"{found[0]}{{.drawn .dark-light .on-wide}}{narrow}{{.drawn .dark-light .on-narrow}}"

    return PICTURE.sub(both, text)


def _small(svg: str) -> bool:
    """Whether a graph's letters are too small where it is as wide as the page's column."""
    width = WIDTH.search(svg)
    return width is not None and LEAST * int(width[1]) > LETTERS * COLUMN


def folded(text: str) -> str:
    """A document, with each long table behind a line that opens it, and two lines of code in two lines."""
    return "\n".join(_folded(CHANGED.sub(r"`- \1`<br>`+ \3`", text).split("\n")))


def _folded(lines: list[str]) -> Iterator[str]:
    called = "The figures"  # the first table of a page is its summary
    for table, block in itertools.groupby(lines, lambda line: line.startswith("|")):
        rows = list(block)
        if table and len(rows) - 2 > LONG:
            yield from (f"<details><summary>{called}: {len(rows) - 2} rows</summary>", "", *rows, "", "</details>")
            called = "The table"
        else:
            yield from rows
