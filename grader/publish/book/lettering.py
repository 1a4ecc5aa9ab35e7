"""The font of formulas, in the book and on feedback pages: STIX Two Math, with the characters that formulas have.

It lies beside the book's style, since whoever grades need not build a book. `python -m grader.publish.book.lettering`
writes it anew. Its own words say whose it is, and its licence.
"""

from __future__ import annotations

from importlib.metadata import distribution
from itertools import chain
from pathlib import Path

FONT = Path(__file__).with_name("static") / "math.woff"
ITALIC = range(0x1D434, 0x1D468), range(0x1D6E2, 0x1D71C)  # a browser writes the letter `x` as `𝑥`
LETTERS = range(0x20, 0x7F), range(0x391, 0x3CA), *ITALIC
SIGNS = (
    "′″‴ħℎℓℝ·×÷±−∗∘⊙⊗⊕≠≈≃∼≡≤≥≪≫∝∞∂∇∑∏∫√∈∉⊂⊆∪∩∀∃¬∧∨⊤⊥‖∥…⋯⋮⋱←→↔↦⇐⇒⇔⌊⌋⌈⌉⟨⟩¯ˉˆ˜˙―"
    "\N{NO-BREAK SPACE}\N{COMBINING CIRCUMFLEX ACCENT}\N{COMBINING TILDE}\N{COMBINING MACRON}"
    "\N{TOP CURLY BRACKET}\N{BOTTOM CURLY BRACKET}"
)


def write_font(path: Path = FONT) -> None:
    """Write the font, without hints and other shapes of letters, which double it.

    It needs fonttools, and ziamath, which has the whole font: the extra `book`.
    """
    from fontTools import subset

    options = subset.Options(flavor="woff", hinting=False, layout_features=[], name_IDs=["*"])
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=chain(*LETTERS, map(ord, SIGNS)))
    whole = distribution("ziamath").locate_file("ziamath/fonts/STIXTwoMath-Regular.ttf")
    font = subset.load_font(str(whole), options)
    subsetter.subset(font)
    subset.save_font(font, str(path), options)


if __name__ == "__main__":
    write_font()
