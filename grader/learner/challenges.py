"""The challenges and the project: what they ask, as exercises. `challenge` compares with torch."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

from ..ask.exercise import Exercise
from ..ask.operations import signed, special
from ..ask.tried import Tried

# ---------------------------------------------------------------------- an operation of one's own: tanh, GELU, gather


def _draw_elementwise(part: str) -> Any:
    def draw(rng: np.random.Generator) -> dict[str, Any]:
        cases = [{"x": signed(rng, shape), "above": signed(rng, shape)} for shape in ((), (3,), (2, 3), (1, 4))]
        return {part: [*cases, {"x": special(rng), "above": special(rng)}, {"x": [-8.0, 8.0], "above": [1.0, 1.0]}]}

    return draw


def probe_elementwise(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Apply the operation, and go back through it."""
    for case in inputs:
        x = torch.tensor(case["x"], dtype=torch.float64, requires_grad=True)
        out = given[part].apply(x)
        place = f"{part}.apply(x) on shape {tuple(x.shape)}" if x.ndim else f"{part}.apply(x) on a single number"
        yield f"the result of {place}", out.detach()
        out.backward(torch.tensor(case["above"], dtype=torch.float64))
        yield f"the gradient of x in {place}", x.grad


def _tried(part: str) -> Tried:
    return Tried(f"out = {part}.apply(x)\nprint(out)\nout.backward(above)\nx.grad", leaves="x", tensors="above")


def _applied(function: Any) -> Any:
    """A function of torch's as the exercises ask for one: a class with `apply`."""
    return type("Operation", (), {"apply": staticmethod(function)})


def _draw_gather(rng: np.random.Generator) -> dict[str, Any]:
    def case(rows: int, columns: int, picked: int) -> dict[str, Any]:
        index = rng.integers(0, columns, (rows, picked))
        index[:, -1] = index[:, 0]  # one that is picked twice
        return {"x": signed(rng, (rows, columns)), "index": index.tolist(), "above": signed(rng, (rows, picked))}

    return {"Gather": [case(2, 3, 2), case(1, 4, 3), case(3, 2, 5), case(4, 5, 2)]}


