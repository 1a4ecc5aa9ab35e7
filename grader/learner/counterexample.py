"""The smallest case that shows a mistake, in `check` alone: its inputs are everybody's, and grading draws others.

Each case of a part is asked on its own, the small ones first, until one is answered otherwise than torch answers it.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..ask.exercise import Exercise
from ..verdict.assess import Result, expected
from ..verdict.compare import asked_for, compare, tolerance
from ..verdict.evidence import BadEvidence, Seen, read
from ..verdict.relate import asked
from .card import Case
from .here import answered, others_of, public_inputs, silence
from .kept import Kept

SHOWN = ("values", "shape", "not finite", "dtype")  # what can be shown as two values
MOST = 200  # characters of a line


def counterexamples(exercise: Exercise, result: Result) -> dict[str, Case]:
    """Wrong part → a case as lines that can be run, the learner's value, and torch's.

    There is none where the search fails: the verdict stands without it.
    """
    found = {}
    with silence():
        for part, finding in result.findings.items():
            with contextlib.suppress(Exception):
                if finding.kind in SHOWN and (case := smallest(exercise, part, finding.place)):
                    found[part] = case
    return found


def smallest(exercise: Exercise, part: str, place: str = "") -> Case | None:
    """The first case, from the smallest on, in which a value of the learner's is not torch's.

    It is of what was found wrong in `place`, the gradient of y, say; of anything, where no place is named or it is
    right in each case on its own. In a bundle, which holds no definition to lend, the learner's own parts run.
    """
    found: list[tuple[bool, int, Case]] = []
    lent = {} if isinstance(exercise, Kept) else others_of(exercise, part)
    allowed = tolerance(exercise.name, part)
    for case, truth, lines in asked_singly(exercise, part):
        try:
            seen = asked_for(read(answered(exercise, {part: case}, lent)))
        except BadEvidence:
            break
        for got, want in zip(seen, asked_for(truth), strict=False):
            if got.values is not None and want.values is not None and _differs(got, want, allowed):
                mine, theirs = _apart(got, want)
                otherwise = place and asked(want.place)[0] != asked(place)[0]
                found.append((bool(otherwise), len(found), Case(want.place, lines, mine, theirs)))
        if any(not otherwise for otherwise, *_ in found):
            break
    return min(found)[2] if found else None


def _differs(got: Seen, want: Seen, allowed: float) -> bool:
    return compare([got], [want], allowed).kind in SHOWN


def asked_singly(exercise: Exercise, part: str) -> Iterator[tuple[Any, list[Seen], list[str]]]:
    """What a part is asked, a case at a time, the smallest first, in numbers of four digits.

    With each, torch's answer, and the lines that ask it.
    """
    if isinstance(exercise, Kept):  # a bundle of before has no lines
        yield from (
            (case, read(json.dumps(truth)), *(more or [[]])) for case, truth, *more in exercise.cases.get(part, [])
        )
        return
    for case in _cases(_rounded(public_inputs(exercise)[part])):
        yield case, expected(exercise, {part: case}), _told(exercise, part, case)


def _cases(inputs: Any) -> list[Any]:
    """What a part is asked, a case at a time, the smallest first; all of it where it is no list of cases."""
    if not isinstance(inputs, list) or len(inputs) < 2:
        return [inputs]
    return sorted(([case] for case in inputs), key=lambda case: len(json.dumps(case)))


def _told(exercise: Exercise, part: str, case: Any) -> list[str]:
    """The lines that ask for the one case; none where they do not fit, or where all of a part is asked at once."""
    if part not in exercise.tried or not isinstance(case, list) or len(case) != 1:
        return []
    lines = exercise.tried[part](case[0])
    return lines if all(len(line) <= MOST for line in lines) else []


def _rounded(value: Any) -> Any:
    """Inputs of four digits: what is printed is what was asked."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, list | tuple) else value


def _apart(got: Seen, want: Seen) -> tuple[str, str]:
    """Both values, with as few digits as tell them apart."""
    few, all_digits = ((_value(got, digits), _value(want, digits)) for digits in (5, 17))
    return few if few[0] != few[1] else all_digits


def _value(one: Seen, digits: int) -> str:
    if one.values is None:
        return str(one.flags.get("message", one.kind))
    return " ".join(np.array2string(one.values, precision=digits, threshold=20, separator=", ").split())
