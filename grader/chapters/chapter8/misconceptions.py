# ruff: noqa: F401 - patches use what is imported here
"""Chapter 8's ways of being wrong: about ReLU's kink, what a module finds, two layers, and batches."""

import math

import numpy as np

import minigrad
from minigrad import empty
from minigrad.core.function import Function
from minigrad.nn import Module, functional
from minigrad.nn.layers import InOut
from minigrad.nn.module import dotted
from minigrad.nn.parameter import Leaf

from ...ask.bank import bank

MISCONCEPTIONS, about = bank(globals())

about("relu", "Relu", "ReLU")("""
relu-passes-at-zero: Your Relu passes the gradient where x is exactly 0. There the graph has a kink and no slope;
torch, and this course, take 0.
=backward_x(grad, x): grad * (x >= 0)

relu-no-derivative: Your Relu hands its gradient on as it came, also where x is negative, and a small change of x
changes nothing. Look at where your mask is true, if you have one, and what it compares: out >= 0 would be so
everywhere.
=backward_x(grad): grad

relu-ignores-above: Your Relu returns its slope, 0 or 1, and loses the gradient that arrives from above.
=backward_x(grad, x): grad * 0 + (x > 0)
or
=backward_x(grad, out): out > 0
or
=backward_x(grad, out): grad * 0 + (out > 0)

relu-asks-the-gradient: Your Relu looks at the sign of the gradient. What decides is the sign of x: a negative
gradient passes where x is positive.
=backward_x(grad): grad * (grad > 0)
or
=backward_x(grad, x): grad * (x > 0) * (grad > 0)

relu-value-for-slope: Your Relu multiplies by its value. Where x is positive the result grows one for one with it, so
the slope is 1.
=backward_x(grad, out): grad * out

relu-absolute-value: Your Relu turns negative numbers round. It should make them 0.
=forward(x): np.abs(x)

relu-changes-its-input: Your Relu writes zeros into x itself. Others may still need x: make a new array.
-        return np.maximum(x, 0)
+        x *= x > 0
+        return x
or
-        return np.maximum(x, 0)
+        x[x < 0] = 0
+        return x
""")

about("registration", "Parameter", "Parameters that are found")("""
parameter-without-grad: Your Parameter does not require grad, so no backward pass reaches it, and it never learns.
-        self.requires_grad = requires_grad
+        self.require_grad = requires_grad

parameter-always-requires: Your Parameter requires grad whatever it is told. A frozen one is made with
requires_grad=False.
-        self.requires_grad = requires_grad
+        self.requires_grad = True

parameter-calls-super: Your Parameter calls the `__init__` above it, as super().__init__ does. Python calls `__new__`
before `__init__`, and there Leaf has stored the numbers already: all that is left to do is to set the flag.
     def __init__(self, data: Tensor, requires_grad: bool = True) -> None:
+        super().__init__(data)

parameter-copies: Your Parameter holds a copy of its data. Leaf has already put it on the memory of data: all that is
left to do is to set the flag.
     def __init__(self, data: Tensor, requires_grad: bool = True) -> None:
+        self.data = data.clone()
""")

