"""A class that was graded with 1.0.0: four students of chapter 1. Later versions read it, and grade it the same.

What has changed since is a setting: then, a part that failed on the student's own engine got nothing.
"""

import csv
import os
import shutil
from pathlib import Path

import nbformat
import pytest
from typer.testing import CliRunner

from grader.cli import app
from grader.run.execution import sandbox_problem

CLASS = Path(__file__).resolve().parents[2] / "fixtures" / "class-1.0.0"


def marks(folder):
    """(student, exercise) -> score and state, from the class's table."""
    with (folder / "grades.csv").open(encoding="utf-8") as file:
        return {(row["student"], row["exercise"]): (row["score"], row["state"]) for row in csv.DictReader(file)}


@pytest.fixture
def room(tmp_path):
    folder = shutil.copytree(CLASS, tmp_path / "class")
    for path in (folder / "submitted").rglob("*"):  # handed in before it was graded, whenever it was checked out
        os.utime(path, (1_700_000_000, 1_700_000_000))
    return folder


def run(*command):
    done = CliRunner().invoke(app, list(map(str, command)))
    assert done.exit_code == 0, done.output
    return done.output


def test_its_marks_are_read(room):
    (room / "grades.csv").unlink()
    run("report", "--chapter", 1, "--classroom", room)
    assert marks(room) == marks(CLASS)
    assert {student: sum(float(score) for (name, _), (score, _) in marks(room).items() if name == student) for student in
            ("corrupt-file", "right-with-a-stack")} == {"corrupt-file": 0, "right-with-a-stack": 16}  # fmt: skip


def test_a_copy_with_other_times_is_not_said_to_be_handed_in_again(room):
    for path in sorted(room.rglob("*.ipynb"), key=lambda path: "submitted" in path.parts):  # those come last
        path.chmod(0o644)
        os.utime(path, None)
    run("report", "--chapter", 1, "--classroom", room)
    assert marks(room) == marks(CLASS)
    path = room / "submitted" / "right-with-a-stack" / "chapter1" / "one-step.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell("2 + 2"))
    nbformat.write(notebook, path)
    run("report", "--chapter", 1, "--classroom", room)
    (changed,) = {who for (who, exercise), mark in marks(room).items() if mark != marks(CLASS)[who, exercise]}
    assert changed == "right-with-a-stack"


def test_nothing_of_it_changes_until_it_is_upgraded(room):
    before = {path: path.read_bytes() for path in room.rglob("*") if path.is_file()}
    done = CliRunner().invoke(app, ["autograde", "--chapter", "1", "--classroom", str(room), "--unsafe"])
    assert "was graded by an earlier version" in str(done.exception) and done.exit_code
    said = run("upgrade", "--classroom", room)
    assert "Chapter 1: an earlier version graded it" in said and "follow_through = false" in said
    assert all(path.read_bytes() == data for path, data in before.items() if path.name != "chapter1.json")
    run("upgrade", "--yes", "--classroom", room)
    assert "Nothing is new" in run("upgrade", "--classroom", room)


@pytest.mark.sandbox
@pytest.mark.skipif(bool(sandbox_problem()), reason=sandbox_problem() or "")
def test_it_is_graded_again_with_the_same_marks(room):
    shutil.rmtree(room / "verdicts")
    (room / "course.toml").write_text("follow_through = false\n")
    run("autograde", "--chapter", 1, "--classroom", room, "--workers", 1)
    run("report", "--chapter", 1, "--classroom", room)
    assert marks(room) == marks(CLASS)
