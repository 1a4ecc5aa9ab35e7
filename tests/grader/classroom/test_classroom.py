"""A class's gradebook that cannot be used, and what nbgrader failed with, in sentences."""

import contextlib
import os
import sqlite3

import pytest
from sqlalchemy.exc import OperationalError

from grader.classroom import classroom
from grader.classroom.classroom import Classroom, name_problem
from grader.errors import CourseError
from grader.publish.database import trouble
from grader.publish.release import failure

LAST = "nbgrader.apps.baseapp.NbGraderException: Please see the the above traceback for details."
LOCKED = "sqlalchemy.exc.OperationalError: (sqlite3.OperationalError) database is locked\n[SQL: …]"


def test_nbgraders_reason_is_the_error_before_its_last_line():
    log = f"Traceback (most recent call last):\n  File …\nOSError: no rights.\n[ERROR] There was an error\n{LAST}"
    assert failure({"success": False, "log": log, "error": LAST}, "") == "no rights"
    assert failure({"success": False, "error": LAST}, "") == "it gives no reason"
    assert failure({"success": True}, "") == ""


def test_what_is_no_submissions_fault_ends_the_run():
    with pytest.raises(KeyboardInterrupt):
        failure({"success": False, "log": f"File …\nKeyboardInterrupt\n{LAST}"}, "")
    with pytest.raises(CourseError, match="^The gradebook /a/g.db is in use by another program: close that one"):
        failure({"success": False, "log": LOCKED, "error": LAST}, "sqlite:////a/g.db")


def test_the_place_of_nbgraders_log_is_said(tmp_path):
    said = Classroom(tmp_path)._problem({"success": False, "error": "OSError: no rights"})
    assert said == f"nbgrader failed (no rights): {tmp_path / 'nbgrader.log'} says more"


@pytest.mark.parametrize(
    "said, words",
    [
        ("database is locked", "in use by another program"),
        ("file is not a database", "is damaged"),
        ("database disk image is malformed", "is damaged"),
        ("database or disk is full", "the disk is full"),
        ("no such column: grade.x", "nbgrader db upgrade"),
        ("something new", "cannot be used: something new"),
    ],
)
def test_the_trouble_with_a_gradebook_is_said_with_what_to_do(said, words):
    assert words in trouble(str(OperationalError("SELECT 1", {}, sqlite3.OperationalError(said))))


def test_an_entry_that_is_refused_is_no_trouble_with_the_gradebook():
    assert trouble("(sqlite3.IntegrityError) UNIQUE constraint failed") == ""


def test_a_damaged_gradebook_is_a_sentence_that_names_it(tmp_path):
    (tmp_path / "gradebook.db").write_text("garbage" * 100)
    said = f"^The gradebook {tmp_path}/gradebook.db is damaged"
    with pytest.raises(CourseError, match=said), Classroom(tmp_path).gradebook():
        pass


TIMES = [("2026-11-30 18:00 UTC", True), ("2026-11-30 18:00 Europe/Berlin", True), ("", True), ("soon", False)]
TIMES += [("\xff", False), ("1 " * 1_000_000, False), ("2026-11-30 18:00 /etc/localtime", False)]


@pytest.mark.parametrize("text, right", TIMES)
def test_a_time_that_nbgrader_cannot_read_is_named_by_its_file(tmp_path, text, right):
    path = tmp_path / "timestamp.txt"
    path.write_bytes(text.encode("latin-1"))
    assert (classroom.unread_time(path) == "") == right
    assert right or str(path) in classroom.unread_time(path)


def test_a_folder_whose_name_is_no_text_is_one_that_nobody_can_have(tmp_path):
    """A zip of another system's leaves bytes that are no UTF-8."""
    os.makedirs(os.fsencode(tmp_path) + b"/submitted/m\xfcller/chapter1")
    assert Classroom(tmp_path).students(1) == ["m\udcfcller"]
    assert "rename the folder" in classroom.name_problem("m\udcfcller") and not classroom.name_problem("Müller")


def test_an_empty_file_becomes_a_gradebook_whole_without_nbgraders_tools_on_the_path(tmp_path, monkeypatch):
    """nbgrader makes it with `alembic`, which stands beside Python and not on the path of who never activates .venv."""
    (tmp_path / "gradebook.db").touch()
    monkeypatch.setenv("PATH", "/nowhere")
    with Classroom(tmp_path).gradebook() as gradebook:
        assert gradebook.students == []
    with contextlib.closing(sqlite3.connect(tmp_path / "gradebook.db")) as file:
        assert file.execute("SELECT version_num FROM alembic_version").fetchall()


def test_one_run_at_a_time_grades_a_class(tmp_path):
    room = Classroom(tmp_path)
    with room.alone(), pytest.raises(CourseError, match="is being graded by another run: wait"), room.alone():
        pass
    with room.alone():
        pass


@pytest.mark.parametrize(
    "letter", "\u3164\u115f\u1160\uffa0\u034f\u17b4\u180b\ufe0f\U000e0101\u200d\u2065\U000e0fff\u0378\u2800"
)
def test_a_name_with_a_letter_that_nobody_sees_is_refused(letter):
    assert "characters that nobody sees" in name_problem(f"ann{letter}") and "nobody sees" in name_problem(
        f"a{letter}n"
    )


@pytest.mark.parametrize(
    "name", ["René", "张伟", "علی\u200cرضا", "क्\u200dष", "O'Neill, Bo", "Zoë_12", "ada@example.org"]
)
def test_a_name_that_people_have_is_taken(name):
    assert name_problem(name) == ""
