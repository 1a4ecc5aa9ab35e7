"""Judge one submission: a pure job, (submission, chapter, student, secret) → verdict.

The submission's cells run in a process that holds no torch, no reference for what is graded and no
expected value. Where the notebook has a graded cell, that process is asked for numbers instead; they
are compared with torch.autograd here.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import gc
import inspect
import json
import marshal
import re
import shutil
import tempfile
import textwrap
import threading
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from multiprocessing.util import Finalize
from pathlib import Path
from types import CodeType
from typing import Any

from nbformat import NotebookNode

from minigrad.workshop import places, source, write_before
from minigrad.workshop.parts import BY_NAME

from ..ask import heard
from ..ask.exercise import Exercise, Probe, generator
from ..chapters import exercises
from ..errors import CourseError
from ..verdict import lend, probe
from ..verdict.assess import Compared, Result, compared, expected, from_dict, not_graded, of_findings
from ..verdict.diagnose import waits_for
from ..verdict.evidence import BadEvidence, Seen, read
from ..verdict.finding import Finding, right_but_waiting
from ..verdict.inert import writable
from .bulkhead import TooLong, bounded
from .execution import Limits, Step, StepResult, run_steps
from .execution.sandbox import INSIDE
from .submission import Given, digest, given_cells, grade_id

# An exercise, what its probe was given, what came back, and the parts of minigrad's own that were lent for it.
Heard = Callable[[Exercise, dict[str, Any], str, list[str]], None]

STAND_IN = Path(__file__).with_name("stand_in.py")
LIMITS = Limits(cell_seconds=10.0)  # no cell of the course that is run at grading takes 5 s of the processor
ASSESS_SECONDS, ASSESS_BYTES = 120, 2 << 30  # of one answer: a hundred times what the slowest takes
ENDS = ("timeout", "waited", "died", "out of memory", "too many processes")
# How Python says that it cannot read a cell: its own words, and the line.
SYNTAX = re.compile(r"((?:Syntax|Indentation|Tab)Error: .*) \([^()]*, line (\d+)\)$")
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
            `waited`, `out of memory`, `too many processes`, `output cut`, `died` or `not run`.
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
    follow_through: bool = True,
    last: bool = True,
    heard: Heard = lambda *_: None,
) -> Verdict:
    """Run a restored submission and decide on each of its exercises.

    Args:
        notebook: the submission as `submission.restore` returns it.
        release: the chapter's release.
        chapter: its number.
        student: the student's id: inputs differ from student to student, and from submission to submission. "" for
            the inputs of a learner's own check.
        secret: the course's secret: nobody else can foresee the inputs.
        unsafe: run without a sandbox where there is none.
        limits: what the submission may use.
        follow_through: judge each part with minigrad's own definitions in the place of those that are wrong; without
            it, a part that fails on the student's own engine gets nothing.
        last: it will not be tried again if it waited. What will be tried again is lent nothing, of which its next
            try would know.
        heard: called with each answer that is judged, and with what was asked: one who explains a verdict listens here.

    Raises:
        SandboxUnavailable: there is no sandbox here, and `unsafe` is False.
    """
    asked = {exercise.graded_cell: exercise for exercise in exercises(chapter)}
    handed_in = digest(notebook) if student else ""  # `validate` has the inputs of a learner's own check
    inputs = {e.name: e.draw(generator(secret, student, e.name, handed_in)) for e in asked.values()}
    steps = list(_steps(notebook, given_cells(release), asked, inputs))
    limits = limits or LIMITS
    with _one_at_a_time:
        course = course_folder(chapter)
    done: list[StepResult] = []
    first: dict[int, StepResult] = {}
    cells = {asked[grade_id(notebook.cells[step.index])].name: step.index for step in steps if step.kind == "ask"}
    written = {grade_id(cell): index for index, cell in enumerate(notebook.cells)}
    bench = _Bench(tuple(asked.values()), inputs, cells, written, limits, done, heard)

    def everything() -> Iterator[Step]:  # the second half is made when the first one was answered
        hung = False
        for step in steps:
            if step.kind == "run" or not hung:
                yield step
                first[step.index] = done[-1]
                # What runs on a part that does not end would not end either: it waits for its turn with lent parts.
                hung = hung or (follow_through and step.kind == "ask" and done[-1].state in ("timeout", "waited"))
        bench.decide(first)
        waited = any(result.state == "waited" for result in first.values())
        if follow_through and (last or not waited):
            yield from bench.ask_again()

    run_steps(everything(), course, limits, unsafe, done.append)
    ran = {step.index: first[step.index] for step in steps if step.kind == "run" and step.index in first}
    outputs = {index: _as_inside(course, result) for index, result in ran.items() if result.outputs}
    notes = {index: result.detail for index, result in ran.items() if result.detail}
    happened: dict[int, str] = {
        index: result.state for index, result in first.items() if result.state not in ("ok", "error")
    }
    return Verdict(tuple(bench.results()), outputs, notes, happened, asdict(limits))


def _as_inside(course: Path, result: StepResult) -> list[dict[str, Any]]:
    """A cell's outputs, in which a traceback names the course's folder as in a sandbox, and none of this machine."""
    own = json.dumps(str(course.resolve()))[1:-1]
    outputs: list[dict[str, Any]] = json.loads(json.dumps(result.outputs).replace(own, str(INSIDE / "course")))
    return outputs


def _steps(
    notebook: NotebookNode, given: dict[str, Given], asked: dict[str, Exercise], inputs: dict[str, dict[str, Any]]
) -> Iterator[Step]:
    """What to run and what to ask, in the notebook's order; the course's demonstrations are left out."""
    for index, cell in enumerate(notebook.cells):
        known = given.get(grade_id(cell))
        if known and known.role == "graded":
            exercise = asked[grade_id(cell)]
            yield Step(index, question(exercise, inputs[exercise.name]), "ask")
        elif cell.cell_type == "code" and not (known and known.role == "demonstration"):
            yield Step(index, cell.source, spare=known is None)


class _Bench:
    """The exercises of one submission on their way to a result: first on the student's own engine, then on lent parts.

    Lent parts come when everything was asked once, and one after another: none is sent before its own part was judged.
    """

    def __init__(
        self,
        exercises: tuple[Exercise, ...],
        inputs: dict[str, dict[str, Any]],
        cells: dict[str, int],
        written: dict[str, int],
        limits: Limits,
        done: list[StepResult],
        heard: Heard,
    ) -> None:
        self._exercises, self._inputs, self._cells, self._limits, self._done = exercises, inputs, cells, limits, done
        self._written, self._heard = written, heard
        self._truth: dict[str, list[Seen]] = {}  # exercise → what torch answers
        # Exercise → part → what was found. It is diagnosed at the end: what is wrong now may be right with lent parts.
        self._found: dict[str, dict[str, Compared | Finding]] = {}
        self._reasons: dict[str, str] = {}  # exercise → why there is no finding
        self._asked: set[str] = set()  # exercises that were asked on the student's own engine
        self._unread: dict[str, Finding] = {}  # exercise → why Python ran no line of its cell

    def decide(self, done: dict[int, StepResult]) -> None:
        """Judge what the student's own engine answered."""
        for exercise in self._exercises:
            asked = done.get(self._cells.get(exercise.name, -1))
            self._asked |= {exercise.name} if asked else set()
            own = done.get(self._written.get(exercise.name, -1))
            if own and own.state == "error" and (error := SYNTAX.match(own.detail)):
                words = f"Python cannot read its cell, and ran none of it: {error[1]}, in line {error[2]}."
                self._unread[exercise.name] = Finding("raised", "", words)
            try:
                self._found[exercise.name] = {**self._judged(exercise, self._inputs[exercise.name], asked, done, [])}
            except _NotGraded as reason:
                self._reasons[exercise.name] = str(reason)

    def ask_again(self) -> Iterator[Step]:
        """Ask each part once more that comes after one which is wrong, and judge it by what it answers then.

        What was not asked, since something before it did not end, is asked for the first time.
        """
        parts = [(exercise, part) for exercise in self._exercises for part in exercise.points]
        wrong: list[tuple[str, str]] = []
        for number, (exercise, part) in enumerate(parts, start=1):
            lent = [name for _, name in wrong if name in BY_NAME]
            if (lent or exercise.name not in self._asked) and exercise.name in self._cells:
                later = [name for _, name in parts[number:] if name in BY_NAME]
                own = {part: self._inputs[exercise.name][part]}
                yield Step(self._cells[exercise.name], question(exercise, own, lent, later), "ask")
                answer = self._done[-1]
                if self._is_right(exercise, part) and not self._fits(exercise, part, own, answer, lent):
                    yield Step(self._cells[exercise.name], question(exercise, own), "ask")
                    if not self._fits(exercise, part, own, self._done[-1], []):
                        continue  # a cell below has changed what it runs on: it was right where it stands
                self._take(exercise, part, own, [one for one in wrong if one[1] in lent], answer)
            if not self._is_right(exercise, part):
                wrong.append((exercise.name, part))

    def _fits(self, exercise: Exercise, part: str, inputs: dict[str, Any], answer: StepResult, lent: list[str]) -> bool:
        """Whether an answer of the part is right."""
        try:
            return self._judged(exercise, inputs, answer, {}, lent)[part].right
        except _NotGraded:
            return False

    def _take(
        self,
        exercise: Exercise,
        part: str,
        inputs: dict[str, Any],
        wrong: list[tuple[str, str]],
        answer: StepResult,
    ) -> None:
        """Judge the part by the answer that it gave with some parts lent."""
        before = self._found.get(exercise.name, {}).get(part)
        try:
            found = self._judged(exercise, inputs, answer, {}, [name for _, name in wrong])[part]
        except _NotGraded:
            return
        waits: list[str] = []
        if found.right and not (before and before.right):
            with _one_at_a_time:
                waits = waits_for(exercise, part, inputs, wrong) or [name for _, name in wrong if before]
        self._found.setdefault(exercise.name, {})[part] = right_but_waiting(waits) if waits else found

    def _is_right(self, exercise: Exercise, part: str) -> bool:
        found = self._found.get(exercise.name, {}).get(part)
        return found is not None and found.right

    def _judged(
        self,
        exercise: Exercise,
        inputs: dict[str, Any],
        asked: StepResult | None,
        done: dict[int, StepResult],
        lent: list[str],
    ) -> dict[str, Compared]:
        """Each part's answer beside torch's.

        Raises:
            _NotGraded: there is none, or none that can be judged.
        """
        if asked is None:
            raise _NotGraded("its graded cell was not reached")
        if asked.answer is None:
            raise _NotGraded(_reason(asked, done, self._limits))
        answer = asked.answer
        self._heard(exercise, inputs, answer, lent)
        with _one_exercises_alone():
            return compared(exercise, inputs, read(answer), self._expected(exercise))

    def _expected(self, exercise: Exercise) -> list[Seen]:
        """What torch answers to all of the exercise, asked once."""
        if exercise.name not in self._truth:
            self._truth[exercise.name] = expected(exercise, self._inputs[exercise.name])
        return self._truth[exercise.name]

    def results(self) -> Iterator[Result]:
        """The results, in the chapter's order."""
        for exercise in self._exercises:
            reason, found = self._reasons.get(exercise.name, ""), self._diagnosed(exercise)
            if not found:
                yield not_graded(exercise, f"not graded: {reason}")
                continue
            missing = Finding("missing", "the answer", f"No answer: {reason}.")
            yield of_findings(exercise, {part: found.get(part, missing) for part in exercise.points})

    def _diagnosed(self, exercise: Exercise) -> dict[str, Finding]:
        """Part → finding, with the mistakes' names, as far as these are found: no point hangs on a name."""
        named: dict[str, Finding] = {}
        for part, one in self._found.get(exercise.name, {}).items():
            named[part] = one if isinstance(one, Finding) else one.finding
            if named[part].kind == "not done" and exercise.name in self._unread:
                named[part] = self._unread[exercise.name]
                continue
            with contextlib.suppress(_NotGraded), _one_exercises_alone():
                named[part] = one if isinstance(one, Finding) else one.diagnosed()
        return named


