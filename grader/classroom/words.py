"""Counts and times, as sentences have them."""

from __future__ import annotations

import math


def counted(number: float, what: str, many: str = "") -> str:
    """A count in words: `1 mark`, `2 marks`; `many` where the plural is no `s` more."""
    return f"{number:,g} {what if number == 1 else many or f'{what}s'}"


def how_late(seconds: float) -> str:
    """`2 h 5 min`, or `50 h`, in minutes that have begun."""
    hours, minutes = divmod(math.ceil(seconds / 60), 60)
    return " ".join([f"{hours} h"] * bool(hours) + [f"{minutes} min"] * bool(minutes or not hours))
