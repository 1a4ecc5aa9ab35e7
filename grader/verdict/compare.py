"""Compare what a learner's code answered with what torch.autograd answers on the same inputs.

In this order, and the first difference is the finding: it is done, it ran to the end, each value is
there, and of the right kind; then its shape, its dtype, that it is finite, its flags, its numbers.
"""

from __future__ import annotations

import functools
import json
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .evidence import DTYPES, Seen
from .finding import RIGHT, Finding
from .probe import MOST_NUMBERS
from .raised import in_plain_words
from .relate import MOST, asked, features, relations, subject, tells

# Two right implementations differ by rounding. By how much was measured, for each part of each exercise, over
# all right answers of the chapters: `python -m tests.verification tolerances` writes the file.
MEASURED = Path(__file__).with_name("tolerances.json")
UNMEASURED = 1e-11  # a central finite difference is off by 1e-10 at the very best
SPREAD = 0.15  # of the largest: by how much quarters of 4,000 random numbers differ once in 10¹⁰ times
SMALLEST = 1e-3  # numbers below this are compared as if they were as large: what cancels leaves rounding behind

LEFT_OVER = "Asked a second time for the same, it answers otherwise: something is left over, or drawn at random."
RETURNED = re.compile(r"\w+\.(?:forward|backward_\w+) returned ")
NO_RETURN = "is a `return` missing?"
STATED_AS = "This should be true, but is not"
ANSWERED_AS = "Not as it should be"
READABLE = re.compile(r"$|.*[A-Za-z]{3}|.*\(|[A-Za-z][\w.]*( [A-Za-z][\w.]*)*$|\d{1,4}( \d{1,4}){0,4}$", re.DOTALL)
AFTERWARDS = ("changed", "later", "again", "tensors")  # what is noticed around the calls, besides what was asked for
STATED = ("flags", "type", "shape", "dtype")  # kinds of findings that need no relation to be understood
MEASURABLE = ("values", "shape", "dtype", "not finite")  # kinds of findings about numbers
KINDS = {"tensor": "a Tensor", "array": "an array", "number": "a number", "none": "None", "flag": "a flag"}
KINDS |= {"drawn": "an array of random numbers"}


@functools.cache
def tolerances() -> dict[str, dict[str, float]]:
    """Exercise -> part -> how far a right answer may be from torch's, in units of `scale`."""
    table = json.loads(MEASURED.read_text("utf-8")) if MEASURED.is_file() else {}
    return {exercise: {part: one["tolerance"] for part, one in parts.items()} for exercise, parts in table.items()}


def tolerance(exercise: str, part: str) -> float:
    """How far a right answer to the part may be from torch's, in units of `scale`."""
    return tolerances().get(exercise, {}).get(part, UNMEASURED)


def scale(values: np.ndarray) -> float:
    """The size of an array's numbers, which a difference is measured by."""
    return max(SMALLEST, float(np.abs(values).max(initial=0.0)))


def compare(seen: list[Seen], expected: list[Seen], allowed: float = UNMEASURED, inputs: Any = None) -> Finding:
    """Hold one part's observations against torch's, and say how what is wrong is related to what is right.

    Args:
        seen: what the learner's code answered, in the probe's order.
        expected: what torch answered to the same probe on the same inputs.
        allowed: how far numbers may differ, in units of `scale`.
        inputs: what the probe was given for the part, which wrong numbers may be related to.
    """
    return with_relations(first_difference(seen, expected, allowed), seen, expected, allowed, inputs)


