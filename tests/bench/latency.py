"""Whether workers elsewhere are kept busy: `python -m tests.bench.latency --workers 8 --seconds 1 --jobs 20`.

Each job takes a second of waiting and no work, as on a machine of its own; reading, handing out and writing are as they are.
"""

import argparse
import shutil
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from grader.classroom.grading import Crew, autograde
from grader.classroom.work import Done, Job
from tests.bench.grading import make_class
from tests.grader.classroom.test_gradebook_writer import drawn


class Waiting:
    """A job that waits; notes how many wait at a time, and for how long."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._lock = seconds, threading.Lock()
        self.began, self.ended, self.busy, self._done = 0.0, 0.0, 0.0, {}

    def __call__(self, job: Job) -> Done:
        """Wait, and answer what needs no judge."""
        start = time.monotonic()
        time.sleep(self._seconds)
        with self._lock:
            self.ended = time.monotonic()
            self.began = self.began or start
            self.busy += self._seconds
            if not self._done:  # all are the same work but for a comment: made once, for it is not what is measured
                self._done["all"] = drawn(job)
        return self._done["all"]


def share(workers: int, seconds: float, jobs: int) -> float:
    """The part of the workers' time, from the first job to the last, in which they were at one."""
    folder = Path(tempfile.mkdtemp(prefix="latency"))
    try:
        room, waiting = make_class(folder, workers * jobs), Waiting(seconds)
        problems = autograde(room, 1, crew=Crew(lambda: ThreadPoolExecutor(workers), workers, waiting))
        if problems:
            raise SystemExit(f"not graded: {problems}")
        return waiting.busy / (workers * (waiting.ended - waiting.began))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=1.0, help="that a job takes")
    parser.add_argument("--jobs", type=int, default=20, help="for each worker")
    options = parser.parse_args()
    busy = share(options.workers, options.seconds, options.jobs)
    print(
        f"{options.workers} workers, {options.jobs} jobs of {options.seconds:g} s each: {busy:.1%} of their time at work"
    )


if __name__ == "__main__":
    main()
