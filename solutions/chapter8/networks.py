# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # nn: networks from parts
#
# You build a `torch.nn` of your own. It reads handwritten digits.
#
# **The question:** Who keeps the list of a million parameters, and what if one is missing from it?
#
# **Time:** two sittings of 35 to 45 minutes.
#
# **Before you start:** chapters 4 and 7; Python's classes, with `super()`, and generators, with `yield`.
#
# **Afterwards you can**
#
# - say how `net.parameters()` finds every parameter, and when it misses one;
# - write the rule of ReLU, and a linear layer with sensible starting values;
# - build a two-layer network, and work out its gradients by hand;
# - write the loss and the loop that train a classifier, on your own engine.

# %% [markdown]
# ## From earlier chapters
#
# Answer first, then unfold.
#
# **1.** Chapter 7: what must happen between two backward passes?
#
# <details><summary>Answer</summary>
#
# The gradients are cleared.
# </details>
#
# **2.** Chapter 4: which gradient is simply the prediction minus the truth?
#
# <details><summary>Answer</summary>
#
# That of a logit, in the cross entropy.
# </details>

# %% [markdown]
# ## A network of parts
#
# A **linear layer** turns $n$ numbers, $x$, into $m$: $xW^\top + b$. Its **weight** $W$, of shape $(m, n)$, has a row
# for each output, as in chapter 7; $x$ stands in front, so that it may have many rows. The **bias** $b$ has shape
# $(m,)$. **ReLU** stands for $\max(x, 0)$, element by element. The network below takes 3 numbers
# to 4 and then to 2. How many numbers will the optimizer change? Predict before you run the cell.

# %% [markdown]
# ✎ **Your prediction** (double-click here to write): the optimizer changes … numbers.

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "torch-snippet", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch

network = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
for name, parameter in network.named_parameters():
    print(name, tuple(parameter.shape))
print(sum(parameter.numel() for parameter in network.parameters()))

# %% [markdown]
# <details><summary>Answer</summary>
#
# $4 \cdot 3 + 4 + 2 \cdot 4 + 2 = 26$, in four parameters. ReLU has none.
# </details>
#
# ## The gradients by hand
#
# Take two inputs, two **hidden units** (the numbers in between), one output, and the squared error against 5:
#
# $$u = xW_1^\top + b_1, \quad h = \max(u, 0), \quad z = hW_2^\top + b_2, \quad \mathit{loss} = (z - 5)^2.$$
#
# Read values downwards, gradients upwards; two are missing: fill them in. $du$ is short for
# $\partial\mathit{loss}/\partial u$.
#
# | quantity | value | gradient of the loss |
# |---|---|---|
# | $x$ | (1, 2) | $du\,W_1$ = (8, 8) |
# | $W_1$ | rows (1, 1) and (1, −1) | $du^\top x$: rows ? and ? |
# | $b_1$ | (0, 0) | ? |
# | $u$ | (3, −1) | $du$ = $dh$ where $u > 0$: (8, 0) |
# | $h$ | (3, 0) | $dh = dz\,W_2$ = (8, 12) |
# | $W_2$ | one row (2, 3) | $dz^\top h$: one row (12, 0) |
# | $b_2$ | (1) | $dz$ = (4) |
# | $z$ | (7) | $dz = 2(z - 5)$ = (4) |
#
# <details><summary>Answer</summary>
#
# $dW_1$ has the rows (8, 16) and (0, 0), $db_1 = du$ is (8, 0). The second hidden unit is off: its row gets nothing.
# </details>
#
# ## What is missing
#
# Your engine lacks ReLU and modules.

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import math

import numpy as np

import minigrad
from grader import check
from minigrad import empty, workshop
from minigrad.core.function import Function
from minigrad.nn import Module, functional
from minigrad.nn.init import uniform_
from minigrad.nn.layers import InOut
from minigrad.nn.module import dotted
from minigrad.nn.parameter import Leaf
from minigrad.rules.both import step

workshop.open(8)

