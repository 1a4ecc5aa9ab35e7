"""A class that is graded without names: reports call students by names that are drawn, and nothing else changes."""

import json
import re
import shutil

import pytest
from typer.testing import CliRunner

from grader.classroom.names import shown_as
from grader.cli import app
from grader.errors import CourseError
from tests.grader.classroom.test_marks import CREW, room, said  # noqa: F401


def run(room, *options, command="report"):  # noqa: F811
    done = CliRunner().invoke(app, [command, "--classroom", str(room.folder), *options])
    assert done.exit_code == 0, done.output
    return done.output


def anonymous(room):  # noqa: F811
    (room.folder / "course.toml").write_text("anonymous = true\n")
    return shown_as(room.folder)


def test_the_names_are_drawn_once_and_for_all(room):  # noqa: F811
    assert shown_as(room.folder)("ada") == "ada"
    named = anonymous(room)
    assert named("ada") == anonymous(room)("ada") != named("bo")
    (room.folder / "secret").write_bytes(b"other" * 8)
    assert anonymous(room)("ada") != named("ada"), "only who has the secret can tell"


def test_no_report_names_a_student_unless_it_is_asked_to(room):  # noqa: F811
    named = anonymous(room)
    page = room.folder / "report-chapter1.html"
    for said_of in (run(room), run(room, "--long"), page.read_text("utf-8"), run(room, "--json")):
        assert named("ada") in said_of and named("bo") in said_of
        assert "ada" not in said_of.replace(str(room.folder), "") and not re.search(r'href="(?!#)', said_of)
    assert set(json.loads(run(room, "--json"))["students"]) == {named("ada"), named("bo")}
    assert "ada" in run(room, "--names")


def test_similar_names_nobody_either(room):  # noqa: F811
    """Neither in a pair, nor among those who are left out, nor by the folder that is at fault."""
    named = anonymous(room)
    shutil.copytree(room.submitted("ada", 1), room.submitted("zoe", 1))
    (room.submitted("zoe", 1) / "notes.txt").symlink_to("/etc/passwd")
    room.submitted("eve", 1).mkdir(parents=True)
    pairs = json.loads(run(room, "--json", command="similar"))
    assert {pairs["pairs"][0]["one"], pairs["pairs"][0]["other"]} == {named("ada"), named("bo")}
    for text in (json.dumps(pairs), run(room, command="similar")):
        assert f"{named('zoe')}: left out, because {named('zoe')}/chapter1/notes.txt is a link" in text
        assert not re.search(r"\b(ada|bo|zoe|eve)\b", text.replace(str(room.folder), ""))


def test_the_order_tells_nobody_either(room):  # noqa: F811
    named = anonymous(room)
    assert list(json.loads(run(room, "--json"))["students"]) == sorted(map(named, ("ada", "bo")))


def test_a_damaged_notebook_names_nobody(room):  # noqa: F811
    named = anonymous(room)
    path = room.autograded("ada", 1)
    path.chmod(0o600)
    path.write_text("{")
    for text in (run(room, "--long"), run(room, "--json")):
        assert "damaged" in text and named("ada") in text
        assert "ada" not in text.replace(str(room.folder), "")


def test_a_student_is_found_by_either_name(room):  # noqa: F811
    named = anonymous(room)
    assert named("bo") not in run(room, "--student", named("ada"))
    assert named("ada") in run(room, "--student", "ada")


def test_files_that_bring_points_back_keep_ids(room):  # noqa: F811
    anonymous(room)
    run(room, "--format", "moodle")
    assert "ada" in (room.folder / "grades.csv").read_text("utf-8")
    assert "ada" in (room.folder / "moodle-chapter1.csv").read_text("utf-8")


def test_who_has_a_drawn_name_is_explained_marked_and_extended_by_it_and_not_named(room):  # noqa: F811
    ada = anonymous(room)("ada")
    for said_of in (
        run(room, "--student", ada, "--exercise", "mul", "--unsafe", command="explain"),
        run(room, ada, "--exercise", "mul", "--points", "1", command="mark"),
        run(room, ada, "--until", "2026-12-02 18:00 UTC", command="extend"),
    ):
        assert not re.search(r"\bada\b", said_of.replace(str(room.folder), ""))
    assert "ada = 2026-12-02T18:00:00Z" in (room.folder / "course.toml").read_text()
    assert f"{ada} has 1 point for mul, given by hand" in run(
        room, ada, "--exercise", "mul", "--points", "1", command="mark"
    )
    asked = ["explain", "--classroom", str(room.folder), "--student", ada, "--unsafe"]
    (room.submitted("ada", 1) / "one-step.ipynb").write_text("{")
    for more, words in ((), f"What {ada} handed in cannot be read"), (("--chapter", "2"), f"chapter 2 by {ada} in"):
        with pytest.raises(CourseError, match=words):
            CliRunner().invoke(app, [*asked, *more], catch_exceptions=False)
