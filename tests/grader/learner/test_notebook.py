"""What a learner's own check looks at, and what it does not let through."""

import builtins
import linecache
import re
import sys

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import minigrad
from grader.learner import here, notebook, why
from minigrad import workshop
from minigrad.workshop import source


@pytest.fixture
def names(monkeypatch, tmp_path):
    """The notebook's names, with chapter 1 open."""
    monkeypatch.setenv("MY_MINIGRAD", str(tmp_path / "my_minigrad"))
    found = {"minigrad": minigrad, "workshop": workshop, "Function": minigrad.core.function.Function}
    for module in (here, why):
        monkeypatch.setattr(module, "names_here", lambda: found)
    workshop.open(1)
    yield found
    workshop.places.clear(99)


def run(text, names):
    file = f"<ipykernel cell {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), names)


NEG = """
@workshop.part
class Neg(Function):
    def forward(self, x):
        return {value}

    def backward_x(self, grad):
        return {rule}
"""


def printed(capsys, exercise):
    capsys.readouterr()
    try:
        notebook.check(exercise)
    except notebook.NotRight as error:
        print(error)
    return capsys.readouterr().out


def test_a_right_part_is_kept_and_one_that_is_missing_is_named(names, capsys):
    run(NEG.format(value="-x", rule="-grad"), names)
    out = printed(capsys, "neg-sub")
    assert "Neg: Right: the same as torch.autograd, to rounding." in out
    assert "Sub: Not done yet: Sub is built in chapter 1, here: run the cell that defines it." in out
    assert "Neg is kept in my_minigrad/." in out


@pytest.mark.parametrize(
    "value, rule, words",
    [
        ("-x", "grad", "passes the gradient on with its sign unchanged"),
        ("-x", "-1", "Neg.backward_x returned -1, of type int; it has to return an array."),
        ("-x", "None", "Neg.backward_x returned None: is its `return` missing?"),
        ("None", "-grad", "Neg.forward returned None: is its `return` missing?"),
        ("minigrad.tensor(1.0)", "-grad", "Neg.forward returned tensor(1.), of type Tensor; it has to"),
    ],
)
def test_a_wrong_part_is_explained(names, capsys, value, rule, words):
    run(NEG.format(value=value, rule=rule), names)
    assert words in printed(capsys, "neg-sub")


def test_a_rule_whose_name_is_misspelt_is_missed(names, capsys):
    run(NEG.format(value="-x", rule="-grad").replace("backward_x", "backwardx"), names)
    said = "Your Neg has no backward_x: the method of that name is asked for the gradient of x."
    assert said in printed(capsys, "neg-sub")
    run(NEG.format(value="-x", rule="-grad"), names)
    assert said not in printed(capsys, "neg-sub")


def test_inputs_may_have_names_of_the_learners_own(names, capsys):
    mine = NEG.format(value="-x", rule="grad").replace("self, x", "self, a").replace("-x", "-a")
    run(mine.replace("backward_x", "backward_a"), names)
    assert "Your Neg has no backward" not in printed(capsys, "neg-sub")
    run(mine, names)
    assert "Your Neg has no backward_a: the method of that name is asked for the gradient of a." in printed(
        capsys, "neg-sub"
    )


@pytest.mark.parametrize("exercise", ["neg-sub", "paths"])
def test_what_the_learners_code_prints_is_printed_once(names, capsys, exercise):
    for name in ("Add", "Mul", "Sub", "Pow", "backpropagate"):
        workshop.places.install(workshop.places.find(name), workshop.own_parts(1)[name])
    run(NEG.format(value="print('here') or -x", rule="-1.0 * grad"), names)
    right = printed(capsys, exercise).count("here")
    run(NEG.format(value="print('here') or -x", rule="-1.5 * grad"), names)
    assert printed(capsys, exercise).count("here") == right > 0


def test_a_class_that_is_no_function_is_told_so(names, capsys):
    run(NEG.format(value="-x", rule="-grad").replace("(Function)", ""), names)
    assert "Your Neg is no Function: begin with `class Neg(Function):`." in printed(capsys, "neg-sub")


def test_torch_does_not_help_a_check_as_it_does_not_help_when_graded(names, capsys):
    import torch

    names["torch"] = torch
    run(NEG.format(value="-x", rule="torch.neg(torch.tensor(grad)).numpy()"), names)
    assert "torch is not there when your work is graded" in printed(capsys, "neg-sub")
    assert names["torch"] is torch and sys.modules["torch"] is torch


