"""Chapter 7, training: a loss, steps against its gradient, the loop around them, and a loop inside the model."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ask.exercise import Exercise
from ...ask.operations import SHAPES, signed, special
from ...ask.tried import Tried, tensor

# ---------------------------------------------------------------------- inputs


def _draw_mse(rng: np.random.Generator) -> dict[str, Any]:
    def case(shape: tuple[int, ...], reduction: str, needs: str = "xy") -> dict[str, Any]:
        above = signed(rng, shape if reduction == "none" else ())
        values = {"x": signed(rng, shape), "y": signed(rng, shape)}
        return {**values, "reduction": reduction, "needs": needs, "above": above}

    cases = [case(shape, "mean") for shape in [*SHAPES, (2, 1, 3)]]
    cases += [case((2, 3), "mean", "x"), case((4,), "mean", "y")]
    tie = {**case((4,), "none"), "x": special(rng), "y": [1.0] * 4, "above": special(rng)}
    return {"MseLoss": cases + [case((3, 2), "sum"), case((2, 3), "none"), tie]}


def _gradients(rng: np.random.Generator, shapes: list[tuple[int, ...]], steps: int) -> dict[str, Any]:
    """Parameters of these shapes, and a gradient of each for every step.

    One element's is 0 throughout, and, where there are three steps, all of the first parameter's in the third.
    """
    grads = [[np.array(signed(rng, shape)) for shape in shapes] for _ in range(steps)]
    for step in grads:
        step[-1].flat[0] = 0
    grads[1][-1].flat[-1] = 0  # and another's in one step only
    for step in grads[2:3]:
        step[0][...] = 0
    return {"start": [signed(rng, s) for s in shapes], "grads": [[g.tolist() for g in step] for step in grads]}


def _draw_sgd(rng: np.random.Generator) -> dict[str, Any]:
    def case(shapes: list[tuple[int, ...]], momentum: float, later: float = 1.0) -> dict[str, Any]:
        lr = float(rng.uniform(0.05, 0.3))
        rates = [lr, lr, lr * later, lr * later]
        return {**_gradients(rng, shapes, 4), "lr": rates, "settings": {"momentum": momentum}}

    def momentum() -> float:
        return round(float(rng.uniform(0.6, 0.95)), 3)

    plain = [case([(2, 3)], 0.0), case([(), (3,)], 0.0)]
    alike = case([(3,), (3,)], momentum())
    alike["start"] = [special(rng, (3,))] * 2  # equal in value, and two parameters all the same
    ones = {**case([(4,)], momentum()), "start": [special(rng)], "grads": [[special(rng)] for _ in range(4)]}
    return {"sgd_step": plain + [ones, alike, case([(2, 3), (1, 4)], momentum()), case([(3,)], momentum(), 0.3)]}


def _draw_adam(rng: np.random.Generator) -> dict[str, Any]:
    def case(shapes: list[tuple[int, ...]], eps: float, steps: int = 5) -> dict[str, Any]:
        betas = [float(rng.uniform(0.7, 0.95)), float(rng.uniform(0.96, 0.999))]
        settings = {"betas": betas, "eps": eps}
        return {**_gradients(rng, shapes, steps), "lr": [float(rng.uniform(0.01, 0.1))] * steps, "settings": settings}

    cases = [case([(2, 3), (3,)], 1e-8), case([(), (1, 4)], float(rng.uniform(0.1, 0.5)))]
    forgetful = case([(2, 3)], 1e-8, 3)
    forgetful["settings"]["betas"] = [float(rng.uniform(0.05, 0.1)), float(rng.uniform(0.1, 0.15))]
    ones = {**case([(4,)], 1e-8), "start": [special(rng)], "grads": [[special(rng)] for _ in range(5)]}
    cases += [forgetful, ones]
    layer = {"w": signed(rng, (3, 4)), "b": signed(rng, (3,)), "x": signed(rng, (4,)), "y": signed(rng, (3,))}
    layer |= {"steps": 30, "lr": float(rng.uniform(0.01, 0.1))}
    return {"adam_step": [*cases, case([(2,)], 1e-8, 2), layer]}


def _draw_clearing(rng: np.random.Generator) -> dict[str, Any]:
    cases = [{name: signed(rng, shape) for name in ("p", "grad", "by")} for shape in SHAPES]
    cases.append({name: special(rng) for name in ("p", "grad", "by")})
    one = float(rng.uniform(0.5, 2))
    cases.append({**{name: signed(rng, (2,)) for name in ("p", "by")}, "grad": [one, -one]})  # which add up to 0
    return {"clear_grad": [{**case, "ways": rng.integers(0, 4, 10).tolist()} for case in cases]}


def _draw_training(rng: np.random.Generator) -> dict[str, Any]:
    def case(rows: int, columns: int, steps: int) -> dict[str, Any]:
        shapes = {"w": (rows, columns), "b": (rows,), "x": (columns,), "y": (rows,)}
        values = {name: signed(rng, shape) for name, shape in shapes.items()}
        return {**values, "steps": steps, "lr": float(rng.uniform(0.02, 0.1))}

    zeros = {**case(2, 4, 3), "w": special(rng, (2, 4)), "x": special(rng)}
    rising = {**case(2, 3, 8), "lr": float(rng.uniform(2, 3))}  # so large that the loss grows
    cases = [case(2, 3, 5), case(3, 1, 8), case(1, 4, 1), case(2, 2, 0), zeros, rising]
    before = {"w": signed(rng, (2, 3)), "b": signed(rng, (2,))}  # gradients that are there already
    return {"train": [*cases, {**case(2, 3, 3), "before": before}]}


def _draw_layers(rng: np.random.Generator) -> dict[str, Any]:
    """Turn by some angle and stretch by a factor: so the length grows by that factor with each layer."""

    def case(size: int, layers: int, zeros: bool = False) -> dict[str, Any]:
        turn, _ = np.linalg.qr(rng.normal(size=(size, size)))
        stretch = float(rng.uniform(1.3, 1.9))
        x = np.array(special(rng) if zeros else signed(rng, (size,)))
        limit = float(x @ x) * stretch ** (2 * layers - 1)
        return {"x": x.tolist(), "w": (stretch * turn).tolist(), "limit": limit, "above": signed(rng, (size,))}

    counts = [0, 1, 2, int(rng.integers(3, 6)), int(rng.integers(6, 10))]
    cases = [case(size, layers) for size, layers in zip([3, 2, 4, 3, 2], counts, strict=True)]
    cases += [case(2, int(rng.integers(16, 24))), case(1, 2), {**case(4, 2, zeros=True), "above": special(rng)}]
    quarters = rng.integers(2, 9, 3) / 4  # whose squares are exact: the sum is the limit itself
    cases.append({**case(3, 0), "x": quarters.tolist(), "limit": float(quarters @ quarters)})
    return {"as_many_layers": cases}


# ---------------------------------------------------------------------- probes


def probe_mse(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """The loss, and the gradients of its two inputs under a gradient from above."""
    asked = []
    for case in inputs:
        x, y = (torch.tensor(case[n], dtype=torch.float64, requires_grad=n in case["needs"]) for n in "xy")
        call = f'mse_loss(x, y, reduction="{case["reduction"]}") on shape {tuple(x.shape)}'
        loss = torch.nn.functional.mse_loss(x, y, reduction=case["reduction"])
        yield f"the result of {call}", loss
        asked.append((call, x, y, loss, case["above"]))
    for call, x, y, loss, values in asked:  # when all is recorded: a node remembers its own inputs
        loss.backward(torch.tensor(values, dtype=torch.float64))
        for name, leaf in (("x", x), ("y", y)):
            yield f"the gradient of {name} in {call}", leaf.grad


def probe_steps(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Steps of an optimizer on gradients that are given: each parameter after each step."""
    import numpy as np

    def plain(kept: Any) -> Any:
        return np.array(kept.numpy() if hasattr(kept, "numpy") else kept, dtype=float)

    make = {"sgd_step": torch.optim.SGD, "adam_step": torch.optim.Adam}[part]
    name = {"sgd_step": "SGD", "adam_step": "Adam"}[part]
    for case in (case for case in inputs if "start" in case):
        params = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in case["start"]]
        optimizer = make(params, lr=case["lr"][0], **case["settings"])
        settings = ", ".join(f"{key}={value}" for key, value in case["settings"].items() if isinstance(value, float))
        for number, (lr, grads) in enumerate(zip(case["lr"], case["grads"]), start=1):
            optimizer.param_groups[0]["lr"] = lr
            for p, grad in zip(params, grads):
                if p.grad is None:
                    p.grad = torch.tensor(grad, dtype=torch.float64)
                else:
                    p.grad.copy_(torch.tensor(grad, dtype=torch.float64))
            optimizer.step()
            changed = " with another lr" if lr != case["lr"][0] else ""
            for p in params:
                place = f"step {number} of {name}({settings}){changed} on shape {tuple(p.shape)}"
                yield f"the parameter after {place}", p.detach()
                yield f"p.grad, which is only to be read, after {place}", p.grad
                if case["settings"].get("momentum"):
                    velocity = optimizer.state[p].get("momentum_buffer")
                    yield f'the velocity, state["momentum_buffer"], after {place}', velocity is not None
                    yield f"the velocity after {place}", plain(velocity)
                for kept in ("step", "exp_avg", "exp_avg_sq") if part == "adam_step" else ():
                    yield f'state["{kept}"] after {place}', plain(optimizer.state[p].get(kept))
    for case in (case for case in inputs if "w" in case):
        w, b, x, y = (torch.tensor(case[n], dtype=torch.float64, requires_grad=n in "wb") for n in "wbxy")
        optimizer = torch.optim.Adam([w, b], lr=case["lr"])
        for number in range(1, case["steps"] + 1):
            w.grad = b.grad = None
            ((w @ x + b - y) ** 2).mean().backward()
            optimizer.step()
            yield f"w of a linear layer after step {number} of Adam", w.detach()
            yield f"b of a linear layer after step {number} of Adam", b.detach()


