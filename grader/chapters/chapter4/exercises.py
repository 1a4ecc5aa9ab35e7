"""Chapter 4, a one-layer network: products of matrices, the sigmoid, a loss that never overflows, the BCE exercise."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ask.exercise import Exercise
from ...ask.heard import at_once, halved, working_by_hand
from ...ask.operations import signed, special
from ...ask.tried import Tried

# Square first: there nothing complains about a forgotten transpose.
PRODUCTS: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((3, 3), (3, 3)),
    ((2, 4), (4, 3)),
    ((4,), (4, 3)),
    ((3, 4), (4,)),
    ((4,), (4,)),
    ((2, 3, 4), (2, 4, 5)),
    ((3, 4), (2, 4, 5)),
    ((2, 3, 4), (4,)),
    ((3,), (2, 3, 2)),
]
EXTREMES = [-1000.0, -100.0, 0.0, 100.0, 1000.0]
LOSSES: list[tuple[tuple[int, ...], str]] = [
    ((3,), "mean"),
    ((4, 3), "mean"),
    ((1, 2), "sum"),
    ((2, 3), "none"),
    ((), "mean"),
]


# ---------------------------------------------------------------------- inputs


def _draw_products(rng: np.random.Generator) -> dict[str, Any]:
    def case(x: tuple[int, ...], y: tuple[int, ...], **more: Any) -> dict[str, Any]:
        above = signed(rng, (np.zeros(x) @ np.zeros(y)).shape)
        return {"x": signed(rng, x), "y": signed(rng, y), "above": above, **more}

    cases = [case(x, y) for x, y in PRODUCTS]
    cases += [case((1, 4), (4, 3), constant="x"), case((4,), (4, 3), constant="y"), case((3, 3), (3, 3), twice=True)]
    cases.append({"x": special(rng, (2, 4)), "y": special(rng, (4, 3)), "above": special(rng, (2, 3))})
    return {"MatMul": cases}


def _draw_sigmoid(rng: np.random.Generator) -> dict[str, Any]:
    shapes: list[tuple[int, ...]] = [(3,), (2, 3), (), (1, 4)]
    cases = [{"x": signed(rng, s), "above": signed(rng, s)} for s in shapes]
    return {
        "Sigmoid": [*cases, {"x": EXTREMES, "above": signed(rng, (5,))}, {"x": special(rng), "above": special(rng)}]
    }


def _draw_softplus(rng: np.random.Generator) -> dict[str, Any]:
    shapes: list[tuple[int, ...]] = [(3,), (2, 3), (1, 4), ()]
    cases = [signed(rng, s) for s in shapes]
    cases.append([float(rng.uniform(20.2, 21.5)), *signed(rng, (2,))])  # large, and yet not all of its own softplus
    cases += [[], special(rng), (30 * np.array(signed(rng, (6,)))).tolist(), EXTREMES]
    cases.append((-rng.uniform(38, 90, 3)).tolist())  # 1 + exp(z) is 1 there
    return {"softplus": [{"z": case} for case in cases]}


def _draw_losses(rng: np.random.Generator) -> dict[str, Any]:
    cases: list[dict[str, Any]] = []
    for shape, reduction in LOSSES:
        targets = [rng.integers(0, 2, shape).astype(float).tolist(), rng.uniform(0, 1, shape).tolist()]
        above = signed(rng, shape if reduction == "none" else ())
        cases.append({"z": signed(rng, shape), "y": targets[len(cases) % 2], "above": above, "reduction": reduction})
    for reduction, above in (("none", signed(rng, (5,))), ("mean", signed(rng))):
        target = rng.uniform(0, 1, 5).tolist()
        cases.append({"z": EXTREMES, "y": target, "above": above, "reduction": reduction})
    zeros = {"z": special(rng), "y": rng.permutation([0.0, 1.0, 1.0, 0.5]).tolist(), "above": special(rng)}
    return {"BinaryCrossEntropyWithLogits": [*cases, {**zeros, "reduction": "none"}]}


def _network(rng: np.random.Generator, rows: tuple[int, ...], inputs: int, outputs: int) -> Any:
    """Inputs x, targets y, and a layer's w and b: logits are about 1."""
    x, w, b = signed(rng, (*rows, inputs)), np.array(signed(rng, (inputs, outputs))), signed(rng, (outputs,))
    y = rng.integers(0, 2, (*rows, outputs)).astype(float).tolist()
    return {"x": x, "y": y, "w": (w / inputs).tolist(), "b": b}


