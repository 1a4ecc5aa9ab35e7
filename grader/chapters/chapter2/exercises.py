"""Chapter 2, back-propagation on multiple steps: arrays of different shapes, sums and means, two layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ask.exercise import Exercise
from ...ask.heard import arrivals, at_once, has_brought, working_by_hand
from ...ask.operations import binary, probe_operation, signed, special
from ...ask.tried import Tried, operation, tensor

# The shape of a gradient, and the shape that it should be summed to.
PAIRS = [
    ((2, 3), (2, 1)),
    ((2, 3), (1, 3)),
    ((2, 3), (3,)),
    ((4, 4), (4,)),
    ((2, 3, 4), (3, 1)),
    ((2, 3, 4), (1, 1, 4)),
    ((3, 2), (1, 1)),
    ((3, 2), ()),
    ((4,), (1,)),
    ((1, 4), (1, 1)),
    ((2, 5, 1), (2, 1, 1)),
    ((2, 0), (2, 1)),
    ((2, 0), (2, 0)),
    ((2, 3), (2, 3)),
    ((), ()),
    ((1, 1), (1,)),
]
BROADCAST = [("mul", (3, 1), (1, 4)), ("sub", (2, 3), (3,)), ("mul", (), (2, 3))]
REDUCTIONS: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((), {}),
    ((3,), {}),
    ((2, 3), {}),
    ((3, 2), {"dim": 0}),
    ((3, 2), {"dim": 1}),
    ((3, 3), {"dim": -1}),
    ((3, 3), {"dim": 0}),
    ((2, 3, 2), {"dim": 1}),
    ((2, 3, 2), {"dim": -2, "keepdim": True}),
    ((2, 5), {"dim": 1, "keepdim": True}),
    ((2, 3, 4), {"dim": [0, 2]}),
    ((1, 4), {"dim": 0, "keepdim": True}),
]


# ---------------------------------------------------------------------- inputs


def _draw_div(rng: np.random.Generator) -> dict[str, Any]:
    cases = binary("Div", "truediv")(rng)["Div"]
    return {"Div": cases[:-1]}  # without number / x: torch records that as two operations


def _draw_unbroadcast(rng: np.random.Generator) -> dict[str, Any]:
    sums = [{"grad": signed(rng, large), "shape": list(small)} for large, small in PAIRS]
    operations = []
    for op, x, y in BROADCAST:
        above = signed(rng, np.broadcast_shapes(x, y))
        operations.append({"op": op, "x": signed(rng, x), "y": signed(rng, y), "above": above})
    sums.append({"grad": special(rng, (2, 4)), "shape": [4]})
    operations.append({"op": "mul", "x": special(rng, (2, 4)), "y": special(rng), "above": special(rng, (2, 4))})
    return {"unbroadcast": {"sums": sums, "operations": operations}}


def _draw_reductions(rng: np.random.Generator) -> dict[str, Any]:
    def case(method: str, shape: tuple[int, ...], how: dict[str, Any]) -> dict[str, Any]:
        axis = how.get("dim")
        axis = tuple(axis) if isinstance(axis, list) else axis
        reduced = np.zeros(shape).sum(axis=axis, keepdims=how.get("keepdim", False)).shape
        return {"method": method, "x": signed(rng, shape), "how": how, "above": signed(rng, reduced)}

    parts = {"Sum": "sum", "Mean": "mean"}

    def cases(method: str) -> list[dict[str, Any]]:
        zeros = {**case(method, (2, 4), {"dim": 1}), "x": special(rng, (2, 4)), "above": [1.0, 0.0]}
        return [*(case(method, shape, how) for shape, how in REDUCTIONS), zeros]

    return {part: cases(method) for part, method in parts.items()}


def _layers(part: str) -> Any:
    """Draw shapes and coefficients: the numbers of the text first, then others."""

    def draw(rng: np.random.Generator) -> dict[str, Any]:
        name = "x" if part == "two_layers" else "values"  # as the learner's function calls it
        first = {name: [[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]], "coefficients": [3.0, 2.0, 2.0]}
        shapes = [(2, 3), (4,), (1, 5), (3, 2, 2), (), (int(rng.integers(2, 5)), int(rng.integers(5, 8)))]
        ones = {name: special(rng), "coefficients": [1.0, 0.0, 1.0]}
        drawn = [{name: signed(rng, s), "coefficients": signed(rng, (3,))} for s in shapes]
        none = {name: signed(rng, (3,)), "coefficients": [0.0, *signed(rng, (2,))]}  # what divides by a shows
        return {part: [first, *drawn, ones, none, {name: [0.0, 0.0], "coefficients": signed(rng, (3,))}]}

    return draw


# ---------------------------------------------------------------------- probes


def probe_unbroadcast(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Ask unbroadcast for sums, then look at operations whose operands have different shapes."""
    import operator

    import numpy as np

    for case in inputs["sums"]:
        grad, shape = np.array(case["grad"]), tuple(case["shape"])
        place = f"unbroadcast(grad, {shape}) for a grad of shape {grad.shape}"
        yield f"the result of {place}", given["unbroadcast"](grad, shape)
        yield f"the array grad itself, after {place}", grad
    for case in inputs["operations"]:
        x, y = (torch.tensor(case[name], dtype=torch.float64, requires_grad=True) for name in "xy")
        result = getattr(operator, case["op"])(x, y)
        result.backward(torch.tensor(case["above"], dtype=torch.float64))
        for name, leaf in (("x", x), ("y", y)):
            place = f"the tensor {name}.grad after {case['op']}(x, y) on shapes {tuple(x.shape)} and {tuple(y.shape)}"
            yield place, leaf.grad


