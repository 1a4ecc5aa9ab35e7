"""Two students of one name stay two, and keep their ids, in whichever order their zips come."""

import itertools
import json
import random
import zipfile

import pytest
from typer.testing import CliRunner

from grader.classroom.classroom import Classroom
from grader.classroom.forget import forget
from grader.classroom.numbers import FILE, Told, ids_of
from grader.cli import app
from grader.errors import CourseError
from grader.publish.course import notebook_name

MOODLE = "{name}_{number}_assignsubmission_file_/{file}"
MOODLE_FILES = "{name}_{number}_assignsubmission_file_{file}"
CANVAS = "{name}_{number}_{upload}_{file}"
FORMS = pytest.mark.parametrize("form", [MOODLE, MOODLE_FILES, CANVAS], ids=["moodle", "moodle-files", "canvas"])
ADA, OTHER, BO = ("Ada Lovelace", 4711), ("Ada Lovelace", 4712), ("Bo", 4713)


@pytest.fixture
def take(tmp_path):
    """Collect a zip of those who are named, each with work that says whose it is; returns what is printed."""
    uploads = itertools.count(9000)

    def collected(form, students, chapter=1, room="room", mark=""):
        with zipfile.ZipFile(tmp_path / "inbox.zip", "w") as archive:
            for name, number in students:
                entry = form.format(name=name, number=number, upload=next(uploads), file=notebook_name(chapter))
                archive.writestr(entry, f"{name} {number}{mark}")
        command = ["collect", str(tmp_path / "inbox.zip"), "--classroom", str(tmp_path / room)]
        run = CliRunner().invoke(app, [*command, "--chapter", str(chapter)], catch_exceptions=False)
        assert run.exit_code == 0, run.output
        return " ".join(run.output.split())

    return collected


def work(folder, chapter=1):
    """Id → whose work lies there."""
    return {path.parts[-3]: path.read_text() for path in folder.glob(f"submitted/*/chapter{chapter}/*.ipynb")}


@FORMS
def test_another_number_is_another_student(take, tmp_path, form):
    take(form, [ADA, BO])
    said = take(form, [OTHER])
    assert "Ada Lovelace has another number in the LMS than 4712, who is Ada Lovelace_4712. If they are one" in said
    ids = {"Ada Lovelace": "Ada Lovelace 4711", "Ada Lovelace_4712": "Ada Lovelace 4712", "Bo": "Bo 4713"}
    assert "handed in again" not in said and work(tmp_path / "room") == ids
    for zipped in ([ADA], [OTHER], [ADA, OTHER, BO]):
        assert "If they are one" not in take(form, zipped), "it is said once"
    assert work(tmp_path / "room") == ids and not (tmp_path / "room" / "earlier").exists()


@FORMS
def test_who_was_given_an_id_with_a_number_keeps_it(take, tmp_path, form):
    assert "Ada Lovelace: several students have this name" in take(form, [ADA, OTHER])
    assert "handed in again" in take(form, [OTHER], mark=", again")
    assert work(tmp_path / "room") == {
        "Ada Lovelace_4711": "Ada Lovelace 4711",
        "Ada Lovelace_4712": "Ada Lovelace 4712, again",
    }


@FORMS
@pytest.mark.parametrize("seed", range(4))
def test_in_whichever_zips_and_order_each_has_one_place(take, tmp_path, form, seed):
    """Names that end in others' numbers are among them where the LMS's form tells where a name ends."""
    draw = random.Random(seed)
    names = ["Ada", "Bo"] if form == CANVAS else ["Ada", "Ada_1", "Ada_1_1", "Ada_3_1", "Bo"]
    students = list(zip(draw.choices(names, k=6), draw.sample(range(1, 9), 6), strict=True))
    zips = [draw.sample(students, draw.randrange(1, 6)) for _ in range(2)]
    for room, order in (("forth", zips), ("back", zips[::-1])):
        for zipped in (*order, *order):
            take(form, zipped, room=room)
        assert sorted(work(tmp_path / room).values()) == sorted({f"{n} {number}" for one in zips for n, number in one})
        assert not (tmp_path / room / "earlier").exists()


