"""What grading costs: stock nbgrader, otter-grader, the grader, a regrade of an unchanged class, feedback, and the floor.

`make bench-grader`, or `python -m tests.bench.grading --students 64 --rounds 3`: interleaved. Every class holds copies
of one right submission of chapter 1, each with a comment of its own, so that no verdict is known before.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

import nbformat

from grader.chapters import exercises
from grader.classroom.classroom import Classroom, grades
from grader.classroom.demo import solution_notebook
from grader.publish.course import course_root, notebook_name, release_notebook
from grader.run.judge import course_folder
from grader.run.submission import given_cells, grade_id
from tests.bench import otter, parts
from tests.bench.postgres import missing, postgres
from tests.bench.usage import Usage, rounds, use

STOCK = """
c = get_config()
c.CourseDirectory.root = {room!r} + "/stock_config"
c.CourseDirectory.course_id = "minigrad"
c.CourseDirectory.submitted_directory = {room!r} + "/submitted"
c.CourseDirectory.autograded_directory = {room!r} + "/stock"
c.CourseDirectory.feedback_directory = {room!r} + "/stock_feedback"
c.CourseDirectory.source_directory = {root!r} + "/solutions"
c.CourseDirectory.ignore = ["*.py", "*.svg"]
c.CourseDirectory.db_url = "sqlite:///" + {room!r} + "/gradebook.db"
"""


def make_class(folder: Path, students: int, chapter: int = 1, database: str = "") -> Classroom:
    """A class that nobody has graded, known to a gradebook."""
    room, notebook = Classroom(folder, database=database), solution_notebook(chapter)
    notebook.cells.insert(0, nbformat.v4.new_code_cell())
    for number in range(students):
        notebook.cells[0].source = f"# the work of student {number}"
        path = room.submitted(f"student{number:04}", chapter) / notebook_name(chapter)
        path.parent.mkdir(parents=True)
        path.write_text(nbformat.writes(notebook))
    room.enroll(chapter)
    return room


def run(*command: str, cwd: Path | None = None) -> Usage:
    """What a Python program uses, from its start to its end."""
    return use([sys.executable, *command], cwd=cwd, env={**os.environ, "PYTHONPATH": str(course_root())})


def stock(room: Classroom, step: str = "autograde") -> Usage:
    """`nbgrader autograde` as it comes: no sandbox, one process, the checks in the student's kernel; or another step."""
    settings = room.folder / "stock_config"
    settings.mkdir(exist_ok=True)
    text = STOCK.format(root=str(course_root()), room=str(room.folder))
    (settings / "nbgrader_config.py").write_text(text)
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return run("-m", "nbgrader", step, "chapter1", cwd=settings)


def ours(room: Classroom, *options: str, step: str = "autograde") -> Usage:
    """`grader autograde`, or another step."""
    return run("-m", "grader", step, "--classroom", str(room.folder), *options, cwd=course_root())


TOGETHER = """
import subprocess, sys
command = [sys.executable, "-m", "grader", "autograde", "--workers", "1", "--db", sys.argv[1]]
rooms = dict(zip(sys.argv[2::2], sys.argv[3::2]))  # chapter -> its classroom
all_ = [subprocess.Popen([*command, "--chapter", number, "--classroom", room]) for number, room in rooms.items()]
sys.exit(max(one.wait() for one in all_))
"""


def together(folder: Path, url: str, students: int) -> Usage:
    """Four writers of four chapters at once, whose classrooms have one gradebook. SystemExit where anything is lost."""
    rooms = {}
    for chapter in CHAPTERS_TOGETHER:
        rooms[chapter] = make_class(folder / f"section{chapter}", students, chapter, url)
    pairs = [text for chapter, room in rooms.items() for text in (str(chapter), str(room.folder))]
    used = run("-c", TOGETHER, url, *pairs, cwd=course_root())
    for chapter, room in rooms.items():
        with room.gradebook() as gradebook:
            totals = [sum(counted for _, counted in one.values()) for one in grades(gradebook, chapter).values()]
        full = sum(exercise.max_score for exercise in exercises(chapter))
        if totals != [full] * students:
            raise SystemExit(f"chapter {chapter}: {totals} in the gradebook, and not {students} times {full}")
    return used


FLOOR = """
import json, os, sys
import numpy, minigrad, minigrad.workshop
from IPython.core.interactiveshell import InteractiveShell
cells = json.load(open(sys.argv[2]))
for _ in range(int(sys.argv[1])):
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        {run}
        os._exit(0)
    os.waitpid(child, 0)
"""
SHELL = """
        shell = InteractiveShell()
        shell.history_manager.enabled = False
        for cell in cells:
            shell.run_cell(cell)
"""
EXEC = """
        names = {}
        for cell in cells:
            try:
                exec(cell, names)
            except Exception:
                pass
"""