class _NotGraded(Exception):
    """There is nothing to judge, and the message says why."""


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Let no finalizer run in the block: `ask/heard.py` listens there, and must hear itself first."""
    collected = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collected:
            gc.enable()


@contextlib.contextmanager
def _one_exercises_alone() -> Iterator[None]:
    """Look at a student's answer within bounds: whatever it breaks is this exercise's alone.

    Raises:
        _NotGraded: it broke something.
    """
    try:
        with _one_at_a_time, _uncollected(), bounded(ASSESS_SECONDS, ASSESS_BYTES):
            yield
    except TooLong:
        raise _NotGraded(f"its answer was still being compared after {ASSESS_SECONDS} seconds") from None
    except BadEvidence as error:
        raise _NotGraded(str(error)) from None
    except CourseError:
        raise
    except Exception as error:
        raise _NotGraded(f"its answer cannot be compared ({type(error).__name__}: {error})") from None


def question(
    exercise: Exercise, inputs: dict[str, Any], lent: list[str] | None = None, later: list[str] | None = None
) -> str:
    """The program that asks a student's process for an exercise's evidence: it leaves JSON in `answer`.

    Args:
        exercise: the exercise.
        inputs: what its probe is given.
        lent: parts in whose place minigrad's own definitions stand while it runs.
        later: parts that are not there while it runs.
    """
    sent = _sent(exercise.probe, tuple(lent or ()), tuple(later or ()), exercise.chapter)
    # A namespace of its own: a student who called a variable `list` has not broken the question.
    return (
        f"apart = {{'given': {{**__import__('builtins').globals()}}, 'inputs': {json.dumps(inputs)!r}}}\n"
        f"sent = __import__('zlib').decompress(__import__('base64').b64decode({sent!r}))\n"
        f"for piece in __import__('marshal').loads(sent):\n"
        f"    __import__('builtins').exec(piece, apart)\n"
        f"answer = apart['answer']\n"
    )


@functools.lru_cache(maxsize=1000)
def _sent(own: Probe, lent: tuple[str, ...], later: tuple[str, ...], chapter: int) -> str:
    """A question without its inputs: code that is made once here, and not once a question there."""
    asked = f"{own.__name__}, __import__('minigrad'), Names(given), json.loads(inputs), twice=True"
    ask = f"answer = observe({asked})"
    program = [_compiled(_probe_source(own))]
    if lent:
        texts = {name: source.reference(places.find(name)) for name in lent}
        program.append(_compiled(inspect.getsource(lend)))
        ask = f"with lending({texts!r}, {list(later)!r}, {chapter}):\n    {ask}"
    pieces = marshal.dumps([*program, compile(ask, "<string>", "exec", dont_inherit=True)])
    return base64.b64encode(zlib.compress(pieces, 1)).decode()


@functools.cache
def _compiled(text: str) -> CodeType:
    """The text's code: the kernel's interpreter is this one."""
    return compile(text, "<string>", "exec", dont_inherit=True)


@functools.cache
def _probe_source(own: Probe) -> str:
    texts = inspect.getsource(probe), inspect.getsource(heard), "from typing import Any", inspect.getsource(own)
    return "\n".join(map(textwrap.dedent, texts))


def _reason(asked: StepResult, done: dict[int, StepResult], limits: Limits) -> str:
    """Why there is no answer: what the question came to, or what ended the notebook before it was asked."""
    if asked.state == "timeout":
        return f"your code for it was still running after {limits.cell_seconds:g} seconds of processor time"
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
