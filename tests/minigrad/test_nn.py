"""Modules, losses, optimizers: parameters copied from torch give torch's outputs, gradients and steps."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import pytest
import torch

import minigrad
from minigrad.rules.activation import Normalisation

from .differential import outcome

PACKAGES = (minigrad, torch)


def network(t: Any) -> Any:
    nn = t.nn

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Embedding(7, 6)
            self.body = nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 8), nn.Tanh())
            self.heads = nn.ModuleList([nn.Linear(8, 3, bias=False), nn.Linear(8, 3)])
            self.scale = nn.Parameter(t.ones(3))
            self.register_buffer("shift", t.ones(3) * 0.5)

        def forward(self, index: Any) -> Any:
            hidden = self.body(self.table(index))
            return sum(head(hidden) for head in self.heads) * self.scale + self.shift

    t.manual_seed(3)
    return Net()


def test_a_network_is_torchs() -> None:
    nets = [network(t) for t in PACKAGES]
    assert repr(nets[0]) == repr(nets[1])
    assert [n for n, _ in nets[0].named_parameters()] == [n for n, _ in nets[1].named_parameters()]
    assert list(nets[0].state_dict()) == list(nets[1].state_dict())
    for (_, mine), (_, theirs) in zip(nets[0].named_parameters(), nets[1].named_parameters(), strict=True):
        np.testing.assert_allclose(mine.detach().numpy(), theirs.detach().numpy(), 1e-5, 1e-6)
    outs = []
    for t, net in zip(PACKAGES, nets, strict=True):
        out = net(t.tensor([[0, 2], [6, 2]]))
        (out * t.tensor([1.0, -2.0, 0.5])).sum().backward()
        outs.append(out.detach().numpy())
    np.testing.assert_allclose(outs[0], outs[1], 1e-4, 1e-5)
    for (name, mine), (_, theirs) in zip(nets[0].named_parameters(), nets[1].named_parameters(), strict=True):
        np.testing.assert_allclose(mine.grad.numpy(), theirs.grad.numpy(), 1e-3, 1e-5, err_msg=name)


def test_state_dict_round_trip() -> None:
    source = network(torch)
    net = network(minigrad)
    state = {name: minigrad.tensor(value.numpy()) for name, value in source.state_dict().items()}
    assert repr(net.load_state_dict(state)) == "<All keys matched successfully>"
    for wrong in ({"x": 1}, {"scale": 2}):
        results = []
        for t in PACKAGES:
            broken = network(t).state_dict()
            for name, size in wrong.items():
                broken[name] = t.ones(size)
            broken.pop("shift")
            results.append(outcome(lambda t=t, broken=broken: network(t).load_state_dict(broken)))
        assert results[0][1:3] == results[1][1:3]


def test_modes_freezing_and_apply() -> None:
    for t in PACKAGES:
        net = network(t)
        net.eval()
        assert not net.training and not net.body[2].training
        net.train()
        assert net.heads[1].training
        net.body.requires_grad_(False)
        net(t.tensor([1])).sum().backward()
        assert net.body[0].weight.grad is None and net.heads[0].weight.grad is not None
        net.zero_grad()
        assert net.heads[0].weight.grad is None
        seen = []
        net.apply(lambda module, seen=seen: seen.append(type(module).__name__))
        assert seen == ["Embedding", "Linear", "LayerNorm", "GELU", "Linear", "Tanh", "Sequential", "Linear", "Linear",
                        "ModuleList", "Net"]  # fmt: skip
        assert len(list(net.parameters())) == len({id(p) for p in net.parameters()}) == 11


def in_a_plain_list(t: Any) -> Any:
    class Net(t.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [t.nn.Linear(2, 2)]

    return len(list(Net().parameters()))


def without_init(t: Any) -> Any:
    class Net(t.nn.Module):
        def __init__(self) -> None:
            self.layer = t.nn.Linear(2, 2)

    return Net()


def assigned(t: Any, *values: Any) -> Any:
    """Where a name is found after it was assigned to a network, one value after another."""
    net = network(t)
    for value in values:
        net.name = value(t) if callable(value) else value
    held = [key for key in ("_parameters", "_modules", "_buffers") if "name" in getattr(net, key)]
    return f"{held} {'name' in vars(net)} {net.name}"


def shared(t: Any, **settings: Any) -> str:
    """The names of a network that holds a parameter, and a module, in two places."""
    net = network(t)
    net.heads[1].weight = net.body[3].weight = net.heads[0].weight
    net.again, net.nothing = net.body, None
    net.register_parameter("none", None)
    return " ".join(name for name, _ in net.named_parameters(**settings))


def parameter(t: Any) -> Any:
    return t.nn.Parameter(t.ones(1))


def table(t: Any, embed: Any) -> str:
    """The gradient of a table whose last row, looked up by `embed`, is padding."""
    weight = t.nn.Parameter(t.ones(3, 2))
    embed(t.tensor([0, 2, 2]), weight).sum().backward()
    return str(weight.grad.tolist())


def padded(t: Any) -> str:
    layer = t.nn.Embedding(5, 3, padding_idx=-1)
    layer(t.tensor([4, 1])).sum().backward()
    return f"{layer} {layer.padding_idx} {layer.weight[4].tolist()} {layer.weight.grad.tolist()}"


def changed(t: Any, change: Any) -> str:
    """The text of a Sequential and of a ModuleList after a change, and what the change returned."""
    kinds = (t.nn.Sequential(*listed(t)), t.nn.ModuleList(listed(t)))
    return " ".join(f"{change(modules)} {modules!r} {list(modules._modules)}" for modules in kinds)


def listed(t: Any) -> list[Any]:
    return [t.nn.Linear(2, 2), t.nn.ReLU(), t.nn.Linear(2, 3)]


def alike(t: Any) -> str:
    blocks = [t.nn.Sequential(t.nn.Linear(2, 2), t.nn.Tanh()) for _ in range(3)]
    return repr(t.nn.Sequential(t.nn.ModuleList([t.nn.Tanh(), *blocks, t.nn.Tanh()]), t.nn.ModuleList()))


def in_place(t: Any, module: Any) -> str:
    x = t.tensor([-1.0, 2.0])
    return f"{module(x) is x} {x} {module}"


def buffered(t: Any, **settings: Any) -> str:
    net = network(t)
    net.register_buffer("mask", t.ones(2), **settings)
    return f"{list(net.state_dict())} {[name for name, _ in net.named_buffers()]}"


def schedule(t: Any, order: str) -> str:
    """A schedule's state after the steps of optimizer ("o") and schedule ("s")."""
    p = t.ones(2, requires_grad=True)
    p.sum().backward()
    optimizer = t.optim.SGD([p], lr=0.1)
    scheduler = t.optim.lr_scheduler.StepLR(optimizer, 2)
    for step in order:
        (optimizer if step == "o" else scheduler).step()
    again = t.optim.lr_scheduler.StepLR(t.optim.SGD([p], lr=0.3), 7)
    again.load_state_dict(scheduler.state_dict())
    state = [again.state_dict()[key] for key in ("step_size", "gamma", "base_lrs", "last_epoch", "_step_count")]
    return f"{state} {again.get_last_lr()} {scheduler.get_last_lr()} {optimizer.state_dict()['state']}"


