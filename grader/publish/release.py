"""From a chapter's script to the notebooks: the executed solution and nbgrader's release.

A chapter's one source is a Jupytext percent script, `solutions/chapter1/one-step.py`. From it come

- `solutions/chapter1/one-step.ipynb`, executed, with its outputs, and
- `notebooks/chapter1/`, what a student opens, made by nbgrader's own generate_assignment,

and the pictures that a cell of the script draws. The same script gives the same bytes each time, but for times that a
cell measures: its output is tagged `nbval-ignore-output`.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbgrader.apps import NbGraderAPI
from tqdm import tqdm
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from ..chapters import exercises
from ..errors import CourseError
from ..learner.draw.live import VIEW
from ..learner.notebook import NotRight
from ..verdict.inert import one_line
from . import own
from .course import CONFIG, assignment, chapters, course_root, script
from .database import alembic_here, follow, is_there, place, trouble

CELL_SECONDS = 120
BESIDE = ("challenges", "project")  # folders of notebooks that are no chapters, and are not graded
STUB = "YOUR CODE HERE"  # in every exercise that nobody has worked on
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def course_config(root: Path) -> Config:
    """The course's nbgrader settings.

    Raises:
        CourseError: the file cannot be read.
    """
    try:
        return PyFileConfigLoader(CONFIG, path=str(root)).load_config()
    except Exception as error:
        raise CourseError(f"{root / CONFIG} cannot be read: {error}") from error


# ---------------------------------------------------------------------- script -> executed notebook


def read_script(path: Path) -> NotebookNode:
    """The script as a notebook without outputs, with ids that stay the same from one build to the next.

    Raises:
        CourseError: the script is missing or is not a notebook.
    """
    if not path.is_file():
        raise CourseError(f"{path} is missing.")
    try:
        nb: NotebookNode = jupytext.read(path, fmt="py:percent")
    except Exception as error:
        raise CourseError(f"{path} cannot be read as a notebook: {error}") from error
    nb.metadata = nbformat.from_dict({"kernelspec": KERNELSPEC, "language_info": {"name": "python"}})
    nb.nbformat, nb.nbformat_minor = 4, 5
    for index, cell in enumerate(nb.cells):
        cell.id = cell.metadata.get("nbgrader", {}).get("grade_id") or f"cell-{index:02d}"
    return nb


def execute(nb: NotebookNode, name: str, root: Path) -> None:
    """Run the notebook in a new kernel and an empty folder, and store its outputs.

    Args:
        nb: the notebook, changed in place.
        name: what to call it in a message.
        root: the course whose minigrad and grader the kernel imports.

    Raises:
        CourseError: a cell fails, or takes too long.
    """
    with tempfile.TemporaryDirectory(prefix="nb") as scratch:
        client = NotebookClient(
            nb,
            kernel_name="python3",
            config=kernel_config(scratch),
            timeout=CELL_SECONDS,
            startup_timeout=120,
            coalesce_streams=True,
            store_widget_state=False,
            resources={"metadata": {"path": scratch}},
        )
        try:
            client.execute(env=_kernel_environment(root, Path(scratch)))
        except CellExecutionError as error:
            card = f" Above stands: {said}" if error.ename == NotRight.__name__ and (said := _said(nb)) else ""
            raise CourseError(f"{name}: {_failing_cell(nb)} fails with {error.ename}: {error.evalue}{card}") from error
        except CellTimeoutError as error:
            raise CourseError(f"{name}: {_failing_cell(nb)} did not finish within {CELL_SECONDS} s.") from error
        except DeadKernelError as error:
            raise CourseError(f"{name}: {_failing_cell(nb)} ended the kernel.") from error
    nb.metadata.language_info = nbformat.from_dict({"name": "python"})  # the kernel adds its Python's version
    for cell in nb.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop(VIEW, None)  # a widget ends with its kernel: what stands still is kept


def kernel_config(scratch: str) -> Config:
    """Settings of a notebook's kernel: sockets in `scratch`, where the system has them.

    TCP ports can collide when several notebooks run at once.
    """
    if os.name != "posix":
        return Config()
    return Config({"KernelManager": {"transport": "ipc", "ip": os.path.join(scratch, "ipc")}})


def _kernel_environment(root: Path, scratch: Path) -> dict[str, str]:
    """The course's own packages first; nothing of the builder's settings, nothing left behind."""
    path = os.pathsep.join([str(root), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {
        **os.environ,
        "PYTHONPATH": path,
        "PYTHONHASHSEED": "0",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "IPYTHONDIR": str(scratch / "ipython"),
        "MY_MINIGRAD": str(scratch / "my_minigrad"),
    }


def _started(nb: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in nb.cells if cell.cell_type == "code" and "execution" in cell.metadata]


def _failing_cell(nb: NotebookNode) -> str:
    """Names the last cell that was started."""
    started = _started(nb)
    return f"cell '{started[-1].id}'" if started else "the notebook's start"


def _said(nb: NotebookNode) -> str:
    """What the last cell that was started has shown, as text on one line: a check's card, which its error points to."""
    shown = (output.get("data", {}).get("text/plain", "") for cell in _started(nb)[-1:] for output in cell.outputs)
    return one_line(" ".join(shown))


