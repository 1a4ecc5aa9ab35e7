# ruff: noqa: ANN001, ANN201, ANN202, B006, B010, D101, D102, D103, D105, D107
"""Chapter 8's ways of being wrong: about ReLU's kink, what a module finds, and what makes two layers two."""

import math

import numpy as np

import minigrad
from minigrad import empty
from minigrad.core.function import Function
from minigrad.nn import Module, functional
from minigrad.nn.layers import InOut
from minigrad.nn.module import dotted
from minigrad.nn.parameter import Leaf

from ...ask.bank import Reference, collector

MISCONCEPTIONS, misconception, variant = collector()

# ---------------------------------------------------------------------- ReLU


@misconception(
    "relu-passes-at-zero",
    exercise="relu",
    replaces="Relu",
    section="ReLU",
    advice="Your Relu passes the gradient where x is exactly 0. There the graph has a kink and no slope; torch, and "
    "this course, take 0.",
)
class ReluPassesAtZero(Reference):
    def backward_x(self, grad, x):
        return grad * (x >= 0)


@misconception(
    "relu-no-derivative",
    exercise="relu",
    replaces="Relu",
    section="ReLU",
    advice="Your Relu hands its gradient on as it came: its own derivative is left out. Where x is negative, a small "
    "change of x changes nothing.",
)
class ReluNoDerivative(Reference):
    def backward_x(self, grad):
        return grad


@misconception(
    "relu-ignores-above",
    exercise="relu",
    replaces="Relu",
    section="ReLU",
    advice="Your Relu returns its slope, 0 or 1, and loses the gradient that arrives from above.",
)
class ReluIgnoresAbove(Reference):
    def backward_x(self, grad, x):
        return grad * 0 + (x > 0)


@misconception(
    "relu-asks-the-gradient",
    exercise="relu",
    replaces="Relu",
    section="ReLU",
    advice="Your Relu looks at the sign of the gradient. What decides is the sign of x: a negative gradient passes "
    "where x is positive.",
)
class ReluAsksTheGradient(Reference):
    def backward_x(self, grad):
        return grad * (grad > 0)


@variant
class ReluAsksBoth(Reference):
    def backward_x(self, grad, x):
        return grad * (x > 0) * (grad > 0)


@misconception(
    "relu-value-for-slope",
    exercise="relu",
    replaces="Relu",
    section="ReLU",
    advice="Your Relu multiplies by its value. Where x is positive the result grows one for one with it, so the slope "
    "is 1.",
)
class ReluValueForSlope(Reference):
    def backward_x(self, grad, out):
        return grad * out


@misconception(
    "relu-absolute-value",
    exercise="relu",
    replaces="Relu",
    section="ReLU",
    advice="Your Relu turns negative numbers round. It should make them 0.",
)
class ReluAbsoluteValue(Function):
    def forward(self, x):
        return np.abs(x)

    def backward_x(self, grad, x):
        return grad * (x > 0)


@misconception(
    "relu-changes-its-input",
    exercise="relu",
    replaces="Relu",
    section="ReLU",
    advice="Your Relu writes zeros into x itself. Others may still need x: make a new array.",
)
class ReluChangesItsInput(Function):
    def forward(self, x):
        x *= x > 0
        return x

    def backward_x(self, grad, out):
        return grad * (out > 0)


@variant
class ReluWritesZeros(Function):
    def forward(self, x):
        x[x < 0] = 0
        return x

    def backward_x(self, grad, out):
        return grad * (out > 0)


# ---------------------------------------------------------------------- Parameter and __setattr__


@misconception(
    "parameter-without-grad",
    exercise="registration",
    replaces="Parameter",
    section="Parameters that are found",
    advice="Your Parameter does not require grad, so no backward pass reaches it, and it never learns.",
)
class ParameterWithoutGrad(Leaf):
    def __init__(self, data, requires_grad=True):
        self.require_grad = requires_grad


@misconception(
    "parameter-always-requires",
    exercise="registration",
    replaces="Parameter",
    section="Parameters that are found",
    advice="Your Parameter requires grad whatever it is told. A frozen one is made with requires_grad=False.",
)
class ParameterAlwaysRequires(Leaf):
    def __init__(self, data, requires_grad=True):
        self.requires_grad = True


@misconception(
    "parameter-copies",
    exercise="registration",
    replaces="Parameter",
    section="Parameters that are found",
    advice="Your Parameter holds a copy of its data. Leaf has already put it on the memory of data: only the flag is "
    "missing.",
)
class ParameterCopies(Leaf):
    def __init__(self, data, requires_grad=True):
        self.data = data.clone()
        self.requires_grad = requires_grad


