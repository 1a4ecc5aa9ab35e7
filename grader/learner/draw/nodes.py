"""The picture of the graph that a tensor holds, and of a backward pass through it.

    nodes.draw(out)
    nodes.draw(out, x=x, y=y)        # tensors of the graph, with the names to show them under
    passed = nodes.backward(out, x=x)  # runs out.backward(), and keeps each step of it
    passed                           # in a notebook: a slider goes through the steps, forward and back
    print(passed.step(2))            # the same as a call: by keyboard, in a terminal, with a screen reader

The nodes are numbered, the newest first. Leaves have square corners and thick lines, operations round corners, and
dashes where backward has freed what the node saved. Arrows are the edges.
"""

from __future__ import annotations

import html
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import minigrad
from minigrad.core import engine, function

from . import drawing, live
from .figure import number

MOST_NODES, MOST_STEPS = 150, 60  # of a picture that can be read, and of a pass that one goes through
RUNS = "▶ runs"
# JupyterLab gives a widget's tables no room between their columns, and lets them widen what they are in.
CELLS = (
    "<style>.minigrad-steps :is(th, td) { padding: 0.1em 0.8em 0.1em 0; text-align: left; line-height: 1.4; } "
    ".minigrad-steps { contain: inline-size; overflow-x: auto; }</style>"
)
FEW = 4  # numbers that are shown; of more, the shape


def draw(tensor: minigrad.Tensor, /, **names: minigrad.Tensor) -> drawing.Drawing:
    """Draw the graph below a tensor: its nodes with values where the graph holds them, saved values and gradients.

    Args:
        tensor: the tensor; its graph is only read.
        names: tensors of the graph, under the names that they should have in the picture.

    Raises:
        ValueError: there is no graph, or none that can be read; a named tensor is not in it.
    """
    graph = Recorded(tensor, names)
    return drawing.draw(*graph.content({}, {}), graph.alt(), graph.table())


def backward(
    tensor: minigrad.Tensor,
    /,
    gradient: minigrad.Tensor | None = None,
    retain_graph: bool = False,
    **names: minigrad.Tensor,
) -> Pass:
    """Run `tensor.backward(gradient, retain_graph)`, and show the graph after each step of it.

    It is a real pass by the running engine's traversal: it adds to `.grad`, and it frees.

    Args:
        tensor: where the pass starts.
        gradient: a tensor of its shape; None for a tensor of one element.
        retain_graph: whether the nodes keep what they saved.
        names: tensors of the graph, under the names that they should have in the picture.

    Raises:
        ValueError: there is no graph, or none that can be read, or its traversal does not visit node by node.
    """
    graph = Recorded(tensor, names, MOST_STEPS)
    recorder = Recorder(graph, engine.visit_and_keep if retain_graph else engine.visit_and_free)
    first = engine.first_gradient(tensor, gradient, 0).detach().numpy()[()]
    recorder.waiting[graph.order[0]] = first
    with minigrad.no_grad():
        engine.run_backward(graph.order[0], first, recorder.visit)
    if not recorder.contents:
        raise ValueError("This engine's traversal does not visit node by node: it is the walk of chapters 1 and 2.")
    if more := sum(map(len, recorder.visits.values())) - len(recorder.contents):
        recorder.says[-1] += f" {more} more steps follow."
    layout = drawing.Layout(recorder.contents)
    kept = zip(recorder.contents, recorder.says, recorder.tables, strict=True)
    return Pass([drawing.Drawing(layout.svg(*content, says), says, table) for content, says, table in kept])


