"""Runs one submission's cells, and asks its kernel for evidence. Nothing here believes the kernel."""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from nbformat import NotebookNode

from .guard import End
from .kernel import Exchange, Kernel, KernelGone
from .limits import Limits
from .outputs import Display, Outputs
from .sandbox import sandbox_problem

ANSWER_MIME = "application/vnd.minigrad.answer+json"

State = Literal["ok", "error", End, "output cut", "not run"]

# A probe does not go through the shell's cells, whose transformers and hooks are the student's. It is evaluated, in a
# copy of the student's namespace, and its answer returns with the reply, which no flood of output can displace.
_ANSWER_OBJECT = f"""
new = __import__("builtins").type  # the student may have a variable of that name
answer = new("Answer", (), {{"_repr_mimebundle_": lambda self, text=answer, **_: {{{ANSWER_MIME!r}: text}}}})()
"""


SPARED_AFTER = 2  # kernels: those that can still be started are for what is graded
SPARED = "Left out: cells before it ended the kernel so often that only the chapter's own are run from here on."


class SandboxUnavailable(RuntimeError):
    """Kernels cannot be sandboxed on this machine; the message says why."""


@dataclass(frozen=True)
class Step:
    """One thing to do in the kernel.

    Attributes:
        index: the caller's number for it.
        source: a student's cell, or the text of a trusted probe.
        kind: "run" runs a cell. "ask" runs a probe, which sees the student's names as its globals and must leave its
            answer, a JSON text, in the variable ``answer``. What it assigns does not reach the student's namespace.
        spare: it is left out where two kernels have ended, for others matter more.
    """

    index: int
    source: str
    kind: Literal["run", "ask"] = "run"
    spare: bool = False


@dataclass
class StepResult:
    """What a step came to.

    Attributes:
        index: the step's.
        outputs: notebook outputs (version 4); empty for "ask".
        state: how it ended.
        detail: one sentence on anything but "ok", and on an answer that is missing.
        answer: the text that a probe left, unread and not to be trusted; None if there is none.
    """

    index: int
    outputs: list[NotebookNode] = field(default_factory=list)
    state: State = "ok"
    detail: str = ""
    answer: str | None = None


def run_steps(
    steps: Iterable[Step],
    course: Path,
    limits: Limits | None = None,
    unsafe: bool = False,
    on_step: Callable[[StepResult], None] | None = None,
) -> list[StepResult]:
    """Run one submission in a kernel of its own, and return a result for each step.

    A step that runs out of time or kills its kernel loses only itself: a new kernel runs the earlier cells again
    (their results stay as they were), leaves that one out, and goes on.

    Args:
        steps: in the order of the notebook; each is asked for when the one before is done.
        course: folder of the packages that the kernel is to import as the course; first on its import path.
        limits: bounds; `Limits()` by default.
        unsafe: go on without a sandbox.
        on_step: called with each result as soon as it is there.

    Raises:
        SandboxUnavailable: there is no sandbox here, and `unsafe` was not asked for. Nothing that a submission does
            raises anything.
    """
    problem = None if unsafe else sandbox_problem()
    if problem:
        raise SandboxUnavailable(problem)
    with _Room(course, limits or Limits(), unsafe).opened() as room:
        results = []
        for step in steps:
            results.append(room.do(step))
            if on_step:
                on_step(results[-1])
    return results


