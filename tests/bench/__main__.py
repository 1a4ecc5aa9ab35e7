"""`python -m tests.bench [--workload NAME] [--rounds 9]`: pinned to one core, one thread, a process for each peer."""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # read when NumPy and torch are imported

import argparse  # noqa: E402
import importlib.util  # noqa: E402
import io  # noqa: E402
import math  # noqa: E402
import subprocess  # noqa: E402
import tarfile  # noqa: E402
import tempfile  # noqa: E402

from .digits import train  # noqa: E402
from .process import Peer, glance, prepare  # noqa: E402
from .workloads import PEERS, WORKLOADS  # noqa: E402


def available() -> list[str]:
    """The peers that are installed, and the earlier minigrad where one was named."""
    own = {"floor", "lean", "minigrad"} | ({"earlier"} if "EARLIER" in os.environ else set())
    return [p for p in PEERS if p in own or p != "earlier" and importlib.util.find_spec(p)]


def unpack(commit: str, folder: str) -> None:
    """The minigrad of that commit, for the process that measures it."""
    packed = subprocess.run(["git", "archive", commit, "minigrad"], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    os.environ["EARLIER"] = folder


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
    parser.add_argument("--earlier", metavar="COMMIT", help="measure the engine of that commit beside today's")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.earlier:
            unpack(arguments.earlier, folder)
        compare(arguments)


def compare(arguments: argparse.Namespace) -> None:
    """Measure, and print."""
    peers = [Peer(name) for name in available()]
    others = [peer.name for peer in peers if peer.name not in ("torch", "floor")]
    pairs = [("minigrad", "floor"), ("lean", "floor"), ("minigrad", "lean"), ("minigrad", "earlier")]
    pairs = pairs if arguments.earlier else pairs[:-1]
    columns = ["workload", "torch, µs", *[f"{p} / torch" for p in others], *[f"{p} / {q}" for p, q in pairs]]
    print("| " + " | ".join(columns) + " |")
    print("|---" * len(columns) + "|")
    for name in arguments.workload or WORKLOADS:
        best = measure(name, peers, arguments.rounds)
        base = best.get("torch", math.nan)
        cells = [f"{best[p] / base:.2f}" if p in best else "–" for p in others]
        cells += [f"{best[p] / best[q]:.2f}" if {p, q} <= set(best) else "–" for p, q in pairs]
        print(f"| {name} | {base * 1e6:.0f} | " + " | ".join(cells) + " |", flush=True)
    if not arguments.no_digits and importlib.util.find_spec("sklearn"):
        print("\n| digits, batch 32 | epochs a second | 95 % on the test images after |\n|---|---|---|")
        for peer in peers:
            if peer.name in ("torch", "minigrad", "earlier"):
                speed, reached = peer(train, peer.name)
                print(f"| {peer.name} | {speed:.1f} | {reached} epochs |", flush=True)


if __name__ == "__main__":
    main()
