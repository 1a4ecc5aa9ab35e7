"""Zips as learning management systems make them, and as nobody should."""

import io
import unicodedata
import warnings
import zipfile

import pytest
from typer.testing import CliRunner

from grader.classroom.classroom import Classroom
from grader.classroom.collect import NotCollected, collect
from grader.classroom.lms import unpacked
from grader.cli import app
from grader.errors import CourseError
from grader.publish.course import course_root
from grader.run.submission import MOST_BYTES

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
        (["class/lovelaceada_1_2_one-step.ipynb", "class/bo_LATE_3_4_one-step.ipynb"], {"lovelaceada", "bo"}),
        (["学生/one-step.ipynb", "__MACOSX/ada/._one-step.ipynb"], {"学生"}),
        (["class/ada/one-step.ipynb", "class/bo/one-step.ipynb", "__MACOSX/class/ada/._one-step.ipynb"], {"ada", "bo"}),
        (["class/ada/one-step.ipynb", "class/bo/one-step.ipynb", "class/__MACOSX/ada/._one-step.ipynb"], {"ada", "bo"}),
        (["ada/attempt1/one-step.ipynb"], {"ada"}),
        (["Ada_1_assignsubmission_file_/mine/one-step.ipynb"], {"Ada"}),
        (["ada/one-step.ipynb", "ada/.ipynb_checkpoints/one-step-checkpoint.ipynb"], {"ada"}),
        (["Ada_1_assignsubmission_file_/one-step.ipynb", "Ada_1_assignsubmission_file_/._one-step.ipynb"], {"Ada"}),
        (
            ["Ada_1_assignsubmission_file_/one-step.ipynb", ".Bo_2_assignsubmission_file_/one-step.ipynb"],
            {"Ada", "_Bo"},
        ),
        ([unicodedata.normalize("NFD", "René_1_assignsubmission_file_/one-step.ipynb")], {"Ren\u00e9"}),
    ],
)
def test_layouts(zipped, entries, students):
    got, left = found(zipped(*entries))
    assert got == dict.fromkeys(students, ["one-step.ipynb"]) and left == []


def test_what_canvas_marks_late_is_counted(zipped, tmp_path):
    names = ["lovelaceada_1_2_LATE_one-step.ipynb", "bo_LATE_3_4_one-step.ipynb", "cy_LATE_5_6_one-step.ipynb"]
    assert found(zipped(*names))[1].late == 2 and found(zipped(names[0]))[1].late == 0
    run = CliRunner().invoke(app, ["collect", str(zipped(*names)), "--classroom", str(tmp_path / "class")])
    assert "2 files are marked late by the LMS, which does not say when: here, late is what timestamp.txt" in run.output


def test_of_canvass_files_the_one_that_was_uploaded_last_counts(zipped, tmp_path):
    first, second = ("lovelaceada_1_90_one-step-3.ipynb", b"\n"), ("lovelaceada_1_100_one-step.ipynb", NOTEBOOK)
    room = Classroom(tmp_path / "room")
    with unpacked(zipped(second, first, "bo_LATE_3_4_one-step.ipynb")) as (folder, left):
        (said,) = collect(room, folder, 1, left.times)
    assert "one-step.ipynb of" in said and "left alone: one-step-3.ipynb" in said, "whatever a student has called them"
    assert (room.submitted("lovelaceada", 1) / "one-step.ipynb").read_bytes() == NOTEBOOK


@pytest.mark.parametrize(
    "names",
    [
        "Chapter 1_{}_attempt_2026-11-20-18-30-00_{}",
        "{}_1_assignsubmission_file_{}",
        "{}_11_22_{}",
    ],
    ids=["blackboard", "moodle", "canvas"],
)
def test_a_line_end_in_one_students_name_is_that_students(zipped, names):
    entries = [names.format("ada", "one-step.ipynb"), names.format("bo", "one-step.ipynb")]
    got, left = found(zipped(*entries, names.format("eve", "one-\nstep.ipynb")))
    assert set(got) == {"ada", "bo", "eve"} and got["ada"] == ["one-step.ipynb"] and left == []


