"""A learner's line on both packages: the same result, or the same error (60 characters of it) and warnings.

A line may be several statements; the last one is an expression. It knows t, nn, F, A (autograd), S (the schedules),
copy, pickle and np; L and C make a vector that requires grad, and one that does not.
"""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import minigrad

from .differential import assert_same, outcome

CREATION = """
t.tensor([[1], [2, 3]])
t.tensor([[[1, 2], [3]], [[4, 5], [6, 7]]])
t.tensor([[1, 2], 3])
t.tensor([1, [2]])
t.tensor([t.tensor([1.0, 2.0])])
t.tensor([t.tensor([[1.0]]), t.tensor(2.0)])
t.tensor([t.tensor(1.0, dtype=t.float64), 1])
t.tensor([np.float64(1), 2])
t.tensor([np.float32(1), 2.0])
t.tensor([np.array([1.0, 2.0])[0], 3])
t.tensor([np.int64(1), 2.0])
t.tensor("a")
t.ones(4).reshape((2.0, 2))
t.ones(4).reshape(2, 2.0)
t.ones(4).view(2.0, 2)
t.ones(4).repeat(2.0)
t.ones(4).reshape(np.int64(2), t.tensor(2))
t.tensor([1, "a"], dtype=t.bool)
t.tensor([1.0, None])
t.tensor({1, 2})
t.full(2, 3.0)
t.full((2,), [1.0, 2.0])
t.full((2,), np.int64(3))
t.full((-1,), 2.0)
t.ones(2, -3)
t.rand(-1)
t.arange(5, 0)
t.arange(-3)
t.arange(0, 5, 0)
t.arange(np.int64(3))
t.arange(end=3)
t.randint(3, 3, (2,))
"""

FLAGS_AND_COPIES = """
float(C())
int(t.ones(0))
C(1, 2).requires_grad_()
C().requires_grad_(1)
y = L() * 2; y.requires_grad = False; y
(L() * 2).requires_grad_()
x = L(); x.data = C(1, 2); x
x = L(); x.data = 3; x
x = L(); x.grad = C().double(); x
copy.deepcopy(L() * 2)
m = nn.Linear(2, 2); m.kept = L() * 2; copy.deepcopy(m)
x = L(); loss = (x * x).sum(); y = copy.deepcopy(x); y.sum().backward(); (x.grad, y.grad)
x = L(); x.sum().backward(); y = copy.deepcopy(x); y.grad.add_(1); (x.grad, y.grad)
x = L(); loss = (x * x).sum(); loss.backward(); y = pickle.loads(pickle.dumps(x)); (y, y.grad)
pickle.loads(pickle.dumps(L() * 2))
x = C(); y = copy.copy(x); y.add_(1); x
m = nn.Linear(2, 2); m(t.ones(2)).sum().backward(); copy.deepcopy(m).weight.grad
p = nn.Parameter(t.ones(2)); type(copy.deepcopy(p)).__name__ + type(pickle.loads(pickle.dumps(p))).__name__
"""

DIMENSIONS = """
[t.sum(input=C()), t.mean(input=C()), t.prod(input=C(), dim=0), t.max(input=C()), t.argmax(input=C())]
[t.softmax(input=C(), dim=0), t.cumsum(input=C(), dim=0), t.std(input=C()), t.all(input=C() > 1)]
[t.reshape(input=C(), shape=(3, 1)), t.unsqueeze(input=C(), dim=0), t.flatten(input=t.ones(2, 2)), t.t(input=C())]
C().prod((0,))
C().max((0, 1))
C().argmax((0,))
C().cumsum((0,))
C().softmax((0,))
C().sum("a")
C().sum(True)
C().unsqueeze(0.5)
C().sum(np.int64(0))
t.ones(0).softmax(0)
t.ones(2, 0).log_softmax(-1).sum(-1)
C(1, 2).softmax(0)
F.log_softmax(t.tensor([[True]]), 1)
F.cross_entropy(t.tensor([[1, 2]]), C(0))
F.gelu(C(1, 2))
F.gelu(C(1, 2), approximate="tanh")
F.silu(C(1, 2))
F.softplus(C(1, 2))
F.leaky_relu(C(1, 2))
F.layer_norm(C(1, 2), (2,))
F.mse_loss(C(1, 2), C(2, 3))
F.mse_loss(C(1, 2), C(2.0, 3.0))
F.smooth_l1_loss(C(1, 2), C(2, 3))
t.tensor(3.0).tril()
C().triu()
t.tensor(3.0).split(1)
C().split(0)
C().split(-1)
t.tensor(3.0).chunk(2)
C().chunk(0)
t.tensor(3.0).flip(0)
C().flip(())
t.ones(2, 3).permute(0, 0)
C().expand(-1, -1)
C().masked_fill(C() > 1, t.ones(2))
C(1, 2).masked_fill(C(1, 2) > 1, float("-inf"))
t.tensor(3.0)[:1]
x = L(); x[:] = 0; x
x = L() * 1; x[:] = 0; x
x = t.tensor(2.0); x[...] = 3; x
x = t.ones(2, 2); x[:] = C(1.0, 2.0); x
x = C(); x[:2] = np.ones(2); x
x = C(1, 2); x[0] = np.array(1); x
"""

