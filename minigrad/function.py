"""An operation and the node that it leaves in the graph.

One class an operation. `forward` computes on arrays; `backward_<input>` is the vector-Jacobian
product with respect to that input, and its parameters name what it needs:

    class Hypot(Function):
        def forward(self, x, y):
            return (x * x + y * y) ** 0.5

        def backward_x(self, grad, x, out):
            return grad * x / out

        def backward_y(self, grad, y, out):
            return grad * y / out

`grad` is the gradient that arrives from above; the other parameters are inputs of `forward`, or
`out`, its result. What no rule names is not saved, and a rule whose gradient nobody needs does not
run. (torch generates its rules from a table of the same form, `derivatives.yaml`.) Rules use only
what ndarrays and Tensors share, so `create_graph=True` runs the same rules on Tensors. An input
without a rule gets no gradient; what isn't an input of numbers (`dim`, `keepdim`) is a keyword
setting, which `forward` keeps on `self`.
"""

from __future__ import annotations

import inspect
import itertools
import weakref
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np

from . import dtypes, unbroadcast
from .dtypes import FLOAT64
from .grad_mode import state
from .tensor import MOVED, Tensor, no_tensor, wrap

new = object.__new__
next_number = itertools.count(0, -1).__next__  # descending: the newest node has the smallest number

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after "
    "they have already been freed). Saved intermediate values of the graph are freed when you call "
    ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved tensors after calling backward."
)

# What an operation takes as a Tensor's equal; and, if it is no operator, an index (a tuple) and None.
NUMBERS = {int, float, bool, np.ndarray}
OPERATORS = {"Add", "Sub", "Rsub", "Mul", "Div", "Pow", "PowZero", "PowTensor", "PowNumber"}
FLOATS = {np.float32, np.float64}
UNLIKE_TORCH = {np.float16, np.float64}  # what NumPy makes of bools, and of integers: torch makes float32


@dataclass(frozen=True, slots=True)  # with slots, reading an attribute is faster than from a NamedTuple
class Plan:
    """What to save, and which rules to run, when a given set of inputs needs gradients."""

    saves: tuple[int, ...]  # positions in (*inputs, out); -1 is the result
    rules: tuple[tuple[int, Any, Any], ...]  # (input, its rule, what it takes of saved: None, a position, a getter)


