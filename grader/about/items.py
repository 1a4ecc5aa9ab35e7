"""How hard each exercise of a chapter was, and how well it tells students apart."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

from .report import Row, safe

FEWEST = 5  # students: a correlation of fewer says nothing


@dataclass(frozen=True)
class Item:
    """One exercise in numbers, over the students whose work on it was graded.

    Attributes:
        chapter, exercise: which exercise.
        students: how many were graded.
        right: how many have all its points.
        difficulty: the mean share of its points, 0 to 1: 1 is easy, as the word is used of items.
        discrimination: the correlation of that share with the share of the chapter's other points, −1 to 1; None with
            fewer than five students, or where all have the same. (Corrected item-total correlation; S. Henrysson,
            Psychometrika 28, 1963.)
    """

    chapter: int
    exercise: str
    students: int
    right: int
    difficulty: float
    discrimination: float | None


def items(rows: list[Row]) -> list[Item]:
    """The exercises of one or several chapters, in their order."""
    return [_item(rows, *which) for which in dict.fromkeys((row.chapter, row.exercise) for row in rows)]


def _item(rows: list[Row], chapter: int, exercise: str) -> Item:
    own = [row for row in rows if (row.chapter, row.exercise) == (chapter, exercise) and row.state == "graded"]
    others = {row.student: [0.0, 0.0] for row in own}
    for row in rows:
        if row.chapter == chapter and row.exercise != exercise and row.student in others:
            others[row.student][0] += row.score
            others[row.student][1] += row.max_score
    shares = np.array([row.score / row.max_score for row in own])
    rest = np.array([score / most if most else 0.0 for score, most in others.values()])
    mean = float(shares.mean()) if len(own) else 0.0
    return Item(chapter, exercise, len(own), int((shares >= 1).sum()), mean, _correlation(shares, rest))


def _correlation(one: np.ndarray, other: np.ndarray) -> float | None:
    if len(one) < FEWEST or not np.ptp(one) or not np.ptp(other):
        return None
    return float(np.corrcoef(one, other)[0, 1])


def write_csv(path: Path, found: Iterable[Item]) -> None:
    """Write a line an exercise."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Item)])
        writer.writeheader()
        writer.writerows({name: safe(value) for name, value in asdict(one).items()} for one in found)
