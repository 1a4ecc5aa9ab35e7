"""Every exercise in Pyodide, under Node: the solved chapter runs to its end, and known mistakes have their names."""

import json
from pathlib import Path

import pytest

from grader.chapters import exercises
from grader.chapters.answers import BANK
from grader.classroom import demo
from grader.publish.course import chapters
from grader.publish.site.build import assemble
from grader.verdict.render import plain

from ..grader.deserves import having
from . import pyodide
from .conftest import ROOT

HERE = Path(__file__).parent
PACKAGES = ("numpy", "matplotlib", "scikit-learn", "threadpoolctl", "ipython")


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """A folder that Pyodide sees, with what the site is built from as the browser's drive."""
    _, own = pyodide.had()
    folder = tmp_path_factory.mktemp("host")
    assemble(ROOT, folder / "lite")
    (folder / "lite" / "files").rename(folder / "drive")
    return folder, own


@pytest.mark.parametrize("chapter", chapters(ROOT))
def test_right_is_right_and_wrong_is_named_as_on_a_desktop(host, chapter, capsys):
    folder, own = host
    solved = [cell for cell in demo.solution_notebook(chapter).cells if cell.cell_type == "code"]
    right = {demo.grade_id(cell): cell.source for cell in solved}
    samples = [
        (exercise, sample)
        for exercise in exercises(chapter)
        for sample in having(BANK[exercise.name], chapter).values()
    ]
    wrong = [
        {"cell": sample.cells[each.name], "check": f'check("{each.name}")', "right": right[each.name]}
        for each, sample in samples
    ]
    job = {"chapter": chapter, "cells": [cell.source for cell in solved], "wrong": wrong}
    (folder / "job.json").write_text(json.dumps(job), "utf-8")
    done = pyodide.under_node(own, folder, HERE / "answers_in_pyodide.py", *PACKAGES)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    answer = json.loads((folder / "answer.json").read_text("utf-8"))

    for cell, (success, printed) in zip(solved, answer["solved"]):
        fails = any(output.output_type == "error" for output in cell.outputs)
        assert success != fails, (cell.source, printed)
        if cell.source.startswith("check("):
            assert "Right: the same as " in printed and "not right" not in printed, printed
    for (each, sample), printed in zip(samples, answer["wrong"]):
        assert "not right yet" in printed, (each.name, sample.student, printed)
    named = [plain(sample.about) in printed for (_, sample), printed in zip(samples, answer["wrong"])]
    with capsys.disabled():
        print(f"\nchapter {chapter}: {sum(named)} of {len(named)} known mistakes are called by their names")
    assert sum(named) >= 0.95 * len(named), [s.student for (_, s), found in zip(samples, named) if not found]


def test_the_runtime_that_the_site_takes_reads_the_course_and_survives_a_recursion(host):
    """Its NumPy cannot be had here: what is run is what needs none."""
    folder, _ = host
    done = pyodide.under_node(pyodide.current(), folder, HERE / "start_in_pyodide.py")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    told = json.loads((folder / "answer.json").read_text("utf-8"))
    assert told["python"].startswith("3.14.") and told["files"] > 100
    assert told["stored"] == ["my_minigrad/rules/arithmetic.py"]
    assert told["torch"].startswith("PyTorch does not run in a browser.")
    assert told["recursion"] == "RecursionError"
