"""Flat code is faster and says the same: it stands aside for a learner's part, and notices what changes."""

import itertools
import linecache
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigrad
from minigrad import workshop
from minigrad.core import engine, function
from minigrad.core.function import Function
from minigrad.rules.arithmetic import Mul
from minigrad.surface import arithmetic

flat = pytest.importorskip("minigrad.flat", exc_type=ImportError)
STEPS = [
    "x + y",
    "x * y",
    "x - y",
    "x / y",
    "x * 3.0",
    "2.0 + x",
    "x ** 3",
    "-x",
    "x.sum()",
    "x.mean(0)",
    "x.exp()",
    "x @ y",
]
minigrad.ones(1) * 2.0  # from now on Mul has an `apply` of its own


def plainly(run):
    """What `run` returns where a learner's part stands in the core."""
    record = vars(Function)["record"]

    def mine(node, inputs, out):
        return record(node, inputs, out)

    with workshop.using(record=mine):
        assert engine.walk is not flat.walk and "apply" not in vars(Mul)
        return run()


def gradients(steps, dtypes, keep):
    """The value and the leaves' gradients of a program, as bytes."""
    rng = np.random.default_rng(0)
    x, y = (minigrad.tensor(rng.normal(size=(3, 3)).astype(kind), requires_grad=True) for kind in dtypes)
    leaves, out = [x, y], x
    for step in steps:
        out = eval(step, {"x": out, "y": y})
    out.sum().backward(retain_graph=keep)
    if keep:
        out.sum().backward()
    return [leaf.grad is not None and leaf.grad.numpy().tobytes() for leaf in leaves], out.detach().numpy().tobytes()


@given(
    st.lists(st.sampled_from(STEPS), min_size=1, max_size=6),
    st.lists(st.sampled_from([np.float32, np.float64]), min_size=2, max_size=2),
    st.booleans(),
)
def test_a_program_has_the_same_bits_without_it(steps, dtypes, keep):
    with np.errstate(all="ignore"):
        try:
            found = gradients(steps, dtypes, keep)
        except RuntimeError as error:
            with pytest.raises(RuntimeError) as caught:
                plainly(lambda: gradients(steps, dtypes, keep))
            assert str(caught.value) == str(error)
        else:
            assert found == plainly(lambda: gradients(steps, dtypes, keep))