NUMBERS_OF_NUMPY = """
C().mean() * np.sqrt(3)
np.float32(2) * C()
C() / np.float64(2)
C() ** np.float64(2)
t.tensor([1, 2]) * np.sqrt(2.0)
t.tensor([1, 2]) + np.int64(1)
x = L(); (x * np.float64(2) - np.float32(1)).sum().backward(); x.grad
t.tensor(0.7) == np.float64(0.7)
C() < np.float64(2)
"""

GRADIENTS = """
x = L(); y = x * 2; y.retain_grad(); (y * y).sum().backward(inputs=[y]); (y.grad, x.grad)
x = L(); y = x * 2; y.retain_grad(); (y * y).sum().backward(inputs=[x, y]); (y.grad, x.grad)
x = L(); y = x * 2; (y * y).sum().backward(inputs=[y]); (y.grad, x.grad)
x = L(); (x * x).sum().backward(inputs=[x, x]); x.grad
x = L(); A.grad((x * x).sum(), (x, None))
x = L(); A.grad((x * x).sum(), x, materialize_grads=True, allow_unused=False)
x = L(); h = lambda g: g * 2; a, b = x.register_hook(h), x.register_hook(h); a.remove(); a.remove(); x.sum().backward(); x.grad
x = L(); handle = x.register_hook(lambda g: g * 2); handle.__exit__(None, None, None); x.sum().backward(); x.grad
y = L() * 1; v = y.split(2)[1]; v.add_(1)
y = L() * 1; v = y.split([1, 2])[1]; v.add_(1)
y = t.ones(2, 2) * L(1.0, 2.0); [row.mul_(2) for row in y]
y = t.ones(2, 2); [row.mul_(2) for row in y]; y
y = L() * 1; v = list(y)[2]; t.no_grad()(lambda: v.mul_(2))(); y.detach()
A.gradcheck(lambda x: x.detach() * 2, L().double().detach().requires_grad_())
A.gradcheck(lambda x: x.detach() * 2, L().double().detach().requires_grad_(), raise_exception=False)
A.gradcheck(lambda x: (x * 2, x.detach()), L().double().detach().requires_grad_())
A.gradcheck(lambda x, n: x * n, (L().double().detach().requires_grad_(), 3))
A.gradcheck(lambda x, n: x * n, (C(), 3))
p = L(); (p * p).sum().backward(); (nn.utils.clip_grad_norm_([p], 1.0, "inf"), p.grad)
p = L(); (p * p).sum().backward(); p.grad[0] = np.nan; nn.utils.clip_grad_norm_(p, 1.0, 1, error_if_nonfinite=True)
p = L(); (p * p).sum().backward(); p.grad[0] = np.nan; (nn.utils.clip_grad_norm_(p, 1.0), p.grad)
p = L(); (p * p).sum().backward(); p.grad[0] = np.inf; (nn.utils.clip_grad_norm_(p, 1.0), p.grad)
p = L(); (p * p).sum().backward(); (nn.utils.clip_grad_norm_(p, np.nan), p.grad)
p = L(); (p * p).sum().backward(); (nn.utils.clip_grad_norm_(p, -1.0), p.grad)
p = L(); (p * p).sum().backward(); (nn.utils.clip_grad_norm_(p, t.tensor(1.0)), p.grad)
p = L().double().detach().requires_grad_(); p.sum().backward(); (nn.utils.clip_grad_norm_([p], 1.0), p.grad)
nn.init.kaiming_uniform_(t.ones(2, 3), mode="a")
nn.init.normal_(t.ones(3), 0, -1)
nn.init.uniform_(t.ones(3), 2, 1)
x = L() * 1; x.fill_(3); x.grad_fn.name()
"""

ARITHMETIC = """
(C() > 1) - (C() > 1)
True - (C() > 1)
(C() > 1) - 1.5
C() - (C() > 1)
1 - (C() > 1)
t.tensor(2.0) - True
t.sub(C(), True, alpha=2)
x = C(); x -= x > 1; x
C() - np.bool_(True)
(C() > 1) ** 2
(C() > 1) ** 2.5
(C() > 1) ** -1
(C() > 1) ** (C() > 2)
True ** (C() > 1)
t.pow(2, 3)
t.tensor(1.0) @ t.tensor(2.0)
t.tensor(1.0) @ C().double()
C() @ C().double()
C() @ t.ones(3, 2).long()
t.ones(2, 3) @ (C() > 1)
C() @ t.ones(2, 3, 2).double()
t.dot(C(), t.ones(2, 2))
t.dot(C(), 3)
t.mm(C(), t.ones(3, 2))
t.mm(input=t.ones(3, 2), mat2=C())
t.bmm(t.ones(2, 2), t.ones(2, 2))
t.bmm(t.ones(2, 2, 2), t.ones(2, 2))
t.bmm(t.ones(2, 2, 2), t.ones(3, 2, 2))
t.mv(C(), t.ones(2, 2))
t.outer(C(), t.ones(2, 2))
t.outer(t.ones(2, 2), C())
"""

