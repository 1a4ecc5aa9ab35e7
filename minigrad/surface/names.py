"""torch's names of nodes, and of their types."""

import functools
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
from .give import give


@functools.cache
def of_reduction(qualname: str, whole: bool) -> str:
    """Of all elements, and along dimensions."""
    return f"{qualname.rpartition('.')[2]}Backward{0 if whole else 1}"


FIXED: dict[type[Function], str] = {
    Rsub: "RsubBackward1",  # of a number, the node knows the other operand only
    PowZero: "PowBackward0", PowTensor: "PowBackward1", PowNumber: "PowBackward2", Log1p: "Log1PBackward0",
    Var: "VarBackward0", Std: "StdBackward0", Max: "MaxBackward1", Min: "MinBackward1", Amax: "AmaxBackward0",
    Amin: "AminBackward0", Logsumexp: "LogsumexpBackward0", GeluTanh: "GeluBackward0", Copy: "CopyBackwards",
    Fill: "FillBackward2", Put: "FillBackward3",
    WeightedBinaryCrossEntropyWithLogits: "BinaryCrossEntropyWithLogitsBackward0",
}  # fmt: skip
# The function, and which of torch's variants it is: by number, or as the last of the nodes that torch has there.
PRODUCTS = {(1, 1): "DotBackward0", (2, 1): "MvBackward0", (1, 2): "SqueezeBackward4", (2, 2): "MmBackward0"}
MMS = {1: "SqueezeBackward4", 2: "MmBackward0"}
L1 = {"mean": "MeanBackward0", "sum": "SumBackward0", "none": "AbsBackward0"}
VARYING: dict[type[Function], Any] = {
    Clamp: lambda node: "ClampBackward0" if node.between_tensors else "ClampBackward1",
    Reduction: lambda node: of_reduction(type(node).__qualname__, node.dim is None),
    Pick: lambda node: f"{node.named}Backward0",
    Product: lambda node: PRODUCTS.get(node.ranks, "UnsafeViewBackward0"),
    Mm: lambda node: MMS.get(node.ndim, "UnsafeViewBackward0"),
    Addmm: lambda node: "AddmmBackward0" if node.ndim == 2 else "ViewBackward0",
    Select: lambda node: f"{node.named or last_part(node.index)}Backward0",
    Squeeze: lambda node: f"SqueezeBackward{0 if node.given is None else 1 if isinstance(node.given, int) else 2}",
    Round: lambda node: f"{node.named}Backward{node.variant}",
    L1Loss: lambda node: L1[node.reduction],
    NllLoss: lambda node: nll(len(node.shape) > 2, node.reduction == "none"),
}


def last_part(index: Any) -> str:
    """torch applies the parts of an index one after the other, and the last one made the result."""
    kinds = {int: "Select", slice: "Slice", type(None): "Unsqueeze"}
    return ["Slice", *[kinds[type(i)] for i in index if i is not Ellipsis and i != slice(None)]][-1]


def nll(pixels: bool, each: bool) -> str:
    """With a target of one dimension, and of more."""
    return "NllLossBackward0" if not pixels else "ViewBackward0" if each else "NllLoss2DBackward0"


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
for _operation in [each for base in VARYING for each in base.__subclasses__() if each in FIXED]:
    give(_operation, name=name, record=Function.record)
