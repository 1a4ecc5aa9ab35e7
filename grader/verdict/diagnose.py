"""Name the mistake behind a wrong answer: which known misconception would have answered just the same?"""

from __future__ import annotations

import contextlib
import functools
import itertools
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import minigrad
from minigrad import workshop

from ..ask.bank import Misconception
from ..ask.exercise import Exercise
from ..chapters.answers import BANK, less_common, two_at_once
from . import probe
from .compare import AFTERWARDS, asked_for, scale, tolerance, with_relations
from .evidence import Seen, entries_of
from .finding import Finding
from .relate import asked

Answers = Callable[[Exercise, dict[str, Any], dict[str, Any]], list[Seen]]

MOST_PAIRS = 150  # of two mistakes in one function that are tried
ALIKE = 1e-9  # two answers that agree so far, in units of their size, come from the same mistake


def answer_with(
    exercise: Exercise, inputs: dict[str, Any], definitions: dict[str, Any], twice: bool = False
) -> list[Seen]:
    """What minigrad answers to the exercise's probe when some of its definitions are replaced.

    Args:
        exercise: the exercise.
        inputs: what its `draw` returned.
        definitions: learner-written name → definition, parts of the engine or not.
        twice: see `probe.observe`.
    """
    with standing(exercise, definitions) as given:
        return entries_of(probe.observed(exercise.probe, minigrad, given, inputs, twice))