OPTIMIZERS = """
p = L(); o = t.optim.Adam([p]); p.sum().backward(); o.step(); s = o.state_dict(); o.step(); float(s["state"][0]["step"])
p = L(); o = t.optim.SGD([p], momentum=0.9); p.sum().backward(); o.step(); len(o.state)
p = L(); o = t.optim.SGD([p], lr=0.1); p.sum().backward(); o.step(); (len(o.state), o.state[p], p)
p = L(); o = t.optim.SGD([p], lr=t.tensor(0.1)); p.sum().backward(); o.step(); (p, o.param_groups[0]["lr"])
p = L(); o = t.optim.Adam([p], lr=t.tensor([0.1])); p.sum().backward(); o.step(); p
t.optim.SGD([L()], lr=C())
t.optim.SGD([L()], lr=t.tensor(-0.1))
o = t.optim.SGD([L()]); s = o.state_dict(); s["param_groups"][0]["params"] = [0, 1]; o.load_state_dict(s)
o = t.optim.SGD([L()]); s = o.state_dict(); s["param_groups"] = []; o.load_state_dict(s)
t.optim.SGD([{"params": {L()}}])
t.optim.SGD([{"params": [L()]}, L()])
t.optim.SGD([("a", L()), L()])
t.optim.SGD([{"params": [("a", L())]}, {"params": [L()]}])
t.optim.SGD([{"params": [L()]}, {"params": [("a", L())]}])
t.optim.SGD(nn.Linear(2, 2).named_parameters()).state_dict()["param_groups"][0]["param_names"]
p = L(); o = t.optim.SGD([p, p], lr=0.1); p.sum().backward(); o.step(); p
p = L(); t.optim.SGD([{"params": p}, {"params": p}])
[str(t.optim.SGD([L()])), str(t.optim.SGD([L()]).state_dict())]
[str(t.optim.Adam([L()])), str(t.optim.Adam([L()]).state_dict()), str(t.optim.AdamW([L()]))]
p = L(); o = t.optim.SGD([p], foreach=None, fused=None, differentiable=False); p.sum().backward(); o.step(); p
p = L(); o = t.optim.SGD([p], foreach=False); p.sum().backward(); o.step(); [p, str(o)]
p = L(); o = t.optim.Adam([p], 0.1, (0.9, 0.99), 1e-8, 0, False, capturable=False, fused=True); p.sum().backward(); o.step(); [p, str(o)]
"""

# The rates are floats, and compared to the last bit.
SCHEDULES = """
S.StepLR(1, 2)
S.StepLR(t.optim.SGD([L()]), 3, last_epoch=4)
o = t.optim.SGD([{"params": [L()], "initial_lr": 1.0}], lr=0.5); s = S.StepLR(o, 5, last_epoch=4); (o.param_groups[0]["lr"], s.get_last_lr(), s.base_lrs, s.last_epoch)
o = t.optim.SGD([{"params": [L()], "initial_lr": 1.0}], lr=0.5); s = S.CosineAnnealingLR(o, 5, 0.1, last_epoch=3); o.step(); s.step(); (o.param_groups[0]["lr"], s.get_last_lr())
o = t.optim.SGD([L()], lr=0.5); s = S.StepLR(o, 1); o.add_param_group({"params": [L()], "lr": 3.0}); o.step(); s.step(); s.get_last_lr()
o = t.optim.SGD([L()], lr=0.5); s = S.CosineAnnealingLR(o, 2); o.add_param_group({"params": [L()], "lr": 3.0}); o.step(); s.step(); s.get_last_lr()
o = t.optim.SGD([L()], lr=0.5); s = S.CosineAnnealingLR(o, 2); o.add_param_group({"params": [L()], "lr": 3.0}); o.step(); [s.step() for _ in range(4)]
o = t.optim.SGD([L()], lr=0.5); s = S.CosineAnnealingLR(o, 7, 0.01); o.step(); [s.step() or s.get_last_lr()[0] for _ in range(50)]
o = t.optim.SGD([L()], lr=0.5); s = S.CosineAnnealingLR(o, 7, 0.01); r = S.StepLR(o, 3, 0.7); o.step(); [(s.step(), r.step(), o.param_groups[0]["lr"])[2] for _ in range(50)]
o = t.optim.SGD([L()], lr=0.5); s = S.CosineAnnealingLR(o, 7); o.step(); s.step(); o.param_groups[0]["lr"] = 5.0; s.step(); s.get_last_lr()
o = t.optim.SGD([L()], lr=0.5); o.step(); s = S.StepLR(o, 3); s.step()
o = t.optim.SGD([L()], lr=0.5); r = S.StepLR(o, 3); o.step(); s = S.StepLR(o, 3); s.step()
o = t.optim.SGD([L()], lr=t.tensor(0.5)); r = S.StepLR(o, 1); o.step(); b = o.param_groups[0]["lr"]; r.step(); [b, o.param_groups[0]["lr"], o.param_groups[0]["initial_lr"], r.get_last_lr(), r.base_lrs]
o = t.optim.SGD([L()], lr=t.tensor(0.5)); r = S.CosineAnnealingLR(o, 3); o.step(); b = o.param_groups[0]["lr"]; [r.step() for _ in range(5)]; [b, o.param_groups[0]["lr"], o.param_groups[0]["initial_lr"], r.get_last_lr(), r.base_lrs]
s = S.StepLR(t.optim.SGD([L()], lr=0.5), 3); str(s.state_dict())
s = S.CosineAnnealingLR(t.optim.SGD([L()], lr=0.5), 3); str(s.state_dict())
s = S.StepLR(t.optim.SGD([L()], lr=0.5), 3); s.get_lr()
s = S.StepLR(t.optim.SGD([L()], lr=0.5), 0); s.step(); 1
s = S.CosineAnnealingLR(t.optim.SGD([L()], lr=0.5), 0); s.step(); 1
S.LRScheduler(t.optim.SGD([L()], lr=0.5))
o = t.optim.SGD([L()], lr=1.0); s = type("Half", (S.LRScheduler,), {"get_lr": lambda self: [g["lr"] / 2 for g in self.optimizer.param_groups]})(o); o.step(); s.step(); s.get_last_lr()
o = t.optim.SGD([{"params": [L()], "initial_lr": 1.0}], lr=0.5); s = S.StepLR(o, 3); s.base_lrs
"""

