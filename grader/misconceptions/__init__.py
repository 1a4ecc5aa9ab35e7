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
for _number in CHAPTERS:
    for _one in importlib.import_module(f".chapter{_number}", __name__).MISCONCEPTIONS:
        BANK[_one.exercise] = (*BANK.get(_one.exercise, ()), _one)


MOST_BLENDS = 200  # of one part that are tried: what is rarer is not worth the wait


@functools.cache  # a blend is a class, and making it takes as long as asking it
def less_common(exercise: str, part: str, reference: Any) -> tuple[Misconception, ...]:
    """Misconceptions about a part in some of its methods only, and two at once.

    Args:
        exercise: its name.
        part: what the learner defines.
        reference: the right definition of the part, None where it is no part of the engine.
    """
    wrong = [m for m in BANK.get(exercise, ()) if m.replaces == part]
    made = blends(wrong, reference) if isinstance(reference, type) else ()
    return tuple(itertools.islice(made, MOST_BLENDS))


__all__ = ["BANK", "MOST_BLENDS", "Misconception", "less_common"]
