"""The grader: compares with torch.autograd, explains, decides, and grades a class.

In a notebook: `from grader import check, graded`.
"""

from typing import Any

__all__ = ["check", "graded"]


def __getattr__(name: str) -> Any:  # imported when they are asked for: the doctor comes in where NumPy is missing
    if name in __all__:
        from . import notebook

        return getattr(notebook, name)
    raise AttributeError(f"module 'grader' has no attribute {name!r}")
