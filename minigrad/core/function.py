"""An operation and the node that it leaves in the graph.

One class an operation. `forward` computes on arrays; `backward_<input>` is the vector-Jacobian
product with respect to that input, and its parameters name what it needs:

    class Log(Function):
        def forward(self, x):
            return np.log(x)

        def backward_x(self, grad, x):
            return grad / x

`grad` is the gradient that arrives from above; the other parameters are inputs of `forward`, or `out`, its result. What
no rule names is not saved, and a rule whose gradient nobody needs does not run. (torch generates its rules from a table
of the same form, `derivatives.yaml`.) What isn't an input of numbers (`dim`) is a setting, kept on `self`.
"""

import inspect
import itertools
import weakref
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from . import unbroadcast
from .grad_mode import state
from .tensor import Moved, Tensor, wrap

new = object.__new__
next_number = itertools.count(0, -1).__next__  # descending: the newest node has the smallest number

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)

NUMBERS = {int, float, bool, np.ndarray}  # what an operation takes as a Tensor's equal
FLOATS = {np.float32, np.float64}
WIDENED = {np.float16, np.float64}  # what NumPy makes of bools, and of integers: `promoted` may choose another dtype


class Plan:
    """What to save, and which rules to run, when a given set of inputs needs gradients.

    `saves`: positions in (*inputs, out); -1 is the result. `rules`: (input, its rule, what it takes of saved: None, a
    position, a getter). `vjp`: all of them as one function, where that was written (see flat.py).
    """

    __slots__ = "rules", "saves", "vjp"

    def __init__(self, saves: tuple[int, ...], rules: tuple[tuple[int, Any, Any], ...], vjp: Any = None) -> None:
        self.saves, self.rules, self.vjp = saves, rules, vjp


