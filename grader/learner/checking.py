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
    return assess.of_findings(
        exercise, {part: _finding(exercise, part, of_part(seen, part)) for part in exercise.points}
    )


def waiting(exercise: Kept, result: assess.Result, wrong: list[str]) -> assess.Result:
    """Say of a wrong part without a name what it waits for: nobody can lend it that here.

    Args:
        exercise: the exercise.
        result: its result.
        wrong: the parts of earlier exercises that are not right.
    """
    found = dict(result.findings)
    for part, finding in found.items():
        names = [name for name in exercise.runs_on.get(part, ()) if name in wrong]
        if names and not finding.right and not finding.cause:
            waits, are = " and ".join(names), "is" if len(names) == 1 else "are"
            advice = f"Your {part} waits for {waits}, which {are} not right yet: mend {waits} first, and look again."
            found[part] = replace(finding, advice=advice, waits=waits)
    return replace(result, findings=found)


def _finding(exercise: Kept, part: str, seen: list[Seen]) -> Finding:
    truth, allowed = of_part(list(exercise.truth), part), tolerance(exercise.name, part)
    finding = compare(seen, truth, allowed)
    if finding.kind in ("right", "not done"):
        return finding
    for one in exercise.known:
        if one.part == part and explained(seen, one.answer, truth, allowed):
            return replace(finding, cause=one.cause, advice=one.advice, section=one.section)
    return finding
