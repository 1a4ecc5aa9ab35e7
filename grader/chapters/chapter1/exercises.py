"""Chapter 1, back-propagation on one step: the rules of five operations, and the walk along every path.

A probe is run in two processes: in the learner's, where `torch` is minigrad with the learner's
parts in it, and in the grader's, where `torch` is PyTorch. Its text is sent on its own, so it
imports what it uses.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ask.exercise import Exercise
from ...ask.operations import SHAPES, application, binary, probe_operation, signed, special
from ...ask.tried import OPERATORS, operation, tensor

# ---------------------------------------------------------------------- inputs


def _draw_neg_sub(rng: np.random.Generator) -> dict[str, Any]:
    neg = [application(rng, "neg", [("x", signed(rng, s))], s) for s in SHAPES]
    neg.append({**application(rng, "neg", [("x", special(rng))], (4,)), "above": special(rng)})
    return {"Neg": neg, **binary("Sub", "sub")(rng)}


def _draw_pow(rng: np.random.Generator) -> dict[str, Any]:
    exponents = [2, 3, 4, 1, 0, -1, -2, int(rng.integers(5, 8))]
    cases = [application(rng, "pow", [("x", signed(rng, (2, 3))), ("", n)], (2, 3)) for n in exponents]
    positive = rng.uniform(0.5, 2.0, 3).tolist()
    cases.append(application(rng, "pow", [("x", positive), ("", float(rng.uniform(0.3, 2.7)))], (3,)))
    cases.append(application(rng, "pow", [("x", [0.0, *signed(rng, (2,))]), ("", int(rng.integers(2, 4)))], (3,)))
    cases.append({**application(rng, "pow", [("x", special(rng)), ("", 2)], (4,)), "above": special(rng)})
    cases.append(application(rng, "pow", [("x", signed(rng, (1, 4))), ("", 3)], (1, 4)))
    cases.append({**application(rng, "pow", [("x", special(rng)), ("", 1)], (4,)), "above": special(rng)})
    return {"Pow": cases + [application(rng, "pow", [("x", signed(rng)), ("", 3)], ())]}


def _draw_graphs(rng: np.random.Generator) -> dict[str, Any]:
    """Programs: leaves a and b, then steps that each name an operation and its operands by position."""
    diamond = [["mul", 0, 0], ["add", 2, 1], ["mul", 3, 1], ["mul", 3, 3], ["mul", 5, 0], ["add", 4, 6]]
    chain = [["mul", 0, 1], ["neg", 2], ["pow", 3, 2], ["sub", 4, 0], ["mul", 5, 1]]  # each value counts
    twice = [["mul", 0, 0], ["mul", 2, 1]]
    sums = [["add", 0, 1], ["add", 2, 0]]

    def case(steps: Any, shape: tuple[int, ...] = (), **more: Any) -> dict[str, Any]:
        leaves = [signed(rng, shape), signed(rng, shape)]
        return {"leaves": leaves, "steps": steps, "above": signed(rng, shape) if shape else None, **more}

    cases = [case(steps) for steps in (twice, chain, sums, diamond)]
    cases += [
        case(chain, constant=0),
        case(chain, constant=1),
        case(diamond, (1, 3)),
        case(diamond, rounds=2),
    ]
    cases.append({**case(diamond), "leaves": [special(rng), special(rng)], "above": special(rng)})
    cases += [case([]), case([], (3,))]  # from a leaf's own node
    cases.append({**case(chain, (2,)), "above": [0.0, 0.0]})
    return {"backpropagate": cases + [case(_random_program(rng)) for _ in range(4)]}


def _random_program(rng: np.random.Generator) -> list[list[Any]]:
    """Six steps, each on the one before; only leaves are added and subtracted, so that no value cancels to 0."""
    steps: list[list[Any]] = [["mul", 0, 1]]
    for made in range(3, 8):
        operation = str(rng.choice(["add", "sub", "mul", "neg"]))
        newest, other = made - 1, int(rng.integers(0, made if operation == "mul" else 2))
        steps.append([operation, newest] if operation == "neg" else [operation, newest, other])
    return steps


def _draw_polynomials(rng: np.random.Generator) -> dict[str, Any]:
    def coefficients() -> list[float]:
        return [float(rng.integers(-4, 5)) + 0.5 for _ in range(int(rng.integers(3, 6)))]

    return {
        "polynomial": [2.0, 0.0, 1.0, float(rng.uniform(-2, 2)), float(rng.uniform(-2, 2))],
        "differentiate": [
            *({"coefficients": coefficients(), "at": signed(rng)} for _ in range(5)),
            *({"coefficients": [*special(rng), 2.0], "at": at} for at in (0.0, 1.0)),
        ],
    }


# ---------------------------------------------------------------------- probes


def probe_graphs(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Build each graph and back-propagate through it; look at every leaf's .grad."""
    import operator

    signs = {"add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "neg": "-{}", "pow": "{}**{}"}
    long = 0
    for case in inputs:
        leaves = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in case["leaves"]]
        if "constant" in case:
            leaves[case["constant"]].requires_grad_(False)
        for _ in range(case.get("rounds", 1)):
            values, words = list(leaves), ["a", "b"]
            for name, *operands in case["steps"]:
                if name == "pow":
                    values.append(values[operands[0]] ** operands[1])
                    words.append(f"({signs[name].format(words[operands[0]], operands[1])})")
                else:
                    values.append(getattr(operator, name)(*(values[i] for i in operands)))
                    words.append(f"({signs[name].format(*(words[i] for i in operands))})")
            if case["above"] is None:
                values[-1].backward()
            else:
                values[-1].backward(torch.tensor(case["above"], dtype=torch.float64))
        what = words[-1].removeprefix("(").removesuffix(")")
        if len(words[-1]) >= 60:
            long += 1
            what = f"long graph {long}, of {len(case['steps'])} operations"
        calls = ", built and run back twice" if case.get("rounds") == 2 else ""
        constant = f" ({'ab'[case['constant']]} needs no gradient)" if "constant" in case else ""
        for name, leaf in zip("ab", leaves):
            yield f"{name}.grad in {what}{calls}{constant}", leaf.grad


