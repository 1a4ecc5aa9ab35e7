"""`grader doctor`: looks at the installation, and says in a sentence what is there or what to do.

It imports nothing but the standard library until it looks, so that it runs where everything else is missing.
"""

from __future__ import annotations

import importlib.metadata as metadata
import json
import os
import platform
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..verdict.pinned import TORCH, installed, other_torch

PORT = 8888
FINE, NOTE, WRONG = "ok", "note", "wrong"
INSTALL = "run `make setup`, or `python -m pip install --editable '.[course]'` in the course's folder"
# What tools leave when two of them have written one file: git, editors, Jupyter, and programs that synchronise folders.
COPIES = re.compile(r"conflict|\.orig$|\.rej$|-Copy\d+\.ipynb$|_(BACKUP|BASE|LOCAL|REMOTE)_\d+|\(\d+\)\.ipynb$", re.I)


@dataclass(frozen=True)
class Found:
    """What was found about one thing.

    Attributes:
        state: `ok`, `note` (worth knowing, and nothing stops) or `wrong`.
        says: one sentence: what is there, or what to do.
    """

    state: str
    says: str


def examine(classroom: Path = Path("classroom"), root: Path | None = None) -> Iterator[Found]:
    """Look at everything, one after the other; nothing that is found stops the rest.

    Args:
        classroom: the class's folder.
        root: the course's folder; by default the one above the working folder, or else the grader's own.
    """
    root = root or _course()
    looks: list[Callable[[], Iterable[Found]]] = [
        python,
        lambda: packages(root),
        numbers,
        sandbox,
        walls,
        memory,
        kernel,
        lambda: folders(root, classroom),
        alembic,
        port,
        lambda: notebooks(root),
        lambda: conda(root),
    ]
    for look in looks:
        try:
            yield from look()
        except Exception as error:  # a doctor does not faint
            name = getattr(look, "__name__", "a part")
            about = "" if name.startswith("<") else f" of {name}"
            yield Found(WRONG, f"The examination{about} stopped: {type(error).__name__}: {error}; {INSTALL}.")


def main(classroom: Path = Path("classroom"), say: Callable[[str], None] = print) -> int:
    """Say what is found; returns the exit code, 1 if something that matters is wrong."""
    states = []
    for found in examine(classroom):
        states.append(found.state)
        say(f"{found.state:5}  {found.says}")
    wrong = states.count(WRONG)
    say(f"{wrong} of {len(states)} findings should be put right." if wrong else "Everything that matters is fine.")
    return int(wrong > 0)


def _course() -> Path:
    here = Path.cwd().resolve()
    above = (folder for folder in (here, *here.parents) if (folder / "nbgrader_config.py").is_file())
    return next(above, Path(__file__).resolve().parents[2])


# ---------------------------------------------------------------------- Python and its packages


def python() -> Iterator[Found]:
    """The interpreter's version."""
    version = platform.python_version()
    if tuple(map(int, platform.python_version_tuple()[:2])) >= (3, 11):
        yield Found(FINE, f"Python {version} is new enough ({sys.executable}).")
    else:
        yield Found(
            WRONG, f"Python {version} is too old: run `make PYTHON=python3.12 setup` with Python 3.11 or newer."
        )


def required(root: Path) -> list[str]:
    """What pyproject.toml asks for a course; what was installed says so where the file cannot be read."""
    try:
        import tomllib

        project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
        course: list[str] = project["optional-dependencies"]["course"]
        return course
    except (ImportError, OSError, KeyError, ValueError):
        lines = [line.partition(";") for line in metadata.requires("minigrad") or []]
        return [name.strip() for name, _, when in lines if re.search("extra == .course.", when)]


def packages(root: Path) -> Iterator[Found]:
    """Every package that the course needs, in a version that it works with; torch has a sentence of its own."""
    wanted = required(root)
    found = [_package(line) for line in wanted if not line.startswith("torch==")]
    wrong = [one for one in found if one]
    yield from wrong
    if not wrong:
        yield Found(FINE, f"{len(found)} packages are installed, in versions that the course works with.")
    yield torch()


