"""`challenge`: compares with torch what a challenge or the project asks for.

They lie beside the chapters, are not graded, and keep nothing: each is an exercise for the pleasure of it.
"""

from __future__ import annotations

import difflib

from ..ask.exercise import Exercise
from ..errors import CourseError
from ..verdict.assess import Result, of_findings
from ..verdict.finding import RIGHT
from .card import Card
from .challenges import CHALLENGES
from .counterexample import counterexamples
from .here import result_here
from .notebook import show


def judged(exercise: Exercise) -> Result:
    """What is found of a challenge, whose rules may call NumPy's functions, as those of a chapter may not."""
    result = result_here(exercise)
    found = {part: RIGHT if one.kind == "tensors" else one for part, one in result.findings.items()}
    return of_findings(exercise, found) if found else result


def challenge(name: str) -> None:
    """Compare a challenge with torch, and say in words what is found. Nothing is graded, and nothing is kept.

    Args:
        name: its name: `challenge("tanh")`.
    """
    try:
        if name not in CHALLENGES:
            near = difflib.get_close_matches(str(name), CHALLENGES, 3, 0)
            raise CourseError(f"There is no challenge {name!r}; those with the nearest names are {', '.join(near)}.")
        exercise = CHALLENGES[name]
        result = judged(exercise)
        cases = counterexamples(exercise, result)
    except CourseError as error:
        print(error)
        return
    show(Card(result, cases))
