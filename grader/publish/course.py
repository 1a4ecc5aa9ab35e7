"""Where things are in the course and in a class."""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..chapters import CHAPTERS
from ..errors import CourseError

if TYPE_CHECKING:
    from nbformat import NotebookNode

CONFIG = "nbgrader_config.py"


def course_root(start: Path | None = None) -> Path:
    """The course's folder: the nearest one, from `start` (the working folder) upwards, with an nbgrader_config.py.

    Raises:
        CourseError: there is none.
    """
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        if (folder / CONFIG).is_file():
            return folder
    raise CourseError(
        f"There is no course in {start}: the grader works in a course's folder, which has an {CONFIG}, or below it."
    )


def chapters(root: Path | None = None) -> list[int]:
    """The numbers of the chapters that the course has, in order, without those that another class has built there."""
    found = [re.fullmatch(r"chapter(\d+)", path.name) for path in (course_root(root) / "solutions").glob("chapter*")]
    return sorted(int(match[1]) for match in found if match and int(match[1]) in CHAPTERS)


def script(chapter: int, root: Path | None = None) -> Path:
    """The chapter's script, the source of its notebooks.

    Raises:
        CourseError: no such chapter, or not exactly one script with notebook cells in its folder.
    """
    root = course_root(root)
    folder = root / "solutions" / f"chapter{chapter}"
    if not folder.is_dir() and chapter in CHAPTERS:
        raise CourseError(f"{folder} is not built yet: run `grader notebooks --chapter {chapter}`.")
    if not folder.is_dir():
        known = ", ".join(map(str, chapters(root))) or "none"
        raise CourseError(f"There is no chapter {chapter}: the course has {known}.")
    found = sorted(path for path in folder.glob("*.py") if b"\n# %%" in b"\n" + path.read_bytes())
    if len(found) != 1:
        raise CourseError(f"{folder.relative_to(root)} should hold one notebook script; it holds {len(found)}.")
    return found[0]


def assignment(chapter: int) -> str:
    """nbgrader's name of a chapter: `chapter1`."""
    return f"chapter{chapter}"


def chapter_of(assignment: str) -> int:
    """The number of the chapter that nbgrader calls `assignment`.

    Raises:
        CourseError: it is no chapter's name.
    """
    match = re.fullmatch(r"chapter(\d{1,3})", assignment)
    if not match:
        raise CourseError(f"{assignment!r} is no chapter of the course; they are called chapter1, chapter2 and so on.")
    return int(match[1])


def notebook_name(chapter: int) -> str:
    """The file name of the chapter's notebook."""
    return f"{script(chapter).stem}.ipynb"


def release_path(chapter: int) -> Path:
    """The file of the chapter's release.

    Raises:
        CourseError: it was not built.
    """
    path = course_root() / "notebooks" / assignment(chapter) / notebook_name(chapter)
    if not path.is_file():
        raise CourseError(f"{path} is missing: build it with `make notebooks`.")
    return path


def release_notebook(chapter: int) -> NotebookNode:
    """The chapter's release, as students get it.

    Raises:
        CourseError: it was not built.
    """
    import nbformat  # takes a second: only for those who read notebooks

    release: NotebookNode = nbformat.read(release_path(chapter), as_version=4)
    return release


def _write_new(path: Path, text: str) -> None:
    """Write a file that only its owner reads; FileExistsError where there is one. A full disk leaves no part of it."""
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with open(descriptor, "w") as file:
            file.write(text)
    except OSError:
        path.unlink()
        raise


def read_secret(classroom: Path) -> bytes:
    """The course's secret, made when it is first needed; MINIGRAD_SECRET in the environment comes before it.

    Whoever knows it can foresee the inputs of the graded comparison.
    """
    if text := os.environ.get("MINIGRAD_SECRET"):
        return text.encode()
    path = classroom / "secret"
    with suppress(FileExistsError):
        classroom.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write_new(path, secrets.token_hex(32))
    secret = path.read_text().strip().encode()
    if not secret:
        raise CourseError(f"{path} is empty: remove it, and the grader makes a new one.")
    return secret
