"""The packages that a student's kernel can import: an allow-list, so that torch is not on it in any disguise."""

import csv
from functools import lru_cache
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

# What the notebooks use. Their own requirements follow; whatever else the environment holds stays outside.
STUDENT_PACKAGES = ("ipykernel", "matplotlib", "numpy", "rich", "tqdm")


@lru_cache(maxsize=8)
def site_entries(packages: tuple[str, ...] = STUDENT_PACKAGES) -> dict[str, Path]:
    """The files and folders of site-packages that hold `packages` and everything that they require.

    Args:
        packages: names of installed distributions; one that is not installed is left out.

    Returns:
        Name in site-packages → absolute path, e.g. ``{"numpy": Path("/…/site-packages/numpy")}``.
    """
    entries: dict[str, Path] = {}
    for distribution in _with_requirements(packages):
        for name in sorted(_top_names(distribution)):
            # ".." are scripts and manual pages; __pycache__ is shared by all single-file modules.
            if name not in entries and name not in ("..", "__pycache__") and not name.endswith(".pth"):
                path = Path(str(distribution.locate_file(name))).resolve()
                if path.exists():
                    entries[name] = path
    return entries


def _top_names(distribution: metadata.Distribution) -> set[str]:
    """The first part of each path that was installed: from the text, for 5,000 `Path`s take half a second."""
    record = distribution.read_text("RECORD")
    if record is None:  # installed by a system's package manager
        return {file.parts[0] for file in distribution.files or ()}
    return {row[0].partition("/")[0] for row in csv.reader(record.splitlines()) if row}


def _with_requirements(packages: tuple[str, ...]) -> list[metadata.Distribution]:
    """The distributions named, and those that they need on this system (extras aside)."""
    found: dict[str, metadata.Distribution] = {}
    seen: set[str] = set()
    todo = list(packages)
    while todo:
        name = todo.pop().lower().replace("_", "-")
        if name in seen:
            continue
        seen.add(name)
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        requirements = [Requirement(text) for text in found[name].requires or ()]
        todo += [r.name for r in requirements if r.marker is None or r.marker.evaluate({"extra": ""})]
    return list(found.values())


def link_site(folder: Path, packages: tuple[str, ...] = STUDENT_PACKAGES) -> None:
    """Fill `folder` with symbolic links to `site_entries`: an import path without a sandbox."""
    folder.mkdir(parents=True)
    for name, path in site_entries(packages).items():
        (folder / name).symlink_to(path)
