"""The notebooks run: the release as a learner first meets it, and the solutions, as one who does the whole course.

Whoever does that ends with an engine that passes minigrad's own tests.
"""

import re
from functools import cache, cached_property
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
from minigrad.workshop import PARTS, source
from tests.minigrad import mine

# The first test may wait for ten notebooks, on a machine that is busy.
pytestmark = [pytest.mark.timeout(900), pytest.mark.usefixtures("kernels")]
each_chapter = pytest.mark.parametrize("chapter", CHAPTERS)

FINAL = [part for part in PARTS if not part.until]


class Learner:
    """Somebody who works through the chapters, in order, in a kernel each; what is right is kept for the next one."""

    def __init__(self, home):
        self.home = home

    @cached_property
    def said(self):
        """What nbval says of all solutions, done in order: its report's last lines name the cells that failed."""
        done = nbval({f"chapter{n}.ipynb": self.expects(n) for n in CHAPTERS}, self.home, "--nbval")
        named = re.search(r"^(FAILED|ERROR) chapter\d", done.stdout, re.MULTILINE)
        assert done.returncode == (1 if named else 0), done.stdout[-4000:] + done.stderr
        return done.stdout

    def expects(self, chapter):
        """The solution with the outputs that are stored; but the earlier parts are not lent, they are the learner's."""
        notebook = nbformat.read(solution_path(chapter), as_version=4)
        held = sum(part.chapter <= chapter for part in FINAL)
        for cell in code(notebook):
            for output in cell.outputs:
                if output.output_type == "stream":
                    own = output.text.replace(LENT, "Yours, from my_minigrad: ")
                    output.text = re.sub(r"(my_minigrad/ holds )\d+ of", rf"\g<1>{held} of", own)
        return notebook


LENT = "Lent by minigrad until your own passes its check: "


@pytest.fixture(scope="module")
def learner(tmp_path_factory):
    return Learner(tmp_path_factory.mktemp("learner"))


@pytest.fixture(scope="module")
def texts(learner):
    """Part -> its source in `my_minigrad/` after the whole course; a part that is not the learner's is missing."""
    assert learner.said
    kept = learner.home / "my_minigrad"
    found = {p.name: source.definition((kept / source.file_of(p)).read_text("utf-8"), p.qualname) for p in FINAL}
    return {name: text for name, text in found.items() if text}


@pytest.fixture(scope="module")
def engine(texts, tmp_path_factory):
    """The learner's parts in minigrad; as soon as the course has all its chapters, this is `my_minigrad/` itself."""
    folder = tmp_path_factory.mktemp("engine")
    source.write_package(folder, texts)
    return folder


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


@each_chapter
def test_the_solution_reproduces_its_stored_outputs(chapter, learner):
    failed = re.search(rf"^(FAILED|ERROR) chapter{chapter}\.ipynb", learner.said, re.MULTILINE)
    assert not failed, learner.said[-4000:]


@each_chapter
def test_the_release_runs_and_fails_exactly_where_work_is_missing(chapter):
    nb = met(chapter)
    learners = learners_names(nb)
    assert not [cell.source for cell in code(nb) if errors(cell) and not stumbles(cell, learners)]


@each_chapter
def test_each_stub_says_that_it_is_not_done_yet(chapter):
    nb = met(chapter)
    cells = by_source(nb)
    for exercise in exercises(chapter):
        checked = cells[f'check("{exercise.name}")']
        printed = "\n".join(o.data["text/plain"] for o in checked.outputs if o.output_type != "error")
        for part in exercise.points:
            message = rf"^{part}: Not done yet: \S+ is still to be written\.$"
            assert re.search(message, printed, re.MULTILINE), printed
        (error,) = errors(checked)
        assert error.ename == "NotRight" and "is not right yet" in error.evalue, error.evalue
        assert len("".join(error.traceback).splitlines()) == 1
    learners = learners_names(nb)
    others = [cell for cell in code(nb) if not stumbles(cell, learners) and not is_demonstration(cell)]
    assert not [o for cell in others for o in cell.outputs if o.output_type == "error" or o.get("name") == "stderr"]


def test_every_part_is_the_learners_own(texts):
    assert set(texts) == {part.name for part in FINAL if part.chapter in CHAPTERS}


def test_the_engine_passes_minigrads_tests(engine):
    done = mine.run(engine, capture=True)
    assert done.returncode == 0, done.stdout[-4000:]


def test_a_slip_in_the_engine_would_be_found(engine):
    file = engine / "rules" / "arithmetic.py"
    right = file.read_text("utf-8")
    file.write_text(right.replace("return grad * y\n", "return grad + y\n"), "utf-8")
    done = mine.run(engine, "-x", "-k", "test_one_step", capture=True, tests="tests/minigrad/test_tutorials.py")
    file.write_text(right, "utf-8")
    assert done.returncode == 1 and "1 failed, 1 passed" in done.stdout


def test_nbval_notices_a_changed_output(tmp_path):
    nb = nbformat.read(solution_path(CHAPTERS[0]), as_version=4)
    compared = [cell for cell in code(nb) if "nbval-ignore-output" not in cell.metadata.get("tags", [])]
    outputs = [(cell, o) for cell in compared for o in cell.outputs if o.output_type == "stream"]
    cell, output = next((cell, o) for cell, o in outputs if re.search(r"\d\d", o.text))
    output.text = re.sub(r"\d\d", "00", output.text, count=1)
    nb.cells = nb.cells[: nb.cells.index(cell) + 1]
    done = nbval({"notebook.ipynb": nb}, tmp_path, "--nbval")
    assert done.returncode == 1 and "1 failed" in done.stdout and "FAILED notebook.ipynb" in done.stdout
