"""A relation between wrong numbers and torch's is said where it holds in every case, and nowhere else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigrad
from grader.chapters import CHAPTERS
from grader.verdict.assess import expected
from grader.verdict.evidence import Seen
from grader.verdict.relate import arrays_in, asked, features, relations
from minigrad.core.function import Function
from tests.verification.cases import drawn, exercise_of, result_of

MUL = """
class Mul(Function):
    def forward(self, x, y):
        return x * y

    def backward_x(self, grad, y):
        return {x}

    def backward_y(self, grad, x):
        return {y}
"""
SAID = {
    "2 * grad * y": "is twice torch's.",
    "-grad * y": "has the opposite sign of torch's.",
    "-3 * grad * y": "is -3 times torch's.",
    "grad * y + 1": "is 1 too large everywhere.",
    "grad * y - 0.3": "is off by one number, the same everywhere.",
    "grad * 0": "is 0 everywhere, which torch's is not.",
    "grad + y": "has the gradient from above added where it is to be multiplied.",
    "grad * grad * y": "has a factor too many, which is the gradient from above.",
    "y * 1": "lacks a factor, which is the gradient from above.",
    "grad * y * y": "has a factor too many, which is the input y.",
    "grad * abs(y)": "is right but for its sign, where the input y is negative.",
    "grad * y * (y > 0)": "is right where the input y is positive, and 0 elsewhere.",
}


def sentence(text):
    names = {"Function": Function, "np": np, "minigrad": minigrad}
    exec(text, names)
    exercise = exercise_of("mul")
    return result_of(exercise, drawn(exercise, 5), {"Mul": names["Mul"]}).findings["Mul"].sentence()


@pytest.mark.parametrize("rule", SAID)
def test_what_is_said_of_a_wrong_rule(rule):
    assert f"Where it is wrong, the gradient of x {SAID[rule]}" in sentence(MUL.format(x=rule, y="grad * x"))


def test_a_ratio_that_is_no_simple_number_is_none():
    assert "times" not in sentence(MUL.format(x="0.16337 * grad * y", y="grad * x"))


def test_what_is_so_of_two_rules_is_said_once():
    said = sentence(MUL.format(x="grad * y / 2", y="grad * x / 2"))
    assert said.count("is half of torch's") == 1 and said.endswith("It is the same with the gradient of y.")


@pytest.mark.parametrize(
    "place, what, case",
    [
        ("in out = a * a, the node's edges are a list", "the node's edges are a list", " in out = a * a"),
        ("in y = a * b, grad_fn is the node, when all is recorded", "grad_fn is the node", " in y = a * b"),
        ("a.grad in (a * a) * b", "a.grad", " in (a * a) * b"),
        ("the weight of Linear(2, 5)", "the weight", " of Linear(2, 5)"),
        ("the list of losses of train(…, steps=5) with w of shape ()", "the list of losses", " of train(…, steps=5)"),
        ("Parameter(data, requires_grad=False) for data of shape ()", "Parameter(data, requires_grad=False)", " for"),
    ],
)
def test_what_was_asked_is_told_from_its_case(place, what, case):
    assert asked(place)[0] == what and case in asked(place)[1]


@pytest.mark.parametrize("exercise", [one for some in CHAPTERS.values() for one in some], ids=lambda one: one.name)
def test_what_was_asked_is_no_half_of_a_phrase(exercise):
    """A sentence says it as it is: a clause, as in “the gradient that … retains”, is whole, and so are brackets."""
    for one in expected(exercise, drawn(exercise, 0)):
        what = asked(one.place)[0]
        if one.values is not None:
            assert [what.count(mark) for mark in "([{"] == [what.count(mark) for mark in ")]}"], one.place
            assert " that " not in what or one.place.removeprefix(what)[:1] in ("", ","), one.place


def test_each_of_two_wrong_rules_has_its_own_sentence():
    said = sentence(MUL.format(x="grad * y / 2", y="-grad * x"))
    assert "The gradient of x is half of torch's" in said and "The gradient of y has the opposite sign" in said


@pytest.mark.parametrize(
    "formula, off",
    [
        ("(2 * x) ** 4 + x**3 + 3 * x**2 + 5 * x + 1", "too large by `14 * x**4`"),
        ("x**3 + 3 * x**2 + 5 * x + 1", "too small by `2 * x**4`"),
        ("2 * x**3 + x**3 + 3 * x**2 + 5 * x + 1", "too large by `2 * x**3 - 2 * x**4`"),
    ],
)
def test_by_which_terms_a_polynomial_is_off(formula, off):
    exercise = exercise_of("polynomial")
    wrong = {"polynomial": lambda x: eval(formula, {"x": x})}
    finding = result_of(exercise, drawn(exercise, 5), wrong).findings["polynomial"]
    assert finding.advice == f"Where it is wrong, polynomial(x) is {off}."


@pytest.mark.parametrize(
    "name, wrong, said",
    [
        ("square", lambda x: np.abs(x**3), "square(x) comes out as `abs(x**3)`"),
        ("square", lambda x: -np.abs(2 * x), "square(x) comes out as `-abs(2 * x)`"),
        ("average", lambda k: k.sum() / (k.size - 1), "divided by one less than how many there are, of values"),
        ("average", lambda k: np.abs(k).sum(), "average(values) is the sum of the sizes of the numbers"),
    ],
)
def test_sizes_without_signs_and_counts_that_are_off_by_one(name, wrong, said):
    exercise = exercise_of(name)
    with np.errstate(all="ignore"):  # of a single number there is none less one
        assert said in result_of(exercise, drawn(exercise, 5), {name: wrong}).findings[name].advice


def test_which_cases_are_wrong_is_said_of_those_that_were_tried():
    said = sentence(
        MUL.format(x="np.where(x < 0, -grad * y, grad * y)", y="grad * x").replace(
            "(self, grad, y)", "(self, grad, x, y)"
        )
    )
    assert "In the cases tried, the gradient of x is wrong where x is negative, and only there." in said


def test_which_cases_are_wrong_is_not_said_where_others_were_not_seen():
    text = MUL.format(x="grad * y", y="grad * x").replace("return x * y", "return abs(x) * y if np.ndim(y) else len(y)")
    said = sentence(text)
    assert "has no len()" in said and "only there" not in said


def test_an_array_that_fits_by_broadcasting_may_say_no():
    wrong, wants = pairs(lambda values, rng: values, [(3,), (3,), (3,)], 0)
    factors = [[2.0, 3.0, 4.0], [3.0, 4.0, 5.0], 7.0]
    wrong = [(seen(want.place, want.values * k), want) for (_, want), k in zip(wrong, factors, strict=True)]
    assert "a factor too many, which is the input y" in relations(wrong, [], wants, [{"y": k} for k in factors])
    assert "a factor too many" not in relations(wrong, [], wants, [{"y": k} for k in [*factors[:2], 8.0]])


def test_what_has_no_simple_relation_is_not_given_one():
    said = sentence(MUL.format(x="grad * np.sin(y)", y="grad * x"))
    assert "differs from torch's" in said and said.count(".") == 1


def seen(place, values):
    return Seen("part", place, "array", np.asarray(values, dtype=np.float64), "float64", {})


def pairs(change, shapes, seed):
    rng = np.random.default_rng(seed)
    wants = [seen(f"the value in case {i}", rng.normal(size=shape)) for i, shape in enumerate(shapes)]
    return [(seen(want.place, change(want.values, rng)), want) for want in wants], wants


@given(st.integers(0, 2**32 - 1))
def test_numbers_that_have_nothing_to_do_with_torchs_are_related_to_nothing(seed):
    wrong, wants = pairs(lambda values, rng: rng.normal(size=values.shape), [(3,), (2, 2), ()], seed)
    given_ = [{"above": wrong[0][1].values.tolist(), "x": [1.0, 0.0, -1.0]}]
    assert relations(wrong, [], wants, given_) == ""


@given(st.integers(0, 2**32 - 1))
def test_a_single_case_proves_nothing(seed):
    wrong, wants = pairs(lambda values, rng: 2 * values, [(5,)], seed)
    assert relations(wrong, [], wants, []) == ""


def test_one_case_that_differs_takes_the_sentence_back():
    wrong, wants = pairs(lambda values, rng: 2 * values, [(3,), (3,)], 0)
    assert "twice" in relations(wrong, [], wants, [])
    odd = (seen("the value in case 2", [3.0, 1.0]), seen("the value in case 2", [1.0, 1.0]))
    assert relations([*wrong, odd], [], [*wants, odd[1]], []) == ""


def test_where_the_same_thing_is_right_elsewhere_the_sentence_says_so():
    wrong, wants = pairs(lambda values, rng: -values, [(3,), (3,)], 0)
    assert relations(wrong, [], wants, []) == "The value has the opposite sign of torch's, in all cases tried."
    assert relations(wrong, [seen("the value in case 2", [1.0])], wants, []) == (
        "Where it is wrong, the value has the opposite sign of torch's."
    )


def test_what_is_no_finite_number_is_left_alone():
    nan = [(seen(f"the value in case {i}", [np.nan, 1.0]), seen(f"the value in case {i}", [1.0, 2.0])) for i in (0, 1)]
    assert relations(nan, [], [want for _, want in nan], []) == ""


def test_the_names_of_what_a_probe_is_given():
    inputs = [{"operands": [["x", [1.0, 2.0]], ["", 3.0]], "above": [0.5, 1.5], "op": "mul", "steps": 3, "flag": True}]
    assert [name for name, _ in arrays_in(inputs)] == ["the input x", "above"]
    assert asked("the loss with reduction='sum' on shape (3,)") == ("the loss", " with reduction='sum' on shape (3,)")
    assert features("the gradient of x in x * y, on shape (2, 3)") == ("the gradient of x", "x * y", "shape (2, 3)")