@dataclass(frozen=True)
class Pass:
    """A backward pass: a drawing after each step. A notebook has a slider for them, `print` tells them."""

    frames: list[drawing.Drawing]

    def step(self, number: int) -> drawing.Drawing:
        """The graph after one step, counted from 1: which nodes have run, what waits, and for how many gradients.

        Raises:
            ValueError: there is no such step.
        """
        if not 1 <= number <= len(self.frames):
            raise ValueError(f"There is no step {number}: this pass has the steps 1 to {len(self.frames)}.")
        return self.frames[number - 1]

    def __str__(self) -> str:
        return "\n".join(frame.alt for frame in self.frames)

    def html(self) -> str:
        """The steps in words, each with its drawing below it; opening one closes the one before."""
        name = f"pass-{zlib.crc32(str(self).encode())}"
        return "".join(
            f'<details name="{name}"{" open" if i == 0 else ""}><summary>{html.escape(frame.alt)}</summary>'
            f"{frame.html()}</details>"
            for i, frame in enumerate(self.frames)
        )

    def slider(self, widgets: Any) -> Any:
        """The steps, one at a time."""
        slider = widgets.IntSlider(min=1, max=len(self.frames), description="Step", continuous_update=True)
        shown = widgets.HTML()

        def look(change: object = None) -> None:
            frame = self.step(slider.value)
            says = f'<p role="status" style="line-height: 1.5">{html.escape(frame.alt)}</p>'
            shown.value = f'{CELLS}<div class="minigrad-steps" tabindex="0">{says}{frame.html()}</div>'

        slider.observe(look, "value")
        look()
        return widgets.VBox([slider, shown])

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """The steps as pages to open, the first one's drawing and, where it can be had, the slider."""
        still = {"text/plain": str(self), "text/html": self.html(), "image/svg+xml": self.frames[0].svg}
        return live.bundle(still, self.slider)


class Recorder:
    """Visits nodes for a traversal, and keeps what the graph looks like after each visit."""

    def __init__(self, graph: Recorded, visit: engine.Visit) -> None:
        self.graph = graph
        self.run = visit
        self.waiting: dict[function.Function, Any] = {}
        self.expected = Counter(below for node in graph.order for below in node.edges)
        self.arrived: Counter[function.Function | None] = Counter()
        self.visits: dict[function.Function, list[str]] = {node: [] for node in graph.order}
        self.tables: list[drawing.Table] = []
        self.contents: list[drawing.Content] = []
        self.says: list[str] = []

    def visit(self, node: function.Function, grad: Any) -> list[Any]:
        """Run the node, and keep the step."""
        passed = self.run(node, grad)
        self.visits[node].append(str(sum(map(len, self.visits.values())) + 1))
        self.waiting.pop(node, None)
        self.arrived.update(node.edges)
        for below, own in zip(node.edges, passed, strict=False):
            if below is not None and own is not None:
                self.waiting[below] = self.waiting[below] + own if below in self.waiting else own
        if len(self.contents) < MOST_STEPS:  # a walk along each path has too many
            self.keep(node, grad, passed)
        return passed

    def keep(self, node: function.Function, grad: Any, passed: list[Any]) -> None:
        """Draw and tell the step."""
        states = {other: self.state(other) for other in self.graph.order} | {node: f"{RUNS} with {_short(grad)}"}
        labels = {(node, i): _short(own) for i, own in enumerate(passed) if own is not None}
        self.contents.append(self.graph.content(states, labels))
        self.tables.append(self.table(states))
        self.says.append(f"Step {len(self.says) + 1}: {self.told(node, grad, passed)}.")

    def state(self, node: function.Function) -> str:
        """How far the pass is at a node."""
        if node in self.waiting:
            return f"waits with {_short(self.waiting[node])}{self.count(node, ', {} of {} here')}"
        return ("not reached yet", "has run")[runs] if (runs := len(self.visits[node])) < 2 else f"has run {runs} times"

    def count(self, node: function.Function, form: str) -> str:
        """How many of a node's gradients have arrived; nothing of the root, at which the pass starts."""
        return form.format(self.arrived[node], self.expected[node]) if self.expected[node] else ""

    def named(self, node: function.Function) -> str:
        """The node's number and name, with the name of its tensor, if it was given one."""
        name = self.graph.names.get(node)
        return f"{self.graph.title(node)}: {name}" if name else self.graph.title(node)

    def table(self, states: Mapping[function.Function, str]) -> drawing.Table:
        """Each node: when it was visited, how many of its gradients have arrived, and how far it is."""
        rows = [
            (self.named(node), ", ".join(visits) or "–", self.count(node, "{} of {}") or "–", states[node])
            for node, visits in self.visits.items()
        ]
        return drawing.Table(("node", "visit", "arrived", "now"), rows)

    def told(self, node: function.Function, grad: Any, passed: list[Any]) -> str:
        """The step in words."""
        numbers = self.graph.numbers
        on = [
            f"{_short(own)} to node {numbers[e]}"
            for e, own in zip(node.edges, passed, strict=False)
            if e is not None and own is not None
        ]
        end = f"passes {' and '.join(on)}" if on else "passes nothing on"
        if isinstance(node, function.AccumulateGrad):
            end = "adds that to the leaf's gradient"
        return f"node {numbers[node]}, {node.name()}, takes {_short(grad)}; it {end}"


