"""Size, time and memory of the graph: deep chains, doublings, fan-outs, freeing, cycles."""

from __future__ import annotations

import gc
import sys
import threading
import tracemalloc
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest

import minigrad as t
from minigrad.core.function import AccumulateGrad, Function


def chain(n: int) -> None:
    """A chain of n operations: forward, backward and dropped."""
    y = x = t.tensor(1.0, requires_grad=True)
    for _ in range(n):
        y = y * 1.0
    y.backward()
    assert x.grad.item() == 1.0


DEEP = 10_000


def in_little_room(work: Callable[[], None]) -> None:
    """Do it on a stack of 256 KB, a thirtieth of the usual: what calls itself for each node ends the process early."""
    before = threading.stack_size(256 << 10)
    try:
        thread = threading.Thread(target=work)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()


def calls(n: int) -> int:
    """How many functions a chain of n operations calls, Python's and C's: a count, the same on a busy machine."""
    counted = 0

    def count(frame: FrameType, event: str, _: Any) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    gc.disable()  # the collector calls functions of its own
    sys.setprofile(count)
    try:
        chain(n)
    finally:
        sys.setprofile(before)
        gc.enable()
    return counted


def test_a_chain_calls_functions_in_proportion_to_its_length() -> None:
    chain(1)  # the first one makes plans
    short, longer, longest = calls(10), calls(110), calls(310)
    assert short < longer and longest - longer == 2 * (longer - short)


def test_a_chain_has_no_limit_of_depth() -> None:
    done = []
    in_little_room(lambda: done.append(chain(DEEP)))
    assert done


def test_a_deep_graph_that_was_never_run_is_dropped() -> None:
    dropped = []

    def drop() -> None:
        y = x = t.tensor(1.0, requires_grad=True)
        first = weakref.ref(y := y.view(1))
        for _ in range(DEEP):
            y = y.view(1).view(()) + 1
        del y
        dropped.append(first() is None and x.grad is None)

    in_little_room(drop)
    assert dropped == [True]


def test_doublings() -> None:
    x = t.tensor(1.0, dtype=t.float64, requires_grad=True)
    y = x
    for _ in range(60):
        y = y + y
    y.backward()
    assert x.grad.item() == 2.0**60


def test_numbers_are_taken_out_of_tensors_that_require_grad() -> None:
    """torch does the same, and warns once a process: no row of test_behaviour can say that."""
    x = t.tensor(3.0, requires_grad=True)
    made = t.tensor([[x, x * 2], [1.0, 2]])
    assert made.tolist() == [[3.0, 6.0], [1.0, 2.0]] and not made.requires_grad