@pytest.mark.parametrize("students", [["1001", "1002", "1003"], ["ada", "bob", "4711"]])
def test_a_title_of_blackboards_may_end_in_a_number(zipped, students):
    names = [f"Week_3_{who}_attempt_2026-11-20-18-30-0{i}_one-step.ipynb" for i, who in enumerate(students)]
    got, left = found(zipped(*names))
    assert set(got) == set(students)
    assert left == ["'Week_3_' was taken for the title before every student's id."]


def test_blackboards_title_is_what_all_names_begin_with(zipped):
    names = ["Chapter 1_a_smith", "Chapter 1_b_smith", "Chapter 1_smith"]
    got, left = found(zipped(*(f"{name}_attempt_2026-11-20-18-30-00_one-step.ipynb" for name in names)))
    assert set(got) == {"a_smith", "b_smith", "smith"}
    assert left == ["'Chapter 1_' was taken for the title before every student's id."]


@pytest.mark.parametrize("form", ["Ada_{}_assignsubmission_file_/one-step.ipynb", "Ada_{}_9_one-step.ipynb"])
def test_two_students_of_one_name_stay_two(zipped, form):
    got, left = found(zipped(form.format(1), form.format(2), form.format(3).replace("Ada", "Bo")))
    assert set(got) == {"Ada_1", "Ada_2", "Bo"}
    assert left == ["Ada: several students have this name; the LMS's number is in their ids."]


@pytest.mark.parametrize("turn", [1, -1])
@pytest.mark.parametrize(
    "form", ["{}_assignsubmission_file_/one-step.ipynb", "{}_assignsubmission_file_one-step.ipynb"]
)
def test_a_name_with_anothers_number_takes_nobodys_place(zipped, form, turn):
    """In whichever order: Ada Lovelace's number is 4711, and the name of 4724 says the same."""
    who = {"Ada Lovelace_4711": b"1", "Ada Lovelace_4712": b"2", "Ada Lovelace_4711_4724": b"3", "Bo_4725": b"4"}
    with unpacked(zipped(*[(form.format(name), data) for name, data in who.items()][::turn])) as (folder, left):
        got = {path.name: (path / "one-step.ipynb").read_bytes() for path in folder.iterdir()}
    assert got == {("Bo" if name == "Bo_4725" else name): data for name, data in who.items()}
    assert left == [
        "Ada Lovelace: several students have this name; the LMS's number is in their ids.",
        "Ada Lovelace_4711: another student's id would be the same; the LMS's number is in both.",
    ]


@pytest.mark.parametrize("turn", [1, -1])
@pytest.mark.parametrize("late", ["", "LATE_"])
def test_in_canvas_a_name_with_anothers_number_takes_nobodys_place(zipped, late, turn):
    """Ada Lovelace's number is 101. Eve, whose number is 104, calls herself the same, with that number."""
    names = ["lovelaceada_101_9001_one-step.ipynb", "boole_102_9002_one-step.ipynb", "van_dyke_103_9003_one-step.ipynb"]
    eve = f"lovelaceada_101_{late}104_20000_one-step.ipynb"
    got, left = found(zipped(*[*names, eve][::turn]))
    assert got.pop("lovelaceada") == got.pop("boole") == got.pop("van_dyke") == ["one-step.ipynb"]
    if late:  # its place tells the numbers that follow from those of a name
        assert got == {"lovelaceada_101": ["one-step.ipynb"]} and left == []
    else:
        assert got == {} and isinstance(left[0], NotCollected) and "can be read as another student's" in left[0]


@pytest.mark.parametrize("turn", [1, -1])
def test_in_moodle_a_name_that_says_another_file_takes_nobodys_place(zipped, turn):
    """Eve, whose number is 13, calls herself as Ada Lovelace's file is called."""
    ada = ("Ada Lovelace_11_assignsubmission_file_one-step.ipynb", b"1")
    eve = ("Ada Lovelace_11_assignsubmission_file_x_13_assignsubmission_file_one-step.ipynb", b"2")
    bo = ("Bo_12_assignsubmission_file_one-step.ipynb", b"3")
    with unpacked(zipped(*[ada, eve, bo][::turn])) as (folder, left):
        got = {path.name: [file.read_bytes() for file in path.iterdir()] for path in folder.iterdir()}
    assert got == {"Ada Lovelace": [b"1"], "Bo": [b"3"]}
    (said,) = left
    assert isinstance(said, NotCollected) and "can be read as another student's" in said


