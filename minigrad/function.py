"""An operation and the node that it leaves in the graph.

One class an operation. `forward` computes on arrays; `backward_<input>` is the vector-Jacobian
product with respect to that input, and its parameters name what it needs:

    class Mul(Function):
        def forward(self, x, y):
            return x * y

        def backward_x(self, grad, y):
            return grad * y

        def backward_y(self, grad, x):
            return grad * x

`grad` is the gradient that arrives from above; the other parameters are inputs of `forward`, or
`out`, its result. What no rule names is not saved, and a rule whose gradient nobody needs does not
run. (torch generates its rules from a table of the same form, `derivatives.yaml`.) Rules use only
what ndarrays and Tensors share, so `create_graph=True` runs the same rule on Tensors.
"""

from __future__ import annotations

import inspect
import itertools
import weakref
from typing import Any, NamedTuple

from .grad_mode import state
from .tensor import Tensor, wrap

_next_number = itertools.count(0, -1).__next__  # descending: the newest node has the smallest number

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after "
    "they have already been freed). Saved intermediate values of the graph are freed when you call "
    ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved tensors after calling backward."
)


class Plan(NamedTuple):
    """What to save, and which rules to run, when a given set of inputs needs gradients."""

    saves: tuple[int, ...]  # positions in (*inputs, out)
    rules: tuple[tuple[Any, tuple[int, ...]] | None, ...]  # per input: (rule, positions in saved)


class Function:
    """One recorded operation: its `forward`, its rules, and its edges to the nodes before it.

    Attributes: `next_functions`, one `(node, output number)` an input, as in torch; `shapes`, the
    inputs' shapes (None for an input that needs no gradient).
    """

    next_functions: tuple[tuple[Function | None, int], ...] = ()
    shapes: tuple[tuple[int, ...] | None, ...] = ()
    saved: tuple[Any, ...] | None = ()
    versions: tuple[tuple[list[int], int], ...] = ()
    plan: Plan

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.plans: dict[tuple[bool, ...], Plan] = {}

    # ------------------------------------------------------------------ recording

    @classmethod
    def apply(cls, *inputs: Any, **settings: Any) -> Tensor:
        """Run `forward` on the inputs' arrays and, if a gradient may be asked for, record it."""
        node = cls()
        out = wrap(node.forward(*[x._array if isinstance(x, Tensor) else x for x in inputs], **settings))
        if state.enabled:
            needs = tuple([isinstance(x, Tensor) and x._requires_grad for x in inputs])
            if True in needs:
                node.record(inputs, needs, out)
        return out

    def record(self, inputs: tuple[Any, ...], needs: tuple[bool, ...], out: Tensor) -> None:
        """Make this node the `grad_fn` of `out`, with an edge to each input that needs a gradient."""
        self.plan = self.plans.get(needs) or self.make_plan(needs)
        self.number = _next_number()
        self.next_functions = tuple([(gradient_edge(x), 0) if need else (None, 0) for x, need in zip(inputs, needs)])
        self.shapes = tuple([x._array.shape if need else None for x, need in zip(inputs, needs)])
        if self.plan.saves:
            self.save([(*inputs, out)[i] for i in self.plan.saves])
        out._requires_grad = True
        out.grad_fn = self

    @classmethod
    def make_plan(cls, needs: tuple[bool, ...]) -> Plan:
        """Read from the rules' parameters what they need."""
        names = [*list(inspect.signature(cls.forward).parameters)[1 : len(needs) + 1], "out"]
        rules = [getattr(cls, f"backward_{name}") if need else None for name, need in zip(names, needs)]
        wanted = [list(inspect.signature(rule).parameters)[2:] if rule else [] for rule in rules]
        saves = tuple(i for i, name in enumerate(names) if any(name in w for w in wanted))
        saved = [names[i] for i in saves]
        plan = Plan(saves, tuple((r, tuple(map(saved.index, w))) if r else None for r, w in zip(rules, wanted)))
        cls.plans[needs] = plan
        return plan

    # ------------------------------------------------------------------ saved tensors

    def save(self, values: list[Any]) -> None:
        """Keep arrays, and the version that each tensor had: a later change in place is noticed."""
        self.saved = tuple([v._array if isinstance(v, Tensor) else v for v in values])
        self.versions = tuple([(v._versions, v._versions[0]) for v in values if isinstance(v, Tensor)])

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What was saved; RuntimeError when it was freed or has been modified since."""
        if self.saved is None:
            raise RuntimeError(FREED)
        for counter, version in self.versions:
            if counter[0] != version:
                raise RuntimeError(
                    "one of the variables needed for gradient computation has been modified by an inplace "
                    f"operation: saved by {self.name()} at version {version}, it is at version {counter[0]} now."
                )
        return self.saved

    def free(self) -> None:
        """Drop what was saved. A node that saved nothing can be run again, as in torch."""
        if self.saved:
            self.saved = None
            self.versions = ()

    # ------------------------------------------------------------------ backward

    def backward(self, grad: Any) -> list[Any]:
        """The vector-Jacobian product for each input: None where no gradient is needed."""
        saved = self.saved_tensors
        return [rule and rule[0](self, grad, *[saved[i] for i in rule[1]]) for rule in self.plan.rules]

    def name(self) -> str:
        """torch's name of the node: `MulBackward0`."""
        return f"{type(self).__name__}Backward0"

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"


class AccumulateGrad(Function):
    """The node of a leaf, and the only place that writes `.grad`."""

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable
        self.number = _next_number()

    def backward(self, grad: Any) -> list[Any]:
        self.variable.accumulate(grad)
        return []

    def name(self) -> str:
        return "AccumulateGrad"


def gradient_edge(tensor: Tensor) -> Function:
    """The node that a gradient of `tensor` flows into: its `grad_fn`, or a leaf's AccumulateGrad."""
    if tensor.grad_fn is not None:
        return tensor.grad_fn
    node = tensor._accumulator and tensor._accumulator()
    if node is None:
        node = AccumulateGrad(tensor)
        tensor._accumulator = weakref.ref(node)  # weak: the graph owns the node, the node owns the leaf
    return node
