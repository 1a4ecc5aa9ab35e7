"""Judge one submission: a pure job, (submission, chapter, student, secret) → verdict.

The submission's cells run in a process that holds no torch, no reference for what is graded and no
expected value. Where the notebook has a graded cell, that process is asked for numbers instead; they
are compared with torch.autograd here.
"""

from __future__ import annotations

import functools
import inspect
import json
import shutil
import tempfile
import textwrap
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from minigrad.workshop import write_before

from ..ask.exercise import Exercise, Probe, generator
from ..chapters import exercises
from ..errors import CourseError
from ..verdict import probe
from ..verdict.assess import Result, assess, from_dict, not_graded
from ..verdict.inert import writable
from .bulkhead import TooLong, bounded
from .execution import Limits, Step, StepResult, run_steps
from .submission import Given, given_cells, grade_id

STAND_IN = Path(__file__).with_name("stand_in.py")
LIMITS = Limits(cell_seconds=20.0)  # no cell of the course takes 10 s on two cores
ASSESS_SECONDS, ASSESS_BYTES = 120, 2 << 30  # of one answer: a hundred times what the slowest takes
ENDS = ("timeout", "died", "out of memory", "too many processes")
# Threads share one engine, into which a diagnosis puts wrong definitions.
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Verdict:
    """What was decided about one submission.

    Attributes:
        results: one for each exercise of the chapter, in its order.
        outputs: what the notebook's cells printed: cell number → outputs (notebook format 4).
        notes: what happened to cells that are not graded: cell number → a sentence.
        happened: which bound a cell or a question ran into, or that its process died: cell number → `timeout`,
            `out of memory`, `too many processes`, `output cut`, `died` or `not run`.
        limits: the bounds.
    """

    results: tuple[Result, ...]
    outputs: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    notes: dict[int, str] = field(default_factory=dict)
    happened: dict[int, str] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)

    @property
    def score(self) -> float:
        """The points of all exercises."""
        return sum(result.score for result in self.results)

    def as_json(self) -> str:
        """The verdict as text that `verdict_from_json` reads."""
        # A verdict quotes its student, who may have written half of a surrogate pair: no file could hold it.
        return writable(json.dumps(asdict(self), ensure_ascii=False))


