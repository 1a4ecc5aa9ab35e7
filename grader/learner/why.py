"""What only the learner's own process can say beside a result: sentences about definitions, cells and kept parts."""

from __future__ import annotations

import re
from typing import Any, TypeGuard

import minigrad
from minigrad import workshop

from ..ask.exercise import Exercise
from ..verdict.assess import Result
from ..verdict.render import plain, without_file
from .here import names_here, shell


def why(exercise: Exercise, result: Result) -> list[str]:
    """Sentences about the parts that are wrong."""
    return [*shaped_otherwise(result), *from_earlier(exercise, result)]


def shaped_otherwise(result: Result) -> list[str]:
    """A sentence for each wrong part that is no operation, or lacks a rule, unlike minigrad's own definition."""
    parts = {part.name: part for part in workshop.PARTS}
    said = []
    for name in wrong(result):
        own = workshop.places.reference(parts[name]) if name in parts else None
        if not _is_operation(own):
            continue
        mine = workshop.places.current(parts[name])
        if not _is_operation(mine):
            said.append(f"Your {name} is no Function: begin with `class {name}(Function):`.")
        elif "backward" not in vars(mine):
            said += [
                f"Your {name} has no backward_{x}: the method of that name is asked for the gradient of {x}."
                for x, named in zip(mine.names, own.names, strict=False)
                if hasattr(own, f"backward_{named}") and not hasattr(mine, f"backward_{x}")
            ]
    return said


def wrong(result: Result) -> list[str]:
    """The parts that were answered, and not right."""
    return [part for part, finding in result.findings.items() if finding.kind not in ("right", "not done")]


def _is_operation(definition: object) -> TypeGuard[type[Any]]:
    return isinstance(definition, type) and issubclass(definition, minigrad.core.function.Function)


def from_earlier(exercise: Exercise, result: Result) -> list[str]:
    """A sentence for each part of an earlier chapter, in `my_minigrad/`, that a right part waits for."""
    chapters = {part.name: part.chapter for part in workshop.PARTS if part.chapter < exercise.chapter}
    waits = {name for finding in result.findings.values() for name in finding.waits.split(" and ")}
    return [
        f"Your {name} of chapter {chapters[name]} is in my_minigrad/: mend it in its chapter, run its check there, and "
        "then this notebook from the top. Grading uses minigrad's own."
        for name in chapters
        if name in waits
    ]


def stale(exercise: Exercise) -> list[str]:
    """What makes this check judge something else than the learner last wrote."""
    said = _left_by_its_cell(exercise)
    parts = {part.name: part for part in workshop.PARTS}
    for name in exercise.points:
        mine = names_here().get(name)
        if mine is not None and name in parts and not workshop.places.stands(parts[name], mine):
            said.append(f"Your {name} is not in the engine: put @workshop.part above it and run its cell again.")
    return said


def _left_by_its_cell(exercise: Exercise) -> list[str]:
    """What the cell that defined the exercise's parts last leaves to say: it ended with an error, or needs torch."""
    running = shell()
    history = running.history_manager if running is not None else None
    if history is None:
        return []
    names = "|".join(map(re.escape, exercise.points))
    cells = dict(enumerate(history.input_hist_raw))
    runs = [n for n, text in cells.items() if re.search(rf"^\s*(class|def)\s+({names})\b", text, re.MULTILINE)]
    if not runs:
        return []
    last = max(runs)
    error = getattr(history, "exceptions", {}).get(last)
    if error is not None and error["ename"] != "NotImplementedError":  # the message of an untouched stub
        words = without_file(f"{error['ename']}: {error['evalue']}").rstrip(".")
        return [f"Your cell stopped with {plain(words)}; what is checked is what ran before it."]
    if re.search(r"^(import|from)\s+torch\b", cells.get(last, ""), re.MULTILINE):
        return [
            "Your cell imports torch, which is not there when your work is graded: move that to a cell of your own."
        ]
    return []
