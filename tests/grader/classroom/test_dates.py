"""Marks are those of the settings as they are now, whatever they were before."""

import random
import shutil
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest
from nbgrader.apps import NbGraderAPI

from grader.classroom.classroom import Classroom, set_due
from grader.classroom.dates import own_due_date
from grader.classroom.demo import solution_notebook
from grader.classroom.grading import Crew, autograde
from grader.publish.course import assignment, notebook_name
from tests.grader.classroom.test_gradebook_writer import drawn

CAME = {"ada": "2026-11-30 17:00 UTC", "bo": "2026-12-01 20:00 UTC", "cy": "2026-12-04 20:00 UTC", "di": ""}
CREW = Crew(lambda: ThreadPoolExecutor(1), 1, drawn)


@pytest.fixture
def make(tmp_path, empty_gradebook):
    """A class whose students handed in; its inputs are everybody's."""

    def room(name):
        room = Classroom(tmp_path / name, unsafe=True)
        room.make_folder()
        (room.folder / "secret").write_bytes(b"s" * 32)
        shutil.copy(empty_gradebook, room.folder)
        for student, when in CAME.items():
            path = room.submitted(student, 1) / notebook_name(1)
            path.parent.mkdir(parents=True)
            nbformat.write(solution_notebook(1), path)
            (path.parent / "timestamp.txt").write_text(when)
        return room

    return room


def settings(draw):
    """A `course.toml` drawn at random."""
    text = ""
    if draw.random() < 0.8:
        text += f"[due]\nchapter1 = 2026-{draw.choice(('11-29', '11-30', '12-03'))}T18:00:00Z\n"
    if draw.random() < 0.5:
        text += f"[extensions.chapter1]\n{draw.choice(list(CAME))} = 2026-12-{draw.randrange(1, 9):02}T18:00:00Z\n"
    if draw.random() < 0.5:
        text += f"[more_time]\n{draw.choice(list(CAME))} = {draw.randrange(100)}\n"
    if draw.random() < 0.7:
        text += f"[late]\nper_day = {draw.choice((0.1, 0.25, 1))}\nmost = {draw.choice((0.5, 1))}\n"
    return text


def marks(room):
    with room.gradebook() as gradebook:
        found = {}
        for student in CAME:
            one = gradebook.find_submission(assignment(1), student)
            (notebook,) = one.notebooks
            found[student] = [one.score, one.total_seconds_late, notebook.late_submission_penalty]
        return found


@pytest.mark.parametrize("seed", range(3))
def test_settings_that_move_give_the_marks_of_a_new_class(make, seed):
    draw, room = random.Random(seed), make("room")
    for number in range(3):
        text = settings(draw) if number else "[due]\nchapter1 = 2026-11-30T18:00:00Z\n"
        (room.folder / "course.toml").write_text(text)
        assert autograde(room, 1, crew=CREW) == {}
        if "[due]" in text:
            fresh = make(f"fresh{number}")
            (fresh.folder / "course.toml").write_text(text)
            assert autograde(fresh, 1, crew=CREW) == {}
            assert marks(room) == marks(fresh), text
        seen = []
        assert autograde(room, 1, crew=Crew(None, 1), told=lambda student, problem: seen.append(student)) == {}
        assert seen == list(CAME)  # nothing was left to do, or the crew that is nobody would have been asked


def test_lateness_costs_what_the_file_says_and_an_extension_gives_it_back(make):
    room = make("room")
    (room.folder / "course.toml").write_text(
        "[due]\nchapter1 = 2026-11-30T18:00:00Z\n[late]\nper_day = 0.1\nmost = 0.3\n"
    )
    assert autograde(room, 1, crew=CREW) == {}
    shares = {
        who: round((penalty or 0) / (score + (penalty or 0)), 9) for who, (score, _, penalty) in marks(room).items()
    }
    assert shares["ada"] == shares["di"] == 0 and shares["cy"] > shares["bo"] > 0
    with (room.folder / "course.toml").open("a") as file:
        file.write("[extensions.chapter1]\nbo = 2026-12-02T18:00:00Z\n")
    assert autograde(room, 1, crew=CREW) == {}
    assert marks(room)["bo"][1:] == [0, None]


def test_nbgraders_own_command_takes_the_same_off(make):
    room = make("room")
    (room.folder / "course.toml").write_text("[due]\nchapter1 = 2026-11-30T18:00:00Z\n[late]\nper_day = 0.1\n")
    assert autograde(room, 1, crew=CREW) == {}
    before = marks(room)
    assert NbGraderAPI(config=room.config()).autograde("chapter1", "bo", force=True)["success"]
    assert marks(room) == before


def test_a_line_that_is_taken_out_takes_back_what_it_did(make):
    room, fresh = make("room"), make("fresh")
    for one in (room, fresh):
        with one.gradebook() as gradebook:
            gradebook.update_or_create_assignment("chapter1", duedate="2026-11-30 18:00 UTC")
        (one.folder / "course.toml").write_text("[late]\nper_day = 0.1\n")
    lines = "[due]\nchapter1 = 2026-12-03T18:00:00Z\n[more_time]\ncy = 200\n"
    for text in (lines, lines.partition("[more_time]")[0], lines[lines.index("[more_time]") :], ""):
        (room.folder / "course.toml").write_text(f"[late]\nper_day = 0.1\n{text}")
        assert autograde(room, 1, crew=CREW) == {}
    assert autograde(fresh, 1, crew=CREW) == {}
    assert marks(room) == marks(fresh) and marks(room)["cy"][2] > 0


def test_a_due_date_of_the_gradebooks_that_is_newer_than_the_files_stays(make):
    room = make("room")
    (room.folder / "course.toml").write_text("[due]\nchapter1 = 2026-11-29T18:00:00Z\n")
    assert autograde(room, 1, crew=CREW) == {}
    set_due(room, 1, "2026-12-05 18:00 UTC")
    own_due_date(room, 1)
    (room.folder / "course.toml").unlink()
    assert autograde(room, 1, crew=CREW) == {}
    assert [found[1] for found in marks(room).values()] == [0, 0, 0, 0]


def test_a_date_that_the_gradebook_alone_has_is_left_there(make):
    room = make("room")
    assert autograde(room, 1, crew=CREW) == {}
    with room.gradebook() as gradebook:
        gradebook.update_or_create_assignment("chapter1", duedate="2026-11-30 18:00 UTC")
        gradebook.grant_extension("chapter1", "bo", days=3)
    (room.folder / "course.toml").write_text("[late]\nper_day = 0.5\n")
    assert autograde(room, 1, crew=CREW) == {}
    found = marks(room)
    assert found["bo"][1] == 0 and found["cy"][2] > 0