def test_a_rule_that_leaves_the_graph_is_named() -> None:
    class Twice(Function):
        def forward(self, x):
            return 2 * x

        def backward_x(self, grad):
            return 2 * np.asarray(grad)

    x = t.tensor([1.0, 2.0], requires_grad=True)
    Twice.apply(x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    with pytest.raises(TypeError, match=r"Twice\.backward_x returned an array in a backward pass that is recorded"):
        t.autograd.grad(Twice.apply(x).sum(), x, create_graph=True)


def test_fan_out() -> None:
    x = t.tensor(1.0, dtype=t.float64, requires_grad=True)
    total = t.tensor(0.0, dtype=t.float64)
    for i in range(2_000):
        total = total + x * float(i)
    total.backward()
    assert x.grad.item() == sum(range(2_000))


def test_the_graph_needs_no_collector() -> None:
    """Reference counting frees everything: no cycles."""
    model = t.nn.Sequential(t.nn.Linear(4, 8), t.nn.LayerNorm(8), t.nn.GELU(), t.nn.Linear(8, 3))
    optimizer = t.optim.Adam(model.parameters())

    def step() -> None:
        x = t.randn(5, 4)
        hidden = model[:3](x)
        hidden.retain_grad()
        hidden.register_hook(lambda grad: grad * 1)
        h = hidden.view(5, 8)[1:].clone()
        h[0] = 1.0
        h.view(-1).mul_(0.5)
        loss = t.nn.functional.cross_entropy(model[3](h.exp().sigmoid()), t.tensor([0, 1, 2, 0]))
        (g,) = t.autograd.grad(loss, model[0].weight, create_graph=True)
        optimizer.zero_grad()
        (loss + (g * g).sum()).backward()
        optimizer.step()

    step()
    gc.collect()
    gc.disable()
    try:
        for _ in range(20):
            step()
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_intermediates_go_when_the_graph_is_run() -> None:
    x = t.randn(10, requires_grad=True)
    hidden = x.exp()
    saved = weakref.ref(hidden._array)
    loss = (hidden * hidden).sum()
    del hidden
    assert saved() is not None
    loss.backward()
    assert saved() is None, "what was saved goes with backward, though the loss is kept"


def test_what_no_rule_needs_is_not_saved() -> None:
    x = t.randn(10, requires_grad=True)
    hidden = x * 2
    array = weakref.ref(hidden._array)
    out = (hidden + 1).sum()
    del hidden
    assert array() is None and out.requires_grad


def test_memory_of_a_chain() -> None:
    """100 operations on 500 × 500 float32: those whose rule needs an array hold 1 MB each, the others nothing."""

    def held(operation: object) -> float:
        x = t.ones(500, 500, requires_grad=True)
        tracemalloc.start()
        y = x
        for _ in range(100):
            y = operation(y)
        held = tracemalloc.get_traced_memory()[0] / 1e6
        tracemalloc.stop()
        return held

    assert held(lambda y: y + 1) < 1.5
    assert held(lambda y: y * 1.01) < 1.5
    assert held(lambda y: y.tanh()) < 101.5
    assert held(lambda y: y.tanh() * 2) < 51 * 2 + 0.5


def test_a_loop_over_an_epoch_is_flat() -> None:
    w = t.randn(100, 100, requires_grad=True)
    sizes = []
    tracemalloc.start()
    for _ in range(30):
        ((w @ w).tanh().sum()).backward()
        w.grad = None
        sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert sizes[-1] - sizes[5] < 20_000


def test_an_accumulator_is_found_again_while_a_graph_holds_it() -> None:
    x = t.tensor([1.0], requires_grad=True)
    y, z = x * 2, x * 3
    nodes = {y.grad_fn.next_functions[0][0], z.grad_fn.next_functions[0][0]}
    assert len(nodes) == 1
    (node,) = nodes
    assert isinstance(node, AccumulateGrad) and node.variable is x
    del y, z, nodes, node
    assert x._accumulator() is None


def test_two_leaves_never_share_a_gradient() -> None:
    a, b = t.ones(3, requires_grad=True), t.ones(3, requires_grad=True)
    (a + b).sum().backward()
    a.grad.mul_(5)
    assert b.grad.tolist() == [1.0, 1.0, 1.0]
    kept = a.grad
    (a * 2).sum().backward()
    assert a.grad is kept and kept.tolist() == [7.0, 7.0, 7.0]


def test_the_rules_of_a_product_see_matrices_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a rule asks for: a vector is a row on the left, a column on the right, and its gradient a vector."""
    from minigrad.rules.linalg import MatMul

    seen = []

    def rule(self: Any, grad: Any, x: Any, y: Any, out: Any) -> Any:
        seen.append((x.shape, y.shape, out.shape, grad.shape))
        return x.mT @ grad

    monkeypatch.setattr(MatMul, "backward_y", rule)
    for x, y in [((4,), (4, 3)), ((2, 4), (4,)), ((4,), (4,)), ((5, 2, 4), (4,)), ((2, 4), (4, 3))]:
        left, right = t.randn(*x), t.randn(*y, requires_grad=True)
        (left @ right).sum().backward()
        assert right.grad.shape == y
    assert seen == [
        ((1, 4), (4, 3), (1, 3), (1, 3)),
        ((2, 4), (4, 1), (2, 1), (2, 1)),
        ((1, 4), (4, 1), (1, 1), (1, 1)),
        ((5, 2, 4), (4, 1), (5, 2, 1), (5, 2, 1)),
        ((2, 4), (4, 3), (2, 3), (2, 3)),
    ]


def test_a_rule_of_a_product_that_returns_nothing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from minigrad.rules.linalg import MatMul

    def backward_y(self: Any, grad: Any, x: Any) -> None:
        """Forgot its return."""

    monkeypatch.setattr(MatMul, "backward_y", backward_y)
    for x in (t.ones(2), t.ones(3, 2)):
        with pytest.raises(TypeError, match=r"backward_y returned None: is its `return` missing\?"):
            (x @ t.ones(2, 4, requires_grad=True)).sum().backward()


def test_rules_that_nobody_needs_do_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    from minigrad.rules.linalg import MatMul

    ran = []
    rule = MatMul.backward_x
    monkeypatch.setattr(MatMul, "backward_x", lambda self, grad, y: ran.append(1) or rule(self, grad, y))
    x, w = t.randn(3, 4), t.randn(4, 2, requires_grad=True)
    out = x @ w
    assert all(value is not w._array for value in out.grad_fn.saved)
    out.sum().backward()
    assert not ran and np.allclose(w.grad.numpy(), x.numpy().T @ np.ones((3, 2)), atol=1e-5)
