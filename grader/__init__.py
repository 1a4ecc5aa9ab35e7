"""The grader: compares with torch.autograd, explains, decides, and grades a class.

In a notebook: `from grader import check, graded`.
"""

from .notebook import check, graded

__all__ = ["check", "graded"]
