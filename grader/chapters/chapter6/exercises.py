"""Chapter 6, disabling gradient tracking: grad modes, the version counter, detach, frozen parameters, repairs."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ...ask.exercise import Exercise
from ...ask.heard import arrivals, halved, has_brought
from ...ask.operations import signed, special
from ...ask.tried import Tried

# ---------------------------------------------------------------------- inputs


def _draw_modes(rng: np.random.Generator) -> dict[str, Any]:
    """Every kind of block in every kind of block – its mode, how it is entered, how it ends – and some at random."""
    every = list(itertools.product([True, False], repeat=3))

    def blocks(depth: int, some: int = 0) -> list[dict[str, Any]]:
        kinds = [every[i] for i in rng.integers(0, 8, some)] if some else every
        return [
            {"mode": mode, "decorates": decorates, "fails": fails, "inside": blocks(depth - 1, some) if depth else []}
            for mode, decorates, fails in kinds
        ]

    drawn = {"drawn": blocks(2, some=3), "times": rng.integers(1, 100, 300).tolist()}
    factor = float(rng.uniform(2, 3))
    return {"GradMode": {"x": signed(rng, (2, 3)), "factor": factor, "blocks": blocks(1), **drawn}}


def _draw_versions(rng: np.random.Generator) -> dict[str, Any]:
    def case(*shape: int) -> dict[str, Any]:
        return {"a": signed(rng, shape), "c": signed(rng, shape), "by": float(rng.uniform(0.5, 1.5))}

    zeros = {"a": special(rng), "c": special(rng), "by": 1.0}
    cases = [case(2, 3), case(4), case(1, int(rng.integers(2, 6))), case(), zeros]
    return {"saved_tensors": [{**each, "changes": rng.integers(0, 4, 12).tolist()} for each in cases]}


def _draw_detach(rng: np.random.Generator) -> dict[str, Any]:
    shapes = [(2, 3), (4,), (), (1, int(rng.integers(2, 6)))]
    cases = [{"x": signed(rng, shape), "by": float(rng.uniform(0.5, 1.5)), "dtype": "float64"} for shape in shapes]
    cases.append({"x": special(rng), "by": 1.0, "dtype": "float64"})
    cases.append({"x": [1.5, -2.0], "by": 1.0, "dtype": "constant"})
    cases.append({"x": signed(rng, (3,)), "by": 0.5, "dtype": "float32"})
    return {"detach": [{**case, "times": rng.integers(1, 9, 3).tolist()} for case in cases]}


def _draw_frozen(rng: np.random.Generator) -> dict[str, Any]:
    def case(rows: int, inputs: int, hidden: int, outputs: int) -> dict[str, Any]:
        shapes = {
            "x": (rows, inputs),
            "y": (rows, outputs),
            "w1": (inputs, hidden),
            "b1": (hidden,),
            "w2": (hidden, outputs),
            "b2": (outputs,),
        }
        return {name: signed(rng, shape) for name, shape in shapes.items()}

    zeros = {**case(2, 2, 3, 1), "x": special(rng, (2, 2)), "w2": [[0.0], [1.0], [-1.0]]}
    return {"fine_tune": [case(4, 3, 2, 1), case(2, 1, int(rng.integers(3, 6)), 3), zeros]}


def _draw_loud(rng: np.random.Generator) -> dict[str, Any]:
    def case(n: int, m: int) -> dict[str, Any]:
        labels = rng.integers(0, 2, m).astype(float).tolist()
        values = {"x": signed(rng, (n,)), "y": labels, "weights": signed(rng, (n, m)), "bias": signed(rng, (m,))}
        return {**values, "leaf": n == 5}  # where x requires grad, one can see how far a mistaken layer got

    return {"one_layer": [case(5, 3), case(3, 3), case(4, 1)]}


def _draw_silent(rng: np.random.Generator) -> dict[str, Any]:
    def case(rows: int, columns: int, steps: int) -> dict[str, Any]:
        values = {"w": signed(rng, (columns,)), "x": signed(rng, (rows, columns)), "y": signed(rng, (rows,))}
        return {**values, "rate": float(rng.uniform(0.02, 0.05)), "steps": steps}

    cases = [case(2, 1, 1), case(4, 3, 3), case(6, 2, 4), case(3, 2, 0)]
    cases.append({**case(3, 4, 2), "w": special(rng), "x": special(rng, (3, 4))})
    # A rate so large that the loss grows. Of more weights, one would outgrow the digits of the others.
    rising = {**case(4, 1, 8), "x": [[1.5], [-1.0], [0.5], [2.0]], "rate": float(rng.uniform(2, 3))}
    there = {**case(3, 2, 3), "w": [1.0, -1.0], "x": [[2.0, 1.0], [0.5, 0.5], [-1.0, 1.0]], "y": [1.0, 0.0, -2.0]}
    return {"descend": [*cases, rising, there], "centred": cases}


# ---------------------------------------------------------------------- probes


def probe_modes(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Look, inside blocks and after them, at whether an operation is recorded. Nothing needs another part."""
    import numpy as np

    torch.set_grad_enabled(True)
    x = torch.tensor(inputs["x"], dtype=torch.float64, requires_grad=True)
    seen: list[tuple[str, Any]] = []
    multiples: list[Any] = []  # of x, one for each look, recorded or not

    def look(recorded: bool, where: str) -> None:
        multiples.append(x * inputs["times"][len(multiples)])
        what = "operations are recorded" if recorded else "nothing is recorded"
        seen.append((f"{what} {where}", (x + x).requires_grad is recorded))

    def fail(flag: bool = True) -> None:
        if flag:
            raise KeyError("an error in the block")

    def run(blocks: Any, outside: bool, where: str) -> None:
        for block in blocks:
            mode = block["mode"]
            name = "enable_grad" if mode else "no_grad"
            here = f"{name} in {where}" if where else name
            make = torch.enable_grad if mode else torch.no_grad

            def body(block: Any = block, mode: bool = mode, here: str = here) -> None:
                look(mode, f"inside {here}")
                run(block["inside"], mode, here)
                fail(block["fails"])

            try:
                if block["decorates"]:
                    make()(body)()
                else:
                    with make():
                        body()
            except KeyError:
                seen.append((f"the error in {here} reaches the caller", block["fails"]))
            look(outside, f"after {here}" + (" was left by an error" if block["fails"] else ""))

    try:
        with torch.no_grad():
            look(False, "inside no_grad")
            leaf = torch.tensor(inputs["x"], dtype=torch.float64, requires_grad=True)
        look(True, "after no_grad")
        seen.append(("a leaf that is made inside no_grad keeps its requires_grad=True", leaf.requires_grad))
        with torch.no_grad():
            with torch.no_grad():
                pass
            look(False, "after a no_grad inside another")
            with torch.enable_grad():
                look(True, "inside an enable_grad in no_grad")
            look(False, "after an enable_grad in no_grad")
        look(True, "after both blocks")
        try:
            with torch.no_grad():
                fail()
            seen.append(("an error in the block reaches the caller", False))
        except KeyError:
            seen.append(("an error in the block reaches the caller", True))
            look(True, "after an error in the block")
        torch.set_grad_enabled(True)

        later = torch.no_grad()
        look(True, "after no_grad() is called and before its block begins")
        with torch.enable_grad():
            with later:
                look(False, "in a block that was made earlier")
            look(True, "after a block that was made earlier")
        with torch.no_grad():
            made_off = torch.no_grad()
        with made_off:
            pass
        look(True, "after a block that was made inside no_grad and used outside")
        with made_off:
            look(False, "in a block that is used a second time")
        look(True, "after a block that is used a second time")
        with torch.no_grad():
            with made_off:
                pass
            look(False, "after a block that is used again, inside no_grad")

        seen.append(("what no_grad() returns can be called, to decorate a function", callable(torch.no_grad())))
        if not callable(torch.no_grad()):
            yield from seen
            return

        @torch.no_grad()
        def scaled(t: Any, factor: float, *, plus: float) -> Any:
            look(False, "in a function decorated with no_grad")
            return t * factor + plus

        look(True, "after a function was decorated")
        for _ in range(2):
            out = scaled(x, inputs["factor"], plus=1.0)
            seen.append(("a decorated function returns its result", isinstance(out, torch.Tensor)))
            if not isinstance(out, torch.Tensor):
                yield from seen
                return
            seen.append(("the result of a decorated function", np.array(out.tolist())))
            seen.append(("the result of a decorated function requires no grad", not out.requires_grad))
            look(True, "after the call of a decorated function")

        @torch.no_grad()
        def countdown(n: int) -> None:
            if n:
                countdown(n - 1)
            look(False, "in a decorated function that called itself")

        countdown(2)
        look(True, "after a decorated function that calls itself")
        torch.set_grad_enabled(True)
        with torch.no_grad():
            torch.enable_grad()(lambda: look(True, "in a function decorated with enable_grad"))()
            look(False, "after the call of a function decorated with enable_grad")
        try:
            torch.no_grad()(fail)()
        except KeyError:
            look(True, "after an error in a decorated function")
        torch.set_grad_enabled(True)

        y = x + x
        with torch.no_grad():
            seen.append(("a result from before the block keeps its requires_grad", y.requires_grad))
            z = y + y
        (y + z).sum().backward()
        seen.append(("x.grad where half of the output was computed inside no_grad", np.array(x.grad.tolist())))
        run(inputs["blocks"], True, "")
        said = len(seen)
        multiples.clear()
        run(inputs["drawn"], True, "")
        del seen[said:]
        torch.set_grad_enabled(True)
        x.grad, sums = None, []
        for multiple in multiples:
            if multiple.requires_grad:
                multiple.sum().backward()
            sums.append("0" if x.grad is None else str(int(x.grad[0, 0].item())))
        seen.append(("which operations are recorded, with blocks inside blocks in any order", " ".join(sums[::3])))
        yield from seen
    finally:
        torch.set_grad_enabled(True)


