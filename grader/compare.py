"""Compare what a learner's code answered with what torch.autograd answers on the same inputs.

In this order, and the first difference is the finding: it is done, it ran to the end, each value is
there, and of the right kind; then its shape, its dtype, that it is finite, its flags, its numbers.
"""

from __future__ import annotations

import numpy as np

from .evidence import Seen
from .finding import RIGHT, Finding

# Two right implementations of a chapter's exercise, in float64 and on inputs of size 1, differ by
# rounding: some 1e-13 times the size of the numbers (tests/grader/test_compare.py measures it). A
# central finite difference is off by 1e-10 at the very best.
TOLERANCE = 1e-11

KINDS = {"tensor": "a Tensor", "array": "an array", "number": "a number", "none": "None", "flag": "a flag"}


def compare(seen: list[Seen], expected: list[Seen]) -> Finding:
    """Hold one part's observations against torch's.

    Args:
        seen: what the learner's code answered, in the probe's order.
        expected: what torch answered to the same probe on the same inputs.
    """
    for index, want in enumerate(expected):
        got = seen[index] if index < len(seen) else None
        finding = _ended(got) or _compare_one(got, want)
        if finding:
            return finding
    if len(seen) > len(expected):
        return _ended(seen[-1]) or Finding("type", "the answer", "There are more values than the exercise asks for.")
    return RIGHT


def _ended(got: Seen | None) -> Finding | None:
    """The learner's code did not get this far."""
    if got is None:
        return Finding("missing", "the answer", "The answer stops before its end.")
    if got.kind != "raised":
        return None
    kind, message = str(got.flags.get("type", "an error")), str(got.flags.get("message", ""))
    if got.flags.get("not_done") is True:
        where = got.flags.get("where")
        stub = where and kind == "NotImplementedError"
        return Finding(
            "not done", "", f"Not done yet: {f'{where} is still to be written' if stub else message.rstrip('.')}."
        )
    line = f" at: {got.flags['line']}" if got.flags.get("line") else ""
    return Finding("raised", str(got.flags.get("line", "")), f"Your code stopped with {kind}: {message}{line}")


def _compare_one(got: Seen, want: Seen) -> Finding | None:
    place = want.place
    if got.place != want.place:
        return Finding("missing", place, f"There is no answer for {place}.")
    if got.kind != want.kind:
        found = KINDS.get(got.kind) or f"an object of type {got.flags.get('type', 'unknown')}"
        return Finding("type", place, f"{_first_up(place)} should be {KINDS[want.kind]}, and is {found}.")
    if want.values is None:
        same = got.flags == want.flags
        return None if same else Finding("flags", place, f"It should be so that {place}, and it is not.")
    if got.values is None:
        return Finding("type", place, f"{_first_up(place)} does not hold numbers but {got.dtype or 'something else'}.")
    return _compare_numbers(got, want)


def _compare_numbers(got: Seen, want: Seen) -> Finding | None:
    place, mine, theirs = want.place, got.values, want.values
    assert mine is not None and theirs is not None
    if mine.shape != theirs.shape:
        return Finding("shape", place, f"{_first_up(place)} has shape {mine.shape}; torch's has {theirs.shape}.")
    if want.kind != "number" and got.dtype != want.dtype:
        return Finding("dtype", place, f"{_first_up(place)} is {got.dtype}; torch's is {want.dtype}.")
    if np.isfinite(theirs).all() and not np.isfinite(mine).all():
        count = int((~np.isfinite(mine)).sum())
        return Finding(
            "not finite", place, f"{_first_up(place)} has {count} NaN or infinite value(s); torch's has none."
        )
    for flag in ("requires_grad", "is_leaf"):
        if got.flags.get(flag) is not want.flags.get(flag):
            return Finding("flags", place, f"{_first_up(place)} has {flag}={got.flags.get(flag)}, unlike torch's.")
    difference = float(np.max(np.abs(mine - theirs), initial=0.0))
    close = difference <= TOLERANCE * max(1.0, float(np.max(np.abs(theirs), initial=0.0)))
    if close:
        return None
    line = f"exact: {np.array_equal(mine, theirs)} | approximate: {close} | max difference: {difference:.1e}"
    return Finding("values", place, f"{_first_up(place)} differs from torch's{_pattern(mine, theirs)}.", line)


def _pattern(mine: np.ndarray, theirs: np.ndarray) -> str:
    """What the difference looks like, where it has a simple form; no number of torch's is shown."""
    if not mine.any():
        return ": it is zero everywhere"
    if np.allclose(mine, -theirs, rtol=1e-9):
        return ": its sign is turned round everywhere"
    if mine.size > 1 and theirs.all() and np.ptp(ratio := mine / theirs) <= 1e-9 * abs(ratio.flat[0]):
        return f": every element is {ratio.flat[0]:.4g} times torch's"
    if np.allclose(mine, theirs, rtol=1e-4, atol=1e-4):
        return ": it is close, but not to rounding, as a finite difference or float32 numbers would be"
    return ""


def _first_up(text: str) -> str:
    return text[:1].upper() + text[1:] if text[1:2].isalpha() else text  # "a.grad of …" is a name
