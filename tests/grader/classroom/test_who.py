"""A student is meant by id, by a name in any order, by an e-mail address, or by a number of the LMS's."""

import pytest

from grader.classroom.classroom import Classroom
from grader.classroom.who import find
from grader.errors import CourseError


@pytest.fixture
def room(tmp_path):
    for student in ("oneillzoë", "hoppergrace", "weili_7", "weili_8", "Ada Lovelace"):
        (tmp_path / "submitted" / student).mkdir(parents=True)
    (tmp_path / "canvas-filled.csv").write_text(
        'Student,ID,SIS Login ID,Chapter 1 (55)\n"O\'Neill, Zoë",4712,zoe19,16\n"Hopper, Grace",4701,grace1,14\n',
        "utf-8",
    )
    return Classroom(tmp_path)


@pytest.mark.parametrize(
    "called, student",
    [
        ("oneillzoë", "oneillzoë"),
        ("O'Neill, Zoë", "oneillzoë"),
        ("Zoë O'Neill", "oneillzoë"),
        ("zoe19", "oneillzoë"),
        ("4701", "hoppergrace"),
        ("Lovelace, Ada", "Ada Lovelace"),
        ("weili_7", "weili_7"),
    ],
)
def test_a_student_is_found(room, called, student):
    assert find(room, called) == student


def test_what_the_gradebook_knows_of_a_student_counts(room, empty_gradebook):
    (room.folder / "gradebook.db").write_bytes(empty_gradebook.read_bytes())
    with room.gradebook() as gradebook:
        gradebook.add_student("li7", first_name="Li", last_name="Wei", email="li@example.org", lms_user_id="99")
    assert {find(room, called) for called in ("Li Wei", "Wei, Li", "li@example.org", "99")} == {"li7"}


@pytest.mark.parametrize("called", ["nobody", "16", "", "..", "Grace", "wei"])
def test_who_is_nobody_is_said(room, called):
    with pytest.raises(CourseError, match="Nothing is known of"):
        find(room, called)


def test_who_may_be_two_is_nobody(room):
    (room.folder / "submitted" / "gracehopper").mkdir()
    with pytest.raises(CourseError, match="Grace Hopper may be gracehopper or hoppergrace: name one of them"):
        find(room, "Grace Hopper")
