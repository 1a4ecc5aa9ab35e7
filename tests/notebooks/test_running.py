"""The notebooks run: the solutions as they are stored, the release as a learner first meets it."""

import re

import nbformat
import pytest
from course import (
    CHAPTERS,
    code,
    environment,
    is_demonstration,
    learners_names,
    marks,
    names,
    nbval,
    released,
    released_path,
    solution_path,
)
from nbclient import NotebookClient

from grader.publish import release
from grader.chapters import exercises

pytestmark = pytest.mark.parametrize("chapter", CHAPTERS)


def stumbles(cell, learners):
    """Whether a cell must fail as long as nothing is done: it is graded, or uses what an exercise defines."""
    if marks(cell).get("grade"):
        return True
    return not marks(cell).get("solution") and bool(names(cell.source)[1] & learners)


def test_the_solution_reproduces_its_stored_outputs(chapter, tmp_path):
    done = nbval(nbformat.read(solution_path(chapter), as_version=4), tmp_path, "--nbval")
    assert done.returncode == 0, done.stdout[-4000:]


def test_the_release_runs_and_fails_exactly_where_work_is_missing(chapter, tmp_path):
    nb = nbformat.read(released_path(chapter), as_version=4)
    learners = learners_names(nb)
    for cell in code(nb):
        if stumbles(cell, learners):
            cell.metadata.tags = [*cell.metadata.get("tags", []), "raises-exception"]
    done = nbval(nb, tmp_path, "--nbval-lax")
    assert done.returncode == 0, done.stdout[-4000:]


def test_each_stub_says_that_it_is_not_done_yet(chapter, tmp_path):
    nb = nbformat.from_dict(released(chapter))
    nb.cells = [cell for cell in nb.cells if not is_demonstration(cell)]  # no exercise needs one
    client = NotebookClient(
        nb,
        config=release.kernel_config(str(tmp_path)),
        kernel_name="python3",
        timeout=240,
        allow_errors=True,
        coalesce_streams=True,
        resources={"metadata": {"path": tmp_path}},
    )
    client.execute(env=environment(tmp_path))
    cells = {cell.source: cell for cell in code(nb)}
    for exercise in exercises(chapter):
        printed = "".join(o.get("text", "") for o in cells[f'check("{exercise.name}")'].outputs)
        for part in exercise.points:
            message = rf"^{part}: Not done yet: \S+ is still to be written\.$"
            assert re.search(message, printed, re.MULTILINE), printed
        (error,) = [o for o in cells[f'graded("{exercise.name}")'].outputs if o.output_type == "error"]
        assert error.ename == "NotRight" and "Not done yet" in error.evalue, error.evalue
        assert len("".join(error.traceback).splitlines()) == 1
    others = [c for c in code(nb) if not stumbles(c, learners_names(nb))]
    assert not [o for cell in others for o in cell.outputs if o.output_type == "error" or o.get("name") == "stderr"]
