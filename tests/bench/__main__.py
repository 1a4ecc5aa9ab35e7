"""`python -m tests.bench [--workload NAME] [--rounds 9]`: pinned to one core, one thread, a process for each peer."""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # read when NumPy and torch are imported

import argparse  # noqa: E402
import importlib.util  # noqa: E402
import math  # noqa: E402

from .digits import train  # noqa: E402
from .process import Peer, glance, prepare  # noqa: E402
from .workloads import PEERS, WORKLOADS  # noqa: E402


def available() -> list[str]:
    """The peers that are installed."""
    return [p for p in PEERS if p in ("floor", "lean", "minigrad") or importlib.util.find_spec(p)]


def measure(workload: str, peers: list[Peer], rounds: int) -> dict[str, float]:
    """The best CPU time of each, taken in turns: what slows the machine for a while slows all of them."""
    able = [peer for peer in peers if peer(prepare, workload, peer.name)]
    taken = [{peer.name: peer(glance) for peer in able} for _ in range(rounds)]
    return {peer.name: min(each[peer.name] for each in taken) for peer in able}


def main() -> None:
    """Print a table of ratios: each peer's time over torch's; over the floor, minigrad's and the leanest engine's."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=main.__doc__)
    parser.add_argument("--workload", choices=WORKLOADS, action="append", help="only this one (may be repeated)")
    parser.add_argument("--rounds", type=int, default=9, help="interleaved rounds, the best counts (default 9)")
    parser.add_argument("--no-digits", action="store_true", help="leave out training on the digits")
    arguments = parser.parse_args()
    peers = [Peer(name) for name in available()]
    others = [peer.name for peer in peers if peer.name not in ("torch", "floor")]
    columns = ["workload", "torch, µs", *[f"{p} / torch" for p in others], "minigrad / floor", "lean / floor"]
    print("| " + " | ".join(columns) + " |")
    print("|---" * len(columns) + "|")
    for name in arguments.workload or WORKLOADS:
        best = measure(name, peers, arguments.rounds)
        base = best.get("torch", math.nan)
        cells = [f"{best[p] / base:.2f}" if p in best else "–" for p in others]
        floor = best.get("floor", math.nan)
        cells += [f"{best[p] / floor:.2f}" if {p, "floor"} <= set(best) else "–" for p in ("minigrad", "lean")]
        print(f"| {name} | {base * 1e6:.0f} | " + " | ".join(cells) + " |", flush=True)
    if not arguments.no_digits and importlib.util.find_spec("sklearn"):
        print("\n| digits, batch 32 | epochs a second | 95 % on the test images after |\n|---|---|---|")
        for peer in peers:
            if peer.name in ("torch", "minigrad"):
                speed, reached = peer(train, peer.name)
                print(f"| {peer.name} | {speed:.1f} | {reached} epochs |", flush=True)


if __name__ == "__main__":
    main()
