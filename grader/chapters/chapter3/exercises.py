"""Chapter 3, the computational graph: recording it, counting in it, and going back through it.

A graph is a list of lines, such as `y = a * a`, on the leaves a and b and on c, which needs no gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ask.exercise import Exercise
from ...ask.heard import at_once, calls_of, open_calls, working_by_hand
from ...ask.operations import signed, special
from ...ask.tried import Tried, tensor

TWICE = ["out = a * a"]
LINE = ["u = a * b", "out = u * u"]
SUMS = ["u = a + b", "v = u + a", "w = v + u", "out = w + b"]
DIAMOND = ["u = a * a", "y = u + b", "p = y * b", "q = y * y", "r = q * a", "out = p + r"]
LATE = ["y = a * b", "u = y * 3.5", "v = u + y", "w = v - a", "out = y * w"]
EDGES = ["leaf a", "leaf b", "result a", "result b", "frozen", "constant", "number"]  # what may have one
CONSTANTS = ["u = c * a", "v = u + 2.5", "w = c - v", "out = w * v"]


def _doublings(n: int) -> list[str]:
    names = ["a", *(f"s{i}" for i in range(1, n)), "out"]
    return [f"{name} = {before} + {before}" for before, name in zip(names, names[1:])]


def _random_graph(rng: np.random.Generator) -> list[str]:
    """Eight lines, each using the one before, so that all are on the way to `out`."""
    names, lines = ["a", "b", "c"], ["s0 = a * b"]
    for i in range(1, 8):
        pair = [f"s{i - 1}", str(rng.choice(names))]
        names.append(pair[0])
        left, right = rng.permutation(pair)
        lines.append(f"{f's{i}' if i < 7 else 'out'} = {left} {rng.choice(['+', '-', '*'])} {right}")
    return lines


def _grown_graph(rng: np.random.Generator) -> list[str]:
    """Some lines on anything before them: how much of it is on the way to `out` is left to chance."""
    names, lines = ["a", "b", "c"], ["s0 = a * b"]
    for i in range(1, int(rng.integers(6, 13))):
        names.append(f"s{i - 1}")
        lines.append(f"s{i} = {' + '.join(rng.choice(names, 2))}")
    return [*lines, f"out = {names[-1]} * {rng.choice(['a', 'b', 's0'])}"]  # s3 = c + c has no graph


# ---------------------------------------------------------------------- inputs


def _case(rng: np.random.Generator, lines: list[str], shape: tuple[int, ...] = ()) -> dict[str, Any]:
    return {"leaves": {name: signed(rng, shape) for name in "abc"}, "lines": lines, "above": signed(rng, shape)}


def _special_case(rng: np.random.Generator, lines: list[str]) -> dict[str, Any]:
    return {"leaves": {name: special(rng) for name in "abc"}, "lines": lines, "above": special(rng)}


def _draw_sketches(rng: np.random.Generator) -> dict[str, Any]:
    mixed = [[line.replace("-", "+") for line in _random_graph(rng)] for _ in range(2)]
    shapes = [(), (2, 3), (1, 3), (4,), (), (3,)]
    cases = [
        {"leaves": {name: signed(rng, shape) for name in "abc"}, "lines": lines}
        for lines, shape in zip([TWICE, LINE, SUMS, DIAMOND, *mixed], shapes, strict=True)
    ]
    return {"Sketch": [*cases, {"leaves": {name: special(rng) for name in "abc"}, "lines": DIAMOND}]}


def _draw_edges(rng: np.random.Generator) -> dict[str, Any]:
    values = [signed(rng), signed(rng, (3,)), signed(rng, (2, 3)), 0.0, special(rng, (1, 4))]
    asked = rng.permutation([*EDGES, *EDGES, *rng.choice(EDGES, 12)]).tolist()
    return {"gradient_edge": {"values": values, "asked": asked}}


def _draw_records(rng: np.random.Generator) -> dict[str, Any]:
    graphs = [TWICE, DIAMOND, LATE, CONSTANTS, *(_random_graph(rng) for _ in range(3))]
    shaped = [_case(rng, DIAMOND, (2, 3)), _case(rng, SUMS, (1, 3)), _special_case(rng, DIAMOND)]
    return {"record": [_case(rng, lines) for lines in graphs] + shaped}


def _draw_counts(rng: np.random.Generator) -> dict[str, Any]:
    graphs = [TWICE, LINE, SUMS, CONSTANTS, LATE, DIAMOND, _doublings(int(rng.integers(7, 11)))]
    cases = [_case(rng, lines) for lines in graphs + [_random_graph(rng) for _ in range(3)]]
    cases += [_case(rng, _grown_graph(rng)) for _ in range(6)]
    return {"count_nodes": cases, "count_paths": cases}


def _draw_by_hand(rng: np.random.Generator) -> dict[str, Any]:
    cases = [{name: signed(rng, shape) for name in "ab"} for shape in [(), (), (4,), (2, 3), (1, 3)]]
    return {"diamond": [*cases, {name: special(rng) for name in "ab"}]}


def _draw_traversals(rng: np.random.Generator) -> dict[str, Any]:
    sums = [_case(rng, SUMS), _case(rng, SUMS, (2, 3)), _case(rng, _doublings(8))]
    graphs = [TWICE, LINE, CONSTANTS, LATE, DIAMOND, *(_random_graph(rng) for _ in range(4))]
    again = {**_case(rng, DIAMOND, (3,)), "rounds": 2}
    cases = [*sums, *(_case(rng, lines) for lines in graphs), _case(rng, DIAMOND, (2, 3)), again]
    cases += [{**_case(rng, LATE), "above": 0.0}, {**_case(rng, SUMS, (2,)), "above": [0.0, 0.0]}]
    cases += [_special_case(rng, DIAMOND), _special_case(rng, CONSTANTS), _case(rng, SUMS, (1, 3))]
    return {"run_backward": {"graphs": cases, "leaf": signed(rng, (3,)), "depth": int(rng.integers(3200, 3600))}}


# ---------------------------------------------------------------------- probes


def probe_sketches(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Compute with sketches, and look at what each result remembers when all is done; then at another operation."""
    import numpy as np

    class Weigh:
        """An operation of three inputs that keeps something on its node, as some do."""

        def forward(self, x: Any, y: Any, z: Any) -> Any:
            self.arrays = not any(hasattr(one, "grad_fn") for one in (x, y, z))
            self.kept = x * y
            return self.kept - z

    for case in inputs:
        leaves = {name: given["Sketch"](np.array(value)[()]) for name, value in case["leaves"].items()}
        values, lines = dict(leaves), [line.split(" = ") for line in case["lines"]]
        for name, expression in lines:
            with calls_of(given["Sketch"], "apply") as calls:
                values[name] = eval(expression, {}, values)
            yield f"{expression} calls Sketch.apply", bool(calls)
            yield f"{expression} is a Sketch", isinstance(values[name], given["Sketch"])
            yield f"the array of {expression}", getattr(values[name], "array", None)
        known = {id(value): name for name, value in reversed(values.items())}

        def inside(node: Any, known: Any = known) -> str:
            """The names of what a node has as its inputs."""
            return " ".join(known.get(id(one), type(one).__name__) for one in getattr(node, "inputs", ()))

        found = [getattr(values[name], "grad_fn", None) for name, _ in lines]
        for (_, expression), node in zip(lines, found):
            yield f"{expression} has a grad_fn", node is not None
            is_object, has_forward = not isinstance(node, type), hasattr(node, "forward")
            yield f"the grad_fn of {expression} is an object, and no class", is_object
            yield f"the grad_fn of {expression} is a node, with a forward", has_forward
            if node is not None and is_object and has_forward:
                yield f"what the node of {expression} computes from 3 and 5", node.forward(3.0, 5.0)
            yield f"the inputs of the node of {expression}", inside(node)
        yield f"how many nodes {len(lines)} operations have made", len({id(node) for node in found if node is not None})
        for name, leaf in leaves.items():
            yield f"the sketch {name} that you made yourself has no grad_fn afterwards", leaf.grad_fn is None
            yield f"the array of the sketch {name} itself, afterwards", leaf.array
        x, y, z = leaves.values()
        out = given["Sketch"].apply(Weigh, x, y, z)
        what = "apply(an operation of three inputs, a, b, c)"
        yield f"the array of {what}", getattr(out, "array", None)
        node = getattr(out, "grad_fn", None)
        yield f"in {what}, forward gets arrays, no sketches", getattr(node, "arrays", None)
        yield f"in {what}, grad_fn is the object whose forward has run", getattr(node, "kept", None)
        yield f"the inputs of the node of {what}", inside(node)


