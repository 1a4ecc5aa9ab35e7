"""Reductions of few elements and of none, of integers, and beyond what a float holds: torch's outcome, silently."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import minigrad

from ..differential import check_outcome


def gradient(x: Any, call: Any) -> Any:
    call(x).sum().backward()
    return x.grad


def long_sums(t: Any, wrong: float | None = None) -> Any:
    """Running sums of vectors of float32 that end in a row and in a block, and that do not."""
    found = []
    for length in (2**16 + 1, 2**17, 2**17 + 32, 100_003):
        x = (t.arange(length) % 7 - 3) / 8  # whose sums are exact
        if wrong is not None:
            x[length - 40] = wrong
        found.append(t.cumsum(x, 0))
    return found


CASES = {
    "running sums of long vectors": long_sums,
    "running sums of long vectors with an infinite number": lambda t: long_sums(t, float("inf")),
    "running sums of long vectors with none": lambda t: long_sums(t, float("nan")),
    "std of one": lambda t: t.tensor([1.0]).std(),
    "var of one": lambda t: t.tensor([1.0]).var(),
    "var of a number": lambda t: t.var(t.tensor(1.0)),
    "std of rows of one": lambda t: t.ones(3, 1).std(1),
    "std of none": lambda t: t.zeros(0).std(),
    "gradient of the std of one": lambda t: gradient(t.ones(1, requires_grad=True), lambda x: x.std()),
    "gradient of the var of rows of one": lambda t: gradient(t.ones(3, 1, requires_grad=True), lambda x: x.var(1)),
    "var corrected by more": lambda t: t.tensor([1.0, 2.0]).var(correction=3),
    "std of integers": lambda t: t.tensor([1, 2]).std(),
    "var of inf": lambda t: t.tensor([float("inf"), 1.0]).var(),
    "var overflow": lambda t: t.tensor([3e38, 3e38]).var(),
    "prod overflow": lambda t: t.tensor([3e38, 3e38]).prod(),
    "prod of bools": lambda t: t.tensor([True, False]).prod(),
    "logsumexp of integers": lambda t: t.logsumexp(t.tensor([1, 2]), 0),
    "logsumexp of none": lambda t: t.zeros(2, 0).logsumexp(1),
    "max of none": lambda t: t.zeros(0).max(),
    "min of none": lambda t: t.min(t.zeros(0)),
    "max of no rows": lambda t: t.zeros(0, 3).max(0),
    "amax of none": lambda t: t.zeros(0, 3).amax(),
    "amin of no rows": lambda t: t.zeros(0, 3).amin(0),
    "argmax of none": lambda t: t.zeros(0).argmax(),
    "argmin of no rows": lambda t: t.zeros(0, 3).argmin(0),
    "max by axis": lambda t: tuple(t.ones(2, 3).max(axis=1)),
    "min by axis": lambda t: tuple(t.min(t.ones(2, 3), axis=0)),
    "name of max": lambda t: t.ones(2, requires_grad=True).max().grad_fn.name(),
    "name of min": lambda t: t.ones(2, requires_grad=True).min().grad_fn.name(),
    "name of amax": lambda t: t.ones(2, requires_grad=True).amax().grad_fn.name(),
}


@pytest.mark.parametrize("name", CASES)
def test_same_outcome(name: str) -> None:
    check_outcome(CASES[name], name)


@pytest.mark.parametrize("call", [lambda x: x.var(), lambda x: x.std(0), lambda x: x.prod(), lambda x: x.cumsum(0)])
def test_no_warning_of_numpy(call: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad\.")  # as `import minigrad` does
        for values in ([3e38, 3e38], [float("inf"), 1.0]):
            call(minigrad.tensor(values))
