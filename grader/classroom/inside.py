"""A zip that a student handed in, in the LMS's: the browser edition's download, or one made by hand."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from pathlib import PurePosixPath

from ..publish.course import assignment, notebook_name
from ..run.bulkhead import TooLong, bounded
from ..run.folders import MOST_BYTES

MOST = 3  # zips of one student
MOST_TAKEN = 10  # notebooks of one zip
SECONDS, MORE_BYTES = 2, 1 << 30  # to list what is in one
LONGEST = 500
FAULTS = (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, ValueError, RuntimeError, MemoryError)


def is_zip(name: str) -> bool:
    """Whether a file is called a zip."""
    return name.lower().endswith(".zip")


def notebooks(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, chapter: int) -> dict[str, bytes]:
    """File name -> its bytes, of the chapter's notebooks in a zip within a zip; none of one that cannot be read.

    Zips in that one are not looked into.
    """
    found: dict[str, bytes] = {}
    left = MOST_BYTES
    try:
        with archive.open(entry) as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            return {}
        with bounded(SECONDS, MORE_BYTES), zipfile.ZipFile(io.BytesIO(data)) as inner:
            for info in [info for info in inner.infolist() if _is_chapters(info.filename, chapter)][:MOST_TAKEN]:
                with inner.open(info) as file:
                    text = file.read(left + 1)
                left -= len(text)
                if left < 0:
                    return {}
                found.setdefault(PurePosixPath(info.filename).name, text)
    except (*FAULTS, TooLong):
        return {}
    return found


def _is_chapters(name: str, chapter: int) -> bool:
    """Whether it is the chapter's own notebook, also as a browser numbers it, or lies in the chapter's folder.

    The browser edition's zip has it there.
    """
    parts = name.split("/")
    if (
        len(name) > LONGEST
        or not parts[-1].endswith(".ipynb")
        or any(part.startswith((".", "__MAC")) for part in parts)
    ):
        return False
    if re.search(r"[\\\0]", parts[-1]):
        return False
    return notebook_name(chapter).removesuffix(".ipynb") in parts[-1] or parts[-3:-1] == [
        "notebooks",
        assignment(chapter),
    ]
