"""What outsiders once found to be otherwise than in torch: each a few lines that have one outcome on both packages."""

import copy
import gc
import weakref
from collections import OrderedDict
from pathlib import Path

import pytest
import torch

import minigrad

from .differential import check_outcome


def a_detached_result_whose_maker_runs(t):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    a = x.exp()
    b = a * 2
    a.detach_()
    b.sum().backward()
    return x.grad, a.requires_grad, a.is_leaf


def a_view_of_one_of_several_views(t):
    y = t.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True) * 1
    y.chunk(2)[0][0].mul_(2)


def a_view_of_a_slice_that_unbind_made(t):
    y = t.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True) * 1
    y.unbind(0)[1][None].view(2).mul_(2)


def a_view_of_a_view_made_under_no_grad(t):
    x = t.tensor([1.0, 2.0])
    with t.no_grad():
        y = x.view(2)
    y.requires_grad_()
    z = y.view(2)
    z /= 2


def a_generator_under_no_grad(t):
    @t.no_grad()
    def steps():
        got = yield t.is_grad_enabled()
        try:
            yield got, t.is_grad_enabled()
        except KeyError:
            yield t.is_grad_enabled()
        return 5

    running = steps()
    found = [next(running), t.is_grad_enabled(), running.send("sent"), running.throw(KeyError)]
    with pytest.raises(StopIteration) as end:
        next(running)
    return [str(x) for x in found], end.value.value, t.is_grad_enabled()


def a_number_transposed(t):
    x = t.tensor(2.0, requires_grad=True)
    y = x.transpose(0, -1)
    y.backward()
    return y is x, y, y.grad_fn.name(), x.grad


def a_view_of_what_comes_to_require_grad(t):
    v = t.tensor([1.0, 2.0])
    view = v[None]
    v.requires_grad_()
    first = view.requires_grad
    v.requires_grad_(False)
    return first, view.requires_grad, view.is_leaf


def what_a_view_retains_once_it_has_changed(t):
    w = t.tensor([1.0, 2.0], requires_grad=True)
    v = w.reshape(-1)
    y = v * 2
    with t.no_grad():
        v.add_(2)
    v.retain_grad()
    y.sum().backward()
    return v.grad, w.grad


def a_view_made_under_no_grad_and_changed_there(t):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    with t.no_grad():
        v = x.view(2)
        before = str(v)
        v.mul_(2)
    return before, str(v), v.requires_grad


def a_view_made_under_no_grad_whose_base_changed(t):
    x = t.tensor([1.0, 2.0], requires_grad=True) * 1
    with t.no_grad():
        v = x.view(2)
    x.mul_(2)
    return str(v), x


def hooks_around_a_change_of_a_view(t):
    found = []
    for pick in (lambda x: x[0:1], lambda x: x.view(2)):
        x, seen = t.tensor([1.0, 2.0], requires_grad=True) * 1, []
        x.register_hook(lambda grad: seen.append("base"))
        v = pick(x)
        v.register_hook(lambda grad: seen.append("before"))
        v.mul_(3)
        v.register_hook(lambda grad: seen.append("after"))
        (x.sum() + v.sum()).backward()
        found.append(seen)
    return found


def a_gradient_that_is_one_number_repeated(t):
    w = t.tensor([1.0, 2.0], requires_grad=True)
    (grad,) = t.autograd.grad(w.sum(), w)
    grad.add_(t.tensor([1.0, 2.0]))


def a_gradient_that_is_no_number_repeated(t):
    w = t.tensor([1.0, 2.0], requires_grad=True)
    (first,) = t.autograd.grad(w.mean(), w)
    (second,) = t.autograd.grad(w.sum() + (w * w).sum(), w)
    w.sum().backward()
    return first.add_(t.tensor([1.0, 2.0])), second.mul_(2), w.grad.add_(1)


def hooks_on_results_that_nothing_depends_on(t):
    x, seen = t.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True), []
    for parts in (x.unbind(), x.split(1), t.chunk(x, 4), x.split([1, 1, 1, 1])):
        for i, part in enumerate(parts):
            part.register_hook(lambda grad, i=i: seen.append((i, None if grad is None else grad.tolist())))
            part.retain_grad()
        (parts[2] * 3 + parts[0]).sum().backward()
        seen.append([None if part.grad is None else part.grad.tolist() for part in parts])
    return seen, x.grad


