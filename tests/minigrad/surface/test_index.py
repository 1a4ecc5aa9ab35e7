"""Indexing, reading and writing, as in torch: what is picked, its gradient, and the errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import minigrad

from ..differential import assert_same, check_operation, outcome
from ..rows import set_item

INDICES = {
    "an integer, apart from a list": lambda t: (0, slice(None), [0, 1]),
    "an integer, apart from a repeated list": lambda t: (0, slice(None), [1, 1]),
    "an integer tensor, apart from a tensor": lambda t: (t.tensor(1), slice(None), t.tensor([0, 0])),
    "an integer, … and a list": lambda t: (-1, ..., [2, 1]),
    "an integer, … and a mask": lambda t: (0, ..., t.tensor([True, False, True, True])),
    "an integer, None and a list": lambda t: (0, None, slice(None), [0, 1]),
    "an integer beside a list": lambda t: (slice(1, None), 0, [2, 1]),
    "an integer after a mask": lambda t: (t.ones(2, 3) > 0, 0),
    "lists with None between": lambda t: ([0, 1], None, 1, [2, 1]),
    "True": lambda t: (True, 0, slice(None), [0, 1]),
    "an empty list": lambda t: (0, []),
    "a tuple": lambda t: (slice(None), (0, 1)),
    "a range": lambda t: (range(2), [1, 1], range(2)),
    "a list of bools": lambda t: [True, False],
}


@pytest.mark.parametrize("name", INDICES)
def test_what_an_index_picks(name: str) -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    check_operation(lambda t, x: x[INDICES[name](t)] * x[INDICES[name](t)], [x])
    value = np.random.default_rng(0).normal(size=torch.tensor(x)[INDICES[name](torch)].shape)
    check_operation(lambda t, x: set_item(x * 2, INDICES[name](t), 5.0), [x])
    if "repeated" not in name and "apart from a tensor" not in name:  # of two values for one place, any may win
        check_operation(lambda t, x, v: set_item(x * 2, INDICES[name](t), v) ** 2, [x, value])


ERRORS = {
    "mask": lambda t, x: x[t.tensor([True, False])],
    "second mask": lambda t, x: x[:, t.tensor([True, False])],
    "mask of two dimensions": lambda t, x: x[t.ones(3, 2) > 0],
    "mask after …": lambda t, x: x[..., t.tensor([True, False])],
    "mask after an integer": lambda t, x: x[0, t.tensor([True, False])],
    "float": lambda t, x: x[1.0],
    "float beside a list": lambda t, x: x[[0], 1.0],
    "float written": lambda t, x: set_item(x, 1.0, 3),
    "lists of different lengths": lambda t, x: x[[0, 1], [0, 1, 2]],
    "out of bounds": lambda t, x: x[0, [0, 5]],
    "out of bounds written": lambda t, x: set_item(x, [5], 1),
    "step": lambda t, x: x[::-1, [0, 1]],
    "value of another shape": lambda t, x: set_item(x, t.tensor([True, True, False]), t.ones(2)),
    "value of another shape in a row": lambda t, x: set_item(x, (0, [0, 1]), t.ones(3)),
    "value of another dtype": lambda t, x: set_item(x, [0, 1], t.tensor([[1, 2, 3]])),
    "value of higher precision": lambda t, x: set_item(x, [0, 1], t.ones(3, dtype=t.float64)),
    "leaf": lambda t, x: set_item(x.requires_grad_(), (0, [0, 1]), 1.0),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    mine, theirs = [outcome(lambda t=t: ERRORS[name](t, t.ones(3, 3))) for t in (minigrad, torch)]
    assert mine[1] == theirs[1] is not None
    assert mine[2].split("(Tr")[0].rstrip(".")[:100] == theirs[2].split("(Tr")[0].rstrip(".")[:100]


NAMES = [
    lambda x: x[0], lambda x: x[:1], lambda x: x[:], lambda x: x[0, :1], lambda x: x[:, 0], lambda x: x[0, :],
    lambda x: x[None], lambda x: x[..., None], lambda x: x[0, None], lambda x: x[[0]], lambda x: next(iter(x)),
]  # fmt: skip


@pytest.mark.parametrize("call", NAMES)
def test_names_of_nodes(call: Any) -> None:
    mine, theirs = [call(t.ones(3, 3, requires_grad=True)).grad_fn.name() for t in (minigrad, torch)]
    assert mine == theirs


def test_rows_by_iteration() -> None:
    for t in (minigrad, torch):
        x = t.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        a, b = x
        (a * b).sum().backward()
        assert x.grad.tolist() == [[3.0, 4.0], [1.0, 2.0]]
        assert_same(minigrad.ones(2)[[]], torch.ones(2)[[]], "empty")
