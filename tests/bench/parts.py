"""What the parts of grading one submission cost, in seconds of a processor: `python -m tests.bench.parts`.

A kernel ends with its namespace, and its time is in no process's account. A control group has it, which takes root; without
one, the whole machine's time is taken: let nothing else run meanwhile.
"""

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import nbformat
import psutil

from grader.ask.exercise import generator
from grader.chapters import exercises
from grader.classroom.autograded import finished
from grader.classroom.classroom import Classroom
from grader.classroom.demo import solution_notebook
from grader.classroom.gradebook_writer import BATCH, Writer
from grader.publish.course import notebook_name, read_secret, release_notebook
from grader.run import verdicts
from grader.run.execution import Step, run_steps
from grader.run.judge import _steps, course_folder, judge
from grader.run.submission import digest, given_cells, read_notebook, restore
from grader.verdict.assess import prepare
from tests.bench.share import counted, seconds_of, within

GROUP = "COUNTED"  # where this process stands to be counted


def busy() -> float:
    """Seconds that processors have worked: for this group of processes, or since the machine was started."""
    if group := os.environ.get(GROUP):
        return seconds_of(Path(group))
    times = psutil.cpu_times()
    return times.user + times.system


def cost(work: Callable[[int], object], times: int) -> float:
    """Processor seconds of one of `times`."""
    work(0)
    before = busy()
    for number in range(1, times + 1):
        work(number)
    return (busy() - before) / times


def parts(times: int, folder: Path) -> dict[str, float]:
    """Part → processor seconds. A submission's kernel is forked; the warm process is there already."""
    room, release = Classroom(folder), release_notebook(1)
    room.enroll(1)
    secret = read_secret(folder)
    path = room.submitted("student", 1) / notebook_name(1)
    path.parent.mkdir(parents=True)
    path.write_text(nbformat.writes(solution_notebook(1)), "utf-8")
    notebook = restore(read_notebook(path), release)
    asked = {exercise.graded_cell: exercise for exercise in exercises(1)}
    inputs = {e.name: e.draw(generator(secret, "student", e.name, digest(notebook))) for e in asked.values()}
    steps = list(_steps(notebook, given_cells(release), asked, inputs))
    course = course_folder(1)
    verdict = judge(notebook, release, 1, "student", secret)
    verdicts.save(folder / "verdicts", verdicts.key(digest(notebook), 1, "student", secret, True), verdict.as_json())

    found = {"read and restore": cost(lambda _: restore(read_notebook(path), release), times)}
    found["kernel: fork, start, end"] = cost(lambda _: run_steps([Step(0, "")], course), times)
    ran = cost(lambda _: run_steps(steps, course), times)
    found["cells and questions"] = ran - found["kernel: fork, start, end"]
    whole = cost(lambda number: judge(notebook, release, 1, f"student{number}", secret), times)
    found["comparison with torch"] = whole - ran
    found["bookkeeping by nbgrader"] = cost(lambda _: room.autograde("student", 1), times)
    text = finished(notebook, verdict, 1)
    students = [f"student{number}" for number in range(BATCH)]
    for student in students:
        shutil.copytree(path.parent, room.submitted(student, 1))
    writer = Writer(room, 1, lambda student, problem: None)

    def write(_: int) -> None:
        for student in students:
            writer.take(student, text)
        writer.flush()

    found["bookkeeping by the writer"] = cost(write, max(5, times // BATCH)) / BATCH
    return found


def main(arguments: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    options = parser.parse_args(arguments)
    if GROUP not in os.environ:
        with contextlib.suppress(SystemExit), counted(f"parts-{os.getpid()}") as group:
            again = [sys.executable, "-m", "tests.bench.parts", "--times", str(options.times)]
            subprocess.run(within(group, again), check=True, env={**os.environ, GROUP: str(group)})
            return
    prepare()
    with tempfile.TemporaryDirectory(prefix="parts", ignore_cleanup_errors=True) as folder:
        found = parts(options.times, Path(folder))
    print("| part | processor seconds a submission |\n|---|---|")
    for name, seconds in found.items():
        print(f"| {name} | {seconds:.3f} |")


if __name__ == "__main__":
    main()
