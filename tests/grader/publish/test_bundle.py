"""A student's bundle: what is in it, what is not, and a student who works in it with nothing else of the course."""

import ast
import json
import os
import subprocess
import sys
import tomllib
import zipfile

import pytest
import torch

from grader.ask.exercise import PUBLIC_SECRET, generator
from grader.chapters import CHAPTERS, exercise_named
from grader.chapters.answers import BANK
from grader.classroom.demo import notebook_of, samples, solution_notebook
from grader.errors import CourseError
from grader.learner.checking import result_of
from grader.learner.counterexample import asked_singly
from grader.learner.kept import entry, load
from grader.publish.bundle import CHECK, keep, place_for, truth_of, write_bundle, write_folder
from grader.publish.course import course_root, read_secret, release_notebook
from grader.run.submission import grade_id
from grader.verdict import probe
from grader.verdict.assess import assess
from grader.verdict.compare import first_difference, tolerance
from grader.verdict.diagnose import answer_with, of_part, reference_answer
from minigrad.workshop import PARTS, source

from ..hidden import lines

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def third(tmp_path_factory):
    """Chapter 3's bundle, as a student has it."""
    folder = tmp_path_factory.mktemp("third")
    write_folder(3, folder)
    return folder


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """Chapter 1's bundle."""
    return write_bundle(1, tmp_path_factory.mktemp("bundle"))


@pytest.fixture(scope="module")
def unpacked(packed, tmp_path_factory):
    """Chapter 1's bundle, as a student has it."""
    folder = tmp_path_factory.mktemp("student")
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(folder)
    return folder / "minigrad-course"


ALONE = "import sys; sys.meta_path[:] = [f for f in sys.meta_path if 'editable' not in repr(f).lower()]\n"


def run_in(bundle, code, before=ALONE, **options):
    """Run Python with the bundle as all that there is of the course."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, "-c", before + code],
        cwd=next((bundle / "notebooks").iterdir()),
        env={**environment, "PYTHONPATH": str(bundle)},
        capture_output=True,
        text=True,
        **options,
    )


def as_student(bundle, notebook, **changed):
    """Run all cells as a student's kernel does, some with a change to their text; what was printed."""
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    for old, new in changed.values():
        assert any(old in cell for cell in cells)
        cells = [cell.replace(old, new) for cell in cells]
    code = f"""
from IPython.core.interactiveshell import InteractiveShell
import grader, minigrad
assert all(m.__file__.startswith({str(bundle)!r}) for m in (grader, minigrad)), (grader, minigrad)
shell = InteractiveShell.instance()
for source in {cells!r}:
    print("ran" if shell.run_cell(source, store_history=True).success else "failed")
"""
    return run_in(bundle, code).stdout


def checks(printed):
    """What the checks said, a line a part."""
    return [
        line for line in printed.splitlines() if ": Right: " in line or "not right yet" in line or "Not done" in line
    ]


def test_a_student_who_solves_it_is_told_so_and_keeps_the_parts(unpacked):
    printed = as_student(unpacked, solution_notebook(1))
    said = checks(printed)
    assert len(said) >= 8 and all("Right" in line for line in said), printed[-3000:]
    assert "failed" not in printed.splitlines(), printed[-3000:]
    kept = (unpacked / "my_minigrad" / "rules" / "arithmetic.py").read_text("utf-8")
    assert "class Mul(Function):" in kept and 'later("Div"' in kept
    for name in ("Add", "Mul", "Neg", "Sub", "Pow", "backpropagate"):
        assert f"{name} is kept in my_minigrad/." in printed


def test_where_the_course_is_installed_a_part_still_stands_in_the_bundles_engine(unpacked):
    code = """
import minigrad
from minigrad import workshop
workshop.open(1)
workshop.part(type("Mul", (minigrad.core.function.Function,), {"forward": lambda self, x, y: x * y}))
@workshop.part
def backpropagate(node, grad):
    print("mine")
x = minigrad.tensor(3.0, requires_grad=True)
(x * x).backward()
"""
    assert run_in(unpacked, code, before="").stdout.endswith("mine\n")


def test_the_untouched_notebook_says_what_is_to_be_done(unpacked):
    printed = as_student(unpacked, release_notebook(1))
    assert "Mul: Not done yet: " in printed
    assert ": Right: " not in printed


def test_a_mistake_is_named_and_so_is_what_follows_from_it(unpacked):
    sample = next(one for one in samples(1) if one.student == "wrong-mul-own-value")
    printed = as_student(unpacked, notebook_of(sample, 1))
    assert "Your Mul hands each operand its own value" in printed
    assert "Mul, the smallest case that shows it – " in printed and "# yours: " in printed and "# torch's: " in printed
    assert "The fault may lie here or in Mul, which is not right yet: mend Mul first" in printed


