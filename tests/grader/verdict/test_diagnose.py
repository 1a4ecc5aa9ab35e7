"""What a finding says of a part that is right and waits for another, and how long its texts are."""

import numpy as np
import pytest

from grader.ask.exercise import PUBLIC_SECRET, generator
from grader.chapters import CHAPTERS, exercise_named
from grader.chapters.answers import BANK
from grader.verdict import probe
from grader.verdict.assess import of_findings
from grader.verdict.diagnose import answer_like, answer_with, same, waits_for
from grader.verdict.finding import RIGHT, Finding, right_but_waiting
from grader.verdict.render import plain, report
from minigrad.core.function import Function
from minigrad.rules.linalg import Product
from tests.verification.cases import define, drawn, exercise_of, result_of


def test_a_right_part_waits_for_what_it_runs_on_and_for_nothing_else():
    exercise = exercise_named("paths")
    inputs = exercise.draw(generator(PUBLIC_SECRET, "", exercise.name))
    wrong = [("add", "Add"), ("polynomial", "polynomial"), ("neg-sub", "Sub")]
    assert waits_for(exercise, "backpropagate", inputs, wrong) == ["Add", "Sub"]


def test_it_is_right_and_says_what_it_waits_for():
    finding = right_but_waiting(["Add", "Sub"])
    assert finding.right and finding.waits == "Add and Sub"
    result = of_findings(exercise_named("paths"), {"backpropagate": finding})
    assert result.right and result.score == 4
    assert result.sentences() == [finding.message] and finding.message.startswith("Right; waits for Add and Sub: ")
    assert "backpropagate: Right; waits for Add and Sub" in report(result)


def test_of_several_parts_each_that_waits_is_named():
    exercise = exercise_named("polynomial")
    found = {"polynomial": RIGHT, "differentiate": right_but_waiting(["Mul"])}
    assert of_findings(exercise, found).sentences() == [f"differentiate: {found['differentiate'].message}"]
    undone = {"polynomial": Finding("not done", message="Not done yet."), "differentiate": RIGHT}
    assert of_findings(exercise, undone).score == exercise.points["differentiate"]


@pytest.mark.parametrize(
    "name, part, words",
    [
        ("mul", "Mul", "the same as torch.autograd, to rounding"),
        ("square", "square", "the same as torch, to rounding"),
        ("sketch", "Sketch", "the same as the course's own Sketch"),
        ("counting", "count_nodes", "the same as a count in torch.autograd's own graph"),
    ],
)
def test_what_is_right_says_what_it_is_the_same_as(name, part, words):
    exercise = exercise_named(name)
    for finding in (RIGHT, right_but_waiting(["Add"])):
        said = of_findings(exercise, dict.fromkeys(exercise.points, finding)).findings[part].message
        assert said.startswith("Right") and said.endswith(f" {words}.")


def test_it_is_said_of_parts_that_there_are():
    for exercise in [one for some in CHAPTERS.values() for one in some]:
        assert {*exercise.agrees, *exercise.tried} <= {*exercise.points}


WALKS = {
    "each path by calls": """
def count_nodes(node):
    def below(node):
        return {node}.union(*(below(one) for one in node.edges if one is not None))
    return len(below(node))
""",
    "level by level": """
def count_nodes(node):
    seen, level = set(), [node]
    while level:
        seen.update(level)
        level = [below for one in level for below, _ in one.next_functions if below is not None]
    return len(seen)
""",
}


@pytest.mark.parametrize("walk", WALKS)
def test_a_walk_along_every_path_is_stopped_and_named(walk):
    finding = said_of("counting", "count_nodes", WALKS[walk])
    assert finding.cause == "count-walks-every-path" and "visits no node twice" in finding.message


@pytest.mark.parametrize("x", ["grad @ y", "y @ grad"])
@pytest.mark.parametrize("y", ["x @ grad", "grad @ x"])
def test_two_products_without_a_transpose_are_named_in_any_order_of_their_factors(x, y):
    text = f"""
class MatMul(Product):
    def forward(self, x, y):
        self.ranks = x.ndim, y.ndim
        return x @ y
    def backward_x(self, grad, y):
        return {x}
    def backward_y(self, grad, x):
        return {y}
"""
    assert said_of("matmul", "MatMul", text).cause == "matmul-no-transposes"


def said_of(name, part, text, seed=0):
    names = {"Function": Function, "Product": Product, "np": np}
    exec(text, names)
    exercise = exercise_of(name)
    return result_of(exercise, drawn(exercise, seed), {part: names[part]}).findings[part]


def test_of_two_mistakes_the_bank_names_what_it_knows_and_a_relation_says_the_rest():
    text = """
class Sub(Function):
    def forward(self, x, y):
        return y - x
    def backward_x(self, grad):
        return 3 * grad
    def backward_y(self, grad):
        return -grad
"""
    finding = said_of("neg-sub", "Sub", text)
    assert finding.cause == "" and "Your forward subtracts the first input from the second" in finding.advice
    assert "the gradient of x is 3 times torch's" in finding.advice


