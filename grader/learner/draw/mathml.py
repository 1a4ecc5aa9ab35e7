"""A formula as MathML, which a browser shows by itself: on feedback pages and in the book."""

from __future__ import annotations

import html
from functools import lru_cache
from xml.etree import ElementTree

from latex2mathml.converter import convert_to_element

# fmt: off
LOOKS = {  # what an element of a formula may say about itself: no link, no style, no handler
    "xmlns", "display", "mathvariant", "stretchy", "fence", "form", "separator", "accent", "movablelimits", "lspace",
    "rspace", "width", "height", "depth", "minsize", "maxsize", "linethickness", "displaystyle", "scriptlevel",
    "columnalign", "columnspacing", "columnlines", "rowspacing", "rowlines",
}
# fmt: on


MOST_OF_FORMULA = 2_000  # characters


@lru_cache(maxsize=2_000)
def mathml(latex: str, display: str) -> str:
    """A formula as MathML; as its source where it is not to be understood, or longer than anybody writes."""
    try:
        if len(latex) > MOST_OF_FORMULA:
            raise ValueError(latex)
        tree = convert_to_element(latex, display=display)
    except Exception:
        return f"<code>{html.escape(latex)}</code>"
    for element in tree.iter():
        element.text = html.unescape(element.text or "")  # the library writes characters as references
        element.attrib = {k: v for k, v in element.attrib.items() if k in LOOKS}
    if display == "block":
        tree.set("tabindex", "0")  # a long one is scrolled, by keyboard too
    return ElementTree.tostring(tree, encoding="unicode", short_empty_elements=False)
