"""A learner who does the whole course ends with an engine that passes minigrad's own tests."""

import re

import nbformat
import pytest
from course import CHAPTERS, code, environment, is_demonstration, nbval, solution_path
from nbclient import NotebookClient

from grader.classroom.demo import solution_notebook
from grader.publish.release import kernel_config
from minigrad.workshop import PARTS, source
from tests.minigrad import mine

pytestmark = pytest.mark.timeout(900)  # the first test waits for ten notebooks, on a machine that may be busy

FINAL = [part for part in PARTS if not part.until]


@pytest.fixture(scope="module")
def my_minigrad(tmp_path_factory):
    """The engine of somebody who has worked through every chapter, in order, in a kernel each."""
    home = tmp_path_factory.mktemp("learner")
    for chapter in CHAPTERS:
        notebook = solution_notebook(chapter)
        notebook.cells = [cell for cell in notebook.cells if not is_demonstration(cell)]
        where = {"metadata": {"path": home}}
        client = NotebookClient(notebook, timeout=120, resources=where, config=kernel_config(str(home)))
        client.execute(env=environment(home))
    return home / "my_minigrad"


@pytest.fixture(scope="module")
def texts(my_minigrad):
    """Part -> its source in `my_minigrad/`; a part that is not the learner's is missing."""
    found = {p.name: source.definition((my_minigrad / source.file_of(p)).read_text("utf-8"), p.qualname) for p in FINAL}
    return {name: text for name, text in found.items() if text}


@pytest.fixture(scope="module")
def engine(texts, tmp_path_factory):
    """The learner's parts in minigrad; as soon as the course has all its chapters, this is `my_minigrad/` itself."""
    folder = tmp_path_factory.mktemp("engine")
    source.write_package(folder, texts)
    return folder


def test_every_part_is_the_learners_own(texts):
    assert set(texts) == {part.name for part in FINAL if part.chapter in CHAPTERS}


def test_the_engine_passes_minigrads_tests(engine):
    done = mine.run(engine, capture=True)
    assert done.returncode == 0, done.stdout[-4000:]


def test_a_slip_in_the_engine_would_be_found(engine):
    file = engine / "rules" / "arithmetic.py"
    right = file.read_text("utf-8")
    file.write_text(right.replace("return grad * y\n", "return grad + y\n"), "utf-8")
    done = mine.run(engine, "-x", "-k", "test_one_step", capture=True)
    file.write_text(right, "utf-8")
    assert done.returncode == 1 and "1 failed, 1 passed" in done.stdout


def test_nbval_notices_a_changed_output(tmp_path):
    nb = nbformat.read(solution_path(CHAPTERS[0]), as_version=4)
    outputs = [o for cell in code(nb) for o in cell.outputs if o.output_type == "stream"]
    output = next(o for o in outputs if re.search(r"\d\d", o.text))
    output.text = re.sub(r"\d\d", "00", output.text, count=1)
    done = nbval(nb, tmp_path, "--nbval")
    assert done.returncode == 1 and "1 failed" in done.stdout
