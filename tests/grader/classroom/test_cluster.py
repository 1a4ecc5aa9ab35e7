"""Grading on a Dask cluster: the same gradebook as here, also when a worker is killed in the middle."""

import os
import shutil
import subprocess
import sys

import pytest

from grader.classroom.classroom import Classroom, grades
from grader.classroom.demo import write_samples
from grader.classroom.grading import autograde, local_crew
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
    room = Classroom(folder, UNSAFE)
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
    return points, {path.name: path.read_text("utf-8") for path in (room.folder / "verdicts").glob("*.json")}


@pytest.fixture(scope="module")
def here(tmp_path_factory, inbox, secret, empty_gradebook):
    room = classroom(tmp_path_factory.mktemp("here") / "room", inbox, empty_gradebook)
    assert autograde(room, 1, crew=local_crew(2)) == {}
    return outcome(room)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A scheduler's address, and two workers that see no file of the course."""
    folder = tmp_path_factory.mktemp("cluster")
    environment = {**os.environ, "PYTHONPATH": str(course_root()), "OMP_NUM_THREADS": "1"}
    environment.pop("MINIGRAD_SECRET", None)

    def start(*command):
        dask = [sys.executable, "-m", "dask", *map(str, command)]
        log = open(folder / f"{command[0]}.log", "a")  # noqa: SIM115
        return subprocess.Popen(dask, cwd=folder, env=environment, stdout=log, stderr=log)

    file = folder / "scheduler.json"
    processes = [start("scheduler", "--host", "127.0.0.1", "--port", 0, "--no-dashboard", "--scheduler-file", file)]
    options = ("--nthreads", 1, "--no-nanny", "--no-dashboard", "--scheduler-file", file)
    processes += [start("worker", *options) for _ in range(2)]
    try:
        with distributed.Client(scheduler_file=str(file), timeout="60s", set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
            yield client.scheduler.address, processes[1:]
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


@pytest.mark.timeout(120)  # it does not wait for ever
def test_no_scheduler_is_said_in_a_sentence():
    with pytest.raises(CourseError, match="no Dask scheduler at tcp://127.0.0.1:9"):
        cluster_crew("tcp://127.0.0.1:9", patience="1s")
