"""`my_minigrad/` as a package of the learner's own: whose each definition is, and what was added by hand."""

import ast
import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from . import source
from .papers import PYPROJECT, READING, README
from .parts import PARTS, Part

WRITTEN = (
    ".written.json"  # file → digest of what was last written there: another digest, and the learner has been there
)
EARLIER = "earlier"  # where files go that were written before there were digests
LENT = "# Lent by minigrad"
MARK = re.compile(rf"\s*# (Yours, chapter \d+\.|Not there yet: .*|{LENT[2:]}.*)")
OF_WORKSHOP = ("later.py", "scaffold.py")  # what an engine that is not finished yet needs of it


def write(folder: Path, mine: Mapping[str, str], chapter: int, kept: Part) -> None:
    """Write the learner's engine.

    A file that the learner has changed is left as it is, but for the part that was kept just now.

    Args:
        folder: `my_minigrad/`.
        mine: part → the learner's source of it.
        chapter: the chapter that is open: parts that it and later ones build are not lent.
        kept: the part that was kept just now.

    Raises:
        BadSource: a file that the learner has changed has no place for the part any more.
        OSError: the folder cannot be written.
    """
    digests = _written(folder)
    written = dict(digests or {})
    for path, text in texts(mine, chapter).items():
        target = folder / path
        if digests is None:
            _put_aside(folder, path, text)
        elif target.is_file() and _digest(target.read_bytes()) != written.get(path.as_posix()):
            if path == source.file_of(kept):
                text = source.with_numpy(put_in(target.read_text("utf-8-sig"), kept, marked(kept, mine, chapter)))
                source.write_file(target, text.encode())
            continue
        source.write_file(target, text.encode())
        written[path.as_posix()] = _digest(text.encode())
    source.write_file(folder / WRITTEN, json.dumps(written, indent=0).encode())


def texts(mine: Mapping[str, str], chapter: int) -> dict[Path, str]:
    """File → what it holds, for each file of the learner's engine."""
    engine = source.package({part.name: marked(part, mine, chapter) for part in PARTS})
    found = {path: text for path, text in engine.items() if path.parts[0] != "workshop" or path.name in OF_WORKSHOP}
    found |= {path: source.with_numpy(found[path]) for path in map(source.file_of, PARTS) if path in found}
    found[Path("workshop", "__init__.py")] = '"""What the engine needs until it is finished."""\n'
    rooms = sorted({".".join(["my_minigrad", *path.parent.parts]) for path in found})
    return found | {
        Path("README.md"): README,
        Path("READING.md"): READING,
        Path("pyproject.toml"): PYPROJECT.format(packages=json.dumps(rooms)),
    }


def marked(part: Part, mine: Mapping[str, str], chapter: int) -> str:
    """The definition that stands in a part's place, below a line that says whose it is."""
    if part.name in mine:
        return f"# Yours, chapter {part.chapter}.\n{mine[part.name]}"
    builds = f": chapter {part.chapter} builds it."
    if part.hidden_in(chapter) or source.definition_of(part) is None:
        return f"# Not there yet{builds}\n{source.stand_in(part)}"
    return f"{LENT}{builds}\n{source.reference(part)}"


def is_lent(text: str, part: Part) -> bool:
    """Whether the definition in this file is marked as minigrad's."""
    span = source.find(text, part.qualname)
    return bool(span and span[0] > 1 and text.splitlines()[span[0] - 2].strip().startswith(LENT))


def put_in(text: str, part: Part, definition: str) -> str:
    """A file that the learner has changed, with a part put into its place, and nothing else touched.

    Raises:
        BadSource: it has no such place.
    """
    *owners, name = part.qualname.split(".")
    body = source.statements(text)
    for owner in owners:
        body = next((node.body for node in body if isinstance(node, ast.ClassDef) and node.name == owner), [])
    found = next((node for node in reversed(body) if name in _binds(node)), None)
    if found is None:
        where = source.file_of(part).as_posix()
        raise source.BadSource(f"{where} has no {part.qualname} to replace: move the file away, and check again")
    lines = text.splitlines()
    first = min([found.lineno, *(one.lineno for one in getattr(found, "decorator_list", []))]) - 1
    indent = lines[first][: found.col_offset]
    first -= first > 0 and bool(MARK.fullmatch(lines[first - 1]))
    lines[first : found.end_lineno] = [f"{indent}{line}".rstrip() for line in definition.splitlines()]
    return "\n".join(lines) + "\n"


def _binds(node: ast.stmt) -> list[str]:
    """The names that a statement gives a meaning."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return [one.asname or one.name for one in node.names] if isinstance(node, ast.ImportFrom) else []


def _written(folder: Path) -> dict[str, str] | None:
    """File → digest, of what was written here; None in a folder of before there were digests. A new one has none."""
    with suppress(OSError, ValueError):
        found: dict[str, str] = json.loads((folder / WRITTEN).read_text("utf-8"))
        return found
    return None if (folder / "__init__.py").is_file() else {}


def _put_aside(folder: Path, path: Path, text: str) -> None:
    """Keep a file that may hold more than was ever written there, where it does not get in the way."""
    if (folder / path).is_file() and (folder / path).read_bytes() != text.encode():
        target = folder / EARLIER / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            (folder / path).replace(target)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
