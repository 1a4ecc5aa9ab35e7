"""Feedback pages are the same, whoever makes them."""

import shutil
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest

from grader.classroom import pages
from grader.classroom.classroom import Classroom
from grader.classroom.demo import solution_notebook
from grader.classroom.grading import Crew, autograde
from grader.classroom.work import answered, restored
from grader.publish.course import notebook_name, read_secret
from grader.run.judge import refuse

STUDENTS = ("ada", "bo", "cy")
QUICK = Crew(
    lambda: ThreadPoolExecutor(1), 1, lambda job: answered(job, restored(job), refuse(1, "nobody looked at it"))
)


@pytest.fixture(scope="module")
def room(tmp_path_factory, empty_gradebook):
    room = Classroom(tmp_path_factory.mktemp("pages"), unsafe=True)
    shutil.copy(empty_gradebook, room.folder)
    read_secret(room.folder)
    for student in STUDENTS:
        path = room.submitted(student, 1) / notebook_name(1)
        path.parent.mkdir(parents=True)
        nbformat.write(solution_notebook(1), path)
    assert autograde(room, 1, crew=QUICK) == {}
    return room


def made(room):
    found = list(pages.feedback_pages(room, 1, STUDENTS))
    return found, [room.feedback(student, 1).read_text("utf-8") for student in STUDENTS]


def test_processes_make_the_same_pages(room, monkeypatch):
    alone = made(room)
    assert [problem for _, problem in alone[0]] == ["", "", ""]
    monkeypatch.setattr(pages, "MANY", 1)
    monkeypatch.setattr(pages, "cores", lambda: 2)
    assert made(room) == alone


def test_what_goes_wrong_is_said_of_its_student(room):
    room.autograded("bo", 1).unlink()
    problems = dict(pages.feedback_pages(room, 1, STUDENTS))
    assert problems["ada"] == problems["cy"] == "" and "nbgrader failed" in problems["bo"]
