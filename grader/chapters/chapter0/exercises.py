"""Chapter 0, welcome: two functions of an array, so that one meets a check that passes and one that fails."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ask.exercise import Exercise
from ...ask.operations import signed, special
from ...ask.tried import Tried

SHAPES = [(), (1,), (4,), (2, 3), (1, 5), (2, 1, 3)]


def _arrays(part: str) -> Any:
    empty: list[Any] = [[], [[], []]] if part == "square" else []  # nothing has no mean

    def draw(rng: np.random.Generator) -> dict[str, Any]:
        cases = [*(signed(rng, shape) for shape in SHAPES), special(rng), [0.0, 0.0], *empty]
        return {part: [{"x" if part == "square" else "values": case} for case in cases]}

    return draw


def probe_function(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Call the learner's function on arrays of several shapes."""
    import numpy as np

    for case in inputs:
        ((name, values),) = case.items()
        x = np.array(values)
        yield f"{part}({name}) on an array of shape {x.shape}", given[part](x)
        yield f"the array {name} itself, after {part}({name})", x


def twin(torch: Any) -> dict[str, Any]:
    """The two functions, computed by torch; minigrad has no product or mean before chapter 1, but it has einsum."""

    def square(x: Any) -> Any:
        flat = torch.tensor(x.ravel())
        return torch.einsum("i,i->i", flat, flat).numpy().reshape(x.shape)

    def average(values: Any) -> Any:
        flat = torch.tensor(values.ravel())
        share = torch.full((values.size,), 1 / values.size, dtype=torch.float64)
        return torch.einsum("i,i->", flat, share).numpy()

    return {"square": square, "average": average}


EXERCISES = (
    Exercise(
        "square",
        0,
        "A check that passes",
        {"square": 1},
        _arrays("square"),
        probe_function,
        twin,
        also=("nothing",),
        agrees={"square": "the same as torch, to rounding"},
        tried={"square": Tried("square(x)", arrays="x")},
    ),
    Exercise(
        "average",
        0,
        "A check that fails",
        {"average": 1},
        _arrays("average"),
        probe_function,
        twin,
        agrees={"average": "the same as torch, to rounding"},
        tried={"average": Tried("average(values)", arrays="values")},
    ),
)
