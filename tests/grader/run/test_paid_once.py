"""A mistake is paid for once: what is right keeps its points, whatever is wrong below it, on every draw."""

import functools

import nbformat
import pytest

from grader.chapters import CHAPTERS, exercises
from grader.chapters.answers import BANK
from grader.classroom.demo import notebook_of, samples, solution_notebook
from grader.publish.course import release_notebook
from grader.run.execution import Limits, sandbox_problem
from grader.run.judge import judge, refuse
from grader.run.submission import grade_id, restore

SECRETS = [b"one", b"two", b"three"]
UNSAFE = bool(sandbox_problem())
CHAINED = ["sub-wrong-order", "mul-divides-the-result", "pow-divides-by-x"]  # chapter 1 runs on all of them


@functools.cache
def sample(chapter, student):
    return next(one for one in samples(chapter) if one.student == student)


def verdict(notebook, chapter, secret=SECRETS[0], **more):
    release = release_notebook(chapter)
    return judge(restore(notebook, release), release, chapter, "somebody", secret, UNSAFE, **more)


def points(found):
    return {result.exercise: result.score for result in found.results}


def undone(chapter, name):
    """The chapter's solution, with the release's cell for one exercise."""
    given = {grade_id(cell): cell.source for cell in release_notebook(chapter).cells}
    notebook = solution_notebook(chapter)
    for cell in notebook.cells:
        if grade_id(cell) == name:
            cell.source = given[name]
    return notebook


@pytest.mark.parametrize("exercise", [e for n in CHAPTERS for e in exercises(n)[:1]], ids=lambda e: e.name)
def test_what_is_undone_costs_itself_alone(exercise):
    found = verdict(undone(exercise.chapter, exercise.name), exercise.chapter)
    assert points(found) == {e.name: 0 if e == exercise else e.max_score for e in exercises(exercise.chapter)}


@pytest.mark.parametrize("mistake", CHAINED)
def test_a_mistake_costs_its_own_points_on_every_draw(mistake):
    wrong = next(m for bank in BANK.values() for m in bank if m.name == mistake)
    found = [verdict(notebook_of(sample(1, f"wrong-{mistake}"), 1), 1, secret) for secret in SECRETS]
    worth = {e.name: e.max_score - e.points.get(wrong.replaces, 0) for e in exercises(1)}
    assert [points(one) for one in found] == [worth] * len(SECRETS)


def test_a_right_part_says_what_it_waits_for():
    found = {r.exercise: r for r in verdict(undone(1, "add"), 1).results}
    assert found["paths"].findings["backpropagate"].waits == "Add"
    assert found["neg-sub"].sentences() == ["Right: the same as torch.autograd, to rounding."]


@pytest.mark.parametrize("last", [False, True])
def test_what_will_be_tried_again_is_lent_nothing(last):
    """What the first try was lent, the second could know, whatever way a cell finds to tell it."""
    notebook, lent = undone(1, "add"), []
    notebook.cells.append(nbformat.v4.new_code_cell("import time; time.sleep(100)"))
    limits = Limits(cell_seconds=2.0, patience=100.0)
    verdict(notebook, 1, last=last, limits=limits, heard=lambda _exercise, _inputs, _answer, names: lent.extend(names))
    assert ("Add" in lent) == last


def test_two_mistakes_are_named_each_for_itself():
    notebook = undone(1, "add")
    for cell in notebook.cells:
        if grade_id(cell) == "paths":
            cell.source = next(
                c.source for c in notebook_of(sample(1, "wrong-paths-first-only"), 1).cells if grade_id(c) == "paths"
            )
    found = {r.exercise: r for r in verdict(notebook, 1).results}
    assert found["add"].findings["Add"].kind == "not done"
    assert found["paths"].findings["backpropagate"].cause == "paths-first-only"
    assert found["polynomial"].score == found["polynomial"].max_score


def with_own(notebook, *cells, first=False):
    """The notebook with cells of the student's own, before its own ones or after them."""
    own = [nbformat.v4.new_code_cell(source) for source in cells]
    notebook.cells[:] = [*own, *notebook.cells] if first else [*notebook.cells, *own]
    return notebook