@pytest.mark.parametrize("more", [{}, {"count": ("return len(seen)", "return len(seen) + 1")}])
def test_a_part_waits_for_a_wrong_one_that_it_runs_on_whether_or_not_it_has_a_fault_of_its_own(third, more):
    """Also where not every right answer runs on it: this learner's does."""
    edge = ("def gradient_edge(x):", "def gradient_edge(x):\n    return getattr(x, 'grad_fn', None)")
    printed = as_student(third, solution_notebook(3), edge=edge, **more)
    for part in ("record", "count_nodes", "count_paths", "run_backward"):
        assert f"mend gradient_edge first, then check {part} again." in printed
    assert "Your record takes the grad_fn of each input" not in printed  # which is gradient_edge's fault
    assert all(f"{part}: Right: " in printed for part in ("Sketch", "diamond"))


def test_a_part_of_an_earlier_chapter_is_lent_and_what_is_wrong_with_it_is_said(third):
    kept = third / "my_minigrad" / "rules" / "arithmetic.py"
    kept.parent.mkdir(parents=True)
    text = source.reference(next(part for part in PARTS if part.name == "Mul")).replace("grad * y", "grad * y * 2")
    kept.write_text(f"import numpy as np\n\nfrom ..core.function import Function\n\n\n{text}", "utf-8")
    printed = as_student(third, solution_notebook(3))
    assert "run_backward: Right; waits for Mul: on minigrad's own Mul it answers the same as torch.autograd" in printed
    assert "Your Mul of chapter 1 is in my_minigrad/: mend it in its chapter" in printed


def test_what_another_mistake_does_around_the_calls_is_not_said_of_this_one(unpacked):
    code = """
import numpy as np
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell("from minigrad import workshop; from grader import check; import numpy as np")
shell.run_cell("from minigrad.core.function import Function; workshop.open(1)")
shell.run_cell('''
@workshop.part
class Mul(Function):
    def forward(self, x, y):
        return x * y
    def backward_x(self, grad, y):
        return np.multiply(grad, y)
    def backward_y(self, grad, x):
        return grad * x
''')
shell.run_cell("check('mul')")
"""
    printed = run_in(unpacked, code).stdout
    assert "does not run on tensors" in printed and "writes into" not in printed


