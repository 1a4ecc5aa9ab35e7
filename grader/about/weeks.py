"""In which week each misconception was handed in: what the class has got over, and what it has not."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry

from ..publish.course import assignment
from .report import Common, safe


@dataclass(frozen=True)
class Week:
    """A misconception in one week.

    Attributes:
        chapter: of which chapter.
        week: its Monday, as YYYY-MM-DD, in UTC; "" for what was handed in without a date.
        misconception: its label.
        students: in how many students' work of that week it was found.
        handed_in: how many students' work there is of that week.
    """

    chapter: int
    week: str
    misconception: str
    students: int
    handed_in: int


def handed_in(gradebook: Gradebook, chapter: int) -> dict[str, str]:
    """Student → the Monday of the week in which the gradebook says that they handed in; "" where it does not."""
    try:
        found = gradebook.find_assignment(assignment(chapter)).submissions
    except MissingEntry:
        return {}
    return {one.student_id: _monday(one.timestamp) for one in found}


def _monday(when: datetime | None) -> str:
    return (when.date() - timedelta(days=when.weekday())).isoformat() if when else ""


def weeks(chapter: int, common: Iterable[Common], dates: Mapping[str, str]) -> list[Week]:
    """A chapter's misconceptions, the most common first, in each week in which something was handed in.

    Args:
        chapter: the chapter.
        common: its misconceptions.
        dates: `handed_in` of the chapter.
    """
    there = sorted(set(dates.values()))
    return [
        Week(chapter, week, one.name, sum(dates.get(who, "") == week for who in one.who), [*dates.values()].count(week))
        for one in common
        for week in there
    ]


def write_csv(path: Path, found: Iterable[Week]) -> None:
    """Write a line a misconception and week."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Week)])
        writer.writeheader()
        writer.writerows({name: safe(value) for name, value in asdict(one).items()} for one in found)
