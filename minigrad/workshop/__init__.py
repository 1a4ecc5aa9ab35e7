"""The workshop: where a learner's definitions become the engine that runs.

`open(3)` gives minigrad as it stands before chapter 3. `@part` puts a definition of the learner's in
its place, so that everything which follows runs on it. What passes its check is kept in
`my_minigrad/` and carried to the next chapter.
"""

from typing import Any, TypeVar

from . import places, shelf, source
from .later import NoSuchPart, NotBuiltYet, NotWrittenYet
from .parts import PARTS, Part, built_by
from .places import own_parts, using
from .source import BadSource, write_before

__all__ = [
    "PARTS", "NoSuchPart", "NotBuiltYet", "NotWrittenYet", "Part", "built_by", "keep", "open", "own_parts", "part",
    "summary", "using", "write_before",
]  # fmt: skip

Definition = TypeVar("Definition")

_learners: dict[str, Any] = {}  # the learner's definitions of the open chapter
_opened = 0


def open(chapter: int) -> None:
    """Give the engine as it stands before `chapter`, with the learner's kept parts of earlier chapters.

    A part that was not kept is lent by minigrad, and a printed line says so.

    Raises:
        ValueError: the course has no chapter of that number.
    """
    global _opened
    chapters = range(max(part.chapter for part in PARTS) + 1)
    if chapter not in chapters:
        raise ValueError(f"The course has no chapter {chapter}; its chapters are 0 to {chapters[-1]}.")
    places.clear(chapter)
    shelf.let_import()
    _learners.clear()
    _opened = chapter
    own = _names(built_by(chapter))
    todo = f"You build: {own}." if own else "You build no part of it in this chapter."
    print(f"minigrad as it stands before chapter {chapter}. {todo}")
    earlier = [part for part in PARTS if part.chapter < chapter and part.exists_in(chapter)]
    reasons: dict[str, list[Part]] = {}
    carried = [part for part in earlier if _carry(part, reasons)]
    for reason, parts in reasons.items():
        print(f"{reason}. Until then minigrad lends {_names(parts)} instead; nothing was changed there.")
    lent = [part for part in earlier if part not in carried]
    if carried:
        print(f"Yours, from my_minigrad: {_names(carried)}.")
    if lent:
        print(f"Lent by minigrad until your own passes its check: {_names(lent)}.")


def part(definition: Definition) -> Definition:
    """Put the learner's class or function into the running engine, in the place of the same name.

    Raises:
        NoSuchPart: the open chapter builds no part of that name; it is a ValueError.
    """
    if isinstance(definition, property | classmethod | staticmethod):
        kind = type(definition).__name__
        raise NoSuchPart(
            f"Leave @{kind} away: @workshop.part alone goes above the function, and makes of it what it is."
        )
    name = getattr(definition, "__name__", None)
    if not callable(definition) or name is None:
        raise NoSuchPart("@workshop.part goes above a class or a function, as it is: no brackets, no name.")
    asked = [part.name for part in PARTS if part.chapter == _opened or not _opened]
    if name not in asked:
        raise NoSuchPart(
            f"{name} is no part that this chapter builds; it builds {', '.join(asked)}. Mend the name, or, if it is "
            "no part, leave @workshop.part away."
        )
    found = places.find(name)
    places.install(found, definition)
    _learners[found.name] = definition
    return definition


def keep(name: str) -> str:
    """Keep the learner's part `name` in `my_minigrad/`; returns one sentence that says what happened.

    Raises:
        ValueError: minigrad has no part of that name.
    """
    found = places.find(name)
    if name not in _learners:
        return f"{name} is not kept: mark your definition with @workshop.part and run its cell."
    try:
        shelf.keep(found, _learners[name], _opened)
    except (shelf.CannotKeep, BadSource) as error:
        return f"{name} is right, but not kept for the next chapter: {error}."
    except OSError as error:
        return f"{name} is right, but {shelf.folder()} cannot be written ({error.strerror})."
    return f"{name} is kept in {shelf.folder().name}/."


def summary() -> None:
    """Print what the open chapter has put into `my_minigrad/`, and how much of the engine is the learner's own."""
    width = max([16, *(len(part.name) for part in built_by(_opened))])
    for part in built_by(_opened):
        text, name = _kept(part), part.name.ljust(width)
        if not text:
            print(f"{name} not there yet: it is kept when its check says that it is right")
        elif part.until:
            print(f"{name} {_lines(text)} lines, until chapter {part.until} replaces it")
        else:
            print(f"{name} {_lines(text)} lines in {source.file_of(part).as_posix()}")
    final = [part for part in PARTS if not part.until]
    mine = [part for part in final if _kept(part)]
    print(f"{shelf.folder().name}/ holds {len(mine)} of the {len(final)} parts that you build in this course.")


def _kept(part: Part) -> str | None:
    """The learner's source of the part; None where there is none that can be read."""
    try:
        return shelf.kept(part)
    except BadSource:
        return None


def _lines(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())


def _carry(part: Part, reasons: dict[str, list[Part]]) -> bool:
    """Put the learner's kept definition in its place; if it cannot be, False, and the reason is noted."""
    try:
        definition = shelf.load(part)
    except BadSource as error:
        reasons.setdefault(str(error), []).append(part)
        return False
    if definition is None:
        return False
    places.install(part, definition)
    return True


def _names(parts: tuple[Part, ...] | list[Part]) -> str:
    return ", ".join(part.name for part in parts)
