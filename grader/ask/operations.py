"""What exercises about one operation share: inputs, and the probe that looks at its result and its rules.

A probe's text is sent to the learner's process on its own, so it imports what it uses.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SHAPES = [(), (3,), (2, 3), (1, 4)]


def signed(rng: np.random.Generator, shape: tuple[int, ...] = ()) -> Any:
    """Numbers between 0.5 and 2 in size, of either sign, as nested lists."""
    return (rng.uniform(0.5, 2.0, shape) * rng.choice([-1.0, 1.0], shape)).tolist()


def special(rng: np.random.Generator, shape: tuple[int, ...] = (4,), zero: float = 0.0) -> Any:
    """Numbers at which formulas differ that agree elsewhere: 0 (or `zero`), 1, -1 and a tie, in some order."""
    return np.resize(rng.permutation([zero, 1.0, -1.0, 1.0]), shape).tolist()


def application(rng: np.random.Generator, op: str, operands: list[tuple[str, Any]], shape: Any) -> dict[str, Any]:
    """One application of an operation: operands by name ("" for a number), and a gradient from above."""
    return {"op": op, "operands": operands, "above": signed(rng, shape)}


def binary(part: str, op: str) -> Any:
    """Draw inputs for an operation of two: tensors of equal shape, the same tensor twice, a number on either side."""

    def draw(rng: np.random.Generator) -> dict[str, Any]:
        def tensor(name: str, shape: tuple[int, ...]) -> tuple[str, Any]:
            return name, signed(rng, shape)

        cases = [application(rng, op, [tensor("x", s), tensor("y", s)], s) for s in SHAPES]
        cases[1]["operands"][0][1][0] = 0.0
        divisor = 2.0 if op == "truediv" else 0.0
        cases.append(application(rng, op, [("x", special(rng)), ("y", special(rng, zero=divisor))], (4,)))
        cases[-1]["above"] = special(rng)
        cases.append(application(rng, op, [tensor("x", (3,)), ("x", None)], (3,)))
        cases.append(application(rng, op, [tensor("x", (2, 3)), ("", signed(rng))], (2, 3)))
        cases.append(application(rng, op, [("", signed(rng)), tensor("x", (2, 3))], (2, 3)))
        return {part: cases}

    return draw


def probe_operation(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Apply one operation, then ask its node for the vector-Jacobian product of a gradient from above."""
    import operator

    signs = {
        "add": "{} + {}",
        "sub": "{} - {}",
        "mul": "{} * {}",
        "truediv": "{} / {}",
        "neg": "-{}",
        "pow": "{} ** {}",
    }
    asked = []
    for case in inputs:
        leaves, operands, words = {}, [], []
        for name, value in case["operands"]:
            if name and name not in leaves:
                leaves[name] = torch.tensor(value, dtype=torch.float64, requires_grad=True)
            operands.append(leaves[name] if name else value)
            words.append(name or "a number")
        shape = tuple(next(iter(leaves.values())).shape)
        what = signs[case["op"]].format(*words) + (f", on shape {shape}" if shape else ", on single numbers")
        result = getattr(operator, case["op"])(*operands)
        yield f"the result of {what}", result
        asked.append((what, leaves, result, case["above"]))
    for what, leaves, result, values in asked:  # when all is recorded: a node remembers its own inputs
        above = torch.tensor(values, dtype=torch.float64)
        with torch.no_grad():
            grads = result.grad_fn(above)
        grads = grads if isinstance(grads, tuple | list) else (grads,)
        for name, leaf in leaves.items():
            for (below, _), grad in zip(result.grad_fn.next_functions, grads):
                if below is not None and below.variable is leaf:
                    yield f"the gradient of {name} in {what}", grad
            yield f"the input {name} itself, after {what}", leaf.detach()
