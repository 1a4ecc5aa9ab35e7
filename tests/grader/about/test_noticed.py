"""Points that the cell of their exercise does not explain are noticed, and nothing else is."""

import time
from dataclasses import replace

import nbformat
import pytest

from grader.about import noticed as about_noticed
from grader.about.noticed import noticed
from grader.chapters import CHAPTERS
from grader.classroom.demo import notebook_of, solution_notebook, students
from grader.publish.course import release_notebook
from grader.run.bulkhead import TooLong
from grader.run.submission import grade_id
from grader.verdict.assess import Result
from grader.verdict.finding import RIGHT

HOOK = "ip = get_ipython()\nk = ip.kernel\nk.session.send = None"
STUB = "def differentiate(f, at):\n    raise NotImplementedError('put your code in place of this line.')"
TABLE = "answers = [" + ", ".join(map(str, range(300))) + "]"


def full(chapter):
    """Full points in each exercise."""
    return [Result(e.name, e.max_score, e.max_score, "graded", {}) for e in CHAPTERS[chapter]]


def solution_notebook_cell(name):
    return next(cell.source for cell in solution_notebook(1).cells if grade_id(cell) == name)


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
        ("exec('class Mul(Function): ...')", "calls exec"),
        ("%time exec('class Mul(Function): ...')", "calls exec"),
        ("%%capture\nexec('class Mul(Function): ...')", "calls exec"),
        ("class Mul(Function):\n    what that is", "cannot be read"),
        (f"{TABLE}\n\nclass Mul(Function): ...", "holds 300 numbers"),
    ],
)
def test_points_without_their_code_are(source, words):
    found = noticed(with_cell("mul", source), release_notebook(1), full(1))
    assert set(found) == {"mul"} and words in found["mul"]


@pytest.mark.parametrize(
    "source, words",
    [
        ("exec(made_elsewhere)", "does not define it, and one calls exec"),
        ("class Mul(Function): ...\nx = " + "-" * 90_000 + "1", "cannot be read"),
    ],
)
def test_what_nobody_can_look_into_is_said_of_the_whole_notebook(source, words):
    found = noticed(with_cell("mul", source), release_notebook(1), full(1))
    assert set(found) == {e.name for e in CHAPTERS[1]} and words in found["mul"]


@pytest.mark.parametrize(
    "source",
    [
        "%%time\nclass Mul(Function): ...",
        "%matplotlib inline\nclass Mul(Function): ...\n!ls\nMul?",
        "  class Mul(Function):\n      pass",
        ">>> class Mul(Function):\n...     pass",
        "Mul = made_elsewhere(Function)",
    ],
)
def test_what_ipython_reads_or_is_assigned_is_not(source):
    assert noticed(with_cell("mul", source), release_notebook(1), full(1)) == {}


def given(name):
    return next(cell.source for cell in release_notebook(1).cells if grade_id(cell) == name)


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda stub: stub.replace("# YOUR CODE HERE", "# mine"), "as it was handed out"),
        (lambda stub: stub + "\nmine = 1", "leaves Mul undone, and another defines it"),
    ],
)
@pytest.mark.parametrize("line", ["", "%time 1\n"])
def test_a_stub_whose_definition_stands_in_another_cell_is(change, words, line):
    notebook = with_cell("mul", change(given("mul")))
    notebook.cells.append(nbformat.v4.new_code_cell(line + solution_notebook_cell("mul")))
    found = noticed(notebook, release_notebook(1), full(1))
    assert set(found) == {"mul"} and words in found["mul"]


@pytest.mark.parametrize("line", ["@fix\n", ""])
def test_a_right_part_whose_stub_is_left_is(line):
    """Another cell's decorator, metaclass or base can give it what it lacks."""
    results = full(1)
    mul = next(place for place, result in enumerate(results) if result.exercise == "mul")
    results[mul] = replace(results[mul], findings={"Mul": RIGHT})
    source = f"{line}class Mul(Function):\n    def forward(self, x, y):\n        raise NotImplementedError"
    assert noticed(with_cell("mul", source), release_notebook(1), results) == {
        "mul": "points, though its cell leaves Mul undone"
    }


