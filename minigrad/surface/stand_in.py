"""`sys.modules["torch"] = minigrad`: then `import torch.nn as nn` finds minigrad's rooms, not a second copy of them."""

import importlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

PACKAGE = __name__.partition(".")[0]


class Room:
    """Loads a room of torch's by handing out minigrad's, which is loaded already."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module, whose own spec is kept for `exec_module`."""
        module = importlib.import_module(PACKAGE + spec.name.removeprefix("torch"))
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give it back the spec that the import has replaced."""
        module.__spec__ = self.spec


class Finder:  # importlib.abc, whose classes these could be, takes long to import
    """Finds `torch.nn` while minigrad stands in for torch."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """A spec for a room that minigrad has; None for anything else."""
        stands_in = getattr(sys.modules.get("torch"), "__name__", "") == PACKAGE
        if not stands_in or not fullname.startswith("torch."):
            return None
        try:
            importlib.import_module(PACKAGE + fullname.removeprefix("torch"))
        except ModuleNotFoundError:
            return None
        return ModuleSpec(fullname, Room())  # type: ignore[arg-type]


if not any(isinstance(finder, Finder) for finder in sys.meta_path):
    sys.meta_path.insert(0, Finder())
