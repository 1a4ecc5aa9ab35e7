"""What counts for a student: the marks of a chapter, and what became of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from ..publish.course import assignment
from .classroom import Classroom, grades
from .words import how_late


@dataclass(frozen=True)
class Mark:
    """A student's mark for a chapter.

    Attributes:
        points: of all exercises; a manual grade comes before the grader's.
        penalty: what lateness takes off.
        seconds_late: how late the submission came.
        came: when that was, in UTC, if it is known.
    """

    points: float
    penalty: float = 0.0
    seconds_late: float = 0.0
    came: datetime | None = field(default=None, compare=False)

    def as_due(self, when: str) -> Mark:
        """The mark of a submission that was due then, a time in ISO's form in UTC; "" for one that is never late."""
        late = (self.came - datetime.fromisoformat(when)).total_seconds() if self.came and when else 0.0
        return replace(self, seconds_late=max(0.0, late))

    @property
    def counts(self) -> float:
        """The points that count."""
        return max(0.0, self.points - self.penalty)

    def __str__(self) -> str:
        if not self.penalty:
            return f"{self.counts:g}"
        share = f", {self.penalty / self.points:.0%}" if self.points else ""
        late = f"for being late by {how_late(self.seconds_late)}"
        return f"{self.counts:g} ({self.points:g} less {self.penalty:g}{share}, {late})"


def marks(classroom: Classroom, chapter: int) -> dict[str, Mark]:
    """Student → mark, of all whom the gradebook knows to have handed in the chapter."""
    from nbgrader.api import MissingEntry

    if not classroom.has_gradebook():
        return {}
    with classroom.gradebook() as gradebook:
        try:
            found = gradebook.find_assignment(assignment(chapter)).submissions
        except MissingEntry:
            return {}
        points = {who: sum(score for _, score in cells.values()) for who, cells in grades(gradebook, chapter).items()}
        return {
            one.student_id: Mark(
                points.get(one.student_id, 0.0),
                one.late_submission_penalty or 0.0,
                one.total_seconds_late,
                one.timestamp,
            )
            for one in found
        }


def changes(
    before: dict[str, Mark], after: dict[str, Mark], why: Mapping[str, list[str]], rule: str = ""
) -> Iterator[str]:
    """A line for each student whose mark is another than before, with the reasons; who had none is no change.

    Args:
        before: student → mark.
        after: the same, now.
        why: student → what has moved, in words.
        rule: by which lateness costs something, in words; it is said where the penalty is another than before.
    """
    for student in sorted(before.keys() & after.keys()):
        old, new = before[student], after[student]
        if old != new and str(old) != str(new):
            reasons = why.get(student, [])
            if rule and new.penalty and new.penalty != old.penalty:
                reasons = [*reasons, f"the rule: {rule}"]
            yield f"{student}: {old}, now {new}" + "".join(f"; {words}" for words in reasons)
