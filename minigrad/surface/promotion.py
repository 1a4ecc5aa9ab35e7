"""Operands of different dtypes: torch's promotion around `forward`, and gradients in their inputs' dtypes."""

from typing import Any

import numpy as np

from ..core.function import Function
from . import dtypes
from .arguments import no_tensor, operation_name
from .dtypes import FLOAT64
from .give import give
from .graph import differentiable


def promoted(node: Function, array: Any, arrays: list[Any], settings: dict[str, Any]) -> Any:
    """Run `forward` once more where NumPy chose another dtype than torch would: mostly float64, not float32."""
    if not any([hasattr(x, "dtype") for x in arrays]):
        raise no_tensor(operation_name(type(node)).lower(), input=arrays[0])
    if all([getattr(x, "dtype", FLOAT64) is FLOAT64 for x in arrays]):  # the common case: float64 all along
        return array
    rules = differentiable(node) or [True] * len(arrays)
    numbers = [isinstance(x, np.ndarray | np.generic) and rule for x, rule in zip(arrays, rules, strict=False)]
    if all(x.dtype is FLOAT64 for x, number in zip(arrays, numbers, strict=True) if number) and True in numbers:
        return array
    node.dtypes = tuple(getattr(x, "dtype", None) for x in arrays)
    wanted = dtypes.result_type(*[x for x, rule in zip(arrays, rules, strict=False) if rule and x is not None])
    if wanted is not dtypes.float64:
        target = wanted.numpy if wanted.is_floating_point else dtypes.default.numpy
        arrays = [x.astype(target) if number else x for x, number in zip(arrays, numbers, strict=True)]
        array = node.forward(*arrays, **settings).astype(target, copy=False)
    return array


give(Function, promoted=promoted)
