"""How wrong numbers are related to torch's, in words: what needs no bank of mistakes.

A relation is said only if it holds for every wrong answer about the same thing (the gradient of x, say), in two cases
at least, and on enough numbers that chance cannot bring it about. No number of torch's is shown.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from .cases import SHORT, Case, inputs_of, sizes, wrong_place, wrong_where
from .evidence import Seen
from .formula import factor, formula, reduction, with_powers

MOST = 3  # things that are wrong, of which something is said
FEW = 2  # numbers that confirm by which product of its inputs something is off, besides those that its powers need
SIMPLEST = 12  # the largest number below the line of a ratio that says something
FEWEST = 4  # numbers that are not 0, on which a relation has to hold
READ_ONLY = re.compile(r"^(?:the )?(?:input |array |tensor )?([\w.]+) itself$")
PHRASES = ("the ", "what ", "gradient ", "a ")  # a place that begins so gets a capital; any other begins with a name
WORDS = {"above": "the gradient from above", "grad": "the gradient that is handed in"}

Pair = tuple[np.ndarray, np.ndarray]  # the learner's numbers, and torch's
Named = list[tuple[str, np.ndarray]]
Own = dict[int, dict[str, np.ndarray]]  # the id of what torch answered → the inputs of its case


def relations(
    wrong: list[tuple[Seen, Seen]],
    right: list[Seen],
    expected: list[Seen],
    inputs: Any,
    told: Collection[str] = (),
) -> str:
    """A sentence for each of the first things that are wrong, if they are torch's, or its inputs, in some simple way.

    Args:
        wrong: pairs of what the learner's code answered and what torch did, which differ.
        right: what torch answered where the learner's code answered the same.
        expected: all that torch answered.
        inputs: what the probe of the part was given.
        told: about what `wrong` and `right` hold all there is, so that it can be said which cases are wrong.
    """
    groups: dict[str, list[tuple[Seen, Seen]]] = {}
    for got, want in wrong:
        groups.setdefault(asked(want.place)[0], []).append((got, want))
    given = list(arrays_in(inputs))
    own = dict(zip(map(id, expected), inputs_of(expected, inputs, asked), strict=True))
    elsewhere = {asked(one.place)[0] for one in right}
    said: list[tuple[str, str]] = []
    with np.errstate(all="ignore"):  # what is wrong may be divided by 0, or be very large
        for what, group in list(groups.items())[:MOST]:
            where = _where(what, group, right, own) if what in told and not READ_ONLY.match(what) else ""
            sentence = related(what, group, expected, given, own) or _computed(what, group, right, own)
            if sentence and what in elsewhere:
                sentence = _limited(what, sentence, where)
            clause = f"{_only(what, where)}." if where else ""
            said.append((what, sentence or clause))
    return " ".join(_each_once(said))


def _each_once(said: list[tuple[str, str]]) -> Iterator[str]:
    """The sentences, each about the thing beside it; what is said again of another is not said in full."""
    first: dict[str, str] = {}
    others: dict[str, list[str]] = {}
    for what, sentence in said:
        alike = sentence.replace(subject(what), "it").replace(what, "it")
        if alike == sentence or alike not in first:
            first[alike] = sentence
        else:
            others.setdefault(alike, []).append(what)
    for alike, sentence in first.items():
        again = f" It is the same with {' and '.join(others[alike])}." if alike in others else ""
        if sentence:
            yield f"{sentence}{again}"


def _where(what: str, group: list[tuple[Seen, Seen]], right: list[Seen], own: Own) -> str:
    """The kind of case that is wrong, and no other; see `cases.wrong_where`."""
    return wrong_where(_cases(what, group, right, own)) if all(comparable(*pair) for pair in group) else ""


def _cases(what: str, group: list[tuple[Seen, Seen]], right: list[Seen], own: Own) -> list[Case]:
    """All answers about one thing, each with the inputs of its case."""

    def given(want: Seen) -> dict[str, np.ndarray]:  # a forward pass knows of no gradient from above
        return {name: k for name, k in own.get(id(want), {}).items() if name != "grad" or "grad" in what}

    cases = [Case(_floats(got), _floats(want), given(want), False) for got, want in group]
    alike = [one for one in right if asked(one.place)[0] == what and comparable(one, one)]
    return [*cases, *(Case(_floats(one), _floats(one), given(one), True) for one in alike)]


def _computed(what: str, group: list[tuple[Seen, Seen]], right: list[Seen], own: Own) -> str:
    """What the wrong numbers are of the inputs of their cases: a formula, torch's with a factor, another number."""
    if not all(comparable(*pair) for pair in group):
        return ""
    about, cases = subject(what), _cases(what, group, right, own)
    wrong = [case for case in cases if not case.right]
    for name in wrong[0].given:
        single = [case for case in cases if name in case.given and case.mine.size and np.ptp(case.mine) == 0]
        numbers = [(float(case.mine.flat[0]), case.given[name]) for case in single]
        if len(numbers) == len(cases) and (found := reduction(numbers)):
            return f"{about} is {found} of {name}."
    if len(wrong) < 2:
        return ""
    if place := wrong_place(cases):
        return f"{about} is wrong in {place} alone."
    sized = [(case.mine, case.theirs, {**case.given, **sizes(case)}) for case in wrong if case.given]
    if "grad" not in what:
        sized = [(mine, theirs, {**known, "out.size": np.array(float(theirs.size))}) for mine, theirs, known in sized]
    if len(sized) == len(wrong) and (found := factor(sized)):
        return f"{about} is torch's times `{found}`, in all cases tried."
    names = set(wrong[0].given)
    powers = "**" in group[0][1].place
    alike = [(c.mine, with_powers(c.given) if powers else c.given) for c in wrong if c.given and set(c.given) == names]
    if found := formula(alike):
        if len(alike) == len(wrong):
            return f"{about} comes out as `{found}`."
        of = [
            features(want.place)[1:2] for (_, want), case in zip(group, wrong, strict=True) if set(case.given) == names
        ]
        if of[0] and len(set(of)) == 1 and 2 * len(alike) > len(wrong):
            return f"With “{of[0][0]}”, {what} comes out as `{found}`."
    return _by_how_much(about, cases) or _by_how_much(about, wrong)