def probe_gather(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Pick from each row, and see where the gradients go."""
    import numpy as np

    for case in inputs:
        x = torch.tensor(case["x"], dtype=torch.float64, requires_grad=True)
        out = given["Gather"].apply(x, index=np.array(case["index"]))
        place = f"Gather.apply(x, index=…) on shapes {tuple(x.shape)} and {np.shape(case['index'])}"
        yield f"the result of {place}", out.detach()
        out.backward(torch.tensor(case["above"], dtype=torch.float64))
        yield f"the gradient of x in {place}", x.grad


def twin_gather(torch: Any) -> dict[str, Any]:
    """torch's own."""
    return {"Gather": _applied(lambda x, index: x.gather(1, torch.tensor(index)))}


# ---------------------------------------------------------------------- forward mode


def _draw_forward(rng: np.random.Generator) -> dict[str, Any]:
    names = ("polynomial", "quotient", "twice", "growth", "constant", "mixed")
    return {"forward_derivative": [{"f": name, "x": float(rng.uniform(0.5, 2.0))} for name in names]}


def probe_forward(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Value and slope of functions that are written with operators, and how often each was called."""
    functions = {
        "polynomial": lambda x: 2 * x**4 + x**3 + 3 * x**2 + 5 * x + 1,
        "quotient": lambda x: (1 - x) / (x * x + 1),
        "twice": lambda x: x * x - x,
        "growth": lambda x: 3 - (2 * x).exp(),
        "constant": lambda x: 0 * x + 7,
        "mixed": lambda x: (x**2 - 1 / x).exp() / (-x),
    }
    for case in inputs:
        calls: list[int] = []

        def f(x: Any, name: str = case["f"], calls: Any = calls) -> Any:
            calls.append(1)
            return functions[name](x)

        value, slope = given["forward_derivative"](f, case["x"])
        yield f"the value of the {case['f']}", float(value)
        yield f"the slope of the {case['f']}", float(slope)
        yield f"f is called once, for the {case['f']}", len(calls)


def twin_forward(torch: Any) -> dict[str, Any]:
    """Backward instead: the numbers are the same."""

    def forward_derivative(f: Any, x: float) -> tuple[float, float]:
        leaf = torch.tensor(x, dtype=torch.float64, requires_grad=True)
        value = f(leaf)
        return value.item(), torch.autograd.grad(value, leaf)[0].item()

    return {"forward_derivative": forward_derivative}


# ---------------------------------------------------------------------- another optimizer


def _draw_rmsprop(rng: np.random.Generator) -> dict[str, Any]:
    def case(shapes: list[tuple[int, ...]], alpha: float, lr: float) -> dict[str, Any]:
        grads = [[signed(rng, shape) for shape in shapes] for _ in range(4)]
        return {"start": [signed(rng, shape) for shape in shapes], "grads": grads, "alpha": alpha, "lr": lr}

    return {"RMSprop": [case([(3,)], 0.99, 0.01), case([(2, 2), ()], 0.9, 0.1), case([(2,), (2,)], 0.5, 0.05)]}


def probe_rmsprop(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Four steps on gradients that are given."""
    for case in inputs:
        params = [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in case["start"]]
        optimizer = given["RMSprop"](params, lr=case["lr"], alpha=case["alpha"])
        for number, grads in enumerate(case["grads"], start=1):
            for p, grad in zip(params, grads, strict=True):
                p.grad = torch.tensor(grad, dtype=torch.float64)
            optimizer.step()
            for p in params:
                place = f"a parameter of shape {tuple(p.shape)}, lr={case['lr']}, alpha={case['alpha']}"
                yield f"{place}, after step {number}", p.detach()
        optimizer.zero_grad()
        yield "no parameter has a gradient after zero_grad", all(p.grad is None for p in params)


def twin_rmsprop(torch: Any) -> dict[str, Any]:
    """torch's own."""
    return {"RMSprop": torch.optim.RMSprop}


# ---------------------------------------------------------------------- Newton


def _draw_newton(rng: np.random.Generator) -> dict[str, Any]:
    cases = []
    for function, size in (("bowl", 1), ("bowl", 3), ("valley", 2), ("valley", 4)):
        root = np.array(signed(rng, (size, size)))
        a = root @ root.T + size * np.eye(size)
        cases.append(
            {"f": function, "x": signed(rng, (size,)), "a": a.tolist(), "steps": 1 if function == "bowl" else 3}
        )
    return {"newton": cases}


def probe_newton(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Where Newton's steps lead."""
    for case in inputs:
        a = torch.tensor(case["a"], dtype=torch.float64)

        def f(x: Any, a: Any = a, valley: bool = case["f"] == "valley") -> Any:
            bowl = (a @ x * x).sum() / 2 - x.sum()
            return bowl + (x**4).sum() if valley else bowl

        x = torch.tensor(case["x"], dtype=torch.float64)
        found = given["newton"](f, x, case["steps"])
        place = f"{case['steps']} of Newton's steps in a {case['f']} of {len(case['x'])} numbers"
        yield f"x after {place}", found.detach() if isinstance(found, torch.Tensor) else found
        yield f"the tensor that was handed in, after {place}", x


def twin_newton(torch: Any) -> dict[str, Any]:
    """With the whole Hessian."""

    def newton(f: Any, x: Any, steps: int) -> Any:
        for _ in range(steps):
            g = torch.autograd.functional.jacobian(f, x)
            h = torch.autograd.functional.hessian(f, x)
            x = x - torch.tensor(np.linalg.solve(h.numpy(), g.numpy()))
        return x

    return {"newton": newton}


# ---------------------------------------------------------------------- the project

LINES = ["abba abba", "to be or not to be", "aaaa", "she sells sea shells by the sea shore"]


def _draw_text(part: str) -> Any:
    return lambda rng: {part: LINES}


def probe_vocabulary(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """The characters of a text, in order, each once; and a text as their positions."""
    for text in inputs:
        letters = given["vocabulary"](text)
        yield f"vocabulary of {text!r}", "".join(letters)
        yield f"encode of {text!r}", torch.tensor([int(one) for one in given["encode"](text, letters)])


def probe_windows(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Each window, and the one that is a place further."""
    for count, length in inputs:
        x, y = given["windows"](list(range(10, 10 + count)), length)
        for name, found in (("x", x), ("y", y)):
            rows = [[int(value) for value in row] for row in found]
            yield f"{name} of windows of length {length} in {count} positions", torch.tensor(rows)


def probe_floor(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """What a reader who knows one character cannot get below."""
    for text in inputs:
        letters = sorted(set(text))
        yield f"bigram_floor of {text!r}", float(given["bigram_floor"]([letters.index(letter) for letter in text]))


def twin_text(torch: Any) -> dict[str, Any]:
    """The same by counting."""

    def windows(ids: list[int], length: int) -> Any:
        starts = range(len(ids) - length)
        return [ids[i : i + length] for i in starts], [ids[i + 1 : i + length + 1] for i in starts]

    def bigram_floor(ids: list[int]) -> float:
        pairs, firsts = Counter(zip(ids, ids[1:], strict=False)), Counter(ids[:-1])
        return -sum(n * math.log(n / firsts[one]) for (one, _), n in pairs.items()) / (len(ids) - 1)

    return {
        "vocabulary": lambda text: sorted(set(text)),
        "encode": lambda text, letters: [letters.index(letter) for letter in text],
        "windows": windows,
        "bigram_floor": bigram_floor,
    }


# ---------------------------------------------------------------------- what there is

OUR_OWN = "the same as the course's own"  # torch has no such thing

CHALLENGES = {
    exercise.name: exercise
    for exercise in (
        Exercise(
            "tanh",
            1,
            "An operation of your own",
            {"Tanh": 1},
            _draw_elementwise("Tanh"),
            probe_elementwise,
            lambda torch: {"Tanh": _applied(torch.tanh)},
            tried={"Tanh": _tried("Tanh")},
        ),
        Exercise("forward-mode", 2, "Forward", {"forward_derivative": 1}, _draw_forward, probe_forward, twin_forward),
        Exercise(
            "gelu",
            4,
            "The exact GELU",
            {"Gelu": 1},
            _draw_elementwise("Gelu"),
            probe_elementwise,
            lambda torch: {"Gelu": _applied(torch.nn.functional.gelu)},
            tried={"Gelu": _tried("Gelu")},
        ),
        Exercise("gather", 6, "Gather", {"Gather": 1}, _draw_gather, probe_gather, twin_gather),
        Exercise(
            "rmsprop",
            7,
            "Another optimizer",
            {"RMSprop": 1},
            _draw_rmsprop,
            probe_rmsprop,
            twin_rmsprop,
            agrees={"RMSprop": "the same as torch.optim.RMSprop, to rounding"},
        ),
        Exercise("newton", 9, "Newton's step", {"newton": 1}, _draw_newton, probe_newton, twin_newton),
        Exercise(
            "vocabulary",
            9,
            "Letters",
            {"vocabulary": 1},
            _draw_text("vocabulary"),
            probe_vocabulary,
            twin_text,
            agrees={"vocabulary": OUR_OWN},
        ),
        Exercise(
            "windows",
            9,
            "Windows",
            {"windows": 1},
            lambda rng: {"windows": [[4, 2], [6, 3], [9, 8], [5, 1]]},
            probe_windows,
            twin_text,
            agrees={"windows": OUR_OWN},
        ),
        Exercise(
            "floor",
            9,
            "A floor",
            {"bigram_floor": 1},
            _draw_text("bigram_floor"),
            probe_floor,
            twin_text,
            agrees={"bigram_floor": f"{OUR_OWN}, to rounding"},
        ),
    )
}
