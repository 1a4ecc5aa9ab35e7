"""Epochs a second, and epochs to 95 % test accuracy: an MLP 64 → 128 → 10 on scikit-learn's digits."""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np

from .peers import torch_like


def digits() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Training and test images, scaled to 0 … 1, and their labels."""
    from sklearn.datasets import load_digits

    data = load_digits()
    order = np.random.default_rng(0).permutation(len(data.target))
    x, y = (data.data[order] / 16).astype(np.float32), data.target[order].astype(np.int64)
    return x[:1400], y[:1400], x[1400:], y[1400:]


def train(peer: str, epochs: int = 30, batch: int = 32) -> tuple[float, int | None]:
    """(epochs in a second of CPU time, by the median epoch; the first epoch with 95 % on the test images)."""
    t: Any = torch_like(peer)
    x, y, x_test, y_test = digits()
    t.manual_seed(0)
    model = t.nn.Sequential(t.nn.Linear(64, 128), t.nn.ReLU(), t.nn.Linear(128, 10))
    optimizer = t.optim.Adam(model.parameters(), lr=3e-3)
    tx, ty, tx_test = t.tensor(x), t.tensor(y), t.tensor(x_test)
    reached, spent = None, []
    for epoch in range(1, epochs + 1):
        start = time.process_time()
        for i in range(0, len(x), batch):
            optimizer.zero_grad()
            t.nn.functional.cross_entropy(model(tx[i : i + batch]), ty[i : i + batch]).backward()
            optimizer.step()
        spent.append(time.process_time() - start)
        with t.no_grad():
            right = (model(tx_test).argmax(1).numpy() == y_test).mean()
        if reached is None and right >= 0.95:
            reached = epoch
    return 1 / statistics.median(spent), reached