def first_difference(seen: list[Seen], expected: list[Seen], allowed: float = UNMEASURED) -> Finding:
    """The first thing that tells one part's observations from torch's, or that nothing does; see `compare`."""
    usual = {(one.kind, one.place) for one in expected if one.kind in AFTERWARDS}
    noticed = [one for one in seen if one.kind in AFTERWARDS and (one.kind, one.place) not in usual]
    seen, expected = asked_for(seen), asked_for(expected)
    for got, want in zip(seen, expected, strict=False):
        finding = _ended(got) or _compare_one(got, want, allowed)
        if finding:
            return replace(finding, message=finding.message + _elsewhere(finding, seen, expected, allowed))
    if len(seen) < len(expected):
        return Finding("missing", "the answer", "The answer stops before its end.")
    if len(seen) > len(expected):
        return _ended(seen[-1]) or Finding("type", "the answer", "There are more values than the exercise asks for.")
    return _afterwards(noticed[0]) if noticed else RIGHT


def with_relations(
    finding: Finding,
    seen: list[Seen],
    expected: list[Seen],
    allowed: float,
    inputs: Any,
    explained: Collection[str] = (),
) -> Finding:
    """The first difference, with a sentence about how the wrong numbers are related to torch's, where one holds.

    Args:
        finding: the first difference.
        seen: what the learner's code answered.
        expected: what torch answered.
        allowed: how far numbers may differ.
        inputs: what the probe was given for the part.
        explained: what is explained already, as `asked` calls it.
    """
    besides = beside_the_numbers(finding, seen, expected)
    seen, expected = asked_for(seen), asked_for(expected)
    related, also = "", []
    if finding.kind not in ("raised", "not done"):
        found = [(got, want, _difference(got, want, allowed)) for got, want in zip(seen, expected, strict=False)]
        numbers = [(got, want) for got, want, kind in found if kind == "values" and want.kind != "drawn"]
        wrong = [(got, want) for got, want in numbers if asked(want.place)[0] not in explained]
        otherwise = {asked(want.place)[0] for _, want, kind in found if kind not in ("", "values")}
        whole = len(seen) == len(expected) and all(one.kind != "raised" for one in seen)
        right = [want for _, want, kind in found if not kind]
        told = {asked(want.place)[0] for want in expected} - otherwise if whole else set()
        related = relations(wrong, right, expected, inputs, told)
        known = {*explained, *(what for _, want in wrong if said_of(what := asked(want.place)[0], related))}
        places = Counter(one.place for one in expected)  # x + x has two gradients of x: a sentence leaves open which
        others = [one for one in found if asked(one[1].place)[0] not in known and places[one[1].place] == 1]
        also = _statements(finding, others, allowed)[: max(MOST - len(known | {asked(finding.place)[0]}), 0)]
    if finding.kind == "values" and said_of(asked(finding.place)[0], related):
        message = f"{_subject(finding.place)} differs from torch's."
        finding = replace(finding, message=message + _elsewhere(finding, seen, expected, allowed))
    message = finding.message
    for one in also:
        begun = [words for words in (STATED_AS, ANSWERED_AS) if one.startswith(f"{words}: ") and words in message]
        message += f" Nor is this{one.removeprefix(begun[0])}" if begun else f" {one}"
    return replace(finding, message=message, advice=" ".join(filter(None, (related, *besides))))


def said_of(what: str, sentences: str) -> bool:
    """Whether one of the sentences is about it."""
    return what.lower() in sentences.lower()


def _statements(finding: Finding, wrong: list[tuple[Seen, Seen, str]], allowed: float) -> list[str]:
    """Sentences about what else is not as it should be, besides the first difference, where they say how."""
    said = {" ".join(features(finding.place)[:1]), asked(finding.place)[0]}
    found: list[str] = []
    listed = ". Yours: " in finding.message
    for got, want, kind in wrong:
        what = asked(want.place)[0]
        if finding.kind == kind == "flags" and isinstance(want.flags.get("value"), str):
            if listed:
                continue  # one list of words is read; what follows from it would hide it
            listed = True
        coded = isinstance(said_so := got.flags.get("value"), str) and not _readable(said_so)
        tells = (kind in STATED and not coded) or (
            kind == "values" and _related(_pattern(_finite(got, want), _finite(want, want)))
        )
        cut = kind == "dtype" and finding.kind == "values" and kind not in said  # as in an array of integers
        if tells and want.place != finding.place and (what not in said or cut):
            said.add(kind)
            said.add(what)
            found.append(_words(kind, got, want, allowed)[0])
    return found