def test_what_a_later_cell_redefines_takes_nothing_from_what_was_right_where_it_stands():
    wrong = [e for e in exercises(1) if e.name == "neg-sub"]
    notebook = with_own(undone(1, "neg-sub"), "def polynomial(x):\n    return x**2")
    assert points(verdict(notebook, 1)) == {e.name: 0 if e in wrong else e.max_score for e in exercises(1)}


@pytest.mark.parametrize("first", [True, False])
def test_own_cells_that_end_the_kernel_cost_the_exercises_nothing(first):
    notebook = with_own(undone(1, "add"), *["exit()"] * 4, first=first)
    found = verdict(notebook, 1)
    assert points(found) == {e.name: 0 if e.name == "add" else e.max_score for e in exercises(1)}
    assert any("Left out: cells before it ended the kernel" in note for note in found.notes.values())


def test_names_of_pythons_that_a_cell_takes_break_no_question():
    notebook = with_own(solution_notebook(1), "exec, globals, type, list = 1, {}, 2, 3", first=True)
    assert points(verdict(notebook, 1)) == {e.name: e.max_score for e in exercises(1)}


def test_a_name_that_cannot_be_found_for_a_mistake_takes_no_points(monkeypatch):
    monkeypatch.setattr("grader.verdict.assess.diagnose", lambda *_: 1 / 0)
    scores = points(verdict(undone(1, "add"), 1))
    assert scores == {e.name: 0 if e.name == "add" else e.max_score for e in exercises(1)}


FEW = Limits(cell_seconds=2.0)


def endless(chapter, *names):
    """The chapter's solution, in which some exercises do not end."""
    notebook = solution_notebook(chapter)
    for cell in notebook.cells:
        if grade_id(cell) in names:
            first, rest = cell.source.split("\n    def forward", 1) if "def forward" in cell.source else ("", "")
            cell.source = (
                f"{first}\n    def forward(self, *inputs):\n        while True: pass\n\n    def given{rest}"
                if rest
                else cell.source.replace(":\n", ":\n    while True: pass\n", 1)
            )
    return notebook


@pytest.mark.parametrize(
    "chapter, names", [(0, ["square"]), (1, ["mul", "pow"]), (3, ["counting"]), (9, ["second-derivative"])]
)
def test_what_does_not_end_costs_itself_alone(chapter, names):
    scores = points(verdict(endless(chapter, *names), chapter, limits=FEW))
    kept = {e.name: e.max_score for e in exercises(chapter) if e.name not in names}
    assert {name: scores[name] for name in kept} == kept


def test_a_job_that_will_be_tried_again_is_lent_nothing(monkeypatch):
    """The worker hands on what it was told: a wall is worth what is wired to it."""
    from grader.classroom import work

    told = []
    monkeypatch.setattr(work, "judge", lambda *_, last, **__: told.append(last) or refuse(1, "nobody looked"))
    release, version = release_notebook(1), work.grader_version(1)
    for last in (False, True):
        text = nbformat.writes(release)
        job = text.encode(), "chapter1.ipynb", text, 1, "ada", b"s", True, True, version
        work.do(work.Job(*job, last=last))
    assert told == [False, True]


def test_what_was_judged_before_changes_no_name():
    """A wrong GradMode may leave the engine's switch off, and the next submission's mistakes without names."""
    verdict(undone(6, "grad-mode"), 6)
    found = {r.exercise: r for r in verdict(notebook_of(sample(1, "wrong-paths-first-only"), 1), 1).results}
    assert found["paths"].findings["backpropagate"].cause == "paths-first-only"


def test_without_follow_through_what_fails_on_ones_own_engine_gets_nothing():
    scores = points(verdict(undone(1, "add"), 1, follow_through=False))
    assert scores["neg-sub"] == 2 and scores["paths"] == scores["polynomial"] == 0


def test_nothing_is_lent_to_right_work_and_no_part_before_it_was_asked(monkeypatch):
    from grader.run import judge as judging

    asked = []
    own = judging.question
    monkeypatch.setattr(
        judging, "question", lambda e, i, *lent: asked.append((e.name, set(i), lent)) or own(e, i, *lent)
    )
    verdict(solution_notebook(1), 1)
    assert len(asked) == len(exercises(1)) and all(not lent for _, _, lent in asked)
    asked.clear()
    verdict(undone(1, "mul"), 1)
    again = asked[len(exercises(1)) :]
    assert again and all("Mul" in lent[0] and not parts & set(lent[0]) for _, parts, lent in again)
