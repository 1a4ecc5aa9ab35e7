"""Chapter 8, networks from parts: ReLU, parameters found by their names, a linear layer, two of them, and digits."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ask.exercise import Exercise
from ...ask.heard import calls_of
from ...ask.operations import SHAPES, signed, special
from ...ask.tried import Tried

WORDS = ["gate", "key", "scale", "head", "body", "tail", "query", "mix", "norm", "proj", "left", "right", "up", "down"]

# ---------------------------------------------------------------------- inputs


def _draw_relu(rng: np.random.Generator) -> dict[str, Any]:
    """Numbers of both signs with a zero among them, where there is more than one."""

    def case(shape: tuple[int, ...]) -> dict[str, Any]:
        x = np.array(signed(rng, shape))
        if x.size > 1:
            x.flat[rng.choice(x.size, 3 if x.size > 4 else 1, replace=False)] = [0.0, -0.5, 0.7][
                : 3 if x.size > 4 else 1
            ]
        return {"x": x.tolist(), "above": signed(rng, shape)}

    zeros = {"x": special(rng), "above": special(rng)}
    positive = {"x": rng.uniform(0.5, 2.0, 3).tolist(), "above": signed(rng, (3,))}
    return {"Relu": [zeros, positive, *(case(shape) for shape in ((3, 4), (5,), (2, 1, 3), *SHAPES[1:], ()))]}


def _draw_registration(rng: np.random.Generator) -> dict[str, Any]:
    shapes = [(3,), (2, 3), (1, 4)]
    data = [{"data": signed(rng, shape), "new": float(rng.uniform(3, 4))} for shape in shapes]
    data.append({"data": special(rng), "new": 3.5})
    names = rng.permutation(WORDS)[:6].tolist()
    return {"Parameter": data, "__setattr__": {"names": names, "values": signed(rng, (2, 3))}}


def _draw_trees(rng: np.random.Generator) -> dict[str, Any]:
    """Modules as nested data: {"own": [(name, number of a parameter or None)], "inside": [(name, module or None)]}."""

    def tree(depth: int, pool: list[int]) -> dict[str, Any]:
        names = rng.permutation(WORDS).tolist()
        own = [[names.pop(), pool.pop()] for _ in range(int(rng.integers(1, 3)))]
        inside = [[names.pop(), tree(depth - 1, pool)] for _ in range(2)] if depth else []
        return {"own": own, "inside": inside}

    flat, deep = tree(0, list(range(40))), tree(2, list(range(40)))
    same_names = {
        "own": [],
        "inside": [[n, {"own": [["w", i], ["b", i + 5]], "inside": []}] for i, n in enumerate("uv")],
    }
    tied = tree(1, list(range(40)))
    tied["own"].append(["again", tied["own"][0][1]])
    tied["inside"][1][1]["own"].append(["tied", tied["inside"][0][1]["own"][0][1]])
    without = tree(1, list(range(40)))
    without["inside"][0][1]["own"].insert(0, ["bias", None])
    shared = {"own": [], "inside": [[n, {"own": [[n * 2, 3]], "inside": []}] for n in "pq"]}
    taken_out = {"own": [["w", 0]], "inside": [["sub", None], ["last", tree(1, list(range(1, 40)))]]}
    # Numbers that are 40 apart stand for parameters of equal value, the larger ones of two numbers each, or frozen.
    alike = {
        "own": [["a", 1], ["b", 41], ["c", 81], ["d", 121]],
        "inside": [["e", {"own": [["a", 161]], "inside": []}]],
    }
    return {"named_parameters": [flat, same_names, deep, tied, without, shared, taken_out, alike]}


def _draw_starts(rng: np.random.Generator) -> list[dict[str, Any]]:
    few, some, many, other = (int(rng.integers(*ends)) for ends in ((15, 40), (30, 90), (200, 400), (5, 80)))
    cases = [{"shape": [300, few], "fan_in": few}, {"shape": [20, many], "fan_in": many}]
    cases += [{"shape": [4000], "fan_in": other}, {"shape": [200, some], "fan_in": some}]
    return [{**case, "seed": int(rng.integers(1, 10**6))} for case in cases]


def _sizes(rng: np.random.Generator, how_many: int, low: int = 2, high: int = 6) -> list[int]:
    """Sizes that differ from each other."""
    return [int(n) for n in rng.permutation(np.arange(low, high + how_many))[:how_many]]


def _draw_linear(rng: np.random.Generator) -> dict[str, Any]:
    def case(shape: tuple[int, ...], bias: bool, sizes: tuple[int, ...] = ()) -> dict[str, Any]:
        n, m = sizes or _sizes(rng, 2)
        weights = {"weight": signed(rng, (m, n)), **({"bias": signed(rng, (m,))} if bias else {})}
        x, above = signed(rng, (*shape, n)), signed(rng, (*shape, m))
        return {"sizes": [n, m], "bias": bias, "weights": weights, "x": x, "above": above}

    shapes = [((4,), True), ((1,), True), ((2, 3), True), ((), True), ((3,), False)]
    weights = {"weight": special(rng, (2, 4)), "bias": [0.0, 1.0]}
    zeros = {
        "sizes": [4, 2],
        "bias": True,
        "weights": weights,
        "x": special(rng, (2, 4)),
        "above": special(rng, (2, 2)),
    }
    single = [case((3,), True, (1, 4)), case((3,), True, (4, 1))]
    return {"fan_in_uniform_": _draw_starts(rng), "Linear": [*(case(*one) for one in shapes), zeros, *single]}


def _draw_networks(rng: np.random.Generator) -> dict[str, Any]:
    def case(rows: int, **sizes: int) -> dict[str, Any]:
        n, h, m = sizes.get("n", 0), sizes.get("h", 0), sizes.get("m", 0)
        shapes = {"first.weight": (h, n), "first.bias": (h,), "second.weight": (m, h), "second.bias": (m,)}
        weights = {name: signed(rng, shape) for name, shape in shapes.items()}
        return {"sizes": [n, h, m], "weights": weights, "x": signed(rng, (rows, n)), "y": signed(rng, (rows, m))}

    drawn = [dict(zip("nhm", _sizes(rng, 3))) for _ in range(3)]
    zeros = {**case(1, n=4, h=2, m=4), "x": special(rng, (1, 4))}
    zeros["weights"] |= {"first.weight": special(rng, (2, 4)), "second.weight": special(rng, (4, 2))}
    others = [case(5, n=3, h=6, m=2), *(case(int(rng.integers(2, 7)), **sizes) for sizes in drawn)]
    others += [case(3, n=1, h=4, m=2), case(3, n=3, h=4, m=1)]  # one input, one output
    return {"TwoLayers": [zeros, *others]}


def _draw_digits(rng: np.random.Generator) -> dict[str, Any]:
    def scores(rows: int, classes: int) -> dict[str, Any]:
        right = rng.integers(0, classes, rows).tolist()
        return {"z": signed(rng, (rows, classes)), "y": right, "factor": signed(rng)}

    losses = [scores(*shape) for shape in ((5, 10), (4, 3), (1, 4), (3, 2), (6, 2))]
    losses.append({**scores(3, 4), "z": special(rng, (3, 4))})
    losses.append({**scores(2, 3), "z": [[1000.0, 0.0, -1000.0], [-800.0, 900.0, 900.0]], "y": [1, 0]})
    losses.append({**scores(2, 3), "z": [[1000.0, 999.0, 0.0], [-1000.0, -999.0, -998.5]], "y": [1, 0]})  # far apart

    def data(rows: int, columns: int, size: int) -> dict[str, Any]:
        values = {
            name: signed(rng, shape) for name, shape in (("x", (rows, columns)), ("y", (rows,)), ("w", (columns,)))
        }
        return {**values, "size": size, "lr": float(rng.uniform(0.02, 0.1))}

    zeros = {**data(5, 4, 2), "x": special(rng, (5, 4)), "w": special(rng)}
    passes = [zeros, data(6, 2, 2), data(7, 3, 3), data(4, 2, 4), data(3, 2, 5), data(4, 1, 1)]
    passes.append({**data(4, 2, 2), "before": signed(rng, (2,))})  # a gradient that is there already
    # Steps too large: the losses grow.
    rising = {"x": [[1.5, -1.0]] * 12, "y": [-1.0] * 12, "lr": float(rng.uniform(0.3, 0.5))}
    return {"cross_entropy": losses, "epoch": [*passes, {**data(12, 2, 2), **rising}]}


# ---------------------------------------------------------------------- probes


def probe_relu(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Apply relu, then ask its node for the vector-Jacobian product of a gradient from above."""
    import numpy as np

    asked = []
    for case in inputs:
        x = torch.tensor(case["x"], dtype=torch.float64, requires_grad=True)
        what = f"x.relu() on shape {tuple(x.shape)}" if x.ndim else "x.relu() on a single number"
        result = x.relu()
        yield f"the result of {what}", result
        yield f"the input x itself, after {what}", x.detach()
        apart = not np.shares_memory(result.detach().numpy(), x.detach().numpy())
        yield f"the result of {what} is a new array", apart
        asked.append((what, result, case["above"]))
    for what, result, values in asked:  # when all is recorded: a node remembers its own result
        with torch.no_grad():
            grad = result.grad_fn(torch.tensor(values, dtype=torch.float64))
        yield f"the gradient of x in {what}", grad[0] if isinstance(grad, tuple | list) else grad


