"""A writer that is killed at any moment leaves nothing that the next run does not put right; `kills` does it 200 times."""

import random
import sys

import pytest

from tests.grader.classroom.kills import Trials

pytestmark = [
    pytest.mark.timeout(900),
    pytest.mark.skipif(sys.platform != "linux", reason="a forked process is killed"),
]


def test_three_kills_leave_no_trace(tmp_path, empty_gradebook):
    trials, chance = Trials(tmp_path, empty_gradebook), random.Random(23)
    for _ in range(3):
        trials.kill(chance)
