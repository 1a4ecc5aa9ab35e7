"""What a wrong answer computes is said where enough numbers confirm it, and no other formula does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.verdict.formula import factor, formula, reduction, with_powers

SHAPES = [(), (3,), (2, 3), (4,)]
RULES = {
    "x - y": lambda g, x, y: x - y,
    "2 * x": lambda g, x, y: x + x,
    "-grad * y / x**2": lambda g, x, y: -g * y / x**2,
    "grad + y": lambda g, x, y: g + y,
    "x / 2": lambda g, x, y: x / 2,
    "1 / y": lambda g, x, y: 1 / y,
    "x**2 + y**2": lambda g, x, y: x * x + y * y,
}


def drawn(seed):
    rng = np.random.default_rng(seed)
    return [
        {name: rng.uniform(0.5, 2, shape) * rng.choice([-1, 1], shape) for name in ("grad", "x", "y")}
        for shape in SHAPES
    ]


@pytest.mark.parametrize("written", RULES)
def test_the_formula_is_written_as_python_writes_it(written):
    cases = [(np.asarray(RULES[written](*known.values())), known) for known in drawn(0)]
    assert formula(cases) == written


@given(st.integers(0, 2**32 - 1))
def test_what_no_simple_formula_gives_is_given_none(seed):
    rng = np.random.default_rng(seed)
    assert formula([(rng.normal(size=shape), known) for shape, known in zip(SHAPES, drawn(seed), strict=True)]) == ""
    assert formula([(np.sin(known["x"]) * known["grad"], known) for known in drawn(seed)]) == ""


def test_a_formula_needs_more_numbers_than_it_has_unknowns():
    assert formula([(known["x"] * known["y"], known) for known in drawn(0)[:2]]) == ""


def test_a_power_s_own_formulas():
    cases = [
        ({"x": np.array([1.5, 0.7, 1.2]), "number": np.float64(n), "grad": np.array([0.3, -2, 1.1])})
        for n in (2, 3, 0.5, 4)
    ]
    made = [(c["grad"] * c["x"] ** (c["number"] + 1) / (c["number"] + 1), with_powers(c)) for c in cases]
    assert sorted(formula(made)) == sorted("x * grad * x**number / (number + 1)")


def test_a_factor_of_single_numbers():
    cases = [
        (np.array([2.0, -1.0]), {"a": np.array(a), "b": np.array(b)})
        for a, b in ((3.0, 1.5), (0.5, 0.2), (-2.0, 7), (1.7, 3), (5, -1), (2.5, 0.4), (0.3, 9))
    ]
    assert factor([(t * k["a"], t, k) for t, k in cases]) == "a"
    assert factor([(t * k["a"] / k["b"], t, k) for t, k in cases]) == "a / b"
    assert factor([(t * np.array([1, 2.0]), t, k) for t, k in cases]) == ""


@pytest.mark.parametrize(
    ("of", "words"),
    [
        (lambda k: k[:-1].mean(), "the mean of all numbers but the last"),
        (lambda k: k[k != 0].mean(), "the mean of those numbers that are not 0"),
        (lambda k: k[0] * 3, ""),
    ],
)
def test_another_number_of_the_same_array(of, words):
    arrays = [np.random.default_rng(n).normal(size=n) for n in (2, 3, 4, 5)] + [np.array([0.0, 2.0, -1.0])]
    assert reduction([(float(of(k)), k) for k in arrays]) == words