NN_CASES = {
    "a number, then a parameter": lambda t: assigned(t, 1, parameter),
    "a parameter, then None": lambda t: assigned(t, parameter, None),
    "a module, then None": lambda t: assigned(t, lambda t: t.nn.Tanh(), None),
    "a module, then a number": lambda t: assigned(t, lambda t: t.nn.Tanh(), 1),
    "a parameter, then a tensor": lambda t: assigned(t, parameter, lambda t: t.ones(1)),
    "a buffer, then None": lambda t: setattr(net := network(t), "shift", None) or f"{net.shift} {'shift' in vars(net)}",
    "a bias for a layer without": lambda t: setattr(t.nn.Linear(2, 3, bias=False), "bias", t.ones(3)),
    "shared parameters": shared,
    "shared parameters, with a prefix": lambda t: shared(t, prefix="net"),
    "own parameters": lambda t: shared(t, recurse=False),
    "a frozen parameter of ints": lambda t: repr(t.nn.Parameter(t.tensor([1]), requires_grad=False)),
    "a copied parameter": lambda t: repr(copy.deepcopy(t.nn.Parameter(t.ones(1), requires_grad=False))),
    "plain list": in_a_plain_list,
    "no super().__init__()": without_init,
    "absent attribute": lambda t: network(t).foo,
    "tensor as parameter": lambda t: setattr(network(t), "scale", t.ones(3)),
    "not a module": lambda t: t.nn.ModuleList([1]),
    "no forward": lambda t: t.nn.Module()(1),
    "optimize nothing": lambda t: t.optim.SGD([]),
    "optimize a tensor": lambda t: t.optim.SGD(t.ones(2)),
    "optimize a number": lambda t: t.optim.SGD([1]),
    "optimize a non-leaf": lambda t: t.optim.SGD([t.ones(2, requires_grad=True) * 2]),
    "negative rate": lambda t: t.optim.SGD([t.ones(2)], lr=-1),
    "wrong beta": lambda t: t.optim.Adam([t.ones(2)], betas=(1, 2)),
    "nesterov alone": lambda t: t.optim.SGD([t.ones(2)], nesterov=True),
    "dropout range": lambda t: t.nn.Dropout(2.0),
    "layer_norm shape": lambda t: t.nn.LayerNorm(4)(t.ones(3)),
    "parameter of ints": lambda t: t.nn.Parameter(t.tensor([1])),
    "parameter text": lambda t: repr(t.nn.Parameter(t.ones(2))),
    "wrong gain": lambda t: t.nn.init.calculate_gain("foo"),
    "padding counted from the end": padded,
    "padding in F": lambda t: table(t, lambda i, w: t.nn.functional.embedding(i, w, padding_idx=-1)),
    "relu in place": lambda t: in_place(t, t.nn.ReLU(inplace=True)),
    "dropout in place": lambda t: in_place(t, t.nn.Dropout(1.0, inplace=True)),
    "modules alike": alike,
    "a module set": lambda t: changed(t, lambda m: m.__setitem__(-1, t.nn.Tanh())),
    "a module set out of range": lambda t: changed(t, lambda m: m.__setitem__(5, t.nn.Tanh())),
    "no module set": lambda t: changed(t, lambda m: m.__setitem__(0, 3)),
    "a module deleted": lambda t: changed(t, lambda m: m.__delitem__(0)),
    "modules deleted": lambda t: changed(t, lambda m: m.__delitem__(slice(0, 2))),
    "a module deleted out of range": lambda t: changed(t, lambda m: m.__delitem__(5)),
    "a module out of range": lambda t: changed(t, lambda m: m[5]),
    "a module by name": lambda t: changed(t, lambda m: m["0"]),
    "modules of a slice": lambda t: changed(t, lambda m: m[1:]),
    "a module popped": lambda t: changed(t, lambda m: m.pop(0)),
    "a module inserted": lambda t: changed(t, lambda m: m.insert(1, t.nn.Tanh()) and None),
    "modules added": lambda t: changed(t, lambda m: m.extend([t.nn.Tanh()])),
    "a buffer": buffered,
    "a buffer that is not saved": lambda t: buffered(t, persistent=False),
    "schedule after optimizer": lambda t: schedule(t, "osos"),
    "schedule before optimizer": lambda t: schedule(t, "ssos"),
    "fans of a vector": lambda t: t.nn.init.xavier_uniform_(t.ones(2)),
}


