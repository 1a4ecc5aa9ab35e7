"""`my_minigrad/`: whose each definition is, what a learner adds by hand, and that it is a package of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from minigrad import workshop
from minigrad.workshop import PARTS, keepsake, source

MUL = source.reference(workshop.places.find("Mul"))
OWN = MUL.replace('"""', '"""Mine. ', 1)


def part(name):
    return workshop.places.find(name)


def write(folder, chapter=1, name="Mul", **mine):
    keepsake.write(folder, mine or {"Mul": OWN}, chapter, part(name))
    return (folder / "rules" / "arithmetic.py").read_text("utf-8")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "my_minigrad"


def run(code, where, *options):
    return subprocess.run([sys.executable, *options, "-c", code], cwd=where, capture_output=True, text=True)


def test_above_each_part_stands_whose_it_is(folder):
    text = write(folder, chapter=3)
    lines = text.splitlines()
    assert lines[lines.index("class Mul(Function):") - 1] == "# Yours, chapter 1."
    assert lines[lines.index("class Add(Function):") - 1] == "# Lent by minigrad: chapter 1 builds it."
    assert "    # Not there yet: chapter 3 builds it." in (folder / "core/function.py").read_text("utf-8").splitlines()


@pytest.mark.parametrize("chapter", range(1, 10))
def test_each_part_has_one_mark_whatever_the_chapter(folder, chapter):
    write(folder, chapter)
    written = "\n".join(path.read_text("utf-8") for path in folder.rglob("*.py"))
    marks = [line for line in written.splitlines() if keepsake.MARK.fullmatch(line)]
    assert len(marks) == len(PARTS)


def test_what_is_lent_is_not_taken_for_the_learners(folder, monkeypatch):
    monkeypatch.setenv("MY_MINIGRAD", str(folder))
    write(folder, chapter=3)
    assert workshop.shelf.kept(part("Add")) is None and "Mine." in workshop.shelf.kept(part("Mul"))


def test_what_is_added_by_hand_stays(folder):
    text = write(folder)
    file, other = folder / "rules" / "arithmetic.py", folder / "rules" / "mine.py"
    file.write_text(text + "\n\nclass Cube:\n    pass\n")
    other.write_text("ONE = 1\n")
    add = source.reference(part("Add"))
    text = write(folder, name="Add", Mul=OWN, Add=add)
    assert "class Cube:" in text and f"# Yours, chapter 1.\n{add}" in text and "Mine." in text
    assert "Not there yet" not in text.split("class Add")[0].splitlines()[-1] and other.read_text() == "ONE = 1\n"
    assert "# Not there yet: chapter 1 builds it." in text, "Sub was not kept, and its place is as it was"


def test_a_method_is_put_into_a_file_that_was_changed(folder):
    write(folder, chapter=3)
    file = folder / "core" / "function.py"
    file.write_text("# my note\n" + file.read_text("utf-8"))
    record = source.reference(part("record"))
    write(folder, 3, "record", record=record)
    text = file.read_text("utf-8")
    assert text.startswith("# my note\n") and source.definition(text, "Function.record") == record
    assert "    # Yours, chapter 3.\n    def record" in text


def test_a_changed_file_without_the_place_is_left_alone(folder):
    write(folder)
    file = folder / "rules" / "arithmetic.py"
    file.write_text("nothing = 0\n")
    with pytest.raises(source.BadSource, match=r"rules/arithmetic\.py has no Add to replace: move the file away"):
        write(folder, name="Add", Add=source.reference(part("Add")))
    assert file.read_text() == "nothing = 0\n"


def test_a_file_that_was_not_changed_follows_the_course(folder, monkeypatch):
    write(folder)
    monkeypatch.setattr(keepsake, "READING", "a new edition\n")
    write(folder)
    assert (folder / "READING.md").read_text() == "a new edition\n"


def test_an_engine_of_before_there_were_digests_is_put_aside_where_it_differs(folder):
    text = write(folder)
    (folder / keepsake.WRITTEN).unlink()
    (folder / "rules" / "arithmetic.py").write_text("# added\n" + text)
    write(folder)
    assert (folder / "earlier" / "rules" / "arithmetic.py").read_text("utf-8") == "# added\n" + text
    assert [path.name for path in (folder / "earlier").rglob("*.py")] == ["arithmetic.py"]


def test_it_runs_beside_nothing_of_the_course(folder):
    """Finished, it is imported where neither minigrad nor the grader is, and says nothing of NumPy's warnings."""
    mine = {one.name: source.reference(one) for one in PARTS}
    write(folder, 9, **mine)
    program = (
        "import sys; sys.path.insert(0, '.'); import my_minigrad as torch; x = torch.tensor(0.0, requires_grad=True);"
        "y = (x * x + 1 / x).log(); y.backward(); loss = torch.nn.Linear(2, 1)(torch.ones(3, 2)).sum(); loss.backward();"
        "print(y.item(), sorted(name for name in sys.modules if name.startswith(('minigrad', 'grader'))))"
    )
    numpy = Path(__import__("numpy").__file__).parents[1]
    done = run(f"import sys; sys.path.append({str(numpy)!r}); " + program, folder.parent, "-I", "-S")
    assert (done.stdout.strip(), done.stderr) == ("inf []", "")


def test_an_unfinished_engine_says_what_is_missing(folder):
    write(folder, chapter=1)
    done = run(
        "import my_minigrad as m; x = m.tensor(2.0, requires_grad=True); print((x * x).item())\n"
        "try: x + x\nexcept RuntimeError as error: print(error)",
        folder.parent,
    )
    assert done.stdout.splitlines() == ["4.0", "Add is built in chapter 1."], done.stderr


def test_it_can_be_installed(folder, tmp_path):
    write(folder)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps", "--no-index"]
    made = [*pip, "--no-build-isolation", "--target", str(tmp_path / "site"), str(folder)]
    done = subprocess.run(made, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    there = {path.relative_to(tmp_path / "site" / "my_minigrad") for path in (tmp_path / "site").rglob("*.py")}
    assert there == {path.relative_to(folder) for path in folder.rglob("*.py") if "build" not in path.parts}


def test_a_notebook_of_the_course_can_import_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MY_MINIGRAD", str(tmp_path / "my_minigrad"))
    monkeypatch.setattr(sys, "path", sys.path[:])
    workshop.open(1)
    workshop.open(1)
    assert sys.path.count(str(tmp_path)) == 1
    workshop.places.clear(9)
