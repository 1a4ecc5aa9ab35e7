"""The case behind an observation: which of a probe's inputs it was asked on, and which kind of case is wrong."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .evidence import Seen

ENOUGH = 8  # cases or numbers, before signs that were drawn tell anything
FEWEST = 2  # wrong and right numbers, or cases, that a clause needs
SHORT = {"above": "grad", "": "number"}


@dataclass(frozen=True)
class Case:
    """One answer, torch's, and the inputs that the probe asked on.

    Attributes:
        mine, theirs: the learner's numbers, and torch's, of one shape.
        given: input → its numbers; none where it is not known which inputs these were.
        right: whether the comparison calls the answer right.
    """

    mine: np.ndarray
    theirs: np.ndarray
    given: dict[str, np.ndarray]
    right: bool


def inputs_of(
    expected: list[Seen], inputs: Any, asked: Callable[[str], tuple[str, str]]
) -> list[dict[str, np.ndarray]]:
    """The inputs of the case that each observation belongs to: the n-th time that a probe begins is its n-th case.

    Where it first asks for one thing in all cases, and then for others, these are told by the words of their places.
    """
    if not isinstance(inputs, list) or not expected:
        return [{}] * len(expected)
    places = [asked(one.place) for one in expected]
    begins = [at for at, (what, _) in enumerate(places) if what == places[0][0]]
    if len(begins) != len(inputs):
        return [{}] * len(expected)
    own = [dict(named(case)) for case in inputs]
    if begins != list(range(len(inputs))) or len(inputs) == len(expected):
        return [own[bisect.bisect(begins, at) - 1] for at in range(len(expected))]
    words = [(what, case.lstrip().partition(" ")[2]) for what, case in places]  # without "in", "after"
    alike = {case: [n for n in begins if words[n][1] == case] for _, case in words}
    times, met, found = Counter(words), Counter[tuple[str, str]](), []
    for one in words:
        of, rest = divmod(times[one], len(alike[one[1]]) or 1)
        found.append(own[alike[one[1]][met[one] // of]] if of and not rest and alike[one[1]] else {})
        met[one] += 1
    return found


def named(case: Any, name: str = "x") -> Iterator[tuple[str, np.ndarray]]:
    """The arrays and numbers of one case, each with its name."""
    if isinstance(case, dict):
        for key, value in case.items():
            if key == "coefficients" and isinstance(value, list) and len(value) == 3:
                yield from zip("abc", map(np.float64, value), strict=True)  # as the notebook calls them
            yield from named(value, str(key))
    elif isinstance(case, list | tuple) and len(case) == 2 and isinstance(case[0], str):
        yield from named(case[1], case[0])  # an operand and its name
    elif (array := numbers(case)) is not None:
        yield SHORT.get(name, name), array
    elif isinstance(case, list | tuple):
        for value in case:
            yield from named(value, name)


def numbers(value: Any) -> np.ndarray | None:
    """The value as an array, if it is one of floating point, or a number."""
    if isinstance(value, bool | str) or value is None:
        return None
    try:
        array = np.array(value)
    except ValueError:  # of lists that are not of one length
        return None
    return (
        array.astype(np.float64) if array.dtype.kind == "f" or (array.ndim == 0 and array.dtype.kind == "i") else None
    )


ELEMENTS: list[tuple[str, Callable[[np.ndarray], np.ndarray]]] = [
    ("negative", lambda k: k < 0),
    ("positive", lambda k: k > 0),
    ("0", lambda k: k == 0),
]
NUMBERS: list[tuple[str, Callable[[np.ndarray], bool]]] = [
    ("is 0", lambda k: bool(k == 0)),
    ("is no whole number", lambda k: bool(k % 1 != 0)),
]
SIGNS: list[tuple[str, Callable[[np.ndarray], bool]]] = [
    ("is negative", lambda k: bool(k < 0)),
    ("is positive", lambda k: bool(k > 0)),
]
CASES: list[tuple[str, Callable[[np.ndarray], bool]]] = [
    ("is a single number", lambda k: k.ndim == 0),
    ("is no single number", lambda k: k.ndim > 0),
    ("has no element", lambda k: k.size == 0),
    ("has more than one axis", lambda k: k.ndim > 1),
    ("has an axis of length 1", lambda k: 1 in k.shape),
    ("holds a 0", lambda k: bool((k == 0).any())),
    ("holds equal numbers", lambda k: k.size > len(np.unique(k))),
]


def wrong_where(cases: list[Case]) -> str:
    """Where the answers about one thing are wrong, and only there: "where x is negative"; "" where nothing tells."""
    return _elements(cases) or _kinds(cases)


def wrong_place(cases: list[Case]) -> str:
    """Which number alone is wrong, in every case: "its last number"; "" for no such place."""
    wrong = [_wrong(case).ravel() for case in cases if not case.right and case.theirs.size > 1]
    if len(wrong) < FEWEST or len({len(one) for one in wrong}) < FEWEST:
        return ""
    for words, place in (("its first number", 0), ("its last number", -1)):
        if all(one[place] and one.sum() == 1 for one in wrong):
            return words
    return ""


def _elements(cases: list[Case]) -> str:
    alike = [case for case in cases if case.theirs.size]
    named = [{name for name, k in case.given.items() if k.shape == case.theirs.shape} for case in alike]
    names = set.intersection(*named) if named else set()
    wrong = np.concatenate([_wrong(case).ravel() for case in alike]) if names else np.zeros(0, bool)
    said = []
    for name in sorted(names):
        values = np.concatenate([case.given[name].ravel() for case in alike])
        kinds = ELEMENTS if len(wrong) >= ENOUGH else ELEMENTS[-1:]
        said += [f"where {name} is {words}" for words, holds in kinds if _exactly(wrong, holds(values))]
        others = {o: np.concatenate([case.given[o].ravel() for case in alike]) for o in sorted(names - {name, "grad"})}
        others = others if len(wrong) >= ENOUGH and name != "grad" else {}
        said += [f"where {name} is smaller than {o}" for o, k in others.items() if _exactly(wrong, values < k)]
    return said[0] if len(said) == 1 else ""


def _kinds(cases: list[Case]) -> str:
    names = set.intersection(*(set(case.given) for case in cases)) if cases else set()
    wrong = np.array([not case.right for case in cases])
    said: dict[str, list[str]] = {}
    for name in sorted(names):
        single = all(case.given[name].ndim == 0 for case in cases)
        signs = SIGNS if len(cases) >= ENOUGH else []  # in a few cases, signs may agree by chance
        for words, holds in [*NUMBERS, *signs] if single else CASES:
            if _exactly(wrong, np.array([holds(case.given[name]) for case in cases])):
                said.setdefault(words, []).append("the number" if name == "number" else name)
    if len(said) != 1:
        return ""
    words, owners = next(iter(said.items()))
    return f"where {owners[0]} {words}"


def _exactly(wrong: np.ndarray, there: np.ndarray) -> bool:
    return bool((wrong == there).all()) and min(wrong.sum(), (~wrong).sum()) >= FEWEST


def _wrong(case: Case) -> np.ndarray:
    if case.right:
        return np.zeros(case.theirs.shape, bool)
    wrong: np.ndarray = ~np.isclose(case.mine, case.theirs, rtol=1e-9, atol=1e-12)
    return wrong


def sizes(case: Case) -> dict[str, np.ndarray]:
    """The lengths that a wrong factor may be, as Python writes them: `x.size`, `len(x)`."""
    found: dict[str, int] = {}
    for name, array in case.given.items():
        shape = array.shape
        if shape:
            found |= {f"{name}.size": array.size, f"len({name})": shape[0], f"{name}.shape[-1]": shape[-1]}
            found |= {f"{name}.ndim": array.ndim, f"{name}.shape[-2]": shape[-2] if len(shape) > 1 else 1}
        else:
            lengths = ("{}.size", "len({})", "{}.shape[-1]", "{}.ndim", "{}.shape[-2]")
            found |= {words.format(name): 1 for words in lengths}
    return {name: np.array(float(length)) for name, length in found.items()}