@pytest.mark.parametrize(
    "own", [".one-step.ipynb", "._one-step.ipynb", "__MACOSX/one-step.ipynb", ".ipynb_checkpoints/a.ipynb"]
)
def test_who_handed_in_what_a_program_keeps_for_itself_is_there(zipped, own):
    names = [
        f"Ada_11_assignsubmission_file_/{own}",
        "Bo_12_assignsubmission_file_/one-step.ipynb",
        f"__MACOSX/Cy_13_assignsubmission_file_/{own}",
    ]
    got, left = found(zipped(*names))
    assert got == {"Ada": [], "Bo": ["one-step.ipynb"]} and left == []


@pytest.mark.parametrize("own", [".work.zip", "__MACOSX/work.zip"])
def test_a_zip_that_a_program_keeps_for_itself_is_not_looked_into(zipped, own):
    data = zipped("one-step.ipynb").read_bytes()
    got, left = found(
        zipped((f"Ada_11_assignsubmission_file_/{own}", data), "Bo_12_assignsubmission_file_/one-step.ipynb")
    )
    assert got == {"Ada": [], "Bo": ["one-step.ipynb"]} and left == []


def test_an_unclear_name_of_canvass_says_nothing_of_the_others(zipped):
    got, left = found(zipped("ada_101_9001_a.ipynb", "ada_7_104_20000_a.ipynb", "bo_102_9002_a.ipynb"))
    assert set(got) == {"ada", "bo"} and len(left) == 1


@pytest.mark.parametrize(
    "form, file",
    [
        ("{}_102_9002_{}", "x_5_assignsubmission_file_one-step.ipynb"),
        ("{}_102_9002_{}", "x\\one-step.ipynb"),
        ("{}_102_assignsubmission_file_{}", "x\\one-step.ipynb"),
        ("HW1_{}_attempt_2026-11-20-18-30-00_{}", "x\\one-step.ipynb"),
    ],
)
def test_no_name_of_a_file_makes_another_student(zipped, form, file):
    got, left = found(
        zipped(form.format("ada", "one-step.ipynb"), form.format("bo", "one-step.ipynb"), form.format("eve", file))
    )
    assert set(got) == {"ada", "bo", "eve"}


def test_the_number_of_a_moodle_folder_is_its_last(zipped):
    names = ["Bo_4711_assignsubmission_file__4724_assignsubmission_file_", "Bo_4711_assignsubmission_file_"]
    got, left = found(zipped(*(f"{name}/one-step.ipynb" for name in names)))
    assert set(got) == {"Bo", "Bo_4711_assignsubmission_file_"} and left == []


def test_loose_notebooks_beside_the_students_are_left_alone(zipped):
    got, left = found(zipped("class/ada/a.ipynb", "class/bo/a.ipynb", "class/one-step.ipynb", "one-step.ipynb"))
    assert set(got) == {"ada", "bo"} and len(left) == 2 and "it is in no student's folder" in left[0]


@pytest.mark.parametrize(
    "entries, words",
    [
        ([], "inbox.zip holds no notebook in a student's folder: there"),
        (["ada/readme.md"], "inbox.zip holds no notebook in a student's folder: there"),
        (["one-step.ipynb"], "'one-step.ipynb': left alone, because it is in no student's folder.: there"),
        (["ada/timestamp.txt"], "No folder in .*inbox.zip holds one-step.ipynb"),
    ],
)
def test_a_zip_with_nothing_to_collect_is_named(zipped, tmp_path, entries, words):
    with pytest.raises(CourseError, match=words), unpacked(zipped(*entries)) as (folder, _):
        collect(Classroom(tmp_path / "room"), folder, 1)