def probe_polynomials(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """The tutorial's polynomial, and the slope of polynomials that nobody has seen before."""
    if part == "polynomial":
        for at in inputs:
            x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
            yield f"polynomial(x) at x = {at:.3g}", given["polynomial"](x)
        return
    for case in inputs:
        met: list[bool] = []
        beside: list[bool] = []

        def f(x: Any, case: Any = case, met: Any = met, beside: Any = beside) -> Any:
            met.append(isinstance(x, torch.Tensor))
            beside.append((x.item() if met[-1] else x) != case["at"])
            coefficients = case["coefficients"]
            total = coefficients[0] * x
            for power, coefficient in enumerate(coefficients[1:], start=2):
                total = total + coefficient * x**power
            return total - 1.5

        found = given["differentiate"](f, case["at"])
        yield "differentiate calls f, the function that it is handed", bool(met)
        yield "differentiate calls f with a tensor of your engine", all(met)
        pair = isinstance(found, tuple | list) and len(found) == 2
        yield "differentiate returns a pair, (value, slope)", None if found is None else pair
        if pair:
            yield "differentiate returns Python floats", all(isinstance(one, float) for one in found)
            yield f"the value of a polynomial at x = {case['at']:.3g}", found[0]
            yield f"the slope of a polynomial at x = {case['at']:.3g}", found[1]
        yield "differentiate calls f at the point itself, and nowhere beside it", not any(beside)


def twin_polynomial(torch: Any) -> dict[str, Any]:
    """What the last exercise asks for, in torch or in minigrad."""

    def polynomial(x: Any) -> Any:
        return 2 * x**4 + x**3 + 3 * x**2 + 5 * x + 1

    def differentiate(f: Any, at: float) -> tuple[float, float]:
        x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
        y = f(x)
        y.backward()
        return y.item(), x.grad.item()

    return {"polynomial": polynomial, "differentiate": differentiate}


# ---------------------------------------------------------------------- cases, as a learner runs them


def try_graph(case: Any) -> list[str]:
    """The graph's operations, a line each, and the way back."""
    if "rounds" in case:
        return []
    names = ["a", "b", *(f"c{number}" for number in range(1, len(case["steps"]) + 1))]
    leaves = enumerate(zip(names, case["leaves"]))
    lines = [f"{name} = {tensor(value, i != case.get('constant'))}" for i, (name, value) in leaves]
    for name, (op, *operands) in zip(names[2:], case["steps"]):
        last = operands[1:] if op == "pow" else [names[i] for i in operands[1:]]
        lines.append(f"{name} = {OPERATORS[op].format(names[operands[0]], *last)}")
    above = "" if case["above"] is None else tensor(case["above"])
    return [*lines, f"{names[-1]}.backward({above})", "a.grad, b.grad"]


def try_slope(case: Any) -> list[str]:
    """The polynomial as a function, and its slope."""
    terms = " + ".join(f"{number} * x**{power}" for power, number in enumerate(case["coefficients"], start=1))
    return [f"f = lambda x: {terms} - 1.5", f"differentiate(f, {case['at']})"]


# ---------------------------------------------------------------------- the exercises

EXERCISES = (
    Exercise(
        "add",
        1,
        "Add",
        {"Add": 2},
        binary("Add", "add"),
        probe_operation,
        also=("the same tensor twice",),
        tried={"Add": operation},
    ),
    Exercise(
        "mul",
        1,
        "Mul",
        {"Mul": 2},
        binary("Mul", "mul"),
        probe_operation,
        also=("the same tensor twice",),
        tried={"Mul": operation},
    ),
    Exercise(
        "neg-sub",
        1,
        "Neg and Sub",
        {"Neg": 1, "Sub": 1},
        _draw_neg_sub,
        probe_operation,
        also=("the same tensor twice",),
        tried={"Neg": operation, "Sub": operation},
    ),
    Exercise("pow", 1, "Pow", {"Pow": 2}, _draw_pow, probe_operation, tried={"Pow": operation}),
    Exercise(
        "paths",
        1,
        "Path by path",
        {"backpropagate": 4},
        _draw_graphs,
        probe_graphs,
        also=("the same tensor twice", "frozen parameters", "nothing but 0 upstream"),
        tried={"backpropagate": try_graph},
    ),
    Exercise(
        "polynomial",
        1,
        "The polynomial",
        {"polynomial": 1, "differentiate": 3},
        _draw_polynomials,
        probe_polynomials,
        twin_polynomial,
        without={
            "an axis of length 1": "a formula of one number",
            "a negative number": "the polynomial is asked for single numbers, one after another",
            "a tie": "the polynomial is asked for single numbers, one after another",
            "a single number": "the polynomial is asked for single numbers, one after another",
        },
        tried={"polynomial": lambda at: [f"polynomial({tensor(at, needs=True)})"], "differentiate": try_slope},
    ),
)
