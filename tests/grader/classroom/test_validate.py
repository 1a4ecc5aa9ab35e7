"""`grader validate`: what is not right ends with 1, where `nbgrader validate` ends with 0."""

import nbformat
import pytest
from typer.testing import CliRunner

from grader.chapters import exercises
from grader.classroom.demo import notebook_of, samples, solution_notebook
from grader.classroom.validate import line, validate
from grader.cli import app
from grader.errors import CourseError
from grader.publish.course import release_path
from grader.run.execution import sandbox_problem
from grader.run.submission import grade_id
from grader.verdict.assess import Result
from grader.verdict.finding import Finding

UNSAFE = ["--unsafe"] if sandbox_problem() else []
SAMPLES = {sample.student: sample for sample in samples(1)}


def run(path):
    return CliRunner().invoke(app, ["validate", str(path), *UNSAFE])


@pytest.mark.parametrize(
    "notebook, status",
    [
        (lambda: solution_notebook(1), 0),
        (lambda: notebook_of(SAMPLES["wrong-mul-own-value"], 1), 1),
        (lambda: notebook_of(SAMPLES["cheat-drops-asserts"], 1), 1),
        (lambda: nbformat.read(release_path(0), as_version=4), 1),
    ],
    ids=["right", "wrong", "cheating", "untouched"],
)
def test_it_ends_with_0_only_if_every_exercise_is_right(tmp_path, notebook, status):
    path = tmp_path / "any name.ipynb"
    nbformat.write(notebook(), path)
    done = run(path)
    assert done.exit_code == status, done.output
    chapter = 0 if "square" in done.output else 1
    lines = [line for line in done.output.splitlines() if line]
    assert [line.split()[0] for line in lines] == [exercise.name for exercise in exercises(chapter)]


def test_the_line_of_a_wrong_exercise_says_what_is_wrong(tmp_path):
    nbformat.write(notebook_of(SAMPLES["wrong-mul-own-value"], 1), tmp_path / "a.ipynb")
    lines = {line.split()[0]: line for line in run(tmp_path / "a.ipynb").output.splitlines() if line}
    assert "0 of 2   Your Mul hands each operand its own value." in lines["mul"]
    assert lines["add"].endswith("2 of 2   right")


def test_a_cell_that_stopped_is_named_in_its_exercises_line(tmp_path):
    notebook = solution_notebook(1)
    mul = next(cell for cell in notebook.cells if grade_id(cell) == "mul")
    mul.source = f"import no_such_module\n{mul.source}"
    nbformat.write(notebook, tmp_path / "a.ipynb")
    lines = {line.split()[0]: line for line in run(tmp_path / "a.ipynb").output.splitlines() if line}
    assert lines["mul"].endswith("Your cell stopped with ModuleNotFoundError: No module named 'no_such_module'.")


def test_what_was_found_beside_the_error_is_said_too():
    wrong = Result("mul", 0, 2, "graded", {"Mul": Finding("values", message="It differs.")})
    assert line(wrong, "NameError: y").endswith("Your cell stopped with NameError: y. It differs.")
    late = Result("mul", 0, 2, "not graded: it ran out of time", {})
    assert line(late, "NameError: y").endswith("  not graded: it ran out of time")


@pytest.mark.parametrize("text", [None, "", "{}", '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'])
def test_what_is_no_notebook_is_a_sentence(tmp_path, text):
    path = tmp_path / "a.ipynb"
    if text is not None:
        path.write_text(text)
    with pytest.raises(CourseError, match=rf"^{path} .*: give a notebook of the course.$"):
        validate(path, True)


def test_a_notebook_of_no_chapter_is_a_sentence(tmp_path):
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1")]), tmp_path / "a.ipynb")
    with pytest.raises(CourseError, match="has no cell of any chapter"):
        validate(tmp_path / "a.ipynb", True)
