"""Chapter 8's right answers in other words."""

import math

import numpy as np

import minigrad
from minigrad import empty
from minigrad.core.function import Function
from minigrad.nn import Module, functional
from minigrad.nn.init import kaiming_uniform_
from minigrad.nn.layers import InOut
from minigrad.nn.module import dotted
from minigrad.nn.parameter import Leaf
from minigrad.rules.both import step

from ...ask.right import collector

RIGHT, right = collector()

nn = minigrad.nn

# ---------------------------------------------------------------------- ReLU


@right(exercise="relu", replaces="Relu")
class ReluByMasks(Function):
    def forward(self, x):
        return np.where(x > 0, x, 0.0)

    def backward_x(self, grad, x):
        return grad * (x > 0)


@right(exercise="relu", replaces="Relu")
class ReluByAbsoluteValue(Function):
    def forward(self, x):
        return (x + abs(x)) / 2

    def backward_x(self, grad, x):
        return grad * step(x)


@right(exercise="relu", replaces="Relu")
class ReluInACopy(Function):
    def forward(self, x):
        self.off = np.asarray(x) <= 0
        out = np.array(x)
        out[self.off] = 0
        return out

    def backward_x(self, grad):
        return grad * (1 - self.off)


@right(exercise="relu", replaces="Relu")
class ReluTimesItsSlope(Function):
    def forward(self, x):
        return x * (x > 0)

    def backward_x(self, grad, x):
        return (x > 0) * grad


@right(exercise="relu", replaces="Relu")
class ReluByClipping(Function):
    def forward(self, x):
        return np.clip(x, 0, None)

    def backward_x(self, grad, out):
        return grad - grad * (out == 0)


# ---------------------------------------------------------------------- Parameter and __setattr__


@right(exercise="registration", replaces="Parameter")
class ParameterByMethod(Leaf):
    def __init__(self, data, requires_grad=True):
        super().__init__()
        self.requires_grad_(requires_grad)


@right(exercise="registration", replaces="Parameter")
class ParameterIfAsked(Leaf):
    def __init__(self, data, requires_grad=True):
        if requires_grad:
            self.requires_grad = True


@right(exercise="registration", replaces="Parameter")
class ParameterInTwoSteps(Leaf):
    def __init__(self, data, requires_grad=True):
        self.requires_grad = False
        self.requires_grad = bool(requires_grad)


@right(exercise="registration", replaces="Parameter")
class ParameterOnItsData(Leaf):
    def __init__(self, data, requires_grad=True):
        self.data = data
        self.requires_grad = requires_grad


@right(exercise="registration", replaces="Parameter")
class ParameterBySetattr(Leaf):
    def __init__(self, *given, **named):
        flag = named.get("requires_grad", given[1] if len(given) > 1 else True)
        setattr(self, "requires_grad", flag)  # noqa: B010


@right(exercise="registration", replaces="__setattr__")
def registers_by_method(self, name, value):
    self.make_way(name, value)
    if isinstance(value, Module):
        self.add_module(name, value)
    elif isinstance(value, nn.Parameter):
        self.register_parameter(name, value)
    else:
        self.set_other(name, value)


@right(exercise="registration", replaces="__setattr__")
def returns_early(self, name, value):
    self.make_way(name, value)
    for kind, table in ((nn.Parameter, "_parameters"), (Module, "_modules")):
        if isinstance(value, kind):
            getattr(self, table).update({name: value})
            return
    self.set_other(name, value)


@right(exercise="registration", replaces="__setattr__")
def asks_the_other_way_round(self, name, value):
    self.make_way(name, value)
    if not isinstance(value, nn.Parameter | Module):
        return self.set_other(name, value)
    table = self._modules if isinstance(value, Module) else self._parameters
    table[name] = value


