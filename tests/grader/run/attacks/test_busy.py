"""A neighbour who never rests costs nobody a point: what counts is the time that one's own processes compute.

It takes minutes, in which the machine is of no use for anything else: `make busy` runs it.
"""

import os
import subprocess
import sys

import pytest

from grader.publish.course import release_notebook
from grader.run.execution import Limits, sandbox_problem
from grader.run.judge import LIMITS, judge
from grader.run.submission import restore

from .notebooks import right


@pytest.mark.skipif("MINIGRAD_BUSY" not in os.environ, reason="it takes minutes of the whole machine: make busy")
@pytest.mark.timeout(1800)
def test_beside_fifty_that_spin_an_honest_class_keeps_every_point():
    """Fifty sessions of one process each, among which the system shares the processors as among fifty users."""
    assert LIMITS.patience >= Limits().patience
    release, unsafe = release_notebook(1), bool(sandbox_problem())
    spin = [sys.executable, "-c", "while True: pass"]
    spinning = [subprocess.Popen(spin, start_new_session=True) for _ in range(50)]
    try:
        verdicts = [judge(restore(right(), release), release, 1, who, b"secret", unsafe) for who in ("ada", "bo")]
    finally:
        for one in spinning:
            one.kill()
            one.wait()
    assert [verdict.score for verdict in verdicts] == [16, 16] and not any(verdict.happened for verdict in verdicts)
