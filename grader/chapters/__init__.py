"""The exercises of each chapter, and the ways of being wrong that are known by name."""

from __future__ import annotations

from ..exercise import Exercise
from . import chapter1, chapter2

CHAPTERS: dict[int, tuple[Exercise, ...]] = {1: chapter1.EXERCISES, 2: chapter2.EXERCISES}