class _Room:
    """The kernels of one submission, one after another, and what is left of its limits."""

    def __init__(self, course: Path, limits: Limits, unsafe: bool) -> None:
        self._course, self._limits, self._unsafe = course, limits, unsafe
        self._end = time.monotonic() + limits.total_seconds * limits.patience
        self._used = self._idle = 0.0  # by kernels that have ended
        self._output_room = limits.output_total_bytes
        self._starts_left = 1 + limits.restarts
        self._kernel: Kernel | None = None
        self._last_end: KernelGone | None = None
        self._displays: dict[str, list[Display]] = {}  # by the name under which a cell may change them
        self._done: list[str] = []  # Cells that ended and left the kernel alive: what a new kernel runs first.

    @contextmanager
    def opened(self) -> "Iterator[_Room]":
        try:
            yield self
        finally:
            self._close()

    def do(self, step: Step) -> StepResult:
        outputs = Outputs(min(self._limits.output_bytes, self._output_room), self._displays)
        result = StepResult(step.index, outputs.list)
        try:
            kernel = self._ready()
        except KernelGone as gone:
            result.state, result.detail = "not run", gone.detail
            return result
        if step.spare and self._limits.restarts + 1 - self._starts_left > SPARED_AFTER:
            result.state, result.detail = "not run", SPARED
            return result
        try:
            if step.kind == "ask":
                self._ask(kernel, step, result)
            else:
                self._run(kernel, step, outputs, result)
        except KernelGone as gone:
            self._close()
            self._last_end = gone
            result.state, result.detail = gone.state, gone.detail
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError, MemoryError) as error:
            # What the kernel sent broke its reading: as bad as no kernel, and no worse.
            self._close()
            result.state, result.detail = "died", f"The kernel sent what cannot be read ({type(error).__name__})."
        self._output_room -= outputs.used
        return result

    def _run(self, kernel: Kernel, step: Step, outputs: Outputs, result: StepResult) -> None:
        exchange = self._execute(kernel, step.source, outputs)
        if not exchange.complete:  # What got lost did so because it was too large, or too much, to be received.
            outputs.say_cut()
        result.state, result.detail = _judge(exchange)
        if _asked_to_exit(exchange):
            raise KernelGone("died", "The cell told the kernel to exit.")
        self._done.append(step.source)

    def _ask(self, kernel: Kernel, step: Step, result: StepResult) -> None:
        program = step.source + _ANSWER_OBJECT
        own = "__import__('builtins')"  # the student may have a variable called `exec`
        expression = f"(lambda scope: {own}.exec({program!r}, scope) or scope['answer'])({{**{own}.globals()}})"
        exchange = self._execute(kernel, "", Outputs(0), expression)
        result.answer, result.detail = _read_answer(exchange.reply, self._limits.answer_bytes)
        result.state = "ok" if result.answer is not None else "error"

    def _execute(self, kernel: Kernel, code: str, outputs: Outputs, expression: str | None = None) -> Exchange:
        left = max(0.0, self._limits.total_seconds - self._used - kernel.used)
        seconds = min(self._limits.cell_seconds, left)
        wall = min(self._limits.cell_seconds * self._limits.patience, self._end - time.monotonic())
        idle = self._limits.idle_seconds - self._idle - kernel.idle
        return kernel.execute(code, seconds, wall, outputs, expression is not None, expression, idle)

    def _ready(self) -> Kernel:
        """A kernel with all earlier cells in it.

        Raises:
            KernelGone: there is none, and there will be none.
        """
        if self._kernel and (gone := self._kernel.gone()):
            # It ended after its last reply, by a thread or a timer: no step can be blamed.
            self._close()
            self._last_end = gone
        while self._kernel is None:
            if time.monotonic() > self._end or self._used > self._limits.total_seconds:
                raise KernelGone("timeout", "The time for the whole notebook was used up.")
            if self._idle > self._limits.idle_seconds:
                raise KernelGone("waited", "The notebook waited too long without computing anything.")
            if self._starts_left == 0:
                raise KernelGone("died", f"The kernel ended too often. {self._last_end}")
            self._starts_left -= 1
            try:
                self._kernel = Kernel(self._course, self._limits, self._end, self._unsafe)
                self._replay(self._kernel)
            except KernelGone as gone:
                self._close()
                self._last_end = gone
        return self._kernel

    def _replay(self, kernel: Kernel) -> None:
        for number, source in enumerate(self._done):
            try:
                self._execute(kernel, source, Outputs(0))
            except KernelGone:
                del self._done[number]  # It did no harm the first time; it does not get a third one.
                raise

    def _close(self) -> None:
        if self._kernel:
            self._kernel.kill()
            self._used += self._kernel.used
            self._idle += self._kernel.idle
        self._kernel = None


def _judge(exchange: Exchange) -> tuple[State, str]:
    """State and sentence of a cell that came to its end."""
    reply = exchange.reply
    if reply.get("status") != "ok":
        error = reply
        if reply.get("ename") == "NoneType":  # IPython's word for a result that could not be shown.
            error = next((o for o in reversed(exchange.outputs.list) if o.output_type == "error"), reply)
        name, value = str(error.get("ename", "unknown"))[:200], str(error.get("evalue", ""))[:500]
        if name == "MemoryError":
            return "out of memory", "The cell asked for more memory than there is."
        return "error", f"{name}: {value}" if value else name
    if exchange.outputs.cut:
        return "output cut", "The cell printed more than can be kept; the rest was cut."
    return "ok", ""


def _asked_to_exit(exchange: Exchange) -> bool:
    payload = exchange.reply.get("payload")
    return isinstance(payload, list) and any(isinstance(p, dict) and p.get("source") == "ask_exit" for p in payload)


def _read_answer(reply: dict[str, Any], answer_bytes: int) -> tuple[str | None, str]:
    """The answer in a reply, or None and the reason. Only its type and length are looked at."""
    try:
        entry = reply["user_expressions"]["answer"]
        if entry["status"] != "ok":
            return None, f"The probe ended with {str(entry['ename'])[:200]}: {str(entry['evalue'])[:500]}"
        text = entry["data"][ANSWER_MIME]
    except (KeyError, TypeError):
        return None, "The kernel sent no answer."
    if not isinstance(text, str):
        return None, "The kernel's answer is not a text."
    size = len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace"))
    if size > answer_bytes:
        return None, f"The kernel's answer has {size} bytes; at most {answer_bytes} are taken."
    return text, ""
