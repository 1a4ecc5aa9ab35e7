"""torch's names of nodes, and of their types."""

from __future__ import annotations

from typing import Any

from ..core.function import Function, Rules
from ..rules.activation import GeluTanh
from ..rules.arithmetic import PowNumber, PowTensor, PowZero, Rsub
from ..rules.elementwise import Clamp, Log1p, Round
from ..rules.index import Copy, Fill, Put, Select
from ..rules.linalg import Addmm, Mm, Product
from ..rules.loss import L1Loss, NllLoss, WeightedBinaryCrossEntropyWithLogits
from ..rules.reduce import Amax, Amin, Logsumexp, Max, Min, Pick, Reduction, Std, Var
from ..rules.shape import Squeeze
from .arguments import operation_name
from .give import give

FIXED = {
    Rsub: "RsubBackward1",  # of a number, the node knows the other operand only
    PowZero: "PowBackward0",
    PowTensor: "PowBackward1",
    PowNumber: "PowBackward2",
    Log1p: "Log1PBackward0",
    Var: "VarBackward0",
    Std: "StdBackward0",
    Max: "MaxBackward1",
    Min: "MinBackward1",
    Amax: "AmaxBackward0",
    Amin: "AminBackward0",
    Logsumexp: "LogsumexpBackward0",
    GeluTanh: "GeluBackward0",
    Copy: "CopyBackwards",
    Fill: "FillBackward2",
    Put: "FillBackward3",
    WeightedBinaryCrossEntropyWithLogits: "BinaryCrossEntropyWithLogitsBackward0",
}


def of_clamp(node: Any) -> str:
    """Between tensors, or between numbers."""
    return "ClampBackward0" if node.between_tensors else "ClampBackward1"


def of_reduction(node: Any) -> str:
    """`SumBackward0` for all elements, `SumBackward1` along dimensions."""
    return f"{operation_name(type(node))}Backward{0 if node.dim is None else 1}"


def of_pick(node: Any) -> str:
    """After the function: `MaxBackward0`."""
    return f"{node.named}Backward0"


def of_product(node: Any) -> str:
    """Of the last of torch's nodes."""
    names = {(1, 1): "DotBackward0", (2, 1): "MvBackward0", (1, 2): "SqueezeBackward4", (2, 2): "MmBackward0"}
    return names.get(node.ranks, "UnsafeViewBackward0")


def of_mm(node: Any) -> str:
    """Of the last of torch's nodes."""
    return {1: "SqueezeBackward4", 2: "MmBackward0"}.get(node.ndim, "UnsafeViewBackward0")


def of_addmm(node: Any) -> str:
    """Of a matrix, and of a batch."""
    return "AddmmBackward0" if node.ndim == 2 else "ViewBackward0"


def of_select(node: Any) -> str:
    """torch applies the parts of an index one after the other, and the last one made the result."""
    kinds = {int: "Select", slice: "Slice", type(None): "Unsqueeze"}
    last = [kinds[type(i)] for i in node.index if i is not Ellipsis and i != slice(None)] or ["Slice"]
    return f"{node.named or last[-1]}Backward0"


def of_squeeze(node: Any) -> str:
    """Of all dimensions, of one, of several."""
    return f"SqueezeBackward{0 if node.given is None else 1 if isinstance(node.given, int) else 2}"


def of_round(node: Any) -> str:
    """After the function: `FloorBackward0`."""
    return f"{node.named}Backward{node.variant}"


def of_l1(node: Any) -> str:
    """Of the last of torch's nodes."""
    return {"mean": "MeanBackward0", "sum": "SumBackward0", "none": "AbsBackward0"}[node.reduction]


def of_nll(node: Any) -> str:
    """With a target of one dimension, and of more."""
    if len(node.shape) < 3:
        return "NllLossBackward0"
    return "ViewBackward0" if node.reduction == "none" else "NllLoss2DBackward0"


VARYING: dict[type[Function], Any] = {
    Clamp: of_clamp,
    Reduction: of_reduction,
    Pick: of_pick,
    Product: of_product,
    Mm: of_mm,
    Addmm: of_addmm,
    Select: of_select,
    Squeeze: of_squeeze,
    Round: of_round,
    L1Loss: of_l1,
    NllLoss: of_nll,
}


def name(node: Any) -> str:
    """The name of the node's type: `MulBackward0`; a class of somebody else's has its own, and `Backward0`."""
    kind = type(node).__name__
    return kind if "Backward" in kind else f"{kind}Backward0"


def record(node: Any, inputs: Any, out: Any) -> None:
    """Record as every operation does, and let the node's type have the node's name."""
    Function.record(node, inputs, out)
    node.rename()


def rename(node: Any) -> None:
    """Make the node one of a type that has its name: graphs are read by `type(node).__name__`."""
    name = node.name()
    if type(node).__name__ != name:
        kinds = vars(type(node)).get("kinds") or {}
        if name not in kinds:
            kinds[name] = Rules(name, (type(node),), {"__qualname__": type(node).__qualname__})
            type.__setattr__(type(node), "kinds", kinds)
        node.__class__ = kinds[name]


def begin(operation: type[Function]) -> None:
    """Give an operation's class, and each that is made of it, torch's name."""
    for each in operation.__subclasses__():
        begin(each)
    if operation.__module__.startswith("minigrad.rules"):
        operation.__name__ = FIXED.get(operation, f"{operation.__name__}Backward0")


begin(Function)
give(Function, name=name, rename=rename)
for _operation, _name in VARYING.items():
    give(_operation, name=_name, record=record)
for _operation in FIXED.keys() & {each for base in VARYING for each in base.__subclasses__()}:
    give(_operation, name=name, record=Function.record)
