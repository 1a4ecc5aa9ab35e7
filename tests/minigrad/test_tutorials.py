"""The tutorials' statements, run on either package: `t` is torch, then minigrad."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import torch

import minigrad


@pytest.fixture(params=[torch, minigrad], ids=["torch", "minigrad"])
def t(request: pytest.FixtureRequest) -> Any:
    request.param.manual_seed(0)
    return request.param


def test_one_step(t: Any) -> None:
    x = t.tensor(2.0, requires_grad=True)
    y = 2 * x**4 + x**3 + 3 * x**2 + 5 * x + 1
    assert str(y) == "tensor(63., grad_fn=<AddBackward0>)"
    y.backward()
    assert str(x.grad) == "tensor(93.)"


def test_multiple_steps(t: Any) -> None:
    x = t.tensor([[1.0, 2, 3], [3, 2, 1]], requires_grad=True)
    assert str(x) == "tensor([[1., 2., 3.],\n        [3., 2., 1.]], requires_grad=True)"
    assert x.grad is None
    y = 3 * x + 2
    y.retain_grad()
    z = 2 * y**2
    out = z.mean()
    out.backward()
    assert str(x.grad) == "tensor([[10., 16., 22.],\n        [22., 16., 10.]])"
    assert str(1 / 6 * 4 * y * 3) == "tensor([[10., 16., 22.],\n        [22., 16., 10.]], grad_fn=<MulBackward0>)"
    assert str(y.grad) == "tensor([[3.3333, 5.3333, 7.3333],\n        [7.3333, 5.3333, 3.3333]])"


def network(t: Any) -> Any:
    x, y = t.ones(5), t.zeros(3)
    w = t.randn(5, 3, requires_grad=True)
    b = t.randn(3, requires_grad=True)
    z = t.matmul(x, w) + b
    return x, y, w, b, z, t.nn.functional.binary_cross_entropy_with_logits(z, y)


def test_one_layer(t: Any) -> None:
    x, y, w, b, z, loss = network(t)
    assert repr(z.grad_fn).startswith("<AddBackward0 object at 0x")
    assert repr(loss.grad_fn).startswith("<BinaryCrossEntropyWithLogitsBackward0 object at 0x")
    assert str(loss).endswith("grad_fn=<BinaryCrossEntropyWithLogitsBackward0>)")
    loss.backward()
    sigmoid = 1 / (1 + np.exp(-z.detach().numpy()))
    np.testing.assert_allclose(b.grad.numpy(), sigmoid / 3, rtol=1e-5)
    np.testing.assert_allclose(w.grad.numpy(), np.tile(sigmoid / 3, (5, 1)), rtol=1e-5)
    with pytest.warns(UserWarning, match="The .grad attribute of a Tensor that is not a leaf Tensor"):
        assert z.grad is None
    with pytest.raises(RuntimeError, match="^grad can be implicitly created only for scalar outputs"):
        (t.matmul(x, w) + b).backward()


def test_the_tutorials_own_mistakes(t: Any) -> None:
    with pytest.raises(TypeError):
        t.randn(5, 3, require_grad=True)
    x, y, w, b, z, _ = network(t)
    with pytest.raises(ValueError, match=r"^Target size \(torch.Size\(\[3\]\)\) must be the same as input size"):
        t.nn.functional.binary_cross_entropy_with_logits(x, y)
    with pytest.raises(AttributeError):
        t.matml(x, w)
    with pytest.raises(TypeError, match="'bool' object is not callable"):
        z.detach().requires_grad(True)
    x.require_grad = True
    assert not x.requires_grad
    z_det = z.detach().requires_grad_(True)
    t.nn.functional.binary_cross_entropy_with_logits(z_det, y).backward()
    assert w.grad is None and b.grad is None and z_det.grad is not None


def test_backward_twice(t: Any) -> None:
    *_, loss = network(t)
    loss.backward(retain_graph=True)
    loss.backward()
    with pytest.raises(RuntimeError, match=r"^Trying to backward through the graph a second time \(or directly access"):
        loss.backward()


def test_linear_mse_adam(t: Any) -> None:
    x, target = t.rand(16), t.randn(10)
    w = t.randn(10, 16, requires_grad=True)
    b = t.randn(10, requires_grad=True)
    optimizer = t.optim.Adam(params=[w, b])
    first = None
    for _ in range(100):
        z = (w @ x) + b
        loss = t.nn.functional.mse_loss(target, z)
        first = loss.item() if first is None else first
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert str(loss).endswith("grad_fn=<MseLossBackward0>)")
    assert loss.item() < first
    assert repr(w.grad.shape) == "torch.Size([10, 16])" and repr(b.grad.shape) == "torch.Size([10])"


def test_disabling(t: Any) -> None:
    x, y, w, b, z, _ = network(t)
    assert z.requires_grad
    with t.no_grad():
        z = t.matmul(x, w) + b
        assert (z.requires_grad, w.requires_grad, b.requires_grad) == (False, True, True)
    z.requires_grad_(True)
    assert z.requires_grad
    z.detach_()
    assert not z.requires_grad
    a = t.randn(2, 2)
    assert (a * a).sum().grad_fn is None
    a.requires_grad_(True)
    assert repr((a * a).sum().grad_fn).startswith("<SumBackward0 object")
    assert (a.requires_grad, a.detach().requires_grad) == (True, False)
    with t.no_grad():
        assert not (a**2).requires_grad


def test_intermediate_break(t: Any) -> None:
    x, y, w, b, z, _ = network(t)
    with t.no_grad():
        z = t.matmul(x, w) + b
    zz = t.matmul(z, t.ones(3))
    zz.requires_grad_(True)
    assert (z.requires_grad, zz.requires_grad) == (False, True)
    zz.backward()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (x.grad, z.grad, str(zz.grad), w.grad) == (None, None, "tensor(1.)", None)


def test_detach_shares_memory(t: Any) -> None:
    *_, z, _ = network(t)
    before = z.tolist()
    zd = z.detach()
    zd.add_(1)
    np.testing.assert_allclose(z.tolist(), np.array(before) + 1, rtol=1e-6)
    assert z._version == zd._version == 1


def test_names_of_nodes(t: Any) -> None:
    x = t.tensor([-0.2688, 0.8487, -0.0750], requires_grad=True)
    y = x + 2
    assert x.grad_fn is None and str(y) == "tensor([1.7312, 2.8487, 1.9250], grad_fn=<AddBackward0>)"
    z = y * y * 3
    assert repr(z.grad_fn).startswith("<MulBackward0 ")
    z = z.mean()
    assert str(z) == "tensor(14.8178, grad_fn=<MeanBackward0>)"
    z.backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * y.detach().numpy(), rtol=1e-6)
    assert [type(n).__name__ if n is None else n.name() for n, _ in y.grad_fn.next_functions][0].endswith(
        "AccumulateGrad"
    )
