"""The picture of a computation: its graph with values, local derivatives and gradients.

    picture.graph(polynomial, at=2.0)
    picture.graph(layers, at=[[1, 2, 3], [3, 2, 1]], names="u y v z out")
    picture.graph(line, at={"w": 2.0, "b": 1.0}, data={"x": 3.0})

It is drawn from the graph that the running engine records, so it shows what the learner's own rules
say. Each step gets a letter; a table with the same content goes with the drawing. Shapes and text
carry the meaning, colour does not, and the background is part of the drawing: it reads the same in
a light and in a dark notebook.
"""

from __future__ import annotations

import contextlib
import html
import itertools
import math
import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from xml.etree import ElementTree as xml

import networkx as nx
import numpy as np

import minigrad
from minigrad.function import Function

from . import figure

WIDTH, GAP = 108, 46  # the least width of a box, and of the gap to the one on its right
BETWEEN, MARGIN = 18, 12  # from one box to the one below; around all of them
LINE, DIGIT, LETTER = 20, 7, 8  # a line's height, and about the width of a digit and of a letter in bold
ROWS, COLUMNS = 3, 4  # of the largest table that fits into a box
ARROWS_APART = 22  # where one step is an input twice, as in x·x
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
    node: Any = None
    inputs: list[tuple[Step, Any, int]] = field(default_factory=list)

    def lines(self) -> list[str]:
        """What stands in its box."""
        last = ["no gradient"] if self.gradient is None else _lines("gradient", self.gradient)
        return [self.formula, *_lines("value", self.value), *last]


@dataclass
class Picture:
    """A drawing, its description and its table. A notebook shows the drawing with the table under it."""

    svg: str
    alt: str
    steps: list[Step]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": self.text(), "text/html": self.html(), "image/svg+xml": self.svg}

    def rows(self) -> list[tuple[str, str, str, str]]:
        """The table: name, formula, value, gradient."""
        return [(s.name, s.formula, number(s.value), number(s.gradient)) for s in self.steps]

    def text(self) -> str:
        """The table for a console."""
        lines = [("step", "computed as", "value", "gradient"), *self.rows()]
        return "\n".join(f"{name:<5} {formula:<12} {value:>9} {grad:>9}" for name, formula, value, grad in lines)

    def html(self) -> str:
        """The drawing as an image with its description, and the table."""
        rows = ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in self.rows()]
        return (
            f"{figure.image(self.svg, self.alt)}"
            "<table><thead><tr><th>step</th><th>computed as</th><th>value</th><th>gradient</th></tr></thead>"
            f"<tbody>{''.join(f'<tr>{row}</tr>' for row in rows)}</tbody></table>"
        )


def graph(function: Callable[..., Any], at: Any, names: str = "", data: Mapping[str, Any] | None = None) -> Picture:
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
    start = ", ".join(f"{name} = {number(_value(x))}" for name, x in (leaves | constants).items())
    count = sum(step.node is not None for step in steps)
    alt = f"Graph of {count} operations from {start} to {out_name(steps)}. " + "; ".join(
        f"{s.formula}: value {number(s.value)}, gradient {number(s.gradient)}" for s in steps
    )
    return Picture(_draw(steps, alt), alt + ".", steps)


def out_name(steps: list[Step]) -> str:
    """The output and its value, e.g. `y = 63`."""
    return f"{steps[-1].name} = {number(steps[-1].value)}"


def number(value: Any) -> str:
    """A value in at most four significant digits; an array as nested lists of such; "none" for None."""
    if value is None:
        return "none"
    if np.ndim(value):
        return f"[{', '.join(map(number, value))}]"
    return f"{value:.4g}".replace("-", "−")


def factor(local: Any) -> str:
    """A local derivative as a factor: `×3`, or from the smallest to the largest where it differs: `×10 to 22`.

    Data have none.
    """
    if local is None:
        return ""
    least, most = number(np.min(local)), number(np.max(local))
    return f"×{least}" if least == most else f"×{least} to {most}"


def _lines(label: str, value: Any) -> list[str]:
    """A labelled value as lines of text: a table has a line for each row, unless its numbers are all the same."""
    if not np.ndim(value):
        return [f"{label} {number(value)}"]
    if np.ptp(value) == 0:
        return [label, f"{number(np.max(value))} each"]
    return [label, *("  ".join(map(number, row)) for row in np.atleast_2d(value))]


# ---------------------------------------------------------------------- reading the graph


