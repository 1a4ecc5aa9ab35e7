"""The comparison stops at the first thing that explains, and never shows an expected number."""

import numpy as np
import pytest

from grader.ask.exercise import generator
from grader.chapters import CHAPTERS
from grader.verdict.assess import expected
from grader.verdict.compare import asked_for, compare, scale, tolerance
from grader.verdict.diagnose import answer_with
from grader.verdict.evidence import Seen

TRUE = np.array([[1.25, -2.5], [3.0, 0.5]])


def seen(values=TRUE, kind="array", dtype="float64", place="the gradient of x", **flags):
    return Seen("part", place, kind, values, dtype, flags)


def found(got, want=None):
    return compare([got], [want or seen()])


@pytest.mark.parametrize(
    "got, kind, words",
    [
        (seen(), "right", "Right"),
        (seen(TRUE * (1 + 1e-14)), "right", "Right"),
        (seen(TRUE * (1 + 1e-9)), "values", "differs"),
        (seen(None, "none", ""), "type", "should be an array, and is None\\.$"),
        (seen(None, "other", "", type="Anything"), "type", "an object of type Anything"),
        (seen(None, "flag", "", value="3.0"), "type", "should be an array, and is a text"),
        (seen(None), "type", "has more than 100,000 numbers, which no exercise asks for"),
        (seen(None, dtype="object"), "type", "does not hold numbers but object"),
        (seen(TRUE.ravel()), "shape", r"has shape \(4,\); torch's has \(2, 2\)"),
        (seen(TRUE, dtype="float32"), "dtype", "is float32; torch's is float64"),
        (seen(TRUE * np.nan), "not finite", "4 NaN"),
        (seen(-TRUE), "values", "its sign is turned round"),
        (seen(TRUE * 2), "values", "2 times torch's"),
        (seen(TRUE * 0), "values", "zero everywhere"),
        (seen(place="elsewhere"), "missing", "No answer came to this: the gradient of x"),
        (seen(None, "raised", "", type="NameError", message="yy"), "raised", "stopped with NameError: yy"),
        (seen(None, "raised", "", type="NotImplementedError", message="", not_done=True), "not done", "Not done yet"),
    ],
)
def test_the_first_difference_is_the_finding(got, kind, words):
    finding = found(got)
    assert finding.kind == kind
    assert __import__("re").search(words, finding.message), finding.message


def test_what_a_learners_function_returned_is_asked_for_its_return():
    place = "the result of softplus(z)"
    assert found(seen(None, "none", "", place), seen(place=place)).message.endswith("is None: is a `return` missing?")
    place = "diamond returns three gradients"
    pair = found(seen(None, "none", "", place), seen(None, "flag", "", place, value=True))
    assert pair.message == f"This should be true, but is not: {place}. It returned None: is a `return` missing?"


@pytest.mark.parametrize("said", ["1 1 0 3 1 4 4 1 5 6 6 7", "??", "--", "ab 0- 10 2a 03", "111001111110"])
def test_a_probes_own_code_is_not_shown(said):
    place = "the edges of leaves, asked for one after another"
    got, want = seen(None, "flag", "", place, value=said), seen(None, "flag", "", place, value="right")
    assert found(got, want).message == f"Not as it should be: {place}."


@pytest.mark.parametrize("said", ["it raises a ValueError", "a b", "first.weight", "(1, 2)", "2 2 1"])
def test_what_a_learner_can_read_is_shown(said):
    place = "the names of all parameters"
    got, want = seen(None, "flag", "", place, value=said), seen(None, "flag", "", place, value="right")
    assert found(got, want).message == f"Not as it should be: {place}. Yours: “{said}”."


def flags(*values):
    places = ["in u = a * b, the edges are a list", "in v = u * b, the edges are a list", "u has a grad_fn"]
    return [seen(None, "flag", "", place, value=value) for place, value in zip(places, values, strict=True)]


def test_statements_are_listed_once_each():
    said = compare(flags(False, False, False), flags(True, True, True)).message
    assert said == f"This should be true, but is not: {flags(1, 1, 1)[0].place}. Nor is this: u has a grad_fn."


def test_what_is_right_besides_begins_as_it_is_spelt():
    places = ["the loss in (2,)", "the loss in (3,)", "a.grad in a * b", "a.grad in a + b"]
    wrong = [seen(-TRUE if "loss" in place else TRUE, place=place) for place in places]
    assert "torch's. a.grad is right." in compare(wrong, [seen(place=place) for place in places]).message


def test_a_count_that_is_wrong_is_said():
    place = "the number of nodes in out = a * a"
    got, want = (seen(np.array(n), "number", "int64", place) for n in (3.0, 2.0))
    assert found(got, want).message == "The number of nodes in out = a * a comes out as 3, which is not right."


def test_a_value_that_python_cut_is_seen_to_be_cut():
    message = (
        "Add.backward_x returned (np.float64(-1.5680185174243064), np.flo, of type tuple; it has to return an array."
    )
    said = found(seen(None, "raised", "", type="TypeError", message=message)).message
    assert "np.flo…, of type tuple" in said and "A rule returns one gradient" in said


def test_a_rule_that_is_missing_is_asked_for():
    got, want = seen(place="the input x itself"), seen(place="the gradient of y in x * y")
    assert found(got, want).message.endswith("the gradient of y in x * y. Is there a rule backward_y?")


