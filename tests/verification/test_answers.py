"""Answers of somebody else's, in a folder of text files: read, judged and counted."""

import pytest

from grader.errors import CourseError

from . import answers

MUL = """### wrong | it keeps its own value
@workshop.part
class Mul(Function):
    def forward(self, x, y):
        return x * y

    def backward_x(self, grad, x):
        return grad * x

    def backward_y(self, grad, x):
        return grad * x

### right | the factors the other way round
@workshop.part
class Mul(Function):
    def forward(self, x, y):
        return y * x

    def backward_x(self, grad, y):
        return y * grad

    def backward_y(self, grad, x):
        return x * grad

### wrong | it stops
raise SystemError("no")
"""


@pytest.fixture
def judged(tmp_path):
    (tmp_path / "mul.txt").write_text(MUL, encoding="utf-8")
    return [answers.judge(one, range(2)) for one in answers.read(tmp_path)]


def test_a_wrong_answer_is_rejected_and_a_right_one_accepted(judged):
    wrong, right, stops = judged
    assert wrong.rejected and not wrong.accepted and wrong.said
    assert right.accepted and right.points == [2.0, 2.0] and not right.said
    assert stops.rejected and "SystemError: no" in stops.said[0][2]


def test_the_shares_are_counted(judged):
    counted = answers.summary(judged)
    assert "wrong: 2 of 2 rejected" in counted and "right: 1 of 1 accepted" in counted


def test_a_file_of_no_exercise_is_refused(tmp_path):
    (tmp_path / "mull.txt").write_text(MUL, encoding="utf-8")
    with pytest.raises(CourseError, match="named like no exercise"):
        answers.read(tmp_path)


def test_a_file_without_headings_is_refused(tmp_path):
    (tmp_path / "mul.txt").write_text("class Mul: ...", encoding="utf-8")
    with pytest.raises(CourseError, match="does not begin with a line like"):
        answers.read(tmp_path)
