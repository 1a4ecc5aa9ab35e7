"""What the guard takes for doing nothing, by clocks that stand still but for the test: no machine is too busy for it."""

import mmap
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import psutil
import pytest

from grader.run.execution import guard as module
from grader.run.execution import kernel
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


def test_what_looks_like_a_disk_is_one_for_a_minute(looks):
    for _ in range(1000):
        seen = looks(PERIOD, status=psutil.STATUS_DISK_SLEEP)
    assert seen == pytest.approx(1000 * PERIOD - module.DISK_SECONDS, abs=1)


def test_who_cannot_be_looked_at_is_ended(looks, monkeypatch):
    guard = next(iter(module._watching))
    monkeypatch.setattr(guard, "_look", lambda: int("x"))
    assert guard._looked() == ("died", "The kernel was stopped: its processes cannot be looked at (ValueError).")
    monkeypatch.setattr(guard, "_look", lambda: os.stat("/nowhere"))  # the grader's trouble, perhaps
    assert guard._looked() is None


@pytest.mark.skipif(sys.platform != "linux", reason="by Linux's lists of mappings")
@pytest.mark.parametrize(
    "name", ["x\r(deleted)", "x\x85(deleted)", "x\n(deleted)", "\x1c 1 (deleted)", "\udcff(deleted)"]
)
def test_no_files_name_is_a_line_of_its_own(tmp_path, name):
    with open(tmp_path / name, "w+b") as file:
        file.write(b"x" * 4096)
        file.flush()
        with mmap.mmap(file.fileno(), 4096):
            before = module._nameless([psutil.Process()])
            os.remove(tmp_path / name)
            assert module._nameless([psutil.Process()]) >= before + 4096


@pytest.mark.skipif(sys.platform != "linux", reason="by Linux's lists of mappings")
def test_what_is_mapped_is_read_up_to_a_bound(monkeypatch):
    monkeypatch.setattr(module, "MAPS_BYTES", 1000)
    with pytest.raises(module.TooMuchToRead):
        module._nameless([psutil.Process()])


def watched(**guard):
    """A request's clock, by a guard of which only this is so, that was asked for 40 seconds."""
    seen = SimpleNamespace(**{"alive": True, "verdict": None, "looked_at": 0.0, "idle": 0.0, "used": 0.0} | guard)
    clock = kernel.Clock(seen, 1e9, 1e9)
    said = [clock._is_blind(clock._started + n / 10) for n in range(400)]
    return next((gone.state for gone in said if gone), None)


def test_a_request_ends_when_nobody_looks_any_more():
    assert watched() == "waited"
    assert watched(alive=False) == "died"
    assert watched(alive=False, verdict=("timeout", "It is known.")) == "waited"


def test_a_machine_that_is_too_busy_to_ask_is_no_blind_guard():
    guard = SimpleNamespace(alive=True, verdict=None, looked_at=0.0, idle=0.0)
    clock = kernel.Clock(guard, 1e9, 1e9)
    assert clock._is_blind(clock._started + 1000) is None


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
