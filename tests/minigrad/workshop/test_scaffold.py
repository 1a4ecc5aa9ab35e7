"""Chapter 1's walk stands in for the traversal until chapter 3; `.grad` is torch's all the same."""

import warnings

import numpy as np
import pytest

import minigrad
from minigrad import workshop
from minigrad.core.function import Function


@pytest.fixture(autouse=True)
def path_by_path():
    with workshop.using(**workshop.own_parts(2)):
        yield


def leaf(*values):
    return minigrad.tensor(values, dtype=minigrad.float64, requires_grad=True)


def test_retain_grad_adds_up_what_every_path_brings():
    x = leaf(1.0, 2.0, 3.0)
    y = x + 2
    y.retain_grad()
    (y * y * 3).mean().backward()
    assert y.grad.tolist() == x.grad.tolist() == [6.0, 8.0, 10.0]
    assert y.grad.is_leaf and not y.grad.requires_grad


def test_a_result_that_was_not_asked_keeps_nothing_and_warns():
    x = leaf(1.0, 2.0)
    y = x * x
    y.sum().backward()
    with pytest.warns(UserWarning, match="not a leaf"):
        assert y.grad is None


def test_the_output_itself_can_be_asked():
    x = leaf(1.0, 2.0)
    out = (x * x).sum()
    out.retain_grad()
    out.backward()
    assert out.grad.item() == 1.0


def test_a_kept_gradient_shares_its_memory_with_no_other():
    x = leaf(1.0, 2.0)
    y = x + 0.0
    y.retain_grad()
    y.sum().backward()
    y.grad.add_(1.0)
    assert x.grad.tolist() == [1.0, 1.0]


class Spy(Function):
    """x as it is; notes what its rule receives."""

    def forward(self, x):
        return x + 0.0

    def backward_x(self, grad, x):
        self.__class__.seen = [type(grad), type(x)]
        return np.broadcast_to(grad, x.shape)  # a rule may use all of NumPy


def test_rules_run_on_bare_arrays_and_the_leaf_gets_a_tensor():
    x = leaf(1.0, 2.0)
    Spy.apply(x).sum().backward()
    assert Spy.seen == [np.ndarray, np.ndarray]
    assert isinstance(x.grad, minigrad.Tensor)


def test_the_engine_is_as_before_after_an_error():
    before = Function.backward

    class Bad(Spy):
        def backward_x(self, grad):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Bad.apply(leaf(1.0)).sum().backward()
    assert Function.backward is before


def test_no_warning_where_retain_grad_was_called():
    y = leaf(1.0) * 2
    y.retain_grad()
    y.sum().backward()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert y.grad.tolist() == [1.0]
