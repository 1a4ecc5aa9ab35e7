"""The catalogue: every chapter that has a room here, found by the room's name.

`chapterN/` holds all that belongs to chapter N but its script, which is in `solutions/`:

    exercises.py       EXERCISES: inputs, probes and points
    misconceptions.py  MISCONCEPTIONS: ways of being wrong, and their sentences
    right.py           RIGHT: ways of being right
    sample/*.toml      students of its sample class

A class may have chapters of its own: rooms of the same kind in `chapters/` in its folder, with the script in each. Only
`exercises.py` is demanded there.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..ask.exercise import Exercise
from ..errors import CourseError


def of_class() -> Path:
    """Where the class's own chapters are, if it has any."""
    folder = os.environ.get("MINIGRAD_CLASSROOM") or Path(__file__).parents[2] / "classroom"
    return Path(folder).expanduser().absolute() / "chapters"


__path__.append(str(of_class()))  # Python's own way to let a package have modules in several folders


def _numbered() -> list[int]:
    """The chapters that have a room, in order."""
    rooms = {path.parent.name for folder in __path__ for path in Path(folder).glob("chapter*/exercises.py")}
    return sorted(int(name.removeprefix("chapter")) for name in rooms if re.fullmatch(r"chapter\d+", name))


def held(chapter: int, name: str) -> Any:
    """What a file of a chapter's room holds, under the name of the file; a student's bundle has none but exercises."""
    module = f"{__name__}.chapter{chapter}.{name}"
    return getattr(import_module(module), name.upper()) if find_spec(module) else ()


class _Rooms(Mapping[int, tuple[Exercise, ...]]):
    """Chapter → its exercises, imported when they are asked for: to find nothing new in a class takes none of them."""

    def __init__(self, numbers: list[int]) -> None:
        self._held: dict[int, tuple[Exercise, ...] | None] = dict.fromkeys(numbers)

    def __getitem__(self, chapter: int) -> tuple[Exercise, ...]:
        found = self._held[chapter]
        if found is None:
            found = self._held[chapter] = tuple(held(chapter, "exercises"))
        return found

    def __contains__(self, chapter: object) -> bool:
        return chapter in self._held

    def __iter__(self) -> Iterator[int]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)


CHAPTERS = _Rooms(_numbered())


def need_chapter(chapter: int) -> None:
    """Refuse a chapter that the course does not have.

    Raises:
        CourseError: there is no such chapter.
    """
    if chapter not in CHAPTERS:
        raise CourseError(f"There is no chapter {chapter}; the course has {', '.join(map(str, CHAPTERS))}.")


def exercises(chapter: int) -> tuple[Exercise, ...]:
    """The exercises of a chapter, in their order.

    Raises:
        CourseError: there is no such chapter.
    """
    need_chapter(chapter)
    return CHAPTERS[chapter]


def exercise_named(name: str) -> Exercise:
    """The exercise of that name.

    Raises:
        CourseError: no chapter has it.
    """
    if not isinstance(name, str):
        raise CourseError(f'Name an exercise in quotation marks: check("mul"). This is of type {type(name).__name__}.')
    every = [exercise for chapter in CHAPTERS.values() for exercise in chapter]
    found = next((exercise for exercise in every if exercise.name == name), None)
    if found is None:
        near = difflib.get_close_matches(name, [exercise.name for exercise in every], 3, 0)
        raise CourseError(f"There is no exercise {name!r}; those with the nearest names are {', '.join(near)}.")
    return found


def sample_files(chapter: int) -> list[Path]:
    """The students of a chapter's sample class: a file each, by name."""
    return sorted(path for folder in __path__ for path in Path(folder, f"chapter{chapter}", "sample").glob("*.toml"))
