"""Whose code is alike: a hint for a human, and nothing more.

Each submission's own code is read as tokens – never run, nor parsed into a tree that could grow too deep – without
comments, strings and names of its own. What two submissions share in runs of RUN tokens is counted, without the runs
that the release gives, or that so many write that they say nothing.
"""

from __future__ import annotations

import builtins
import hashlib
import io
import itertools
import keyword
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace

from nbformat import NotebookNode
from rich import box
from rich.table import Table
from rich.text import Text

from ..classroom import edition
from ..classroom.classroom import Classroom
from ..errors import CourseError
from ..publish.course import notebook_name
from ..run.submission import Unreadable, given_cells, grade_id, read_notebook
from ..verdict import render
from ..verdict.inert import one_line

RUN = 12  # tokens: about a line and a half
FEWEST = 15  # runs that two must share to be mentioned
MOST_CHARACTERS = 100_000  # of own code in a submission; ten times that of the longest chapter
COMMON, SHARE = 5, 0.1  # a run in more submissions than this many, and this share of them, is everybody's
DROPPED = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING, tokenize.ENDMARKER)
KNOWN = frozenset(keyword.kwlist) | frozenset(dir(builtins)) | {"self"}

Runs = dict[bytes, str]  # a run's digest → the exercise in whose cell it is


@dataclass(frozen=True)
class Pair:
    """Two submissions that share code.

    Attributes:
        one, other: the students.
        shared: how many runs of RUN tokens they share.
        share: what part that is of the uncommon runs of the one that has fewer.
        where: the exercises in which they are, those with most first.
    """

    one: str
    other: str
    shared: int
    share: float
    where: tuple[str, ...]


def pairs(classroom: Classroom, chapter: int, named: Callable[[str], str] = str) -> tuple[list[Pair], list[str]]:
    """The pairs of a chapter's submissions that share code, the most alike first; and who was left out, and why.

    Args:
        classroom: the class.
        chapter: the chapter.
        named: what a student is called, in all that is returned.

    Raises:
        CourseError: there are no two submissions.
    """
    release = edition.release(classroom, chapter)
    own, left = {}, []
    for student in classroom.students(chapter):
        try:
            if odd := classroom.stray(student, chapter):
                raise Unreadable(named(student) + odd.removeprefix(one_line(student)))  # it begins with the folder
            notebook = read_notebook(classroom.submitted(student, chapter) / notebook_name(chapter))
            own[student] = runs(notebook, release)
        except Unreadable as error:
            left.append(f"{named(student)}: left out, because {error}.")
        except (ValueError, RecursionError, MemoryError) as error:  # of the tokenizer, on what no editor writes
            left.append(f"{named(student)}: left out, because its code cannot be read ({type(error).__name__}).")
    if len(own) < 2:
        raise CourseError(f"Fewer than two submissions of chapter {chapter} in {classroom.folder} can be read.")
    found = [_named(pair, named) for pair in _compare(_uncommon(own))]
    return sorted(found, key=lambda pair: (-pair.share, -pair.shared, pair.one, pair.other)), sorted(left)


def _named(pair: Pair, named: Callable[[str], str]) -> Pair:
    one, other = sorted((named(pair.one), named(pair.other)))
    return replace(pair, one=one, other=other)


def runs(notebook: NotebookNode, release: NotebookNode) -> Runs:
    """The runs of tokens in a notebook's own code, without those of the release.

    Raises:
        Unreadable: it holds more code than anybody writes.
    """
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    given = {name: known.cell.source for name, known in given_cells(release).items()}
    changed = [cell for cell in cells if cell.source != given.get(grade_id(cell))]
    if sum(len(cell.source) for cell in changed) > MOST_CHARACTERS:
        raise Unreadable(f"it holds more than {MOST_CHARACTERS:,} characters of code")
    theirs = {run for cell in release.cells if cell.cell_type == "code" for run in _runs(cell.source)}
    found = {run: _where(cell, given) for cell in changed for run in _runs(cell.source)}
    return {run: where for run, where in found.items() if run not in theirs}


def _where(cell: NotebookNode, given: dict[str, str]) -> str:
    return grade_id(cell) if grade_id(cell) in given else "cells of their own"


def _runs(source: str) -> Iterator[bytes]:
    words = list(tokens(source))
    for first in range(len(words) - RUN + 1):
        yield hashlib.blake2b("\0".join(words[first : first + RUN]).encode("utf-8", "replace"), digest_size=8).digest()


def tokens(source: str) -> Iterator[str]:
    """A cell's tokens, as far as it can be read: every name of its own is `name`, every text `text`."""
    lines = ["" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines()]
    before = ""
    try:
        for token in tokenize.generate_tokens(io.StringIO("\n".join(lines) + "\n").readline):
            if token.type in DROPPED:
                continue
            if token.type == tokenize.NAME and before != "." and token.string not in KNOWN:
                word = "name"
            elif token.type in (tokenize.INDENT, tokenize.DEDENT):
                word = tokenize.tok_name[token.type]
            else:
                word = "text" if token.type == tokenize.STRING else token.string
            before = word
            yield word
    except (tokenize.TokenError, SyntaxError):
        return  # what comes after is not Python


def _uncommon(own: dict[str, Runs]) -> dict[str, Runs]:
    """Without the runs that are in so many submissions that they say nothing."""
    count = Counter(run for found in own.values() for run in found)
    most = max(COMMON, SHARE * len(own))
    return {student: {r: where for r, where in found.items() if count[r] <= most} for student, found in own.items()}


def _compare(own: dict[str, Runs]) -> Iterator[Pair]:
    holders: dict[bytes, list[str]] = {}
    for student, found in own.items():
        for run in found:
            holders.setdefault(run, []).append(student)
    shared = Counter(pair for names in holders.values() for pair in itertools.combinations(names, 2))
    for (one, other), count in shared.items():
        if count >= FEWEST:
            where = Counter(own[one][run] for run in own[one].keys() & own[other].keys())
            share = count / min(len(own[one]), len(own[other]))
            yield Pair(one, other, count, share, tuple(name for name, _ in where.most_common()))


HINT = (
    "A hint for a human, and nothing more: short exercises have few right answers, and people may work together. "
    "Read both notebooks before you think anything of it."
)


def table(found: list[Pair]) -> Table:
    """The pairs for the terminal."""
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    shown.add_column("one", overflow="fold")
    shown.add_column("the other", overflow="fold")
    shown.add_column("share", justify="right", no_wrap=True)
    shown.add_column("runs", justify="right", no_wrap=True)
    shown.add_column("in", overflow="fold")
    for pair in found:
        names = [Text(render.plain(name, 40)) for name in (pair.one, pair.other)]
        shown.add_row(*names, f"{pair.share:.0%}", str(pair.shared), ", ".join(pair.where))
    return shown


def summary(found: list[Pair]) -> str:
    """What the table shows, in words, and what it does not show."""
    if not found:
        return f"No two submissions share {FEWEST} runs of {RUN} tokens that are not everybody's."
    return (
        f"share: how much of what is not everybody's – of the submission that has less of it – both have; "
        f"runs: how many runs of {RUN} tokens that is. {HINT}"
    )


def as_json(chapter: int, found: list[Pair], left: list[str]) -> dict[str, object]:
    """The pairs for machines."""
    return {"chapter": chapter, "about": HINT, "pairs": [asdict(pair) for pair in found], "left_out": left}
