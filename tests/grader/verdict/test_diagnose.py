"""What follows from an earlier mistake is said to do so, whether that mistake has a name or not."""

import pytest

import minigrad
from grader.chapters import exercise_named
from grader.verdict import probe
from grader.verdict.assess import assess
from grader.verdict.finding import Finding
from grader.verdict.render import plain, report
from minigrad import workshop
from minigrad.core.function import Function
from tests.verification.cases import drawn


class WrongSub(Function):
    """Wrong in a way that no misconception has."""

    def forward(self, x, y):
        return x - y

    def backward_x(self, grad):
        return grad

    def backward_y(self, grad):
        return -3 * grad


def results(definitions, *names):
    """The results of a chapter's exercises, one after the other, as grading reaches them."""
    found = []
    for name in names:
        exercise = exercise_named(name)
        inputs = drawn(exercise, 0)
        with workshop.using(**workshop.own_parts(exercise.chapter) | definitions):
            answer = probe.observe(exercise.probe, minigrad, exercise.twin(minigrad), inputs)
        found.append(assess(exercise, inputs, answer, found))
    return found


def test_what_runs_on_a_part_that_is_wrong_without_a_name_is_said_to():
    sub, power, paths = results({"Sub": WrongSub}, "neg-sub", "pow", "paths")
    assert not sub.findings["Sub"].cause and power.right
    finding = paths.findings["backpropagate"]
    assert finding.advice.startswith("Your backpropagate runs on Sub, which is not right yet: put Sub right first")
    assert finding.section == "Neg and Sub" and not finding.cause
    assert finding.sentence() == f"{finding.message} {finding.advice}"
    assert "put Sub right first" in report(paths)


def test_only_the_first_mistake_is_pointed_to():
    *_, last = results({"Sub": WrongSub}, "neg-sub", "paths", "polynomial")
    assert "backpropagate" not in last.findings["differentiate"].advice


def test_a_mistake_of_its_own_keeps_its_name():
    class MulLikeAdd(Function):
        def forward(self, x, y):
            return x * y

        def backward_x(self, grad):
            return grad

        def backward_y(self, grad):
            return grad

    _, mul = results({"Sub": WrongSub, "Mul": MulLikeAdd}, "neg-sub", "mul")
    assert mul.findings["Mul"].cause == "mul-like-add"


@pytest.mark.parametrize(
    "finding, follows",
    [
        (Finding("values", advice="Put Sub right first."), True),
        (Finding("values", cause="follows from Sub", advice="This follows from Sub."), True),
        (Finding("values", cause="mul-like-add", advice="Your Mul …"), False),
        (Finding("values"), False),
    ],
)
def test_a_finding_knows_whether_it_follows_from_another(finding, follows):
    assert finding.follows == follows


def test_a_long_text_ends_with_a_whole_word():
    text = plain("gradients " * 60)
    assert len(text) <= 400 and text.endswith("gradients …")
    assert plain("x" * 500, 20) == "x" * 18 + " …"
    message = probe.describe_error(ValueError("several words " * 40))["message"]
    assert len(message) <= 300 and message.endswith(("several …", "words …"))
