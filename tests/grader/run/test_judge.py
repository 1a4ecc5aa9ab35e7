"""What a verdict says where there is no answer to compare."""

import pytest

from grader.classroom.demo import solution_notebook
from grader.publish.course import release_notebook
from grader.run.execution import sandbox_problem
from grader.run.judge import judge
from grader.run.submission import grade_id, restore

UNSAFE = bool(sandbox_problem())


@pytest.mark.parametrize(("chapter", "name", "part"), [(0, "square", "square"), (1, "add", "Add")])
def test_a_cell_that_python_cannot_read_is_no_exercise_that_nobody_did(chapter, name, part):
    notebook, release = solution_notebook(chapter), release_notebook(chapter)
    (cell,) = (cell for cell in notebook.cells if grade_id(cell) == name)
    cell.source += "\nretrun 3"
    found = {r.exercise: r for r in judge(restore(notebook, release), release, chapter, "", b"", UNSAFE).results}
    line = cell.source.count("\n") + 1
    words = f"Python cannot read its cell, and ran none of it: SyntaxError: invalid syntax, in line {line}."
    assert found[name].findings[part].message == words
    assert found[name].score == 0
    assert all(result.score == result.max_score for other, result in found.items() if other != name)
