"""The book's pages, put together in one folder for Sphinx: chapters, documents, and the engine's reference."""

from __future__ import annotations

import re
import shutil
from inspect import unwrap
from pathlib import Path

import jupytext
import nbformat
from mdit_py_plugins.anchors.index import slugify

import minigrad

from ...errors import CourseError
from ..course import assignment, chapters, script
from ..release import BESIDE, make_release, worked_in
from .narrow import narrow
from .reading import folded, for_reading, with_pictures, with_shown

PAGES, STATIC = Path(__file__).with_name("pages"), Path(__file__).with_name("static")
DOCUMENTS = {
    "TUTORIALS.md": "tutorials.md",
    "grader/VERIFICATION.md": "verification.md",
    "grader/classroom/SCALING.md": "scaling.md",
}
FAMILIES = {  # where minigrad defines its functions -> what they are for
    "minigrad.surface.creation": "Making tensors",
    "minigrad.surface.random": "Random numbers",
    "minigrad.surface.arithmetic": "Arithmetic and comparisons",
    "minigrad.surface.elementwise": "Element by element",
    "minigrad.surface.formulas": "Formulas of several functions",
    "minigrad.surface.rounding": "Whole numbers, and what is no number",
    "minigrad.surface.reduce": "Sums, means and extremes",
    "minigrad.surface.order": "Elements in order",
    "minigrad.surface.shape": "Shapes",
    "minigrad.surface.arrange": "Shapes: repeating, turning and joining",
    "minigrad.surface.index": "Picking elements",
    "minigrad.surface.linalg": "Products of matrices",
    "minigrad.surface.einsum": "Sums of products, by letters",
    "minigrad.surface.grad_mode": "Whether operations are recorded",
    "minigrad.surface.comparing": "Comparing",
    "minigrad.surface.printing": "Printing",
    "minigrad.surface.dtypes": "Types of elements",
    "minigrad.surface.size": "Sizes",
    "minigrad.surface.device": "Where tensors lie",
    "minigrad.surface.limits": "Numbers and the machine",
    "minigrad.saving": "Saving and loading",
}

NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
TIME = re.compile(r"\*\*Time:\*\* (.+?)\.?$", re.MULTILINE)  # as a chapter's first cell says it

UNSOLVED = """\
This book is for reading. To work in a chapter, open its notebook in the course's folder with `make lab`: there your
code runs, and `check(…)` compares it with PyTorch. A notebook that you download here needs that folder, too."""
BESIDE_LAB = """\
Below each chapter's title, **Do it here** opens it in JupyterLab, in your browser, with nothing to install. Your code
runs there, and `check(…)` compares it with what PyTorch answered. What you write stays there, too;
<a href="@lab@my-work.ipynb">your work</a> says how you download it and go on with it on your own computer, and what
is different in a browser."""
SOLVED = """\
**This is the solved course**, for those who teach it: each exercise with its solution, each cell with what it prints.
`make book` makes the book for learners, without them."""


def assemble(root: Path, folder: Path, solved: bool = False, lab: str = "") -> None:
    """Write the book's sources.

    Args:
        root: the course's folder.
        folder: where to; an empty folder, or none yet.
        solved: the chapters with their solutions and outputs; else as a learner opens them.
        lab: the folder of the site in which JupyterLab opens the chapters; "" where there is none.

    Raises:
        CourseError: something that the book holds was not built.
    """
    shutil.copytree(PAGES, folder, dirs_exist_ok=True)
    for name, page in DOCUMENTS.items():
        _copy(root / name, folder / page)
    pages = {number: _chapter(number, root, folder, solved) for number in chapters(root)}
    opening = f"{lab}/lab/index.html?path=" if lab else ""
    first = {number: jupytext.read(folder / page).cells[0].source for number, page in pages.items()}
    titles = {number: text.splitlines()[0][2:] for number, text in first.items()}
    takes = {number: "".join(TIME.findall(text)) for number, text in first.items()}
    words = SOLVED if solved else BESIDE_LAB.replace("@lab@", opening) if opening else UNSOLVED
    buttons = _buttons(pages, opening)
    _fill(
        folder / "index.md",
        buttons=buttons,
        words=words,
        chapters=_table(root, pages, titles, takes, opening),
        count=NUMBERS[len(pages) - 1],
        pauses=_listed([number for number, words in takes.items() if words.startswith("two sittings")]),
        beside=_beside(root, opening),
        toc=_toc(pages, titles),
    )
    _fill(folder / "engine/functions.md", functions=_functions())
    for number, page in pages.items():
        _read(folder / page, number, root, f"../../{_way(opening, page)}" if opening else "", solved)
    index = folder / "index.md"
    index.write_text(with_pictures(index.read_text("utf-8"), folder, upright=False), "utf-8")
    verification = folder / "verification.md"
    verification.write_text(folded(verification.read_text("utf-8")), "utf-8")
    tutorials = folder / "tutorials.md"
    tutorials.write_text(_linked(tutorials.read_text("utf-8"), pages), "utf-8")


def _chapter(number: int, root: Path, folder: Path, solved: bool) -> str:
    """Copy the chapter's notebook and its pictures; returns the notebook's path in the book."""
    room = root / ("solutions" if solved else "notebooks") / assignment(number)
    place = Path("chapters") / assignment(number)
    name = f"{script(number, root).stem}.ipynb"
    for source in (room / name, *room.glob("*.svg")):
        _copy(source, folder / place / source.name)
        if source.suffix == ".svg":
            _upright(folder / place / source.name)
    if not solved and _used(room / name):
        release = make_release(number, root, {})
        (folder / place / name).write_bytes(release[room.relative_to(root) / name])
    _copy(folder / place / name, folder / "download" / name)
    return f"{place.as_posix()}/{name}"


