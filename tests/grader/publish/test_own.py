"""A chapter of a class's own: beside `course.toml`, without a change to the course."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from grader import classroom
from grader.ask.exercise import Exercise
from grader.publish.course import CONFIG, course_root
from grader.publish.own import demanded
from grader.publish.release import read_script
from grader.verdict.assess import compared, expected
from tests.grader.chapters.test_adding import ROOM, SCRIPT


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A copy of the course, and a class with a tenth chapter: a script and a declaration, and nothing else."""
    folder = tmp_path_factory.mktemp("course")
    for package in ("grader", "minigrad"):
        shutil.copytree(course_root() / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(course_root() / CONFIG, folder)
    own = folder / "autumn" / "chapters" / "chapter10"
    write(own / "exercises.py", ROOM["exercises.py"])
    write(own / "toy.py", SCRIPT.rpartition('# %% tags=["raises-exception"]')[0])
    return folder


def run(course, *arguments, status=0):
    environment = {**os.environ, "PYTHONPATH": str(course), "MINIGRAD_CLASSROOM": str(course / "autumn")}
    command = [sys.executable, "-m", "grader", *arguments]
    done = subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_it_is_built_released_handed_in_and_graded(course):
    said = run(course, "notebooks", "--chapter", "10")
    assert "notebooks/chapter10/toy.ipynb was written." in said
    run(course, "release", "--chapter", "10")
    solved = course / "solutions" / "chapter10" / "toy.ipynb"
    for student, text in (
        ("ada", solved.read_text("utf-8")),
        ("bo", solved.read_text("utf-8").replace("2 * x", "3 * x")),
    ):
        write(course / "inbox" / student / "toy.ipynb", text)
    run(course, "collect", "inbox", "--chapter", "10")
    run(course, "autograde", "--chapter", "10", "--unsafe", "--workers", "1")
    found = json.loads(run(course, "report", "--chapter", "10", "--json"))["students"]
    assert {who: (one["score"], one["max_score"]) for who, one in found.items()} == {
        "ada": (2.0, 2.0),
        "bo": (0.0, 2.0),
    }
    declared = course / "autumn" / "chapters" / "chapter10" / "exercises.py"
    before = declared.read_text("utf-8")
    write(declared, before + "# a word more\n")
    said = run(course, "upgrade")
    write(declared, before)
    assert "Chapter 10: exercises.py of the class's own chapter has changed since; the same work" in said


def test_another_class_has_nothing_to_do_with_it(course):
    assert Path(course / "solutions" / "chapter10").is_dir()
    said = run(course, "release", "--chapter", "12", "--classroom", str(course / "spring"), status=2)
    assert "There is no chapter 12: the course has none." in said


def test_a_number_of_the_courses_is_refused(course):
    shutil.copytree(course / "autumn/chapters/chapter10", course / "autumn/chapters/chapter3")
    try:
        said = run(course, "notebooks", "--chapter", "3", status=2)
    finally:
        shutil.rmtree(course / "autumn/chapters/chapter3")
    assert "the course has a chapter 3 itself; give yours another number." in said


def test_a_solution_that_is_not_right_is_said_with_the_checks_own_words(course):
    """A solution returns a number where the twin on torch returns a tensor."""
    room = course / "autumn" / "chapters" / "chapter10"
    declared = (room / "exercises.py").read_text("utf-8")
    assert "* 2).item()" in declared
    try:
        write(room / "exercises.py", declared.replace("* 2).item()", "* 2)"))
        said = run(course, "notebooks", "--chapter", "10", status=2)
    finally:
        write(room / "exercises.py", declared)
    assert "cell 'double-graded' fails with NotRight: “Twice” is not right yet" in said
    above = said.partition("Above stands: double: ")[2]
    assert re.search(r"double\([\d.]+\) should be a Tensor, and is a number\.$", above.strip())


def test_the_documented_declaration_is_one():
    page = (Path(classroom.__file__).parent / "TEACHING.md").read_text("utf-8")
    names = {}
    exec(re.search(r"```python\n(from grader\.ask.*?)```", page, re.DOTALL)[1], names)
    (exercise,) = names["EXERCISES"]
    inputs = exercise.draw(np.random.default_rng(0))
    (right,) = compared(exercise, inputs, expected(exercise, inputs)).values()
    assert right.right and len(right.seen) == 6


def test_the_documented_script_lacks_nothing(tmp_path):
    page, names = (Path(classroom.__file__).parent / "TEACHING.md").read_text("utf-8"), {}
    script, declaration = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "variance.py").write_text(script, "utf-8")
    exec(declaration, names)
    notebook = read_script(tmp_path / "variance.py")
    assert list(demanded(notebook, names["EXERCISES"])) == [] and len(notebook.cells) == 4


DOUBLE = Exercise("double", 10, "Twice", {"double": 2}, lambda rng: {}, lambda *_: iter(()))


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("# # A toy", "# A toy", "It begins with a text cell whose first line is its title"),
        (
            '"grade_id": "double", ',
            '"grade_id": "twice", ',
            'No solution cell has the grade_id "double"; its line is # %% nbgrader={',
        ),
        (
            '"grade_id": "double-graded"',
            '"grade_id": "graded"',
            'No graded cell has the grade_id "double-graded"; its line is',
        ),
        (', "task": false}\ndef double', "}\ndef double", 'The cell "double" lacks task; its line is # %% nbgrader={'),
        ('"points": 2', '"points": 3', "has 3 points, and exercises.py 2: they are to be the same."),
        ("### BEGIN SOLUTION", "# here", "has no line ### BEGIN SOLUTION: students would get all of it."),
        ('"grade_id": "double", ', '"grade_id": "twice", ', 'The cell "twice" is marked as an exercise'),
    ],
)
def test_what_is_demanded_is_said_in_sentences(tmp_path, old, new, said):
    path = tmp_path / "toy.py"
    path.write_text(SCRIPT, "utf-8")
    assert list(demanded(read_script(path), (DOUBLE,))) == []
    assert old in SCRIPT
    path.write_text(SCRIPT.replace(old, new, 1), "utf-8")
    assert said in " ".join(demanded(read_script(path), (DOUBLE,)))


def test_a_name_that_is_taken_is_said(tmp_path):
    path = tmp_path / "toy.py"
    path.write_text(SCRIPT.replace("double", "mul"), "utf-8")
    mine = Exercise("mul", 10, "Twice", {"mul": 2}, lambda rng: {}, lambda *_: iter(()))
    assert "The name mul is taken, by chapter 1: each exercise has its own." in demanded(read_script(path), (mine,))
