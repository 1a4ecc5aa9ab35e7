"""minigrad: torch.autograd's behaviour in a small NumPy package."""

from __future__ import annotations

from typing import Any

from . import dtypes
from .tensor import Tensor
from .size import Size
from .dtypes import bool_ as bool  # noqa: A004
from .dtypes import dtype, float32, float64, int64
from .grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from .printing import set_printoptions
from .ops.arithmetic import *
from .creation import *


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"minigrad has no '{name}'; torch may have it, but this course does not need it")