@right(exercise="registration", replaces="__setattr__")
def by_its_dict(self, name, value):
    self.make_way(name, value)
    if isinstance(value, nn.Parameter):
        self.__dict__["_parameters"][name] = value
    elif isinstance(value, Module):
        self.__dict__["_modules"][name] = value
    else:
        Module.set_other(self, name, value)


@right(exercise="registration", replaces="__setattr__")
def by_matching(self, name, value):
    self.make_way(name, value)
    match value:
        case nn.Parameter():
            self._parameters[name] = value
        case Module():
            self._modules[name] = value
        case _:
            self.set_other(name, value)


# ---------------------------------------------------------------------- named_parameters


@right(exercise="names", replaces="named_parameters")
def over_the_modules(self, prefix="", recurse=True, seen=None):
    met = []
    for path, module in list(self.named_modules(prefix)) if recurse else [(prefix, self)]:
        for name, parameter in module._parameters.items():
            if parameter is not None and not any(parameter is other for other in met):
                met.append(parameter)
                yield ".".join(filter(None, [path, name])), parameter


@right(exercise="names", replaces="named_parameters")
def a_list_of_pairs(self, prefix="", recurse=True, seen=None):
    found = [(dotted(prefix, name), p) for name, p in self._parameters.items() if p is not None]
    for name, module in self._modules.items():
        if recurse and module is not None:
            found += module.named_parameters(dotted(prefix, name))
    once = {}
    for name, parameter in found:
        once.setdefault(parameter, name)
    return [(name, parameter) for parameter, name in once.items()]


@right(exercise="names", replaces="named_parameters")
def with_a_stack(self, prefix="", recurse=True, seen=None):
    seen, stack = set(), [(prefix, self)]
    while stack:
        path, module = stack.pop()
        for name, parameter in module._parameters.items():
            if parameter is not None and id(parameter) not in seen:
                seen.add(id(parameter))
                yield dotted(path, name), parameter
        if recurse:
            stack += [(dotted(path, name), inside) for name, inside in reversed(list(module.named_children()))]


@right(exercise="names", replaces="named_parameters")
def one_after_the_other(self, prefix="", recurse=True, seen=None):
    if seen is None:
        seen = []
    dot = prefix + "." if prefix else ""
    for name in self._parameters:
        parameter = self._parameters[name]
        if parameter is None or id(parameter) in seen:
            continue
        seen.append(id(parameter))
        yield dot + name, parameter
    if not recurse:
        return
    for name, module in self.named_children():
        for pair in module.named_parameters(prefix=dot + name, seen=seen):  # noqa: UP028
            yield pair


@right(exercise="names", replaces="named_parameters")
def with_a_helper_inside(self, prefix="", recurse=True, seen=None):
    found = {}

    def visit(module, path):
        for name, parameter in module._parameters.items():
            if parameter is not None and parameter not in found:
                found[parameter] = dotted(path, name)
        if recurse:
            for name, inside in module.named_children():
                visit(inside, dotted(path, name))

    visit(self, prefix)
    return iter([(name, parameter) for parameter, name in found.items()])


# ---------------------------------------------------------------------- Linear


@right(exercise="linear", replaces="fan_in_uniform_")
def from_numbers_between_0_and_1(tensor, fan_in):
    with minigrad.no_grad():
        tensor.copy_((2 * minigrad.rand(*tensor.shape) - 1) / math.sqrt(fan_in))
    return tensor


@right(exercise="linear", replaces="fan_in_uniform_")
def from_numpy(tensor, fan_in):
    limit = (1 / fan_in) ** 0.5
    tensor.data.numpy()[...] = np.random.default_rng().uniform(-limit, limit, tuple(tensor.shape))
    return tensor


@right(exercise="linear", replaces="fan_in_uniform_")
def one_unit_after_the_other(tensor, fan_in):
    limit = fan_in**-0.5
    with minigrad.no_grad():
        for row in tensor if tensor.ndim > 1 else [tensor]:
            row.uniform_(-limit, limit)
    return tensor


