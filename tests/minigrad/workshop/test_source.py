"""minigrad's source with parts replaced."""

import ast
import subprocess
import sys

import pytest

from minigrad.workshop import PARTS, built_by
from minigrad.workshop.source import ROOT, BadSource, definition, file_of, hidden, reference, replace, write_before

TEXT = """
class Owner:
    @property
    def name(self):
        return 1

    def other(self):
        return 2


def free():
    return 3
"""


def test_a_definition_is_found_with_its_decorators():
    assert definition(TEXT, "Owner.name") == "@property\ndef name(self):\n    return 1\n"
    assert definition(TEXT, "free") == "def free():\n    return 3\n"
    assert definition(TEXT, "Owner.missing") is None


def test_replacing_keeps_the_indentation_and_the_rest():
    longer = {"Owner.other": "def other(self):\n    two = 20\n    return two\n", "free": "def free():\n    return 30\n"}
    changed = replace(TEXT, longer)
    names = {}
    exec(changed, names)
    assert (names["Owner"]().name, names["Owner"]().other(), names["free"]()) == (1, 20, 30)


def test_replacing_what_is_not_there_says_so():
    with pytest.raises(BadSource, match="missing is not defined"):
        replace(TEXT, {"missing": ""})


def test_a_file_that_is_no_python_says_where():
    with pytest.raises(BadSource, match="line 1"):
        definition("def broken(:", "broken")


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_every_part_of_the_table_is_defined_where_it_says(part):
    assert reference(part)


@pytest.mark.parametrize("chapter", sorted({part.chapter for part in PARTS}))
def test_a_package_before_a_chapter_holds_no_source_of_what_it_hides(tmp_path, chapter):
    write_before(tmp_path / "minigrad", chapter)
    for part in hidden(chapter):
        assert definition((tmp_path / "minigrad" / file_of(part)).read_text(), part.qualname) is None
    written = "\n".join(path.read_text() for path in tmp_path.rglob("*.py"))
    for part in built_by(chapter):
        body = [line.strip() for line in reference(part).splitlines() if line.strip().startswith("return ")]
        assert not [line for line in body if len(line) > 20 and line in written]


def test_a_package_before_chapter_1_runs_and_says_what_is_missing(tmp_path):
    write_before(tmp_path / "minigrad", 1)
    program = "import minigrad as m; x = m.tensor(2.0, requires_grad=True)\ntry: x * x\nexcept NotImplementedError as e: print(e)"
    run = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert run.stdout.strip() == "Mul is built in chapter 1, here: run the cell that defines it.", run.stderr


def test_no_class_has_a_part_as_its_base():
    """Before that part is built there is no class to build on, and Python would make another stand-in of it."""
    names = {part.name for part in PARTS}
    for path in ROOT.rglob("*.py"):
        classes = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ClassDef)]
        assert not [one.name for one in classes if names & {ast.unparse(base) for base in one.bases}], path