def probe_edges(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Ask for the edges of leaves, results, constants and numbers; recording may not be written yet."""
    edge_of = given["gradient_edge"]
    for value in inputs["values"]:
        leaf = torch.tensor(value, dtype=torch.float64, requires_grad=True)
        shape = tuple(leaf.shape)
        edge = edge_of(leaf)
        yield f"a leaf of shape {shape} that requires grad has an edge, not None", edge is not None
        yield f"the edge of a leaf of shape {shape} is a node, AccumulateGrad", type(edge).__name__
        yield f"the node of a leaf of shape {shape} has it as its variable", getattr(edge, "variable", None) is leaf
        yield "a leaf that is used again has the same node", edge_of(leaf) is edge
        leaf.grad = torch.ones_like(leaf)
        yield "a leaf that has a gradient already has the same node", edge_of(leaf) is edge
        constant = torch.tensor(value, dtype=torch.float64)
        yield "a tensor that requires no grad has None for its edge", edge_of(constant) is None
        if torch.__name__ == "minigrad":
            result = torch.tensor(value, dtype=torch.float64)
            result.grad_fn, result.requires_grad = torch.core.function.Function(), True
            result.grad_fn.edges = [torch.core.function.accumulator(leaf)]
        else:
            result = leaf * 2
        yield f"a result of shape {shape} that requires grad has an edge, not None", edge_of(result) is not None
        yield f"the edge of a result of shape {shape} is its grad_fn", edge_of(result) is result.grad_fn
        leaf.requires_grad_(False)
        yield "a leaf that was frozen has None for its edge", edge_of(leaf) is None
    for number in (2, 2.5):
        yield f"a plain number, {number}, has None for its edge", edge_of(number) is None
    things: dict[str, Any] = {"number": 1.5}
    for name in ("leaf a", "leaf b", "frozen", "constant", "result a", "result b"):
        things[name] = torch.tensor(2.5, dtype=torch.float64, requires_grad=name.startswith(("leaf", "frozen")))
        if name.startswith("result") and torch.__name__ == "minigrad":
            things[name].grad_fn, things[name].requires_grad = torch.core.function.Function(), True
        elif name.startswith("result"):
            things[name] = things[f"leaf {name[-1]}"] * 2
    things["frozen"].requires_grad_(False)

    order = list(dict.fromkeys(inputs["asked"]))

    def which(edge: Any) -> int:
        """The number of the thing whose node it is, in the order in which they are asked for; 0 for None."""
        for number, name in enumerate(order, start=1):
            node = getattr(things[name], "grad_fn", None)
            if edge is not None and (edge is node if node else getattr(edge, "variable", None) is things[name]):
                return number
        return 0 if edge is None else -1

    found = " ".join(str(which(edge_of(things[name]))) for name in inputs["asked"])
    yield "the edges of leaves, results, constants and numbers, asked for one after another", found


def probe_records(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Run operations, and look at what each result remembers, at once and when all is recorded."""

    def remembered(line: str, words: list[str], operands: list[Any], result: Any, node: Any, when: str) -> Any:
        yield f"in {line}, the result has a grad_fn{when}", result.grad_fn is not None and result.grad_fn is node
        is_node = callable(getattr(node, "name", None)) and node.name().endswith("Backward0")
        yield f"in {line}, grad_fn is the operation's node{when}", is_node
        listed = torch.__name__ != "minigrad" or isinstance(getattr(node, "edges", None), list)
        yield f"in {line}, the node's edges are a list{when}", listed
        below = [edge for edge, _ in getattr(node, "next_functions", ())]
        yield f"in {line}, the node has an edge for each input{when}", len(below) == len(operands)
        for word, operand, edge in zip(words, operands, below):
            if operand is None or not operand.requires_grad:
                yield f"in {line}, the edge of {word} is None{when}", edge is None
            elif operand.grad_fn is None:
                is_leaf = getattr(edge, "variable", None) is operand
                yield f"in {line}, the edge of {word} is its AccumulateGrad{when}", is_leaf
            else:
                yield f"in {line}, the edge of {word} is its grad_fn{when}", edge is operand.grad_fn
        numbers = [getattr(one, "number", 0) for one in (node, *filter(None, below))]
        newer = torch.__name__ != "minigrad" or all(numbers[0] < number for number in numbers[1:])
        yield f"in {line}, the node is newer than those that its edges lead to{when}", newer

    for case in inputs:
        values = {
            name: torch.tensor(value, dtype=torch.float64, requires_grad=name != "c")
            for name, value in case["leaves"].items()
        }
        recorded = []
        for line in case["lines"]:
            name, expression = line.split(" = ")
            values[name] = eval(expression, {}, values)
            words = expression.split(" ")[::2]
            one = line, words, [values.get(word) for word in words], values[name], values[name].grad_fn
            recorded.append(one)
            yield f"the result of {expression}", values[name]
            yield from remembered(*one, "")
        for one in recorded:
            yield from remembered(*one, ", when all is recorded")
        numbers = [getattr(node, "number", 0) for *_, node in recorded]
        newer = torch.__name__ != "minigrad" or all(b < a for a, b in zip(numbers, numbers[1:]))
        yield f"each node of {case['lines'][-1]} and before it is newer than the one before", newer
        known = {id(node): str(number) for number, (*_, node) in enumerate(recorded) if node is not None}
        known |= {id(None): "-"}

        def whose(edge: Any, values: Any = values, known: Any = known) -> str:
            leaf = [name for name in "ab" if getattr(edge, "variable", None) is values[name]]
            return "".join(leaf) or known.get(id(edge), "?")

        edges = [[whose(edge) for edge, _ in getattr(node, "next_functions", ())] for *_, node in recorded]
        yield f"what the edges of {case['lines'][-1]} and before it lead to", " ".join(map("".join, edges))


def probe_counts(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Count the nodes of a graph, or its paths; from its result, and from a node in it down to a leaf's."""
    import numpy as np

    integers = int | np.integer
    for case in inputs:
        values = {
            name: torch.tensor(value, dtype=torch.float64, requires_grad=name != "c")
            for name, value in case["leaves"].items()
        }
        for line in case["lines"]:
            name, expression = line.split(" = ")
            values[name] = eval(expression, {}, values)
        what = "; ".join(case["lines"])
        what = what if len(what) < 90 else f"a graph of {len(case['lines'])} operations"
        node, counted = values["out"].grad_fn, part.removeprefix("count_")
        for time in ("", ", asked for a second time"):
            found = given[part](node)
            yield f"the number of {counted} in {what}{time}", found
            yield f"{part} returns an integer{time}", isinstance(found, integers) and not isinstance(found, bool)
        while node.next_functions:
            node = next(edge for edge, _ in node.next_functions if edge is not None)
            yield f"the number of {counted} from a node inside, in {what}", given[part](node)
    if part != "count_nodes":
        return

    class Endless(BaseException):
        """A walk that comes by the same nodes again and again."""

    y = torch.tensor(1.0, requires_grad=True)
    for _ in range(40):
        y = y + y
    if torch.__name__ == "minigrad":  # where a walk asks each node, and is stopped
        asked: list[int] = []

        class Patient(type(y.grad_fn)):  # type: ignore[misc] # a class that is found there
            @property
            def edges(self, asked: Any = asked) -> Any:
                asked.append(1)
                if len(asked) > 8 * 41:  # of 41 nodes; who visits a node once may look at its edges several times
                    raise Endless
                return vars(self)["edges"]

        kind = type(node := y.grad_fn)
        while type(node) is kind:
            node.__class__, node = Patient, next(iter(node.edges), None)
    try:
        ended = isinstance(given[part](y.grad_fn), integers)
    except Endless:
        ended = False
    place = "count_nodes ends where y = y + y ran 40 times, as it visits no node twice"
    yield place, ended


def probe_by_hand(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """The gradients of the diamond by hand: the engine records nothing meanwhile."""
    import numpy as np

    for case in inputs:
        a, b = np.array(case["a"])[()], np.array(case["b"])[()]
        with working_by_hand(torch, "minigrad.core.engine") as others:
            found = at_once(given["diamond"](a, b))
        yield "diamond is worked out by hand: no backward pass of the engine runs in it", not others
        right = isinstance(found, tuple | list) and len(found) == 3
        yield "diamond returns three gradients: of y, of a, of b", None if found is None else right
        for name, grad in zip("yab", found if right else ()):
            yield f"the gradient of {name} on shape {a.shape}", np.asarray(grad)
        for name, array in (("a", a), ("b", b)):
            place = f"the array {name} itself, which is only to be read, after diamond on shape {a.shape}"
            yield place, np.asarray(array)


def probe_traversals(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Build graphs, go back through them, and count by hooks how often each step is handed a gradient."""
    for case in inputs["graphs"]:
        values = {
            name: torch.tensor(value, dtype=torch.float64, requires_grad=name != "c")
            for name, value in case["leaves"].items()
        }
        what = "; ".join(case["lines"])
        what = what if len(what) < 90 else f"a graph of {len(case['lines'])} operations"
        above = torch.tensor(case["above"], dtype=torch.float64)
        for turn in range(case.get("rounds", 1)):
            arrived: dict[str, Any] = {}
            for line in case["lines"]:
                name, expression = line.split(" = ")
                values[name] = eval(expression, {}, values)
                arrived[name] = []
                values[name].register_hook(arrived[name].append)
            values["out"].backward(above)
            again = ", a second time" if turn else ""
            for name in "ab":
                yield f"{name}.grad after {what}{again}", values[name].grad
            yield f"the number of gradients that out passes down, in {what}", len(arrived["out"])
            for name in list(arrived)[:-1]:
                yield f"the number of times that the node of {name} runs, in {what}", len(arrived[name])
                yield f"the gradient of {name} in {what}", arrived[name][-1] if arrived[name] else None
        yield f"the tensor grad itself, which is only to be read, after {what}", above
        a, b = values["a"], values["b"]
        y = a * b
        only = torch.autograd.grad(y * y + (a * 2.5 + a) * b, [b], above)[0]
        yield f"what autograd.grad returns for one of two leaves, on shape {tuple(b.shape)}", only
    leaf = torch.tensor(inputs["leaf"], dtype=torch.float64, requires_grad=True)
    leaf.backward(torch.tensor(inputs["leaf"], dtype=torch.float64))
    yield "the .grad of a leaf on which backward() is called itself", leaf.grad
    y = x = torch.tensor(inputs["leaf"][0], dtype=torch.float64, requires_grad=True)
    for _ in range(inputs["depth"]):
        y = y + 1.5
    y.backward()
    yield "x.grad at the end of a chain of thousands of operations", x.grad
    depths: list[int] = []

    def deep(grad: Any) -> None:
        depths.append(open_calls())

    y = x = torch.tensor(inputs["leaf"][0], dtype=torch.float64, requires_grad=True)
    for _ in range(20):
        y = y + 1.5
        y.register_hook(deep)
    y.backward()
    loop = max(depths, default=0) - min(depths, default=0) < 10
    yield "run_backward is a loop: down a chain of 20 operations, no call waits for another", loop


# ---------------------------------------------------------------------- what torch, or minigrad, answers


def twin_sketch(torch: Any) -> dict[str, Any]:
    """A sketch with operations of its own: torch has none to apply."""

    class Mul:
        def forward(self, x: Any, y: Any) -> Any:
            return x * y

    class Add:
        def forward(self, x: Any, y: Any) -> Any:
            return x + y

    class Sketch:
        def __init__(self, array: Any) -> None:
            self.array, self.grad_fn = array, None

        def __mul__(self, other: Any) -> Any:
            return Sketch.apply(Mul, self, other)

        def __add__(self, other: Any) -> Any:
            return Sketch.apply(Add, self, other)

        @staticmethod
        def apply(operation: Any, *inputs: Any) -> Any:
            node = operation()
            node.inputs = inputs
            out = Sketch(node.forward(*[x.array for x in inputs]))
            out.grad_fn = node
            return out

    return {"Sketch": Sketch}


def twin_edges(torch: Any) -> dict[str, Any]:
    """Where a gradient flows, as autograd itself shows it."""

    def gradient_edge(x: Any) -> Any:
        if not isinstance(x, torch.Tensor) or not x.requires_grad:
            return None
        return x.grad_fn or x.view_as(x).grad_fn.next_functions[0][0]

    return {"gradient_edge": gradient_edge}


def twin_counts(torch: Any) -> dict[str, Any]:
    """Counting on any graph that has next_functions."""

    def below(node: Any) -> list[Any]:
        return [edge for edge, _ in node.next_functions if edge is not None]

    def count_nodes(node: Any) -> int:
        seen = [node]
        for one in seen:
            seen += [edge for edge in dict.fromkeys(below(one)) if edge not in seen]
        return len(seen)

    def count_paths(node: Any) -> int:
        return sum(map(count_paths, below(node))) if below(node) else 1

    return {"count_nodes": count_nodes, "count_paths": count_paths}


def twin_by_hand(torch: Any) -> dict[str, Any]:
    """The diamond through autograd."""

    def diamond(a: Any, b: Any) -> tuple[Any, Any, Any]:
        if torch.__name__ == "minigrad":  # where the probe hears who asks the engine
            y = a * a + b
            slope = b + 2 * y * a
            return slope, y * y + slope * 2 * a, y + slope
        with torch.enable_grad():
            a, b = (torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (a, b))
            y = a * a + b
            y.retain_grad()
            (y * b + y * y * a).sum().backward()
        return y.grad.numpy(), a.grad.numpy(), b.grad.numpy()

    return {"diamond": diamond}


# ---------------------------------------------------------------------- cases, as a learner runs them


def try_sketch(case: Any) -> list[str]:
    """Sketches of the leaves, and the operations on them."""
    leaves = [f"{name} = Sketch(np.array({value}))" for name, value in case["leaves"].items()]
    made = [line.split(" = ")[0] for line in case["lines"]]
    return ["import numpy as np", *leaves, *case["lines"], ", ".join(f"{name}.array" for name in made)]


def try_count(part: str) -> Any:
    """The graph, and the count in it."""

    def lines(case: Any) -> list[str]:
        leaves = [f"{name} = {tensor(value, needs=name != 'c')}" for name, value in case["leaves"].items()]
        return [*leaves, *case["lines"], f"{part}(out.grad_fn)"]

    return lines


# ---------------------------------------------------------------------- the exercises

EXERCISES = (
    Exercise(
        "sketch",
        3,
        "A first tensor",
        {"Sketch": 3},
        _draw_sketches,
        probe_sketches,
        twin_sketch,
        agrees={"Sketch": "the same as the course's own Sketch"},
        tried={"Sketch": try_sketch},
    ),
    Exercise(
        "gradient-edge",
        3,
        "Where a gradient flows",
        {"gradient_edge": 2},
        _draw_edges,
        probe_edges,
        twin_edges,
        also=("frozen parameters",),
    ),
    Exercise("record", 3, "Recording", {"record": 3}, _draw_records, probe_records, also=("the same tensor twice",)),
    Exercise(
        "counting",
        3,
        "Nodes and paths",
        {"count_nodes": 2, "count_paths": 2},
        _draw_counts,
        probe_counts,
        twin_counts,
        also=("the same tensor twice",),
        without=dict.fromkeys(
            ("a zero", "a one", "a tie", "an axis of length 1", "an upstream of 0", "an upstream of 1"),
            "what is counted does not depend on numbers",
        ),
        agrees=dict.fromkeys(("count_nodes", "count_paths"), "the same as a count in torch.autograd's own graph"),
        tried={part: try_count(part) for part in ("count_nodes", "count_paths")},
    ),
    Exercise(
        "diamond",
        3,
        "A diamond by hand",
        {"diamond": 3},
        _draw_by_hand,
        probe_by_hand,
        twin_by_hand,
        tried={"diamond": Tried("diamond(a, b)", arrays="a b", first="import numpy as np")},
    ),
    Exercise(
        "traversal",
        3,
        "Newest first",
        {"run_backward": 4},
        _draw_traversals,
        probe_traversals,
        also=("the same tensor twice", "nothing but 0 upstream"),
    ),
)