def _extreme_network(rng: np.random.Generator, rows: tuple[int, ...]) -> Any:
    """The same of 5 inputs and 3 outputs; each example has logits between 800 and 1002 in size, of either sign."""
    x, w = rng.uniform(0.9, 1.0, (*rows, 5)), rng.uniform(0.9, 1.0, (5, 3))
    return {**_network(rng, rows, 5, 3), "x": x.tolist(), "w": (w / 5 * [1000.0, -1000.0, 1000.0]).tolist()}


def _draw_networks(rng: np.random.Generator) -> dict[str, Any]:
    first = {**_network(rng, (), 5, 3), "x": [1.0] * 5, "y": [0.0] * 3}
    cases = [_network(rng, (), 4, 4), _network(rng, (), 7, 2), _network(rng, (), 3, 1)]
    batches = [_network(rng, (4,), 5, 3), _network(rng, (6,), 2, 4)]
    cases.append({**_network(rng, (), 4, 4), "x": special(rng)})
    batches += [_network(rng, (3,), 1, 2), _network(rng, (3,), 2, 1), _network(rng, (1,), 3, 2)]  # one of a kind
    return {"one_layer": [first, *cases, *batches, _extreme_network(rng, ()), _extreme_network(rng, (4,))]}


def _draw_by_hand(rng: np.random.Generator) -> dict[str, Any]:
    first = {**_network(rng, (), 5, 3), "x": [1.0] * 5, "y": [0.0] * 3}
    sizes = [(5, 3), (4, 4), (7, 2), (3, 1), (1, 4)]
    zeros = {**_network(rng, (), 4, 4), "x": special(rng)}
    return {
        "layer_by_hand": [
            first,
            zeros,
            _extreme_network(rng, ()),
            *(_network(rng, (), inputs, outputs) for inputs, outputs in sizes),
        ]
    }


# ---------------------------------------------------------------------- probes


