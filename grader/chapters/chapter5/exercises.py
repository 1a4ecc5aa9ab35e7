"""Chapter 5, computing gradients: adding to a leaf, starting a pass, saving, freeing, and Jacobians."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ask.exercise import Exercise
from ...ask.operations import signed, special
from ...ask.tried import tensor

SHAPES = [(), (1,), (3,), (2, 3), (1, 4)]

# ---------------------------------------------------------------------- inputs


def _draw_accumulate(rng: np.random.Generator) -> dict[str, Any]:
    def case(shape: tuple[int, ...], then: list[str]) -> dict[str, Any]:
        """`then` is done before each gradient after the first."""
        return {"shape": list(shape), "then": then, "grads": [signed(rng, shape) for _ in range(len(then) + 1)]}

    cases = [case(shape, ["", ""]) for shape in SHAPES]
    cases.append({**case((4,), ["", "", ""]), "grads": [[0.0] * 4, special(rng), special(rng), [0.0] * 4]})
    return {"accumulate": [*cases, case((2, 2), ["zero", ""]), case((3,), ["none", ""]), case((), ["zero", "none"])]}


def _draw_first_gradient(rng: np.random.Generator) -> dict[str, Any]:
    def case(output: tuple[int, ...], gradient: tuple[int, ...] | None, dtype: str = "float64") -> dict[str, Any]:
        given = None if gradient is None else signed(rng, gradient)
        return {"output": signed(rng, output), "gradient": given, "dtype": dtype, "i": int(rng.integers(0, 4))}

    one = [case(shape, None, dtype) for shape in [(), (1,), (1, 1)] for dtype in ("float64", "float32")]
    many = [case(shape, None) for shape in [(3,), (2, 1), (2, 3), (0,)]]
    given = [case(shape, shape) for shape in SHAPES] + [case((2, 3), (2, 3), "float32")]
    pairs = [((3,), ()), ((3,), (1,)), ((2, 3), (3,)), ((2, 3), (3, 2)), ((), (1,)), ((1, 3), (3,))]
    given.append({**case((4,), (4,)), "output": special(rng), "gradient": special(rng)})
    given += [{**case((), ()), "gradient": 0.0}, {**case((2,), (2,)), "gradient": [0.0, 0.0]}]
    return {"first_gradient": one + many + given + [case(*pair) for pair in pairs]}


def _draw_save(rng: np.random.Generator) -> dict[str, Any]:
    def case(op: str, shape: tuple[int, ...], needs: str = "xy") -> dict[str, Any]:
        x, y, above = (signed(rng, shape) for _ in range(3))
        return {"op": op, "x": x, "y": y, "needs": needs, "above": above}

    two = [case(op, shape) for op in ("mul", "div", "sub") for shape in [(), (3,), (2, 3)]]
    one = [case(op, shape, needs) for op in ("mul", "div") for needs in "xy" for shape in [(), (2, 3)]]
    rest = [case(op, shape) for op in ("exp", "tanh", "sin", "power", "times", "same") for shape in [(), (1, 4)]]
    rest.append({**case("mul", (4,)), "x": special(rng), "y": special(rng), "above": special(rng)})
    return {"save": two + one + rest}


def _draw_visit(rng: np.random.Generator) -> dict[str, Any]:
    cases = [{"x": signed(rng, shape), "above": signed(rng, shape)} for shape in [(), (1, 3)]]
    cases += [{"x": special(rng), "above": special(rng)}, {"x": signed(rng, (2,)), "above": [0.0, 0.0]}]
    cases.append({"x": [0.0, 0.0], "above": signed(rng, (2,))})  # what is saved may be 0, and is to be freed
    return {"visit_and_free": cases}


def _draw_jacobian(rng: np.random.Generator) -> dict[str, Any]:
    long = int(rng.integers(4, 7))
    cases = [("twice", (3,)), ("plus", (2,)), ("neighbours", (long,)), ("outer", (3,)), ("transposed", (2, 3))]
    cases += [
        ("halves", (2, 4)),
        ("total", (2, 2)),
        ("number", ()),
        ("twice", (1,)),
        ("powers", (2,)),
        ("itself", (2, 2)),
    ]
    drawn = [{"f": name, "x": signed(rng, shape), "shift": signed(rng)} for name, shape in cases]
    zeros = [{"f": name, "x": special(rng), "shift": 1.0} for name in ("twice", "neighbours", "total")]
    return {"jacobian": [*drawn, *zeros]}


# ---------------------------------------------------------------------- probes


def probe_accumulate(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Hand gradients to leaves, one after the other, and look at .grad each time."""
    import numpy as np

    accumulate = given["accumulate"]
    for case in inputs:
        shape = tuple(case["shape"])
        leaf, other = (torch.zeros(shape, dtype=torch.float64).requires_grad_() for _ in range(2))
        for number, (then, values) in enumerate(zip(["", *case["then"]], case["grads"]), start=1):
            if then == "zero":
                leaf.grad.zero_()
            if then == "none":
                leaf.grad = None
            before, grad = leaf.grad, np.array(values)[()]
            accumulate(leaf, grad)
            accumulate(other, grad)  # a sum's rules hand one array to both of its inputs
            where = f"after gradient {number} on shape {shape}"
            cleared = {"zero": ", .grad set to zero before it", "none": ", .grad set to None before it", "": ""}[then]
            yield f"the tensor leaf.grad {where}{cleared}", leaf.grad
            yield f"the .grad of a second leaf that is given the same arrays, {where}", other.grad
            yield f"the array that was handed over, {where}", np.array(grad)
            yield f"the leaf itself, {where}", leaf.detach()
            if before is not None:
                yield f"leaf.grad is still the same tensor {where}{cleared}", leaf.grad is before