def a_hook_that_replaces_no_gradient(t):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    first, second = x.unbind()
    first.register_hook(lambda grad: t.ones(()))
    second.backward()


def hooks_on_the_outputs_of_a_function(t):
    class Two(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, a, b):
            return a * 2 + b * 3

    x, seen = t.ones(2, requires_grad=True), []
    a, b = Two.apply(x)
    a.register_hook(lambda grad: seen.append(grad))
    b.register_hook(lambda grad: grad * 2)
    b.sum().backward()
    return seen, x.grad


def second_derivatives_through_several_views(t):
    x = t.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    a, b = x.unbind(1)
    (grad,) = t.autograd.grad((a * a * b).sum(), x, create_graph=True)
    grad.pow(2).sum().backward()
    return grad.detach(), x.grad


def copied_onto_itself(t):
    v = t.ones(2, 1).expand(2, 3)
    return v.copy_(v), v._version


def a_watched_view_of_what_changed(t):
    found = []
    for change in (
        lambda w, v: w.detach().sin_(),
        lambda w, v: v.data.mul_(1) is v.detach().mul_(2),
        lambda w, v: t.optim.SGD([w], 0.1).step(),
    ):
        w = t.tensor([1.0, 2.0], requires_grad=True)
        w.grad = t.ones(2)
        v = w[..., 0]
        before = v * 1
        v.register_hook(lambda grad: grad * 10)
        v.retain_grad()
        change(w, v)
        (before + v * 2).sum().backward()
        found += [w.grad, v.grad]
    return found


def zeros_for_an_unused_input(t):
    x, z = (t.tensor(1.0, requires_grad=True) for _ in range(2))
    grads = t.autograd.grad(z * z, (x, z), create_graph=True, allow_unused=True, materialize_grads=True)
    return [g.requires_grad for g in grads], grads


def copies_share_what_the_originals_share(t):
    a = t.tensor([[1.0, 2.0], [3.0, 4.0]])
    made = copy.deepcopy({"a": a, "row": a[1], "same": a, "turned": a.t()})
    made["a"].mul_(2)
    return made["row"], made["turned"], made["same"] is made["a"], a, made["row"]._version


def a_number_handed_through(t):
    class Scale(t.autograd.Function):
        @staticmethod
        def forward(ctx, s, x):
            return s, x * s

        @staticmethod
        def backward(ctx, a, b):
            return None, b * 2

    s, y = Scale.apply(2, t.tensor([1.0], requires_grad=True))
    y.sum().backward()
    return type(s).__name__, s, y


def a_default_left_out(t):
    class Times(t.autograd.Function):
        @staticmethod
        def forward(x, k=3):
            return x * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.k = inputs[1]

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.k, None

    x = t.tensor([1.0], requires_grad=True)
    Times.apply(x).sum().backward()
    return x.grad


