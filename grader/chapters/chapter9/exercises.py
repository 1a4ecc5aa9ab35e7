"""Chapter 9, beyond the tutorials: second derivatives, Jacobians, LayerNorm's rule, attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ask.exercise import Exercise
from ...ask.heard import calls_of
from ...ask.operations import signed, special
from ...ask.tried import Tried

# ---------------------------------------------------------------------- inputs


def _draw_second(rng: np.random.Generator) -> dict[str, Any]:
    cases = [{"function": "polynomial", "coefficients": [5.0, 3.0, 1.0, 2.0], "x": 2.0}]
    for function in ("polynomial", "quotient", "wave", "composed"):
        for shape in [(), (3,), (2, 3), (1, 2)]:
            cases.append({"function": function, "coefficients": signed(rng, (4,)), "x": signed(rng, shape)})
    cases += [{"function": f, "coefficients": special(rng), "x": special(rng)} for f in ("polynomial", "wave")]
    return {"second_derivative": cases}


def _draw_hvp(rng: np.random.Generator) -> dict[str, Any]:
    cases = []
    for function in ("form", "cubes", "neighbours"):
        for shape in [(), (4,), (2, 3), (1, 5)]:
            size = int(np.prod(shape))
            case = {"function": function, "x": signed(rng, shape), "v": signed(rng, shape)}
            cases.append({**case, "a": signed(rng, (size, size))})
    cases += [{**cases[1], "v": special(rng)}, {**cases[1], "x": special(rng), "v": [0.0] * 4}]
    return {"hvp": cases}


def _draw_jacobians(rng: np.random.Generator) -> dict[str, Any]:
    shapes = [((3,), (2,)), ((2, 3), (4,)), ((2,), (3, 2)), ((1, 4), (2, 2, 1)), ((), ())]
    measured, derived = [], []
    for number, (x, out) in enumerate(shapes):
        n, m = int(np.prod(x)), int(np.prod(out))
        a, b = signed(rng, (m, n)), signed(rng, (m, n))
        # Large steps: what a difference misses by is then known to the last digit.
        measured.append({"x": signed(rng, x), "out": list(out), "a": a, "b": b, "eps": 2.0 ** -(number % 3 + 1)})
        derived.append({"x": signed(rng, x), "out": list(out), "a": a, "b": b})
    a, b = special(rng, (2, 4)), special(rng, (2, 4))
    measured.append({"x": special(rng), "out": [2], "a": a, "b": b, "eps": 0.5})
    derived.append({"x": special(rng), "out": [2], "a": a, "b": b})
    return {"numerical_jacobian": measured, "analytical_jacobian": derived}


def _draw_norms(rng: np.random.Generator) -> dict[str, Any]:
    cases = []
    for x, dims in [((5,), 1), ((4, 3), 1), ((2, 3, 4), 1), ((2, 2, 3), 2), ((1, 4), 1)]:
        row = x[-dims:]
        values = {name: signed(rng, row) for name in ("weight", "bias")}
        values |= {name: signed(rng, x) for name in ("x", "above", "along")}
        cases.append({**values, "dims": dims, "eps": float(rng.uniform(0.1, 0.5))})
    cases.append({**cases[1], "x": (np.array(cases[1]["x"]) * 1e-3).tolist(), "eps": 1e-5})
    zeros = {name: special(rng) for name in ("weight", "bias")} | {"dims": 1, "eps": 0.5}
    cases.append(zeros | {name: special(rng, (3, 4)) for name in ("x", "above", "along")})
    # Numbers far from 0 that differ little. They have few digits, so that their mean is exact.
    case = {name: signed(rng, (8,)) for name in ("weight", "bias")}
    case |= {name: signed(rng, (2, 8)) for name in ("above", "along")}
    far = 2.0**15 + np.round(np.array(signed(rng, (2, 8))) * 2**16) / 2**16
    cases.append({**case, "x": far.tolist(), "dims": 1, "eps": float(rng.uniform(0.1, 0.5))})
    return {"NativeLayerNorm": cases}


def _draw_attention(rng: np.random.Generator) -> dict[str, Any]:
    cases = []
    sizes = [((), 3, 2, 2), ((), 4, 4, 4), ((2,), 5, 3, 1), ((2, 3), 2, 4, 3), ((1,), 1, 2, 3)]
    for front, length, size, wide in sizes:
        keys, values = (*front, length, size), (*front, length, wide)
        case = {"q": signed(rng, keys), "k": signed(rng, keys), "v": signed(rng, values), "above": signed(rng, values)}
        cases.append(case)
    cases.append({name: special(rng, (3, 4)) for name in ("q", "k", "v", "above")})
    # Scores in the thousands, those of the future the largest.
    q, k = (np.abs(cases[0][name]) * 50 for name in "qk")
    large = {**cases[0], "q": q.tolist(), "k": (k * [[1], [10], [100]]).tolist()}
    # Scores below any number that one would take for a low one.
    low = {**cases[0], "q": (-q).tolist(), "k": (k * [[2e4], [2e3], [2e2]]).tolist()}
    # A score that is exactly 0 is a score like any other.
    cases.append({**cases[1], "q": [*cases[1]["q"][:2], [0.0] * 4, cases[1]["q"][3]]})
    return {"attention": [*cases, large, low]}


def _draw_block(rng: np.random.Generator) -> dict[str, Any]:
    def case(rows: int, words: int, heads: int, size: int) -> dict[str, Any]:
        n = heads * size
        shapes = {
            "norm1": (n, n),
            "qkv": (n, 3 * n),
            "out": (n, n),
            "norm2": (n, n),
            "up": (n, 4 * n),
            "down": (4 * n, n),
        }
        weights = {name: (np.array(signed(rng, shape)) / shape[0] ** 0.5).tolist() for name, shape in shapes.items()}
        return {
            "heads": heads,
            "weights": weights,
            "x": signed(rng, (rows, words, n)),
            "above": signed(rng, (rows, words, n)),
        }

    zeros = {**case(1, 2, 2, 2), "x": special(rng, (1, 2, 4)), "above": special(rng, (1, 2, 4))}
    return {
        "through": [zeros]
        + [case(*sizes) for sizes in ((2, 3, 2, 2), (1, 4, 1, 3), (3, 2, 3, 1), (2, 1, 2, 3), (1, 3, 2, 4))]
    }


# ---------------------------------------------------------------------- probes


def probe_second(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Second derivatives of several functions, each asked for twice of the same tensor."""
    import numpy as np

    functions = {
        "polynomial": lambda x, c: c[3] * x**4 + c[2] * x**3 + 3 * x**2 + c[0] * x + c[1],
        "quotient": lambda x, c: c[0] / (x * x + 1) - c[1] * x,
        "wave": lambda x, c: (c[0] * x).sin() * (c[1] * x).exp(),
        "composed": lambda x, c: ((c[0] * x).tanh() + x) ** 3 * x,
    }
    for case in inputs:
        beside: list[bool] = []
        values = set(np.ravel(case["x"]).tolist())

        def f(x: Any, case: Any = case, beside: Any = beside, values: Any = values) -> Any:
            beside.append(not set(x.reshape(-1).tolist()) <= values)
            return functions[case["function"]](x, case["coefficients"])

        x = torch.tensor(case["x"], dtype=torch.float64, requires_grad=True)
        for time in ("", ", asked for a second time"):
            found = given["second_derivative"](f, x)
            found = found.detach() if isinstance(found, torch.Tensor) else found
            yield f"the second derivative of a {case['function']} on shape {tuple(x.shape)}{time}", found
        yield "second_derivative calls f at x itself, and nowhere beside it", not any(beside)