# %% [markdown]
# ## ReLU
#
# **Exercise 1.** Write $\max(x, 0)$ and its rule. At 0 the curve has a kink and no slope; take 0 there.
#
# - **Shapes:** `x`, `grad`, `out` (the result) and the gradient of `x` have one shape.
# - **Tools:** `np.maximum(a, b)` compares element by element; `step(a)` is 1 where $a > 0$, else 0. The rule, as ever,
#   uses none of NumPy's functions.
# - **Four minutes, easy, 2 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# A positive number passes, and so does its gradient. What passes where $x$ is negative?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# The slope is 1 where $x > 0$, else 0. The result is positive at the same places.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# def backward_x(self, grad, out):
#     return ... * step(...)
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "relu", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
class Relu(Function):
    """The larger of x and 0, element by element.

    forward: an array x; returns a new array.
    backward_x: grad is the gradient of the result; returns the gradient of x, 0 where x is 0.
    """

    def forward(self, x):
        ### BEGIN SOLUTION
        return np.maximum(x, 0)
        ### END SOLUTION

    def backward_x(self, grad, out):
        ### BEGIN SOLUTION
        return grad * step(out)
        ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "relu-graded", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("relu")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# The rule need not save $x$: `out` suffices.
# </details>
#
# ## Parameters that are found
#
# A **Parameter** is a leaf that normally requires grad, with a class that tells it from other tensors. A
# **Module** is a piece of a network. It holds parameters and modules, and notices them when they are assigned:
# for each `self.name = value`, Python calls `__setattr__(self, name, value)`. Yours sorts:
#
# - a `Parameter` goes into the dictionary `self._parameters`, a `Module` into `self._modules`;
# - `self.set_other(name, value)` stores everything else;
# - `self.make_way(name, value)`, called for you, refuses what cannot have that name.
#
# **Exercise 2.** Write `Parameter.__init__`: it sets the flag `self.requires_grad`, nothing else. The numbers are
# stored before it runs: do not call `super().__init__`. Then write `__setattr__`.
#
# - **Shapes:** a parameter has the shape of `data`.
# - **Ten minutes, medium, 4 points for both.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Ask what `value` is: `isinstance(value, Module)`. What would `self.x = …` inside `__setattr__` do?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# `self._parameters[name] = value` stores under that name.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# if isinstance(value, Parameter):
#     self....[name] = value
# elif ...:
#     ...
# else:
#     ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "registration", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
class Parameter(Leaf):
    """A tensor on the memory of data that belongs to a Module as soon as it is assigned to one.

    data: a tensor. requires_grad: False for a frozen parameter.
    """

    def __init__(self, data, requires_grad=True):
        ### BEGIN SOLUTION
        self.requires_grad = requires_grad
        ### END SOLUTION


@workshop.part
def __setattr__(self, name, value):
    """self.name = value. No result is asked for.

    A Parameter goes into self._parameters, a Module into self._modules, under its name; all else where set_other puts it.
    """
    self.make_way(name, value)
    ### BEGIN SOLUTION
    if isinstance(value, Parameter):
        self._parameters[name] = value
    elif isinstance(value, Module):
        self._modules[name] = value
    else:
        self.set_other(name, value)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "registration-graded", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("registration")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# Registering is a side effect of assigning: nobody has to keep a list.
