"""When a chapter is due, and for whom later: `course.toml`'s dates in nbgrader's gradebook."""

from __future__ import annotations

from collections.abc import Iterable

from ..publish.course import assignment
from .classroom import Classroom
from .settings import Settings


def write_dates(classroom: Classroom, chapter: int, settings: Settings, handed_in: Iterable[str]) -> None:
    """Make the gradebook's dates those of the file. Where the file says nothing of a chapter, nothing is changed.

    Args:
        classroom: the class, whose gradebook knows the chapter.
        chapter: the chapter.
        settings: the class's.
        handed_in: who has handed it in; nbgrader keeps an extension with a submission.
    """
    if not settings.has_dates(chapter):
        return
    with classroom.gradebook() as gradebook:
        found = gradebook.find_assignment(assignment(chapter))
        found.duedate = due = settings.due.get(chapter, found.duedate)
        gradebook.db.commit()
        if due is None:
            return
        before = {one.student_id: one for one in found.submissions}
        for student in handed_in:
            more = settings.extension(chapter, student, due)
            if more and student not in before:
                gradebook.update_or_create_student(student)
                with gradebook.db.no_autoflush:  # nbgrader reads while it makes a submission
                    before[student] = gradebook.update_or_create_submission(found.name, student)
        for student, submission in before.items():
            submission.extension = settings.extension(chapter, student, due)
        gradebook.db.commit()
