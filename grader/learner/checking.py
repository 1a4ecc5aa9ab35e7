"""A learner's own check: with torch here and now, or, in a student's bundle, with torch's answers that came with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..ask.exercise import Exercise
from ..verdict import assess
from ..verdict.compare import compare, tolerance
from ..verdict.diagnose import Again, of_part, same
from ..verdict.evidence import BadEvidence, Seen, read
from ..verdict.finding import Finding
from .kept import Kept


def result_of(
    exercise: Exercise,
    inputs: dict[str, Any],
    answer: str,
    earlier: Iterable[assess.Result] = (),
    again: Again | None = None,
) -> assess.Result:
    """What `assess.assess` finds; with kept answers where the exercise has them.

    Args:
        exercise: the exercise.
        inputs: what the probe was given.
        answer: the JSON that came back.
        earlier: the results of other exercises, whose mistakes may explain this one's.
        again: see `diagnose.comes_after`; without torch nobody is asked again.
    """
    if not isinstance(exercise, Kept):
        return assess.assess(exercise, inputs, answer, earlier, again)
    try:
        seen = read(answer)
    except BadEvidence as error:
        return assess.not_graded(exercise, f"not graded: {error}")
    causes = {finding.cause for result in earlier for finding in result.findings.values()}
    findings = {part: _finding(exercise, part, of_part(seen, part), causes) for part in exercise.points}
    score = sum(points for part, points in exercise.points.items() if findings[part].right)
    return assess.Result(exercise.name, float(score), exercise.max_score, "graded", findings)


def is_right(exercise: Exercise, inputs: dict[str, Any], answer: str, part: str) -> bool:
    """Whether an answer to one part of the exercise is right; `result_of` says what is wrong."""
    try:
        seen = read(answer)
    except BadEvidence:
        return False
    if isinstance(exercise, Kept):
        return _compared(exercise, part, seen).right
    return assess.compared(exercise, inputs, seen)[part].right


def _compared(exercise: Kept, part: str, seen: list[Seen]) -> Finding:
    return compare(of_part(seen, part), of_part(list(exercise.truth), part), tolerance(exercise.name, part))


def _finding(exercise: Kept, part: str, seen: list[Seen], causes: set[str]) -> Finding:
    finding = _compared(exercise, part, seen)
    if finding.kind in ("right", "not done"):
        return finding
    for one in exercise.known:
        if one.part == part and (not one.after or one.after in causes) and same(seen, one.answer):
            return replace(finding, cause=one.cause, advice=one.advice, section=one.section)
    return finding
