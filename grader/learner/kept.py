"""An exercise whose answers are kept: what a learner's check needs in a student's bundle, as data.

A bundle holds neither a solution nor a misconception's definition. Torch's answers on the check's own inputs, and
what each known mistake answers on them, were written down when it was made.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

from ..ask import heard
from ..ask.exercise import Exercise
from ..verdict import probe
from ..verdict.evidence import Seen, read

KeptCase = tuple[Any, list[list[object]], list[str]]


@dataclass(frozen=True)
class Known:
    """What a mistake answers.

    Attributes:
        part: the part of the exercise that it shows in.
        answer: what it answers there.
        cause, advice, section: the finding's words for it.
    """

    part: str
    answer: list[Seen]
    cause: str
    advice: str
    section: str


@dataclass(frozen=True)
class Kept(Exercise):
    """An exercise with torch's answers on the inputs of the learner's check, and those of known mistakes.

    Attributes:
        truth: what torch answers.
        known: what mistakes answer.
        cases: part → what it is asked a case at a time, the smallest first, each with torch's answer, as JSON data, and
            with the lines that ask it.
    """

    truth: tuple[Seen, ...] = ()
    known: tuple[Known, ...] = ()
    cases: Mapping[str, list[KeptCase]] = field(default_factory=dict)


class KeptData(TypedDict):
    """A `Kept` as JSON data: with the inputs of the learner's check, and the probe's name and text."""

    name: str
    chapter: int
    title: str
    points: dict[str, float]
    inputs: dict[str, Any]
    probe: list[str]
    truth: list[list[object]]
    known: list[dict[str, Any]]
    cases: dict[str, list[KeptCase]]
    agrees: dict[str, str]


def as_data(
    exercise: Exercise,
    inputs: dict[str, Any],
    text: str,
    truth: Iterable[Seen],
    known: Iterable[Known],
    cases: Mapping[str, Iterable[tuple[Any, list[Seen], list[str]]]],
) -> KeptData:
    """The exercise as JSON data.

    Args:
        exercise: the exercise.
        inputs: those of the learner's check.
        text: the source of its probe.
        truth: what torch answers.
        known: what mistakes answer.
        cases: part → its cases, the smallest first, each with torch's answer and the lines that ask it.
    """
    return {
        "name": exercise.name,
        "chapter": exercise.chapter,
        "title": exercise.title,
        "points": dict(exercise.points),
        "inputs": inputs,
        "probe": [exercise.probe.__name__, text],
        "truth": [entry(seen) for seen in truth],
        "known": [{**vars(one), "answer": [entry(seen) for seen in one.answer]} for one in known],
        "cases": {
            part: [(case, [*map(entry, truth)], told) for case, truth, told in own] for part, own in cases.items()
        },
        "agrees": dict(exercise.agrees),
    }


def load(path: Path) -> tuple[Kept, ...]:
    """The exercises that a bundle keeps in this file."""
    return tuple(_exercise(data) for data in json.loads(path.read_text("utf-8")))


def _exercise(data: KeptData) -> Kept:
    name, text = data["probe"]
    names = {**vars(heard), **vars(probe), "Any": Any}
    exec(compile(text, f"<the probe of {data['name']}>", "exec"), names)
    return Kept(
        data["name"],
        data["chapter"],
        data["title"],
        data["points"],
        lambda rng: data["inputs"],
        names[name],
        agrees=data.get("agrees", {}),
        truth=tuple(read(json.dumps(data["truth"]))),
        known=tuple(Known(**{**one, "answer": read(json.dumps(one["answer"]))}) for one in data["known"]),
        cases=data.get("cases", {}),  # a bundle of before has none, and the next one is unpacked over it
    )


def entry(seen: Seen) -> list[object]:
    """One observation as `evidence.read` reads it."""
    found: dict[str, object] = {"kind": seen.kind, **seen.flags}
    if seen.values is not None:
        found |= {"dtype": seen.dtype, "shape": list(seen.values.shape), "data": [_plain(x) for x in seen.values.flat]}
    elif seen.dtype:
        found["dtype"] = seen.dtype
    return [seen.part, seen.place, found]


def _plain(number: float) -> float | int:
    """The shortest JSON number of the same value."""
    return int(number) if math.isfinite(number) and number == int(number) and abs(number) < 1e15 else float(number)