def probe_first_gradient(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Ask for the gradient at outputs of many shapes, with and without a gradient from above."""
    for case in inputs:
        dtype = getattr(torch, case["dtype"])
        output = torch.tensor(case["output"], dtype=dtype, requires_grad=True)
        above = case["gradient"]
        gradient = None if above is None else torch.tensor(above, dtype=torch.float64)
        what = "no gradient" if gradient is None else f"a gradient of shape {tuple(gradient.shape)}"
        pair = f"an output of shape {tuple(output.shape)} with {what}"
        if output.numel() == 1 if gradient is None else gradient.shape == output.shape:
            found = given["first_gradient"](output, gradient, case["i"])
            yield f"the result of first_gradient for {pair}, in {case['dtype']}", found
            continue
        message = ""
        try:
            ended = f"it returns a {type(given['first_gradient'](output, gradient, case['i'])).__name__}"
        except NotImplementedError:
            raise
        except Exception as error:
            message = str(error)
            if type(error) is not RuntimeError and not message.startswith(("grad can be", "Mismatch in shape")):
                raise  # no refusal, but a slip
            ended = f"it raises a {type(error).__name__}"
        yield f"first_gradient raises a RuntimeError for {pair}", ended
        yield f"the message of first_gradient for {pair} is the one that is asked for", message


def probe_save(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Apply operations, look at what their nodes hold, and ask the nodes for vector-Jacobian products."""
    import operator

    import numpy as np

    functions = {
        "exp": lambda x, y: x.exp(),
        "tanh": lambda x, y: x.tanh(),
        "sin": lambda x, y: x.sin(),
        "power": lambda x, y: x**3,
        "times": lambda x, y: x * 2.5,
        "same": lambda x, y: x * x,
        "div": operator.truediv,
    }
    words = {
        "exp": "exp(x)",
        "tanh": "tanh(x)",
        "sin": "sin(x)",
        "power": "x ** 3",
        "times": "x * 2.5",
        "same": "x * x",
    }
    words |= {"mul": "x * y", "div": "x / y", "sub": "x - y"}
    for case in inputs:
        x, y = (torch.tensor(case[n], dtype=torch.float64, requires_grad=n in case["needs"]) for n in "xy")
        function = functions.get(case["op"]) or getattr(operator, case["op"])
        what = f"{words[case['op']]} on shape {tuple(x.shape)}"
        if len(case["needs"]) == 1:
            what += f", where only {case['needs']} needs a gradient"
        result = function(x, y)
        saved = list(getattr(result.grad_fn, "saved", ()))
        plain = all(isinstance(value, np.ndarray | np.generic | int | float) for value in saved)
        yield f"{what} saves nothing but arrays and numbers", plain
        own = [t.detach().numpy() for t in (x, y, result)] if x.ndim else []
        arrays = [value for value in saved if isinstance(value, np.ndarray) and own]
        shared = all(any(np.shares_memory(value, array) for array in own) for value in arrays)
        yield f"{what} saves the arrays themselves, not copies", shared
        above = torch.tensor(case["above"], dtype=torch.float64)
        with torch.no_grad():
            grads = result.grad_fn(above)
        for number, grad in enumerate(grads if isinstance(grads, tuple | list) else (grads,), start=1):
            yield f"gradient {number} of {what}", grad

    def ended(result: Any, node: Any = None) -> str:
        try:
            (node or result.grad_fn)(torch.ones(2))
            return "it runs"
        except NotImplementedError:
            raise
        except Exception as error:
            return f"it raises a {type(error).__name__}"

    x, y = torch.tensor(inputs[0]["x"], requires_grad=True), torch.tensor(inputs[0]["y"])
    product = x * y
    y.numpy()  # from now on, y's number can be changed from outside
    with torch.no_grad():
        yield "the gradient of x in x * y, after a call of y.numpy()", product.grad_fn(torch.tensor(1.0))[0]
    for position, what in enumerate(("x", "y")):
        pair = [torch.tensor([2.0, 3.0], requires_grad=True) + 1.0 for _ in range(2)]
        product = pair[0] * pair[1]
        pair[position].add_(1.0)
        yield f"x * y notices that {what} was changed after it was saved", ended(product)
        pair[position].add_(1.0)
        yield f"x * y runs where {what} was changed before it was saved", ended(pair[0] * pair[1])
    data = torch.tensor([2.0, 3.0])
    product = torch.tensor([4.0, 5.0], requires_grad=True) * data
    data.add_(1.0)
    yield "x * y notices that y, which needs no gradient, was changed after it was saved", ended(product)
    for name in ("exp", "tanh"):
        result = functions[name](torch.tensor([0.2, 0.3], requires_grad=True), None)
        kept = result.grad_fn
        result.add_(1.0)
        yield f"{name}(x) notices that its result was changed after it was saved", ended(result, kept)
    if torch.__name__ == "minigrad":  # out may come anywhere
        node, plain_number = torch.core.function.Function(), 2.5
        a, b, out = (torch.tensor([1.0, 2.0], requires_grad=True) + 1.0 for _ in range(3))
        a.add_(1.0)
        node.save((2, -1, 1, 0), (a, plain_number, b), out)
        again = torch.core.function.Function()
        again.save((0, 1, 0), (a, b), out)  # one tensor at two places
        held = [b._array, out._array, plain_number, a._array]
        versions = [(0, b._versions, 0), (1, out._versions, 0), (3, a._versions, 1)]
        lists = isinstance(node.saved, list) and isinstance(node.versions, list)
        in_order = lists and len(node.saved) == 4 and all(x is y for x, y in zip(node.saved, held))
        triples = [tuple(one) for one in node.versions] if lists else []
        counters = all(any(one[1] is own[1] for own in versions) for one in triples if len(one) > 1)
        both = lists and [one[0] for one in again.versions] == [0, 1, 2]
    else:
        lists = in_order = counters = both = True
        triples = versions = []
    yield "save fills two lists, saved and versions", lists
    yield "save keeps what the places say, in their order, wherever out is among them", in_order
    places = [(p, v) for p, _, v in triples] == [(p, v) for p, _, v in versions]
    yield "save keeps a triple for each tensor, with its position and its version", places
    yield "in the middle of each triple is the tensor's counter itself", counters
    yield "save keeps a triple for each place of a tensor that stands at two places, as x does in x * x", both


def probe_visit(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Run graphs backward twice, keeping them or not, and look at how it ends and what arrives."""
    import itertools

    functions = {  # and whether they save anything
        "x + 1": (lambda x: x + 1.0, False),
        "-x": (lambda x: -x, False),
        "5 - x": (lambda x: torch.full((), 5.0, dtype=torch.float64) - x, False),
        "c * x": (lambda x: torch.full((), 3.0, dtype=torch.float64) * x, True),
        "x * 3": (lambda x: x * 3.0, True),
        "x * x + 1": (lambda x: x * x + 1.0, True),
        "exp(x + 1)": (lambda x: (x + 1.0).exp(), True),
    }
    given["visit_and_free"]  # its cell was run
    for case in inputs:
        above = torch.tensor(case["above"], dtype=torch.float64)
        for (name, (function, saves)), retain in itertools.product(functions.items(), (False, True)):
            x = torch.tensor(case["x"], dtype=torch.float64, requires_grad=True)
            y = function(x)
            kept = " after the first with retain_graph=True" if retain else ""
            y.backward(above, retain_graph=retain)
            yield f"x.grad after one backward through {name} on shape {tuple(x.shape)}", x.grad
            yield f"the node of {name} has kept its edges", len(y.grad_fn.next_functions) > 0
            x.grad, refused = None, False
            try:
                y.backward(above)
            except NotImplementedError:
                raise
            except RuntimeError:
                refused = True
            if saves and not retain:
                yield f"a second backward through {name} is refused", refused
            else:
                yield f"a second backward through {name}{kept} runs", not refused
                yield f"x.grad after a second backward through {name}{kept}", x.grad
        x = torch.tensor(case["x"], dtype=torch.float64, requires_grad=True)
        middle = x * 2.0
        middle.retain_grad()
        (middle * middle).backward(above)
        yield f"the gradient that a middle result retains, on shape {tuple(x.shape)}", middle.grad
        x = torch.tensor(case["x"], dtype=torch.float64, requires_grad=True)
        middle = x * 2.0
        middle.register_hook(lambda grad: grad * 3.0)
        (middle * middle).backward(above)
        yield f"x.grad where a hook triples the gradient, on shape {tuple(x.shape)}", x.grad
        for how in ("retains its gradient", "has a hook"):
            x = torch.tensor(case["x"], dtype=torch.float64, requires_grad=True)
            middle = x * 2.0
            if how == "has a hook":
                middle.register_hook(lambda grad: grad)
            else:
                middle.retain_grad()
            end = middle + 1.0  # which saves nothing: what is refused is the watched node
            end.backward(above)
            refused = False
            try:
                end.backward(above)
            except NotImplementedError:
                raise
            except RuntimeError:
                refused = True
            yield f"a second backward is refused where the node in the middle {how}", refused


def probe_jacobian(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Jacobians of functions of many shapes; each counts how often it is run."""
    import numpy as np

    functions = {
        "twice": ("(x·s)²", lambda x, s: (x * s) ** 2),
        "plus": ("x + s", lambda x, s: x + s),
        "neighbours": ("each x times the next", lambda x, s: x[1:] * x[:-1] * s),
        "outer": ("the table of all products", lambda x, s: x.reshape(3, 1) * x.reshape(1, 3) + s),
        "transposed": ("(x + s)², transposed", lambda x, s: ((x + s) ** 2).t()),
        "halves": ("one half times the other", lambda x, s: x[:, :2] * x[:, 2:] * s),
        "total": ("the sum of x³", lambda x, s: (x**3 * s).sum()),
        "number": ("s / x", lambda x, s: s / x),
        "itself": ("x itself", lambda x, s: x),
        "powers": ("(x₀·x₁, x₀², s·x₁)", lambda x, s: torch.stack([x[0] * x[1], x[0] ** 2, s * x[1]])),
    }
    for case in inputs:
        what, function = functions[case["f"]]
        values = np.array(case["x"])
        ran: list[Any] = []

        def f(x: Any, function: Any = function, ran: Any = ran, shift: Any = case["shift"]) -> Any:
            ran.append(isinstance(x, torch.Tensor) and x.requires_grad)
            return function(x, shift)

        found = given["jacobian"](f, values)
        yield f"jacobian runs f on a tensor that requires grad, for {what}", any(ran)
        yield f"jacobian runs f once, for {what}", len(ran) == 1
        yield f"the Jacobian for {what} at an x of shape {values.shape}", found
        yield f"the array x itself, after the Jacobian for {what}", values


# ---------------------------------------------------------------------- what torch, or minigrad, answers


def twin_accumulate(torch: Any) -> dict[str, Any]:
    """A leaf that is its own output: backward hands it the gradient."""

    def accumulate(leaf: Any, grad: Any) -> None:
        leaf.backward(torch.tensor(grad))

    return {"accumulate": accumulate}


def twin_first_gradient(torch: Any) -> dict[str, Any]:
    """What arrives below a step that hands on all that it gets."""

    def first_gradient(output: Any, gradient: Any, i: int) -> Any:
        try:
            return torch.autograd.grad(output + 0, output, gradient)[0]
        except RuntimeError as error:  # torch looks the number up by comparing tensors, which fails for most
            raise RuntimeError(str(error).replace("output[0]", f"output[{i}]")) from None

    return {"first_gradient": first_gradient}


def twin_visit(torch: Any) -> dict[str, Any]:
    """The probe asks only whether the name is there."""
    return {"visit_and_free": None}


def twin_jacobian(torch: Any) -> dict[str, Any]:
    """torch.autograd.functional's Jacobian, as a table."""

    def jacobian(f: Any, values: Any) -> Any:
        x = torch.tensor(values)
        outputs = []

        def once(x: Any) -> Any:
            outputs.append(f(x))
            return outputs[-1]

        found = torch.autograd.functional.jacobian(once, x)
        return found.numpy().reshape(outputs[0].numel(), values.size)

    return {"jacobian": jacobian}


# ---------------------------------------------------------------------- cases, as a learner runs them

SAVING = {
    "exp": "x.exp()",
    "tanh": "x.tanh()",
    "sin": "x.sin()",
    "power": "x ** 3",
    "times": "x * 2.5",
    "same": "x * x",
}
SAVING |= {"mul": "x * y", "div": "x / y", "sub": "x - y"}


def try_accumulate(case: Any) -> list[str]:
    """A leaf that is handed one gradient after the other."""
    lines = [f"leaf = minigrad.zeros({tuple(case['shape'])}, dtype=minigrad.float64).requires_grad_()"]
    for then, grad in zip(["", *case["then"]], case["grads"]):
        lines += {"zero": ["leaf.grad.zero_()"], "none": ["leaf.grad = None"], "": []}[then]
        lines += [f"accumulate(leaf, np.array({grad}))", "print(leaf.grad)"]
    return lines


def try_first_gradient(case: Any) -> list[str]:
    """The call, on an output and what is sent to it."""
    gradient = "None" if case["gradient"] is None else tensor(case["gradient"])
    output = tensor(case["output"], needs=True).replace("float64", case["dtype"])
    return [f"output = {output}", f"gradient = {gradient}", f"first_gradient(output, gradient, {case['i']})"]


def try_save(case: Any) -> list[str]:
    """The operation, and the gradients from its node."""
    leaves = [f"{name} = {tensor(case[name], name in case['needs'])}" for name in "xy" if name in SAVING[case["op"]]]
    return [*leaves, f"out = {SAVING[case['op']]}", f"out.grad_fn.backward(np.array({case['above']}))"]


# ---------------------------------------------------------------------- the exercises

EXERCISES = (
    Exercise(
        "accumulate",
        5,
        "Adding to a leaf",
        {"accumulate": 3},
        _draw_accumulate,
        probe_accumulate,
        twin_accumulate,
        also=("nothing but 0 upstream",),
        without=dict.fromkeys(
            ("a zero", "a one", "a negative number", "a tie", "a single number", "an axis of length 1"),
            "all that it is given are gradients from above, of all these kinds",
        ),
        tried={"accumulate": try_accumulate},
    ),
    Exercise(
        "first-gradient",
        5,
        "Where a pass starts",
        {"first_gradient": 3},
        _draw_first_gradient,
        probe_first_gradient,
        twin_first_gradient,
        also=("nothing", "nothing but 0 upstream"),
        tried={"first_gradient": try_first_gradient},
    ),
    Exercise(
        "save",
        5,
        "What a node keeps",
        {"save": 3},
        _draw_save,
        probe_save,
        also=("the same tensor twice", "a change before saving", "a change of a saved result"),
        tried={"save": try_save},
    ),
    Exercise(
        "visit",
        5,
        "What a node gives back",
        {"visit_and_free": 3},
        _draw_visit,
        probe_visit,
        twin_visit,
        also=("a second pass", "nothing but 0 upstream"),
    ),
    Exercise("jacobian", 5, "A Jacobian row by row", {"jacobian": 4}, _draw_jacobian, probe_jacobian, twin_jacobian),
)