def probe_products(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Multiply, send a gradient from above back, and look at the leaves' gradients."""
    for case in inputs:
        leaves = {name: torch.tensor(case[name], dtype=torch.float64, requires_grad=True) for name in "xy"}
        if "constant" in case:
            leaves[case["constant"]].requires_grad_(False)
        if case.get("twice"):
            leaves["y"] = leaves["x"]
        x, y = leaves["x"], leaves["y"]
        place = "x @ x on shape" if case.get("twice") else f"x @ y on shapes {tuple(x.shape)} and"
        place = f"{place} {tuple(y.shape)}"
        result = x @ y
        yield f"the result of {place}", result
        result.backward(torch.tensor(case["above"], dtype=torch.float64))
        for name, leaf in leaves.items():
            if name == "x" or not case.get("twice"):
                without = " (which needs none)" if name == case.get("constant") else ""
                yield f"the gradient of {name}{without} in {place}", leaf.grad


def probe_sigmoid(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Apply the sigmoid, then ask its node for the vector-Jacobian product of a gradient from above."""
    import numpy as np

    asked = []

    for case in inputs:
        x = torch.tensor(case["x"], dtype=torch.float64, requires_grad=True)
        place = f"x.sigmoid() on shape {tuple(x.shape)}"
        if x.detach().numpy().max(initial=0) > 50:
            place = "x.sigmoid() at numbers up to ±1000"
        with np.errstate(all="ignore"):  # NumPy warns of an overflow; the numbers show it, too
            result = x.sigmoid()
        yield f"the result of {place}", result
        asked.append((place, x, result, case["above"]))
    for place, x, result, values in asked:  # when all is recorded: a node remembers its own result
        with torch.no_grad(), np.errstate(all="ignore"):
            grad = result.grad_fn(torch.tensor(values, dtype=torch.float64))
        yield f"the gradient of x in {place}", grad
        yield f"the input x itself, after {place}", x.detach()
    of_integers = torch.tensor([1, 2]).sigmoid()
    yield "integers become float32 in x.sigmoid()", str(of_integers.dtype) == "torch.float32"


def probe_softplus(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Ask softplus for arrays, moderate and extreme."""
    import numpy as np

    for case in inputs:
        z = np.array(case["z"])
        place = f"softplus(z) on shape {z.shape}"
        if abs(z).max(initial=0) > 500:
            place = "softplus(z) at numbers up to ±1000"
        with np.errstate(all="ignore"):  # NumPy warns of an overflow; the numbers show it, too
            found = given["softplus"](z)
        if z.max(initial=-np.inf) < -37:  # a number of 1e-20 is compared as a share of what it should be
            yield "the result of softplus(z) / np.exp(z) for z below -37, which is 1 to rounding", found / np.exp(z)
            continue
        yield f"the result of {place}", found
        yield f"z itself, after {place}", z


def probe_losses(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """The loss with each reduction, and the gradients of logits and targets."""
    import numpy as np

    for case in inputs:
        z = torch.tensor(case["z"], dtype=torch.float64, requires_grad=True)
        y = torch.tensor(case["y"], dtype=torch.float64, requires_grad=True)
        place = f"reduction={case['reduction']!r} on shape {tuple(z.shape)}"
        if abs(z.detach().numpy()).max() > 50:
            place = f"reduction={case['reduction']!r} at logits up to ±1000"
        with np.errstate(all="ignore"):
            loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y, reduction=case["reduction"])
        yield f"the loss with {place}", loss
        with np.errstate(all="ignore"):
            loss.backward(torch.tensor(case["above"], dtype=torch.float64))
        yield f"the gradient of z with {place}", z.grad
        yield f"the gradient of y with {place}", y.grad


def probe_networks(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """The one-layer network on one example and on batches, at moderate and at extreme logits."""
    import numpy as np

    for case in inputs:
        x, y, w, b = (torch.tensor(case[name], dtype=torch.float64) for name in "xywb")
        place = f"one_layer with x of shape {tuple(x.shape)} and w of shape {tuple(w.shape)}"
        if abs(w.numpy()).max() > 50:
            place = f"{place}, at logits up to ±1000"
        with np.errstate(all="ignore"):
            answer = given["one_layer"](x, y, w, b)
        pair = isinstance(answer, tuple | list) and len(answer) == 2
        yield "one_layer returns a pair, (z, loss)", None if answer is None else pair
        if not pair:
            return
        z, loss = answer
        found = {"z": z, "loss": loss, "w.grad": w.grad, "b.grad": b.grad, "x.grad": x.grad, "y.grad": y.grad}
        for name, value in found.items():
            yield f"the tensor {name} after {place}", value
        yield "w is still a leaf, and asks for its gradient", w.is_leaf and w.requires_grad
    x, y, w, b = (torch.tensor(inputs[-1][name], dtype=torch.float64) for name in "xywb")
    with np.errstate(all="ignore"):
        given["one_layer"](x, y, halved(torch, w), halved(torch, b))
    for name, leaf in (("w", w), ("b", b)):
        yield f"{name}.grad after one_layer, where a hook halves what a backward pass brings to {name}", leaf.grad


def probe_layer_by_hand(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """The same gradients by hand: the engine records nothing meanwhile, and is not asked."""
    import numpy as np

    for case in inputs:
        x, y, w, b = (np.array(case[name]) for name in "xywb")
        # Whoever asks the engine goes through its core; an import alone is looked at by `minigrad.surface.stand_in`.
        with np.errstate(all="ignore"), working_by_hand(torch, "minigrad.core.") as others:
            answer = at_once(given["layer_by_hand"](x, y, w, b))
        yield "layer_by_hand is NumPy alone, without the engine", not others
        pair = isinstance(answer, tuple | list) and len(answer) == 2
        yield "layer_by_hand returns a pair: the gradients of w and b", None if answer is None else pair
        if not pair:
            return
        w_grad, b_grad = answer
        place = f"from layer_by_hand with w of shape {w.shape}"
        yield f"the gradient of w {place}", w_grad
        yield f"the gradient of b {place}", b_grad
        for name, array in zip("xywb", (x, y, w, b)):
            yield f"the array {name}, which is only to be read, after layer_by_hand on shape {w.shape}", array


# ---------------------------------------------------------------------- what torch, or minigrad, answers


def twin(torch: Any) -> dict[str, Any]:
    """The functions that are no operations of torch, through autograd."""
    functional = torch.nn.functional

    def softplus(z: Any) -> Any:
        if torch.__name__ == "minigrad":  # which work by hand may call
            return np.maximum(z, 0) + np.log1p(np.exp(-abs(z)))
        z = torch.tensor(z)
        return (z.clamp(min=0) + (-z.abs()).exp().log1p()).numpy()

    def one_layer(x: Any, y: Any, w: Any, b: Any) -> tuple[Any, Any]:
        w.requires_grad_(True)
        b.requires_grad_(True)
        z = x @ w + b
        loss = functional.binary_cross_entropy_with_logits(z, y)
        loss.backward()
        return z, loss

    def layer_by_hand(*arrays: Any) -> tuple[Any, Any]:
        if torch.__name__ == "minigrad":  # where the probe hears who asks the engine
            x, y, w, b = arrays
            slope = (1 / (1 + np.exp(-(x @ w + b))) - y) / b.size
            return np.outer(x, slope), slope
        x, y, w, b = map(torch.tensor, arrays)
        with torch.enable_grad():
            one_layer(x, y, w, b)
        return w.grad.numpy(), b.grad.numpy()

    return {"softplus": softplus, "one_layer": one_layer, "layer_by_hand": layer_by_hand}


# ---------------------------------------------------------------------- cases, as a learner runs them


def try_product(case: Any) -> list[str]:
    """The product, and both gradients; of x alone, where it is both factors."""
    if case.get("twice"):
        return Tried("out = x @ x\nprint(out)\nout.backward(above)\nx.grad", leaves="x", tensors="above")(case)
    leaves = " ".join(name for name in "xy" if name != case.get("constant"))
    return Tried("out = x @ y\nprint(out)\nout.backward(above)\nx.grad, y.grad", leaves, tensors="x y above")(case)


# ---------------------------------------------------------------------- the exercises

EXERCISES = (
    Exercise(
        "matmul",
        4,
        "MatMul",
        {"MatMul": 4},
        _draw_products,
        probe_products,
        also=("the same tensor twice", "frozen parameters"),
        without={"a single number": "a product takes vectors or matrices"},
        tried={"MatMul": try_product},
    ),
    Exercise(
        "sigmoid",
        4,
        "Sigmoid",
        {"Sigmoid": 2},
        _draw_sigmoid,
        probe_sigmoid,
        also=("a large number",),
        tried={"Sigmoid": Tried("out = x.sigmoid()\nout, out.grad_fn.backward(above)", leaves="x", arrays="above")},
    ),
    Exercise(
        "softplus",
        4,
        "A loss that overflows",
        {"softplus": 2},
        _draw_softplus,
        probe_softplus,
        twin,
        also=("a large number", "nothing"),
        agrees={"softplus": "the same as torch, to rounding"},
        tried={"softplus": Tried("softplus(z)", arrays="z")},
    ),
    Exercise(
        "bce-with-logits",
        4,
        "BCE with logits",
        {"BinaryCrossEntropyWithLogits": 3},
        _draw_losses,
        probe_losses,
        twin,
        also=("a large number",),
        tried={
            "BinaryCrossEntropyWithLogits": Tried(
                "loss = F.binary_cross_entropy_with_logits(z, y, reduction=reduction)\n"
                "print(loss)\nloss.backward(above)\nz.grad, y.grad",
                leaves="z y",
                tensors="above",
            )
        },
    ),
    Exercise(
        "bce",
        4,
        "One layer",
        {"one_layer": 3},
        _draw_networks,
        probe_networks,
        twin,
        without={"a single number": "the inputs are vectors"},
        tried={
            "one_layer": Tried("z, loss = one_layer(x, y, w, b)\nz, loss, w.grad, b.grad", tensors="x y w b"),
        },
    ),
    Exercise(
        "layer-by-hand",
        4,
        "By hand",
        {"layer_by_hand": 3},
        _draw_by_hand,
        probe_layer_by_hand,
        twin,
        without={"a single number": "the inputs are vectors"},
        tried={"layer_by_hand": Tried("layer_by_hand(x, y, w, b), x, y, w, b", arrays="x y w b")},
    ),
)
