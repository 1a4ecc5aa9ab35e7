"""The simulation answers as arithmetic does where arithmetic can."""

import pytest

from tests.bench.queueing import Costs, jobs, saturated, simulate

EVEN = Costs(hand_out=0.0, judge=1.0, write=0.0, endless=0.0, patience=20.0, spread=0.0)


def costs(**changes):
    return Costs(**{**vars(EVEN), **changes})


@pytest.mark.parametrize("workers", [1, 4, 10])
def test_workers_share_the_work(workers):
    run = simulate(EVEN, 1000, workers)
    assert run.seconds == pytest.approx(1000 / workers)
    assert run.workers_busy == pytest.approx(1) and saturated(run) == "the workers"


def test_no_class_is_faster_than_its_writer():
    run = simulate(costs(hand_out=0.1, write=0.4), 1000, 100)
    assert run.seconds == pytest.approx(500, rel=0.01)
    assert saturated(run) == "the one process that writes"


def test_a_last_endless_submission_is_waited_for():
    run = simulate(costs(endless=1.0, patience=100.0), 4, 100)
    assert run.seconds >= 101 and saturated(run).startswith("neither")


def test_work_is_drawn_around_its_mean():
    drawn = list(jobs(costs(judge=0.2, spread=0.5), 20_000, seed=1))
    assert sum(drawn) / len(drawn) == pytest.approx(0.2, rel=0.03)
    assert drawn == list(jobs(costs(judge=0.2, spread=0.5), 20_000, seed=1))


def test_a_share_is_endless():
    drawn = list(jobs(costs(endless=0.1), 20_000, seed=1))
    assert sum(seconds > 20 for seconds in drawn) / 20_000 == pytest.approx(0.1, rel=0.1)
