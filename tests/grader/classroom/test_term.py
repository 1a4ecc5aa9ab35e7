"""A term as it was rehearsed once: each stumble of then is a row, with the tests that keep it from coming back.

What no other test holds is here; a backup, too, and what its page says of it.
"""

import ast
import re
import shutil
from pathlib import Path

import pytest

from grader import classroom, deploy
from grader.about.report import Row
from grader.about.roster import fill
from grader.classroom.classroom import Classroom
from grader.classroom.collect import collect
from grader.classroom.lms import unpacked
from grader.classroom.marks import marks
from tests.grader.classroom.test_lms import zipped  # noqa: F401
from tests.grader.classroom.test_marks import room, said, tree  # noqa: F401

TESTS = Path(__file__).resolve().parents[2]
HUB = "hub/test_week.py::test_a_week"
WALLS = "hub/test_week.py::test_a_student_reads_and_changes_nothing_that_is_not_theirs"
ROWS = {
    "1 wrong marks after a deadline was moved": (
        "grader/classroom/test_settled.py::test_a_run_after_any_moves_gives_the_marks_of_a_new_class",
        "grader/classroom/test_dates.py::test_settings_that_move_give_the_marks_of_a_new_class",
        "grader/classroom/test_dates.py::test_a_line_that_is_taken_out_takes_back_what_it_did",
        "grader/classroom/test_edition.py::test_a_release_that_is_mended_counts_after_an_upgrade",
        "grader/classroom/test_marks.py::test_it_is_said_what_has_moved",
    ),
    "2 a bundle that its students may not read": (
        "grader/publish/test_bundle.py::test_everybody_may_read_what_an_administrator_unpacks",
    ),
    "3 a bundle that pip does not install": ("grader/publish/test_bundle.py::test_it_can_be_installed_as_it_is",),
    "4 formgrader does not find the course on a hub": (
        "grader/deploy/test_deploy.py::test_both_kinds_of_server_use_one_exchange",
        HUB,
    ),
    "5 other accounts read the class": (
        "grader/classroom/test_term.py::test_a_class_is_its_owners_alone_whichever_command_makes_it",
        WALLS,
    ),
    "6 my_minigrad lands in the chapter's folder": (
        "grader/deploy/test_deploy.py::test_a_student_gets_the_students_environment_and_the_instructor_the_courses",
        HUB,
    ),
    "7 a second hand-in needs --update": (
        "grader/classroom/test_term.py::test_the_pages_collect_a_second_hand_in",
        HUB,
    ),
    "8 points in two places": (
        "grader/classroom/test_worth.py::test_the_classs_points_are_in_the_gradebook_the_report_and_the_autograded_notebook",
    ),
    "9 an exercise that is dropped": (
        "grader/classroom/test_worth.py::test_an_exercise_that_is_left_out_is_on_no_page_and_in_no_file",
        "grader/publish/test_database.py::test_a_chapter_gains_and_loses_cells_in_a_class_that_has_submissions",
    ),
    "10 an exercise of one's own": (
        "grader/publish/test_own.py::test_it_is_built_released_handed_in_and_graded",
        "grader/publish/test_own.py::test_what_is_demanded_is_said_in_sentences",
        "grader/publish/test_own.py::test_the_documented_declaration_is_one",
        "grader/publish/test_own.py::test_the_documented_script_lacks_nothing",
        "grader/classroom/test_edition.py::test_an_exercise_that_students_did_not_get_does_not_count",
        "grader/classroom/test_edition.py::test_a_classs_own_chapter_is_part_of_its_grader",
    ),
    "11 the LMS does not find its students again": (
        "grader/about/test_roster.py::test_canvass_students_are_found_by_any_of_their_names",
        "grader/about/test_roster.py::test_moodles_too",
        "grader/classroom/test_term.py::test_what_canvas_calls_two_of_one_name_is_what_its_own_file_is_filled_by",
    ),
    "12 a resubmission lost to the original": (
        "grader/classroom/test_collect.py::test_of_canvass_attempts_of_the_same_time_the_last_number_counts",
        "grader/classroom/test_lms.py::test_of_canvass_files_the_one_that_was_uploaded_last_counts",
    ),
}


@pytest.mark.parametrize("row", ROWS)
def test_each_row_is_held_by_tests_that_are_there(row):
    for test in ROWS[row]:
        file, name = test.split("::")
        functions = (node for node in ast.parse((TESTS / file).read_text("utf-8")).body if hasattr(node, "name"))
        assert name in {function.name for function in functions}, test


def test_a_class_is_its_owners_alone_whichever_command_makes_it(tmp_path, zipped):  # noqa: F811
    Classroom(tmp_path / "released").make_folder()
    collected = Classroom(tmp_path / "collected")
    collected.make_folder()
    with unpacked(zipped("lovelaceada_1_2_one-step.ipynb")) as (folder, left):
        collect(collected, folder, 1, left.times)
    for name in ("released", "collected"):
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o700


def test_the_pages_collect_a_second_hand_in():
    for page in (Path(classroom.__file__).parent / "TEACHING.md", Path(deploy.__file__).parent / "HUB.md"):
        assert set(re.findall(r"nbgrader\s+collect\s+chapter\d(.{9})", page.read_text("utf-8"))) == {" --update"}


def test_a_class_that_was_lost_and_put_back_has_its_marks_and_nothing_to_judge(room, tmp_path):  # noqa: F811
    (room.folder / "course.toml").write_text("[due]\nchapter1 = 2026-11-30T18:00:00Z\n[late]\nper_day = 0.25\n")
    said(room)
    before, files = marks(room, 1), tree(room)
    shutil.copytree(room.folder, tmp_path / "backup", symlinks=True)  # with the files' times, as `cp -a`
    shutil.rmtree(room.folder)
    shutil.copytree(tmp_path / "backup", room.folder, symlinks=True)
    assert said(room) == [] and marks(room, 1) == before and tree(room) == files


@pytest.mark.parametrize("lost", ["gradebook.db", "verdicts", "autograded", "dates"])
def test_what_can_be_made_again_is_made_again(room, lost):  # noqa: F811
    (room.folder / "course.toml").write_text("[due]\nchapter1 = 2026-11-30T18:00:00Z\n[late]\nper_day = 0.25\n")
    said(room)
    before, path = marks(room, 1), room.folder / lost
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    said(room)
    assert marks(room, 1) == before


def test_what_canvas_calls_two_of_one_name_is_what_its_own_file_is_filled_by(tmp_path, zipped):  # noqa: F811
    collected = Classroom(tmp_path / "class")
    with unpacked(zipped("weili_7_70_one-step.ipynb", "weili_8_80_one-step.ipynb")) as (folder, left):
        collect(collected, folder, 1, left.times)
    rows = [Row(who, 1, "mul", float(who[-1]), 10.0, "graded", "") for who in collected.students(1)]
    export = "Student,ID,SIS Login ID,Chapter 1 (55)\n    Points Possible,,,10\n"
    (tmp_path / "canvas.csv").write_text(export + '"Wei, Li",7,lw1,\n"Wei, Li",8,lw2,\n')
    filled = fill(tmp_path / "canvas.csv", rows)
    assert filled.said == [] and filled.text.splitlines()[2:] == ['"Wei, Li",7,lw1,7', '"Wei, Li",8,lw2,8']