def _by_how_much(about: str, cases: list[Case]) -> str:
    """Which formula of their inputs numbers are too large by, or too small."""
    off = [(case.mine - case.theirs, case) for case in cases]
    lengths = set.intersection(*(set(sizes(case)) for case in cases))
    for more in ((), *((name,) for name in sorted(lengths))):
        known = [(by, {**case.given, **{name: sizes(case)[name] for name in more}}) for by, case in off]
        found = formula(known, FEW)
        if found.startswith("-"):
            return f"{about} is too small by `{formula([(-by, names) for by, names in known], FEW)}`."
        if found:
            return f"{about} is too large by `{found}`."
    return ""


def _limited(what: str, sentence: str, where: str) -> str:
    """The sentence, for something that is right in other cases."""
    if not sentence.startswith(subject(what)):
        return sentence  # it says where it holds
    rest = sentence.removeprefix(subject(what)).removesuffix(".").removesuffix(", in all cases tried")
    end = "" if rest.endswith("?") else "."
    return f"{_only(what, where)}: there it{rest}{end}" if where else f"Where it is wrong, {what}{rest}{end}"


def _only(what: str, where: str) -> str:
    """Which cases of one thing are wrong: a statement about those that were asked, for others may be as well."""
    return f"In the cases tried, {what} is wrong {where}, and only there"


