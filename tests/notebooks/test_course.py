"""A learner who does what the solutions do sees what is stored in them, and has an engine that passes minigrad's tests."""

import re

import nbformat
import pytest
from course import CHAPTERS, LENT, code, nbval, solution_path

from minigrad.workshop import PARTS, source
from tests.minigrad import mine

FINAL = [part for part in PARTS if not part.until]


@pytest.fixture(scope="module")
def learner(tmp_path_factory):
    """Somebody who works through every chapter, in order, as the solutions do: their folder, and what nbval found."""
    home = tmp_path_factory.mktemp("learner")
    return home, {chapter: nbval(after_the_earlier_ones(chapter), home, "--nbval") for chapter in CHAPTERS}


@pytest.fixture(scope="module")
def my_minigrad(learner):
    return learner[0] / "my_minigrad"


def after_the_earlier_ones(chapter):
    """The stored solution, as it is for who has done the chapters before: what minigrad lends there is theirs."""
    nb = nbformat.read(solution_path(chapter), as_version=4)
    for cell in code(nb):
        cell.source = re.sub(r" *### (BEGIN|END) SOLUTION(\n|$)", "", cell.source)
    for output in stream_outputs(nb):
        output.text = output.text.replace(f"{LENT}: ", "Yours, from my_minigrad: ")
    return nb


def stream_outputs(nb):
    return [output for cell in code(nb) for output in cell.outputs if output.output_type == "stream"]


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


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_solution_reproduces_its_stored_outputs(learner, chapter):
    done = learner[1][chapter]
    assert done.returncode == 0, done.stdout[-4000:]


def test_every_part_is_the_learners_own(texts):
    assert set(texts) == {part.name for part in FINAL if part.chapter in CHAPTERS}


def test_the_engine_passes_minigrads_tests(engine):
    done = mine.run(engine, capture=True)
    assert done.returncode == 0, done.stdout[-4000:]


def test_a_slip_in_the_engine_would_be_found(engine):
    file = engine / "ops" / "arithmetic.py"
    right = file.read_text("utf-8")
    file.write_text(right.replace("return grad * y\n", "return grad + y\n"), "utf-8")
    done = mine.run(engine, "-x", "-k", "test_one_step", capture=True)
    file.write_text(right, "utf-8")
    assert done.returncode == 1 and "1 failed, 1 passed" in done.stdout


def test_nbval_notices_a_changed_output(tmp_path):
    nb = nbformat.read(solution_path(CHAPTERS[0]), as_version=4)
    output = next(o for o in stream_outputs(nb) if re.search(r"\d\d", o.text))
    output.text = re.sub(r"\d\d", "00", output.text, count=1)
    done = nbval(nb, tmp_path, "--nbval")
    assert done.returncode == 1 and "1 failed" in done.stdout
