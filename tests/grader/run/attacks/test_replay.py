"""What torch answers to one draw is wrong for another: no part has an answer that can be known beforehand."""

from dataclasses import replace

import pytest

from grader.verdict.assess import expected
from grader.verdict.compare import first_difference, tolerance
from grader.verdict.diagnose import of_part
from tests.verification.cases import EXERCISES, drawn

DRAWS = range(4)
PARTS = [(exercise, part) for exercise in EXERCISES for part in exercise.points]


@pytest.mark.parametrize(("exercise", "part"), PARTS, ids=lambda one: getattr(one, "name", one))
def test_right_answers_to_another_draw_are_wrong(exercise, part):
    """Who replays them knows all that the probe asks, so their places are those of the draw."""
    answers = [of_part(expected(exercise, drawn(exercise, seed)), part) for seed in DRAWS]
    for truth in answers:
        for other in answers:
            replayed = [replace(one, place=own.place) for one, own in zip(other, truth, strict=False)]
            same = other is truth
            assert first_difference(replayed, truth, tolerance(exercise.name, part)).right == same