def _package(requirement: str) -> Found | None:
    """What is wrong about a package; None if nothing is."""
    [(name, wanted)] = re.findall(r"^([\w.-]+)(.*)", requirement)
    version = installed(name)
    if version is None:
        return Found(WRONG, f"{name} is not installed: {INSTALL}.")
    try:
        from packaging.specifiers import SpecifierSet
    except ImportError:
        return None
    if SpecifierSet(wanted).contains(version, prereleases=True):
        return None
    return Found(NOTE, f"{name} is installed in version {version}; the course is tested with {wanted}: {INSTALL}.")


def torch() -> Found:
    """Whether torch is there, in the pinned release."""
    if installed("torch") is None:
        return Found(WRONG, f"torch is not installed, and checks compare with it: run `pip install torch=={TORCH}`.")
    if words := other_torch():
        return Found(NOTE, f"{words[:-1]}, which `pip install torch=={TORCH}` installs.")
    return Found(FINE, f"torch {TORCH} is installed.")


def numbers() -> Iterator[Found]:
    """Whether NumPy and torch start, in a process of their own: a broken library may end it."""
    for name in ("numpy", "torch"):
        if installed(name) is None:
            continue
        command = [sys.executable, "-c", f"import {name} as n; print(float((n.ones(3) * 2).sum()))"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if run.stdout.strip() == "6.0":
            yield Found(FINE, f"{name} {installed(name)} starts and computes.")
        else:
            why = (run.stderr.strip().splitlines() or [f"exit status {run.returncode}"])[-1]
            yield Found(WRONG, f"{name} does not start ({why}): run `pip install --force-reinstall {name}`.")


# ---------------------------------------------------------------------- what grading and notebooks need


def sandbox() -> Iterator[Found]:
    """Whether submissions can be walled in; a learner does not need it."""
    try:
        from ..run.execution import sandbox_problem

        problem = sandbox_problem()
    except ImportError as error:
        yield Found(WRONG, f"The sandbox cannot be looked at, because {error.name} is missing: {INSTALL}.")
        return
    if problem is None:
        yield Found(FINE, "bubblewrap works, so submissions run in a sandbox.")
    else:
        yield Found(NOTE, f"{problem.rstrip('.')}; only grading a class needs it: {_sandbox_help()}.")


def walls() -> Iterator[Found]:
    """Each wall of a submission by itself: whether it stands here, and what to do if it does not."""
    if sys.platform != "linux":
        return
    try:
        from ..run.execution import control_group
        from ..run.execution.walls import walls_here
    except ImportError:
        return  # which `sandbox` has said
    for wall in walls_here():
        yield Found(NOTE if wall.missing else FINE, wall.missing or wall.stands)
    try:
        control_group.granted()
        yield Found(FINE, "Control groups: each submission has one of its own, for memory, processes and processor.")
    except control_group.NotGranted as reason:
        words = f"Control groups: {reason}, so each submission's memory and processes are watched and no more"
        yield Found(NOTE, f"{words}. Where systemd runs, `{control_group.HANDED} grader autograde` grants them.")


def memory(own: Path = Path("/proc/self/cgroup"), groups: Path = Path("/sys/fs/cgroup")) -> Iterator[Found]:
    """Whether Linux itself bounds the memory of all that grading starts; the grader's own watch looks now and then.

    Args:
        own: names this process's control groups.
        groups: where version 2 of control groups is mounted.
    """
    if sys.platform != "linux":
        return
    command = "systemd-run --user --scope -p Delegate=yes -p MemoryMax=75% -p TasksMax=4000 grader autograde"
    try:
        path = next(line[3:] for line in own.read_text("ascii").splitlines() if line.startswith("0::"))
        place = groups / path.lstrip("/")
        bounds = [
            (folder / "memory.max").read_text("ascii").strip()
            for folder in (place, *place.parents)
            if folder != groups and (folder / "memory.max").is_file()
        ]
    except (OSError, ValueError, StopIteration):
        bounds = []
    sizes = [int(bound) for bound in bounds if bound.isdigit()]
    if sizes:
        yield Found(FINE, f"A control group bounds the memory of all that grading starts: {min(sizes) >> 20:,} MB.")
    else:
        words = "No control group bounds the memory of all that grading starts; each submission's is watched"
        yield Found(NOTE, f"{words}. For a class that you do not trust at all: `{command}`.")


def _sandbox_help() -> str:
    """What to do about a sandbox that does not work, by what the system's settings say."""
    without = "or grade with --unsafe what you trust"
    if sys.platform != "linux":
        return "grade on Linux, in a virtual machine or in WSL, " + without
    if shutil.which("bwrap") is None:
        return "run `apt install bubblewrap`, or your system's command for it, " + without
    for name, (forbids, allows) in USER_NAMESPACES.items():
        if _setting(name) == forbids:
            return f"user namespaces are switched off here; `sysctl {name}={allows}` allows them, {without}"
    return "in a container, user namespaces have to be allowed from outside, " + without


# Linux's settings: the value that keeps bubblewrap from making a namespace, and one that lets it.
USER_NAMESPACES = {
    "kernel.unprivileged_userns_clone": ("0", "1"),
    "user.max_user_namespaces": ("0", "15000"),
    "kernel.apparmor_restrict_unprivileged_userns": ("1", "0"),
}


def _setting(name: str) -> str:
    try:
        return Path("/proc/sys", *name.split(".")).read_text("ascii").strip()
    except OSError:
        return ""


def kernel() -> Iterator[Found]:
    """Whether Jupyter finds the kernel that notebooks and submissions run on, and whose Python it is."""
    try:
        from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
    except ImportError as error:
        yield Found(WRONG, f"Jupyter's kernels cannot be looked at, because {error.name} is missing: {INSTALL}.")
        return
    try:
        spec = KernelSpecManager().get_kernel_spec("python3")
    except NoSuchKernel:
        command = f"{sys.executable} -m ipykernel install --sys-prefix"
        yield Found(WRONG, f"Jupyter finds no kernel called python3: run `{command}`.")
        return
    program = Path(spec.argv[0])
    if not program.is_absolute():
        yield Found(FINE, "Jupyter finds the kernel python3.")  # `python`: Jupyter starts its own
    elif not program.exists():
        command = f"{sys.executable} -m ipykernel install --sys-prefix"
        yield Found(WRONG, f"The kernel python3 starts {program}, which is not there: run `{command}`.")
    elif not program.parent.samefile(Path(sys.executable).parent):
        yield Found(NOTE, f"The kernel python3 runs another Python, {program}, with packages of its own.")
    else:
        yield Found(FINE, "Jupyter finds the kernel python3.")


def folders(root: Path, classroom: Path) -> Iterator[Found]:
    """Whether the course's, the class's and the learner's folders can be written."""
    mine = Path(os.environ.get("MY_MINIGRAD") or root / "my_minigrad")
    wanted = {"The course's folder": root, "The class's folder": classroom, "The folder of your engine": mine}
    for name, folder in wanted.items():
        folder = folder.expanduser().absolute()
        problem = unwritable(folder)
        if not problem:
            yield Found(FINE, f"{name}, {folder}, can be written" + ("." if folder.exists() else ", when it is made."))
        else:
            yield Found(WRONG, f"{name}, {folder}, cannot be written ({problem}): change its permissions, or move it.")


def unwritable(folder: Path) -> str:
    """Why nothing can be written into a folder, or into the nearest that exists above it; "" if it can."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=there):
            return ""
    except OSError as error:
        return error.strerror or type(error).__name__


def alembic() -> Iterator[Found]:
    """nbgrader makes a gradebook with `alembic`; without it, it leaves half of one and says nothing."""
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    missing = [name for name in ("nbgrader", "alembic") if shutil.which(name, path=places) is None]
    for name in missing:
        yield Found(WRONG, f"The command {name} is not found, which makes and keeps the gradebook: {INSTALL}.")
    if not missing:
        yield Found(FINE, "The commands nbgrader and alembic are there.")


def port(number: int = PORT) -> Iterator[Found]:
    """Whether JupyterLab gets its usual port."""
    with socket.socket() as probe:
        probe.settimeout(1)
        taken = probe.connect_ex(("127.0.0.1", number)) == 0
    if taken:
        words = "perhaps JupyterLab runs already (`jupyter lab list` says so); `make lab` takes the next free one"
        yield Found(NOTE, f"Port {number} is in use: {words}.")
    else:
        yield Found(FINE, f"Port {number} is free for JupyterLab.")


# ---------------------------------------------------------------------- the course's files


def notebooks(root: Path) -> Iterator[Found]:
    """Whether each chapter's notebooks are built, readable and the course's own, and alone."""
    chapters = sorted((root / "solutions").glob("chapter*"), key=lambda path: (len(path.name), path.name))
    if not chapters:
        yield Found(WRONG, f"There is no course in {root}: run this in its folder, or get it anew.")
        return
    found = [one for chapter in chapters for one in _chapter(root, chapter)]
    yield from found
    if not found:
        yield Found(FINE, f"The notebooks of {len(chapters)} chapters are built, and no cell of the course is changed.")


def _chapter(root: Path, solutions: Path) -> Iterator[Found]:
    for solution in sorted(solutions.glob("*.py")):
        release = root / "notebooks" / solutions.name / f"{solution.stem}.ipynb"
        yield from _notebook(root, solution.with_suffix(".ipynb"), release)
    for path in sorted((root / "notebooks" / solutions.name).glob("*")):
        name = path.relative_to(root)
        if re.search(r"\.yours\d*\.ipynb$", path.name):
            yield Found(NOTE, f"{name} is work that was put aside: copy what you need into the notebook beside it.")
        elif COPIES.search(path.name):
            yield Found(NOTE, f"{name} looks like a second copy that two tools made: compare, keep one, remove it.")


def _notebook(root: Path, solution: Path, release: Path) -> Iterator[Found]:
    """What is wrong with a chapter's two notebooks."""
    cells = {}
    for path in (solution, release):
        name = path.relative_to(root)
        if not path.is_file():
            yield Found(WRONG, f"{name} is missing: run `make notebooks`.")
            return
        text = path.read_text("utf-8", errors="replace")
        try:
            cells[path] = _locked(json.loads(text))
        except (ValueError, TypeError, AttributeError, KeyError):
            why = "two versions were merged into it" if "<<<<<<<" in text else "it is no notebook any more"
            yield Found(WRONG, f"{name} cannot be read, as {why}: `make notebooks` puts it aside and makes it anew.")
            return
    changed = [name for name, text in cells[solution].items() if cells[release].get(name) != text]
    if changed:
        names = ", ".join(changed[:3]) + (", …" if len(changed) > 3 else "")
        words = "not the course's any more; `make notebooks` makes it anew, and puts your work aside"
        yield Found(NOTE, f"{release.relative_to(root)} has cells that are {words} ({names}).")


def _locked(notebook: dict[str, Any]) -> dict[str, str]:
    """Name -> source of the cells that a learner is not meant to change."""
    found = {}
    for cell in notebook["cells"]:
        about = cell["metadata"].get("nbgrader", {})
        if about.get("locked"):
            found[about["grade_id"]] = "".join(cell["source"])
    return found


def conda(root: Path) -> Iterator[Found]:
    """Whether environment.yml asks for what pyproject.toml asks for."""
    path = root / "environment.yml"
    if not path.is_file():
        yield Found(NOTE, "environment.yml is missing; only conda needs it.")
        return
    listed = re.findall(r"^ {6}- (\S+)$", path.read_text("utf-8"), re.MULTILINE)
    missing = sorted(set(required(root)) - set(listed))
    if missing:
        yield Found(NOTE, f"environment.yml lacks {', '.join(missing)}, which pyproject.toml asks for.")
    else:
        yield Found(FINE, "environment.yml asks for what pyproject.toml asks for.")
