"""Flat code for what is common: each operation's own `apply`, and its own vector-Jacobian products.

`Function.apply`, `Function.backward` and the traversal say what happens, for every operation, and spend most of their
time on being general. Here the same steps are written out for one operation when it is first called, as dataclasses
write an `__init__`: a few lines an input, a branch for each set of inputs that need gradients, and for each set one
function that runs the rules and sends on what they give. What is unusual – other operands, hooks, dtypes that differ, a
backward pass that is recorded – goes the plain way. `linecache.getlines("<apply of Mul>")` shows what was written.

Deleting this file changes no result, and neither does MINIGRAD_PLAIN=1, which leaves it out. It stands aside while a
learner's part is in the core (see `refresh`).
"""

from __future__ import annotations

import functools
import inspect
import linecache
import os
import weakref
from collections.abc import Iterator
from heapq import heappop, heappush
from sys import getrefcount
from types import FunctionType
from typing import Any

import numpy as np

from .core import engine, function
from .core.engine import visit_and_free, visit_and_keep
from .core.function import FLOATS, AccumulateGrad, Function, Plan, Rules, accumulate, owned
from .core.grad_mode import state
from .core.tensor import Tensor, wrap
from .surface import arithmetic, names

if os.environ.get("MINIGRAD_PLAIN"):
    raise ImportError("MINIGRAD_PLAIN asks for the engine without this file")

# What is written out below, and may be a learner's: where it stands, its name, minigrad's own.
STEPS: list[tuple[Any, str, Any]] = [
    (holder, name, vars(holder)[name])
    for holder, names in (
        (Function, ("apply", "record", "save", "saved_tensors", "free", "backward")),
        (function, ("gradient_edge", "accumulate")),
        (engine, ("run_backward", "visit_and_free", "visit_and_keep")),
    )
    for name in names
]
REQUIRED = inspect.Parameter.empty  # the default of a setting that has none
OPERATORS = {"__add__": "Add", "__radd__": "Add", "__mul__": "Mul", "__rmul__": "Mul", "__truediv__": "Div"}
PLAIN = {method: vars(Tensor)[method] for method in OPERATORS}
references = 0  # see `held`
called: weakref.WeakSet[type[Function]] = (
    weakref.WeakSet()
)  # operations that have an `apply` here and none while this file stands aside
plain_apply, plain_walk = Function.apply.__func__, engine.walk  # type: ignore[attr-defined]


def apply_text(cls: type[Function], plans: dict[int, Plan]) -> Iterator[str]:
    """The lines of the operation's `apply`, with a branch for each set of inputs in `plans`."""
    places = range(len(cls.names))
    inputs, arrays = ", ".join(f"x{i}" for i in places), ", ".join(f"a{i}" for i in places)
    settings = settings_of(cls)
    more = "".join(f", {name}={name}" for name in settings)
    taken = [name if default is REQUIRED else f"{name}={name}" for name, default in settings.items()]
    yield f"def apply({', '.join([inputs, *['*'][: len(taken)], *taken])}):"
    yield "    needs = 0"
    for i in places:
        if i:  # the first one is seldom a number, and to find that it is no Tensor takes longer
            yield f"    if type(x{i}) in NUMBERS: a{i}, v{i} = x{i}, None"
        yield f"    {'elif' if i else 'if'} isinstance(x{i}, Tensor):"
        yield f"        a{i}, v{i} = x{i}._array, x{i}._versions"
        yield f"        if x{i}._requires_grad: needs |= {1 << i}"
        if not i:
            yield f"    elif type(x{i}) in NUMBERS: a{i}, v{i} = x{i}, None"
        yield f"    else: return plain({inputs}{more})"
    yield "    node = operation()"
    yield "    try:"
    yield f"        array = forward(node, {arrays}{more})"
    yield "        kind = type(array)"
    yield "        if kind is not float32 and kind is not float64: kind = array.dtype.type"
    yield f"    except (ValueError, AttributeError, TypeError): return plain({inputs}{more})"
    if cls.promotes:
        yield "    if kind is not float32 and kind in WIDENED:"
        yield f"        array = node.promoted(array, [{arrays}], dict({more[2:]}))"
        yield f"        if node.dtypes is not None: return mixed(node, needs, [{inputs}], array)"
    yield "    out = new(Tensor)"
    yield "    out._array, out._versions = array, [0]"
    yield "    if needs and state.enabled and (kind is float32 or kind is float64):"
    yield "        out._requires_grad, out.grad_fn = True, node"
    yield "        node.out_shape = array.shape"
    for needs, plan in plans.items():
        yield f"        if needs == {needs}:"
        yield f"            node.edges = [{', '.join(edge(i) if needs >> i & 1 else 'None' for i in places)}]"
        if plan.saves:
            yield f"            node.saved = [{', '.join(f'a{i}' if i >= 0 else 'array' for i in plan.saves)}]"
            yield f"            {versions(plan.saves, needs)}"
        if cls.record is names.record:
            yield "            node.rename()"
        yield "            node.number = next_number()  # newer than what its edges lead to"
        yield f"            node.plan = plan{needs}"
        yield "            return out"
    yield f"        meet(node, needs, [{inputs}], out)"
    yield "    return out"


