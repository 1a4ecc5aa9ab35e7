"""The report: lateness, columns for an LMS, a chart of the misconceptions; in any database that nbgrader takes."""

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree

import nbformat
import pytest
from nbgrader.apps import NbGraderAPI
from rich.console import Console
from typer.testing import CliRunner

from grader.about import chart
from grader.about import report as report_module
from grader.about.export import CanvasExport, ExerciseExport
from grader.about.report import Common, Row, safe, table, total
from grader.classroom.classroom import Classroom, set_due
from grader.classroom.demo import notebook_of, samples
from grader.classroom.ledger import looked_file
from grader.cli import app
from grader.errors import CourseError
from grader.publish.course import course_root, notebook_name
from grader.publish.database import alembic_here, database_url
from grader.run.execution import sandbox_problem
from tests.grader import NBGRADER

UNSAFE = ["--unsafe"] if sandbox_problem() else []
SAMPLES = {sample.student: sample for sample in samples(1)}
STUDENTS = {"ada": "right-as-in-the-solution", "bo": "wrong-mul-own-value", "=cy": "wrong-mul-own-value"}

pytestmark = pytest.mark.timeout(600)


def grader(*arguments, status=0, **environment):
    """Run a command in this process; what it prints, or the sentence that it ends with."""
    run = CliRunner().invoke(app, [str(argument) for argument in arguments], env=environment)
    if status == 2:
        assert isinstance(run.exception, CourseError), run.output
        return str(run.exception)
    assert run.exit_code == status, (run.output, run.exception)
    return run.output


@pytest.fixture(scope="module")
def room(tmp_path_factory, empty_gradebook):
    """A class whose gradebook is another file, due on the 20th; bo came three hours late."""
    folder = tmp_path_factory.mktemp("class")
    room = Classroom(folder / "room", bool(UNSAFE), database_url(f"sqlite:///{folder}/elsewhere.db"))
    shutil.copy(empty_gradebook, folder / "elsewhere.db")
    inbox = folder / "inbox"
    for student, sample in STUDENTS.items():
        path = inbox / student / notebook_name(1)
        path.parent.mkdir(parents=True)
        path.write_text(nbformat.writes(notebook_of(SAMPLES[sample], 1)), "utf-8")
    (inbox / "ada" / "timestamp.txt").write_text("2026-11-20 17:59:59 UTC")
    (inbox / "bo" / "timestamp.txt").write_text("2026-11-20 21:00:30 UTC")
    options = ["--classroom", room.folder, "--db", room.db_url]
    for arguments in (
        ["release", *options, "--due", "2026-11-20 18:00 UTC"],
        ["collect", inbox, "--times", "--classroom", room.folder],
        ["autograde", *options, *UNSAFE, "--workers", 1],
        ["feedback", *options],
    ):
        assert "gradebook.db" not in grader(*arguments)
    return room


def report(room, *arguments):
    return grader("report", "--classroom", room.folder, "--db", room.db_url, *arguments)


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_the_gradebook_is_where_the_url_says_and_nowhere_else(room):
    assert room.gradebook_place == str(room.folder.parent / "elsewhere.db")
    assert room.has_gradebook() and not (room.folder / "gradebook.db").exists()
    with room.gradebook() as gradebook:
        assert gradebook.find_submission("chapter1", "ada").score == 16
    assert room.feedback("ada", 1).is_file()


def test_the_environment_names_the_gradebook_too(room):
    assert "ada" in grader("report", "--classroom", room.folder, MINIGRAD_DB=room.db_url)
    assert "no gradebook yet" in grader("report", "--classroom", room.folder, status=2)


def test_who_was_late_is_said_with_how_much(room):
    assert "late by 3 h 1 min" in report(room)
    students = json.loads(report(room, "--json"))["students"]
    assert {name: student["seconds_late"] for name, student in students.items()} == {"ada": 0, "bo": 10830, "=cy": 0}
    head, *lines = rows(room.folder / "grades.csv")
    late = {line[0]: float(line[head.index("seconds_late")]) for line in lines}
    assert late == {"ada": 0, "bo": 10830, "'=cy": 0}


