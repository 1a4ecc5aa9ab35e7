"""What a run is doing can be seen while it runs."""

import shutil
import threading
from concurrent.futures import Future, ThreadPoolExecutor

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.classroom.classroom import Classroom
from grader.classroom.demo import solution_notebook
from grader.classroom.grading import Crew, autograde
from grader.classroom.watch import MOST, Watch
from grader.publish.course import notebook_name
from grader.run.judge import Verdict
from grader.run.verdicts import ran_into
from tests.grader.classroom.test_gradebook_writer import drawn


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def begun():
    future = Future()
    future.set_running_or_notify_cancel()
    return future


def test_who_is_judged_since_when_the_longest_first():
    clock = Clock()
    watch = Watch(5, clock=clock)
    watch.hand("ada", begun())
    watch.look()
    clock.now += 10
    watch.hand("bo", begun())
    watch.hand("cy", Future())  # waits for a worker
    watch.look()
    clock.now += 2
    assert watch.at_work() == {"ada": 12, "bo": 2} and watch.words() == "at work: ada 12 s, bo 2 s"
    watch.take("ada", True)
    watch.finish()
    assert watch.words() == "at work: bo 2 s; 1 endless"
    assert (watch.done, watch.endless) == (1, 1)


def test_rate_and_what_is_left():
    clock = Clock()
    watch = Watch(10, clock=clock)
    assert watch.left() is None
    clock.now += 8
    for _ in range(4):
        watch.finish()
    assert watch.rate() == 0.5 and watch.left() == 12
    assert watch.as_data() == {
        "done": 4,
        "of": 10,
        "a_second": 0.5,
        "seconds_left": 12,
        "endless": 0,
        "at_work": {},
    }


@given(st.lists(st.text(min_size=1), min_size=MOST + 1, unique=True))
def test_a_large_crew_is_not_listed_whole(names):
    watch = Watch(len(names))
    for name in names:
        watch.hand(name, begun())
    watch.look()
    assert len(watch.at_work()) == MOST


@pytest.mark.parametrize("happened, ran", [({}, False), ({3: "timeout"}, True), ({3: "died"}, False)])
def test_endless_is_what_ran_until_its_time_was_over(happened, ran):
    assert ("timeout" in ran_into(Verdict((), {}, {}, happened, {}).as_json())) is ran


def test_who_is_finished_is_told_while_others_are_judged(tmp_path, empty_gradebook):
    """The last one's work goes on until all others were told of: nbgrader's batches wait for nobody."""
    room = Classroom(tmp_path / "room", unsafe=True)
    room.make_folder()
    shutil.copy(empty_gradebook, room.folder)
    for student in ("ada", "bo", "cy"):
        path = room.submitted(student, 1) / notebook_name(1)
        path.parent.mkdir(parents=True)
        path.write_text(nbformat.writes(solution_notebook(1)))
    told, others, watch = [], threading.Event(), Watch(3)

    def slow(job):
        if job.student == "cy" and not others.wait(600):
            raise AssertionError("nobody was told of the others")
        return drawn(job)

    def tell(student, problem):
        told.append((student, problem, watch.done))
        if len(told) == 2:
            others.set()

    crew = Crew(lambda: ThreadPoolExecutor(2), 2, slow)
    assert autograde(room, 1, crew=crew, told=tell, watch=watch) == {}
    assert sorted(told[:2])[0][:2] == ("ada", "") and told[2] == ("cy", "", 2) and watch.done == 3


def test_a_run_tells_its_watch_of_every_submission(tmp_path, empty_gradebook):
    room = Classroom(tmp_path / "room", unsafe=True)
    room.make_folder()
    shutil.copy(empty_gradebook, room.folder)
    for student in ("ada", "bo"):
        path = room.submitted(student, 1) / notebook_name(1)
        path.parent.mkdir(parents=True)
        path.write_text(nbformat.writes(solution_notebook(1)))
    seen = []
    for _ in range(2):  # the second time, nothing is left to judge
        watch = Watch(2, lambda watch: seen.append(watch.done))
        autograde(room, 1, crew=Crew(lambda: ThreadPoolExecutor(1), 1, drawn), watch=watch)
        assert watch.done == 2 and not watch.at_work()
    assert seen[-1] == 2 and 1 in seen


def test_eight_workers_are_kept_at_work(tmp_path, empty_gradebook):
    """Each job waits for seven others: with one worker that is not handed its next job, none would end."""
    room = Classroom(tmp_path / "room", unsafe=True)
    room.make_folder()
    shutil.copy(empty_gradebook, room.folder)
    notebook = nbformat.writes(solution_notebook(1))
    for number in range(24):
        path = room.submitted(f"student{number}", 1) / notebook_name(1)
        path.parent.mkdir(parents=True)
        path.write_text(notebook)
    together = threading.Barrier(8)

    def meet(job):
        together.wait(600)
        return drawn(job)

    assert autograde(room, 1, crew=Crew(lambda: ThreadPoolExecutor(8), 8, meet)) == {}
