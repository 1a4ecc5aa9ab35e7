"""Which names the reference holds: those that PyTorch has, too, and those that a learner builds."""

from __future__ import annotations

import importlib
from functools import cache, cached_property
from types import ModuleType
from typing import Any

from minigrad.workshop import parts

# Where PyTorch has the classes that minigrad defines.
PLACES = ("torch", "torch.nn", "torch.optim", "torch.optim.lr_scheduler", "torch.autograd", "torch.autograd.function")
ONCE = "extra_repr"  # every module overrides it; Module's own says what it is for
INSIDE = "function"  # what an activation or a loss calls: it is described under nn.functional


def is_public(name: str, found: object) -> bool:
    """Whether a function, a method or a property of minigrad is anything to somebody who knows PyTorch.

    What has no counterpart to look into, such as a value or a part of the core, is public: who asked for it will know.

    Args:
        name: its name in the class or the module that is described.
        found: what the name stands for.
    """
    found = found.func if isinstance(found, cached_property) else found
    found = getattr(found, "fget", None) or getattr(found, "__func__", found)
    module, place = getattr(found, "__module__", None) or "", getattr(found, "__qualname__", "")
    owner = place.rpartition(".")[0]
    if not module.startswith("minigrad.") or module.startswith(("minigrad.core", "minigrad.workshop")):
        return True
    if name == INSIDE:
        return False
    if name == ONCE:
        return owner == "Module"
    if owner:
        theirs = _class(owner)
        return theirs is None or hasattr(theirs, name)
    other = _module(module.replace("minigrad", "torch", 1))
    return other is None or hasattr(other, name) or _class(name) is not None or name in parts.BY_NAME


@cache
def _class(name: str) -> Any:
    """PyTorch's class of that name; None if it has none."""
    return next((getattr(place, name) for place in map(_module, PLACES) if hasattr(place, name)), None)


@cache
def _module(name: str) -> ModuleType | None:
    """PyTorch's module of that name; None if it has none."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return None
