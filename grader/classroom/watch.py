"""What a run is doing while it runs: whose work is judged since when, how much is left, and what ran to its limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

MOST = 8  # students who are named at a time


class Watch:
    """What a run is doing at any time.

    Args:
        total: how many submissions there are.
        shown: called with this watch where something has changed, and every second.
        clock: seconds that only go up.
    """

    def __init__(
        self,
        total: int = 0,
        shown: Callable[[Watch], None] = lambda watch: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.total, self.done, self.endless = total, 0, 0
        self._shown, self._clock, self._began = shown, clock, clock()
        self._handed: dict[str, Future[Any]] = {}
        self._since: dict[str, float] = {}

    def hand(self, student: str, future: Future[Any]) -> None:
        """A student's work was handed to the workers."""
        self._handed[student] = future

    def look(self) -> None:
        """See which of what was handed over has begun."""
        now = self._clock()
        for student, future in self._handed.items():
            if future.running():
                self._since.setdefault(student, now)
        self._shown(self)

    def take(self, student: str, endless: bool) -> None:
        """A student's work came back; `endless` if something in it ran to its limit."""
        self._handed.pop(student, None)
        self._since.pop(student, None)
        self.endless += endless

    def finish(self) -> None:
        """One more submission is done with, judged or not."""
        self.done += 1
        self._shown(self)

    def at_work(self) -> dict[str, float]:
        """Student → the seconds for which their work is judged, the longest first."""
        now = self._clock()
        return {who: now - since for who, since in sorted(self._since.items(), key=lambda one: one[1])[:MOST]}

    def rate(self) -> float:
        """Submissions a second since the first was done with; 0 before."""
        spent = self._clock() - self._began
        return self.done / spent if self.done and spent > 0 else 0.0

    def left(self) -> float | None:
        """The seconds until the end, at this rate; None as long as there is none."""
        rate = self.rate()
        return (self.total - self.done) / rate if rate else None

    def words(self) -> str:
        """Who is judged, and how many ran to their limit, in a few words."""
        named = ", ".join(f"{who} {seconds:.0f} s" for who, seconds in self.at_work().items() if seconds >= 1)
        said = [f"at work: {named}" if named else "", f"{self.endless} endless" if self.endless else ""]
        return "; ".join(filter(None, said))

    def as_data(self) -> dict[str, Any]:
        """All of it, for machines; seconds are rounded to tenths."""
        left = self.left()
        return {
            "done": self.done,
            "of": self.total,
            "a_second": round(self.rate(), 3),
            "seconds_left": None if left is None else round(left, 1),
            "endless": self.endless,
            "at_work": {who: round(seconds, 1) for who, seconds in self.at_work().items()},
        }
