"""Grading on a Dask cluster: the same gradebook as here, also when a worker is killed in the middle."""

import contextlib
import os
import re
import shutil
import subprocess
import sys

import pytest

from grader.classroom.classroom import Classroom, grades
from grader.classroom.demo import write_samples
from grader.classroom.grading import autograde, local_crew
from grader.classroom.watch import Watch
from grader.errors import CourseError
from grader.publish.course import course_root, notebook_name
from grader.run.execution import sandbox_problem

distributed = pytest.importorskip("distributed")
from grader.classroom.cluster import cluster_crew  # noqa: E402

pytestmark = pytest.mark.timeout(600)
UNSAFE = bool(sandbox_problem())
STUDENTS = (
    *("right-as-in-the-solution", "right-with-a-stack", "right-in-closures", "half-done", "corrupt-file"),
    *("exits", "wrong-mul-own-value", "wrong-sub-plus", "raises-an-error", "right-but-noisy"),
)


@pytest.fixture(scope="module")
def inbox(tmp_path_factory):
    inbox = tmp_path_factory.mktemp("inbox")
    write_samples(inbox, 1)
    return inbox


@pytest.fixture(scope="module")
def secret():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINIGRAD_SECRET", "the same in both classes")
        yield


def classroom(folder, inbox, gradebook):
    room = Classroom(folder, unsafe=UNSAFE)
    folder.mkdir()
    shutil.copy(gradebook, folder)
    for student in STUDENTS:
        path = room.submitted(student, 1) / notebook_name(1)
        path.parent.mkdir(parents=True)
        path.write_bytes((inbox / student / notebook_name(1)).read_bytes())
    return room


def outcome(room):
    """The gradebook, and every verdict."""
    with room.gradebook() as gradebook:
        points = grades(gradebook, 1)
    verdicts = {path.name: path.read_text("utf-8") for path in (room.folder / "verdicts").glob("*.json")}
    return points, {name: re.sub(r"[^ \"]*/ipykernel_\d+/", "", text) for name, text in verdicts.items()}


@pytest.fixture(scope="module")
def here(tmp_path_factory, inbox, secret, empty_gradebook):
    room = classroom(tmp_path_factory.mktemp("here") / "room", inbox, empty_gradebook)
    assert autograde(room, 1, crew=local_crew(2, UNSAFE)) == {}
    return outcome(room)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with dask(tmp_path_factory.mktemp("cluster")) as (address, processes):
        yield address, processes[1:]


@contextlib.contextmanager
def dask(folder, workers=2):
    """A scheduler's address, and its process and those of its workers, which see no file of the course."""
    environment = {**os.environ, "PYTHONPATH": str(course_root()), "OMP_NUM_THREADS": "1"}
    environment.pop("MINIGRAD_SECRET", None)

    def start(*command):
        program = [sys.executable, "-m", "dask", *map(str, command)]
        log = open(folder / f"{command[0]}.log", "a")  # noqa: SIM115
        return subprocess.Popen(program, cwd=folder, env=environment, stdout=log, stderr=log)

    file = folder / "scheduler.json"
    processes = [start("scheduler", "--host", "127.0.0.1", "--port", 0, "--no-dashboard", "--scheduler-file", file)]
    options = ("--nthreads", 1, "--no-nanny", "--no-dashboard", "--scheduler-file", file)
    processes += [start("worker", *options) for _ in range(workers)]
    try:
        with distributed.Client(scheduler_file=str(file), timeout="60s", set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=60)
            address = client.scheduler.address
        yield address, processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_a_cluster_that_loses_a_worker_gives_the_same_gradebook(tmp_path, inbox, empty_gradebook, here, cluster):
    address, workers = cluster
    room = classroom(tmp_path / "room", inbox, empty_gradebook)
    told = []

    def tell(student, problem):
        told.append(student)
        if len(told) == 3:
            workers[0].kill()

    assert autograde(room, 1, crew=cluster_crew(address), told=tell) == {}
    assert workers[0].wait(10) != 0 and workers[1].poll() is None
    assert outcome(room) == here
    assert sorted(told) == room.students(1)


def test_a_run_that_loses_its_scheduler_goes_on_when_it_is_started_again(tmp_path, inbox, empty_gradebook, here):
    room = classroom(tmp_path / "room", inbox, empty_gradebook)

    def kept():
        return {path.name: path.stat().st_mtime_ns for path in (room.folder / "verdicts").glob("*.json")}

    (tmp_path / "first").mkdir()
    with dask(tmp_path / "first", workers=1) as (address, processes):

        class Loses(Watch):  # with the first verdict, while the last job is still to be handed out
            def take(self, student, endless):
                super().take(student, endless)
                if student != "corrupt-file":  # on which none is kept
                    processes[0].kill()

        with pytest.raises(CourseError, match="scheduler was lost: start it and run the same command again"):
            autograde(room, 1, crew=cluster_crew(address), watch=Loses())
    seen = kept()
    assert 0 < len(seen) < len(STUDENTS)
    (tmp_path / "second").mkdir()
    with dask(tmp_path / "second", workers=1) as (address, _):
        assert autograde(room, 1, crew=cluster_crew(address)) == {}
    assert seen.items() <= kept().items(), "nothing is judged twice"
    assert outcome(room) == here


@pytest.mark.timeout(120)  # it does not wait for ever
def test_no_scheduler_is_said_in_a_sentence():
    with pytest.raises(CourseError, match="no Dask scheduler at tcp://127.0.0.1:9"):
        cluster_crew("tcp://127.0.0.1:9", patience="1s")
