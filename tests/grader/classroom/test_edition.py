"""A class that has begun stays with the grader, the release and the exercises that it was begun with, until it upgrades."""

import json
import shutil

import nbformat
import pytest

from grader.chapters import exercises
from grader.classroom import edition
from grader.classroom.classroom import Classroom
from grader.classroom.edition import Edition
from grader.classroom.marks import marks
from grader.errors import CourseError
from grader.publish.course import release_notebook
from grader.run import verdicts
from grader.run.submission import grade_id
from tests.grader.classroom.test_earlier import CLASS
from tests.grader.classroom.test_marks import CREW, room, said  # noqa: F401
from tests.grader.classroom.test_worth import rows


def newer(monkeypatch):
    """Another grader than the one that the class was graded with."""
    monkeypatch.setattr(edition, "grader_version", lambda chapter: "newer")


def test_a_newer_grader_changes_no_mark_of_a_class_that_has_begun(room, monkeypatch):  # noqa: F811
    before = marks(room, 1)
    newer(monkeypatch)
    assert said(room) == [] and marks(room, 1) == before
    (room.folder / "course.toml").write_text("[late]\nper_day = 0.0\n")
    assert said(room) == [] and marks(room, 1) == before, "told again, and from the verdict that was kept"


def test_an_upgrade_says_what_is_new_and_lets_it_count(room, monkeypatch):  # noqa: F811
    assert list(edition.news(room)) == [] and not edition.is_behind(room, 1) and not edition.is_behind(room, 2)
    newer(monkeypatch)
    assert edition.is_behind(room, 1)
    assert list(edition.news(room)) == ["Chapter 1: the grader has changed since; the same work can get other marks."]
    edition.upgrade(room)
    assert list(edition.news(room)) == [] and edition.edition(room, 1).grader == "newer"


def test_one_chapter_is_upgraded_alone(room, monkeypatch):  # noqa: F811
    held = json.loads((room.folder / edition.FILE).read_text("utf-8"))
    (room.folder / edition.FILE).write_text(json.dumps({"1": held["1"], "2": held["1"]}))
    newer(monkeypatch)
    assert [line.partition(":")[0] for line in edition.news(room, 1)] == ["Chapter 1"]
    edition.upgrade(room, 1)
    assert edition.edition(room, 1).grader == "newer" != edition.edition(room, 2).grader
    assert not edition.is_behind(room, 1) and edition.is_behind(room, 2)


def test_an_exercise_that_students_did_not_get_does_not_count(room, monkeypatch):  # noqa: F811
    held = json.loads((room.folder / edition.FILE).read_text("utf-8"))
    held["1"]["exercises"].remove("mul")
    (room.folder / edition.FILE).write_text(json.dumps(held))
    said(room)
    assert "mul" not in {row.exercise for row in rows(room)}
    assert "Chapter 1: mul would count, which your students' notebooks may not have." in list(edition.news(room))
    edition.upgrade(room)
    said(room)
    assert "mul" in {row.exercise for row in rows(room)}


@pytest.fixture
def typo(tmp_path, monkeypatch):
    """Mend a cell of the course's release, for as long as the test runs."""

    def mend():
        path = tmp_path / "mended.ipynb"
        notebook = release_notebook(1)
        next(cell for cell in notebook.cells if grade_id(cell) == "mul-graded").source += "  # a word more"
        nbformat.write(notebook, path)
        monkeypatch.setattr(edition, "release_path", lambda chapter: path)

    return mend


def test_a_release_that_is_mended_counts_after_an_upgrade(room, typo):  # noqa: F811
    before, cells = marks(room, 1), autograded(room)
    typo()
    (room.folder / "course.toml").write_text("[late]\nper_day = 0.0\n")
    assert said(room) == [] and marks(room, 1) == before and autograded(room) == cells
    assert list(edition.news(room)) == [
        "Chapter 1: its release has changed; the course's own cells are those of the new one."
    ]
    edition.upgrade(room)
    said(room)
    assert [cell for cell in autograded(room) if "# a word more" in cell]


def autograded(room):  # noqa: F811
    return [cell.source for cell in nbformat.read(room.autograded("ada", 1), as_version=4).cells]


