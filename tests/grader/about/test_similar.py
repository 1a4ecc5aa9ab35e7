"""Similarity: what is copied and renamed is found, what everybody writes is not, and nothing is run."""

import nbformat
import pytest
from typer.testing import CliRunner

from grader.about.similar import HINT, MOST_CHARACTERS, pairs, tokens
from grader.classroom.classroom import Classroom
from grader.classroom.demo import solution_notebook
from grader.cli import app
from grader.errors import CourseError
from grader.publish.course import notebook_name, release_notebook
from grader.run.submission import grade_id

ODD = """
@workshop.part
class Pow(Function):
    # my own idea
    def forward(self, base, exponent):
        self.kept = [base ** (exponent - step) for step in range(3) if step != 1]
        table = {number: sum(each * number for each in range(4)) for number in range(5, 9)}
        return self.kept[0] + 0 * (table[5] - 30) * len(self.kept) + 0 * max(table.values())

    def backward_base(self, grad):
        return grad * (self.kept[1] if self.kept else None) * 2
"""
RENAMED = (
    ODD.replace("base", "foot").replace("table", "t").replace("# my own idea", "# mine\n    ").replace("each", "e")
)


def hand_in(room, student, pow_cell=None, extra="", base=solution_notebook):
    notebook = base(1)
    for cell in notebook.cells:
        if pow_cell and grade_id(cell) == "pow":
            cell.source = pow_cell
    if extra:
        notebook.cells.append(nbformat.v4.new_code_cell(extra))
    path = room.submitted(student, 1) / notebook_name(1)
    path.parent.mkdir(parents=True)
    path.write_text(nbformat.writes(notebook), "utf-8")


@pytest.fixture
def room(tmp_path):
    """Eight who wrote what everybody writes, and two who share an odd idea."""
    room = Classroom(tmp_path)
    for number in range(8):
        hand_in(room, f"student-{number}")
    hand_in(room, "ada", ODD)
    hand_in(room, "bo", RENAMED)
    return room


def test_what_was_copied_and_renamed_is_found_and_nothing_else(room):
    (pair,), left = pairs(room, 1)
    assert (pair.one, pair.other) == ("ada", "bo") and pair.share > 0.9 and pair.where == ("pow",) and left == []


def test_what_the_release_gives_is_nobodys(tmp_path):
    room = Classroom(tmp_path)
    for name in ("ada", "bo"):
        hand_in(room, name, base=release_notebook)
    assert pairs(room, 1) == ([], [])


def test_code_in_cells_of_their_own_counts_too(room):
    for name in ("cy", "di"):
        hand_in(room, name, extra=ODD.replace("**", "//").replace("range", "enumerate").replace("sum", "any"))
    found, _ = pairs(room, 1)
    assert any((p.one, p.other, p.where) == ("cy", "di", ("cells of their own",)) for p in found)


def test_nothing_of_a_submission_is_run_and_what_is_no_python_is_read_as_far_as_it_goes(room, tmp_path):
    hand_in(room, "hostile", f"open({str(tmp_path / 'ran')!r}, 'w')\n" + "(" * 50_000)
    hand_in(room, "odd", "%timeit x\n!rm -rf /\ndef f(:\n  '''")
    assert len(pairs(room, 1)[0]) == 1 and not (tmp_path / "ran").exists()


def test_who_cannot_be_read_is_left_out_with_the_reason(room):
    hand_in(room, "long", "x = 1\n" * (MOST_CHARACTERS // 6 + 1))
    hand_in(room, "no-json")
    (room.submitted("no-json", 1) / notebook_name(1)).write_text("{")
    _, left = pairs(room, 1)
    assert [sentence.split(":")[0] for sentence in left] == ["long", "no-json"]
    assert "holds more than 100,000 characters of code" in left[0]


def test_names_comments_and_texts_are_normalised():
    one = list(tokens("total = np.sum(x * 'a')  # a comment\n"))
    assert (
        one
        == list(tokens('s  =  nm.sum( y*"b" )\n'))
        == ["name", "=", "name", ".", "sum", "(", *["name", "*", "text"], ")"]
    )
    assert list(tokens("y = np.exp(x)")) != list(tokens("y = np.tanh(x)")), "what is called is not"
    assert list(tokens("%timeit x\n  !ls\nx = 1")) == list(tokens("x = 1")), "nor are IPython's own lines Python"


def test_the_command_says_that_it_is_a_hint(room):
    run = CliRunner().invoke(app, ["similar", "--classroom", str(room.folder)])
    assert run.exit_code == 0 and "ada" in run.output and HINT.split(":")[0] in run.output
    with pytest.raises(CourseError, match="Fewer than two"):
        pairs(Classroom(room.folder), 2)