about("registration", "__setattr__", "Parameters that are found")("""
setattr-ordinary-only: Your __setattr__ stores everything as an ordinary attribute. The network runs, but nobody finds
its parameters: put them into self._parameters, and modules into self._modules.
|def __setattr__(self, name, value):
|    self.make_way(name, value)
|    object.__setattr__(self, name, value)

setattr-takes-what-is-below: Your __setattr__ puts into a table of this module what the assigned module holds, too. Each
module keeps its own parameters and modules, and is asked for them.
|def __setattr__(self, name, value):
|    self.make_way(name, value)
|    if isinstance(value, minigrad.nn.Parameter):
|        self._parameters[name] = value
|    elif isinstance(value, Module):
|        self._modules[name] = value
|        self._parameters.update((f"{name}_{n}", p) for n, p in value._parameters.items())
|    else:
|        self.set_other(name, value)
or
|def __setattr__(self, name, value):
|    self.make_way(name, value)
|    if isinstance(value, minigrad.nn.Parameter):
|        self._parameters[name] = value
|    elif isinstance(value, Module):
|        self._modules[name] = value
|        self._parameters.update(value._parameters)
|    else:
|        self.set_other(name, value)
or
|def __setattr__(self, name, value):
|    self.make_way(name, value)
|    if isinstance(value, minigrad.nn.Parameter):
|        self._parameters[name] = value
|    elif isinstance(value, Module):
|        self._modules[name] = value
|        self._modules.update(value._modules)
|    else:
|        self.set_other(name, value)

setattr-skips-underscores: Your __setattr__ takes a name that begins with an underscore for an ordinary attribute's.
Where a value goes depends on what it is, whatever its name.
|def __setattr__(self, name, value):
|    self.make_way(name, value)
|    if name.startswith("_"):
|        self.set_other(name, value)
|    elif isinstance(value, minigrad.nn.Parameter):
|        self._parameters[name] = value
|    elif isinstance(value, Module):
|        self._modules[name] = value
|    else:
|        self.set_other(name, value)

setattr-forgets-modules: Your __setattr__ registers parameters, but no modules: a layer that is assigned to a network
stays unknown to it.
|def __setattr__(self, name, value):
|    self.make_way(name, value)
|    if isinstance(value, minigrad.nn.Parameter):
|        self._parameters[name] = value
|    else:
|        object.__setattr__(self, name, value)

setattr-forgets-parameters: Your __setattr__ registers modules, but no parameters: a layer's own weights stay unknown
to it.
-    if isinstance(value, Parameter):
-        self._parameters[name] = value
-    elif isinstance(value, Module):
+    if isinstance(value, Module):

setattr-modules-among-parameters: Your __setattr__ puts modules among the parameters. A module goes into self._modules:
its own parameters are looked for there.
-    if isinstance(value, Parameter):
+    if isinstance(value, (minigrad.nn.Parameter, Module)):

setattr-every-tensor: Your __setattr__ takes every Tensor for a parameter. Data and targets are tensors too: only a
Parameter is one.
-    if isinstance(value, Parameter):
+    if isinstance(value, minigrad.Tensor):

setattr-drops-the-rest: Your __setattr__ forgets what is neither parameter nor module: after self.rate = 0.5 there is
no self.rate. Hand the rest to self.set_other.
-    if isinstance(value, Parameter):
+    if isinstance(value, minigrad.nn.Parameter):
@
-    else:
-        self.set_other(name, value)

setattr-stores-the-rest-itself: With your __setattr__, what is neither parameter nor module does not come to
self.set_other. It knows what to do when self.x = None, and x was a Parameter: hand the rest to it.
-    if isinstance(value, Parameter):
+    if isinstance(value, minigrad.nn.Parameter):
@
-        self.set_other(name, value)
+        object.__setattr__(self, name, value)

setattr-super-outside-a-class: Your __setattr__ calls super() without arguments. Python understands that inside a
class only, and this function is written outside of one.
-    if isinstance(value, Parameter):
+    if isinstance(value, minigrad.nn.Parameter):
@
-        self.set_other(name, value)
+        super().__setattr__(name, value)
or
|def __setattr__(self, name, value):
|    super().__setattr__(name, value)

setattr-key-and-value-swapped: Your __setattr__ has key and value swapped: the tables are asked by a name, and answer
with what has it.
-    if isinstance(value, Parameter):
-        self._parameters[name] = value
+    if isinstance(value, minigrad.nn.Parameter):
+        self._parameters[value] = name
@
-        self._modules[name] = value
+        self._modules[value] = name

setattr-calls-itself: Your __setattr__ calls itself, without end. Does it assign with setattr or self.x = …? Each of
these calls it again: hand the rest to self.set_other.
-    if isinstance(value, Parameter):
+    if isinstance(value, minigrad.nn.Parameter):
@
-        self.set_other(name, value)
+        setattr(self, name, value)
or
-    if isinstance(value, Parameter):
+    if isinstance(value, minigrad.nn.Parameter):
@
-    elif isinstance(value, Module):
+    if isinstance(value, Module):
@
-        self.set_other(name, value)
+        setattr(self, name, value)

setattr-falls-through: Your __setattr__ puts a Parameter into its table, and then hands it to self.set_other, too. Is
there a second `if` where `elif` belongs? self.set_other is for what is neither parameter nor module.
-    if isinstance(value, Parameter):
+    if isinstance(value, minigrad.nn.Parameter):
@
-    elif isinstance(value, Module):
+    if isinstance(value, Module):

setattr-stores-twice: Your __setattr__ puts a module into its table and stores it as an ordinary attribute too. Two
places soon differ: after del self.x, one of them still has it.
-    if isinstance(value, Parameter):
+    if isinstance(value, minigrad.nn.Parameter):
@
-    else:
-        self.set_other(name, value)
+    self.__dict__[name] = value
or
|def __setattr__(self, name, value):
|    self.make_way(name, value)
|    if isinstance(value, minigrad.nn.Parameter):
|        self._parameters[name] = value
|    if isinstance(value, Module):
|        self._modules[name] = value
|    self.set_other(name, value)
""")