def probe_versions(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Change something between forward and backward: does backward notice, and what does it compute?"""
    import numpy as np

    def off(function: Any) -> None:
        torch.set_grad_enabled(False)
        try:
            function()
        finally:
            torch.set_grad_enabled(True)

    def told(out: Any) -> str:
        """What backward says where it refuses."""
        try:
            out.sum().backward()
        except NotImplementedError:
            raise
        except Exception as error:
            return str(error)
        return ""

    torch.set_grad_enabled(True)
    for case in inputs:
        by, scalar = case["by"], np.ndim(case["a"]) == 0

        def leaf(name: str = "a", case: Any = case) -> Any:
            return torch.tensor(case[name], dtype=torch.float64, requires_grad=True)

        def outcome(words: str, refuses: bool, out: Any, *leaves: Any, scalar: bool = scalar) -> Any:
            """What backward does: it refuses, or these are the leaves' gradients."""
            size = ", for a single number" if scalar else ""
            try:
                out.sum().backward()
                refused = False
            except NotImplementedError:
                raise
            except RuntimeError:
                refused = True
            yield f"backward() {'refuses' if refuses else 'runs'}{size}: {words}", refused is refuses
            for x in leaves if not refused else ():
                yield f"the gradient where {words}{size}", np.array(x.grad.tolist())

        a = leaf()
        yield from outcome("nothing was changed since b * b", False, (a * 2) * (a * 2), a)
        a = leaf()
        b = a * 2
        out = b * b
        b.add_(by)
        yield from outcome("b was changed after b * b", True, out)
        a = leaf()
        b = a * 2
        out = b * b
        b.add_(by)
        words = "needed for gradient computation has been modified"
        yield "a change is told in PyTorch's words, as self.changed does", words in told(out)
        a = leaf()
        b, c = a * 2, a * 3
        product = b * c
        b.add_(by)
        words = "is at version 1; expected version 0"
        yield "what is told is about b, which was changed, and not about c", words in told(product)
        a = leaf()
        b = a * 2
        out = b + b
        b.add_(by)
        yield from outcome("b was changed after b + b, which saves nothing", False, out, a)
        a = leaf()
        b = a * 2
        b.add_(by)
        yield from outcome("b was changed before b * b", False, b * b, a)
        a = leaf()
        out = (a * 2).exp()
        out_after = out * 1
        out.add_(by)
        yield from outcome("the result of exp was changed", True, out_after)
        a = leaf()
        b = a * 2
        out = b.exp()
        b.add_(by)
        yield from outcome("the input of exp was changed, and exp saves its result only", False, out, a)
        for changed in ("first", "second"):
            a, c = leaf("a"), leaf("c")
            b, d = a * 2, c * 3
            out = b * d
            (b if changed == "first" else d).add_(by)
            yield from outcome(f"the {changed} of the two factors was changed", True, out)
        a = leaf()
        constant = torch.tensor(case["c"], dtype=torch.float64)
        b = a * 2
        out = b * constant
        b.add_(by)
        yield from outcome("b was changed after b times a constant, which saves the constant only", False, out, a)
        a = leaf()
        b = a * 2
        out = b * b
        b.add_(by).sub_(by)
        yield from outcome("b was changed and changed back", True, out)
        a = leaf()
        out = a * a

        off(lambda a=a, by=by: a.sub_(by))
        yield from outcome("a leaf was updated before backward()", True, out)
        a = leaf()
        b = a * 2
        out = b * b
        if not scalar:  # whose counter is a list of one number no more, in minigrad, when its memory was asked for
            b.data.add_(by)
            yield from outcome("b was changed through .data, which nobody can notice", False, out, a)
            a = leaf()
            b = a * 2
            out = b * b
            assert b.data is not None
            yield from outcome("b.data was read, and nothing changed", False, out, a)
        a = leaf()
        out = (a * 3.5) * (a * 2)
        kept = torch.__name__ != "minigrad" or out.grad_fn.saved_tensors is out.grad_fn.saved
        yield "saved_tensors gives self.saved back as it is", kept
        called, nothing = "1 3", "the list itself"
        if torch.__name__ == "minigrad":  # a node whose self.changed returns, as where it fetches numbers
            met: list[int] = []

            class Noting(type(out.grad_fn)):  # type: ignore[misc] # a class that is found there
                def changed(self, position: int, counter: Any, version: int, met: Any = met) -> None:
                    met.append(position)

            node, empty = Noting(), Noting()
            node.saved = [2.5, 1.0, 2.0, 3.0]  # the first was a number, which has no triple
            node.versions = [(1, [4], 3), (2, [2], 2), (3, [1], 0)]
            empty.saved, empty.versions = [], []
            read = node.saved_tensors
            called = " ".join(map(str, sorted(met))) if read is node.saved else "none"
            try:
                nothing = nothing if empty.saved_tensors is empty.saved else "something else"
            except NotImplementedError:
                raise
            except RuntimeError:
                nothing = "a RuntimeError"
        yield "self.changed is called for each of two changed tensors, at the positions 1 and 3, and no other", called
        yield "what comes of an empty self.saved, of a node that saved nothing and was not freed", nothing
        a = leaf()
        b = a * 2
        out = (b * b).sum()
        out.backward(retain_graph=True)
        b.add_(by)
        yield from outcome("b was changed between two backward passes", True, out)
        a = leaf()
        out = (a * a).sum()
        out.backward()
        yield from outcome("the graph was freed", True, out)
        refused = []
        for change in case["changes"]:
            a, c = leaf("a"), leaf("c")
            b, d = a * 2, c * 3
            out = (b * d).sum()
            for factor in [[], [b], [d], [b, d]][change]:
                factor.add_(by)
            try:
                out.backward()
                refused.append("0")
            except NotImplementedError:
                raise
            except RuntimeError:
                refused.append("1")
        yield "where backward() refuses, as one factor, the other, both or none are changed", "".join(refused)


def probe_detach(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Detach results and leaves; then change what shares memory. Only additions run back: no node saves anything."""
    import numpy as np

    torch.set_grad_enabled(True)
    for case in inputs:
        if case["dtype"] == "constant":
            for constant in (torch.tensor(case["x"]), torch.tensor([1, 2])):
                d = constant.detach()
                yield "x.detach() of a tensor that requires no grad", d
                yield "x.detach() is a tensor of its own where x requires no grad", d is not constant
            continue
        by, dtype = case["by"], getattr(torch, case["dtype"])
        x = torch.tensor(case["x"], dtype=dtype, requires_grad=True)
        shape = f"on shape {tuple(x.shape)}"
        z = x + by
        z.add_(by)
        d = z.detach()
        yield f"z.detach() is a tensor, {shape}", None if d is None else isinstance(d, torch.Tensor)
        if not isinstance(d, torch.Tensor):
            return
        yield f"the content of z.detach() {shape}", np.array(d.tolist())
        yield f"z.detach() is a tensor of its own, {shape}", d is not z
        yield f"z.detach() has the dtype of z, {shape}", str(d.dtype).endswith(case["dtype"])
        yield f"z.detach() has no grad_fn and requires no grad, {shape}", d.grad_fn is None and not d.requires_grad
        yield f"z still requires grad and has its grad_fn, {shape}", z.requires_grad and z.grad_fn is not None
        yield f"the leaf below still requires grad, {shape}", x.requires_grad
        if not x.ndim:  # minigrad keeps a single number without an array, whose memory and versions nobody sees
            continue
        yield f"the version of z after one change and detach(), {shape}", z._version
        yield f"the version of z.detach(), {shape}", d._version
        d.add_(by)
        yield f"z after z.detach() was changed, {shape}", np.array(z.tolist())
        yield f"the version of z after z.detach() was changed, {shape}", z._version
        torch.set_grad_enabled(False)
        z.mul_(2)
        torch.set_grad_enabled(True)
        yield f"z.detach() after z was changed, {shape}", np.array(d.tolist())
        yield f"the version of z.detach() after z was changed, {shape}", d._version
        again = d.detach()
        again.add_(by)
        yield f"z after its twice detached twin was changed, {shape}", np.array(z.tolist())
        versions = []
        torch.set_grad_enabled(False)
        for times, changed in zip(case["times"], (z, d, again)):
            for _ in range(times):
                changed.add_(by)
            versions += [z._version, d._version, again._version]
        torch.set_grad_enabled(True)
        yield f"the versions of all three when each was changed some more times, {shape}", " ".join(map(str, versions))
        total = x + x.detach()
        total.sum().backward()
        yield f"x.grad for x + x.detach(), {shape}", np.array(x.grad.tolist())
        yield f"x still is a leaf that requires grad, {shape}", x.is_leaf and x.requires_grad
        new = (x + 1).detach().requires_grad_()
        (new + new).sum().backward()
        yield f"z.detach().requires_grad_() gets a gradient, {shape}", new.is_leaf and new.grad is not None
        yield f"nothing below it gets one: x.grad, {shape}", np.array(x.grad.tolist())


def probe_frozen(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Freeze the first layer, and look at who requires grad, and who has one; with another package's tensors, too."""
    import operator

    import numpy as np

    class Foreign:
        """A tensor of another package: it has a tensor's methods and operators, and is none."""

        def __init__(self, own: Any) -> None:
            vars(self)["own"] = own

        def __getattr__(self, name: str) -> Any:
            found = getattr(vars(self)["own"], name)
            return foreign(found) if callable(found) else wrapped(found)

        def __setattr__(self, name: str, value: Any) -> None:
            setattr(vars(self)["own"], name, plain(value))

        def __len__(self) -> int:
            return len(vars(self)["own"])

    def plain(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [plain(one) for one in value]
        return vars(value)["own"] if isinstance(value, Foreign) else value

    def wrapped(value: Any) -> Any:
        return Foreign(value) if isinstance(value, torch.Tensor) else value

    def foreign(function: Any) -> Any:
        return lambda *args, **said: wrapped(function(*map(plain, args), **{k: plain(v) for k, v in said.items()}))

    for name in ("add", "sub", "mul", "truediv", "matmul", "pow", "neg", "getitem"):
        setattr(Foreign, f"__{name}__", foreign(getattr(operator, f"__{name}__")))
    for name in ("add", "sub", "mul", "truediv"):
        setattr(Foreign, f"__r{name}__", foreign(lambda x, y, name=name: getattr(operator, name)(y, x)))

    torch.set_grad_enabled(True)
    for case in inputs:
        x, y = (torch.tensor(case[name], dtype=torch.float64) for name in "xy")
        names = ("w1", "b1", "w2", "b2")
        layers = {name: torch.tensor(case[name], dtype=torch.float64, requires_grad=True) for name in names}
        shape = f"on shape {tuple(x.shape)}"
        found = given["fine_tune"](x, y, *layers.values())
        pair = isinstance(found, tuple | list) and len(found) == 2
        yield "fine_tune returns a pair, (hidden, loss)", None if found is None else pair
        if not pair:
            return
        hidden, loss = found
        yield f"the loss has a grad_fn, {shape}", loss.grad_fn is not None
        reached, nodes = [], [loss.grad_fn]
        while nodes:
            node = nodes.pop()
            reached.append(getattr(node, "variable", None))
            nodes += [below for below, _ in node.next_functions if below is not None]
        for name in ("w1", "b1"):
            frozen = layers[name]
            misspelled = [
                word for word in ("require_grad", "required_grad", "requires_gradient") if hasattr(frozen, word)
            ]
            yield f"{name} has no new attribute that nobody reads, {shape}", not misspelled
            yield f"requires_grad_ of {name} still is a method, {shape}", callable(frozen.requires_grad_)
            yield f"{name} requires no grad any more, {shape}", not frozen.requires_grad
            yield f"{name}.grad is None, {shape}", frozen.grad is None
            yield f"no way leads from the loss to {name}, {shape}", not any(frozen is leaf for leaf in reached)
        yield f"nothing is recorded for the first layer, {shape}", not hidden.requires_grad
        yield f"hidden {shape}", np.array(hidden.tolist())
        yield f"the loss {shape}", loss.item()
        for name in ("w2", "b2"):
            yield f"{name} still requires grad, {shape}", layers[name].requires_grad
            grad = layers[name].grad
            yield f"{name}.grad is there, {shape}", grad is not None
            if grad is not None:
                yield f"{name}.grad {shape}", np.array(grad.tolist())
        sums = {name: float(np.sum(layer.detach().numpy())) for name, layer in layers.items()}
        leads = [sums[name] for name, layer in layers.items() if any(layer is leaf for leaf in reached)]
        asks = [sums[name] for name, layer in layers.items() if layer.requires_grad]
        words = f"which parameters the loss leads to, and which of them require grad, {shape}"
        yield words, f"{sum(leads):.4f} {sum(asks):.4f}"
    x, y = (torch.tensor(case[name], dtype=torch.float64) for name in "xy")
    layers = {name: torch.tensor(case[name], dtype=torch.float64, requires_grad=True) for name in names}
    given["fine_tune"](x, y, layers["w1"], layers["b1"], halved(torch, layers["w2"]), halved(torch, layers["b2"]))
    for name in ("w2", "b2"):
        yield f"{name}.grad, where a hook halves what a backward pass brings to {name}", layers[name].grad
    others = [Foreign(torch.tensor(case[name], dtype=torch.float64)) for name in ("x", "y", *names)]
    try:
        given["fine_tune"](
            *(foreign(lambda one: one.requires_grad_())(one) if i > 1 else one for i, one in enumerate(others))
        )
        runs = True
    except NotImplementedError:
        raise
    except Exception:
        runs = False
    yield "fine_tune uses the tensors' own methods, so that another package's tensors may come", runs


def probe_loud(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Run the repaired layer, and look at the gradients of its parameters and of the detached result."""
    import numpy as np

    torch.set_grad_enabled(True)
    for case in inputs:
        x = torch.tensor(case["x"], dtype=torch.float64, requires_grad=case["leaf"])
        y = torch.tensor(case["y"], dtype=torch.float64)
        weights, bias = np.array(case["weights"]), np.array(case["bias"])
        with arrivals() as arrived:
            found = given["one_layer"](x, y, weights, bias)
        three = isinstance(found, tuple | list) and len(found) == 3
        yield "one_layer returns three tensors, (w, b, z_det)", None if found is None else three
        if not three:
            return
        size = f"for {weights.shape[0]} inputs and {y.shape[0]} outputs"
        for name, tensor in zip(("w", "b", "z_det"), found):
            leaf = tensor.requires_grad and tensor.is_leaf
            yield f"the {name} that one_layer returns is a leaf that requires grad, {size}", leaf
            yield f"the content of {name} {size}", tensor.detach()
            grad = tensor.grad if leaf else None
            yield f"the {name} that one_layer returns is a leaf with a gradient, {size}", grad is not None
            if grad is not None:
                yield f"{name}.grad {size}", np.array(grad.tolist())
                passed = torch.__name__ != "minigrad" or has_brought(arrived, tensor)
                yield f"a backward pass brings {name} its gradient, {size}", passed


def probe_silent(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Descend some steps, or centre a layer; look at the losses, at the weights, at the gradient."""
    import warnings

    import numpy as np

    torch.set_grad_enabled(True)
    for case in inputs:
        w = torch.tensor(case["w"], dtype=torch.float64, requires_grad=True)
        x, y = (torch.tensor(case[name], dtype=torch.float64) for name in "xy")
        size = f"with {len(case['w'])} weight{'s' * (len(case['w']) != 1)}"
        if part == "descend":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # reading a non-leaf's .grad warns
                losses = given["descend"](w, x, y, case["rate"], case["steps"])
            yield "descend returns a list", None if losses is None else isinstance(losses, list)
            if not isinstance(losses, list):
                return
            yield (
                f"there is a loss for each of {case['steps']} step{'s' * (case['steps'] != 1)}",
                len(losses) == case["steps"],
            )
            graphs = [isinstance(loss, torch.Tensor) and loss.requires_grad for loss in losses]
            yield "no loss holds on to its graph", not any(graphs)
            yield "no loss is a tensor", not any(isinstance(loss, torch.Tensor) for loss in losses)
            yield "the losses are Python numbers", all(isinstance(loss, float) for loss in losses)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a tensor that requires grad becomes a number
                numbers = np.array([float(loss) for loss in losses])
            yield f"the list of losses {size}", numbers
            yield f"w after {case['steps']} step{'s' * (case['steps'] != 1)}, {size}", np.array(w.tolist())
            yield f"w still is a leaf that requires grad, {size}", w.is_leaf and w.requires_grad
            continue
        found = given["centred"](x, w)
        yield "centred returns a tensor", None if found is None else isinstance(found, torch.Tensor)
        if not isinstance(found, torch.Tensor):
            return
        yield f"centred requires no grad, {size}", not found.requires_grad
        yield f"the mean taken off, {size}", np.array(found.tolist())
        yield f"w.grad is there, {size}", w.grad is not None
        if w.grad is not None:
            yield f"w.grad {size}", np.array(w.grad.tolist())
    case = inputs[0]
    w = halved(torch, torch.tensor(case["w"], dtype=torch.float64, requires_grad=True))
    x, y = (torch.tensor(case[name], dtype=torch.float64) for name in "xy")
    if part == "descend":
        given["descend"](w, x, y, case["rate"], case["steps"])
        yield "w after descend, where a hook halves what backward passes bring to it", np.array(w.tolist())
    else:
        given["centred"](x, w)
        yield "w.grad after centred, where a hook halves what a backward pass brings to w", w.grad


# ---------------------------------------------------------------------- what torch, or minigrad, answers


def twin_frozen(torch: Any) -> dict[str, Any]:
    """Fine-tuning the second of two layers."""

    def fine_tune(x: Any, y: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> tuple[Any, Any]:
        w1.requires_grad_(False)
        b1.requires_grad_(False)
        hidden = (x @ w1 + b1).sigmoid()
        loss = ((hidden @ w2 + b2 - y) ** 2).mean()
        loss.backward()
        return hidden, loss

    return {"fine_tune": fine_tune}


def twin_loud(torch: Any) -> dict[str, Any]:
    """The layer without its four mistakes."""

    def one_layer(x: Any, y: Any, weights: Any, bias: Any) -> tuple[Any, Any, Any]:
        bce = torch.nn.functional.binary_cross_entropy_with_logits
        w = torch.tensor(weights, requires_grad=True)
        b = torch.tensor(bias, requires_grad=True)
        z = torch.matmul(x, w) + b
        bce(z, y).backward()
        z_det = z.detach().requires_grad_(True)
        bce(z_det, y).backward()
        return w, b, z_det

    return {"one_layer": one_layer}


def twin_silent(torch: Any) -> dict[str, Any]:
    """Gradient descent that does descend, and a centred layer that leaves the gradient alone."""

    def descend(w: Any, x: Any, y: Any, rate: float, steps: int) -> list[float]:
        losses = []
        for _ in range(steps):
            loss = ((x @ w - y) ** 2).mean()
            loss.backward()
            losses.append(loss.item())
            with torch.no_grad():
                w -= rate * w.grad
            w.grad = None
        return losses

    def centred(x: Any, w: Any) -> Any:
        h = (x @ w).sigmoid()
        loss = (h * h).mean()
        values = h.detach()
        loss.backward()
        return values - values.mean()

    return {"descend": descend, "centred": centred}


# ---------------------------------------------------------------------- the exercises

EXERCISES = (
    Exercise(
        "grad-mode",
        6,
        "A block without recording",
        {"GradMode": 4},
        _draw_modes,
        probe_modes,
        without=dict.fromkeys(
            ("a zero", "a one", "a tie", "an axis of length 1"), "what is recorded does not depend on numbers"
        ),
    ),
    Exercise(
        "versions",
        6,
        "What a node remembers",
        {"saved_tensors": 3},
        _draw_versions,
        probe_versions,
        also=("a change before saving", "a change of a saved result"),
    ),
    Exercise("detach", 6, "detach", {"detach": 2}, _draw_detach, probe_detach),
    Exercise(
        "frozen",
        6,
        "Frozen parameters",
        {"fine_tune": 3},
        _draw_frozen,
        probe_frozen,
        twin_frozen,
        also=("frozen parameters",),
        without={"a single number": "the inputs are matrices"},
        tried={
            "fine_tune": Tried(
                "hidden, loss = fine_tune(x, y, w1, b1, w2, b2)\nhidden, loss, w2.grad, b2.grad",
                leaves="w1 b1 w2 b2",
                tensors="x y",
            )
        },
    ),
    Exercise(
        "loud",
        6,
        "Errors that speak",
        {"one_layer": 2},
        _draw_loud,
        probe_loud,
        twin_loud,
        without={"a single number": "the inputs are vectors"},
        tried={
            "one_layer": Tried(
                "w, b, z_det = one_layer(x, y, weights, bias)\nw.grad, b.grad, z_det.grad",
                tensors="x y",
                arrays="weights bias",
            )
        },
    ),
    Exercise(
        "silent",
        6,
        "Errors that keep silent",
        {"descend": 3, "centred": 1},
        _draw_silent,
        probe_silent,
        twin_silent,
        also=("steps of 0", "a loss that rises"),
        tried={
            "descend": Tried("descend(w, x, y, rate, steps), w", leaves="w", tensors="x y"),
            "centred": Tried("centred(x, w), w.grad", leaves="w", tensors="x"),
        },
    ),
)
