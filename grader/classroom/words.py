"""Counts, times and errors, as sentences have them."""

from __future__ import annotations

import math

from ..verdict.inert import one_line


def counted(number: float, what: str, many: str = "") -> str:
    """A count in words: `1 mark`, `2 marks`; `many` where the plural is no `s` more."""
    return f"{number:,g} {what if number == 1 else many or f'{what}s'}"


def how_late(seconds: float) -> str:
    """`2 h 5 min`, or `50 h`, in minutes that have begun."""
    hours, minutes = divmod(math.ceil(seconds / 60), 60)
    return " ".join([f"{hours} h"] * bool(hours) + [f"{minutes} min"] * bool(minutes or not hours))


def cannot_be_graded(error: BaseException) -> str:
    """Why a submission has no verdict, where reading or writing it raised what nobody foresaw."""
    words = one_line(f"{type(error).__name__}: {error}")[:200].rstrip(".")
    return f"its submission cannot be graded ({words})"
