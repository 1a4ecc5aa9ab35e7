"""The site: the book, and JupyterLite with the chapters, as one folder for any web server."""

from __future__ import annotations

import ast
import importlib.metadata as metadata
import json
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from ...errors import CourseError
from ...learner.challenges import CHALLENGES
from ..book.site import build as build_book
from ..book.watching import Tell, nobody
from ..bundle import GRADER, keep, write_folder
from ..course import assignment, chapters, release_notebook, release_path, script
from ..release import BESIDE, released
from . import in_browser

HERE = Path(__file__).parent
LAB = "lab-in-the-browser"  # the folder in the site
LIBRARIES = ("grandalf", "tqdm")  # what the course imports and Pyodide lacks
SHIPPED = "comm"  # what the kernel itself asks its index for
OLD_FONTS = ("fa-*.svg", "fa-*.eot", "fa-*.ttf", "fa-*.woff")  # for browsers in which nothing of this would run
PRELOADED = ["numpy", "matplotlib"]
WORDS = """\
# Your work

Everything that you write and build here is stored in this browser: your notebooks, when JupyterLab saves them, and
the parts of your engine that passed their checks. Nobody else can see it, and it is gone when you clear this site's
data.

## To take it with you

Save your notebooks, run the next cell (click on it and press Shift+Enter), and press the button that it shows. You get
one zip, with `notebooks/` and `my_minigrad/` in it. Unpack it over the course's folder on your computer, and go on
there; or hand in the notebook of a chapter, under its own name, as your instructor tells you.
"""
DIFFERENT = """\
## What is different in a browser

- **PyTorch does not run here.** A cell that uses it shows what it showed on a computer that has PyTorch. `check(…)`
  compares your code with PyTorch's answers all the same: they came with the chapter.
- **A loop without an end cannot be interrupted.** If a cell does not come to its end, choose *Kernel > Restart Kernel*
  in the menu, mend the cell, and run the notebook again from the top. Your text is not lost, and neither is what was
  kept.
- **It is slower**: the last two chapters train networks, and take a minute or two where your computer takes seconds.
"""
HAND_OUT = "from in_browser import my_work\n\nmy_work()"


def build(root: Path, site: Path, python: Path, pyodide: Path | None = None, tell: Tell = nobody) -> Path:
    """Build the site anew.

    Args:
        root: the course's folder.
        site: the site's folder; an older site in it is replaced.
        python: the interpreter that has JupyterLite.
        pyodide: a folder with Pyodide and its packages, to be a part of the site; None for its usual place.
        tell: hears what is being done, and what part of all is done.

    Returns:
        The site's first page.

    Raises:
        CourseError: JupyterLite or Sphinx is not installed or fails, or something that the site holds is missing.
    """
    with tempfile.TemporaryDirectory(prefix="site") as scratch:
        lite, made = (Path(scratch).resolve() / name for name in ("lite", "made"))
        assemble(root, lite, pyodide, tell=lambda what, part: tell(what, part / 3))
        tell("JupyterLite", 1 / 3)
        _jupyterlite(python.absolute(), lite, made)
        first = build_book(root, site, lab=LAB, tell=lambda what, part: tell(what, 2 / 3 + part / 3))
        shutil.copytree(made, site / LAB, ignore=shutil.ignore_patterns(*OLD_FONTS))
    return first


