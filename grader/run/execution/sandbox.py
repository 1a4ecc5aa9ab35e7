"""The walls around a student's kernel: the command line that starts it, under bubblewrap or (unsafe) without.

Inside the sandbox there is a read-only system and Python, the course, the allowed packages, an own /tmp in memory, and
one folder shared with the grader in which the kernel opens its sockets. There is no network, no other process, no home,
and no environment variable of the grader's.
"""

import json
import math
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from . import seccomp
from .limits import MB, Limits
from .student_site import link_site, site_entries

BOOT = Path(__file__).with_name("boot.py")
ZYGOTE = Path(__file__).with_name("zygote.py")
FORKED = Path(__file__).with_name("forked.py")
INSIDE = Path("/student")  # Where the sandbox keeps the course, the packages and the connection file.


@dataclass(frozen=True)
class Launch:
    """How to start a kernel: for ``subprocess.Popen(launch.command, env=launch.env, cwd=launch.cwd)``."""

    command: list[str]
    env: dict[str, str]
    cwd: str


def launch(room: Path, sockets: Path, connection: Path, course: Path, limits: Limits, unsafe: bool = False) -> Launch:
    """The command that starts a kernel in its walls.

    Args:
        room: a private folder of the caller's, which outlives the kernel; only the unsafe mode writes there.
        sockets: the folder of the kernel's sockets, the one place on disk that the kernel may write to.
        connection: Jupyter's connection file; its sockets lie in `sockets`.
        course: holds the packages that the notebook imports as the course; read-only.
        limits: bounds; see `Limits`.
        unsafe: no bubblewrap: the same kernel and import path, as a plain process of this user.
    """
    if unsafe:
        return _plain(room, connection, course, limits)
    plan = {
        "connection": str(INSIDE / "kernel.json"),
        "limits": rlimits(limits, own_user_namespace=True),
        "filter": seccomp.program().hex(),
    }
    shared: list[str | Path] = ["--bind", sockets, sockets, "--ro-bind", connection, INSIDE / "kernel.json"]
    walls = [*STUDENT, *_walls(limits.scratch_bytes), *shared]
    return Launch(_walled(walls, course, BOOT, plan), {}, "/")


def zygote_command(course: Path, rooms: Path) -> list[str]:
    """The command that starts a warm process in the sandbox: for ``subprocess.Popen(…, env={}, cwd="/")``.

    Args:
        course: as for `launch`.
        rooms: an empty folder; each fork sees one folder in it as its own, and no other.
    """
    shared: list[str | Path] = ["--bind", rooms, INSIDE / "rooms", "--dir", INSIDE / "sockets"]
    for file in (BOOT, FORKED):
        shared += ["--ro-bind", file, INSIDE / file.name]
    return _walled([*KEEPER, *_walls(MB), *shared], course, ZYGOTE, {})


def _walled(walls: list[str | Path], course: Path, program: Path, plan: dict[str, Any]) -> list[str]:
    """The command that runs `program` under bubblewrap, in view of the course, the packages and the plan."""
    shown = ["--ro-bind", course.resolve(), INSIDE / "course", "--ro-bind", program, INSIDE / program.name]
    # Set by bubblewrap, because jupyter_client adds variables to the environment of what it starts.
    variables = [word for name, value in _environment("/tmp", parent=1).items() for word in ("--setenv", name, value)]
    plan = plan | {"course": str(INSIDE / "course"), "site": str(INSIDE / "site")}
    python = [*_python(), INSIDE / program.name, json.dumps(plan)]
    then = ["--remount-ro", "/", "--chdir", "/tmp", "--clearenv", *variables, "--", *python]
    bubblewrap = shutil.which("bwrap") or "bwrap"
    return [str(word) for word in (bubblewrap, *walls, *shown, *_site_mounts(), *then)]


@lru_cache(maxsize=1)
def sandbox_problem() -> str | None:
    """Why kernels cannot be sandboxed on this machine, in one sentence; None if they can."""
    if sys.platform != "linux":
        return f"The sandbox needs bubblewrap, which exists on Linux only (this is {platform.system()})."
    if shutil.which("bwrap") is None:
        return "The sandbox needs bubblewrap, and there is no command `bwrap` on this machine."
    command = inside(STUDENT, "import ssl, ctypes")
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=20, cwd="/")
    except (OSError, subprocess.SubprocessError) as error:
        return f"bubblewrap is installed but cannot be started ({type(error).__name__})."
    if run.returncode:
        reason = (run.stderr.strip().splitlines() or [f"exit status {run.returncode}"])[-1]
        return f"bubblewrap is installed but does not work here ({reason})."
    return None


def inside(user: tuple[str, ...], code: str) -> list[str]:
    """The command that runs some Python in the walls, as `STUDENT` or `KEEPER`, without course and packages."""
    command = [shutil.which("bwrap") or "bwrap", *user, *_walls(MB), "--remount-ro", "/", "--", *_python(), "-c", code]
    return [str(word) for word in command]


