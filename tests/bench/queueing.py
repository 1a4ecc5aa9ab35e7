"""A simulation: how long a large class takes on N workers that one process feeds, and whose verdicts it writes.

`python -m tests.bench.queueing --submissions 100000`. The unit costs are those that
`python -m tests.bench.parts` prints.

The process hands out submissions until four for each worker are out (`grader.classroom.grading.AHEAD`), then writes the
verdicts that have come, and so on: so does `grader.classroom.grading`. Workers take jobs in order. What a job takes is drawn from
a log-normal distribution; some jobs hold their worker for as long as the limits of an endless cell allow.
"""

import argparse
import heapq
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass

from grader.classroom.grading import AHEAD


@dataclass(frozen=True)
class Costs:
    """Seconds that one submission takes.

    Attributes:
        hand_out: the process that grades, to look at it and hand it out.
        judge: a worker, on average, unless it is endless.
        write: the process that grades, to tell nbgrader.
        endless: the share of submissions with an endless cell.
        patience: how long such a cell is waited for.
        spread: the standard deviation of the logarithm of what a worker takes.
    """

    hand_out: float
    judge: float
    write: float
    endless: float
    patience: float
    spread: float


@dataclass(frozen=True)
class Run:
    """What came of it: seconds to the end, and the shares of it in which the workers and the writer were busy."""

    seconds: float
    workers_busy: float
    writer_busy: float


def jobs(costs: Costs, number: int, seed: int) -> Iterator[float]:
    """What each submission takes a worker."""
    chance = random.Random(seed)
    mean = math.log(costs.judge) - costs.spread**2 / 2
    for _ in range(number):
        endless = chance.random() < costs.endless
        # One to three cells run into it: the exercise's own, and what builds on it.
        waiting = costs.patience * chance.randint(1, 3) if endless else 0.0
        yield waiting + chance.lognormvariate(mean, costs.spread)


def simulate(costs: Costs, submissions: int, workers: int, seed: int = 0) -> Run:
    """Grade a class."""
    clock, busy, ahead = 0.0, 0.0, AHEAD * workers
    free = [0.0] * workers  # when each worker will be free
    out: list[float] = []  # when each job that is out will be done

    def write() -> float:
        """Wait for a verdict, and write those that are there."""
        now = max(clock, out[0])
        while out and out[0] <= now:
            heapq.heappop(out)
            now += costs.write
        return now

    for seconds in jobs(costs, submissions, seed):
        clock += costs.hand_out
        end = max(clock, heapq.heappop(free)) + seconds
        heapq.heappush(free, end)
        heapq.heappush(out, end)
        busy += seconds
        if len(out) >= ahead:
            clock = write()
    while out:
        clock = write()
    return Run(clock, busy / (workers * clock), submissions * (costs.hand_out + costs.write) / clock)


def saturated(run: Run) -> str:
    """What the class waits for."""
    if max(run.workers_busy, run.writer_busy) < 0.8:
        return "neither: the last endless submissions"
    return "the workers" if run.workers_busy > run.writer_busy else "the one process that writes"


def main() -> None:
    """Print a row for each number of workers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--submissions", type=int, default=100_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4, 8, 16, 64, 256])
    parser.add_argument("--hand-out", type=float, default=0.003, help="seconds to hand out one")
    parser.add_argument("--judge", type=float, default=0.12, help="seconds of a worker for one")
    parser.add_argument("--write", type=float, default=0.003, help="seconds to tell nbgrader of one")
    parser.add_argument("--endless", type=float, nargs="+", default=[0.0, 0.01, 0.05], help="shares of endless ones")
    parser.add_argument("--patience", type=float, default=20.0, help="seconds that an endless cell is waited for")
    parser.add_argument("--spread", type=float, default=0.3, help="of the logarithm of what a worker takes")
    options = parser.parse_args()
    print(f"{options.submissions} submissions: {options.hand_out} s to hand out, {options.judge} s to judge, ", end="")
    print(f"{options.write} s to write one; {options.patience} s for each endless cell. Simulated.\n")
    print(
        "| workers | endless | hours | workers busy | handing out and writing | waits for |\n|---|---|---|---|---|---|"
    )
    for endless in options.endless:
        costs = Costs(options.hand_out, options.judge, options.write, endless, options.patience, options.spread)
        for workers in options.workers:
            run = simulate(costs, options.submissions, workers)
            shares = f"{run.workers_busy:.0%} | {run.writer_busy:.0%}"
            print(f"| {workers} | {endless:.0%} | {run.seconds / 3600:.2f} | {shares} | {saturated(run)} |")


if __name__ == "__main__":
    main()
