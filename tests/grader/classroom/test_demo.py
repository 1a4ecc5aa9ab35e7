"""The sample class, graded from beginning to end as `make grade` does, and what nbgrader makes of it."""

import csv
import os
import subprocess
import sys

import nbformat
import numpy as np
import pytest
from nbgrader.apps import NbGraderAPI
from typer.testing import CliRunner

from grader.about.report import results
from grader.ask.exercise import generator
from grader.chapters import exercises
from grader.chapters.answers import BANK
from grader.classroom.classroom import Classroom
from grader.classroom.demo import notebook_of, samples
from grader.cli import app
from grader.errors import CourseError
from grader.publish.course import read_secret, release_notebook
from grader.run.execution import sandbox_problem
from grader.run.submission import Unreadable, digest, read_notebook, restore
from grader.verdict.assess import expected

from .. import NBGRADER, deserves

pytestmark = pytest.mark.timeout(900)

SAMPLES = {sample.student: sample for sample in samples(1)}


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The graded sample class: its folder and what was printed."""
    folder = tmp_path_factory.mktemp("demo") / "class room"
    command = [sys.executable, "-m", "grader", "demo", "--classroom", str(folder), "--workers", "2"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return folder, run.stdout


@pytest.fixture(scope="module")
def rows(demo):
    with (demo[0] / "grades.csv").open(encoding="utf-8") as file:
        return {(row["student"], row["exercise"]): row for row in csv.DictReader(file)}


def test_there_are_enough_samples_of_each_kind():
    assert len(SAMPLES) >= 16
    assert sum(name.startswith("right-") for name in SAMPLES) >= 5
    named = {m.name for exercise in exercises(1) for m in BANK[exercise.name]}
    assert {name.removeprefix("wrong-") for name in SAMPLES if name.startswith("wrong-")} == named


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_a_small_difference_from_the_chapter(name):
    sample = SAMPLES[name]
    if sample.text is None:
        assert len(notebook_of(sample, 1).cells) <= len(release_notebook(1).cells) + 4


@pytest.mark.parametrize("name", [name for name in SAMPLES if not name.startswith("wrong-")])
def test_each_sample_gets_what_it_deserves(rows, name):
    sample = SAMPLES[name]
    for exercise, score in deserves.scores(sample, 1).items():
        row = rows[name, exercise]
        assert (float(row["score"]), row["state"]) == (score, deserves.state(sample, exercise)), row
        assert row["diagnosis"]


@pytest.mark.parametrize("wrong", [m for e in exercises(1) for m in BANK[e.name]], ids=lambda m: m.name)
def test_each_misconception_loses_its_points_and_is_named_in_the_table(rows, wrong):
    row = rows[f"wrong-{wrong.name}", wrong.exercise]
    assert float(row["score"]) < float(row["max_score"]) and row["state"] == "graded"
    assert wrong.advice in row["diagnosis"]


def test_the_table_is_printed_with_every_student(demo):
    for name in SAMPLES:
        assert name in demo[1]
    assert "grades.csv" in demo[1] and "gradebook.db" in demo[1] and "feedback" in demo[1]


def test_every_submission_has_a_feedback_page_that_begins_with_words(demo):
    for name in SAMPLES:
        page = Classroom(demo[0]).feedback(name, 1).read_text("utf-8")
        assert "of 16 points" in page
        compared = "Your gradients, compared with torch.autograd" in page
        assert compared != ("<p class='points'>Not graded yet</p>" in page), name
    page = Classroom(demo[0]).feedback("wrong-mul-own-value", 1).read_text("utf-8")
    assert "Your Mul hands each operand its own value" in page
    unreadable = Classroom(demo[0]).feedback("corrupt-file", 1).read_text("utf-8")
    assert "cannot be read as a notebook" in unreadable


@pytest.mark.parametrize("chapter", [1, 4])
def test_a_class_of_its_own_is_left_alone(tmp_path, chapter):
    Classroom(tmp_path).submitted("zoe", chapter).mkdir(parents=True)
    run = CliRunner().invoke(app, ["demo", "--classroom", str(tmp_path)])
    assert isinstance(run.exception, CourseError) and f"zoe has handed in chapter {chapter}" in str(run.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["submitted"]


def test_nothing_of_a_submission_was_changed(demo):
    for path in (demo[0] / "inbox").rglob("*.ipynb"):
        kept = demo[0] / "submitted" / path.parent.name / "chapter1" / "one-step.ipynb"
        assert kept.read_bytes() == path.read_bytes()


def test_no_feedback_shows_an_expected_number(demo):
    """What torch answers to a student's own inputs is in no sentence about that student's work."""
    secret = read_secret(demo[0])
    looked_at = 0
    for name in SAMPLES:
        path = demo[0] / "submitted" / name / "chapter1" / "one-step.ipynb"
        try:
            handed_in = digest(restore(read_notebook(path), release_notebook(1)))
        except Unreadable:
            handed_in = ""
        for exercise, result in zip(exercises(1), results(Classroom(demo[0]), name, 1), strict=True):
            inputs = exercise.draw(generator(secret, name, exercise.name, handed_in))
            numbers = {
                f"{abs(x):.4g}" for seen in expected(exercise, inputs) for x in np.ravel(seen.values) if x is not None
            }
            telling = {text for text in numbers if len(text.replace(".", "").lstrip("0")) >= 4}
            for finding in result.findings.values():
                words = " ".join([finding.place, finding.message, finding.comparison, finding.advice])
                assert not [text for text in telling if text in words], (name, words)
                looked_at += 1
    assert looked_at > 300


def nbgrader(folder):
    return NbGraderAPI(config=Classroom(folder, unsafe=bool(sandbox_problem())).config())


def test_the_gradebook_holds_the_scores(demo, rows):
    with Classroom(demo[0]).gradebook() as gradebook:
        for name in ("right-with-a-stack", "half-done", "cheat-drops-asserts"):
            total = sum(float(row["score"]) for (student, _), row in rows.items() if student == name)
            assert gradebook.find_submission("chapter1", name).score == total


def test_formgrader_sees_the_class(demo):
    found = nbgrader(demo[0]).get_notebook_submissions("chapter1", "one-step")
    assert {entry["student"] for entry in found} == set(SAMPLES)


def test_a_manual_grade_is_kept_when_the_class_is_graded_again(grader, demo):
    folder, student = demo[0], "half-done"
    with Classroom(folder).gradebook() as gradebook:
        grade = gradebook.find_grade("pow-graded", "one-step", "chapter1", student)
        assert grade.score == 0
        grade.manual_score = 1.5
        gradebook.db.commit()
    arguments = ["--classroom", folder, "--student", student] + (["--unsafe"] if sandbox_problem() else [])
    assert grader("autograde", *arguments).returncode == 0
    assert grader("feedback", "--classroom", folder, "--student", student).returncode == 0
    assert grader("report", "--classroom", folder).returncode == 0
    with Classroom(folder).gradebook() as gradebook:
        assert gradebook.find_grade("pow-graded", "one-step", "chapter1", student).score == 1.5
    page = Classroom(folder).feedback(student, 1).read_text("utf-8")
    assert "1.5 of 2 points</span>" in page and "✍ By hand:" in page
    assert f"{student},1,pow,1.5,2.0" in (folder / "grades.csv").read_text()


def test_nbgraders_own_export_and_ours_read_the_result(demo, tmp_path):
    folder = demo[0]
    for exporter in ("nbgrader.plugins.CsvExportPlugin", "grader.about.export.ExerciseExport"):
        target = tmp_path / f"{exporter}.csv"
        run = subprocess.run(
            [sys.executable, "-c", NBGRADER, "export", f"--exporter={exporter}", f"--to={target}"],
            env={**os.environ, "MINIGRAD_CLASSROOM": str(folder)},
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stderr
        assert "right-with-a-stack" in target.read_text()


def test_verdicts_are_reached_once(grader, demo):
    """Grading again finds each verdict where it was kept."""
    folder = demo[0]
    before = {path: path.stat().st_mtime_ns for path in (folder / "verdicts").glob("*.json")}
    arguments = ["--classroom", folder, "--student", "right-as-in-the-solution"]
    run = grader("autograde", *arguments, *(["--unsafe"] if sandbox_problem() else []))
    assert run.returncode == 0, run.stderr
    assert before == {path: path.stat().st_mtime_ns for path in (folder / "verdicts").glob("*.json")}


def test_the_secret_is_the_instructors_alone(demo):
    path = demo[0] / "secret"
    assert path.stat().st_mode & 0o077 == 0 and len(path.read_text()) == 64


def test_autograded_notebooks_are_valid(demo):
    for name in SAMPLES:
        nbformat.validate(nbformat.read(Classroom(demo[0]).autograded(name, 1), as_version=4))