class Rules(type):
    """The type of operations: a rule that is replaced is noticed, though plans remember the old one."""

    def __setattr__(cls, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name.startswith("backward_"):
            cls.plans = {}


class Function(metaclass=Rules):
    """One recorded operation: its `forward`, its rules, and its edges to the nodes before it.

    Attributes: `edges`, the node below each input (None for one that needs no gradient); `out_shape`,
    the result's; `number`, the smaller the newer.
    """

    # Defaults live on the class, so that recording sets only what differs.
    edges: tuple[Function | None, ...] = ()
    out_shape: tuple[int, ...] = ()
    dtypes: tuple[Any, ...] | None = None  # the inputs' dtypes, where they differ from the result's
    saved: tuple[Any, ...] | None = ()
    versions: tuple[Any, ...] = ()
    hooks: tuple[Any, ...] = ()
    retained: Any = None  # weak reference to the tensor that asked for its gradient by retain_grad()
    watched = False  # has it hooks, or a tensor that retains its gradient?
    promotes: bool  # whether operands of different dtypes are promoted by torch's rules; by default, if there are two
    number: int
    plan: Plan

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.plans: dict[int, Plan] = {}
        parameters = list(inspect.signature(cls.forward).parameters.values())[1:]
        cls.names = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        if "promotes" not in vars(cls):
            cls.promotes = len(cls.names) > 1

    def forward(self, *inputs: Any) -> Any:
        """Compute on arrays: each operation says how."""
        raise NotImplementedError(f"{type(self).__name__} has no forward")

    # ------------------------------------------------------------------ recording

    # Here and in `backward` the loops are plain and the common case comes first: these lines run for
    # each operation, and a generator alone costs as much as a scalar product.

    @classmethod
    def apply(cls, *inputs: Any, **settings: Any) -> Tensor:
        """Run `forward` on the inputs' arrays and, if a gradient may be asked for, record it."""
        node = cls()
        arrays = []
        needs = 0  # a bit per input, set where a gradient is needed
        bit = 1
        for x in inputs:
            if isinstance(x, Tensor):
                if x._requires_grad:
                    needs |= bit
                x = x._array
            elif type(x) not in NUMBERS:
                if isinstance(x, np.generic):  # NumPy's scalars count as Python's numbers, as in torch
                    return cls.apply(*[v.item() if isinstance(v, np.generic) else v for v in inputs], **settings)
                if cls.__name__ in OPERATORS or not isinstance(x, tuple | None):
                    return cls.refuse(x)
            arrays.append(x)
            bit += bit
        try:
            if settings or len(arrays) != 2:
                array = node.forward(*arrays, **settings)
            else:  # a call without a star takes half as long
                x, y = arrays
                array = node.forward(x, y)
        except (ValueError, AttributeError, TypeError) as error:
            raise node.refusal(error, arrays, settings) from None
        kind = type(array)
        if kind not in FLOATS:  # no scalar, whose type says at once what its dtype takes long to look up
            try:
                kind = array.dtype.type
            except AttributeError:
                if not any([isinstance(x, Tensor) for x in inputs]):
                    raise no_tensor(cls.__name__.lower(), input=inputs[0]) from None
                raise no_array(f"{cls.__name__}.forward", array) from None
        if kind in UNLIKE_TORCH and cls.promotes:
            array = node.promoted(array, arrays, settings)
        out = new(Tensor)
        out._array = array
        out._versions = [0]
        if needs and state.enabled and kind in FLOATS:
            out._requires_grad = True
            node.out_shape = array.shape
            node.record(inputs, out)
            node.plan = plan = cls.plans.get(needs) or cls.make_plan(needs)
            if plan.saves:
                node.save(plan.saves, inputs, out)
        return out

    @classmethod
    def refuse(cls, x: Any) -> Any:
        """TypeError for an input that no operation takes; an operator lets Python ask the other side."""
        if cls.__name__ in OPERATORS:
            return NotImplemented
        raise TypeError(f"{cls.__name__.lower()}(): argument must be Tensor or number, not {type(x).__name__}")

    def record(self, inputs: tuple[Any, ...], out: Tensor) -> None:
        """Make this node the `grad_fn` of `out`, with an edge for each input, newer than what its edges lead to."""
        self.edges = edges = []
        for x in inputs:
            edges.append(gradient_edge(x))
        self.number = next_number()
        out.grad_fn = self

    @classmethod
    def make_plan(cls, needs: int) -> Plan:
        """Read from the rules' parameters what they need."""
        place = {name: i for i, name in enumerate(cls.names)} | {"out": -1}  # in (*inputs, out)
        needed = [(i, f"backward_{name}") for name, i in place.items() if i >= 0 and needs >> i & 1]
        rules = [(i, getattr(cls, rule)) for i, rule in needed if hasattr(cls, rule)]
        wanted = [list(inspect.signature(rule).parameters)[2:] for _, rule in rules]
        for (_, rule), names in zip(rules, wanted, strict=True):
            if unknown := [name for name in names if name not in place]:
                raise TypeError(
                    f"{rule.__qualname__} asks for {unknown[0]}. After grad, a rule can ask for inputs of forward "
                    f"({', '.join(cls.names)}) and for out, its result."
                )
        saves = tuple(i for name, i in place.items() if any(name in w for w in wanted))
        takes = [tuple(saves.index(place[name]) for name in w) for w in wanted]
        takes = [itemgetter(*t) if len(t) > 1 else t[0] if t else None for t in takes]
        cls.plans[needs] = plan = Plan(saves, tuple((i, rule, t) for (i, rule), t in zip(rules, takes, strict=True)))
        return plan

    def promoted(self, array: Any, arrays: list[Any], settings: dict[str, Any]) -> Any:
        """Run `forward` once more where NumPy chose another dtype than torch would: mostly float64, not float32."""
        if not any([hasattr(x, "dtype") for x in arrays]):
            raise no_tensor(type(self).__name__.lower(), input=arrays[0])
        if all([getattr(x, "dtype", FLOAT64) is FLOAT64 for x in arrays]):  # the common case: float64 all along
            return array
        numbers = [
            isinstance(x, np.ndarray | np.generic) and rule
            for x, rule in zip(arrays, self.differentiable(), strict=False)
        ]
        if all(x.dtype is FLOAT64 for x, number in zip(arrays, numbers, strict=True) if number) and True in numbers:
            return array
        self.dtypes = tuple(getattr(x, "dtype", None) for x in arrays)
        wanted = dtypes.result_type(
            *[x for x, rule in zip(arrays, self.differentiable(), strict=False) if rule and x is not None]
        )
        if wanted is not dtypes.float64:
            target = wanted.numpy if wanted.is_floating_point else dtypes.default.numpy
            arrays = [x.astype(target) if number else x for x, number in zip(arrays, numbers, strict=True)]
            array = self.forward(*arrays, **settings).astype(target, copy=False)
        return array

    def refusal(self, error: Exception, arrays: list[Any], settings: dict[str, Any]) -> Exception:
        """torch's error for what `forward` could not do: NumPy's ValueError is about shapes."""
        if isinstance(error, ValueError) and "truth value" not in str(error):
            return self.explain(*arrays, **settings)
        if "boolean subtract" in str(error):
            return RuntimeError("Subtraction, the `-` operator, with two bool tensors is not supported.")
        if "boolean negative" in str(error):
            return RuntimeError(
                "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, "
                "use the `~` or `logical_not()` operator instead."
            )
        if isinstance(error, AttributeError) and isinstance(arrays[0], int | float | None):
            return no_tensor(type(self).__name__.lower(), input=arrays[0])
        return error

    def explain(self, *arrays: Any, **settings: Any) -> Exception:
        """torch's error for shapes that do not broadcast."""
        shapes = [x.shape for x in arrays if isinstance(x, np.ndarray | np.generic)]
        for a, b in itertools.combinations(shapes, 2):
            for dim in range(-1, -min(len(a), len(b)) - 1, -1):
                if a[dim] != b[dim] and 1 not in (a[dim], b[dim]):
                    return RuntimeError(
                        f"The size of tensor a ({a[dim]}) must match the size of tensor b ({b[dim]}) "
                        f"at non-singleton dimension {max(len(a), len(b)) + dim}"
                    )
        return RuntimeError(f"{type(self).__name__} cannot take shapes {shapes} with {settings}")

    # ------------------------------------------------------------------ saved tensors

    def save(self, places: tuple[int, ...], inputs: tuple[Any, ...], out: Tensor) -> None:
        """Keep the arrays that the rules name, and the version of each: a later change is noticed."""
        self.saved = saved = []
        self.versions = versions = []
        for i in places:
            value = inputs[i] if i >= 0 else out
            if isinstance(value, Tensor):
                counter = value._versions
                versions.append((len(saved), counter, counter[0]))
                value = value._array
            saved.append(value)

    @property
    def saved_tensors(self) -> Any:
        """The saved arrays; RuntimeError when they were freed, or modified since."""
        if self.saved is None:
            raise RuntimeError(FREED)
        for position, counter, version in self.versions:
            if counter[0] != version:
                self.changed(position, counter, version)
        return self.saved

    def changed(self, position: int, counter: list[Any], version: int) -> None:
        """RuntimeError for a saved tensor that was modified; a scalar that became an array is fetched."""
        if counter[0] == version:
            raise RuntimeError(f"changed was called for a tensor that is still at version {version}")
        while counter[0] == MOVED:  # see tensor.materialise
            if counter[1] == version:
                self.saved[position] = counter[3]
            counter = counter[2]
        if counter[0] != version:
            array = self.saved[position]
            kind = dtypes.type_name(dtypes.of_numpy(array.dtype))
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified by an inplace operation: "
                f"[{kind} {list(array.shape)}], saved by {self.name()}, is at version {counter[0]}; "
                f"expected version {version} instead."
            )

    def as_tensors(self, positions: Any, values: Any) -> list[Any]:
        """Saved values with their place in the graph: for a backward pass that is itself recorded.

        Args:
            positions: per value, which input it is; -1 for the result.
            values: arrays, numbers, None.
        """
        tensors = []
        for i, value in zip(positions, values, strict=True):
            if isinstance(value, np.ndarray | np.generic):
                node = self if i == -1 else self.edges[i]
                if isinstance(node, AccumulateGrad):
                    value = node.variable
                else:
                    value = wrap(value)
                    value.grad_fn = node
                    value._requires_grad = node is not None
            tensors.append(value)
        return tensors

    def free(self) -> None:
        """Drop what was saved: None says that there was something."""
        self.saved = None
        self.versions = ()

    # ------------------------------------------------------------------ backward

    def backward(self, grad: Any) -> list[Any]:
        """The vector-Jacobian product for each input, in its shape and dtype: None where none is needed.

        Args:
            grad: an array; or a Tensor, when the backward pass is itself recorded (`create_graph=True`).
        """
        plan = self.plan
        saved = self.saved
        if self.versions or saved is None:
            saved = self.saved_tensors  # the arrays, if they are still what they were
        edges = self.edges
        recorded = isinstance(grad, Tensor)
        if recorded:
            saved = self.as_tensors(plan.saves, saved)
        grads = [None] * len(edges)
        for i, rule, takes in plan.rules:
            if takes is None:
                below = rule(self, grad)
            elif takes.__class__ is int:
                below = rule(self, grad, saved[takes])
            else:
                below = rule(self, grad, *takes(saved))
            try:
                if below.shape != edges[i].out_shape:
                    check_fits(rule, below.shape, edges[i].out_shape)
                    below = unbroadcast.unbroadcast(below, edges[i].out_shape)
            except AttributeError:
                raise no_edge(rule) if edges[i] is None else no_array(rule.__qualname__, below) from None
            grads[i] = below
        if self.dtypes is not None:
            grads = [g if g is None else cast(g, dtype) for g, dtype in zip(grads, self.dtypes, strict=True)]
        if recorded:
            self.check_recorded(grads)
        return grads

    def check_recorded(self, grads: list[Any]) -> None:
        """TypeError for a rule that left the graph: its gradient could not be differentiated again."""
        for i, rule, _ in self.plan.rules:
            if not isinstance(grads[i], Tensor):
                raise TypeError(
                    f"{rule.__qualname__} returned an array in a backward pass that is recorded (create_graph=True). "
                    "Compute with operators, which tensors have as well, in place of NumPy's functions."
                )

    def __call__(self, *grads: Any) -> Any:
        """The rules by hand, as in torch: `node(grad)` is the gradient of each input, as Tensors."""
        arrays = [g._array if isinstance(g, Tensor) and not state.enabled else g for g in grads]
        below = [g if g is None or isinstance(g, Tensor) else wrap(g) for g in self.backward(*arrays)]
        below = [g for g, has_rule in zip(below, self.differentiable(), strict=False) if has_rule]
        return below[0] if len(below) == 1 else tuple(below)

    # ------------------------------------------------------------------ the graph, as torch shows it

    def differentiable(self) -> list[bool]:
        """Per input: has it a rule?"""
        return [hasattr(self, f"backward_{name}") for name in self.names] or [True] * len(self.edges)

    @property
    def next_functions(self) -> tuple[tuple[Function | None, int], ...]:
        """torch's form of the edges: `(node, output number)` for each input, in the order of `backward`'s gradients."""
        return tuple([(edge, 0) for edge in self.edges])

    def name(self) -> str:
        """torch's name of the node: `MulBackward0`."""
        return f"{type(self).__name__}Backward0"

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"


