"""What a comparison found, as data; the notebook, the feedback page, the table and JSON render it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from ..ask.exercise import AUTOGRAD


@dataclass(frozen=True)
class Finding:
    """The first thing that tells an answer from torch's, or that nothing does.

    Attributes:
        kind: `right`, or the step of the comparison that failed: `not done`, `missing`, `raised`,
            `type`, `shape`, `dtype`, `not finite`, `flags`, `values`, `in place`, `again`, `tensors` (a rule
            that stops on tensors).
        place: where it was seen, in words.
        message: one sentence; never an expected number.
        comparison: the largest difference, and what rounding explains, where numbers were compared.
        cause: the misconception that would have answered the same, "" when none does.
        advice: that misconception's sentence; without a cause, how the numbers are related to torch's, or what to do.
        section: the heading of the chapter that treats it.
        waits: the parts, not right yet, that a part which is right needs before it runs on the learner's own engine.
    """

    kind: str
    place: str = ""
    message: str = ""
    comparison: str = ""
    cause: str = ""
    advice: str = ""
    section: str = ""
    waits: str = ""

    def same_as(self, agrees: str) -> Finding:
        """The finding, which says of what is right what it is the same as, in an exercise's own words."""
        return replace(self, message=self.message.replace(AUTOGRAD, agrees)) if self.right else self

    @property
    def right(self) -> bool:
        """Whether nothing was found to be wrong."""
        return self.kind == "right"

    def sentence(self) -> str:
        """The finding in a line: the diagnosis where there is one, what was seen where there is none."""
        return self.advice if self.cause else f"{self.message} {self.advice}".rstrip()

    def as_dict(self) -> dict[str, str]:
        """The finding as JSON data."""
        return asdict(self)


RIGHT = Finding("right", message=f"Right: {AUTOGRAD}.")


def right_but_waiting(names: list[str]) -> Finding:
    """A part that is right where minigrad lends it what it runs on, and does not run on the learner's own."""
    waits = " and ".join(names)
    own = waits if len(names) < 3 else "definitions of them"
    words = f"Right; waits for {waits}: on minigrad's own {own} it answers {AUTOGRAD}."
    return Finding("right", message=words, waits=waits)
