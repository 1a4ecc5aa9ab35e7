"""Grading a class: what is judged, what nbgrader is told, and what is left alone."""

import json
import os
import shutil
import signal
import subprocess
import sys
import weakref
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import nbformat
import pytest

from grader.classroom import edition
from grader.classroom.classroom import Classroom, grades, set_due
from grader.classroom.demo import notebook_of, samples
from grader.classroom.gradebook_writer import Writer
from grader.classroom.grading import Crew, Fault, autograde
from grader.classroom.ledger import Ledger
from grader.classroom.work import do
from grader.cli import killed_as_stopped
from grader.errors import CourseError
from grader.publish.course import notebook_name, read_secret, release_path
from grader.run import verdicts
from grader.run.execution import sandbox_problem

UNSAFE = bool(sandbox_problem())
SAMPLES = {sample.student: sample for sample in samples(1)}
STUDENTS = {"ada": "right-as-in-the-solution", "bo": "half-done", "cy": "empty-file"}
THREAD = Crew(lambda: ThreadPoolExecutor(1), 1)


def hand_in(room, student, sample):
    path = room.submitted(student, 1) / notebook_name(1)
    path.parent.mkdir(parents=True, exist_ok=True)
    sample = SAMPLES[sample]
    path.write_text(sample.text if sample.text is not None else nbformat.writes(notebook_of(sample, 1)), "utf-8")


class Nobody(Executor):
    """An executor that nothing is expected of."""

    def submit(self, fn, /, *args, **kwargs):
        raise AssertionError("there is nothing to judge")


NOBODY = Crew(Nobody, 1)


@pytest.fixture(scope="module")
def room(tmp_path_factory, empty_gradebook):
    """A class of three, graded."""
    room = Classroom(tmp_path_factory.mktemp("class"), UNSAFE)
    shutil.copy(empty_gradebook, room.folder)
    for student, sample in STUDENTS.items():
        hand_in(room, student, sample)
    assert autograde(room, 1, crew=THREAD) == {}
    return room


def totals(room):
    with room.gradebook() as gradebook:
        return {who: sum(counted for _, counted in cells.values()) for who, cells in grades(gradebook, 1).items()}


def told(room, monkeypatch, crew=NOBODY, **options):
    """Grade again; whose verdicts nbgrader was told of."""
    names, real = [], Writer.take
    with monkeypatch.context() as patch:
        patch.setattr(Writer, "take", lambda self, who, text: names.append(who) or real(self, who, text))
        assert autograde(room, 1, crew=crew, **options) == {}
    return names


def test_the_class_is_in_the_gradebook(room):
    assert totals(room) == {"ada": 16, "bo": 5, "cy": 0}


def test_an_unchanged_class_is_left_alone(room, monkeypatch):
    seen = []
    assert told(room, monkeypatch, told=lambda student, problem: seen.append(student)) == []
    assert seen == sorted(STUDENTS)


HEAVY = ("nbformat", "nbgrader", "sqlalchemy", "torch", "zmq", "minigrad")
REGRADE = f"""
import sys
from grader.__main__ import main
sys.argv = ["grader", "autograde", "--classroom", sys.argv[1], *{["--unsafe"] * UNSAFE}]
try:
    main()
finally:
    print("imported:", [name for name in {HEAVY} if name in sys.modules])
"""


