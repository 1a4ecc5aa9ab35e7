"""How the surface adds to the classes of the core."""

from __future__ import annotations


def give(kind: type, **members: object) -> None:
    """Make members the class's own: `give(Tensor, exp=exp)`."""
    for name, member in members.items():
        setattr(kind, name, member)
