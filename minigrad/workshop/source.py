"""minigrad's own source, with some of its parts replaced: one way to write a package.

The same few functions make the package that a class is handed (later parts left out), the learner's
`my_minigrad` (the learner's parts put in) and the text of a single definition.
"""

import ast
import functools
import itertools
import os
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path

from .parts import PARTS, Part

ROOT = Path(__file__).resolve().parent.parent  # the minigrad package itself
FLAT = ROOT / "flat.py"
# Where it is left out: another minigrad, installed to be edited, would hand its own to who asks for what is not there.
NO_FLAT = '"""Nothing here: each step runs as its definition stands."""\n\nraise ImportError("there is no flat code")\n'


class BadSource(ValueError):
    """A text that was meant to hold Python definitions cannot be read as Python."""


def file_of(part: Part) -> Path:
    """The part's file, relative to the package."""
    return Path(*part.module.split(".")[1:]).with_suffix(".py")


def earlier_file_of(part: Part) -> Path:
    """Where minigrad had the part before it had rooms: what was kept then is looked for there."""
    return Path(*[{"rules": "ops"}.get(name, name) for name in file_of(part).parts if name != "core"])


def find(text: str, qualname: str) -> tuple[int, int] | None:
    """First and last line (from 1) of the definition `qualname` in `text`; None if it is not defined there.

    Raises:
        BadSource: `text` is not Python.
    """
    body = statements(text)
    *owners, name = qualname.split(".")
    for owner in owners:
        body = next((node.body for node in body if isinstance(node, ast.ClassDef) and node.name == owner), [])
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            return first, node.end_lineno or first
    return None


@functools.lru_cache(maxsize=128)  # each file of the package is asked for each of its parts
def statements(text: str) -> list[ast.stmt]:
    """The statements of `text`, to be read only.

    Raises:
        BadSource: `text` is not Python.
    """
    try:
        return ast.parse(text).body
    except SyntaxError as error:
        raise BadSource(f"line {error.lineno}: {error.msg}" if error.lineno else error.msg) from None
    except ValueError as error:  # what some versions of Python say of a null byte
        raise BadSource(str(error)) from None


def definition(text: str, qualname: str) -> str | None:
    """The source of one definition, from the left margin; None if `text` does not define it."""
    span = find(text, qualname)
    if span is None:
        return None
    return textwrap.dedent("\n".join(text.splitlines()[span[0] - 1 : span[1]])) + "\n"


def replace(text: str, definitions: Mapping[str, str]) -> str:
    """`text` with other definitions: each by its qualified name, put in at the old one's indentation.

    Raises:
        BadSource: `text` does not define one of the names.
    """
    lines = text.splitlines()
    spans = {qualname: span for qualname in definitions if (span := find(text, qualname))}
    if missing := [qualname for qualname in definitions if qualname not in spans]:
        raise BadSource(f"{missing[0]} is not defined here")
    for qualname, (first, last) in sorted(spans.items(), key=lambda item: item[1], reverse=True):  # the last one first
        indent = lines[first - 1][: len(lines[first - 1]) - len(lines[first - 1].lstrip())]
        lines[first - 1 : last] = textwrap.indent(definitions[qualname].rstrip("\n"), indent).splitlines()
    return "\n".join(lines) + "\n"


def names_numpy(text: str) -> bool:
    """Whether a text reads the name `np`, as every notebook of the course may."""
    found = (node for one in statements(text) for node in ast.walk(one))
    return any(isinstance(node, ast.Name) and node.id == "np" for node in found)


def with_numpy(text: str) -> str:
    """A file's text, which imports NumPy if a definition that was put into it needs that."""
    imports = [node for node in statements(text) if isinstance(node, ast.Import | ast.ImportFrom)]
    imported = {one.asname or one.name for node in imports for one in node.names}
    if "np" in imported or not names_numpy(text):
        return text
    lines = text.splitlines(keepends=True)
    first = next((node for node in imports if getattr(node, "module", "") != "__future__"), statements(text)[-1])
    lines.insert(first.lineno - 1, "import numpy as np\n")
    return "".join(lines)


def reference(part: Part) -> str:
    """minigrad's own definition of a part."""
    found = definition_of(part)
    if found is None:
        raise BadSource(f"{part.module} does not define {part.qualname}")
    return found


def definition_of(part: Part) -> str | None:
    """minigrad's own definition of a part; None where it has none, as in the package that a class is handed."""
    return definition((ROOT / file_of(part)).read_text("utf-8"), part.qualname)


def decorators(part: Part) -> str:
    """The lines above minigrad's own definition that make it, say, a property; "" for most parts."""
    lines = itertools.takewhile(lambda line: line.startswith("@"), reference(part).splitlines(keepends=True))
    return "".join(lines)


def stand_in(part: Part, chapter: int = 0) -> str:
    """The lines that stand for a part which is not built yet, in the open chapter if it is its own.

    What they import they import from the package that they stand in, whatever that is called.
    """
    name, top = part.qualname.rsplit(".", 1)[-1], "." * len(file_of(part).parts)
    if part.before:
        return f"from {top}{part.before.partition('.')[2]} import {name}  # noqa: E402\n"
    stands = f'later("{part.name}", {part.chapter}, here={part.chapter == chapter})'
    if decorators(part) == "@property\n":  # one that is read must refuse, too
        stands = f"property({stands})"
    return f"from {top}workshop.later import later  # noqa: E402\n\n{name} = {stands}\n"


def hidden(chapter: int) -> list[Part]:
    """The parts that minigrad does not have when `chapter` begins: its own, and later ones that are not lent."""
    return [part for part in PARTS if part.hidden_in(chapter)]


def package(replacements: Mapping[str, str], parts: Iterable[Part] = PARTS) -> dict[Path, str]:
    """minigrad's files, each part named in `replacements` replaced by that source: path in the package → text.

    Without its flat code, which is faster and says the same: what runs there are the definitions as they stand.

    Args:
        replacements: part name → source of its definition, from the left margin.
        parts: the parts to look the names up in.
    """
    texts = {path.relative_to(ROOT): path.read_text("utf-8") for path in sorted(ROOT.rglob("*.py")) if path != FLAT}
    for path, own in itertools.groupby(sorted(parts, key=file_of), file_of):
        texts[path] = replace(texts[path], {p.qualname: replacements[p.name] for p in own if p.name in replacements})
    return texts


def write_package(destination: Path, replacements: Mapping[str, str], parts: Iterable[Part] = PARTS) -> None:
    """Write what `package` makes to a folder; it is made if need be, and files of the same name are overwritten."""
    for path, text in {**package(replacements, parts), Path(FLAT.name): NO_FLAT}.items():
        write_file(destination / path, text.encode())


def write_file(target: Path, data: bytes) -> None:
    """Write a file in one step, if it changes: who reads it meanwhile, in another notebook, sees no half of it."""
    if target.is_file() and target.read_bytes() == data:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        beside.write_bytes(data)
        beside.replace(target)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def write_before(destination: Path, chapter: int) -> None:
    """Write minigrad as it stands before `chapter`: no source of that chapter's parts, or of later ones."""
    write_package(destination, {part.name: stand_in(part, chapter) for part in hidden(chapter)})