def test_a_stub_that_nobody_defines_is_not():
    notebook = with_cell("polynomial", solution_notebook_cell("polynomial").partition("def differentiate")[0] + STUB)
    assert noticed(notebook, release_notebook(1), full(1)) == {}


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
        ("import json as j\nk = j\nk.dumps = None", "assigns to dumps of k"),
        ("import sys\nsys.modules['json'].dumps = None", "assigns to dumps of sys"),
        ("__import__('json').dumps = None", "assigns to dumps of __builtins__"),
        ("import json\nvars(json)['dumps'] = None", "opens the names of json"),
        ("import json\njson.__dict__['dumps'] = None", "opens the names of json"),
        ("from minigrad import Tensor as T\nT.numpy = None", "assigns to numpy of a class"),
        ("from minigrad import Tensor\nsetattr(Tensor, 'num' + 'py', None)", "assigns to what answers the grader"),
        (HOOK, "speaks to the kernel"),
        ("%time 1\n" + HOOK, "speaks to the kernel"),
        ("%%capture\n" + HOOK, "speaks to the kernel"),
        ("%%time\n%%capture\n" + HOOK, "speaks to the kernel"),
        ("!true\n" + HOOK, "speaks to the kernel"),
        ("x = !true\n" + HOOK, "speaks to the kernel"),
        ("len?\n" + HOOK, "speaks to the kernel"),
        (HOOK + "\n%matplotlib inline", "speaks to the kernel"),
        ("  " + HOOK.replace("\n", "\n  "), "speaks to the kernel"),
        (">>> " + HOOK.replace("\n", "\n>>> "), "speaks to the kernel"),
        (f"exec({HOOK!r})", "speaks to the kernel"),
        (f"%time exec({HOOK!r})", "speaks to the kernel"),
        (f"time exec({HOOK!r})", "speaks to the kernel"),
        (f"%timeit -n 1 -r 1 exec({HOOK!r})", "speaks to the kernel"),
        ("%%writefile hk.py\n" + HOOK, "runs text or a file, speaks to the kernel"),
        ("_g = getattr(builtins, 'get_' + 'ipython')\n_k = _g().kernel", "speaks to the kernel"),
        ("from ipykernel.kernelapp import IPKernelApp as A\n_s = A.instance().shell", "speaks to the kernel"),
        ("import IPython\nk = IPython.get_ipython()", "speaks to the kernel"),
        ("get_ipython().run_line_magic(made, '')", "speaks to the kernel"),
        ("%run -i hk.py", "runs text or a file"),
        ("run hk.py", "runs text or a file"),
        ("!echo hook > hk.py", "runs text or a file"),
        ("exec(open('hk.txt').read())", "runs text or a file"),
        ("run = exec\nrun('1')", "runs text or a file"),
        ("import traceback\nlist(traceback.walk_stack(None))", "looks at who calls it"),
        ("np.__setattr__('exp', None)", "assigns to what is in np"),
        ("def put(m):\n    m.exp = 1\nput(np)", "assigns to what is in np"),
        ("from unittest import mock\nmock.patch.object(np, 'exp', None).start()", "assigns to what is in np"),
        ("from unittest import mock\nmock.patch('numpy.exp', None).start()", "assigns to numpy.exp"),
        ("from numpy import *\nlinalg.norm = None", "assigns to norm of linalg"),
        ("setattr(type(minigrad.tensor(1.0)), 'item', None)", "assigns to what answers the grader"),
        ("import sys\nsys.setprofile(None)", "watches what is run"),
        ("from threading import setprofile as s\ns(None)", "watches what is run"),
        ("from sys import _getframe", "looks at who calls it"),
        ("import inspect\ninspect.stack()", "looks at who calls it"),
        ("x = " + "-" * 90_000 + "1", "cannot be read"),
        ("a" + ".a" * 40_000 + " = 1", "cannot be read"),
        ("!a\n" * 6_000, "cannot be read"),
        ("import sys\nsys._getframe(1).f_locals", "looks at who calls it"),
        ("import gc\ngc.get_objects()", "looks at objects that are not its own"),
        ("import zlib\ns = setattr\ns(zlib, 'decompress', None)", "hands on the module zlib, imports zlib"),
        ("(lambda: np)().exp = None", "assigns to exp of what it does not name"),
        ("def m(): return np\nx = m()\nx.exp = None", "hands on the module np"),
        ("list(map(setattr, [np], ['exp'], [None]))", "hands on the module np"),
        ("import sys\nsys.modules.get('json').dumps = None", "uses sys.modules"),
        ("from sys import addaudithook", "imports sys.addaudithook"),
        ("import threading\nthreading.Thread(target=print).start()", "imports threading"),
        ("from concurrent.futures import ThreadPoolExecutor", "imports concurrent.futures"),
        ("import os\nos.fork()", "imports os"),
        ("import cProfile\ncProfile.Profile(print).enable()", "imports cProfile"),
        ("minigrad.Tensor.item = None", "assigns to item of a class or tensor"),
        ("from minigrad.autograd import Function as F\nF.backward = None", "assigns to backward of F"),
        ("from minigrad.rules import arithmetic", "imports minigrad.rules"),
        ("from minigrad import surface", "imports minigrad.surface"),
        ("minigrad.core.function", "opens minigrad.core"),
        ("minigrad.tensor.__globals__['zz'] = 3", "looks inside functions"),
        ("quit._ip", "looks inside functions"),
        ("_os = __import__('os')", "calls __import__"),
        ("minigrad.__dict__['tensor'] = None", "opens the names of minigrad"),
        ("Add.__bases__[0].backward = None", "looks inside functions"),
        ("from minigrad.workshop import places", "imports minigrad.workshop.places"),
        ("import warnings\nlist(map(setattr, [warnings.sys], ['setprofile'], [print]))", "hands on setattr"),
        ("import functools\nfunctools.partial(setattr, minigrad.Tensor, 'detach')(print)", "hands on setattr"),
        ("import warnings\nwarnings.sys.stdout", "reaches sys by way of warnings"),
        ("import random\nrandom._os.fork; (o := random.os).listdir()", "reaches os by way of random"),
        ("table = {'a': [minigrad.autograd.functional]}", "hands on the module minigrad.autograd.functional"),
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
        "%matplotlib inline\n%load_ext autoreload\n!pip list\n%timeit -n 1 sum([1, 2])\nlen?",
        "this is no Python",
        "%%bash\nls -l",
        "import gc, inspect\ngc.collect()\nprint(inspect.getsource(sum))\nmodel.eval()\nx = np.stack([1, 2])",
        "from IPython.display import display\ndisplay(1)",
        "import re\nre.compile('a')\nnumpy = x.detach().numpy()\nself.session_length = 1",
        "def fill(m, value):\n    m.weight = value\nfill(model, 1)\nfrom math import *\nx = sin(1)",
        "def same(t): return t.tensor(1.0)\nsame(minigrad), same(torch)\nfor t in (minigrad, torch): t.ones(2)",
        "import random, sys, functools\nfrom collections import deque\nsys.setrecursionlimit(10**4)\nprint(np)",
        "import contextlib\nwith contextlib.ExitStack() as s: s.callback(setattr, model, 'mode', True)",
        "from queue import PriorityQueue\nf = minigrad.nn.functional\nprint(minigrad.nn.functional.relu)",
        "list(model.parameters())[0].grad = None\nx = minigrad.ones(2)\nx.grad = None\nx.note = 'mine'",
    ],
)
def test_what_anybody_writes_in_a_cell_of_their_own_is_not(source):
    notebook = solution_notebook(1)
    notebook.cells.insert(1, nbformat.v4.new_code_cell(source))
    assert noticed(notebook, release_notebook(1), full(1)) == {}