MODULES_AND_LOSSES = """
m = nn.Linear(2, 2); m.body = nn.ReLU(); m.register_buffer("r", C()); {"weight", "bias", "body", "r", "forward"} - {*dir(m)}
[name for name in dir(nn.Sequential(nn.ReLU())) if name[0].isdigit()]
nn.Linear(2, 2).train("a")
nn.Linear(2, 2).train(1)
m = nn.Module(); m.register_buffer("r", C()); m.r = 3; 1
m = nn.Module(); m.register_buffer("r", C()); m.r = nn.Parameter(C()); [name for name in m.state_dict()]
m = nn.Module(); m.register_buffer("r", C()); m.r = nn.ReLU(); [name for name in m.state_dict()]
m = nn.Module(); m.a = nn.Linear(2, 2); m.a = nn.Parameter(C()); [name for name in m.state_dict()]
m = nn.Module(); m.a = nn.Parameter(C()); m.a = nn.ReLU(); 1
nn.Linear(2, 2).load_state_dict({"weight": np.ones((2, 2)), "bias": C(1.0, 2.0)})
nn.Linear(2, 2).load_state_dict({"weight": 3, "other": 3})
nn.Linear(2, 2).load_state_dict([("weight", t.ones(2, 2))])
F.binary_cross_entropy_with_logits(C(1, 2), C(0, 1))
F.binary_cross_entropy_with_logits(C(1, 2), C(0.0, 1.0))
F.binary_cross_entropy_with_logits(C() > 1, C() > 1)
F.binary_cross_entropy_with_logits(C(1, 2), C(0, 1), weight=C(1.0, 2.0))
F.binary_cross_entropy(C(0, 1), C(0, 1))
F.nll_loss(t.tensor([[1, 2]]), C(0))
F.nll_loss(t.tensor([[True, False]]), C(0))
F.nll_loss(t.ones(2, 3, 4).long(), t.zeros(2, 4).long())
[F.sigmoid(C()), F.tanh(C())]
"""

