"""A learner's own check: with torch here and now, or, in a student's bundle, with torch's answers that came with it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..ask.exercise import Exercise
from ..verdict import assess
from ..verdict.compare import compare, tolerance
from ..verdict.diagnose import explained, of_part
from ..verdict.evidence import BadEvidence, Seen, read
from ..verdict.finding import Finding
from .kept import Kept


def result_of(exercise: Exercise, inputs: dict[str, Any], answer: str) -> assess.Result:
    """What `assess.assess` finds; with kept answers where the exercise has them.

    Args:
        exercise: the exercise.
        inputs: what the probe was given.
        answer: the JSON that came back.
    """
    if not isinstance(exercise, Kept):
        return assess.assess(exercise, inputs, answer)
    try:
        seen = read(answer)
    except BadEvidence as error:
        return assess.not_graded(exercise, f"not graded: {error}")
    return assess.of_findings(exercise, {part: _finding(exercise, part, seen) for part in exercise.points})


def finding_of(exercise: Exercise, part: str, inputs: dict[str, Any], answer: str) -> Finding:
    """What is found of one part; with kept answers where the exercise has them.

    Args:
        exercise: the exercise, and `part` the part of it.
        part: see `exercise`.
        inputs: what the probe was given for that part.
        answer: the JSON that came back.

    Raises:
        BadEvidence: the answer is no evidence.
    """
    if isinstance(exercise, Kept):
        return _finding(exercise, part, read(answer))
    return assess.findings(exercise, inputs, answer)[part]


def waiting(part: str, finding: Finding, names: list[str]) -> Finding:
    """What is found of a wrong part that runs on others which are not right: whose fault it is, nobody knows yet."""
    waits, are = " and ".join(names), "is" if len(names) == 1 else "are"
    first = f"mend {waits} first, then check {part} again."
    advice = f"The fault may lie here or in {waits}, which {are} not right yet: {first}"
    return replace(finding, cause="", advice=advice, section="", waits=waits)


def _finding(exercise: Kept, part: str, answers: list[Seen]) -> Finding:
    seen, truth = of_part(answers, part), of_part(list(exercise.truth), part)
    allowed = tolerance(exercise.name, part)
    finding = compare(seen, truth, allowed)
    if finding.kind in ("right", "not done"):
        return finding
    for one in exercise.known:
        if one.part == part and explained(seen, one.answer, truth, allowed):
            return replace(finding, cause=one.cause, advice=one.advice, section=one.section)
    return finding