def test_a_definition_that_is_not_in_the_engine_is_noticed(names, capsys):
    run(NEG.format(value="-x", rule="-grad"), names)
    run(NEG.format(value="-x", rule="grad").replace("@workshop.part", ""), names)
    assert "Your Neg is not in the engine: put @workshop.part above it" in printed(capsys, "neg-sub")


def test_a_definition_that_was_never_in_the_engine_is_noticed(names, capsys):
    run(NEG.format(value="-x", rule="-grad").replace("@workshop.part", ""), names)
    assert "Your Neg is not in the engine: put @workshop.part above it" in printed(capsys, "neg-sub")


def test_a_check_that_is_not_right_fails_with_one_line_and_says_nothing_twice(names, capsys):
    with pytest.raises(notebook.NotRight) as caught:
        notebook.check("neg-sub")
    (line,) = caught.value._render_traceback_()
    assert line == "NotRight: “Neg and Sub” is not right yet: what stands above says why."
    assert capsys.readouterr().out.count("Neg: Not done yet") == 1


def test_its_line_names_the_section_that_the_card_names(names, capsys):
    run(NEG.format(value="-x", rule="grad"), names)
    with pytest.raises(notebook.NotRight, match="says why. Read again: the section “Neg and Sub”.$"):
        notebook.check("neg-sub")
    assert "Read again: the section “Neg and Sub”." in capsys.readouterr().out


def test_notebooks_of_1_0_0_ask_by_another_name():
    assert notebook.graded is notebook.check


def test_an_unknown_exercise_is_answered_with_the_known_ones(names, capsys):
    assert "There is no exercise 'mull'; those with the nearest names are mul," in printed(capsys, "mull")
    assert 'Name an exercise in quotation marks: check("mul").' in printed(capsys, notebook)


@pytest.mark.parametrize("rule", ["grad", "-1.5 * grad"])  # one has a name in the bank, the other has none
@pytest.mark.parametrize("walk_is_right", [True, False])
def test_a_right_part_is_right_and_waits_for_the_one_that_is_not(names, capsys, walk_is_right, rule):
    own = workshop.own_parts(1)
    for name in ("Add", "Mul", "Sub", "Pow", "backpropagate"):
        workshop.places.install(workshop.places.find(name), own[name])
    if not walk_is_right:
        workshop.places.install(workshop.places.find("backpropagate"), lambda node, grad: None)
    run(NEG.format(value="-x", rule=rule), names)
    assert ("backpropagate: Right; waits for Neg: " in printed(capsys, "paths")) == walk_is_right
    run(NEG.format(value="-x", rule="-grad"), names)
    assert "waits" not in printed(capsys, "paths")


CARRIED = """
class Mul(Function):
    def forward(self, x, y):
        return x * y

    def backward_x(self, grad, y):
        return {rule}

    def backward_y(self, grad, x):
        return grad * x
"""
SECOND = """
def second_derivative(f, x):
    (first,) = minigrad.autograd.grad(f(x).sum(), x, create_graph=True)
    (second,) = minigrad.autograd.grad(first.sum(), x)
    return {answer}
"""


@pytest.mark.parametrize("rule, answer", [("np.multiply(grad, y)", "second"), ("grad * y", "2 * second")])
def test_a_right_answer_on_a_kept_part_that_is_not_names_that_part(names, capsys, rule, answer):
    workshop.open(9)
    names["np"] = np
    run(CARRIED.format(rule=rule), names)
    workshop.places.install(workshop.places.find("Mul"), names["Mul"])  # as it comes from my_minigrad/
    run(SECOND.format(answer=answer), names)
    out = printed(capsys, "second-derivative")
    if answer == "second":
        assert "second_derivative: Right; waits for Mul: " in out
        assert "Your Mul of chapter 1 is in my_minigrad/: mend it in its chapter" in out
        notebook.check("second-derivative")
    else:
        assert "second_derivative: not right yet." in out and "waits" not in out
        with pytest.raises(notebook.NotRight):
            notebook.check("second-derivative")


def test_an_interrupted_check_says_in_one_line_where_the_code_was(names):
    def stop():
        raise KeyboardInterrupt

    run(NEG.format(value="-x", rule="stop()"), names | {"stop": stop})
    with pytest.raises(notebook.Stopped, match=r"your code was at: return stop\(\) \(line 8\)\.") as caught:
        notebook.check("neg-sub")
    assert len(caught.value._render_traceback_()) == 1