def edge(i: int) -> str:
    """The node below input i, which needs a gradient."""
    return f"x{i}.grad_fn or accumulator(x{i})"


def versions(saves: tuple[int, ...], needs: int) -> str:
    """The versions of what is saved: a tensor's; a number has none."""
    parts = []
    for place, i in enumerate(saves):
        if i < 0:
            parts.append(f"({place}, out._versions, 0)")
        elif needs >> i & 1:
            parts.append(f"({place}, v{i}, v{i}[0])")
        else:
            parts.append(f"*([({place}, v{i}, v{i}[0])] if v{i} else ())")
    if len(parts) == 1 and parts[0][0] == "*":
        return f"if v{saves[0]}: node.versions = [(0, v{saves[0]}, v{saves[0]}[0])]"
    return f"node.versions = [{', '.join(parts)}]"


def vjp_text(plan: Plan, inputs: int) -> Iterator[str]:
    """The lines of a function that runs the plan's rules, and sends on what they give."""
    yield "def vjp(node, grad, grads, queue, keep):"
    if plan.saves:
        yield "    for _, counter, version in node.versions:"
        yield "        if counter[0] != version: node.saved_tensors"
        yield f"    {''.join(f's{k}, ' for k in range(len(plan.saves)))} = node.saved or node.saved_tensors"
    yield f"    {''.join(f'e{i}, ' for i in range(inputs))} = node.edges"
    for i, _, takes in plan.rules:
        places = () if takes is None else (takes,) if isinstance(takes, int) else takes(range(len(plan.saves)))
        yield f"    g{i} = rule{i}(node, grad{''.join(f', s{k}' for k in places)})"
        yield "    try:"
        yield f"        if g{i}.shape != e{i}.out_shape: g{i} = node.fitted(rule{i}, g{i}, e{i})"
        yield f"    except AttributeError: g{i} = node.fitted(rule{i}, g{i}, e{i})"
    if plan.saves:
        yield "    if not keep: node.saved, node.versions = None, ()"
    for i, _, _ in plan.rules:
        yield f"    if e{i} in grads: grads[e{i}] = grads[e{i}] + g{i}"
        if i == plan.rules[-1][0]:
            yield f"    elif not queue or e{i}.number < queue[0][0]: return e{i}, g{i}"
        yield "    else:"
        yield f"        grads[e{i}] = g{i}"
        yield f"        heappush(queue, (e{i}.number, e{i}))"


def settings_of(cls: type[Function]) -> dict[str, Any]:
    """What `forward` takes besides its inputs, with the defaults; REQUIRED where there is none."""
    parameters = inspect.signature(cls.forward).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}


def usual(cls: type[Function]) -> bool:
    """Whether the operation takes a fixed number of inputs, and leaves the steps that are written out as they are."""
    several = any(
        p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) or p.kind is p.POSITIONAL_OR_KEYWORD and p.default is not REQUIRED
        for p in inspect.signature(cls.forward).parameters.values()
    )
    steps = [(name, step) for holder, name, step in STEPS if holder is Function and name != "apply"]
    own = all(inspect.getattr_static(cls, name) in (step, names.record) for name, step in steps)
    return own and not several and bool(cls.names) and cls.dtypes is None and cls.__init__ is object.__init__