def _read(page: Path, number: int, root: Path, address: str, solved: bool) -> None:
    """Make a chapter's notebook a page to read, with the drawings of the cells that are the course's own."""
    notebook = nbformat.read(page, as_version=4)
    if not solved:
        with_shown(notebook, nbformat.read(root / "solutions" / assignment(number) / page.name, 4), page.parent)
        for drawing in page.parent.glob("shown-*.svg"):
            _upright(drawing)
    for_reading(notebook, number, address)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = with_pictures(cell.source, page.parent)
    nbformat.write(notebook, page)


def _upright(drawing: Path) -> None:
    """Write a wide graph from top to bottom, too."""
    if down := narrow(drawing.read_text("utf-8")):
        drawing.with_name(f"{drawing.stem}-narrow.svg").write_text(down, "utf-8")


def _listed(numbers: list[int]) -> str:
    return " and ".join([", ".join(map(str, numbers[:-1])), str(numbers[-1])])


def _used(notebook: Path) -> bool:
    """Whether a learner ran the notebook or wrote into it: the book is for others, too."""
    return worked_in(notebook) or any(cell.get("execution_count") for cell in nbformat.read(notebook, 4).cells)


def _copy(source: Path, target: Path) -> None:
    if not source.is_file():
        command = "make verify" if source.name == "VERIFICATION.md" else "make notebooks"
        raise CourseError(f"{source} is missing, and belongs into the book: make it with `{command}`.")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _fill(page: Path, **texts: str) -> None:
    """Put each text in the place of its name, written @name@."""
    words = page.read_text("utf-8")
    for name, text in texts.items():
        words = words.replace(f"@{name}@", text)
    page.write_text(words, "utf-8")


def _way(opening: str, page: str) -> str:
    """The address, from the first page, at which JupyterLab opens a chapter's notebook."""
    return f"{opening}notebooks/{Path(page).relative_to('chapters').as_posix()}"


def _buttons(pages: dict[int, str], opening: str) -> str:
    """Where to begin: with doing the first chapter, where that can be done, and with reading it."""
    number = min(pages)
    first = pages[number]
    page = Path(first).with_suffix(".html")
    do = f'<a class="do-it-here begin" href="{_way(opening, first)}">Do chapter {number} here</a>' if opening else ""
    return f'<p>{do}<a class="do-it-here{"" if do else " begin"}" href="{page}">Read chapter {number}</a></p>'


def _table(root: Path, pages: dict[int, str], titles: dict[int, str], takes: dict[int, str], opening: str) -> str:
    """The README's words about each chapter, how long it takes, and links to its page and to its notebook."""
    rows = re.findall(r"^\| (\d+) \| .+? \| (.+?) \|$", (root / "README.md").read_text("utf-8"), re.MULTILINE)
    builds = {int(number): words for number, words in rows}
    got = {
        number: f'<a href="{_way(opening, page)}">open</a>'
        if opening
        else f"{{download}}`notebook <download/{Path(page).name}>`"
        for number, page in pages.items()
    }
    lines = [
        f"| {n}\u00a0·\u00a0[{titles[n]}]({page}) | {builds[n]} | {takes[n]} | {got[n]} |" for n, page in pages.items()
    ]
    head = f"| Chapter | You build | Takes | {'Do it here' if opening else 'Download'} |"
    return "\n".join([head, "|---|---|---|---|", *lines])


def _beside(root: Path, opening: str) -> str:
    """The challenges and the project: links to where they can be done, or the folders that they are in."""
    if not opening:
        return "in the course's folder, in `notebooks/challenges/` and `notebooks/project/`."
    scripts = [path for name in BESIDE for path in sorted((root / "solutions" / name).glob("*.py"))]
    titles = [jupytext.read(path).cells[0].source.splitlines()[0].partition(": ")[2] for path in scripts]
    ways = [f"{opening}notebooks/{path.parent.name}/{path.stem}.ipynb" for path in scripts]
    links = [f'- <a href="{way}">{title[0].upper()}{title[1:]}</a>' for way, title in zip(ways, titles, strict=True)]
    return "\n".join(["", *links])


def _toc(pages: dict[int, str], titles: dict[int, str]) -> str:
    return "\n".join(f"{number} · {titles[number]} <{page}>" for number, page in pages.items())


def _functions() -> str:
    """A section a family, with a directive for each of its public functions."""
    public = {name: found for name, found in vars(minigrad).items() if not name.startswith("_") and callable(found)}
    sections = []
    for module, title in FAMILIES.items():
        names = sorted(
            name for name, found in public.items() if unwrap(found).__module__ == module and name != "Tensor"
        )
        directives = [f".. auto{'class' if isinstance(public[name], type) else 'function'}:: {name}" for name in names]
        sections.append(
            "\n".join([f"## {title}\n", "```{eval-rst}", ".. currentmodule:: minigrad\n", *directives, "```"])
        )
    return "\n\n".join(sections)


def _linked(text: str, pages: dict[int, str]) -> str:
    """The table of the tutorials, where “4 · MatMul” is a link to that section, and “4 · `bce`” to the chapter."""

    def link(match: re.Match[str]) -> str:
        number, name = int(match[1]), match[2]
        anchor = "" if name.startswith("`") else f"#{slugify(name)}"
        return f"[{number}\u00a0· {name}]({pages[number]}{anchor})"

    return re.sub(r"(?<=[|;] )(\d) · (.+?)(?=; | \|$)", link, text, flags=re.MULTILINE)
