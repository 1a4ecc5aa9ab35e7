"""A watch over the processes of one kernel, which ends all of them when a bound is passed.

It asks the operating system, never the kernel: it works when the kernel's channels do not.
"""

import contextlib
import errno
import os
import signal
import stat
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import psutil

from . import control_group
from .limits import Limits
from .processor import Clock, Processor, clocks
from .warm import Fork

# What a kernel was ended for, or by: "timeout" of the processor's clock, "waited" of the one on the wall.
End = Literal["timeout", "waited", "died", "out of memory", "too many processes"]

PERIOD = 0.2  # Seconds between two looks.
DISK_SECONDS = 60.0  # for which the processes of a kernel, all in all, may do nothing but read from a disk
RECEIVED = 1 << 30  # Bytes by which the grader may grow: what 0MQ took in for it and was not fetched yet.
MAPS_BYTES = 16 << 20  # of text about what the processes have mapped: NumPy and all that a notebook imports take 0.1 MB
NEVER_ENDING = "The kernel was stopped: its processes have mapped more than can be looked at."
FULL = "The kernel was ended: all the memory that it may have was used, with what lies in pipes, sockets and files."
GROUP = 4  # PIDFD_SIGNAL_PROCESS_GROUP
SOCKETS = 5  # Jupyter's shell, iopub, stdin, control and heartbeat; a fork has the first two.

_watching: "set[Guard]" = set()  # In this process.


class TooMuchToRead(Exception):
    """What the processes have mapped takes more text to tell than anybody reads."""


