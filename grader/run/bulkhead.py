"""Limits of time and memory around what the grader itself does with one student's work."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

AGAIN = 0.1  # seconds of the processor, after which a block is struck once more


class TooLong(BaseException):
    """The block was still at work when its time was over; no `except Exception` on the way takes it for its own."""


@contextlib.contextmanager
def bounded(seconds: float, more_bytes: int | None = None) -> Iterator[None]:
    """Let the block take so much of the processor's time, and so much more memory; else it ends by an exception.

    It is this process's own time, so a busy machine ends nothing. In another such block, that one's time goes on.

    In another thread than the main one, and on Windows, nothing is bounded here: what is read has a bounded size.

    Raises:
        TooLong: the time was over.
        MemoryError: it asked for more memory.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    with _timed(seconds), _memory(more_bytes):
        yield


@contextlib.contextmanager
def _timed(seconds: float) -> Iterator[None]:
    armed = [True]

    def strike(number: int, frame: FrameType | None) -> None:
        if armed:
            raise TooLong

    before, unraisable = signal.signal(signal.SIGPROF, strike), sys.unraisablehook
    outer, began = signal.getitimer(signal.ITIMER_PROF)[0], time.process_time()
    sys.unraisablehook = lambda lost: None if lost.exc_type is TooLong else unraisable(lost)
    try:
        try:
            # Again and again: what is raised while Python clears up, as in `__del__`, is lost.
            signal.setitimer(signal.ITIMER_PROF, min(seconds, outer or seconds), AGAIN)
            yield
        finally:
            armed.clear()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        if outer:
            left = outer - (time.process_time() - began)
            signal.setitimer(signal.ITIMER_PROF, max(left, AGAIN / 100), AGAIN)
        sys.unraisablehook = unraisable


@contextlib.contextmanager
def _memory(more_bytes: int | None) -> Iterator[None]:
    if more_bytes is None or sys.platform != "linux":
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + more_bytes
    unlimited = resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_AS, (most if soft == unlimited else min(soft, most), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
