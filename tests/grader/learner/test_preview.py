"""The finished engine at work, in chapter 0: the same on minigrad and on torch, and on torch where parts are missing."""

import pytest
import torch

import minigrad
from grader.learner import preview
from minigrad import workshop


@pytest.mark.parametrize("engine", [minigrad, torch], ids=lambda engine: engine.__name__)
def test_it_learns_digits_and_sums(engine, capsys):
    preview.show(engine, passes=2, steps=300)
    out = capsys.readouterr().out
    assert f"{engine.__name__} learns to read digits:" in out and "after 2 of 2 passes it reads 8" in out
    assert "read as 2" in out and "after 300 steps: two plus one is three, zero plus three is three" in out


def test_both_engines_learn_the_same():
    (mine, *_), (theirs, *_) = (list(preview.digits(engine, 1)) for engine in (minigrad, torch))
    assert mine == theirs
    assert list(preview.sums(minigrad, 30)) == list(preview.sums(torch, 30))


def test_where_parts_are_taken_out_torch_takes_over(capsys):
    assert preview.engine() is minigrad
    workshop.open(0)
    try:
        assert preview.engine() is torch
    finally:
        workshop.places.clear(max(part.chapter for part in workshop.PARTS) + 1)
    assert preview.engine() is minigrad
