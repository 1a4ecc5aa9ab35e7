"""What formgrader and a feedback page render: in colours, within bounds, and else as it is written."""

import nbformat
import pytest
from nbconvert.exporters import HTMLExporter

from grader.about import in_time
from grader.about.cut import MOST_CELLS, MOST_OUTPUTS_OF_PAGE, cut
from grader.publish.course import course_root
from grader.publish.release import course_config
from grader.run.execution.outputs import stream


def shown(monkeypatch, source, seconds=60.0):
    monkeypatch.setattr(in_time, "SECONDS", seconds)
    cells = [nbformat.v4.new_code_cell(source, outputs=[stream("stdout", "\x1b[31m" + "red<" * 3)])]
    exporter = HTMLExporter(config=course_config(course_root()))
    return exporter.from_notebook_node(nbformat.v4.new_notebook(cells=cells))[0]


def test_formgraders_pages_are_in_colours(monkeypatch):
    page = shown(monkeypatch, "x = 1")
    assert '<span class="n">x</span>' in page and '<span class="ansi-red-fg">red&lt;' in page


@pytest.mark.parametrize("source, seconds", [("x = 1 < 2", 0.0), ("x = 1 < 2\n" * 10_000, 60.0)])
def test_what_would_take_long_is_shown_as_it_is(monkeypatch, source, seconds):
    page = shown(monkeypatch, source, seconds)
    assert "<pre>x = 1 &lt; 2" in page and '<span class="n">x</span>' not in page


def test_formgrader_reads_no_links_into_files_which_would_be_quadratic():
    assert in_time.strip_files_prefix("[a](files/b)") == "[a](files/b)"
    filters = course_config(course_root()).HTMLExporter.filters
    assert filters["strip_files_prefix"] == "grader.about.in_time.strip_files_prefix"


def test_a_page_has_so_many_cells_and_outputs():
    given = [nbformat.v4.new_code_cell("given") for _ in range(200)]
    twice = [stream("stdout", "x"), stream("stderr", "x")]
    own = [nbformat.v4.new_code_cell("mine", outputs=twice) for _ in range(200)]
    exercise = nbformat.v4.new_code_cell("mine too", metadata={"nbgrader": {"grade_id": "mul"}})
    notebook = nbformat.v4.new_notebook(cells=[*given, *own, exercise])
    cut(notebook, {"given"})
    sources = [cell.source for cell in notebook.cells]
    assert (sources.count("given"), sources.count("mine"), sources.count("mine too")) == (200, MOST_CELLS, 1)
    assert sources[-1].startswith(f"… cut here: this page shows {MOST_CELLS} of the 200 cells")
    printed = [output.text for cell in notebook.cells for output in cell.get("outputs", [])]
    assert printed.count("x") == MOST_OUTPUTS_OF_PAGE
