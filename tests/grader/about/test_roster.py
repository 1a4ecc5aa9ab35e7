"""The LMS's own file comes back with a chapter's points in it, and nothing else changed."""

import csv
import io
import unicodedata

import pytest

from grader.about.report import Row
from grader.about.roster import fill
from grader.chapters import exercises
from grader.classroom.numbers import Told
from grader.errors import CourseError

CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Chapter 1: one step (815),Chapter 10 (816),Final Score\n"
    "    Points Possible,,,,,16,10,\n"
    '"Lovelace, Ada",4711,U1,ada@example.org,A,,9,\n'
    '"O\'Neill, Bo",4712,U2,bo,A,3,,\n'
    '"Ng, Cy",4713,U3,cy1,A,,,\n'
    '"Ng, Cy",4714,U4,cy2,B,,,\n'
)
MOODLE = (
    "First name\tSurname\tID number\tEmail address\tAssignment: chapter1 (Real)\tAssignment: chapter1 (Feedback)\n"
    "Ada\tLovelace\t1\tada@example.org\t-\t\n"
    "Bo\tO'Neill\t2\tbo@example.org\t-\t\n"
)


def rows(*students):
    return [Row(who, 1, e.name, e.max_score / 2, e.max_score, "graded", "") for who in students for e in exercises(1)]


@pytest.fixture
def file(tmp_path):
    def write(text, encoding="utf-8"):
        (tmp_path / "export.csv").write_bytes(text.encode(encoding))
        return tmp_path / "export.csv"

    return write


def table(text, comma=","):
    return list(csv.reader(io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter=comma))


# What a student may be called in the class: what Canvas writes into its zip, with its number where two have one name, a
# login, a school's id.
@pytest.mark.parametrize(
    "ada, bo, cy", [("lovelaceada", "oneillbo", "ngcy_4714"), ("ada@example.org", "bo", "cy2"), ("U1", "U2", "U4")]
)
def test_canvass_students_are_found_by_any_of_their_names(file, ada, bo, cy):
    filled = fill(file(CANVAS), rows(ada, bo, cy))
    before, after = table(CANVAS), table(filled.text)
    assert filled.column == "Chapter 1: one step (815)" and (filled.students, filled.said) == (3, [])
    assert [line[5] for line in after] == [before[0][5], "16", "8", "8", "", "8"]
    assert [line[:5] + line[6:] for line in after] == [line[:5] + line[6:] for line in before]


@pytest.mark.parametrize("ada, bo", [("Ada Lovelace", "Bo O'Neill"), ("ada@example.org", "2")])
def test_moodles_too(file, ada, bo):
    filled = fill(file(MOODLE), rows(ada, bo))
    assert [line[4] for line in table(filled.text, "\t")] == ["Assignment: chapter1 (Real)", "8", "8"]
    assert filled.text.replace("\t8\t", "\t-\t") == MOODLE


def test_who_is_not_there_or_twice_is_said(file):
    filled = fill(file(CANVAS), rows("ngcy", "nobody"))
    assert filled.students == 0 and filled.text == CANVAS
    assert filled.said == [
        "ngcy is in several lines of the file: fill it in by hand.",
        "nobody is in no line of the file: fill it in by hand.",
    ]


@pytest.mark.parametrize("there", ['"O\'Neill, Bo",4712,U2,bo,A,3,,\n', ""])
def test_a_login_that_is_anothers_name_gets_no_points(file, there):
    """Moodle's ids are names; Canvas's logins may be what their students like."""
    export = CANVAS.replace('"O\'Neill, Bo",4712,U2,bo,A,3,,\n', there) + '"Eve, Eve",4720,U9,Bo O\'Neill,A,,,\n'
    filled = fill(file(export), rows("Bo O'Neill", "lovelaceada"))
    assert filled.students == 1 and "Bo O'Neill is in no line of the file: fill it in by hand." in filled.said
    assert not [line for line in table(filled.text) if "Bo O'Neill" in line and line[5]]


def test_a_login_that_is_anothers_name_in_canvass_form_is_said(file):
    filled = fill(file(CANVAS + '"Eve, Eve",4720,U9,oneillbo,A,,,\n'), rows("oneillbo"))
    assert filled.students == 0 and filled.said == ["oneillbo is in several lines of the file: fill it in by hand."]


def test_a_login_that_is_anothers_name_turned_is_said(file):
    filled = fill(file(CANVAS + '"Eve, Eve",4720,U9,"bo,oneill",A,,,\n'), rows("bo,oneill"))
    assert filled.students == 0 and filled.said == ["bo,oneill is in several lines of the file: fill it in by hand."]


def test_a_line_that_two_claim_is_filled_in_for_neither(file):
    filled = fill(file(CANVAS), rows("bo", "oneillbo"))
    assert filled.students == 0
    assert filled.said == ["bo and oneillbo are the same line of the file: fill it in by hand."]


def test_a_line_that_an_id_tells_goes_to_nobody_else_though_the_id_is_in_several(file):
    """Eve has chosen ada's id for her name; so ada's own line is not Lovelace Ada's, either."""
    text = CANVAS.replace("ada@example.org", "ada") + "ada,4715,U5,eve,A,,,\n"
    filled = fill(file(text), rows("ada", "bo", "Lovelace Ada"))
    assert [line[5] for line in table(filled.text)[2:]] == ["", "8", "", "", ""]
    assert len(filled.said) == 2 and "ada and Lovelace Ada are the same line" in filled.said[1]