@pytest.mark.parametrize(
    "name",
    [
        "../ada/one-step.ipynb",
        "/etc/ada/one-step.ipynb",
        "//tmp/minigrad-went-astray/one-step.ipynb",
        "ada/../../one-step.ipynb",
        "..\\ada\\one-step.ipynb",
        ".._1_assignsubmission_file_/one-step.ipynb",
        "1_.._attempt_2026-11-20-18-30-00_one-step.ipynb",
        ".._1_2_one-step.ipynb",
    ],
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
    assert isinstance(left[0], NotCollected)


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
        collect(room, folder, 1, left.times, times=True)
    assert left == [] and (room.submitted("ada", 1) / "one-step.ipynb").read_bytes() == newer
    assert "2026-11-21 18:30" in (room.submitted("ada", 1) / "timestamp.txt").read_text()
    assert "2026-11-19 10:00" in (room.submitted("bo", 1) / "timestamp.txt").read_text()


def test_collect_takes_what_was_unpacked(zipped, tmp_path):
    room = Classroom(tmp_path / "room")
    with unpacked(zipped("ada_1_2_one-step.ipynb", "bo_3_4_one-step-2.ipynb")) as (folder, _):
        said = collect(room, folder, 1)
    assert room.students(1) == ["ada", "bo"] and said == ["bo: one-step-2.ipynb was taken for one-step.ipynb."]
    assert (room.submitted("ada", 1) / "one-step.ipynb").read_bytes() == NOTEBOOK


def test_a_students_own_folder_may_hold_a_file_with_the_lmss_name(zipped):
    assert found(zipped("ada/lovelaceada_1_2_one-step.ipynb"))[0] == {"ada": ["lovelaceada_1_2_one-step.ipynb"]}


def test_blackboards_files_may_be_in_a_folder(zipped):
    names = [f"class/Chapter 1_{name}_attempt_2026-11-20-18-30-00_one-step.ipynb" for name in ("ada", "bo")]
    assert set(found(zipped(*names))[0]) == {"ada", "bo"}


def test_where_nothing_else_says_when_the_time_in_the_zip_does(tmp_path):
    path, room = tmp_path / "inbox.zip", Classroom(tmp_path / "room")
    with zipfile.ZipFile(path, "w") as archive:
        for name, day, mark in (("ada/1 one-step.ipynb", 21, b"\n"), ("ada/2 one-step.ipynb", 20, b"\n\n")):
            archive.writestr(zipfile.ZipInfo(name, (2026, 11, day, 8, 0, 0)), NOTEBOOK + mark)
    with unpacked(path) as (folder, _):
        collect(room, folder, 1)
    assert (room.submitted("ada", 1) / "one-step.ipynb").read_bytes() == NOTEBOOK + b"\n"


def test_a_zip_of_too_many_is_refused(zipped, monkeypatch):
    monkeypatch.setattr("grader.classroom.lms.MOST_ENTRIES", 1)
    with pytest.raises(CourseError, match="more than 1 notebooks"), unpacked(zipped("a/a.ipynb", "b/b.ipynb")):
        pass


def test_one_folder_beside_a_notebook_is_a_students_own(zipped):
    assert set(found(zipped("ada/one-step.ipynb", "ada/drafts/one-step.ipynb"))[0]) == {"ada"}


EVE = "Ada Evil_23_assignsubmission_file_"


@pytest.mark.parametrize(
    "form",
    [
        "{}_1_one-step.ipynb",
        "{}_assignsubmission_file_/one-step.ipynb",
        "C_{}_attempt_2026-11-20-18-30-00_one-step.ipynb",
        "{}/one-step.ipynb",
    ],
)
@pytest.mark.parametrize("names", [["Bo Li_21", "Cy Wu_22"], ["Bo Li_21"]])
def test_who_alone_is_in_moodles_zip_writes_nobody_elses_row(zipped, tmp_path, form, names):
    entries = [f"{EVE}/{form.format(name)}" for name in names]
    got, left = found(zipped(*entries))
    assert set(got) == {"Ada Evil"} and left == []
    room = Classroom(tmp_path / "room")
    with unpacked(zipped(*entries), room) as (folder, left):
        collect(room, folder, 1, left.times, ids=left.ids, uploads=left.uploads)
        assert room.students(1) == ["Ada Evil"] and left.uploads == {}


def test_a_folder_of_a_student_whom_the_class_knows_is_not_that_of_all(zipped, tmp_path):
    room = Classroom(tmp_path / "room")
    with unpacked(zipped("ada/one-step.ipynb", "bobo/one-step.ipynb", "cy/one-step.ipynb")) as (folder, _):
        collect(room, folder, 1)
    for entries in (["ada/bobo/one-step.ipynb"], ["ada/bobo/one-step.ipynb", "ada/cy/one-step.ipynb"]):
        with unpacked(zipped(*entries), room) as (folder, _):
            assert [path.name for path in folder.iterdir()] == ["ada"]


@pytest.mark.parametrize("inner", ["bobo", "notebooks"])
def test_one_folder_in_one_folder_is_refused(zipped, inner):
    with pytest.raises(CourseError, match=f"one folder, ada, and that holds one folder, {inner}"):
        found(zipped(f"ada/{inner}/one-step.ipynb"))


MOODLES, BLACKBOARDS, CANVASS = (
    "{}_1{n}_assignsubmission_file_/{}",
    "HW_{}_attempt_2026-11-20-18-30-0{n}_{}",
    "{}_1{n}_10{n}_{}",
)


@pytest.mark.parametrize(
    "form", [MOODLES, BLACKBOARDS, CANVASS, "{}/{}"], ids=["moodle", "blackboard", "canvas", "own"]
)
def test_who_handed_in_something_else_has_a_row(zipped, tmp_path, form):
    files = {"ada": "one-step.ipynb", "bo": "work.zip", "cy": "one-step.IPYNB", "di": "one-step.ipynb.txt"}
    files |= {"eve": "one-step.json", "fay": "one-step.py"}
    room = Classroom(tmp_path / "room")
    with unpacked(zipped(*(form.format(who, name, n=n) for n, (who, name) in enumerate(files.items())))) as (
        folder,
        left,
    ):
        said = collect(room, folder, 1, left.times)
    assert room.students(1) == sorted(files) and left == []
    missing = {who: name for who, name in files.items() if who not in ("ada", "cy")}
    assert len(said) == len(missing) + 1 and "cy: one-step.IPYNB was taken" in " ".join(said)
    for who, name in missing.items():
        assert any(s.startswith(f"{who}: one-step.ipynb is missing (found: no notebook, but {name})") for s in said)


def test_who_wrote_online_has_a_row(zipped, tmp_path):
    with unpacked(
        zipped(
            *(f"{name}_/x.ipynb" for name in ["Ada_1_assignsubmission_file"]),
            "Bo_2_assignsubmission_onlinetext_/a.html",
        )
    ) as (folder, left):
        assert {path.name for path in folder.iterdir()} == {"Ada", "Bo"} and left == []


def packed(*names, data=NOTEBOOK):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, data)
    return made.getvalue()