class Recorded:
    """The nodes below a tensor, the newest first, and what is known of each."""

    def __init__(self, tensor: minigrad.Tensor, names: Mapping[str, minigrad.Tensor], most: int = MOST_NODES) -> None:
        root = function.gradient_edge(tensor)
        if root is None:
            raise ValueError("There is no graph to draw: the tensor requires no gradient.")
        self.order = _newest_first(root)
        if len(self.order) > most:
            raise ValueError(f"The graph has {len(self.order)} nodes; a picture of more than {most} cannot be read.")
        self.numbers = {node: i for i, node in enumerate(self.order, start=1)}
        self.tensors = {root: tensor}
        self.names: dict[function.Function, str] = {}
        for name, named in names.items():
            node = function.gradient_edge(named)
            if node is None or node not in self.numbers:
                raise ValueError(f"{name} is not in this graph: it needs no gradient, or nothing here depends on it.")
            self.tensors[node], self.names[node] = named, name
        self.values = self.known()

    def known(self) -> dict[function.Function | None, Any]:
        """Node -> its result's value, for leaves, given tensors, and results that a node has saved."""
        values: dict[function.Function | None, Any] = {}
        for node in self.order:
            values |= {self.made(node, i): value for i, value in _saved(node) if i is not None}
            if isinstance(node, function.AccumulateGrad):
                self.tensors[node] = node.variable
        return values | {node: tensor.detach().numpy()[()] for node, tensor in self.tensors.items()}

    def made(self, node: function.Function, i: int) -> function.Function | None:
        """The node that made what a node saved: its input number `i`, or its result for −1; None for data."""
        return node if i == -1 else node.edges[i] if i < len(node.edges) else None

    def title(self, node: function.Function) -> str:
        """The node's number and name."""
        return f"{self.numbers[node]} {node.name()}"

    def result(self, node: function.Function) -> str:
        """The node's tensor: its name if it has one, and its value, if the graph keeps it, or its shape."""
        shown = f"shape {tuple(node.out_shape)}, not kept" if node.out_shape else "value not kept"
        if node in self.values:
            shown = _shown(self.names.get(node, "value"), self.values[node]).removeprefix("value, ")
        return f"leaf: {shown}" if isinstance(node, function.AccumulateGrad) else shown

    def saved(self, node: function.Function) -> list[str]:
        """What the node saved, a line each."""
        if isinstance(node, function.AccumulateGrad):
            return []
        if node.saved is None:
            return ["freed what it saved"]
        lines = [f"saves {_shown(self.whose(node, i), value)}" for i, value in _saved(node)]
        return list(dict.fromkeys(lines)) or ["saved a value that has changed" if node.saved else "saves nothing"]

    def whose(self, node: function.Function, i: int | None) -> str:
        """What a saved value is: a tensor's name, a node's value, the node's own result, or an input of data."""
        if i is None:
            return "a value"
        made = self.made(node, i)
        if made is None:
            return f"input {i + 1}"
        return self.names.get(made) or ("its value" if made is node else f"value of {self.numbers[made]}")

    def gradient(self, node: function.Function) -> list[str]:
        """The gradient of a leaf, or of a result that keeps its own."""
        retained = getattr(node, "retained", None)
        tensor = self.tensors[node] if node in self.tensors else retained and retained()
        if tensor is None or not (tensor.is_leaf or tensor.retains_grad):
            return []
        return ["no gradient yet" if tensor.grad is None else _shown("gradient", tensor.grad.detach().numpy()[()])]

    def content(
        self, states: Mapping[function.Function, str], labels: Mapping[tuple[function.Function, int], str]
    ) -> drawing.Content:
        """The boxes and arrows: with the state of each node, and a label for the edge (node, position)."""
        boxes, arrows = [], []
        for node in self.order:
            lines = [self.title(node), self.result(node), *self.saved(node), *self.gradient(node)]
            state = [states[node]] if states else []
            boxes.append(drawing.Box(node, [*lines, *state], self.look(node, state)))
            for i, below in enumerate(node.edges):
                end = (node, i) if below is None else below
                arrows.append(drawing.Arrow(node, end, labels.get((node, i), ""), dashed=below is None))
                if below is None:
                    boxes.append(drawing.Box(end, ["None"], "none"))
        return boxes, arrows

    def look(self, node: function.Function, state: list[str]) -> str:
        """The look of a node's box."""
        if state and state[0].startswith(RUNS):
            return "running"
        return "leaf" if isinstance(node, function.AccumulateGrad) else "freed" if node.saved is None else "result"

    def table(self) -> drawing.Table:
        """All of it in rows."""
        headings = ("node", "edges to", "tensor", "saved", "gradient")
        rows = []
        for node in self.order:
            edges = ["None" if below is None else str(self.numbers[below]) for below in node.edges]
            cells = (" and ".join(edges), self.result(node), ", ".join(self.saved(node)), *self.gradient(node), "")
            rows.append((self.title(node), *(cell or "–" for cell in cells[:4])))
        return drawing.Table(headings, rows)

    def alt(self) -> str:
        """How many nodes there are, and of which kinds."""
        leaves = sum(isinstance(node, function.AccumulateGrad) for node in self.order)
        freed = sum(node.saved is None for node in self.order)
        count, ends = _counted(len(self.order), "node", "nodes"), _counted(leaves, "leaf", "leaves")
        end = f"; freed is what {_counted(freed, 'node', 'nodes')} saved" if freed else ""
        return f"A graph of {count}, the newest first, that ends at {ends}{end}. A table says what is in it."


