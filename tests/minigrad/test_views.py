"""Views and changes in place that are refused: where a view was made, or its base changed, matters as in torch."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import minigrad

from .differential import outcome

VIEWS = {
    "index": lambda x: x[0],
    "view": lambda x: x.view(4),
    "t": lambda x: x.t(),
    "reshape": lambda x: x.reshape(4),
    "unsqueeze": lambda x: x.unsqueeze(0),
    "view of a view": lambda x: x[0][1],
}


@pytest.mark.parametrize("call", VIEWS.values(), ids=VIEWS)
def test_a_view_made_under_no_grad(call: Any) -> None:
    def program(t: Any) -> None:
        with t.no_grad():
            view = call(x := t.ones(2, 2, requires_grad=True))
            view.add_(1)
        assert view.requires_grad and x.is_leaf and x[0, 1].item() == 2
        view.add_(1)

    mine, theirs = [outcome(lambda t=t: program(t)) for t in (minigrad, torch)]
    assert mine == theirs and mine[1] == "RuntimeError"


def test_a_view_made_before_its_base_required_grad() -> None:
    def program(t: Any) -> None:
        x = t.ones(2, 2)
        view = x[0]
        x.requires_grad_()
        view.add_(1)

    mine, theirs = [outcome(lambda t=t: program(t)) for t in (minigrad, torch)]
    assert mine[1] == theirs[1] == "RuntimeError" and mine[2][:40] == theirs[2][:40]


USES = {
    "slice": lambda t, x, v: v[:1],
    "multiply": lambda t, x, v: v * 2,
    "view": lambda t, x, v: v.view(4),
    "sum": lambda t, x, v: v.sum(),
    "cat": lambda t, x, v: t.cat([v, v]),
    "unbind": lambda t, x, v: v.unbind(),
    "backward": lambda t, x, v: (v * 1).backward(t.ones(4)),
    "grad": lambda t, x, v: t.autograd.grad(x.sum(), v),
    "hook": lambda t, x, v: v.register_hook(print).remove(),
    "write an element": lambda t, x, v: v.__setitem__(0, 1.0),
    "add to another": lambda t, x, v: t.ones(4).add_(v),
    "detach": lambda t, x, v: v.detach() + v.data,
    "flags": lambda t, x, v: (v.requires_grad, v.shape == (4,), v.tolist()),
    "the base": lambda t, x, v: t.autograd.grad(x.sum(), x),
}
CHANGES = {
    "nothing": lambda t, x, v: None,
    "itself, unrecorded": lambda t, x, v: t.no_grad()(v.mul_)(2),
    "its base, unrecorded": lambda t, x, v: t.no_grad()(x.mul_)(2),
    "its base, recorded": lambda t, x, v: x.mul_(2),
    "a view of it": lambda t, x, v: t.no_grad()(v[0].mul_)(2),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("again", [False, True], ids=["view", "recorded view of it"])
def test_a_view_made_under_no_grad_is_used(use: Any, change: Any, again: bool) -> None:
    def program(t: Any) -> Any:
        x = t.ones(2, 2, requires_grad=True) * 1
        with t.no_grad():
            view = x.view(-1)
        view = view.view(4) if again else view
        change(t, x, view)
        found = use(t, x, view)
        found = found if isinstance(found, tuple) else (found,)
        return [y.tolist() if isinstance(y, t.Tensor) else y for y in found]

    mine, theirs = [outcome(lambda t=t: program(t)) for t in (minigrad, torch)]
    assert mine[1] == theirs[1] and mine[2][:40] == theirs[2][:40], (mine, theirs)
    assert theirs[1] or str(mine[0])[:30] == str(theirs[0])[:30]


HANDED_ON = {
    "clone": lambda t, x: x.clone(),
    "plus": lambda t, x: x + 1,
    "view": lambda t, x: x.view(-1),
    "reshape": lambda t, x: x.reshape(3, 2),
    "t": lambda t, x: x.t(),
    "unsqueeze": lambda t, x: x.unsqueeze(1),
    "sum": lambda t, x: x.sum(0),
    "times": lambda t, x: x * 1,
    "flip": lambda t, x: x.flip(0),
    "slice": lambda t, x: x[:1],
    "in place": lambda t, x: x.clone().add_(1),
}


@pytest.mark.parametrize("call", HANDED_ON.values(), ids=HANDED_ON)
@pytest.mark.parametrize("recorded", [False, True])
def test_a_gradient_of_a_sum_is_written_to(call: Any, recorded: bool) -> None:
    def program(t: Any) -> Any:
        x = t.ones(2, 3, requires_grad=True)
        (grad,) = t.autograd.grad(call(t, x).sum(), x, create_graph=recorded)
        with t.no_grad():
            grad[:1, :1].mul_(2)
            found = grad.tolist()
            try:
                grad.mul_(t.ones(2, 3))
            except RuntimeError as error:
                found.append(str(error))
        grad.mul_(x)
        return found

    mine, theirs = [outcome(lambda t=t: program(t)) for t in (minigrad, torch)]
    assert mine[:2] == theirs[:2] and mine[2][:40] == theirs[2][:40], (mine, theirs)


def test_a_number_keeps_its_version_counter_when_its_memory_is_shared() -> None:
    x = minigrad.tensor(2.0, requires_grad=True)
    y = x * x
    counter = x._versions
    x.data.mul_(3)
    assert x._versions is counter and x._version == 0
    y.backward()
    assert x.grad is not None and x.grad.item() == 12  # by the value that is there, as in torch
    y = x * x
    x.detach().add_(1)
    assert x._versions is counter and x._version == 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation.* is at version 1; expected version 0"):
        y.backward()


@pytest.mark.parametrize("change", ["nothing", "view", "base"])
def test_a_view_of_what_came_to_require_grad_later(change: str) -> None:
    def program(t: Any) -> Any:
        base = t.ones(2, 2)
        view = base[0]
        base.requires_grad_()
        with t.no_grad():
            if change != "nothing":
                (view if change == "view" else base).mul_(2)
        (view * 3).sum().backward()
        return base.grad if base.grad is None else base.grad.tolist()

    mine, theirs = program(minigrad), program(torch)
    assert mine == theirs and (mine is None) == (change == "nothing")