def test_what_is_not_graded_yet_keeps_the_lmss_points(file):
    open_rows = [Row("bo", 1, e.name, 0.0, e.max_score, "not graded yet", "") for e in exercises(1)]
    filled = fill(file(CANVAS), open_rows)
    assert filled.text == CANVAS and filled.said == ["bo is not graded yet: the file keeps what it has."]


def test_an_exercise_has_a_column_of_its_own_if_wanted(file):
    head, possible, ada, *_ = table(fill(file(CANVAS), rows("lovelaceada"), per_exercise=True).text)
    names = [exercise.name for exercise in exercises(1)]
    assert head[8:] == [f"chapter1 {name}" for name in names]
    assert [float(points) for points in ada[8:]] == [exercise.max_score / 2 for exercise in exercises(1)]
    assert possible[8:] == [""] * len(names)


def test_windows_files_stay_windows_files(file):
    text = "\ufeff" + CANVAS.replace("\n", "\r\n").replace(",", ";").replace("Lovelace;", "Lovelace,")
    filled = fill(file(text), rows("bo"))
    assert filled.text.startswith("\ufeffStudent;ID") and "\r\n" in filled.text and filled.students == 1


def test_points_that_differ_are_said(file):
    filled = fill(file(CANVAS.replace(",,16,", ",,100,")), rows("bo"))
    assert "counts 100 points as all of 'Chapter 1: one step (815)'; the chapter has 16" in filled.said[0]


@pytest.mark.parametrize(
    "text, column, words",
    [
        (CANVAS.replace("Chapter 10", "Chapter 1 again"), "", "not clear which column .* is chapter 1's .*--column"),
        (CANVAS.replace("Chapter 1:", "First:"), "", r"chapter 1's \(none\)"),
        (CANVAS, "Chapter 2", "no column 'Chapter 2'; it has Student, ID"),
        ("a,b\n1,2\n", "", "names no students"),
        ("", "", "names no students"),
    ],
)
def test_a_file_that_does_not_say_enough_is_refused_in_a_sentence(file, text, column, words):
    with pytest.raises(CourseError, match=words):
        fill(file(text), rows("bo"), column)


def test_a_column_can_be_named(file):
    assert fill(file(CANVAS), rows("bo"), "Final Score").column == "Final Score"


def test_a_file_that_cannot_be_read_is_a_sentence(file, tmp_path):
    with pytest.raises(CourseError, match="cannot be read"):
        fill(tmp_path / "nowhere.csv", rows("bo"))
    with pytest.raises(CourseError, match="as CSV in UTF-8"):
        fill(file("Student,ID,Ä\n", "latin-1"), rows("bo"))


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("student", ["René Roy", "renéroy"])
def test_an_accent_tells_two_students_apart_in_any_spelling(file, form, student):
    lines = unicodedata.normalize(form, "Rene\tRoy\t1\ta@x\t-\t\nRené\tRoy\t2\tb@x\t-\t\n")
    text = MOODLE.splitlines(keepends=True)[0] + lines
    for spelled in ("NFC", "NFD"):
        filled = fill(file(text), rows(unicodedata.normalize(spelled, student)))
        assert [line[4] for line in table(filled.text, "\t")[1:]] == ["-", "8"] and filled.said == []


def test_a_name_with_a_number_that_the_class_gave_is_nobodys_who_is_called_so(file):
    twice = MOODLE + "Bo\tDahl\t3\tb1@example.org\t-\t\nBo\tDahl_4712\t4\tb2@example.org\t-\t\n"
    filled = fill(file(twice), rows("Ada Lovelace", "Bo Dahl_4712"))
    assert [line[4] for line in table(filled.text, "\t")][1:] == ["8", "-", "-", "-"]
    assert filled.said == ["Bo Dahl_4712 is in no line of the file: fill it in by hand."]


def test_canvass_own_number_tells_more_than_a_name_that_was_taken_for_a_while(file):
    numbers = {Told("canvas", "lovelaceada", "4713"): "lovelaceada", Told("canvas", "oneillbo", "4712"): "oneillbo"}
    filled = fill(file(CANVAS), rows("lovelaceada", "oneillbo"), numbers=numbers)
    assert [line[5] for line in table(filled.text)][2:] == ["", "8", "8", ""] and filled.said == []


def test_of_two_of_one_name_in_moodle_neither_gets_the_line(file):
    numbers = {
        Told("chapter1", "Ada Lovelace", "14"): "Ada Lovelace",
        Told("chapter1", "Ada Lovelace", "11"): "Ada Lovelace_11",
    }
    filled = fill(file(MOODLE), rows("Ada Lovelace", "Ada Lovelace_11", "Bo O'Neill"), numbers=numbers)
    assert [line[4] for line in table(filled.text, "\t")][1:] == ["-", "8"]
    by_hand = "is in no line of the file: fill it in by hand."
    assert filled.said == [f"Ada Lovelace {by_hand}", f"Ada Lovelace_11 {by_hand}"]