@right(exercise="linear", replaces="fan_in_uniform_")
def by_the_power_of_minus_a_half(tensor, fan_in):
    return nn.init.uniform_(tensor, a=-(fan_in**-0.5), b=fan_in**-0.5)


@right(exercise="linear", replaces="fan_in_uniform_")
def shifted_and_scaled(tensor, fan_in):
    nn.init.uniform_(tensor)
    with minigrad.no_grad():
        tensor -= 0.5
        tensor *= 2 / np.sqrt(fan_in).item()
    return tensor


@right(exercise="linear", replaces="Linear")
class LinearByAProduct(InOut):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features)
        self.weight = nn.Parameter(minigrad.zeros(out_features, in_features))
        self.bias = nn.Parameter(minigrad.zeros(out_features)) if bias else None
        self.reset_parameters()

    def forward(self, x):
        out = x @ self.weight.T
        return out if self.bias is None else out + self.bias


@right(exercise="linear", replaces="Linear")
class LinearFilledByHand(InOut):
    def __init__(self, in_features, out_features, bias=True):
        InOut.__init__(self, in_features, out_features)
        weight = kaiming_uniform_(empty(out_features, in_features), a=math.sqrt(5))
        self.register_parameter("weight", nn.Parameter(weight))
        if bias:
            limit = 1 / math.sqrt(in_features)
            self.register_parameter("bias", nn.Parameter(minigrad.rand(out_features) * 2 * limit - limit))

    def forward(self, x):
        return functional.linear(x, self.weight, self.bias)


@right(exercise="linear", replaces="Linear")
class LinearWithoutEmpty(InOut):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features)
        self.weight = nn.Parameter(minigrad.ones(self.out_features, self.in_features))
        self.bias = None
        if bias is True:
            self.bias = nn.Parameter(minigrad.ones(self.out_features))
        self.reset_parameters()

    def forward(self, x):
        return nn.functional.linear(x, self.weight, self.bias)


@right(exercise="linear", replaces="Linear")
class LinearTurnedRound(InOut):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features)
        self.weight = nn.Parameter(empty(out_features, in_features))
        if bias:
            self.bias = nn.Parameter(empty(out_features))
        self.reset_parameters()

    def forward(self, x):
        out = (self.weight @ x.unsqueeze(-1)).squeeze(-1)
        return out + self.bias if self.bias is not None else out


@right(exercise="linear", replaces="Linear")
class LinearFromATable(InOut):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features)
        shapes = {"weight": (out_features, in_features), "bias": (out_features,)}
        for name, shape in shapes.items():
            if bias or name == "weight":
                setattr(self, name, nn.Parameter(empty(*shape)))
        self.reset_parameters()

    def forward(self, x):
        return functional.linear(x, **dict(self.named_parameters()))


# ---------------------------------------------------------------------- two layers


@right(exercise="two-layer-network", replaces="TwoLayers")
class NetworkWithAModuleForReLU(nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.first, self.relu, self.second = nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, outputs)

    def forward(self, x):
        return self.second(self.relu(self.first(x)))


@right(exercise="two-layer-network", replaces="TwoLayers")
class NetworkByMasks(nn.Module):
    def __init__(self, inputs, hidden, outputs):
        Module.__init__(self)
        for name, sizes in {"first": (inputs, hidden), "second": (hidden, outputs)}.items():
            setattr(self, name, nn.Linear(*sizes))

    def forward(self, x):
        u = x @ self.first.weight.T + self.first.bias
        return self.second(u * (u > 0))