def test_an_exercise_that_the_course_has_no_longer_is_said_and_no_mark_is_touched(room):  # noqa: F811
    held = json.loads((room.folder / edition.FILE).read_text("utf-8"))
    held["1"]["exercises"].append("cube")
    (room.folder / edition.FILE).write_text(json.dumps(held))
    before = marks(room, 1)
    with pytest.raises(CourseError, match="Chapter 1 of this class has cube, which the course has no longer"):
        said(room)
    assert marks(room, 1) == before
    assert list(edition.news(room)) == ["Chapter 1: cube is not in the course any more: its points would go."]


def test_a_classs_own_chapter_is_part_of_its_grader(tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGRAD_CLASSROOM", str(tmp_path))
    (tmp_path / "chapters" / "chapter10").mkdir(parents=True)
    declared = tmp_path / "chapters" / "chapter10" / "exercises.py"
    seen = []
    for text in ("EXERCISES = ()", "EXERCISES = (1,)"):
        declared.write_text(text)
        seen.append(verdicts.grader_version(10))
    assert len({*seen, verdicts.grader_version(1)}) == 3
    (tmp_path / "chapters" / "chapter10" / "toy.py").write_text("# %% [markdown]\n# # A toy\n")
    assert verdicts.grader_version(10) == seen[-1], "a notebook's text is the release's matter"


def parts(**moved):
    return Edition("", "", (), {"": "1", "exercises.py": "1", "right.py": "1", **moved})


@pytest.mark.parametrize(
    "held, now, words",
    [
        (parts(), parts(**{"exercises.py": "2"}), "exercises.py of the class's own chapter has"),
        (parts(), parts(**{"": "2"}), "the grader has"),
        (parts(), parts(**{"": "2", "right.py": "2"}), "the grader and right.py of the class's own chapter have"),
        (parts(), parts(**{"more.py": "1"}), "more.py of the class's own chapter has"),
        (Edition("", "", ()), parts(), "the grader, or a file of the class's own chapter, has"),
        (Edition("", "", ()), Edition("", "", ()), "the grader has"),
    ],
)
def test_what_has_changed_of_a_graders_parts_is_said(held, now, words):
    assert edition._changed(held, now) == words


def test_the_parts_are_the_courses_grader_and_each_file_of_an_own_chapter(tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGRAD_CLASSROOM", str(tmp_path))
    (tmp_path / "chapters" / "chapter10").mkdir(parents=True)
    (tmp_path / "chapters" / "chapter10" / "exercises.py").write_text("EXERCISES = ()")
    (tmp_path / "chapters" / "chapter10" / "toy.py").write_text("# %% [markdown]\n# # A toy\n")
    assert verdicts.grader_parts(10).keys() == {"", "exercises.py"} and verdicts.grader_parts(1) == {}
    assert verdicts.grader_parts(10)[""] == verdicts.grader_version(1)


def test_a_file_without_parts_is_read_and_its_class_is_not_behind(room):  # noqa: F811
    held = json.loads((room.folder / edition.FILE).read_text("utf-8"))
    assert held["1"].pop("parts") == {}
    (room.folder / edition.FILE).write_text(json.dumps(held))
    assert list(edition.news(room)) == [] and not edition.is_behind(room, 1)


def test_of_a_class_of_before_the_gradebook_says_what_students_got(tmp_path, monkeypatch):
    old = Classroom(shutil.copytree(CLASS, tmp_path / "class"))
    assert edition.edition(old, 1).exercises == tuple(exercise.name for exercise in exercises(1))
    assert not (old.folder / edition.FILE).exists(), "to look writes nothing"
    more = (*exercises(1), *exercises(2)[:1])
    monkeypatch.setattr(edition, "exercises", lambda chapter: more)
    assert edition.points(old, 1) == {exercises(2)[0].name: 0.0}


def test_a_damaged_file_is_a_sentence(room):  # noqa: F811
    (room.folder / edition.FILE).write_text("{")
    with pytest.raises(CourseError, match=r"edition\.json is damaged: put a copy in its place, or remove it"):
        said(room)
