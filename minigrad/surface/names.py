"""torch's names of nodes, where they are not the operation's name and `Backward0`."""

from __future__ import annotations

from typing import Any

from ..core.function import Function
from ..rules.activation import GeluTanh
from ..rules.arithmetic import PowNumber, PowTensor, PowZero, Rsub
from ..rules.elementwise import Clamp
from ..rules.index import Copy, Fill, Put, Select
from ..rules.linalg import Addmm, Mm, Product
from ..rules.loss import L1Loss, NllLoss, WeightedBinaryCrossEntropyWithLogits
from ..rules.reduce import Amax, Amin, Logsumexp, Max, Min, Pick, Reduction, Std, Var
from ..rules.shape import Squeeze
from .give import give

FIXED = {
    Rsub: "RsubBackward1",  # of a number, the node knows the other operand only
    PowZero: "PowBackward0",
    PowTensor: "PowBackward1",
    PowNumber: "PowBackward2",
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


def fixed(name: str) -> Any:
    """A method that returns the name."""
    return lambda node: name


def of_clamp(node: Any) -> str:
    """Between tensors, or between numbers."""
    return "ClampBackward0" if node.between_tensors else "ClampBackward1"


def of_reduction(node: Any) -> str:
    """`SumBackward0` for all elements, `SumBackward1` along dimensions."""
    return f"{type(node).__name__}Backward{0 if node.dim is None else 1}"


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


def of_l1(node: Any) -> str:
    """Of the last of torch's nodes."""
    return {"mean": "MeanBackward0", "sum": "SumBackward0", "none": "AbsBackward0"}[node.reduction]


def of_nll(node: Any) -> str:
    """With a target of one dimension, and of more."""
    if len(node.shape) < 3:
        return "NllLossBackward0"
    return "ViewBackward0" if node.reduction == "none" else "NllLoss2DBackward0"


NAMES: dict[type[Function], Any] = {operation: fixed(name) for operation, name in FIXED.items()} | {
    Clamp: of_clamp,
    Reduction: of_reduction,
    Pick: of_pick,
    Product: of_product,
    Mm: of_mm,
    Addmm: of_addmm,
    Select: of_select,
    Squeeze: of_squeeze,
    L1Loss: of_l1,
    NllLoss: of_nll,
}
for _operation, _name in NAMES.items():
    give(_operation, name=_name)
