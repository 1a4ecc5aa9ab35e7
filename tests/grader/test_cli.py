"""The command line: helpful when asked, and one clear sentence when something is not as it should be."""

import io
import json
import shutil
import signal
import subprocess
import sys

import nbformat
import pytest
from rich.console import Console

from grader import cli
from grader.chapters import exercises
from grader.classroom.autograded import write_into
from grader.classroom.classroom import Classroom
from grader.classroom.grading import Fault
from grader.cli import app, doing
from grader.publish.course import course_root, release_notebook
from grader.run.judge import Verdict
from grader.verdict.assess import Result

COMMANDS = sorted(command.callback.__name__ for command in app.registered_commands)


def process(*arguments, **options):
    """Run a command in a process of its own, as an instructor does."""
    return subprocess.run([sys.executable, "-m", "grader", *arguments], capture_output=True, text=True, **options)


def test_the_commands_are_there():
    assert {"release", "collect", "autograde", "feedback", "report", "demo", "notebooks"} <= set(COMMANDS)


def test_there_is_help():
    run = process("--help")
    assert run.returncode == 0 and "Usage" in run.stdout and all(name in run.stdout for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(grader, command):
    run = grader(command, "--help")
    assert run.returncode == 0 and "Usage" in run.stdout


def sentence(run):
    """The one sentence that a failing command prints."""
    assert run.returncode == 2, run.stdout + run.stderr
    assert "Traceback" not in run.stdout + run.stderr
    lines = [line for line in run.stderr.splitlines() if line.startswith("grader: ")]
    assert len(lines) == 1 and lines[0].endswith(".")
    return lines[0]


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["autograde", "--classroom", "{tmp}/nowhere"], "is not a folder"),
        (["autograde", "--classroom", "{tmp}"], "There are no submissions of chapter1"),
        (["autograde", "--classroom", "{tmp}", "--chapter", "77"], "no chapter 77"),
        (["autograde", "--classroom", "{tmp}", "--student", "ada"], "no submission of chapter1 by ada"),
        (["feedback", "--classroom", "{tmp}/nowhere"], "is not a folder"),
        (["feedback", "--classroom", "{tmp}"], "no submissions"),
        (["feedback", "--classroom", "{tmp}", "--chapter", "77"], "no chapter 77"),
        (["report", "--classroom", "{tmp}/nowhere"], "is not a folder"),
        (["report", "--classroom", "{tmp}"], "no gradebook yet at {tmp}/gradebook.db"),
        (["report", "--classroom", "{tmp}", "--db", "sqlite:///{tmp}/none.db"], "no gradebook yet at {tmp}/none.db"),
        (["release", "--classroom", "{tmp}", "--chapter", "77"], "no chapter 77"),
        (["collect", "{tmp}/nowhere", "--classroom", "{tmp}"], "is not a folder"),
        (["collect", "{tmp}", "--classroom", "{tmp}"], "nothing to collect"),
        (["collect", "notebooks", "--classroom", "{tmp}"], "belongs to the course or to a class"),
        (["feedback", "--classroom", "{tmp}", "--student", "ada"], "no submission of chapter 1 by ada"),
        (["demo", "--classroom", "{tmp}", "--chapter", "77"], "no chapter 77"),
        (["book", "--site", "{tmp}"], "holds no site"),
    ],
)
def test_what_is_foreseeable_ends_with_one_sentence(grader, tmp_path, arguments, words):
    run = grader(*(argument.format(tmp=tmp_path) for argument in arguments))
    assert words.format(tmp=tmp_path) in sentence(run)


@pytest.mark.parametrize("problem, status", [(Fault("its worker process ended"), 1), ("it is missing", 0)])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_what_is_not_the_submissions_fault_is_no_success(grader, tmp_path, monkeypatch, problem, status, form):
    monkeypatch.setattr("grader.classroom.grading.autograde", lambda *_: {"ada": problem})
    run = grader("autograde", "--classroom", tmp_path, "--unsafe", *form)
    assert run.returncode == status and str(problem) in run.stdout