def _related(pattern: str) -> bool:
    """Whether a pattern says more than which numbers are wrong."""
    return bool(pattern) and "first at index" not in pattern


def _finite(one: Seen, want: Seen) -> np.ndarray:
    """The numbers of an observation where torch's are finite."""
    assert one.values is not None and want.values is not None  # they were compared
    return one.values if np.isfinite(want.values).all() else one.values[np.isfinite(want.values)]


def beside_the_numbers(finding: Finding, seen: list[Seen], expected: list[Seen]) -> list[str]:
    """Sentences about what else was noticed: what the code writes into, what is left over, an error that came later."""
    usual = {(one.kind, one.place) for one in expected if one.kind in AFTERWARDS}
    noticed = [one for one in seen if one.kind in ("changed", "again") and (one.kind, one.place) not in usual]
    first = {one.place.split(",")[0]: one for one in reversed(noticed) if one.kind == "changed"}
    said = [_changed(one) for one in reversed(first.values())] + [LEFT_OVER for one in noticed if one.kind == "again"]
    last = asked_for(seen)[-1] if asked_for(seen) else None
    ended = _ended(last) if last else None
    if last and ended and finding.kind not in ("raised", "not done") and ended.kind == "raised":
        own = last.flags.get("line") or RETURNED.match(str(last.flags.get("message", "")))
        said += [ended.message] if own else []  # what the probe meets where an answer is wrong is no error of theirs
    return [sentence for sentence in dict.fromkeys(said) if sentence not in finding.message]


def _elsewhere(finding: Finding, seen: list[Seen], expected: list[Seen], allowed: float) -> str:
    return where(seen, expected, allowed) if finding.kind in MEASURABLE else ""


def where(seen: list[Seen], expected: list[Seen], allowed: float) -> str:
    """A sentence about which of several answers are wrong and which are right, if these differ by what was asked.

    It is about a feature that all wrong ones have and no right one, and only if there are two of each at least.
    """
    pairs = [(want.place, not _difference(got, want, allowed)) for got, want in zip(seen, expected, strict=False)]
    if len(seen) != len(expected) or min(sum(not right for _, right in pairs), sum(right for _, right in pairs)) < 2:
        return ""
    off = {asked(place)[0] for place, right in pairs if not right}
    on = [place for place, right in pairs if right]
    numbers = {one.place for one in expected if one.values is not None}  # other places are whole sentences
    numbers -= {place for place in numbers if " itself" in place or "only to be read" in place}
    found = dict.fromkeys(asked(place)[0] for place in on if place in numbers)
    whats = [what for what in found if what.startswith("the ") or "." in what]  # "through calls attend once" is none
    if whats and not off & {asked(place)[0] for place in on} and len(whats) <= 3:
        listed = ", ".join(whats[:-1]) + (" and " if whats[1:] else "") + whats[-1]
        return f" {subject(listed)} {'are' if whats[1:] else 'is'} right."
    wrong = [features(place) for place, right in pairs if not right]
    right = [features(place) for place, right in pairs if right]
    alike = [features for features in right if features[0] in {one[0] for one in wrong}]
    common = [f for f in wrong[0][1:] if all(f in features for features in wrong)] if len(alike) > 1 else []
    only = [f for f in common if not any(f in features for features in alike)]
    return f" In the cases tried, it is so with “{only[0]}” alone." if only else ""


def asked_for(seen: list[Seen]) -> list[Seen]:
    """What a probe yielded, without what was noticed around the calls."""
    return [one for one in seen if one.kind not in AFTERWARDS]


