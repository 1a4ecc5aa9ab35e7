"""A block has its time, and no more: also where the first strike is lost."""

import signal
import sys
import time
import weakref

import pytest

from grader.run.bulkhead import TooLong, bounded


def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


class Slow:
    """Takes its time to go, as a cache of weak references may that is large."""

    def __del__(self):
        spin(0.1)


def test_a_block_that_takes_too_long_is_ended():
    with pytest.raises(TooLong), bounded(0.05):
        spin(60)


def test_a_strike_that_is_lost_comes_again(capfd):
    seen = []
    with pytest.raises(TooLong), bounded(0.05):
        seen.append(Slow())
        seen.clear()
        seen.append("the first strike was lost")
        spin(60)
    assert seen == ["the first strike was lost"] and capfd.readouterr().err == ""


def test_what_dies_in_a_weak_references_callback_is_struck_again():
    kept = Slow.__new__(Slow)
    reference = weakref.ref(kept, lambda _: spin(0.1))
    with pytest.raises(TooLong), bounded(0.05):
        del kept
        spin(60)
    assert reference() is None


def test_what_is_in_time_is_not_struck_and_all_is_as_before():
    handler, hook = signal.getsignal(signal.SIGPROF), sys.unraisablehook
    with bounded(0.05):
        pass
    spin(0.1)
    assert signal.getsignal(signal.SIGPROF) is handler and sys.unraisablehook is hook
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_a_time_within_a_time_ends_for_itself():
    with bounded(60):
        with pytest.raises(TooLong), bounded(0.05):
            spin(60)
        spin(0.01)


def test_a_time_within_a_time_does_not_end_the_outer_one():
    with pytest.raises(TooLong), bounded(0.1):
        with bounded(60):
            pass
        spin(60)
    with pytest.raises(TooLong), bounded(0.05), bounded(60):
        spin(60)
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
