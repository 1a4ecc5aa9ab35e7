"""Name the mistake behind a wrong answer: which known misconception would have answered just the same?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import minigrad
from minigrad import workshop

from . import probe
from .compare import TOLERANCE
from .evidence import Seen, read
from .exercise import Exercise
from .finding import Finding
from .misconceptions import BANK, Misconception


def answer_with(exercise: Exercise, inputs: Any, definitions: dict[str, Any]) -> list[Seen]:
    """What minigrad answers to the exercise's probe when some of its definitions are replaced.

    Args:
        exercise: the exercise.
        inputs: what its `draw` returned.
        definitions: learner-written name → definition, parts of the engine or not.
    """
    own = workshop.own_parts(exercise.chapter)
    parts = {name: definition for name, definition in definitions.items() if name in own}
    with workshop.using(**{**own, **parts}):
        given = {**exercise.twin(minigrad), **definitions}
        return read(probe.observe(exercise.probe, minigrad, given, inputs))


def diagnose(finding: Finding, exercise: Exercise, part: str, seen: list[Seen], inputs: Any) -> Finding:
    """Add the misconception that explains the whole answer, where there is exactly one such."""
    if finding.kind in ("right", "not done") or finding.cause:
        return finding
    suspects = [m for m in BANK.get(exercise.name, ()) if m.replaces == part]
    inputs = {part: inputs[part]}
    matches = [m for m in suspects if any(same(seen, answer_with(exercise, inputs, {part: d})) for d in m.definitions)]
    return _named(finding, matches[0]) if len(matches) == 1 else finding


def follows_from(
    finding: Finding, exercise: Exercise, part: str, seen: list[Seen], inputs: Any, known: list[Misconception]
) -> Finding:
    """Say so where a wrong answer is just what mistakes that are named already lead to.

    Args:
        finding: what was found; returned as it is when it is right or has its name.
        exercise: the exercise, and `part` the part of it.
        part: see `exercise`.
        seen: what the learner's code answered for that part.
        inputs: what the probe was given.
        known: the misconceptions that were found in earlier exercises of the chapter.
    """
    if finding.kind in ("right", "not done") or finding.cause or not known:
        return finding
    wrong = {m.replaces: m.definition for m in known}
    if not same(seen, _of_part(answer_with(exercise, inputs, wrong), part)):
        return finding
    names = " and ".join(wrong)
    advice = (
        f"This follows from {names}: with {names} as it is now, your {part} does what it should, "
        f"and gets its points when {names} is right."
    )
    return replace(finding, cause=f"follows from {names}", advice=advice, section=known[0].section)


def misconception_named(name: str) -> Misconception | None:
    """The misconception of that name, None if the bank has none."""
    return next((m for bank in BANK.values() for m in bank if m.name == name), None)


def _named(finding: Finding, found: Misconception) -> Finding:
    return replace(finding, cause=found.name, advice=found.advice, section=found.section)


def _of_part(seen: list[Seen], part: str) -> list[Seen]:
    return [one for one in seen if one.part == part]


def same(one: list[Seen], other: list[Seen]) -> bool:
    """Whether two answers are the same in every place, to rounding."""
    return len(one) == len(other) and all(map(_same, one, other))


def _same(one: Seen, other: Seen) -> bool:
    if (one.place, one.kind, one.dtype, one.shape) != (other.place, other.kind, other.dtype, other.shape):
        return False
    if one.kind == "raised":  # where it was raised differs between a learner's cell and the bank
        return all(one.flags.get(key) == other.flags.get(key) for key in ("type", "message"))
    if one.flags != other.flags or one.values is None or other.values is None:
        return one.flags == other.flags and one.values is other.values
    scale = max(1.0, float(np.max(np.abs(other.values), initial=0.0)))
    return bool(np.all(np.abs(one.values - other.values) <= TOLERANCE * scale))
