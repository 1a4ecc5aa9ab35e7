"""A small number of random programs; the full run is `python -m tests.minigrad.fuzz --programs 10000`."""

from __future__ import annotations

import pytest

from .fuzz.programs import write
from .fuzz.run import compare, shrink, snippet


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_random_programs(first: int) -> None:
    for seed in range(first, first + 50):
        problem = compare(write(seed))
        assert problem is None, f"program {seed}: {problem}\n{snippet(shrink(write(seed)))}"


def test_a_wrong_rule_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from minigrad.rules import arithmetic

    monkeypatch.setattr(arithmetic.Mul, "backward_x", lambda self, grad, y: grad)
    monkeypatch.setattr(arithmetic.Mul, "plans", {})
    assert any(compare(write(seed)) for seed in range(20))