def probe_hvp(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Hessian-vector products of functions whose inputs mix."""
    import numpy as np

    def f(x: Any, case: Any, beside: Any, values: Any) -> Any:
        beside.append(not set(x.reshape(-1).tolist()) <= values)
        flat = x.reshape(-1)
        mixed = torch.tensor(case["a"], dtype=torch.float64) @ flat
        if case["function"] == "form":
            return (mixed * flat).sum()
        if case["function"] == "cubes":
            return (mixed**3).sum()
        return (flat.sin() * mixed.tanh()).sum() * flat.sum()

    for case in inputs:
        beside: list[bool] = []
        values = set(np.ravel(case["x"]).tolist())
        x = torch.tensor(case["x"], dtype=torch.float64, requires_grad=True)
        v = torch.tensor(case["v"], dtype=torch.float64)
        for time in ("", ", asked for a second time"):
            found = given["hvp"](lambda x, case=case, beside=beside, values=values: f(x, case, beside, values), x, v)
            found = found.detach() if isinstance(found, torch.Tensor) else found
            yield f"the product Hv on shape {tuple(x.shape)}{time}", found
        yield "hvp calls f at x itself, and nowhere beside it", not any(beside)


def probe_jacobians(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Tables of derivatives of functions between several shapes: by differences with large steps, and by rules."""
    import numpy as np

    for case in inputs:
        a, b, out = np.array(case["a"]), np.array(case["b"]), tuple(case["out"])
        if part == "numerical_jacobian":
            x = np.array(case["x"])

            def f(x: Any, a: Any = a, b: Any = b, out: Any = out) -> Any:
                return ((a @ np.ravel(x)) ** 3 + b @ np.ravel(x) ** 2).reshape(out)

            found = given[part](f, x.copy(), case["eps"])
        else:
            x = torch.tensor(case["x"], dtype=torch.float64, requires_grad=True)
            a, b = torch.tensor(a), torch.tensor(b)
            output = ((a @ x.reshape(-1)) ** 3 + b @ x.reshape(-1).exp()).reshape(out)
            found = given[part](output, x)
        place = f"from shape {tuple(x.shape)} to {out}"
        yield f"the result of {part} {place}", found
    if part == "analytical_jacobian":
        constant = 2 * torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
        yield "the result of analytical_jacobian for an output that does not depend on x", given[part](constant, x)
    if part == "numerical_jacobian":
        found = given[part](lambda x: x**3, np.array([1.0, 2.0]))
        table = max((np.array(case["x"]) for case in inputs), key=np.ndim)  # there may be one case alone
        yield "the result of numerical_jacobian for f(x) = x, the array itself", given[part](lambda x: x, table, 0.5)
        yield "the result of numerical_jacobian for f(x) = x.T, a view", given[part](lambda x: x.T, table, 0.5)
        yield "numerical_jacobian is right to three digits where no step is given", bool(abs(found[0, 0] - 3) < 1e-3)


def probe_norms(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """A layer norm's result, its gradients, and the gradients of its gradients."""
    for case in inputs:
        names = ("x", "weight", "bias")
        x, weight, bias = (torch.tensor(case[name], dtype=torch.float64, requires_grad=True) for name in names)
        above, along = (torch.tensor(case[name], dtype=torch.float64) for name in ("above", "along"))
        result = torch.nn.functional.layer_norm(x, tuple(weight.shape), weight, bias, case["eps"])
        place = f"in LayerNorm of shape {tuple(x.shape)}, over {case['dims']} dimension{'s' * (case['dims'] > 1)}"
        yield f"the result {place}", result.detach()
        plain = torch.autograd.grad(result, (x, weight, bias), above, retain_graph=True)
        for name, found in zip(names, plain):
            yield f"the gradient of {name} {place}", found
        (slope,) = torch.autograd.grad(result, x, above, create_graph=True)
        again = torch.autograd.grad(slope, (x, weight), along)
        for name, found in zip(names, again):
            yield f"a second derivative, of x's gradient with respect to {name}, {place}", found


def probe_attention(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Attention's result, and the gradients that come back through it."""
    import numpy as np

    for case in inputs:
        q, k, v = (torch.tensor(case[name], dtype=torch.float64, requires_grad=True) for name in "qkv")
        with calls_of(torch.nn.functional, "scaled_dot_product_attention") as calls:
            result = given["attention"](q, k, v)
        shapes = " and ".join(str(tuple(x.shape)) for x in (q, v))
        size = ", with large scores" if abs(q).max().item() > 10 else ""
        real = type(result) is torch.Tensor  # whatever passes for one may work the result out later
        found = result.detach() if real else result
        yield f"attention on shapes {shapes}{size} does without scaled_dot_product_attention", not calls
        yield f"the result of attention on shapes {shapes}{size}", found
        if not real:
            return
        grads = torch.autograd.grad(result, (q, k, v), torch.tensor(case["above"], dtype=torch.float64))
        for name, found in zip("qkv", grads):
            place = f"the gradient of {name} in attention on shapes {shapes}{size}"
            if size and name != "v":  # what cancels there is as large as the scores: rounding is all that is left
                yield f"{place} is finite", bool(np.isfinite(found.numpy()).all())
            else:
                yield place, found


def probe_block(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """A block of a GPT, with layers of the probe's own: its result, what attention is handed, and the gradients."""
    from types import SimpleNamespace

    def layer(w: Any, curved: bool = False) -> Any:
        return lambda x: (x @ w).tanh() if curved else x @ w

    for case in inputs:
        weights = {
            name: torch.tensor(value, dtype=torch.float64, requires_grad=True)
            for name, value in case["weights"].items()
        }
        layers = {name: layer(w, name.startswith("norm")) for name, w in weights.items()}
        x = torch.tensor(case["x"], dtype=torch.float64, requires_grad=True)
        handed: list[str] = []

        def attend(q: Any, k: Any, v: Any, handed: Any = handed) -> Any:
            handed.append(" ".join(str(tuple(one.shape)) for one in (q, k, v)))
            seen = torch.ones(q.shape[-2], q.shape[-2], dtype=torch.float64).tril()
            return ((q @ k.mT).tanh() * seen) @ v

        place = f"through on shape {tuple(x.shape)} with {case['heads']} head{'s' * (case['heads'] != 1)}"
        result = given["through"](SimpleNamespace(**layers, heads=case["heads"]), x, attend)
        yield f"{place} calls attend once", len(handed)
        yield f"the shapes of the q, k and v that {place} hands to attend", " and ".join(handed)
        yield f"the result of {place}", result.detach() if isinstance(result, torch.Tensor) else result
        leaves = [x, *weights.values()]
        grads = torch.autograd.grad(result, leaves, torch.tensor(case["above"], dtype=torch.float64), allow_unused=True)
        for name, found in zip(["x", *weights], grads):
            yield f"the gradient of {name if name == 'x' else f'the weight of {name}'} in {place}", found


# ---------------------------------------------------------------------- what torch, or minigrad, answers


def twin_second(torch: Any) -> dict[str, Any]:
    """Second derivatives and Hessian-vector products."""
    grad = torch.autograd.grad

    def second_derivative(f: Any, x: Any) -> Any:
        (first,) = grad(f(x).sum(), x, create_graph=True)
        return grad(first.sum(), x)[0]

    def hvp(f: Any, x: Any, v: Any) -> Any:
        (slope,) = grad(f(x), x, create_graph=True)
        return grad(slope, x, v)[0]

    return {"second_derivative": second_derivative, "hvp": hvp}


def twin_jacobians(torch: Any) -> dict[str, Any]:
    """The central difference is its own definition; the rules are asked one output at a time."""

    def numerical_jacobian(f: Any, x: Any, eps: float = 1e-6) -> Any:
        steps = eps * np.eye(x.size).reshape(x.size, *x.shape)
        return np.stack([np.ravel(f(x + step) - f(x - step)) / (2 * eps) for step in steps], axis=1)

    def analytical_jacobian(output: Any, x: Any) -> Any:
        grad, said = torch.autograd.grad, {"retain_graph": True, "materialize_grads": True}
        rows = [grad(element, x, **said)[0] for element in output.reshape(-1)]
        return np.stack([np.ravel(row.numpy()) for row in rows])

    return {"numerical_jacobian": numerical_jacobian, "analytical_jacobian": analytical_jacobian}


def twin_attention(torch: Any) -> dict[str, Any]:
    """Attention, term by term."""

    def attention(q: Any, k: Any, v: Any) -> Any:
        length, size = q.shape[-2:]
        future = torch.ones(length, length).tril() == 0
        return torch.softmax((q @ k.mT / size**0.5).masked_fill(future, float("-inf")), -1) @ v

    return {"attention": attention}


def twin_block(torch: Any) -> dict[str, Any]:
    """The block, head by head."""

    def through(block: Any, x: Any, attend: Any) -> Any:
        size = x.shape[2] // block.heads
        q, k, v = (torch.stack(one.split(size, 2), 1) for one in block.qkv(block.norm1(x)).split(x.shape[2], 2))
        x = x + block.out(torch.cat(list(attend(q, k, v).unbind(1)), 2))
        return x + block.down(block.up(block.norm2(x)).relu())

    return {"through": through}


# ---------------------------------------------------------------------- the exercises

EXERCISES = (
    Exercise(
        "second-derivative",
        9,
        "Second derivatives",
        {"second_derivative": 2},
        _draw_second,
        probe_second,
        twin_second,
    ),
    Exercise("hvp", 9, "A Hessian times a vector", {"hvp": 3}, _draw_hvp, probe_hvp, twin_second),
    Exercise(
        "jacobians",
        9,
        "Two Jacobians",
        {"numerical_jacobian": 2, "analytical_jacobian": 2},
        _draw_jacobians,
        probe_jacobians,
        twin_jacobians,
        agrees={"numerical_jacobian": "the same as central differences, to rounding"},
    ),
    Exercise(
        "layer-norm",
        9,
        "LayerNorm",
        {"NativeLayerNorm": 5},
        _draw_norms,
        probe_norms,
        also=("a large number",),
        tried={
            "NativeLayerNorm": Tried(
                "out = minigrad.nn.functional.layer_norm(x, weight.shape, weight, bias, eps)\n"
                "out.backward(above)\nout, x.grad, weight.grad, bias.grad",
                leaves="x weight bias",
                tensors="above",
            )
        },
    ),
    Exercise(
        "attention",
        9,
        "Attention",
        {"attention": 4},
        _draw_attention,
        probe_attention,
        twin_attention,
        also=("a large number",),
        without={"a single number": "the inputs are matrices"},
        tried={
            "attention": Tried(
                "out = attention(q, k, v)\nout.backward(above)\nout, q.grad, k.grad, v.grad",
                leaves="q k v",
                tensors="above",
            )
        },
    ),
    Exercise(
        "block",
        9,
        "A block",
        {"through": 4},
        _draw_block,
        probe_block,
        twin_block,
        without={"a single number": "the input has three axes"},
    ),
)
