"""A student who is forgotten leaves nothing in the class; everybody else's marks and verdicts stay."""

import shutil
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest
from typer.testing import CliRunner

from grader.classroom.classroom import Classroom, grades
from grader.classroom.demo import notebook_of, samples
from grader.classroom.forget import forget, still_named
from grader.classroom.grading import Crew, autograde
from grader.cli import app
from grader.errors import CourseError
from grader.publish.course import notebook_name
from grader.run.execution import sandbox_problem

SAMPLES = {sample.student: sample for sample in samples(1)}


@pytest.fixture(scope="module")
def room(tmp_path_factory, empty_gradebook):
    room = Classroom(tmp_path_factory.mktemp("class"), bool(sandbox_problem()))
    shutil.copy(empty_gradebook, room.folder)
    for student, sample in (("ada", "right-as-in-the-solution"), ("bo", "half-done")):
        path = room.submitted(student, 1) / notebook_name(1)
        path.parent.mkdir(parents=True)
        path.write_text(nbformat.writes(notebook_of(SAMPLES[sample], 1)), "utf-8")
    (room.folder / "earlier" / "bo" / "chapter1" / "1").mkdir(parents=True)
    assert autograde(room, 1, crew=Crew(lambda: ThreadPoolExecutor(1), 1)) == {}
    return room


@pytest.mark.parametrize("name", ["", "..", "../ada", "ada/chapter1"])
def test_what_is_no_students_name_is_refused(room, name):
    with pytest.raises(CourseError, match="is no student's name"):
        forget(room, name)


def test_who_is_not_known_is_said(room):
    with pytest.raises(CourseError, match="Nothing is known of dee"):
        forget(room, "dee")


@pytest.mark.parametrize("called", ["a[d]a", "ADA", "ada ", "Ada Love"])
def test_where_nobody_is_asked_the_exact_id_alone_is_taken(tmp_path, called):
    (tmp_path / "submitted" / "ada").mkdir(parents=True)
    (tmp_path / "canvas-filled.csv").write_text("Student,SIS Login ID\nAda Love,ada\n", "utf-8")
    command = ["forget", called, "--classroom", str(tmp_path)]
    run = CliRunner().invoke(app, [*command, "--yes"])
    assert isinstance(run.exception, CourseError) and "may mean ada: give that id" in str(run.exception)
    run = CliRunner().invoke(app, command, input="n\n")
    assert "Delete all that" in run.output and "holds of ada?" in run.output
    assert (tmp_path / "submitted" / "ada").is_dir()
    assert CliRunner().invoke(app, ["forget", "ada", "--yes", "--classroom", str(tmp_path)]).exit_code == 0
    assert not (tmp_path / "submitted" / "ada").exists()


def test_what_still_names_a_student_is_said(tmp_path):
    room = Classroom(tmp_path)
    (tmp_path / "grades.csv").write_text("student,score\noneillzoë,2\n", "utf-8")
    (tmp_path / "canvas-filled.csv").write_text('Student,ID,Chapter 1\n"O\'Neill, Zoë",7,2\n', "utf-8")
    (tmp_path / "course.toml").write_text("[more_time]\nada = 2\n")
    assert still_named(room, "oneillzoë") == ["canvas-filled.csv", "grades.csv"]
    assert still_named(room, "ada") == ["course.toml"]


def test_nothing_of_a_student_is_left(room):
    before = set(room.folder.glob("verdicts/*.json"))
    assert [path for path in (room.folder / "verdicts").rglob("*.json") if '"bo"' in path.read_text("utf-8")]
    said = forget(room, "bo")
    assert "submitted/bo" in said and "earlier/bo" in said and "the student's rows of the gradebook" in said
    assert not [path for path in room.folder.rglob("*") if "bo" in path.relative_to(room.folder).parts]
    with room.gradebook() as gradebook:
        assert list(grades(gradebook, 1)) == ["ada"] and [s.id for s in gradebook.students] == ["ada"]
    told = [path.read_text("utf-8") for path in (room.folder / "verdicts").rglob("*.json")]
    assert not [text for text in told if '"bo"' in text]
    after = set(room.folder.glob("verdicts/*.json"))
    assert len(before - after) == 1 and len(after) == 1

    class Nobody(ThreadPoolExecutor):
        def submit(self, *_):
            raise AssertionError("ada's verdict is kept")

    assert autograde(room, 1, crew=Crew(lambda: Nobody(1), 1)) == {}
