"""What a text asks for besides numbers: work by hand, a backward pass, a loop, a call; right numbers alone are not it."""

import os
import sys

import pytest

import minigrad
from grader.ask.heard import working_by_hand
from grader.chapters import exercise_named
from tests.verification.cases import define, drawn, result_of

BY_ENGINE = """def by_engine(values, a, b, c):
    with minigrad.enable_grad():
        x = minigrad.tensor(values, requires_grad=True)
        y = a * x + b
        y.retain_grad()
        (c * y**2).mean().backward()
    return x.grad.numpy(), y.grad.numpy()
"""

AS_IT_IS = """
def by_hand(*given):
    return by_engine(*given)
"""
IN_A_THREAD = """
def by_hand(*given):
    from threading import Thread
    found = []
    one = Thread(target=lambda: found.append(by_engine(*given)))
    one.start()
    one.join()
    return found[0]
"""
IN_A_POOL = """
def by_hand(*given):
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(by_engine, *given).result()
"""
IN_AN_OLD_THREAD = """
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(1)
pool.submit(len, "begun before anybody listens").result()

def by_hand(*given):
    return pool.submit(by_engine, *given).result()
"""
CALLED_AS_THE_GRADERS_IS = """
def by_hand(*given):
    return by_engine(*given)
by_hand.__module__ = "grader.chapters.chapter2.exercises"
"""

