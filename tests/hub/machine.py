"""A machine of the test's own: its accounts, homes and /srv are folders, and everything else is this machine's.

bubblewrap, as root, puts the folders in the place of /etc, /home, /srv, /tmp and root's home; the accounts exist there
alone, and switching to one of them is the kernel's own.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Machine:
    """A machine with accounts that have passwords.

    Args:
        folder: where its folders lie.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree("/etc", folder / "etc", symlinks=True, ignore_dangling_symlinks=True)
        for name, mode in ("home", 0o755), ("srv", 0o755), ("tmp", 0o1777), ("root", 0o755):
            (folder / name).mkdir()
            (folder / name).chmod(mode)

        base, own = Path(sys.base_prefix), Path(pwd.getpwuid(0).pw_dir)
        if base.is_relative_to(own):  # then every account may go through the folders on the way
            (folder / "root" / base.relative_to(own)).mkdir(parents=True)
            for path in (folder / "root").rglob("*"):
                path.chmod(0o755)

    def command(self, user: str, *words: str) -> list[str]:
        """The command that runs `words` there, as a user in their home."""
        places = [
            ("etc", "/etc"),
            ("home", "/home"),
            ("srv", "/srv"),
            ("tmp", "/tmp"),
            ("root", pwd.getpwuid(0).pw_dir),
        ]
        binds = [word for name, place in places for word in ("--bind", str(self.folder / name), place)]
        python = ("--ro-bind", sys.base_prefix, sys.base_prefix)  # it may lie in root's home
        switch = [] if user == "root" else ["runuser", "-u", user, "--"]
        home = "/" if user == "root" else f"/home/{user}"
        walls = [
            "bwrap",
            "--dev-bind",
            "/",
            "/",
            *binds,
            *python,
            "--tmpfs",
            "/run",
            "--die-with-parent",
            "--chdir",
            home,
        ]
        return [*walls, "--setenv", "HOME", home, "--setenv", "USER", user, *switch, *words]

    def run(self, user: str, *words: str, **options: object) -> subprocess.CompletedProcess[str]:
        """Run a command there to its end."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "MINIGRAD"))}
        return subprocess.run(self.command(user, *words), env=environment, capture_output=True, text=True, **options)

    def done(self, user: str, *words: str, **options: object) -> str:
        """Run a command that has to succeed; what it printed."""
        found = self.run(user, *words, **options)
        assert found.returncode == 0, f"{' '.join(words)}\n{found.stdout[-3000:]}\n{found.stderr[-3000:]}"
        return found.stdout

    def account(self, name: str) -> None:
        """An account whose password is its name."""
        self.done("root", "useradd", "--create-home", "--shell", "/bin/bash", name)
        self.done("root", "chpasswd", input=f"{name}:{name}\n")

    def course(self, user: str) -> Path:
        """A copy of the course, in a user's home; its path on that machine."""
        here, there = self.folder / "home" / user / "minigrad", Path("/home", user, "minigrad")
        listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")
        for name in filter(None, listed):
            if (ROOT / name).is_file():
                (here / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, here / name)
        self.done("root", "chown", "-R", f"{user}:", str(there))
        return there


def free_port() -> int:
    """A port of which the hub's others, the next and the one 81 above, are free, too."""
    while True:
        with socket.socket() as one, socket.socket() as two, socket.socket() as three:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
            try:
                two.bind(("127.0.0.1", port + 1))
                three.bind(("127.0.0.1", port + 81))
            except (OSError, OverflowError):
                continue
            return port
