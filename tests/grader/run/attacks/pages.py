"""Measure what a class's feedback takes: 64 honest hand-ins, and 44 of them with the 20 whose pages take longest.

    python -m tests.grader.run.attacks.pages

Time of the processor; each class in a process of its own, as `grader feedback` is. The verdict is one and the same:
what is measured is the pages.
"""

import multiprocessing
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat

from grader.classroom.classroom import Classroom
from grader.classroom.grading import Crew, autograde
from grader.classroom.work import answered, restored
from grader.publish.course import notebook_name, read_secret, release_notebook
from grader.run.execution import sandbox_problem
from grader.run.judge import Verdict, judge, verdict_from_json
from grader.run.submission import restore

from .notebooks import changed, made, right, written

STUDENTS, WORST = 64, 20


def markdown(source, cells=40):
    return [nbformat.v4.new_markdown_cell(source) for _ in range(cells)]


def code(source, cells=40):
    return [nbformat.v4.new_code_cell(source) for _ in range(cells)]


def red(number):
    return {"output_type": "stream", "name": "stdout", "text": "\x1b[31ma" * 1666}


# What each kind of cell adds to a notebook, with what it prints.
SLOW = [
    (markdown("*a" * 2400), []),
    (markdown("[" * 4900), []),
    (markdown("- a\n" * 1200), []),
    (markdown("# a\n" * 1200), []),
    (markdown("\\begin{align}a\\end{align}\n\n" * 150), []),
    (code("a?" * 9900), []),
    (code("a." * 100, 450), []),
    (code("1", 30), [red]),
    (code("1", 400), [red] * 5),
]


def class_of(folder, verdict, worst):
    """A class whose verdicts are written, with so many of the slowest pages."""
    room, outputs = Classroom(folder), {}
    room.folder.mkdir()
    read_secret(room.folder)
    for number in range(STUDENTS):
        who, slow = f"s{number:02}", number < worst
        cells, printed = SLOW[number % len(SLOW)] if slow else ([], [])
        path = room.submitted(who, 1) / notebook_name(1)
        path.parent.mkdir(parents=True)
        path.write_bytes(
            made(changed(lambda nb, more=cells: nb.cells.extend(more), right)) if slow else written(right())
        )
        first = len(right().cells)
        outputs[who] = {first + n: [one(n) for one in printed] for n in range(len(cells)) if printed}

    def done(job):
        found = Verdict(verdict.results, verdict.outputs | outputs[job.student])
        return answered(job, restored(job), found)

    problems = autograde(room, 1, crew=Crew(lambda: ThreadPoolExecutor(1), 1, done))
    assert problems == {}, problems
    return room


def measured(folder):
    before, room = time.process_time(), Classroom(Path(folder))
    assert [room.generate_feedback(who, 1) for who in room.students(1)] == [""] * STUDENTS
    return time.process_time() - before


def main():
    release = release_notebook(1)
    text = judge(restore(right(), release), release, 1, "s", b"secret", bool(sandbox_problem())).as_json()
    spawn = multiprocessing.get_context("spawn")
    taken = {}
    with tempfile.TemporaryDirectory() as folder:
        for worst in (0, WORST):
            room = class_of(Path(folder) / f"worst{worst}", verdict_from_json(text), worst)
            with spawn.Pool(1) as alone:
                taken[worst] = alone.apply(measured, [str(room.folder)])
    print(
        f"{STUDENTS} honest hand-ins: {taken[0]:.1f} s; {WORST} of them the slowest: {taken[WORST]:.1f} s, {taken[WORST] / taken[0]:.2f} times as much."
    )


if __name__ == "__main__":
    main()