def related(what: str, group: list[tuple[Seen, Seen]], expected: list[Seen], given: Named, own: Own) -> str:
    """How all wrong answers about one thing are related to torch's; "" where no simple relation is found."""
    asked_once = Counter((id(own.get(id(one))), one.place) for one in expected)  # x / x has two gradients of x
    group = [
        (got, want)
        for got, want in group
        if comparable(got, want) and asked_once[id(own.get(id(want))), want.place] == 1
    ]
    pairs: list[Pair] = [(_floats(got), _floats(want)) for got, want in group]
    if not _enough(pairs):
        return ""
    about = subject(what)
    if owner := READ_ONLY.match(what):
        return f"{about} is another than before: your code writes into {owner[1]}, which it is only to read."
    if near := _nearly(pairs):
        return f"{about} {near}"
    if np.ptp(np.concatenate([(mine - theirs).ravel() for mine, theirs in pairs])) < 1e-9:
        return f"{about} is {_off(pairs)}."
    for holds, words in ALONE:
        if all(holds(mine, theirs) for mine, theirs in pairs):
            return f"{about} {words}"
    for size, words in SIZES:
        sizes = [size(_shape_asked(want)) for _, want in group]
        for power, said in POWERS:
            if len(set(sizes)) > 1 and all(_is_times(*pair, n**power) for pair, n in zip(pairs, sizes, strict=True)):
                return f"{about} is torch's {said} {words}, in all cases tried."
    ratios = {_ratio(mine, theirs) for mine, theirs in pairs if theirs.any() or mine.any()}
    shown = {ratio and f"{ratio:.4g}" for ratio in ratios}
    if len(shown) == 1 and None not in shown and tells(ratios.pop(), given):
        return f"{about} is {shown.pop()} times torch's, in all cases tried."
    beside = [[*_beside(want, expected, own), *(_own(want, own) or given)] for _, want in group]
    names = dict.fromkeys(["above", *(name for named in beside for name, _ in named)])
    for name in names:
        known = [_fitting(name, named, theirs) for named, (_, theirs) in zip(beside, pairs, strict=True)]
        heres = [mentions(want.place, name) for _, want in group]
        tried = [
            (pair, arrays)
            for pair, arrays, here in zip(pairs, known, heres, strict=True)
            if arrays and (here or not any(heres))
        ]
        if _enough([pair for pair, _ in tried]) and 2 * len(tried) >= len(pairs):
            spread = [
                (pair, _spread(name, own.get(id(want), {}), pair[1]))
                for pair, (_, want) in zip(pairs, group, strict=True)
            ]
            for relation, words in WITH_ANOTHER:
                if all(any(relation(*pair, k) for k in arrays) for pair, arrays in [*tried, *spread] if arrays):
                    return f"{about} {words.format(WORDS.get(name, name))}"
    return _of_two(about, pairs, beside)


def tells(ratio: float | None, given: Sequence[tuple[str, np.ndarray]] = ()) -> bool:
    """Whether a ratio is no chance number: it is a simple fraction, or one of the inputs."""
    if ratio is None or not math.isfinite(ratio):
        return False
    simple = Fraction(ratio).limit_denominator(SIMPLEST)
    inputs = [float(array.flat[0]) for _, array in given if array.size == 1]
    return any(math.isclose(ratio, number, rel_tol=1e-8) for number in (float(simple), *inputs))


def _off(pairs: list[Pair]) -> str:
    """By how much numbers are off that are all off by the same."""
    by = float((pairs[0][0] - pairs[0][1]).flat[0])
    if by == round(by):
        return f"{abs(by):.0f} too {'large' if by > 0 else 'small'} everywhere"
    return "off by one number, the same everywhere"


def _nearly(pairs: list[Pair]) -> str:
    """What is said of numbers that are torch's but for their last digits."""
    sizes = [np.abs(theirs).max(initial=0.0) for _, theirs in pairs]
    off = [np.abs(mine - theirs).max(initial=0.0) for mine, theirs in pairs]
    if any(one > 1e-3 * max(size, 1e-3) for one, size in zip(off, sizes, strict=True)):
        return ""
    if all((mine.astype(np.float32) == mine).all() and np.allclose(mine, theirs, 1e-6, 1e-7) for mine, theirs in pairs):
        return "is right to seven digits only: somewhere the numbers are float32."
    return (
        "is nearly right, but not to rounding: is it found by steps, rounded in between, or with something small added "
        "or left out?"
    )


