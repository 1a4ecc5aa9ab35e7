"""The picture of a module: what it holds, down to the shapes of its parameters.

    tree.modules(TwoLayers(3, 4, 2))

Modules have round corners; parameters, which are leaves, have square ones and thick lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from . import drawing

if TYPE_CHECKING:
    from minigrad.nn import Module


class Part(NamedTuple):
    """A module or a parameter: its path in the tree, what it is, and its kind of box."""

    path: tuple[str, ...]
    what: str
    look: str

    def box(self) -> drawing.Box:
        """Its box."""
        return drawing.Box(self.path, [*self.path[-1:], self.what], self.look)


def modules(net: Module) -> drawing.Drawing:
    """Draw the tree of a module."""
    parts = list(_parts((), net))
    boxes = [part.box() for part in parts]
    lines = [drawing.Arrow(part.path[:-1], part.path, head=False) for part in parts if part.path]
    count = sum(part.look == "leaf" for part in parts)
    rows = [(".".join(part.path) or "the module itself", part.what) for part in parts]
    alt = f"A tree of modules: {parts[0].what} with {len(parts) - 1 - count} modules and {count} parameters inside."
    return drawing.draw(boxes, lines, alt, drawing.Table(("path", "what it is"), rows), down=True)


def _parts(path: tuple[str, ...], module: Module) -> Iterator[Part]:
    """The module, its parameters, and what is in the modules inside it."""
    yield Part(path, type(module).__name__, "result")
    for name, parameter in module.named_parameters(recurse=False):
        yield Part((*path, name), str(tuple(parameter.shape)), "leaf")
    for name, child in module.named_children():
        yield from _parts((*path, name), child)