@right(exercise="two-layer-network", replaces="TwoLayers")
class NetworkByFunctions(nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.first = nn.Linear(inputs, hidden)
        self.second = nn.Linear(hidden, outputs)

    def forward(self, x):
        hidden = functional.relu(functional.linear(x, self.first.weight, self.first.bias))
        return functional.linear(hidden, self.second.weight, self.second.bias)


@right(exercise="two-layer-network", replaces="TwoLayers")
class NetworkInSequence(nn.Sequential):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.first = nn.Linear(inputs, hidden)
        self.between = nn.ReLU()
        self.second = nn.Linear(hidden, outputs)


@right(exercise="two-layer-network", replaces="TwoLayers")
class NetworkByMaximum(nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.add_module("first", nn.Linear(inputs, hidden))
        self.add_module("second", nn.Linear(hidden, outputs))

    def forward(self, x):
        hidden = self.first.forward(x)
        return self.second.forward((hidden + hidden.abs()) / 2)


# ---------------------------------------------------------------------- digits


@right(exercise="digits", replaces="cross_entropy")
def entropy_by_gathering(z, y):
    return -z.log_softmax(-1).gather(1, y.reshape(-1, 1)).mean()


@right(exercise="digits", replaces="cross_entropy")
def entropy_by_a_mask(z, y):
    truth = functional.one_hot(y, z.shape[1]).to(z.dtype)
    return -(truth * z.log_softmax(1)).sum() / len(y)


@right(exercise="digits", replaces="cross_entropy")
def entropy_by_the_largest_score(z, y):
    moved = z - z.detach().max(1, keepdim=True).values
    total = moved.exp().sum(1).log()
    right_scores = minigrad.stack([moved[i, int(right)] for i, right in enumerate(y)])
    return (total - right_scores).mean()


@right(exercise="digits", replaces="cross_entropy")
def entropy_row_by_row(z, y):
    total = 0
    for i in range(z.shape[0]):
        total = total - z[i].log_softmax(0)[y[i]]
    return total / z.shape[0]


@right(exercise="digits", replaces="cross_entropy")
def entropy_by_logsumexp(z, y):
    return (z.logsumexp(1) - z[range(len(y)), y]).mean()


@right(exercise="digits", replaces="epoch")
def epoch_by_splitting(net, loss, optimizer, x, y, size):
    losses = []
    for rows, right_ones in zip(x.split(size), y.split(size)):
        error = loss(net(rows), right_ones)
        optimizer.zero_grad()
        error.backward()
        optimizer.step()
        losses += [error.item()]
    return losses


@right(exercise="digits", replaces="epoch")
def epoch_that_clears_afterwards(net, loss, optimizer, x, y, size):
    losses, start = [], 0
    optimizer.zero_grad()
    while start < x.shape[0]:
        end = min(start + size, x.shape[0])
        error = loss(net(x[start:end]), y[start:end])
        losses.append(float(error))
        error.backward()
        optimizer.step()
        optimizer.zero_grad()
        start = end
    return losses


@right(exercise="digits", replaces="epoch")
def epoch_by_counting(net, loss, optimizer, x, y, size):
    def step(number):
        part = slice(number * size, (number + 1) * size)
        error = loss(net(x[part]), y[part])
        optimizer.zero_grad()
        error.backward()
        optimizer.step()
        return error.detach().item()

    return [step(number) for number in range(math.ceil(x.shape[0] / size))]


@right(exercise="digits", replaces="epoch")
def epoch_with_a_generator(net, loss, optimizer, x, y, size):
    def batches():
        for first in range(0, len(y), size):
            yield x[first : first + size], y[first : first + size]

    found = []
    for images, answers in batches():
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                parameter.grad = None
        error = loss(net(images), answers)
        error.backward()
        optimizer.step()
        found.append(float(error.detach()))
    return found


@right(exercise="digits", replaces="epoch")
def epoch_by_taking_from_the_front(net, loss, optimizer, x, y, size):
    losses = []
    while len(x):
        (images, x), (answers, y) = (x[:size], x[size:]), (y[:size], y[size:])
        optimizer.zero_grad()
        (error := loss(net(images), answers)).backward()
        optimizer.step()
        losses.append(error.item())
    return losses