about("names", "named_parameters", "Names")("""
names-own-only: Your named_parameters stops at the module's own parameters. Those of the modules inside belong to it
too.
|def named_parameters(self, prefix='', recurse=True, seen=None):
|    for name, parameter in self._parameters.items():
|        if parameter is not None:
|            yield (dotted(prefix, name), parameter)
or
-    for name, module in self.named_children() if recurse else ():
-        yield from module.named_parameters(dotted(prefix, name), recurse, seen)

names-one-level: Your named_parameters looks one level down and no further. A module inside a module inside has
parameters too: let each module answer for what is in it.
|def named_parameters(self, prefix='', recurse=True, seen=None):
|    seen = set() if seen is None else seen
|    modules = [(prefix, self), *((dotted(prefix, name), m) for name, m in self.named_children())]
|    for path, module in modules if recurse else modules[:1]:
|        for name, parameter in module._parameters.items():
|            if parameter is not None and parameter not in seen:
|                seen.add(parameter)
|                yield (dotted(path, name), parameter)

names-without-path: Your named_parameters gives bare names from below. Two layers both have a weight: only the path in
front tells them apart.
-    for name, module in self.named_children() if recurse else ():
-        yield from module.named_parameters(dotted(prefix, name), recurse, seen)
+    for _, module in self.named_children() if recurse else ():
+        yield from module.named_parameters(prefix, recurse, seen)
or
-            yield dotted(prefix, name), parameter
-    for name, module in self.named_children() if recurse else ():
-        yield from module.named_parameters(dotted(prefix, name), recurse, seen)
+            yield (name, parameter)
+    for _, module in self.named_children() if recurse else ():
+        yield from module.named_parameters('', recurse, seen)

names-last-step-only: Your named_parameters hands a module inside its own name, but not the path that led there: at
the second level the start of the name is lost.
-        yield from module.named_parameters(dotted(prefix, name), recurse, seen)
+        yield from module.named_parameters(name, recurse, seen)

names-dot-in-front: Your named_parameters puts a dot in front of names where there is no prefix.
-            yield dotted(prefix, name), parameter
+            yield (f'{prefix}.{name}', parameter)
@
-        yield from module.named_parameters(dotted(prefix, name), recurse, seen)
+        yield from module.named_parameters(f'{prefix}.{name}', recurse, seen)
or
-            yield dotted(prefix, name), parameter
+            yield (f'{prefix}.{name}', parameter)
or
-        yield from module.named_parameters(dotted(prefix, name), recurse, seen)
+        yield from module.named_parameters(f'{prefix}.{name}', recurse, seen)

names-no-dot: Your named_parameters writes path and name without a dot between them.
-            yield dotted(prefix, name), parameter
+            yield (prefix + name, parameter)
@
-        yield from module.named_parameters(dotted(prefix, name), recurse, seen)
+        yield from module.named_parameters(prefix + name, recurse, seen)

names-shared-twice: Your named_parameters gives a shared parameter more than once. An optimizer would take its step
twice.
-    seen = set() if seen is None else seen
@
-        if parameter is not None and parameter not in seen:
-            seen.add(parameter)
+        if parameter is not None:
or
-        yield from module.named_parameters(dotted(prefix, name), recurse, seen)
+        yield from module.named_parameters(dotted(prefix, name), recurse)
or
-            seen.add(parameter)

names-empty-set-is-no-set: Your named_parameters goes on with another set than the one that it was handed, as where an
empty one counts as false: what a module inside puts into it, the next one never sees. Make one only where seen is None.
-    seen = set() if seen is None else seen
+    seen = seen or set()

names-seen-by-name: Your named_parameters remembers names instead of parameters: the second layer's weight is taken
for the first one's.
-        if parameter is not None and parameter not in seen:
-            seen.add(parameter)
+        if parameter is not None and name not in seen:
+            seen.add(name)

names-with-none: Your named_parameters gives None where a parameter was left out, as a layer without bias has it.
-        if parameter is not None and parameter not in seen:
+        if parameter not in seen:

names-asks-none: Your named_parameters goes into everything that self._modules holds. After net.sub = None there is a
None among the modules, and None has no parameters to ask for.
-    for name, module in self.named_children() if recurse else ():
+    for name, module in self._modules.items() if recurse else ():
or
|def named_parameters(self, prefix='', recurse=True, seen=None):
|    found = {}
|    def visit(module, path):
|        for name, parameter in module._parameters.items():
|            if parameter is not None:
|                found.setdefault(parameter, dotted(path, name))
|        for name, inside in module._modules.items() if recurse else ():
|            visit(inside, dotted(path, name))
|    visit(self, prefix)
|    return [(name, parameter) for parameter, name in found.items()]

names-always-recurses: Your named_parameters goes down even with recurse=False, which asks for the module's own
parameters.
-    for name, module in self.named_children() if recurse else ():
-        yield from module.named_parameters(dotted(prefix, name), recurse, seen)
+    for name, module in self.named_children():
+        yield from module.named_parameters(dotted(prefix, name), True, seen)

names-inside-first: Your named_parameters starts with the modules inside. The module's own parameters come first.
|def named_parameters(self, prefix='', recurse=True, seen=None):
|    seen = set() if seen is None else seen
|    for name, module in self.named_children() if recurse else ():
|        yield from module.named_parameters(dotted(prefix, name), recurse, seen)
|    for name, parameter in self._parameters.items():
|        if parameter is not None and parameter not in seen:
|            seen.add(parameter)
|            yield (dotted(prefix, name), parameter)

names-no-yield-from: Your named_parameters hands out all that a module inside gives as one thing, and not pair by
pair. Calling a generator only makes one: yield from passes on its pairs.
-        yield from module.named_parameters(dotted(prefix, name), recurse, seen)
+        yield module.named_parameters(dotted(prefix, name), recurse, seen)
""")

