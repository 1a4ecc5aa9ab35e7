"""How hard an exercise was, and how well it tells students apart."""

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.about.items import items, write_csv
from grader.about.report import Row


def rows(points, states=()):
    """A class of which each exercise of chapter 1 is worth 4 points: student → points of each."""
    return [
        Row(student, 1, exercise, score, 4.0, "not graded" if (student, exercise) in states else "graded", "")
        for student, scores in points.items()
        for exercise, score in zip("abc", scores, strict=True)
    ]


def test_an_exercise_that_goes_with_the_rest_discriminates_and_one_against_it_does_not():
    class_ = {f"s{n}": (n, 4 - n, min(4, n + 1)) for n in range(5)}
    a, b, c = items(rows(class_))
    assert (a.students, a.right, a.difficulty) == (5, 1, 0.5)
    assert b.discrimination < 0 and c.discrimination is None  # the others are worth 4 points together, for everybody


def test_what_was_not_graded_counts_nowhere():
    class_ = {f"s{n}": (4, n % 5, 0) for n in range(6)}
    a, *_ = items(rows(class_, states={("s0", "a"), ("s1", "a")}))
    assert (a.students, a.right, a.difficulty, a.discrimination) == (4, 4, 1.0, None)


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=5, max_size=30))
def test_discrimination_is_the_correlation_with_the_rest(scores):
    found = items(rows({f"s{n}": each for n, each in enumerate(scores)}))
    table = np.array(scores, dtype=float)
    for place, item in enumerate(found):
        rest = np.delete(table, place, axis=1).sum(axis=1)
        if np.ptp(table[:, place]) and np.ptp(rest):
            assert item.discrimination == pytest.approx(np.corrcoef(table[:, place], rest)[0, 1])
        else:
            assert item.discrimination is None


def test_nobody_is_nothing():
    (a,) = items([Row("ada", 1, "a", 0.0, 4.0, "not graded", "")])
    assert (a.students, a.difficulty, a.discrimination) == (0, 0.0, None)


def test_a_line_an_exercise_is_written(tmp_path):
    write_csv(tmp_path / "exercises.csv", items(rows({f"s{n}": (n, 0, 4) for n in range(5)})))
    with (tmp_path / "exercises.csv").open() as file:
        found = list(csv.DictReader(file))
    assert [row["exercise"] for row in found] == ["a", "b", "c"] and found[1]["discrimination"] == ""
