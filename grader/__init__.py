"""The grader: compares with torch.autograd, explains, decides, and grades a class.

In a notebook: `from grader import challenge, check, graded, preview, progress`, and for pictures `figure`, `nodes`,
`picture` and `tree`.
"""

from importlib import import_module
from typing import Any

__all__ = ["challenge", "check", "figure", "graded", "nodes", "picture", "preview", "progress", "tree"]


def __getattr__(name: str) -> Any:  # imported when they are asked for: the doctor comes in where NumPy is missing
    if name in ("check", "graded"):
        return getattr(import_module(".learner.notebook", __name__), name)
    if name == "challenge":
        return import_module(".learner.challenge", __name__).challenge
    if name == "preview":
        return import_module(".learner.preview", __name__)
    if name == "progress":
        return import_module(".learner.progress", __name__).progress
    if name in __all__:
        return import_module(f".learner.draw.{name}", __name__)
    raise AttributeError(f"module 'grader' has no attribute {name!r}")