about("linear", "fan_in_uniform_", "Linear")("""
start-zeros: Your layer starts with equal numbers, as zeros are. All its units are then alike, get the same gradient,
and stay alike.
|def fan_in_uniform_(tensor, fan_in):
|    return minigrad.nn.init.zeros_(tensor)

start-one-sided: Your starting values all lie on one side of 0, as those from 0 to 1/√n do. They should lie on both.
|def fan_in_uniform_(tensor, fan_in):
|    return minigrad.nn.init.uniform_(tensor, 0, 1 / math.sqrt(fan_in))

start-one-over-n: Your starting values are too small, as with a limit of 1/n. The limit that is asked for has a root:
1/√n. Signals would fade from layer to layer.
|def fan_in_uniform_(tensor, fan_in):
|    return minigrad.nn.init.uniform_(tensor, -1 / fan_in, 1 / fan_in)

start-too-wide: Your starting values are far too large: the more inputs a unit adds up, the smaller each weight has to
be.
|def fan_in_uniform_(tensor, fan_in):
|    return minigrad.nn.init.uniform_(tensor, -math.sqrt(fan_in), math.sqrt(fan_in))
or
|def fan_in_uniform_(tensor, fan_in):
|    return minigrad.nn.init.uniform_(tensor, -1, 1)

start-unit-interval: Your starting values all lie on one side of 0, and are too large, as are those between 0 and 1
that uniform_ gives when it is told no limits.
|def fan_in_uniform_(tensor, fan_in):
|    return minigrad.nn.init.uniform_(tensor)

start-normal: Some of your starting values are larger than 1/√n, as some of normally distributed ones are. Those that
are asked for lie between -1/√n and 1/√n, spread evenly.
|def fan_in_uniform_(tensor, fan_in):
|    return minigrad.nn.init.normal_(tensor, 0, 1 / math.sqrt(fan_in))

start-new-tensor: Your fan_in_uniform_ makes a new tensor. The one that it is given is to be filled, in place: the
layer holds that one.
-    return uniform_(tensor, -limit, limit)
+    return minigrad.empty(*tensor.shape, dtype=tensor.dtype).uniform_(-limit, limit)
or
-    return uniform_(tensor, -limit, limit)
+    return minigrad.nn.init.uniform_(tensor.detach().clone(), -limit, limit)

start-returns-nothing: Your fan_in_uniform_ fills the tensor and returns nothing; it is asked to return the tensor.
-    return uniform_(tensor, -limit, limit)
+    minigrad.nn.init.uniform_(tensor, -limit, limit)

start-under-the-engines-eyes: Your fan_in_uniform_ changes a leaf that requires grad in place while the engine
records, which it refuses: the function uniform_(tensor, low, high) does it under no_grad.
-    return uniform_(tensor, -limit, limit)
+    return tensor.uniform_(-limit, limit)
""")