def _of_two(about: str, pairs: list[Pair], beside: list[Named]) -> str:
    """Which two of the arrays that are known the wrong numbers are a sum, a difference, a product or a quotient of."""
    names = dict.fromkeys(name for named in beside for name, _ in named)
    known = [{name: _fitting(name, named, t) for name in names} for named, (_, t) in zip(beside, pairs, strict=True)]
    for (one, other), (operation, word) in itertools.product(itertools.permutations(names, 2), OPERATIONS):
        made = zip(pairs, known, strict=True)
        if all(any(_close(m, operation(a, b)) for a in k[one] for b in k[other]) for (m, _), k in made):
            return f"{about} is {WORDS.get(one, one)} {word} {WORDS.get(other, other)}."
    return ""


def _shape_asked(want: Seen) -> tuple[int, ...]:
    """The shape that a place says the question was asked on; the answer's own where it says none."""
    if found := re.search(r"shape \(([\d, ]*)\)", want.place):
        return tuple(int(n) for n in re.findall(r"\d+", found.group(1)))
    return () if want.place.endswith("single numbers") or want.values is None else want.values.shape


def _is_times(mine: np.ndarray, theirs: np.ndarray, factor: float) -> bool:
    ratio = _ratio(mine, theirs)
    return not theirs.any() and not mine.any() or ratio is not None and bool(np.isclose(ratio, factor, rtol=1e-9))


def mentions(place: str, name: str) -> bool:
    """Whether a place's words speak of an input: `x * a number` has no y."""
    return re.search(rf"\b{re.escape(name.split()[-1])}\b", place) is not None


def _enough(pairs: list[Pair]) -> bool:
    """Whether what holds for all of them is no chance."""
    numbers = sum(int(np.count_nonzero(theirs)) for _, theirs in pairs)
    return len(pairs) > 1 and numbers >= FEWEST


def _fitting(name: str, named: Named, theirs: np.ndarray) -> list[np.ndarray]:
    """The arrays of that name that have torch's shape, and are not one number throughout."""
    arrays = [array for other, array in named if other == name]
    return [k for k in arrays if k.shape == theirs.shape and (np.ptp(k) > 0 if k.size > 1 else k.all() and k.size)]


def _spread(name: str, given: dict[str, np.ndarray], theirs: np.ndarray) -> list[np.ndarray]:
    """The case's own array of that name, if it fits torch's by broadcasting: it proves little, and may say no."""
    array = given.get(SHORT.get(name, name.removeprefix("the input ")))
    if array is None or array.ndim > theirs.ndim:
        return []
    fits = all(n in (1, m) for n, m in zip(array.shape[::-1], theirs.shape[::-1], strict=False))
    return [np.broadcast_to(array, theirs.shape)] if fits else []


def subject(place: str) -> str:
    """A place at the beginning of a sentence."""
    return place[:1].upper() + place[1:] if place.startswith(PHRASES) else place  # `x itself …` begins with a name


@functools.lru_cache(maxsize=10_000)
def features(place: str) -> tuple[str, ...]:
    """What a place is about: what was looked at, then what it was asked of, as far as the words tell them apart."""
    what, _, of = re.sub(r"^(the result) of ", r"\1 in ", place).partition(" in ")
    return (what, *re.split(r", (?:on )?(?![^(]*\))", of)) if of else (place,)


@functools.lru_cache(maxsize=10_000)
def asked(place: str) -> tuple[str, str]:
    """What was looked at, and the case that it was looked at in: `the loss`, ` with reduction='sum'`.

    What stands in brackets is not cut: a call of several arguments is a case, as in `the weight of Linear(2, 5)`.
    """
    place = re.sub(r"^(the result) of ", r"\1 in ", place)
    place = re.sub(r"^(in [^,(]+), (.+)$", r"\2 \1", place)
    found = re.search(r" (?:in|on|at|after|with|for|from|over) | of (?=\w+\([^)]*,|the module \{)", place)
    what, case = (place[: found.start()], place[found.start() :]) if found else (place, "")
    return re.split(r", (?![^({]*[)}])", what)[0].rstrip(","), case


def comparable(got: Seen, want: Seen) -> bool:
    """Whether both are finite numbers of one shape."""
    arrays = [one.values for one in (got, want)]
    if any(array is None or array.dtype.kind not in "fiu" or not np.isfinite(array).all() for array in arrays):
        return False
    return got.shape == want.shape


def _floats(one: Seen) -> np.ndarray:
    return np.asarray(one.values, dtype=np.float64)