def pictures(nb: NotebookNode) -> dict[str, str]:
    """File name -> SVG, for each cell whose metadata names the picture that it draws (`picture="graph.svg"`).

    Raises:
        CourseError: such a cell drew nothing.
    """
    drawn = {}
    for cell in nb.cells:
        if name := cell.metadata.get("picture"):
            svgs = [o.data["image/svg+xml"] for o in cell.outputs if "image/svg+xml" in o.get("data", {})]
            if not svgs:
                raise CourseError(f"Cell '{cell.id}' should draw {name}, but its output has no SVG.")
            drawn[name] = svgs[-1]
    return drawn


def make_solution(chapter: int, root: Path) -> dict[Path, str]:
    """What `solutions/` should hold for the chapter: path below the course's folder -> text."""
    own.bring(chapter, root)
    source = script(chapter, root)
    if chapter in own.numbers() and (lacks := list(own.demanded(read_script(source), exercises(chapter)))):
        raise CourseError(f"{source.relative_to(root)}: {' '.join(lacks)}")
    return solved(source, root)


def solved(source: Path, root: Path) -> dict[Path, str]:
    """What a script becomes when it is run: its notebook, and its pictures; path below the course's folder -> text."""
    nb = read_script(source)
    execute(nb, str(source.relative_to(root)), root)
    folder = source.parent.relative_to(root)
    files = {folder / name: svg for name, svg in pictures(nb).items()}
    return {folder / f"{source.stem}.ipynb": nbformat.writes(nb) + "\n", **files}


# ---------------------------------------------------------------------- executed notebook -> release


def make_release(chapter: int, root: Path, solution: dict[Path, str], db_url: str | None = None) -> dict[Path, bytes]:
    """What `notebooks/` should hold for the chapter: path below the course's folder -> bytes.

    Args:
        chapter: its number.
        root: the course's folder.
        solution: the chapter's generated files, as `make_solution` gives them.
        db_url: the gradebook that should know the assignment; a temporary one if None.

    Raises:
        CourseError: nbgrader refuses the notebook.
    """
    return released(assignment(chapter), root, solution, db_url)


def released(assignment: str, root: Path, solution: dict[Path, str], db_url: str | None = None) -> dict[Path, bytes]:
    """`make_release` for any folder of `solutions/`, by its name."""
    with tempfile.TemporaryDirectory(prefix="release") as scratch:
        course = Path(scratch).resolve()
        shutil.copytree(root / "solutions" / assignment, course / "solutions" / assignment)
        for path, text in solution.items():
            (course / path).write_bytes(text.encode())
        config = course_config(root)
        config.CourseDirectory.root = str(course)
        config.CourseDirectory.db_url = db_url or f"sqlite:///{course / 'gradebook.db'}"
        config.Exchange.root = str(course)  # the API looks for one, and complains where it finds none
        config.NbGraderAPI.log_level = "ERROR"
        with alembic_here():
            if db_url and is_there(db_url):
                for path in (course / "solutions" / assignment).glob("*.ipynb"):
                    follow(db_url, assignment, path.stem, nbformat.read(path, as_version=4))
            result = NbGraderAPI(config=config).generate_assignment(assignment)
            if "IntegrityError" in str(result.get("log")):  # a run of another chapter was first with a row of both
                result = NbGraderAPI(config=config).generate_assignment(assignment)
        if problem := failure(result, config.CourseDirectory.db_url):
            raise CourseError(f"nbgrader cannot release {assignment}: {problem}.")
        made = course / "notebooks" / assignment
        return {
            Path("notebooks") / path.relative_to(made.parent): path.read_bytes()
            for path in sorted(made.rglob("*"))
            if path.is_file()
        }


def failure(result: dict[str, object], db_url: str) -> str:
    """The error that nbgrader logged before it gave up, for its last line only says to look above; "" if it did not.

    Raises:
        CourseError: the gradebook is at fault, which is nobody's submission.
        KeyboardInterrupt: nbgrader takes Ctrl-C, too, for a fault of the submission.
    """
    if result["success"]:
        return ""
    text = f"{result.get('log') or ''}\n{result.get('error') or ''}"
    if re.search(r"^KeyboardInterrupt$", text, re.MULTILINE):
        raise KeyboardInterrupt
    if problem := trouble(text):
        raise CourseError(f"The gradebook {place(db_url)} {problem}.")
    named = re.findall(r"^\s*(?:\w+\.)*\w*(?:Error|Exception): (.+)$", text, re.MULTILINE)
    reason = next((line for line in reversed(named) if "above traceback" not in line), "it gives no reason")
    return reason.rstrip(".")


# ---------------------------------------------------------------------- building


