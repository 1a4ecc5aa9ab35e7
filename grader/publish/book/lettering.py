"""The font of the book's formulas, STIX Two Math: with the characters that formulas have, so that it is small."""

from __future__ import annotations

from importlib.metadata import distribution
from itertools import chain
from pathlib import Path

from fontTools import subset
from sphinx.application import Sphinx

# Latin and Greek letters, accents, primes and arrows, operators, brackets, and mathematics' own alphabets.
CHARACTERS = (
    *(range(0x20, 0x180), range(0x300, 0x400), range(0x2000, 0x2070), range(0x2070, 0x2300), range(0x23B0, 0x23E2)),
    *(range(0x27C0, 0x2800), range(0x2980, 0x2B00), range(0x1D400, 0x1D800)),
)


def write_font(app: Sphinx, error: Exception | None) -> None:
    """Put the font where the pages' style looks for it; its own words say whose it is, and its licence."""
    if not error:
        options = subset.Options(flavor="woff", layout_features=["*"], name_IDs=["*"], name_languages=["*"])
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=chain(*CHARACTERS))
        whole = distribution("ziamath").locate_file("ziamath/fonts/STIXTwoMath-Regular.ttf")
        font = subset.load_font(str(whole), options)
        subsetter.subset(font)
        subset.save_font(font, str(Path(app.outdir) / "_static" / "math.woff"), options)
