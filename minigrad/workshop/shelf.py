"""`my_minigrad/`: the source of the learner's finished parts, kept between chapters."""

import ast
import builtins
import importlib
import inspect
import linecache
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from . import keepsake, source
from .parts import PARTS, Part


class CannotKeep(ValueError):
    """A definition works in its notebook, but would not work anywhere else."""


def folder() -> Path:
    """`my_minigrad/` beside the course's `notebooks/`; in the working folder where there is none.

    The environment variable `MY_MINIGRAD` names another folder.
    """
    if "MY_MINIGRAD" in os.environ:
        return Path(os.environ["MY_MINIGRAD"])
    here = Path.cwd().resolve()
    course = next((path.parent for path in [here, *here.parents] if path.name in ("notebooks", "solutions")), here)
    return course / "my_minigrad"


def let_import() -> None:
    """Let the notebook import the learner's engine by its name, `my_minigrad`."""
    if (place := str(folder().resolve().parent)) not in sys.path:
        sys.path.append(place)


def text_of(definition: Any) -> str:
    """The source of a class or function that was defined in a notebook's cell, without its decorators.

    Raises:
        CannotKeep: its text is not to be found.
    """
    # inspect.getsource cannot find a class of a cell on Python 3.11, but the class's methods know their cell.
    functions = [definition, *vars(definition).values()] if isinstance(definition, type) else [definition]
    code = next((f.__code__ for f in functions if inspect.isfunction(f)), None)
    text = "".join(linecache.getlines(code.co_filename)) if code else ""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == definition.__name__:
            lines = text.splitlines()[node.lineno - 1 : node.end_lineno]
            return "\n".join(lines) + "\n"
    again = "without a line like %%time above it, run its cell again, then its check"
    raise CannotKeep(f"the text of {definition.__name__} is not to be found; {again}")


def missing_names(text: str, part: Part) -> list[str]:
    """Names that `text` uses from its notebook, which the part's module does not have."""
    tree = ast.parse(text)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    bound |= {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    bound |= {a.asname or a.name for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom) for a in n.names}
    known = {"np", *vars(importlib.import_module(part.module)), *dir(builtins)}
    return sorted(used - bound - known)


def kept(part: Part) -> str | None:
    """The learner's kept source of the part; None if there is none.

    Raises:
        BadSource: the file that should hold it is not Python any more, or is not to be read.
    """
    path, shown = place(part)
    try:
        text = path.read_text("utf-8-sig") if path.is_file() else ""  # some editors of Windows put a mark before it
        return None if keepsake.is_lent(text, part) else source.definition(text, part.qualname)
    except (source.BadSource, UnicodeDecodeError, OSError) as error:
        raise source.BadSource(f"{shown} cannot be read ({error}): mend it, or move the file away") from None


def place(part: Part) -> tuple[Path, str]:
    """The file that holds the part, and what it is called for a reader."""
    path, earlier = (folder() / file for file in (source.file_of(part), source.earlier_file_of(part)))
    path = path if path.is_file() or not earlier.is_file() else earlier
    return path, path.relative_to(folder().parent).as_posix()


def keep(part: Part, definition: Any, chapter: int) -> None:
    """Keep the learner's definition, of the chapter that is open, in its place in `my_minigrad/`.

    Raises:
        BadSource: a file there cannot be read: to write it anew would lose the parts in it.
        CannotKeep: it needs something else from its notebook, or its text is not to be found.
        OSError: the folder cannot be written.
    """
    text = source.decorators(part) + text_of(definition)
    if missing := missing_names(text, part):
        raise CannotKeep(f"it uses {', '.join(missing)} from outside; define or import it inside {part.name}")
    mine = {other.name: found for other in PARTS if (found := kept(other))} | {part.name: text}
    keepsake.write(folder(), mine, chapter, part)


def load(part: Part) -> Any | None:
    """The learner's kept definition, made anew in its module; None if there is none.

    Raises:
        BadSource: the file that should hold it is not Python any more, or fails when it is run.
    """
    text = kept(part)
    if text is None:
        return None
    module = importlib.import_module(part.module)
    if source.names_numpy(text):
        vars(module).setdefault("np", np)
    found: dict[str, Any] = {}
    path, shown = place(part)
    try:
        exec(compile(text, str(path), "exec"), vars(module), found)
    except Exception as error:
        raise source.BadSource(
            f"{part.name} in {shown} stops with {type(error).__name__} ({error}): mend it there"
        ) from None
    return found[part.qualname.rsplit(".", 1)[-1]]
