"""What a rule needs beyond operators, for arrays and Tensors alike.

A plain backward pass runs the rules on arrays; one with `create_graph=True` runs them on Tensors, by methods that the
surface gives them.
"""

import functools
from typing import Any

import numpy as np

from ..core.function import Function, Rules
from ..core.tensor import Tensor, wrap


def log(x: Any) -> Any:
    """Natural logarithm."""
    if isinstance(x, int | float):  # a number stays one: it must not widen the result
        return float(np.log(x))
    return x.log() if isinstance(x, Tensor) else np.log(x)


def shared(name: str) -> Any:
    """A function that NumPy has, and a Tensor as its method."""
    ufunc = getattr(np, name)

    def function(x: Any) -> Any:
        return getattr(x, name)() if isinstance(x, Tensor) else ufunc(x)

    return function


exp, cos, sin, tanh = shared("exp"), shared("cos"), shared("sin"), shared("tanh")
sign = shared("sign")  # its derivative is 0, which a recorded backward pass knows


def step(x: Any) -> Any:
    """1 where x > 0, else 0; its derivative is 0 too."""
    return sign(x).clamp(min=0) if isinstance(x, Tensor) else x > 0


def where(condition: Any, x: Any, y: Any) -> Any:
    """x where the condition holds, y elsewhere: one of x and y may be a number."""
    if isinstance(x, Tensor) or isinstance(y, Tensor):
        return Tensor.where(x, wrap(np.asarray(raw(condition))), y)
    dtype = getattr(x if isinstance(x, np.ndarray | np.generic) else y, "dtype", None)
    return np.where(raw(condition), x, y).astype(dtype, copy=False)


def raw(x: Any) -> Any:
    """The array of a Tensor; anything else as it is."""
    return x._array if isinstance(x, Tensor) else x


def expand(x: Any, shape: tuple[int, ...]) -> Any:
    """x repeated over a larger shape."""
    if isinstance(x, Tensor):
        return x.expand(shape)
    out = np.empty(shape, x.dtype)  # a copy: faster than broadcast_to for small arrays, and writeable
    out[...] = x
    return out


def zeros_like(x: Any) -> Any:
    """Zeros of x's shape (0 * x would be NaN where x is infinite)."""
    array = raw(x)
    zeros = np.zeros(array.shape, array.dtype)[()]
    return wrap(zeros) if isinstance(x, Tensor) else zeros


def flip(x: Any, dim: int) -> Any:
    """x in reverse order along a dimension."""
    return x.flip(dim) if isinstance(x, Tensor) else np.flip(x, dim)


def total(x: Any, dim: Any) -> Any:
    """x summed along a dimension, which stays at length 1.

    Along the last one by a product with ones: BLAS adds up short rows five times faster than `sum`.
    """
    if isinstance(x, Tensor) or x.ndim == 0 or dim not in (-1, x.ndim - 1):
        return x.sum(axis=dim, keepdims=True)
    return (x @ ones(x.shape[-1], x.dtype))[..., None]


def largest(x: np.ndarray, dim: Any) -> np.ndarray:
    """The largest along a dimension, which stays at length 1; -inf of no elements.

    NumPy goes through rows one by one. Short ones are compared up to five times faster as columns of a copy.
    """
    if x.size < 1000 or dim != x.ndim - 1 or x.shape[-1] > 32:
        return x.max(axis=dim, keepdims=True, initial=-np.inf)
    columns = x.reshape((-1, x.shape[-1])).T.copy()
    return columns.max(axis=0).reshape((*x.shape[:-1], 1))


@functools.lru_cache(maxsize=32)
def ones(n: int, dtype: np.dtype) -> np.ndarray:
    """n ones, to multiply with and not to write to: making them anew takes as long as adding up a short row."""
    out = np.ones(n, dtype)
    out.flags.writeable = False
    return out


def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x))."""
    return x.sigmoid() if isinstance(x, Tensor) else 1 / (1 + np.exp(-x))


def softplus(x: Any) -> Any:
    """log(1 + exp(x)), stable: the larger part, plus what is left."""
    if isinstance(x, Tensor):
        return x.relu() + (1 + (-x.abs()).exp()).log()
    return np.logaddexp(0, x).astype(x.dtype, copy=False)


def named(operation: type[Function], *names: str) -> tuple[Any, ...]:
    """The same operation under other names, which torch's nodes have."""
    return tuple(Rules(name, (operation,), {"__module__": operation.__module__}) for name in names)