def test_a_penalty_of_nbgraders_late_policy_counts(room):
    """The course's settings take nothing off; nbgrader's own policy `zero`, or a plugin, may."""
    with room.gradebook() as gradebook:
        (notebook,) = gradebook.find_submission("chapter1", "bo").notebooks
        notebook.late_submission_penalty = 3.0
        gradebook.db.commit()
    try:
        student = json.loads(report(room, "--json"))["students"]["bo"]
        assert student["penalty"] == 3 and student["score"] == sum(e["score"] for e in student["exercises"]) - 3
        assert "the penalty is 3 points" in report(room)
    finally:
        with room.gradebook() as gradebook:
            (notebook,) = gradebook.find_submission("chapter1", "bo").notebooks
            notebook.late_submission_penalty = None
            gradebook.db.commit()


def test_a_penalty_takes_no_more_than_there_is():
    assert total([Row("ada", 1, "mul", 1.0, 2.0, "graded", "", penalty=5.0)]) == 0


def test_nbgraders_zero_policy_is_recorded(room):
    """AssignLatePenalties is in the pipeline, and nbgrader's configuration chooses the policy."""
    config = room.config()
    config.LateSubmissionPlugin.penalty_method = "zero"
    with alembic_here():
        assert NbGraderAPI(config=config).autograde("chapter1", "bo", force=True)["success"]
    with room.gradebook() as gradebook:
        submission = gradebook.find_submission("chapter1", "bo")
        assert submission.late_submission_penalty == submission.score > 0
    with alembic_here():
        assert NbGraderAPI(config=room.config()).autograde("chapter1", "bo", force=True)["success"]
    with room.gradebook() as gradebook:
        assert not gradebook.find_submission("chapter1", "bo").late_submission_penalty


def test_canvas_gets_its_columns(room):
    with room.gradebook() as gradebook:
        gradebook.update_or_create_student("ada", first_name="Ada", last_name="Lovelace", lms_user_id="4711")
        gradebook.update_or_create_student("nobody", last_name="Who handed nothing in")
    assert "For Canvas to import" in report(room, "--format", "canvas")
    head, possible, *lines = rows(room.folder / "canvas-chapter1.csv")
    assert head == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "chapter1"]
    assert possible == ["    Points Possible", "", "", "", "", "16.0"]
    assert ["Lovelace, Ada", "4711", "", "ada", "", "16"] in lines
    assert ["Who handed nothing in", "", "", "nobody", "", ""] in lines
    assert any(line[0] == "'=cy" for line in lines), "no spreadsheet takes a name for a formula"


def test_moodle_gets_points_and_words(room):
    report(room, "--format", "moodle")
    head, *lines = rows(room.folder / "moodle-chapter1.csv")
    assert head == ["Username", "First name", "Last name", "Email address", "chapter1", "chapter1 (feedback)"]
    found = {line[0]: line[4:] for line in lines}
    assert found["ada"] == ["16", "All right."]
    assert float(found["bo"][0]) < 16 and "mul: Your Mul hands each operand its own value" in found["bo"][1]


@pytest.mark.parametrize("form", ["canvas", "moodle"])
def test_nbgrader_export_writes_the_same(room, tmp_path, form):
    report(room, "--format", form)
    target = tmp_path / "out.csv"
    plugin = f"{form.capitalize()}Export"
    options = [f"--exporter=grader.about.export.{plugin}", f"--to={target}", f"--{plugin}.classroom={room.folder}"]
    command = [sys.executable, "-c", NBGRADER, "export", *options, f"--db={room.db_url}"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=course_root())
    assert run.returncode == 0, run.stderr
    assert target.read_text() == (room.folder / f"{form}-chapter1.csv").read_text()


def test_an_assignment_of_the_instructors_own_is_none_of_the_courses_chapters(room):
    with room.gradebook() as gradebook:
        gradebook.update_or_create_assignment("exam")
    try:
        assert "ada" in report(room)
    finally:
        with room.gradebook() as gradebook:
            gradebook.remove_assignment("exam")


