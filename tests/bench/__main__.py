"""`python -m tests.bench [--workload NAME] [--rounds 9]`: pinned to one core, one thread."""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # read when NumPy and torch are imported

import argparse  # noqa: E402
import importlib.util  # noqa: E402
import math  # noqa: E402
import time  # noqa: E402
from typing import Any  # noqa: E402

from .digits import train  # noqa: E402
from .workloads import PEERS, WORKLOADS  # noqa: E402


def available() -> list[str]:
    """The peers that are installed."""
    return [p for p in PEERS if p in ("floor", "minigrad") or importlib.util.find_spec(p)]


def measure(steps: dict[str, Any], rounds: int) -> dict[str, float]:
    """The best CPU time of each, taken in turns: what slows the machine for a while slows all of them."""
    repeats = {}
    for peer, step in steps.items():
        step()
        start = time.process_time()
        step()
        repeats[peer] = max(1, math.ceil(0.03 / max(time.process_time() - start, 1e-7)))
    best = dict.fromkeys(steps, math.inf)
    for _ in range(rounds):
        for peer, step in steps.items():
            start = time.process_time()
            for _ in range(repeats[peer]):
                step()
            best[peer] = min(best[peer], (time.process_time() - start) / repeats[peer])
    return best


def main() -> None:
    """Print a table of ratios: each peer's time over torch's, and minigrad's over the floor."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=main.__doc__)
    parser.add_argument("--workload", choices=WORKLOADS, action="append", help="only this one (may be repeated)")
    parser.add_argument("--rounds", type=int, default=9, help="interleaved rounds, the best counts (default 9)")
    parser.add_argument("--no-digits", action="store_true", help="leave out training on the digits")
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    peers = available()
    if "torch" in peers:
        import torch

        torch.set_num_threads(1)
    others = [p for p in peers if p not in ("torch", "floor")]
    print("| workload | torch, µs | " + " | ".join(f"{p} / torch" for p in others) + " | minigrad / floor |")
    print("|---|---|" + "---|" * (len(others) + 1))
    for name in arguments.workload or WORKLOADS:
        steps = {peer: step for peer in peers if (step := WORKLOADS[name](peer)) is not None}
        best = measure(steps, arguments.rounds)
        base = best.get("torch", math.nan)
        cells = [f"{best[p] / base:.2f}" if p in best else "–" for p in others]
        floor = f"{best['minigrad'] / best['floor']:.2f}" if "floor" in best else "–"
        print(f"| {name} | {base * 1e6:.0f} | " + " | ".join(cells) + f" | {floor} |", flush=True)
    if not arguments.no_digits and importlib.util.find_spec("sklearn"):
        print("\n| digits, batch 32 | epochs a second | 95 % on the test images after |\n|---|---|---|")
        for peer in ("torch", "minigrad"):
            speed, reached = train(peer)
            print(f"| {peer} | {speed:.1f} | {reached} epochs |", flush=True)


if __name__ == "__main__":
    main()