# </details>
#
# ## Names
#
# A network is a tree. A parameter's name is the path to it, with dots: `first.weight`. Two places may hold the
# same parameter; it is named once, where it is first met.
#
# ![A tree of modules: TwoLayers with first, a Linear with weight (4, 3) and bias (4,), and second, a Linear with weight (2, 4) and bias (2,).](tree.svg)
#
# **Exercise 3.** Write `named_parameters`: `yield` hands out one pair, `yield from` all pairs of another generator.
#
# - **Shapes:** it yields pairs (name, parameter): the module's own in their order, then those of each module inside.
#   `prefix` is the path so far; `recurse=False` asks for its own only. The set `seen` holds what was yielded; hand it
#   on.
# - **Tools:** `self._parameters` may hold `None`, which is no parameter. `self.named_children()` yields pairs (name,
#   module). `dotted(prefix, name)` joins two names; the first may be empty.
# - **Twelve minutes, the hardest one, 4 points.**
#
# <details><summary>How the check writes a module</summary>
#
# `{w, u{b, c=w}}` has a parameter `w` and a module `u`, which holds `b` and, called `c`, the same `w` again.
# </details>
# <details><summary>Hint 1: the idea</summary>
#
# A module inside can answer for itself, if you tell it its path, and what was seen.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# Names of $m$ = its own names, then for each module $c$ inside it: the names of $c$, with the path to $c$ in front.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# for name, parameter in self._parameters.items():
#     if ... and parameter not in seen:
#         ...
#         yield dotted(...), parameter
# for name, module in ... if recurse else ():
#     yield from module.named_parameters(..., recurse, ...)
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "names", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
def named_parameters(self, prefix="", recurse=True, seen=None):
    """Yields pairs (name, parameter): this module's own, then those of the modules below; each once, with dotted names.

    prefix: the path so far. recurse: when False, this module's own only.
    seen: the set of the parameters that modules further up have yielded; None for the module that is asked first.
    """
    seen = set() if seen is None else seen
    ### BEGIN SOLUTION
    for name, parameter in self._parameters.items():
        if parameter is not None and parameter not in seen:
            seen.add(parameter)
            yield dotted(prefix, name), parameter
    for name, module in self.named_children() if recurse else ():
        yield from module.named_parameters(dotted(prefix, name), recurse, seen)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "names-graded", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("names")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# Each module answers for what is below it. `parameters()` and `zero_grad()` call this method.
# </details>
#
# ## Linear
#
# Which numbers does a layer start with? If all are equal, its units compute the same; where the next layer's are equal,
# too, they get the same gradient, and stay copies. If large, so is all that follows: a unit adds up $n$ products
# of either sign, and such a sum is about $\sqrt n$ times as large as one of them. So PyTorch spreads numbers evenly
# over $-1/\sqrt n \ldots 1/\sqrt n$, for weight and bias.
#
# **Exercise 4.** Write `fan_in_uniform_(tensor, fan_in)`, where `fan_in` is $n$, and the class `Linear`. Its base,
# `InOut`, has two methods for you: call first `super().__init__(in_features, out_features)`, which makes the dictionaries and stores the sizes,
# and last `self.reset_parameters()`, which fills every parameter with your function.
#
# - **Shapes:** weight (out, in), bias (out,); with `bias=False`, `self.bias` is the `None` that `InOut` put there;
#   `forward` takes $(\ldots, \text{in})$ to $(\ldots, \text{out})$.
# - **Tools:** `uniform_(tensor, low, high)` fills a tensor in place and returns it; `empty(2, 3)` makes one;
#   `functional.linear(x, weight, bias)` is $xW^\top + b$, and takes `None` for a bias.
# - **Ten minutes, medium, 5 points for both.**
#
# <details><summary>Hint 1: the idea</summary>
#
# An ordinary tensor is not found. Which class must wrap it?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# The limit is $1/\sqrt n$.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# super().__init__(..., ...)
# self.weight = ...(empty(..., ...))
# if bias:
#     self.bias = ...
# ...  # fill them
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "linear", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
def fan_in_uniform_(tensor, fan_in):
    """Fill the tensor in place with random numbers, spread evenly from -1/√fan_in to 1/√fan_in; returns the tensor.

    fan_in: how many inputs the layer has.
    """
    ### BEGIN SOLUTION
    limit = 1 / math.sqrt(fan_in)
    return uniform_(tensor, -limit, limit)
    ### END SOLUTION


@workshop.part
class Linear(InOut):
    """A linear layer: weight (out_features, in_features), bias (out_features,) or None.

    forward: x (…, in_features); returns (…, out_features).
    """

    def __init__(self, in_features, out_features, bias=True):
        ### BEGIN SOLUTION
        super().__init__(in_features, out_features)
        self.weight = Parameter(empty(out_features, in_features))
        if bias:
            self.bias = Parameter(empty(out_features))
        self.reset_parameters()
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        return functional.linear(x, self.weight, self.bias)
        ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "linear-graded", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false}
