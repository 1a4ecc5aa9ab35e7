"""Adding a chapter is adding its room and its script: a toy chapter in a copy of the course shows it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from grader.publish.course import CONFIG, course_root

ROOM = {
    "__init__.py": '"""Chapter 10: a toy."""\n',
    "exercises.py": '''"""What it asks."""
from ...ask.exercise import Exercise


def probe(torch, given, part, inputs):
    for x in inputs:
        yield f"double({x})", given[part](x)


EXERCISES = (
    Exercise(
        "double", 10, "Twice", {"double": 2},
        lambda rng: {"double": rng.uniform(1, 2, 3).tolist()}, probe,
        lambda torch: {"double": lambda x: (torch.tensor(x, dtype=torch.float64) * 2).item()},
    ),
)
''',
    "misconceptions.py": '''"""Ways of being wrong."""
from ...ask.bank import bank

MISCONCEPTIONS, about = bank(globals())

about("double", "double", "Twice", "def double(x):\\n    return 2 * x\\n")("""
double-squares: Your double squares x.
-    return 2 * x
+    return x * x
""")
''',
    "right.py": '''"""Ways of being right."""
from ...ask.right import collector

RIGHT, right = collector()


@right(exercise="double", replaces="double")
def by_addition(x):
    return x + x
''',
    "sample/right.toml": 'about = "Everything is right."\n',
}
MARKS = '"schema_version": 3, "task": false'
SCRIPT = f"""# %% [markdown]
# # A toy

# %%
from grader import check

# %% nbgrader={{"grade": false, "grade_id": "double", "locked": false, "solution": true, {MARKS}}}
def double(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION

# %% nbgrader={{"grade": true, "grade_id": "double-graded", "locked": true, "points": 2, "solution": false, {MARKS}}}
check("double")

# %% tags=["raises-exception"]
def double(x):
    return x**2

check("double")
"""
QUESTIONS = """
import json
from grader.chapters import CHAPTERS, exercise_named
from grader.chapters.answers import BANK, right_answers
from grader.classroom.demo import students
print(json.dumps({
    "chapters": list(CHAPTERS),
    "points": exercise_named("double").max_score,
    "wrong": [one.name for one in BANK["double"]],
    "right": [one.definition.__name__ for one in right_answers() if one.exercise == "double"],
    "students": [one.student for one in students(10)],
}))
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A copy of the course with a tenth chapter, and no script but that chapter's."""
    folder = tmp_path_factory.mktemp("course")
    for package in ("grader", "minigrad"):
        shutil.copytree(course_root() / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(course_root() / CONFIG, folder)
    for name, text in ROOM.items():
        write(folder / "grader" / "chapters" / "chapter10" / name, text)
    write(folder / "solutions" / "chapter10" / "toy.py", SCRIPT)
    return folder


def write(path: Path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def python(course, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(course)}
    run = subprocess.run([sys.executable, *arguments], cwd=course, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def test_its_release_is_built_and_a_check_knows_right_and_wrong(course):
    python(course, "-m", "grader", "notebooks")
    solved = nbformat.read(course / "solutions/chapter10/toy.ipynb", as_version=4)
    said = [
        "".join(out.get("data", {}).get("text/plain", "") for out in cell.get("outputs", ())) for cell in solved.cells
    ]
    assert said[3].startswith("double: Right")
    assert "Your double squares x." in said[-1]
    given = nbformat.read(course / "notebooks/chapter10/toy.ipynb", as_version=4)
    assert "2 * x" not in given.cells[2].source and "NotImplementedError" in given.cells[2].source


def test_the_catalogue_finds_what_lies_in_its_room(course):
    found = json.loads(python(course, "-c", QUESTIONS))
    assert found == {
        "chapters": list(range(11)),
        "points": 2.0,
        "wrong": ["double-squares"],
        "right": ["by_addition"],
        "students": ["right"],
    }
