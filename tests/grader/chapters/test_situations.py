"""Each draw contains the special situations that tell formulas apart, or its exercise says why not."""

import pytest

from grader.ask.exercise import ABOVE, ORDINARY
from tests.verification.cases import EXERCISES, drawn

from .situations import WORDS, situations

SEEDS = range(3)


def measured(exercise):
    """Part → the situations that every draw of it contains."""
    draws = [drawn(exercise, seed) for seed in SEEDS]
    return {p: set.intersection(*(situations(exercise, p, inputs[p]) for inputs in draws)) for p in exercise.points}


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_every_draw_contains_what_its_exercise_says(exercise):
    found = measured(exercise)
    for there in found.values():
        demanded = {*ORDINARY, *(ABOVE if there & set(ABOVE) else ())} - set(exercise.without)
        assert demanded <= there, demanded - there
    anywhere = set().union(*found.values())
    assert set(exercise.also) <= anywhere, set(exercise.also) - anywhere


@pytest.mark.parametrize("exercise", [e for e in EXERCISES if e.without], ids=lambda e: e.name)
def test_what_is_said_to_be_missing_is_missing(exercise):
    everywhere = set.intersection(*measured(exercise).values())
    assert not everywhere & set(exercise.without)
    assert set(exercise.without) <= {*ORDINARY, *ABOVE} and all(exercise.without.values())


def test_each_situation_is_somewhere():
    everything = set().union(*(exercise.also for exercise in EXERCISES))
    assert everything == {*WORDS, "nothing", "a large number", "nothing but 0 upstream", "a loss that rises"}