check("linear")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# `functional.linear` is one node with the rules of the worked example: $du\,W$ for $x$, $du^\top x$ for $W$, and
# $du$, added up over the rows, for $b$.
# </details>
#
# ---
#
# **A good place to pause.** Rerun the notebook from the top when you come back.
#
# ## A two-layer network
#
# A module's `forward` says what it computes; calling the module, `net(x)`, runs it. Its `__init__` begins with
# `super().__init__()`, for the dictionaries.
#
# **Exercise 5.** Write the class `TwoLayers`: a linear layer `first`, ReLU, a linear layer `second`.
#
# - **Shapes:** `x` is (rows, inputs), the result (rows, outputs), with `hidden` numbers a row in between.
# - **Tools:** `z.relu()` is your ReLU.
# - **Six minutes, medium, 4 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# `__init__` assigns two layers; the order of assigning is that of the parameters.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $\text{second}(\max(\text{first}(x), 0))$.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# super()....
# self.first = ...
# self.second = ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "two-layer-network", "locked": false, "schema_version": 3, "solution": true, "task": false}
class TwoLayers(Module):
    """Two linear layers, first and second, with ReLU between them."""

    def __init__(self, inputs, hidden, outputs):
        ### BEGIN SOLUTION
        super().__init__()
        self.first = Linear(inputs, hidden)
        self.second = Linear(hidden, outputs)
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        return self.second(self.first(x).relu())
        ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "two-layer-network-graded", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("two-layer-network")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# Each assignment registers a layer, which has registered its own parameters: the tree grows by itself.
# </details>
#
# ## Your tree
#
# The picture above, from your modules:

# %% tags=["demonstration"] picture="tree.svg" nbgrader={"grade": false, "grade_id": "your-tree", "locked": true, "schema_version": 3, "solution": false, "task": false}
from grader import tree

tree.modules(TwoLayers(3, 4, 2))

# %% [markdown]
# ## The worked example, and a test without any rule
#
# `load_state_dict` copies values into parameters by name: here, those from the table. Beside your
# gradients stand finite differences, each number moved by $\pm 10^{-4}$.

# %%
example = TwoLayers(2, 2, 1).double()
values = {
    "first.weight": np.array([[1.0, 1], [1, -1]]),
    "first.bias": np.array([0.0, 0]),
    "second.weight": np.array([[2.0, 3]]),
    "second.bias": np.array([1.0]),
}
example.load_state_dict({name: minigrad.tensor(value) for name, value in values.items()})
x = minigrad.tensor(np.array([[1.0, 2.0]]))


def loss():
    return ((example(x) - 5) ** 2).mean()


def measured(parameter, h=1e-4):
    array, grad = parameter.data.numpy(), np.zeros(parameter.shape)
    for place in np.ndindex(array.shape):
        array[place] += h
        above = loss().item()
        array[place] -= 2 * h
        grad[place] = (above - loss().item()) / (2 * h)
        array[place] += h
    return grad


loss().backward()
for name, parameter in example.named_parameters():
    print(f"{name:14} {str(parameter.grad.tolist()):26}", measured(parameter).round(6).tolist())

# %% [markdown]
# ## The same network in PyTorch
#
# From the same parameters, every gradient is compared.

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "torch-comparison", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch

random = np.random.default_rng(8)
mine = TwoLayers(5, 7, 3).double()
layers = {"first": torch.nn.Linear(5, 7), "relu": torch.nn.ReLU(), "second": torch.nn.Linear(7, 3)}
theirs = torch.nn.Sequential()
for name, layer in layers.items():
    theirs.add_module(name, layer.double())
theirs.load_state_dict({name: torch.tensor(value.numpy()) for name, value in mine.state_dict().items()})

rows, target = random.normal(size=(6, 5)), random.normal(size=(6, 3))
functional.mse_loss(mine(minigrad.tensor(rows)), minigrad.tensor(target)).backward()
torch.nn.functional.mse_loss(theirs(torch.tensor(rows)), torch.tensor(target)).backward()
for (name, my_parameter), parameter in zip(mine.named_parameters(), theirs.parameters()):
    agrees = np.allclose(my_parameter.grad.numpy(), parameter.grad.numpy(), atol=1e-12)
    print(f"{name:14} {tuple(parameter.shape)!s:7} agrees: {agrees}")

# %% [markdown]
# ## Break it
#
# Three networks learn to multiply two numbers. The first keeps its hidden layer in `nn.ModuleList`, a list that
# registers its items; the second in a plain list; the third leaves out ReLU. Which complains? Which learns? Predict.


