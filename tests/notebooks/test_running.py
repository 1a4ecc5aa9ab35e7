"""The notebooks run: the solutions as they are stored, the release as a learner first meets it."""

import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
import pytest
from course import (
    CHAPTERS,
    by_source,
    code,
    execute,
    is_demonstration,
    learners_names,
    marks,
    names,
    nbval,
    released,
    solution_path,
)

from grader.chapters import exercises

pytestmark = pytest.mark.parametrize("chapter", CHAPTERS)


@cache
def met(chapter):
    """The release after all its cells were run, in a folder where nothing was done before."""
    with TemporaryDirectory() as folder:
        return execute(released(chapter), Path(folder), allow_errors=True)


def stumbles(cell, learners):
    """Whether a cell must fail as long as nothing is done: it is graded, or uses what an exercise defines."""
    if marks(cell).get("grade"):
        return True
    return not marks(cell).get("solution") and bool(names(cell.source)[1] & learners)


def errors(cell):
    return [output for output in cell.outputs if output.output_type == "error"]


def test_the_solution_reproduces_its_stored_outputs(chapter, tmp_path):
    done = nbval(nbformat.read(solution_path(chapter), as_version=4), tmp_path, "--nbval")
    assert done.returncode == 0, done.stdout[-4000:]


def test_the_release_runs_and_fails_exactly_where_work_is_missing(chapter):
    nb = met(chapter)
    learners = learners_names(nb)
    assert not [cell.source for cell in code(nb) if errors(cell) and not stumbles(cell, learners)]


def test_each_stub_says_that_it_is_not_done_yet(chapter):
    nb = met(chapter)
    cells = by_source(nb)
    for exercise in exercises(chapter):
        printed = "".join(o.get("text", "") for o in cells[f'check("{exercise.name}")'].outputs)
        for part in exercise.points:
            message = rf"^{part}: Not done yet: \S+ is still to be written\.$"
            assert re.search(message, printed, re.MULTILINE), printed
        (error,) = errors(cells[f'graded("{exercise.name}")'])
        assert error.ename == "NotRight" and "Not done yet" in error.evalue, error.evalue
        assert len("".join(error.traceback).splitlines()) == 1
    learners = learners_names(nb)
    others = [cell for cell in code(nb) if not stumbles(cell, learners) and not is_demonstration(cell)]
    assert not [o for cell in others for o in cell.outputs if o.output_type == "error" or o.get("name") == "stderr"]
