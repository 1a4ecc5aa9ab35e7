"""Points that an instructor gives by hand, as formgrader does: they count in place of the grader's, and stay."""

from __future__ import annotations

from pathlib import Path

from ..chapters import exercises
from ..errors import CourseError
from ..publish.course import assignment, notebook_name
from . import edition
from .classroom import Classroom, grades
from .marks import Mark, marks
from .words import counted


def give(
    classroom: Classroom,
    chapter: int,
    student: str,
    name: str,
    points: float | None,
    comment: str | None,
    called: str = "",
) -> Mark:
    """Write points for an exercise, and a comment for its answer, into the gradebook; the chapter's mark then.

    Args:
        classroom: the class.
        chapter: the chapter.
        student: nbgrader's id of the student.
        name: of the exercise.
        points: those that count from now on; None for the grader's own again.
        comment: what the student's page says below the answer; "" for nothing, None for what it says already.
        called: what the student is called in sentences; the id, if "".

    Raises:
        CourseError: the chapter has no such exercise, it has fewer points, or the student's work on it is not graded.
    """
    from nbgrader.api import MissingEntry

    from .gradebook_writer import settle_lateness

    exercise = next((one for one in exercises(chapter) if one.name == name), None)
    if exercise is None:
        known = ", ".join(one.name for one in exercises(chapter))
        raise CourseError(f"Chapter {chapter} has no exercise {name!r}; it has {known}.")
    most = edition.points(classroom, chapter).get(name, exercise.max_score)
    if points is not None and not 0 <= points <= most:
        raise CourseError(f"{name} is worth {most:g}: give a number from 0 to {most:g}, and not {points:g}.")
    where = Path(notebook_name(chapter)).stem, assignment(chapter), student
    with classroom.alone(), classroom.gradebook() as gradebook:
        try:
            grade, said = gradebook.find_grade(exercise.graded_cell, *where), gradebook.find_comment(name, *where)
        except MissingEntry:
            words = f"The gradebook has no points of {called or student} for {name} in chapter {chapter}"
            raise CourseError(f"{words}: run `grader autograde --chapter {chapter}` first.") from None
        grade.manual_score, grade.needs_manual_grade = points, False
        if comment is not None:
            said.manual_comment = comment or None
        gradebook.db.flush()
        settle_lateness(classroom, gradebook, gradebook.find_submission(assignment(chapter), student))
        gradebook.db.commit()
    return marks(classroom, chapter)[student]


def below(classroom: Classroom, chapter: int) -> dict[str, list[str]]:
    """Student → a sentence for each exercise whose points by hand are fewer than those that the grader gives."""
    if not classroom.has_gradebook():
        return {}
    names = {exercise.graded_cell: exercise.name for exercise in exercises(chapter)}
    with classroom.gradebook() as gradebook:
        found = grades(gradebook, chapter)
    return {
        student: [held(names[cell], *both) for cell, both in cells.items() if cell in names and both[1] < both[0]]
        for student, cells in found.items()
    }


def held(name: str, own: float, given: float) -> str:
    """That an exercise has `given` points by hand, and the grader would give `own`."""
    return f"{name} has {counted(given, 'point')} by hand; the grader would now give {own:g}"