def test_an_interrupt_while_the_reason_is_looked_for_is_one_line_too(names, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    run(NEG.format(value="-x", rule="grad"), names)
    monkeypatch.setattr(why, "shaped_otherwise", stop)
    with pytest.raises(notebook.Stopped, match=r"^The check was interrupted; run it again\.$"):
        notebook.check("neg-sub")


# ---------------------------------------------------------------------- what a check cannot look at


@pytest.fixture
def cell(names, monkeypatch, capsys):
    """Run a cell in IPython, and see what it prints."""
    shell = InteractiveShell(user_ns=names, config=Config(HistoryManager={"enabled": False}))
    monkeypatch.setattr(builtins, "get_ipython", lambda: shell, raising=False)

    def run_cell(text):
        capsys.readouterr()
        shell.run_cell(text, store_history=True)
        return capsys.readouterr().out

    return run_cell


RIGHT_NEG = NEG.format(value="-x", rule="-grad")
RIGHT_SUB = "\n@workshop.part\n" + source.reference(workshop.places.find("Sub"))


@pytest.mark.parametrize(
    "text, words",
    [
        (RIGHT_NEG.replace("Function):", "Function)"), r"SyntaxError: expected ':' \(line 2\)"),
        (RIGHT_NEG.replace("    return -x", "return -x"), r"IndentationError: .* \(line \d\)"),
        (
            RIGHT_NEG.replace("    def forward(self, x)", "    a = b\n    def forward(self, x)"),
            "NameError: name 'b' .*",
        ),
    ],
)
def test_a_cell_that_stopped_is_named_at_each_check_until_it_runs(names, cell, text, words):
    names.update(check=notebook.check)
    said = rf"^Your cell stopped with {words}; what is checked is what ran before it\.$"
    cell(text.strip())
    for _ in range(2):
        assert re.search(said, cell('check("neg-sub")'), re.MULTILINE)
    cell(RIGHT_NEG)
    assert cell('check("neg-sub")').startswith("Neg: Right")


def test_a_check_says_that_the_last_definition_is_not_what_was_compared(names, cell):
    names.update(check=notebook.check)
    cell(RIGHT_NEG + RIGHT_SUB)
    assert cell('check("neg-sub")').startswith("Neg: Right")
    cell(RIGHT_NEG.replace("@workshop.part", ""))
    assert cell('check("neg-sub")').startswith("Your Neg is not in the engine: put @workshop.part above it")
    cell(RIGHT_NEG.replace("Function):", "Function)").strip())
    assert cell('check("neg-sub")').startswith("Your cell stopped with SyntaxError")


@pytest.mark.parametrize("line, said", [("import torch", True), ("from torch import nn", True), ("x = 'torch'", False)])
def test_a_cell_that_could_not_run_without_torch_is_named(names, cell, line, said):
    names.update(check=notebook.check)
    cell(f"{line}\n{RIGHT_NEG}")
    out = cell('check("neg-sub")')
    assert out.startswith("Your cell imports torch, which is not there when your work is graded") == said
    assert "Neg: Right" in out


def test_a_failed_check_is_no_reason_to_doubt_the_next_one(names, cell):
    names.update(check=notebook.check)
    cell(RIGHT_NEG)
    assert "NotRight: “Neg and Sub” is not right yet" in cell('check("neg-sub")')
    assert cell('check("neg-sub")').startswith("Neg: Right")


@pytest.mark.parametrize(
    "error, words",
    [
        (ModuleNotFoundError("No module named 'torch'", name="torch"), "install it with `pip install torch==2.13.0`"),
        (ModuleNotFoundError("No module named 'sympy'", name="sympy"), "does not start (ModuleNotFoundError: No mod"),
        (OSError("libtorch_cpu.so: cannot open\nmore"), "does not start (OSError: libtorch_cpu.so: cannot open): run"),
    ],
)
def test_without_a_torch_that_starts_a_check_says_what_to_do(names, capsys, monkeypatch, error, words):
    class Missing:
        def find_spec(self, name, path=None, target=None):
            if name == "torch":
                raise error

    run(RIGHT_NEG, names)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Missing(), *sys.meta_path])
    said = printed(capsys, "neg-sub")
    assert words in said and len(said.splitlines()) == 1
