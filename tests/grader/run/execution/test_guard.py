"""What the guard takes for doing nothing, by clocks that stand still but for the test: no machine is too busy for it."""

import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import psutil
import pytest

from grader.run.execution import guard as module
from grader.run.execution.guard import PERIOD, Guard, idle
from grader.run.execution.limits import Limits


class Student:
    """A process whose clocks are told."""

    pid, parent, used, status_now = 1, 0, 0.0, psutil.STATUS_SLEEPING

    def ppid(self):
        return self.parent

    def cpu_times(self):
        return (self.used, 0.0, 0.0, 0.0)

    def status(self):
        return self.status_now


@pytest.fixture
def looks(tmp_path, monkeypatch):
    """A guard that looks when it is told to: after how long, what was used, what was waited for, and whether to run."""
    monkeypatch.setattr(module.threading, "Thread", lambda **_: SimpleNamespace(start=lambda: 0, join=lambda: 0))
    clock, waited, student = SimpleNamespace(now=100.0), {}, Student()
    process = subprocess.Popen(["true"], start_new_session=True)
    guard = Guard(process, tmp_path, Limits(), 1e12)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock.now))
    monkeypatch.setattr(module, "_waits", lambda family: dict(waited))
    guard._note([student])

    def look(passed, used=0.0, waits=(0.0,), ready=False, status=psutil.STATUS_SLEEPING, children=()):
        clock.now += passed
        student.used += used
        student.status_now = psutil.STATUS_RUNNING if ready else status
        for number, seconds in enumerate(waits):
            waited[str(number)] = waited.get(str(number), 0.0) + seconds
        guard._note([student, *children])
        return guard.idle

    yield look
    guard.stop()


@pytest.mark.parametrize("share", [0.0, 0.02, 0.1, 0.18, 0.5])
def test_a_little_work_excuses_no_sleep(looks, share):
    for _ in range(500):
        seen = looks(PERIOD, share * PERIOD)
    assert seen == pytest.approx(500 * PERIOD * (1 - share))


def test_what_the_machine_takes_is_not_idle(looks):
    assert looks(PERIOD, 0.01, [PERIOD - 0.01]) == 0  # it waited for its turn
    assert looks(50, 0.01, [50]) == 0  # the guard, too
    assert looks(50, 0.0, ready=True) == 0  # it still waits
    assert looks(PERIOD, PERIOD) == looks(PERIOD, 3 * PERIOD) == 0  # it worked, in several threads


def test_a_look_that_comes_late_counts_as_one_in_time(looks):
    """Who did a little since may have done it when the machine let it."""
    assert looks(50, 0.01) == pytest.approx(PERIOD - 0.01)


def test_many_threads_that_wait_for_each_other_are_no_pretext(looks):
    assert looks(PERIOD, 0.02, [0.01] * 100) == pytest.approx(PERIOD - 0.03)


def test_a_disk_may_keep_a_process_and_its_own_child_may_not(looks):
    child = Student()
    child.pid, child.parent = 2, 1
    assert looks(PERIOD, status=psutil.STATUS_DISK_SLEEP) == 0
    assert looks(PERIOD, status=psutil.STATUS_DISK_SLEEP, children=[child]) == pytest.approx(PERIOD)


def test_who_used_nothing_was_idle_however_late_the_look():
    assert idle(7, 0, 0) == 7


def test_linux_says_how_long_a_thread_waited():
    waits = module._waits([psutil.Process()])
    assert all(seconds >= 0 for seconds in waits.values())


@pytest.mark.skipif(sys.platform != "linux", reason="by Linux's lists of children")
def test_every_descendant_is_seen_of_any_thread():
    """By each thread's own list, they are those of the whole table of processes."""
    program = (
        "import subprocess, threading; start = lambda: subprocess.Popen(['sh', '-c', 'sleep 60 & exec sleep 60'])\n"
    )
    program += "thread = threading.Thread(target=lambda: (start(), threading.Event().wait()), daemon=True)\n"
    program += "thread.start(); start(); print('there', flush=True); threading.Event().wait()"
    with subprocess.Popen([sys.executable, "-c", program], stdout=-1, text=True, start_new_session=True) as head:
        try:
            head.stdout.readline()
            while len(module._seen(head.pid)) < 5:  # until the shells have begun theirs
                time.sleep(0.01)
            assert pids(module._seen(head.pid)) == pids(module._family(head.pid))
        finally:
            os.killpg(head.pid, signal.SIGKILL)


def pids(family):
    return sorted(one.pid for one in family)