def _counted(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"


def _newest_first(root: function.Function) -> list[function.Function]:
    found, waiting = {root}, [root]
    while waiting:
        below = {other for other in waiting.pop().edges if other is not None} - found
        found |= below
        waiting += below
    return sorted(found, key=lambda node: node.number)


def _saved(node: function.Function) -> list[tuple[int | None, Any]]:
    """What a node saved, each with its place: an input's position, −1 for the result, None where rules don't say.

    It is empty where nothing was saved, or where it was freed or changed since.
    """
    try:
        saved = node.saved_tensors
    except RuntimeError:
        return []
    plan = getattr(node, "plan", None)  # an operation with rules of one's own has none
    return list(zip(plan.saves if plan else [None] * len(saved), saved, strict=False))


def _shown(name: str, value: Any) -> str:
    """`x = 2`, or `x, shape (3, 4)`."""
    short = _short(value)
    return f"{name}, {short}" if short.startswith("shape") else f"{name} = {short}"


def _short(value: Any) -> str:
    """A few numbers, or the shape."""
    if isinstance(value, minigrad.Tensor):
        value = value.detach().numpy()[()]
    if not isinstance(value, int | float | np.ndarray | np.generic):
        return "a share"  # of the gradients of several outputs, on their way to the node of all
    return number(value) if np.size(value) <= FEW else f"shape {np.shape(value)}"
