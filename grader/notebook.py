"""`check` and `graded`: what a learner calls in a chapter's notebook."""

from __future__ import annotations

import builtins
import contextlib
import io
import itertools
import re
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

import minigrad
from minigrad import workshop

from . import probe
from .assess import Result
from .checking import is_right, result_of
from .doctor import other_torch
from .errors import CourseError
from .exercise import PUBLIC_SECRET, Exercise, exercise_named, exercises, generator
from .render import plain, report, without_file


class OneLine:
    """An exception that is shown as one line, without a traceback."""

    def _render_traceback_(self) -> list[str]:  # IPython asks an exception for its own rendering
        return [f"{type(self).__name__}: {self}"]


class NotRight(OneLine, AssertionError):
    """A graded cell's exercise is not right yet."""


class Stopped(OneLine, KeyboardInterrupt):
    """The kernel was interrupted while the learner's code was checked."""


def check(name: str) -> None:
    """Compare the exercise with torch.autograd on this notebook's inputs, and say in words what is found.

    A part of the engine that is right is kept in `my_minigrad/` for the next chapter.

    Args:
        name: the exercise's name, as in its heading's cell: `check("mul")`.
    """
    try:
        exercise = exercise_named(name)
        result = result_here(exercise)
    except CourseError as error:
        print(error)
        return
    for warning in [*stale(exercise), *filter(None, [other_torch()])]:
        print(warning)
    print("\n".join([report(result), *why(exercise, result)]))
    for part, finding in result.findings.items():
        if finding.right and part in {p.name for p in workshop.PARTS}:
            print(workshop.keep(part))


def graded(name: str) -> None:
    """What the locked cell of an exercise runs: silent praise, or one line that says what is not right yet.

    Raises:
        NotRight: the exercise is not right.
    """
    try:
        exercise = exercise_named(name)
        result = result_here(exercise)
    except CourseError as error:
        raise NotRight(str(error)) from None
    said = stale(exercise)
    if not result.right:
        raise NotRight(plain(" ".join([*said, *why(exercise, result), *result.sentences()])))
    for warning in said:
        print(warning)
    print("Right on this notebook's inputs. At grading, the comparison draws new ones.")


def result_here(exercise: Exercise) -> Result:
    """Assess the exercise in this process; where it is wrong, see whether an earlier one of the chapter explains it."""
    try:
        result = _assessed(exercise)
        if result.right:
            return result
        earlier: list[Result] = []
        for one in itertools.takewhile(lambda e: e.name != exercise.name, exercises(exercise.chapter)):
            with contextlib.redirect_stdout(io.StringIO()):  # what a learner's own code prints belongs to its own check
                earlier.append(_assessed(one, earlier))
        return _assessed(exercise, earlier)
    except KeyboardInterrupt as error:
        line = probe.describe_error(error)["line"]
        where = f"your code was at: {line}. If that is a loop, does it come to an end?" if line else "run it again."
        raise Stopped(f"The check was interrupted; {where}") from None


def _assessed(exercise: Exercise, earlier: Sequence[Result] = ()) -> Result:
    """Assess the exercise on the inputs that every learner's own check uses, in the light of earlier results."""
    inputs = _inputs(exercise)
    return result_of(exercise, inputs, _observe(exercise, inputs), earlier, again)


def again(exercise: Exercise, part: str, lent: tuple[str, ...]) -> bool:
    """Whether the part is right with minigrad's own definitions in the place of those that are named."""
    inputs, own = _inputs(exercise), workshop.own_parts(exercise.chapter)
    with workshop.using(**{name: own[name] for name in lent}):
        answer = _observe(exercise, {part: inputs[part]})
    return is_right(exercise, inputs, answer, part)


def why(exercise: Exercise, result: Result) -> list[str]:
    """What this process knows beside the answer: sentences about the parts that are not right."""
    return [*shaped_otherwise(result), *from_earlier(exercise, result)]


def shaped_otherwise(result: Result) -> list[str]:
    """A sentence for each wrong part that is no operation, or lacks a rule, unlike minigrad's own definition."""
    said, operation = [], minigrad.function.Function
    for part in workshop.PARTS:
        mine, own = workshop.places.current(part), workshop.places.reference(part)
        finding = result.findings.get(part.name)
        if finding is None or finding.kind in ("right", "not done") or not isinstance(own, type):
            continue
        if issubclass(own, operation) and not (isinstance(mine, type) and issubclass(mine, operation)):
            said.append(f"Your {part.name} is no Function: begin with `class {part.name}(Function):`.")
            continue
        rules = [name for name in dir(own) if name.startswith("backward_") and not hasattr(mine, name)]
        for rule in rules:
            of = rule.removeprefix("backward_")
            said.append(f"Your {part.name} has no {rule}: the method of that name is asked for the gradient of {of}.")
    return said


