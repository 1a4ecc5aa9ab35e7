"""A process in a share of a core has that share, and no more."""

import os
import subprocess
import sys

import pytest

from tests.bench.share import put, share_of_a_core

# Waits for a line, so that it is in the group when it begins; prints which part of a second it worked.
SPIN = """
import time
input()
begin, worked = time.perf_counter(), time.process_time()
while time.perf_counter() - begin < 1:
    pass
print((time.process_time() - worked) / (time.perf_counter() - begin))
"""


def test_a_busy_process_works_no_longer_than_its_share():
    try:
        with (
            share_of_a_core(0.3, f"test-share-{os.getpid()}") as group,
            subprocess.Popen([sys.executable, "-c", SPIN], stdin=-1, stdout=-1, text=True) as running,
        ):
            put(running.pid, group)
            worked = float(running.communicate("\n")[0])
    except SystemExit as error:
        pytest.skip(str(error))
    assert worked < 0.5  # a period more than was asked for, at most: it is the kernel that counts
    assert not group.exists()
