"""The leanest engine computes what it is compared with, with the versions and the freeing that it claims."""

import numpy as np
import pytest
import torch

from tests.bench import lean


def test_it_has_torchs_gradients():
    x, w, b = (np.random.default_rng(0).normal(size=s).astype(np.float32) for s in [(4, 5), (5, 3), 3])
    y = np.ones((4, 3), np.float32)
    found = []
    for t in (lean, torch):
        tw, tb = t.tensor(w, requires_grad=True), t.tensor(b, requires_grad=True)
        z = t.matmul(t.tensor(x), tw) + tb
        (t.nn.functional.binary_cross_entropy_with_logits(z, t.tensor(y)) * 3.0 + (2 * z**2).mean()).backward()
        found.append((tw.grad, tb.grad))
    for mine, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(mine.array, theirs.numpy(), rtol=1e-5, atol=1e-6)


def test_its_training_step_is_torchs():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(8, 6)).astype(np.float32), rng.integers(0, 3, 8)
    start = [rng.normal(size=s).astype(np.float32) for s in [(5, 6), (5,), (3, 5), (3,)]]
    mine = [lean.tensor(p, requires_grad=True) for p in start]
    w1, b1, w2, b2 = theirs = [torch.tensor(p, requires_grad=True) for p in start]
    optimizer = torch.optim.SGD(theirs, lr=0.1)
    for _ in range(3):
        lean.training_step(mine, lean.Tensor(x), lean.Tensor(y))
        optimizer.zero_grad()
        logits = torch.relu(torch.tensor(x) @ w1.T + b1) @ w2.T + b2
        torch.nn.functional.cross_entropy(logits, torch.tensor(y)).backward()
        optimizer.step()
    for one, other in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(one.array, other.detach().numpy(), rtol=1e-4, atol=1e-5)


def test_it_frees_and_it_notices_changes_in_place():
    x = lean.tensor(2.0, requires_grad=True)
    y = x**2
    y.backward()
    with pytest.raises(RuntimeError, match="freed"):
        y.backward()
    y = x**2
    x.version[0] += 1
    with pytest.raises(RuntimeError, match="modified"):
        y.backward()