LOGITS = "t.tensor([[0.5, 1, 2], [2, 0.5, 1]])"
# Of t, nn and F: a learner's slip, or a keyword.
STATEMENTS = """
F.binary_cross_entropy(t.tensor([0.1, 0.2]), t.tensor([0, 1]))
F.binary_cross_entropy(t.tensor([0.1, 0.2]), t.tensor([True, False]))
F.binary_cross_entropy(t.tensor([0.1, 0.2]), t.tensor([0.0, 1.0]).double())
F.binary_cross_entropy(t.tensor([0.1, 0.2]), t.tensor([0.0, 2.0]))
str(F.binary_cross_entropy(t.tensor([0.1, 0.2]), t.tensor([0.0, 1.0]), t.ones(2).double()))
F.binary_cross_entropy_with_logits(t.tensor([0.1, 0.2]), t.tensor([0, 1]))
F.binary_cross_entropy_with_logits(t.tensor([0.1, 0.2]), t.tensor([True, False]))
str(F.binary_cross_entropy_with_logits(t.tensor([0.1, 0.2]).double(), t.tensor([0.0, 1.0])))
str(F.binary_cross_entropy_with_logits(t.tensor([0.1, 0.2]), t.tensor([0.0, 1.0]), t.ones(2).double()))
F.cross_entropy(LOGITS, [0, 1])
F.cross_entropy([[0.5, 1.0]], t.tensor([0]))
F.cross_entropy(LOGITS, t.tensor([0.0, 1.0]))
F.cross_entropy(LOGITS, t.ones(2, 3).long())
F.cross_entropy(LOGITS, t.ones(2, 1).long())
F.cross_entropy(LOGITS[0], t.tensor([0, 1]))
F.cross_entropy(LOGITS[0], t.tensor([[0]]))
str(F.cross_entropy(LOGITS[0], t.tensor([0])))
F.cross_entropy(t.ones(2, 3, 4), t.ones(2, 3).long())
F.cross_entropy(LOGITS, t.tensor([0, 1]), t.ones(2))
F.cross_entropy(LOGITS, t.tensor([0, 1]), t.ones(3).double())
F.cross_entropy(LOGITS, LOGITS, t.ones(2))
F.cross_entropy(LOGITS, LOGITS, reduction="foo")
F.cross_entropy(LOGITS, t.tensor([0, 1]), label_smoothing=1.5)
F.nll_loss(LOGITS, [0, 1])
F.nll_loss(LOGITS, t.tensor([0, 1]), reduction="foo")
F.mse_loss(LOGITS, LOGITS, reduction="foo")
F.l1_loss(LOGITS, LOGITS, reduction="foo")
nn.BCEWithLogitsLoss(reduction="foo")(t.ones(2), t.ones(2))
F.layer_norm(LOGITS, (3,), t.ones(2))
F.layer_norm(LOGITS, (3,), t.ones(3), t.ones(2))
F.layer_norm(LOGITS, (3,), t.ones(3).double())
nn.LayerNorm(3)(LOGITS.double())
nn.LayerNorm(3)(LOGITS.long())
nn.LayerNorm(3)([1.0, 2.0, 3.0])
nn.Linear(3, 2)([1.0, 2.0, 3.0])
nn.Linear(3, 2)(1.0)
nn.Linear(3, 2)(LOGITS.long())
nn.Linear(3, 2)(LOGITS[0].double())
nn.Linear(3, 2, bias=False)(LOGITS.double())
F.linear(LOGITS, LOGITS, [1.0, 2.0])
F.linear(LOGITS, LOGITS, t.ones(2).double())
F.embedding([0, 1], LOGITS)
F.embedding(1, LOGITS)
F.embedding(t.tensor([True]), LOGITS)
F.embedding(t.tensor([1]), LOGITS, padding_idx=2)
nn.Embedding(5, 3, padding_idx=5)
str(F.relu(input=LOGITS - 1, inplace=False))
nn.ReLU(inplace=True)(LOGITS.requires_grad_())
str([F.softmax(input=LOGITS, dim=0), F.log_softmax(input=LOGITS, dim=0), F.tanh(input=LOGITS), F.sigmoid(input=LOGITS)])
str([F.softmax(LOGITS), F.log_softmax(LOGITS[0]), nn.Softmax()(t.ones(2, 2, 1))])
str(nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid(), nn.GELU(), nn.Softmax(0), nn.Dropout(0.0))(input=LOGITS))
str([layer(input=LOGITS).sum().item() < 1 for layer in (nn.ReLU(), nn.Tanh(), nn.Sigmoid(), nn.GELU(), nn.LayerNorm(3))])
nn.Sequential([nn.Linear(1, 1)])
nn.Sequential(3)
nn.Sequential(nn.Tanh()).append([])
nn.ModuleList(nn.ReLU())
repr(nn.ModuleList(None))
nn.Module().register_parameter("q", t.ones(2))
nn.Module().register_parameter("q", 3)
nn.Module().register_parameter("q.r", None)
nn.Module().register_parameter("", None)
nn.Module().register_parameter("forward", None)
nn.Module().add_module("c", 3)
nn.Module().add_module("c.d", nn.Tanh())
nn.Module().add_module(3, nn.Tanh())
nn.Module().add_module("forward", nn.Tanh())
nn.Module().register_buffer("b", [1.0])
nn.Module().register_buffer("training", t.ones(1))
nn.Linear(2, 2).register_buffer("weight", t.ones(1))
setattr(nn.Linear(2, 2), "weight", t.ones(1).double())
"""