class AccumulateGrad(Function):
    """The node of a leaf, and the only place that writes `.grad`."""

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable
        self.out_shape = variable._array.shape
        self.number = next_number()

    def backward(self, grad: Any) -> list[Any]:
        """The way ends here: add `grad` to the leaf's `.grad`, unless the leaf was frozen meanwhile."""
        leaf = self.variable
        if not leaf._requires_grad:
            return []
        if isinstance(grad, Tensor) and leaf._grad is not None:
            leaf._grad = leaf._grad + grad  # recorded, as the sum itself may be differentiated
        else:
            accumulate(leaf, grad)
        return []

    def name(self) -> str:
        """torch's name of the node."""
        return "AccumulateGrad"


def accumulate(leaf: Tensor, grad: Any) -> None:
    """Add `grad`, an array, to the leaf's `.grad`: in place, so that whoever holds `.grad` sees the sum."""
    if leaf._grad is None:
        leaf._grad = owned(grad)
    else:
        leaf._grad += grad


def no_array(where: str, found: Any) -> TypeError:
    """The error for a forward or a rule that returned something else than an array."""
    if found is None:
        return TypeError(f"{where} returned None: is its `return` missing?")
    return TypeError(f"{where} returned {found!r:.40}, of type {type(found).__name__}; it has to return an array.")