def _afterwards(got: Seen) -> Finding:
    """What was noticed around the calls of the learner's code, where its answers are right."""
    if got.kind == "changed":
        return Finding("in place", got.place, _changed(got))
    if got.kind == "tensors":
        about, said = f"{got.place[:1].upper()}{got.place[1:]}", got.flags.get("value")
        words = (
            f"{about} does not run on tensors, as rules do in chapter 9: NumPy's functions take arrays alone ({said})"
        )
        return Finding("tensors", got.place, f"{words}. Write it with operators, and with methods such as .sum().")
    if got.kind == "later":
        words = f"{_subject(got.place)} is right at first, and another later on, when more was computed"
        return Finding("in place", got.place, f"{words}: do two results share one object?")
    words = f"{_subject(got.place)} is right when it is asked for the first time, and not when the same is asked again"
    return Finding("again", got.place, f"{words}: something is left over from the first time.")


def _changed(got: Seen) -> str:
    """What is said of a call that changes an argument."""
    what, name = got.place.split(",")[0], got.flags.get("value")
    if got.flags.get("flag"):
        return f"{what[:1].upper()}{what[1:]} sets requires_grad of {name}, which is to stay as it is."
    words = f"{what[:1].upper()}{what[1:]} writes into what it is handed: {name} is another after the call"
    return f"{words}. Others still read it: make a new array instead."


def _ended(got: Seen) -> Finding | None:
    """The learner's code did not get this far."""
    if got.kind != "raised":
        return None
    kind, message = str(got.flags.get("type", "an error")), str(got.flags.get("message", ""))
    if got.flags.get("not_done") is True:
        where = got.flags.get("where")
        stub = where and kind == "NotImplementedError"
        return Finding(
            "not done", "", f"Not done yet: {f'{where} is still to be written' if stub else message.rstrip('.')}."
        )
    line = str(got.flags.get("line") or "")
    return Finding("raised", line, _stopped(kind, message, line))


def _stopped(kind: str, message: str, line: str) -> str:
    """What is said of an error: its class and words, the line where it was raised, and what it means."""
    message = re.sub(r"( returned (?=.{40},).*\w), of type", r"\1…, of type", message)  # which was cut there
    said = f"Your code stopped with {kind}: {message}"
    if line:
        said = f"{said.rstrip('.')} at: {line}"
    if "'ellipsis'" in message:
        return f"A blank, `...`, is still there. {said}"
    if line.startswith("raise "):  # its words are the learner's
        return said
    meaning = in_plain_words(kind, message)
    return f"{said.rstrip('.')}.{meaning}" if meaning else said


def _compare_one(got: Seen, want: Seen, allowed: float) -> Finding | None:
    kind = _difference(got, want, allowed)
    return Finding(kind, want.place, *_words(kind, got, want, allowed)) if kind else None


def _difference(got: Seen, want: Seen, allowed: float) -> str:
    """The kind of the first thing that tells an observation from torch's; "" where nothing does."""
    if got.place != want.place:
        return "missing"
    if got.kind != want.kind:
        return "type"
    if want.values is None:
        return "" if got.flags == want.flags else "flags"
    if got.values is None:
        return "type"
    if got.values.shape != want.values.shape:
        return "shape"
    if want.kind != "number" and got.dtype != want.dtype:
        return "dtype"
    mine, theirs = got.values, want.values
    if not (finite := np.isfinite(theirs)).all():
        if not np.array_equal(mine[~finite], theirs[~finite], equal_nan=True):
            return "not finite"
        mine, theirs = mine[finite], theirs[finite]
    if not np.isfinite(mine).all():
        return "not finite"
    if got.flags.get("requires_grad") is not want.flags.get("requires_grad"):
        return "flags"
    if want.kind == "drawn":
        return "" if _spread_alike(mine, theirs) else "values"
    return "" if _largest(mine, theirs) <= allowed * scale(theirs) else "values"