about("linear", "Linear", "Linear")("""
linear-transposed: Your weight has shape (in, out). As in torch it has a row for each output: (out, in).
-        self.weight = Parameter(empty(out_features, in_features))
+        self.weight = minigrad.nn.Parameter(empty(in_features, out_features))
@
-            self.bias = Parameter(empty(out_features))
+            self.bias = minigrad.nn.Parameter(empty(out_features))
@
-        return functional.linear(x, self.weight, self.bias)
+        out = x @ self.weight
+        return out if self.bias is None else out + self.bias
or
-        self.weight = Parameter(empty(out_features, in_features))
+        self.weight = minigrad.nn.Parameter(empty(in_features, out_features))
@
-            self.bias = Parameter(empty(out_features))
+            self.bias = minigrad.nn.Parameter(empty(out_features))

linear-not-transposed: The weight meets x the wrong way round. A row of it belongs to an output: `x @` needs `.T`;
functional.linear turns it itself.
-        self.weight = Parameter(empty(out_features, in_features))
+        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
@
-            self.bias = Parameter(empty(out_features))
+            self.bias = minigrad.nn.Parameter(empty(out_features))
@
-        return functional.linear(x, self.weight, self.bias)
+        out = x @ self.weight
+        return out if self.bias is None else out + self.bias

linear-adds-none: Your Linear uses its bias where there is none, too: with bias=False self.bias is None.
functional.linear takes that, and `+` does not.
-        self.weight = Parameter(empty(out_features, in_features))
+        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
@
-            self.bias = Parameter(empty(out_features))
+            self.bias = minigrad.nn.Parameter(empty(out_features))
@
-        return functional.linear(x, self.weight, self.bias)
+        return x @ self.weight.T + self.bias

linear-plain-bias: Your layer has no bias that is trained. Is it a plain tensor? A Parameter requires grad, and is
found by the name that it is assigned to: self.bias.
-        self.weight = Parameter(empty(out_features, in_features))
+        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
@
-            self.bias = Parameter(empty(out_features))
+            self.bias = empty(out_features)
or
-        self.weight = Parameter(empty(out_features, in_features))
-        if bias:
-            self.bias = Parameter(empty(out_features))
+        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
+        self.b = empty(out_features) if bias else None
@
-        return functional.linear(x, self.weight, self.bias)
+        return functional.linear(x, self.weight, self.b)

linear-plain-weight: Your layer has no weight that is trained. Is it a plain tensor? A Parameter requires grad, and is
found by the name that it is assigned to: self.weight.
-        self.weight = Parameter(empty(out_features, in_features))
+        self.weight = empty(out_features, in_features)
@
-            self.bias = Parameter(empty(out_features))
+            self.bias = minigrad.nn.Parameter(empty(out_features))

linear-no-super: Your Linear does not call super().__init__(…) first: the tables that parameters go into are not there
yet.
-        super().__init__(in_features, out_features)
-        self.weight = Parameter(empty(out_features, in_features))
+        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
@
-            self.bias = Parameter(empty(out_features))
+            self.bias = minigrad.nn.Parameter(empty(out_features))

linear-sizes-swapped: The in_features of your Linear are not the number of its inputs. Are the two sizes swapped in
super().__init__(…)? The inputs come first there, too.
-        super().__init__(in_features, out_features)
-        self.weight = Parameter(empty(out_features, in_features))
+        super().__init__(out_features, in_features)
+        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
@
-            self.bias = Parameter(empty(out_features))
+            self.bias = minigrad.nn.Parameter(empty(out_features))

linear-stays-zero: Your layer does not get the starting values that are asked for. Does it keep those of empty or
zeros? Call self.reset_parameters() when the parameters are there.
-        self.weight = Parameter(empty(out_features, in_features))
+        self.weight = minigrad.nn.Parameter(minigrad.zeros(out_features, in_features))
@
-            self.bias = Parameter(empty(out_features))
-        self.reset_parameters()
+            self.bias = minigrad.nn.Parameter(minigrad.zeros(out_features))
or
-        self.weight = Parameter(empty(out_features, in_features))
+        self.reset_parameters()
+        self.weight = minigrad.nn.Parameter(minigrad.zeros(out_features, in_features))
@
-            self.bias = Parameter(empty(out_features))
-        self.reset_parameters()
+            self.bias = minigrad.nn.Parameter(minigrad.zeros(out_features))

linear-bias-not-filled: Your Linear gives its weight the starting values that are asked for, but not its bias. Is that
made too late for it? self.reset_parameters() fills every parameter made so far.
-        self.weight = Parameter(empty(out_features, in_features))
+        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
@
-            self.bias = Parameter(empty(out_features))
-        self.reset_parameters()
+            self.bias = minigrad.nn.Parameter(minigrad.zeros(out_features))
+        minigrad.nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
or
-        self.weight = Parameter(empty(out_features, in_features))
+        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
+        self.reset_parameters()
@
-            self.bias = Parameter(empty(out_features))
-        self.reset_parameters()
+            self.bias = minigrad.nn.Parameter(minigrad.zeros(out_features))

linear-bias-other-limit: Your Linear fills its bias in another range than its weight. Both reach from -1/√n to 1/√n,
where n is the number of inputs: self.reset_parameters() fills both so.
-        self.weight = Parameter(empty(out_features, in_features))
+        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
@
-            self.bias = Parameter(empty(out_features))
-        self.reset_parameters()
+            self.bias = minigrad.nn.Parameter(empty(out_features))
+        self.reset_parameters()
+        if bias:
+            minigrad.nn.init.uniform_(self.bias, -out_features**-0.5, out_features**-0.5)
or
-        self.weight = Parameter(empty(out_features, in_features))
+        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
+        minigrad.nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
@
-            self.bias = Parameter(empty(out_features))
-        self.reset_parameters()
+            self.bias = minigrad.nn.Parameter(empty(out_features).uniform_(-out_features**-0.5, out_features**-0.5))

linear-limit-of-outputs: Your Linear fills its parameters in another range than is asked for, which reaches from -1/√n
to 1/√n. There n is the number of inputs, and not of outputs.
-        self.weight = Parameter(empty(out_features, in_features))
+        limit = out_features**-0.5
+        self.weight = minigrad.nn.Parameter(empty(out_features, in_features).uniform_(-limit, limit))
@
-            self.bias = Parameter(empty(out_features))
-        self.reset_parameters()
+            self.bias = minigrad.nn.Parameter(empty(out_features).uniform_(-limit, limit))

linear-always-bias: Your Linear has a bias even when bias=False asks for none.
-        self.weight = Parameter(empty(out_features, in_features))
-        if bias:
-            self.bias = Parameter(empty(out_features))
+        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
+        self.bias = minigrad.nn.Parameter(empty(out_features))

linear-forgets-bias: Your forward never adds the bias: it is registered, and gets no gradient.
-        self.weight = Parameter(empty(out_features, in_features))
+        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
@
-            self.bias = Parameter(empty(out_features))
+            self.bias = minigrad.nn.Parameter(empty(out_features))
@
-        return functional.linear(x, self.weight, self.bias)
+        return functional.linear(x, self.weight, None)

linear-bias-for-inputs: Your bias has a number for each input. It is added to the result: one for each output.
-        self.weight = Parameter(empty(out_features, in_features))
+        self.weight = minigrad.nn.Parameter(empty(out_features, in_features))
@
-            self.bias = Parameter(empty(out_features))
+            self.bias = minigrad.nn.Parameter(empty(in_features))
""")

