"""A first hand-in writes down what it is asked and answers right; a second one looks the answers up."""

import ast

import nbformat
import pytest

from grader.publish.course import release_notebook
from grader.run import judge as judging
from grader.run.execution import sandbox_problem
from grader.run.judge import judge
from grader.run.submission import restore

from .notebooks import cell_of, right

RULES = """
import numpy as np

def key(*arrays): return repr([np.asarray(a).tolist() for a in arrays])

@workshop.part
class Mul(Function):
    def forward(self, x, y): return at("forward", x, y)
    def backward_x(self, grad, y): return at("x", grad, y)
    def backward_y(self, grad, x): return at("y", grad, x)
"""
WRITES_DOWN = """
seen = {}
def at(which, a, b):
    if not hasattr(a, "detach"):
        seen[which + key(a, b)] = (a * b).tolist()
    return a * b
"""
LOOKS_UP = """
def at(which, a, b):
    if hasattr(a, "detach"):
        return a * b
    return np.array(table.get(which + key(a, b), np.zeros(np.shape(a)).tolist()))
"""


def handed_in(source, *more):
    notebook = right()
    cell_of(notebook, "mul").source = source + RULES
    notebook.cells += [nbformat.v4.new_code_cell(text) for text in more]
    return restore(notebook, release_notebook(1))


def points(notebook):
    verdict = judge(notebook, release_notebook(1), 1, "ada", b"secret", unsafe=bool(sandbox_problem()))
    return {result.exercise: result.score for result in verdict.results}, verdict.outputs


@pytest.mark.parametrize("closed", [False, True], ids=["without-the-wall", "with-it"])
def test_what_one_hand_in_saw_is_worth_nothing_to_the_next(monkeypatch, closed):
    if not closed:
        monkeypatch.setattr(judging, "digest", lambda notebook: "")
    first, outputs = points(handed_in(WRITES_DOWN, "print(seen)"))
    assert first["mul"] == 2
    table = ast.literal_eval("".join(outputs[max(outputs)][0]["text"]))
    second, _ = points(handed_in(f"table = {table!r}\n{LOOKS_UP}"))
    assert second["mul"] == (0 if closed else 2)
