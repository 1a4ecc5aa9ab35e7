"""A control group for each kernel, where Linux grants one: its memory, its processes and its share of the processor.

Only version 2 is used, in a group that was handed to the grader alone, as `systemd-run --user --scope -p Delegate=yes`
hands one. Elsewhere the other bounds stand, and `grader doctor` says so. A control group counts what no process maps,
too: files in memory, and what lies in pipes and sockets.
"""

import contextlib
import itertools
import os
from functools import lru_cache
from pathlib import Path

import psutil

from .limits import MB, Limits

OWN, ROOT = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")
NEEDED, WISHED = ("memory", "pids"), ("cpu",)
LEAF = "grader"  # where the grader's own processes go: a group whose groups have bounds holds no process itself
SPARE_BYTES = 256 * MB  # above what the guard counts; it looks first, and its sentence says more
SHARE = 50  # of the processor, where the grader's own group has 100
HANDED = "systemd-run --user --scope -p Delegate=yes"

_numbers = itertools.count(1)


class NotGranted(Exception):
    """There is no group to be had, and the message says why."""


def granted(own: Path = OWN, root: Path = ROOT) -> Path:
    """The group in which the grader may make others; nothing is changed.

    Args:
        own: names this process's groups.
        root: where version 2 of control groups is mounted.

    Raises:
        NotGranted: there is none.
    """
    try:
        name = next(line[3:] for line in own.read_text("ascii").splitlines() if line.startswith("0::"))
        group = root / name.lstrip("/")
        group = group.parent if group.name == LEAF else group
        there = (group / "cgroup.controllers").read_text("ascii").split()
        inside = {int(number) for number in (group / "cgroup.procs").read_text("ascii").split()}
    except (OSError, ValueError, StopIteration):
        raise NotGranted("control groups of version 2 are not mounted here") from None
    if missing := [one for one in NEEDED if one not in there]:
        raise NotGranted(f"this process's control group has no say over {' and '.join(missing)}")
    if not os.access(group, os.W_OK) or not os.access(group / "cgroup.subtree_control", os.W_OK):
        raise NotGranted("this process's control group is not the grader's to divide")
    if inside - _family(inside):
        raise NotGranted("other programs run in this process's control group")
    return group


def _family(inside: set[int]) -> set[int]:
    """The numbers of this process, of those above it in the group, and of all that these started."""
    me = psutil.Process()
    first = [one for one in (me, *me.parents()) if one.pid in inside or one is me][-1]
    return {first.pid, *(child.pid for child in first.children(recursive=True))}


@lru_cache(maxsize=1)
def base() -> Path | None:
    """The group of `granted`, made `ready`; None where there is none."""
    try:
        return ready(granted())
    except (NotGranted, OSError, psutil.Error):
        return None


def ready(group: Path) -> Path:
    """Make the group one in which others can be bounded.

    Raises:
        OSError: Linux refuses.
    """
    (group / LEAF).mkdir(exist_ok=True)
    for number in (group / "cgroup.procs").read_text("ascii").split():
        with contextlib.suppress(ProcessLookupError):
            (group / LEAF / "cgroup.procs").write_text(number)
    there = (group / "cgroup.controllers").read_text("ascii").split()
    wanted = [one for one in (*NEEDED, *WISHED) if one in there]
    (group / "cgroup.subtree_control").write_text(" ".join(f"+{one}" for one in wanted))
    return group


class Group:
    """The control group of one kernel.

    Args:
        above: see `base`.
        limits: the bounds.

    Raises:
        OSError: Linux refuses.
    """

    def __init__(self, above: Path, limits: Limits) -> None:
        self.folder = above / f"kernel-{os.getpid()}-{next(_numbers)}"
        self.folder.mkdir()
        most = limits.memory_bytes + limits.scratch_bytes + SPARE_BYTES
        (self.folder / "memory.max").write_text(str(most))
        (self.folder / "pids.max").write_text(str(4 * limits.processes))  # which counts threads
        for name, value in {"memory.oom.group": 1, "memory.swap.max": 0, "cpu.weight": SHARE}.items():
            with contextlib.suppress(OSError):  # not every machine has swap, or a say over the processor
                (self.folder / name).write_text(str(value))

    def take(self, pid: int) -> None:
        """Move a process into the group with all that it has started; what these start later is born there."""
        taken: set[int] = set()
        while new := {pid, *_children(pid)} - taken:
            for number in new:
                with contextlib.suppress(ProcessLookupError):
                    (self.folder / "cgroup.procs").write_text(str(number))
            taken |= new

    @property
    def full(self) -> bool:
        """Whether Linux ended it because its memory was used up."""
        try:
            events = dict(line.split() for line in (self.folder / "memory.events").read_text("ascii").splitlines())
        except (OSError, ValueError):
            return False
        return events.get("oom_kill", "0") != "0"

    @property
    def used(self) -> float:
        """Seconds of processor time of all that has ever run in it; 0 where Linux does not say."""
        try:
            return int((self.folder / "cpu.stat").read_text("ascii").split("usage_usec", 1)[1].split()[0]) / 1e6
        except (OSError, ValueError, IndexError):
            return 0.0

    def end(self) -> None:
        """SIGKILL to whoever is left in it, and remove it."""
        with contextlib.suppress(OSError):
            (self.folder / "cgroup.kill").write_text("1")
        with contextlib.suppress(OSError):
            self.folder.rmdir()


def _children(pid: int) -> set[int]:
    try:
        return {child.pid for child in psutil.Process(pid).children(recursive=True)}
    except psutil.Error:
        return set()


def enclose(pid: int, limits: Limits) -> Group | None:
    """A group with the process in it, where there can be one."""
    above = base()
    if above is None:
        return None
    try:
        group = Group(above, limits)
        group.take(pid)
    except OSError:
        return None
    return group
