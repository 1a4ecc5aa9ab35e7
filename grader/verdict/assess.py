"""From one answer to one result: split it by part, compare each with torch.autograd, name the mistake."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypedDict

from ..ask.exercise import AUTOGRAD, Exercise
from ..errors import CourseError
from . import probe
from .compare import first_difference, tolerance
from .diagnose import diagnose, of_part, reference_answer
from .evidence import BadEvidence, Seen, entries_of, read
from .finding import Finding
from .pinned import TORCH


class ResultData(TypedDict):
    """A `Result` as JSON data."""

    exercise: str
    score: float
    max_score: float
    state: str
    findings: dict[str, dict[str, str]]


@dataclass(frozen=True)
class Result:
    """The verdict on one exercise.

    Attributes:
        exercise: its name.
        score, max_score: points.
        state: `graded`, or why it is not.
        findings: part of the exercise → what was found.
    """

    exercise: str
    score: float
    max_score: float
    state: str
    findings: dict[str, Finding]

    @property
    def right(self) -> bool:
        """Whether every part is right."""
        return self.state == "graded" and all(finding.right for finding in self.findings.values())

    def sentences(self) -> list[str]:
        """What is wrong, or waits, a line for each part that does; what is right if nothing is wrong."""
        if self.state != "graded":
            return [self.state]
        said: dict[str, list[str]] = {}
        for part, finding in self.findings.items():
            if not finding.right or finding.waits:
                said.setdefault(finding.sentence(), []).append(part)
        if not said:
            return [next(iter(self.findings.values())).message]
        everything = len(self.findings)
        return [s if len(parts) == everything else f"{', '.join(parts)}: {s}" for s, parts in said.items()]

    def as_dict(self) -> ResultData:
        """The result as JSON data."""
        findings = {part: finding.as_dict() for part, finding in self.findings.items()}
        return ResultData(
            exercise=self.exercise, score=self.score, max_score=self.max_score, state=self.state, findings=findings
        )


def from_dict(data: ResultData) -> Result:
    """Read back what `Result.as_dict` wrote."""
    findings = {part: Finding(**finding) for part, finding in data["findings"].items()}
    return Result(data["exercise"], data["score"], data["max_score"], data["state"], findings)


def not_graded(exercise: Exercise, reason: str) -> Result:
    """No verdict is no credit, and is said to be so."""
    return Result(exercise.name, 0.0, exercise.max_score, reason, {})


def pytorch() -> ModuleType:
    """PyTorch, which the comparison needs.

    Raises:
        CourseError: it is not installed, or does not start.
    """
    try:
        import torch
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise _does_not_start(error) from error
        raise CourseError(f"The comparison needs PyTorch: install it with `pip install torch=={TORCH}`.") from None
    except Exception as error:  # a library of it that is missing, damaged or another system's: any kind of error
        raise _does_not_start(error) from error
    return torch


def _does_not_start(error: Exception) -> CourseError:
    why = f"{type(error).__name__}: {error}".split("\n")[0].rstrip(".")
    return CourseError(f"PyTorch is installed, but does not start ({why}): run `grader doctor`, which says what to do.")


def expected(exercise: Exercise, inputs: dict[str, Any]) -> list[Seen]:
    """What torch.autograd answers to the exercise's probe.

    Raises:
        CourseError: PyTorch is not installed, or does not start.
    """
    torch = pytorch()
    seen = entries_of(probe.observed(exercise.probe, torch, exercise.twin(torch), inputs))
    failed = [one.flags for one in seen if one.kind == "raised"]
    if failed:
        raise CourseError(f"torch cannot do exercise {exercise.name}: {failed[0]}; its declaration is wrong.")
    return seen


def prepare() -> None:
    """Import PyTorch before it is needed, for one core's work at a time."""
    pytorch().set_num_threads(1)


@dataclass(frozen=True)
class Compared:
    """One part's answer beside torch's.

    Attributes:
        exercise, part: whose answer it is.
        inputs: what the probe was given for the part.
        seen, truth: what was answered, and what torch answered.
        finding: the first difference, or that there is none; nothing is diagnosed.
    """

    exercise: Exercise
    part: str
    inputs: dict[str, Any]
    seen: list[Seen]
    truth: list[Seen]
    finding: Finding

    @property
    def right(self) -> bool:
        """Whether nothing differs."""
        return self.finding.right

    def diagnosed(self) -> Finding:
        """The finding with its mistake's name, which takes as long as ten comparisons."""
        return diagnose(self.finding, self.exercise, self.part, self.seen, self.truth, self.inputs)


def compared(
    exercise: Exercise, inputs: dict[str, Any], seen: list[Seen], truth: list[Seen] | None = None
) -> dict[str, Compared]:
    """Part -> its answer beside torch.autograd's, for each part that has inputs.

    Args:
        exercise: the exercise.
        inputs: what the probe was given.
        seen: what the learner's code answered.
        truth: what torch answered, where it was asked before.
    """
    truth = as_usual(exercise, inputs, seen, truth or expected(exercise, inputs))

    def one(part: str) -> Compared:
        mine, theirs = of_part(seen, part), of_part(truth, part)
        finding = first_difference(mine, theirs, tolerance(exercise.name, part))
        return Compared(exercise, part, {part: inputs[part]}, mine, theirs, finding)

    return {part: one(part) for part in inputs}


def as_usual(exercise: Exercise, inputs: dict[str, Any], seen: list[Seen], truth: list[Seen]) -> list[Seen]:
    """Torch's answers, and which arguments minigrad's own definition changes, if that is in question."""
    if not any(one.kind == "changed" for one in seen):
        return truth
    return [*truth, *(one for one in reference_answer(exercise, inputs) if one.kind == "changed")]


def findings(exercise: Exercise, inputs: dict[str, Any], answer: str) -> dict[str, Finding]:
    """Part -> what is found in the answer of a process to the exercise's probe, with its mistake's name.

    Args:
        exercise: the exercise.
        inputs: what the probe was given, for some of its parts or all.
        answer: the JSON that came back.

    Raises:
        BadEvidence: the answer is no evidence.
    """
    return {part: one.diagnosed() for part, one in compared(exercise, inputs, read(answer)).items()}


def assess(exercise: Exercise, inputs: dict[str, Any], answer: str) -> Result:
    """Compare what a process answered to the exercise's probe with torch.autograd, and name the mistakes.

    Args:
        exercise: the exercise.
        inputs: what the probe was given.
        answer: the JSON that came back.
    """
    try:
        return of_findings(exercise, findings(exercise, inputs, answer))
    except BadEvidence as error:
        return not_graded(exercise, f"not graded: {error}")


def of_findings(exercise: Exercise, found: dict[str, Finding]) -> Result:
    """The result of an exercise of whose every part something was found: the points of those that are right."""
    score = sum(points for part, points in exercise.points.items() if found[part].right)
    said = {part: one.same_as(exercise.agrees.get(part, AUTOGRAD)) for part, one in found.items()}
    return Result(exercise.name, float(score), exercise.max_score, "graded", said)
