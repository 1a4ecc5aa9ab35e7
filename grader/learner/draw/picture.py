"""The picture of a computation: its graph with formulas, values, local derivatives and gradients.

    picture.graph(polynomial, at=2.0)
    picture.graph(layers, at=[[1, 2, 3], [3, 2, 1]], names="u y v z out")
    picture.graph(line, at={"w": 2.0, "b": 1.0}, data={"x": 3.0})

It is drawn from the graph that the running engine records, so it shows what the learner's own rules
say. Each step gets a letter; leaves have square corners and thick lines, data square corners and thin ones.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import minigrad
from minigrad.core.function import Function

from . import drawing
from .figure import number

SPACE = "\u2002"  # between two numbers of a row: a drawing would merge plain ones
ROWS, COLUMNS = 3, 4  # of the largest table that fits into a box
SYMBOLS = {"Add": "{} + {}", "Sub": "{} − {}", "Mul": "{}·{}", "Neg": "−{}", "Div": "{} / {}", "MatMul": "{} @ {}"}
SYMBOLS["BinaryCrossEntropyWithLogits"] = "BCE({}, {})"
RAISED = str.maketrans("0123456789-.", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻·")
LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass
class Step:
    """One box: a leaf or the result of an operation.

    Attributes: `name`, its letter; `formula`, how it is computed; `value`, a number or a small array;
    `gradient`, of the output with respect to it, None for data; `node`, of the operation, None for a leaf;
    `inputs`, the steps that it is made from, each with the local derivative (None for data) and its place
    among the node's inputs.
    """

    name: str
    formula: str
    value: Any
    gradient: Any = 0.0
    node: Function | None = None
    inputs: list[tuple[Step, Any, int]] = field(default_factory=list)

    def box(self) -> drawing.Box:
        """Its box: a leaf, data or a result."""
        last = ["no gradient"] if self.gradient is None else _lines("gradient", self.gradient)
        look = "result" if self.node is not None else "data" if self.gradient is None else "leaf"
        return drawing.Box(self.name, [self.formula, *_lines("value", self.value), *last], look)


def graph(
    function: Callable[..., minigrad.Tensor],
    at: ArrayLike | Mapping[str, ArrayLike],
    names: str = "",
    data: Mapping[str, ArrayLike] | None = None,
) -> drawing.Drawing:
    """Draw the graph that `function` records when it is applied to a leaf `x` at `at`.

    Args:
        function: takes a tensor and returns a tensor, made of operations on it and on single numbers. Other
            leaves than its arguments are drawn as numbers.
        at: the leaf's value: a number, or a table of at most three rows and four columns. For several leaves, name →
            value; the function takes them by these names.
        names: the steps' names, in the order in which they are computed; letters, and y for the output, if "".
        data: tensors that need no gradient, name → value; the function takes them by these names, too.

    Raises:
        ValueError: the function records no operation, or a step is more than single numbers or small tables.
    """
    leaves = {name: _tensor(value) for name, value in (at if isinstance(at, Mapping) else {"x": at}).items()}
    constants = {name: _tensor(value, False) for name, value in (data or {}).items()}
    with _recorded() as made:
        out = function(*leaves.values()) if not isinstance(at, Mapping) else function(**leaves, **constants)
    if out.grad_fn is None:
        raise ValueError("There is no graph to draw: the function records no operation on its input.")
    steps = _steps(leaves | constants, out, made, names.split())
    boxes = [step.box() for step in steps]
    arrows = [drawing.Arrow(below.name, step.name, factor(local)) for step in steps for below, local, _ in step.inputs]
    table = drawing.Table(
        ("step", "computed as", "value", "gradient"),
        [(s.name, s.formula, number(s.value), number(s.gradient)) for s in steps],
    )
    return drawing.draw(boxes, arrows, _said(steps), table)


def _said(steps: list[Step]) -> str:
    """Where the graph starts and ends, and the gradients of its leaves."""
    start = ", ".join(f"{s.name} = {number(s.value)}" for s in steps if s.node is None)
    ends = ", ".join(f"{s.name} {number(s.gradient)}" for s in steps if s.node is None and s.gradient is not None)
    count = "1 operation" if (n := sum(s.node is not None for s in steps)) == 1 else f"{n} operations"
    end = f"{steps[-1].name} = {number(steps[-1].value)}"
    return f"Graph of {count} from {start} to {end}. Gradients of the leaves: {ends}. A table says the rest."


def factor(local: ArrayLike | None) -> str:
    """A local derivative as a factor: `×3`, or from the smallest to the largest where it differs: `×10 to 22`.

    Data have none.
    """
    if local is None:
        return ""
    least, most = number(np.min(local)), number(np.max(local))
    return f"×{least}" if least == most else f"×{least} to {most}"


def _lines(label: str, value: ArrayLike) -> list[str]:
    """A labelled value as lines of text: a table has a line for each row, unless its numbers are all the same."""
    if not np.ndim(value):
        return [f"{label} {number(value)}"]
    if np.ptp(value) == 0:
        return [label, f"{number(np.max(value))} each"]
    return [label, *(SPACE.join(map(number, row)) for row in np.atleast_2d(value))]


# ---------------------------------------------------------------------- reading the graph


@contextlib.contextmanager
def _recorded() -> Iterator[list[tuple[minigrad.Tensor, tuple[Any, ...]]]]:
    """Collects, while the block runs, each operation's result with its inputs."""
    made: list[tuple[minigrad.Tensor, tuple[Any, ...]]] = []
    original = vars(Function)["apply"]

    def apply(cls: type[Function], *inputs: Any, **settings: Any) -> Any:
        out = original.__get__(None, cls)(*inputs, **settings)
        made.append((out, inputs))
        return out

    Function.apply = classmethod(apply)  # type: ignore[method-assign,assignment]  # while the block runs
    try:
        yield made
    finally:
        Function.apply = original  # type: ignore[method-assign]  # as it was