# The losses' arguments in torch's order; weights that don't fit, labels that are all ignored, gradients of gradients.
LOSSES = """
F.mse_loss(C(), C(0.0, 0.0, 0.0), "sum")
F.mse_loss(C(), C(0.0, 0.0, 0.0), None, None, "sum")
F.mse_loss(C(), C(0.0, 0.0), False)
[F.mse_loss(C(), C(0.0, 0.0, 0.0), a, b) for a in (None, True, False) for b in (None, True, False)]
[F.l1_loss(C(), C(0.0, 0.0, 0.0), reduce=False), F.l1_loss(C(), C(0.0, 0.0, 0.0), None, None, "sum")]
[F.smooth_l1_loss(C(), C(0.0, 0.0, 0.0), False), F.smooth_l1_loss(C(), C(0.0, 0.0, 0.0), None, None, "none", 2.0)]
[F.binary_cross_entropy(C(0.5), C(1.0), C(2.0), False), F.binary_cross_entropy(C(0.5), C(1.0), None, None, None, "none")]
F.binary_cross_entropy(C(0.5), C(1.0, 2.0), None, False)
[F.binary_cross_entropy_with_logits(C(), C(), None, False), F.binary_cross_entropy_with_logits(C(), C(), None, None, None, "none", C())]
F.nll_loss(t.ones(2, 3), C(0, 1), C(), False, 1)
F.nll_loss(t.ones(2, 3), C(0, 1), C(), None, 1, None, "none")
[F.cross_entropy(t.ones(2, 3), C(0, 1), C(), False, 1), F.cross_entropy(t.ones(2, 3), C(0, 1), None, None, 1, False)]
F.cross_entropy(t.ones(2, 3), C(0, 1), C(), None, 1, None, "sum", 0.1)
F.cross_entropy(t.ones(2, 3), t.ones(2, 3), None, False)
m = nn.MSELoss("sum"); [m.reduction, m(C(), C(0.0, 0.0, 0.0))]
[nn.MSELoss(False).reduction, nn.L1Loss(reduce=False).reduction, nn.L1Loss(None, None, "sum").reduction]
[nn.SmoothL1Loss(None, None, "sum", 3.0).beta, nn.SmoothL1Loss(False).reduction]
m = nn.BCELoss(C(), None, None, "none"); [m.reduction, m.weight, m(C(0.1, 0.2, 0.3), C(0.0, 1.0, 1.0))]
m = nn.BCEWithLogitsLoss(None, None, None, "none", C()); [m.reduction, m.pos_weight, m(C(), C())]
m = nn.NLLLoss(C(), None, 1, None, "sum"); [m.reduction, m.ignore_index, m(t.ones(2, 3), C(1, 2))]
m = nn.CrossEntropyLoss(C(), None, 1, None, "sum", 0.1); [m.reduction, m.ignore_index, m.label_smoothing, m(t.ones(2, 3), C(1, 2))]
nn.CrossEntropyLoss(None, False).reduction
F.smooth_l1_loss(C(), C(), beta=-1)
[str(F.smooth_l1_loss(L(), C(0.0, 0.0, 0.0), beta=0)), F.smooth_l1_loss(C(), C(0.0, 0.0), beta=0)]
F.smooth_l1_loss(C(), C(0.0), beta=0)
F.smooth_l1_loss(C(), C(0.0), reduction="none", beta=0.0)
F.binary_cross_entropy_with_logits(C(), C(), pos_weight=t.ones(2))
F.binary_cross_entropy_with_logits(C(), C(), weight=t.ones(2))
F.binary_cross_entropy_with_logits(C(), C(), weight=t.ones(2), pos_weight=t.ones(4))
F.binary_cross_entropy_with_logits(t.ones(2, 3), t.ones(2, 3), pos_weight=t.ones(2))
F.binary_cross_entropy_with_logits(C(), C(), weight=t.ones(2, 3))
F.binary_cross_entropy_with_logits(C(), C(), pos_weight=t.ones(2, 3), reduction="none")
F.binary_cross_entropy(C(0.1, 0.2), C(0.1, 0.2), weight=t.ones(2, 2))
F.binary_cross_entropy(C(0.1, 0.2), C(0.1, 0.2), weight=t.ones(1))
str(F.binary_cross_entropy(C(1e-8), C(0.0)))
F.binary_cross_entropy(C(0.0, 1.0), C(1.0, 0.0), reduction="none")
x = L(); g, = A.grad(F.l1_loss(x, C(0.0, 0.0, 0.0)), x, create_graph=True); g.sum().backward(); [str(g), x.grad]
x = L(); y = L(1.0, 0.0, 5.0); g = A.grad(F.l1_loss(x, y, reduction="none").sum(), (x, y), create_graph=True); g[1].sum().backward(); str([g, x.grad, y.grad])
x = t.ones(2, 3, requires_grad=True); loss = F.cross_entropy(x, C(-100, -100)); loss.backward(); [str(loss), x.grad]
x = t.ones(2, 3, requires_grad=True); loss = F.cross_entropy(x, C(-100, -100), C()); loss.backward(); [str(loss), x.grad]
x = t.ones(2, 3, requires_grad=True); loss = F.cross_entropy(x, C(-100, -100), label_smoothing=0.1); loss.backward(); [str(loss), x.grad]
x = t.ones(2, 3, requires_grad=True); loss = F.cross_entropy(x, C(-100, -100), C(), label_smoothing=0.1); loss.backward(); [str(loss), x.grad]
x = t.ones(2, 3, requires_grad=True); loss = F.cross_entropy(x, C(0, 1), C(0.0, 0.0, 1.0)); loss.backward(); [str(loss), x.grad]
x = t.ones(2, 3, 2, requires_grad=True); loss = F.cross_entropy(x, t.full((2, 2), -100)); loss.backward(); [str(loss), x.grad]
x = t.ones(3, requires_grad=True); loss = F.cross_entropy(x, t.tensor(-100)); loss.backward(); [str(loss), x.grad]
x = t.ones(3, requires_grad=True); loss = F.cross_entropy(x, t.tensor(-100), reduction="none"); loss.backward(); [str(loss), x.grad]
x = t.tensor([[-np.inf, 1.0], [2.0, 3.0]], requires_grad=True); loss = F.nll_loss(x, C(-100, 1)); loss.backward(); [str(loss), x.grad]
x = t.tensor([[-np.inf, 1.0], [2.0, 3.0]], requires_grad=True); loss = F.nll_loss(x, C(-100, 1), reduction="none"); loss.backward(C(np.nan, 1.0)); str([loss, x.grad])
F.nll_loss(t.ones(2, 3), C(-100, 1), C(np.inf, 1.0, 2.0))
F.cross_entropy(t.ones(2, 3), C(-100, 1), reduction="none", label_smoothing=0.1)
x = t.ones(2, 3, requires_grad=True); loss = F.cross_entropy(x, C(-100, 1), C(), label_smoothing=0.2); g, = A.grad(loss, x, create_graph=True); A.grad((g * g).sum(), x)
"""

NUMBERS_ON_THE_LEFT = """
str(1 - L())
str(2 / L())
str(2 ** L())
str(0.0 ** L())
[1 - C(1, 2), 1.5 - C(1, 2), True - C(1, 2), 2 - C(True, False), str((1 - C(1, 2).double()).dtype)]
[2 / C(1, 2), 2.5 / C(1, 2), True / C(1, 2), 2 / C(True, False), str((1 / C(1, 2).double()).dtype)]
[2 ** C(1, 2), 2.5 ** C(1, 2), str((2 ** C(1, 2).double()).dtype), 2 ** C(True, False)]
1 - C(True, False)
True - C(1.0)
True - C(True, False)
None - C()
"a" - C()
[] / C()
"a" / C()
None ** C()
[1 - t.tensor(3), 1 - t.tensor(3.0), 1 / t.tensor(4), 2 ** t.tensor(3), 2 ** t.tensor(0.5)]
x = t.tensor(0.5, requires_grad=True); (1 - 2 / x + 3 ** x).backward(); x.grad
x = L(); A.grad((1 / x).sum(), x, create_graph=True)
x = L(); g, = A.grad((1 / x).sum(), x, create_graph=True); A.grad(g.sum(), x)
x = L(); g, = A.grad((2 ** x).sum(), x, create_graph=True); A.grad(g.sum(), x)
x = L(); g, = A.grad((1 - x).sum(), x, create_graph=True); str(g)
x = t.tensor(2.0, requires_grad=True); g, = A.grad(t.where(x > 1, x * x, x), x, create_graph=True); g.backward(); str([g, x.grad])
1 / C(0.0)
[C(2.0).reciprocal(), t.reciprocal(C(2, 4)), t.reciprocal(C(True, False))]
t.reciprocal(2.0)
t.reciprocal([2.0])
"""

