"""Which simple formula of its inputs a wrong answer is: what the learner's code computes, and no word about torch's.

Two kinds are looked for: a product of powers with a factor, `-grad * x / y**2`, and two such products added. A formula
is found only where more numbers, all different, confirm it than it has unknowns.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

MORE = 4  # numbers that confirm a formula, besides those that its unknowns need
NEAR = 1e-9
Known = dict[str, np.ndarray]


def formula(cases: list[tuple[np.ndarray, Known]], more: int = MORE) -> str:
    """The formula that gives all numbers of all cases, as Python writes it; "" where no simple one does.

    Args:
        cases: the learner's numbers of each case, and its inputs by their names.
        more: how many numbers are to confirm it.
    """
    names = (
        [name for name in cases[0][1] if all(_fits(known.get(name), mine) for mine, known in cases)] if cases else []
    )
    mine = np.concatenate([mine.ravel() for mine, _ in cases]) if cases else np.zeros(0)
    known = {n: np.concatenate([np.broadcast_to(k[n], m.shape).ravel() for m, k in cases]) for n in names}
    known = {name: values for name, values in known.items() if np.isfinite(values).all() and np.ptp(values) > 0}
    if not known or len(np.unique(mine)) < min(more, 3) or not np.isfinite(mine).all():
        return ""
    with np.errstate(all="ignore"):
        return _product(mine, known, more) or _sum(mine, known)


def factor(cases: list[tuple[np.ndarray, np.ndarray, Known]]) -> str:
    """What torch's numbers are multiplied with, in all cases: a product of powers of single numbers, such as `a / N`.

    Args:
        cases: the learner's numbers of each case, torch's, and the single numbers of the case by their names.
    """
    single = []
    for mine, theirs, known in cases:
        there = theirs != 0
        if mine[~there].any() or not there.any():
            return ""
        ratios = mine[there] / theirs[there]
        if np.ptp(ratios) > 1e-8 * abs(ratios[0]):
            return ""
        single.append((np.array([ratios[0]]), {name: k for name, k in known.items() if k.size == 1}))
    names = [n for n in single[0][1] if all(n in known for _, known in single)] if single else []
    columns = {tuple(float(known[name]) for _, known in single): name for name in reversed(names)}
    names = list(reversed(columns.values()))  # x.size, and not grad.size as well where both are the same
    found = set()
    for few in (1, 2):  # the fewest names that explain it, and no other ones
        for chosen in itertools.combinations(names, few):
            found.add(formula([(ratio, {n: known[n].reshape(1) for n in chosen}) for ratio, known in single], 2))
        if found - {""}:
            return next(iter(found - {""})) if len(found - {""}) == 1 else ""
    return ""


def with_powers(known: Known) -> Known:
    """The inputs of a power, and what a formula about one is made of besides."""
    if not {"x", "number"} <= set(known):
        return known
    x, n = known["x"], known["number"]
    return {**known, "x**number": x**n, "number**x": n**x, "(number + 1)": n + 1, "(number - 1)": n - 1}


def reduction(cases: list[tuple[float, np.ndarray]]) -> str:
    """Which other number of an array each answer is: "the product of", say."""
    arrays = [k for _, k in cases if k.size > 1]
    if len(arrays) < MORE:
        return ""
    found = [words for words, of in OTHERS if all(_is(mine, of, k) for mine, k in cases if k.size > 1)]
    return found[0] if len(found) == 1 else ""


def _is(mine: float, of: Callable[[np.ndarray], np.ndarray], array: np.ndarray) -> bool:
    return bool(np.isclose(mine, of(array.ravel()), rtol=1e-9, atol=1e-12))


OTHERS: list[tuple[str, Callable[[np.ndarray], np.ndarray]]] = [
    ("the sum of all numbers", np.sum),
    ("the mean of all numbers", np.mean),
    ("the product of all numbers", np.prod),
    ("the largest number", np.max),
    ("the smallest number", np.min),
    ("the number in the middle", np.median),
    ("the number halfway between the smallest and the largest", lambda k: (k.min() + k.max()) / 2),
    ("the first number", lambda k: k[0]),
    ("the last number", lambda k: k[-1]),
    ("the sum of all numbers but the first", lambda k: k[1:].sum()),
    ("the sum of all numbers but the last", lambda k: k[:-1].sum()),
    ("the mean of all numbers but the first", lambda k: k[1:].mean()),
    ("the mean of all numbers but the last", lambda k: k[:-1].mean()),
    ("the sum of all numbers but the first, divided by how many there are,", lambda k: k[1:].sum() / k.size),
    ("the sum of all numbers but the last, divided by how many there are,", lambda k: k[:-1].sum() / k.size),
    ("the mean of those numbers that are not 0", lambda k: k[k != 0].mean()),
    ("the mean of the different numbers, each counted once,", lambda k: np.unique(k).mean()),
    ("the mean of the sizes of the numbers, without their signs,", lambda k: np.abs(k).mean()),
    (
        "the sum of all numbers, divided by one less than how many there are,",
        lambda k: k.sum() / (k.size - 1),
    ),
    (
        "the sum of the sizes of the numbers, divided by one less than how many there are,",
        lambda k: np.abs(k).sum() / (k.size - 1),
    ),
    ("the sum of the sizes of the numbers, without their signs,", lambda k: np.abs(k).sum()),
    ("the sum of the squares", lambda k: (k * k).sum()),
    ("the mean of the squares", lambda k: (k * k).mean()),
    ("the root of the sum of the squares", lambda k: np.sqrt((k * k).sum())),
]


def _fits(known: np.ndarray | None, mine: np.ndarray) -> bool:
    return known is not None and (known.size == 1 or known.shape == mine.shape)


def _product(mine: np.ndarray, known: Known, more: int) -> str:
    """The powers of a product, from its logarithms."""
    names = list(known)
    there = np.all([values != 0 for values in known.values()], axis=0) & (mine != 0)
    table = np.column_stack([*(np.log(np.abs(known[name][there])) for name in names), np.ones(int(there.sum()))])
    if len(table) < table.shape[1] + more or np.linalg.matrix_rank(table, tol=1e-6) < table.shape[1]:
        return ""
    powers = np.linalg.lstsq(table, np.log(np.abs(mine[there])), rcond=None)[0][:-1]
    whole = np.round(powers).astype(int)
    if np.abs(powers - whole).max() > 1e-6 or np.abs(whole).max() > (5 if len(names) == 1 else 3):
        return ""
    term = dict(zip(names, whole.tolist(), strict=True))
    product = _value(term, known)
    for made, words in ((product, "{}"), (np.abs(product), "abs({})"), (-np.abs(product), "-abs({})")):
        factor = (mine[there] / made[there]).mean()
        agrees = np.isfinite(made) & (np.abs(mine - factor * made) <= NEAR * np.abs(factor * made))
        if agrees.all() and _nice(factor) is not None and (made is product or factor > 0):
            return words.format(_written([(factor, term)]))
    return ""


def _sum(mine: np.ndarray, known: Known) -> str:
    """Two products that are added, of those that are short: all pairs at once, by the normal equations."""
    if len(mine) < (2 + MORE // 2 if len(known) == 1 else 2 + 2 * MORE):
        return ""  # of one input there are few terms
    terms = [term for term in _terms(list(known)) if np.isfinite(_value(term, known)).all()]
    values = np.array([_value(term, known) for term in terms])
    products, with_mine = values @ values.T, values @ mine
    i, j = np.triu_indices(len(terms), 1)
    a, b, c = products[i, i], products[i, j], products[j, j]
    area = a * c - b * b
    p, q = (c * with_mine[i] - b * with_mine[j]) / area, (a * with_mine[j] - b * with_mine[i]) / area
    left = mine @ mine - p * with_mine[i] - q * with_mine[j]
    found = []
    for k in np.flatnonzero((area > 1e-9 * a * c) & (np.abs(left) <= 1e-9 * (mine @ mine))):
        made = p[k] * values[i[k]] + q[k] * values[j[k]]
        close = np.abs(mine - made).max() <= NEAR * max(1.0, np.abs(mine).max())
        if close and _nice(p[k]) is not None and _nice(q[k]) is not None:
            found.append(_written([(p[k], terms[i[k]]), (q[k], terms[j[k]])]))
    return found[0] if len(found) == 1 else ""


def _terms(names: list[str]) -> Iterator[dict[str, int]]:
    """1, the inputs and their squares, the powers of a single one, and products of two or three inputs."""
    yield {}
    for name in names:
        yield from ({name: power} for power in range(1, 6 if len(names) == 1 else 3))
    for few in (2, 3):
        yield from ({name: 1 for name in chosen} for chosen in itertools.combinations(names, few))
    yield from ({one: 1, other: -1} for one, other in itertools.permutations(names, 2))


def _value(term: dict[str, int], known: Known) -> np.ndarray:
    size = len(next(iter(known.values())))
    value = np.ones(size)
    for name, power in term.items():
        value = value * known[name] ** float(power)
    return value


def _nice(factor: float) -> Fraction | None:
    """A factor that somebody may have written, or that falls out of a derivative."""
    if not np.isfinite(factor) or abs(factor) < NEAR:
        return None
    near = Fraction(factor).limit_denominator(6)
    return near if near and abs(near) <= 20 and abs(float(near) - factor) <= 1e-7 * abs(factor) else None


def _written(terms: list[tuple[float, dict[str, int]]]) -> str:
    """The formula as a line of Python: what is positive first."""
    pieces = sorted(((_nice(factor) or Fraction(1), term) for factor, term in terms), key=lambda p: p[0] < 0)
    text = ""
    for factor, term in pieces:
        sign = ("-" if factor < 0 else "") if not text else (" - " if factor < 0 else " + ")
        text += sign + _term(abs(factor), term)
    return text


def _term(factor: Fraction, term: dict[str, int]) -> str:
    above = [name if power == 1 else f"{name}**{power}" for name, power in term.items() if power > 0]
    below = [name if power == -1 else f"{name}**{-power}" for name, power in term.items() if power < 0]
    if factor.numerator != 1 or not above:
        above.insert(0, str(factor.numerator))
    if factor.denominator != 1:
        below.insert(0, str(factor.denominator))
    under = below[0] if len(below) == 1 else f"({' * '.join(below)})"
    return " * ".join(above) + (f" / {under}" if below else "")
