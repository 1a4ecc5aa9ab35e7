"""The grader of an earlier commit beside today's: `python -m tests.bench.earlier bd22df1 --students 160 --rounds 3`.

In one interleaved run: `grader autograde` and `grader feedback` on new classes of right submissions of chapter 1, a small one
and a larger one; each further submission is what counts. Processor seconds are counted by a control group, which takes root,
and which has kernels in it, too: what else the machine does is not in them.
"""

import argparse
import io
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import nbformat

from grader.classroom.demo import solution_notebook
from grader.publish.course import course_root, notebook_name
from tests.bench.share import counted, seconds_of, within

FEW = 4  # the class that shows what a start takes
PARTS = {  # what is measured → the goal, in parts of the earlier one's processor time
    "the one process that writes": 0.1,
    "judging: workers and kernels": 0.7,
    "a feedback page": 0.25,
}
# The process tells what it used itself, without those that it started.
PROGRAM = """
import atexit, runpy, sys, time
atexit.register(lambda: open({said!r}, "w").write(str(time.process_time())))
sys.argv = ["grader", *{arguments!r}]
runpy.run_module("grader", run_name="__main__")
"""


def unpack(commit: str, folder: Path) -> None:
    """The course of that commit."""
    packed = subprocess.run(["git", "archive", commit], cwd=course_root(), check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")


def hand_in(folder: Path, students: int) -> None:
    """A class that nobody has graded, of whatever version."""
    notebook = solution_notebook(1)
    notebook.cells.insert(0, nbformat.v4.new_code_cell())
    for number in range(students):
        notebook.cells[0].source = f"# the work of student {number}"
        path = folder / "submitted" / f"student{number:04}" / "chapter1" / notebook_name(1)
        path.parent.mkdir(parents=True)
        path.write_text(nbformat.writes(notebook))


def run(tree: Path, room: Path, *arguments: str) -> tuple[float, float]:
    """Processor seconds of a command: all of it, and its own process alone."""
    said = room.with_suffix(".said")
    program = PROGRAM.format(said=str(said), arguments=[*arguments, "--classroom", str(room)])
    environment = {**os.environ, "PYTHONPATH": str(tree), "OMP_NUM_THREADS": "1"}
    with counted(f"bench-{os.getpid()}") as group:
        command = within(group, [sys.executable, "-c", program])
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True)
        if done.returncode:
            raise SystemExit(f"grader {' '.join(arguments)} failed in {tree}:\n{done.stderr.decode()[-3000:]}")
        return seconds_of(group), float(said.read_text())


def class_of(tree: Path, folder: Path, students: int) -> dict[str, float]:
    """Part → processor seconds for a class of so many, the start included."""
    room = folder / f"{tree.name}-{students}"
    hand_in(room, students)
    whole, own = run(tree, room, "autograde", "--workers", "2")
    pages, _ = run(tree, room, "feedback")
    return dict(zip(PARTS, (own, whole - own, pages), strict=True))


def further(tree: Path, folder: Path, students: int) -> dict[str, float]:
    """Part → processor seconds for each further submission."""
    few, many = (class_of(tree, folder, number) for number in (FEW, students))
    return {part: (many[part] - few[part]) / (students - FEW) for part in PARTS}


def main() -> None:
    """Print a row for each part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit")
    parser.add_argument("--students", type=int, default=40, help=f"of the larger class, more than {FEW}")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.students <= FEW:
        parser.error(f"--students takes more than {FEW}")
    taken: dict[str, list[dict[str, float]]] = {"then": [], "now": []}
    for number in range(options.rounds):
        with tempfile.TemporaryDirectory(prefix="earlier", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            unpack(options.commit, folder / "then")
            for way, tree in {"then": folder / "then", "now": course_root()}.items():
                taken[way].append(further(tree, folder, options.students))
                print(f"round {number + 1}, {way}: {taken[way][-1]}", file=sys.stderr, flush=True)
    print(f"| processor seconds of | {options.commit} | now | now / {options.commit} | goal |\n|---|---|---|---|---|")
    for part, goal in PARTS.items():
        then, now = (statistics.median(one[part] for one in taken[way]) for way in ("then", "now"))
        print(f"| {part} | {then:.4f} | {now:.4f} | {now / then:.2f} | {goal} |")


if __name__ == "__main__":
    main()