TWO_LAYERS = """
class TwoLayers(Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.first = Linear(inputs, hidden)
        self.second = Linear(hidden, outputs)
    def forward(self, x):
        return self.second(self.first(x).relu())
"""

about("two-layer-network", "TwoLayers", "A two-layer network", TWO_LAYERS)("""
network-no-relu: No ReLU takes effect between the layers of your network, and two linear layers in a row are one
linear layer. A call of relu() returns a new tensor: hand that one on.
|class TwoLayers(minigrad.nn.Module):
|    def __init__(self, inputs, hidden, outputs):
|        super().__init__()
|        self.first = minigrad.nn.Linear(inputs, hidden)
|        self.second = minigrad.nn.Linear(hidden, outputs)
|    def forward(self, x):
|        return self.second(self.first(x))

network-drops-the-axis: Your network drops the last axis where it has one output. The result has the shape (rows,
outputs), (rows, 1) among them.
|class TwoLayers(minigrad.nn.Module):
|    def __init__(self, inputs, hidden, outputs):
|        super().__init__()
|        self.first = minigrad.nn.Linear(inputs, hidden)
|        self.second = minigrad.nn.Linear(hidden, outputs)
|    def forward(self, x):
|        out = self.second(self.first(x).relu())
|        return out.squeeze(-1) if out.shape[-1] == 1 else out

network-relu-last: Your network ends with a ReLU: it can never answer with a negative number, and units below 0 get no
gradient. The ReLU belongs between the layers.
|class TwoLayers(minigrad.nn.Module):
|    def __init__(self, inputs, hidden, outputs):
|        super().__init__()
|        self.first = minigrad.nn.Linear(inputs, hidden)
|        self.second = minigrad.nn.Linear(hidden, outputs)
|    def forward(self, x):
|        return self.second(self.first(x).relu()).relu()
or
|class TwoLayers(minigrad.nn.Module):
|    def __init__(self, inputs, hidden, outputs):
|        super().__init__()
|        self.first = minigrad.nn.Linear(inputs, hidden)
|        self.second = minigrad.nn.Linear(hidden, outputs)
|    def forward(self, x):
|        return self.second(self.first(x)).relu()

network-sigmoid: Your network has a sigmoid between its layers; it is asked for a ReLU.
|class TwoLayers(minigrad.nn.Module):
|    def __init__(self, inputs, hidden, outputs):
|        super().__init__()
|        self.first = minigrad.nn.Linear(inputs, hidden)
|        self.second = minigrad.nn.Linear(hidden, outputs)
|    def forward(self, x):
|        return self.second(self.first(x).sigmoid())

network-plain-list: The parameters of your layers are not found, and no optimizer will train them. A layer is found as
an attribute of its own; a plain list of layers is an ordinary attribute.
|class TwoLayers(minigrad.nn.Module):
|    def __init__(self, inputs, hidden, outputs):
|        super().__init__()
|        self.layers = [minigrad.nn.Linear(inputs, hidden), minigrad.nn.Linear(hidden, outputs)]
|    def forward(self, x):
|        return self.layers[1](self.layers[0](x).relu())

network-fresh-layers: Your forward makes new layers each time it runs: they start again at random, and what they learn
is lost.
|class TwoLayers(minigrad.nn.Module):
|    def __init__(self, inputs, hidden, outputs):
|        super().__init__()
|        self.sizes = (inputs, hidden, outputs)
|    def forward(self, x):
|        inputs, hidden, outputs = self.sizes
|        first = minigrad.nn.Linear(inputs, hidden)
|        return minigrad.nn.Linear(hidden, outputs)(first(x).relu())

network-no-super: Your network does not call super().__init__() first: the tables that its layers go into are not
there yet.
|class TwoLayers(minigrad.nn.Module):
|    def __init__(self, inputs, hidden, outputs):
|        self.first = minigrad.nn.Linear(inputs, hidden)
|        self.second = minigrad.nn.Linear(hidden, outputs)
|    def forward(self, x):
|        return self.second(self.first(x).relu())

network-sizes-do-not-meet: The sizes of your layers do not fit: the first takes the inputs and gives the hidden
numbers, the second takes the hidden numbers and gives the outputs.
-class TwoLayers(Module):
+class TwoLayers(minigrad.nn.Module):
@
-        self.first = Linear(inputs, hidden)
-        self.second = Linear(hidden, outputs)
+        self.first = minigrad.nn.Linear(inputs, hidden)
+        self.second = minigrad.nn.Linear(inputs, outputs)
or
-class TwoLayers(Module):
+class TwoLayers(minigrad.nn.Module):
@
-        self.first = Linear(inputs, hidden)
-        self.second = Linear(hidden, outputs)
+        self.first = minigrad.nn.Linear(hidden, inputs)
+        self.second = minigrad.nn.Linear(outputs, hidden)

network-forgets-second: Your network computes the hidden layer and returns it: the second layer never runs.
|class TwoLayers(minigrad.nn.Module):
|    def __init__(self, inputs, hidden, outputs):
|        super().__init__()
|        self.first = minigrad.nn.Linear(inputs, hidden)
|        self.second = minigrad.nn.Linear(hidden, outputs)
|    def forward(self, x):
|        return self.first(x).relu()

network-detached: Your network takes the hidden layer's numbers out of the graph on the way: the first layer gets no
gradient, and never learns.
|class TwoLayers(minigrad.nn.Module):
|    def __init__(self, inputs, hidden, outputs):
|        super().__init__()
|        self.first = minigrad.nn.Linear(inputs, hidden)
|        self.second = minigrad.nn.Linear(hidden, outputs)
|    def forward(self, x):
|        return self.second(self.first(x).relu().detach())
""")

