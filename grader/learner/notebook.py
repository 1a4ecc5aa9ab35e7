"""`check`: what the locked cell of an exercise calls in a chapter's notebook."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from minigrad import workshop
from minigrad.workshop.later import Sentence

from ..chapters import exercise_named
from ..errors import CourseError
from ..verdict import probe
from ..verdict.assess import Result
from ..verdict.pinned import other_torch
from . import progress
from .card import Card
from .counterexample import counterexamples
from .here import result_here, shell
from .why import stale, why


class NotRight(Sentence, AssertionError):
    """An exercise is not right yet."""


class Stopped(Sentence, KeyboardInterrupt):
    """The kernel was interrupted while the learner's code was checked."""


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Let an interrupt of the block say where the learner's code was."""
    try:
        yield
    except KeyboardInterrupt as error:
        line = probe.describe_error(error)["line"]
        where = f"your code was at: {line}. If that is a loop, does it ever finish?" if line else "run it again."
        raise Stopped(f"The check was interrupted; {where}") from None


def check(name: str) -> None:
    """Compare the exercise with torch.autograd on this notebook's inputs, and say in words what is found.

    A part of the engine that is right is kept in `my_minigrad/` for the next chapter.

    Args:
        name: the exercise's name, as in its heading's cell: `check("mul")`.

    Raises:
        NotRight: the exercise is not right; the card above the error says why. So a cell that runs it has failed, for
            nbgrader's Validate, for nbval, and for whoever runs all cells.
    """
    try:
        exercise = exercise_named(name)
        with _interruptible():
            result = result_here(exercise)
            cases, more = counterexamples(exercise, result), why(exercise, result)
    except CourseError as error:
        raise NotRight(str(error)) from None
    first = [*stale(exercise), *filter(None, [other_torch()])]
    parts = {part.name for part in workshop.PARTS}
    progress.note(exercise.chapter, name, result.right)
    kept = [workshop.keep(part) for part, finding in result.findings.items() if finding.right and part in parts]
    show(Card(result, cases, more, first, kept))
    if not result.right:
        raise NotRight(f"“{exercise.title}” is not right yet: what stands above says why.{_read_again(result)}")


def _read_again(result: Result) -> str:
    """The sections that treat what is wrong, for whoever sees the error alone, as nbval's report does."""
    sections = dict.fromkeys(f"“{one.section}”" for one in result.findings.values() if one.section)
    return f" Read again: the section{'s' * (len(sections) > 1)} {' and '.join(sections)}." if sections else ""


graded = check  # as notebooks of 1.0.0 call it, in a cell below the check's own


def show(card: Card) -> None:
    """Show a card in a notebook; print it elsewhere."""
    if shell() is None:
        print(card)
        return
    from IPython.display import display  # a process without IPython has none

    display(card)
