"""Putting tensors together and into other shapes: dtypes, errors, keywords, and names of nodes, as in torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import minigrad

from ..differential import check_operation, check_outcome

MIXED = [("float32", "int64"), ("float32", "float64"), ("bool", "int64"), ("int64", "float64"), ("bool", "float32")]


@pytest.mark.parametrize("shape", [(), (3,)])
@pytest.mark.parametrize("dtypes", MIXED)
def test_dtypes_put_together(dtypes: tuple[str, str], shape: tuple[int, ...]) -> None:
    arrays = [np.ones(shape, dtype) for dtype in dtypes]
    check_operation(lambda t, x, y: t.stack([x, y]) * t.stack([y, x]), arrays)
    if shape:
        check_operation(lambda t, x, y: t.cat([x, y]) * t.cat([y, x]), arrays)


def test_an_empty_vector_fits_anywhere() -> None:
    for arrays in ([np.ones(0), np.ones((2, 2))], [np.ones((2, 2), np.float32), np.ones(0)], [np.ones(0), np.ones(2)]):
        check_operation(lambda t, x, y: t.cat([x, y], -1) * 2, arrays)


CASES = {
    "cat with a number": lambda t: t.cat([t.ones(2), 1]),
    "stack of numbers": lambda t: t.stack([1, 2]),
    "cat of two arguments": lambda t: t.cat(t.ones(2), t.ones(2)),
    "stack of a tensor": lambda t: t.stack(t.ones(2, 2)),
    "cat of a generator": lambda t: t.cat(x for x in [t.ones(2)]),
    "cat of none": lambda t: t.cat([]),
    "cat of 1-d and 2-d": lambda t: t.cat([t.ones(2), t.ones(2, 2)]),
    "cat of 2-d and 1-d": lambda t: t.cat([t.ones(2, 2), t.ones(2)], 1),
    "cat of 1-d and 0-d": lambda t: t.cat([t.ones(2), t.tensor(1.0)]),
    "cat by axis": lambda t: t.cat([t.ones(2, 1), t.ones(2, 2)], axis=1),
    "stack by axis": lambda t: t.stack([t.ones(2), t.ones(2)], axis=1),
    "reshape": lambda t: t.ones(4).reshape(shape=(2, -1)),
    "torch.reshape": lambda t: t.reshape(t.ones(4), shape=(2, 2)),
    "view": lambda t: t.ones(4).view(size=(2, 2)),
    "permute": lambda t: t.ones(2, 3).permute(dims=(1, 0)),
    "expand": lambda t: t.ones(1, 3).expand(size=(2, 3)),
    "flip": lambda t: t.arange(4).flip(dims=(0,)),
    "split": lambda t: t.arange(4).split(split_size=3),
}


@pytest.mark.parametrize("name", CASES)
def test_same_outcome(name: str) -> None:
    check_outcome(CASES[name], name)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (3, 2, 1)])
def test_T_warns_unless_there_are_two_dimensions(shape: tuple[int, ...]) -> None:  # noqa: N802
    torch.set_warn_always(True)  # else once a process
    try:
        check_outcome(lambda t: t.ones(shape).T, "T")
    finally:
        torch.set_warn_always(False)


NAMES = [
    lambda x: x.squeeze(), lambda x: x.squeeze(0), lambda x: x.squeeze((0, 1)), lambda x: x.split(2)[0],
    lambda x: x.split([1, 2])[0], lambda x: x.chunk(2)[1], lambda x: x.T, lambda x: x.t(), lambda x: x.flatten(),
]  # fmt: skip


@pytest.mark.parametrize("call", NAMES)
def test_names_of_nodes(call: Any) -> None:
    mine, theirs = [call(t.ones(3, 3, requires_grad=True)).grad_fn.name() for t in (minigrad, torch)]
    assert mine == theirs