class Rules(type):
    """The type of operations: a rule that is replaced is noticed, though plans remember the old one."""

    plans: dict[int, Plan]

    def __setattr__(cls, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name.startswith("backward_"):
            cls.plans = {}


class Function(metaclass=Rules):
    """One recorded operation: its `forward`, its rules, and its edges to the nodes before it.

    Attributes: `edges`, the node below each input, or None; `out_shape`, the result's; `number`, the smaller the newer.
    """

    # Defaults live on the class, so that recording sets only what differs.
    edges: Sequence[Any] = ()
    out_shape: tuple[int, ...] = ()
    dtypes: tuple[Any, ...] | None = None  # the inputs' dtypes, where they differ from the result's
    saved: Any = ()
    versions: Sequence[Any] = ()
    watched: Any = None  # `watched(node, grad)` sees the gradient that arrives here, and returns it or another
    promotes: bool  # whether `promoted` chooses the result's dtype; by default, where there are two operands
    number: int
    plan: Plan
    plans: dict[int, Plan]
    names: list[str]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.plans = {}
        code = inspect.unwrap(cls.forward).__code__  # inspect.signature takes ten times as long
        cls.names = list(code.co_varnames[max(1, code.co_posonlyargcount) : code.co_argcount])
        if "promotes" not in vars(cls):
            cls.promotes = len(cls.names) > 1

    def forward(self, *inputs: Any) -> Any:
        """Compute on arrays: each operation says how."""
        raise NotImplementedError(f"{type(self).__name__} has no forward")

    # In `apply` and `backward` loops are plain: a generator alone costs as much as a scalar product.

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
            elif type(x) not in NUMBERS and (answer := cls.unusual(x, inputs, settings)) is not None:
                return answer
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
            except AttributeError as error:
                raise node.refusal(error, arrays, settings, array) from None
        if kind in WIDENED and cls.promotes:
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
        spots = [tuple(saves.index(place[name]) for name in w) for w in wanted]
        takes = [itemgetter(*t) if len(t) > 1 else t[0] if t else None for t in spots]
        cls.plans[needs] = plan = Plan(saves, tuple((i, rule, t) for (i, rule), t in zip(rules, takes, strict=True)))
        return plan

    def save(self, places: tuple[int, ...], inputs: tuple[Any, ...], out: Tensor) -> None:
        """Keep the arrays that the rules name, and the version of each: a later change is noticed."""
        self.saved = saved = []  # type: ignore[var-annotated] # of anything
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
        if isinstance(counter[0], Moved) and counter[0] == version + 0.5:
            self.saved[position] = counter[0].array
        else:
            raise self.modified(self.saved[position], int(counter[0]), int(version))

    def free(self) -> None:
        """Drop what was saved: None says that there was something."""
        self.saved = None
        self.versions = ()

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
        grads: list[Any] = [None] * len(edges)
        for i, rule, takes in plan.rules:
            if takes is None:
                below = rule(self, grad)
            elif takes.__class__ is int:
                below = rule(self, grad, saved[takes])
            else:
                below = rule(self, grad, *takes(saved))
            try:
                fits = below.shape == edges[i].out_shape
            except AttributeError:
                fits = False
            grads[i] = below if fits else self.fitted(rule, below, edges[i])
        if recorded or self.dtypes is not None:
            grads = self.returned(grads, recorded)
        return grads

    @classmethod
    def unusual(cls, x: Any, inputs: tuple[Any, ...], settings: dict[str, Any]) -> Any:
        """What to answer for an input x that is no Tensor, array or number; None where `forward` may have it."""
        return None

    def promoted(self, array: Any, arrays: list[Any], settings: dict[str, Any]) -> Any:
        """The result where NumPy widened it."""
        return array

    def refusal(self, error: Exception, arrays: list[Any], settings: dict[str, Any], *returned: Any) -> Exception:
        """The error for what `forward` could not do, or for what it returned."""
        return error

    def modified(self, array: Any, version: int, expected: int) -> Exception:
        """The error for a saved array that was changed in place."""
        return RuntimeError(f"{self.name()} saved an array of version {expected}, which is at version {version} now")

    def as_tensors(self, positions: tuple[int, ...], values: Any) -> Any:
        """Saved values, for a backward pass that is itself recorded: Tensors with their place in the graph."""
        return values

    def fitted(self, rule: Any, below: Any, edge: Any) -> Any:
        """A rule's gradient of another shape than its input's: summed where the input was broadcast."""
        return unbroadcast.unbroadcast(below, edge.out_shape)

    def returned(self, grads: list[Any], recorded: bool) -> list[Any]:
        """The gradients of inputs of different dtypes, or of a backward pass that is recorded."""
        return grads

    def name(self) -> str:
        """The node's name: `MulBackward0`."""
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
        """The node's name."""
        return "AccumulateGrad"


def accumulate(leaf: Tensor, grad: Any) -> None:
    """Add `grad`, an array, to the leaf's `.grad`: in place, so that whoever holds `.grad` sees the sum."""
    if leaf._grad is None:
        leaf._grad = owned(grad)
    else:
        leaf._grad += grad


def owned(grad: Any) -> Tensor:
    """`grad` as a Tensor that shares memory with nothing: rules hand the same array to several inputs."""
    if isinstance(grad, Tensor):
        return grad.clone()
    return wrap(grad.copy() if isinstance(grad, np.ndarray) else grad)


def gradient_edge(x: Any) -> Any:
    """The node that a gradient of `x` flows into: a result's grad_fn, a leaf's AccumulateGrad; None if x needs none."""
    if isinstance(x, Tensor) and x._requires_grad:
        return x.grad_fn or accumulator(x)
    return None


def accumulator(leaf: Tensor) -> AccumulateGrad:
    """The node of a leaf: the same one as long as a graph holds it."""
    node = leaf._accumulator and leaf._accumulator()
    if node is None:
        node = AccumulateGrad(leaf)
        node.watched = leaf._watched
        leaf._accumulator = weakref.ref(node)  # weak: the graph owns the node, the node owns the leaf
    return node
