"""What a workload is, and who can run it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Step = Callable[[], Any]


def torch_like(peer: str) -> Any:
    """torch, minigrad as it is or as it was, or the leanest engine of its shape; None for another peer."""
    if peer == "torch":
        import torch

        return torch
    if peer in ("minigrad", "earlier"):  # whose process finds another package of that name (see `alone`)
        import minigrad

        return minigrad
    if peer == "lean":
        from . import lean

        return lean
    return None
