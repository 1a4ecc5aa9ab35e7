"""What an LMS imports: ids as it knows them, no formula, and no points for what is not graded."""

import pytest

from grader.about.export import _graded, _safe
from grader.about.report import Row
from grader.classroom.classroom import Classroom


@pytest.mark.parametrize("text", ["-dash", "@ada", "+49 170", "-1", "ada", ""])
def test_an_id_stays_as_the_lms_knows_it(text):
    assert _safe(text) == text


@pytest.mark.parametrize("text", ["=cy", "+SUM(A1)", "-1+cmd|'/C calc'!A0", "@SUM(1)", "\t=1", "-1\n+SUM(A1)"])
def test_what_a_spreadsheet_would_compute_is_text(text):
    assert _safe(text) == f"'{text}"


def test_who_handed_in_no_notebook_has_an_empty_field(tmp_path):
    room = Classroom(tmp_path)
    room.submitted("ada", 1).mkdir(parents=True)
    rows = [Row("ada", 1, "mul", 0, 2, "not graded", "one-step.ipynb is missing")]
    assert _graded(room, rows) == [] == _graded(room, [])
    room.autograded("ada", 1).parent.mkdir(parents=True)
    room.autograded("ada", 1).touch()
    assert _graded(room, rows) == rows
    assert _graded(room, [Row("ada", 1, "mul", 0, 2, "not graded yet", "it was handed in")]) == []