# %%
class Product(Module):
    def __init__(self, hidden, bend):
        Module.__init__(self)  # as super().__init__()
        self.hidden, self.bend = hidden, bend
        self.last = Linear(8, 1)

    def forward(self, x):
        for layer in self.hidden:
            x = self.bend(layer(x))
        return self.last(x)


def unchanged(x):
    return x


random = np.random.default_rng(1)
points = minigrad.tensor(random.uniform(-1, 1, (100, 2)).astype(np.float32))
product = points[:, :1] * points[:, 1:]
print(f"always answering the mean: error {product.numpy().var():.4f}")
for kind, bend in [(minigrad.nn.ModuleList, minigrad.relu), (list, minigrad.relu), (minigrad.nn.ModuleList, unchanged)]:
    minigrad.manual_seed(3)
    net = Product(kind([Linear(2, 8)]), bend)
    adam = minigrad.optim.Adam(net.parameters(), lr=0.03)
    for _ in range(300):
        adam.zero_grad()
        error = functional.mse_loss(net(points), product)
        error.backward()
        adam.step()
    print(f"{kind.__name__:10} {bend.__name__:9} {len(list(net.parameters()))} parameters, error {error.item():.4f}")

# %% [markdown]
# <details><summary>What you saw</summary>
#
# A list is an ordinary attribute, so the parameters inside are not found: only the last layer learns,
# and the error falls all the same.
#
# Without ReLU all parameters learn, in vain: two linear layers are one, and none multiplies. The
# bend makes depth worth having.
# </details>
#
# ## Digits
#
# There are 1,797 images of handwritten digits, 8 × 8 numbers each. Your network maps 64 numbers to 32, then 10: a score
# $z_j$ for each digit; the largest is its answer. **Softmax** turns scores into probabilities:
# $p_j = e^{z_j} / \sum_k e^{z_k}$.
#
# What should an answer cost? Nothing if the right digit $y$ had $p_y = 1$; the more, the smaller $p_y$ was; without
# limit if the network was sure of something else. $-\log p_y$ does that: it is the **cross entropy**.
#
# As $-\log p_y = \log \sum_k e^{z_k} - z_y$, the slope by $z_j$ is
# $e^{z_j} / \sum_k e^{z_k} = p_j$, minus 1 where $j = y$: prediction minus truth, as in chapter 4. In a mean over $n$
# rows it is divided by $n$.
#
# You take a step for each small **batch**. A pass over all images is an **epoch**.
#
# **Exercise 6.** Write `cross_entropy(z, y)`, the mean of $-\log p$ over the rows, and
# `epoch(net, loss, optimizer, x, y, size)`, which takes `size` rows at a time, in order; the last batch may be smaller.
#
# - **Shapes:** `z` is (rows, classes), with scores up to 1,000; `y` holds an integer for each row; the loss is one
#   number, a tensor of shape (). `epoch` returns a list of floats, one per batch.
# - **Tools:** `z.log_softmax(1)` is $\log p$ for each row; it first subtracts the row's largest score, which changes no $p$, so that
#   no $e^z$ overflows.
#   `table[rows, columns]`, with two tensors of integers, picks one element for each pair; `minigrad.arange(n)` counts
#   from 0. Do without `functional.cross_entropy` and `functional.nll_loss`.
# - **Twelve minutes, medium, 5 points for both.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Which element of each row do you need? The loop is that of chapter 7, once for each slice.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# $-\frac{1}{n} \sum_i \log p_{i, y_i}$: the rows are $0 … n - 1$, the columns $y$. Batches begin at
# `range(0, len(x), size)`.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# # cross_entropy
# logs = z....
# return -logs[minigrad.arange(...), ...]....
# # epoch
# for i in range(0, len(x), size):
#     ...  # clear
#     value = loss(net(x[...]), y[...])
#     ...  # back, step, and keep the number
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "digits", "locked": false, "schema_version": 3, "solution": true, "task": false}
def cross_entropy(z, y):
    """The mean over the rows of -log p, where p is the probability that softmax gives the right class.

    z: scores, (rows, classes). y: the right classes, integers, (rows,).
    """
    ### BEGIN SOLUTION
    rows = minigrad.arange(len(y))
    return -z.log_softmax(1)[rows, y].mean()
    ### END SOLUTION