@contextlib.contextmanager
def _recorded() -> Iterator[list[tuple[Any, tuple[Any, ...]]]]:
    """Collects, while the block runs, each operation's result with its inputs."""
    made: list[tuple[Any, tuple[Any, ...]]] = []
    original = vars(Function)["apply"]

    def apply(cls: type[Function], *inputs: Any, **settings: Any) -> Any:
        out = original.__get__(None, cls)(*inputs, **settings)
        made.append((out, inputs))
        return out

    Function.apply = classmethod(apply)  # type: ignore[method-assign,assignment]
    try:
        yield made
    finally:
        Function.apply = original


def _tensor(value: Any, requires_grad: bool = True) -> Any:
    return minigrad.tensor(np.asarray(value, dtype=float).tolist(), requires_grad=requires_grad)


def _steps(
    leaves: Mapping[str, Any], out: Any, made: list[tuple[Any, tuple[Any, ...]]], given: list[str]
) -> list[Step]:
    """The steps on the way from the leaves to the output, in the order in which they were computed."""
    letters = itertools.chain(given, _letters())
    steps = {id(x): Step(name, name, _value(x), 0.0 if x.requires_grad else None) for name, x in leaves.items()}
    for result, inputs in made:
        if result.grad_fn is None:
            continue
        name = "y" if result is out and not given else next(letters)
        formula = f"{name} = {_formula(type(result.grad_fn).__name__, inputs, steps)}"
        local = result.grad_fn.backward(_ones(result))
        below = [(steps[id(x)], local[i], i) for i, x in enumerate(inputs) if id(x) in steps]
        below = [(step, own, i) for step, own, i in below if own is not None or step.gradient is None]
        steps[id(result)] = Step(name, formula, _value(result), node=result.grad_fn, inputs=below)
    return _with_gradients(list(steps.values()), steps[id(out)])


def _value(tensor: Any) -> Any:
    """A step's numbers.

    Raises:
        ValueError: they are too many for a box.
    """
    if len(tensor.shape) > 2 or math.prod(tensor.shape[:-1]) > ROWS or math.prod(tensor.shape[-1:]) > COLUMNS:
        raise ValueError(f"The picture is for single numbers and tables of at most {ROWS} rows and {COLUMNS} columns.")
    return tensor.detach().numpy()[()]


def _ones(tensor: Any) -> Any:
    return np.ones(tuple(tensor.shape))[()]  # [()] makes a NumPy scalar of a single number, as the engine has it


def _letters() -> Iterator[str]:
    """a, b, c and so on without x and y, then a₁, b₁ and so on."""
    for turn in itertools.count():
        lowered = str(turn).translate(LOWERED) if turn else ""
        yield from (letter + lowered for letter in string.ascii_lowercase if letter not in "xy")


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
    if np.ndim(x.detach().numpy() if isinstance(x, minigrad.Tensor) else x):
        raise ValueError("The picture is for operations on its leaf and on single numbers; one operand is an array.")
    return number(float(x))


# ---------------------------------------------------------------------- drawing it


class Place(NamedTuple):
    """Where a box stands: its centre and its size."""

    x: float
    y: float
    width: float
    height: float


def _width(step: Step) -> float:
    """Of a box that holds the step's formula and its longest row of numbers."""
    rows = [line for line in step.lines() if "  " in line or line.endswith("each")]
    return max([WIDTH, LETTER * len(step.formula), *(DIGIT * len(row) + 16 for row in rows)])


def _gap(label: str) -> float:
    """Between two boxes, so that there is room for what is written on the arrow."""
    return max(GAP, 8 * len(label) + 22)


def _draw(steps: list[Step], alt: str) -> str:
    """The SVG. Boxes stand in columns, each to the right of everything that it is made from."""
    places = _layout(steps)
    width = max(place.x + place.width / 2 for place in places.values()) + MARGIN
    height = max(place.y + place.height / 2 for place in places.values()) + MARGIN
    size = {"width": f"{width:g}", "height": f"{height:g}", "viewBox": f"0 0 {width:g} {height:g}"}
    look = {"xmlns": "http://www.w3.org/2000/svg", "role": "img", "font-family": "sans-serif"}
    svg = xml.Element("svg", {**look, **size})
    xml.SubElement(svg, "title").text = alt
    _arrowhead(svg)
    xml.SubElement(svg, "rect", {"width": "100%", "height": "100%", "fill": "#ffffff"})
    for step in steps:
        for i, (below, local, _) in enumerate(step.inputs):
            beside = sum(other is below for other, *_ in step.inputs[:i]) * ARROWS_APART
            points = [(x, y + beside) for x, y in _route(places, below.name, step.name)]
            _arrow(svg, points, factor(local))
    for step in steps:
        _box(svg, places[step.name], step.lines())
    xml.indent(svg)
    return xml.tostring(svg, encoding="unicode") + "\n"


