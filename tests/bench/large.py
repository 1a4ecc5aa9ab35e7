"""`python -m tests.bench.large`: ten million elements, `unbind` into 10⁵ tensors, and the import, beside torch and NumPy."""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # read when NumPy and torch are imported

import subprocess  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from typing import Any  # noqa: E402

from .peers import torch_like  # noqa: E402

ELEMENTS, ROUNDS = 10**7, 5


def operations(peer: str) -> dict[str, Callable[[], Any]]:
    """Name → what is measured, on float32."""
    t = torch_like(peer)
    t.manual_seed(0)
    x, y = t.rand(ELEMENTS) + 0.5, t.rand(ELEMENTS) + 0.5
    rows, larger, leaf = x.reshape(1000, -1), x > y, t.ones(10**5, requires_grad=True)
    return {
        "exp": lambda: t.exp(x),
        "add": lambda: x + y,
        "pow": lambda: x**2.5,
        "where": lambda: t.where(larger, x, y),
        "softmax": lambda: t.softmax(rows, 1),
        "cumsum": lambda: t.cumsum(x, 0),
        "add_": lambda: x.add_(y),
        "var": lambda: x.var(),
        "sum": lambda: x.sum(),
        "exact GELU": lambda: t.nn.functional.gelu(x),
        "unbind into 10^5": lambda: leaf.unbind(0),
    }


def seconds(step: Callable[[], Any]) -> float:
    """CPU time of one step."""
    start = time.process_time()
    step()
    return time.process_time() - start


def import_time(module: str) -> float:
    """Seconds that a new Python takes to import the module."""
    code = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Print a table: torch's time, and minigrad's over it, the best of some rounds in turns."""
    import torch

    torch.set_num_threads(1)
    peers = {peer: operations(peer) for peer in ("torch", "minigrad")}
    print("| operation | torch, ms | minigrad / torch |\n|---|---|---|")
    for name in peers["torch"]:
        taken = [{peer: seconds(each[name]) for peer, each in peers.items()} for _ in range(ROUNDS + 1)][1:]
        theirs, ours = (min(one[peer] for one in taken) for peer in ("torch", "minigrad"))
        print(f"| {name} | {theirs * 1e3:.1f} | {ours / theirs:.2f} |", flush=True)
    pairs = [(import_time("numpy"), import_time("minigrad")) for _ in range(4 * ROUNDS)]
    numpy, minigrad = (min(times) for times in zip(*pairs, strict=True))
    print(f"\nimport minigrad: {minigrad / numpy:.2f} of import numpy, {numpy * 1e3:.0f} ms")


if __name__ == "__main__":
    main()
