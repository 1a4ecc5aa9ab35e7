"""The processor time of a kernel's processes, also of those whose time no clock of Linux's tells when they have ended.

An ended child's time is added to its parent's clock when the parent waits for it. Who ignores SIGCHLD waits for nobody:
then what was seen of the children counts. It is counted so that it comes to their time on average, however short each
lived: of 40 that live for 5 ms, one is met by a look in 0.2 s, and stands for all.
"""

import contextlib
import math
from pathlib import Path
from typing import NamedTuple

import psutil


class Clock(NamedTuple):
    """One process's clock.

    Attributes:
        own: seconds of its own.
        told: those of its children that it has waited for, and of theirs.
        status: what it does, in psutil's words.
    """

    own: float
    told: float
    status: str


def clocks(family: list[psutil.Process]) -> dict[psutil.Process, Clock]:
    """The clocks of those who are still there, given with parents first. A child's is read before its parent's.

    So what ends meanwhile is in its parent's, or was read, or both; both is corrected by the next look.
    """
    found = {}
    for member in reversed(family):
        with contextlib.suppress(psutil.Error):
            user, system, childrens_user, childrens_system = member.cpu_times()[:4]
            found[member] = Clock(user + system, childrens_user + childrens_system, member.status())
    return found


class Processor:
    """What a family of processes has used.

    Args:
        period: seconds between two looks.
    """

    def __init__(self, period: float) -> None:
        self.used = 0.0
        self._period = period
        self._told = self._ended = 0.0  # of processes that have ended: by their parents' clocks, and by what was seen
        self._likely: dict[psutil.Process, float] = {}

    def look(self, found: dict[psutil.Process, Clock]) -> None:
        """Take in what was found now.

        Of the two sums of those that have ended, the larger one counts; of what was seen, less than chance may add.
        """
        likely = {member: self._own_likely(member, clock) for member, clock in found.items()}
        for member, seconds in self._likely.items():
            if member in likely:
                continue
            if member.is_running():  # A list that is read while others end may miss one.
                likely[member] = seconds
            else:
                self._ended += seconds
        self._likely = likely
        self._told = max(self._told, sum(clock.told for clock in found.values()))
        own = sum(clock.own for clock in found.values())
        chance = 2 * math.sqrt(self._period * self._ended)
        self.used = max(self.used, own + max(self._told, self._ended - chance))

    def _own_likely(self, member: psutil.Process, clock: Clock) -> float:
        """What it will have used when it has ended, if it ends before the next look; on average over all such."""
        if clock.status != psutil.STATUS_RUNNING:
            return clock.own
        return clock.own + _share(member.pid) * max(self._period - clock.own, self._period / 2)


def _share(pid: int) -> float:
    """How much of its time it runs, of that in which it would; 0 where Linux does not say."""
    try:
        ran, waited = map(int, Path(f"/proc/{pid}/schedstat").read_text().split()[:2])
    except (OSError, ValueError):
        return 0.0
    return ran / (ran + waited) if ran else 0.0