@contextlib.contextmanager
def standing(exercise: Exercise, definitions: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Run the block with some of minigrad's definitions replaced, quietly; gives the names that a probe calls."""
    own = workshop.own_parts(exercise.chapter)
    parts = {name: definition for name, definition in definitions.items() if name in own}
    recorded = minigrad.is_grad_enabled()
    try:
        with workshop.using(**{**own, **parts}), np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # wrong code may divide by 0, or take the mean of nothing
            yield {**exercise.twin(minigrad), **definitions}
    finally:
        minigrad.set_grad_enabled(recorded)  # a wrong GradMode, or one that was asked in part, may leave it otherwise


def answer_like(
    seen: list[Seen], exercise: Exercise, inputs: dict[str, Any], definitions: dict[str, Any]
) -> list[Seen] | None:
    """What `answer_with` says of one part if that is the `same` as what was seen; None, soon, if it is not."""
    rest = iter(asked_for(seen))

    def goes_on(entry: list[Any]) -> bool:
        one = next(rest, None)
        return one is not None and _same(one, entries_of([entry])[0], ALIKE)

    with standing(exercise, definitions) as given:
        ((part, own),) = inputs.items()
        found = probe.observe_part(exercise.probe, minigrad, given, part, own, goes_on)
    answer = entries_of(found) if found is not None else []
    return answer if found is not None and same(seen, answer) else None


def reference_answer(exercise: Exercise, inputs: dict[str, Any]) -> list[Seen]:
    """What minigrad's own definitions answer, each in the place of the learner's."""
    own = workshop.own_parts(exercise.chapter)
    return answer_with(exercise, inputs, {part: own[part] for part in inputs if part in own})


def diagnose(
    finding: Finding,
    exercise: Exercise,
    part: str,
    seen: list[Seen],
    truth: list[Seen],
    inputs: dict[str, Any],
    answers: Answers | None = None,
) -> Finding:
    """Add the misconception that explains the whole answer, or the two: where there is exactly one such.

    Without one, what is added is how the wrong numbers are related to torch's.

    Args:
        finding: the first difference; returned as it is when nothing differs, or nothing is done.
        exercise: the exercise.
        part: the part of it.
        seen: what the learner's code answered for that part.
        truth: what torch answered for it.
        inputs: what the probe was given.
        answers: what remembers how minigrad answers with some definitions replaced, where many are judged on one draw.
    """
    if finding.kind in ("right", "not done"):
        return finding
    with standing(exercise, {}):  # what is asked in it puts its own definitions in, and no other
        return _diagnosed(finding, exercise, part, seen, truth, {part: inputs[part]}, answers)


def _diagnosed(
    finding: Finding,
    exercise: Exercise,
    part: str,
    seen: list[Seen],
    truth: list[Seen],
    inputs: dict[str, Any],
    answers: Answers | None,
) -> Finding:
    """See `diagnose`; `inputs` are the part's alone."""
    ask = answers or answer_with
    right, allowed = ask(exercise, inputs, {}), tolerance(exercise.name, part)

    @functools.cache
    def answered(definition: Any) -> list[Seen]:
        return ask(exercise, inputs, {part: definition})

    def like(definition: Any) -> list[Seen] | None:
        own = {part: definition}
        return answers(exercise, inputs, own) if answers else answer_like(seen, exercise, inputs, own)

    def explains(one: Misconception) -> bool:
        wrong = map(like, one.definitions)
        return any(answer is not None and explained(seen, answer, right, allowed) for answer in wrong)

    came = [one for one in asked_for(seen) if one.kind != "raised"]

    def spoils(answer: list[Seen]) -> set[str]:  # as far as the learner's code came
        return _different(answer, asked_for(right)[: len(came)], allowed)

    bank = [m for m in BANK.get(exercise.name, ()) if m.replaces == part]
    matches = [m for m in bank if explains(m)]
    if len(matches) == 1:
        usual = spoils(answered(matches[0].definition))
        return _named(finding, matches[0], _so_of(spoils(seen), usual))
    related = with_relations(finding, seen, truth, allowed, inputs[part])
    if matches:
        return related
    reference = workshop.own_parts(exercise.chapter).get(part)
    blend = next(filter(explains, less_common(exercise.name, part, reference)), None)
    if blend and blend.of:
        return _named(finding, blend)
    if blend and not related.advice:
        whole = next(m for m in bank if m.name == blend.name)
        return _named(finding, blend, _so_of(spoils(seen), spoils(answered(whole.definition))))
    if blend:  # half a mistake: its sentence is about both halves, and what was found is about this one
        return related
    if not came:  # one error is all there is to see, and too little for two mistakes, or for part of one
        return related
    mine = spoils(seen)
    if not isinstance(reference, type):
        possible = [m for m in bank if spoils(answered(m.definition)) <= mine]
        pairs = itertools.chain.from_iterable(two_at_once(*two) for two in itertools.combinations(possible, 2))
        if both := _agreed(filter(explains, itertools.islice(pairs, MOST_PAIRS))):
            return _named(finding, both)
    found = _partly(seen, right, {m: list(map(answered, m.definitions)) for m in bank}, allowed)
    if not found:
        return related
    known = {what for whats in found.values() for what in whats}
    rest = with_relations(finding, seen, truth, allowed, inputs[part], known)
    said = [m.advice + _so_of(set(whats), spoils(answered(m.definition)), mine) for m, whats in found.items()]
    return replace(rest, advice=" ".join([*said, rest.advice]).rstrip(), section=next(iter(found)).section)


def _agreed(blends: Iterable[Misconception]) -> Misconception | None:
    """The one pair of mistakes that explains an answer; none where there are several, or no such."""
    found = {blend.of: blend for blend in blends}
    return next(iter(found.values())) if len(found) == 1 else None


def _so_of(mine: set[str], usual: set[str], wrong: Iterable[str] = ()) -> str:
    """A sentence, with a space before it, about the gradients that a mistake is made in, where it is in some only.

    Args:
        mine: what the learner's code gets wrong by the mistake.
        usual: what the misconception gets wrong.
        wrong: what else the learner's code gets wrong.
    """
    here, there = ({what for what in whats if what.startswith("the gradient of ")} for whats in (mine, usual))
    if not here or not here < there:
        return ""
    right = sorted(there - here - set(wrong))
    rest = f"; {' and '.join(right)} {'is' if len(right) == 1 else 'are'} right" if right else ""
    return f" It is so of {' and '.join(sorted(here))}{rest}."


def _different(answer: list[Seen], right: list[Seen], allowed: float) -> set[str]:
    """What an answer gets wrong, as `asked` calls it; "" where it ends in an error instead."""
    pairs = list(zip(asked_for(answer), asked_for(right), strict=False))
    return {
        "" if got.kind == "raised" else asked(want.place)[0] for got, want in pairs if not _same(got, want, allowed)
    }


def _partly(
    seen: list[Seen], right: list[Seen], wrong: dict[Misconception, list[list[Seen]]], allowed: float
) -> dict[Misconception, list[str]]:
    """Misconceptions that explain some of the things that are wrong, each all that it spoils and as the only one."""
    spoilt = {
        m: max((_spoilt(seen, answer, right, allowed) for answer in answers), key=len) for m, answers in wrong.items()
    }
    claims = Counter(what for whats in spoilt.values() for what in whats)
    return {m: whats for m, whats in spoilt.items() if whats and all(claims[what] == 1 for what in whats)}


def _spoilt(seen: list[Seen], wrong: list[Seen], right: list[Seen], allowed: float) -> list[str]:
    """What a wrong definition gets wrong, if the learner's code gets all of it wrong in the same way; [] otherwise.

    Where it ends in an error, the learner's code has to end in the same.
    """
    seen, wrong, right = map(asked_for, (seen, wrong, right))
    if wrong and wrong[-1].kind == "raised":
        if len(seen) != len(wrong) or not _same(seen[-1], wrong[-1], allowed):
            return []
        end = len(wrong) - 1
        seen, wrong, right = seen[:end], wrong[:end], right[:end]
    mine, spoilt, whole = map(_by_what, (seen, wrong, right))
    different = [what for what in whole if not same(spoilt.get(what, []), whole[what])]
    pairs = [(mine.get(what, []), spoilt.get(what, []), whole[what]) for what in different]
    if any(one.values is None for pair in pairs for answers in pair for one in answers):
        return []  # that something is None, or a flag, has too many causes
    if any(a.flags != b.flags for _, other, own in pairs for a, b in zip(other, own, strict=False)):
        return []
    alike = all(explained(*pair, allowed) for pair in pairs)
    return different if alike and spoilt.keys() == whole.keys() else []


def _by_what(seen: list[Seen]) -> dict[str, list[Seen]]:
    """The answers about each thing, as `asked` calls it."""
    found: dict[str, list[Seen]] = {}
    for one in asked_for(seen):
        found.setdefault(asked(one.place)[0], []).append(one)
    return found


def explained(seen: list[Seen], wrong: list[Seen], right: list[Seen], allowed: float) -> bool:
    """Whether a wrong definition answers as the learner's code does, and otherwise than the right one.

    Where it is nearly right, nine digits do not tell; what is right explains nothing, unless what was noticed around
    the calls tells it from the right one.
    """
    if not same(seen, wrong):
        return False
    if _only_stopped(seen, right):
        return False
    if not same(wrong, right):
        return True
    if same(wrong, right, allowed):
        return noticed(wrong) == noticed(seen) != noticed(right)
    return same(seen, wrong, allowed)


def _only_stopped(seen: list[Seen], right: list[Seen]) -> bool:
    """Whether all was right until a gradient had another shape than its input: that says nothing of why.

    In chapter 1 the engine asks for chapter 2's `unbroadcast` then.
    """
    came = asked_for(seen)
    if not came or not str(came[-1].flags.get("message")).startswith("unbroadcast is built"):
        return False
    return same(came[:-1], asked_for(right)[: len(came) - 1])


def noticed(seen: list[Seen]) -> set[tuple[str, str]]:
    """What was seen around the calls, and where."""
    return {(one.kind, one.place) for one in seen if one.kind in AFTERWARDS}


def waits_for(exercise: Exercise, part: str, inputs: dict[str, Any], wrong: Iterable[tuple[str, str]]) -> list[str]:
    """Of some wrong parts, (exercise, part), those that a right answer to this one runs on, as far as it shows.

    Args:
        exercise: the exercise, and `part` the part of it.
        part: see `exercise`.
        inputs: what the probe was given.
        wrong: what is wrong besides.
    """
    return [name for earlier, name in wrong if runs_on(exercise, part, inputs, earlier, name)]


def runs_on(exercise: Exercise, part: str, inputs: dict[str, Any], earlier: str, name: str) -> bool:
    """Whether the answer to a part hangs on another exercise's part: whether one of its misconceptions shows.

    Args:
        exercise: the exercise, and `part` the part of it.
        part: see `exercise`.
        inputs: what the probe was given.
        earlier: the other exercise, and `name` the part of it.
        name: see `earlier`.
    """
    inputs = {part: inputs[part]}
    wrong = (m.definition for m in BANK.get(earlier, ()) if m.replaces == name)
    with standing(exercise, {}):
        right = answer_with(exercise, inputs, {})
        return any(answer_like(right, exercise, inputs, {name: definition}) is None for definition in wrong)


def misconceptions_named(cause: str) -> list[Misconception]:
    """The misconceptions that a finding's cause names: one, two, or none that the bank knows."""
    return [m for bank in BANK.values() for m in bank if m.name in cause.split(" and ")]


def _named(finding: Finding, found: Misconception, more: str = "") -> Finding:
    return replace(finding, cause=found.name, advice=found.advice + more, section=found.section)


def of_part(seen: list[Seen], part: str) -> list[Seen]:
    """The observations that belong to one part of the exercise."""
    return [one for one in seen if one.part == part]


def same(one: list[Seen], other: list[Seen], alike: float = ALIKE) -> bool:
    """Whether two answers are the same in every place, to rounding."""
    one, other = asked_for(one), asked_for(other)
    return len(one) == len(other) and all(_same(*pair, alike) for pair in zip(one, other, strict=True))


def _same(one: Seen, other: Seen, alike: float) -> bool:
    if (one.place, one.kind, one.dtype, one.shape) != (other.place, other.kind, other.dtype, other.shape):
        return False
    if one.kind == "raised":  # where it was raised differs between a learner's cell and the bank
        kind, message = (one.flags.get(key) == other.flags.get(key) for key in ("type", "message"))
        return kind and (message or one.flags.get("type") == "RecursionError")  # that says where the stack filled
    if one.flags != other.flags or one.values is None or other.values is None:
        return one.flags == other.flags and one.values is other.values
    if one.kind == "drawn" or (one.values == other.values).all():
        return True
    with np.errstate(all="ignore"):
        apart = np.abs(one.values - other.values)
    if np.isfinite(apart).all():
        return bool((apart <= alike * scale(other.values)).all())
    finite = other.values[np.isfinite(other.values)]
    return np.allclose(one.values, other.values, rtol=0, atol=alike * scale(finite), equal_nan=True)