@pytest.mark.parametrize("seed", range(200))
def test_no_two_have_one_id_and_nobody_gets_another(seed):
    draw = random.Random(seed)
    names, numbers = ["a", "a_1", "a_1_1", "a_2", "b"], "123"
    known = {}
    for _ in range(4):
        told = {Told("canvas", draw.choice(names), draw.choice(numbers)) for _ in range(draw.randrange(1, 6))}
        before, ids = known, ids_of(told, known)
        known = known | ids
        assert all(known[one] == student for one, student in before.items())
        assert len(set(known.values())) == len(known)


def test_canvass_numbers_are_a_students_and_moodles_an_assignments(take, tmp_path):
    """Where nobody shares a name, each has one id in all chapters, and nothing is said."""
    take(CANVAS, [("lovelaceada", 101)])
    take(CANVAS, [("lovelaceada", 103)], chapter=2)
    assert work(tmp_path / "room", 2) == {"lovelaceada_103": "lovelaceada 103"}
    take(MOODLE, [ADA, BO], room="moodle")
    assert take(MOODLE, [OTHER, ("Bo", 4714)], chapter=2, room="moodle").startswith("2 submissions of chapter 2 are in")
    assert set(work(tmp_path / "moodle", 2)) == {"Ada Lovelace", "Bo"}


def test_in_another_chapter_a_name_takes_nobodys_id(take, tmp_path):
    take(MOODLE, [ADA, OTHER])
    take(MOODLE, [("Ada Lovelace_4712", 5001)], chapter=2)
    assert set(work(tmp_path / "room", 2)) == {"Ada Lovelace_4712_5001"}


def test_a_class_that_remembers_nothing_is_collected_as_before(take, tmp_path):
    take(MOODLE, [ADA])
    (tmp_path / "room" / FILE).unlink()
    assert "handed in again" in take(MOODLE, [OTHER])
    assert work(tmp_path / "room") == {"Ada Lovelace": "Ada Lovelace 4712"}


def test_a_zip_of_another_chapter_is_not_remembered(take, tmp_path):
    take(MOODLE, [ADA])
    before = (tmp_path / "room" / FILE).read_bytes()
    with zipfile.ZipFile(tmp_path / "inbox.zip", "w") as archive:
        archive.writestr("Ada Lovelace_5001_assignsubmission_file_/other.ipynb", "{}")
    run = CliRunner().invoke(app, ["collect", str(tmp_path / "inbox.zip"), "--classroom", str(tmp_path / "room")])
    assert isinstance(run.exception, CourseError) and (tmp_path / "room" / FILE).read_bytes() == before


def test_who_is_forgotten_is_not_remembered(take, tmp_path):
    take(MOODLE, [ADA, BO])
    forget(Classroom(tmp_path / "room"), "Ada Lovelace")
    assert json.loads((tmp_path / "room" / FILE).read_text()) == [["chapter1", "Bo", "4713", "Bo"]]


@pytest.mark.parametrize("text", ["", "{", "[1]", '[["canvas", "ada"]]', "\udcff"])
def test_a_memory_that_cannot_be_read_is_said(take, tmp_path, text):
    take(MOODLE, [ADA])
    (tmp_path / "room" / FILE).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(CourseError, match="cannot be read .*put it back from a backup"):
        take(MOODLE, [OTHER])
    assert work(tmp_path / "room") == {"Ada Lovelace": "Ada Lovelace 4711"}


@pytest.mark.parametrize("command", [["forget", "--yes"], ["forget"]])
def test_who_has_the_same_name_is_said(take, tmp_path, command):
    take(MOODLE, [ADA, BO])
    take(MOODLE, [OTHER])
    folder = ["--classroom", str(tmp_path / "room")]
    run = CliRunner().invoke(app, [*command, "Ada Lovelace", *folder], input="n\n")
    said = "Ada Lovelace is not Ada Lovelace_4712, who has the same name in the LMS."
    assert said in " ".join(run.output.split())
    assert "the same name" not in CliRunner().invoke(app, [*command, "Bo", *folder], input="n\n").output