LATER = """
class Pair(tuple):
    def __iter__(self):
        return iter(by_engine(*self.given))

def by_hand(*given):
    pair = Pair((0, 0))
    pair.given = given
    return pair
"""
ARRAYS_LATER = """
import numpy as np

class Later:
    @property
    def __class__(self): return np.ndarray
    def __array__(self, *_, **__): return by_engine(*self.given)[self.place]

def by_hand(*given):
    pair = Later(), Later()
    for place, one in enumerate(pair):
        one.place, one.given = place, given
    return pair
"""
DIAMOND = """
def diamond(a, b):
    from threading import Thread
    found = []

    def work():
        x, z = (minigrad.tensor(one, dtype=minigrad.float64, requires_grad=True) for one in (a, b))
        y = x * x + z
        y.retain_grad()
        (y * z + y * y * x).sum().backward()
        found.extend(one.grad.numpy() for one in (y, x, z))

    one = Thread(target=work)
    one.start()
    one.join()
    return tuple(found)
"""
DIAMOND_RECORDED_AGAIN = """
def diamond(a, b):
    with minigrad.enable_grad():
        a, b = (minigrad.tensor(x, dtype=minigrad.float64, requires_grad=True) for x in (a, b))
        y = a * a + b
        y.retain_grad()
        z = y * b + y * y * a
        z.backward(minigrad.ones_like(z))
    return y.grad.numpy(), a.grad.numpy(), b.grad.numpy()
"""
TWO_LAYERS = """
def two_layers(x, a, b, c):
    y = a * x + b
    y.retain_grad()
    out = (c * y**2).mean()
    with minigrad.no_grad():
        y.grad = 2 * c * y.detach() / y.numel()
        x.grad = a * y.grad
    return y, out
"""
ONE_LAYER = """
def one_layer(x, y, w, b):
    w.requires_grad_()
    b.requires_grad_()
    z = x @ w + b
    loss = minigrad.nn.functional.binary_cross_entropy_with_logits(z, y)
    with minigrad.no_grad():
        slope = (z.sigmoid() - y) / z.numel()
        rows, slopes = x.reshape(-1, x.shape[-1]), slope.reshape(-1, slope.shape[-1])
        w.grad, b.grad = rows.T @ slopes, slopes.sum(0)
    return z, loss
"""
DUMMY_PASS = TWO_LAYERS.replace("    y = a * x + b", "    (0 * x).sum().backward()\n    y = a * x + b", 1)
DUMMY_LAYER = ONE_LAYER.replace(
    "    z = x @ w + b", "    (0 * w).sum().backward(); (0 * b).sum().backward()\n    z = x @ w + b", 1
)
LOUD = """
def one_layer(x, y, weights, bias):
    w, b = (minigrad.tensor(one, requires_grad=True) for one in (weights, bias))
    with minigrad.no_grad():
        z = x @ w + b
        slope = (z.sigmoid() - y) / y.numel()
        w.grad, b.grad = x.reshape(-1, 1) @ slope.reshape(1, -1), slope.clone()
    z_det = z.detach().requires_grad_()
    z_det.grad = slope
    return w, b, z_det
"""
FROZEN = """
def fine_tune(x, y, w1, b1, w2, b2):
    w1.requires_grad_(False)
    b1.requires_grad_(False)
    hidden = (x @ w1 + b1).sigmoid()
    loss = ((hidden @ w2 + b2 - y) ** 2).mean()
    rest = (hidden @ w2 + b2 - y).detach() * (2 / y.numel())
    w2.grad, b2.grad = hidden.t() @ rest, rest.sum(dim=0)
    return hidden, loss
"""
DESCEND = """
def descend(w, x, y, rate, steps):
    losses = []
    with minigrad.no_grad():
        for _ in range(steps):
            rest = x @ w - y
            losses.append((rest * rest).mean().item())
            w -= rate * 2 / rest.numel() * (x.t() @ rest)
    return losses

def centred(x, w):
    with minigrad.no_grad():
        h = (x @ w).sigmoid()
        w.grad = x.t() @ (2 * h / h.numel() * h * (1 - h))
        return h - h.mean()
"""
RECURSION = """
def run_backward(root, grad, visit):
    import sys
    sys.setrecursionlimit(100_000)
    grads, queue = {root: grad}, [(root.number, root)]

    def follow():
        if queue:
            _, node = heappop(queue)
            for below, passed in zip(node.edges, visit(node, grads.pop(node))):
                if passed is None:
                    continue
                if below not in grads:
                    heappush(queue, (below.number, below))
                grads[below] = grads[below] + passed if below in grads else passed
            follow()

    follow()
"""
COUNT_AGAIN_AND_AGAIN = """
def count_nodes(node):
    seen, grown = {node}, True
    while grown:
        more = {below for one in seen for below in one.edges if below is not None}
        grown = not more <= seen
        seen |= more
    return len(seen)
"""
SKETCH = """
class Sketch:
    def __init__(self, array):
        self.array, self.grad_fn = array, None

    def __mul__(self, other):
        out = Sketch(self.array * other.array)
        out.grad_fn = Mul()
        out.grad_fn.inputs = (self, other)
        return out

    def __add__(self, other):
        return Sketch.apply(Add, self, other)

    @staticmethod
    def apply(operation, *inputs):
        node = operation()
        node.inputs = inputs
        out = Sketch(node.forward(*[x.array for x in inputs]))
        out.grad_fn = node
        return out
"""
ATTENTION_IN_A_THREAD = """
def attention(q, k, v):
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(minigrad.nn.functional.scaled_dot_product_attention, q, k, v, is_causal=True).result()
"""
THE_NODE_OF_A_READY_LOSS = """
example = minigrad.nn.NLLLoss()(minigrad.tensor([[0.0, 1.0]], requires_grad=True), minigrad.tensor([0]))

def cross_entropy(z, y):
    return type(example.grad_fn).apply(z.log_softmax(1), y.numpy(), reduction="mean")
"""
A_LOSS_LATER = """
class Later:
    def __init__(self, z, y): self.z, self.y = z, y
    @property
    def __class__(self): return minigrad.Tensor
    def detach(self): return (self * 1).detach()
    def __mul__(self, k): return minigrad.nn.CrossEntropyLoss()(self.z, self.y) * k

def cross_entropy(z, y):
    return Later(z, y)
"""
ATTENTION_BY_ANOTHER_NAME = """
def attention(q, k, v):
    from types import FunctionType
    ready = minigrad.nn.functional.scaled_dot_product_attention
    copy = FunctionType(ready.__code__, {**ready.__globals__, "__name__": "mine"}, "f", ready.__defaults__)
    return copy(q, k, v, is_causal=True)
"""
CROSS_ENTROPY = """
def cross_entropy(z, y):
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(minigrad.nn.functional.cross_entropy, z, y).result()
"""


