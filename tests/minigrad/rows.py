"""One row an operation: its name, how it is called on either package, and the inputs it is tried on.

`t` is the package. Inputs are given as shapes; `positive`, `unit` and the like say where they are drawn.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Row(NamedTuple):
    name: str
    call: Any  # call(t, *tensors)
    shapes: tuple[tuple[int, ...], ...]
    domain: str = "real"
    second: bool = True


def draw(row: Row, dtype: str, seed: int) -> list[np.ndarray]:
    """Inputs for a row. Half of the reals are rounded, so that ties and zeros occur."""
    rng = np.random.default_rng(seed)
    arrays = []
    for shape in row.shapes:
        values = rng.normal(size=shape)
        if row.domain == "positive":
            values = np.abs(values) + 0.3
        elif row.domain == "unit":
            values = rng.uniform(0.05, 0.95, shape)
        elif row.domain == "rounded":
            values = np.round(values)
        elif row.domain == "nonzero":
            values = np.sign(values) * (np.abs(values) + 0.3)
        elif row.domain == "extreme":
            values = rng.choice([-1000.0, -100.0, -1.5, 0.0, 0.7, 100.0, 1000.0], shape)
        arrays.append(np.asarray(values, dtype))
    return arrays


S, V, M, C = (), (4,), (3, 4), (2, 3, 4)
MASK = np.array([[True, False, True, False], [False, True, True, False], [True, True, False, False]])
PICK = np.array([2, 0, 2, 1])

ROWS = [
    # arithmetic
    Row("add", lambda t, x, y: x + y, (M, V)),
    Row("add alpha", lambda t, x, y: t.add(x, y, alpha=2.5), (M, (3, 1))),
    Row("radd", lambda t, x: 2 + x, (M,)),
    Row("sub", lambda t, x, y: x - y, (V, M)),
    Row("rsub", lambda t, x: 2 - x, (S,)),
    Row("mul", lambda t, x, y: x * y, (C, (3, 1))),
    Row("mul with itself", lambda t, x: x * x, (M,)),
    Row("rmul", lambda t, x: 3 * x, (M,)),
    Row("div", lambda t, x, y: x / y, (M, V), "nonzero"),
    Row("rdiv", lambda t, x: 1 / x, (M,), "nonzero"),
    Row("reciprocal", lambda t, x: t.reciprocal(x), (M,), "nonzero"),
    Row("neg", lambda t, x: -x, (M,)),
    Row("pow 2", lambda t, x: x**2, (M,)),
    Row("pow 3", lambda t, x: x**3, (S,)),
    Row("pow 0", lambda t, x: x**0, (M,), "rounded", False),
    Row("pow 1", lambda t, x: x**1, (M,), "rounded", False),
    Row("pow -1", lambda t, x: x**-1, (M,), "nonzero"),
    Row("pow 0.5", lambda t, x: x**0.5, (M,), "positive"),
    Row("pow tensor", lambda t, x, y: x**y, (M, V), "positive"),
    Row("pow tensor at 0", lambda t, x: t.zeros(3, dtype=x.dtype) ** x.abs(), ((3,),), "rounded", False),
    Row("rpow", lambda t, x: 2**x, (M,)),
    Row("rpow of 0", lambda t, x: 0.0 ** x.abs(), (M,), "rounded", False),
    Row("rsub of a vector", lambda t, x: 2.5 - x, (V,)),
    # elementwise
    Row("exp", lambda t, x: t.exp(x), (M,)),
    Row("log", lambda t, x: t.log(x), (M,), "positive"),
    Row("sqrt", lambda t, x: x.sqrt(), (M,), "positive"),
    Row("abs", lambda t, x: abs(x), (M,), "rounded"),
    Row("sin", lambda t, x: t.sin(x), (M,)),
    Row("cos", lambda t, x: t.cos(x), (M,)),
    Row("tanh", lambda t, x: t.tanh(x), (M,)),
    Row("sigmoid", lambda t, x: t.sigmoid(x), (M,)),
    Row("sigmoid extreme", lambda t, x: t.sigmoid(x), (M,), "extreme", False),
    Row("relu", lambda t, x: t.relu(x), (M,), "rounded"),
    Row("clamp", lambda t, x: x.clamp(-1, 1), (M,), "rounded"),
    Row("clamp min", lambda t, x: t.clamp(x, min=0), (M,), "rounded"),
    Row("clamp max", lambda t, x: t.clamp(x, max=0.5), (M,)),
    Row("clamp tensors", lambda t, x, y, z: t.clamp(x, y, z), (M, V, V), "rounded"),
    Row("maximum", lambda t, x, y: t.maximum(x, y), (M, V), "rounded"),
    Row("minimum", lambda t, x, y: t.minimum(x, y), (M, V), "rounded"),
    Row("where", lambda t, x, y: t.where(t.tensor(MASK), x, y), (M, V)),
    Row("where scalar", lambda t, x: t.where(x > 0, x, 0.0), (M,)),
    Row("clone", lambda t, x: x.clone(), (M,)),
    Row("to float64", lambda t, x: x.double() * 2, (M,)),
    # reductions
    Row("sum", lambda t, x: x.sum(), (C,)),
    Row("sum dim", lambda t, x: x.sum(1), (C,)),
    Row("sum dims keepdim", lambda t, x: x.sum((0, -1), keepdim=True), (C,)),
    Row("sum 0-d", lambda t, x: x.sum(0), (S,)),
    Row("mean", lambda t, x: x.mean(), (C,)),
    Row("mean dim", lambda t, x: t.mean(x, -1), (C,)),
    Row("mean dims keepdim", lambda t, x: x.mean((0, 2), keepdim=True), (C,)),
    Row("var", lambda t, x: x.var(), (M,)),
    Row("var dim", lambda t, x: x.var(1, unbiased=False, keepdim=True), (M,)),
    Row("var correction", lambda t, x: t.var(x, dim=0, correction=0), (M,)),
    Row("std", lambda t, x: x.std(), (M,)),
    Row("std dim", lambda t, x: x.std(-1), (C,)),
    Row("prod", lambda t, x: x.prod(), (V,)),
    Row("prod zeros", lambda t, x: x.prod(), (V,), "rounded"),
    Row("prod dim", lambda t, x: x.prod(1), (M,)),
    Row("prod dim zeros", lambda t, x: x.prod(1, keepdim=True), (M,), "rounded"),
    Row("max", lambda t, x: x.max(), (M,), "rounded"),
    Row("min", lambda t, x: t.min(x), (M,), "rounded"),
    Row("max dim", lambda t, x: tuple(x.max(1)), (M,), "rounded"),
    Row("min dim keepdim", lambda t, x: tuple(t.min(x, 0, keepdim=True)), (M,), "rounded"),
    Row("max of two", lambda t, x, y: t.max(x, y), (M, M), "rounded"),
    Row("amax", lambda t, x: x.amax(1), (M,), "rounded"),
    Row("amin dims", lambda t, x: x.amin((0, 1), keepdim=True), (C,), "rounded"),
    Row("argmax", lambda t, x: x.argmax(1), (M,), "rounded"),
    Row("argmax all", lambda t, x: t.argmax(x), (M,)),
    Row("cumsum", lambda t, x: x.cumsum(1), (C,)),
    Row("softmax", lambda t, x: t.softmax(x, -1), (M,)),
    Row("softmax extreme", lambda t, x: t.softmax(x, 0), (M,), "extreme", False),
    Row("log_softmax", lambda t, x: t.log_softmax(x, 1), (M,)),
    Row("logsumexp", lambda t, x: t.logsumexp(x, 1), (M,)),
    Row("logsumexp keepdim", lambda t, x: x.logsumexp((0, 1), keepdim=True), (M,)),
    # products
    *[
        Row(f"matmul {a} {b}", lambda t, x, y: x @ y, (a, b))
        for a, b in [
            ((4,), (4,)),
            ((3, 4), (4,)),
            ((4,), (4, 3)),
            ((3, 4), (4, 2)),
            ((2, 3, 4), (4, 5)),
            ((2, 3, 4), (4,)),
            ((4,), (2, 4, 3)),
            ((2, 3, 4), (2, 4, 5)),
            ((3, 4), (2, 4, 5)),
            ((2, 1, 3, 4), (5, 4, 2)),
            ((2, 3, 4, 5), (5,)),
            ((1, 3, 4), (2, 4, 5)),
        ]
    ],  # fmt: skip
    Row("dot", lambda t, x, y: t.dot(x, y), (V, V)),
    Row("mv", lambda t, x, y: t.mv(x, y), (M, V)),
    Row("mm", lambda t, x, y: x.mm(y), (M, (4, 2))),
    Row("bmm", lambda t, x, y: t.bmm(x, y), (C, (2, 4, 2))),
    Row("outer", lambda t, x, y: t.outer(x, y), (V, (3,))),
    Row("einsum", lambda t, x, y: t.einsum("bij,bjk->bik", x, y), (C, (2, 4, 2))),
    Row("einsum sum", lambda t, x, y: t.einsum("ij,kj->i", x, y), (M, (2, 4))),
    Row("einsum one", lambda t, x: t.einsum("ij->j", x), (M,)),
    Row("einsum diagonal", lambda t, x: t.einsum("ii->i", x), ((3, 3),)),
    Row("einsum trace", lambda t, x: t.einsum("ii", x), ((3, 3),)),
    Row("einsum diagonal of three", lambda t, x: t.einsum("iij->j", x), ((3, 3, 2),)),
    Row("einsum diagonal times", lambda t, x, y: t.einsum("iji,jk->ik", x, y), ((2, 4, 2), (4, 3))),
    Row("einsum diagonals", lambda t, x, y: t.einsum("ii,ii->i", x, y), ((3, 3), (3, 3))),
    Row("einsum diagonal of one", lambda t, x, y: t.einsum("ii,i->", x, y), ((1, 1), (3,))),
    Row("einsum transpose", lambda t, x: t.einsum("ji", x), (M,)),
    Row("einsum ellipsis", lambda t, x, y: t.einsum("...ij,...jk->...ik", x, y), ((5, 1, 2, 3), (4, 3, 2))),
    Row("einsum ellipsis of two lengths", lambda t, x, y: t.einsum("...i,i...->...", x, y), ((2, 1, 3), (3, 4))),
    Row("einsum ellipsis summed", lambda t, x: t.einsum("...i->i", x), (C,)),
    Row("einsum ellipsis diagonal", lambda t, x: t.einsum("...ii->...i", x), ((2, 3, 3),)),
    Row("einsum ellipsis alone", lambda t, x, y: t.einsum("...,...", x, y), ((2, 1), (3,))),
    Row("einsum ellipsis of none", lambda t, x, y: t.einsum("ij,...->i...", x, y), (M, S)),
    Row("einsum broadcast letter", lambda t, x, y: t.einsum("ij,ij->i", x, y), ((3, 1), (1, 4))),
    Row("einsum scalars", lambda t, x, y: t.einsum(",->", x, y), (S, S)),
    Row("einsum three", lambda t, x, y, z: t.einsum("i,ij,j", x, y, z), ((3,), M, V)),
    # shapes
    Row("reshape", lambda t, x: x.reshape(4, -1), (C,)),
    Row("view", lambda t, x: x.view(-1), (C,)),
    Row("flatten", lambda t, x: x.flatten(1), (C,)),
    Row("transpose", lambda t, x: x.transpose(0, -1), (C,)),
    Row("t", lambda t, x: x.t(), (M,)),
    Row("T", lambda t, x: x.T, (M,)),
    Row("mT", lambda t, x: x.mT, (C,)),
    Row("permute", lambda t, x: x.permute(2, 0, 1), (C,)),
    Row("squeeze", lambda t, x: x.squeeze(), ((1, 3, 1),)),
    Row("squeeze dim", lambda t, x: x.squeeze(0), ((1, 3, 1),)),
    Row("unsqueeze", lambda t, x: x.unsqueeze(-1), (M,)),
    Row("expand", lambda t, x: x.expand(2, 3, -1), ((3, 1),)),
    Row("flip", lambda t, x: t.flip(x, (0,)), (M,)),
    Row("cat", lambda t, x, y: t.cat([x, y], 1), (M, (3, 2))),
    Row("stack", lambda t, x, y: t.stack([x, y], -1), (M, M)),
    Row("split", lambda t, x: t.split(x, 3, 1)[0] * t.split(x, [1, 3], 1)[1], (M,)),
    Row("chunk", lambda t, x: x.chunk(2, 1)[1], (M,)),
    Row("tril", lambda t, x: t.tril(x), (C,)),
    Row("triu", lambda t, x: x.triu(1), (M,)),
    Row("masked_fill", lambda t, x: x.masked_fill(t.tensor(MASK), -1.5), (M,)),
    # indexing
    Row("unbind", lambda t, x: x.unbind()[1], (M,)),
    Row("unbind dim", lambda t, x: t.unbind(x, -1)[2], (C,)),
    Row("t of a vector", lambda t, x: x.t(), (V,)),
    Row("index int", lambda t, x: x[1], (M,)),
    Row("index negative", lambda t, x: x[-1, 2], (M,)),
    Row("index slices", lambda t, x: x[1:, ::2], (M,)),
    Row("index None …", lambda t, x: x[..., None, 1], (C,)),
    Row("index mask", lambda t, x: x[t.tensor(MASK)], (M,)),
    Row("index repeated", lambda t, x: x[t.tensor(PICK)], (M,)),
    Row("index pairs", lambda t, x: x[t.tensor([0, 0, 2]), t.tensor([1, 1, 3])], (M,)),
    Row("index mixed", lambda t, x: x[:, t.tensor(PICK)], (M,)),
    Row("index list", lambda t, x: x[[2, 0]], (M,)),
    Row("gather", lambda t, x: x.gather(1, t.tensor([[0, 1], [3, 3], [2, 0]])), (M,)),
    # functional
    Row("mse_loss", lambda t, x, y: t.nn.functional.mse_loss(x, y), (M, M)),
    Row("mse_loss none", lambda t, x, y: t.nn.functional.mse_loss(x, y, reduction="none"), (M, M)),
    Row("l1_loss", lambda t, x, y: t.nn.functional.l1_loss(x, y), (M, M), "rounded"),
    Row("l1_loss sum", lambda t, x, y: t.nn.functional.l1_loss(x, y, reduction="sum"), (M, M)),
    Row("smooth_l1_loss", lambda t, x, y: t.nn.functional.smooth_l1_loss(x, y, beta=0.7), (M, M)),
    Row("bce", lambda t, x, y: t.nn.functional.binary_cross_entropy(x, y), (M, M), "unit"),
    Row("bce logits", lambda t, x, y: t.nn.functional.binary_cross_entropy_with_logits(x, y), (M, M), "unit"),
    Row(
        "bce logits none",
        lambda t, x: t.nn.functional.binary_cross_entropy_with_logits(x, t.zeros_like(x), reduction="none"),
        (M,),
        "extreme",
        False,
    ),  # noqa: E501
    Row(
        "bce pos_weight",
        lambda t, x, y: t.nn.functional.binary_cross_entropy_with_logits(
            x, y, pos_weight=t.tensor([1.0, 2, 3, 4], dtype=x.dtype)
        ),
        (M, M),
        "unit",
    ),  # noqa: E501
    Row(
        "bce weight",
        lambda t, x: t.nn.functional.binary_cross_entropy_with_logits(
            x, t.ones_like(x), t.tensor([1.0, 2, 3, 4], dtype=x.dtype), reduction="sum"
        ),
        (M,),
        "extreme",
        False,
    ),  # noqa: E501
    Row("cross_entropy", lambda t, x: t.nn.functional.cross_entropy(x, t.tensor([0, 3, 1])), (M,)),
    Row(
        "cross_entropy weights",
        lambda t, x: t.nn.functional.cross_entropy(x, t.tensor([0, 3, -100]), t.tensor([1.0, 2, 3, 4], dtype=x.dtype)),
        (M,),
    ),  # noqa: E501
    Row(
        "cross_entropy smooth",
        lambda t, x: t.nn.functional.cross_entropy(x, t.tensor([0, 3, 1]), label_smoothing=0.1),
        (M,),
    ),  # noqa: E501
    Row(
        "cross_entropy 3-d", lambda t, x: t.nn.functional.cross_entropy(x, t.tensor([[0, 2, 1, 1], [1, 1, 0, 2]])), (C,)
    ),  # noqa: E501
    Row("cross_entropy soft", lambda t, x, y: t.nn.functional.cross_entropy(x, y), (M, M), "unit"),
    Row("cross_entropy one", lambda t, x: t.nn.functional.cross_entropy(x, t.tensor(2)), (V,)),
    Row("nll_loss sum", lambda t, x: t.nn.functional.nll_loss(x, t.tensor([0, 3, 1]), reduction="sum"), (M,)),
    Row("nll_loss none", lambda t, x: t.nn.functional.nll_loss(x, t.tensor([0, 3, 1]), reduction="none"), (M,)),
    Row("softplus", lambda t, x: t.nn.functional.softplus(x), (M,)),
    Row("softplus extreme", lambda t, x: t.nn.functional.softplus(x), (M,), "extreme", False),
    Row("gelu", lambda t, x: t.nn.functional.gelu(x), (M,)),
    Row("gelu tanh", lambda t, x: t.nn.functional.gelu(x, approximate="tanh"), (M,)),
    Row("silu", lambda t, x: t.nn.functional.silu(x), (M,)),
    Row("leaky_relu", lambda t, x: t.nn.functional.leaky_relu(x, 0.1), (M,), "rounded"),
    Row("linear", lambda t, x, w, b: t.nn.functional.linear(x, w, b), (M, (2, 4), (2,))),
    Row("linear 3-d", lambda t, x, w, b: t.nn.functional.linear(x, w, b), (C, (2, 4), (2,))),
    Row("linear 1-d", lambda t, x, w: t.nn.functional.linear(x, w), (V, (2, 4))),
    Row("embedding", lambda t, w: t.nn.functional.embedding(t.tensor([[0, 2], [2, 1]]), w), (M,)),
    Row("embedding padding", lambda t, w: t.nn.functional.embedding(t.tensor([0, 2, 2]), w, padding_idx=2), (M,)),
    Row("layer_norm", lambda t, x, w, b: t.nn.functional.layer_norm(x, (4,), w, b), (M, V, V)),
    Row("layer_norm plain", lambda t, x: t.nn.functional.layer_norm(x, (3, 4)), (C,)),
    # in place, on a copy that has a history
    Row("add_", lambda t, x, y: (x * 2).add_(y), (M, V)),
    Row("sub_", lambda t, x, y: (x * 2).sub_(y), (M, V)),
    Row("mul_", lambda t, x, y: (x * 2).mul_(y), (M, V)),
    Row("div_", lambda t, x, y: (x * 2).div_(y), (M, V), "nonzero"),
    Row("exp_", lambda t, x: (x * 2).exp_(), (M,)),
    Row("tanh_", lambda t, x: (x * 2).tanh_(), (M,)),
    Row("zero_", lambda t, x: (x * 2).zero_(), (M,), "real", False),
    Row("fill_", lambda t, x: (x * 2).fill_(3.0), (M,), "real", False),
    Row("copy_", lambda t, x, y: (x * 2).copy_(y), (M, V), "real", False),
    Row("clamp_", lambda t, x: (x * 2).clamp_(min=0), (M,), "rounded"),
    Row("setitem", lambda t, x, y: set_item(x * 2, 1, y), (M, V)),
    Row("setitem mask", lambda t, x: set_item(x * 2, t.tensor(MASK), 0.0), (M,)),
    Row("setitem indices", lambda t, x, y: set_item(x * 2, t.tensor([0, 2]), y), (M, V)),
    Row("view in place", lambda t, x, y: changed_view(x * 2, y), (M, (2, 4))),
]


def set_item(x: Any, index: Any, value: Any) -> Any:
    x[index] = value
    return x


def changed_view(x: Any, y: Any) -> Any:
    x[1:].t().mul_(y.t())
    return x * x
