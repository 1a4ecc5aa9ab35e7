"""Judging answers that somebody else wrote: `python -m tests.verification answers FOLDER`.

The folder holds a text file for each exercise, `mul.txt`: one answer after another, each below a line

    ### wrong | what is wrong with it, in a sentence
    ### wrong2 | the first mistake :: the second
    ### right | in what way it is unusual

and each the whole text of the exercise's cell.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from grader.ask.exercise import Exercise
from grader.errors import CourseError
from grader.verdict.assess import assess
from grader.verdict.finding import Finding

from .cases import EXERCISES, TooLong, define, drawn, exercise_of, observed, within

PART = re.compile(r"^@workshop\.part\n", re.M)  # a definition is judged in the engine's place, not put into it
HEADING = re.compile(r"^### (wrong2?|right) *\| *(.*)$", re.M)
SECONDS = 5  # of processor time, for an answer on one draw
ENDLESS = "still running"
LAYERS = ("bank", "relation", "place", "nothing")  # what a rejected answer is explained by


@dataclass(frozen=True)
class Answer:
    """One answer to an exercise, and what whoever wrote it says about it."""

    exercise: str
    kind: str
    truth: str
    code: str


@dataclass
class Judged:
    """An answer, and what became of it.

    Attributes:
        answer: the answer.
        points: the points on each draw.
        most: the points that there are.
        said: what was said on the first draw, by layer: (part, layer, sentence).
    """

    answer: Answer
    points: list[float] = field(default_factory=list)
    most: float = 0.0
    said: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def accepted(self) -> bool:
        """Whether every draw got all points."""
        return all(points == self.most for points in self.points)

    @property
    def rejected(self) -> bool:
        """Whether no draw got all points."""
        return all(points < self.most for points in self.points)

    def as_dict(self) -> dict[str, object]:
        """All of it as JSON data."""
        return {**asdict(self), "accepted": self.accepted, "rejected": self.rejected}


def read(folder: Path) -> list[Answer]:
    """The answers in a folder.

    Raises:
        CourseError: a file is called like no exercise, or a heading is missing.
    """
    names = {exercise.name for exercise in EXERCISES}
    found = []
    for file in sorted(folder.glob("*.txt")):
        if file.stem not in names:
            raise CourseError(f"{file} is named like no exercise; the exercises are {', '.join(sorted(names))}.")
        pieces = HEADING.split(file.read_text(encoding="utf-8"))
        if pieces[0].strip() or len(pieces) == 1:
            raise CourseError(f"{file} does not begin with a line like '### wrong | what is wrong with it'.")
        for kind, truth, code in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
            found.append(Answer(file.stem, kind, truth.strip(), code.strip() + "\n"))
    return found


def judge(answer: Answer, seeds: range) -> Judged:
    """The verdict on an answer on every seed; what it says is the first one's."""
    exercise = exercise_of(answer.exercise)
    judged = Judged(answer, most=exercise.max_score)
    for seed in seeds:
        points, said = verdict(exercise, answer.code, seed)
        judged.points.append(points)
        judged.said = judged.said or said
        if said and said[0][2] == ENDLESS:
            break
    return judged


def verdict(exercise: Exercise, code: str, seed: int) -> tuple[float, list[tuple[str, str, str]]]:
    """The points of a cell's text on one draw, and what is said of each part that is not right."""
    inputs = drawn(exercise, seed)
    try:
        with within(SECONDS), np.errstate(all="ignore"):
            answer = observed(exercise, inputs, define(exercise, PART.sub("\n", code)))  # lines keep their numbers
    except TooLong:
        return 0.0, [("", "relation", ENDLESS)]
    except Exception as error:  # the cell itself stops
        return 0.0, [("", "place", f"{type(error).__name__}: {error}")]
    result = assess(exercise, inputs, answer)
    if not result.findings:
        return 0.0, [("", "nothing", result.state)]
    wrong = {part: finding for part, finding in result.findings.items() if not finding.right}
    return result.score, [(part, layer(finding), finding.sentence()) for part, finding in wrong.items()]


def layer(finding: Finding) -> str:
    """What explains a wrong answer: the bank, something that needs no bank, the place alone, or nothing."""
    if finding.cause:
        return "bank"
    if finding.advice or finding.kind not in ("values", "flags"):
        return "relation"
    return "place" if finding.place else "nothing"


def summary(judged: list[Judged]) -> str:
    """The shares, in lines."""
    lines = []
    for kind in ("wrong", "wrong2", "right"):
        group = [one for one in judged if one.answer.kind == kind]
        if not group:
            continue
        if kind == "right":
            lines.append(f"right: {sum(one.accepted for one in group)} of {len(group)} accepted")
            continue
        rejected = [one for one in group if one.rejected]
        lines.append(f"{kind}: {len(rejected)} of {len(group)} rejected on every draw")
        layers = Counter(min((said[1] for said in one.said), key=LAYERS.index, default="nothing") for one in rejected)
        lines.append("  explained by " + ", ".join(f"{name} {layers[name]}" for name in LAYERS))
    return "\n".join(lines)
