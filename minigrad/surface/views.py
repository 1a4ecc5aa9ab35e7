"""Views and changes in place: what shares memory shares a version counter, and history follows.

A view remembers its base and the operations that lead from the base to it. A change in place gives
the changed tensor a new `grad_fn`; when it is a view, its base too, and then every other view of the
base, replayed from the base's new history.
"""

from __future__ import annotations

import gc
import weakref
from typing import Any, NamedTuple

import numpy as np

from ..core.function import AccumulateGrad, Function, new, next_number
from ..core.grad_mode import GradMode, state
from ..core.tensor import Tensor, materialise, wrap
from ..rules import both
from ..rules.index import Select
from .arguments import wrong_argument
from .dtypes import WORDS
from .hooks import show
from .several import SLOTS, Parts

LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
OVERLAP = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
    "Please clone() the tensor before performing the operation."
)
NO_GRAD_VIEW = (
    "{what} created in no_grad mode and is being modified inplace with grad mode enabled. Given that this use case "
    "is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace "
    "either both inside the no_grad block (if you don't want the inplace to be tracked) or both outside (if you want "
    "the inplace to be tracked)."
)
OUTDATED = NO_GRAD_VIEW.replace(
    "{what} created in no_grad mode and is being modified",
    "A view was created in no_grad mode and its base or another view of its base has been modified",
)
MULTIPLE = (
    "Output {number} of {name} is a view and is being modified inplace. This view is the output of a function that "
    "returns multiple views. Such functions do not allow the output views to be modified inplace. You should replace "
    "the inplace operation by an out-of-place one."
)


class Step(NamedTuple):
    """One operation on the way from a base to its view: a linked list, so that a long chain stays linear."""

    before: Step | None
    operation: type[Function]
    settings: dict[str, Any]


class View(NamedTuple):
    """What a view knows of its origin."""

    base: Tensor
    step: Any  # a Step, or None: the same as the base
    recorded: bool  # made where operations are recorded, as were the views that it is of
    version: int  # when it was made
    multiple: bool  # one of several that a function returned, or a view of such a one


def view(operation: type[Function], x: Any, **settings: Any) -> Tensor:
    """Apply an operation whose result shares x's memory (when NumPy can: `reshape` may copy)."""
    array = materialise(x)
    out: Any = operation.apply(x, **settings)
    if out._array.base is None or not np.may_share_memory(out._array, array):
        return out
    origin = x._view
    base = x if origin is None else origin.base
    out._versions = x._versions
    out._requires_grad = x._requires_grad  # also where nothing is recorded: a change of it would change x
    recorded = state.enabled and (origin is None or origin.recorded)
    multiple = origin is not None and origin.multiple
    out._view = View(base, Step(origin and origin.step, operation, settings), recorded, x._versions[0], multiple)
    if out.grad_fn is None and out._requires_grad:
        lead_nowhere(out)
    elif not recorded:
        show_base(out)
    if base._views is None:
        base._views = set()
    base._views.add(weakref.ref(out, base._views.discard))
    return out


def repeated(array: np.ndarray) -> Tensor:
    """A tensor of one number, repeated: to torch it is a view, of one that was made where nothing is recorded."""
    out, base = wrap(array), wrap(array)
    out._view = View(base, None, recorded=False, version=0, multiple=False)
    return out


class Part(weakref.ref):  # type: ignore[type-arg] # of a Tensor
    """What one of several views knows of its origin, what all of them do and its number; it is the base's way to it."""

    __slots__ = "number", "shared"
    shared: View
    number: int

    def __getattr__(self, name: str) -> Any:
        return getattr(self.shared, name)

    @property
    def step(self) -> Step:
        """The operation that makes this one alone."""
        before, operation, settings = self.shared.step
        return Step(before, operation, settings | {"index": settings["index"][self.number], "number": self.number})