def from_earlier(exercise: Exercise, result: Result) -> list[str]:
    """A sentence for each wrong answer that is right but for the learner's own part of an earlier chapter."""
    own, now = workshop.own_parts(exercise.chapter), workshop.places.current
    earlier = [p for p in workshop.PARTS if p.chapter < exercise.chapter and p.exists_in(exercise.chapter)]
    kept = {part.name: part for part in earlier if now(part) is not own[part.name]}
    said = []
    for name, finding in result.findings.items():
        if finding.kind in ("right", "not done") or not kept or not again(exercise, name, tuple(kept)):
            continue
        found = next((one for one in kept if again(exercise, name, (one,))), "")
        which = f"{found} of chapter {kept[found].chapter}" if found else "parts of the earlier chapters"
        said.append(
            f"This comes from your {which} in my_minigrad/: with minigrad's own, which grading uses, your {name} is "
            "right. Mend it in its chapter, run its check, and then this notebook from the top."
        )
    return said


def _inputs(exercise: Exercise) -> Any:
    return exercise.draw(generator(PUBLIC_SECRET, "", exercise.name))


def _observe(exercise: Exercise, inputs: Any) -> str:
    """What the learner's code answers."""
    names = _names_here()
    with _without_torch(names):
        return probe.observe(exercise.probe, minigrad, probe.Names(names), inputs)


class _NoTorch(ModuleType):
    """Stands in for torch while the learner's code is checked, as it is not there when the code is graded."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise RuntimeError("torch is not there when your work is graded: use minigrad or NumPy.")


@contextlib.contextmanager
def _without_torch(names: dict[str, Any]) -> Iterator[None]:
    """Run the block without torch, whether the learner's code imports it or finds it among the notebook's names."""
    real, stand_in = sys.modules.get("torch"), _NoTorch("torch")
    found = [name for name, value in names.items() if real is not None and value is real]
    sys.modules["torch"] = stand_in
    names.update(dict.fromkeys(found, stand_in))
    try:
        yield
    finally:
        del sys.modules["torch"]
        if real is not None:
            sys.modules["torch"] = real
        names.update(dict.fromkeys(found, real))


def stale(exercise: Exercise) -> list[str]:
    """What makes this check judge something else than the learner last wrote."""
    said = _left_by_its_cell(exercise)
    parts = {part.name: part for part in workshop.PARTS}
    for name in exercise.points:
        mine = _names_here().get(name)
        if mine is not None and name in parts and not workshop.places.stands(parts[name], mine):
            said.append(f"Your {name} is not in the engine: put @workshop.part above it and run its cell again.")
    return said


def _left_by_its_cell(exercise: Exercise) -> list[str]:
    """What the cell that defined the exercise's parts last leaves to say: it ended with an error, or needs torch."""
    shell = _shell()
    if shell is None:
        return []
    names = "|".join(map(re.escape, exercise.points))
    cells = dict(enumerate(shell.history_manager.input_hist_raw))
    runs = [n for n, text in cells.items() if re.search(rf"^\s*(class|def)\s+({names})\b", text, re.MULTILINE)]
    last = max(runs, default=None)
    error = getattr(shell.history_manager, "exceptions", {}).get(last)
    if error is not None and error["ename"] != "NotImplementedError":  # the message of an untouched stub
        words = without_file(f"{error['ename']}: {error['evalue']}").rstrip(".")
        return [f"Your cell stopped with {plain(words)}; what is checked is what ran before it."]
    if re.search(r"^(import|from)\s+torch\b", cells.get(last, ""), re.MULTILINE):
        return [
            "Your cell imports torch, which is not there when your work is graded: move that to a cell of your own."
        ]
    return []


def _shell() -> Any:
    """IPython, if the code runs in it."""
    return getattr(builtins, "get_ipython", lambda: None)()


def _names_here() -> dict[str, Any]:
    """The notebook's names."""
    shell = _shell()
    return shell.user_ns if shell else vars(__import__("__main__"))