def a_number_a_word_and_none_beside_a_result(t):
    class Mixed(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 3, 5, "bar", None

        @staticmethod
        def backward(ctx, *grads):
            return grads[0] * 3

    x = t.tensor([1.0], requires_grad=True)
    out = Mixed.apply(x)
    out[0].sum().backward()
    return out[0], out[1:], x.grad


def a_saved_input_is_the_input(t):
    found = []

    class Triple(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 3

        @staticmethod
        def backward(ctx, grad):
            found.append(ctx.saved_tensors[0])
            return grad * 3

    x = t.tensor([1.0], requires_grad=True)
    y = x * 1
    Triple.apply(x).sum().backward()
    Triple.apply(y).sum().backward()
    return found[0] is x, found[1] is y


def a_module_inserted(t):
    net = t.nn.Sequential(t.nn.ReLU())
    return net.insert(0, t.nn.Tanh()) is net, str(net)


def a_module_inserted_too_far(t):
    t.nn.Sequential(t.nn.ReLU()).insert(5, t.nn.Tanh())


def a_parameter_of_nothing(t):
    p = t.nn.Parameter()
    return str(p.shape), p.requires_grad, t.nn.Parameter(requires_grad=False).requires_grad


def a_module_held_twice(t):
    layer = t.nn.Linear(1, 1)
    net = t.nn.Sequential(layer, t.nn.ReLU(), layer)
    return len(list(net.children())), sorted(net.state_dict()), len(list(net.parameters()))


def a_state_of_its_own(t):
    class Counter(t.nn.Module):
        def get_extra_state(self):
            return {"steps": 5}

        def set_extra_state(self, state):
            self.state = state

    class Net(t.nn.Module):
        def __init__(self):
            super().__init__()
            self.counter = Counter()

    net = Net()
    state = net.state_dict()
    loaded = net.load_state_dict(state)
    with pytest.raises(RuntimeError, match="_extra_state"):
        net.load_state_dict(OrderedDict())
    return list(state), net.counter.state, str(loaded)


def a_module_elsewhere(t):
    return str(t.nn.Linear(1, 1).to("cpu", t.float64).weight.dtype)


def gathered_from_a_number(t):
    x = t.tensor(2.0, requires_grad=True)
    y = t.gather(x, 0, t.tensor(0))
    y.backward()
    return y, x.grad


def flipped_along_nothing(t):
    return t.ones(2).flip()


def a_view_of_a_view_with_a_hook_whose_base_changes(t):
    w = t.tensor([0.45, 0.52], dtype=t.float64, requires_grad=True)
    hooked = w.view(-1)
    hooked.register_hook(lambda grad: grad * 2)
    first = hooked[0]
    w.detach().sigmoid_()
    (first * first).sum().backward()
    return w.grad


def a_change_in_place_by_nothing(t):
    t.ones(2, requires_grad=True).add_(None)


def one_number_put_where_it_lies(t):
    x = t.tensor([[1.0], [2.0]], requires_grad=True) * 1
    x[..., 0] = x[1]
    return x


def a_second_pass_after_one_that_was_refused(t):
    x = t.tensor([1.0, 2.0], requires_grad=True).floor()
    view = x.t()
    view.div_(view)
    with pytest.raises(RuntimeError):
        (x * x).sum().backward()
    with pytest.raises(RuntimeError) as refused:
        (x * x).sum().backward()
    return str(refused.value)[:80]  # what is saved where is said in other words


def a_second_pass_through_a_view_that_was_filled(t):
    x = t.tensor([1.0, 2.0], requires_grad=True) * 1
    x[:1].fill_(3.0)
    out = (x * 2).sum()
    out.backward()
    out.backward()


@pytest.mark.parametrize(
    "difference",
    [value for name, value in list(globals().items()) if callable(value) and value.__module__ == __name__],
    ids=lambda difference: difference.__name__,
)
def test_the_outcome_is_torchs(difference):
    check_outcome(difference, difference.__name__)


def test_a_function_that_saves_its_own_output_leaves_nothing_behind():
    class Exp(minigrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0]

    gc.disable()
    try:
        y = Exp.apply(minigrad.ones(3, requires_grad=True))
        node = weakref.ref(y.grad_fn)
        del y
        assert node() is None
    finally:
        gc.enable()


def test_dropout_draws_torchs_mask():
    cpu = Path("/proc/cpuinfo")
    if not cpu.exists() or "AuthenticAMD" not in cpu.read_text():
        pytest.skip("on Intel's processors torch draws these numbers by Intel's own library")
    for t in (minigrad, torch):
        t.manual_seed(0)
    mine, theirs = (t.nn.functional.dropout(t.ones(100), 0.3).tolist() for t in (minigrad, torch))
    assert mine == theirs


def test_the_type_of_a_node_has_its_name():
    for t in (minigrad, torch):
        x = t.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        made = [
            x + 1,
            x * x,
            x.sum(),
            x.sum(0),
            x.view(4),
            1 - x,
            x @ x,
            x.clamp(0, 1),
            x[0],
            x.max(0)[0],
            x.squeeze(0),
        ]
        assert [type(y.grad_fn).__name__ for y in made] == [y.grad_fn.name() for y in made]
    assert type(made[3].grad_fn).__name__ == "SumBackward1"
