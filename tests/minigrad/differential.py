"""Run one piece of code on torch and on minigrad, and compare all that can be seen."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import minigrad

TOLERANCE = {"float32": (2e-4, 2e-5), "float64": (1e-8, 1e-10)}


def leaves(package: Any, arrays: list[np.ndarray]) -> list[Any]:
    """A leaf a float array, a constant an int or bool array: each package gets copies of its own."""
    return [package.tensor(a.copy(), requires_grad=a.dtype.kind == "f") for a in arrays]


def as_array(x: Any) -> np.ndarray:
    return x.numpy(force=True) if isinstance(x, torch.Tensor) else x.detach().numpy()


def assert_same(mine: Any, theirs: Any, what: str, loosen: float = 1.0) -> None:
    """The same shape, dtype, flags and (within rounding) values."""
    if isinstance(theirs, tuple | list):
        assert len(mine) == len(theirs), what
        for i, (a, b) in enumerate(zip(mine, theirs, strict=True)):
            assert_same(a, b, f"{what}[{i}]", loosen)
        return
    if not isinstance(theirs, torch.Tensor):
        assert type(mine) is type(theirs) and mine == theirs, f"{what}: {mine!r} is not {theirs!r}"
        return
    assert isinstance(mine, minigrad.Tensor), f"{what} is {type(mine)}"
    assert tuple(mine.shape) == tuple(theirs.shape), f"{what}: shape {mine.shape}, torch has {theirs.shape}"
    assert str(mine.dtype) == str(theirs.dtype), f"{what}: {mine.dtype}, torch has {theirs.dtype}"
    assert mine.requires_grad == theirs.requires_grad, f"{what}.requires_grad"
    assert mine.is_leaf == theirs.is_leaf, f"{what}.is_leaf"
    rtol, atol = TOLERANCE.get(str(theirs.dtype)[6:], (0, 0))
    np.testing.assert_allclose(as_array(mine), as_array(theirs), rtol * loosen, atol * loosen, err_msg=what)


def outcome(code: Callable[[], Any]) -> tuple[Any, str | None, str, list[str]]:
    """(result, error class, message, warnings): an outcome is compared, not only a value."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        try:
            result, error, message = code(), None, ""
        except Exception as problem:  # noqa: BLE001 - whatever it is, the other package must raise the same
            result, error, message = None, type(problem).__name__, str(problem)
    return result, error, message, [w.category.__name__ for w in caught]


def check_outcome(code: Callable[[Any], Any], what: str) -> None:
    """Given either package, the code has the same result; or the same error, message and warnings."""
    mine, theirs = outcome(lambda: code(minigrad)), outcome(lambda: code(torch))
    assert mine[1:] == theirs[1:], what
    if theirs[1] is None:
        assert_same(mine[0], theirs[0], what)


def check_operation(function: Callable[..., Any], arrays: list[np.ndarray], seed: int = 0, second: bool = True) -> None:
    """Value, gradient under a non-uniform upstream, and the gradient of that gradient."""
    draw = np.random.default_rng(seed)
    # A float64 result of a float32 input is as exact as float32: who converts first is not compared.
    loosen = 1e4 if len({a.dtype for a in arrays}) > 1 else 1.0
    mine, theirs = leaves(minigrad, arrays), leaves(torch, arrays)
    out, out_torch = function(minigrad, *mine), function(torch, *theirs)
    assert_same(out, out_torch, "value", loosen)
    if isinstance(out_torch, tuple | list):
        float_outs = [i for i, o in enumerate(out_torch) if o.requires_grad]
        out, out_torch = [out[i] for i in float_outs], [out_torch[i] for i in float_outs]
    else:
        out, out_torch = [out], [out_torch]
    if not out_torch or not out_torch[0].requires_grad:
        return
    upstream = [draw.uniform(0.5, 2.0, tuple(o.shape)).astype(str(o.dtype)[6:]) for o in out_torch]
    xs, ts = [x for x in mine if x.requires_grad], [x for x in theirs if x.requires_grad]

    def gradients(package: Any, outs: list[Any], inputs: list[Any], create_graph: bool) -> Any:
        seeds = [package.tensor(u) for u in upstream]
        return package.autograd.grad(
            outs, inputs, seeds, retain_graph=True, create_graph=create_graph, allow_unused=True
        )

    first, first_torch = gradients(minigrad, out, xs, False), gradients(torch, out_torch, ts, False)
    for i, (a, b) in enumerate(zip(first, first_torch, strict=True)):
        assert (a is None) == (b is None), f"gradient {i}: {a} and {b}"
        if b is not None:
            assert_same(a, b, f"gradient {i}", loosen)
    if not second:
        return
    first, first_torch = gradients(minigrad, out, xs, True), gradients(torch, out_torch, ts, True)
    pairs = [(a, b) for a, b in zip(first, first_torch, strict=True) if b is not None and b.requires_grad]
    if not pairs:
        return
    for a, b in pairs:  # a recorded gradient need not say so when it is a constant, but its value must agree
        np.testing.assert_allclose(as_array(a), as_array(b), 2e-4, 2e-5)
    pairs = [(a, b) for a, b in pairs if a.requires_grad]
    weights = [draw.uniform(0.5, 2.0, tuple(b.shape)).astype(str(b.dtype)[6:]) for _, b in pairs]
    curved = sum(
        ((a * minigrad.tensor(w)).sum() for (a, _), w in zip(pairs, weights, strict=True)), minigrad.tensor(0.0)
    )
    curved_torch = sum(
        ((b * torch.tensor(w)).sum() for (_, b), w in zip(pairs, weights, strict=True)), torch.tensor(0.0)
    )
    if not curved.requires_grad:
        return
    again = minigrad.autograd.grad(curved, xs, allow_unused=True)
    again_torch = torch.autograd.grad(curved_torch, ts, allow_unused=True)
    for i, (a, b) in enumerate(zip(again, again_torch, strict=True)):
        zero = np.zeros(tuple(ts[i].shape))
        np.testing.assert_allclose(
            zero if a is None else as_array(a), zero if b is None else as_array(b), 1e-3, 1e-3, err_msg=f"second {i}"
        )
