"""Zips as learning management systems make them, and as nobody should."""

import warnings
import zipfile

import pytest

from grader.classroom import Classroom
from grader.collect import collect
from grader.course import course_root
from grader.errors import CourseError
from grader.lms import unpacked
from grader.submission import MOST_BYTES

NOTEBOOK = (course_root() / "notebooks" / "chapter1" / "one-step.ipynb").read_bytes()


@pytest.fixture
def zipped(tmp_path):
    def make(*entries):
        path = tmp_path / "inbox.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for entry in entries:
                name, data = entry if isinstance(entry, tuple) else (entry, NOTEBOOK)
                archive.writestr(name, data)
        return path

    return make


def found(inbox):
    """Student → names of the notebooks, and what was left alone."""
    with unpacked(inbox) as (folder, left):
        return {path.name: sorted(f.name for f in path.rglob("*.*")) for path in folder.iterdir()}, left


@pytest.mark.parametrize(
    "entries, students",
    [
        (["ada/one-step.ipynb", "bo/one-step.ipynb", "bo/notes.txt"], {"ada", "bo"}),
        (["class/ada/one-step.ipynb", "class/bo/one-step.ipynb"], {"ada", "bo"}),
        (["ada/chapter1/one-step.ipynb", "bo/one-step.ipynb"], {"ada", "bo"}),
        (["Ada Lovelace_4711_assignsubmission_file_/one-step.ipynb"], {"Ada Lovelace"}),
        (["Ada Lovelace_4711_assignsubmission_file_one-step.ipynb"], {"Ada Lovelace"}),
        (["lovelaceada_1_2_one-step.ipynb", "bo_LATE_3_4_one-step.ipynb"], {"lovelaceada", "bo"}),
        (["学生/one-step.ipynb", "__MACOSX/ada/._one-step.ipynb"], {"学生"}),
        (["class/ada/one-step.ipynb", "class/bo/one-step.ipynb", "__MACOSX/class/ada/._one-step.ipynb"], {"ada", "bo"}),
        (["ada/one-step.ipynb", "ada/.ipynb_checkpoints/one-step-checkpoint.ipynb"], {"ada"}),
    ],
)
def test_layouts(zipped, entries, students):
    got, left = found(zipped(*entries))
    assert got == dict.fromkeys(students, ["one-step.ipynb"]) and left == []


@pytest.mark.parametrize(
    "name", ["../ada/one-step.ipynb", "/etc/ada/one-step.ipynb", "ada/../../one-step.ipynb", "..\\ada\\one-step.ipynb"]
)
def test_a_path_that_goes_astray_is_left_alone(zipped, tmp_path, name):
    before = sorted(tmp_path.parent.rglob("*.ipynb"))
    got, left = found(zipped(name, "bo/one-step.ipynb"))
    assert got == {"bo": ["one-step.ipynb"]} and len(left) == 1 and "left alone" in left[0]
    assert sorted(tmp_path.parent.rglob("*.ipynb")) == before


def test_a_link_in_a_zip_is_a_file_with_its_target_in_it(zipped):
    info = zipfile.ZipInfo("ada/one-step.ipynb")
    info.external_attr = 0o120777 << 16
    with unpacked(zipped((info, "/etc/passwd"))) as (folder, _):
        path = folder / "ada" / "one-step.ipynb"
        assert not path.is_symlink() and path.read_text() == "/etc/passwd"


def test_a_zip_bomb_is_left_alone(zipped):
    got, left = found(zipped(("ada/one-step.ipynb", b"0" * (MOST_BYTES + 1)), "bo/one-step.ipynb"))
    assert got == {"bo": ["one-step.ipynb"]} and "larger than 20 MB" in left[0]


def test_names_that_no_file_can_have_are_left_alone(zipped):
    got, left = found(zipped("x" * 300 + "/one-step.ipynb", "bo/one-step.ipynb", "bo/one-step.ipynb", "loose.ipynb"))
    assert got == {"bo": ["one-step.ipynb"]} and len(left) == 3


@pytest.mark.parametrize("data", [b"", b"PK\x05\x06", b"not a zip", NOTEBOOK])
def test_what_is_no_zip_is_said_in_a_sentence(tmp_path, data):
    (tmp_path / "inbox.zip").write_bytes(data)
    with pytest.raises(CourseError, match="cannot be read as a zip"), unpacked(tmp_path / "inbox.zip"):
        pass


def test_a_damaged_entry_is_left_alone(zipped):
    path = zipped("ada/one-step.ipynb", "bo/one-step.ipynb")
    data = bytearray(path.read_bytes())
    data[200:400] = bytes(200)
    path.write_bytes(data)
    got, left = found(path)
    assert got == {"bo": ["one-step.ipynb"]} and "cannot be read" in left[0]


def test_of_attempts_in_a_zip_the_newest_counts_and_its_time_is_kept(zipped, tmp_path):
    room, newer = Classroom(tmp_path / "room"), NOTEBOOK + b"\n"
    early, late = "ada/attempt_2026-11-20-18-30-00", "ada/attempt_2026-11-21-18-30-00"
    bo = [("bo/one-step.ipynb", NOTEBOOK), ("bo/timestamp.txt", b"2026-11-19 10:00:00 UTC")]
    entries = [(f"{early}/one-step.ipynb", NOTEBOOK), (f"{late}/one-step.ipynb", newer), *bo]
    with unpacked(zipped(*entries)) as (folder, left):
        collect(room, folder, 1)
    assert left == [] and (room.submitted("ada", 1) / "one-step.ipynb").read_bytes() == newer
    assert "2026-11-21 18:30" in (room.submitted("ada", 1) / "timestamp.txt").read_text()
    assert "2026-11-19 10:00" in (room.submitted("bo", 1) / "timestamp.txt").read_text()


def test_collect_takes_what_was_unpacked(zipped, tmp_path):
    room = Classroom(tmp_path / "room")
    with unpacked(zipped("ada_1_2_one-step.ipynb", "bo_3_4_one-step-2.ipynb")) as (folder, _):
        said = collect(room, folder, 1)
    assert room.students(1) == ["ada", "bo"] and said == ["bo: one-step-2.ipynb was taken for one-step.ipynb."]
    assert (room.submitted("ada", 1) / "one-step.ipynb").read_bytes() == NOTEBOOK