@pytest.mark.parametrize(
    "mine, words",
    [
        ("b a c", "which is right but for the order."),
        ("a b", "“a b”, and 1 is missing."),
        ("a b c d e", "of which 2 are too many."),
        ("a b c c", "in which something comes twice."),
        ("a b d", "“a b d”."),
        ("", "Yours: nothing."),
    ],
)
def test_a_list_of_words_is_said_to_be_in_another_order_or_too_long(mine, words):
    place = "the names, in their order"
    got, want = (seen(None, "flag", "", place, value=value) for value in (mine, "a b c"))
    assert found(got, want).message.endswith(words)


def test_one_list_of_words_is_said():
    got, want = ([seen(None, "flag", "", f"the {n} of it", value=v) for n in ("names", "parts")] for v in ("a", "b"))
    assert compare(got, want).message == "Not as it should be: the names of it. Yours: “a”."


def test_what_holds_besides_is_no_thing_that_is_right():
    place = "f calls its argument at x itself"
    right, numbers = [seen(None, "flag", "", place, value=True)], [seen(place="the slope on shape (2,)")]
    wrong = [seen(TRUE + [[0, 1], [2, 5]], place="the slope on shape (2,)")]
    said = compare([*right, *right, *wrong, *wrong], [*right, *right, *numbers, *numbers]).message
    assert place not in said  # a whole sentence, which "is right" would not fit


def test_an_array_of_one_number_is_said_to_have_a_shape():
    place = "square(x)"
    said = found(seen(TRUE[:1, 0], place=place), seen(TRUE[0, 0], "number", place=place)).message
    assert said == "square(x) should be a single number, of shape (), and has the shape (1,)."


def test_what_a_comma_adds_ends_with_a_comma():
    place = "the gradient of x in x * y, on single numbers"
    said = found(seen(-TRUE, place=place), seen(place=place)).message
    assert said.startswith("The gradient of x in x * y, on single numbers, differs from torch's: its sign")


def test_a_shapes_comma_adds_nothing_and_a_name_stays_as_it_is():
    place = "x itself after unbroadcast(x, (2, 1)) on an x of shape (2, 3)"
    assert found(seen(-TRUE, place=place), seen(place=place)).message.startswith(f"{place} differs from torch's")


def test_a_blank_that_is_left_is_said_to_be():
    got = seen(None, "raised", "", type="TypeError", message="unsupported operand: 'float' and 'ellipsis'")
    assert found(got).message.startswith("A blank, `...`, is still there. Your code stopped with TypeError")


def test_rounding_is_no_word_for_what_is_counted():
    count = found(seen(np.array(3.0), "number", "int64"), seen(np.array(4.0), "number", "int64"))
    assert count.kind == "values" and not count.comparison
    assert "rounding explains" in found(seen(TRUE + 1)).comparison


def test_flags_are_compared_between_tensors():
    want = seen(kind="tensor", requires_grad=True, is_leaf=False)
    got = seen(kind="tensor", requires_grad=False, is_leaf=False)
    assert found(got, want).kind == "flags"


def test_an_answer_that_stops_or_goes_on_is_not_right():
    assert compare([], [seen()]).kind == "missing"
    assert compare([seen(), seen()], [seen()]).kind == "type"


def test_findings_never_hold_an_expected_number():
    want = np.array([[1.2345, -2.3456], [3.4567, 0.4567]])
    for got in (want * 2, want + 1, want * 0, -want, want.T, want[0], want * np.nan):
        finding = found(seen(got), seen(want))
        text = finding.message + finding.comparison
        assert not finding.right and not [n for n in ("1.23", "2.34", "3.45", "0.45") if n in text]


def test_a_place_where_torch_is_infinite_is_compared_too():
    want = np.array([1.0, np.inf, np.nan])
    assert found(seen(want), seen(want)).right
    assert found(seen(np.array([1.0, np.inf, 0.0])), seen(want)).kind == "not finite"
    assert found(seen(np.array([2.0, np.inf, np.nan])), seen(want)).kind == "values"


@pytest.mark.parametrize(
    "got, words",
    [
        (TRUE.T, "torch's transposed"),
        (TRUE[::-1].copy(), "in other places"),
        (np.where(TRUE == 3, 4, TRUE), r"1 of its 4 numbers is wrong, first at index \(1, 0\)"),
        (TRUE.ravel(), "with the same numbers"),
        (np.stack([TRUE / 4, TRUE * 3 / 4]), "not summed over the axes that broadcasting added"),
    ],
)
def test_a_difference_of_simple_form_is_described(got, words):
    assert __import__("re").search(words, found(seen(got)).message), found(seen(got)).message


EXERCISES = [exercise for chapter in CHAPTERS.values() for exercise in chapter]


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_the_tolerance_lies_between_rounding_and_a_finite_difference(exercise):
    """Measured on more seeds, and with more right answers, by `python -m tests.verification tolerances`."""
    for part in exercise.points:
        assert 0 < tolerance(exercise.name, part) <= 1e-9, "what cancels in a random graph of chapter 1 costs most"
    for number in range(10):
        inputs = exercise.draw(generator(b"rounding", str(number), exercise.name))
        for mine, theirs in zip(
            *map(asked_for, (answer_with(exercise, inputs, {}), expected(exercise, inputs))), strict=True
        ):
            if theirs.values is not None:
                difference = np.max(np.abs(mine.values - theirs.values), initial=0.0) / scale(theirs.values)
                assert not difference > tolerance(exercise.name, theirs.part) / 2, theirs.place
