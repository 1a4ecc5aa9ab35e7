"""What a mistake costs does not hang on the draw: students who make the same mistake get the same points.

An exercise's answer runs on the parts of earlier ones. Where one of those is wrong, an answer that is right itself
loses its points on every draw, or keeps them on every draw.
"""

import functools
import os

import pytest

from grader.ask.exercise import generator
from grader.chapters import exercise_named
from grader.chapters.answers import BANK
from grader.verdict.assess import expected
from grader.verdict.compare import compare, tolerance
from grader.verdict.diagnose import answer_with, of_part
from tests.verification.cases import EXERCISES

SEEDS = range(int(os.environ.get("MINIGRAD_SEEDS", "5")))
MANY = range(40)
COSTS = [  # an earlier mistake, an exercise whose own part is right, and whether that exercise keeps its points
    ("sub-wrong-order", "paths", False),
    ("sub-plus", "paths", False),
    ("mul-divides-the-result", "paths", True),
    ("pow-divides-by-x", "paths", True),
    ("softplus-as-it-stands", "bce", False),
    ("softplus-no-absolute-value", "bce", False),
    ("softplus-clips", "bce", False),
    ("softplus-cuts-too-early", "bce", True),
    ("bce-overflows", "bce", False),
]


@functools.cache
def question(name, seed):
    """One student's inputs, and torch's answer to them."""
    exercise = exercise_named(name)
    inputs = exercise.draw(generator(b"fairness", str(seed), name))
    return inputs, expected(exercise, inputs)


def kept(exercise, part, definition, seed):
    """The parts of the exercise that keep their points while another exercise's part is wrong."""
    inputs, truth = question(exercise.name, seed)
    seen = answer_with(exercise, inputs, {part: definition})
    allowed = {one: tolerance(exercise.name, one) for one in exercise.points}
    return {one for one in allowed if compare(of_part(seen, one), of_part(truth, one), allowed[one]).right}


def earlier_misconceptions(exercise):
    """The misconceptions of the exercises that come before this one in its chapter."""
    chapter = [one.name for one in EXERCISES if one.chapter == exercise.chapter]
    return [m for name in chapter[: chapter.index(exercise.name)] for m in BANK[name]]


@pytest.mark.parametrize("mistake, name, keeps", COSTS)
def test_an_earlier_mistake_costs_the_same_on_forty_draws(mistake, name, keeps):
    exercise = exercise_named(name)
    wrong = next(m for m in earlier_misconceptions(exercise) if m.name == mistake)
    points = set(exercise.points) if keeps else set()
    for definition in wrong.definitions:
        assert [seed for seed in MANY if kept(exercise, wrong.replaces, definition, seed) != points] == []


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_no_earlier_mistake_costs_one_student_more_than_another(exercise):
    for wrong in earlier_misconceptions(exercise):
        for definition in wrong.definitions:
            found = [kept(exercise, wrong.replaces, definition, seed) for seed in SEEDS]
            assert all(one == found[0] for one in found), wrong.name