def probe_registration(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Make parameters; then assign parameters, modules and other things to a module, and look where they are."""
    Module, Parameter = torch.nn.Module, torch.nn.Parameter  # noqa: N806
    if part == "Parameter":
        for case in inputs:
            data = torch.tensor(case["data"], dtype=torch.float64)
            with torch.no_grad():
                parameter = Parameter(data)
            place = f"Parameter(data) for data of shape {tuple(data.shape)}"
            yield place, parameter
            yield f"Parameter(data, requires_grad=False) for data of shape {tuple(data.shape)}", Parameter(data, False)
            yield "a Parameter is a Tensor", isinstance(parameter, torch.Tensor)
            data[0] = case["new"]
            yield f"{place}, after data[0] was changed in place", parameter
            parameter = Parameter(torch.tensor(case["data"], dtype=torch.float64))
            (parameter * parameter).sum().backward()
            yield f"{place}: its .grad after a backward pass", parameter.grad
        return

    def outcome(action: Any, worded: bool = False) -> str:
        """The type of the error that the action raises; with its message, where torch has none that could differ."""
        try:
            action()
        except NotImplementedError:
            raise  # a part that is not done is not an outcome
        except Exception as error:
            kind = type(error).__name__
            endless = isinstance(error, RecursionError)  # whose message hangs on where the stack happens to be full
            return f"{kind}: {error}" if worded and not endless else kind
        return "no error"

    def listed(names: Any) -> str:
        return " ".join(name if isinstance(name, str) else f"(a {type(name).__name__})" for name in names)

    weight, bias, inner, rate, plain, layers = inputs["names"]
    first, second, third = (Parameter(torch.tensor(inputs["values"], dtype=torch.float64)) for _ in range(3))
    kind = type("Network", (Module,), {})  # as every network is: its class is a subclass
    own = type("Weight", (Parameter,), {})
    module, child = Module(), kind()
    child.register_parameter("below", Parameter(torch.ones(2)))  # which stay the child's
    child.add_module("deeper", Module())
    first = own(first)
    yield "self.x = a number raises no error", outcome(lambda: setattr(module, rate, 0.5), worded=True)
    yield "self.x = a Parameter raises no error", outcome(lambda: setattr(module, weight, first), worded=True)
    setattr(module, inner, child)
    setattr(module, bias, second)
    setattr(module, plain, torch.ones(3))
    setattr(module, layers, [Module(), first])
    yield "self._parameters holds the parameters, by their names, and nothing else", listed(module._parameters)
    yield "self._modules holds the modules, by their names, and nothing else", listed(module._modules)
    ordinary = [name for name in inputs["names"] if name in vars(module)]
    place = "numbers, plain tensors and lists are ordinary attributes, and parameters and modules are none"
    yield place, " ".join(ordinary)
    yield "self.x is the very Parameter that was assigned to it", getattr(module, weight, None) is first
    yield "self.x is the very module that was assigned to it", getattr(module, inner, None) is child
    yield "self.x is the number that was assigned to it", getattr(module, rate, None) == 0.5
    setattr(module, weight, third)
    yield "self.x is the new Parameter after a second assignment", getattr(module, weight, None) is third
    setattr(module, bias, None)
    yield "self.x is None after self.x = None, where it was a Parameter", getattr(module, bias, 0) is None
    yield "self._parameters holds no Parameter under x after self.x = None", module._parameters.get(bias) is None
    setattr(module, rate, second)
    yield "self.x is a Parameter where it was a number before", getattr(module, rate, None) is second
    tensor = torch.ones(2, 3)
    yield "self.x = a plain tensor is refused where x is a Parameter", outcome(lambda: setattr(module, weight, tensor))

    class Noting(torch.nn.Module):
        def set_other(self, name: str, value: Any) -> None:
            if isinstance(value, Module | Parameter):
                handed.append(name)
            super().set_other(name, value)

    handed: list[str] = []
    noting = Noting()
    setattr(noting, weight, third)
    setattr(noting, inner, kind())
    yield "set_other is not asked to store a Parameter or a Module", not handed
    frozen = Parameter(torch.tensor(inputs["values"], dtype=torch.float64), False)
    setattr(noting, bias, frozen)
    yield "self._parameters holds a frozen Parameter, too", noting._parameters.get(bias) is frozen
    private, within = f"_{bias}", Module()
    setattr(noting, private, third)
    setattr(noting, f"_{inner}", within)
    kept = noting._parameters.get(private) is third and noting._modules.get(f"_{inner}") is within
    yield "a Parameter and a Module whose names begin with an underscore are held, too", kept

    class Forgetful(torch.nn.Module):
        def __init__(self) -> None:
            self.x = first

    yield "a Parameter is refused before super().__init__() was called", outcome(Forgetful)


def probe_trees(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Build each tree of modules, and ask for the names of its parameters."""

    def build(tree: Any, parameters: Any) -> Any:
        module = torch.nn.Module()
        for name, number in tree["own"]:
            if number is None:
                module.register_parameter(name, None)
            else:
                values = torch.tensor([float(number % 40)] * 2 if number >= 80 else float(number % 40)).double()
                own = parameters.setdefault(number, torch.nn.Parameter(values, number < 120))
                module.register_parameter(name, own)
        for name, inside in tree["inside"]:
            module.add_module(name, inside and build(inside, parameters))
        return module

    def draw(tree: Any, met: dict[Any, str]) -> str:
        own = [
            f"{name}={met[number]}" if number in met else met.setdefault(number, name) for name, number in tree["own"]
        ]
        below = [name + (draw(inside, met) if inside else "=None") for name, inside in tree["inside"]]
        return f"{{{', '.join(own + below)}}}"

    calls: dict[str, dict[str, Any]] = {
        "": {},
        "a second time ": {},
        "with prefix='net' ": {"prefix": "net"},
        "with recurse=False ": {"recurse": False},
    }
    for tree in inputs:
        module, place = build(tree, {}), f"the module {draw(tree, {None: 'None'})}"[:140]
        for how, settings in calls.items():
            call = f"named_parameters() called {how}on {place}"
            found = list(module.named_parameters(**settings))
            pairs = all(isinstance(one, tuple) and isinstance(one[0], str) for one in found)
            yield f"{call} yields pairs of a name and a parameter", pairs
            yield f"{call} gives torch's names", " ".join(name for name, _ in found)[:200]
            values = [-1.0 if parameter is None else parameter.sum().item() for _, parameter in found]
            yield f"the parameters of {call}, by their values", " ".join(f"{value:g}" for value in values)
        yield f"the number of parameters of {place}", len(list(module.parameters()))


def probe_linear(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Starting values: how they are spread, for they are random. A layer: its parameters, forward and backward."""
    import numpy as np

    for case in inputs if part == "fan_in_uniform_" else ():
        torch.manual_seed(case["seed"])
        shape, limit = tuple(case["shape"]), case["fan_in"] ** -0.5
        tensor = torch.full(shape, 7.0, dtype=torch.float64).requires_grad_()
        what = f"for a tensor of shape {shape} and fan_in={case['fan_in']}"
        returned = given["fan_in_uniform_"](tensor, case["fan_in"])
        yield f"the tensor itself is filled and returned, {what}", returned is tensor
        yield f"the tensor is still a leaf that requires grad, {what}", tensor.is_leaf and tensor.requires_grad
        values = np.asarray(tensor.detach().numpy())
        sizes = np.abs(values) / limit
        yield f"no starting value is larger than 1/√fan_in, {what}", bool(sizes.max() <= 1 + 1e-6)
        yield f"the largest starting values come close to 1/√fan_in, {what}", bool(sizes.max() > 0.99)
        yield f"half of the starting values are negative, {what}", bool(abs((values < 0).mean() - 0.5) < 0.1)
        yield (
            f"half of the starting values are smaller than half of 1/√fan_in, {what}",
            bool(abs((sizes < 0.5).mean() - 0.5) < 0.1),
        )
        quarters = [abs((sizes < part).mean() - part) for part in (0.25, 0.75)]
        yield f"each quarter of the way to 1/√fan_in has as many starting values, {what}", bool(max(quarters) < 0.05)
        yield f"most starting values are not larger than 1/√fan_in, {what}", bool((sizes <= 1).mean() > 0.5)
        other = given["fan_in_uniform_"](torch.zeros(shape, dtype=torch.float64), case["fan_in"])
        yield f"two layers start with different values, {what}", not np.allclose(other.detach().numpy(), values)
        yield f"the starting values themselves, {what}", {"drawn": values.copy()}

    if part == "Linear":  # so many that the largest are near the limit, and more outputs than inputs
        asked: list[str] = []

        class Large(torch.nn.Linear):
            def reset_parameters(self, asked: Any = asked) -> None:
                asked[:] = [name for name, _ in self.named_parameters()]
                with torch.no_grad():
                    for parameter in self.parameters():
                        parameter.zero_().add_(0.125)  # which shows whether they are filled otherwise afterwards

        for name, parameter in Large(20, 400).named_parameters():
            values = np.asarray(parameter.detach().numpy())
            largest = np.abs(values).max() / np.float64(20) ** -0.5
            place = f"the starting values of the {name} of Linear(20, 400) reach from -1/√20 to 1/√20, and no further"
            yield place, bool((name in asked and (values == 0.125).all()) or 0.9 < largest <= 1 + 1e-6)

    for case in inputs if part == "Linear" else ():
        ready: list[str] = []

        class Watched(torch.nn.Linear):
            def reset_parameters(self, ready: Any = ready) -> None:
                ready[:] = [name for name, _ in self.named_parameters()]  # how they start is the other part's

        (n, m), bias = case["sizes"], case["bias"]
        what = f"Linear({n}, {m}{'' if bias else ', bias=False'})"
        layer = Watched(n, m) if bias else Watched(n, m, bias=False)
        yield f"the in_features of {what} are {n}", getattr(layer, "in_features", n) == n
        names = [name for name, _ in layer.named_parameters()]
        yield f"{what} has the parameters weight{' and bias' if bias else ', and no bias'}", " ".join(names)
        yield f"the bias of {what} is {'a Parameter' if bias else 'None'}", (layer.bias is not None) == bias
        for name, parameter in layer.named_parameters():
            yield f"the {name} of {what}", torch.zeros(*parameter.shape)  # its shape, whatever it starts with
            values = np.asarray(parameter.detach().numpy())
            filled = name in ready or values.size == 1 or bool(np.ptp(values) > 0)  # how far they reach was asked above
            yield f"{what} fills its {name} with starting values when it is made", filled
        layer = layer.double()
        with torch.no_grad():
            for name, parameter in layer.named_parameters():
                parameter.copy_(torch.tensor(case["weights"][name], dtype=torch.float64))
        x = torch.tensor(case["x"], dtype=torch.float64, requires_grad=True)
        out = layer(x)
        yield f"the result of {what} on shape {tuple(x.shape)}", out
        out.backward(torch.tensor(case["above"], dtype=torch.float64))
        yield f"x.grad after {what} on shape {tuple(x.shape)}", x.grad
        for name, parameter in layer.named_parameters():
            yield f"the gradient of {name} after {what} on shape {tuple(x.shape)}", parameter.grad


def probe_networks(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """A network of two layers on drawn sizes and weights: its names, its output, the gradient of each parameter."""
    for case in inputs:
        what = f"TwoLayers({', '.join(map(str, case['sizes']))})"
        net = given["TwoLayers"](*case["sizes"])
        names = " ".join(name for name, _ in net.named_parameters())
        yield f"the parameters of {what} are first.weight, first.bias, second.weight and second.bias", names
        x = torch.tensor(case["x"])
        out, again = net(x), net(x)
        yield f"{what} returns a Tensor", isinstance(out, torch.Tensor)
        yield f"{what} gives the same output when it is run again on the same x", bool((out == again).all())
        net = net.double()
        parameters = dict(net.named_parameters())
        with torch.no_grad():
            for name, value in case["weights"].items():
                yield f"the {name} of {what}", torch.zeros(*parameters[name].shape)  # its shape
                parameters[name].copy_(torch.tensor(value, dtype=torch.float64))
        x = torch.tensor(case["x"], dtype=torch.float64, requires_grad=True)
        y = torch.tensor(case["y"], dtype=torch.float64)
        out = net(x)
        yield f"the output of {what}", out
        ((out - y) * (out - y)).mean().backward()
        for name, parameter in net.named_parameters():
            yield f"the gradient of {name} after a backward pass through {what}", parameter.grad
        yield f"x.grad after a backward pass through {what}", x.grad


def probe_digits(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """The loss and its gradient; or an epoch, with a net, a loss and an optimizer of the probe's own."""
    import numpy as np

    for case in inputs if part == "cross_entropy" else ():
        z = torch.tensor(case["z"], dtype=torch.float64, requires_grad=True)
        y = torch.tensor(case["y"])
        large = ", with scores up to 1,000" if abs(z.detach()).max().item() > 100 else ""
        place = f"cross_entropy(z, y) for z of shape {tuple(z.shape)}{large}"
        with calls_of(torch.nn.functional, "cross_entropy", "nll_loss") as calls:
            loss = given["cross_entropy"](z, y)
        real = type(loss) is torch.Tensor  # whatever passes for one may work the loss out later
        yield f"{place} returns a Tensor", real
        nodes = [loss.grad_fn] if real and loss.grad_fn is not None else []
        for node in nodes:  # which grows
            nodes += [below for below, _ in node.next_functions if below is not None and below not in nodes]
        ready = calls or any(node.name().startswith("NllLoss") for node in nodes)
        yield f"{place} does without functional.cross_entropy and functional.nll_loss", not ready
        yield f"the result of {place}", loss.detach() if real else loss
        if not real:
            return
        (loss * case["factor"]).backward()
        yield f"the gradient of z in {place}", z.grad

    class Descent:
        """Plain gradient descent, that hangs on no exercise."""

        def __init__(self, params: Any, lr: float) -> None:
            self.param_groups, self.lr, self.steps = [{"params": params, "lr": lr}], lr, 0

        def zero_grad(self, set_to_none: bool = True) -> None:
            for p in self.param_groups[0]["params"]:
                p.grad = None

        def step(self) -> None:
            self.steps += 1
            with torch.no_grad():
                for p in self.param_groups[0]["params"]:
                    if p.grad is not None:
                        p -= self.lr * p.grad

    for case in inputs if part == "epoch" else ():
        x, y, w = (torch.tensor(case[n], dtype=torch.float64, requires_grad=n == "w") for n in "xyw")
        asked: list[Any] = []

        def net(rows: Any, w: Any = w) -> Any:
            return rows @ w

        def loss_of(out: Any, rows: Any, asked: Any = asked, w: Any = w) -> Any:
            asked.append((tuple(out.shape)[0], w.detach().numpy().copy()))
            return ((out - rows) ** 2 * (1 + rows**2)).mean()  # not the same with its arguments swapped

        place = f"epoch(…, size={case['size']}) on {len(case['x'])} row{'s' * (len(case['x']) != 1)}"
        if "before" in case:
            w.grad = torch.tensor(case["before"], dtype=torch.float64)
            place += " with a gradient from before"
        optimizer = Descent([w], case["lr"])
        losses = given["epoch"](net, loss_of, optimizer, x, y, case["size"])
        yield f"{place} returns something", losses is not None
        yield f"{place} returns a list", type(losses).__name__
        if isinstance(losses, list):
            yield f"no loss that {place} returns is a tensor", not any(isinstance(one, torch.Tensor) for one in losses)
            plain = all(isinstance(one, int | float | np.generic) for one in losses)
            yield f"the losses of {place} are Python numbers", plain
        yield f"the rows in each batch of {place}", " ".join(str(rows) for rows, _ in asked)
        yield f"the number of steps of {place}", optimizer.steps
        if isinstance(losses, list) and plain:
            yield f"the list of losses of {place}", np.array(losses, dtype=float)
        yield f"w at the end of {place}", w.detach()
        for number, (_, values) in enumerate(asked, start=1):
            yield f"w when the loss is computed for the {number}. time, in {place}", values


# ---------------------------------------------------------------------- what torch, or minigrad, answers


def twin_starts(torch: Any) -> dict[str, Any]:
    """A layer's starting values, by torch's own uniform numbers."""

    def fan_in_uniform_(tensor: Any, fan_in: int) -> Any:
        return torch.nn.init.uniform_(tensor, -(fan_in**-0.5), fan_in**-0.5)

    return {"fan_in_uniform_": fan_in_uniform_}


def twin_networks(torch: Any) -> dict[str, Any]:
    """The two layers as modules of torch, or of minigrad."""

    class TwoLayers(torch.nn.Module):
        def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
            super().__init__()
            self.first = torch.nn.Linear(inputs, hidden)
            self.second = torch.nn.Linear(hidden, outputs)

        def forward(self, x: Any) -> Any:
            return self.second(self.first(x).relu())

    return {"TwoLayers": TwoLayers}


def twin_digits(torch: Any) -> dict[str, Any]:
    """The loss from torch's softmax, and the loop around it."""

    def cross_entropy(z: Any, y: Any) -> Any:
        return -z.log_softmax(1)[torch.arange(len(y)), y].mean()

    def epoch(net: Any, loss: Any, optimizer: Any, x: Any, y: Any, size: int) -> list[float]:
        losses = []
        for rows, right in zip(x.split(size), y.split(size)):
            optimizer.zero_grad()
            one = loss(net(rows), right)
            one.backward()
            optimizer.step()
            losses.append(one.item())
        return losses

    return {"cross_entropy": cross_entropy, "epoch": epoch}


# ---------------------------------------------------------------------- the exercises

EXERCISES = (
    Exercise(
        "relu",
        8,
        "ReLU",
        {"Relu": 2},
        _draw_relu,
        probe_relu,
        tried={"Relu": Tried("out = x.relu()\nout, out.grad_fn.backward(above)", leaves="x", arrays="above")},
    ),
    Exercise(
        "registration",
        8,
        "Parameters that are found",
        {"Parameter": 1, "__setattr__": 3},
        _draw_registration,
        probe_registration,
        also=("frozen parameters",),
        without=dict.fromkeys(
            ("a zero", "a one", "a tie", "a single number", "an axis of length 1"),
            "where something is kept does not depend on its numbers",
        ),
        agrees={"Parameter": "the same as torch.nn", "__setattr__": "the same as torch.nn"},
        tried={"Parameter": Tried("minigrad.nn.Parameter(data)", tensors="data")},
    ),
    Exercise(
        "names",
        8,
        "Names",
        {"named_parameters": 4},
        _draw_trees,
        probe_trees,
        without=dict.fromkeys(
            ("a zero", "a one", "a negative number", "a tie", "a single number", "an axis of length 1"),
            "a name does not depend on numbers; shapes and equal values are among the trees",
        ),
        agrees={"named_parameters": "the same as torch.nn"},
    ),
    Exercise(
        "linear",
        8,
        "Linear",
        {"fan_in_uniform_": 2, "Linear": 3},
        _draw_linear,
        probe_linear,
        twin_starts,
        without={
            "a single number": "the inputs are vectors",
            "a zero": "starting values are drawn, not given",
            "a one": "starting values are drawn, not given",
            "a negative number": "starting values are drawn, not given",
            "a tie": "starting values are drawn, not given",
            "an axis of length 1": "starting values are drawn, not given",
        },
        agrees={"fan_in_uniform_": "the same spread as torch.nn.init's"},
    ),
    Exercise(
        "two-layer-network",
        8,
        "A two-layer network",
        {"TwoLayers": 4},
        _draw_networks,
        probe_networks,
        twin_networks,
        without={"a single number": "the inputs are matrices"},
    ),
    Exercise(
        "digits",
        8,
        "Digits",
        {"cross_entropy": 2, "epoch": 3},
        _draw_digits,
        probe_digits,
        twin_digits,
        also=("a large number", "a loss that rises"),
        tried={
            "cross_entropy": Tried(
                "loss = cross_entropy(z, y)\n(loss * factor).backward()\nloss, z.grad", leaves="z", tensors="y"
            )
        },
    ),
)