def no_edge(rule: Any) -> TypeError:
    """The error for a node whose edges are not those of its inputs."""
    return TypeError(
        f"{rule.__qualname__} is a rule for an input to which its node has no edge: its edges do not fit its inputs."
    )


def check_fits(rule: Any, found: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    """RuntimeError for a rule whose gradient has a shape to which its input does not broadcast."""
    if not broadcasts(wanted, found):
        raise RuntimeError(
            f"{rule.__qualname__} returned an invalid gradient: got {list(found)} but expected shape compatible with "
            f"{list(wanted)}"
        )


def broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Whether an array of `shape` broadcasts to the shape `to`."""
    pairs = zip(reversed(shape), reversed(to), strict=False)
    return len(shape) <= len(to) and all([n in (1, m) for n, m in pairs])


def owned(grad: Any) -> Tensor:
    """`grad` as a Tensor that shares memory with nothing: rules hand the same array to several inputs."""
    if isinstance(grad, Tensor):
        return grad.clone()
    return wrap(grad.copy() if isinstance(grad, np.ndarray) else grad)


def cast(grad: Any, numpy_dtype: Any) -> Any:
    """`grad`, an array or a Tensor, in another dtype."""
    if isinstance(grad, Tensor):
        return grad.to(dtypes.of_numpy(numpy_dtype))
    return grad.astype(numpy_dtype)


def gradient_edge(x: Any) -> Function | None:
    """The node that a gradient of `x` flows into: a result's grad_fn, a leaf's AccumulateGrad; None if x needs none."""
    if isinstance(x, Tensor) and x._requires_grad:
        return x.grad_fn or accumulator(x)
    return None


def accumulator(leaf: Tensor) -> AccumulateGrad:
    """The node of a leaf: the same one as long as a graph holds it."""
    node = leaf._accumulator and leaf._accumulator()
    if node is None:
        node = AccumulateGrad(leaf)
        if leaf._hooks:
            node.hooks, node.watched = leaf._hooks, True
        leaf._accumulator = weakref.ref(node)  # weak: the graph owns the node, the node owns the leaf
    return node
