"""Spreading work over the machine's cores, with a bar."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from tqdm import tqdm


def quiet() -> None:
    """What a worker does first: nothing that wrong code prints or warns of should be seen, and one thread is enough."""
    import sys
    import warnings

    import numpy as np
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - it stays open as long as the worker


def spread(function: Callable[..., Any], calls: Iterable[tuple[Any, ...]], what: str) -> list[Any]:
    """`function(*call)` for each call, in any process, in the order of the calls."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context, initializer=quiet) as pool:
        futures = [pool.submit(function, *call) for call in calls]
        return [future.result() for future in tqdm(futures, desc=what, leave=False, disable=None)]
