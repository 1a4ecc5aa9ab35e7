"""Findings and results as text, for terminals, tables and pages: a submission is quoted, never interpreted."""

from __future__ import annotations

import html
import re

from .assess import Result
from .finding import Finding
from .inert import CONTROL
from .probe import shortened

MOST_OF_AN_ERROR = 2_000  # characters: nobody reads more of it in a sentence


def plain(text: str, most: int = 400) -> str:
    """One line of text without control characters, shortened to a length."""
    line: str = shortened(" ".join(CONTROL.sub("", text).split()), most)
    return line


def without_file(error: str) -> str:
    """A syntax error's message without the name that IPython gives a cell's file."""
    # A file's name is short: unbounded, the search would take the square of what a student wrote.
    return re.sub(r"\([^\s(]{1,300}(?:\.py|>), line", "(line", error[:MOST_OF_AN_ERROR])


def mark(finding: Finding) -> str:
    """How far the part is, in words, unless the finding's own message begins with that."""
    return "" if finding.kind in ("right", "not done") else "not right yet. "


def report(result: Result) -> str:
    """A result as the learner reads it: for each part what is wrong, what was seen, where to read again, the numbers.

    A known mistake's sentence says what is wrong, and comes first; else it is what was seen, and how that is related.
    """
    lines = [] if result.findings else [plain(result.state)]
    for part, finding in result.findings.items():
        again = f"Read again: the section “{finding.section}”." if finding.section else ""
        said = [finding.message, finding.advice]
        first, then = reversed(said) if finding.cause else said
        lines.append(f"{part}: {mark(finding)}{plain(first)}")
        lines += [f"    {plain(more)}" for more in (then, again, finding.comparison) if more]
    return "\n".join(lines)


def sentences(result: Result, stopped: str = "") -> list[str]:
    """What is to be said of a result, where the learner's own cell ended with the error `stopped`, if with any."""
    said = result.sentences()
    if not stopped or result.right or result.state != "graded":
        return said
    undone = all(finding.kind == "not done" for finding in result.findings.values() if not finding.right)
    return [f"Your cell stopped with {stopped.rstrip('.')}.", *([] if undone else said)]


def diagnosis(result: Result, stopped: str = "") -> str:
    """A result in one line, for a table; see `sentences`."""
    return plain(" ".join(sentences(result, stopped)))


def page(text: str) -> str:
    """Text for an HTML page: no markup, and no formula that the page's scripts would typeset."""
    return html.escape(plain(text)).replace("$", "&#36;").replace("\\", "&#92;")