@misconception(
    "setattr-ordinary-only",
    exercise="registration",
    replaces="__setattr__",
    section="Parameters that are found",
    advice="Your __setattr__ stores everything as an ordinary attribute. The network runs, but nobody finds its "
    "parameters: put them into self._parameters, and modules into self._modules.",
)
def ordinary_only(self, name, value):
    self.make_way(name, value)
    object.__setattr__(self, name, value)


@misconception(
    "setattr-forgets-modules",
    exercise="registration",
    replaces="__setattr__",
    section="Parameters that are found",
    advice="Your __setattr__ registers parameters, but no modules: a layer that is assigned to a network stays unknown "
    "to it.",
)
def forgets_modules(self, name, value):
    self.make_way(name, value)
    if isinstance(value, minigrad.nn.Parameter):
        self._parameters[name] = value
    else:
        object.__setattr__(self, name, value)


@misconception(
    "setattr-forgets-parameters",
    exercise="registration",
    replaces="__setattr__",
    section="Parameters that are found",
    advice="Your __setattr__ registers modules, but no parameters: a layer's own weights stay unknown to it.",
)
def forgets_parameters(self, name, value):
    self.make_way(name, value)
    if isinstance(value, Module):
        self._modules[name] = value
    else:
        self.set_other(name, value)


@misconception(
    "setattr-every-tensor",
    exercise="registration",
    replaces="__setattr__",
    section="Parameters that are found",
    advice="Your __setattr__ takes every Tensor for a parameter. Data and targets are tensors too: only a Parameter is "
    "one.",
)
def every_tensor(self, name, value):
    self.make_way(name, value)
    if isinstance(value, minigrad.Tensor):
        self._parameters[name] = value
    elif isinstance(value, Module):
        self._modules[name] = value
    else:
        self.set_other(name, value)


@misconception(
    "setattr-drops-the-rest",
    exercise="registration",
    replaces="__setattr__",
    section="Parameters that are found",
    advice="Your __setattr__ forgets what is neither parameter nor module: after self.rate = 0.5 there is no "
    "self.rate. Hand the rest to self.set_other.",
)
def drops_the_rest(self, name, value):
    self.make_way(name, value)
    if isinstance(value, minigrad.nn.Parameter):
        self._parameters[name] = value
    elif isinstance(value, Module):
        self._modules[name] = value


@misconception(
    "setattr-stores-the-rest-itself",
    exercise="registration",
    replaces="__setattr__",
    section="Parameters that are found",
    advice="Your __setattr__ stores the rest as ordinary attributes itself. After self.x = None, where x was a "
    "Parameter, the table still holds that one: hand the rest to self.set_other.",
)
def stores_the_rest_itself(self, name, value):
    self.make_way(name, value)
    if isinstance(value, minigrad.nn.Parameter):
        self._parameters[name] = value
    elif isinstance(value, Module):
        self._modules[name] = value
    else:
        object.__setattr__(self, name, value)


@misconception(
    "setattr-super-outside-a-class",
    exercise="registration",
    replaces="__setattr__",
    section="Parameters that are found",
    advice="Your __setattr__ calls super() without arguments. Python understands that inside a class only, and this "
    "function is written outside of one.",
)
def super_for_the_rest(self, name, value):
    self.make_way(name, value)
    if isinstance(value, minigrad.nn.Parameter):
        self._parameters[name] = value
    elif isinstance(value, Module):
        self._modules[name] = value
    else:
        super().__setattr__(name, value)


@variant
def super_for_all(self, name, value):
    super().__setattr__(name, value)


@misconception(
    "setattr-key-and-value-swapped",
    exercise="registration",
    replaces="__setattr__",
    section="Parameters that are found",
    advice="Your __setattr__ has key and value swapped: the tables are asked by a name, and answer with what has it.",
)
def key_and_value_swapped(self, name, value):
    self.make_way(name, value)
    if isinstance(value, minigrad.nn.Parameter):
        self._parameters[value] = name
    elif isinstance(value, Module):
        self._modules[value] = name
    else:
        self.set_other(name, value)


@misconception(
    "setattr-calls-itself",
    exercise="registration",
    replaces="__setattr__",
    section="Parameters that are found",
    advice="Your __setattr__ assigns with setattr or self.x = …, which calls __setattr__ again, without end. Hand the "
    "rest to self.set_other.",
)
def calls_itself(self, name, value):
    self.make_way(name, value)
    if isinstance(value, minigrad.nn.Parameter):
        self._parameters[name] = value
    elif isinstance(value, Module):
        self._modules[name] = value
    else:
        setattr(self, name, value)