def _plain(room: Path, connection: Path, course: Path, limits: Limits) -> Launch:
    site, scratch = room / "site", room / "scratch"
    link_site(site)
    scratch.mkdir()
    plan = {
        "connection": str(connection),
        "course": str(course.resolve()),
        "site": str(site),
        "limits": rlimits(limits, own_user_namespace=False),
        "filter": seccomp.program().hex(),
    }
    command = [*_python(), BOOT, json.dumps(plan)]
    return Launch([str(word) for word in command], _environment(str(scratch), parent=os.getpid()), str(scratch))


def _python() -> list[str]:
    # The real interpreter, not a venv's link to it: a venv would bring its site-packages along.
    return [os.path.realpath(sys.executable), "-I", "-S", "-B", "-X", "utf8"]


# A student's kernel: a user of no importance, without a capability.
STUDENT = ("--uid", "1000", "--gid", "1000")
# The warm process, which runs nothing of a student's: it may close narrower walls, and name another user inside them.
KEEPER = ("--uid", "0", "--gid", "0", "--cap-drop", "ALL", "--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETFCAP")


def _walls(scratch_bytes: int) -> list[str | Path]:
    """bubblewrap's options for everything but what differs from kernel to kernel; mounts are made in this order."""
    namespaces = ["--unshare-all", "--unshare-user", "--hostname", "student"]
    life = ["--die-with-parent", "--new-session"]
    devices = [
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--size",
        str(MB),
        "--tmpfs",
        "/dev/shm",
        "--remount-ro",
        "/dev",
    ]
    scratch = ["--size", str(scratch_bytes), "--tmpfs", "/tmp"]
    return [*namespaces, *life, *devices, *scratch, *_system(), *_interpreter()]


def _system() -> list[str | Path]:
    """The read-only system: programs and libraries, and the few files of /etc that they look up."""
    mounts: list[str | Path] = []
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        top, usr = Path("/", name), Path("/usr", name)
        if usr.is_dir():
            mounts += ["--ro-bind", usr, usr]
        if top.is_symlink():
            mounts += ["--symlink", os.readlink(top), top]
        elif top.is_dir():
            mounts += ["--ro-bind", top, top]
    for path in ("/usr/share", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts", "/etc/localtime"):
        mounts += ["--ro-bind-try", path, path]
    return mounts


def _interpreter() -> list[str | Path]:
    """Python and its standard library, without any of its packages, nor those of the system's own Python."""
    executable, prefix = Path(os.path.realpath(sys.executable)), Path(sys.base_prefix)
    mounts: list[str | Path] = []
    if prefix != Path("/usr"):
        libraries = [prefix / name for name in ("lib", "lib64") if (prefix / name).is_dir()]
        for path in [executable, *libraries]:
            mounts += ["--ro-bind", path, path]
    for folder in sorted({*_package_folders(prefix), *_package_folders(Path("/usr"))}):
        mounts += ["--tmpfs", folder, "--remount-ro", folder]  # empty, and so it stays: all forks share it
    return mounts


def _package_folders(prefix: Path) -> list[Path]:
    """Folders below `prefix` in which packages are installed (Debian calls them dist-packages)."""
    stdlib = Path(sysconfig.get_path("stdlib"))
    candidates = {stdlib / "site-packages", stdlib / "dist-packages"}
    for library in ("lib", "lib64"):
        for version in (prefix / library).glob("python3*"):
            candidates |= {version / "site-packages", version / "dist-packages"}
    return sorted({path.resolve() for path in candidates if path.is_dir()})


def _site_mounts() -> list[str | Path]:
    mounts: list[str | Path] = []
    for name, path in site_entries().items():
        mounts += ["--ro-bind", path, INSIDE / "site" / name]
    return mounts


def _environment(home: str, parent: int) -> dict[str, str]:
    """The whole environment of the kernel.

    `parent` is the process without which ipykernel ends itself; 1 says that there is none to watch. (It reads the
    variable as it is imported; in a PID namespace its parent is always process 1.)
    """
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "IPYTHONDIR": f"{home}/.ipython",
        "MPLCONFIGDIR": f"{home}/.matplotlib",
        "JPY_PARENT_PID": str(parent),
        # One submission is one core's work; each further BLAS thread also reserves address space.
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }


def rlimits(limits: Limits, own_user_namespace: bool) -> dict[str, int]:
    """The bounds that the kernel's process sets for itself before it runs a cell."""
    values = {
        "RLIMIT_AS": limits.memory_bytes,
        "RLIMIT_CPU": math.ceil(limits.total_seconds) + 1,
        "RLIMIT_FSIZE": limits.file_bytes,
        # n descriptors allow some (n / 3)³ epoll watches, of which the grader's user has few on the whole machine.
        # An event loop needs epoll, so the filter cannot refuse it.
        "RLIMIT_NOFILE": 96,
        "RLIMIT_CORE": 0,
        "RLIMIT_SIGPENDING": 256,  # signals that wait, and timers: those of the grader's user are counted together
    }
    # Since Linux 5.14 processes are counted per user namespace. Before, and without a namespace, the limit would count
    # everything that this user runs; the guard counts the kernel's processes in any case.
    if own_user_namespace and _linux() >= (5, 14):
        values["RLIMIT_NPROC"] = limits.processes
    return values


def _linux() -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", platform.release())[:2])
