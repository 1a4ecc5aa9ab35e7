"""A JupyterHub for a class on one machine: what it needs is installed, and it is started.

Its folder holds, side by side, what must not mix: the hub's own environment, which runs as root; the students'
environment, with a bundle in it and no solution; nbgrader's exchange. The instructor's server runs in the course's own
environment, and the course's folder is theirs alone.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from ..errors import CourseError
from ..publish.course import chapter_of

HERE = Path(__file__).resolve().parent
JUPYTERHUB = "jupyterhub~=6.1"
PROXY = "configurable-http-proxy@5"
COURSE_ID = "minigrad"  # as nbgrader_config.py has it
Said = Callable[[str], None]


@dataclass(frozen=True)
class Hub:
    """Where a hub's parts lie.

    Attributes:
        folder: the hub's own folder, readable by everybody.
        course: the course, in the home of the instructor, who owns it.
    """

    folder: Path
    course: Path

    @property
    def instructor(self) -> str:
        """The account that teaches: the owner of the course's folder."""
        return pwd.getpwuid(self.course.stat().st_uid).pw_name

    @property
    def exchange(self) -> Path:
        """nbgrader's exchange."""
        return self.folder / "exchange"

    @property
    def students(self) -> Path:
        """The students' environment."""
        return self.folder / "students"

    def bundle(self) -> Path:
        """The newest chapter's bundle.

        Raises:
            CourseError: there is none.
        """
        made = (self.course / "classroom" / "bundles").glob("minigrad-chapter*.zip")
        chapters = {chapter_of(path.stem.removeprefix("minigrad-")): path for path in made}
        if not chapters:
            raise CourseError(
                "There is no bundle for students' servers: grader release --chapter 1 --bundle makes one."
            )
        return chapters[max(chapters)]


def prepare(hub: Hub, said: Said) -> None:
    """Install what the hub needs and lay out its folder; what is there already is left.

    Raises:
        CourseError: this account, this Python or this machine cannot run a hub, and why.
    """
    _need(hub)
    hub.bundle()
    hub.course.chmod(0o700)
    said(f"{hub.course} is {hub.instructor}'s alone: no other account can read it.")
    hub.folder.mkdir(parents=True, exist_ok=True)
    hub.folder.chmod(0o755)
    _own_folder(hub.folder / "state", 0o700, "root")
    _own_folder(hub.exchange, 0o755, "root")
    _own_folder(hub.exchange / COURSE_ID, 0o755, hub.instructor)  # first, so that nobody else makes it
    hub.exchange.chmod(0o1777)  # nbgrader asks that everybody can write there
    _own_folder(hub.students, 0o755, hub.instructor)
    shutil.copytree(HERE / "student", hub.folder / "settings", dirs_exist_ok=True)
    for path in [hub.folder / "settings", *(hub.folder / "settings").rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    said("Installing JupyterHub and its proxy …")
    _install_hub(hub)
    if not (hub.course / ".venv" / "bin" / "jupyterhub-singleuser").exists():
        _run([str(hub.course / ".venv/bin/python"), *PIP, JUPYTERHUB], hub.instructor)
    update(hub, said)


def update(hub: Hub, said: Said) -> None:
    """Bring the students' environment to the newest bundle; the instructor, who owns it, can do so at any time.

    Raises:
        CourseError: there is no bundle, or it cannot be installed.
    """
    bundle, python, mark = hub.bundle(), hub.students / "bin" / "python", hub.students / ".bundle"
    digest = hashlib.sha256(bundle.read_bytes()).hexdigest()
    if mark.is_file() and mark.read_text("utf-8") == digest:
        said(f"The students' environment has {bundle.name}.")
        return
    said(f"Installing {bundle.name} for students (the first time three minutes, 1.5 GB) …")
    if not python.exists():
        _run([sys.executable, "-m", "venv", str(hub.students)], hub.instructor)
        _run([str(python), *PIP, JUPYTERHUB, "nbgrader==0.9.6", str(bundle)], hub.instructor)
    else:
        _run([str(python), *PIP, str(bundle)], hub.instructor)
        _run([str(python), *PIP, "--force-reinstall", "--no-deps", str(bundle)], hub.instructor)
    mark.write_text(digest, "utf-8")


def start(hub: Hub, port: int) -> NoReturn:
    """Become the hub, which ends with Ctrl-C or `kill`.

    Args:
        hub: one that was prepared.
        port: where it is reached; the next one, and the one 81 above, are its own, on this machine alone.
    """
    program = hub.folder / "hub" / "bin" / "jupyterhub"
    told = {
        "MINIGRAD_HUB": str(hub.folder),
        "MINIGRAD_COURSE": str(hub.course),
        "MINIGRAD_INSTRUCTOR": hub.instructor,
        "MINIGRAD_PORT": str(port),
    }
    os.chdir(hub.folder / "state")
    os.execve(program, [str(program), "--config", str(HERE / "jupyterhub_config.py")], {**os.environ, **told})


PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")


def _need(hub: Hub) -> None:
    """Say at once what would fail after minutes."""
    if os.geteuid() != 0:
        raise CourseError("A hub starts each server as its user, which only root can: sudo make hub.")
    if hub.instructor == "root":
        raise CourseError(f"{hub.course} belongs to root: clone the course as the instructor, into their home.")
    if not (hub.course / ".venv" / "bin" / "python").exists():
        raise CourseError(f"{hub.course} has no .venv: run make setup there, as {hub.instructor}.")
    if not shutil.which("npm"):
        raise CourseError("JupyterHub's proxy needs Node.js: apt install nodejs npm.")
    if closed := next((path for path in _way(Path(sys.base_prefix)) if not path.stat().st_mode & 0o001), None):
        raise CourseError(
            f"Students cannot reach {sys.base_prefix}, for {closed} is closed: set .venv up with /usr/bin/python3."
        )


def _way(path: Path) -> list[Path]:
    return [path, *path.parents]


def _own_folder(path: Path, mode: int, owner: str) -> None:
    if path.is_symlink():  # root would give away, or open, what it leads to
        raise CourseError(f"{path} is a link, and is to be a folder of the hub's own: remove it.")
    path.mkdir(exist_ok=True)
    shutil.chown(path, owner)
    path.chmod(mode)


def _install_hub(hub: Hub) -> None:
    own = hub.folder / "hub"
    if not (own / "bin" / "jupyterhub").exists():
        _run([sys.executable, "-m", "venv", str(own)])
        _run([str(own / "bin" / "python"), *PIP, JUPYTERHUB])
    if not (own / "node_modules" / ".bin" / "configurable-http-proxy").exists():
        _run(["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", str(own), PROXY])


def _run(command: list[str], user: str = "root") -> None:
    """Run a command, as another user if that is not root's to do.

    Raises:
        CourseError: it failed; with its last words.
    """
    home = pwd.getpwnam(user).pw_dir
    switched = os.geteuid() == 0 and user != "root"
    environment = {**os.environ, "HOME": home, "USER": user, "LOGNAME": user} if switched else None
    found = subprocess.run(
        command,
        env=environment,
        cwd=home if switched else None,
        user=user if switched else None,
        group=pwd.getpwnam(user).pw_gid if switched else None,
        extra_groups=[] if switched else None,
        umask=0o022,
        capture_output=True,
        text=True,
    )
    if found.returncode:
        words = (found.stderr or found.stdout).strip().splitlines()[-3:]
        raise CourseError(f"{' '.join(command[:4])} … failed: {' '.join(words)}")