@misconception(
    "setattr-stores-twice",
    exercise="registration",
    replaces="__setattr__",
    section="Parameters that are found",
    advice="Your __setattr__ stores a parameter in its table and as an ordinary attribute too. Two places soon differ: "
    "after del self.x, one of them still has it.",
)
def stores_twice(self, name, value):
    self.make_way(name, value)
    if isinstance(value, minigrad.nn.Parameter):
        self._parameters[name] = value
    elif isinstance(value, Module):
        self._modules[name] = value
    self.__dict__[name] = value


@variant
def stores_twice_and_hands_on(self, name, value):
    self.make_way(name, value)
    if isinstance(value, minigrad.nn.Parameter):
        self._parameters[name] = value
    if isinstance(value, Module):
        self._modules[name] = value
    self.set_other(name, value)


# ---------------------------------------------------------------------- named_parameters


@misconception(
    "names-own-only",
    exercise="names",
    replaces="named_parameters",
    section="Names",
    advice="Your named_parameters stops at the module's own parameters. Those of the modules inside belong to it too.",
)
def own_only(self, prefix="", recurse=True, seen=None):
    for name, parameter in self._parameters.items():
        if parameter is not None:
            yield dotted(prefix, name), parameter


@variant
def own_only_each_once(self, prefix="", recurse=True, seen=None):
    seen = set() if seen is None else seen
    for name, parameter in self._parameters.items():
        if parameter is not None and parameter not in seen:
            seen.add(parameter)
            yield dotted(prefix, name), parameter


@misconception(
    "names-one-level",
    exercise="names",
    replaces="named_parameters",
    section="Names",
    advice="Your named_parameters looks one level down and no further. A module inside a module inside has parameters "
    "too: let each module answer for what is in it.",
)
def one_level(self, prefix="", recurse=True, seen=None):
    seen = set() if seen is None else seen
    modules = [(prefix, self), *((dotted(prefix, name), m) for name, m in self.named_children())]
    for path, module in modules if recurse else modules[:1]:
        for name, parameter in module._parameters.items():
            if parameter is not None and parameter not in seen:
                seen.add(parameter)
                yield dotted(path, name), parameter


@misconception(
    "names-without-path",
    exercise="names",
    replaces="named_parameters",
    section="Names",
    advice="Your named_parameters gives bare names from below. Two layers both have a weight: only the path in front "
    "tells them apart.",
)
def without_path(self, prefix="", recurse=True, seen=None):
    seen = set() if seen is None else seen
    for name, parameter in self._parameters.items():
        if parameter is not None and parameter not in seen:
            seen.add(parameter)
            yield dotted(prefix, name), parameter
    for _, module in self.named_children() if recurse else ():
        yield from module.named_parameters(prefix, recurse, seen)


@variant
def without_any_path(self, prefix="", recurse=True, seen=None):
    seen = set() if seen is None else seen
    for name, parameter in self._parameters.items():
        if parameter is not None and parameter not in seen:
            seen.add(parameter)
            yield name, parameter
    for _, module in self.named_children() if recurse else ():
        yield from module.named_parameters("", recurse, seen)


@misconception(
    "names-last-step-only",
    exercise="names",
    replaces="named_parameters",
    section="Names",
    advice="Your named_parameters hands a module inside its own name, but not the path that led there: at the second "
    "level the start of the name is lost.",
)
def last_step_only(self, prefix="", recurse=True, seen=None):
    seen = set() if seen is None else seen
    for name, parameter in self._parameters.items():
        if parameter is not None and parameter not in seen:
            seen.add(parameter)
            yield dotted(prefix, name), parameter
    for name, module in self.named_children() if recurse else ():
        yield from module.named_parameters(name, recurse, seen)


@misconception(
    "names-dot-in-front",
    exercise="names",
    replaces="named_parameters",
    section="Names",
    advice="Your named_parameters puts a dot in front of names where there is no prefix.",
)
def dot_in_front(self, prefix="", recurse=True, seen=None):
    seen = set() if seen is None else seen
    for name, parameter in self._parameters.items():
        if parameter is not None and parameter not in seen:
            seen.add(parameter)
            yield f"{prefix}.{name}", parameter
    for name, module in self.named_children() if recurse else ():
        yield from module.named_parameters(f"{prefix}.{name}", recurse, seen)


