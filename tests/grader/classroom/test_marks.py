"""Whose mark is another than before is said, and can be seen before it is so."""

import re
import shutil
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest

from grader.classroom.classroom import Classroom, set_due
from grader.classroom.demo import solution_notebook
from grader.classroom.grading import Crew, autograde
from grader.classroom.ledger import Ledger
from grader.classroom.marks import Mark, changes, marks
from grader.classroom.rehearse import copy_of
from grader.errors import CourseError
from grader.publish.course import notebook_name
from tests.grader.classroom.test_gradebook_writer import drawn

CREW = Crew(lambda: ThreadPoolExecutor(1), 1, drawn)
DUE = "[due]\nchapter1 = 2026-11-30T18:00:00Z\n[late]\nper_day = 0.25\n"


@pytest.fixture
def room(tmp_path, empty_gradebook):
    room = Classroom(tmp_path / "room", unsafe=True)
    room.make_folder()
    (room.folder / "secret").write_bytes(b"s" * 32)
    shutil.copy(empty_gradebook, room.folder)
    for number, student in enumerate(("ada", "bo")):
        path = room.submitted(student, 1) / notebook_name(1)
        path.parent.mkdir(parents=True)
        notebook = solution_notebook(1)
        notebook.cells.append(nbformat.v4.new_markdown_cell(student))
        nbformat.write(notebook, path)
        (path.parent / "timestamp.txt").write_text(f"2026-12-0{number + 1} 12:00 UTC")
    assert said(room) == []  # the first marks change nothing
    return room


def said(room):
    lines = []
    assert autograde(room, 1, crew=CREW, changed=lines.append) == {}
    return lines


def tree(room):
    """What lies in a class's folder, without what is kept of verdicts."""
    files = (path for path in room.folder.rglob("*") if path.is_file() and "verdicts" not in path.parts)
    return {str(path.relative_to(room.folder)): path.read_bytes() for path in files if path.name != ".grading"}


def test_a_mark_that_changes_is_said_with_both(room):
    before = marks(room, 1)
    (room.folder / "course.toml").write_text(DUE)
    points = {who: mark.points for who, mark in before.items()}
    off = {"ada": 0.25, "bo": 0.5}
    late = [
        f"{points[who] * (1 - off[who]):g} ({points[who]:g} less {points[who] * off[who]:g}, {off[who]:.0%}, {when})"
        for who, when in (("ada", "for being late by 18 h"), ("bo", "for being late by 42 h"))
    ]
    rule = "the rule: 25% of the points for each day that has begun"
    why = f"it is due at another time; lateness costs something else; {rule}"
    assert said(room) == [f"{who}: {points[who]:g}, now {words}; {why}" for who, words in zip(off, late, strict=True)]
    assert said(room) == []


def test_before_has_the_lateness_from_before_where_the_gradebooks_due_date_moves(room):
    """Where `course.toml` has no date, `release --due` writes it into the gradebook at once."""
    (room.folder / "course.toml").write_text("[late]\nper_day = 0.25\n")
    set_due(room, 1, "2026-12-01 10:00 UTC")
    said(room)
    set_due(room, 1, "2026-11-29 20:00 UTC")
    with copy_of(room, 1) as copy:
        seen = said(copy)
    assert [re.findall(r"late by ([^)]*)\)", line) for line in seen] == [["2 h", "40 h"], ["26 h", "64 h"]]
    assert said(room) == seen
    set_due(room, 1, "2026-12-04 10:00 UTC")
    assert [re.findall(r"late by ([^)]*)\)", line) for line in said(room)] == [["40 h"], ["64 h"]]


def test_a_rehearsal_says_the_same_and_writes_nothing(room):
    (room.folder / "course.toml").write_text(DUE)
    before = tree(room)
    with copy_of(room, 1) as copy:
        seen = said(copy)
    assert len(seen) == 2 and tree(room) == before
    assert said(room) == seen
    with copy_of(room, 1) as copy:
        assert said(copy) == []


def test_a_rehearsal_in_a_database_is_refused(room):
    with (
        pytest.raises(CourseError, match="--diff grades a copy of gradebook.db"),
        copy_of(Classroom(room.folder, database="postgresql://nowhere"), 1),
    ):
        pass


def test_only_what_counts_is_a_change():
    before = {"ada": Mark(4.0), "bo": Mark(4.0, 1.0, 60.0), "cy": Mark(1.0)}
    after = {"ada": Mark(4.0, 0.0, 30.0), "bo": Mark(4.0, 2.0, 60.0), "di": Mark(3.0)}
    words = "bo: 3 (4 less 1, 25%, for being late by 1 min), now 2 (4 less 2, 50%, for being late by 1 min)"
    assert list(changes(before, after, {})) == [words]
    why, rule = {"bo": ["handed in again"]}, "25% a day"
    assert list(changes(before, after, why, rule)) == [f"{words}; handed in again; the rule: 25% a day"]


def test_it_is_said_what_has_moved(room):
    path = room.submitted("ada", 1) / notebook_name(1)
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_markdown_cell("better"))
    nbformat.write(notebook, path)
    (room.folder / "course.toml").write_text("follow_through = false\n[points.chapter1]\nmul = 9\n")
    ledger = Ledger(room, 1, b"s" * 32)
    both = ["exercises are worth other points", "follow_through has changed"]
    assert why(ledger, "ada") == ["handed in again", *both] and why(ledger, "bo") == both
    said(room)
    assert why(Ledger(room, 1, b"s" * 32), "ada") == []
    (room.submitted("bo", 1) / "timestamp.txt").write_text("2026-12-03 12:00 UTC")
    assert why(Ledger(room, 1, b"s" * 32), "bo") == ["it came at another time, says its timestamp.txt"]
    (room.submitted("bo", 1) / "timestamp.txt").write_text("2026-12-02 12:00 UTC")
    assert why(Ledger(room, 1, b"t" * 32), "ada") == ["the class has another secret"]
    assert why(ledger, "nobody") == []


def why(ledger, student):
    return ledger.why(student, ledger.look(student))


def test_a_penalty_on_nothing_has_no_share():
    assert str(Mark(0.0, 1.0, 60.0)) == "0 (0 less 1, for being late by 1 min)"