def test_nothing_of_the_class_and_no_solution_is_in_it(unpacked, tmp_path):
    secret = read_secret(tmp_path).decode()
    texts = {path: path.read_text("utf-8") for path in unpacked.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    texts = {path: text for path, text in texts.items() if "my_minigrad" not in path.parts}
    names = {path.relative_to(unpacked).parts[0] for path in texts}
    beside = {"LICENSE", "LICENSE-TEXT", "README.md", "pyproject.toml", "without-pytorch.txt"}
    assert names == {*beside, "grader", "minigrad", "notebooks"}
    for path, text in texts.items():
        assert secret not in text and "BEGIN SOLUTION" not in text and "@misconception(" not in text, path
        assert str(course_root()) not in text, path
    everything = "\n".join(texts.values())
    for part in source.hidden(1):
        body = source.reference(part).splitlines()[1:]
        assert "\n".join(body) not in everything, part.name
    for cell in solution_notebook(1).cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            assert cell.source not in everything


def test_the_spare_kernel_of_its_readme_is_in_it(unpacked):
    assert "jpserver_extensions=grader.learner.spare=True" in (unpacked / "README.md").read_text("utf-8")
    done = run_in(unpacked, "from grader.learner import spare; print(spare.PROGRAM.is_file())")
    assert done.stdout == "True\n", done.stderr


def test_no_definition_of_a_misconception_is_in_it(unpacked):
    everything = "\n".join(
        path.read_text("utf-8") for path in (unpacked / "grader").rglob("*.*") if path.suffix != ".pyc"
    )
    for wrong in BANK["mul"]:
        assert wrong.text().split("\n", 1)[1] not in everything, wrong.name


def test_of_a_chapters_room_the_exercises_alone_are_in_it(unpacked):
    room = unpacked / "grader" / "chapters"
    found = {path.relative_to(room).as_posix() for path in room.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert found == {"__init__.py", "answers.py", "chapter1/exercises.py", "chapter1/exercises.json"}
    texts = {path: path.read_text("utf-8") for path in unpacked.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    hidden = [form for line in lines().values() for form in (line, json.dumps(line)[1:-1])]
    for path, text in texts.items():
        assert "@right(" not in text and not [line for line in hidden if line in text], path


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_what_the_notebooks_import_of_the_grader_is_in_it(chapter):
    for cell in release_notebook(chapter).cells:
        text = "\n".join(line for line in cell.source.splitlines() if not line.lstrip().startswith(("%", "!")))
        for node in ast.walk(ast.parse(text)) if cell.cell_type == "code" else ():
            if isinstance(node, ast.ImportFrom) and node.module == "grader":
                assert {one.name for one in node.names} <= {
                    *CHECK["learner/draw"],
                    "check",
                    "graded",
                    "preview",
                    "progress",
                }, grade_id(cell)


@pytest.mark.parametrize(
    "exercise", [one for some in CHAPTERS.values() for one in some], ids=lambda exercise: exercise.name
)
def test_what_is_kept_of_an_exercise_accepts_what_the_course_itself_answers(exercise):
    """Also where the text asks for a change in place, which torch's twin does not show."""
    inputs = exercise.draw(generator(PUBLIC_SECRET, "", exercise.name))
    truth, answer = truth_of(exercise, inputs), reference_answer(exercise, inputs)
    for part in inputs:
        mine, theirs = of_part(answer, part), of_part(truth, part)
        assert first_difference(mine, theirs, tolerance(exercise.name, part)).right


@pytest.mark.parametrize("name", ["square", "mul", "unbroadcast"])
def test_kept_answers_decide_as_torch_does(name, tmp_path):
    """Right, wrong in a known way, and wrong in another: the same finding, whether torch answers or what is kept."""
    exercise = exercise_named(name)
    (tmp_path / "kept.json").write_text(json.dumps([keep(exercise)]))
    (kept,) = load(tmp_path / "kept.json")
    inputs = exercise.draw(generator(PUBLIC_SECRET, "", name))
    assert kept.draw(None) == json.loads(json.dumps(inputs))
    answers = [probe.observe(exercise.probe, torch, exercise.twin(torch), inputs), "[]", "x"]
    for wrong in BANK[name][:4]:
        seen = answer_with(exercise, inputs, {wrong.replaces: wrong.definition})
        answers.append(json.dumps([entry(one) for one in seen]))
    for answer in answers:
        assert result_of(kept, inputs, answer) == assess(exercise, inputs, answer)
    assert result_of(kept, inputs, answers[0]).right


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_the_place_for_a_part_is_one_that_the_workshop_can_fill(part):
    text = source.reference(part)
    module = (source.ROOT / source.file_of(part)).read_text("utf-8")
    empty = source.replace(module, {part.qualname: place_for(part, part.chapter)})
    assert text.strip() not in empty
    filled = source.replace(empty, {part.qualname: text})
    assert source.definition(filled, part.qualname) == text


def test_what_is_not_there_yet_says_when_it_is_built(unpacked):
    run = run_in(unpacked, "import minigrad\nminigrad.tensor(2.0) * 3")
    assert "Mul is built in chapter 1, here: run the cell that defines it." in run.stderr
    run = run_in(unpacked, "import minigrad\nminigrad.tensor([2.0]).mean()")
    assert "Mean is built in chapter 2." in run.stderr


def test_an_unknown_chapter_is_a_sentence(tmp_path):
    with pytest.raises(CourseError, match="no chapter 77"):
        write_bundle(77, tmp_path)


def test_the_bundle_is_the_same_each_time(tmp_path):
    one, other = (write_bundle(0, tmp_path / name).read_bytes() for name in ("one", "other"))
    assert one == other


def test_everybody_may_read_what_an_administrator_unpacks(packed):
    with zipfile.ZipFile(packed) as archive:
        assert {entry.external_attr >> 16 & 0o777 for entry in archive.infolist()} == {0o644}


def test_it_can_be_installed_as_it_is(unpacked, tmp_path):
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*command, "--target", str(tmp_path), str(unpacked)], check=True, capture_output=True)
    code = "import sys; sys.path[:0] = [sys.argv[1]]\nimport grader\nfrom grader.chapters import exercises\n"
    code += "assert grader.__file__.startswith(sys.argv[1])\nprint([e.name for e in exercises(1)])"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, str(tmp_path)], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.stdout.split()[0] == "['add',", done.stderr


def test_its_page_says_how_to_do_without_pytorch(unpacked):
    words, listed = (unpacked / "README.md").read_text("utf-8"), (unpacked / "without-pytorch.txt").read_text("utf-8")
    needed = tomllib.loads((unpacked / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    (torch,) = set(needed) - set(listed.splitlines())
    assert torch.startswith("torch==") and f"`python -m pip install {torch} --index-url" in words
    assert "`python -m pip install -r without-pytorch.txt`, then `python -m pip install --no-deps -e .`" in words


def test_a_bundle_of_before_is_still_read(tmp_path):
    """The next chapter's is unpacked over it, and its code reads what the earlier one kept."""
    kept = keep(exercise_named("square"))
    before = {**kept, "runs_on": {"square": []}}
    del before["cases"], before["agrees"]
    pairs = {**before, "cases": {"square": [one[:2] for one in kept["cases"]["square"]]}}
    (tmp_path / "exercises.json").write_text(json.dumps([before, pairs]))
    without, with_pairs = load(tmp_path / "exercises.json")
    assert list(asked_singly(without, "square")) == []
    assert {tuple(lines) for _, _, lines in asked_singly(with_pairs, "square")} == {()}