@variant
def dot_in_front_of_its_own(self, prefix="", recurse=True, seen=None):
    seen = set() if seen is None else seen
    for name, parameter in self._parameters.items():
        if parameter is not None and parameter not in seen:
            seen.add(parameter)
            yield f"{prefix}.{name}", parameter
    for name, module in self.named_children() if recurse else ():
        yield from module.named_parameters(dotted(prefix, name), recurse, seen)


@variant
def dot_in_front_of_the_path(self, prefix="", recurse=True, seen=None):
    seen = set() if seen is None else seen
    for name, parameter in self._parameters.items():
        if parameter is not None and parameter not in seen:
            seen.add(parameter)
            yield dotted(prefix, name), parameter
    for name, module in self.named_children() if recurse else ():
        yield from module.named_parameters(f"{prefix}.{name}", recurse, seen)


@misconception(
    "names-no-dot",
    exercise="names",
    replaces="named_parameters",
    section="Names",
    advice="Your named_parameters writes path and name without a dot between them.",
)
def no_dot(self, prefix="", recurse=True, seen=None):
    seen = set() if seen is None else seen
    for name, parameter in self._parameters.items():
        if parameter is not None and parameter not in seen:
            seen.add(parameter)
            yield prefix + name, parameter
    for name, module in self.named_children() if recurse else ():
        yield from module.named_parameters(prefix + name, recurse, seen)


@misconception(
    "names-shared-twice",
    exercise="names",
    replaces="named_parameters",
    section="Names",
    advice="Your named_parameters gives a shared parameter once for each of its places. An optimizer would take its "
    "step twice.",
)
def shared_twice(self, prefix="", recurse=True, seen=None):
    for name, parameter in self._parameters.items():
        if parameter is not None:
            yield dotted(prefix, name), parameter
    for name, module in self.named_children() if recurse else ():
        yield from module.named_parameters(dotted(prefix, name), recurse, seen)


@variant
def seen_is_not_passed_on(self, prefix="", recurse=True, seen=None):
    seen = set() if seen is None else seen
    for name, parameter in self._parameters.items():
        if parameter is not None and parameter not in seen:
            seen.add(parameter)
            yield dotted(prefix, name), parameter
    for name, module in self.named_children() if recurse else ():
        yield from module.named_parameters(dotted(prefix, name), recurse)


@variant
def seen_is_never_filled(self, prefix="", recurse=True, seen=None):
    seen = set() if seen is None else seen
    for name, parameter in self._parameters.items():
        if parameter is not None and parameter not in seen:
            yield dotted(prefix, name), parameter
    for name, module in self.named_children() if recurse else ():
        yield from module.named_parameters(dotted(prefix, name), recurse, seen)


@misconception(
    "names-empty-set-is-no-set",
    exercise="names",
    replaces="named_parameters",
    section="Names",
    advice="Your named_parameters makes a new set wherever seen is empty, because an empty set counts as false: what a "
    "module inside puts into it, the next one never sees. Ask whether seen is None.",
)
def empty_set_is_no_set(self, prefix="", recurse=True, seen=None):
    seen = seen or set()
    for name, parameter in self._parameters.items():
        if parameter is not None and parameter not in seen:
            seen.add(parameter)
            yield dotted(prefix, name), parameter
    for name, module in self.named_children() if recurse else ():
        yield from module.named_parameters(dotted(prefix, name), recurse, seen)


@misconception(
    "names-seen-by-name",
    exercise="names",
    replaces="named_parameters",
    section="Names",
    advice="Your named_parameters remembers names instead of parameters: the second layer's weight is taken for the "
    "first one's.",
)
def seen_by_name(self, prefix="", recurse=True, seen=None):
    seen = set() if seen is None else seen
    for name, parameter in self._parameters.items():
        if parameter is not None and name not in seen:
            seen.add(name)
            yield dotted(prefix, name), parameter
    for name, module in self.named_children() if recurse else ():
        yield from module.named_parameters(dotted(prefix, name), recurse, seen)


@misconception(
    "names-with-none",
    exercise="names",
    replaces="named_parameters",
    section="Names",
    advice="Your named_parameters gives None where a parameter was left out, as a layer without bias has it.",
)
def with_none(self, prefix="", recurse=True, seen=None):
    seen = set() if seen is None else seen
    for name, parameter in self._parameters.items():
        if parameter not in seen:
            seen.add(parameter)
            yield dotted(prefix, name), parameter
    for name, module in self.named_children() if recurse else ():
        yield from module.named_parameters(dotted(prefix, name), recurse, seen)


