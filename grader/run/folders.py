"""What lies in a folder that somebody else filled: regular files, as deep and as many as anybody hands in."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

MOST_BYTES = 20_000_000  # of one file
DEEPEST = 20  # folders below each other
MOST_FILES = 10_000
LONGEST = 1_000  # characters of a path below the folder: it is copied into others, and no path may have 4,096


@dataclass
class Tree:
    """The files of a folder, in order.

    Attributes:
        files: regular files; no link is followed.
        odd: what is none and no folder: links, pipes, sockets, devices.
        cut: why not everything was looked at; "" if it was.
    """

    files: list[Path] = field(default_factory=list)
    odd: list[Path] = field(default_factory=list)
    cut: str = ""


def tree(folder: Path) -> Tree:
    """Look through a folder and the folders in it, one after another; what cannot be opened holds nothing."""
    found, waiting = Tree(), [(folder, 0)]
    while waiting:
        here, depth = waiting.pop()
        if depth > DEEPEST:
            found.cut = f"what is deeper than {DEEPEST} folders is left out"
            continue
        for entry in _entries(here):
            path = here / entry.name
            if len(str(path)) > len(str(folder)) + LONGEST:
                found.cut = f"what has a path of more than {LONGEST:,} characters is left out"
            elif entry.is_symlink():
                found.odd.append(path)
            elif entry.is_dir(follow_symlinks=False):
                waiting.append((path, depth + 1))
            else:
                (found.files if entry.is_file(follow_symlinks=False) else found.odd).append(path)
            if len(found.files) + len(found.odd) + len(waiting) > MOST_FILES:
                found.cut = f"there are more than {MOST_FILES:,} files and folders; the rest is left out"
                waiting.clear()
                break
    found.files.sort()
    found.odd.sort()
    return found


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError:  # it may not be read, or its path is longer than the system allows
        return


def first_odd(folder: Path) -> Path | None:
    """The first link or special file in a folder, or the folder below which nobody looks; None in an honest one."""
    found = tree(folder)
    return found.odd[0] if found.odd else folder if found.cut else None


def what(path: Path) -> str:
    """What a path is, in a word or two."""
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return "a link"
    return "a folder of more than anybody hands in" if stat.S_ISDIR(mode) else "no file"


def read(path: Path, most: int) -> bytes:
    """The first bytes of a regular file, which is opened without following a link or waiting for a pipe.

    Raises:
        OSError: it cannot be opened, or is no regular file.
    """
    return _read(path, most)[0]


def _read(path: Path | str, most: int, beside: int | None = None) -> tuple[bytes, float]:
    """`read`, in the folder of a descriptor if one is given, and when the file had last changed by then."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags, dir_fd=beside)
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(f"{path} is no regular file")
        return file.read(most), os.fstat(handle).st_ctime


def last_change(folder: Path) -> float:
    """When a folder or a file in it last changed, by what nobody can set (`st_ctime`)."""
    return max(path.lstat().st_ctime for path in (folder, *tree(folder).files))


def copy(folder: Path, to: Path, most: int) -> float:
    """Copy a folder's regular files, and return `last_change` as it was when they had been read.

    Folders are opened by descriptor, so what somebody puts in their place meanwhile is not followed.

    Raises:
        OSError: something cannot be opened, is no regular file, or there are more bytes than `most`.
    """
    changed = 0.0
    for here, _, names, handle in os.fwalk(folder, onerror=_refuse):
        place = to / os.path.relpath(here, folder)
        place.mkdir(parents=True, exist_ok=True)
        for name in names:
            data, at = _read(name, most + 1, handle)
            changed, most = max(changed, at), most - len(data)
            if most < 0:
                raise OSError(f"{folder.name} is too large")
            (place / name).write_bytes(data)
        changed = max(changed, os.fstat(handle).st_ctime) if here == str(folder) else changed
    return changed


def _refuse(error: OSError) -> None:
    raise error