CROSS_ENTROPY = """
def cross_entropy(z, y):
    rows = minigrad.arange(len(y))
    return -z.log_softmax(1)[rows, y].mean()
"""

about("digits", "cross_entropy", "Digits", CROSS_ENTROPY)("""
entropy-no-minus: Your cross_entropy has no minus: log p is negative, and training would make the right class's
probability as small as it can.
-    return -z.log_softmax(1)[rows, y].mean()
+    return z.log_softmax(1)[rows, y].mean()

entropy-ready-made: Your cross_entropy hands the work to a loss of functional's. Write it yourself: log_softmax gives
log p, of which one number a row is picked.
-    return -z.log_softmax(1)[rows, y].mean()
+    return functional.cross_entropy(z, y)

entropy-sum: Your cross_entropy adds up the rows' losses; it is to be their mean, so that a batch of any size asks for
steps of the same size.
-    return -z.log_softmax(1)[rows, y].mean()
+    return -z.log_softmax(1)[rows, y].sum()

entropy-no-logarithm: Your cross_entropy takes the mean of the probabilities, without a logarithm: a sure wrong answer
costs hardly more than a doubtful one.
-    return -z.log_softmax(1)[rows, y].mean()
+    return -z.softmax(1)[rows, y].mean()
or
-    return -z.log_softmax(1)[rows, y].mean()
+    return 1 - z.softmax(1)[rows, y].mean()

entropy-no-softmax: Your cross_entropy takes the scores themselves: no softmax has made probabilities of them.
-    return -z.log_softmax(1)[rows, y].mean()
+    return -z[rows, y].mean()

entropy-over-the-rows: Your softmax runs over the rows: it makes the images share one probability. Each row has
probabilities of its own, over its classes.
-    return -z.log_softmax(1)[rows, y].mean()
+    return -z.log_softmax(0)[rows, y].mean()

entropy-every-row-for-each: Your cross_entropy takes from each row the columns of all right classes. It needs one
number a row: row i at column y[i].
-    return -z.log_softmax(1)[rows, y].mean()
+    return -z.log_softmax(1)[:, y].mean()

entropy-all-classes: Your cross_entropy takes the mean over all classes, also the wrong ones. Only the right class's
probability counts.
-    return -z.log_softmax(1)[rows, y].mean()
+    return -z.log_softmax(1).mean()

entropy-per-class: Your cross_entropy divides by the number of classes, too. Of each row one number is left: divide by
the number of rows.
-    return -z.log_softmax(1)[rows, y].mean()
+    return -z.log_softmax(1)[rows, y].mean() / z.shape[1]
or
|def cross_entropy(z, y):
|    truth = minigrad.nn.functional.one_hot(y, z.shape[1]).double()
|    return -(truth * z.log_softmax(1)).mean()

entropy-twice: Your cross_entropy applies a softmax twice: log_softmax wants scores, not probabilities.
-    return -z.log_softmax(1)[rows, y].mean()
+    return -z.softmax(1).log_softmax(1)[rows, y].mean()

entropy-overflows: Your cross_entropy fails where scores are large or far apart, since an exponential is rounded: to
infinity, or to 0, which has no logarithm. Take the logarithm and the softmax in one step.
-    return -z.log_softmax(1)[rows, y].mean()
+    return -z.softmax(1)[rows, y].log().mean()
or
|def cross_entropy(z, y):
|    rows = minigrad.arange(len(y))
|    e = z.exp()
|    return -(e[rows, y] / e.sum(1)).log().mean()
or
|def cross_entropy(z, y):
|    rows = minigrad.arange(len(y))
|    return (z.exp().sum(1).log() - z[rows, y]).mean()

entropy-detached: Your cross_entropy leaves the graph on the way: its value is right, and z gets no gradient.
-    return -z.log_softmax(1)[rows, y].mean()
+    return -z.detach().log_softmax(1)[rows, y].mean()
or
-    return -z.log_softmax(1)[rows, y].mean()
+    return minigrad.tensor(-z.log_softmax(1)[rows, y].mean().item())

entropy-for-each-row: Your cross_entropy returns a loss for each row: a loss to go back from is one number, their mean.
-    return -z.log_softmax(1)[rows, y].mean()
+    return -z.log_softmax(1)[rows, y]
""")