def build_release(chapter: int, root: Path | None = None, db_url: str | None = None) -> Path:
    """Write the student's notebook of the chapter from its executed solution; returns the notebook's path.

    Args:
        chapter: its number.
        root: the course's folder; by default it is looked for from the working folder upwards.
        db_url: the gradebook that should know the assignment, e.g. the classroom's; a temporary one if None.

    Raises:
        CourseError: unknown chapter, the solution was not built yet, or nbgrader refuses it.
    """
    root = course_root(root)
    source = script(chapter, root).with_suffix(".ipynb")
    if not source.is_file():
        raise CourseError(f"{source.relative_to(root)} is missing: build the solution first, with `make notebooks`.")
    made = make_release(chapter, root, {}, db_url)
    _write(root, made)
    return root / "notebooks" / f"chapter{chapter}" / source.name


def build(
    numbers: Iterable[int] | None = None, check: bool = False, root: Path | None = None, db_url: str | None = None
) -> list[str]:
    """Make everything that is generated from the scripts of these chapters.

    Args:
        numbers: the chapters; all of them if None.
        check: compare only, and write nothing.
        root: the course's folder; by default it is looked for from the working folder upwards.
        db_url: the gradebook that should know the assignments; a temporary one if None.

    Returns:
        One sentence for each file that was written; with `check`, for each that is not what its script makes.

    Raises:
        CourseError: unknown chapter, missing script, or a cell that fails.
    """
    root = course_root(root)
    report = []
    with tempfile.TemporaryDirectory(prefix="gradebook") as scratch:  # one for all: nbgrader takes seconds to make it
        asked = sorted({*chapters(root), *own.numbers()}) if numbers is None else list(numbers)
        for chapter in tqdm(asked, desc="chapters", unit=" chapters", disable=None, leave=False):
            solution = make_solution(chapter, root)
            made = {path: text.encode() for path, text in solution.items()}
            made |= make_release(chapter, root, solution, db_url or f"sqlite:///{scratch}/gradebook.db")
            report += _kept(assignment(chapter), root, made, check)
        for name in BESIDE if numbers is None else ():
            sources = sorted((root / "solutions" / name).glob("*.py"))
            solution = {path: text for source in sources for path, text in solved(source, root).items()}
            made = {path: text.encode() for path, text in solution.items()}
            made |= released(name, root, solution, f"sqlite:///{scratch}/gradebook.db") if solution else {}
            report += _kept(name, root, made, check)
    return report


def _kept(name: str, root: Path, made: dict[Path, bytes], check: bool) -> list[str]:
    """Write what was made of a folder's scripts, or only compare it; a sentence for each difference."""
    if check:
        return _drift(name, root, made)
    written = [f"{path} was written." for path in _write(root, made)]
    return written + [f"{path} is made by no script and was left alone." for path in _strays(name, root, made)]


def _write(root: Path, made: dict[Path, bytes]) -> list[Path]:
    """Write the files that differ; returns their paths."""
    changed = [path for path, data in made.items() if not _same(root / path, data)]
    for path in changed:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        _put_aside(root / path)
        (root / path).write_bytes(made[path])
    return changed


def _put_aside(path: Path) -> None:
    """Keep a release notebook that a learner has worked in, under another name, before it is written anew."""
    if path.suffix != ".ipynb" or "notebooks" not in path.parts or not path.is_file() or not worked_in(path):
        return
    names = (path.with_suffix(f".yours{number}.ipynb") for number in itertools.chain([""], itertools.count(2)))
    path.rename(next(name for name in names if not name.exists()))


def worked_in(path: Path) -> bool:
    """Whether a stub of the release notebook is filled in; a file that cannot be read is taken for work, too."""
    try:
        cells = nbformat.read(path, as_version=4).cells
    except Exception:
        return True
    stubs = [cell.source for cell in cells if cell.metadata.get("nbgrader", {}).get("solution")]
    return any(STUB not in source for source in stubs)


def _drift(name: str, root: Path, made: dict[Path, bytes]) -> list[str]:
    report = []
    for path, data in made.items():
        if not (root / path).is_file():
            report.append(f"{path} is missing: run `make notebooks`.")
        elif not _same(root / path, data):
            report.append(f"{path} is not what its script makes: run `make notebooks`.")
    return report + [f"{path} is made by no script: remove it." for path in _strays(name, root, made)]


def _same(path: Path, data: bytes) -> bool:
    return path.is_file() and path.read_bytes() == data


def _strays(name: str, root: Path, made: dict[Path, bytes]) -> list[Path]:
    """Files in the release folder that no script makes. What Jupyter and the workshop leave is not looked at."""
    folder = root / "notebooks" / name
    found = [path.relative_to(root) for path in sorted(folder.rglob("*")) if path.is_file()]
    left = {".ipynb_checkpoints", "my_minigrad", "__pycache__"}
    return [path for path in found if path not in made and not left & set(path.parts) and ".yours" not in path.name]
