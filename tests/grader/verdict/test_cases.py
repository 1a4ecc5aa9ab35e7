"""Which kind of case is wrong: said of a structural feature, with two wrong and two right at least."""

import numpy as np

from grader.verdict.cases import Case, inputs_of, named, sizes, wrong_place, wrong_where
from grader.verdict.evidence import Seen
from grader.verdict.relate import asked


def case(x, change, **given):
    theirs = np.asarray(x, dtype=float) * 3 + 1
    mine = change(theirs, np.asarray(x, dtype=float))
    return Case(mine, theirs, {"x": np.asarray(x, dtype=float), **given}, np.array_equal(mine, theirs))


def test_a_sign_of_the_input():
    arrays = [[1.0, -2.0, 3.0, 0.5, -4.0], [-1.5, 2.5, 3.5]]
    assert wrong_where([case(x, lambda t, k: np.where(k < 0, -t, t)) for x in arrays]) == "where x is negative"
    assert wrong_where([case(x, lambda t, k: -t) for x in arrays]) == ""


def test_one_wrong_number_is_no_kind():
    assert wrong_where([case([1.0, 2.0, -3.0], lambda t, k: np.where(k < 0, -t, t))]) == ""


def test_where_two_kinds_fit_none_is_said():
    arrays = [[1.0, -2.0, 3.0, 0.5, -4.0], [-1.5, 2.5, 3.5]]
    found = [case(x, lambda t, k: np.where(k < 0, -t, t), y=np.asarray(x)) for x in arrays]
    assert wrong_where(found) == ""


def test_a_kind_of_case():
    arrays = [[[1.0, 2.0]], [[3.0], [4.0]], [1.0, 2.0, 5.0], [3.0, 2.5]]
    found = [case(x, lambda t, k: t + 1 if 1 in k.shape and k.ndim > 1 else t) for x in arrays]
    assert wrong_where(found) == ""  # it may be the axis, and it may be that there are two
    found.append(case([[1.0, 2.0], [3.0, 4.0]], lambda t, k: t))
    assert wrong_where(found) == "where x has an axis of length 1"


def test_the_last_number_alone():
    last = lambda t, k: np.concatenate([t[:-1], [0.0]])  # noqa: E731
    assert wrong_place([case([1.0, 2.0, 3.0], last), case([4.0, 5.0], last)]) == "its last number"
    assert wrong_place([case([1.0, 2.0, 3.0], last), case([4.0, 5.0, 7.0], last)]) == ""


def test_each_observation_has_its_case():
    places = ["the result of x + y", "the gradient of x in x + y", "the result of x + y", "the gradient of x in x + y"]
    seen = [Seen("Add", place, "number", np.array(1.0), "float64", {}) for place in places]
    inputs = [{"x": 1.0, "above": 3.0}, {"operands": [["x", 2.0], ["", 4]]}]
    own = inputs_of(seen, inputs, asked)
    assert [one["x"] for one in own] == [1.0, 1.0, 2.0, 2.0]
    assert own[0]["grad"] == 3.0 and own[2]["number"] == 4.0
    assert inputs_of(seen, inputs[:1], asked) == [{}] * 4  # it is not known which is which


def test_a_probe_that_asks_in_rounds_is_told_by_its_words():
    results = [f"the result of x.exp(), on shape ({n},)" for n in (2, 3, 3)]
    rest = [place for n in (2, 3, 3) for place in (f"the gradient of x in x.exp(), on shape ({n},)", "the end of it")]
    seen = [Seen("Exp", place, "number", np.array(1.0), "float64", {}) for place in [*results, *rest]]
    inputs = [{"x": [1.0, 2.0]}, {"x": [1.0, 2.0, 3.0]}, {"x": [4.0, 5.0, 6.0]}]
    own = inputs_of(seen, inputs, asked)
    assert [len(one["x"]) for one in own[:3]] == [2, 3, 3]
    assert [one["x"][0] for one in own[3::2]] == [1.0, 1.0, 4.0]
    assert own[4::2] == [{}] * 3  # its words are no case's


def test_the_names_and_lengths_of_a_case():
    assert dict(named({"coefficients": [1.0, 2.0, 3.0]}))["c"] == 3.0
    found = sizes(Case(np.zeros(()), np.zeros(()), {"x": np.zeros((2, 3))}, False))
    assert (found["x.size"], found["len(x)"], found["x.ndim"]) == (6, 2, 2)


def test_signs_that_were_drawn_may_agree_with_what_is_wrong_by_chance():
    numbers = [1.0, -2.0, -3.0, 4.0, -5.0, 6.0, 7.0, -8.0]
    assert wrong_where([case([x], lambda t, k: -t if k[0] < 0 else t) for x in numbers]) == "where x is negative"
    few = [Case(np.array(2.0), np.array(x), {"a": np.array(x)}, x > 0) for x in numbers[:4]]
    assert wrong_where([Case(c.mine, c.theirs, {"a": c.given["a"], "b": np.ones(2)}, c.right) for c in few]) == ""
