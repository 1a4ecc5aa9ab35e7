"""`kill -9` at any moment, run again: nothing is lost, nothing graded twice, and the result is the same, bit for bit."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import psutil
import pytest

from grader.classroom.classroom import Classroom, grades
from grader.classroom.demo import write_samples
from grader.publish.course import notebook_name
from grader.run.execution import sandbox_problem

pytestmark = pytest.mark.timeout(900)
UNSAFE = ["--unsafe"] if sandbox_problem() else []
STUDENTS = ("right-as-in-the-solution", "right-with-a-stack", "half-done", "wrong-mul-own-value", "wrong-sub-plus")


@pytest.fixture(scope="module")
def inbox(tmp_path_factory):
    inbox = tmp_path_factory.mktemp("inbox")
    write_samples(inbox, 1)
    return inbox


def classroom(folder, inbox, gradebook):
    room = Classroom(folder)
    folder.mkdir()
    shutil.copy(gradebook, folder)
    for number, student in enumerate(STUDENTS * 2):
        path = room.submitted(f"{number}-{student}", 1) / notebook_name(1)
        path.parent.mkdir(parents=True)
        path.write_bytes((inbox / student / notebook_name(1)).read_bytes())
    return room


def start(room, *options):
    command = [sys.executable, "-m", "grader", "autograde", "--workers", "2", "--classroom", str(room.folder)]
    environment = {**os.environ, "MINIGRAD_SECRET": "the same in both classes"}
    return subprocess.Popen(
        [*command, *UNSAFE, *options], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def kept(room):
    return {path: path.stat().st_mtime_ns for path in (room.folder / "verdicts").glob("*.json")}


def outcome(room):
    with room.gradebook() as gradebook:
        points = grades(gradebook, 1)
    return points, {path.name: path.read_bytes() for path in kept(room)}


def when(room, verdicts, process):
    """Wait until so many verdicts are kept."""
    while len(kept(room)) < verdicts and process.poll() is None:
        time.sleep(0.02)


def test_killed_in_the_middle(grader, tmp_path, inbox, empty_gradebook):
    whole, broken = (classroom(tmp_path / name, inbox, empty_gradebook) for name in ("whole", "broken"))
    output = start(whole).communicate(timeout=600)[0]
    assert "10 submissions have a verdict" in output
    first = start(broken)
    when(broken, 3, first)
    family = psutil.Process(first.pid).children(recursive=True)
    first.kill()
    first.communicate()
    seen = kept(broken)
    assert 3 <= len(seen) < 10
    assert not psutil.wait_procs(family, timeout=10)[1], "its workers and their sandboxes end with it"
    assert start(broken).communicate(timeout=600)[0] == output.replace("whole", "broken")
    assert {path: kept(broken)[path] for path in seen} == seen, "nothing is graded twice"
    assert outcome(broken) == outcome(whole)

    second = start(broken)
    second.communicate(timeout=600)
    assert outcome(broken) == outcome(whole)

    report = grader("report", "--json", "--classroom", broken.folder)
    assert report.returncode == 0, report.stderr
    data = json.loads(report.stdout)
    assert len(data["students"]) == 10 and data["misconceptions"]["mul-own-value"] == 2
    assert data["students"]["0-right-as-in-the-solution"]["score"] == 16


def test_interrupted_by_hand(tmp_path, inbox, empty_gradebook):
    room = classroom(tmp_path / "room", inbox, empty_gradebook)
    endless = room.submitted("9-wrong-sub-plus", 1) / notebook_name(1)  # so that the run does not end by itself
    endless.write_text(endless.read_text("utf-8").replace("return x - y", "while True: pass"), "utf-8")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # where pytest ignores it, its children would
    process = start(room)
    signal.signal(signal.SIGINT, before)
    when(room, 2, process)
    process.send_signal(signal.SIGINT)
    output = process.communicate(timeout=120)[0]
    assert process.returncode == 130
    assert "run the same command again" in output and "Traceback" not in output