@pytest.mark.parametrize(
    "form", [MOODLES, BLACKBOARDS, CANVASS, "{}/{}"], ids=["moodle", "blackboard", "canvas", "own"]
)
def test_what_the_sites_button_gives_is_looked_into(zipped, tmp_path, form):
    work = packed("notebooks/chapter1/one-step.ipynb", "notebooks/chapter2/x.ipynb", "my_minigrad/core/function.py")
    ada, bo = form.format("ada", "one-step.ipynb", n=1), form.format("bo", "my-minigrad-work.zip", n=2)
    room = Classroom(tmp_path / "room")
    with unpacked(zipped(ada, (bo, work))) as (folder, left):
        collect(room, folder, 1, left.times, uploads=left.uploads)
    assert left == ["bo: one-step.ipynb was taken out of my-minigrad-work.zip."]
    assert (room.submitted("bo", 1) / "one-step.ipynb").read_bytes() == NOTEBOOK


@pytest.mark.parametrize(
    "work",
    [
        b"PK",
        packed("../../notebooks/chapter1/..\\one-step.ipynb", "notebooks/chapter1/../one.ipynb"),
        packed("one-step.ipynb", data=b"0" * (MOST_BYTES + 1)),
        packed("inner.zip", data=packed("one-step.ipynb")),
    ],
)
def test_a_zip_in_a_zip_that_holds_nothing_to_take_is_named(zipped, tmp_path, work):
    before = sorted(tmp_path.parent.rglob("*.ipynb"))
    got, left = found(zipped("ada/one-step.ipynb", ("bo/work.zip", work)))
    assert got == {"ada": ["one-step.ipynb"], "bo": ["work.zip"]} and left == []
    assert sorted(tmp_path.parent.rglob("*.ipynb")) == before


