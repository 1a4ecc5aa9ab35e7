"""How far a learner is: which exercises were right when they were last checked, in all the chapters that are here.

`check` writes it down in `my_minigrad/progress.json`; `progress()` shows it, with the way on.
"""

from __future__ import annotations

import contextlib
import html
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minigrad.workshop import shelf

from .here import shell

FILE = "progress.json"
CHECKED = re.compile(r"^check\(\"([\w-]+)\"\)", re.MULTILINE)
DONE, OPEN = "●", "○"
LEFT = "text-align: left; vertical-align: top"


@dataclass(frozen=True)
class Chapter:
    """A chapter of the course: its number and title, how long it takes, its notebook, and its exercises in order."""

    number: int
    title: str
    minutes: str
    notebook: Path
    exercises: tuple[str, ...]


@dataclass(frozen=True)
class Progress:
    """The chapters, and the exercises that were right when they were last checked."""

    chapters: tuple[Chapter, ...]
    right: frozenset[tuple[int, str]]

    def done(self, chapter: Chapter) -> list[bool]:
        """Of each exercise of a chapter, whether it is done."""
        return [(chapter.number, name) in self.right for name in chapter.exercises]

    @property
    def next(self) -> tuple[Chapter, str] | None:
        """The first exercise that is not done, with its chapter; None if all are."""
        ways = ((chapter, name) for chapter in self.chapters for name in chapter.exercises)
        return next((way for way in ways if (way[0].number, way[1]) not in self.right), None)

    def __str__(self) -> str:
        lines = [f"{_name(c)}: {_marks(self.done(c))} {_count(self.done(c))}; {c.minutes}" for c in self.chapters]
        return "\n".join([*lines, self.advice])

    @property
    def advice(self) -> str:
        """Where to go on, in a sentence."""
        if not self.chapters:
            return "There is no chapter here: progress() looks at the notebooks of the folder notebooks/."
        if self.next is None:
            return "All exercises are done: the engine in my_minigrad/ is yours."
        chapter, name = self.next
        return f"Go on with chapter {_name(chapter)}, exercise “{name}”."

    def html(self) -> str:
        """The same as a table with links to the notebooks: a row is two lines, which fit on a phone."""
        rows = "".join(self._row(chapter) for chapter in self.chapters)
        head = "".join(f'<th scope="col" style="{LEFT}">{t}</th>' for t in ("number", "chapter"))
        advice = html.escape(self.advice)
        if self.next:
            advice = f'<a href="{_link(self.next[0])}">{advice}</a>'
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table><p>{advice}</p>"

    def _row(self, chapter: Chapter) -> str:
        here = self.next is not None and chapter == self.next[0]
        done = self.done(chapter)
        number = f"<strong>→ {chapter.number}</strong>" if here else f"{chapter.number}"
        title = f'<a href="{_link(chapter)}">{html.escape(chapter.title)}</a>' + (" (next)" if here else "")
        marks = f'<span aria-hidden="true">{_marks(done)}</span>'
        cells = number, f"{title}<br>{html.escape(chapter.minutes)} · {marks} {_count(done)}"
        return "<tr>" + "".join(f'<td style="{LEFT}">{cell}</td>' for cell in cells) + "</tr>"

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self.html()}


def progress() -> None:
    """Show how far you are in each chapter, and where to go on."""
    found = Progress(tuple(_chapters()), frozenset(_right()))
    if shell() is None:
        print(found)
        return
    from IPython.display import display  # a process without IPython has none

    display(found)


def note(chapter: int, exercise: str, right: bool) -> None:
    """Write down whether an exercise is right; a folder that cannot be written to is left alone."""
    found = set(_right())
    changed = found | {(chapter, exercise)} if right else found - {(chapter, exercise)}
    if changed == found:
        return
    path = shelf.folder() / FILE
    beside = path.with_name(f".{FILE}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(json.dumps(sorted(changed), indent=0), "utf-8")
        beside.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            beside.unlink()


def _right() -> Iterator[tuple[int, str]]:
    """What is written down; nothing where the file was damaged."""
    try:
        read: Any = json.loads((shelf.folder() / FILE).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return
    for entry in read if isinstance(read, list) else []:
        match entry:
            case [int(chapter), str(exercise)]:
                yield chapter, exercise


def _chapters() -> Iterator[Chapter]:
    """The chapters whose notebooks are here, in order."""
    here = Path.cwd()
    course = next((path.parent for path in [here, *here.parents] if path.name in ("notebooks", "solutions")), here)
    rooms = {int(path.name[7:]): path for path in course.glob("notebooks/chapter*") if path.name[7:].isdigit()}
    for number, room in sorted(rooms.items()):
        for path in sorted(room.glob("*.ipynb")):
            if found := _chapter(number, path):
                yield found
                break


def _chapter(number: int, path: Path) -> Chapter | None:
    """The chapter of a notebook; None for one that is not a chapter's, or cannot be read."""
    try:
        cells = json.loads(path.read_text("utf-8"))["cells"]
        texts = ["".join(cell["source"]) for cell in cells]
    except (OSError, ValueError, TypeError, KeyError, LookupError):
        return None
    title = re.match(r"# (.+)", texts[0]) if texts else None
    exercises = [match[1] for text in texts for match in CHECKED.finditer(text)]
    if title is None or not exercises:
        return None
    minutes = re.search(r"\*\*Time:\*\* (.+?)\.?$", texts[0], re.MULTILINE)
    return Chapter(number, title[1].strip(), minutes[1] if minutes else "", path, tuple(dict.fromkeys(exercises)))


def _name(chapter: Chapter) -> str:
    return f"{chapter.number} · {chapter.title}"


def _marks(done: list[bool]) -> str:
    return "".join(DONE if one else OPEN for one in done)


def _count(done: list[bool]) -> str:
    return f"{sum(done)} of {len(done)}"


def _link(chapter: Chapter) -> str:
    """The way from here to the chapter's notebook, as an HTML attribute's value."""
    return html.escape(Path(os.path.relpath(chapter.notebook, Path.cwd())).as_posix())
