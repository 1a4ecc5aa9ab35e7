"""What exercises are worth in a class: its own points, everywhere the same, and nothing judged anew."""

import csv
import io

import pytest

from grader.about import report
from grader.about.explain import explain
from grader.chapters import exercise_named
from grader.classroom.settings import read_settings
from grader.classroom.worth import possible, worth
from grader.errors import CourseError
from grader.verdict.assess import Result
from tests.grader.classroom.test_marks import CREW, room, said, tree  # noqa: F401

OURS = "[points.chapter1]\nmul = 5\npaths = 0\n"


def rows(room):  # noqa: F811
    with room.gradebook() as gradebook:
        return report.class_rows(room.folder, gradebook, [1])


def total(found, student):
    return sum(row.score for (who, _), row in found.items() if who == student)


def test_a_part_keeps_its_share_of_other_points():
    half = Result("neg-sub", 1.0, 2.0, "graded", {})
    assert worth(half, {}) == half
    assert (worth(half, {"neg-sub": 5}).score, worth(half, {"neg-sub": 5}).max_score) == (2.5, 5)
    assert worth(half, {"neg-sub": 0}).score == 0


def test_the_classs_points_are_in_the_gradebook_the_report_and_the_autograded_notebook(room):  # noqa: F811
    before = {(row.student, row.exercise): row for row in rows(room)}
    raised = next(name for (_, name), row in before.items() if row.score and name != "paths")  # points are drawn
    (room.folder / "course.toml").write_text(f"[points.chapter1]\n{raised} = 9\npaths = 0\n")
    lines = said(room)
    after = {(row.student, row.exercise): row for row in rows(room)}
    assert {exercise for _, exercise in set(before) - set(after)} == {"paths"}
    for (student, exercise), row in after.items():
        was = before[student, exercise]
        assert row.score == pytest.approx(was.score * 9 / was.max_score if exercise == raised else was.score)
        assert row.max_score == (9 if exercise == raised else was.max_score)
    changed = [who for who in ("ada", "bo") if total(before, who) != total(after, who)]
    assert [line.split(":")[0] for line in lines] == changed and changed
    with room.gradebook() as gradebook:
        cells = {cell.name: cell.max_score for cell in gradebook.find_notebook("one-step", "chapter1").grade_cells}
    assert cells[exercise_named(raised).graded_cell] == 9 and cells["paths-graded"] == 0
    most = sum(row.max_score for row in after.values() if row.student == "ada")
    assert most == possible(1, read_settings(room.folder).points[1])
    assert said(room) == [], "nothing has changed since"


def test_taking_them_back_gives_the_courses_points_again(room):  # noqa: F811
    before = [(row.student, row.exercise, row.score, row.max_score) for row in rows(room)]
    (room.folder / "course.toml").write_text(OURS)
    said(room)
    (room.folder / "course.toml").unlink()
    said(room)
    assert [(row.student, row.exercise, row.score, row.max_score) for row in rows(room)] == before


def test_an_exercise_that_is_left_out_is_on_no_page_and_in_no_file(room, tmp_path):  # noqa: F811
    (room.folder / "course.toml").write_text(OURS)
    said(room)
    assert room.generate_feedback("ada", 1) == ""
    summary = room.feedback("ada", 1).read_text("utf-8").partition('id="notebook"')[0]
    assert "found-paths" not in summary and "of 5 points</span>" in summary
    report.write_csv(tmp_path / "grades.csv", rows(room))
    found = {line["exercise"] for line in csv.DictReader(io.StringIO((tmp_path / "grades.csv").read_text("utf-8")))}
    assert "paths" not in found and "mul" in found


def test_the_whole_story_is_told_in_the_classs_points(room):  # noqa: F811
    (room.folder / "course.toml").write_text(OURS)
    said(room)
    told = "\n".join(explain(room, 1, "ada", "mul"))
    assert "Mul: 5 of 5 points" in told and "Mul: 5 of 5." in told
    assert "It does not count: course.toml says 0 points." in "\n".join(explain(room, 1, "ada", "paths"))


def test_only_chapters_that_count_are_reported_together(room):  # noqa: F811
    (room.folder / "course.toml").write_text("chapters = [2, 3]\n")
    with room.gradebook() as gradebook:
        assert report.class_rows(room.folder, gradebook) == []
        assert report.class_rows(room.folder, gradebook, [1]), "who asks for it gets it"


@pytest.mark.parametrize(
    "text, said_of_it",
    [
        ("[points.chapter1]\nmull = 3", "line 2: there is no exercise mull in chapter1; there is add"),
        ("[points.chapter1]\nmul = -1", "line 2: mul is a number of points, and not -1"),
        ("[points]\nmul = 1", "line 2: there is no mul; chapters are called chapter0 to"),
        ("chapters = []", "line 1: chapters is a list of chapters, such as"),
        ("\nchapters = [1, 99]", "line 2: chapters is a list of chapters"),
    ],
)
def test_what_cannot_be_is_refused_with_the_line(tmp_path, text, said_of_it):
    (tmp_path / "course.toml").write_text(text)
    with pytest.raises(CourseError, match=said_of_it):
        read_settings(tmp_path)
