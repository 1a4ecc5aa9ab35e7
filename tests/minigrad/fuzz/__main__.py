"""`python -m tests.minigrad.fuzz --programs 10000 [--seed 0]`."""

from __future__ import annotations

import argparse
import sys
import time

from .programs import write
from .run import compare, shrink, snippet


def main() -> int:
    """Run the programs; print the failing ones, shrunk; exit status 1 when there is one."""
    parser = argparse.ArgumentParser(prog="python -m tests.minigrad.fuzz", description=main.__doc__)
    parser.add_argument("--programs", type=int, default=1000, help="how many (default 1000)")
    parser.add_argument("--seed", type=int, default=0, help="the first program's number (default 0)")
    parser.add_argument("--failures", type=int, default=5, help="stop after this many (default 5)")
    arguments = parser.parse_args()
    start, failed = time.perf_counter(), 0
    for seed in range(arguments.seed, arguments.seed + arguments.programs):
        program = write(seed)
        problem = compare(program)
        if problem:
            failed += 1
            small = shrink(program)
            print(f"--- program {seed}: {compare(small)}\n{snippet(small)}\n", flush=True)
            if failed == arguments.failures:
                break
    done = seed + 1 - arguments.seed
    print(f"{done - failed} of {done} programs agree ({time.perf_counter() - start:.0f} s)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