def _beside(want: Seen, expected: list[Seen], own: Own) -> Iterator[tuple[str, np.ndarray]]:
    """What torch answered about the same case: the gradient of the other input, the result."""
    what, case = asked(want.place)
    for one in expected:
        name, of = asked(one.place)
        together = own.get(id(one)) is own.get(id(want))
        if together and name != what and of == case and one.values is not None and one.values.dtype.kind == "f":
            name = name.removeprefix("the content of ")
            theirs = name.startswith("the ") and not name.startswith("the array that ")  # which is handed to both
            yield name.replace("the ", "torch's ", 1) if theirs else name, _floats(one)


def _own(want: Seen, own: Own) -> Named:
    """The inputs of the case that was asked, where it is known, called as `arrays_in` calls them."""
    return [("above" if n == "grad" else f"the input {n}", array) for n, array in own.get(id(want), {}).items()]


def arrays_in(inputs: Any, name: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """The arrays in what a probe was given, each with the name that it has there."""
    if isinstance(inputs, dict):
        for key, value in inputs.items():
            yield from arrays_in(value, str(key))
    elif isinstance(inputs, list | tuple) and len(inputs) == 2 and isinstance(inputs[0], str):
        yield from arrays_in(inputs[1], inputs[0])  # an operand and its name
    elif _is_array(inputs):
        if name:
            yield name if name in WORDS else f"the input {name}", np.array(inputs, dtype=np.float64)
    elif isinstance(inputs, list | tuple):
        for value in inputs:
            yield from arrays_in(value, name)


def _is_array(value: Any) -> bool:
    if isinstance(value, bool | str) or value is None:
        return False
    try:
        return np.array(value).dtype.kind == "f"
    except ValueError:  # of lists that are not of one length
        return False


def _close(one: np.ndarray, other: np.ndarray) -> bool:
    return one.shape == other.shape and bool((np.abs(one - other) <= 1e-12 + 1e-9 * np.abs(other)).all())


def _ratio(mine: np.ndarray, theirs: np.ndarray) -> float | None:
    """The one number that torch's is multiplied with, if there is one."""
    nonzero = theirs != 0
    if not nonzero.any() or mine[~nonzero].any():
        return None
    ratios = mine[nonzero] / theirs[nonzero]
    return float(ratios[0]) if np.allclose(ratios, ratios[0], rtol=1e-9, atol=0) else None


def _times(factor: float) -> Callable[[np.ndarray, np.ndarray], bool]:
    return lambda mine, theirs: _is_times(mine, theirs, factor)


def _filled(theirs: np.ndarray, reduce: Any) -> np.ndarray:
    return np.broadcast_to(reduce(theirs), theirs.shape)


def _rounded(digits: int) -> Callable[[np.ndarray, np.ndarray], bool]:
    return lambda mine, theirs: _close(mine, np.round(theirs, digits))


def _along(axis: int, change: Any) -> Callable[[np.ndarray, np.ndarray], bool]:
    return lambda mine, theirs: theirs.ndim > 0 and _close(mine, np.broadcast_to(change(theirs, axis), theirs.shape))


ALONG: list[tuple[Any, str]] = [
    (lambda theirs, axis: theirs.sum(axis, keepdims=True), "holds torch's numbers added up along"),
    (lambda theirs, axis: theirs.mean(axis, keepdims=True), "holds the mean of torch's numbers along"),
    (lambda theirs, axis: np.cumsum(theirs, axis), "holds torch's numbers, each with those before it added, along"),
    (lambda theirs, axis: np.flip(theirs, axis), "holds torch's numbers in the opposite order along"),
    (lambda theirs, axis: np.roll(theirs, 1, axis), "holds torch's numbers, one place too late along"),
    (lambda theirs, axis: np.roll(theirs, -1, axis), "holds torch's numbers, one place too early along"),
]
ALONE: list[tuple[Callable[[np.ndarray, np.ndarray], bool], str]] = [
    (lambda mine, theirs: not mine.any(), "is 0 everywhere, which torch's is not."),
    (_times(-1), "has the opposite sign of torch's, in all cases tried."),
    (_times(2), "is twice torch's, in all cases tried."),
    (_times(0.5), "is half of torch's, in all cases tried."),
    (lambda mine, theirs: _close(mine, np.abs(theirs)), "has torch's sizes, but no number of it is negative."),
    (lambda mine, theirs: _close(mine, np.maximum(theirs, 0)), "is torch's where that is positive, and 0 elsewhere."),
    (
        lambda mine, theirs: bool((theirs < 0).any()) and _close(mine, np.sign(theirs)),
        "has the signs of torch's, and the size 1 everywhere.",
    ),
    (lambda mine, theirs: _close(mine, theirs * theirs), "is torch's, squared."),
    (lambda mine, theirs: _close(mine, np.floor(theirs)), "is torch's, rounded down to whole numbers."),
    (lambda mine, theirs: _close(mine, np.trunc(theirs)), "is torch's without what comes after the point."),
    (lambda mine, theirs: _close(mine, np.rint(theirs)), "is torch's, rounded to whole numbers."),
    *((_rounded(digits), f"is torch's, rounded to {digits} digits after the point.") for digits in range(1, 7)),
    (lambda mine, theirs: bool(theirs.all()) and _close(mine, 1 / theirs), "is 1 divided by torch's."),
    *(
        (_along(axis, change), f"{words} its {name} axis.")
        for axis, name in ((0, "first"), (-1, "last"))
        for change, words in ALONG
    ),
    (lambda mine, theirs: _close(mine, _filled(theirs, np.sum)), "is the sum of torch's elements, at each place."),
    (lambda mine, theirs: _close(mine, _filled(theirs, np.mean)), "is the mean of torch's elements, at each place."),
]  # fmt: skip

SIZES: list[tuple[Callable[[tuple[int, ...]], int], str]] = [
    (lambda shape: math.prod(shape), "the number of elements"),
    (lambda shape: shape[0] if shape else 1, "the number of rows"),
    (lambda shape: shape[-1] if shape else 1, "the length of the last axis"),
    (lambda shape: max(len(shape), 1), "the number of axes"),
]
POWERS = [
    (1, "times"),
    (-1, "divided by"),
    (2, "times the square of"),
    (-2, "divided by the square of"),
    (0.5, "times the root of"),
    (-0.5, "divided by the root of"),
]
OPERATIONS: list[tuple[Callable[[np.ndarray, np.ndarray], np.ndarray], str]] = [
    (np.add, "plus"),
    (np.subtract, "minus"),
    (np.multiply, "times"),
    (np.divide, "divided by"),
]

# What holds of the learner's numbers m and torch's t with another array k.
WITH_ANOTHER: list[tuple[Callable[[np.ndarray, np.ndarray, np.ndarray], bool], str]] = [
    (lambda m, t, k: _close(m, k), "has the same numbers as {0}."),
    (lambda m, t, k: _close(m, -k), "is {0} with its sign turned round."),
    (lambda m, t, k: _close(m * k, t), "lacks a factor, which is {0}."),
    (lambda m, t, k: _close(m, t * k), "has a factor too many, which is {0}."),
    (lambda m, t, k: _close(m * k, -t), "has the opposite sign, and lacks a factor, which is {0}."),
    (lambda m, t, k: _close(m, t + k), "is too large by {0}."),
    (lambda m, t, k: _close(m, t - k), "is too small by {0}."),
    (lambda m, t, k: _close(m * (1 - k), t), "lacks a factor, which is 1 minus {0}."),
    (lambda m, t, k: _close(m, t * np.sign(k)), "is right but for its sign, where {0} is negative."),
    (lambda m, t, k: _close(m, t * (k > 0)), "is right where {0} is positive, and 0 elsewhere."),
    (lambda m, t, k: _close(m * k, t * k.sum()), "has the sum of {0} where {0} itself belongs."),
    (lambda m, t, k: _close(m * k, t * k.mean()), "has the mean of {0} where {0} itself belongs."),
    (lambda m, t, k: _close(m * k, t + k * k), "has {0} added where it is to be multiplied."),
    (lambda m, t, k: _close(m * k * k, t), "is divided by {0} where it is to be multiplied."),
]
