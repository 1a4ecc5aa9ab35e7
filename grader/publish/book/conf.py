"""Sphinx's settings for the book. The site loads nothing from anywhere: its formulas are MathML."""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

from grader.learner.draw.mathml import mathml
from grader.publish.book.pages import STATIC
from grader.publish.book.public import is_public
from grader.publish.book.searching import add_texts, write_texts
from grader.publish.book.watching import watch

project = "minigrad"
html_title = "minigrad"  # `--solved` says more
author = "the authors of minigrad"
copyright = "the authors of minigrad, MIT licence"
language = "en"

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["download"]  # the notebooks as they are, beside the pages that are made of them
myst_enable_extensions = ["attrs_inline", "colon_fence", "dollarmath"]
myst_heading_anchors = 2
myst_heading_slug_func = "mdit_py_plugins.anchors.index.slugify"
nb_execution_mode = "off"  # what a notebook printed is stored in it

default_role = "literal"
add_module_names = False
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
autodoc_typehints = "none"  # the docstrings say it in words
autodoc_preserve_defaults = True
napoleon_attr_annotations = False  # nor does an attribute need its annotation beside its words

html_theme = "sphinx_book_theme"
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system is
html_logo = html_favicon = str(STATIC / "logo.svg")
html_theme_options = {
    "logo": {"text": "minigrad", "alt_text": ""},  # the name stands beside the picture
    "home_page_in_toc": True,
    "navbar_persistent": [],  # the search is in the sidebar
    "use_fullscreen_button": False,
    "search_bar_text": "Search the book",
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_static_path = [str(STATIC)]
html_css_files = ["book.css"]
html_sourcelink_suffix = ""
html_use_index = html_domain_indices = False  # the search finds every name

SHORT = 20  # characters of code that a line does not end in
NAMES, SIGNS = re.compile(r"\\[a-zA-Z]+"), re.compile(r"[{}^_,; \\]")  # of LaTeX: what is one sign, and what is none
PHONE = 30  # letters that stand beside each other on a phone, in the columns of a table
NUMBER = re.compile(r"(?:[−-]?\d[\d.,\u202f]*(?: ?(?:[%×]|[kMG]B|[mµ]?s))?|–|)")

warn = logging.getLogger(__name__).warning


def formula(translator: HTML5Translator, node: nodes.Element, display: str) -> None:
    """Write a formula as MathML; warn where it is not understood."""
    html = mathml(node.astext(), display)
    if not html.startswith("<math"):
        warn("This formula cannot be written as MathML: %s", node.astext(), location=node)
    translator.body.append(f'<div class="formula">{html}</div>' if display == "block" else html)
    raise nodes.SkipNode


def inline(translator: HTML5Translator, node: nodes.math) -> None:
    """A formula in a line."""
    formula(translator, node, "inline")


def block(translator: HTML5Translator, node: nodes.math_block) -> None:
    """A formula of its own."""
    formula(translator, node, "block")


def plain(_app: Sphinx, _what: str, _name: str, _found: object, _options: object, lines: list[str]) -> None:
    """Docstrings are plain text: a bar or an asterisk is no markup of reStructuredText."""
    for number, line in enumerate(lines):
        outside = re.split(r"(`[^`]*`)", line)
        outside[::2] = [re.sub(r"[|*]", r"\\\g<0>", text) for text in outside[::2]]
        lines[number] = "".join(outside)


def left_out(_app: Sphinx, _what: str, name: str, found: object, skip: bool, _options: object) -> bool | None:
    """What is no part of the interface is no part of the reference."""
    return None if skip or is_public(name, found) else True


def cell(translator: HTML5Translator, node: nodes.entry) -> None:
    """A table's cell; before what is in it stands the heading of its column, which a phone shows."""
    HTML5Translator.visit_entry(translator, node)
    group = node.parent.parent
    if isinstance(group, nodes.tbody) and node.astext() and (head := next(group.parent.findall(nodes.thead), None)):
        translator.body.append('<span class="label">')
        for paragraph in head.children[-1].children[node.parent.index(node)].children:
            for part in paragraph.children:
                part.walkabout(translator)
        translator.body.append("</span>")


def after_cell(translator: HTML5Translator, node: nodes.entry) -> None:
    """The end of a table's cell."""
    HTML5Translator.depart_entry(translator, node)


def looks(_app: Sphinx, doctree: nodes.document, _page: str) -> None:
    """What the page's style asks for: a short piece of code stays in one line, and numbers stand under each other."""
    for literal in doctree.findall(nodes.literal):
        if len(literal.astext()) <= SHORT:
            literal["classes"].append("short")
    for body in doctree.findall(nodes.tbody):
        rows = [row.children for part in (*body.parent.findall(nodes.thead), body) for row in part.children]
        columns = [*zip(*rows, strict=False)]
        if sum(max(map(_wide, column)) for column in columns) <= PHONE:
            body.parent.parent["classes"].append("fits")
        for column in columns:
            said = [entry.astext() for entry in column if entry.parent.parent is body]
            formulas = any(list(entry.findall(nodes.math)) for entry in column)  # as in a matrix, all in one way
            if any(said) and not formulas and all(NUMBER.fullmatch(text) for text in said):
                for entry in column:
                    entry["classes"].append("number")


def _wide(entry: nodes.entry) -> int:
    """How many letters a cell has in a line; of a formula, without its commands' names."""
    formulas = [one.astext() for one in entry.findall(nodes.math)]
    return len(entry.astext()) - sum(len(one) - len(SIGNS.sub("", NAMES.sub("x", one))) for one in formulas)


def setup(app: Sphinx) -> None:
    """Plug in how formulas, docstrings and tables are written, what the search reads, and who is told how far it is."""
    watch(app)
    app.connect("autodoc-process-docstring", plain, priority=400)  # before napoleon, which makes markup of them
    app.connect("autodoc-skip-member", left_out)
    app.connect("doctree-resolved", looks)
    app.connect("html-page-context", add_texts)
    app.connect("build-finished", write_texts)
    app.add_node(nodes.entry, override=True, html=(cell, after_cell))
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.config.html_math_renderer = "mathml"
