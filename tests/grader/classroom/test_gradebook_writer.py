"""The writer leaves behind what nbgrader's own `autograde` does: the same rows, the same files.

With MINIGRAD_CHAPTERS=all, on the sample classes of all chapters.
"""

import os
import random
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest
from nbgrader.api import Base
from nbgrader.plugins import LateSubmissionPlugin
from sqlalchemy import func, select

from grader.chapters import CHAPTERS, exercises
from grader.classroom import gradebook_writer as writer
from grader.classroom.classroom import Classroom, set_due
from grader.classroom.demo import write_samples
from grader.classroom.grading import Crew, autograde
from grader.classroom.work import answered, restored
from grader.publish.course import assignment, notebook_name
from grader.run.judge import Verdict
from grader.run.submission import digest
from grader.verdict.assess import Result
from grader.verdict.finding import RIGHT, Finding

EVERYTHING = os.environ.get("MINIGRAD_CHAPTERS") == "all"
WRONG = Finding("values", "the gradient of x", "The gradient of x differs from torch's.", "largest difference: 1e-3")


def drawn(job, about=""):
    """A verdict that hangs on nothing but who handed in what, or on `about`: any points, any outputs, all states."""
    submission = restored(job)
    draw = random.Random(about or digest(submission))
    results, cells = [], submission.cells
    for exercise in exercises(job.chapter):
        right = {part: draw.random() < 0.6 for part in exercise.points}
        score = float(sum(points for part, points in exercise.points.items() if right[part]))
        findings = {part: RIGHT if ok else WRONG for part, ok in right.items()}
        state = draw.choice(["graded"] * 5 + ["not graded: its cell took too long"])
        done = (score, state, findings) if state == "graded" else (0.0, state, {})
        results.append(Result(exercise.name, done[0], exercise.max_score, *done[1:]))
    places = [i for i, cell in enumerate(cells) if cell.cell_type == "code"]
    printed = {i: [stream("line\n" * draw.choice((1, 3, 500, 1200)))] for i in draw.sample(places, 3)}
    verdict = Verdict(tuple(results), printed, {places[0]: "its output was cut"}, {places[-1]: "timeout"}, {})
    raised = {"output_type": "error", "ename": "E", "evalue": "", "traceback": ["a line"] * draw.choice((3, 150))}
    printed[draw.choice(list(printed))] = [raised]
    return answered(job, submission, verdict)


def stream(text):
    return {"output_type": "stream", "name": "stdout", "text": text}


def rows(room, chapter):
    """All that the gradebook holds of a chapter, without the database's own ids."""
    with room.gradebook() as gradebook:
        tables = {table.name: select(func.count()).select_from(table) for table in Base.metadata.sorted_tables}
        found = [{name: gradebook.db.execute(count).scalar() for name, count in tables.items()}]
        for submission in sorted(gradebook.assignment_submissions(assignment(chapter)), key=lambda one: one.student_id):
            (notebook,) = submission.notebooks
            found.append([submission.student_id, submission.timestamp, submission.extension, submission.score])
            found.append([notebook.name, notebook.late_submission_penalty, notebook.score, notebook.needs_manual_grade])
            for one in sorted(notebook.grades, key=lambda one: one.name):
                marks = one.auto_score, one.manual_score, one.extra_credit, one.score
                found.append([one.name, *marks, one.needs_manual_grade, one.failed_tests])
            for one in sorted(notebook.comments, key=lambda one: one.name):
                found.append([one.name, one.auto_comment, one.manual_comment, one.comment])
    return found


def files(room):
    """Every file of `autograded/`, with its rights, and what is in it."""
    paths = sorted(path for path in (room.folder / "autograded").rglob("*") if path.is_file())
    return {str(path.relative_to(room.folder)): (oct(path.stat().st_mode), path.read_bytes()) for path in paths}


def hand_in(room, chapter):
    for sample in write_samples(room.folder / "submitted", chapter):
        if sample.student.startswith("wrong-") and not EVERYTHING:
            shutil.rmtree(room.folder / "submitted" / sample.student)
    for folder in (room.folder / "submitted").iterdir():
        inner = folder / assignment(chapter)
        inner.mkdir()
        for path in folder.glob("*.ipynb"):
            path.rename(inner / path.name)
    names = sorted(path.name for path in (room.folder / "submitted").iterdir())
    for name in names[::3]:
        (room.submitted(name, chapter) / "timestamp.txt").write_text("2026-11-21 03:00:00 UTC")
    beside = room.submitted(names[0], chapter) / "data" / "table.csv"
    beside.parent.mkdir()
    beside.write_text("1,2\n")
    return names


def change(room, chapter, names):
    """What an instructor does between two runs."""
    set_due(room, chapter, "2026-11-20 18:00 UTC")
    with room.gradebook() as gradebook:
        gradebook.grant_extension(assignment(chapter), names[3], days=1)
        for name in names[:4]:
            submission = gradebook.find_submission(assignment(chapter), name)
            grade, comment = submission.notebooks[0].grades[0], submission.notebooks[0].comments[0]
            grade.manual_score, grade.extra_credit = 1.5, 0.5
            comment.manual_comment = "Well done."
        gradebook.db.commit()
    for folder in (room.submitted(name, chapter) for name in names[6:]):  # what is worth nothing has no penalty
        if folder.is_dir():
            (folder / "timestamp.txt").write_text("2026-11-20 18:30:00 UTC")
    (room.submitted(names[0], chapter) / "timestamp.txt").unlink()
    shutil.rmtree(room.folder / "verdicts")  # so that all are judged again


def grade(room, chapter):
    return autograde(room, chapter, crew=Crew(lambda: ThreadPoolExecutor(1), 1, drawn), again=True)


@pytest.mark.parametrize("chapter", CHAPTERS if EVERYTHING else [4])
def test_it_leaves_behind_what_nbgrader_does(chapter, tmp_path, monkeypatch, empty_gradebook):
    monkeypatch.setattr(LateSubmissionPlugin, "late_submission_penalty", lambda self, who, score, late: 0.25 * score)
    seen, asked, real = {}, {}, Classroom.autograde
    monkeypatch.setattr(Classroom, "autograde", lambda *job: asked[way].add(job[1]) or real(*job))
    for way in ("ours", "nbgrader's"):
        room = Classroom(tmp_path / "room", unsafe=True)  # at one place: it is in the secret's file, not in the rows
        room.make_folder()
        (room.folder / "secret").write_bytes(b"s" * 32)
        shutil.copy(empty_gradebook, room.folder)
        names = hand_in(room, chapter)
        with monkeypatch.context() as patch:
            patch.setattr(writer, "is_usual", lambda config, usual=way == "ours": usual)
            asked[way] = set()
            problems = [grade(room, chapter)]
            seen[way] = [rows(room, chapter), files(room)]
            change(room, chapter, names)
            problems.append(grade(room, chapter))
            seen[way] += [rows(room, chapter), files(room), problems]
        shutil.rmtree(room.folder)
    assert seen["ours"] == seen["nbgrader's"]
    cut = {path.split("/")[1] for path, (_, text) in seen["ours"][1].items() if b" truncated ..." in text}
    assert asked["ours"] == cut and cut and cut < asked["nbgrader's"]  # what is long is nbgrader's to shorten
    penalties = [row[1] for row in seen["ours"][2][1:] if row[0] == notebook_name(chapter).removesuffix(".ipynb")]
    assert any(penalties) and not all(penalties)
