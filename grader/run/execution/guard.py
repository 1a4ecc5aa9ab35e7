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
from pathlib import Path
from typing import Literal

import psutil

from . import control_group
from .limits import Limits
from .warm import Fork

# What a kernel was ended for, or by: "timeout" of the processor's clock, "waited" of the one on the wall.
End = Literal["timeout", "waited", "died", "out of memory", "too many processes"]

PERIOD = 0.2  # Seconds between two looks.
RECEIVED = 1 << 30  # Bytes by which the grader may grow: what 0MQ took in for it and was not fetched yet.
FULL = "The kernel was ended: all the memory that it may have was used, with what lies in pipes, sockets and files."
GROUP = 4  # PIDFD_SIGNAL_PROCESS_GROUP
SOCKETS = 5  # Jupyter's shell, iopub, stdin, control and heartbeat; a fork has the first two.

_watching: "set[Guard]" = set()  # In this process.


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
            # Of the grader's own troubles alone, such as no descriptor left: the next look may do better.
            with contextlib.suppress(psutil.Error, OSError):
                self.verdict = self._look()
            if self.verdict:
                self.kill()
                return

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
        used, ready = 0.0, False
        parents = set(map(_parent, family))
        for member in family:
            with contextlib.suppress(psutil.Error):
                used += sum(member.cpu_times()[:4])  # its own, and those of its children that have ended
                status = member.status()
                # Who waits for a child of vfork's, which may wait for anything, looks as if it read from a disk.
                on_disk = status == psutil.STATUS_DISK_SLEEP and member.pid not in parents
                ready = ready or on_disk or status == psutil.STATUS_RUNNING
        now, waits = time.monotonic(), _waits(family)
        worked = max(0.0, used - self.used)
        if ready or worked:
            self.busy_at = now
        if self.looked_at and not ready:
            # One wait at a time: of many threads that wait for each other's short turns, the sum would be a pretext.
            waited = max((wait - self._waits.get(task, 0.0) for task, wait in waits.items()), default=0.0)
            self.idle += idle(now - self.looked_at, worked, waited)
        self.used, self.looked_at, self._waits = max(self.used, used), now, waits

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
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{member.pid}/task"):
                with contextlib.suppress(OSError, IndexError, ValueError):
                    waits[task] = int(Path(f"/proc/{member.pid}/task/{task}/schedstat").read_text().split()[1]) / 1e9
    return waits


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
        for children in Path(f"/proc/{each}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                waiting += map(int, children.read_text().split())
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
    """
    sizes: dict[tuple[int, int] | tuple[str, str], int] = {}
    for member in family:
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{member.pid}/maps").read_text(errors="replace").splitlines():
                if line.endswith("(deleted)"):
                    places, _, _, device, number = line.split()[:5]
                    first, last = (int(end, 16) for end in places.split("-"))
                    sizes[device, number] = max(sizes.get((device, number), 0), last - first)
        # What went meanwhile holds nothing; a bubblewrap that is set-uid may not be looked into, and holds nothing.
        with contextlib.suppress(OSError):
            for descriptor in os.listdir(f"/proc/{member.pid}/fd"):
                with contextlib.suppress(OSError):
                    file = os.stat(f"/proc/{member.pid}/fd/{descriptor}")
                    if file.st_nlink == 0 and stat.S_ISREG(file.st_mode):
                        sizes[file.st_dev, file.st_ino] = file.st_blocks * 512
    return sum(sizes.values())