def test_points_that_were_given_by_hand_are_not_taken_for_what_was_found(room):
    with room.gradebook() as gradebook:
        gradebook.find_grade("add-graded", "one-step", "chapter1", "ada").manual_score = 1.0
        gradebook.db.commit()
    options = ["--classroom", room.folder, "--db", room.db_url]
    try:
        report(room, "--format", "moodle")
        line = next(line for line in rows(room.folder / "moodle-chapter1.csv") if line[0] == "ada")
        assert line[4:] == ["15", "add: points given by hand. Right: the same as torch.autograd, to rounding."]
        grader("feedback", *options, "--student", "ada")
        page = room.feedback("ada", 1).read_text("utf-8")
        top, below = page.split('id="notebook"')
        assert top.count("1 of 2 points</span></h3><p class='by-hand'>✍ By hand: your instructor gave") == 1
        assert below.count("1 of 2 points, which your instructor gave.") == 1
    finally:
        with room.gradebook() as gradebook:
            gradebook.find_grade("add-graded", "one-step", "chapter1", "ada").manual_score = None
            gradebook.db.commit()


def test_nbgrader_export_of_no_chapter_is_a_sentence(room):
    for made in (CanvasExport(), ExerciseExport()):
        made.assignment = ["chapter1", "exam"]
        with room.gradebook() as gradebook, pytest.raises(SystemExit, match="^grader: 'exam' is no chapter"):
            made.export(gradebook)


def test_what_waits_to_be_graded_is_left_empty_for_the_lms(room):
    path = room.submitted("=cy", 1) / notebook_name(1)
    before = path.read_bytes()
    os.utime(path, None)
    report(room, "--format", "canvas")
    assert next(line for line in rows(room.folder / "canvas-chapter1.csv") if line[3] == "'=cy")[5] != "", (
        "a copy's time"
    )
    path.write_bytes(before + b"\n")
    report(room, "--format", "canvas")
    assert next(line for line in rows(room.folder / "canvas-chapter1.csv") if line[3] == "'=cy")[5] == ""
    path.write_bytes(before)


def test_an_autograded_notebook_is_read_once_and_again_when_it_is_another(room, monkeypatch):
    read, real = [], nbformat.v4.reads
    monkeypatch.setattr("nbformat.v4.reads", lambda text: read.append(text) or real(text))

    def rows():
        report_module._look.cache_clear()  # as in a command of its own
        with room.gradebook() as gradebook:
            found = report_module.class_rows(room.folder, gradebook, [1])
            words = report_module.as_json(room, 1, found)
        return found, words

    before = rows()
    read.clear()
    assert rows() == before and read == []
    path = room.autograded("ada", 1)
    os.utime(path, (1e9, 1e9))
    assert rows() == before and read == [path.read_text("utf-8")]
    kept = looked_file(room, "ada", 1)
    for text in ("", "[]", "{}", '{"state": 1}', kept.read_text("utf-8")[:-20]):
        kept.write_text(text)
        assert rows() == before, "what is damaged is read again"


def test_an_autograded_notebook_that_is_damaged_is_a_row_that_says_so(room):
    path = room.autograded("=cy", 1)
    before = path.read_bytes()
    path.write_text("{ damaged")
    try:
        report(room, "--format", "canvas")
        assert next(line for line in rows(room.folder / "canvas-chapter1.csv") if line[3] == "'=cy")[5] == ""
        found = json.loads(report(room, "--json"))["students"]["=cy"]
        assert found["exercises"][0]["diagnosis"].endswith("run grader autograde --again --chapter 1 --student =cy")
    finally:
        path.write_bytes(before)


def test_what_a_killed_run_leaves_without_a_verdict_is_not_graded_yet(room):
    """nbgrader writes the notebook and some of its scores before the verdict is in it."""
    path = room.autograded("=cy", 1)
    before, half = path.read_bytes(), nbformat.read(path, as_version=4)
    for cell in half.cells:
        cell.metadata.pop("minigrad", None)
    nbformat.write(half, path)
    try:
        report(room, "--format", "canvas")
        assert next(line for line in rows(room.folder / "canvas-chapter1.csv") if line[3] == "'=cy")[5] == ""
        found = json.loads(report(room, "--json"))["students"]["=cy"]
        assert {exercise["state"] for exercise in found["exercises"]} == {"not graded yet"}
        assert found["exercises"][0]["diagnosis"].endswith("run grader autograde")
    finally:
        path.write_bytes(before)


def test_an_unknown_format_is_a_sentence(room):
    said = grader("report", "--classroom", room.folder, "--format", "excel", status=2)
    assert "--format takes canvas or moodle." in said


