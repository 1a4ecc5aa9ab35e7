"""The kill matrix: every misconception of the bank, on many seeds, is rejected, and under its own name."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from grader.ask.bank import Misconception
from grader.ask.exercise import Exercise
from grader.chapters.answers import BANK, MOST_BLENDS, less_common
from grader.verdict.assess import expected
from grader.verdict.compare import first_difference, tolerance
from grader.verdict.diagnose import answer_with, diagnose, of_part, same, standing
from grader.verdict.evidence import Seen
from minigrad import workshop

from .cases import EXERCISES, drawn, exercise_of, is_right


@dataclass
class Kills:
    """How often one misconception was seen, rejected, and named as what; and the other exercises where it shows."""

    name: str
    exercise: str
    seen: int = 0
    rejected: int = 0
    named: Counter[str] = field(default_factory=Counter)
    elsewhere: dict[str, str] = field(default_factory=dict)
    related: int = 0  # how often no mistake was named, and its numbers were related to torch's

    @property
    def named_right(self) -> int:
        """How often it got its own name."""
        return self.named[self.name]


class Answers:
    """What minigrad answers with some definitions replaced, remembered for one exercise and draw."""

    def __init__(self) -> None:
        self.known: dict[Any, tuple[Any, list[Seen]]] = {}  # with the definitions, whose ids are the keys

    def __call__(self, exercise: Exercise, inputs: Any, definitions: dict[str, Any]) -> list[Seen]:
        """The answer; see grader.verdict.diagnose.answer_with."""
        key = (tuple(inputs), *((name, id(definition)) for name, definition in definitions.items()))
        if key not in self.known:
            self.known[key] = definitions, answer_with(exercise, inputs, definitions)
        return self.known[key][1]


def matrix(name: str, seeds: range) -> list[Kills]:
    """Plant every misconception of an exercise, in each of its forms, on every seed."""
    exercise = exercise_of(name)
    found = [(m, Kills(m.name, name)) for m in BANK.get(name, ())]
    for seed in seeds:
        inputs, answers = drawn(exercise, seed), Answers()
        truth = expected(exercise, inputs)
        with standing(exercise, {}):
            for misconception, kills in found:
                for definition in misconception.definitions:
                    plant(kills, exercise, misconception.replaces, definition, inputs, truth, answers)
    return [kills for _, kills in found]


def plant(
    kills: Kills, exercise: Exercise, part: str, definition: Any, inputs: Any, truth: list[Seen], answers: Answers
) -> None:
    """Compare and diagnose a wrong definition of one part, and count what is found."""
    inputs = {part: inputs[part]}
    seen = answers(exercise, inputs, {part: definition})
    truth = of_part(truth, part)
    finding = first_difference(seen, truth, tolerance(exercise.name, part))
    finding = diagnose(finding, exercise, part, seen, truth, inputs, answers)
    kills.seen += 1
    kills.related += bool(finding.advice and not finding.cause)
    kills.rejected += not finding.right
    kills.named[finding.cause] += 1


def elsewhere(name: str, seeds: range) -> dict[str, str]:
    """Exercise -> what becomes of a misconception's definition in it, for the others of its chapter where it shows."""
    misconception = next(m for m in bank() if m.name == name)
    chapter = exercise_of(misconception.exercise).chapter
    others = [e for e in EXERCISES if e.chapter == chapter and e.name != misconception.exercise]
    return {other.name: seen for other in others if (seen := shows(misconception, other, seeds))}


def shows(misconception: Misconception, exercise: Exercise, seeds: range) -> str:
    """Whether the misconception changes the answer to another exercise; if so, it must be rejected there.

    Returns:
        "" where it changes nothing, `rejected`, or `accepted` on the seeds on which a changed answer was called right.
    """
    changed, let_through = 0, 0
    for seed in seeds:
        inputs = drawn(exercise, seed)
        wrong: dict[str, Any] = {misconception.replaces: misconception.definition}
        if not same(right_answer(exercise.name, seed), answer_with(exercise, inputs, wrong)):
            changed += 1
            let_through += is_right(exercise, inputs, wrong)
    if not changed:
        return ""
    return f"accepted {let_through} times" if let_through else "rejected"


@functools.lru_cache(maxsize=100)
def right_answer(name: str, seed: int) -> list[Seen]:
    """What minigrad itself answers to a whole exercise on one draw."""
    exercise = exercise_of(name)
    return answer_with(exercise, drawn(exercise, seed), {})


def pairs(name: str, seeds: range, most: int = MOST_BLENDS) -> list[Kills]:
    """Plant two misconceptions at once, and one in some methods only, wherever that answers in a way of its own.

    Of each part, the first `most` such blends are planted.
    """
    exercise, found = exercise_of(name), []
    for part in exercise.points:
        planted = [(blend, Kills(blend.name, name)) for blend in distinct_blends(exercise, part, most)]
        found += [kills for _, kills in planted]
        for seed in seeds if planted else ():
            inputs, answers = drawn(exercise, seed), Answers()
            truth = expected(exercise, inputs)
            with standing(exercise, {}):
                for blend, kills in planted:
                    plant(kills, exercise, part, blend.definition, inputs, truth, answers)
    return found


def distinct_blends(exercise: Exercise, part: str, most: int) -> list[Misconception]:
    """The blends that answer otherwise than the right definition, than a misconception, and than an earlier blend."""
    inputs = {part: drawn(exercise, 0)[part]}
    singles = [d for m in BANK.get(exercise.name, ()) if m.replaces == part for d in m.definitions]
    found = []
    reference = workshop.own_parts(exercise.chapter).get(part)
    with standing(exercise, {}):
        known = [answer_with(exercise, inputs, other) for other in ({}, *({part: d} for d in singles))]
        for blend in less_common(exercise.name, part, reference)[:most]:
            answer = answer_with(exercise, inputs, {part: blend.definition})
            if not any(same(answer, other) for other in known):
                known.append(answer)
                found.append(blend)
    return found


def merged(chunks: list[list[Kills]]) -> list[Kills]:
    """The counts of the same misconceptions on several ranges of seeds, added up."""
    total: dict[str, Kills] = {}
    for kills in itertools.chain.from_iterable(chunks):
        into = total.setdefault(kills.name, Kills(kills.name, kills.exercise))
        into.seen, into.rejected = into.seen + kills.seen, into.rejected + kills.rejected
        into.named.update(kills.named)
        into.related += kills.related
    return list(total.values())


def bank() -> list[Misconception]:
    """Every misconception."""
    return [m for exercise in EXERCISES for m in BANK.get(exercise.name, ())]