@misconception(
    "names-asks-none",
    exercise="names",
    replaces="named_parameters",
    section="Names",
    advice="Your named_parameters goes into everything that self._modules holds. After net.sub = None there is a None "
    "among the modules, and None has no parameters to ask for.",
)
def asks_none(self, prefix="", recurse=True, seen=None):
    seen = set() if seen is None else seen
    for name, parameter in self._parameters.items():
        if parameter is not None and parameter not in seen:
            seen.add(parameter)
            yield dotted(prefix, name), parameter
    for name, module in self._modules.items() if recurse else ():
        yield from module.named_parameters(dotted(prefix, name), recurse, seen)


@variant
def looks_into_none(self, prefix="", recurse=True, seen=None):
    found = {}

    def visit(module, path):
        for name, parameter in module._parameters.items():
            if parameter is not None:
                found.setdefault(parameter, dotted(path, name))
        for name, inside in module._modules.items() if recurse else ():
            visit(inside, dotted(path, name))

    visit(self, prefix)
    return [(name, parameter) for parameter, name in found.items()]


@misconception(
    "names-always-recurses",
    exercise="names",
    replaces="named_parameters",
    section="Names",
    advice="Your named_parameters goes down even with recurse=False, which asks for the module's own parameters.",
)
def always_recurses(self, prefix="", recurse=True, seen=None):
    seen = set() if seen is None else seen
    for name, parameter in self._parameters.items():
        if parameter is not None and parameter not in seen:
            seen.add(parameter)
            yield dotted(prefix, name), parameter
    for name, module in self.named_children():
        yield from module.named_parameters(dotted(prefix, name), True, seen)


@misconception(
    "names-inside-first",
    exercise="names",
    replaces="named_parameters",
    section="Names",
    advice="Your named_parameters starts with the modules inside. The module's own parameters come first.",
)
def inside_first(self, prefix="", recurse=True, seen=None):
    seen = set() if seen is None else seen
    for name, module in self.named_children() if recurse else ():
        yield from module.named_parameters(dotted(prefix, name), recurse, seen)
    for name, parameter in self._parameters.items():
        if parameter is not None and parameter not in seen:
            seen.add(parameter)
            yield dotted(prefix, name), parameter


@misconception(
    "names-no-yield-from",
    exercise="names",
    replaces="named_parameters",
    section="Names",
    advice="Your named_parameters asks the modules inside, and lets their answers fall: calling a generator only makes "
    "one, and yield from passes on what it yields.",
)
def no_yield_from(self, prefix="", recurse=True, seen=None):
    seen = set() if seen is None else seen
    for name, parameter in self._parameters.items():
        if parameter is not None and parameter not in seen:
            seen.add(parameter)
            yield dotted(prefix, name), parameter
    for name, module in self.named_children() if recurse else ():
        yield module.named_parameters(dotted(prefix, name), recurse, seen)


# ---------------------------------------------------------------------- how a layer starts


@misconception(
    "start-zeros",
    exercise="linear",
    replaces="fan_in_uniform_",
    section="Linear",
    advice="Your layer starts with zeros. All units of a layer are then alike, get the same gradient, and stay alike.",
)
def start_zeros(tensor, fan_in):
    return minigrad.nn.init.zeros_(tensor)


@misconception(
    "start-one-sided",
    exercise="linear",
    replaces="fan_in_uniform_",
    section="Linear",
    advice="Your starting values are all positive. They should lie on both sides of 0.",
)
def start_one_sided(tensor, fan_in):
    return minigrad.nn.init.uniform_(tensor, 0, 1 / math.sqrt(fan_in))


@misconception(
    "start-one-over-n",
    exercise="linear",
    replaces="fan_in_uniform_",
    section="Linear",
    advice="Your starting values are limited by 1/n. The square root is missing: signals would fade from layer to "
    "layer.",
)
def start_one_over_n(tensor, fan_in):
    return minigrad.nn.init.uniform_(tensor, -1 / fan_in, 1 / fan_in)


@misconception(
    "start-too-wide",
    exercise="linear",
    replaces="fan_in_uniform_",
    section="Linear",
    advice="Your starting values are far too large: the more inputs a unit adds up, the smaller each weight has to be.",
)
def start_root_n(tensor, fan_in):
    return minigrad.nn.init.uniform_(tensor, -math.sqrt(fan_in), math.sqrt(fan_in))


@variant
def start_minus_one_to_one(tensor, fan_in):
    return minigrad.nn.init.uniform_(tensor, -1, 1)


