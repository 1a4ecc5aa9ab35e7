"""How far a book that is being built has come: each page is read, and then written."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

Tell = Callable[[str, float], None]  # what is being done, and what part of all is done


def nobody(_what: str, _part: float) -> None:
    """Nobody watches."""


listener: ContextVar[Tell] = ContextVar("listener", default=nobody)


@contextlib.contextmanager
def watched(tell: Tell) -> Iterator[None]:
    """Let `tell` hear of the book that Sphinx builds in the block."""
    before = listener.set(tell)
    try:
        yield
    finally:
        listener.reset(before)


def watch(app: Sphinx) -> None:
    """Plug in what tells whoever watches."""
    done = 0

    def step(verb: str) -> Callable[..., None]:
        def told(app: Sphinx, page: str, *_others: object) -> None:
            nonlocal done
            done += 1
            listener.get()(f"{verb} {PurePosixPath(page).name}", min(1, done / (2 * len(app.project.docnames))))

        return told

    app.connect("source-read", step("reading"))
    app.connect("html-page-context", step("writing"))
