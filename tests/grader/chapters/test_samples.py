"""Each student of a sample class gets what it deserves: right work in other words passes, the rest loses its points.

Chapter 1's class goes through nbgrader as a whole in test_demo; here the others are judged one by one. With
MINIGRAD_SECRETS=200, each gets the same on 200 secrets, chapter 1's class included.
"""

import functools
import os

import pytest

from grader.chapters import CHAPTERS
from grader.chapters.answers import BANK
from grader.classroom.demo import notebook_of, students
from grader.publish.course import release_notebook
from grader.run.execution import sandbox_problem
from grader.run.judge import judge
from grader.run.submission import restore

from .. import deserves

SECRETS = [f"secret {number}".encode() for number in range(int(os.environ.get("MINIGRAD_SECRETS", "1")))]
OTHERS = [chapter for chapter in CHAPTERS if chapter != 1 or len(SECRETS) > 1]
PLAIN = [(chapter, sample) for chapter in OTHERS for sample in students(chapter)]
MISTAKEN = [(chapter, BANK[exercise.name][0]) for chapter in OTHERS for exercise in CHAPTERS[chapter]]  # one of each


def verdict_on(chapter, sample, secret=SECRETS[0]):
    release = release_notebook(chapter)
    notebook = restore(notebook_of(sample, chapter), release)
    return judge(notebook, release, chapter, sample.student, secret, unsafe=bool(sandbox_problem()))


@pytest.mark.parametrize("chapter, sample", PLAIN, ids=lambda value: getattr(value, "student", str(value)))
def test_each_student_gets_what_it_deserves(chapter, sample):
    for secret in SECRETS:
        results = verdict_on(chapter, sample, secret).results
        scores = {result.exercise: result.score for result in results}
        assert scores == deserves.scores(sample, chapter), [secret, *(result.sentences() for result in results)]
        assert all(result.state == deserves.state(sample, result.exercise) for result in results)


@functools.cache
def mistaken(chapter):
    return deserves.having([wrong for number, wrong in MISTAKEN if number == chapter], chapter)


@pytest.mark.parametrize("chapter, wrong", MISTAKEN, ids=lambda value: getattr(value, "name", str(value)))
def test_a_misconception_is_named_in_a_submission_too(chapter, wrong):
    student = mistaken(chapter)[wrong.name]
    result = next(r for r in verdict_on(chapter, student).results if r.exercise == wrong.exercise)
    assert result.score < result.max_score and result.findings[wrong.replaces].cause == wrong.name


@pytest.mark.parametrize("chapter", OTHERS)
def test_a_class_has_right_work_in_several_forms(chapter):
    assert sum(sample.student.startswith("right-") for sample in students(chapter)) >= 3
