"""Points that the cell of their exercise does not explain are noticed, and nothing else is."""

import nbformat
import pytest

from grader.about.noticed import noticed
from grader.chapters import CHAPTERS
from grader.classroom.demo import notebook_of, solution_notebook, students
from grader.publish.course import release_notebook
from grader.run.submission import grade_id
from grader.verdict.assess import Result

TABLE = "answers = [" + ", ".join(map(str, range(300))) + "]"


def full(chapter):
    """Full points in each exercise."""
    return [Result(e.name, e.max_score, e.max_score, "graded", {}) for e in CHAPTERS[chapter]]


def with_cell(name, source):
    notebook = solution_notebook(1)
    next(cell for cell in notebook.cells if grade_id(cell) == name).source = source
    return notebook


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_nothing_is_noticed_of_the_solutions(chapter):
    assert noticed(solution_notebook(chapter), release_notebook(chapter), full(chapter)) == {}


@pytest.mark.parametrize("sample", [s for s in students(1) if s.student.startswith("right-")], ids=lambda s: s.student)
def test_right_work_in_other_words_is_not(sample):
    assert noticed(notebook_of(sample, 1), release_notebook(1), full(1)) == {}


@pytest.mark.parametrize(
    "source, words",
    [
        (next(c.source for c in release_notebook(1).cells if grade_id(c) == "mul"), "as it was handed out"),
        ("pass", "does not define it"),
        ("exec('class Mul(Function): ...')", "does not define it, and one calls exec"),
        (f"{TABLE}\n\nclass Mul(Function): ...", "holds 300 numbers"),
    ],
)
def test_points_without_their_code_are(source, words):
    found = noticed(with_cell("mul", source), release_notebook(1), full(1))
    assert set(found) == {"mul"} and words in found["mul"]


@pytest.mark.parametrize("source", ["%%time\nclass Mul(Function): ...", "Mul = made_elsewhere(Function)", "(" * 9_000])
def test_what_cannot_be_read_or_is_assigned_is_not(source):
    assert noticed(with_cell("mul", source), release_notebook(1), full(1)) == {}


def test_without_points_nothing_is_odd():
    nothing = [Result(e.name, 0.0, e.max_score, "graded", {}) for e in CHAPTERS[1]]
    assert noticed(release_notebook(1), release_notebook(1), nothing) == {}


def test_more_code_than_anybody_writes_is_said_and_not_read():
    notebook = with_cell("mul", "class Mul(Function): ...\n" + "a;" * 60_000)
    found = noticed(notebook, release_notebook(1), full(1))
    assert set(found) == {e.name for e in CHAPTERS[1]} and "more than 100,000 characters" in found["mul"]


@pytest.mark.parametrize(
    "source, words",
    [
        ("import json\nplain = json.dumps\njson.dumps = lambda *a, **k: plain(*a, **k)", "assigns to dumps of json"),
        ("import json.encoder\njson.encoder.JSONEncoder.encode = None", "assigns to encode of json"),
        ("import builtins as b\nsetattr(b, 'exec', None)", "assigns to what is in b"),
        ("from numpy import linalg\nlinalg.norm = None", "assigns to norm of linalg"),
        ("get_ipython().kernel.session.send = None", "speaks to the kernel"),
        ("import sys\nsys._getframe(1).f_locals", "looks at who calls it"),
        ("import gc\ngc.get_objects()", "looks at objects that are not its own"),
    ],
)
def test_a_cell_that_answers_in_the_place_of_the_question_is(source, words):
    notebook = solution_notebook(1)
    notebook.cells.insert(1, nbformat.v4.new_code_cell(source))
    found = noticed(notebook, release_notebook(1), full(1))
    assert set(found) == {e.name for e in CHAPTERS[1]} and all(words in said for said in found.values())


@pytest.mark.parametrize(
    "source",
    [
        "from minigrad import Tensor\nTensor.twice = lambda self: self * 2",
        "import numpy as np\nnp.random.seed(0); x = np.zeros(3); x.shape = (3, 1)",
        "import matplotlib.pyplot as plt\nplt.rcParams['figure.dpi'] = 100\nclass A: pass\na = A(); a.kernel = 3; setattr(a, 'b', 1)",
        "a" + ".a" * 40_000 + " = 1",
    ],
)
def test_what_anybody_writes_in_a_cell_of_their_own_is_not(source):
    notebook = solution_notebook(1)
    notebook.cells.insert(1, nbformat.v4.new_code_cell(source))
    assert noticed(notebook, release_notebook(1), full(1)) == {}


@pytest.mark.parametrize(
    "chapter, name, source",
    [
        (9, "attention", "def attention(q, k, v):\n    return nn.functional.scaled_dot_product_attention(q, k, v)"),
        (
            5,
            "jacobian",
            "from minigrad.autograd.functional import jacobian as j\ndef jacobian(f, x):\n    return j(f, x)",
        ),
    ],
)
def test_what_the_engine_has_ready_made_is(chapter, name, source):
    notebook = solution_notebook(chapter)
    next(cell for cell in notebook.cells if grade_id(cell) == name).source = source
    found = noticed(notebook, release_notebook(chapter), full(chapter))
    assert set(found) == {name} and "calls minigrad's own" in found[name]