def probe_reductions(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Apply a sum or a mean, then ask its node for the vector-Jacobian product of a gradient from above."""
    asked = []
    for case in inputs:
        x = torch.tensor(case["x"], dtype=torch.float64, requires_grad=True)
        how = {key: tuple(value) if isinstance(value, list) else value for key, value in case["how"].items()}
        call = f"x.{case['method']}({', '.join(f'{key}={value}' for key, value in how.items())})"
        result = getattr(x, case["method"])(**how)
        yield f"the result of {call} on shape {tuple(x.shape)}", result
        asked.append((f"{call} on shape {tuple(x.shape)}", x, result, case["above"]))
    for what, x, result, values in asked:  # when all is recorded: a node remembers its own input
        with torch.no_grad():
            grad = result.grad_fn(torch.tensor(values, dtype=torch.float64))
        yield f"the gradient of x in {what}", grad
        yield f"the input x itself, after {what}", x.detach()


def probe_two_layers(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """The two layers through the engine, on several shapes and with several coefficients."""
    import warnings

    for case in inputs:
        x = torch.tensor(case["x"], dtype=torch.float64, requires_grad=True)
        with arrivals() as arrived:
            answer = given["two_layers"](x, *case["coefficients"])
        pair = isinstance(answer, tuple | list) and len(answer) == 2
        yield "two_layers returns a pair, (y, out)", None if answer is None else pair
        if not pair:
            return
        y, out = answer
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # y.grad is looked at whether it is there or not
            found = {"y": y, "out": out, "x.grad": x.grad, "y.grad": y.grad}
        for name, value in found.items():
            yield f"the tensor {name} after two_layers on shape {tuple(x.shape)}", value
        passed = torch.__name__ != "minigrad" or has_brought(arrived, x)
        yield "a backward pass brings x its gradient, in two_layers", passed


def probe_by_hand(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """The same gradients by hand: the engine records nothing meanwhile, and is not asked."""
    import numpy as np

    for case in inputs:
        values = np.array(case["values"])
        # Whoever asks the engine goes through its core; an import alone is looked at by `minigrad.surface.stand_in`.
        with working_by_hand(torch, "minigrad.core.") as others:
            answer = at_once(given["by_hand"](values, *case["coefficients"]))
        yield "by_hand is NumPy alone, without the engine", not others
        pair = isinstance(answer, tuple | list) and len(answer) == 2
        yield "by_hand returns a pair: the gradients of x and y", None if answer is None else pair
        if not pair:
            return
        x_grad, y_grad = answer
        for name, found in (("the gradient of x", x_grad), ("the gradient of y", y_grad)):
            yield f"{name} from by_hand on shape {values.shape}", found
        yield f"the array values, which is only to be read, after by_hand on shape {values.shape}", values


# ---------------------------------------------------------------------- what torch, or minigrad, answers


def twin_unbroadcast(torch: Any) -> dict[str, Any]:
    """The sum of a gradient as autograd takes it: what an addition hands to the smaller operand."""

    def unbroadcast(grad: Any, shape: Any) -> Any:
        leaf = torch.zeros(shape, dtype=torch.float64, requires_grad=True)
        larger = leaf + torch.zeros(grad.shape, dtype=torch.float64)
        larger.backward(torch.tensor(grad))
        return leaf.grad.numpy()

    return {"unbroadcast": unbroadcast}


def twin_layers(torch: Any) -> dict[str, Any]:
    """The last two exercises through autograd."""

    def two_layers(x: Any, a: float, b: float, c: float) -> tuple[Any, Any]:
        y = a * x + b
        y.retain_grad()
        out = (c * y**2).mean()
        out.backward()
        return y, out

    def by_hand(values: Any, a: float, b: float, c: float) -> tuple[Any, Any]:
        if torch.__name__ == "minigrad":  # where the probe hears who asks the engine
            slope = 2 * c * (a * values + b) / values.size
            return a * slope, slope
        with torch.enable_grad():
            x = torch.tensor(values, requires_grad=True)
            y, _ = two_layers(x, a, b, c)
        return x.grad.numpy(), y.grad.numpy()

    return {"two_layers": two_layers, "by_hand": by_hand}


# ---------------------------------------------------------------------- cases, as a learner runs them


def try_reduction(case: Any) -> list[str]:
    """A sum or a mean, and the gradient from its node."""
    how = {name: tuple(value) if isinstance(value, list) else value for name, value in case["how"].items()}
    call = f"x.{case['method']}({', '.join(f'{name}={value}' for name, value in how.items())})"
    back = f"out.grad_fn.backward(np.array({case['above']}))"
    return [f"x = {tensor(case['x'], needs=True)}", f"out = {call}", f"out, {back}"]


# ---------------------------------------------------------------------- the exercises

EXERCISES = (
    Exercise(
        "div",
        2,
        "Div",
        {"Div": 2},
        _draw_div,
        probe_operation,
        also=("the same tensor twice",),
        tried={"Div": operation},
    ),
    Exercise(
        "unbroadcast",
        2,
        "Different shapes",
        {"unbroadcast": 4},
        _draw_unbroadcast,
        probe_unbroadcast,
        twin_unbroadcast,
        also=("nothing",),
    ),
    Exercise(
        "sum-mean",
        2,
        "Sum and Mean",
        {"Sum": 2, "Mean": 2},
        _draw_reductions,
        probe_reductions,
        tried={"Sum": try_reduction, "Mean": try_reduction},
    ),
    Exercise(
        "two-layers",
        2,
        "Two layers",
        {"two_layers": 3},
        _layers("two_layers"),
        probe_two_layers,
        twin_layers,
        tried={"two_layers": Tried("y, out = two_layers(x, *coefficients)\ny, out, x.grad, y.grad", leaves="x")},
    ),
    Exercise(
        "by-hand",
        2,
        "By hand",
        {"by_hand": 3},
        _layers("by_hand"),
        probe_by_hand,
        twin_layers,
        tried={"by_hand": Tried("by_hand(values, *coefficients), values", arrays="values")},
    ),
)