def _layout(steps: list[Step]) -> dict[Any, Place]:
    """Name -> its box. An arrow over several columns gets a place, `(from, to, column)`, in each of them."""
    order = nx.DiGraph([(below.name, step.name) for step in steps for below, *_ in step.inputs])
    column = {name: i for i, names in enumerate(nx.topological_generations(order)) for name in names}
    threaded = nx.DiGraph()
    for start, end in order.edges:
        stops = [(start, end, i) for i in range(column[start] + 1, column[end])]
        nx.add_path(threaded, [start, *stops, end])
    columns = list(nx.topological_generations(threaded))
    tallest = max(map(len, columns))
    widths = {step.name: _width(step) for step in steps}
    gaps = [(below.name, _gap(factor(local))) for step in steps for below, local, _ in step.inputs]
    height = LINE * max(len(step.lines()) for step in steps) + 8
    places: dict[Any, Place] = {}
    left: float = MARGIN
    for names in columns:
        names = sorted(names, key=lambda name: _mean([places[p].y for p in threaded.predecessors(name)]))
        width = max(widths.get(name, WIDTH) for name in names)
        for j, name in enumerate(names):
            down = (tallest - len(names)) / 2 + j
            places[name] = Place(left + width / 2, MARGIN + height / 2 + down * (height + BETWEEN), width, height)
        left += width + max([GAP, *(gap for name, gap in gaps if name in names)])
    return places


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _route(places: dict[Any, Place], start: str, end: str) -> list[tuple[float, float]]:
    """The points of an arrow: from the right side of one box to the left side of another."""
    first, last = places[start], places[end]
    stops = sorted(place[:2] for name, place in places.items() if isinstance(name, tuple) and name[:2] == (start, end))
    return [(first.x + first.width / 2, first.y), *stops, (last.x - last.width / 2, last.y)]


def _arrowhead(svg: xml.Element) -> None:
    shape = {"id": "head", "viewBox": "0 0 8 8", "refX": "8", "refY": "4", "markerWidth": "8", "markerHeight": "8"}
    marker = xml.SubElement(xml.SubElement(svg, "defs"), "marker", {**shape, "orient": "auto"})
    xml.SubElement(marker, "path", {"d": "M 0 0 L 8 4 L 0 8 z", "fill": "#333333"})


def _arrow(svg: xml.Element, points: list[tuple[float, float]], label: str) -> None:
    path = " ".join(f"{x:g},{y:g}" for x, y in points)
    line = {"points": path, "fill": "none", "stroke": "#333333", "stroke-width": "1.4", "marker-end": "url(#head)"}
    xml.SubElement(svg, "polyline", line)
    (x0, y0), (x1, y1) = points[0], points[1]
    x, y, half = x0 + (x1 - x0) * 0.45, y0 + (y1 - y0) * 0.45, 4 * len(label) + 2
    size = {"x": f"{x - half:g}", "y": f"{y - 9:g}", "width": f"{2 * half:g}", "height": "18", "fill": "#ffffff"}
    if label:
        xml.SubElement(svg, "rect", size)
        _text(svg, x, y + 5, label, italic=True)


def _box(svg: xml.Element, place: Place, lines: list[str]) -> None:
    x, y, width, height = place
    corner = {"x": f"{x - width / 2:g}", "y": f"{y - height / 2:g}", "width": f"{width:g}", "height": f"{height:g}"}
    xml.SubElement(svg, "rect", {**corner, "rx": "8", "fill": "#f4f4f4", "stroke": "#333333", "stroke-width": "1.4"})
    for i, line in enumerate(lines):
        _text(svg, x, y + 16 + LINE * (i - len(lines) / 2), line, bold=i == 0)


def _text(svg: xml.Element, x: float, y: float, text: str, bold: bool = False, italic: bool = False) -> None:
    look = {"font-weight": "bold"} if bold else {"font-style": "italic"} if italic else {}
    place = {"x": f"{x:g}", "y": f"{y:g}", "text-anchor": "middle", "font-size": "15", "fill": "#111111"}
    xml.SubElement(svg, "text", {**place, **look}).text = text
