"""minigrad: torch.autograd's behaviour in a small NumPy package.

`import minigrad as torch` runs a tutorial on automatic differentiation with the same results, flags,
warnings and errors. Reading order: tensor, function, engine, unbroadcast, grad_mode, then ops/; namespace
makes torch's functions of them.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from . import tensor as _tensor  # noqa: F401 - first: engine, function and tensor form a circle that it closes
from .creation import *  # noqa: F403
from .dtypes import bool_ as bool  # noqa: A004
from .dtypes import dtype, float32, float64, int64
from .dtypes import word as _word
from .grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from .namespace import absent as _absent
from .namespace import of_tensors as _of_tensors
from .ops.arithmetic import *  # noqa: F403
from .ops.arithmetic import __all__ as _arithmetic
from .ops.einsum import *  # noqa: F403
from .ops.elementwise import *  # noqa: F403
from .ops.elementwise import __all__ as _elementwise
from .ops.index import *  # noqa: F403
from .ops.index import __all__ as _index
from .ops.linalg import *  # noqa: F403
from .ops.reduce import *  # noqa: F403
from .ops.reduce import __all__ as _reduce
from .ops.shape import *  # noqa: F403
from .ops.shape import __all__ as _shape
from .printing import set_printoptions
from .random import *  # noqa: F403
from .size import Size
from .tensor import Tensor

from . import autograd, nn, optim  # isort: skip
from .ops import inplace as _inplace  # noqa: F401

__version__ = "1.0.0"

float = float32  # noqa: A001
double = float64
long = int64

# inf and nan come without a word, as in torch. NumPy's warnings are silenced for minigrad's own lines only.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad\.")


# glibc gives each block above a threshold back to the system at once, and asks for it again the next
# time. Freeing a large block raises the threshold, so that arrays of a training step are reused.
np.empty(2**24, np.uint8)  # freed at once


def is_tensor(x: Any) -> bool:
    """True for a Tensor."""
    return isinstance(x, Tensor)


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """|input - other| <= atol + rtol * |other| everywhere; RuntimeError when the dtypes differ."""
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{_word(input)} did not match {_word(other)}")
    return np.allclose(input.detach().numpy(), other.detach().numpy(), rtol, atol, equal_nan).__bool__()


def equal(input: Tensor, other: Tensor) -> bool:
    """The same shape and the same elements."""
    return input.shape == other.shape and (input == other).all().item()


for _name in [*_arithmetic, *_elementwise, *_reduce, *_index, *_shape, "allclose", "equal"]:
    globals()[_name] = _of_tensors(globals()[_name], __name__)


__getattr__ = _absent("minigrad")