def test_without_it_random_programs_agree_with_torch():
    done = subprocess.run(
        [sys.executable, "-m", "tests.minigrad.fuzz", "--programs", "100"],
        env={**os.environ, "MINIGRAD_PLAIN": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    code = "import minigrad, sys; sys.exit('minigrad.flat' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "MINIGRAD_PLAIN": "1"}, check=True)


def test_what_is_written_can_be_read():
    x = minigrad.tensor(2.0, requires_grad=True)
    for _ in range(2):
        (x * 3).backward()
    text = "".join(linecache.getlines("<apply of Mul>"))
    assert "node.saved = [a1]" in text and x.grad.item() == 6.0
    assert vars(minigrad.Tensor)["__mul__"] is Mul.apply


def test_an_operation_made_of_another_one_has_its_own():
    x = minigrad.tensor(2.0, requires_grad=True)
    (x * x).backward()

    class Thrice(Mul):
        def forward(self, x, y):
            return 3 * x * y

    assert Thrice.apply(x, x).item() == 12.0 and (x * x).item() == 4.0


def test_a_rule_that_is_replaced_is_noticed():
    class Own(Function):
        def forward(self, x):
            return x + 0

        def backward_x(self, grad):
            return grad

    x = minigrad.tensor(2.0, requires_grad=True)
    for _ in range(2):
        Own.apply(x).backward()
    Own.backward_x = lambda self, grad: 10 * grad
    Own.apply(x).backward()
    assert x.grad.item() == 12.0
    Own.forward = lambda self, x: x + 1
    assert Own.apply(x).item() == 3.0


def test_a_forward_with_a_default_is_called_as_it_is_written():
    class Power(Function):
        def forward(self, x, n=2):
            self.n = n
            return x**n

        def backward_x(self, grad):
            return 2 * grad

    x = minigrad.tensor(3.0, requires_grad=True)
    assert [Power.apply(x).item(), Power.apply(x).item(), Power.apply(x, 3).item()] == [9.0, 9.0, 27.0]


def test_an_apply_of_ones_own_is_called_and_so_is_that_of_a_base():
    class Base(Function):
        def forward(self, x):
            return x + 1

        def backward_x(self, grad):
            return grad

    class Sub(Base):
        def forward(self, x):
            return x + 2

    x = minigrad.tensor(1.0, requires_grad=True)
    assert [Base.apply(x).item(), Sub.apply(x).item()] == [2.0, 3.0]
    before = vars(Base)["apply"]
    Base.apply = classmethod(lambda cls, x: f"{cls.__name__} of {x.item():.0f}")
    assert [Base.apply(x), Sub.apply(x)] == ["Base of 1", "Sub of 1"]
    Base.apply = before
    assert [Base.apply(x).item(), Sub.apply(x).item()] == [2.0, 3.0]


def test_who_replaces_function_apply_sees_every_operation():
    class New(Function):
        def forward(self, x):
            return x + 1

        def backward_x(self, grad):
            return grad

    x, seen, before = minigrad.tensor(1.0, requires_grad=True), [], vars(Function)["apply"]
    for _ in range(2):
        x * x  # one that is written out; New is not called yet

    def apply(cls, *inputs, **settings):
        seen.append(cls.__qualname__.rpartition(".")[2])
        return before.__get__(None, cls)(*inputs, **settings)

    Function.apply = classmethod(apply)
    try:
        assert New.apply(x * x + x).item() == 3.0
    finally:
        Function.apply = before
    assert seen == ["Mul", "Add", "New"]
    assert (x * x).item() == 1.0 and seen == ["Mul", "Add", "New"]


def test_it_comes_back_when_the_learners_part_is_gone():
    before = Mul.apply
    assert plainly(lambda: (minigrad.ones(2) * 3).sum().item()) == 6.0
    assert engine.walk is flat.walk and Mul.apply is before


def test_an_operator_is_that_of_the_class_that_stands_there():
    x = minigrad.tensor(2.0, requires_grad=True)

    class Wrong(Mul):
        def forward(self, x, y):
            return x + y

    Wrong.__name__ = "Mul"
    assert (x * x).item() == 4.0
    with workshop.using(Mul=Wrong):
        assert arithmetic.Mul is Wrong
        assert [(x * 5).item() for _ in range(2)] == [7.0, 7.0]
    assert (x * 5).item() == 10.0


def test_an_operator_follows_a_rule_that_is_replaced(monkeypatch):
    def gradient():
        x = minigrad.tensor(2.0, requires_grad=True)
        (x * 5).backward()
        return x.grad.item()

    assert gradient() == 5.0
    with monkeypatch.context() as patch:
        patch.setattr(Mul, "backward_x", lambda self, grad, y: grad)
        assert [gradient(), gradient()] == [1.0, 1.0]
    assert [gradient(), gradient()] == [5.0, 5.0]


def test_what_is_saved_is_looked_at_all_the_same():
    x = minigrad.tensor([2.0], requires_grad=True)
    for _ in range(2):
        y = x.exp()
        z = y * y
        z.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        z.backward()
    y = x.exp()
    z = (y * y).sum()
    y += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


@pytest.mark.parametrize(
    "run",
    [
        lambda x, y, g: (x + y).backward(g),
        lambda x, y, g: (x + x).backward(g),
        lambda x, y, g: (x * y + y).backward(g),
        lambda x, y, g: ((x @ y.mT).sum() + (x * 2).sum()).backward(),
        lambda x, y, g: (y.mT @ x).mT.sum().backward(),
        lambda x, y, g: (x.reshape(-1) + y.reshape(-1)).backward(g.reshape(-1), retain_graph=True),
        lambda x, y, g: minigrad.cat([x, y]).mul(2).sum().backward(),
        lambda x, y, g: [part.sum().backward() for part in (x.mT.exp(), y.unbind()[0])],
        lambda x, y, g: x.expand(2, 3, 3).mean().backward() or (y.sigmoid() * y).backward(g),
    ],
)
def test_a_leafs_gradient_is_memory_of_its_own(run) -> None:
    x, y, g = (minigrad.randn(3, 3, requires_grad=i < 2) for i in range(3))
    run(x, y, g)
    arrays = [t.detach().numpy() for t in (x, y, g, x.grad, y.grad) if t is not None]
    assert not any(np.shares_memory(a, b) for a, b in itertools.combinations(arrays, 2))
    assert all(a.flags.owndata and a.flags.c_contiguous and a.flags.writeable for a in arrays[3:])


def test_a_gradient_that_nobody_else_holds_is_not_copied(monkeypatch) -> None:
    copied = []
    monkeypatch.setattr(flat, "owned", lambda grad: copied.append(grad) or function.owned(grad))
    x, y = (minigrad.ones(100, requires_grad=True) for _ in range(2))
    for _ in range(2):  # the second time, the vector-Jacobian products are written
        x.grad = None
        (x * 3.0).sum().backward()
    assert not copied
    (x + y).backward(minigrad.ones(100))
    assert len(copied) == 1  # x has a gradient; y's is the tensor that was given