def write(cls: type[Function]) -> None:
    """Write the operation's `apply`, for the sets of inputs that it has met."""
    plans = {needs: plan for needs, plan in cls.plans.items() if plan.vjp}
    names = settings_of(cls) | {"operation": cls, "forward": cls.forward}
    names |= {f"plan{needs}": plan for needs, plan in plans.items()}
    steps = {step.__name__: functools.partial(step, cls) for step in (plain, mixed, meet)}
    apply = compiled("apply", cls, apply_text(cls, plans), names | steps)
    apply.__qualname__ = cls.forward.__qualname__  # whose name stands in an error about its arguments
    take(cls, apply)


def compiled(name: str, cls: type[Function], lines: Iterator[str], names: dict[str, Any]) -> Any:
    """The function of that text, whose lines a traceback shows."""
    text, file = "\n".join(lines) + "\n", f"<{name} of {cls.__qualname__}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    known = vars(function) | {"float32": np.float32, "float64": np.float64, "heappush": heappush} | names
    exec(compile(text, file, "exec"), known)
    return known[name]


def plain(cls: type[Function], *inputs: Any, **settings: Any) -> Any:
    """`apply` as it is for every operation."""
    return plain_apply(cls, *inputs, **settings)


def mixed(cls: type[Function], node: Any, needs: int, inputs: list[Any], array: Any) -> Tensor:
    """The result of inputs of different dtypes, recorded step by step."""
    out = wrap(array)
    if needs and state.enabled and array.dtype.type in FLOATS:
        out._requires_grad = True
        node.out_shape = array.shape
        plan = steps(cls, node, needs, inputs, out)
        node.plan = Plan(plan.saves, plan.rules)
    return out


def meet(cls: type[Function], node: Any, needs: int, inputs: list[Any], out: Tensor) -> None:
    """Record a set of inputs that is new, and write it out for the next time."""
    plan = node.plan = steps(cls, node, needs, inputs, out)
    rules = {f"rule{i}": rule for i, rule, _ in plan.rules}
    cls.plans[needs] = Plan(plan.saves, plan.rules, compiled("vjp", cls, vjp_text(plan, len(inputs)), rules))
    write(cls)


def steps(cls: type[Function], node: Any, needs: int, inputs: list[Any], out: Tensor) -> Plan:
    """Record as `Function.apply` does."""
    node.record(inputs, out)
    plan = cls.plans.get(needs) or cls.make_plan(needs)
    if plan.saves:
        node.save(plan.saves, inputs, out)
    return plan


def walk(root: Function, grad: Any, visit: Any, recorded: bool = False) -> None:
    """`engine.walk`, where a node whose rules are written out sends its gradients on itself."""
    keep = visit is visit_and_keep
    if recorded or not keep and visit is not visit_and_free:
        plain_walk(root, grad, visit, recorded)
        return
    previous = state.enabled
    state.enabled = False
    try:
        grads: dict[Function, Any] = {}
        queue: list[Any] = []
        following: Any = root, grad
        while following is not None or queue:
            if following is None:
                _, node = heappop(queue)
                grad = grads.pop(node)
            else:
                node, grad = following
                following = None
            vjp = node.plan.vjp
            if vjp is not None and node.watched is None:
                following = vjp(node, grad, grads, queue, keep)
                continue
            for below, part in zip(node.edges, visit(node, grad), strict=False):
                if part is None:
                    continue
                if below in grads:
                    grads[below] = grads[below] + part
                else:
                    grads[below] = part
                    heappush(queue, (below.number, below))
    finally:
        state.enabled = previous


def arrive(node: Any, grad: Any, grads: Any, queue: Any, keep: bool) -> None:
    """What AccumulateGrad does with an array: one that nobody else holds is no copy, and a sum goes around `+=`."""
    leaf = node.variable
    if not leaf._requires_grad:
        return
    kept = leaf._grad
    if kept is None:
        leaf._grad = wrap(grad) if getrefcount(grad) == references and is_whole(grad) else owned(grad)
    elif kept._requires_grad or type(kept._array) is not type(grad) or grad.shape and not kept._array.flags.writeable:
        accumulate(leaf, grad)
    else:
        kept._array += grad
        kept._versions[0] += 1