@misconception(
    "start-unit-interval",
    exercise="linear",
    replaces="fan_in_uniform_",
    section="Linear",
    advice="Your starting values are those between 0 and 1 that uniform_ gives when it is told no limits.",
)
def start_unit_interval(tensor, fan_in):
    return minigrad.nn.init.uniform_(tensor)


@misconception(
    "start-normal",
    exercise="linear",
    replaces="fan_in_uniform_",
    section="Linear",
    advice="Your starting values are normally distributed: some of them lie beyond ±1/√n. Uniform ones do not.",
)
def start_normal(tensor, fan_in):
    return minigrad.nn.init.normal_(tensor, 0, 1 / math.sqrt(fan_in))


@misconception(
    "start-new-tensor",
    exercise="linear",
    replaces="fan_in_uniform_",
    section="Linear",
    advice="Your fan_in_uniform_ makes a new tensor. The one that it is given is to be filled, in place: the layer "
    "holds that one.",
)
def start_new_tensor(tensor, fan_in):
    limit = 1 / math.sqrt(fan_in)
    return minigrad.empty(*tensor.shape, dtype=tensor.dtype).uniform_(-limit, limit)


@variant
def start_fills_a_copy(tensor, fan_in):
    limit = 1 / math.sqrt(fan_in)
    return minigrad.nn.init.uniform_(tensor.detach().clone(), -limit, limit)


@misconception(
    "start-returns-nothing",
    exercise="linear",
    replaces="fan_in_uniform_",
    section="Linear",
    advice="Your fan_in_uniform_ fills the tensor and returns nothing; it is asked to return the tensor.",
)
def start_returns_nothing(tensor, fan_in):
    limit = 1 / math.sqrt(fan_in)
    minigrad.nn.init.uniform_(tensor, -limit, limit)


@misconception(
    "start-under-the-engines-eyes",
    exercise="linear",
    replaces="fan_in_uniform_",
    section="Linear",
    advice="Your fan_in_uniform_ changes a leaf that requires grad in place while the engine records, which it "
    "refuses: uniform_ does it under no_grad.",
)
def start_recorded(tensor, fan_in):
    limit = 1 / math.sqrt(fan_in)
    return tensor.uniform_(-limit, limit)


# ---------------------------------------------------------------------- Linear


@misconception(
    "linear-transposed",
    exercise="linear",
    replaces="Linear",
    section="Linear",
    advice="Your weight has shape (in, out). As in torch it has a row for each output: (out, in).",
)
class LinearTransposed(InOut):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features)
        self.weight = minigrad.nn.Parameter(empty(in_features, out_features))
        if bias:
            self.bias = minigrad.nn.Parameter(empty(out_features))
        self.reset_parameters()

    def forward(self, x):
        out = x @ self.weight
        return out if self.bias is None else out + self.bias


@variant
class LinearTransposedWeight(InOut):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features)
        self.weight = minigrad.nn.Parameter(empty(in_features, out_features))
        if bias:
            self.bias = minigrad.nn.Parameter(empty(out_features))
        self.reset_parameters()

    def forward(self, x):
        return functional.linear(x, self.weight, self.bias)


@misconception(
    "linear-not-transposed",
    exercise="linear",
    replaces="Linear",
    section="Linear",
    advice="The weight meets x the wrong way round. A row of it belongs to an output: `x @` needs `.T`; "
    "functional.linear turns it itself.",
)
class LinearNotTransposed(InOut):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features)
        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
        if bias:
            self.bias = minigrad.nn.Parameter(empty(out_features))
        self.reset_parameters()

    def forward(self, x):
        out = x @ self.weight
        return out if self.bias is None else out + self.bias


@misconception(
    "linear-plain-bias",
    exercise="linear",
    replaces="Linear",
    section="Linear",
    advice="Your bias is a plain tensor. Only a Parameter is found, trained and saved.",
)
class LinearPlainBias(InOut):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features)
        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
        if bias:
            self.bias = empty(out_features)
        self.reset_parameters()

    def forward(self, x):
        return functional.linear(x, self.weight, self.bias)


@variant
class LinearBiasUnderAnotherName(InOut):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features)
        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
        self.b = empty(out_features) if bias else None
        self.reset_parameters()

    def forward(self, x):
        return functional.linear(x, self.weight, self.b)


@misconception(
    "linear-plain-weight",
    exercise="linear",
    replaces="Linear",
    section="Linear",
    advice="Your weight is a plain tensor. Only a Parameter is found, trained and saved.",
)
class LinearPlainWeight(InOut):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features)
        self.weight = empty(out_features, in_features)
        if bias:
            self.bias = minigrad.nn.Parameter(empty(out_features))
        self.reset_parameters()

    def forward(self, x):
        return functional.linear(x, self.weight, self.bias)