class Guard:
    """Watches `process` and its descendants until `stop`.

    Args:
        process: the kernel, or the bubblewrap around it; leader of its own session.
        sockets: the folder that the kernel may write to; nothing but sockets belongs there.
        limits: the bounds.
        end: monotonic time at which everything is over.
    """

    def __init__(self, process: subprocess.Popen[bytes] | Fork, sockets: Path, limits: Limits, end: float) -> None:
        self.process = process
        #: What the kernel was ended for: (state, sentence), or None.
        self.verdict: tuple[End, str] | None = None
        #: Seconds of processor time that its processes have used; when they were last seen at work, and looked at.
        self.used, self.busy_at, self.looked_at = 0.0, time.monotonic(), 0.0
        #: Seconds for which none of them was at work, as far as was seen: not those that a busy machine took.
        self.idle = 0.0
        self._waits: dict[str, float] = {}
        self._processor, self._on_disk = Processor(PERIOD), 0.0
        self._sockets, self._limits, self._end = sockets, limits, end
        self._handle = _handle(process.pid)
        self._group = control_group.enclose(process.pid, limits)
        self._own = psutil.Process()
        self._own_before = _resident(self._own)
        self._done = threading.Event()
        _watching.add(self)
        self._thread = threading.Thread(target=self._watch, name="kernel guard", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the kernel with all its processes, and the watch."""
        self._done.set()
        self.kill()
        self._thread.join()
        _watching.discard(self)
        if self._group:
            self._group.end()
        if self._handle is not None:
            os.close(self._handle)

    def kill(self) -> None:
        """SIGKILL to every process. The death of bubblewrap, or of a fork, ends its whole PID namespace."""
        # To look for the processes of a fork, of which `wait` knows when all have ended, takes 4 ms.
        family = [] if isinstance(self.process, Fork) else _family(self.process.pid)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            self._kill_group()
        for member in family:
            with contextlib.suppress(psutil.Error):
                member.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)

    def _kill_group(self) -> None:
        """SIGKILL to the process and its group, by a handle: its number may be another's by now."""
        if self._handle is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            return
        try:
            signal.pidfd_send_signal(self._handle, signal.SIGKILL, None, GROUP)
        except OSError as error:
            if error.errno != errno.EINVAL:  # Linux before 6.9 knows no handle of a group.
                raise
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            if not isinstance(self.process, Fork):  # Without a sandbox, others in its group would go on.
                os.killpg(self.process.pid, signal.SIGKILL)

    def _watch(self) -> None:
        while not self._done.wait(PERIOD):
            self.verdict = self._looked()
            if self.verdict:
                self.kill()
                return

    def _looked(self) -> tuple[End, str] | None:
        """What a look comes to. Whom nobody can look at is ended, for no bound stands any more."""
        try:
            return self._look()
        except (psutil.Error, OSError):  # The grader's own trouble, such as no descriptor left: the next may do better.
            return None
        except TooMuchToRead:
            return "died", NEVER_ENDING
        except Exception as error:
            return "died", f"The kernel was stopped: its processes cannot be looked at ({type(error).__name__})."

    @property
    def alive(self) -> bool:
        """Whether it still looks."""
        return self._thread.is_alive()

    @property
    def full(self) -> bool:
        """Whether Linux ended the kernel because the memory of its control group was used up."""
        return self._group is not None and self._group.full

    def _look(self) -> tuple[End, str] | None:
        if self.full:
            return "out of memory", FULL
        if time.monotonic() > self._end:
            return "waited", "The time for the whole notebook was used up, most of it without computing."
        if problem := self._problem_with_sockets():
            return "died", f"The kernel was stopped: {problem}."
        family = _seen(self.process.pid)
        self._note(family)
        if len(family) > self._limits.processes:
            return "too many processes", f"More than {self._limits.processes} processes were running at a time."
        if sum(_resident(member) for member in family) + _nameless(family) > self._limits.memory_bytes:
            return "out of memory", f"More than {self._limits.memory_bytes >> 20} MB of memory were used."
        # 0MQ's own bound counts messages, of any number of frames; a low one would lose honest prints. Where threads
        # run kernels side by side, as on a cluster, nobody knows whose it is, and nobody pays for another's.
        if len(_watching) == 1 and _resident(self._own) - self._own_before > RECEIVED:
            return "died", "The kernel was stopped: more was sent than can be received."
        return None

    def _note(self, family: list[psutil.Process]) -> None:
        """Look at the processes' own clocks. One that is ready to run is at work, though nobody lets it.

        Of the time between two looks, idle is what they neither used nor waited for: a little work excuses no sleep.
        """
        found = clocks(family)
        self._processor.look(found)
        used = max(self._processor.used, self._group.used if self._group else 0.0)
        now, waits = time.monotonic(), _waits(family)
        worked = max(0.0, used - self.used)
        ready = self._ready(found, now)
        if ready or worked:
            self.busy_at = now
        if self.looked_at and not ready:
            # One wait at a time: of many threads that wait for each other's short turns, the sum would be a pretext.
            waited = max((wait - self._waits.get(task, 0.0) for task, wait in waits.items()), default=0.0)
            self.idle += idle(now - self.looked_at, worked, waited)
        self.used, self.looked_at, self._waits = max(self.used, used), now, waits

    def _ready(self, found: dict[psutil.Process, Clock], now: float) -> bool:
        """Whether one of them would run, or reads from a disk: for a while, for much else looks like that."""
        if any(clock.status == psutil.STATUS_RUNNING for clock in found.values()):
            return True
        parents = set(map(_parent, found))
        # Who waits for a child of vfork's, which may wait for anything, looks as if it read from a disk.
        asleep = (member for member, clock in found.items() if clock.status == psutil.STATUS_DISK_SLEEP)
        if all(member.pid in parents for member in asleep):
            return False
        self._on_disk += min(now - self.looked_at, PERIOD) if self.looked_at else 0.0
        return self._on_disk < DISK_SECONDS

    def _problem_with_sockets(self) -> str | None:
        """What is wrong with the folder of the sockets, which is on the host's disk and the kernel's to write to."""
        try:
            with os.scandir(self._sockets) as found:
                entries = list(found)
        except FileNotFoundError:  # Without a sandbox, a cell may remove it: that ends nobody but itself.
            return None
        except OSError:  # Outside, it belongs to the same user as inside, who may shut it.
            return "it shut the folder of its sockets"
        if len(entries) > SOCKETS or any(_holds_something(entry) for entry in entries):
            return "files were written where none belong"
        return None


def idle(passed: float, worked: float, waited: float) -> float:
    """Seconds of those since the last look in which nothing was done, where nobody is ready to run now.

    Args:
        passed: since the last look. If that is long ago, the machine is busy, and kept the guard from looking.
        worked: processor time that was used.
        waited: for which one of the processes was ready to run, and the machine did not let it.
    """
    return max(0.0, min(passed, PERIOD) - worked - waited) if worked else passed


def _waits(family: list[psutil.Process]) -> dict[str, float]:
    """Thread → the seconds for which it was ready and did not run, by Linux's scheduler; nothing where it says none."""
    waits = {}
    for member in family:
        for task in _tasks(member.pid):
            with contextlib.suppress(OSError, IndexError, ValueError):
                waits[task] = int(Path(f"/proc/{member.pid}/task/{task}/schedstat").read_text().split()[1]) / 1e9
    return waits


def _tasks(pid: int) -> list[str]:
    """The threads of a process; none if it has gone, which is no reason to look at nobody else."""
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


def _holds_something(entry: os.DirEntry[str]) -> bool:
    """Whether it is no socket; known from the listing itself, so that no name can go before it is looked at."""
    return entry.is_symlink() or entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False)


