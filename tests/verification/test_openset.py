"""The open set: its slips are wrong, its rewrites right, and what cannot be told from the right answer is left out."""

import pytest

from tests.verification import openset
from tests.verification.cases import exercise_of
from tests.verification.mutants import original
from tests.verification.rewrites import rewrites
from tests.verification.slips import slips

MUL = original(exercise_of("mul"), "Mul")


def test_slips_are_of_one_to_three_orders_and_each_is_another_text():
    found = slips(MUL, 60)
    assert {len(one.kinds) for one in found} == {1, 2, 3}
    assert len({one.text for one in found} | {MUL}) == len(found) + 1
    assert found == slips(MUL, 60) != slips(MUL, 60, "another seed")


def test_a_right_definition_is_rewritten_in_many_ways_without_numpy_where_there_is_none():
    found = rewrites(original(exercise_of("diamond"), "diamond"), 30, numpy=False)
    assert len(found) == 30 and not any("np." in text for text, _ in found)


@pytest.mark.parametrize(
    "name, part", [("mul", "Mul"), ("train", "train"), ("sgd", "sgd_step"), ("softplus", "softplus")]
)
def test_slips_are_rejected_and_rewrites_accepted(name, part):
    found = openset.opened(name, part, wrong=6, right=4)
    assert found.wrong and not found.accepted
    assert found.right == 4 and not found.refused
    assert sum(found.layers.values()) == found.wrong == len(found.said)


def test_a_slip_that_changes_nothing_is_told_from_one_that_does():
    exercise = exercise_of("sgd")
    right = original(exercise, "sgd_step")
    assert openset.like_the_right_one(
        exercise, "sgd_step", right.replace("array -= lr * velocity", "array -= velocity * lr")
    )
    assert not openset.like_the_right_one(exercise, "sgd_step", right.replace("if momentum:", "if momentum > 5:"))


def test_a_sample_is_code_with_what_is_said_to_it():
    found = openset.sample("mul", "Mul", 2, "a seed")
    assert len(found) == 2 and all(code.startswith("class Mul") and said for code, said in found)
