"""The course's notebooks, as the tests read them."""

import os
import re
import subprocess
import symtable
import sys
from functools import cache
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from grader.publish import release

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = release.chapters(ROOT)


@cache
def source(chapter):
    return release.read_script(release.script(chapter, ROOT))


@cache
def solution(chapter):
    return nbformat.read(solution_path(chapter), as_version=4)


@cache
def released(chapter):
    return nbformat.read(released_path(chapter), as_version=4)


def solution_path(chapter):
    return release.script(chapter, ROOT).with_suffix(".ipynb")


def released_path(chapter):
    return ROOT / "notebooks" / f"chapter{chapter}" / solution_path(chapter).name


def marks(cell):
    return cell.metadata.get("nbgrader", {})


def is_demonstration(cell):
    return "demonstration" in cell.metadata.get("tags", [])


def code(nb):
    return [cell for cell in nb.cells if cell.cell_type == "code"]


def markdown(nb):
    return [cell for cell in nb.cells if cell.cell_type == "markdown"]


def by_id(nb):
    return {marks(cell)["grade_id"]: cell for cell in nb.cells if marks(cell)}


def by_source(nb):
    return {cell.source: cell for cell in code(nb)}


def headings(nb):
    """(level, text) of each heading, in order; code in a fence has none."""
    text = "\n".join(without_fences(cell.source) for cell in markdown(nb))
    return [(len(found[1]), found[2].strip()) for found in re.finditer(r"^(#+) (.*)$", text, re.MULTILINE)]


def without_fences(text):
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


def prose_words(nb):
    """Words that a learner reads: no code, formulas, tables, tags or pictures' descriptions."""
    count = 0
    for cell in markdown(nb):
        text = without_fences(cell.source)
        for other in (r"!\[.*?\]\(.*?\)", r"\$[^$]*\$", r"(?m)^\|.*$", r"<[^>]+>"):
            text = re.sub(other, " ", text)
        count += len(re.findall(r"[A-Za-z0-9][\w'’.-]*", text))
    return count


def regions(text):
    """The lines of each solution region of a cell, stripped."""
    found = re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", text, flags=re.DOTALL)
    return [[line.strip() for line in region.splitlines() if line.strip()] for region in found]


def names(text):
    """The names that a cell defines at its own level, and those that it reads and does not itself define."""
    cell = symtable.symtable(text, "cell", "exec")
    defined = {s.get_name() for s in cell.get_symbols() if s.is_assigned() or s.is_imported()}
    return defined, globals_read(cell) - defined


def globals_read(scope):
    """The module's names that a scope, or one inside it, reads."""
    top = scope.get_type() == "module"
    read = {s.get_name() for s in scope.get_symbols() if s.is_referenced() and (top or s.is_global())}
    return read.union(*(globals_read(inner) for inner in scope.get_children()))


def learners_names(nb):
    """What the exercises ask the learner to define."""
    return set().union(*(names(cell.source)[0] for cell in code(nb) if marks(cell).get("solution")))


def environment(folder):
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, "MY_MINIGRAD": str(folder / "my_minigrad")}


def execute(nb, folder, **options):
    """A copy of the notebook, after its cells were run in a folder: a learner's, with what they have done before."""
    run = nbformat.from_dict(nb)
    where = {"metadata": {"path": folder}}
    config = release.kernel_config(str(folder))
    NotebookClient(
        run, config=config, kernel_name="python3", timeout=240, coalesce_streams=True, resources=where, **options
    ).execute(env=environment(folder))
    return run


def nbval(notebooks, folder, *options):
    """Run nbval on notebooks, by their names, one after the other in a folder, a learner's; the finished process."""
    for name, nb in notebooks.items():
        nbformat.write(nb, folder / name)
    plugins = ["-p", "grader.light", "-p", "nbval.plugin", "-p", "no:cacheprovider"]  # and no others: they take time
    command = [sys.executable, "-m", "pytest", "-q", *plugins, *options]
    limits = ["--nbval-cell-timeout=120", "--nbval-kernel-startup-timeout=120"]
    return subprocess.run(
        [*command, *limits, *notebooks],
        cwd=folder,
        env={**environment(folder), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=800,
    )