@misconception(
    "linear-no-super",
    exercise="linear",
    replaces="Linear",
    section="Linear",
    advice="Your Linear does not call super().__init__(…) first: the tables that parameters go into are not there yet.",
)
class LinearNoSuper(InOut):
    def __init__(self, in_features, out_features, bias=True):
        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
        if bias:
            self.bias = minigrad.nn.Parameter(empty(out_features))
        self.reset_parameters()

    def forward(self, x):
        return functional.linear(x, self.weight, self.bias)


@misconception(
    "linear-sizes-swapped",
    exercise="linear",
    replaces="Linear",
    section="Linear",
    advice="Your Linear takes its two sizes for each other: inputs come first, in its own arguments and in those of "
    "super().__init__.",
)
class LinearSizesSwapped(InOut):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__(out_features, in_features)
        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
        if bias:
            self.bias = minigrad.nn.Parameter(empty(out_features))
        self.reset_parameters()

    def forward(self, x):
        return functional.linear(x, self.weight, self.bias)


@misconception(
    "linear-stays-zero",
    exercise="linear",
    replaces="Linear",
    section="Linear",
    advice="Your layer keeps the values that empty or zeros gave it. Call self.reset_parameters() when the parameters "
    "are there.",
)
class LinearStaysZero(InOut):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features)
        self.weight = minigrad.nn.Parameter(minigrad.zeros(out_features, in_features))
        if bias:
            self.bias = minigrad.nn.Parameter(minigrad.zeros(out_features))

    def forward(self, x):
        return functional.linear(x, self.weight, self.bias)


@variant
class LinearResetsTooEarly(InOut):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features)
        self.reset_parameters()
        self.weight = minigrad.nn.Parameter(minigrad.zeros(out_features, in_features))
        if bias:
            self.bias = minigrad.nn.Parameter(minigrad.zeros(out_features))

    def forward(self, x):
        return functional.linear(x, self.weight, self.bias)


@misconception(
    "linear-bias-not-filled",
    exercise="linear",
    replaces="Linear",
    section="Linear",
    advice="Your Linear fills its weight with starting values, but not its bias: that stays as empty or zeros made it.",
)
class LinearBiasNotFilled(InOut):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features)
        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
        if bias:
            self.bias = minigrad.nn.Parameter(minigrad.zeros(out_features))
        minigrad.nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))

    def forward(self, x):
        return functional.linear(x, self.weight, self.bias)


@variant
class LinearBiasComesLast(InOut):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features)
        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
        self.reset_parameters()
        if bias:
            self.bias = minigrad.nn.Parameter(minigrad.zeros(out_features))

    def forward(self, x):
        return functional.linear(x, self.weight, self.bias)


@misconception(
    "linear-always-bias",
    exercise="linear",
    replaces="Linear",
    section="Linear",
    advice="Your Linear has a bias even when bias=False asks for none.",
)
class LinearAlwaysBias(InOut):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features)
        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
        self.bias = minigrad.nn.Parameter(empty(out_features))
        self.reset_parameters()

    def forward(self, x):
        return functional.linear(x, self.weight, self.bias)


@misconception(
    "linear-forgets-bias",
    exercise="linear",
    replaces="Linear",
    section="Linear",
    advice="Your forward never adds the bias: it is registered, and gets no gradient.",
)
class LinearForgetsBias(InOut):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features)
        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
        if bias:
            self.bias = minigrad.nn.Parameter(empty(out_features))
        self.reset_parameters()

    def forward(self, x):
        return functional.linear(x, self.weight, None)


@misconception(
    "linear-bias-for-inputs",
    exercise="linear",
    replaces="Linear",
    section="Linear",
    advice="Your bias has a number for each input. It is added to the result: one for each output.",
)
class LinearBiasForInputs(InOut):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features)
        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
        if bias:
            self.bias = minigrad.nn.Parameter(empty(in_features))
        self.reset_parameters()

    def forward(self, x):
        return functional.linear(x, self.weight, self.bias)


# ---------------------------------------------------------------------- a two-layer network


