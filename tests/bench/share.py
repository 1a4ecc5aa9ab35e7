"""Holds a process, and all that it starts, to a share of one core: a machine within this machine.

By the quota of a Linux control group, of version 1 or 2; it takes root to make one.
"""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
PERIOD = 100_000  # microseconds in which the share may be used up


@contextlib.contextmanager
def share_of_a_core(share: float, name: str) -> Iterator[Path]:
    """A control group whose processes have, together, this share of a core's time; see `put`.

    Args:
        share: 0.5 is half a core.
        name: of the group's folder, which is there as long as the block runs.

    Raises:
        SystemExit: this machine gives no such group.
    """
    second = (GROUPS / "cgroup.controllers").is_file()
    group = GROUPS / name if second else GROUPS / "cpu" / name
    quota = round(share * PERIOD)
    try:
        group.mkdir()
        if second:
            (group / "cpu.max").write_text(f"{quota} {PERIOD}")
        else:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD))
            (group / "cpu.cfs_quota_us").write_text(str(quota))
    except OSError as error:
        with contextlib.suppress(OSError):
            group.rmdir()
        raise refused(error) from None
    try:
        yield group
    finally:
        _remove(group)


@contextlib.contextmanager
def counted(name: str) -> Iterator[Path]:
    """A control group that counts the processor time of its processes; see `put`, and `seconds_of`.

    A kernel ends with its namespace, and its time is in no process's account: here it is.

    Raises:
        SystemExit: this machine gives no such group.
    """
    group = GROUPS / name if (GROUPS / "cgroup.controllers").is_file() else GROUPS / "cpuacct" / name
    try:
        group.mkdir()
    except OSError as error:
        raise refused(error) from None
    try:
        yield group
    finally:
        _remove(group)


def seconds_of(group: Path) -> float:
    """Processor seconds, user's and system's, that the group's processes have used so far, ended ones included."""
    first = group / "cpuacct.usage"
    if first.is_file():
        return int(first.read_text()) / 1e9
    return int((group / "cpu.stat").read_text().split()[1]) / 1e6


def within(group: Path, command: list[str]) -> list[str]:
    """The command, which enters the group before it is its own program: all that it starts is in it, too."""
    return ["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(group / "cgroup.procs"), *command]


def put(process: int, group: Path) -> None:
    """Move a process into the group; what it starts from now on is in it, too. SystemExit where that is not allowed."""
    try:
        (group / "cgroup.procs").write_text(str(process))
    except OSError as error:
        raise refused(error) from None


def refused(error: OSError) -> SystemExit:
    """What to say on a machine that gives no control group."""
    return SystemExit(f"A group of processes takes root and Linux's control groups: {error}.")


def _remove(group: Path, patience: float = 10.0) -> None:
    """Remove the group as soon as its last process has ended."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.1)
    print(f"{group} still has processes: remove it by hand (rmdir) when they have ended.")