def verdict_from_json(text: str) -> Verdict:
    """Read back what `Verdict.as_json` wrote.

    Raises:
        ValueError: the text is something else.
    """
    try:
        data = json.loads(text)
        results = tuple(from_dict(result) for result in data["results"])
        by_cell = ({int(k): v for k, v in data[name].items()} for name in ("outputs", "notes", "happened"))
        outputs, notes, happened = by_cell
        return Verdict(results, outputs, notes, happened, data["limits"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a verdict: {error}") from None


def refuse(chapter: int, reason: str) -> Verdict:
    """The verdict on a submission that cannot be run at all."""
    return Verdict(tuple(not_graded(exercise, f"not graded: {reason}") for exercise in exercises(chapter)))


def judge(
    notebook: NotebookNode,
    release: NotebookNode,
    chapter: int,
    student: str,
    secret: bytes,
    unsafe: bool = False,
    limits: Limits | None = None,
) -> Verdict:
    """Run a restored submission and decide on each of its exercises.

    Args:
        notebook: the submission as `submission.restore` returns it.
        release: the chapter's release.
        chapter: its number.
        student: the student's id: inputs differ from student to student.
        secret: the course's secret: nobody else can foresee the inputs.
        unsafe: run without a sandbox where there is none.
        limits: what the submission may use.

    Raises:
        SandboxUnavailable: there is no sandbox here, and `unsafe` is False.
    """
    asked = {exercise.graded_cell: exercise for exercise in exercises(chapter)}
    inputs = {e.name: e.draw(generator(secret, student, e.name)) for e in asked.values()}
    steps = list(_steps(notebook, given_cells(release), asked, inputs))
    limits = limits or LIMITS
    with _one_at_a_time:
        course = course_folder(chapter)
    done = {result.index: result for result in run_steps(steps, course, limits, unsafe)}
    by_exercise = {asked[grade_id(notebook.cells[s.index])].name: done.get(s.index) for s in steps if s.kind == "ask"}
    results: list[Result] = []
    with _one_at_a_time:
        for exercise in asked.values():
            step = by_exercise.get(exercise.name)
            results.append(_decide(exercise, inputs[exercise.name], step, done, results, limits))
    ran = {step.index: done[step.index] for step in steps if step.kind == "run" and step.index in done}
    outputs = {index: [dict(output) for output in result.outputs] for index, result in ran.items() if result.outputs}
    notes = {index: result.detail for index, result in ran.items() if result.detail}
    happened: dict[int, str] = {
        index: result.state for index, result in done.items() if result.state not in ("ok", "error")
    }
    return Verdict(tuple(results), outputs, notes, happened, asdict(limits))


def _steps(
    notebook: NotebookNode, given: dict[str, Given], asked: dict[str, Exercise], inputs: dict[str, dict[str, Any]]
) -> Sequence[Step]:
    """What to run and what to ask, in the notebook's order; the course's demonstrations are left out."""
    steps = []
    for index, cell in enumerate(notebook.cells):
        known = given.get(grade_id(cell))
        if known and known.role == "graded":
            exercise = asked[grade_id(cell)]
            steps.append(Step(index, question(exercise, inputs[exercise.name]), "ask"))
        elif cell.cell_type == "code" and not (known and known.role == "demonstration"):
            steps.append(Step(index, cell.source))
    return steps


def question(exercise: Exercise, inputs: dict[str, Any]) -> str:
    """The program that asks a student's process for an exercise's evidence: it leaves JSON in `answer`."""
    # A namespace of its own: a student who called a variable `list` has not broken the question.
    program = "\n".join(
        [
            _probe_source(exercise.probe),
            f"inputs = json.loads({json.dumps(inputs)!r})",
            f"answer = observe({exercise.probe.__name__}, __import__('minigrad'), Names(given), inputs)",
        ]
    )
    return (
        f"apart = {{'given': {{**globals()}}}}\n"
        f"__import__('builtins').exec({program!r}, apart)\n"
        f"answer = apart['answer']\n"
    )


@functools.cache
def _probe_source(own: Probe) -> str:
    return "\n".join([inspect.getsource(probe), "from typing import Any", textwrap.dedent(inspect.getsource(own))])


def _decide(
    exercise: Exercise,
    inputs: dict[str, Any],
    asked: StepResult | None,
    done: dict[int, StepResult],
    earlier: list[Result],
    limits: Limits,
) -> Result:
    if asked is None:
        return not_graded(exercise, "not graded: its graded cell was not reached")
    if asked.answer is None:
        return not_graded(exercise, f"not graded: {_reason(asked, done, limits)}")
    try:
        return _assessed(exercise, inputs, asked.answer, earlier)
    except TooLong:
        return not_graded(exercise, f"not graded: its answer was still being compared after {ASSESS_SECONDS} seconds")
    except CourseError:
        raise
    except Exception as error:  # the answer is the student's: whatever it breaks is this exercise's, and nobody else's
        return not_graded(exercise, f"not graded: its answer cannot be compared ({type(error).__name__}: {error})")


def _assessed(exercise: Exercise, inputs: Any, answer: str, earlier: list[Result]) -> Result:
    with bounded(ASSESS_SECONDS, ASSESS_BYTES):
        return assess(exercise, inputs, answer, earlier)


def _reason(asked: StepResult, done: dict[int, StepResult], limits: Limits) -> str:
    """Why there is no answer: what the question came to, or what ended the notebook before it was asked."""
    if asked.state == "timeout":
        return f"your code for it was still running after {limits.cell_seconds:g} seconds"
    detail = (asked.detail or asked.state).rstrip(".")
    ended = [r for r in done.values() if r.index < asked.index and r.state in ENDS]
    if asked.state != "not run" or not ended:
        return detail
    return f"{detail}; cell {ended[-1].index + 1} is the last that did: {ended[-1].detail.rstrip('.')}"


@functools.cache
def course_folder(chapter: int) -> Path:
    """What a student's process sees of the course: minigrad before the chapter, and a grader that does nothing."""
    path = Path(tempfile.mkdtemp(prefix="minigrad-course-"))
    # Removed when this process ends, be it a worker, for which atexit does nothing; not when one forked from it does.
    Finalize(None, shutil.rmtree, [path, True], exitpriority=0)
    write_before(path / "minigrad", chapter)
    (path / "grader").mkdir()
    shutil.copy(STAND_IN, path / "grader" / "__init__.py")
    return path
