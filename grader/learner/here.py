"""This process: the learner's code in it, what that answers, and the verdict on the answer."""

from __future__ import annotations

import builtins
import contextlib
import io
import sys
import warnings
from collections.abc import Iterator
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

import minigrad
from minigrad import workshop
from minigrad.workshop.later import Later

from ..ask.exercise import PUBLIC_SECRET, Exercise, generator
from ..ask.heard import listening
from ..chapters import CHAPTERS
from ..verdict import probe
from ..verdict.assess import Result, of_findings
from ..verdict.evidence import BadEvidence
from ..verdict.finding import Finding, right_but_waiting
from ..verdict.lend import replaced
from .checking import finding_of, result_of, waiting
from .kept import Kept

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


def result_here(exercise: Exercise) -> Result:
    """Assess the exercise in this process: what is wrong is asked again on minigrad's own definitions of the rest."""
    inputs = public_inputs(exercise)
    result = result_of(exercise, inputs, _observe(exercise, inputs))
    if result.right or result.state != "graded":
        return result
    with silence():
        found = {part: f if f.right else _on_lent_parts(exercise, part, f) for part, f in result.findings.items()}
        return of_findings(exercise, _waiting(exercise, found) if isinstance(exercise, Kept) else found)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """A block in which the learner's code runs again: what it prints or warns of is known, or another check's."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _on_lent_parts(exercise: Exercise, part: str, finding: Finding) -> Finding:
    """What is found of a part on minigrad's own definitions in the place of all others."""
    lent = others_of(exercise, part)
    if not lent:
        return finding
    found = _found(exercise, part, lent)
    if not found.right:
        return found
    needed = [n for n in lent if not _found(exercise, part, {m: d for m, d in lent.items() if m != n}).right]
    return right_but_waiting(needed or list(lent))


def others_of(exercise: Exercise, part: str) -> dict[str, Any]:
    """minigrad's own definitions of all other parts in whose place the learner's stand, as far as there are any here.

    A bundle has those of earlier chapters.
    """
    own = workshop.own_parts(exercise.chapter)
    others = [p for p in workshop.PARTS if p.name != part and not isinstance(_inside(own[p.name]), Later)]
    return {p.name: own[p.name] for p in others if workshop.places.current(p) is not own[p.name]}


def _inside(definition: Any) -> Any:
    """The function inside a property; anything else as it is."""
    return definition.fget if isinstance(definition, property) else definition


def answered(exercise: Exercise, inputs: dict[str, Any], lent: dict[str, Any]) -> str:
    """What the learner's code answers while minigrad's own definitions stand in the place of some."""
    with workshop.using(**lent), replaced(names_here(), lent):
        return _observe(exercise, inputs)


def _found(exercise: Exercise, part: str, lent: dict[str, Any]) -> Finding:
    inputs = {part: public_inputs(exercise)[part]}
    answer = answered(exercise, inputs, lent)
    try:
        return finding_of(exercise, part, inputs, answer)
    except BadEvidence as error:
        return Finding("missing", "the answer", f"No answer: {error}.")


def _waiting(exercise: Kept, found: dict[str, Finding]) -> dict[str, Finding]:
    """What is found, where a wrong part that runs on another says so: nobody lends it that here.

    It may be right, so nothing else is said of it. Of the parts before it, those count that are wrong and do not wait.
    """
    wrong: list[str] = []
    for one in (*_before(exercise), exercise):
        given = public_inputs(one)
        judged = found if one is exercise else dict(result_of(one, given, _observe(one, given)).findings)
        for part, finding in judged.items():
            if finding.right:
                continue
            names = _running(one, part, wrong)
            if names:
                judged[part] = waiting(part, finding, names)
            else:
                wrong.append(part)
    return found


def _before(exercise: Exercise) -> list[Exercise]:
    """The exercises of its chapter that come before it; a challenge has none, and its chapter need not be here."""
    own = CHAPTERS.get(exercise.chapter, ())
    names = [one.name for one in own]
    return list(own[: names.index(exercise.name)]) if exercise.name in names else []


def _running(exercise: Exercise, part: str, names: list[str]) -> list[str]:
    """Those of some definitions of the learner's whose code runs when a part is asked."""
    codes = {id(code): name for name in names for code in _codes(_standing(name))}
    if not codes:
        return []
    with listening(lambda frame, built_in: codes.get(id(frame.f_code))) as ran:
        answered(exercise, {part: public_inputs(exercise)[part]}, others_of(exercise, part))
    return [name for name in names if name in ran]


def _standing(name: str) -> Any:
    """The learner's definition of that name: in the engine's place, where it is a part, or else in the notebook."""
    part = next((one for one in workshop.PARTS if one.name == name), None)
    return workshop.places.current(part) if part else names_here().get(name)


def _codes(definition: Any) -> Iterator[CodeType]:
    """The code of a function, of a property, or of a class's methods; a part that is not there yet has none."""
    for one in vars(definition).values() if isinstance(definition, type) else [definition]:
        function = getattr(one, "__func__", _inside(one))
        code = getattr(function, "__code__", None)
        if code is not None:
            yield code


def public_inputs(exercise: Exercise) -> dict[str, Any]:
    """The inputs that every learner's own check uses."""
    return exercise.draw(generator(PUBLIC_SECRET, "", exercise.name))


def _observe(exercise: Exercise, inputs: dict[str, Any]) -> str:
    """What the learner's code answers."""
    names = names_here()
    with _without_torch(names):
        answer: str = probe.observe(exercise.probe, minigrad, probe.Names(names), inputs, twice=True)
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