@pytest.mark.parametrize(
    "source",
    [
        "def second_derivative(f, x, torch=minigrad):\n    return torch.autograd.functional.hvp(f, x, x)[1]",
        "def second_derivative(f, x, *, torch: object = minigrad):\n    return torch.autograd.functional.hvp(f, x, x)[1]",
        "def second_derivative(f, x):\n    for torch in [minigrad]:\n        return torch.autograd.functional.hvp(f, x, x)[1]",
        "def second_derivative(f, x):\n    return (torch := minigrad).autograd.functional.hvp(f, x, x)[1]",
        "def second_derivative(f, x):\n    return [torch.autograd.functional.hvp(f, x, x) for torch in (minigrad,)][0][1]",
        "def second_derivative(f, x):\n    match minigrad:\n        case torch:\n"
        "            return torch.autograd.functional.hvp(f, x, x)[1]",
        "def second_derivative(f, x):\n    match minigrad.autograd.functional:\n        case object(hvp=h):\n"
        "            return h(f, x, x)[1]",
        "own: object = minigrad.autograd.functional\ndef second_derivative(f, x):\n    return vars(own)['hv' + 'p'](f, x, x)[1]",
    ],
)
def test_whatever_name_gets_the_engine_is_the_engines(source):
    notebook = solution_notebook(9)
    next(cell for cell in notebook.cells if grade_id(cell) == "second-derivative").source = source
    found = noticed(notebook, release_notebook(9), full(9))
    assert set(found) == {"second-derivative"} and "minigrad's own" in found["second-derivative"]


