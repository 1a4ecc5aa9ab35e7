"""Feedback pages of a class: nbgrader makes each, a large class's in as many processes as there are cores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from .classroom import Classroom
from .grading import cores, processes

PRELOADED = "grader.about.feedback", "grader.classroom.nbgrader_plugin", "nbgrader.apps"
MANY = 100  # pages, from which on the start of processes, some seconds, is worth its while


def feedback_pages(room: Classroom, chapter: int, students: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Write the students' pages, in order; yields each student with what went wrong, "" if nothing did.

    Args:
        room: the class.
        chapter: the chapter, which is autograded for each of them.
        students: whose pages.

    Raises:
        CourseError: the gradebook is at fault, which is nobody's submission.
    """
    page = partial(room.generate_feedback, chapter=chapter)
    if len(students) < MANY or cores() == 1:
        yield from ((student, page(student)) for student in students)
        return
    with ProcessPoolExecutor(cores(), processes(*PRELOADED)) as workers:
        yield from zip(students, workers.map(page, students, chunksize=16), strict=True)
