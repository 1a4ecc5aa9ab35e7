"""The exercises of each chapter: the file `chapterN.py` holds those of chapter N."""

from __future__ import annotations

import importlib
import pkgutil

from ..exercise import Exercise


def numbered() -> list[int]:
    """The chapters that have exercises, in order."""
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    return sorted(int(name.removeprefix("chapter")) for name in names if name.startswith("chapter"))


CHAPTERS: dict[int, tuple[Exercise, ...]] = {
    number: importlib.import_module(f".chapter{number}", __name__).EXERCISES for number in numbered()
}