def test_the_most_common_misconceptions_are_bars_and_a_drawing_with_a_description(room):
    printed = report(room)
    assert "mul-own-value" in printed and "██ 2" in printed
    drawing = ElementTree.parse(room.folder / "misconceptions-chapter1.svg").getroot()
    title = drawing.find("{http://www.w3.org/2000/svg}title").text
    assert drawing.get("role") == "img" and "mul-own-value 2" in title and "of 3 students" in title
    assert json.loads(report(room, "--json"))["misconceptions"] == {"mul-own-value": 2}, "what follows is not counted"


def test_where_nobody_is_wrong_there_is_no_chart(tmp_path):
    path = tmp_path / "chart.svg"
    row = Row("ada", 1, "mul", 1, 2, "graded", "wrong")
    chart.write(path, [Common("mul-own-value", 1, "Your Mul …")], [row])
    assert path.is_file()
    chart.write(path, [], [row])
    assert not path.exists()


@pytest.mark.parametrize(
    "url, words",
    [
        ("gradebook", "cannot be reached"),
        ("sqlite://", "in memory"),
        ("nosuch://host/base", "cannot be reached"),
        ("mysql+nosuchdriver://host/base", "cannot be reached"),
    ],
)
def test_a_database_that_cannot_be_is_a_sentence(url, words):
    with pytest.raises(CourseError, match=words):
        database_url(url)


def test_a_relative_file_is_made_absolute_for_nbgrader_changes_folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert database_url("sqlite:///sub/g.db") == f"sqlite:///{tmp_path}/sub/g.db"


def test_a_due_date_that_is_no_time_is_a_sentence(room):
    with pytest.raises(CourseError, match="is no time: write it as"):
        set_due(room, 1, "soon")


def rows_of(student, *scores):
    return [
        Row(student, 1, f"exercise {i}", score, 2.0, "graded", f"Your thing number {i} is wrong. " * 5)
        for i, score in enumerate(scores)
    ]


def printed(rows, width, **options):
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(table(rows, width, **options))
    return console.export_text().splitlines()


@pytest.mark.parametrize("width", [80, 100, 119, 120, 200])
def test_a_student_is_one_line_at_any_width(width):
    rows = rows_of("ada", 2.0, 2.0) + rows_of("b" * 60, 0.0, 1.0) + rows_of("cy", 0.0, 0.0)
    lines = printed(rows, width)
    (ada, bo, cy) = [line for line in lines if "/4" in line]
    assert all(len(line) <= width for line in lines) and "graded: all right" in ada
    assert "2 things, first exercise 0: Your" in bo and "1/4" in bo and "0/4" in cy
    worst = [line for line in printed(rows, width, worst_first=True) if "/4" in line]
    assert worst == [cy, bo, ada]


def test_all_that_was_found_is_said_on_demand():
    text = "\n".join(printed(rows_of("ada", 0.0, 0.0), 80, long=True))
    assert "exercise 0: Your thing" in text and "exercise 1: Your thing" in text and "…" not in text


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "X;=1+1;",
        "a\t@b",
        "a|-b",
        ";;+1",
        "a\n=b",
        'x;"=HYPERLINK(A1);y',
        'x|"@SUM(A1)"',
        "x; =1",
        "＝1+1",
        ";＠A1",
    ],
)
def test_no_cell_of_any_table_is_a_formula(text):
    cells = re.split(r"[;\t|\n]", str(safe(text)))
    assert not [cell for cell in cells if cell.lstrip(' "').startswith(tuple("=+-@＝＠"))]
    assert str(safe(text)).replace("'", "") == text


def test_what_lateness_takes_off_has_a_column_and_every_line_as_many_cells():
    rows = [Row("ada", 1, "mul", 2.0, 2.0, "graded", "", 3600.0, 0.5), Row("bo", 1, "mul", 1.0, 2.0, "graded", "Half.")]
    shown = table(rows, 160)
    assert [column.header for column in shown.columns] == ["student", "score", "late", "mul", "state and diagnosis"]
    cells = [[str(cell) for cell in column.cells] for column in shown.columns]
    assert cells[1:4] == [["1.5/2", "1/2"], ["−0.5", ""], ["2", "1"]]
    assert "late" not in [column.header for column in table(rows[1:], 160).columns]