def is_whole(grad: Any) -> bool:
    """Whether an array has memory of its own, in order."""
    return type(grad) is np.ndarray and grad.base is None and grad.flags.c_contiguous


def held(node: Any, grad: Any, *rest: Any) -> None:
    """Count the references that there are, in `arrive`, to an array that nobody else holds: a debugger may add some."""
    global references
    references = min(getrefcount(grad), 3)


def first(cls: type[Function], *inputs: Any, **settings: Any) -> Any:
    """`apply` before the first call: write it, where that can be done, and go on there."""
    if engine.walk is not walk:
        rest(cls)
        return vars(Function)["apply"].__get__(None, cls)(*inputs, **settings)
    if usual(cls):
        write(cls)
    else:
        take(cls, classmethod(plain_apply))
    return cls.apply(*inputs, **settings)


def take(cls: type[Function], apply: Any) -> None:
    """Let `apply` be the operation's own, while this file is in use."""
    type.__setattr__(cls, "written", apply)
    type.__setattr__(cls, "apply", apply)
    called.add(cls)
    if cls.__qualname__ in OPERATORS.values():
        operators()


def rest(cls: type[Function]) -> None:
    """Let the operation do without an `apply` of its own."""
    called.add(cls)
    if "apply" in vars(cls):
        type.__delattr__(cls, "apply")


def operators() -> None:
    """Let a tensor's operator be its operation's `apply` itself, once that is written."""
    for method, name in OPERATORS.items():
        apply = vars(vars(arithmetic)[name]).get("apply")
        now = apply if isinstance(apply, FunctionType) else PLAIN[method]
        if vars(Tensor)[method] is not now:
            setattr(Tensor, method, now)


def begin(cls: type[Function]) -> None:
    """Let the next call of the operation, and of each that is made of it, write an `apply`: a base's is not theirs."""
    if any(has_its_own(base) for base in cls.__mro__):
        if "written" in vars(cls):
            rest(cls)
            called.discard(cls)
            type.__delattr__(cls, "written")
    elif cls is not Function:
        type.__setattr__(cls, "plans", {})
        type.__setattr__(cls, "written", classmethod(first))
        type.__setattr__(cls, "apply", vars(cls)["written"])
    for each in cls.__subclasses__():
        begin(each)


def has_its_own(cls: type) -> bool:
    """Whether somebody else wrote the operation's `apply`."""
    return issubclass(cls, Function) and cls is not Function and "apply" in vars(cls) and "written" not in vars(cls)


def is_written_here(cls: type, apply: Any) -> bool:
    """Whether the operation was once given this `apply` here, or what writes one."""
    return getattr(apply, "__func__", None) is first or getattr(apply, "__globals__", {}).get("operation") is cls


def refresh() -> None:
    """Stand aside while a step that is written out here is not minigrad's own; come back when all are."""
    stand = all(vars(holder)[name] is step for holder, name, step in STEPS)
    if stand == (engine.walk is walk):
        operators()  # one of them may be another class now
        return
    engine.walk = walk if stand else plain_walk
    for cls in list(called):  # those alone: a grader makes thousands of operations
        if not stand:
            rest(cls)
            continue
        type.__setattr__(cls, "apply", vars(cls)["written"])
        if isinstance(vars(cls)["written"], classmethod):  # which knows itself what to do
            called.discard(cls)
    operators()


def made(cls: Any, *definition: Any, **keywords: Any) -> None:
    """A class was made."""
    type.__init__(cls, *definition, **keywords)
    begin(cls)


def changed(cls: Any, name: str, value: Any) -> None:
    """A class was changed: what was written of it before is not true any more."""
    plain_change(cls, name, value)
    if cls is Function:
        refresh()
        return
    if name == "apply" and is_written_here(cls, value):
        type.__setattr__(cls, "written", value)
    elif name == "apply" and "written" in vars(cls):
        type.__delattr__(cls, "written")
        called.discard(cls)
    begin(cls)
    operators()  # which may be what was written of it


plain_change = Rules.__setattr__
Rules.__setattr__, Rules.__init__ = changed, made  # type: ignore[method-assign, assignment]
Function.plan = Plan((), (), held)
walk(Function(), np.zeros(1), visit_and_free)
Function.plan = Plan((), ())
AccumulateGrad.plan = Plan((), (), arrive)
refresh()
begin(Function)
