"""Each operation against torch: value, gradient, second derivative, dtype, flags."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

import minigrad

from .differential import check_operation
from .rows import ROWS, Row, draw

# Rows at 0 and at infinity are about values; NumPy's own words about these come from minigrad alone.
pytestmark = pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_row(row: Row, dtype: str) -> None:
    for seed in range(3):
        check_operation(row.call, draw(row, dtype, seed), seed, second=row.second and dtype == "float64")


# What torch makes of several nodes is one in minigrad: it has the name of torch's last one, but for these.
NAMED_OTHERWISE = {"bmm", "cross_entropy soft", "matmul (3, 4) (2, 4, 5)", "matmul (1, 3, 4) (2, 4, 5)"}


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_the_node_has_torchs_name(row: Row) -> None:
    named = []
    for t in (torch, minigrad):
        out = row.call(t, *[t.tensor(array, requires_grad=True) for array in draw(row, "float32", 0)])
        node = (out[0] if isinstance(out, tuple) else out).grad_fn
        named.append(node and repr(node).split()[0])
    otherwise = row.name in NAMED_OTHERWISE or row.name.startswith("einsum")
    assert (named[0] != named[1]) == otherwise, named


BINARY = {
    "add": lambda t, x, y: x + y,
    "sub": lambda t, x, y: x - y,
    "mul": lambda t, x, y: x * y,
    "div": lambda t, x, y: x / y,
    "pow": lambda t, x, y: abs(x) ** y,
    "maximum": lambda t, x, y: t.maximum(x, y),
    "where": lambda t, x, y: t.where(x > y, x, y),
    "mse": lambda t, x, y: t.nn.functional.mse_loss(x, y, reduction="sum"),
}


@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize("name", BINARY)
@settings(max_examples=25)
@given(st.data())
def test_broadcasting_and_promotion(name: str, data: st.DataObject) -> None:
    shapes = data.draw(mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3)).input_shapes
    dtypes = data.draw(st.tuples(*[st.sampled_from(["float32", "float64", "int64"])] * 2))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    arrays = [np.asarray(np.round(rng.uniform(0.6, 3.0, s), 1), d) for s, d in zip(shapes, dtypes, strict=True)]
    if name == "mse" and dtypes == ("int64", "int64"):
        return
    check_operation(BINARY[name], arrays, second=False)


SCALARS = [2, -3, 2.5, True]


@pytest.mark.parametrize("scalar", SCALARS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool"])
@pytest.mark.parametrize("shape", [(), (3,)])
def test_scalar_on_either_side(scalar: object, dtype: str, shape: tuple[int, ...]) -> None:
    array = np.asarray(np.arange(1, 1 + int(np.prod(shape))).reshape(shape), dtype)
    for call in [
        lambda t, x: x + scalar,
        lambda t, x: scalar + x,
        lambda t, x: x * scalar,
        lambda t, x: x / scalar,
        lambda t, x: scalar / x,
        lambda t, x: x > scalar,
        lambda t, x: x == scalar,
    ]:
        check_operation(call, [array], second=False)


@pytest.mark.parametrize("name", [
    *("exp", "log1p", "expm1", "atan", "sqrt", "sigmoid", "sin", "abs", "neg", "sum", "cumsum", "max", "prod"),
])  # fmt: skip
def test_integers(name: str) -> None:
    call = {"cumsum": lambda t, x: x.cumsum(0)}.get(name, lambda t, x: getattr(x, name)())
    check_operation(call, [np.array([1, 4, 9])])


def test_an_ndarray_on_either_side() -> None:
    array = np.array([1.0, 2.0], np.float32)
    x = minigrad.tensor([3.0, 4.0], requires_grad=True)
    for product in (array * x, x * array):
        assert isinstance(product, minigrad.Tensor)
        x.grad = None
        product.sum().backward()
        assert x.grad.tolist() == [1.0, 2.0]
    assert (np.ones((2, 2), np.float32) @ x).tolist() == [7.0, 7.0]
    assert (array + x).requires_grad and (array - x).tolist() == [-2.0, -2.0] and (array / x).requires_grad


def test_random_numbers_are_torchs() -> None:
    for seed in (0, 1234):
        torch.manual_seed(seed)
        minigrad.manual_seed(seed)
        for size in [(3,), (2, 2), (16,), (5, 7), (1,), (4, 10)]:
            for dtype in ("float32", "float64"):
                for name in ("rand", "randn"):
                    mine = getattr(minigrad, name)(*size, dtype=getattr(minigrad, dtype)).numpy()
                    theirs = getattr(torch, name)(*size, dtype=getattr(torch, dtype)).numpy()
                    np.testing.assert_allclose(mine, theirs, 1e-5, 1e-6)
        assert minigrad.randint(0, 10, (5,)).tolist() == torch.randint(0, 10, (5,)).tolist()
        assert minigrad.randperm(9).tolist() == torch.randperm(9).tolist()
        np.testing.assert_allclose(
            minigrad.nn.Linear(4, 3).weight.detach().numpy(), torch.nn.Linear(4, 3).weight.detach().numpy(), 1e-6
        )
