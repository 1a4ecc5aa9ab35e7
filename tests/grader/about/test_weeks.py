"""In which week each misconception was handed in."""

import csv
import shutil
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st
from nbgrader.api import Gradebook

from grader.about.report import Common
from grader.about.weeks import handed_in, weeks, write_csv

DATES = {"ada": "2026-03-02", "bo": "2026-03-02", "cy": "2026-03-09", "di": ""}
COMMON = [Common("mul-swapped", 3, "…", ("ada", "bo", "cy")), Common("sub-plus", 1, "…", ("di",))]


def test_each_week_says_how_many_of_how_many():
    found = {(one.misconception, one.week): (one.students, one.handed_in) for one in weeks(1, COMMON, DATES)}
    assert found["mul-swapped", "2026-03-02"] == (2, 2) and found["mul-swapped", "2026-03-09"] == (1, 1)
    assert found["mul-swapped", ""] == (0, 1) and found["sub-plus", ""] == (1, 1)


@given(st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(["", "2026-03-02", "2026-03-09"]), min_size=1))
def test_every_student_counts_once(dates):
    common = [Common("one", len(dates), "…", tuple(dates))]
    assert sum(one.students for one in weeks(1, common, dates)) == len(dates)
    assert all(one.students == one.handed_in for one in weeks(1, common, dates))


def test_a_week_begins_on_monday_and_what_has_no_date_has_no_week(tmp_path, empty_gradebook):
    shutil.copy(empty_gradebook, tmp_path)
    with Gradebook(f"sqlite:///{tmp_path / empty_gradebook.name}") as gradebook:
        gradebook.add_assignment("chapter1")
        for student, day in ("ada", 2), ("bo", 8), ("cy", 9), ("di", None):
            gradebook.add_student(student)
            gradebook.add_submission("chapter1", student, timestamp=day and datetime(2026, 3, day, 23, 59))
        assert handed_in(gradebook, 1) == DATES
        assert handed_in(gradebook, 2) == {}


def test_a_line_a_misconception_and_week_is_written(tmp_path):
    write_csv(tmp_path / "misconceptions-chapter1.csv", weeks(1, COMMON, DATES))
    with (tmp_path / "misconceptions-chapter1.csv").open() as file:
        found = list(csv.DictReader(file))
    assert len(found) == 6 and found[1] == {
        "chapter": "1",
        "week": "2026-03-02",
        "misconception": "mul-swapped",
        "students": "2",
        "handed_in": "2",
    }