def test_a_part_of_a_misconception_is_not_taken_for_it():
    text = """
class Mul(Function):
    def forward(self, x, y):
        return x + 2 * y
    def backward_x(self, grad, x):
        return grad * x
    def backward_y(self, grad, x):
        return grad * x
"""
    finding = said_of("mul", "Mul", text)
    assert "Your Mul hands each operand its own value" not in finding.sentence()


def test_a_misconception_in_one_rule_is_said_to_be_in_that_one():
    text = """
class MatMul(Product):
    def forward(self, x, y):
        self.ranks = x.ndim, y.ndim
        return x @ y
    def backward_x(self, grad, y):
        return grad @ y.mT
    def backward_y(self, grad, x):
        return grad.mT @ x
"""
    finding = said_of("matmul", "MatMul", text)
    assert finding.cause == "matmul-result-transposed"
    assert finding.advice.endswith("It is so of the gradient of y; the gradient of x is right.")


def test_of_two_rules_each_gets_its_own_sentence():
    text = """
class MatMul(Product):
    def forward(self, x, y):
        self.ranks = x.ndim, y.ndim
        return x @ y
    def backward_x(self, grad, y):
        return grad @ y
    def backward_y(self, grad, x):
        return 3 * (x.mT @ grad)
"""
    finding = said_of("matmul", "MatMul", text)
    assert "multiplies without a transpose" in finding.advice and "It is so of the gradient of x." in finding.advice
    assert "The gradient of y in x @ y" in finding.message and "every element is 3 times torch's" in finding.message


def test_two_known_mistakes_in_one_function_are_both_named():
    text = """
def layer_by_hand(x, y, w, b):
    z_grad = y - 1 / (1 + np.exp(-(x @ w)))
    return np.outer(x, z_grad), z_grad
"""
    text = text.replace("y - 1 / (1 + np.exp(-(x @ w)))", "(y - 1 / (1 + np.exp(-(x @ w)))) / y.size")
    finding = said_of("layer-by-hand", "layer_by_hand", text)
    assert finding.cause == "layer-hand-sign and layer-hand-forgets-bias"


def test_two_known_mistakes_in_what_a_function_returns_are_both_said():
    text = """
def diamond(a, b):
    y = a * a + b
    y_grad = b + 2 * y * a
    return y_grad, y * y + y_grad * a, 2 * y_grad
"""
    advice = said_of("diamond", "diamond", text).advice
    assert "counts one of the two inputs of u = a·a" in advice and "The gradient of b is twice" not in advice


def test_a_flag_that_is_set_is_no_number_that_is_written():
    text = """
def fine_tune(x, y, w1, b1, w2, b2):
    for parameter in (w1, b1, w2):
        parameter.requires_grad_(False)
    hidden = (x @ w1 + b1).sigmoid()
    loss = ((hidden @ w2 + b2 - y) ** 2).mean()
    loss.backward()
    return hidden, loss
"""
    sentence = said_of("frozen", "fine_tune", text).sentence()
    assert "Your fine_tune sets requires_grad of w2" in sentence and "writes into" not in sentence


def test_what_a_call_writes_into_is_said_beside_wrong_numbers():
    text = """
class Mul(Function):
    def forward(self, x, y):
        x *= y
        return x
    def backward_x(self, grad, y):
        return grad * y
    def backward_y(self, grad, x):
        return 5 * grad * x
"""
    assert "The forward of your Mul writes into what it is handed" in said_of("mul", "Mul", text).advice


def test_an_error_that_comes_later_is_said_too():
    text = """
class Add(Function):
    def forward(self, x, y):
        return x - y
    def backward_x(self, grad):
        return 1
    def backward_y(self, grad):
        return grad
"""
    finding = said_of("add", "Add", text)
    assert "differs from torch's" in finding.message and "it has to return an array" in finding.advice


def test_a_long_text_ends_with_a_whole_word():
    text = plain("gradients " * 60)
    assert len(text) <= 400 and text.endswith("gradients …")
    assert plain("x" * 500, 20) == "x" * 18 + " …"
    message = probe.describe_error(ValueError("several words " * 40))["message"]
    assert len(message) <= 300 and message.endswith(("several …", "words …"))


def test_a_mistake_that_is_asked_until_it_differs_is_told_from_others_as_by_its_whole_answer():
    exercise = exercise_named("mul")
    inputs = drawn(exercise, 0)
    whole = {one.name: answer_with(exercise, inputs, {"Mul": one.definition}) for one in BANK["mul"]}
    for one in BANK["mul"]:
        for seen in whole.values():
            like = answer_like(seen, exercise, inputs, {"Mul": one.definition})
            assert (like is not None) == same(seen, whole[one.name])
            assert like is None or same(like, whole[one.name])


EMPTY = """
class Mul(Function):
    def forward(self, x, y):
        return x * y

    def backward_x(self, grad, y):
        return np.zeros(0, grad.dtype)

    def backward_y(self, grad, x):
        return grad * x
"""


def test_a_gradient_of_another_shape_is_no_proof_of_any_mistake_that_gives_one():
    exercise = exercise_named("mul")
    found = result_of(exercise, drawn(exercise, 0), define(exercise, EMPTY)).findings["Mul"]
    assert not found.cause and "another shape than its input" in found.message
