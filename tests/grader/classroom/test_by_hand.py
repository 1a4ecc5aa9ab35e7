"""Points by hand: they count, lateness takes its share of them, and they stay when the work is graded again."""

from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest

from grader.chapters import exercises
from grader.classroom.by_hand import give
from grader.classroom.classroom import grades
from grader.classroom.grading import Crew, autograde
from grader.classroom.marks import marks
from grader.classroom.rehearse import copy_of
from grader.errors import CourseError
from grader.publish.course import notebook_name
from tests.grader.classroom.test_gradebook_writer import drawn
from tests.grader.classroom.test_marks import room, said  # noqa: F401


def handed_in_again(room, words="better"):  # noqa: F811
    path = room.submitted("ada", 1) / notebook_name(1)
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_markdown_cell(words))
    nbformat.write(notebook, path)


def counts(room):  # noqa: F811
    with room.gradebook() as gradebook:
        return grades(gradebook, 1)["ada"]["mul-graded"][1]


def comment(room):  # noqa: F811
    with room.gradebook() as gradebook:
        return gradebook.find_comment("mul", "one-step", "chapter1", "ada").comment


def test_they_stay_when_newer_work_is_graded(room):  # noqa: F811
    give(room, 1, "ada", "mul", 1.5, "A good idea.")
    handed_in_again(room)
    said(room)
    assert counts(room) == 1.5 and comment(room) == "A good idea."


@pytest.mark.parametrize("course", ["", "[late]\nper_day = 0.5\n[due]\nchapter1 = 2026-11-30T18:00:00Z\n"])
def test_taken_back_the_marks_are_those_from_before(room, course):  # noqa: F811
    (room.folder / "course.toml").write_text(course)
    said(room)
    before, own = marks(room, 1), counts(room)
    told = give(room, 1, "ada", "mul", 0.0 if own else 2.0, "Hm.")
    assert told == marks(room, 1)["ada"] and told != before["ada"] and marks(room, 1)["bo"] == before["bo"]
    give(room, 1, "ada", "mul", None, "")
    assert marks(room, 1) == before and comment(room) is None


def test_lateness_takes_its_share_at_once_and_after_formgrader_when_it_is_graded(room):  # noqa: F811
    (room.folder / "course.toml").write_text("[late]\nper_day = 0.5\n[due]\nchapter1 = 2026-11-30T18:00:00Z\n")
    said(room)
    for exercise in exercises(1):
        mark = give(room, 1, "ada", exercise.name, exercise.max_score, None)
    assert mark.penalty == mark.points / 2 > 0
    assert said(room) == [], "nothing is left to change"
    with room.gradebook() as gradebook:  # as formgrader does it
        gradebook.find_grade("mul-graded", "one-step", "chapter1", "ada").manual_score = 0.0
        gradebook.db.commit()
    (line,) = said(room)
    assert "points were given by hand" in line
    mark = marks(room, 1)["ada"]
    assert mark.penalty == mark.points / 2 and said(room) == []


@pytest.mark.parametrize(
    "student, exercise, points, words",
    [
        ("ada", "sigmoid", 1, "Chapter 1 has no exercise 'sigmoid'; it has add"),
        ("ada", "mul", 2.5, "mul is worth 2: give a number from 0 to 2, and not 2.5"),
        ("ada", "mul", -1, "mul is worth 2: give a number from 0 to 2"),
        ("eve", "mul", 1, "The gradebook has no points of eve for mul in chapter 1: run `grader autograde"),
    ],
)
def test_what_cannot_be_given_is_a_sentence(room, student, exercise, points, words):  # noqa: F811
    with pytest.raises(CourseError, match=words):
        give(room, 1, student, exercise, points, None)


def held(room):  # noqa: F811
    lines = []
    crew = Crew(lambda: ThreadPoolExecutor(1), 1, lambda job: drawn(job, "the same"))
    assert autograde(room, 1, crew=crew, held=lines.append) == {}
    return lines


def test_that_they_hold_newer_work_below_the_graders_is_said(room):  # noqa: F811
    handed_in_again(room)
    held(room)
    with room.gradebook() as gradebook:
        own = {who: {cell: one for cell, (one, _) in cells.items()} for who, cells in grades(gradebook, 1).items()}
    name = next(exercise.name for exercise in exercises(1) if own["ada"][exercise.graded_cell] > 1)
    most = own["ada"][f"{name}-graded"]
    give(room, 1, "ada", name, 1, None)
    assert held(room) == [], "nothing was handed in since"
    handed_in_again(room)  # with the same points by the grader
    line = f"ada: {name} has 1 point by hand; the grader would now give {most:g}"
    with copy_of(room, 1) as copy:
        assert held(copy) == [line]
    assert held(room) == [line] and held(room) == []
    (room.folder / "course.toml").write_text("[late]\nper_day = 0.1\n")
    assert held(room) == [], "it is the same work"
    give(room, 1, "ada", name, most, None)
    handed_in_again(room, "better still")
    assert held(room) == []