NODES = """
[str(L().clamp(0)), str(L().clamp(min=C())), str(t.clamp(L(), max=2))]
str(t.ones(2, 3, 4, requires_grad=True) @ t.ones(4, 1))
str(t.ones(2, 3, 4) @ t.ones(2, 4, 1, requires_grad=True))
str(C(1.0, 2.0) @ t.ones(2, 1, requires_grad=True))
[str(F.linear(x, t.ones(1, 2), t.ones(1, requires_grad=True))) for x in (t.ones(2), t.ones(1, 2), t.ones(1, 1, 2))]
[str(F.linear(x, t.ones(1, 2, requires_grad=True))) for x in (t.ones(2), t.ones(1, 2), t.ones(1, 1, 2))]
F.linear(L().reshape(1, 3), t.ones(2, 3), L(1.0, 2.0)).grad_fn.next_functions[0][0].variable
[n and repr(n).split()[0] for n, _ in F.linear(L().reshape(1, 3), t.ones(2, 3), L(1.0, 2.0)).grad_fn.next_functions]
F.linear(t.ones(2, 3), t.ones(2, 4), t.ones(2))
F.linear(t.ones(2, 3), t.ones(2, 4))
[str(F.l1_loss(L(), C(0.0, 0.0, 0.0), reduction=r)) for r in ("mean", "sum", "none")]
str(F.nll_loss(t.ones(2, 3, 4, requires_grad=True), t.zeros(2, 4).long()))
str(t.ones(2, 2, requires_grad=True).gather(1, t.tensor([[0], [1]])))
[str(L().t()), L().t() is not None, t.tensor(2.0, requires_grad=True).t().is_leaf]
x = L(); y = x.t(); y is x
y = C(); y.t().add_(1); y
C().copy_(None)
L().copy_(2.0)
[L().unbind(), t.unbind(t.ones(2, 3), 1), t.ones(2, 3).unbind(dim=-1)]
t.tensor(1.0).unbind()
t.ones(2).unbind(1)
t.tensor(1.0).unbind(1)
F.linear(t.ones(2, 3), t.ones(4, 3), t.ones(5))
F.linear(t.ones(2, 2, 3), t.ones(4, 3), t.ones(5))
F.linear(t.ones(3), t.ones(4, 3), t.ones(5))
F.linear(t.ones(5), t.ones(4, 3), t.ones(4))
b = t.ones(2, 4, requires_grad=True); y = F.linear(t.ones(2, 3), t.ones(4, 3), b); y.sum().backward(); [str(y), b.grad]
b = t.ones(1, 4, requires_grad=True); F.linear(t.ones(2, 3), t.ones(4, 3), b).sum().backward(); b.grad
b = t.ones(2, 4, requires_grad=True); A.grad((F.linear(L().expand(2, 3), t.ones(4, 3), b) ** 3).sum(), b, create_graph=True)
F.linear(t.tensor(2.0), t.ones(4, 3), t.ones(4))
F.linear(t.tensor(2.0), t.ones(4, 3))
[F.linear(C(), C()), F.linear(t.ones(2, 3), C())]
F.linear(t.ones(2, 3), t.ones(4))
F.linear(t.ones(2, 3), t.ones(3), t.tensor(1.0))
F.linear(t.ones(2, 3), t.ones(2, 4, 3))
[str(F.nll_loss(t.ones(2, 3, 4, requires_grad=True), t.zeros(2, 4).long(), reduction=r)) for r in ("mean", "none")]
t.where(C() > 1, input=C(), other=t.zeros(3))
t.gather(input=C(), dim=0, index=t.tensor([1]))
[t.equal(input=C(), other=C()), t.allclose(input=C(), other=C())]
C() + type("R", (), {"__radd__": lambda self, other: "asked"})()
C() ** type("R", (), {"__rpow__": lambda self, other: "asked"})()
t.tensor([2, 1, -1, -1, -2, 0, 3]) ** t.tensor([-1, -3, -3, -2, -1, -1, 2])
[2 ** t.tensor([-1, 2]), 1 ** t.tensor([-1]), (-1) ** t.tensor([-1, -2]), 0 ** t.tensor([-1, 0])]
t.tensor(2) ** t.tensor(-1)
t.tensor([True]) ** t.tensor([-1])
a, b = t.ones(2, 2).unbind(); a.add_(1); [a, b]
a, b = (t.ones(2, 2) * L(1.0, 2.0)).unbind(); a.add_(1)
"""