def views(x: Tensor, named: str, indices: list[Any]) -> tuple[Tensor, ...]:
    """Several views that a function returns together, by their indices; one node takes the gradients of all."""
    array, versions, origin = materialise(x), x._versions, x._view
    base = x if origin is None else origin.base
    step = Step(origin and origin.step, Select, {"index": indices, "named": named})
    shared = View(base, step, state.enabled and (origin is None or origin.recorded), versions[0], True)
    recorded = x._requires_grad and state.enabled
    edges, kind = [Parts(x, named, indices)] if recorded else [], SLOTS[named]
    outs = []
    base._views = base._views or set()
    rests = len(indices) > 1000 and gc.isenabled()
    if rests:  # the collector would look again and again at so many objects that are made and kept
        gc.disable()
    try:
        for i, index in enumerate(indices):
            out = new(Tensor)
            out._array, out._versions, out._requires_grad = array[index], versions, x._requires_grad
            out._view = part = Part(out, base._views.discard)
            part.shared, part.number = shared, i
            base._views.add(part)
            if recorded:
                out.grad_fn = node = new(kind)
                node.edges, node.index, node.out_shape, node.number = edges, i, out._array.shape, next_number()
            elif x._requires_grad:
                lead_nowhere(out)
            outs.append(out)
        if recorded and outs and not shared.recorded:
            show_base(outs[0])
    finally:
        if rests:
            gc.enable()
    return tuple(outs)


class Sink(NamedTuple):
    """What stands for the node of a view that requires grad for its base alone: a gradient leads nowhere there.

    RuntimeError for a view of no_grad that was changed since: torch cannot say what made it.
    """

    view: View
    versions: list[Any]
    same: Tensor  # on the same memory
    refusal: str

    def __call__(self) -> Any:
        if self.versions[0] == self.view.version:
            return AccumulateGrad(self.same)
        if not self.view.recorded:
            raise RuntimeError(self.refusal)
        with GradMode(True):
            return replay(self.view.step, self.view.base).grad_fn


def lead_nowhere(x: Tensor, refusal: str = OUTDATED) -> None:
    """Let no gradient arrive at a view that requires grad for its base alone: what is computed of it is recorded."""
    x._accumulator = Sink(x._view, x._versions, wrap(x._array), refusal)


def replay(step: Step | None, x: Any) -> Any:
    """The same view, of another array or Tensor."""
    steps = []
    while step is not None:
        steps.append(step)
        step = step.before
    for _, operation, settings in reversed(steps):
        x = operation.apply(x, **settings) if isinstance(x, Tensor) else operation().forward(x, **settings)
    return x


class CopySlices(Function):
    """A base after its view was written: the view's place takes the new value's gradient, the rest the old base's."""

    def forward(self, base, value, untouched, *, step, overlapping):
        self.step = step
        self.overlapping = overlapping
        return base

    def backward_base(self, grad, untouched):
        if self.overlapping:
            raise RuntimeError(OVERLAP)
        return both.where(untouched, grad, 0.0)

    def backward_value(self, grad, untouched):  # named, so that this node too runs once only, as in torch
        return replay(self.step, grad)

    def free(self):  # what made the value refuses a second pass, unless it has saved nothing: it may not have run
        if self.edges[1] is None or not self.edges[1].saved:
            super().free()

    def name(self) -> str:
        return "CopySlices"


def write(x: Tensor, out: Tensor, same: bool = False) -> Tensor:
    """Let x hold `out`, a result computed from it: its data, one version on, and its history.

    Args:
        x: the tensor.
        out: a result in its shape.
        same: all elements are the same, so that elements of x that share memory do not matter.

    Raises:
        RuntimeError: x's dtype or shape cannot hold the result, or its elements share memory.
    """
    node = out.grad_fn
    check_fits(x, out)
    if node is not None:
        keep_overwritten(node, x)
    if isinstance(x._array, np.ndarray):
        if overlaps(x._array) and not same:
            raise RuntimeError(OVERLAP)
        opened(x._array)[...] = out._array
    else:
        x._array = out._array.astype(x._array.dtype)
    if node is None:
        unrecorded(x)
    else:
        bump(x)
        point_to_result(node, x)
        rebase(x, out)
    return x


def written(ufunc: Any, x: Tensor, y: Any) -> bool:
    """Whether NumPy could write x + y, say, to x's array: it is one of floats like y, y fits, nothing is recorded."""
    array, other = x._array, y._array if isinstance(y, Tensor) else y
    requires_grad = x._requires_grad or isinstance(y, Tensor) and y._requires_grad
    if requires_grad and state.enabled or not isinstance(array, np.ndarray) or array.dtype.kind != "f":
        return False
    if other.dtype is not array.dtype if isinstance(y, Tensor) else type(y) not in (int, float):
        return False
    if isinstance(y, Tensor) and y._versions is x._versions:
        return False
    try:
        ufunc(array, other, out=array)
    except ValueError:  # for shapes that do not fit, or memory that is shared
        return False
    unrecorded(x)
    return True