EPOCH = """
def epoch(net, loss, optimizer, x, y, size):
    losses = []
    for i in range(0, len(x), size):
        optimizer.zero_grad()
        batch = loss(net(x[i : i + size]), y[i : i + size])
        batch.backward()
        optimizer.step()
        losses.append(batch.item())
    return losses
"""

about("digits", "epoch", "Digits", EPOCH)("""
epoch-no-zero-grad: Your epoch does not clear the gradients between its batches: each batch adds to those of all
batches before.
-        optimizer.zero_grad()
or
     losses = []
+    optimizer.zero_grad()
@
-        optimizer.zero_grad()

epoch-clears-at-the-end: Your epoch does not clear the gradients before its first step: those that the parameters have
from before go into it.
-        optimizer.zero_grad()
@
         optimizer.step()
+        optimizer.zero_grad()
or
-        optimizer.zero_grad()
@
         losses.append(batch.item())
+        optimizer.zero_grad()

epoch-clears-too-late: Your epoch's steps find no gradient: none was computed, or it was cleared between the backward
pass and the step.
-        optimizer.zero_grad()
@
-        optimizer.step()
+        optimizer.zero_grad()
+        optimizer.step()

epoch-one-step: Your epoch takes one step for all batches, after the last. Each batch is to have its own.
-        optimizer.step()
-        losses.append(batch.item())
+        losses.append(batch.item())
+    optimizer.step()

epoch-never-steps: Your epoch takes no step: gradients alone move nothing.
-        optimizer.step()

epoch-step-too-early: Your epoch takes each step before the backward pass, with the gradients of the batch before.
-        optimizer.zero_grad()
@
-        batch.backward()
-        optimizer.step()
+        optimizer.step()
+        optimizer.zero_grad()
+        batch.backward()

epoch-all-at-once: Your epoch hands all rows to the net each time: the slices are missing.
-        batch = loss(net(x[i : i + size]), y[i : i + size])
+        batch = loss(net(x), y)

epoch-first-targets: Your epoch compares each batch with the first rows of y. Take the same rows of y as of x.
-        batch = loss(net(x[i : i + size]), y[i : i + size])
+        batch = loss(net(x[i : i + size]), y[: len(x[i : i + size])])

epoch-own-loss: Your epoch computes a loss of its own, such as cross_entropy. It is handed one, loss: that is to be
called.
-        batch = loss(net(x[i : i + size]), y[i : i + size])
+        right = y[i : i + size]
+        batch = -net(x[i : i + size]).log_softmax(1)[minigrad.arange(len(right)), right].mean()
or
-        batch = loss(net(x[i : i + size]), y[i : i + size])
+        batch = functional.mse_loss(net(x[i : i + size]), y[i : i + size])

epoch-empty-batch: Your epoch takes an empty batch at the end, where the batches before it hold all rows: no batch
begins at len(x).
-    for i in range(0, len(x), size):
+    for i in range(0, len(x) + 1, size):

epoch-stops-early: Your epoch stops where the loss of a batch is no smaller than that of the one before. Take a step for
each batch: their losses go up and down.
-        losses.append(batch.item())
+        losses.append(batch.item())
+        if len(losses) > 1 and losses[-1] >= losses[-2]:
+            break

epoch-drops-the-rest: Your epoch leaves out the last rows, where they do not fill a batch: a slice may end early.
-    for i in range(0, len(x), size):
+    for i in range(0, len(x) - size + 1, size):
or
-    for i in range(0, len(x), size):
+    for i in range(0, len(x) // size * size, size):

epoch-one-row-a-batch: Your epoch moves on by one row each time, so its batches overlap: range takes the step as its
third argument.
-    for i in range(0, len(x), size):
+    for i in range(len(x)):

epoch-number-of-batches: Your epoch takes i for the number of a batch, and slices as if it were a row: the batch begins
at row i times size.
-    for i in range(0, len(x), size):
+    for i in range((len(x) + size - 1) // size):

epoch-returns-inside: Your epoch returns after its first batch, as from inside the loop. Indent return less.
-    return losses
+        return losses

epoch-returns-the-last: Your epoch returns one number. A list is asked for, with one loss of each batch.
-    return losses
+    return losses[-1]

epoch-keeps-tensors: Your epoch keeps the losses as tensors. A tensor can hold on to its graph, and then memory grows:
keep the losses' numbers.
-        losses.append(batch.item())
+        losses.append(batch)

epoch-forgets-losses: Your epoch returns nothing: end it by returning the list of its losses.
-    return losses

epoch-loss-after-the-step: Your epoch computes a second loss after each step, and keeps that one. Keep the loss that the
step started from: it is there already.
-        losses.append(batch.item())
+        losses.append(loss(net(x[i : i + size]), y[i : i + size]).item())
""")
