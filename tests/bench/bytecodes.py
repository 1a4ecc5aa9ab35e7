"""`python -m tests.bench.bytecodes [WORKLOAD]`: the bytecodes that a step of minigrad runs, by function.

A count, unlike a time, is the same on a busy machine. What NumPy does inside is not in it.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

from .peers import Step
from .workloads import WORKLOADS


def count(step: Step) -> Counter[str]:
    """How many bytecodes each function runs in one step, by `file:function`."""
    counts: Counter[str] = Counter()

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        frame.f_trace_opcodes = True
        if event == "opcode":
            counts[f"{Path(frame.f_code.co_filename).name}:{frame.f_code.co_name}"] += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        step()
    finally:
        sys.settrace(before)
    return counts


def main() -> None:
    """Print the functions that run most."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.bytecodes", description=main.__doc__)
    parser.add_argument("workload", nargs="?", choices=WORKLOADS, default="chain 10^3")
    step = WORKLOADS[parser.parse_args().workload]("minigrad")
    step()  # plans are made, and caches filled, in the first step
    counts = count(step)
    print(f"{counts.total():8} in a step")
    for name, n in counts.most_common(15):
        print(f"{n:8} {name}")


if __name__ == "__main__":
    main()