def test_canvass_number_comes_before_a_time_in_a_name_and_holds_in_later_zips(zipped, tmp_path):
    old, new, room = (
        "ada_11_101_one-step_2030-11-01-10-00.ipynb",
        "ada_11_950_one-step-1.ipynb",
        Classroom(tmp_path / "room"),
    )

    def take(*entries):
        with unpacked(zipped(*entries), room) as (folder, left):
            return collect(room, folder, 1, left.times, ids=left.ids, uploads=left.uploads)

    (said,) = take((old, NOTEBOOK), (new, NOTEBOOK + b"\n"))
    assert "ada: one-step-1.ipynb of" in said
    assert take((old, NOTEBOOK))[1:] == ["ada: left alone, because one that was handed in later is there already."]
    assert (room.submitted("ada", 1) / "one-step.ipynb").read_bytes() == NOTEBOOK + b"\n"
    assert "handed in again" in take(("ada_11_951_one-step-2.ipynb", NOTEBOOK))[-1]


MOODLES = [f"{name}_assignsubmission_file_one-step.ipynb" for name in ("Ada Lovelace_4711", "Bo Dahl_4712")]


@pytest.mark.parametrize(
    ("flat", "odd"),
    [
        (MOODLES, "Bo Dahl/Mal One_4901_assignsubmission_file_one-step.ipynb"),
        (MOODLES, "x/y/Mal One_4901_assignsubmission_file_one-step.ipynb"),
        (["ada_1_2_one-step.ipynb", "bo_3_4_one-step.ipynb"], "bo/mal_5_6_one-step.ipynb"),
        (["ada_1_2_one-step.ipynb", "bo_3_4_one-step.ipynb"], "x/y/mal_5_6_one-step.ipynb"),
    ],
)
def test_a_folder_before_the_lmss_own_name_tells_nobody(zipped, flat, odd):
    before, _ = found(zipped(*flat))
    got, left = found(zipped(*flat, odd))
    assert got == before and len(got) == 2
    assert [sentence for sentence in left if odd in sentence and "left alone" in sentence]


def test_a_notebook_that_a_browser_numbered_is_found_in_a_students_zip(zipped):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("work/one-step (1).ipynb", NOTEBOOK)
    got, left = found(zipped(("Ada_1_assignsubmission_file_/work.zip", inner.getvalue())))
    assert got == {"Ada": ["one-step (1).ipynb"]} and "was taken out of work.zip" in left[0]


def test_what_tells_nobody_in_an_lmss_zip_is_somebodys_matter(zipped):
    _, left = found(zipped("Ada_1_assignsubmission_file_/one-step.ipynb", "../one-step.ipynb"))
    assert [type(sentence) for sentence in left] == [NotCollected]


@pytest.mark.parametrize(
    "odd",
    [
        *("annlee_11_9003_x_13_1004_one-step.ipynb", "annlee_11_9003_LATE_13_1004_one-step.ipynb"),
        *("annlee_LATE_11_9003_x_LATE_13_1004_one-step.ipynb", "annlee_11_900_x_13_1004_one-step.ipynb"),
    ],
)
def test_a_name_that_holds_anothers_numbers_is_nobodys(zipped, odd):
    got, left = found(zipped("annlee_11_1001_one-step.ipynb", "bobray_12_1002_one-step.ipynb", odd))
    assert got == {"annlee": ["one-step.ipynb"], "bobray": ["one-step.ipynb"]}
    assert len(left) == 1 and isinstance(left[0], NotCollected) and "another student's" in left[0]


def test_a_date_in_a_files_name_is_no_students_number(zipped):
    got, left = found(zipped("annlee_11_1001_one-step_2026_11_20_last.ipynb", "bobray_12_1002_one-step.ipynb"))
    assert set(got) == {"annlee", "bobray"} and left == []
