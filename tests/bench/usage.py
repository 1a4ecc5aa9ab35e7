"""What a command uses: wall time, processor time and memory, of it and of every process that it starts."""

import contextlib
import itertools
import os
import subprocess
import threading
import time
from dataclasses import dataclass

import psutil

from tests.bench.share import counted, seconds_of, within

PERIOD = 0.5  # seconds between two looks; what a process does after the last look at it may be missed
MEMORY = 6  # looks for one at memory: the system goes through all pages, 7 ms for a process with PyTorch


@dataclass(frozen=True)
class Usage:
    """Seconds of the wall clock, seconds of processors, and the most memory (bytes) that all had at one time."""

    seconds: float
    processor: float
    memory: int


def rounds(number: int) -> str:
    """How often it was measured, in words."""
    return "one round" if number == 1 else f"median of {number} interleaved rounds"


def processor_time(process: psutil.Process) -> float:
    """Processor seconds of a process, of its descendants, and of those that ended and were waited for."""
    total = 0.0
    for member in _family(process):
        try:
            total += sum(member.cpu_times()[:4])  # user, system, and both of children that have ended
        except psutil.Error:
            continue
    return total


def memory(process: psutil.Process) -> int:
    """Bytes of memory of a process and its descendants; what several share is counted once."""
    total = 0
    for member in _family(process):
        try:
            total += member.memory_full_info().pss
        except psutil.Error:
            continue
    return total


def _family(process: psutil.Process) -> list[psutil.Process]:
    try:
        return [process, *process.children(recursive=True)]
    except psutil.Error:
        return []


def use(command: list[str], cwd: os.PathLike | None = None, env: dict[str, str] | None = None) -> Usage:
    """Run a command to its end; one that fails ends this program with what it said.

    A control group counts its processor time, with that of kernels, which end in namespaces of their own. Where there can
    be none, the time of kernels is left out.
    """
    with contextlib.ExitStack() as stack:
        group = None
        with contextlib.suppress(SystemExit):
            group = stack.enter_context(counted(f"use-{os.getpid()}"))
        whole = within(group, command) if group else command
        start = time.perf_counter()
        with subprocess.Popen(whole, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as running:
            meter = _Meter(running.pid)
            said, _ = running.communicate()
            seconds = time.perf_counter() - start
        meter.stop()
        if running.returncode:
            raise SystemExit(f"{' '.join(command)} failed:\n{said.decode(errors='replace')[-3000:]}")
        return Usage(seconds, seconds_of(group) if group else meter.processor, meter.memory)


class _Meter:
    """Looks at a process from time to time. One that was killed takes its times with it: only increases are counted."""

    def __init__(self, pid: int) -> None:
        self.processor, self.memory, self._last = 0.0, 0, 0.0
        self._process, self._done = psutil.Process(pid), threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        for look in itertools.count():
            if self._done.wait(PERIOD):
                return
            now = processor_time(self._process)
            self.processor += max(0.0, now - self._last)
            self._last = now
            if look % MEMORY == 0:
                self.memory = max(self.memory, memory(self._process))

    def stop(self) -> None:
        self._done.set()
        self._thread.join()