@pytest.fixture(autouse=True)
def _as_before():
    before = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(before)


@pytest.mark.parametrize(
    ("name", "part", "text", "said"),
    [
        ("by-hand", "by_hand", BY_ENGINE + AS_IT_IS, "NumPy alone"),
        ("by-hand", "by_hand", BY_ENGINE + IN_A_THREAD, "NumPy alone"),
        ("by-hand", "by_hand", BY_ENGINE + IN_A_POOL, "NumPy alone"),
        ("by-hand", "by_hand", BY_ENGINE + IN_AN_OLD_THREAD, "NumPy alone"),
        ("by-hand", "by_hand", BY_ENGINE + CALLED_AS_THE_GRADERS_IS, "NumPy alone"),
        ("by-hand", "by_hand", BY_ENGINE + LATER, "NumPy alone"),
        ("by-hand", "by_hand", BY_ENGINE + ARRAYS_LATER, "NumPy alone"),
        ("two-layers", "two_layers", DUMMY_PASS, "a backward pass brings x its gradient"),
        ("bce", "one_layer", DUMMY_LAYER, "where a hook halves what a backward pass brings"),
        ("loud", "one_layer", LOUD, "a backward pass brings w its gradient"),
        ("frozen", "fine_tune", FROZEN, "where a hook halves what a backward pass brings"),
        ("silent", "descend", DESCEND, "where a hook halves what backward passes bring"),
        ("silent", "centred", DESCEND, "where a hook halves what a backward pass brings"),
        ("digits", "cross_entropy", THE_NODE_OF_A_READY_LOSS, "does without functional.cross_entropy"),
        ("digits", "cross_entropy", A_LOSS_LATER, "returns a Tensor"),
        ("diamond", "diamond", DIAMOND_RECORDED_AGAIN, "no backward pass of the engine"),
        ("diamond", "diamond", DIAMOND, "no backward pass of the engine"),
        ("two-layers", "two_layers", TWO_LAYERS, "a backward pass brings x its gradient"),
        ("bce", "one_layer", ONE_LAYER, "where a hook halves what a backward pass brings"),
        ("traversal", "run_backward", RECURSION, "run_backward is a loop"),
        ("counting", "count_nodes", COUNT_AGAIN_AND_AGAIN, "visits no node twice"),
        ("sketch", "Sketch", SKETCH, "calls Sketch.apply"),
        ("attention", "attention", ATTENTION_IN_A_THREAD, "does without scaled_dot_product_attention"),
        ("attention", "attention", ATTENTION_BY_ANOTHER_NAME, "does without scaled_dot_product_attention"),
        ("digits", "cross_entropy", CROSS_ENTROPY, "does without functional.cross_entropy"),
    ],
    ids=lambda text: text if len(text) < 20 else "",
)
def test_right_numbers_are_not_all_that_a_text_asks_for(name, part, text, said):
    exercise = exercise_named(name)
    found = result_of(exercise, drawn(exercise, 0), define(exercise, text)).findings[part]
    assert not found.right
    assert said in found.message


@pytest.mark.skipif(not hasattr(os, "posix_spawn"), reason="processes begin otherwise there")
def test_a_process_that_begins_is_heard():
    with working_by_hand(minigrad, "minigrad.core.") as others:
        os.waitpid(os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {}), 0)
    assert others == ["a process"]


def test_what_listened_before_listens_again():
    heard = []

    def listen(frame, event, _):
        heard.append(event)

    before = sys.getprofile()
    sys.setprofile(listen)
    try:
        with working_by_hand(minigrad, "minigrad.core."):
            heard.clear()
        assert sys.getprofile() is listen
    finally:
        sys.setprofile(before)


def test_where_nobody_listens_it_is_said(monkeypatch):
    monkeypatch.setattr(sys, "setprofile", lambda function: None)
    with pytest.raises(RuntimeError, match="restart the kernel"), working_by_hand(minigrad, "minigrad.core."):
        raise AssertionError("it was not noticed")