TAILS_AND_LIMITS = """
[pickle.loads(pickle.dumps(f)) is f for f in (t.relu, t.add, t.sum, t.equal, t.matmul, F.gelu)]
C(-10.0, -20.0, -80.0).sigmoid().log()
x = L(-20.0, -30.0, 20.0); F.binary_cross_entropy(x.sigmoid(), t.ones(3)).backward(); x.grad
x = L(-20.0, -30.0, 20.0); F.binary_cross_entropy_with_logits(x, t.zeros(3)).backward(); x.grad * 1e9
x = L(-20.0, 20.0); x.sigmoid().sum().backward(); x.grad.log()
x = L(-20.0, 20.0); F.silu(x).sum().backward(); [F.silu(x) * 1e8, x.grad * 1e8]
[t.tensor([True, False]).sigmoid(), C(1000.0, -1000.0).sigmoid(), t.tensor(-1000.0).sigmoid(), C(-1000.0).double().sigmoid()]
C().fill_(3.5e38)
C().fill_(float("inf"))
t.tensor([1, 2]).fill_(float("nan"))
t.tensor([1, 2]).fill_(1e30)
t.full((2,), 1e40)
t.full((2,), float("nan"), dtype=t.int64)
x = C(); x[0] = 1e40; x
x = C(); x[t.tensor([True, False, False])] = 1e40; x
C().masked_fill(C() > 1, -1e40)
t.tensor([1, 2]).masked_fill(t.tensor([True, False]), float("nan"))
t.rand(2, dtype=t.int64)
t.randn(2, dtype=t.int64)
t.randn_like(t.tensor([1, 2]))
t.where(C(), C(), C())
t.allclose(C(), C().double())
[str(y.dtype) for y in (C().to("cpu", t.float64), C().to("cpu"), C().to(device="cpu", dtype=t.int64), C().to(L().double()))]
[str(y.dtype) for y in (C().to(t.float64, True), C().to("cpu", t.int64, True, True), C().to(C().long()))]
x = C(); [x.to(t.float32, False, True) is x, x.to(x, non_blocking=True) is x]
t.ones(3).masked_fill(t.tensor(True), 0.0)
F.cross_entropy(t.arange(3.0), t.tensor(1), label_smoothing=0.1)
t.tensor([1, 2]) ** np.int64(-1)
t.tensor([True]) - type("R", (), {"__rsub__": lambda self, other: "asked"})()
b = t.ones(2, 2, 4, requires_grad=True); y = F.linear(t.ones(2, 2, 3), t.ones(4, 3), b); y.sum().backward(); [str(y), b.grad]
b = t.ones(2, 4, requires_grad=True); y = F.linear(t.ones(2, 2, 3), t.ones(4, 3), b); y.sum().backward(); [str(y), b.grad]
F.linear(t.ones(2, 2, 3), t.ones(4, 3), t.ones(4, 4))
x = t.ones(2, 1); y = x.expand(2, 3); y.fill_(2.0); [x, y]
x = t.ones(2, 1); y = x.expand(2, 3); y[:, 0] = 5.0; [x, y]
x = t.ones(2, 1); y = x.expand(2, 3); y[t.tensor([0, 0])] = 5.0; [x, y]
x = t.ones(2, 1); y = x.expand(2, 3); y[t.tensor([1, 0])] = C(1.0, 2.0, 3.0); [x, y]
x = t.ones(2, 1); y = x.expand(2, 3); y[y > 0] = C(1.0, 2.0, 3.0, 4.0, 5.0, 6.0); [x, y]
w = t.ones(2, 1, requires_grad=True); x = 1 / w; x.expand(2, 3)[t.tensor([0])] = 2.0; (x * 3).sum().backward()
t.ones(2, 1).expand(2, 3).mul_(t.ones(2, 2))
y = t.ones(2, 1).expand(2, 3); y[0] = 5.0; y
w = t.ones(2, 1, requires_grad=True); x = 1 / w; x.expand(2, 3).fill_(2.0); (x * 3).sum().backward()
x = t.ones(1, 3, requires_grad=True) * 2; x[:1] = 0.5; str(x)
x = t.ones(1, 3, requires_grad=True) * 2; x[0:1, 0:3] = 0.5; str(x)
x = t.ones(1, 3, requires_grad=True) * 2; x[..., :3] = L(); str(x)
x = t.ones(2, 3, requires_grad=True) * 2; x[-2:] = 0.5; str(x)
x = t.ones(2, 3, requires_grad=True) * 2; x[()] = L(1.0)[0]; str(x)
x = C(); [x.to("cpu") is x, x.to("cpu", copy=True) is x, x.to(t.float32) is x, x.to(x) is x]
x = t.arange(4).view(2, 2); [x[[[0, 1], [1, 0]]], x[[[0, 1]]], x[[0, 1]], x[[True, False]], x[[]]]
x = t.arange(4).view(2, 2); [x[[0, slice(None)]], x[[None, 0]], x[[..., 0]], x[[t.tensor([0]), t.tensor([1])]]]
x = t.zeros(2, 2); x[[[0], [1]]] = 1.0; x
x = L(); A.grad((x * x).sum(), x, None, None, False, True, True)
x = L(); A.grad((x * x).sum(), x, only_inputs=True)
"""

