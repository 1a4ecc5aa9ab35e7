"""The bank of misconceptions: labelled ways of being wrong, each a small wrong definition.

One bank, three uses: each one must fail its exercise's check (verification), a wrong answer is held
against what each one answers on the same inputs (diagnosis), and a notebook may plant one (teaching).
"""

from __future__ import annotations

from . import chapter1, chapter2
from .bank import Misconception

BANK: dict[str, tuple[Misconception, ...]] = {}
for _misconception in (*chapter1.MISCONCEPTIONS, *chapter2.MISCONCEPTIONS):
    BANK[_misconception.exercise] = (*BANK.get(_misconception.exercise, ()), _misconception)

__all__ = ["BANK", "Misconception"]