def epoch(net, loss, optimizer, x, y, size):
    """Take a step for each `size` rows of x and y, in their order; returns the losses, a list of Python numbers.

    loss: takes what net returns and the same rows of y, and returns a tensor of one number.
    Gradients that the parameters already hold do not count.
    """
    ### BEGIN SOLUTION
    losses = []
    for i in range(0, len(x), size):
        optimizer.zero_grad()
        batch = loss(net(x[i : i + size]), y[i : i + size])
        batch.backward()
        optimizer.step()
        losses.append(batch.item())
    return losses
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "digits-graded", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false}
check("digits")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# Neither function needs a rule: the engine recorded what you did.
# </details>
#
# Twenty of your epochs, on 1,400 images. The others tell whether it has learned digits, or only these:

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "digits-training", "locked": true, "schema_version": 3, "solution": false, "task": false}
from IPython.display import display
from sklearn.datasets import load_digits

from grader import figure

data = load_digits()
order = np.random.default_rng(0).permutation(len(data.target))
images, digits = data.data[order] / 16, data.target[order]
x, y = minigrad.tensor(images), minigrad.tensor(digits)

minigrad.manual_seed(0)
net = TwoLayers(64, 32, 10).double()
optimizer = minigrad.optim.Adam(net.parameters(), lr=0.01)
curves = {"on the 1,400 it learns from": [], "on the 397 it never saw": []}
for _ in range(20):
    epoch(net, cross_entropy, optimizer, x[:1400], y[:1400], 50)
    with minigrad.no_grad():
        answers = net(x).argmax(1).numpy()
    for curve, part in zip(curves.values(), (slice(0, 1400), slice(1400, None))):
        curve.append(100 * (answers[part] == digits[part]).mean())
print(f"right on {curve[-1]:.1f} % of the test images")

fig, ax = figure.new(height=3)
for label, curve in curves.items():
    ax.plot(range(1, 21), curve, label=label)
ax.set(xlabel="epoch", ylabel="right answers, %", xticks=range(2, 21, 2))
ax.legend()
display(figure.show(fig, "Right answers: from 89 to 99 % on what it learns from, to 97 % on the others."))

wrong = [i for i in range(1400, len(digits)) if answers[i] != digits[i]][:10]
fig, axes = figure.new(2, 5, height=3.2)
for ax, i in zip(axes.flat, wrong):
    ax.imshow(images[i].reshape(8, 8), cmap="gray_r")
    ax.set_title(f"{digits[i]}, read as {answers[i]}", fontsize=10)
for ax in axes.flat:
    ax.set_axis_off()
said = ", ".join(f"{digits[i]} as {answers[i]}" for i in wrong)
figure.show(fig, f"Test images that the network reads wrongly: {said}.")

# %% [markdown]
# <details><summary>What you saw</summary>
#
# The curves part: some of what it learned holds for its images only. That is **overfitting**. Trained on 100 images,
# in as many steps, it reads 100 % of these and 90 % of the others.
# </details>
#
# ## Recap
#
# - Assigning registers: parameters and modules, not lists of them. Count the names:
#   what is missing does not learn.
# - A parameter's name is its path; `minigrad.save(net.state_dict(), "net.pt")` stores all by these names.
# - ReLU passes the gradient where it passed the value.
#
# ## Exit questions
#
# A `TwoLayers` starts with all parameters 0. What does it learn?
#
# <details><summary>Answer</summary>
#
# Only its last bias: $h$ is 0, so $dW_2 = dz^\top h$ is 0, and $dh = dz\,W_2$ is 0.
# </details>
#
# **Find the bug.** Why does `last` never learn?
#
# ```python
# optimizer = minigrad.optim.Adam(net.parameters())
# net.last = Linear(32, 10)
# ```
#
# <details><summary>Answer</summary>
#
# The optimizer holds the old layer's parameters. Create it after the last change to the network.
# </details>
#
# **In your own words.** How does `net.parameters()` find a weight three modules down?
#
# <details><summary>One answer</summary>
#
# Assigning put each module into a table of the one around it; each module asks those in its table.
# </details>
#
# ## What comes next
#
# In chapter 9 your engine trains a small language model.

# %%
workshop.summary()