# Here the words of a TypeError are torch's too, as far as they say which argument it was.
NO_TENSORS = """
C() + "a"
"a" - C()
C() - [1.0, 2.0, 3.0]
[1.0, 2.0, 3.0] - C()
C() + (1, 2, 3)
(1, 2, 3) - C()
(1.0, 2.0, 3.0) / C().double()
C() ** (1, 2, 3)
(1, 2, 3) ** C()
C() / None
None * C()
"a" ** C()
L().sum() + None
C() * object()
C() < None
x = C(); x += "a"; x
x = C(); x -= [1.0, 2.0, 3.0]; x
x = C(); x *= None; x
x = C(); x /= (1, 2, 3); x
x = C(); x **= "a"; x
t.add(C(), "a")
t.add(None, C())
t.sub(C(), [1.0])
t.mul(C(), (1, 2, 3))
t.div("a", C())
t.lt([1.0], C())
t.lt(C(), [1.0])
t.eq(C(), None)
t.eq(C(), "a")
t.pow(C(), "a")
t.flatten(input=[1.0])
t.exp(2.0)
t.exp([1.0, 2.0])
t.abs(-2.0)
t.neg(3)
t.reciprocal(2.0)
t.tanh(None)
t.relu(3.0)
t.sum([1.0, 2.0])
t.mean(None)
t.std("a")
t.max([1.0, 2.0])
t.maximum(C(), 2.0)
t.clamp(3.0, 0, 1)
t.reshape(3.0, (1,))
t.flatten([1.0])
t.transpose([[1.0]], 0, 1)
t.gather(C(), 0, 1)
t.masked_fill(C(), True, 0.0)
t.allclose(C(), [1.0, 2.0, 3.0])
t.equal(1.0, C())
F.gelu([1.0])
F.silu(None)
F.softplus([1.0])
F.dropout(3.0)
F.leaky_relu("a")
"""

SECTIONS = (
    CREATION,
    NUMBERS_ON_THE_LEFT,
    NODES,
    FLAGS_AND_COPIES,
    DIMENSIONS,
    NUMBERS_OF_NUMPY,
    GRADIENTS,
    TAILS_AND_LIMITS,
    ARITHMETIC,
    OPTIMIZERS,
    SCHEDULES,
    MODULES_AND_LOSSES,
    LOSSES,
)
EVERYDAY = Path(__file__).with_name("everyday.txt").read_text("utf-8")  # names that programs begin with
LINES = [line for section in [*SECTIONS, EVERYDAY] for line in section.strip().splitlines()]


WORDED = NO_TENSORS.strip().splitlines()


def run(t: Any, line: str) -> Any:
    def vector(*values: float, requires_grad: bool = False) -> Any:
        return t.tensor(list(values) or [1.0, 2.0, 3.0], requires_grad=requires_grad)

    names = {"t": t, "nn": t.nn, "F": t.nn.functional, "A": t.autograd, "np": np, "copy": copy, "pickle": pickle}
    names["S"] = t.optim.lr_scheduler
    names |= {"C": vector, "L": lambda *values: vector(*values, requires_grad=True)}
    *statements, last = line.split("; ")
    exec("\n".join(statements), names)
    return eval(last, names)


@pytest.mark.parametrize("line", WORDED)
def test_what_is_no_tensor_is_refused_in_torchs_words(line: str) -> None:
    mine, theirs = (outcome(lambda t=t: run(t, line)) for t in (minigrad, torch))
    assert mine[1] == theirs[1] == "TypeError"
    if "invalid combination" in theirs[2]:  # there torch lists its signatures
        assert "): argument '" in mine[2] and "must be Tensor, not " in mine[2]
    else:
        assert mine[2].split(",")[0] == theirs[2].split(",")[0]


@pytest.mark.parametrize("line", LINES)
def test_a_line_has_torchs_outcome(line: str) -> None:
    mine, theirs = (outcome(lambda t=t: run(t, line)) for t in (minigrad, torch))
    assert theirs[1] != "SyntaxError", "the last statement is no expression"
    assert mine[1] == theirs[1] and mine[3] == theirs[3], f"{mine[1:]} and {theirs[1:]}"
    if theirs[1] not in (None, "TypeError", "AttributeError"):  # Python's own words differ
        assert mine[2][:60] == theirs[2][:60]
    if theirs[1] is None:
        assert_same(mine[0], theirs[0], line)


ONCE = """
import warnings
import {package} as t
x = t.tensor(2.0, requires_grad=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with t.no_grad():
        float(x)
    print(len(caught))
    for _ in range(2):
        float(x * 1), int(x), bool(x), "%d" % x, x.item(), f"{{x:.1f}}"
        (x * x).backward(create_graph=True)
        t.autograd.backward(x * x, create_graph=True)
for each in caught:
    print(each.category.__name__, str(each.message).split(" (Triggered")[0])
"""


def test_what_torch_warns_of_once_a_process_is_warned_of_once() -> None:
    def said(package: str) -> str:
        code = ONCE.format(package=package)
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    mine = said("minigrad")
    assert mine == said("torch") and mine.count("UserWarning") == 2


ABSENT = ["fft", "nn.Conv2d", "nn.functional.conv1d", "nn.init.dirac_", "nn.utils.parametrize", "optim.LBFGS"]
ABSENT += ["optim.lr_scheduler.OneCycleLR", "autograd.profiler", "autograd.functional.vjp"]


@pytest.mark.parametrize("name", ABSENT)
def test_what_torch_has_and_the_course_does_not_need_is_a_sentence(name: str) -> None:
    eval(f"t.{name}", {"t": torch})
    sentence = f"'{name.split('.')[-1]}'; torch may have it, but this course does not need it"
    with pytest.raises(AttributeError, match=sentence):
        eval(f"t.{name}", {"t": minigrad})
