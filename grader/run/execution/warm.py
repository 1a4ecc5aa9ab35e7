"""The grader's side of warm processes: starts them, forks kernels from them, and keeps the idle ones."""

import atexit
import contextlib
import json
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jupyter_client.connect import KernelConnectionInfo

from . import seccomp
from .limits import Limits
from .sandbox import INSIDE, rlimits, zygote_command

START_SECONDS = 120.0  # For importing what a notebook needs.
FORK_SECONDS = 60.0
CREDENTIALS = 12  # Bytes of a Linux `struct ucred`: process, user, group.


class NotWarm(Exception):
    """A kernel cannot be had from a warm process here; the slower way is open."""


class Fork:
    """A kernel's first process, with those parts of `subprocess.Popen` that a kernel's watch needs."""

    def __init__(self, pid: int, control: socket.socket) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._control, self._lock = control, threading.Lock()

    def poll(self) -> int | None:
        """The exit status; None while it lives."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float) -> int:
        """Wait for the end, and for that of every process that it started.

        Raises:
            TimeoutExpired: it still lives.
        """
        with self._lock:
            if self.returncode is None:
                self._control.settimeout(timeout)  # 0: do not wait at all
                try:
                    said = self._control.recv(100)
                except (TimeoutError, BlockingIOError):
                    raise subprocess.TimeoutExpired("kernel", timeout) from None
                except OSError:
                    said = b""
                # Without a word, the warm process has ended, and its forks with it.
                self.returncode = int(said) if said else -9
            return self.returncode


@dataclass(frozen=True)
class Place:
    """Where a fork's kernel is spoken to.

    Attributes:
        sockets: the folder of its sockets, as the grader sees it.
        inside: the same folder, as the kernel sees it.
    """

    sockets: Path
    inside: Path = INSIDE / "sockets"


class Zygote:
    """A warm process in the sandbox, for one course folder.

    Raises:
        NotWarm: it does not start here.
    """

    def __init__(self, course: Path) -> None:
        self.course = course
        self._room = Path(tempfile.mkdtemp(prefix="mg-"))
        self._rooms = self._room / "r"
        self._rooms.mkdir()
        self._count = 0
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        with theirs, open(self._room / "log", "wb") as log:
            self._process = subprocess.Popen(
                zygote_command(course, self._rooms),
                env={},
                cwd="/",
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )
        self._expect(b"ready", START_SECONDS)

    @property
    def alive(self) -> bool:
        """Whether it can fork."""
        return self._process.poll() is None

    def place(self) -> Place:
        """A new place for one fork."""
        self._count += 1
        place = Place(self._rooms / str(self._count))
        place.sockets.mkdir()
        return place

    def fork(self, place: Place, connection: KernelConnectionInfo, limits: Limits, log: Path) -> Fork:
        """Start a kernel in walls of its own.

        Args:
            place: a new one.
            connection: Jupyter's connection information, as the kernel needs it.
            limits: see `Limits`.
            log: takes what the kernel's process says of itself.

        Raises:
            NotWarm: the walls could not be closed.
        """
        bounds = rlimits(limits, own_user_namespace=True)
        request = {"room": place.sockets.name, "connection": connection, "limits": bounds}
        walls = {"scratch_bytes": limits.scratch_bytes, "filter": seccomp.program().hex()}
        message = json.dumps(request | walls).encode()
        try:
            with open(log, "wb") as file, self._or_dead():
                socket.send_fds(self._control, [message], [file.fileno()])
            return Fork(self._expect(b"started", FORK_SECONDS), self._control)
        except NotWarm:
            if self._count == 1:  # It never worked, as where walls cannot be closed. One that did had an accident.
                _cold[self.course] = time.monotonic()
            raise

    def clear(self, place: Place) -> None:
        """Remove what is left of a fork that has ended."""
        shutil.rmtree(place.sockets, ignore_errors=True)

    def kill(self) -> None:
        """End it with every fork, and remove its folder."""
        self._control.close()
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._room, ignore_errors=True)

    def _expect(self, word: bytes, seconds: float) -> int:
        """Wait for a word; returns the process that said it, as it is called out here."""
        with self._or_dead():
            self._control.settimeout(seconds)
            said, about, *_ = self._control.recvmsg(100, socket.CMSG_SPACE(CREDENTIALS))
            if said != word:
                raise OSError(f"it said {said!r}")
            return int.from_bytes(about[0][2][:4], "little")

    @contextlib.contextmanager
    def _or_dead(self) -> Iterator[None]:
        try:
            yield
        except (OSError, IndexError) as error:
            self.kill()
            raise NotWarm(str(error)) from error


_idle: dict[Path, list[Zygote]] = {}
_cold: dict[Path, float] = {}  # Courses for which no warm process could be had, and when that was.
COLD_SECONDS = 60.0


def take(course: Path) -> Zygote:
    """An idle warm process, or a new one. It is the caller's until `give_back`.

    Raises:
        NotWarm: there is none to be had for this course.
    """
    if time.monotonic() - _cold.get(course, -COLD_SECONDS) < COLD_SECONDS:
        raise NotWarm("It did not work a moment ago.")
    idle = _idle.setdefault(course, [])
    while idle:
        zygote = idle.pop()
        if zygote.alive:
            return zygote
        zygote.kill()
    try:
        return Zygote(course)
    except NotWarm:
        _cold[course] = time.monotonic()
        raise


def give_back(zygote: Zygote, place: Place, fork: Fork | None) -> None:
    """Keep the warm process for the next kernel, if this kernel is known to have ended."""
    if fork is not None and fork.returncode is not None and zygote.alive:
        zygote.clear(place)
        _idle.setdefault(zygote.course, []).append(zygote)
    else:
        zygote.kill()


@atexit.register  # Not heeded by the workers of a pool, which call it themselves.
def end_all() -> None:
    """End all idle warm processes."""
    for idle in _idle.values():
        while idle:
            idle.pop().kill()