def probe_clearing(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """A parameter with a gradient and one without, cleared in both ways; then what backward adds to it."""
    for case in inputs:
        p, q, by = (torch.tensor(case[n], dtype=torch.float64, requires_grad=n != "by") for n in ("p", "p", "by"))
        optimizer = torch.optim.SGD([p, q], lr=0.1)
        for how in ("", "set_to_none=False"):
            place = f"optimizer.zero_grad({how}) on shape {tuple(p.shape)}"
            p.grad = kept = torch.tensor(case["grad"], dtype=torch.float64)
            optimizer.zero_grad(**({"set_to_none": False} if how else {}))
            yield f"p.grad after {place}", p.grad
            yield f"q.grad, which was None before {place}", q.grad
            if how:
                yield f"p.grad is still the same tensor after {place}", p.grad is kept
            yield f"the parameter itself after {place}", p.detach()
            (p * by).sum().backward()
            yield f"p.grad after {place} and a backward pass", p.grad
            for what, number in (("infinite", float("inf")), ("NaN", float("nan"))):
                p.grad = torch.zeros_like(by) + number
                optimizer.zero_grad(**({"set_to_none": False} if how else {}))
                yield f"p.grad, which was {what} before {place}", p.grad
            p.requires_grad_(False)
            p.grad = torch.tensor(case["grad"], dtype=torch.float64)
            optimizer.zero_grad(**({"set_to_none": False} if how else {}))
            yield f"p.grad of a parameter that was frozen, after {place}", p.grad
            p.requires_grad_(True)
        left = []
        for way in case["ways"]:  # with a gradient or without one, and cleared in this way or that
            p.grad = kept = torch.tensor(case["grad"], dtype=torch.float64) if way % 2 else None
            optimizer.zero_grad(set_to_none=way < 2)
            left.append("-" if p.grad is None else str(int((p.grad == 0).all())) + ("!" if p.grad is not kept else ""))
        yield f"what is left of p.grad, cleared ten times on shape {tuple(p.shape)}: nothing, or zeros", " ".join(left)


def probe_training(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Train a linear layer with an optimizer of the probe's own; the parameters whenever the loss is computed."""
    import numpy as np

    class Descent:
        """Plain gradient descent, that hangs on no exercise."""

        def __init__(self, params: Any, lr: float) -> None:
            self.param_groups, self.lr = [{"params": params, "lr": lr}], lr

        def zero_grad(self, set_to_none: bool = True) -> None:
            for p in self.param_groups[0]["params"]:
                p.grad = None

        def step(self) -> None:
            with torch.no_grad():
                for p in self.param_groups[0]["params"]:
                    if p.grad is not None:
                        p -= self.lr * p.grad

    for case in inputs:
        w, b, x, y = (torch.tensor(case[n], dtype=torch.float64, requires_grad=n in "wb") for n in "wbxy")
        seen: list[Any] = []

        def loss_of(w: Any = w, b: Any = b, x: Any = x, y: Any = y, seen: Any = seen) -> Any:
            seen.append((w.detach().numpy().copy(), b.detach().numpy().copy()))
            loss = ((w @ x + b - y) ** 2).mean()
            return loss if w.shape[0] != 3 else loss.reshape(1)  # one number, too

        steps, shape = case["steps"], tuple(w.shape)
        place = f"train(…, steps={steps}) with w of shape {shape}"
        if "before" in case:
            w.grad, b.grad = (torch.tensor(case["before"][n], dtype=torch.float64) for n in "wb")
            place += " and gradients from before"
        losses = given["train"](Descent([w, b], case["lr"]), loss_of, steps)
        yield f"train returns something, for steps={steps}", losses is not None
        yield f"train returns a list, for steps={steps}", type(losses).__name__
        if isinstance(losses, list):
            graphs = [isinstance(loss, torch.Tensor) and loss.requires_grad for loss in losses]
            yield f"no loss holds on to its graph, for steps={steps}", not any(graphs)
            yield f"no loss is a tensor, for steps={steps}", not any(isinstance(loss, torch.Tensor) for loss in losses)
            plain = all(isinstance(loss, int | float | np.generic) for loss in losses)
            yield f"the losses are Python numbers, for steps={steps}", plain
            if plain:
                yield f"the list of losses of {place}", np.array(losses, dtype=float)
        yield f"w at the end of {place}", w.detach()
        yield f"b at the end of {place}", b.detach()
        for number, found in enumerate(seen, start=1):
            for name, values in zip("wb", found):
                yield f"{name} when the loss is computed for the {number}. time, in {place}", values


def probe_layers(torch: Any, given: Any, part: str, inputs: Any) -> Any:
    """Models of different depths: their results, and the gradients of x and w."""
    for case in inputs:
        x, w = (torch.tensor(case[n], dtype=torch.float64, requires_grad=True) for n in "xw")
        answer = given["as_many_layers"](x, w, case["limit"])
        pair = isinstance(answer, tuple | list) and len(answer) == 2
        yield "as_many_layers returns a pair, (h, layers)", None if answer is None else pair
        if not pair:
            return
        h, layers = answer
        place = f"as_many_layers with x of shape {tuple(x.shape)} and limit {case['limit']:.4g}"
        yield f"the number of layers in {place}", layers
        yield f"the result h of {place}", h
        (h * torch.tensor(case["above"], dtype=torch.float64)).sum().backward()
        yield f"the gradient of w in {place}", w.grad
        yield f"the gradient of x in {place}", x.grad


# ---------------------------------------------------------------------- what torch, or minigrad, answers


def twin_training(torch: Any) -> dict[str, Any]:
    """The training loop, which is the same on torch and on minigrad."""

    def train(optimizer: Any, loss_of: Any, steps: int) -> list[float]:
        losses = []
        for _ in range(steps):
            loss = loss_of()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    return {"train": train}


def twin_layers(torch: Any) -> dict[str, Any]:
    """The model with a loop in it."""

    def as_many_layers(x: Any, w: Any, limit: float) -> tuple[Any, int]:
        h, layers = x, 0
        while (h * h).sum() < limit:
            h, layers = w @ h, layers + 1
        return h, layers

    return {"as_many_layers": as_many_layers}


# ---------------------------------------------------------------------- cases, as a learner runs them


def try_loss(case: Any) -> list[str]:
    """The loss, and the gradients of its inputs."""
    lines = "loss = minigrad.nn.functional.mse_loss(x, y, reduction=reduction)\nprint(loss)\nloss.backward(above)"
    return Tried(f"{lines}\nx.grad, y.grad", " ".join(case["needs"]), tensors="x y above")(case)


def try_steps(optimizer: str) -> Any:
    """One step after the other on the gradients that are given; none for a layer whose gradients are computed."""

    def lines(case: Any) -> list[str]:
        if "start" not in case:
            return []
        names = [f"p{number}" for number in range(1, len(case["start"]) + 1)]
        settings = "".join(f", {name}={value}" for name, value in case["settings"].items())
        made = [f"{name} = {tensor(value, needs=True)}" for name, value in zip(names, case["start"])]
        made.append(f"optimizer = minigrad.optim.{optimizer}([{', '.join(names)}], lr={case['lr'][0]}{settings})")
        for lr, grads in zip(case["lr"], case["grads"]):
            made += [f'optimizer.param_groups[0]["lr"] = {lr}'] if lr != case["lr"][0] else []
            made += [f"{name}.grad = {tensor(grad)}" for name, grad in zip(names, grads)]
            made += ["optimizer.step()", f"print({', '.join(names)})"]
        return [*made, "optimizer.state"]

    return lines


# ---------------------------------------------------------------------- the exercises

EXERCISES = (
    Exercise("mse", 7, "Mean squared error", {"MseLoss": 3}, _draw_mse, probe_mse, tried={"MseLoss": try_loss}),
    Exercise(
        "sgd",
        7,
        "A step downhill",
        {"sgd_step": 3},
        _draw_sgd,
        probe_steps,
        also=("nothing but 0 upstream",),
        agrees={"sgd_step": "the same as torch.optim.SGD, to rounding"},
        tried={"sgd_step": try_steps("SGD")},
    ),
    Exercise(
        "clear-grad",
        7,
        "Clearing the gradients",
        {"clear_grad": 2},
        _draw_clearing,
        probe_clearing,
        also=("frozen parameters",),
        agrees={"clear_grad": "the same as torch.optim's zero_grad"},
    ),
    Exercise(
        "train",
        7,
        "The loop",
        {"train": 3},
        _draw_training,
        probe_training,
        twin_training,
        also=("steps of 0", "a loss that rises"),
    ),
    Exercise(
        "adam",
        7,
        "Adam",
        {"adam_step": 4},
        _draw_adam,
        probe_steps,
        also=("nothing but 0 upstream",),
        agrees={"adam_step": "the same as torch.optim.Adam, to rounding"},
        tried={"adam_step": try_steps("Adam")},
    ),
    Exercise(
        "layers",
        7,
        "A loop in the model",
        {"as_many_layers": 3},
        _draw_layers,
        probe_layers,
        twin_layers,
        tried={
            "as_many_layers": Tried(
                "h, layers = as_many_layers(x, w, limit)\n(h * above).sum().backward()\nlayers, h, w.grad, x.grad",
                leaves="x w",
                tensors="above",
            )
        },
    ),
)
