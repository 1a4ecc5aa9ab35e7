"""Corners of torch.autograd: the same statement on both, the same outcome - error, warning, flags, values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import minigrad

from .differential import assert_same, outcome


def leaf(t: Any, *values: float) -> Any:
    return t.tensor(list(values) or [1.0, 2.0, 3.0], requires_grad=True)


class Square:
    """A custom Function, defined once for each package."""

    made: dict[Any, Any] = {}

    def __class_getitem__(cls, t: Any) -> Any:
        if t not in cls.made:

            class Square(t.autograd.Function):
                @staticmethod
                def forward(ctx: Any, x: Any, n: int) -> Any:
                    ctx.save_for_backward(x)
                    ctx.n = n
                    return x * x * n

                @staticmethod
                def backward(ctx: Any, grad: Any) -> Any:
                    (x,) = ctx.saved_tensors
                    return grad * 2 * x * ctx.n, None

            class Both(t.autograd.Function):
                @staticmethod
                def forward(ctx: Any, x: Any, y: Any) -> Any:
                    ctx.save_for_backward(x, y)
                    return x * y, x + y

                @staticmethod
                def backward(ctx: Any, product: Any, total: Any) -> Any:
                    x, y = ctx.saved_tensors
                    return product * y + total, product * x + total

            class Exp(t.autograd.Function):
                @staticmethod
                def forward(ctx: Any, x: Any) -> Any:
                    out = x.exp()
                    ctx.save_for_backward(out)
                    return out

                @staticmethod
                def backward(ctx: Any, grad: Any) -> Any:
                    return grad * ctx.saved_tensors[0]

            class Wrong(t.autograd.Function):
                @staticmethod
                def forward(ctx: Any, x: Any) -> Any:
                    return x * 2

                @staticmethod
                def backward(ctx: Any, grad: Any) -> Any:
                    return grad, grad

            cls.made[t] = (Square, Both, Exp, Wrong)
        return cls.made[t]


def no_grad_leaf(t: Any) -> Any:
    with t.no_grad():
        x = t.ones(2, requires_grad=True)
        y = x * 2
    return x, y


def second(t: Any, f: Any) -> Any:
    x = leaf(t)
    y = f(x)
    y.sum().backward()
    y.sum().backward()
    return x.grad


def shared_subgraph(t: Any) -> Any:
    x = leaf(t)
    h = x.exp()
    a, b = (h * 2).sum(), (h * 3).sum()
    a.backward()
    b.backward()


def modified(t: Any, make: Any, change: Any) -> Any:
    x = leaf(t)
    b = x * 1
    y = make(b)
    change(b, y)
    y.sum().backward()
    return x.grad


def hooked(t: Any) -> Any:
    x = leaf(t)
    y = x * 2
    seen = []
    y.register_hook(lambda grad: seen.append(grad.tolist()))
    handle = x.register_hook(lambda grad: grad * 10)
    (y * y).sum().backward()
    handle.remove()
    (x * 2).sum().backward()
    return x.grad, seen


def assign_grad(t: Any, grad: Any) -> Any:
    x = leaf(t)
    x.grad = grad
    return x.grad


def set_flag(t: Any, x: Any, flag: Any = True) -> Any:
    x.requires_grad = flag
    return x


def hook_returns(t: Any, hook: Any) -> Any:
    x = leaf(t)
    x.register_hook(hook)
    x.sum().backward()
    return x.grad


def custom(t: Any, forward: Any, backward: Any) -> Any:
    return type(
        "Custom", (t.autograd.Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    )


def rule_returns(t: Any, rule: Any) -> Any:
    x = leaf(t)
    custom(t, lambda ctx, x: x * 2, lambda ctx, grad: rule(grad)).apply(x).sum().backward()
    return x.grad


def graph_of(t: Any) -> Any:
    x = leaf(t)
    y = (x * 3 + 1).exp().sum()

    def walk(node: Any) -> Any:
        return (node.name().split("::")[-1], [walk(n) if n else None for n, _ in node.next_functions])

    return walk(y.grad_fn)


def decorated(t: Any) -> Any:
    @t.no_grad()
    def f(x: Any) -> Any:
        return x * 2

    @t.enable_grad()
    def g(x: Any) -> Any:
        return x * 2

    x = leaf(t)
    with t.no_grad():
        inner = g(x).requires_grad
    with t.set_grad_enabled(False):
        off = t.is_grad_enabled()
    return f(x).requires_grad, inner, off, t.is_grad_enabled()


def set_mode(t: Any) -> Any:
    t.set_grad_enabled(False)
    off = (leaf(t) * 2).requires_grad
    t.set_grad_enabled(True)
    return off, (leaf(t) * 2).requires_grad


def training(t: Any) -> Any:
    w = t.tensor(1.0, requires_grad=True)
    for _ in range(3):
        (w * w).backward()
        with t.no_grad():
            w -= 0.1 * w.grad
        w.grad.zero_()
    return w, w._version, w.grad


def double_backward(t: Any) -> Any:
    x = leaf(t)
    y = (x**3).sum()
    (g,) = t.autograd.grad(y, x, create_graph=True)
    g.sum().backward()
    (h,) = t.autograd.grad((g * g).sum() if False else (x**4).sum(), x, create_graph=True)
    (h2,) = t.autograd.grad(h.sum(), x, create_graph=True)
    (h3,) = t.autograd.grad(h2.sum(), x)
    return g.detach(), x.grad, h2.detach(), h3


def without_gradient(t: Any) -> Any:
    w = leaf(t)
    (w * w).sum().backward()
    del w.grad
    return w.grad


CASES = {
    "vector backward": lambda t: leaf(t).exp().backward(),
    "one element of any rank": lambda t: (lambda x: ((x * 2).reshape(1, 1).backward(), x.grad))(leaf(t, 2.0)),
    "gradient of a wrong shape": lambda t: leaf(t).exp().backward(t.ones(2)),
    "gradient of size 1": lambda t: leaf(t).exp().backward(t.ones(1)),
    "gradient not a tensor": lambda t: leaf(t).exp().backward([1.0, 2.0, 3.0]),
    "gradient deleted": without_gradient,
    "gradient given": lambda t: (lambda x: ((x * x).backward(t.tensor([1.0, 0.5, 2.0])), x.grad))(leaf(t)),
    "gradient double": lambda t: (lambda x: ((x * x).sum().backward(t.tensor(2.0, dtype=t.float64)), x.grad))(leaf(t)),
    "second backward x+1": lambda t: second(t, lambda x: x + 1),
    "second backward x*3": lambda t: second(t, lambda x: x * 3),
    "second backward sum": lambda t: second(t, lambda x: x.reshape(3, 1).t()),
    "second backward exp": lambda t: second(t, lambda x: x.exp()),
    "second backward index": lambda t: second(t, lambda x: x[t.tensor([0, 1])]),
    "second backward slice": lambda t: second(t, lambda x: x[1:]),
    "second backward where": lambda t: second(t, lambda x: t.where(x > 1, x, -x)),
    "second backward cat": lambda t: second(t, lambda x: t.cat([x, x])),
    "shared subgraph": shared_subgraph,
    "nothing to differentiate": lambda t: t.ones(2).sum().backward(),
    "leaf backward": lambda t: (lambda x: (x.backward(), x.grad))(t.tensor(2.0, requires_grad=True)),
    "unused": lambda t: t.autograd.grad(leaf(t).sum(), [leaf(t)]),
    "unused allowed": lambda t: t.autograd.grad(leaf(t).sum(), [leaf(t)], allow_unused=True),
    "unused zeros": lambda t: t.autograd.grad(leaf(t).sum(), [leaf(t)], materialize_grads=True),
    "grad needs a flag": lambda t: t.autograd.grad(leaf(t).sum(), [t.ones(3)]),
    "grad writes nothing": lambda t: (lambda x: (t.autograd.grad((x * x).sum(), x), x.grad))(leaf(t)),
    "grad of an intermediate": lambda t: (lambda x: (lambda y: t.autograd.grad((y * y).sum(), [y, x]))(x * 2))(leaf(t)),
    "grad of two outputs": lambda t: (lambda x: t.autograd.grad([x.sum(), (x * x).sum()], x))(leaf(t)),
    "backward inputs": lambda t: (lambda x, y: ((x * y).sum().backward(inputs=[x]), x.grad, y.grad))(leaf(t), leaf(t)),
    "autograd.backward": lambda t: (lambda x: (t.autograd.backward([x.sum(), (x * x).sum()]), x.grad))(leaf(t)),
    "non-leaf grad": lambda t: (leaf(t) * 2).grad,
    "leaf grad": lambda t: leaf(t).grad,
    "retained grad": lambda t: (lambda y: (y.retain_grad(), y.sum().backward(), y.grad, y.retains_grad))(leaf(t) * 2),
    "retain without flag": lambda t: t.ones(2).retain_grad(),
    "retain a leaf": lambda t: (lambda x: (x.retain_grad(), x.retains_grad))(leaf(t)),
    "hooks": hooked,
    "hook without flag": lambda t: t.ones(2).register_hook(print),
    "grad of a wrong shape": lambda t: assign_grad(t, t.ones(2)),
    "grad of a wrong dtype": lambda t: assign_grad(t, t.ones(3, dtype=t.float64)),
    "grad not a tensor": lambda t: assign_grad(t, 3),
    "grad assigned": lambda t: assign_grad(t, t.ones(3)),
    "numbers and tensors": lambda t: t.tensor([[t.tensor(2), 3], [t.tensor(4.5), t.tensor(5)]]),
    "int requires grad": lambda t: t.tensor([1, 2], requires_grad=True),
    "int requires grad later": lambda t: t.tensor([1, 2]).requires_grad_(),
    "int flag": lambda t: set_flag(t, t.tensor([1])),
    "flag off a non-leaf": lambda t: (leaf(t) * 2).requires_grad_(False),
    "flag on a non-leaf": lambda t: (leaf(t) * 2).requires_grad_(True),
    "leaves under no_grad": no_grad_leaf,
    "a flag that is none": lambda t: t.ones(2, require_grad=True),
    "flag called": lambda t: leaf(t).requires_grad(True),
    "leaf in place": lambda t: leaf(t).add_(1),
    "leaf iadd": lambda t: leaf(t).__iadd__(1),
    "leaf setitem": lambda t: leaf(t).__setitem__(0, 1.0),
    "leaf in place under no_grad": training,
    "b + b then b.add_": lambda t: modified(t, lambda b: b + b, lambda b, y: b.add_(1)),
    "b * b then b.add_": lambda t: modified(t, lambda b: b * b, lambda b, y: b.add_(1)),
    "exp then out.add_": lambda t: modified(t, lambda b: b.exp(), lambda b, y: y.add_(1)),
    "exp then b.add_": lambda t: modified(t, lambda b: b.exp(), lambda b, y: b.add_(1)),
    "sigmoid, detached, add_": lambda t: modified(t, lambda b: b.sigmoid(), lambda b, y: y.detach().add_(1)),
    "b * b then .data": lambda t: modified(t, lambda b: b * b, lambda b, y: b.data.add_(1)),
    "b * b then view add_": lambda t: modified(t, lambda b: b * b, lambda b, y: b.view(3, 1).add_(1)),
    "0-d .data": lambda t: (lambda x: (lambda y: (x.data.add_(1), y.backward(), x.grad))(x * x))(leaf(t, 2.0)[0].detach().requires_grad_()),  # noqa: E501
    "0-d .data of a result": lambda t: (lambda x: (lambda b: (lambda y: (b.data.add_(1), y.backward(), x.grad))(b * b))(x * 1))(t.tensor(2.0, requires_grad=True)),  # noqa: E501
    "0-d detach add_": lambda t: (lambda x: (lambda b: (lambda y: (b.detach().add_(1), y.backward()))(b * b))(x * 1))(t.tensor(2.0, requires_grad=True)),  # noqa: E501
    "update before backward": lambda t: (lambda w: (lambda y: (w.data.add_(1), y.backward(), w.grad))((w * w).sum()))(leaf(t)),  # noqa: E501
    "detach_ a view": lambda t: (leaf(t) * 2).view(3).detach_(),
    "item of many": lambda t: t.ones(2).item(),
    "bool of many": lambda t: bool(t.ones(2)),
    "numpy of a leaf": lambda t: leaf(t).numpy(),
    "len of 0-d": lambda t: len(t.tensor(1.0)),
    "iterate 0-d": lambda t: list(t.tensor(1.0)),
    "add shapes": lambda t: t.ones(2) + t.ones(3),
    "bool minus bool": lambda t: t.tensor([True]) - t.tensor([False]),
    "plus a list": lambda t: t.ones(2) + [1, 2],
    "compare shapes": lambda t: t.ones(2) > t.ones(3),
    "matmul shapes": lambda t: t.ones(2, 3) @ t.ones(2, 3),
    "matmul vector": lambda t: t.ones(2, 3) @ t.ones(2),
    "matmul vectors": lambda t: t.ones(2) @ t.ones(3),
    "matmul row": lambda t: t.ones(2) @ t.ones(3, 2),
    "matmul 0-d": lambda t: t.ones(2) @ t.tensor(1.0),
    "einsum diagonal": lambda t: t.einsum("ii->i", leaf(t, 1.0).expand(2, 3)),
    "einsum sizes": lambda t: t.einsum("ij,jk->ik", t.ones(2, 3), t.ones(4, 2)),
    "einsum rank": lambda t: t.einsum("ij->i", t.ones(2)),
    "einsum rank beside ellipsis": lambda t: t.einsum("...ij->i", t.ones(2)),
    "einsum ellipsis sizes": lambda t: t.einsum("...,...->...", t.ones(2), t.ones(3)),
    "einsum ellipsis twice": lambda t: t.einsum("...i...->i", t.ones(2, 3)),
    "einsum dots": lambda t: t.einsum("i..j->i", t.ones(2, 3)),
    "einsum dots in the result": lambda t: t.einsum("i->i.", t.ones(2)),
    "einsum symbol": lambda t: t.einsum("i1->i", t.ones(2, 3)),
    "einsum two arrows": lambda t: t.einsum("ij->i->j", t.ones(2, 3)),
    "einsum result twice": lambda t: t.einsum("ij->ii", t.ones(2, 3)),
    "einsum result unknown": lambda t: t.einsum("ij->k", t.ones(2, 3)),
    "einsum fewer operands": lambda t: t.einsum("ij,jk", t.ones(2, 3)),
    "einsum more operands": lambda t: t.einsum("ij", t.ones(2, 3), t.ones(3, 2)),
    "einsum no operands": lambda t: t.einsum("i"),
    "einsum number": lambda t: t.einsum("i,->i", t.ones(2), 3.0),
    "einsum dtypes summed": lambda t: t.einsum("i,i", t.ones(2), t.ones(2, dtype=t.float64)),
    "einsum dtypes multiplied": lambda t: (
        lambda x: (t.einsum("i,i->i", x, t.ones(3, dtype=t.float64)).sum().backward(), x.grad)
    )(leaf(t)),
    "einsum bools summed": lambda t: t.einsum("i->", t.ones(3) > 0),
    "einsum bools": lambda t: t.einsum("i,i", t.ones(3) > 0, t.ones(3) > 0),
    "einsum view": lambda t: (lambda x: (t.einsum("ii->i", x).mul_(3), x, x._version))(t.ones(2, 2)),
    "einsum operand changed": lambda t: (lambda x: (t.einsum("i,i", x, leaf(t)), x.mul_(2))[0].backward())(t.ones(3)),
    "einsum needless operand changed": lambda t: (
        lambda x, w: (lambda y: (t.einsum("i,i", y, w), y.mul_(2))[0].backward())(x * 1)
    )(leaf(t), t.ones(3)),
    "einsum twice": lambda t: (lambda y: (y.backward(t.ones(2)), y.backward(t.ones(2))))(
        t.einsum("ii->i", t.ones(2, 2).requires_grad_())
    ),
    "einsum view changed": lambda t: (
        lambda x, y: (t.einsum("i->i", y).mul_(2), (y * y).sum().backward(), x.grad)
    )(*(lambda x: (x, x * 1))(leaf(t))),
    "matmul dtypes": lambda t: t.ones(2, 2) @ t.ones(2, 2, dtype=t.float64),
    "linear shapes": lambda t: t.nn.functional.linear(t.ones(2, 3), t.ones(2, 4)),
    "in-place shapes": lambda t: t.ones(3).add_(t.ones(2, 3)),
    "in-place dtype": lambda t: t.ones(3, dtype=t.int64).add_(0.5),
    "reshape": lambda t: t.ones(6).reshape(4, -1),
    "view of transposed": lambda t: t.ones(2, 3).t().view(-1),
    "dim out of range": lambda t: t.ones(2).sum(3),
    "index out of range": lambda t: t.ones(3)[5],
    "cat shapes": lambda t: t.cat([t.ones(2, 2), t.ones(2, 3)]),
    "stack shapes": lambda t: t.stack([t.ones(2), t.ones(3)]),
    "mean of ints": lambda t: t.tensor([1, 2]).mean(),
    "int to a negative power": lambda t: t.tensor([1, 2]) ** -1,
    "mse sizes": lambda t: t.nn.functional.mse_loss(t.ones(3, 1), t.ones(3)),
    "bce range": lambda t: t.nn.functional.binary_cross_entropy(t.ones(3) * 2, t.ones(3)),
    "bce sizes": lambda t: t.nn.functional.binary_cross_entropy(t.ones(3), t.ones(2)),
    "cross_entropy class": lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), t.tensor([0, 3])),
    "cross_entropy negative class": lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), t.tensor([0, -1])),
    "nll of bools": lambda t: t.nn.functional.nll_loss(t.ones(2, 3), t.tensor([0, 1]) > 0),
    "nll of doubles": lambda t: t.nn.functional.nll_loss(t.ones(2, 3), t.ones(2, dtype=t.float64)),
    "cross_entropy batch": lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), t.tensor([0, 1, 2])),
    "embedding range": lambda t: t.nn.functional.embedding(t.tensor([3]), t.ones(3, 2)),
    "clamp of nothing": lambda t: t.ones(2).clamp(),
    "dropout range": lambda t: t.nn.functional.dropout(t.ones(2), 2.0),
    "no such function": lambda t: t.matml(t.ones(2), t.ones(2)),
    "no such method": lambda t: t.ones(2).matml(t.ones(2)),
    "log(1 + exp(100))": lambda t: (lambda x: ((1 + x.exp()).log().backward(), x.grad))(t.tensor(100.0, requires_grad=True)),  # noqa: E501
    "graph": graph_of,
    "decorators": decorated,
    "set_grad_enabled": set_mode,
    "double backward": double_backward,
    "node called": lambda t: (leaf(t) * leaf(t)).grad_fn(t.ones(3)),
    "custom": lambda t: (lambda x: (Square[t][0].apply(x, 3).sum().backward(), x.grad))(leaf(t)),
    "custom name": lambda t: Square[t][0].apply(leaf(t), 3).grad_fn.name(),
    "custom second order": lambda t: (lambda x: t.autograd.grad(t.autograd.grad(Square[t][0].apply(x, 3).pow(2).sum(), x, create_graph=True)[0].sum(), x))(leaf(t)),  # noqa: E501
    "custom output saved": lambda t: (lambda x: t.autograd.grad(t.autograd.grad(Square[t][2].apply(x).pow(2).sum(), x, create_graph=True)[0].sum(), x))(leaf(t)),  # noqa: E501
    "custom twice": lambda t: second(t, lambda x: Square[t][0].apply(x, 3)),
    "custom two outputs": lambda t: (lambda x, y: ([(a * b).sum().backward() for a, b in [Square[t][1].apply(x, y)]], x.grad, y.grad))(leaf(t), leaf(t)),  # noqa: E501
    "custom one of two": lambda t: (lambda x, y: (Square[t][1].apply(x, y)[1].sum().backward(), x.grad, y.grad))(leaf(t), leaf(t)),  # noqa: E501
    "custom wrong count": lambda t: Square[t][3].apply(leaf(t)).sum().backward(),
    "jacobian": lambda t: t.autograd.functional.jacobian(lambda x: x**3, leaf(t).detach()),
    "jacobian of two": lambda t: t.autograd.functional.jacobian(lambda x, y: (x * y, y.sum()), (leaf(t).detach(), leaf(t).detach())),  # noqa: E501
    "hessian": lambda t: t.autograd.functional.hessian(lambda x: (x**3).sum() * x[0], leaf(t).detach()),
    "hessian of two": lambda t: t.autograd.functional.hessian(lambda x, y: (x * x * y).sum(), (leaf(t).detach(), leaf(t).detach())),  # noqa: E501
    "gradcheck": lambda t: t.autograd.gradcheck(lambda x: x.sin() * x, leaf(t).double().detach().requires_grad_()),
    "gradcheck wrong": lambda t: t.autograd.gradcheck(lambda x: Square[t][3].apply(x)[0:0].sum() + x.detach().exp() * x, leaf(t).double().detach().requires_grad_()),  # noqa: E501
    "gradcheck of what func closes over": lambda t: (lambda x: t.autograd.gradcheck(lambda _: x.exp(), x))(leaf(t).double().detach().requires_grad_()),  # noqa: E501
    "gradcheck with an input that is not used": lambda t: (lambda x, y: t.autograd.gradcheck(lambda x, y: x.sin(), (x, y)))(*[leaf(t).double().detach().requires_grad_() for _ in "xy"]),  # noqa: E501
    "masked_fill by an array": lambda t: leaf(t).masked_fill(np.array([True, False, True]), 0.0),
    "a hook that changes the size": lambda t: hook_returns(t, lambda g: t.ones(2)),
    "a hook that changes the dtype": lambda t: hook_returns(t, lambda g: g.double()),
    "a hook that returns a number": lambda t: hook_returns(t, lambda g: 5),
    "a rule that returns another dtype": lambda t: rule_returns(t, lambda g: g.double()),
    "a rule that returns a number": lambda t: rule_returns(t, lambda g: 3.0),
    "a rule that returns an array": lambda t: rule_returns(t, lambda g: g.numpy()),
    "a rule that returns a gradient for a number": lambda t: (
        custom(t, lambda ctx, x, n: x * n, lambda ctx, grad: (grad, grad)).apply(leaf(t), 3).sum().backward()
    ),
    "a forward that returns a number": lambda t: custom(t, lambda ctx, x: x.sum().item(), None).apply(leaf(t)),
    "save_for_backward of a number": lambda t: custom(t, lambda ctx, x: ctx.save_for_backward(3), None).apply(leaf(t)),
    "grad of no inputs": lambda t: t.autograd.grad(leaf(t).sum(), []),
    "backward to no inputs": lambda t: leaf(t).sum().backward(inputs=[]),
    "numpy under no_grad": lambda t: t.no_grad()(lambda: t.from_numpy(leaf(t).numpy()))(),
    "numpy by force": lambda t: t.from_numpy(leaf(t).numpy(force=True)),
    "format": lambda t: [f"{t.tensor(x)}" for x in (0.123456789, 2, True, [1.5])] + [f"{t.tensor(1.5):.3f}"],
    "format that requires grad": lambda t: f"{leaf(t).sum()}",
    "format of several": lambda t: f"{leaf(t):.3f}",
    "format of a Parameter": lambda t: f"{t.nn.Parameter(t.tensor(1.5)):.2f}",
    "a flag that is no bool": lambda t: set_flag(t, leaf(t), "yes"),
    "size beyond the last": lambda t: t.ones(2, 3).size(2),
    "alpha with a number": lambda t: (t.zeros(3).add_(1, alpha=2), t.sub(leaf(t), 1, alpha=3), leaf(t).add(1, alpha=2)),
    "keywords": lambda t: (t.exp(input=leaf(t)), t.add(leaf(t), other=1), t.pow(leaf(t), exponent=3)),
    "bits": lambda t: (t.tensor([1, 2]) & 1, t.tensor([1, 2]) | t.tensor([4, 1]), t.tensor([True]) | t.tensor([2])),
    "bits of bools": lambda t: (t.tensor([True, False]) & True, t.tensor([1, 2]) ^ 3, 3 & t.tensor([1, 6])),
    "bits of floats": lambda t: leaf(t) & 1,
    "== with None": lambda t: (leaf(t) == None, leaf(t) != None, leaf(t) == "a", leaf(t) == [1, 2, 3]),  # noqa: E711
    "< with None": lambda t: leaf(t) < None,
    "== with an array": lambda t: leaf(t) == np.ones(3),
    "@ with a number": lambda t: leaf(t) @ 2,
    "matmul with an array": lambda t: t.matmul(leaf(t), np.ones(3)),
    "where of two numbers": lambda t: t.where(t.tensor([True, False]), 1.0, 0.0),
    "exp of bools": lambda t: t.exp(t.tensor([True])),
    "exp of a number": lambda t: t.exp(2),
    "arange to a tensor": lambda t: t.arange(t.tensor(3)),
    "dtype=float": lambda t: t.tensor([1, 2], dtype=float),
    "zeros_like a list": lambda t: t.zeros_like([1, 2]),
    "minus bools": lambda t: -t.tensor([True]),
    "gradgradcheck": lambda t: t.autograd.gradgradcheck(lambda x: x.sin() * x, leaf(t).double().detach().requires_grad_()),  # noqa: E501
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_same_outcome(name: str) -> None:
    mine, theirs = outcome(lambda: CASES[name](minigrad)), outcome(lambda: CASES[name](torch))
    assert mine[1] == theirs[1], f"minigrad: {mine[1:]}, torch: {theirs[1:]}"
    if theirs[1] not in (None, "TypeError", "AttributeError"):  # Python's own words differ
        assert mine[2][:30] == theirs[2][:30]
    assert mine[3] == theirs[3], f"warnings: {mine[3]}, torch: {theirs[3]}"
    if theirs[1] is None:
        assert_same(mine[0], theirs[0], name)


PRINTED = [
    [63.0], [1.0, 2.5], [1e-5, 1.0], [1e6, 1.0], [123456789.0], [float("inf"), 1.0], [float("nan"), -1.5], [0.0, -0.0],
    [[1.0, -2.0], [3.25, 4.0]], [[[1.0]]], [], [[]], [1, -20, 300], [True, False], list(range(2000)),
    [i / 7 for i in range(40)], [[i * j / 3 for j in range(30)] for i in range(50)], [float("inf")], [1e-30, 2e-30],
    [1.0, float("inf"), -100.0],
]  # fmt: skip


@pytest.mark.parametrize("data", PRINTED, ids=range(len(PRINTED)))
@pytest.mark.parametrize("options", [{}, {"sci_mode": False, "linewidth": 300}, {"precision": 2}, {"sci_mode": True}])
def test_same_text(data: Any, options: dict[str, Any]) -> None:
    for package in (minigrad, torch):
        package.set_printoptions(profile="default")
        package.set_printoptions(**options)
    try:
        for dtype in ("float32", "float64", None):
            mine = minigrad.tensor(data, dtype=dtype and getattr(minigrad, dtype))
            theirs = torch.tensor(data, dtype=dtype and getattr(torch, dtype))
            assert repr(mine) == repr(theirs)
            if dtype == "float32":
                assert repr(mine.requires_grad_()) == repr(theirs.requires_grad_())
                assert repr(mine * 1) == repr(theirs * 1)
    finally:
        for package in (minigrad, torch):
            package.set_printoptions(profile="default")


def test_an_absent_name_answers_with_a_sentence() -> None:
    with pytest.raises(AttributeError, match="minigrad has no 'conv2d'; torch may have it"):
        minigrad.conv2d  # noqa: B018
    with pytest.raises(AttributeError, match="'Tensor' object has no attribute 'conv2d'"):
        minigrad.ones(1).conv2d  # noqa: B018


def test_views_share_memory_version_and_history() -> None:
    for t in (minigrad, torch):
        x = leaf(t)
        base = x * 2
        first, rest = base[0], base.view(3, 1)[1:]
        rest.mul_(10)
        assert base.tolist() == [2.0, 40.0, 60.0] and base._version == first._version == rest._version == 1
        (base.sum() + first * 100).backward()
        assert x.grad.tolist() == [202.0, 20.0, 20.0]


def test_numpy_shares_memory() -> None:
    array = np.ones(3, np.float32)
    x = minigrad.from_numpy(array)
    x.add_(1)
    x.numpy()[0] = 9
    assert array.tolist() == [9.0, 2.0, 2.0]
    assert np.asarray(x) is not None and np.asarray(minigrad.tensor(3.0)).item() == 3.0
