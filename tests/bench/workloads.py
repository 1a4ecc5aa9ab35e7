"""The workloads, each written for every peer that can run it.

`WORKLOADS[name](peer)` returns a function to time, or None where the peer lacks what it needs. The
floor is NumPy written by hand: forward and backward, no graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .decoder import decoder
from .peers import Step, torch_like


def polynomial(peer: str) -> Step | None:
    """2x⁴ + x³ + 3x² + 5x + 1 at 2, and its derivative."""

    def f(x: Any) -> Any:
        return 2 * x**4 + x**3 + 3 * x**2 + 5 * x + 1

    if peer == "micrograd":
        from micrograd.engine import Value

        return lambda: f(Value(2.0)).backward()
    if peer == "autograd":
        import autograd

        gradient = autograd.grad(f)
        return lambda: gradient(2.0)
    if peer == "mygrad":
        import mygrad

        return lambda: f(mygrad.tensor(2.0)).backward()
    if peer == "floor":
        return lambda: (f(2.0), 8 * 2.0**3 + 3 * 2.0**2 + 6 * 2.0 + 5)
    t = torch_like(peer)
    return t and (lambda: f(t.tensor(2.0, requires_grad=True)).backward())


def chain(length: int) -> Callable[[str], Step | None]:
    """y = y * 1.0001, `length` times."""

    def run(start: Any) -> Any:
        y = start
        for _ in range(length):
            y = y * 1.0001
        return y

    def build(peer: str) -> Step | None:
        if peer == "micrograd":
            from micrograd.engine import Value

            # Its topological sort recurses: it cannot do 1000 in a row.
            return (lambda: run(Value(1.0)).backward()) if length < 500 else None
        if peer == "autograd":
            import autograd

            gradient = autograd.grad(run)
            return lambda: gradient(1.0)
        if peer == "mygrad":
            import mygrad

            return (lambda: run(mygrad.tensor(1.0)).backward()) if length < 500 else None
        t = torch_like(peer)
        return t and (lambda: run(t.tensor(1.0, requires_grad=True)).backward())

    return build


def bce(features: int, outputs: int, batch: int | None) -> Callable[[str], Step | None]:
    """One layer and binary cross entropy with logits."""
    rng = np.random.default_rng(0)
    size = (features,) if batch is None else (batch, features)
    x = rng.normal(size=size).astype(np.float32)
    y = (rng.random(size=(*size[:-1], outputs)) < 0.5).astype(np.float32)
    w = rng.normal(size=(features, outputs)).astype(np.float32)
    b = rng.normal(size=outputs).astype(np.float32)

    def floor() -> None:
        z = x @ w + b
        (np.maximum(z, 0) - z * y + np.log1p(np.exp(-np.abs(z)))).sum() / z.size
        g = (1 / (1 + np.exp(-z)) - y) / np.float32(z.size)
        _ = (x.T @ g, g.sum(0)) if x.ndim > 1 else (x[:, None] * g, g)

    def build(peer: str) -> Step | None:
        if peer == "floor":
            return floor
        if peer == "autograd":
            import autograd
            import autograd.numpy as anp

            def loss(w: Any, b: Any) -> Any:
                z = anp.dot(x, w) + b
                return anp.mean(anp.maximum(z, 0) - z * y + anp.log1p(anp.exp(-anp.abs(z))))

            gradient = autograd.grad(loss, (0, 1))
            return lambda: gradient(w, b)
        if peer == "mygrad":
            import mygrad as mg

            mw, mb = mg.tensor(w), mg.tensor(b)

            def step() -> None:
                z = mg.matmul(x, mw) + mb
                mg.mean(mg.maximum(z, 0) - z * y + mg.log1p(mg.exp(-mg.abs(z)))).backward()

            return step
        t = torch_like(peer)
        if t is None:
            return None
        tx, ty = t.tensor(x), t.tensor(y)
        tw, tb = t.tensor(w, requires_grad=True), t.tensor(b, requires_grad=True)

        def run() -> None:
            tw.grad = tb.grad = None
            t.nn.functional.binary_cross_entropy_with_logits(t.matmul(tx, tw) + tb, ty).backward()

        return run

    return build


def multistep(peer: str) -> Step | None:
    """y = 3x + 2, z = 2y², mean, on (2, 3)."""
    data = [[1.0, 2, 3], [3, 2, 1]]
    if peer == "autograd":
        import autograd
        import autograd.numpy as anp

        gradient = autograd.grad(lambda x: anp.mean(2 * (3 * x + 2) ** 2))
        return lambda: gradient(np.array(data, np.float32))
    if peer == "mygrad":
        import mygrad as mg

        return lambda: mg.mean(2 * (3 * mg.tensor(np.array(data, np.float32)) + 2) ** 2).backward()
    if peer == "floor":

        def floor() -> None:
            y = 3 * np.array(data, np.float32) + 2
            (2 * y**2).mean()
            _ = 12 * y / 6

        return floor
    t = torch_like(peer)
    return t and (lambda: (2 * (3 * t.tensor(data, requires_grad=True) + 2) ** 2).mean().backward())


def mlp(batch: int) -> Callable[[str], Step | None]:
    """A training step of 64 → 128 → 10 with ReLU, cross entropy and SGD."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(batch, 64)).astype(np.float32)
    y = rng.integers(0, 10, batch)
    shapes = [(128, 64), (128,), (10, 128), (10,)]
    start = [(rng.normal(size=s) * 0.1).astype(np.float32) for s in shapes]

    def floor_step() -> Step:
        w1, b1, w2, b2 = [p.copy() for p in start]
        rows = np.arange(batch)

        def step() -> None:
            h = x @ w1.T + b1
            a = np.maximum(h, 0)
            z = a @ w2.T + b2
            z = z - z.max(1, keepdims=True)
            e = np.exp(z)
            total = e.sum(1, keepdims=True)
            -(z[rows, y] - np.log(total[:, 0])).sum() / batch
            g = e / total
            g[rows, y] -= 1
            g /= batch
            gw2, gb2 = g.T @ a, g.sum(0)
            ga = (g @ w2) * (a > 0)
            gw1, gb1 = ga.T @ x, ga.sum(0)
            for p, gradient in ((w1, gw1), (b1, gb1), (w2, gw2), (b2, gb2)):
                p -= 0.1 * gradient

        return step

    def build(peer: str) -> Step | None:
        if peer == "floor":
            return floor_step()
        if peer == "lean":
            from . import lean

            leaves, inputs, labels = [lean.tensor(p, requires_grad=True) for p in start], lean.Tensor(x), lean.Tensor(y)
            return lambda: lean.training_step(leaves, inputs, labels)
        t = torch_like(peer)
        if t is None:
            return None
        model = t.nn.Sequential(t.nn.Linear(64, 128), t.nn.ReLU(), t.nn.Linear(128, 10))
        model.load_state_dict(dict(zip(model.state_dict(), map(t.tensor, start), strict=True)))
        optimizer = t.optim.SGD(model.parameters(), lr=0.1)
        tx, ty = t.tensor(x), t.tensor(y)

        def step() -> None:
            optimizer.zero_grad()
            t.nn.functional.cross_entropy(model(tx), ty).backward()
            optimizer.step()

        return step

    return build


def doublings(peer: str) -> Step | None:
    """y = y + y, 25 times: 2²⁵ paths, 25 nodes."""

    def run(start: Any) -> Any:
        y = start
        for _ in range(25):
            y = y + y
        return y

    if peer == "micrograd":
        from micrograd.engine import Value

        return lambda: run(Value(1.0)).backward()
    if peer == "autograd":
        import autograd

        gradient = autograd.grad(run)
        return lambda: gradient(1.0)
    t = torch_like(peer)
    return t and (lambda: run(t.tensor(1.0, requires_grad=True)).backward())


PEERS = ["minigrad", "earlier", "lean", "torch", "micrograd", "autograd", "mygrad", "floor"]
WORKLOADS: dict[str, Callable[[str], Step | None]] = {
    "polynomial": polynomial,
    "chain 10": chain(10),
    "chain 10^3": chain(1000),
    "chain 10^5": chain(100_000),
    "BCE 5→3": bce(5, 3, None),
    "multi-step (2,3)": multistep,
    "BCE 784→10, batch 256": bce(784, 10, 256),
    "MLP, batch 32": mlp(32),
    "MLP, batch 256": mlp(256),
    "decoder step": decoder,
    "25 doublings": doublings,
}
