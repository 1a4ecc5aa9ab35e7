"""What formgrader shows of a submission, made as its server makes it."""

import re

import nbformat
import pytest
from nbconvert.exporters import HTMLExporter
from nbgrader.server_extensions.formgrader import handlers
from traitlets.config import Config

from grader.classroom.autograded import MARK
from grader.publish.course import course_root, release_notebook
from grader.publish.release import course_config

ABOUT = ("assignment_id", "notebook_id", "submission_id", "base_url", "student", "last_name", "first_name")


@pytest.fixture(scope="module")
def page():
    nb = release_notebook(1)
    graded = next(cell for cell in nb.cells if cell.source == 'check("mul")')
    graded.metadata[MARK] = {}
    graded.outputs = [
        nbformat.v4.new_output("stream", text="Mul: not right yet."),
        nbformat.v4.new_output("execute_result", data={"text/plain": "0.125"}),
    ]
    config = course_config(course_root())
    own = {"template_name": "formgrade", "extra_template_basedirs": [handlers.template_path]}
    config.merge(Config({"HTMLExporter": own}))
    about = {**dict.fromkeys(ABOUT, ""), "notebook_path": "", "index": 0, "total": 1}
    return HTMLExporter(config=config).from_notebook_node(nb, about)[0]


def test_formulas_are_set_without_the_network(page):
    scripts = re.findall(r'<script[^>]* src="([^"]+)"', page)
    assert [script for script in scripts if "MathJax.js" in script] == [
        "../../../static/jupyter_server_mathjax/MathJax.js?config=TeX-AMS-MML_HTMLorMML-full,Safe"
    ]
    assert not [script for script in scripts if "//" in script]


def test_the_verdict_is_there_and_the_number_that_nbgrader_reads_is_not(page):
    assert "Mul: not right yet." in page and "0.125" not in page


def test_an_answer_has_its_triangle_and_lines_and_pictures_stay_in_their_box(page):
    assert "summary { display: list-item" in page and "white-space: pre-wrap" in page
    assert "#notebook img { border: 0; height: auto; max-width: 100%; }" in page  # nbgrader frames each in red