def _words(kind: str, got: Seen, want: Seen, allowed: float) -> tuple[str, ...]:
    """A sentence about a difference, and how large it is where numbers differ."""
    about = _subject(want.place)
    if kind == "missing":
        rule = re.match(r"the gradient of (\w+) in ", want.place)
        return (f"No answer came to this: {want.place}.{f' Is there a rule backward_{rule[1]}?' if rule else ''}",)
    if kind == "type":
        return (_another_kind(got, want),)
    if want.values is None:
        said = got.flags.get("value")
        if not isinstance(said, str):
            return (f"{STATED_AS}: {want.place}.",)
        beside = _words_beside(said, want.flags.get("value"))
        yours = f" Yours: {f'“{said}”' if said else 'nothing'}{beside}." if _readable(said) else ""
        return (f"{ANSWERED_AS}: {want.place}.{yours}",)
    assert got.values is not None  # that is another kind
    mine, theirs, finite = got.values, want.values, np.isfinite(want.values)
    if kind == "shape":
        return (f"{about} has shape {mine.shape}; torch's has {theirs.shape}{_reshaped(mine, theirs)}.",)
    if kind == "dtype":
        return (f"{about} is {got.dtype}; torch's is {want.dtype}.",)
    if kind == "not finite":
        count = int((~np.isfinite(mine[finite])).sum())
        more = f"{about} has {count} NaN or infinite value(s) where torch's is finite."
        return (more if count else f"{about} is not NaN or infinite where torch's is.",)
    if kind == "flags":
        return (f"{about} has requires_grad={got.flags.get('requires_grad')}, unlike torch's.",)
    if want.kind == "drawn":
        return (f"{about} are spread otherwise than torch's.",)
    mine, theirs = _finite(got, want), _finite(want, want)
    words = f"{about} differs from torch's{_pattern(mine, theirs)}."
    if want.dtype.startswith(("int", "uint", "bool")):  # what is counted is not rounded
        return (f"{about} comes out as {mine.flat[0]:g}, which is not right." if want.shape == () else words,)
    rounding = allowed * scale(theirs)
    return words, f"largest difference: {_largest(mine, theirs):.1e}; rounding explains {rounding:.0e}"


def _readable(said: str) -> bool:
    """Whether a text says something to a learner: words, names, a shape, a few counts; a probe's own code does not."""
    return READABLE.match(said) is not None


def _words_beside(mine: Any, theirs: Any) -> str:
    """How a list of words differs from the right one, where that is simple: its order, or how many there are."""
    one, other = Counter(str(mine).split()), Counter(str(theirs).split())
    if min(one.total(), other.total()) < 2:
        return ""
    if one == other:
        return ", which is right but for the order"
    if one.keys() == other.keys() and one > other:
        return ", in which something comes twice"
    if one > other or one < other:
        many = abs(one.total() - other.total())
        verb = "is" if many == 1 else "are"
        return f", of which {many} {verb} too many" if one > other else f", and {many} {verb} missing"
    return ""


def _another_kind(got: Seen, want: Seen) -> str:
    """A sentence about an observation that is no tensor, array, number … where torch's is."""
    if got.kind == want.kind and got.dtype in DTYPES:
        return f"{_subject(want.place)} has more than {MOST_NUMBERS:,} numbers, which no exercise asks for."
    if got.kind == want.kind:
        return f"{_subject(want.place)} does not hold numbers but {got.dtype or 'something else'}."
    if got.kind == "none" and want.kind == "flag":
        return f"{STATED_AS}: {want.place}. It returned None: {NO_RETURN}"
    found = KINDS.get(got.kind) or f"an object of type {got.flags.get('type', 'unknown')}"
    found = "a text" if isinstance(got.flags.get("value"), str) else found
    if want.kind == "number" and got.kind == "array":  # an array of shape () would do
        return f"{_subject(want.place)} should be a single number, of shape (), and has the shape {got.shape}."
    asked = f": {NO_RETURN}" if got.kind == "none" and not _about_grad(want.place) else "."
    return f"{_subject(want.place)} should be {KINDS[want.kind]}, and is {found}{asked}"


