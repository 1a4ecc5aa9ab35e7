"""What a check says: a card in a notebook, and the same as text for a terminal and for `print`."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..verdict.assess import Result
from ..verdict.box import PARAGRAPH, boxes, shown
from ..verdict.render import report as as_text

CODE = (  # JupyterLab would break its lines; a long one is scrolled
    "margin: 4px 0; padding: 4px 10px; border-left: 2px solid var(--jp-border-color1, #767676); "
    "white-space: pre; word-break: normal; overflow-x: auto"
)
CELL = (
    "border: 0; font-weight: {weight}; padding: 0 1em 0 0; text-align: left; vertical-align: top; white-space: {white}"
)
VALUE = "font-family: var(--jp-code-font-family, monospace); overflow-wrap: anywhere; white-space: pre-wrap"


@dataclass(frozen=True)
class Case:
    """The smallest case that shows a mistake.

    Attributes:
        place: where.
        asked: lines of Python that show it.
        mine, theirs: the learner's value there, and torch's.
    """

    place: str
    asked: Sequence[str]
    mine: str
    theirs: str

    @property
    def lines(self) -> list[str]:
        """What was asked, and both values, as lines of Python."""
        return [*self.asked, f"# yours:   {self.mine}", f"# torch's: {self.theirs}"]


@dataclass(frozen=True)
class Card:
    """A check's answer.

    Attributes:
        result: what was found of each part.
        cases: part → the smallest case that shows what is wrong with it.
        why: sentences that only the learner's own process can say.
        first: what makes the check judge something else than the learner last wrote.
        last: what became of the parts that are right.
    """

    result: Result
    cases: Mapping[str, Case] = field(default_factory=dict)
    why: Sequence[str] = ()
    first: Sequence[str] = ()
    last: Sequence[str] = ()

    def __str__(self) -> str:
        cases = [line for part, case in self.cases.items() for line in _as_lines(part, case)]
        return "\n".join([*self.first, as_text(self.result), *cases, *self.why, *self.last])

    def html(self) -> str:
        """The card: a box for what was found of each part, between what is said of all of it."""
        found = boxes(self.result, self.result.exercise, _anchor, self._beside)
        return "".join([*map(_note, self.first), found, *map(_note, [*self.why, *self.last])])

    def _beside(self, part: str) -> list[str]:
        case, message = self.cases.get(part), self.result.findings[part].message
        return _shown(case, said=case.place.lower() in message.lower()) if case else []

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self.html()}


def _as_lines(part: str, case: Case) -> Iterator[str]:
    yield f"    {part}, the smallest case that shows it – {case.place}:"
    yield from (f"        {line}" for line in case.lines)


def _anchor(section: str) -> str:
    """The id that JupyterLab gives a heading."""
    return section.replace(" ", "-")


def _note(sentence: str) -> str:
    return PARAGRAPH.format(shown(sentence))


def _shown(case: Case, said: bool) -> list[str]:
    """Both values under each other, and below them the lines to try; where, unless it was said."""
    rows = "".join(
        f'<tr style="background: none"><th scope="row" style="{CELL.format(weight=400, white="nowrap")}">{whose}</th>'
        f'<td style="{CELL.format(weight=600, white="normal")}; {VALUE}">{html.escape(value)}</td></tr>'
        for whose, value in (("yours", case.mine), ("torch's", case.theirs))
    )
    return [
        _note(f"The smallest case that shows it{'' if said else f' – {case.place}'}:"),
        f'<table style="border: 0; font-size: inherit; margin: 4px 0">{rows}</table>',
        *([_note("Try it yourself:"), _code(case.asked)] if case.asked else []),
    ]


def _code(lines: Sequence[str]) -> str:
    return f'<pre tabindex="0" style="{CODE}">{html.escape(chr(10).join(lines))}</pre>'
