"""What grading costs: stock nbgrader, the grader, a regrade of an unchanged class, and the floor, interleaved.

`make bench-grader`, or `python -m tests.bench.grading --students 64 --rounds 3`. Every class holds copies of one right
submission of chapter 1, each with a comment of its own, so that no verdict is known before.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat

from grader.classroom import Classroom
from grader.course import course_root, notebook_name, release_notebook
from grader.demo import solution_notebook
from grader.judge import course_folder
from grader.submission import given_cells, grade_id

STOCK = """
c = get_config()
c.CourseDirectory.root = {room!r} + "/stock_config"
c.CourseDirectory.course_id = "minigrad"
c.CourseDirectory.submitted_directory = {room!r} + "/submitted"
c.CourseDirectory.autograded_directory = {room!r} + "/stock"
c.CourseDirectory.source_directory = {root!r} + "/solutions"
c.CourseDirectory.ignore = ["*.py", "*.svg"]
c.CourseDirectory.db_url = "sqlite:///" + {room!r} + "/gradebook.db"
"""


def make_class(folder: Path, students: int) -> Classroom:
    """A class that nobody has graded, known to a gradebook."""
    room = Classroom(folder)
    for number in range(students):
        notebook = solution_notebook(1)
        notebook.cells.insert(0, nbformat.v4.new_code_cell(f"# the work of student {number}"))
        path = room.submitted(f"student{number:04}", 1) / notebook_name(1)
        path.parent.mkdir(parents=True)
        path.write_text(nbformat.writes(notebook))
    room.enroll(1)
    return room


def run(*command: str, cwd: Path | None = None) -> float:
    """Seconds that a command takes, from its start to its end."""
    environment = {**os.environ, "PYTHONPATH": str(course_root())}
    start = time.perf_counter()
    subprocess.run([sys.executable, *command], check=True, capture_output=True, cwd=cwd, env=environment)
    return time.perf_counter() - start


def stock(room: Classroom) -> float:
    """`nbgrader autograde` as it comes: no sandbox, one process, the checks in the student's kernel."""
    settings = room.folder / "stock_config"
    settings.mkdir()
    text = STOCK.format(root=str(course_root()), room=str(room.folder))
    (settings / "nbgrader_config.py").write_text(text)
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return run("-m", "nbgrader", "autograde", "chapter1", cwd=settings)


def ours(room: Classroom, *options: str) -> float:
    """`grader autograde`."""
    return run("-m", "grader", "autograde", "--classroom", str(room.folder), *options, cwd=course_root())


FLOOR = """
import json, os, sys
import numpy, minigrad, minigrad.workshop
cells = json.loads(sys.stdin.read())
for _ in range(int(sys.argv[1])):
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        names = {}
        for cell in cells:
            try:
                exec(cell, names)
            except Exception:
                pass
        os._exit(0)
    os.waitpid(child, 0)
"""


def floor(students: int) -> float:
    """Fork a warm process and `exec` the cells: no walls, no kernel, no comparison, no gradebook."""
    roles = {name: given.role for name, given in given_cells(release_notebook(1)).items()}
    left_out = ("demonstration", "graded")
    code = [cell for cell in solution_notebook(1).cells if cell.cell_type == "code"]
    cells = [cell.source for cell in code if roles.get(grade_id(cell)) not in left_out]
    # The course as a submission sees it: its own checks do nothing.
    course = course_folder(1)
    start = time.perf_counter()
    command = [sys.executable, "-c", FLOOR, str(students)]
    subprocess.run(command, input=json.dumps(cells), text=True, check=True, capture_output=True, cwd=course)
    return time.perf_counter() - start


def main() -> None:
    """Print seconds a submission, and ratios, of each way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    times: dict[str, list[float]] = {}

    def took(name: str, seconds: float) -> None:
        times.setdefault(name, []).append(seconds / options.students)
        print(f"{name}: {seconds:.1f} s", flush=True)

    for _ in range(options.rounds):
        folder = Path(tempfile.mkdtemp(prefix="bench"))
        try:
            mine, theirs = (make_class(folder / name, options.students) for name in ("ours", "stock"))
            took("stock nbgrader", stock(theirs))
            took("grader", ours(mine))
            took("grader, unchanged class", ours(mine))
            took("grader, gradebook anew", ours(mine, "--again"))
            took("floor", floor(options.students))
        finally:
            shutil.rmtree(folder)
    base = statistics.median(times["stock nbgrader"])
    print(f"\n{options.students} submissions, {os.cpu_count()} cores, median of {options.rounds} interleaved rounds\n")
    print("| way | s a submission | submissions a minute | stock / this |\n|---|---|---|---|")
    for name, taken in times.items():
        median = statistics.median(taken)
        print(f"| {name} | {median:.3f} | {60 / median:.0f} | {base / median:.1f} |")


if __name__ == "__main__":
    main()