@pytest.mark.parametrize(
    "chapter, name, source",
    [
        (4, "sigmoid", "@workshop.part\nclass Sigmoid(Function):\n    def forward(self, x): return both.sigmoid(x)"),
        (8, "digits", "def cross_entropy(z, y): return nn.CrossEntropyLoss()(z, y)\ndef epoch(): ..."),
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


HELPERS = [
    "import minigrad.autograd.functional as AF\n\n\ndef curves(f, x):\n    return AF.hessian(f, x)",
    "import minigrad.autograd.functional as AF\ncurves = AF.hessian",
    "from minigrad.autograd.functional import hessian as curves",
    "import minigrad.autograd.functional as AF\ncurves = getattr(AF, 'hess' + 'ian')",
    "import minigrad.autograd.functional as AF\ncurves = getattr(AF, made)",
    "import minigrad.autograd.functional as AF\nM = AF\ncurves = vars(M)['hessian']",
    "import minigrad.autograd.functional as AF\ncurves = AF.__dict__['hessian']",
    "import minigrad.autograd.functional as AF\nimport operator\ncurves = operator.attrgetter('hessian')(AF)",
    "import minigrad.autograd.functional as AF\ninner = AF.hessian\ncurves = lambda f, x: inner(f, x)",
    "import minigrad.autograd.functional as AF\nglobals()['curves'] = AF.hessian",
    "%time 1\nimport minigrad.autograd.functional as AF\ncurves = AF.hessian",
    "match minigrad.autograd.functional:\n    case object(hessian=curves): pass",
    "match [minigrad.autograd.functional.hessian]:\n    case [curves]: pass",
    "from minigrad.autograd.functional import *\nfound = [hessian]\ncurves = found[0]",
    "def put(x):\n    global curves\n    curves = x\nput(minigrad.autograd.functional.hessian)",
    "def curves(f, x, g=None):\n    return g(f, x)\ncurves.__defaults__ = (minigrad.autograd.functional.hessian,)",
    "globals().__setitem__('curves', minigrad.autograd.functional.hessian)",
    "exec('import minigrad.autograd.functional as AF; curves = AF.hessian')",
]


@pytest.mark.parametrize("helper", HELPERS)
@pytest.mark.parametrize("calls", ["curves(f, x)", "(lambda curves=curves: curves(f, x))()"])
def test_what_a_helper_in_another_cell_has_ready_made_is(helper, calls):
    notebook = solution_notebook(9)
    notebook.cells.insert(1, nbformat.v4.new_code_cell(helper))
    cell = next(cell for cell in notebook.cells if grade_id(cell) == "second-derivative")
    cell.source = f"def second_derivative(f, x):\n    return {calls}.sum(0)"
    found = noticed(notebook, release_notebook(9), full(9))
    assert "another cell calls minigrad's own" in found["second-derivative"]


@pytest.mark.parametrize(
    "helper, calls",
    [
        ("minigrad.autograd.functional.hessian", "_(f, x)"),
        ("minigrad.autograd.functional.hessian", "_7(f, x)"),
        ("minigrad.autograd.functional.hessian", "[*Out.values()][-1](f, x)"),
        ("curves: minigrad.autograd.functional.hessian", "__annotations__['curves'](f, x)"),
        ("from minigrad.autograd.functional import *", "hessian(f, x)"),
    ],
)
def test_what_the_notebook_remembers_of_another_cell_is(helper, calls):
    test_what_a_helper_in_another_cell_has_ready_made_is(helper, calls)


@pytest.mark.parametrize(
    "chapter, source",
    [
        (
            9,
            "import minigrad.autograd.functional as AF\nf = lambda t: (t**3).sum()\nx = AF.hessian(f, minigrad.ones(2))",
        ),
        (4, "from minigrad.nn import functional as F\nF.softplus(minigrad.ones(2)).sum().backward()"),
        (4, "import torch\nF = torch.nn.functional\nsoftplus = F.softplus"),
        (9, "def shown(x, f):\n    print(minigrad.autograd.functional.hessian(f, x))\nshown(minigrad.ones(2), f)"),
        (9, "from minigrad.nn.functional import *\nrelu(minigrad.ones(2))"),
    ],
)
def test_what_is_only_compared_in_another_cell_is_not(chapter, source):
    notebook = solution_notebook(chapter)
    notebook.cells.append(nbformat.v4.new_code_cell(source))
    assert noticed(notebook, release_notebook(chapter), full(chapter)) == {}


def test_the_engines_jacobian_of_one_output_is():
    notebook = solution_notebook(9)
    cell = next(cell for cell in notebook.cells if grade_id(cell) == "jacobians")
    cell.source += "\n\n\ndef analytical_jacobian(output, x):\n    return AF.output_jacobian(output, [x], False)[0]"
    found = noticed(notebook, release_notebook(9), full(9))
    assert found == {"jacobians": "points from a cell that calls minigrad's own output_jacobian"}


def test_many_names_with_many_values_are_looked_at_at_once():
    names = ",".join(f"n{number}" for number in range(5_000))
    source = f"{solution_notebook_cell('mul')}\nif 0: {names} = {'1,' * 6_000}\n"
    source += f"match ({'a,' * 5_000}):\n" + "".join(f" case [x{number}]: 0\n" for number in range(1_000))
    began = time.process_time()
    assert "holds 7001 numbers" in noticed(with_cell("mul", source), release_notebook(1), full(1))["mul"]
    assert time.process_time() - began < 4, "each name with each value would be 30 million pairs"


@pytest.mark.parametrize("fault", [IndexError, RecursionError, MemoryError, TooLong])
def test_where_looking_fails_the_points_stay_and_it_is_said(monkeypatch, fault):
    def fails(*_):
        raise fault

    monkeypatch.setattr(about_noticed, "_noticed", fails)
    found = noticed(solution_notebook(1), release_notebook(1), full(1))
    assert set(found) == {e.name for e in CHAPTERS[1]} and "cannot be looked at" in found["mul"]
