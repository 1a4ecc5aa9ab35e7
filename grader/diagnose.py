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
    if finding.kind in ("right", "not done"):
        return finding
    suspects = [m for m in BANK.get(exercise.name, ()) if m.replaces == part]
    matches = [m for m in suspects if same(seen, _of_part(answer_with(exercise, inputs, {m.replaces: m.definition}), part))]
    return _named(finding, matches[0]) if len(matches) == 1 else finding


def _named(finding: Finding, found: Misconception) -> Finding:
    return replace(finding, cause=found.name, advice=found.advice, section=found.section)


def _of_part(seen: list[Seen], part: str) -> list[Seen]:
    return [one for one in seen if one.part in (part, "")]


def same(one: list[Seen], other: list[Seen]) -> bool:
    """Whether two answers are the same in every place, to rounding."""
    return len(one) == len(other) and all(map(_same, one, other))


def _same(one: Seen, other: Seen) -> bool:
    if (one.place, one.kind, one.shape) != (other.place, other.kind, other.shape):
        return False
    if one.kind == "raised":
        return one.flags.get("type") == other.flags.get("type")
    if one.values is None or other.values is None:
        return one.values is other.values
    scale = max(1.0, float(np.max(np.abs(other.values), initial=0.0)))
    return bool(np.all(np.abs(one.values - other.values) <= TOLERANCE * scale))