def bump(x: Tensor) -> None:
    """Count a change in place: whoever saved the tensor will notice."""
    x._versions[0] += 1


def unrecorded(x: Tensor) -> None:
    """Count a change that nothing records: where a view is watched, all go on with another node, as in torch."""
    versions = x._versions
    versions[0] += 1
    if len(versions) > 1 and (base := versions[1]()) is not None:
        others = [other for reference in base._views if (other := reference()) is not None and other.grad_fn]
        watched = any(other.grad_fn.watched for other in others)
        for other in others:
            if not other._view.recorded:
                invalidate(other)
            elif watched:
                renew(other)


def watch(x: Tensor) -> None:
    """Make a view ready for hooks: its version counter knows the base, so that any change of the memory finds it."""
    renew(x)
    if x._view is not None:
        show_base(x)


def show_base(x: Tensor) -> None:
    """Let the version counter of a view know its base, which knows the other views: any change finds them."""
    if len(x._versions) == 1:
        x._versions.append(weakref.ref(x._view.base))


def invalidate(x: Tensor) -> None:
    """Forget what made a view that is of one made under no_grad, once it was changed: torch refuses to use it."""
    if x.grad_fn is not None:
        lead_nowhere(x, refusal(x))
    elif not isinstance(x._accumulator, Sink):
        lead_nowhere(x)
    x.grad_fn = None
    x._requires_grad = True


def check_history(x: Tensor, others: tuple[Any, ...]) -> None:
    """A change that is recorded needs a tensor whose history may change: RuntimeError for a leaf that requires grad."""
    if not state.enabled:
        return
    base = x if x._view is None else x._view.base
    if not any([isinstance(other, Tensor) and other._requires_grad for other in (x, base, *others)]):
        return
    if x._view is not None and not x._view.recorded:
        raise RuntimeError(refusal(x))
    if x._view is not None and x.grad_fn and x._view.multiple:
        number = x._view.step.settings.get("number", 0)
        raise RuntimeError(MULTIPLE.format(number=number, name=short_name(x.grad_fn)))
    if base._requires_grad and base.is_leaf:
        raise RuntimeError(LEAF if base is x else "a view of " + LEAF)


def refusal(x: Tensor) -> str:
    """What torch says of a change of a view that was made under no_grad, or is of one that was."""
    if isinstance(x._accumulator, Sink) and x._accumulator.refusal is not OUTDATED:
        return x._accumulator.refusal
    of_view = x.grad_fn and f"Output 0 of {short_name(x.grad_fn)} is a view of a view which was"
    return NO_GRAD_VIEW.format(what=of_view or "A view was")


def renew(x: Tensor) -> None:
    """Give a view that was changed where nothing is recorded a node of its own, as torch does."""
    view = x._view
    if view is not None and view.recorded and x.grad_fn is not None and x._versions[0] != view.version:
        with GradMode(True):
            set_history(x, replay(view.step, view.base).grad_fn)


def is_outdated(x: Tensor) -> bool:
    """Whether a view made under no_grad, of what requires grad, was changed since: torch cannot say what made it."""
    view = x._view
    return view is not None and not view.recorded and view.base._requires_grad and x._versions[0] != view.version


def short_name(node: Function) -> str:
    """The name of a node's operation, as torch has it: `View`."""
    return node.name().partition("Backward")[0]


def check_fits(x: Tensor, out: Tensor) -> None:
    """The result must have x's shape, and a dtype no higher in category."""
    if out._array.shape != x._array.shape:
        raise RuntimeError(f"output with shape {list(x.shape)} doesn't match the broadcast shape {list(out.shape)}")
    if out._array.dtype is not x._array.dtype and out.dtype.category > x.dtype.category:
        raise RuntimeError(
            f"result type {WORDS[out.dtype.name]} can't be cast to the desired output type {WORDS[x.dtype.name]}"
        )


def keep_overwritten(node: Function, x: Tensor) -> None:
    """Where the rules need x as it was, the node keeps a copy, which no later change can touch."""
    for place, i in enumerate(node.plan.saves):
        if i == 0:
            node.saved[place] = x._array.copy()
            node.versions = tuple(v for v in node.versions if v[0] != place)


