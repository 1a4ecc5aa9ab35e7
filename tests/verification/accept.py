"""Right answers are right: every one in the chapters' right.py, on many seeds; and how far two right answers differ by rounding."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.ask.exercise import Exercise
from grader.ask.right import Right
from grader.chapters.answers import right_answers
from grader.verdict.assess import as_usual, expected
from grader.verdict.compare import asked_for, first_difference, scale, tolerance
from grader.verdict.diagnose import answer_with, diagnose, of_part, standing
from grader.verdict.evidence import Seen

from .cases import drawn, exercise_of

TWICE = 100  # draws on which the probe is asked a second time, as grading asks it


@dataclass
class Accepted:
    """How often a right definition was assessed, rejected, and given the name of a mistake."""

    exercise: str
    part: str
    name: str
    seen: int = 0
    rejected: int = 0
    misnamed: int = 0
    said: str = ""


def accepts(name: str, seeds: range) -> list[Accepted]:
    """Assess every right definition of an exercise's parts on every seed."""
    exercise = exercise_of(name)
    found = [
        (one, Accepted(name, one.replaces, one.definition.__name__)) for one in right_answers() if one.exercise == name
    ]
    for seed in seeds:
        inputs = drawn(exercise, seed)
        truth = expected(exercise, inputs)
        with standing(exercise, {}):
            for one, accepted in found:
                assess_one(one, accepted, exercise, inputs, truth, seed)
    return [accepted for _, accepted in found]


def assess_one(one: Right, accepted: Accepted, exercise: Exercise, inputs: Any, truth: list[Seen], seed: int) -> None:
    """Compare a right definition with torch, diagnose it if it is called wrong, and count."""
    part, inputs = one.replaces, {one.replaces: inputs[one.replaces]}
    seen = answer_with(exercise, inputs, {part: one.definition}, twice=seed < TWICE)
    truth = as_usual(exercise, inputs, seen, of_part(truth, part))
    finding = first_difference(seen, truth, tolerance(exercise.name, part))
    accepted.seen += 1
    if not finding.right:
        accepted.rejected += 1
        accepted.misnamed += bool(diagnose(finding, exercise, part, seen, truth, inputs).cause)
        accepted.said = f"seed {seed}: {finding.sentence()}"


def merged(chunks: list[list[Accepted]]) -> list[Accepted]:
    """The counts of the same definitions on several ranges of seeds, added up."""
    total: dict[tuple[str, str, str], Accepted] = {}
    for one in itertools.chain.from_iterable(chunks):
        into = total.setdefault((one.exercise, one.part, one.name), Accepted(one.exercise, one.part, one.name))
        into.seen, into.rejected = into.seen + one.seen, into.rejected + one.rejected
        into.misnamed, into.said = into.misnamed + one.misnamed, into.said or one.said
    return list(total.values())


def rounding(name: str, seeds: range) -> dict[str, float]:
    """Part -> the largest difference between a right answer and torch's, in units of the compared array's scale.

    Every right answer to the part is measured, and minigrad's own.
    """
    exercise = exercise_of(name)
    worst = dict.fromkeys(exercise.points, 0.0)
    definitions = [(part, {}) for part in exercise.points]
    definitions += [(r.replaces, {r.replaces: r.definition}) for r in right_answers() if r.exercise == name]
    for seed in seeds:
        inputs = drawn(exercise, seed)
        truth = expected(exercise, inputs)
        for part, own in definitions:
            seen = asked_for(answer_with(exercise, {part: inputs[part]}, own))
            worst[part] = max([worst[part], *map(difference, seen, asked_for(of_part(truth, part)))])
    return worst


def difference(got: Seen, want: Seen) -> float:
    """How far two observations are apart, in units of their size; 0 where there are no finite numbers to compare."""
    if got.values is None or want.values is None or got.values.shape != want.values.shape:
        return 0.0
    finite = np.isfinite(want.values)
    apart = np.max(np.abs(got.values[finite] - want.values[finite]), initial=0.0)
    return float(apart / scale(want.values[finite]))


def ways() -> Counter[tuple[str, str]]:
    """(exercise, part) -> in how many ways it is written there."""
    return Counter((one.exercise, one.replaces) for one in right_answers())
