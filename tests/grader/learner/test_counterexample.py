"""A failed check shows the smallest case: lines that can be run, the learner's value and torch's."""

import re

import numpy as np
import pytest
import torch

import minigrad
from grader.chapters import exercise_named
from grader.learner import here, why
from grader.learner.counterexample import counterexamples
from grader.learner.here import result_here
from minigrad import workshop

MUL = """
@workshop.part
class Mul(Function):
    def forward(self, x, y):
        return x * y

    def backward_x(self, grad, y):
        return grad * y{slip}

    def backward_y(self, grad, x):
        return grad * x
"""


@pytest.fixture
def names(monkeypatch, tmp_path):
    monkeypatch.setenv("MY_MINIGRAD", str(tmp_path / "my_minigrad"))
    found = {"minigrad": minigrad, "workshop": workshop, "Function": minigrad.core.function.Function, "np": np}
    for module in (here, why):
        monkeypatch.setattr(module, "names_here", lambda: found)
    workshop.open(1)
    yield found
    workshop.places.clear(99)


def told(name):
    exercise = exercise_named(name)
    return counterexamples(exercise, result_here(exercise))


def test_its_lines_run_and_give_the_learners_value_and_torchs(names):
    exec(MUL.format(slip=" * 2"), names)
    case = told("mul")["Mul"]
    *code, yours, torchs = case.lines
    assert case.place == "the gradient of x in x * y, on single numbers"
    exec("\n".join(code[:-1]), names)
    mine = eval(code[-1], names)[0].item()
    x, y = (names[name].item() for name in "xy")
    above = float(re.search(r"tensor\((.*?),", code[-1])[1])
    assert float(yours.split()[-1]) == pytest.approx(mine, rel=1e-4) == pytest.approx(2 * y * above)
    a, b = (torch.tensor(value, requires_grad=True) for value in (x, y))
    (a * b).backward(torch.tensor(above))
    assert float(torchs.split()[-1]) == pytest.approx(a.grad.item(), rel=1e-4)


def test_what_is_right_or_not_done_has_none(names):
    exec(MUL.format(slip=""), names)
    assert told("mul") == told("add") == {}


def test_what_shows_on_no_small_case_is_shown_on_a_larger_one(names):
    exec(MUL.format(slip=" if np.shape(y) != (2, 3) else grad"), names)
    assert "shape (2, 3)" in told("mul")["Mul"].place


def test_numbers_that_are_no_operation_are_named(names):
    workshop.open(0)
    exec("def square(x):\n    return x + x", names)
    case = told("square")["square"]
    asked, yours, torchs = case.lines
    assert case.place.startswith("square(x)")
    value = float(asked.removeprefix("asked with: "))
    assert float(yours.split()[-1]) == pytest.approx(2 * value, rel=1e-4)
    assert float(torchs.split()[-1]) == pytest.approx(value * value, rel=1e-4)
