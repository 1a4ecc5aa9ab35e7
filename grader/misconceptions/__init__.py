"""The bank of misconceptions: labelled ways of being wrong, each a small wrong definition.

One bank, three uses: each one must fail its exercise's check (verification), a wrong answer is held
against what each one answers on the same inputs (diagnosis), and a notebook may plant one (teaching).
The file `chapterN.py` holds those of chapter N.
"""

from __future__ import annotations

import functools
import importlib
import itertools
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


MOST_BLENDS = 200  # of one part that are tried: what is rarer is not worth the wait


@functools.cache  # a blend is a class, and making it takes as long as asking it
def less_common(exercise: str, part: str, reference: Any) -> tuple[Misconception, ...]:
    """Misconceptions about a part in some of its methods only, and two at once.

    Args:
        exercise: its name.
        part: what the learner defines.
        reference: the right definition of the part, None where it is no part of the engine.
    """
    written = [m for m in PAIRS.get(exercise, ()) if m.replaces == part]
    wrong = [m for m in BANK.get(exercise, ()) if m.replaces == part]
    made = blends(wrong, reference) if isinstance(reference, type) else ()
    return tuple(itertools.islice(itertools.chain(written, made), MOST_BLENDS))


__all__ = ["BANK", "MOST_BLENDS", "PAIRS", "Misconception", "less_common"]
