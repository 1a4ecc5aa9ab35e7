"""`grader explain`: inputs, the student's numbers, torch's, the first difference, and the rule behind the points."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest

from grader.about.explain import _of_exercise, explain
from grader.ask.exercise import generator
from grader.chapters import exercises
from grader.classroom.classroom import Classroom
from grader.classroom.demo import notebook_of, samples
from grader.classroom.grading import Crew, autograde
from grader.errors import CourseError
from grader.publish.course import notebook_name
from grader.run.execution import sandbox_problem
from grader.verdict.assess import Result, not_graded
from grader.verdict.finding import Finding

SAMPLES = {sample.student: sample for sample in samples(1)}


@pytest.fixture
def room(tmp_path):
    room = Classroom(tmp_path, bool(sandbox_problem()))
    for student, sample in (("ada", "right-as-in-the-solution"), ("bo", "half-done"), ("cy", "empty-file")):
        path = room.submitted(student, 1) / notebook_name(1)
        path.parent.mkdir(parents=True)
        one = SAMPLES[sample]
        path.write_text(one.text if one.text is not None else nbformat.writes(notebook_of(one, 1)), "utf-8")
    return room


def test_a_right_part_says_how_near_it_is(room):
    (head, part, *told) = explain(room, 1, "ada", "mul")
    assert head.startswith("mul – ") and head.endswith("2 of 2 points")
    assert part.startswith("  Mul: 2 of 2. Right") and "All as torch's" in told[-2]
    assert not [line for line in told if "input" in line]
    assert [line for line in explain(room, 1, "ada", "mul", everything=True) if "all inputs: [{" in line]
    assert told[-1].startswith("The rule: a part that is right has all of its points, and one that is not has none.")


def test_a_wrong_part_shows_the_first_difference_in_numbers(room):
    told = "\n".join(explain(room, 1, "bo"))
    assert "0 of 2. Not done yet" in told
    assert "Asked on the student's own engine:" in told and "Asked with minigrad's own Sub and Pow:" in told


def test_an_answer_on_lent_parts_alone_is_not_taken_for_one_on_the_students_engine():
    exercise = exercises(1)[1]
    inputs = exercise.draw(generator(b"secret", "ada", exercise.name))
    result = not_graded(exercise, "not graded: it hung")
    found = Result(exercise.name, 0, 2, "graded", {"Mul": Finding("raised", message="Your code stopped.")})
    told = "\n".join(_of_exercise(exercise, found, [(inputs, "[]", ["Add"])], None))
    assert "Asked with minigrad's own Add:" in told and "own engine" not in told
    assert "Asked" not in "\n".join(_of_exercise(exercise, result, [(inputs, "[]", [])], None))


def test_a_value_of_the_students_stands_beside_torchs(room):
    path = room.submitted("ada", 1) / notebook_name(1)
    text = path.read_text("utf-8")
    assert "return grad * y" in text
    path.write_text(text.replace("return grad * y", "return grad * y * 2"), "utf-8")
    told = "\n".join(explain(room, 1, "ada", "mul"))
    assert "the student's tensor" in told and "torch's tensor" in told and "twice torch's" in told
    (case,) = [line for line in told.splitlines() if "input: " in line]
    shown = json.loads(case.partition("input: ")[2].removesuffix(" (--all shows more)"))
    assert shown["op"] == "mul" and len(shown["operands"]) == 2, "the one case that differs first"


@pytest.mark.parametrize("given, more", [(1.0, "; the grader would now give 2"), (2.5, "")])
def test_points_by_hand_below_the_graders_are_said_to_be(given, more):
    exercise = exercises(1)[1]
    found = Result(exercise.name, 2, 2, "graded", {})
    told = list(_of_exercise(exercise, found, [], (0.0, given)))
    counts = f"{given:g} point{'' if given == 1 else 's'}"
    assert f"  What counts was given by hand: {counts}{more}." in told


def test_what_cannot_be_explained_is_said_in_a_sentence(room):
    for student, exercise, words in (
        ("dee", "", "There is no submission of chapter 1 by dee"),
        ("cy", "", "cannot be read"),
        ("ada", "sigmoid", "Chapter 1 has no exercise sigmoid; it has add"),
    ):
        with pytest.raises(CourseError, match=words):
            list(explain(room, 1, student, exercise))


def test_the_rule_and_what_lateness_took_off_are_said(room, empty_gradebook):
    shutil.copy(empty_gradebook, room.folder)
    (room.submitted("ada", 1) / "timestamp.txt").write_text("2026-12-01 20:00 UTC")
    rules = "follow_through = false\n[due]\nchapter1 = 2026-11-30T18:00:00Z\n[late]\nper_day = 0.25\n"
    (room.folder / "course.toml").write_text(rules)
    assert autograde(room, 1, ["ada"], Crew(lambda: ThreadPoolExecutor(1), 1)) == {}
    rule, late = list(explain(room, 1, "ada", "mul"))[-2:]
    assert late.startswith("The chapter's mark: 8 (16 less 8, 50%, for being late by 26 h).")
    assert late.endswith("The rule of lateness: 25% of the points for each day that has begun.")
    assert rule.startswith("The rule: ") and "follow_through = false" in rule