def _handle(pid: int) -> int | None:
    """A descriptor that stands for the process, and for none that gets its number later; None where there is none."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _family(pid: int) -> list[psutil.Process]:
    """A process and all its descendants; empty when it is gone."""
    try:
        head = psutil.Process(pid)
        return [head, *head.children(recursive=True)]
    except psutil.Error:
        return []


def _seen(pid: int) -> list[psutil.Process]:
    """The same, by each thread's own list of children: to read the table of all processes takes 5 ms."""
    if not os.path.exists(f"/proc/{pid}/task/{pid}/children"):  # another system, or a Linux without
        return _family(pid)
    found, waiting = [], [pid]
    while waiting:
        each = waiting.pop()
        with contextlib.suppress(psutil.Error):
            found.append(psutil.Process(each))
        for task in _tasks(each):
            with contextlib.suppress(OSError):
                waiting += map(int, Path(f"/proc/{each}/task/{task}/children").read_text().split())
    return found


def _parent(process: psutil.Process) -> int:
    try:
        parent: int = process.ppid()
    except psutil.Error:
        return 0
    return parent


def _resident(process: psutil.Process) -> int:
    try:
        size: int = process.memory_info().rss
    except psutil.Error:
        return 0
    return size


def _nameless(family: list[psutil.Process]) -> int:
    """The size of all files without a name that are open or mapped: in memory, or on the host's disk out of sight.

    Shared memory is such a file. Of those who mapped it, it is resident only in who looked at it.

    Raises:
        TooMuchToRead: nobody can know.
    """
    sizes: dict[tuple[int, int] | tuple[bytes, bytes], int] = {}
    for places, device, number in _mapped_nameless(family):
        first, last = (int(end, 16) for end in places.split(b"-"))
        sizes[device, number] = max(sizes.get((device, number), 0), last - first)
    for member in family:
        # What went meanwhile holds nothing; a bubblewrap that is set-uid may not be looked into, and holds nothing.
        with contextlib.suppress(OSError):
            for descriptor in os.listdir(f"/proc/{member.pid}/fd"):
                with contextlib.suppress(OSError):
                    file = os.stat(f"/proc/{member.pid}/fd/{descriptor}")
                    if file.st_nlink == 0 and stat.S_ISREG(file.st_mode):
                        sizes[file.st_dev, file.st_ino] = file.st_blocks * 512
    return sum(sizes.values())


def _mapped_nameless(family: list[psutil.Process]) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Of each mapping of a file without a name: its addresses, and the file's device and number.

    A line ends with a path, in which only the end of a line is escaped: all else in it may be the student's.

    Raises:
        TooMuchToRead: a path has any length, and each of many mappings tells it.
    """
    left = MAPS_BYTES
    for member in family:
        text = b""
        with contextlib.suppress(OSError), open(f"/proc/{member.pid}/maps", "rb") as file:
            text = file.read(left + 1)
        left -= len(text)
        if left < 0:
            raise TooMuchToRead
        for line in text.split(b"\n"):
            if line.endswith(b"(deleted)"):
                places, _, _, device, number = line.split(maxsplit=5)[:5]
                yield places, device, number
