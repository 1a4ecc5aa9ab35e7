"""The known answers of all chapters: the bank of misconceptions, and the right answers.

A misconception is a labelled way of being wrong, with three uses: each one must fail its exercise's check
(verification), a wrong answer is held against what each one answers on the same inputs (diagnosis), and a notebook may
plant one (teaching).
"""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING, Any

from ..ask.bank import Misconception, blends, both_in_one_text
from . import CHAPTERS, held

if TYPE_CHECKING:
    from ..ask.right import Right

MOST_BLENDS = 200  # of one part that are tried: what is rarer is not worth the wait
BANK: dict[str, tuple[Misconception, ...]] = {}
for _chapter in CHAPTERS:
    for _one in held(_chapter, "misconceptions"):
        BANK[_one.exercise] = (*BANK.get(_one.exercise, ()), _one)


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


@functools.cache
def two_at_once(one: Misconception, other: Misconception) -> tuple[Misconception, ...]:
    """Both misconceptions in one definition, in each way in which it can be written."""
    return tuple(both_in_one_text(one, other))


def right_answers() -> list[Right]:
    """The right answers of every chapter, read when they are asked for: grading needs none."""
    return [one for chapter in CHAPTERS for one in held(chapter, "right")]
