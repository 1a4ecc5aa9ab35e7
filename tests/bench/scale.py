"""Whether grading is linear, its memory flat, and a second worker worth its core: classes of several sizes, interleaved.

`python -m tests.bench.scale --sizes 10 30 100` on this machine's cores; with `--dask 1 2`, each size on a real Dask
cluster of that many workers on this machine, each held to `--share` of a core if that is given. The large classes
(`--sizes 10 100 500 2000`) take a quarter of an hour. Beside them is the floor of `tests.bench.grading`.
"""

import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from grader.publish.course import course_root
from tests.bench.grading import SHELL, SHELL_FLOOR, floor, make_class, ours
from tests.bench.share import put, share_of_a_core
from tests.bench.usage import Usage, rounds

Taken = dict[tuple[str, int], list[Usage]]  # (way, size) → what each round used


@contextlib.contextmanager
def dask(workers: int, folder: Path, share: float | None = None) -> Iterator[str]:
    """A scheduler and its workers, of one thread each, on this machine; its address.

    With a share, each worker, with the kernels that it starts, has that part of a core: as if on a machine of its own.
    """
    known = folder / f"scheduler-{workers}.json"
    program = [sys.executable, "-m", "dask"]
    shared = ["--no-dashboard", "--scheduler-file", str(known)]
    scheduler = [*program, "scheduler", "--host", "127.0.0.1", "--port", "0", *shared]
    worker = [*program, "worker", "--nthreads", "1", "--no-nanny", *shared]
    with contextlib.ExitStack() as stack:
        _start(scheduler, folder, stack)
        for number in range(workers):
            group = share and stack.enter_context(share_of_a_core(share, f"dask-{os.getpid()}-{number}"))
            running = _start(worker, folder, stack)
            if group:
                put(running.pid, group)
        yield _address(known, workers)


def _start(command: list[str], folder: Path, stack: contextlib.ExitStack) -> subprocess.Popen:
    """A process that ends with the stack."""
    settings = {**os.environ, "PYTHONPATH": str(course_root())}
    with open(folder / "dask.log", "ab") as log:
        running = subprocess.Popen(command, cwd=folder, env=settings, stdout=log, stderr=log)
    stack.callback(running.wait)
    stack.callback(running.terminate)
    return running


def _address(known: Path, workers: int) -> str:
    """Where the scheduler listens, as soon as all workers are there."""
    from distributed import Client

    end = time.monotonic() + 120
    while not known.is_file() and time.monotonic() < end:
        time.sleep(0.1)
    with Client(scheduler_file=str(known), set_as_default=False) as client:
        client.wait_for_workers(workers, timeout=120)
        return client.scheduler.address


def fit(points: list[tuple[int, float]]) -> tuple[float, float]:
    """Slope and intercept of the straight line through the points."""
    return statistics.linear_regression(*zip(*points, strict=True))


def one_round(sizes: list[int], clusters: list[int], share: float | None, taken: Taken) -> None:
    """Grade a class of each size in each way."""
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="scale", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            for way in clusters or [0]:
                room = make_class(folder / str(way), size)
                if way:
                    with dask(way, folder, share) as address:
                        # The first job makes a worker import what it needs: not what is compared.
                        ours(make_class(folder / f"first-{way}", 2 * way), "--scheduler", address)
                        _took(f"{way} Dask worker{'s' * (way != 1)}", size, ours(room, "--scheduler", address), taken)
                else:
                    _took("new class", size, ours(room), taken)
                    _took("unchanged class", size, ours(room), taken)
                    _took(SHELL_FLOOR, size, floor(size, folder, SHELL), taken)


def _took(way: str, size: int, used: Usage, taken: Taken) -> None:
    taken.setdefault((way, size), []).append(used)
    print(
        f"{way}, {size}: {used.seconds:.1f} s, {used.processor:.1f} s of a processor, {used.memory / 1e6:.0f} MB",
        file=sys.stderr,
        flush=True,
    )


def main() -> None:
    """Print a row for each way and size, and the straight line through each way's sizes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 30, 100])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--dask", type=int, nargs="+", default=[], help="workers of each cluster to compare")
    parser.add_argument("--share", type=float, help="of a core for each Dask worker, e.g. 0.5 (takes root)")
    options = parser.parse_args()
    if options.share is not None and not (options.dask and 0.01 <= options.share <= 1):
        parser.error("--share takes 0.01 to 1, and --dask")
    taken: Taken = {}
    for _ in range(options.rounds):
        one_round(options.sizes, options.dask, options.share, taken)
    print(f"\n{os.cpu_count()} cores, {rounds(options.rounds)}\n")
    print(
        "| way | submissions | seconds | seconds a submission | processor seconds | most memory, MB |\n|---|---|---|---|---|---|"
    )
    lines: dict[str, list[tuple[int, float]]] = {}
    for (way, size), used in taken.items():
        seconds, processor, memory = (
            statistics.median(getattr(one, what) for one in used) for what in ("seconds", "processor", "memory")
        )
        lines.setdefault(way, []).append((size, seconds))
        print(f"| {way} | {size} | {seconds:.1f} | {seconds / size:.3f} | {processor:.1f} | {memory / 1e6:.0f} |")
    for way, points in lines.items():
        if len(points) > 1:
            slope, start = fit(points)
            print(f"\n{way}: {max(start, 0):.1f} s to begin with, and {max(slope, 0) * 1e3:.1f} ms for each submission")


if __name__ == "__main__":
    main()
