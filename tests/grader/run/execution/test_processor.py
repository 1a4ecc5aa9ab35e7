"""What a kernel's processes have used of the processor: by clocks that the test tells, looked at five times a second."""

import os
import random
import signal
import subprocess
import sys

import psutil
import pytest

from grader.run.execution import processor as module
from grader.run.execution.processor import Clock, Processor, clocks

PERIOD = 0.2
RUNS, SLEEPS = psutil.STATUS_RUNNING, psutil.STATUS_SLEEPING


class Child:
    """A process of which only this is asked."""

    pid, living = 1, False

    def is_running(self):
        return self.living


@pytest.fixture
def processor(monkeypatch):
    monkeypatch.setattr(module, "_share", lambda pid: 1.0)
    return Processor(PERIOD)


@pytest.mark.parametrize("life", [0.001, 0.01, 0.15, 0.5, 3.0])
@pytest.mark.parametrize("told", [True, False])
def test_children_count_however_short_they_live_and_whoever_waits_for_them(processor, life, told):
    """One after another, for 60 seconds."""
    head, chance, now, end, child, ended = Child(), random.Random(0), 0.0, 0.0, None, 0.0
    while now < 60:
        while end <= now:
            ended, child, end = ended + (life if child else 0), Child(), end + life
        found = {head: Clock(0.0, ended if told else 0.0, SLEEPS), child: Clock(now - (end - life), 0.0, RUNS)}
        processor.look(found)
        now += chance.uniform(0.9, 1.1) * PERIOD
    assert 45 < processor.used < 66


def test_children_that_were_waited_for_count_once(processor):
    head = Child()
    for told in range(10):
        processor.look({head: Clock(1.0, 2.0 * told, SLEEPS), Child(): Clock(2.0, 0.0, SLEEPS)})
    assert processor.used == pytest.approx(1 + 9 * 2 + 2)


def test_who_is_missed_in_one_look_has_not_ended(processor):
    child = Child()
    child.living = True
    processor.look({child: Clock(50.0, 0.0, SLEEPS)})
    processor.look({})
    processor.look({child: Clock(51.0, 0.0, SLEEPS)})
    assert processor.used == 51


def test_what_was_only_waited_for_is_not_counted(monkeypatch):
    monkeypatch.setattr(module, "_share", lambda pid: 0.0)
    processor = Processor(PERIOD)
    for _ in range(1000):
        processor.look({Child(): Clock(0.0, 0.0, RUNS)})
    assert processor.used == 0


@pytest.mark.skipif(sys.platform != "linux", reason="by Linux's scheduler")
def test_linux_says_what_share_a_process_had():
    assert 0 < module._share(os.getpid()) <= 1
    assert module._share(0) == 0


def test_the_clocks_are_those_of_living_processes():
    with subprocess.Popen(["sleep", "60"]) as child:
        gone, there = psutil.Process(child.pid), psutil.Process()
        child.send_signal(signal.SIGKILL)
    found = clocks([there, gone])
    assert list(found) == [there] and found[there].own > 0
