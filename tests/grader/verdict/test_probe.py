"""What is noticed around the calls of a learner's code, and that no value of a learner's ends a probe."""

import decimal
import fractions
import itertools
import json

import numpy as np
import pytest

import minigrad
from grader.chapters import exercise_named
from grader.verdict import probe
from grader.verdict.compare import compare
from grader.verdict.evidence import read
from minigrad.core.function import Function, gradient_edge, next_number
from tests.verification.cases import drawn, result_of


class NegInPlace(Function):
    """Right in its result, and wrong for whoever reads `grad` after it."""

    def forward(self, x):
        return -x

    def backward_x(self, grad):
        grad *= -1
        return grad


shared = []


def record_on_one_list(self, inputs, out):
    shared[:] = [gradient_edge(x) for x in inputs]
    self.edges = shared
    self.number = next_number()
    out.grad_fn = self


def finding(name, part, definition):
    exercise = exercise_named(name)
    return result_of(exercise, drawn(exercise, 0), {part: definition}).findings[part]


def test_an_array_that_a_rule_was_handed_is_looked_at_afterwards():
    found = finding("neg-sub", "Neg", NegInPlace)
    assert found.kind == "in place"
    assert found.message.startswith("The backward_x of your Neg writes into what it is handed: grad is another after")


def test_a_graph_is_looked_at_again_when_all_of_it_is_recorded():
    assert "when all is recorded" in finding("record", "record", record_on_one_list).place


def observed(ask, **names):
    """What a probe sees of a function of the learner's, asked twice."""
    return read(probe.observe(ask, minigrad, names, {"f": [1.0, 2.0]}, twice=True))


def asks(torch, given, part, inputs):
    yield "f(inputs)", given["f"](np.array(inputs))


def test_what_is_left_over_from_the_first_time_is_noticed():
    calls = itertools.count()
    seen = observed(asks, f=lambda x: x * (1 + (next(calls) > 0)))
    truth = observed(asks, f=lambda x: x)
    found = compare(seen, truth)
    assert found.kind == "again" and "not when the same is asked again" in found.message
    assert compare(observed(asks, f=lambda x: x + 0), truth).right


def test_what_changes_when_more_is_computed_is_noticed_where_torchs_does_not():
    def twice(torch, given, part, inputs):
        for shift in (0.0, 1.0):
            yield f"f(x + {shift})", given["f"](np.array(inputs) + shift)

    out = np.zeros(2)
    seen = read(probe.observe(twice, minigrad, {"f": lambda x: np.copyto(out, x) or out}, {"f": [1.0, 2.0]}))
    truth = read(probe.observe(twice, minigrad, {"f": lambda x: x}, {"f": [1.0, 2.0]}))
    found = compare(seen, truth)
    assert found.kind == "in place" and "do two results share one object?" in found.message


class Odd:
    """Answers every question with another one."""

    def __getattr__(self, name):
        raise OSError(name)


@pytest.mark.parametrize(
    "value, number",
    [
        (np.longdouble(0.5), 0.5),
        (np.float16(0.5), 0.5),
        (np.uint8(3), 3),
        (fractions.Fraction(1, 2), 0.5),
        (decimal.Decimal("0.5"), 0.5),
        (10**30, 1e30),
    ],
)
def test_a_number_of_any_type_is_read(value, number):
    (seen,) = read(json.dumps([["part", "place", probe.describe(value)]]))
    assert seen.kind == "number" and seen.values == number


@pytest.mark.parametrize("value", [Odd, np.array([None]), 10**400, np.datetime64("now"), [np.longdouble(1)], {}])
def test_no_value_ends_the_probe(value):
    value = Odd() if value is Odd else value
    (seen,) = read(json.dumps([["part", "place", probe.describe(value)]]))
    assert seen.values is None


def test_only_the_courses_own_words_mean_that_a_part_is_not_done():
    def refuses(torch, given, part, inputs):
        yield "2 * x ^ 4", 2 * torch.tensor(1.0) ^ 4

    def stub(torch, given, part, inputs):
        raise NotImplementedError("put your code in place of this line.")
        yield

    for ask, done in ((refuses, True), (stub, False)):
        (seen,) = read(probe.observe(ask, minigrad, {}, {"f": []}))
        assert seen.kind == "raised" and seen.flags["not_done"] != done


def stencil(f, at, orders=(0.8, -0.2, 4 / 105, -1 / 280)):
    """A difference of order 8: exact for the polynomials that are asked about."""
    return f(at), sum(w * (f(at + k) - f(at - k)) for k, w in enumerate(orders, start=1))


def on_the_engine(f, at):
    """The same, on tensors of the engine."""
    value, slope = stencil(f, minigrad.tensor(at, dtype=minigrad.float64))
    return value.item(), slope.item()


def test_a_difference_that_is_exact_is_not_differentiation():
    found = finding("polynomial", "differentiate", on_the_engine)
    assert "calls f at the point itself, and nowhere beside it" in found.message


class NegByNumpy(Function):
    """Right on arrays, and an error on tensors."""

    def forward(self, x):
        return np.negative(x)

    def backward_x(self, grad):
        return np.negative(grad)


class NegOnce(Function):
    """Right the first time that its rule is run."""

    def forward(self, x):
        self.sign = -1
        return -x

    def backward_x(self, grad):
        self.sign, sign = 0, self.sign
        return sign * grad


def test_a_rule_that_calls_numpys_functions_is_found_on_tensors():
    found = finding("neg-sub", "Neg", NegByNumpy)
    assert found.kind == "tensors" and found.message.startswith("The backward_x of your Neg does not run on tensors")


def test_a_rule_may_be_asked_twice():
    assert finding("neg-sub", "Neg", NegOnce).kind == "again"


class MulOnTheClass(Function):
    """Its rules read what the newest product has left."""

    def forward(self, x, y):
        MulOnTheClass.x, MulOnTheClass.y = x, y
        return x * y

    def backward_x(self, grad):
        return grad * MulOnTheClass.y

    def backward_y(self, grad):
        return grad * MulOnTheClass.x


def test_a_node_remembers_its_own_inputs():
    assert not finding("mul", "Mul", MulOnTheClass).right


def flips_a_flag(x):
    x.requires_grad_(True)
    return x * 1.0


def test_a_flag_of_what_was_handed_in_is_looked_at():
    def on_tensors(torch, given, part, inputs):
        yield "f(x)", given["f"](torch.tensor(inputs)).detach()

    found = compare(observed(on_tensors, f=flips_a_flag), observed(on_tensors, f=lambda x: x * 1.0))
    assert found.message == "Your f sets requires_grad of x, which is to stay as it is."