@pytest.mark.parametrize("statement", STATEMENTS.strip().splitlines())
def test_a_statement_has_torchs_outcome(statement: str) -> None:
    code = statement.replace("LOGITS", LOGITS)
    mine, theirs = (outcome(lambda t=t: eval(code, {"t": t, "nn": t.nn, "F": t.nn.functional})) for t in PACKAGES)
    assert mine[1] == theirs[1] and mine[3] == theirs[3], f"{mine} and {theirs}"
    assert mine[2][:60] == theirs[2][:60]
    if theirs[1] is None:
        assert mine[0] == theirs[0]


@pytest.mark.parametrize("name", NN_CASES)
def test_same_outcome(name: str) -> None:
    mine, theirs = (outcome(lambda t=t: NN_CASES[name](t)) for t in PACKAGES)
    assert mine[1] == theirs[1] and mine[3] == theirs[3], f"{mine} and {theirs}"
    assert mine[2][:40] == theirs[2][:40]
    if isinstance(theirs[0], str | int):
        assert mine[0] == theirs[0]


@pytest.mark.parametrize("name", ["kaiming_uniform_", "kaiming_normal_", "xavier_uniform_", "xavier_normal_", "zeros_"])
def test_init(name: str) -> None:
    values = []
    for t in PACKAGES:
        t.manual_seed(1)
        values.append(getattr(t.nn.init, name)(t.nn.Parameter(t.ones(4, 5))).detach().numpy())
    np.testing.assert_allclose(values[0], values[1], 1e-5, 1e-6)


