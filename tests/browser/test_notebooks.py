"""The course's notebooks in JupyterLab – texts, pictures, outputs – hinder nobody, in either theme."""

import subprocess
import sys

import pytest

from grader.publish.course import chapters, notebook_name

from .accessibility import findings
from .conftest import ROOT
from .lab import Notebook

OURS = [[".jp-RenderedHTMLCommon"], [".jp-RenderedImage"], [".jp-RenderedSVG"], [".jp-RenderedText"]]
# What JupyterLab itself adds to a heading and makes of a formula, and the colours of its own error messages.
JUPYTERLABS = [[".jp-InternalAnchorLink"], ["mjx-container"], ["[data-mime-type$=stderr]"], [".jp-mod-error"]]
# A cell is drawn when it comes to view, and can then be looked at from anywhere.
DRAW_ALL = """async () => {
    const notebook = window.jupyterapp.shell.currentWidget.content;
    for (const number of notebook.widgets.keys()) await notebook.scrollToItem(number);
    notebook.notebookConfig = {...notebook.notebookConfig, windowingMode: 'none'};
}"""
ALL_DRAWN = """() => {
    const cells = window.jupyterapp.shell.currentWidget.content.widgets;
    return cells.every(cell => cell.node.isConnected && getComputedStyle(cell.node).contentVisibility !== 'auto');
}"""


@pytest.mark.parametrize("chapter", chapters(ROOT))
def test_a_solved_chapter(page, lab, course, environment, chapter):
    path = f"solutions/chapter{chapter}/{notebook_name(chapter)}"
    trust = [sys.executable, "-m", "jupyter", "trust", path]  # as it is for whoever ran it
    subprocess.run(trust, cwd=course, env=environment, check=True, capture_output=True)
    with Notebook(page, lab, path) as notebook:
        page.evaluate(DRAW_ALL)
        page.wait_for_function(ALL_DRAWN)
        page.locator("mjx-container:visible").first.wait_for()  # the first of all may be folded away
        for theme in ("JupyterLab Dark", "JupyterLab Light"):
            notebook.theme(theme)
            assert findings(page, {"include": OURS, "exclude": JUPYTERLABS}, skip=["empty-table-header"]) == []
        assert page.evaluate(NAMELESS) == 0
        assert in_order(page.evaluate(HEADINGS))


# MathJax draws a formula without text, so that axe-core takes a column that is called $x_0$ for one without a name.
NAMELESS = """() => [...document.querySelectorAll('.jp-MarkdownOutput th')].filter(
    cell => !cell.textContent.trim() && !cell.querySelector('mjx-container')).length"""
HEADINGS = """() => [...document.querySelectorAll('.jp-MarkdownOutput :is(h1, h2, h3, h4, h5, h6)')].map(
    heading => Number(heading.localName[1]))"""


def in_order(levels):
    """One first heading, and none that skips a level."""
    return levels[0] == 1 and levels.count(1) == 1 and all(b <= a + 1 for a, b in zip(levels, levels[1:]))
