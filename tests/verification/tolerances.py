"""How far a right answer may be from torch's: measured on right answers, for each part of each exercise."""

from __future__ import annotations

import json
import math

from grader.verdict.compare import MEASURED

from .accept import rounding
from .cases import EXERCISES
from .work import spread

MARGIN = 16  # between the largest difference that was seen and the tolerance
LEAST = 1e-14  # some 50 units in the last place: an answer may always differ by a few roundings


def table(seeds: range) -> dict[str, dict[str, dict[str, float]]]:
    """Exercise -> part -> the largest difference that was measured, and the tolerance."""
    measured = spread(rounding, [(exercise.name, seeds) for exercise in EXERCISES], "Measuring rounding")
    return {
        exercise.name: {part: {"measured": two_digits(m), "tolerance": allowed(m)} for part, m in worst.items()}
        for exercise, worst in zip(EXERCISES, measured, strict=True)
    }


def allowed(measured: float) -> float:
    """The tolerance: the margin over what was measured, rounded up to one digit."""
    wanted = max(LEAST, MARGIN * measured)
    unit = 10.0 ** math.floor(math.log10(wanted))
    return float(f"{math.ceil(wanted / unit) * unit:.0e}")


def two_digits(number: float) -> float:
    """A measured figure, as it is worth writing down."""
    return float(f"{number:.1e}")


def write(seeds: range) -> None:
    """Measure, and write the table that the comparison reads."""
    MEASURED.write_text(json.dumps(table(seeds), indent=1) + "\n", "utf-8")