def _tensor(value: ArrayLike, requires_grad: bool = True) -> minigrad.Tensor:
    return minigrad.tensor(np.asarray(value, dtype=float).tolist(), requires_grad=requires_grad)


def _steps(
    leaves: Mapping[str, minigrad.Tensor],
    out: minigrad.Tensor,
    made: list[tuple[minigrad.Tensor, tuple[Any, ...]]],
    given: list[str],
) -> list[Step]:
    """The steps on the way from the leaves to the output, in the order in which they were computed."""
    letters = itertools.chain(given, (letter for letter in _letters() if letter not in leaves))
    steps = {id(x): Step(name, name, _value(x), 0.0 if x.requires_grad else None) for name, x in leaves.items()}
    for result, inputs in made:
        if result.grad_fn is None:
            continue
        name = "y" if result is out and not given else next(letters)
        formula = f"{name} = {_formula(_operation(result), inputs, steps)}"
        local = result.grad_fn.backward(_ones(result))
        below = [(steps[id(x)], local[i], i) for i, x in enumerate(inputs) if id(x) in steps]
        below = [(step, own, i) for step, own, i in below if own is not None or step.gradient is None]
        steps[id(result)] = Step(name, formula, _value(result), node=result.grad_fn, inputs=below)
    return _with_gradients(list(steps.values()), steps[id(out)])


def _value(tensor: minigrad.Tensor) -> Any:
    """A step's numbers.

    Raises:
        ValueError: they are too many for a box.
    """
    if len(tensor.shape) > 2 or math.prod(tensor.shape[:-1]) > ROWS or math.prod(tensor.shape[-1:]) > COLUMNS:
        raise ValueError(f"The picture is for single numbers and tables of at most {ROWS} rows and {COLUMNS} columns.")
    return tensor.detach().numpy()[()]


def _ones(tensor: minigrad.Tensor) -> Any:
    return np.ones(tuple(tensor.shape))[()]  # [()] makes a NumPy scalar of a single number, as the engine has it


def _letters() -> Iterator[str]:
    """a, b, c and so on without x and y, then a₁, b₁ and so on."""
    for turn in itertools.count():
        lowered = str(turn).translate(LOWERED) if turn else ""
        yield from (letter + lowered for letter in string.ascii_lowercase if letter not in "xy")


def _operation(result: Any) -> str:
    """The name under which the class of the result's node was written: `MatMul`."""
    return type(result.grad_fn).__qualname__.rpartition(".")[2]


def _with_gradients(steps: list[Step], out: Step) -> list[Step]:
    """The steps that `out` depends on, each with its gradient: later steps first, so that all paths have arrived."""
    out.gradient = np.ones(np.shape(out.value))[()]
    reached = {out.name}
    for step in reversed(steps):
        if step.node is None or step.name not in reached:
            continue
        grads = step.node.backward(step.gradient)
        for below, _, i in step.inputs:
            if below.gradient is not None:
                below.gradient = below.gradient + grads[i]
            reached.add(below.name)
    return [step for step in steps if step.name in reached]


def _formula(operation: str, inputs: tuple[Any, ...], steps: dict[int, Step]) -> str:
    names = [steps[id(x)].name if id(x) in steps else _constant(x) for x in inputs]
    if operation == "Pow":
        return names[0] + names[1].replace("−", "-").translate(RAISED)
    if operation == "Mul" and id(inputs[1]) not in steps:
        names.reverse()  # 2·x, as one writes it, and not x·2
    if operation in SYMBOLS:
        return SYMBOLS[operation].format(*names)
    return f"{operation.lower()}({', '.join(names)})"


def _constant(x: Any) -> str:
    value = x.detach().numpy() if isinstance(x, minigrad.Tensor) else x
    if np.ndim(value):
        raise ValueError("The picture is for operations on its leaf and on single numbers; one operand is an array.")
    return number(float(value))
