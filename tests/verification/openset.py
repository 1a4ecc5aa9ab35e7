"""The open set: wrong answers that no bank holds, and right ones made mechanically; what the grader says to each.

A slip that answers as the right definition does, wherever somebody looks, is no wrong answer. Whether it does is
decided without the probe's comparison: on more draws, in the chapter's other exercises, and by calling both
definitions with other arguments; nine digits count. See `like_the_right_one`. What such a look cannot tell is listed,
with its reason, in equivalent.toml.
"""

from __future__ import annotations

import ast
import copy
import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import minigrad
from grader.ask.exercise import Exercise
from grader.chapters.answers import BANK
from grader.verdict import probe
from grader.verdict.assess import as_usual, expected
from grader.verdict.compare import first_difference, tolerance
from grader.verdict.diagnose import answer_with, diagnose, of_part
from grader.verdict.evidence import Seen
from grader.verdict.finding import Finding
from minigrad import workshop

from .cases import EXERCISES, TooLong, define, drawn, exercise_of, imports, within
from .kill import Answers
from .mutants import bare, equivalents, original
from .mutants import slip as changed_lines
from .rewrites import rewrites
from .slips import slips

WRONG, RIGHT = 96, 36  # of each part, at most
SEEDS = range(2)  # each is judged on as many draws, and has to be rejected, or accepted, on all
SECONDS = 2.0  # that an answer may take
MORE = range(2, 12)  # further draws on which an accepted slip is held against the right definition


