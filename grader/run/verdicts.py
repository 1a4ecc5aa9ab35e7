"""Verdicts kept by content: the same submission, course and grader always give the same verdict.

What is imported here is cheap: whether anything is to be graded is known before the judge is there.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import tempfile
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ..chapters import of_class

if TYPE_CHECKING:
    from .judge import Verdict


def grader_version(chapter: int) -> str:
    """A digest of all that a chapter's verdicts depend on besides the submission and the release.

    That is our own source and tables, torch and numpy, and of a class's own chapter, what stands in its room.
    """
    own = _own(chapter).values()
    return hashlib.sha256(b"\0".join([_installed().encode(), *own])).hexdigest() if own else _installed()


def grader_parts(chapter: int) -> dict[str, str]:
    """What the grader's version for a class's own chapter is made of: digests of the course's, "", and of each file.

    Of a chapter of the course's, it is empty.
    """
    own = {name: hashlib.sha256(data).hexdigest() for name, data in _own(chapter).items()}
    return {"": _installed(), **own} if own else {}


def _own(chapter: int) -> dict[str, bytes]:
    """What the files of a class's own chapter hold, without the notebook's script."""
    found = {path.name: path.read_bytes() for path in sorted((of_class() / f"chapter{chapter}").glob("*.py"))}
    return {name: data for name, data in found.items() if b"\n# %%" not in b"\n" + data}


@functools.cache
def _installed() -> str:
    digest = hashlib.sha256(f"torch {version('torch')} numpy {version('numpy')}".encode())
    for package in (Path(__file__).parents[1], _source("minigrad")):
        for path in sorted([*package.rglob("*.py"), *package.glob("verdict/*.json")]):  # tolerances.json decides, too
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _source(package: str) -> Path:
    """The folder of a package that need not be imported."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"There is no package {package}.", name=package)
    return Path(spec.origin).parent


def key(digest: str, chapter: int, student: str, secret: bytes, follow_through: bool, grader: str = "") -> str:
    """The name under which the verdict on a submission is kept; see `judge.judge` for what it depends on.

    `digest` is `submission.digest`'s; `grader`, the version that the class's marks rest on, "" for this one.
    """
    about = [grader or grader_version(chapter), chapter, student, hashlib.sha256(secret).hexdigest(), follow_through]
    text = json.dumps([*about, digest])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def load(folder: Path, name: str) -> Verdict | None:
    """The verdict of that name; None if there is none, or none that can be read."""
    from .judge import verdict_from_json

    try:
        return verdict_from_json((folder / f"{name}.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None


def ran_into(text: str) -> set[str]:
    """The bounds that a submission ran into, as its verdict has them; "" is the verdict on one that was not run."""
    return {*json.loads(text)["happened"].values()} if text else set()


def save(folder: Path, name: str, text: str) -> None:
    """Keep a verdict, as `Verdict.as_json` writes it."""
    write_whole(folder / f"{name}.json", text)


def write_whole(path: Path, text: str) -> None:
    """Write a file: it is there as a whole or not at all, whatever stops this process."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, suffix=".part", delete=False) as file:
        file.write(text)
    os.replace(file.name, path)