def _largest(mine: np.ndarray, theirs: np.ndarray) -> float:
    """The largest difference between two arrays of one shape."""
    return float(np.abs(mine - theirs).max(initial=0.0))


def _spread_alike(mine: np.ndarray, theirs: np.ndarray) -> bool:
    """Whether two arrays of random numbers have the same ends and quarters, as far as chance lets one say."""
    quarters = np.linspace(0, 1, 5)
    return _largest(np.quantile(mine, quarters), np.quantile(theirs, quarters)) <= SPREAD * scale(theirs)


def _pattern(mine: np.ndarray, theirs: np.ndarray) -> str:
    """What the difference looks like, where it has a simple form; no number of torch's is shown."""
    if not mine.any():
        return ": it is zero everywhere" if mine.size > 1 else ": it is zero"
    if _close(mine, -theirs):
        return ": its sign is turned round everywhere"
    if np.allclose(mine, theirs, rtol=1e-4, atol=1e-4 * scale(theirs)):
        return ": it is close, but not to rounding (is something small added, left out or rounded?)"
    ratio = mine / theirs if mine.size > 1 and theirs.all() else np.zeros(0)
    if ratio.size and np.ptp(ratio) <= 1e-9 * abs(ratio.flat[0]) and tells(float(ratio.flat[0])):
        return f": every element is {ratio.flat[0]:.4g} times torch's"
    if mine.ndim > 1 and mine.shape[-1] == mine.shape[-2] and _close(mine, np.swapaxes(theirs, -1, -2)):
        return ": it is torch's transposed"
    if mine.size > 1 and _close(np.sort(mine, axis=None), np.sort(theirs, axis=None)):
        return ": its numbers are torch's, in other places"
    wrong = ~np.isclose(mine, theirs, rtol=1e-9, atol=1e-12)
    if mine.size > 1 and not wrong.all():
        where = f"first at index {tuple(int(i) for i in np.argwhere(wrong)[0])}"
        return f": {int(wrong.sum())} of its {mine.size} numbers {'is' if wrong.sum() == 1 else 'are'} wrong, {where}"
    return ""


def _reshaped(mine: np.ndarray, theirs: np.ndarray) -> str:
    """How an array of another shape is related to torch's, where that is simple."""
    if mine.shape == theirs.shape[::-1] and _close(mine.T, theirs):
        return ": it is torch's transposed"
    if mine.size == theirs.size and _close(mine.ravel(), theirs.ravel()):
        return ", with the same numbers"
    if mine.ndim > theirs.ndim and _close(mine.sum(axis=tuple(range(mine.ndim - theirs.ndim))), theirs):
        return ": it is not summed over the axes that broadcasting added"
    if mine.size == 1 < theirs.size and _close(mine.reshape(()), np.asarray(theirs.sum())):
        return ": it is the sum of torch's numbers"
    for axis in range(theirs.ndim if theirs.size > 1 else 0):
        if _close(mine.ravel(), theirs.sum(axis=axis).ravel()):
            return f": it is the sum of torch's over its axis {axis}"
    return ""


def _close(one: np.ndarray, other: np.ndarray) -> bool:
    return one.shape == other.shape and np.allclose(one, other, rtol=1e-9, atol=1e-12)


def _about_grad(place: str) -> bool:
    """Whether what was looked at is a gradient, which is None where nothing arrived."""
    return any("grad" in word for word in place.split()[:3])


def _subject(place: str) -> str:
    """A place as what a sentence is about: what a comma adds to it ends with a comma, too."""
    text = subject(place)
    return f"{text}," if ", " in _outside_parentheses(place) else text


def _outside_parentheses(text: str) -> str:
    """The text without what stands in parentheses: the commas of a shape, or of a call."""
    shorter = re.sub(r"\([^()]*\)", "", text)
    return text if shorter == text else _outside_parentheses(shorter)
