"""A process for each peer of the benchmark: none is slowed by what another one keeps in memory."""

from __future__ import annotations

import math
import multiprocessing
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from .workloads import WORKLOADS

GLANCE = 0.03  # seconds that a step is repeated for, each time that it is its turn


class Peer:
    """A process in which one peer is imported, and no other."""

    step: Any = None  # in the process: what is measured now
    repeats = 1

    def __init__(self, name: str) -> None:
        self.name = name
        self._process = ProcessPoolExecutor(
            1, multiprocessing.get_context("spawn"), initializer=alone, initargs=(name,)
        )

    def __call__(self, function: Any, *arguments: Any) -> Any:
        """`function(*arguments)`, in the process."""
        return self._process.submit(function, *arguments).result()


def alone(peer: str) -> None:
    """Keep this process on one core, and torch to one thread; the earlier minigrad is found before today's."""
    if peer == "earlier":
        sys.path.insert(0, os.environ["EARLIER"])
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    if peer == "torch":
        import torch

        torch.set_num_threads(1)


def prepare(workload: str, peer: str) -> bool:
    """Make the step of a workload, and find how often it fits into a glance; False where the peer cannot do it."""
    Peer.step = step = WORKLOADS[workload](peer)
    if step is None:
        return False
    step()
    start = time.process_time()
    step()
    Peer.repeats = max(1, math.ceil(GLANCE / max(time.process_time() - start, 1e-7)))
    return True


def glance() -> float:
    """CPU seconds of one step."""
    start = time.process_time()
    for _ in range(Peer.repeats):
        Peer.step()
    return (time.process_time() - start) / Peer.repeats
