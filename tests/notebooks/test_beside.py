"""The challenges and the project: solved they are right, their release has stubs, and what is wrong is told so."""

import sys

import nbformat
import pytest
from course import ROOT, code, marks, prose_words, regions

from grader.learner.challenge import challenge, judged
from grader.learner.challenges import CHALLENGES
from grader.publish.release import BESIDE, STUB, read_script

SCRIPTS = [path for name in BESIDE for path in sorted((ROOT / "solutions" / name).glob("*.py"))]
each_script = pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
PLANTED = {
    "tanh": ("1 - out * out", "1 - out", "Tanh"),
    "forward-mode": ("n * self.value ** (n - 1)", "self.value ** (n - 1)", "forward_derivative"),
    "gelu": ("left + x * bell", "left", "Gelu"),
    "gather": ("np.add.at(below, (np.arange(len(x))[:, None], self.index), grad)",
               "below[np.arange(len(x))[:, None], self.index] += grad", "Gather"),
    "rmsprop": ("self.squares[i].sqrt() + 1e-8", "self.squares[i] + 1e-8", "RMSprop"),
    "newton": ("np.linalg.solve(np.stack(columns, axis=1), slope.numpy())", "slope.numpy()", "newton"),
}  # fmt: skip


@pytest.fixture
def main():
    """The names of the main program, which are a notebook's outside of one, put back afterwards."""
    names = vars(sys.modules["__main__"])
    before = dict(names)
    yield names
    names.clear()
    names.update(before)


def defined(script, names, old="", new=""):
    """Run the set-up and the solution cells of a script."""
    for cell in code(read_script(script)):
        if marks(cell):
            assert not old or old in script.read_text("utf-8")
            exec(cell.source.replace(old, new) if old else cell.source, names)


def asked(script):
    """The challenges that a script's cells ask for."""
    text = script.read_text("utf-8")
    return [name for name in CHALLENGES if f'challenge("{name}")' in text]


def test_each_challenge_is_asked_in_one_notebook():
    assert sorted(name for script in SCRIPTS for name in asked(script)) == sorted(CHALLENGES)
    assert sum("challenges" in script.parts for script in SCRIPTS) == 6


@each_script
def test_its_solution_is_right(script, main):
    defined(script, main)
    for name in asked(script):
        result = judged(CHALLENGES[name])
        assert result.right, result.sentences()


@pytest.mark.parametrize("name", PLANTED)
def test_a_mistake_is_found(name, main):
    old, new, part = PLANTED[name]
    defined(ROOT / "solutions" / "challenges" / f"{name}.py", main, old, new)
    result = judged(CHALLENGES[name])
    assert not result.findings[part].right


@each_script
def test_its_release_has_stubs_and_no_line_of_the_solution(script):
    release = nbformat.read(ROOT / "notebooks" / script.parent.name / f"{script.stem}.ipynb", as_version=4)
    told = {line for cell in code(read_script(script)) for region in regions(cell.source) for line in region}
    shown = {line.strip() for cell in code(release) for line in cell.source.splitlines()}
    assert STUB in "\n".join(cell.source for cell in code(release))
    assert not {line for line in told if len(line) > 25} & shown
    assert not any(cell.outputs for cell in code(release)) and not any(
        marks(cell).get("grade") for cell in code(release)
    )


@each_script
def test_its_opening_says_how_long_it_takes_and_what_it_needs(script):
    opening = read_script(script).cells[0].source
    assert "**Time:**" in opening and "**Before you start:** chapter" in opening
    assert prose_words(read_script(script)) <= 900


def test_an_unknown_challenge_is_a_sentence(capsys):
    challenge("tan")
    assert capsys.readouterr().out.startswith("There is no challenge 'tan'; those with the nearest names are tanh")


def test_an_untouched_challenge_is_not_done_yet(main, capsys):
    main.pop("Tanh", None)
    challenge("tanh")
    assert "Tanh" in capsys.readouterr().out
