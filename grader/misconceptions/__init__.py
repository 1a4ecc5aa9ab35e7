"""The bank of misconceptions: labelled ways of being wrong, each a small wrong definition.

One bank, three uses: each one must fail its exercise's check (verification), a wrong answer is held
against what each one answers on the same inputs (diagnosis), and a notebook may plant one (teaching).
The file `chapterN.py` holds those of chapter N.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from ..chapters import CHAPTERS
from .bank import Misconception, blends

BANK: dict[str, tuple[Misconception, ...]] = {}
PAIRS: dict[str, tuple[Misconception, ...]] = {}  # two of them in one definition, where that was written down
for _number in CHAPTERS:
    _module = importlib.import_module(f".chapter{_number}", __name__)
    for _table, _found in ((BANK, _module.MISCONCEPTIONS), (PAIRS, getattr(_module, "PAIRS", []))):
        for _misconception in _found:
            _table[_misconception.exercise] = (*_table.get(_misconception.exercise, ()), _misconception)


def less_common(exercise: str, part: str, reference: Any) -> Iterator[Misconception]:
    """Misconceptions about a part in some of its methods only, and two at once.

    Args:
        exercise: its name.
        part: what the learner defines.
        reference: the right definition of the part, None where it is no part of the engine.
    """
    yield from (m for m in PAIRS.get(exercise, ()) if m.replaces == part)
    if isinstance(reference, type):
        yield from blends([m for m in BANK.get(exercise, ()) if m.replaces == part], reference)


__all__ = ["BANK", "PAIRS", "Misconception", "less_common"]
