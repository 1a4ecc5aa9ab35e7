"""What the search quotes: the text of each page, section by section, in one file that needs no server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

FILE = "texts.js"
LONG = 12  # rows of a table that nobody reads in an excerpt
SILENT = (nodes.raw, nodes.comment, nodes.math_block, nodes.image)
APART = " · "  # between cells, items and blocks,
ENDED = re.compile(r"(?<=[.:;?!…]) · ")  # but where a sentence ends
READABLE = re.compile(r"[^\\{}]+")  # a formula that is read as it is written


def add_texts(app: Sphinx, page: str, template: str, context: dict[str, object], doctree: object) -> None:
    """Let the search's page, and no other, load the texts."""
    if page == "search":
        app.add_js_file(FILE, priority=100)
        app.add_js_file("search.js", priority=110)


def write_texts(app: Sphinx, failed: Exception | None) -> None:
    """Write the texts beside what the pages load."""
    if failed is None:
        found = {page: texts(app.env.get_doctree(page)) for page in sorted(app.env.found_docs)}
        written = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
        (Path(app.outdir) / "_static" / FILE).write_text(f"const texts = {written};\n", "utf-8")


def texts(doctree: nodes.document) -> dict[str, tuple[str, str]]:
    """The id of each section, its title, and what stands in it, outside of sections of its own."""
    return {section["ids"][0]: _said(section) for section in doctree.findall(nodes.section)}


def _said(section: nodes.section) -> tuple[str, str]:
    title, *others = section.children
    return str(title.astext()), " ".join(ENDED.sub(" ", _joined(_outside(others))).split())


def _joined(blocks: Iterable[nodes.Node]) -> str:
    return APART.join(filter(str.strip, map(_text, blocks)))


def _outside(children: Iterable[nodes.Node]) -> Iterator[nodes.Node]:
    """What is no section of its own."""
    return (child for child in children if not isinstance(child, nodes.section))


def _text(node: nodes.Node) -> str:
    if isinstance(node, nodes.Text | addnodes.desc_signature):
        return str(node.astext())
    if isinstance(node, nodes.math):
        return node.astext() if READABLE.fullmatch(node.astext()) else "…"
    if isinstance(node, SILENT) or (isinstance(node, nodes.table) and len(list(node.findall(nodes.row))) > LONG):
        return ""
    if isinstance(node, nodes.TextElement):  # words of one line
        return "".join(map(_text, _outside(node.children)))
    return _joined(_outside(node.children))
