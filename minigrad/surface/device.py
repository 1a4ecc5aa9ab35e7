"""Where tensors lie: the CPU, the only device. Programs ask all the same, and hand the answer on."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ..core.tensor import Tensor
from .give import give

NO_OTHER = "minigrad computes on the CPU: there is no device {!r}. Leave it away, or ask cuda.is_available() first."


class device:  # noqa: N801 - torch's name
    """`device("cpu")`, which equals every other; RuntimeError for one that is not the CPU.

    A block of it, and `set_default_device`, change nothing.
    """

    def __init__(self, type: Any = "cpu", index: int | None = None) -> None:
        name, _, number = str(type).partition(":")
        if name != "cpu" or number not in ("", "0") or index not in (None, 0):
            raise RuntimeError(NO_OTHER.format(str(type)))
        self.type = "cpu"
        self.index = 0 if number or index is not None else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and other.index == self.index

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __str__(self) -> str:
        return "cpu" if self.index is None else "cpu:0"

    def __repr__(self) -> str:
        return f"device(type='cpu'{'' if self.index is None else ', index=0'})"

    def __enter__(self) -> device:
        return self

    def __exit__(self, *error: object) -> None:
        pass


def placed(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, which makes a tensor or a layer, with torch's argument `device`."""

    takes_lengths = bool(function.__code__.co_flags & inspect.CO_VARARGS)

    @functools.wraps(function)
    def there(*args: Any, device: Any = None, **named: Any) -> Any:
        check(device)
        if takes_lengths and "size" in named:
            args = (named.pop("size"),)
        return function(*args, **named)

    return there


def check(place: Any) -> None:
    """RuntimeError for a device that is not the CPU."""
    if place is not None and not isinstance(place, device):
        device(place)


def set_default_device(place: Any) -> None:
    """RuntimeError for a device that is not the CPU."""
    check(place)


def to_cuda(x: Any, *place: Any, **named: Any) -> Any:
    """AssertionError, as in a torch for the CPU."""
    raise AssertionError("Torch not compiled with CUDA enabled")


def nothing(*args: Any, **named: Any) -> None:
    """Do nothing: there is no such device."""


cuda = SimpleNamespace(
    is_available=lambda: False, device_count=lambda: 0, is_bf16_supported=lambda: False, empty_cache=nothing,
    manual_seed=nothing, manual_seed_all=nothing, synchronize=nothing,
)  # fmt: skip
backends = SimpleNamespace(
    cuda=SimpleNamespace(matmul=SimpleNamespace(allow_tf32=False)),
    cudnn=SimpleNamespace(allow_tf32=False, benchmark=False, deterministic=False),
    mps=SimpleNamespace(is_available=lambda: False, is_built=lambda: False),
)
give(Tensor, device=property(lambda x: device()), is_cuda=False, cuda=to_cuda, cpu=lambda x: x)
__all__ = ["backends", "cuda", "device", "set_default_device"]