@dataclass
class Opened:
    """What became of one part's open set.

    Attributes:
        exercise, part: whose it is.
        wrong, right: how many wrong and right answers were judged.
        layers: what explained the wrong ones that were rejected: `bank`, `relation` or `place`; `none`, where nothing did.
        alike: how many slips answer as the right definition does, and are not counted.
        accepted: wrong answers that were accepted, and the kinds of their slips.
        refused: right answers that were rejected, with what was said.
        said: a wrong answer's code, and the sentence: for readers.
    """

    exercise: str
    part: str
    wrong: int = 0
    right: int = 0
    layers: Counter[str] = field(default_factory=Counter)
    alike: int = 0
    accepted: list[tuple[str, str]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    said: list[tuple[str, str]] = field(default_factory=list)


def layer(finding: Finding) -> str:
    """What explains a finding: a mistake of the bank, a sentence about the numbers or the error, or the place alone."""
    if finding.cause:
        return "bank"
    return "relation" if finding.advice or finding.kind in ("raised", "not done", "in place", "again") else "place"


def opened(name: str, part: str, wrong: int = WRONG, right: int = RIGHT) -> Opened:
    """Judge the open set of one part of an exercise."""
    exercise, found = exercise_of(name), Opened(name, part)
    judge = Judge(exercise, part)
    text = original(exercise, part)
    known = {plain(one.text()) for one in BANK.get(name, ()) if one.replaces == part}
    for slip in slips(text, wrong):
        if slip.text in known:
            continue
        findings = judge.findings(slip.text)
        if all(finding.right for finding in findings) or not all(not finding.right for finding in findings):
            listed = (part, changed_lines(text, slip.text)) in equivalents()
            if listed or like_the_right_one(exercise, part, slip.text):
                found.alike += 1
                continue
            found.accepted.append((", ".join(slip.kinds), slip.text))
        else:
            found.layers[layer(findings[0])] += 1
            found.said.append((slip.text, findings[0].sentence()))
        found.wrong += 1
    for made, kinds in rewrites(text, right, "import numpy" in imports(exercise.chapter)):
        findings = judge.findings(made, diagnosed=False)
        found.right += 1
        if refused := [finding for finding in findings if not finding.right]:
            found.refused.append((", ".join(kinds), f"{made}\n# {refused[0].sentence()}"))
    return found


def sample(name: str, part: str, how_many: int, seed: str) -> list[tuple[str, str]]:
    """Some wrong answers to a part that are rejected, drawn afresh, each with what is said to it."""
    exercise = exercise_of(name)
    judge, found = Judge(exercise, part), []
    for slip in slips(original(exercise, part), 3 * how_many, seed):
        findings = judge.findings(slip.text)
        if len(found) < how_many and not findings[0].right:
            found.append((slip.text, findings[0].sentence()))
    return found


def plain(text: str) -> str:
    """A definition without what does not count."""
    return ast.unparse(bare(ast.parse(text)))


class Judge:
    """Judges definitions of one part, on the same draws; torch's answers and the bank's are asked for once."""

    def __init__(self, exercise: Exercise, part: str) -> None:
        self.exercise, self.part = exercise, part
        self.draws = [{part: drawn(exercise, seed)[part]} for seed in SEEDS]
        self.truths = [of_part(expected(exercise, inputs), part) for inputs in self.draws]
        self.answers = [Answers() for _ in self.draws]

    def findings(self, text: str, diagnosed: bool = True) -> list[Finding]:
        """What is found on each draw; the first that is wrong is diagnosed."""
        try:
            definitions = define(self.exercise, text)
        except Exception as error:
            return [Finding("raised", message=f"The cell stops with {type(error).__name__}.")]
        found = []
        for inputs, truth, answers in zip(self.draws, self.truths, self.answers, strict=True):
            seen = answer_in_time(self.exercise, inputs, definitions)
            if seen is None:
                return [Finding("missing", message="It does not come to an end.")]
            usual = as_usual(self.exercise, inputs, seen, truth)
            finding = first_difference(seen, usual, tolerance(self.exercise.name, self.part))
            if diagnosed and not found and not finding.right:
                finding = diagnose(finding, self.exercise, self.part, seen, usual, inputs, answers)
            found.append(finding)
        return found


def answer_in_time(exercise: Exercise, inputs: Any, definitions: dict[str, Any]) -> list[Seen] | None:
    """What the probe sees, asked twice as at grading; None where it takes too long."""
    try:
        with within(SECONDS):
            return answer_with(exercise, inputs, definitions, twice=True)
    except TooLong:
        return None


# ---------------------------------------------------------------------- whether a slip changes anything


def like_the_right_one(exercise: Exercise, part: str, text: str) -> bool:
    """Whether a definition answers, to nine digits, as the course's own does, wherever it is asked.

    It is asked on more draws; in the other exercises of the chapter; and, where it takes arrays, tensors and numbers,
    with arguments that no draw has.
    """
    right, slip = define(exercise, original(exercise, part)), define(exercise, text)
    chapter = [one for one in EXERCISES if one.chapter == exercise.chapter and one is not exercise]
    asked = [(exercise, {part: drawn(exercise, seed)[part]}) for seed in MORE]
    asked += [(one, drawn(one, 0)) for one in chapter if part in workshop.own_parts(exercise.chapter)]
    for one, inputs in asked:
        answers = [answer_in_time(one, inputs, definitions) for definitions in (right, slip)]
        if None in answers or not identical(*answers):
            return False
    calls = list(calls_of(exercise, part, right))
    return all(agree(outcome(right[part], *call), outcome(slip[part], *call)) for call in calls)


def agree(one: list[Any], other: list[Any]) -> bool:
    """Whether two calls came to the same."""
    return len(one) == len(other) and all(map(probe.alike, one, other))


def identical(one: Any, other: Any) -> bool:
    """Whether two answers are the same, but for the line where an error was raised."""
    return len(one) == len(other) and all(map(equal, one, other))


def equal(a: Seen, b: Seen) -> bool:
    """Whether two observations are."""
    flags = [{k: v for k, v in seen.flags.items() if k not in ("line", "where")} for seen in (a, b)]
    same = (a.place, a.kind, a.dtype, a.shape) == (b.place, b.kind, b.dtype, b.shape) and flags[0] == flags[1]
    return same and (
        a.values is None or b.values is None or np.allclose(a.values, b.values, rtol=1e-9, atol=1e-12, equal_nan=True)
    )


def calls_of(exercise: Exercise, part: str, right: dict[str, Any]) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Arguments like those that the probe calls the definition with, with other numbers; none where it takes others."""
    own, met = right[part], []
    function = getattr(own, "forward", own) if isinstance(own, type) else own

    def listening(*args: Any, **settings: Any) -> Any:
        met.append((args[isinstance(own, type) :], settings))
        return function(*args, **settings)

    if isinstance(own, type):
        if not issubclass(own, minigrad.core.function.Function):
            return
        made = type(own.__name__, (own,), {"forward": listening, "__wrapped__": own})
        listening.__wrapped__ = function  # type: ignore[attr-defined] # its parameters' names are read
    else:
        made = listening
    answer_with(exercise, {part: drawn(exercise, 0)[part]}, {**right, part: made})
    rng = np.random.default_rng(18)
    for args, settings in met[:12]:
        for change in (normal, sprinkled):
            try:
                yield tuple(other(one, rng, change) for one in args), settings
            except NotImplementedError:
                return


def normal(rng: np.random.Generator, shape: Any) -> Any:
    """Any numbers."""
    return rng.normal(size=shape) * 3


def sprinkled(rng: np.random.Generator, shape: Any) -> Any:
    """Numbers among which there are zeros, ones and ties."""
    return rng.choice([0.0, 1.0, -1.0, 0.5, 2.0], size=shape)


def other(value: Any, rng: np.random.Generator, change: Any) -> Any:
    """An argument of the same kind with other numbers."""
    if isinstance(value, np.ndarray | np.floating):
        return change(rng, np.shape(value))[()] if np.asarray(value).dtype.kind == "f" else copy.copy(value)
    if isinstance(value, minigrad.Tensor) and value.grad_fn is None:
        made = other(value.detach().numpy().copy(), rng, change)
        return minigrad.tensor(made, dtype=value.dtype, requires_grad=value.requires_grad)
    if isinstance(value, float | int | str | bool | None):
        return value
    if isinstance(value, list | tuple):
        return type(value)(other(one, rng, change) for one in value)
    if isinstance(value, dict):
        return {key: other(one, rng, change) for key, one in value.items()}
    raise NotImplementedError


def outcome(own: Any, args: tuple[Any, ...], settings: dict[str, Any]) -> list[Any]:
    """What a call returns, or raises, and leaves in its arguments, described."""
    args = copy.deepcopy(args)
    try:
        with within(SECONDS), np.errstate(all="ignore"):
            if not isinstance(own, type):
                found = [own(*args, **settings)]
            else:
                inputs = [minigrad.tensor(a, requires_grad=True) if isinstance(a, np.ndarray) else a for a in args]
                out = own.apply(*inputs, **settings)
                above = np.cos(np.arange(out.numel())).reshape(out.shape)
                found = [out, *out.grad_fn.backward(above)]
    except TooLong:
        return [{"kind": "too long"}]
    except Exception as error:
        return [{"kind": type(error).__name__}]
    return [probe.describe(one) for one in flat([found, args])]


def flat(value: Any) -> Iterator[Any]:
    """What is in lists, tuples and dictionaries; a leaf, and its gradient."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        yield from itertools.chain.from_iterable(map(flat, value))
        return
    yield value
    if isinstance(value, minigrad.Tensor) and value.grad_fn is None:
        yield value.grad
