"""Rebuilding the notebooks loses nobody's work."""

import json
import shutil

import nbformat
import pytest

from grader.publish.release import build_release, course_root


@pytest.fixture
def course(tmp_path):
    for name in ("solutions", "notebooks"):
        shutil.copytree(course_root() / name, tmp_path / name)
    shutil.copy(course_root() / "nbgrader_config.py", tmp_path)
    return tmp_path


def test_a_notebook_that_was_worked_in_is_put_aside(course):
    path = course / "notebooks" / "chapter1" / "one-step.ipynb"
    released = path.read_bytes()
    notebook = nbformat.read(path, as_version=4)
    solution = next(cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("solution"))
    solution.source = "# an hour of work"
    for expected in ("one-step.yours.ipynb", "one-step.yours2.ipynb"):
        nbformat.write(notebook, path)
        build_release(1, course)
        assert path.read_bytes() == released
        assert "an hour of work" in (path.parent / expected).read_text()


def test_a_notebook_that_was_only_run_is_not(course):
    path = course / "notebooks" / "chapter1" / "one-step.ipynb"
    notebook = json.loads(path.read_text())
    notebook["metadata"]["ran"] = True
    path.write_text(json.dumps(notebook))
    build_release(1, course)
    assert not list(path.parent.glob("*.yours*"))