@misconception(
    "network-no-relu",
    exercise="two-layer-network",
    replaces="TwoLayers",
    section="A two-layer network",
    advice="Your network has no ReLU between its layers. Two linear layers in a row are one linear layer.",
)
class NetworkNoRelu(minigrad.nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.first = minigrad.nn.Linear(inputs, hidden)
        self.second = minigrad.nn.Linear(hidden, outputs)

    def forward(self, x):
        return self.second(self.first(x))


@misconception(
    "network-relu-last",
    exercise="two-layer-network",
    replaces="TwoLayers",
    section="A two-layer network",
    advice="Your network ends with a ReLU: it can never answer with a negative number, and units below 0 get no "
    "gradient. The ReLU belongs between the layers.",
)
class NetworkReluLast(minigrad.nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.first = minigrad.nn.Linear(inputs, hidden)
        self.second = minigrad.nn.Linear(hidden, outputs)

    def forward(self, x):
        return self.second(self.first(x).relu()).relu()


@variant
class NetworkReluOnlyLast(minigrad.nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.first = minigrad.nn.Linear(inputs, hidden)
        self.second = minigrad.nn.Linear(hidden, outputs)

    def forward(self, x):
        return self.second(self.first(x)).relu()


@misconception(
    "network-sigmoid",
    exercise="two-layer-network",
    replaces="TwoLayers",
    section="A two-layer network",
    advice="Your network has a sigmoid between its layers; it is asked for a ReLU.",
)
class NetworkSigmoid(minigrad.nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.first = minigrad.nn.Linear(inputs, hidden)
        self.second = minigrad.nn.Linear(hidden, outputs)

    def forward(self, x):
        return self.second(self.first(x).sigmoid())


@misconception(
    "network-plain-list",
    exercise="two-layer-network",
    replaces="TwoLayers",
    section="A two-layer network",
    advice="Your layers are in a plain list, which is an ordinary attribute: their parameters are not found, and no "
    "optimizer will train them.",
)
class NetworkPlainList(minigrad.nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.layers = [minigrad.nn.Linear(inputs, hidden), minigrad.nn.Linear(hidden, outputs)]

    def forward(self, x):
        return self.layers[1](self.layers[0](x).relu())


@misconception(
    "network-fresh-layers",
    exercise="two-layer-network",
    replaces="TwoLayers",
    section="A two-layer network",
    advice="Your forward makes new layers each time it runs: they start again at random, and what they learn is lost.",
)
class NetworkFreshLayers(minigrad.nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.sizes = inputs, hidden, outputs

    def forward(self, x):
        inputs, hidden, outputs = self.sizes
        first = minigrad.nn.Linear(inputs, hidden)
        return minigrad.nn.Linear(hidden, outputs)(first(x).relu())


@misconception(
    "network-no-super",
    exercise="two-layer-network",
    replaces="TwoLayers",
    section="A two-layer network",
    advice="Your network does not call super().__init__() first: the tables that its layers go into are not there yet.",
)
class NetworkNoSuper(minigrad.nn.Module):
    def __init__(self, inputs, hidden, outputs):
        self.first = minigrad.nn.Linear(inputs, hidden)
        self.second = minigrad.nn.Linear(hidden, outputs)

    def forward(self, x):
        return self.second(self.first(x).relu())


@misconception(
    "network-sizes-do-not-meet",
    exercise="two-layer-network",
    replaces="TwoLayers",
    section="A two-layer network",
    advice="Your layers do not meet: the first should give as many numbers as the second takes, the hidden ones.",
)
class NetworkSizesDoNotMeet(minigrad.nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.first = minigrad.nn.Linear(inputs, hidden)
        self.second = minigrad.nn.Linear(inputs, outputs)

    def forward(self, x):
        return self.second(self.first(x).relu())


@variant
class NetworkSizesTurnedRound(minigrad.nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.first = minigrad.nn.Linear(hidden, inputs)
        self.second = minigrad.nn.Linear(outputs, hidden)

    def forward(self, x):
        return self.second(self.first(x).relu())


@misconception(
    "network-forgets-second",
    exercise="two-layer-network",
    replaces="TwoLayers",
    section="A two-layer network",
    advice="Your network computes the hidden layer and returns it: the second layer never runs.",
)
class NetworkForgetsSecond(minigrad.nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.first = minigrad.nn.Linear(inputs, hidden)
        self.second = minigrad.nn.Linear(hidden, outputs)

    def forward(self, x):
        return self.first(x).relu()


@misconception(
    "network-detached",
    exercise="two-layer-network",
    replaces="TwoLayers",
    section="A two-layer network",
    advice="Your network takes the hidden layer's numbers out of the graph on the way: the first layer gets no "
    "gradient, and never learns.",
)
class NetworkDetached(minigrad.nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.first = minigrad.nn.Linear(inputs, hidden)
        self.second = minigrad.nn.Linear(hidden, outputs)

    def forward(self, x):
        return self.second(self.first(x).relu().detach())
