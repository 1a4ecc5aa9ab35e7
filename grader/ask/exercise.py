"""The declaration of an exercise: everything that grading it needs, in one place."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

# What every draw for numbers contains, and every draw that has gradients from above: formulas differ there that agree
# elsewhere. An exercise says which of them it has not, and why, and which it has besides.
ORDINARY = ("a zero", "a one", "a negative number", "a tie", "a single number", "an axis of length 1")
ABOVE = ("an upstream of 0", "an upstream of 1", "any upstream")

AUTOGRAD = "the same as torch.autograd, to rounding"

Probe = Callable[[ModuleType, Mapping[str, Any], str, Any], Iterator[tuple[str, object]]]


@dataclass(frozen=True)
class Exercise:
    """One exercise: what the learner writes, how it is probed, and what it is worth.

    Attributes:
        name: the grade_id of its solution cell; its graded cell is `<name>-graded`.
        chapter: the chapter's number.
        title: its heading in the chapter.
        points: points for each part, e.g. `{"Neg": 1, "Sub": 1}`.
        draw: makes each part's inputs – JSON data – from a random generator.
        probe: `probe(torch, given, part, inputs)` yields (place, value) for one part; an error ends that
            part and no other. Its text is sent to the learner's process, where `torch` is minigrad and
            `given` the notebook's names; the trusted process runs it on torch itself, where `given` is
            `twin(torch)`.
        twin: the functions that the learner writes besides parts of the engine, for any of the two.
        also: the special situations of its own that each draw contains, besides ORDINARY and ABOVE.
        without: of those two, what its draws have not, and why. A test measures what they contain.
        agrees: part → what a right answer is the same as, as a learner reads it, where that is not AUTOGRAD.
        tried: part → from one of its cases, lines that ask it, which a learner can run; see `tried`. Where a case takes
            more than a few lines, there are none.
    """

    name: str
    chapter: int
    title: str
    points: Mapping[str, float]
    draw: Callable[[np.random.Generator], dict[str, Any]]
    probe: Probe
    twin: Callable[[ModuleType], Mapping[str, Any]] = lambda torch: {}
    also: tuple[str, ...] = ()
    without: Mapping[str, str] = field(default_factory=dict)
    agrees: Mapping[str, str] = field(default_factory=dict)
    tried: Mapping[str, Callable[[Any], list[str]]] = field(default_factory=dict)

    @property
    def max_score(self) -> float:
        """The points of all of its parts."""
        return float(sum(self.points.values()))

    @property
    def graded_cell(self) -> str:
        """The grade_id of its locked, graded cell."""
        return f"{self.name}-graded"


PUBLIC_SECRET = b"minigrad: the seed of a learner's own check is no secret"


def generator(secret: bytes, student: str, exercise: str, submission: str = "") -> np.random.Generator:
    """The random generator of one submission's exercise: HMAC-SHA256 of what names it, keyed by the course secret.

    Args:
        secret: the course's.
        student: whose it is; "" for a learner's own check.
        exercise: its name.
        submission: `submission.digest` of the work: what one hand-in saw is worth nothing to the next. "" for a
            learner's own check, whose inputs stay the same.
    """
    message = "\0".join([student, exercise, submission or "0"]).encode("utf-8", "surrogatepass")
    import numpy as np  # here, for what only reads what was graded before needs none

    return np.random.default_rng(int.from_bytes(hmac.new(secret, message, hashlib.sha256).digest(), "big"))
