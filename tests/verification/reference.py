"""The reference itself, minigrad, against torch, finite differences and autograd (HIPS), operation by operation."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import autograd.numpy as anp
import autograd.scipy.special as asp
import numpy as np
from autograd import make_vjp

import minigrad
from tests.minigrad.differential import check_operation
from tests.minigrad.rows import ROWS, Row, draw

# Rows that mean something else to finite differences, or to autograd.
ELSEWHERE = {
    "embedding padding": "a padding row gets no gradient, though the output depends on it",
    "var": "NumPy divides by N, torch by N - 1",
    "std": "NumPy divides by N, torch by N - 1",
    "std dim": "NumPy divides by N, torch by N - 1",
    "where": "autograd's where does not sum the gradient of what it broadcast",
    "einsum broadcast letter": "autograd's einsum gives what it broadcast the gradient of another shape",
}


class Functional:
    """`torch.nn.functional`, as far as one line of autograd's NumPy says it."""

    softplus = staticmethod(lambda x: anp.logaddexp(x, 0))
    silu = staticmethod(lambda x: x / (1 + anp.exp(-x)))
    gelu = staticmethod(lambda x: x * 0.5 * (1 + asp.erf(x / 2**0.5)))
    linear = staticmethod(lambda x, w, b=0.0: x @ w.T + b)
    mse_loss = staticmethod(lambda x, y: anp.mean((x - y) ** 2))
    binary_cross_entropy = staticmethod(lambda x, y: -anp.mean(y * anp.log(x) + (1 - y) * anp.log(1 - x)))
    binary_cross_entropy_with_logits = staticmethod(lambda z, y: anp.mean(anp.logaddexp(z, 0) - z * y))


class Autograd:
    """A package with torch's names on autograd's arrays; a row that uses another name is left out."""

    class nn:  # noqa: N801 - torch's name
        """torch.nn."""

        functional = Functional

    exp, log, sin, cos, tanh, dot = anp.exp, anp.log, anp.sin, anp.cos, anp.tanh, anp.dot
    maximum, minimum, where, outer, einsum, tril = anp.maximum, anp.minimum, anp.where, anp.outer, anp.einsum, anp.tril
    mv = mm = bmm = staticmethod(lambda x, y: x @ y)
    tensor = staticmethod(lambda x, dtype=None: anp.array(x))
    sigmoid = staticmethod(lambda x: 1 / (1 + anp.exp(-x)))
    softmax = staticmethod(lambda x, dim: anp.exp(x) / anp.sum(anp.exp(x), axis=dim, keepdims=True))
    log_softmax = staticmethod(lambda x, dim: x - anp.log(anp.sum(anp.exp(x), axis=dim, keepdims=True)))
    logsumexp = staticmethod(lambda x, dim: asp.logsumexp(x, axis=dim))
    mean = staticmethod(lambda x, dim: anp.mean(x, axis=dim))
    cat = staticmethod(lambda xs, dim: anp.concatenate(xs, axis=dim))
    stack = staticmethod(lambda xs, dim: anp.stack(xs, axis=dim))


def with_torch(row: Row, seeds: range) -> bool:
    """Value, gradient, second derivative, dtype and flags agree with torch's on every seed."""
    for seed in seeds:
        check_operation(row.call, draw(row, "float64", seed), seed, second=row.second)
    return True


def with_differences(row: Row, seeds: range) -> bool | None:
    """The Jacobian agrees with central differences; None where the row is about kinks, ties or extremes."""
    if row.domain in ("rounded", "extreme") or row.name in ELSEWHERE or row.name.endswith("_"):
        return None
    for seed in seeds:
        inputs = [minigrad.tensor(a, requires_grad=True) for a in draw(row, "float64", seed)]
        if row.call(minigrad, *inputs).requires_grad:
            minigrad.autograd.gradcheck(lambda *xs: row.call(minigrad, *xs) * 1.0, inputs)
    return True


def with_autograd(row: Row, seeds: range) -> bool | None:
    """The gradients agree with autograd's; None where the row says something that autograd's NumPy does not know."""
    if row.domain in ("rounded", "extreme") or row.name in ELSEWHERE:
        return None
    for seed in seeds:
        arrays = draw(row, "float64", seed)
        tensors = [minigrad.tensor(a, requires_grad=True) for a in arrays]
        out = row.call(minigrad, *tensors)
        if not getattr(out, "requires_grad", False):
            return None
        above = np.random.default_rng(seed).uniform(0.5, 2.0, tuple(out.shape))
        for place, tensor in enumerate(tensors):
            try:
                vjp, _ = make_vjp(lambda *xs: row.call(Autograd, *xs), place)(*arrays)
                theirs = vjp(above)
            except Exception:
                return None
            (mine,) = minigrad.autograd.grad(out, tensor, minigrad.tensor(above), retain_graph=True)
            np.testing.assert_allclose(mine.numpy(), theirs, rtol=1e-9, atol=1e-12)
    return True


def agreements(seeds: range) -> dict[str, int]:
    """With whom -> on how many operations minigrad agrees. Whatever does not agree raises AssertionError."""

    def count(check: Callable[[Row, range], Any]) -> int:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return sum(check(row, seeds) is True for row in ROWS)

    return {
        "operations": len(ROWS),
        "torch": count(with_torch),
        "finite differences": count(with_differences),
        "autograd": count(with_autograd),
    }