def point_to_result(node: Function, x: Tensor) -> None:
    """Where the rules need the result, it is now x's memory, at x's version."""
    for place, i in enumerate(node.plan.saves):
        if i == -1:
            node.saved[place] = x._array
            others = tuple(v for v in node.versions if v[0] != place)
            node.versions = (*others, (place, x._versions, x._versions[0]))


def rebase(x: Tensor, out: Tensor) -> None:
    """Give x the history of `out`; a view hands it to its base, and all other views follow."""
    base = x
    if x._view is None:
        set_history(x, out.grad_fn)
    else:
        base, node = x._view.base, out.grad_fn
        if x.grad_fn is not None and x.grad_fn.watched and node.edges[0] is x.grad_fn:
            # The gradient of what the view was goes to the base itself: hooks on the view see what it is now.
            node.edges = [replay(x._view.step, base).grad_fn, *node.edges[1:]]
        untouched = np.ones_like(base._array, dtype=bool)
        place = replay(x._view.step, untouched)
        opened(place)[...] = False
        copied = CopySlices.apply(base, out, untouched, step=x._view.step, overlapping=overlaps(place))
        set_history(base, copied.grad_fn)
    for reference in list(base._views or ()):
        other = reference()
        if other is not None and other._view.recorded:
            set_history(other, replay(other._view.step, base).grad_fn)
        elif other is not None:
            invalidate(other)


def set_history(x: Tensor, node: Any) -> None:
    """Make `node` the one that computed x; a `retain_grad` moves with it."""
    if x._retains_grad and x.grad_fn is not None:
        node.retained, x.grad_fn.retained = x.grad_fn.retained, None
        node.watched = show
    x.grad_fn = node
    x._requires_grad = True
    if x._view is not None and x._view.recorded:
        x._view = View(x._view.base, x._view.step, True, x._versions[0], x._view.multiple)


def overlaps(x: np.ndarray) -> bool:
    """Whether elements share memory, as `expand` lets them."""
    return not x.flags.writeable and 0 in [stride for n, stride in zip(x.shape, x.strides, strict=True) if n > 1]


def opened(x: np.ndarray) -> np.ndarray:
    """The array, to be written to: NumPy closes what `expand` makes, and what is picked of it."""
    if not x.flags.writeable:
        x = x.view()
        x.flags.writeable = True
    return x


def check_overlap(x: np.ndarray, other: np.ndarray) -> None:
    """RuntimeError when two dense arrays share some memory but are not the same elements in the same order."""
    dense = x.flags.forc and other.flags.forc
    if dense and np.may_share_memory(x, other) and layout(x) != layout(other):
        raise RuntimeError(
            "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
            "memory location. Please clone() the tensor before performing the operation."
        )


def layout(x: np.ndarray) -> tuple[Any, ...]:
    """Where the elements lie: two arrays of one layout are the same memory in the same order."""
    steps = [(n, stride) for n, stride in zip(x.shape, x.strides, strict=True) if n != 1]
    return x.__array_interface__["data"][0], x.shape, steps


def inplace(name: str, operation: Any, same: bool = False, ufunc: Any = None) -> None:
    """Give Tensor the method `name`: `operation`, written into its first argument; `same` is `write`'s.

    Where nothing is recorded, NumPy's `ufunc` can write there itself.
    """

    copies = name == "copy_"
    taken = (Tensor, int, float, np.generic) if copies else ufunc and (Tensor, int, float, np.generic, np.ndarray)

    def method(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if taken and args and not isinstance(args[0], taken):
            raise wrong_argument(name, "other", 1, args[0])
        check_history(x, args)
        if ufunc is not None and len(args) == 1 and not kwargs and written(ufunc, x, args[0]):
            return x
        for other in args:
            if isinstance(other, Tensor) and other._versions is x._versions:
                check_overlap(x._array, other._array)
        stays = same or copies and len(args) > 0 and args[0] is x  # elements that share memory get one value
        if not stays and isinstance(x._array, np.ndarray) and overlaps(x._array):
            raise RuntimeError(OVERLAP)
        return write(x, operation(x, *args, **kwargs), stays)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"`{operation.__name__}`, in place: the tensor itself changes, and is returned."
    setattr(Tensor, name, method)
