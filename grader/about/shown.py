"""How a feedback page shows code and drawings: lines with numbers, the wrong one marked, graphs upright on a phone."""

from __future__ import annotations

import base64
import functools
import re
from collections.abc import Iterable
from pathlib import Path

from ..publish.book.narrow import narrow
from ..publish.course import assignment, course_root
from ..verdict.box import STOPPED

CODE = re.compile(r"<pre>(?:<span></span>)?(.*?)\n?</pre>", re.DOTALL)
DRAWING = re.compile(r'<img [^>]*\bsrc="([\w-]+)\.svg"[^>]*>')
UPRIGHT = '<picture><source media="(max-width: 40rem)" srcset="{}">{}</picture>'


def wrong_line(source: str, said: Iterable[str]) -> int:
    """The number of the line of an answer that an error was raised in; 0 if it is not this answer's."""
    lines = source.split("\n")
    for found in filter(None, map(STOPPED.search, said)):
        number = int(found[3])
        if 0 < number <= len(lines) and found[2] in (None, lines[number - 1].strip()):
            return number
    return 0


def numbered(code: str, wrong: int = 0) -> str:
    """Code that Pygments has coloured, each line in an element that the page's style numbers.

    Args:
        code: the HTML; no element of it goes on in the next line.
        wrong: the number of the line that is marked; 0 for none.
    """

    def lines(found: re.Match[str]) -> str:
        looks = [(" at" if number == wrong else "", line) for number, line in enumerate(found[1].split("\n"), 1)]
        return "\n".join(
            ["<pre>" + "\n".join(f'<span class="line{look}">{line}</span>' for look, line in looks), "</pre>"]
        )

    return CODE.sub(lines, code)


def scrolled(text: str) -> str:
    """HTML whose code can be scrolled by keyboard, too."""
    return text.replace("<pre>", '<pre tabindex="0">')


def with_upright(text: str, chapter: int) -> str:
    """HTML whose drawings of a chapter's stand upright on a phone, where they are too wide for it."""

    def both(found: re.Match[str]) -> str:
        address = _upright(course_root() / "notebooks" / assignment(chapter) / f"{found[1]}.svg")
        return UPRIGHT.format(address, found[0]) if address else found[0]

    return DRAWING.sub(both, text)


@functools.lru_cache(maxsize=64)
def _upright(path: Path) -> str:
    """The drawing from top to bottom, as an address that holds all of it; "" where there is none, or it fits."""
    drawn = narrow(path.read_text("utf-8")) if path.is_file() else ""
    return f"data:image/svg+xml;base64,{base64.b64encode(drawn.encode()).decode()}" if drawn else ""
