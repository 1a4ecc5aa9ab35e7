"""What a rule needs beyond operators, for arrays and Tensors alike.

A plain backward pass runs the rules on arrays; one with `create_graph=True` runs them on Tensors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor import Tensor


def log(x: Any) -> Any:
    """Natural logarithm."""
    return x.log() if isinstance(x, Tensor) else np.log(x)


def exp(x: Any) -> Any:
    """e to the x."""
    return x.exp() if isinstance(x, Tensor) else np.exp(x)


def cos(x: Any) -> Any:
    """Cosine."""
    return x.cos() if isinstance(x, Tensor) else np.cos(x)


def sin(x: Any) -> Any:
    """Sine."""
    return x.sin() if isinstance(x, Tensor) else np.sin(x)


def where(condition: Any, x: Any, y: Any) -> Any:
    """x where the condition holds, y elsewhere: one of x and y may be a number."""
    if isinstance(x, Tensor) or isinstance(y, Tensor):
        from .elementwise import Where

        return Where.apply(x, y, condition=raw(condition))
    dtype = getattr(x if isinstance(x, np.ndarray | np.generic) else y, "dtype", None)
    return np.where(raw(condition), x, y).astype(dtype, copy=False)


def raw(x: Any) -> Any:
    """The array of a Tensor; anything else as it is."""
    return x._array if isinstance(x, Tensor) else x


def clone(x: Any) -> Any:
    """A copy."""
    return x.clone() if isinstance(x, Tensor) else x.copy()