def floor(students: int, folder: Path, run: str) -> Usage:
    """Fork a warm process and run the cells, one process at a time: no walls, kernel, comparison or gradebook."""
    roles = {name: given.role for name, given in given_cells(release_notebook(1)).items()}
    left_out = ("demonstration", "graded")
    code = [cell for cell in solution_notebook(1).cells if cell.cell_type == "code"]
    cells = [cell.source for cell in code if roles.get(grade_id(cell)) not in left_out]
    # The course as a submission sees it: its own checks do nothing.
    course = course_folder(1)
    (folder / "cells.json").write_text(json.dumps(cells))
    program = FLOOR.replace("{run}", run.strip())
    return use([sys.executable, "-c", program, str(students), str(folder / "cells.json")], cwd=course)


Taken = dict[str, list[Usage]]  # way → what it used for one submission, in each round
FEW = 8  # the class that shows what a start takes
GRADER, SHELL_FLOOR = "grader", "floor: a forked IPython shell"
STOCK_WAY, STOCK_PAGES, PAGES = "stock nbgrader", "stock nbgrader, feedback", "grader, feedback"
CHAPTERS_TOGETHER = (1, 2, 3, 4)


def one_round(students: int, otters: int, taken: Taken) -> None:
    """Grade a new class in every way."""

    def took(name: str, used: Usage, submissions: int = students) -> None:
        print(f"{name}: {used.seconds:.1f} s for {submissions}", file=sys.stderr, flush=True)
        seconds, processor = used.seconds / submissions, used.processor / submissions
        taken.setdefault(name, []).append(Usage(seconds, processor, used.memory))

    with tempfile.TemporaryDirectory(prefix="bench", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        mine, theirs = (make_class(folder / name, students) for name in ("ours", "stock"))
        took(STOCK_WAY, stock(theirs))
        took(STOCK_PAGES, stock(theirs, "generate_feedback"))
        if otters:
            notebooks = [mine.submitted(student, 1) / notebook_name(1) for student in mine.students(1)[:otters]]
            (folder / "otter").mkdir()
            used = otter.grade(notebooks, folder / "otter", 1)
            seconds, processor = (sum(getattr(one, key) for one in used) for key in ("seconds", "processor"))
            took("otter run", Usage(seconds, processor, max(one.memory for one in used)), len(used))
        took(GRADER, ours(mine))
        took("grader, unchanged class", ours(mine))
        took("grader, gradebook anew", ours(mine, "--again"))
        took(PAGES, ours(mine, step="feedback"))
        if problem := missing():
            print(f"Without PostgreSQL: {problem}.")
        else:
            with postgres() as url:
                room = make_class(folder / "postgres", students, database=url)
                took("grader, PostgreSQL", ours(room, "--db", url))
            with postgres() as url:
                each = max(1, students // len(CHAPTERS_TOGETHER))
                used = together(folder, url, each)
                took("four chapters at once, PostgreSQL", used, each * len(CHAPTERS_TOGETHER))
        took(SHELL_FLOOR, floor(students, folder, SHELL))
        took("floor: exec in a fork", floor(students, folder, EXEC))
        took(few(GRADER), ours(make_class(folder / "few", FEW)), FEW)
        took(few(SHELL_FLOOR), floor(FEW, folder, SHELL), FEW)


def few(name: str) -> str:
    """The way, for a small class."""
    return f"{name}, class of {FEW}"


def further(taken: Taken, name: str, students: int) -> float:
    """Seconds for each further submission, without the start: what the class takes longer than the small one."""
    classes = zip(taken[name], taken[few(name)], strict=True)
    return statistics.median(
        (whole.seconds * students - some.seconds * FEW) / (students - FEW) for whole, some in classes
    )


def main() -> None:
    """Print what a submission takes in each way, and what the parts of our own way take."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=64, help=f"more than {FEW}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--otter", type=int, default=4, help="submissions for otter, one after another; 0 for none")
    options = parser.parse_args()
    if options.students <= FEW:
        parser.error(f"--students takes more than {FEW}")
    taken: Taken = {}
    for _ in range(options.rounds):
        one_round(options.students, min(options.otter, options.students), taken)

    def median(name: str, what: str) -> float:
        return statistics.median(getattr(used, what) for used in taken[name])

    bases = {PAGES: median(STOCK_PAGES, "seconds"), STOCK_PAGES: median(STOCK_PAGES, "seconds")}
    print(f"\n{options.students} submissions, {os.cpu_count()} cores, {rounds(options.rounds)}\n")
    print(
        "| way | seconds a submission | submissions a minute | stock / this | processor seconds a submission | most memory, MB |"
        "\n|---|---|---|---|---|---|"
    )
    for name in taken:
        seconds, processor, memory = (median(name, what) for what in ("seconds", "processor", "memory"))
        base = bases.get(name) or median(STOCK_WAY, "seconds")
        figures = f"{seconds:.3f} | {60 / seconds:.0f} | {base / seconds:.1f} | {processor:.3f} | {memory / 1e6:.0f}"
        print(f"| {name} | {figures} |")
    whole = median(GRADER, "seconds") / median(SHELL_FLOOR, "seconds")
    own, least = (further(taken, name, options.students) for name in (GRADER, SHELL_FLOOR))
    print(f"\nEach further submission: {own:.3f} s, the floor's {least:.3f} s, {own / least:.2f} x the floor;")
    print(f"a class of {options.students} with both starts: {whole:.2f} x the floor.\n")
    parts.main([])


if __name__ == "__main__":
    main()
