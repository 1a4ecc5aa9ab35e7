"""What a learner's kernel in a browser runs first: the course comes to it, and PyTorch, which cannot, is stood in for.

The kernel's PYTHONSTARTUP, `start.py`, calls `start`. Beside it lie a zip for each chapter – the folder that a
student's bundle has, and what the chapter's cells with PyTorch showed where it is there –, one for the libraries that
Pyodide lacks and, once a part is right, `my_minigrad.zip`: the browser's storage takes a tenth of a second a file, so
the folder itself lies in memory.
"""

from __future__ import annotations

import ast
import base64
import functools
import importlib.util
import io
import json
import os
import re
import sys
import zipfile
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

DRIVE = Path("/drive")  # what the browser stores
UNPACKED = Path("/course")
MINE = Path("/home/pyodide/my_minigrad")
STORED = DRIVE / "my_minigrad.zip"
OURS = ("minigrad", "grader", "grandalf", "tqdm")
WORK = (".py", ".json", ".ipynb", ".svg", ".md", ".toml")  # what a learner's work is made of
ON_PYTORCH = ("torch", "preview")  # the latter shows a finished engine, which a learner's kernel has not
DEEPEST = 240  # calls: a browser's stack is small, and the kernel ends where it does
SAID = (
    "PyTorch does not run in a browser. Where it does, and on the finished engine, this cell showed what follows; "
    "on your own computer it runs on your engine.\n"
)
NOT_HERE = (
    "PyTorch does not run in a browser. Run the cell as it was to see its recorded answer, or take your work to a "
    "computer that has PyTorch: my-work.ipynb says how."
)
BUTTON = (
    '<a download="{name}" href="data:application/zip;base64,{data}" style="display: inline-block; padding: 0.5em 1em; '
    'border: 2px solid currentColor; border-radius: 0.4em; color: inherit; font-weight: bold">Download {name}</a>'
)


def start(shell: Any) -> None:
    """Prepare a kernel; `shell` is its IPython."""
    sys.meta_path.append(Course())
    sys.setrecursionlimit(min(sys.getrecursionlimit(), DEEPEST))
    os.environ["MY_MINIGRAD"] = str(MINE)
    os.environ["TQDM_MONITOR_INTERVAL"] = "0"  # a browser has no threads to watch a bar with
    shell.input_transformers_cleanup.append(stand_in)
    shelf = Shelf()
    shell.events.register("pre_run_cell", lambda info: shelf.load())
    shell.events.register("post_run_cell", lambda result: shelf.save())


@functools.cache
def course() -> Path:
    """The folder of the chapter whose notebook this kernel runs; of the last chapter for another notebook."""
    zips = {int(re.sub(r"\D", "", path.stem)): path for path in (DRIVE / "course").glob("chapter*.zip")}
    found = re.search(r"chapter(\d+)", Path.cwd().as_posix())
    chapter = int(found[1]) if found and int(found[1]) in zips else max(zips)
    for path in (zips[chapter], DRIVE / "course" / "libraries.zip"):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(UNPACKED)
    return UNPACKED


class Course(MetaPathFinder):
    """Unpacks the course when something of it is first imported: only by then is the kernel in its chapter's folder."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """The course's own packages; a sentence where PyTorch is asked for."""
        if name == "torch":
            raise ModuleNotFoundError(NOT_HERE, name=name)
        if name not in OURS or str(UNPACKED) in sys.path:
            return None
        sys.path.append(str(course()))
        importlib.invalidate_caches()
        return importlib.util.find_spec(name)


# ---------------------------------------------------------------------- cells with PyTorch


@functools.cache
def recorded() -> list[tuple[str, list[dict[str, Any]]]]:
    """The chapter's cells that need PyTorch, each with its text and what it showed."""
    return [(source, outputs) for source, outputs in json.loads((course() / "recorded.json").read_text("utf-8"))]


def stand_in(lines: list[str]) -> list[str]:
    """A cell that needs PyTorch, unchanged, shows what was recorded of it: IPython hands over its lines."""
    text = "".join(lines).strip()
    if any(re.search(rf"\b{name}\b", text) for name in ON_PYTORCH):
        for i, (source, _) in enumerate(recorded()):
            if text == source.strip():
                return [*other_imports(text), f"__import__('in_browser').show({i})\n"]
    return lines


def other_imports(text: str) -> list[str]:
    """What a cell imports besides PyTorch: later cells may use it."""
    found = [ast.unparse(node) for node in ast.parse(text).body if isinstance(node, ast.Import | ast.ImportFrom)]
    return [f"{line}\n" for line in found if not re.search(r"\btorch\b", line)]


def show(i: int) -> None:
    """Show what the chapter's recorded cell i showed."""
    from IPython.display import display

    print(SAID)
    for output in recorded()[i][1]:
        if output["output_type"] == "stream":
            print("".join(output["text"]), end="")
        elif "data" in output:
            display(output["data"], raw=True)


# ---------------------------------------------------------------------- what the learner keeps


class Shelf:
    """`my_minigrad/` in memory, and as one file in the browser's storage, where other notebooks find it."""

    def __init__(self) -> None:
        self.stored: float | None = None  # when the file was written that the folder was last read from or written to
        self.held: dict[Path, int] = {}

    def load(self) -> None:
        """Before a cell: take over what another notebook has kept meanwhile."""
        if STORED.is_file() and STORED.stat().st_mtime != self.stored:
            with zipfile.ZipFile(STORED) as archive:
                archive.extractall(MINE.parent)
            self._remember()

    def save(self) -> None:
        """After a cell: store what it has kept."""
        if self._files() != self.held:
            STORED.write_bytes(zipped({MINE.name: MINE}))
            self._remember()

    def _files(self) -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in MINE.rglob("*") if path.suffix in WORK}

    def _remember(self) -> None:
        self.stored, self.held = STORED.stat().st_mtime, self._files()


def zipped(folders: dict[str, Path]) -> bytes:
    """Folders, each under a name, as a zip's bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, folder in folders.items():
            for path in sorted(path for path in folder.rglob("*") if path.suffix in WORK):
                archive.write(path, f"{name}/{path.relative_to(folder).as_posix()}")
    return made.getvalue()


def my_work() -> None:
    """Show a button that downloads the notebooks, as they were last saved, and `my_minigrad/`."""
    from IPython.display import HTML, display

    data = zipped({"notebooks": DRIVE / "notebooks", MINE.name: MINE})
    name = "my-minigrad-work.zip"
    display(HTML(BUTTON.format(name=name, data=base64.b64encode(data).decode())))
