"""otter-grader, for comparison: `otter run` on the same submissions, asked the same questions.

It lives in an environment of its own, for its requirements are not ours: made once, in the user's cache.
"""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat

from grader.ask.exercise import generator
from grader.chapters import exercises
from grader.publish.course import release_notebook
from grader.run.judge import course_folder, question
from grader.run.submission import given_cells, grade_id, read_notebook
from grader.verdict import probe
from tests.bench.usage import Usage, use

PACKAGES = ("otter-grader==7.0.0", "ipykernel~=7.4", "nbclient~=0.11", "numpy~=2.4", "matplotlib~=3.11")
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "minigrad" / "otter-7.0.0"

# An exercise's test: the same probe on the same inputs as the grader's, and the numbers that torch gave, within 1e-6.
# It runs in the student's process, where it and what it expects can be read: that is how otter works.
TEST = """
import json
import math
from otter.test_files import test_case

OK_FORMAT = False
name, points = {name!r}, {points!r}
EXPECTED = json.loads({expected!r})

def numbers(answer):
    return [(part, place, seen.get("shape"), seen.get("data")) for part, place, seen in json.loads(answer)]

def same(own, true):
    if own[:3] != true[:3]:
        return False
    if own[3] is None or true[3] is None:
        return own[3] is true[3]
    close = (math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9) for a, b in zip(own[3], true[3]))
    return len(own[3]) == len(true[3]) and all(close)

@test_case(points=points)
def test_numbers(env):
    scope = dict(env)
    exec({question!r}, scope)
    own = numbers(scope["answer"])
    assert len(own) == len(EXPECTED) and all(map(same, own, map(tuple, EXPECTED)))
"""


def environment() -> Path:
    """The folder of programs of otter's environment."""
    if not (CACHE / "bin" / "otter").is_file():
        print(f"otter-grader is installed in {CACHE} (once) …", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(CACHE)], check=True)
        install = [str(CACHE / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", *PACKAGES]
        subprocess.run(install, check=True)
    return CACHE / "bin"


def autograder(path: Path, chapter: int) -> Path:
    """Write otter's autograder of a chapter: what `otter assign` makes, but for what `otter run` does not read."""
    import torch

    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("otter_config.json", json.dumps({"show_stdout": False}))
        for exercise in exercises(chapter):
            inputs = exercise.draw(generator(b"otter", "everybody", exercise.name))
            answer = json.loads(probe.observe(exercise.probe, torch, exercise.twin(torch), inputs))
            expected = [(part, place, seen.get("shape"), seen.get("data")) for part, place, seen in answer]
            fields = {"name": exercise.name, "points": exercise.max_score, "question": question(exercise, inputs)}
            archive.writestr(f"tests/{exercise.name}.py", TEST.format(expected=json.dumps(expected), **fields))
    return path


def submission(path: Path, target: Path, chapter: int) -> Path:
    """A submission as otter gets it: without the cells that show torch, which our kernels do not run either."""
    notebook = read_notebook(path)
    roles = {name: given.role for name, given in given_cells(release_notebook(chapter)).items()}
    notebook.cells = [cell for cell in notebook.cells if roles.get(grade_id(cell)) not in ("demonstration", "graded")]
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    target.write_text(nbformat.writes(notebook), "utf-8")
    return target


def grade(notebooks: list[Path], folder: Path, chapter: int) -> list[Usage]:
    """`otter run` on each submission; every one must get all points.

    Args:
        notebooks: right submissions.
        folder: an empty folder for what is written.
        chapter: theirs.
    """
    programs = environment()
    zipped = autograder(folder / "autograder.zip", chapter)
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    settings = {**os.environ, "PATH": path, "PYTHONPATH": str(course_folder(chapter))}
    used = []
    for number, notebook in enumerate(notebooks):
        place = folder / str(number)
        place.mkdir()
        own = submission(notebook, place / notebook.name, chapter)
        command = [programs / "otter", "run", "--no-logo", "-a", zipped, "-o", place, own]
        used.append(use([str(word) for word in command], cwd=place, env=settings))
        tests = json.loads((place / "results.json").read_text("utf-8"))["tests"]
        points, most = (sum(test.get(key, 0) for test in tests) for key in ("score", "max_score"))
        if points != most or not most:
            raise SystemExit(
                f"otter gave {points} of {most} points to a right submission:\n{json.dumps(tests, indent=1)}"
            )
    return used
