"""A verdict as HTML: below a `check` in a notebook, and on a feedback page. It has one form, which is made here.

A box begins with a mark and words; then comes what to do, then what was seen, and the numbers are folded away. Colour,
and how the line at the box's side is drawn, only repeat what the words say. The colours are those of JupyterLab's
theme: another page gives their variables values of its own.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable

from .assess import Result
from .finding import Finding
from .render import page

# How something went → its sign, and its words.
SIGNS = {
    "right": ("✓", "right"),
    "waits": ("◔", "right, but waits for another definition"),
    "not done": ("✎", "not done yet"),
    "wrong": ("✗", "not right yet"),
    "open": ("○", "not graded"),
}
SIDES = {  # the line at the box's side
    "right": "solid var(--jp-success-color1, #1b6b3a)",
    "waits": "double var(--jp-info-color1, #4a3f9f)",
    "not done": "dotted var(--jp-warn-color1, #7a4100)",
    "wrong": "solid var(--jp-error-color1, #b3261e)",
    "open": "dotted var(--jp-border-color1, #767676)",
}
BOX = (
    "border: 1px solid var(--jp-border-color1, #767676); border-left: 6px {side}; border-radius: 4px; "
    "max-width: 60em; margin: 4px 0; padding: 6px 14px; overflow-wrap: break-word"
)
PARAGRAPH = '<p style="margin: 4px 0">{}</p>'
# What is said of an error: its own words, where it was raised, and in which line.
STOPPED = re.compile(r"\bstopped with (.{1,300}?)(?: at: (.{1,300}?))? \(line (\d{1,5})\)")
CODE = re.compile(f"{STOPPED.pattern}|`([^`]{{1,300}})`")

Anchor = Callable[[str], str]
Beside = Callable[[str], list[str]]


def boxes(result: Result, title: str, anchor: Anchor, beside: Beside = lambda part: []) -> str:
    """A box for what was found of each part, in their order; parts of which the same was found share one.

    Args:
        result: the verdict.
        title: what the exercise is called, which names the box where nothing was found.
        anchor: a section's heading → its id, where the box is shown.
        beside: part → what is shown below what was seen of it, as HTML.
    """
    if not result.findings:
        return box("open", title, [reason(result.state)])
    found: dict[Finding, list[str]] = {}
    for part, finding in result.findings.items():
        found.setdefault(finding, []).append(part)
    return "".join(_box(finding, parts, anchor, beside) for finding, parts in found.items())


def _box(finding: Finding, parts: list[str], anchor: Anchor, beside: Beside) -> str:
    names, state = " and ".join(parts), how(finding)
    if state == "waits":
        ours, are = finding.waits, "are" if " and " in finding.waits else "is"
        works = f"Tested with a correct {ours}; it will work with yours once {ours} {are} right."
        return box(state, names, [works], words=f"right, but waits for {ours}")
    message = _without_mark(finding.message)
    # A known mistake's sentence stands for itself; any other speaks of what was seen.
    said, seen = ([finding.advice], [message]) if finding.cause else ([message, finding.advice], [])
    more = [f"Read again: the section {_link(finding.section, anchor)}."] if finding.section else []
    more = [PARAGRAPH.format(line) for line in [*more, *map(shown, filter(None, seen))]]
    more += [one for part in parts for one in beside(part)]
    if finding.comparison:
        more.append(f"<details><summary>The numbers</summary>{PARAGRAPH.format(page(finding.comparison))}</details>")
    return box(state, names, said, more)


def box(state: str, name: str, said: Iterable[str] = (), more: Iterable[str] = (), words: str = "") -> str:
    """A box.

    Args:
        state: how it went, of `SIGNS`.
        name: whose verdict it is.
        said: sentences, which stand beside the mark.
        more: what stands below them, as HTML.
        words: the state's, where they say more than `SIGNS` does.
    """
    first = [mark(state, f"{name}: {words or SIGNS[state][1]}."), *map(shown, filter(None, said))]
    lines = "".join([PARAGRAPH.format(" ".join(first)), *more])
    return f'<div class="verdict" style="{BOX.format(side=SIDES[state])}">{lines}</div>'


def mark(state: str, words: str) -> str:
    """How something went: its sign, and words, which need no colour and are what is read aloud."""
    sign, look = SIGNS[state][0], state.replace(" ", "-")
    return f'<strong class="is-{look}"><span aria-hidden="true">{sign}&nbsp;</span>{page(words)}</strong>'


def how(finding: Finding) -> str:
    """How a part went: a key of `SIGNS`."""
    if finding.right:
        return "waits" if finding.waits else "right"
    return "not done" if finding.kind == "not done" else "wrong"


def _link(section: str, anchor: Anchor) -> str:
    return f'<a href="#{html.escape(anchor(section), quote=True)}">“{page(section)}”</a>'


def _without_mark(message: str) -> str:
    """A finding's message without what the box's mark says."""
    if message.startswith("Right: "):
        return _sentence(message.removeprefix("Right: "))
    return message.removeprefix("Not done yet: ")


def reason(state: str) -> str:
    """Why there is no verdict, as a sentence."""
    return _sentence(re.sub("^not graded(?: yet)?: ", "", state).rstrip(".") + ".")


def _sentence(words: str) -> str:
    """Words that begin a sentence; names, such as a file's, stay as they are."""
    return f"{words[0].upper()}{words[1:]}" if re.match("(?:a|it|its|no|the|there|your) ", words) else words


def shown(sentence: str) -> str:
    """A sentence as HTML; as code what stands in backticks, an error's words, and the line that raised it."""

    def marked(found: re.Match[str]) -> str:
        error, line, number, code = found.groups()
        if code:
            return f"<code>{code}</code>"
        at = f" at <code>{line}</code>" if line else ""
        return f"stopped with <code>{error}</code>{at} (line {number})"

    return CODE.sub(marked, page(sentence))