OPTIMIZERS = {
    "sgd": lambda t, p: t.optim.SGD(p, lr=0.05),
    "momentum": lambda t, p: t.optim.SGD(p, lr=0.02, momentum=0.9, weight_decay=0.01),
    "dampening": lambda t, p: t.optim.SGD(p, lr=0.02, momentum=0.9, dampening=0.5),
    "nesterov": lambda t, p: t.optim.SGD(p, lr=0.02, momentum=0.9, nesterov=True),
    "maximize": lambda t, p: t.optim.SGD(p, lr=1e-4, maximize=True),
    "adam": lambda t, p: t.optim.Adam(p, lr=0.01),
    "adam decay": lambda t, p: t.optim.Adam(p, lr=0.01, betas=(0.8, 0.99), weight_decay=0.1),
    "adamw": lambda t, p: t.optim.AdamW(p, lr=0.01),
    "groups": lambda t, p: t.optim.Adam([{"params": p[:1], "lr": 0.1}, {"params": p[1:]}], lr=0.001),
}
SCHEDULES = {
    "none": None,
    "step": lambda t, o: t.optim.lr_scheduler.StepLR(o, 30, 0.5),
    "cosine": lambda t, o: t.optim.lr_scheduler.CosineAnnealingLR(o, 150, 1e-4),
}


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_two_hundred_steps(name: str, schedule: str) -> None:
    """In float64, every parameter after every step."""
    rng = np.random.default_rng(0)
    w, b, x, y = (rng.normal(size=s) for s in [(3, 4), (3,), (8, 4), (8, 3)])
    paths = []
    for t in PACKAGES:
        params = [t.tensor(w, requires_grad=True), t.tensor(b, requires_grad=True)]
        optimizer = OPTIMIZERS[name](t, params)
        scheduler = SCHEDULES[schedule] and SCHEDULES[schedule](t, optimizer)
        path = []
        for _ in range(200):
            optimizer.zero_grad()
            loss = t.nn.functional.mse_loss(t.tensor(x) @ params[0].T + params[1], t.tensor(y))
            loss.backward()
            optimizer.step()
            if scheduler:
                scheduler.step()
            path.append(
                [
                    loss.item(),
                    optimizer.param_groups[-1]["lr"],
                    *params[0].detach().numpy().ravel(),
                    *params[1].tolist(),
                ]
            )
        paths.append(np.array(path))
    np.testing.assert_allclose(paths[0], paths[1], rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("name", ["momentum", "nesterov", "adam", "adamw"])
def test_a_parameter_of_one_number(name: str) -> None:
    paths = []
    for t in PACKAGES:
        p = t.tensor(1.0, dtype=t.float64, requires_grad=True)
        optimizer = OPTIMIZERS[name](t, [p])
        path = []
        for _ in range(5):
            optimizer.zero_grad()
            (p * p).backward()
            optimizer.step()
            path.append(p.item())
        paths.append(path)
    np.testing.assert_allclose(paths[0], paths[1], rtol=1e-12)


@pytest.mark.parametrize("name", ["amsgrad", "capturable", "differentiable"])
def test_a_setting_that_minigrad_lacks_is_refused(name: str) -> None:
    p = minigrad.ones(2, requires_grad=True)
    for params, settings in (([p], {name: True}), ([{"params": p, name: True}], {})):
        with pytest.raises(NotImplementedError, match=f"Adam has no {name}"):
            minigrad.optim.Adam(params, **settings)


def test_optimizer_state_round_trip() -> None:
    for t in PACKAGES:
        p = t.ones(3, requires_grad=True)
        first = t.optim.Adam([p], lr=0.1)
        (p * p).sum().backward()
        first.step()
        q = p.detach().clone().requires_grad_()
        second = t.optim.Adam([q], lr=0.5)
        second.load_state_dict(copy.deepcopy(first.state_dict()))
        for leaf, optimizer in ((p, first), (q, second)):
            optimizer.zero_grad()
            (leaf * leaf).sum().backward()
            optimizer.step()
        assert p.tolist() == q.tolist()


@pytest.mark.filterwarnings("ignore:Using backward:UserWarning")  # as torch says of create_graph
def test_cleared_gradients() -> None:
    """None, or the same tensor filled with zeros, without its history; one that is a view, too."""
    for t in PACKAGES:
        for clear in (lambda p: t.optim.SGD([p], lr=0.1).zero_grad, lambda p: holder(t, p).zero_grad):
            p = t.ones(3, requires_grad=True)
            clear(p)(set_to_none=False)
            assert p.grad is None
            (p**3).sum().backward(create_graph=True)
            grad = p.grad
            clear(p)(set_to_none=False)
            assert p.grad is grad and grad.grad_fn is None and not grad.requires_grad and grad.tolist() == [0, 0, 0]
            p.grad = t.arange(4.0)[1:]
            clear(p)(set_to_none=False)
            assert p.grad.tolist() == [0, 0, 0]
            clear(p)()
            assert p.grad is None


def holder(t: Any, p: Any) -> Any:
    """A module whose one parameter is p itself."""
    module = t.nn.Module()
    module.parameters = lambda: iter([p])
    return module


def test_a_step_counts_as_a_change_in_place() -> None:
    for t in PACKAGES:
        w = t.ones(3, requires_grad=True)
        optimizer = t.optim.SGD([w], lr=0.1)
        loss = (w * w).sum()
        loss.backward(retain_graph=True)
        optimizer.step()
        with pytest.raises(
            RuntimeError, match="^one of the variables needed for gradient computation has been modified"
        ):
            loss.backward()


@pytest.mark.parametrize("norm_type", [2.0, 1.0, float("inf")])
def test_clip_grad_norm(norm_type: float) -> None:
    for max_norm in (0.1, 100.0):
        results = []
        for t in PACKAGES:
            p, q = t.ones(3, requires_grad=True), t.tensor(2.0, requires_grad=True)
            ((p * t.tensor([1.0, 2.0, 3.0])).sum() * q).backward()
            total = t.nn.utils.clip_grad_norm_([p, q], max_norm, norm_type)
            results.append([total.item(), *p.grad.tolist(), q.grad.item()])
        np.testing.assert_allclose(results[0], results[1], 1e-5)


def test_dropout() -> None:
    minigrad.manual_seed(0)
    layer = minigrad.nn.Dropout(0.25)
    x = minigrad.ones(10_000, requires_grad=True)
    y = layer(x)
    y.sum().backward()
    kept = y.detach().numpy() > 0
    assert abs(kept.mean() - 0.75) < 0.02
    np.testing.assert_allclose(y.detach().numpy()[kept], 1 / 0.75, rtol=1e-6)
    np.testing.assert_allclose(x.grad.numpy(), y.detach().numpy())
    assert layer.eval()(x) is x


def test_a_normalise_that_returns_one_array_is_told_so() -> None:
    class Half(Normalisation):
        def normalise(self, x):
            return x

    with pytest.raises(TypeError, match="normalise has to return two arrays"):
        Half.apply(minigrad.ones(2, 3), 1.0, 0.0, dims=1)


def test_gradients_that_diverge_are_clipped_without_numpys_warning() -> None:
    p = minigrad.ones(2, requires_grad=True)
    p.grad = minigrad.full((2,), 1e30)
    with warnings.catch_warnings(action="error"):
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad\.")  # as `import minigrad` does
        minigrad.nn.utils.clip_grad_norm_(p, 1.0)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize(
    "name", ["mse_loss", "l1_loss", "smooth_l1_loss", "binary_cross_entropy_with_logits", "nll_loss"]
)
def test_a_loss_that_diverges_is_infinite_without_numpys_warning(name: str, reduction: str) -> None:
    x = minigrad.full((3, 2), -3e38)
    target = minigrad.zeros(3).long() if name == "nll_loss" else minigrad.ones(3, 2)
    with warnings.catch_warnings(action="error"):
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad\.")
        loss = getattr(minigrad.nn.functional, name)(x, target, reduction=reduction)
    assert loss.item() == np.inf and type(loss._array) is np.float32


@pytest.mark.parametrize("settings", [{"size_average": False}, {"reduce": False}, {"size_average": True}])
def test_the_reduction_is_named_that_the_old_arguments_stand_for(settings: dict[str, bool]) -> None:
    """By the function and by the module, in torch's words."""
    words = []
    for t in PACKAGES:
        with warnings.catch_warnings(record=True, action="always") as caught:
            t.nn.functional.mse_loss(t.ones(2), t.ones(2), **settings)
            t.nn.CrossEntropyLoss(**settings)
        words.append([str(w.message) for w in caught])
    assert words[0] == words[1] and len(words[0]) == 2
