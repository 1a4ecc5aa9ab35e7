"""Answers that others wrote, who knew the notebooks alone, are judged as when the grader saw them for the first time.

`python -m tests.verification answers tests/grader/chapters/written` judges all of them. As the grader knows them now, they
are no measure of what it does with others.
"""

from pathlib import Path

import pytest

from tests.verification import answers
from tests.verification.cases import EXERCISES

WRITTEN = Path(__file__).with_name("written")


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
@pytest.mark.parametrize("kind", ["wrong", "right"])
def test_the_first_of_each_kind(exercise, kind):
    first = next(one for one in answers.read(WRITTEN) if (one.exercise, one.kind) == (exercise.name, kind))
    judged = answers.judge(first, range(100, 101))
    assert (judged.accepted, judged.rejected) == (kind == "right", kind == "wrong"), (first.truth, judged.said)
