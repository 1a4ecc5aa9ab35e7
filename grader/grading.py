"""Grade a class: judge the submissions in worker processes, then let one writer tell nbgrader."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from . import verdicts
from .classroom import Classroom
from .course import assignment, notebook_name, read_secret, release_notebook
from .errors import CourseError
from .execution import sandbox_problem
from .exercise import exercises
from .judge import Verdict, judge, refuse
from .submission import Unreadable, read_notebook, restore

Told = Callable[[str, str], None]  # called with a student and what went wrong ("" if nothing), once each


def need_sandbox(unsafe: bool) -> None:
    """Make sure that submissions can be run.

    Raises:
        CourseError: there is no sandbox here, and `unsafe` is False.
    """
    problem = sandbox_problem()
    if problem and not unsafe:
        raise CourseError(
            f"{problem.rstrip('.')}. Submissions would not be walled in; add --unsafe to grade all the same."
        )


def judge_file(path: str, chapter: int, student: str, secret: bytes, folder: str, unsafe: bool) -> str:
    """One job: judge a submitted file unless its verdict is kept already. Never raises for a bad submission.

    Args:
        path: the submitted notebook.
        chapter: its chapter.
        student: whose it is.
        secret: the course's secret.
        folder: where verdicts are kept.
        unsafe: run without a sandbox.

    Returns:
        The verdict's key, "" for a submission that cannot be run at all.
    """
    release = release_notebook(chapter)
    try:
        notebook = restore(read_notebook(Path(path)), release)
    except Unreadable:
        return ""
    name = verdicts.key(notebook, chapter, student, secret)
    if verdicts.load(Path(folder), name) is None:
        verdicts.save(Path(folder), name, _judge(notebook, release, chapter, student, secret, unsafe))
    return name


def _judge(notebook, release, chapter: int, student: str, secret: bytes, unsafe: bool) -> Verdict:  # noqa: ANN001
    try:
        return judge(notebook, release, chapter, student, secret, unsafe)
    except CourseError:
        raise
    except Exception as error:  # a fault of ours must cost the class nothing, and must not pass for a verdict
        return refuse(chapter, f"the grader itself failed ({type(error).__name__}: {error}); please report it")


def autograde(
    classroom: Classroom,
    chapter: int,
    students: list[str] | None = None,
    workers: int | None = None,
    told: Told = lambda student, problem: None,
) -> dict[str, str]:
    """Grade the submissions of a chapter and write them into nbgrader's gradebook.

    Args:
        classroom: the class.
        chapter: the chapter.
        students: whose submissions; everybody's if None.
        workers: processes; one a core if None.
        told: called as each submission is finished.

    Returns:
        Student → what went wrong outside the verdict itself, for those where something did.

    Raises:
        CourseError: no submissions, no sandbox, or a student who did not submit.
    """
    exercises(chapter)
    present = classroom.students(chapter)
    missing = sorted(set(students or []) - set(present))
    if missing:
        raise CourseError(f"There is no submission of {assignment(chapter)} by {', '.join(missing)}.")
    if not present:
        raise CourseError(f"There are no submissions of {assignment(chapter)} in {classroom.folder / 'submitted'}.")
    need_sandbox(classroom.unsafe)
    classroom.enroll(chapter)
    context = get_context("spawn")  # a forked process would inherit torch's threads
    with ProcessPoolExecutor(workers or os.cpu_count() or 1, mp_context=context) as pool:
        return _run(classroom, chapter, students or present, pool, told)


def _run(classroom: Classroom, chapter: int, students: list[str], pool: Executor, told: Told) -> dict[str, str]:
    secret, folder = read_secret(classroom.folder), str(classroom.folder / "verdicts")
    jobs = {}
    for student in students:
        path = str(classroom.submitted(student, chapter) / notebook_name(chapter))
        jobs[pool.submit(judge_file, path, chapter, student, secret, folder, classroom.unsafe)] = student
    problems = {}
    for job in as_completed(jobs):
        student = jobs[job]
        problem = _record(classroom, student, chapter, job.exception())
        if problem:
            problems[student] = problem
        told(student, problem)
    return problems


def _record(classroom: Classroom, student: str, chapter: int, failed: BaseException | None) -> str:
    """Tell nbgrader; if it cannot be told, leave no older score standing as if it were new."""
    if isinstance(failed, CourseError):
        raise failed
    if failed is None and (classroom.submitted(student, chapter) / notebook_name(chapter)).is_file():
        problem = classroom.autograde(student, chapter)
    elif failed is None:
        problem = f"{notebook_name(chapter)} is missing from the submission"
    else:
        problem = f"its worker process ended ({type(failed).__name__}); run the command again"
    if problem:
        _withdraw(classroom, student, chapter)
    return problem


def _withdraw(classroom: Classroom, student: str, chapter: int) -> None:
    classroom.autograded(student, chapter).unlink(missing_ok=True)
    with classroom.gradebook() as gradebook:
        gradebook.update_or_create_student(student)
        submission = gradebook.update_or_create_submission(assignment(chapter), student)
        for notebook in submission.notebooks:
            for grade in notebook.grades:
                grade.auto_score, grade.needs_manual_grade = 0.0, False
        gradebook.db.commit()
