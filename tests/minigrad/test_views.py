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
