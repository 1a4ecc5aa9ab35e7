"""What the one process that writes takes, and whether workers elsewhere are kept busy meanwhile.

`python -m tests.bench.latency --workers 8 --seconds 1 --sizes 160`: each job takes a second of waiting and no work, as on a
machine of its own; reading, handing out, keeping verdicts and writing are as they are. `--seconds 0 --sizes 1000 10000` shows
whether these are linear, and memory flat, far beyond what can be judged in an hour. Each size has a process of its own.
"""

import argparse
import multiprocessing
import resource
import shutil
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

from grader.classroom.grading import Crew, autograde
from grader.classroom.work import Done, Job, answered, restored
from grader.run.judge import refuse
from tests.bench.grading import make_class


class Waiting:
    """A job that waits, and notes from when to when and how long all of them did."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._lock = seconds, threading.Lock()
        self._answer: Done | None = None
        self.began, self.ended, self.waited = 0.0, 0.0, 0.0

    def __call__(self, job: Job) -> Done:
        """Wait, and answer as a judge does."""
        start = time.monotonic()
        time.sleep(self._seconds)
        with self._lock:
            self.began, self.ended = self.began or start, time.monotonic()
            self.waited += self._seconds
            # All are the same work but for a comment: the answer is made once, for that is not what is measured.
            self._answer = self._answer or answer(job)
            return self._answer


def answer(job: Job) -> Done:
    """What a judge answers, without one: the release's points are not what is measured."""
    return answered(job, restored(job), refuse(job.chapter, "nobody looked at it"))


def measure(workers: int, seconds: float, size: int) -> str:
    """A row of the table: a class of so many submissions."""
    folder = Path(tempfile.mkdtemp(prefix="latency"))
    try:
        room, waiting, before = make_class(folder, size), Waiting(seconds), time.process_time()
        problems = autograde(room, 1, crew=Crew(lambda: ThreadPoolExecutor(workers), workers, waiting))
        used = time.process_time() - before
        if problems:
            raise SystemExit(f"not graded: {problems}")
        busy = waiting.waited / (workers * (waiting.ended - waiting.began))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        return f"| {workers} | {seconds:g} | {size} | {busy:.1%} | {used / size:.4f} | {memory} |"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Print a row for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=1.0, help="that a job takes")
    parser.add_argument("--sizes", type=int, nargs="+", default=[160], help="submissions of each class")
    options = parser.parse_args()
    print(
        "| workers | seconds a job | submissions | workers busy | the one process, seconds each | its most memory, MB |"
    )
    print("|---|---|---|---|---|---|")
    for size in options.sizes:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as alone:
            print(alone.submit(measure, options.workers, options.seconds, size).result(), flush=True)


if __name__ == "__main__":
    main()
