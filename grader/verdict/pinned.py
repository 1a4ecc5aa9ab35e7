"""The release of PyTorch on which the verdict rests.

The standard library is all that it needs: the doctor reads it where nothing else starts.
"""

from __future__ import annotations

import importlib.metadata as metadata

TORCH = "2.13.0"


def installed(package: str) -> str | None:
    """The version of an installed package; None where there is none."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def other_torch() -> str:
    """A sentence if another torch than the course's is installed; else nothing."""
    version = installed("torch")
    if version is None or version.split("+")[0] == TORCH:
        return ""
    return f"torch {version} is installed, but the course is tested with {TORCH}: where they differ, trust {TORCH}."