def test_an_unchanged_class_takes_no_more_than_its_files(room):
    command = [sys.executable, "-c", REGRADE, str(room.folder)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert "3 submissions have a verdict" in said.stdout and "imported: []" in said.stdout, said


def test_again_tells_nbgrader_without_judging(room, monkeypatch):
    assert sorted(told(room, monkeypatch, again=True, students=["ada", "cy"])) == ["ada", "cy"]


def test_one_that_changed_is_judged_and_no_other(room, monkeypatch):
    hand_in(room, "bo", "raises-an-error")
    before = totals(room)["bo"]
    assert told(room, monkeypatch, THREAD) == ["bo"]
    assert totals(room)["bo"] != before
    hand_in(room, "bo", "half-done")
    assert told(room, monkeypatch) == ["bo"], "the verdict on it is kept"
    assert totals(room)["bo"] == before


def test_a_score_that_another_hand_changed_is_told_again(room, monkeypatch):
    with room.gradebook() as gradebook:
        gradebook.find_grade("mul-graded", "one-step", "chapter1", "cy").auto_score = 2.0
        gradebook.db.commit()
    assert totals(room)["cy"] == 2
    assert told(room, monkeypatch) == ["cy"]
    assert totals(room)["cy"] == 0


def test_a_manual_grade_counts_and_unsettles_nothing(room, monkeypatch):
    with room.gradebook() as gradebook:
        gradebook.find_grade("mul-graded", "one-step", "chapter1", "cy").manual_score = 1.5
        gradebook.db.commit()
    assert told(room, monkeypatch) == []
    assert totals(room)["cy"] == 1.5


def test_an_autograded_notebook_that_is_gone_is_made_again(room, monkeypatch):
    room.autograded("ada", 1).unlink()
    assert told(room, monkeypatch) == ["ada"]
    assert room.autograded("ada", 1).is_file()


def test_a_late_time_stamp_is_told(room, monkeypatch):
    (room.submitted("ada", 1) / "timestamp.txt").write_text("2026-11-21 03:00:00 UTC")
    assert told(room, monkeypatch) == ["ada"]
    with room.gradebook() as gradebook:
        assert gradebook.find_submission("chapter1", "ada").timestamp is not None


def fails(job):
    raise OSError("no space left")


def test_a_failed_regrade_leaves_no_old_score(room):
    hand_in(room, "ada", "right-with-a-stack")
    problems = autograde(room, 1, crew=Crew(lambda: ThreadPoolExecutor(1), 1, fails))
    assert (
        list(problems) == ["ada"]
        and isinstance(problems["ada"], Fault)
        and "the grader itself failed (OSError: no space left)" in problems["ada"]
    )
    assert totals(room)["ada"] == 0 and not room.autograded("ada", 1).exists()
    assert autograde(room, 1, crew=THREAD) == {}
    assert totals(room)["ada"] == 16


def test_what_nbgrader_could_not_be_told_of_is_told_and_not_judged_again(tmp_path, monkeypatch, empty_gradebook):
    room = Classroom(tmp_path, UNSAFE)
    shutil.copy(empty_gradebook, room.folder)
    hand_in(room, "ada", "right-with-a-stack")
    with monkeypatch.context() as patch:
        patch.setattr(Writer, "take", lambda self, who, text: self._told(who, "the disk is full"))
        assert autograde(room, 1, crew=THREAD) == {"ada": "the disk is full"}
    assert not room.autograded("ada", 1).exists()
    assert told(room, monkeypatch) == ["ada"] and totals(room) == {"ada": 16}


class Fragile(Executor):
    """Breaks with its first job, as a pool does whose worker was killed."""

    broken = 0

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        if Fragile.broken:
            future.set_result(fn(*args, **kwargs))
        else:
            Fragile.broken += 1
            future.set_exception(BrokenExecutor("a worker was killed"))
        return future


def test_a_job_that_was_lost_with_its_worker_is_done_again(room):
    hand_in(room, "ada", "raises-an-error")
    assert autograde(room, 1, crew=Crew(Fragile, 1)) == {}
    assert Fragile.broken == 1


class Starved(Executor):
    """Says of its first job that the cells had to wait, as on a machine that lets nobody run."""

    def __init__(self):
        self.texts, self.last = [], []

    def submit(self, fn, job, /):
        future = Future()
        done = fn(job)
        verdict = json.loads(done.verdict)
        self.last.append(job.last)
        if not self.texts:
            verdict["happened"] = {"3": "waited"}
        self.texts.append(json.dumps(verdict))
        future.set_result(replace(done, verdict=self.texts[-1]))
        return future


def test_who_had_to_wait_is_judged_once_more_before_it_costs_anything(room):
    hand_in(room, "ada", "right-with-odd-extras")
    crew = Starved()
    assert autograde(room, 1, crew=Crew(lambda: crew, 1)) == {}
    assert ["waited" in verdicts.ran_into(text) for text in crew.texts] == [True, False] and crew.last == [False, True]
    (kept,) = (one for path in room.folder.glob("verdicts/*.json") if (one := path.read_text()) in crew.texts)
    assert kept == crew.texts[1]


class Cancelled(Executor):
    """Takes jobs and cancels them, as Dask's client does that has lost its scheduler."""

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future


def test_a_scheduler_that_is_lost_ends_the_run_with_a_sentence(room):
    hand_in(room, "bo", "right-in-closures")
    with pytest.raises(CourseError, match="scheduler was lost: start it and run the same command again"):
        autograde(room, 1, crew=Crew(Cancelled, 1))
    hand_in(room, "bo", "half-done")


def test_a_file_that_cannot_be_read_is_its_students_matter(room, monkeypatch):
    before, real, shut = totals(room), Path.read_bytes, room.submitted("bo", 1) / notebook_name(1)

    def read_bytes(path):
        if path == shut:
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    autograde(room, 1, crew=THREAD)
    assert totals(room)["ada"] == before["ada"]


@pytest.fixture
def heard():
    """Python's own way with Ctrl-C, which whoever starts the tests in the background takes away."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_ctrl_c_and_kill_wait_until_a_job_is_handed_on(name):
    class Interrupted(Nobody):
        def submit(self, fn, /, *args, **kwargs):
            os.kill(os.getpid(), getattr(signal, name))
            handed_on.append(Future())
            return handed_on[0]

    handed_on = []
    with pytest.raises(KeyboardInterrupt), killed_as_stopped():
        Crew(Interrupted, 1).submit(None)
    assert len(handed_on) == 1 and signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.usefixtures("heard")
def test_ctrl_c_is_heard_also_where_python_calls_back_and_lets_no_exception_out(room):
    class Thing:
        pass

    def told(student, problem):
        thing = Thing()
        weak.append(weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT)))

    weak = []
    hand_in(room, "ada", "half-done")
    hand_in(room, "bo", "right-with-a-stack")
    with pytest.raises(KeyboardInterrupt):
        autograde(room, 1, crew=THREAD, told=told, again=True)
    assert weak and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def other_version(job):
    return do(type(job)(**{**vars(job), "grader": "another"}))


def test_what_all_jobs_share_ends_the_run_with_a_sentence(room):
    hand_in(room, "ada", "right-in-closures")
    hand_in(room, "bo", "raises-an-error")
    with pytest.raises(CourseError, match="another version of the grader"):
        autograde(room, 1, crew=Crew(lambda: ThreadPoolExecutor(1), 1, other_version), again=True)


def test_no_part_of_a_verdict_is_left_behind(room):
    assert not [name for name in os.listdir(room.folder / "verdicts") if name.endswith(".part")]


@pytest.mark.skipif(UNSAFE, reason="no sandbox")
def test_nothing_is_left_in_the_folder_for_temporary_files(tmp_path_factory, empty_gradebook):
    """A pool's workers end without what Python does at a process's end."""
    room, folder = Classroom(tmp_path_factory.mktemp("one")), tmp_path_factory.mktemp("t")
    shutil.copy(empty_gradebook, room.folder)
    hand_in(room, "ada", "right-as-in-the-solution")
    command = [sys.executable, "-m", "grader", "autograde", "--workers", "2", "--classroom", str(room.folder)]
    subprocess.run(command, env={**os.environ, "TMPDIR": str(folder)}, check=True, capture_output=True)
    assert totals(room) == {"ada": 16}
    left = list(folder.iterdir())
    assert left == []


def test_a_submission_without_a_notebook_is_no_warning_of_a_librarys(room, recwarn):
    room.submitted("dee", 1).mkdir(parents=True)
    assert list(autograde(room, 1, ["dee"], NOBODY)) == ["dee"]
    assert [str(warning.message) for warning in recwarn] == []


def test_a_second_run_waits_for_no_half_written_file(room):
    hand_in(room, "ada", "right-as-in-the-solution")
    before = totals(room)
    with room.alone(), pytest.raises(CourseError, match="is being graded by another run"):
        autograde(room, 1, crew=NOBODY, again=True)
    assert totals(room) == before


def test_another_secret_unsettles_everybody_and_another_release_after_an_upgrade(room, monkeypatch, tmp_path):
    autograde(room, 1, ["bo"], THREAD)
    secret = read_secret(room.folder)
    assert Ledger(room, 1, secret).settled("bo") and not Ledger(room, 1, secret + b"!").settled("bo")
    other = tmp_path / "release.ipynb"
    other.write_bytes(release_path(1).read_bytes() + b"\n")
    monkeypatch.setattr("grader.classroom.edition.release_path", lambda chapter: other)
    assert Ledger(room, 1, secret).settled("bo"), "a class that has begun stays as it was released"
    edition.upgrade(room)
    assert not Ledger(room, 1, secret).settled("bo")


def test_a_verdict_is_kept_for_one_secret_one_student_and_one_setting():
    asked = [(1, "ada", b"one", True), (1, "ada", b"two", True), (1, "bo", b"one", True), (1, "ada", b"one", False)]
    assert len({verdicts.key("digest", *about) for about in asked}) == 4


def test_another_setting_unsettles_everybody(room):
    autograde(room, 1, ["bo"], THREAD)
    secret, settings = read_secret(room.folder), room.folder / "course.toml"
    assert Ledger(room, 1, secret).settled("bo")
    settings.write_text("follow_through = false\n")
    assert not Ledger(room, 1, secret).settled("bo")
    settings.unlink()
    assert Ledger(room, 1, secret).settled("bo")


def test_a_deadline_that_moves_unsettles_those_whose_it_is(room, monkeypatch):
    for student in STUDENTS:
        hand_in(room, student, STUDENTS[student])
        (room.submitted(student, 1) / "timestamp.txt").write_text("2026-11-20 03:00:00 UTC")
    told(room, monkeypatch, crew=THREAD, students=[*STUDENTS])

    def lateness():
        with room.gradebook() as gradebook:
            return {who: gradebook.find_submission("chapter1", who).total_seconds_late for who in STUDENTS}

    set_due(room, 1, "2026-11-19 12:00:00 UTC")
    assert sorted(told(room, monkeypatch, students=[*STUDENTS])) == ["ada", "bo", "cy"]
    assert all(lateness().values())
    with room.gradebook() as gradebook:
        gradebook.find_submission("chapter1", "ada").extension = timedelta(days=2)
        gradebook.db.commit()
    assert told(room, monkeypatch, students=[*STUDENTS]) == ["ada"], "an extension is one student's"
    set_due(room, 1, "2026-11-30 12:00:00 UTC")
    assert (
        sorted(told(room, monkeypatch, students=[*STUDENTS])) == ["ada", "bo", "cy"]
        and told(room, monkeypatch, students=[*STUDENTS]) == []
    )
    assert lateness() == dict.fromkeys(STUDENTS, 0.0)


def test_workers_that_stay_are_made_once_and_end_with_the_block():
    made = []

    def make():
        made.append(ThreadPoolExecutor(1))
        return made[-1]

    crew = Crew(make, 1, lambda job: job)
    with crew.staying():
        for job in ("one", "two"):
            assert crew.submit(job).result() == job
            crew.dismiss()
    assert len(made) == 1
    with pytest.raises(RuntimeError, match="after shutdown"):
        made[0].submit(print)
