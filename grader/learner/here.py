"""This process: the learner's code in it, what that answers, and the verdict on the answer."""

from __future__ import annotations

import builtins
import contextlib
import io
import itertools
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any

import minigrad
from minigrad import workshop

from ..ask.exercise import PUBLIC_SECRET, Exercise, generator
from ..chapters import exercises
from ..verdict import probe
from ..verdict.assess import Result
from .checking import is_right, result_of

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


def result_here(exercise: Exercise) -> Result:
    """Assess the exercise in this process; where it is wrong, see whether an earlier one of the chapter explains it."""
    inputs = _inputs(exercise)
    answer = _observe(exercise, inputs)
    result = result_of(exercise, inputs, answer)
    if result.right:
        return result
    earlier: list[Result] = []
    with silence():
        for one in itertools.takewhile(lambda e: e.name != exercise.name, exercises(exercise.chapter)):
            known = _inputs(one)
            earlier.append(result_of(one, known, _observe(one, known), earlier, again))
        return result_of(exercise, inputs, answer, earlier, again)


def silence() -> contextlib.AbstractContextManager[object]:
    """A block in which the learner's code runs again: what it prints is known, or belongs to another check."""
    return contextlib.redirect_stdout(io.StringIO())


def again(exercise: Exercise, part: str, lent: tuple[str, ...]) -> bool:
    """Whether the part is right with minigrad's own definitions in the place of those that are named."""
    inputs, own = _inputs(exercise), workshop.own_parts(exercise.chapter)
    with workshop.using(**{name: own[name] for name in lent}):
        answer = _observe(exercise, {part: inputs[part]})
    return is_right(exercise, inputs, answer, part)


def _inputs(exercise: Exercise) -> dict[str, Any]:
    """The inputs that every learner's own check uses."""
    return exercise.draw(generator(PUBLIC_SECRET, "", exercise.name))


def _observe(exercise: Exercise, inputs: dict[str, Any]) -> str:
    """What the learner's code answers."""
    names = names_here()
    with _without_torch(names):
        answer: str = probe.observe(exercise.probe, minigrad, probe.Names(names), inputs)
    return answer


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


def shell() -> InteractiveShell | None:
    """IPython, if the code runs in it."""
    return getattr(builtins, "get_ipython", lambda: None)()


def names_here() -> dict[str, Any]:
    """The notebook's names."""
    running = shell()
    return running.user_ns if running else vars(__import__("__main__"))
