"""A failed check shows the smallest case: lines that can be run, the learner's value and torch's."""

import ast
import contextlib
import re
import warnings

import numpy as np
import pytest
import torch

import minigrad
from grader.chapters import CHAPTERS, exercise_named
from grader.chapters.answers import BANK
from grader.learner import counterexample, here, notebook, why
from grader.learner.counterexample import SHOWN, asked_singly, counterexamples, smallest
from grader.learner.here import result_here
from grader.publish.course import release_notebook
from grader.run.submission import grade_id
from grader.verdict.assess import compared
from grader.verdict.evidence import read
from minigrad import workshop

EXERCISES = [exercise for chapter in CHAPTERS.values() for exercise in chapter]
NO_NUMBERS = {
    "gradient_edge",
    "record",
    "GradMode",
    "saved_tensors",
    "__setattr__",
    "named_parameters",
    "fan_in_uniform_",
}
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
    _, (mine, _) = eval(code[-1], names)
    x, y = (names[name].item() for name in "xy")
    above = float(re.search(r"array\((.*?)\)", code[-1])[1])
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


def test_a_function_is_called_by_its_name_on_an_array(names):
    workshop.open(0)
    exec("def square(x):\n    return x + x", names)
    case = told("square")["square"]
    given, call, yours, torchs = case.lines
    assert case.place.startswith("square(x)") and call == "square(x)"
    exec(given, names)
    assert float(yours.split()[-1]) == pytest.approx(eval(call, names), rel=1e-4)
    assert float(torchs.split()[-1]) == pytest.approx(names["x"] ** 2, rel=1e-4)


def imported(chapter):
    """The names that the chapter's notebook imports for the learner."""
    setup = next(cell.source for cell in release_notebook(chapter).cells if grade_id(cell) == "setup")
    imports = [node for node in ast.parse(setup).body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {}
    exec(compile(ast.Module(imports, []), "<imports>", "exec"), names)
    return names


@pytest.mark.parametrize("exercise", [one for one in EXERCISES if one.tried], ids=lambda e: e.name)
def test_what_is_to_be_tried_runs_in_the_notebooks_own_names_and_shows_a_value(exercise):
    own = workshop.own_parts(exercise.chapter)
    for part in exercise.tried:
        found = [
            lines for _, truth, lines in asked_singly(exercise, part) if any(one.values is not None for one in truth)
        ]
        assert any(found)
        for lines in filter(None, found):
            there = {**imported(exercise.chapter), **own, **exercise.twin(minigrad)}
            with workshop.using(**own), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec("\n".join(lines[:-1]), there)
                shown = eval(lines[-1], there)
            assert shown is not None or lines[-1].startswith("print(")


def test_what_takes_more_than_a_few_lines_has_none():
    assert all(lines == [] for _, _, lines in asked_singly(exercise_named("visit"), "visit_and_free"))


def wrong_answers(exercise, part):
    return [one.definition for one in BANK[exercise.name] if one.replaces == part]


@contextlib.contextmanager
def written(exercise, names, part, definition):
    """The block in which a part is defined so, and all else as minigrad has it."""
    own = workshop.own_parts(exercise.chapter)
    names |= {**exercise.twin(minigrad), part: definition}
    with workshop.using(**{**own, **({part: definition} if part in own else {})}), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_every_exercise_gives_a_verdict_and_a_case_for_wrong_numbers(exercise, names):
    workshop.places.clear(99)
    for part in exercise.points:
        for definition in wrong_answers(exercise, part):
            with written(exercise, names, part, definition):
                inputs = {part: here.public_inputs(exercise)[part]}
                finding = compared(exercise, inputs, read(here.answered(exercise, inputs, {})))[part].finding
                assert finding.kind != "right" and finding.message
                if finding.kind in SHOWN:
                    assert len(smallest(exercise, part).lines) > 1
                    break
        else:
            assert part in NO_NUMBERS


def test_what_differs_in_late_digits_is_shown_with_them(names):
    exec(MUL.format(slip=" + 1e-9"), names)
    mine, theirs = (line.split(": ")[1].strip() for line in told("mul")["Mul"].lines[-2:])
    assert mine != theirs and np.allclose(eval(mine), eval(theirs), atol=1e-7)


def test_the_jacobian_by_forward_differences_is_shown(names):
    exercise = exercise_named("jacobians")
    text = """
def numerical_jacobian(f, x, eps=1e-6):
    steps = eps * np.eye(x.size).reshape(x.size, *x.shape)
    return np.stack([np.ravel(f(x + step) - f(x)) / eps for step in steps], axis=1)
"""
    exec(text, names)
    workshop.places.clear(99)
    with written(exercise, names, "numerical_jacobian", names["numerical_jacobian"]):
        case = told("jacobians")["numerical_jacobian"]
    assert case.lines[-1].startswith("# torch's: [[")


def test_a_step_of_adam_is_shown_with_what_it_was_given(names):
    exercise = exercise_named("adam")
    definition = next(one.definition for one in BANK["adam"] if one.name == "adam-no-correction")
    with written(exercise, names, "adam_step", definition):
        case = smallest(exercise, "adam_step")
    assert (
        case.lines[1].startswith("optimizer = minigrad.optim.Adam([p1], lr=0.0") and case.lines[-3] == "optimizer.state"
    )


def test_a_search_that_fails_leaves_the_verdict(names, monkeypatch, capsys):
    def failing(exercise, part):
        raise IndexError("list index out of range")

    exec(MUL.format(slip=" * 2"), names)
    monkeypatch.setattr(counterexample, "smallest", failing)
    with pytest.raises(notebook.NotRight, match="is not right yet"):
        notebook.check("mul")
    assert "is twice torch's" in capsys.readouterr().out