def assemble(
    root: Path,
    lite: Path,
    pyodide: Path | None = None,
    numbers: Sequence[int] | None = None,
    tell: Tell = nobody,
) -> None:
    """Write what JupyterLite is built from: contents, settings, wheels.

    Args:
        root: the course's folder.
        lite: where to.
        pyodide: a folder with Pyodide and its packages; None for its usual place.
        numbers: of the chapters; None for all.
        tell: hears which chapter is being packed, and what part of them is.
    """
    files = lite / "files"
    (files / "course").mkdir(parents=True)
    asked = chapters(root) if numbers is None else numbers
    for n, number in enumerate(asked):
        tell(f"packing chapter {number}", n / len(asked))
        notebook = release_path(number)
        room = files / "notebooks" / assignment(number)
        room.mkdir(parents=True)
        for file in [notebook, *notebook.parent.glob("*.svg")]:
            shutil.copy(file, room)
        _zip(number, root, files / "course" / f"{assignment(number)}.zip")
    with zipfile.ZipFile(files / "course" / "libraries.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in LIBRARIES:
            _pack(name, archive)
    for name in BESIDE if numbers is None else ():
        for path, data in released(name, root, {}).items():
            (files / path).parent.mkdir(parents=True, exist_ok=True)
            (files / path).write_bytes(data)
    for name in ("start.py", "in_browser.py"):
        shutil.copy(HERE / name, files / "course")
    nbformat.write(my_work(), files / "my-work.ipynb")
    settings: dict[str, Any] = {
        "loadPyodideOptions": {
            "packages": PRELOADED,
            "env": {"HOME": "/home/pyodide", "PYTHONSTARTUP": "/drive/course/start.py"},
        }
    }
    if pyodide:
        shutil.copytree(pyodide, lite / "static" / "pyodide")
        name = "pyodide.mjs" if (pyodide / "pyodide.mjs").is_file() else "pyodide.js"
        settings |= {"pyodideUrl": f"./static/pyodide/{name}", "disablePyPIFallback": True}
    lab = {"appName": "minigrad", "litePluginSettings": {"@jupyterlite/pyodide-kernel-extension:kernel": settings}}
    (lite / "jupyter-lite.json").write_text(
        json.dumps({"jupyter-lite-schema-version": 0, "jupyter-config-data": lab}, indent=1), "utf-8"
    )
    wheel = wheel_of(SHIPPED, lite / "wheels")
    (lite / "jupyter_lite_config.json").write_text(
        json.dumps(
            {
                "LiteBuildConfig": {"contents": ["files"], "no_sourcemaps": True, "apps": ["lab"]},
                "PipliteAddon": {"piplite_urls": [str(wheel)]},
            },
            indent=1,
        ),
        "utf-8",
    )


def my_work() -> NotebookNode:
    """The notebook that hands the learner's work out, and says what is different in a browser."""
    text, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    cells = [text(WORDS), code(HAND_OUT), text(DIFFERENT)]
    for i, cell in enumerate(cells):
        cell.id = f"my-work-{i}"  # the same each time
    about = {"kernelspec": {"name": "python", "display_name": "Python", "language": "python"}}
    made: NotebookNode = nbformat.v4.new_notebook(cells=cells, metadata=about)
    return made


def _zip(number: int, root: Path, target: Path) -> None:
    """Pack what the chapter's kernel imports of the course, and what its cells with PyTorch showed."""
    with tempfile.TemporaryDirectory(prefix="chapter") as scratch:
        folder = Path(scratch)
        write_folder(number, folder)
        shutil.rmtree(folder / "notebooks")
        (folder / "recorded.json").write_text(json.dumps(recorded(number, root), ensure_ascii=False), "utf-8")
        if number == max(chapters(root)):  # what a notebook that belongs to no chapter runs on
            _write_challenges(folder / "grader" / "learner")
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                archive.write(path, path.relative_to(folder))


def _write_challenges(learner: Path) -> None:
    """Write what `challenge` needs, with PyTorch's answers: nothing of a challenge depends on a chapter's exercises."""
    shutil.copy(GRADER / "learner" / "challenge.py", learner)
    shutil.copy(HERE / "kept_challenges.py", learner / "challenges.py")
    kept = [keep(one) for one in CHALLENGES.values()]
    (learner / "challenges.json").write_text(json.dumps(kept, ensure_ascii=False), "utf-8")


def recorded(number: int, root: Path) -> list[tuple[str, list[NotebookNode]]]:
    """The released cells of a chapter that need PyTorch, each with what it showed in the solved notebook."""
    solved = nbformat.read(root / "solutions" / assignment(number) / f"{script(number, root).stem}.ipynb", 4)
    shown = {cell.source: cell.outputs for cell in solved.cells if cell.cell_type == "code"}
    cells = [cell.source for cell in release_notebook(number).cells if cell.cell_type == "code"]
    return [(source, shown[source]) for source in cells if needs_torch(source) and source in shown]


def needs_torch(source: str) -> bool:
    """Whether a cell uses PyTorch, by its name or by one of the course's that stands on it."""
    try:
        tree = ast.walk(ast.parse(source))
    except SyntaxError:  # a magic
        return False
    return any(name.split(".")[0] in in_browser.ON_PYTORCH for node in tree for name in _named(node))


def _named(node: ast.AST) -> list[str]:
    """The names that a node uses or imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [node.module or "", *(alias.name for alias in node.names)]
    return [node.id] if isinstance(node, ast.Name) else []


def wheel_of(name: str, folder: Path) -> Path:
    """An installed package of pure Python as a wheel again."""
    path = folder / f"{name}-{metadata.version(name)}-py3-none-any.whl"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        _pack(name, archive)
    return path


def _pack(name: str, archive: zipfile.ZipFile) -> None:
    """Add an installed package to an archive."""
    for file in metadata.files(name) or ():
        if ".." not in file.parts and file.suffix != ".pyc" and file.name not in ("INSTALLER", "REQUESTED"):
            archive.write(str(file.locate()), str(file))


def _jupyterlite(python: Path, lite: Path, target: Path) -> None:
    """Let JupyterLite build its folder.

    Raises:
        CourseError: it is not installed, or fails.
    """
    command = [str(python), "-m", "jupyterlite_core", "build", "--lite-dir", str(lite), "--output-dir", str(target)]
    done = subprocess.run(command, cwd=lite, capture_output=True, text=True, check=False)
    if "No module named jupyterlite_core" in done.stderr:
        raise CourseError("jupyterlite_core is not installed, which builds the site: run `make site`.")
    if done.returncode:
        raise CourseError(f"JupyterLite did not build the site:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