def test_feedback_that_fails_is_no_success(grader, tmp_path, monkeypatch):
    room = Classroom(tmp_path)
    for path in (room.submitted("ada", 1) / "one-step.ipynb", room.autograded("ada", 1), tmp_path / "gradebook.db"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    monkeypatch.setattr(Classroom, "generate_feedback", lambda *_, **__: "nbgrader failed")
    run = grader("feedback", "--classroom", tmp_path)
    assert run.returncode == 1 and "ada: no feedback page: nbgrader failed." in run.stdout


@pytest.mark.parametrize("command", ["autograde", "report"])
def test_ctrl_c_is_a_sentence(grader, tmp_path, monkeypatch, command):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("grader.classroom.grading.autograde", interrupted)
    monkeypatch.setattr(Classroom, "has_gradebook", interrupted)
    run = grader(command, "--classroom", tmp_path)
    assert run.returncode == 130 and not run.stdout
    assert run.stderr == "grader: Stopped; what was finished is kept: run the same command again to go on.\n"


def test_a_name_is_printed_as_it_is(capsys):
    cli.say("[b]:smile:[/b]")
    assert capsys.readouterr().out == "[b]:smile:[/b]\n"


def test_feedback_makes_no_gradebook_and_a_report_on_an_empty_one_grades_nobody(grader, tmp_path, empty_gradebook):
    """The autograded notebook is there, and the gradebook was lost."""
    room = Classroom(tmp_path)
    for path in (room.submitted("ada", 1) / "one-step.ipynb", room.autograded("ada", 1)):
        path.parent.mkdir(parents=True)
        nb = release_notebook(1)
        results = [Result(e.name, e.max_score, e.max_score, "graded", {}) for e in exercises(1)]
        nbformat.write(write_into(nb, Verdict(tuple(results)), exercises(1)), path)
    assert "no gradebook yet" in sentence(grader("feedback", "--classroom", tmp_path))
    assert not room.has_gradebook()
    shutil.copy(empty_gradebook, tmp_path)
    printed = grader("report", "--classroom", tmp_path).stdout
    assert "not graded yet: the gradebook has no grade: run grader autograde" in printed
    assert "1 student: 0 graded" in printed


def test_a_class_that_cannot_be_written_is_a_sentence(grader, tmp_path):
    (tmp_path / "class").write_text("a file, no folder")
    assert "grader doctor" in sentence(grader("release", "--classroom", tmp_path / "class"))


def test_outside_the_course_the_sentence_says_what_is_missing(tmp_path):
    run = process("notebooks", cwd=tmp_path)
    assert "nbgrader_config.py" in sentence(run)


def test_an_unfinished_submission_folder_is_reported_not_fatal(grader, tmp_path):
    """A student's folder without the chapter's notebook: a row that says so, and the class goes on."""
    inbox = tmp_path / "inbox"
    (inbox / "ada").mkdir(parents=True)
    (inbox / "ada" / "notes.txt").write_text("I will hand it in tomorrow.")
    (inbox / "bo").mkdir()
    (inbox / "bo" / "one-step.ipynb").write_text("{}")
    room = tmp_path / "class"
    run = grader("collect", inbox, "--classroom", room)
    assert "ada: one-step.ipynb is missing (found: no notebook, but notes.txt); it is not graded." in run.stdout
    run = grader("autograde", "--student", "ada", "--student", "ada", "--classroom", room, "--unsafe")
    assert run.returncode == 0 and "ada: one-step.ipynb is missing" in run.stdout, run.stdout + run.stderr
    assert "0 submissions have a verdict" in run.stdout
    told = json.loads(grader("autograde", "--json", "--student", "ada", "--classroom", room, "--unsafe").stdout)
    missing = "one-step.ipynb is missing from the submission"
    assert told == {"chapter": 1, "graded": [], "problems": {"ada": missing}, "changes": [], "by_hand": []}
    run = grader("report", "--classroom", room)
    assert run.returncode == 0 and "one-step.ipynb is missing from the submission" in run.stdout
    assert (room / "grades.csv").read_text().count("one-step.ipynb is missing") == 6


def test_more_time_is_given_in_a_sentence(grader, tmp_path):
    until = ["--until", "2026-12-02 18:00 UTC", "--classroom", tmp_path]
    run = grader("extend", "ada", "--chapter", 1, *until)
    assert run.returncode == 0 and "ada has until 2026-12-02 18:00 UTC for chapter 1" in run.stdout
    assert "Nobody called ada has handed in anything yet" in run.stdout
    assert "ada = 2026-12-02T18:00:00Z" in (tmp_path / "course.toml").read_text()
    (tmp_path / "submitted" / "Emmy Noether").mkdir(parents=True)
    before = (tmp_path / "course.toml").read_text()
    assert "Nothing is known of Emmi Nother in" in sentence(grader("extend", "Emmi Nother", *until))
    assert (tmp_path / "course.toml").read_text() == before
    assert "Nobody called bo has" in grader("extend", "bo", "--new", *until).stdout
    assert "bo = 2026-12-02T18:00:00Z" in (tmp_path / "course.toml").read_text()
    assert "Noether, Emmy is Emmy Noether in this class" in grader("extend", "Noether, Emmy", *until).stdout
    (tmp_path / "course.toml").write_text("[due]\nchapter1 = 2026-11-30T18:00:00Z\n")
    run = grader("release", "--chapter", 1, "--due", "2026-12-01 18:00 UTC", "--classroom", tmp_path)
    assert "course.toml says when chapter 1 is due: change it there." in sentence(run)


def test_collect_fails_where_somebody_has_to_do_something(grader, tmp_path):
    release = course_root() / "notebooks" / "chapter1" / "one-step.ipynb"
    for student in "ada", "[x] bracket":
        (tmp_path / "inbox" / student).mkdir(parents=True)
        shutil.copy(release, tmp_path / "inbox" / student)
    run = grader("collect", tmp_path / "inbox", "--classroom", tmp_path / "class")
    assert (
        run.returncode == 1 and "it is not collected" in run.stdout and "1 submission of chapter 1 is in" in run.stdout
    )


def test_a_submission_that_came_again_is_not_shown_with_its_old_verdict(grader, tmp_path, empty_gradebook):
    inbox, room = tmp_path / "inbox", tmp_path / "class"
    room.mkdir()
    shutil.copy(empty_gradebook, room)
    (inbox / "ada").mkdir(parents=True)
    release = (course_root() / "notebooks" / "chapter1" / "one-step.ipynb").read_bytes()
    (inbox / "ada" / "one-step.ipynb").write_bytes(release)
    grader("collect", inbox, "--classroom", room)
    assert grader("autograde", "--classroom", room, "--unsafe").returncode == 0
    grader("collect", inbox, "--classroom", room)
    assert "again after it was graded" not in grader("report", "--classroom", room).stdout
    (inbox / "ada" / "one-step.ipynb").write_bytes(release + b"\n")
    grader("collect", inbox, "--classroom", room)
    assert "again after it was graded" in grader("report", "--classroom", room).stdout
    assert "ada: handed in again; the page is about what was graded before" in (
        grader("feedback", "--classroom", room).stdout
    )


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_kill_is_a_sentence_and_reaches_the_workers(grader, tmp_path, monkeypatch, name):
    number = getattr(signal, name)
    heeded = signal.signal(number, signal.SIG_DFL)  # under nohup, another
    ctrl_c = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets its background programs ignore it
    worker = subprocess.Popen(["sleep", "60"])
    monkeypatch.setattr("multiprocessing.active_children", lambda: [worker])
    monkeypatch.setattr(Classroom, "has_gradebook", lambda _: signal.raise_signal(number))
    run = grader("report", "--classroom", tmp_path)
    signal.signal(signal.SIGINT, ctrl_c)
    assert run.returncode == 130 and run.stderr.endswith("run the same command again to go on.\n")
    assert worker.wait(10) != 0
    assert signal.signal(number, heeded) is signal.SIG_DFL


def test_a_run_can_be_watched_by_a_program_a_line_at_a_time(grader, tmp_path, monkeypatch):
    room = Classroom(tmp_path)
    for student in ("ada", "b\x9bo"):
        room.submitted(student, 1).mkdir(parents=True)

    def run(room, chapter, students, crew, told, again, changed, watch, held):
        for student in room.students(chapter):
            told(student, "" if student == "ada" else "no notebook")
            watch.finish()
        return {"b\x9bo": "no notebook"}

    monkeypatch.setattr("grader.classroom.grading.autograde", run)
    printed = grader("autograde", "--json-lines", "--classroom", tmp_path, "--unsafe").stdout
    first, state, second, end = map(json.loads, printed.splitlines())
    assert first == {"event": "submission", "chapter": 1, "student": "ada", "problem": ""}
    assert state["event"] == "run" and (state["done"], state["of"]) == (1, 2) and "at_work" in state
    assert second["problem"] == "no notebook" and end["event"] == "end" and end["graded"] == ["ada"]
    assert printed.isascii(), "nothing commands a terminal"


def test_all_chapters_that_somebody_has_handed_in_are_graded_by_one_crew(grader, tmp_path, monkeypatch):
    room, runs = Classroom(tmp_path), []
    for student, chapter in (("ada", 0), ("ada", 3), ("bo", 3)):
        room.submitted(student, chapter).mkdir(parents=True)

    def run(room, chapter, students, crew, told, again, changed, watch, held):
        runs.append((chapter, students, crew, crew._staying))
        changed("ada: 1, now 2")
        held("ada: add has 1 point by hand; the grader would now give 2")
        return {}

    monkeypatch.setattr("grader.classroom.grading.autograde", run)
    done = grader("autograde", "--all", "--json", "--classroom", tmp_path, "--unsafe")
    by_hand = "ada: add has 1 point by hand; the grader would now give 2"
    rest = {"problems": {}, "changes": ["ada: 1, now 2"], "by_hand": [by_hand]}
    assert json.loads(done.stdout) == [
        {"chapter": 0, "graded": ["ada"], **rest},
        {"chapter": 3, "graded": ["ada", "bo"], **rest},
    ]
    assert [one[:2] for one in runs] == [(0, ["ada"]), (3, ["ada", "bo"])]
    assert len({id(one[2]) for one in runs}) == 1 and all(one[3] for one in runs)
    printed = grader("autograde", "--all", "--classroom", tmp_path, "--unsafe").stdout
    assert "2 submissions of chapter 3 have a verdict" in printed and f"{by_hand}.\n" in printed
    assert "There are no submissions in" in sentence(
        grader("autograde", "--all", "--student", "cy", "--classroom", tmp_path)
    )


def test_what_is_being_done_is_shown_in_a_terminal_alone(capsys):
    with doing("counting") as tell:
        tell("three", 0.5)
    assert capsys.readouterr() == ("", "")


def test_a_terminal_shows_which_part_is_being_done_and_how_much_is_left(monkeypatch):
    shown = io.StringIO()
    monkeypatch.setattr(cli, "errors", Console(file=shown, force_terminal=True, width=80, color_system=None))
    with doing("counting") as tell:
        assert "counting …" in shown.getvalue()
        tell("three", 0.5)
    *_, last = [line for line in shown.getvalue().splitlines() if "counting: three" in line]
    assert 0 < last.count("━") < 20  # a half of it is drawn
