"""What torch answers to one draw is wrong for another: no part has an answer that can be known beforehand.

Who answers in the place of the question knows all that the probe asks, and can answer right what is the same on each draw.
"""

from collections import defaultdict
from dataclasses import replace

import pytest

from grader.chapters.answers import BANK
from grader.verdict.assess import expected
from grader.verdict.compare import asked_for, first_difference, tolerance
from grader.verdict.diagnose import answer_with, of_part
from tests.verification.cases import EXERCISES, drawn

DRAWS = range(4)
PARTS = [(exercise, part) for exercise in EXERCISES for part in exercise.points]


@pytest.mark.parametrize(("exercise", "part"), PARTS, ids=lambda one: getattr(one, "name", one))
def test_right_answers_to_another_draw_are_wrong(exercise, part):
    answers = [of_part(expected(exercise, drawn(exercise, seed)), part) for seed in DRAWS]
    for truth in answers:
        for other in answers:
            replayed = [replace(one, place=own.place) for one, own in zip(other, truth, strict=False)]
            same = other is truth
            assert first_difference(replayed, truth, tolerance(exercise.name, part)).right == same


@pytest.mark.parametrize(("exercise", "part"), PARTS, ids=lambda one: getattr(one, "name", one))
def test_with_all_that_never_changes_answered_right_most_mistakes_are_still_wrong(exercise, part):
    draws, allowed = [drawn(exercise, seed) for seed in range(3)], tolerance(exercise.name, part)
    truth, *others = (of_part(expected(exercise, inputs), part) for inputs in draws)

    def never_changes(place):
        same = [replace(one[place], place=truth[place].place) if place < len(one) else None for one in others]
        return all(one and first_difference([one], [truth[place]], allowed).right for one in same)

    known = [never_changes(place) for place in range(len(truth))]
    mistakes = [one for one in BANK[exercise.name] if one.replaces == part]
    through = []
    for mistake in mistakes:
        own = defaultdict(list)
        for one in asked_for(answer_with(exercise, {part: draws[0][part]}, {part: mistake.definition})):
            own[one.place].append(one)
        forged = [
            want if is_known else own[want.place].pop(0) if own[want.place] else replace(want, kind="none", values=None)
            for want, is_known in zip(truth, known, strict=True)
        ]
        if first_difference(forged, truth, allowed).right:
            through.append(mistake.name)
    assert len(through) < len(mistakes) / 2, through
