"""Collecting: the newest attempt counts, its time is kept for nbgrader, and nothing is lost."""

import errno
import itertools
import os
import subprocess
import unicodedata
import zipfile
from pathlib import Path

import nbformat
import pytest

from grader.classroom import collect as collecting
from grader.classroom.classroom import Classroom
from grader.classroom.collect import NotCollected, collect
from grader.classroom.demo import solution_notebook
from grader.classroom.lms import unpacked
from grader.errors import CourseError
from grader.publish.course import course_root

NOTEBOOK = (course_root() / "notebooks" / "chapter1" / "one-step.ipynb").read_bytes()
DONE = nbformat.writes(solution_notebook(1)).encode()


@pytest.fixture
def room(tmp_path):
    return Classroom(tmp_path / "room")


@pytest.fixture
def hand_in(tmp_path):
    """Write a file of ada's into the inbox, with a text of its own; returns the inbox."""

    def write(name, mark=b"", at=None):
        path = tmp_path / "inbox" / "ada" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(NOTEBOOK + mark if name.endswith(".ipynb") else mark)
        if at:
            os.utime(path, (at, at))
        return tmp_path / "inbox"

    return write


def submitted(room):
    folder = room.submitted("ada", 1)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_one_attempt_is_taken_without_a_word(room, hand_in):
    inbox = hand_in("one-step.ipynb")
    assert collect(room, inbox, 1) == [] and submitted(room) == {"one-step.ipynb": NOTEBOOK}
    assert collect(room, inbox, 1) == [] and not (room.folder / "earlier").exists()


@pytest.mark.parametrize("text", ["../x", "UTC/../../x", "/etc/shadow", ":../x", ":/etc/shadow", "x" * 1000])
@pytest.mark.parametrize("times", [False, True])
def test_a_time_in_a_zone_of_the_students_own_is_their_own_matter(room, hand_in, monkeypatch, text, times):
    """Nothing parses it: what would opens the file that a zone names."""
    hand_in("one-step.ipynb")
    monkeypatch.setattr("nbgrader.utils.parse_utc", lambda text: pytest.fail(f"{text} was parsed"))
    said = collect(room, hand_in("timestamp.txt", f"2026-11-20 10:00:00 {text}".encode()), 1, times=times)
    assert len(said) == 1 and "is no time that nbgrader can read; the file's own time is taken" in said[0]
    assert "one-step.ipynb" in submitted(room)


@pytest.mark.parametrize("name", ["gradebook.db", "nbgrader_config.py", "pyproject.toml"])
def test_a_student_who_is_called_as_a_file_of_the_classs_is_one(room, hand_in, name):
    hand_in("one-step.ipynb")
    inbox = hand_in(f"../{name}/one-step.ipynb")
    assert collect(room, inbox, 1) == [] and room.submitted(name, 1).is_dir()


@pytest.mark.parametrize(
    "name", ['<img src=x onerror="alert(1)">', 'x";alert(1);"', "a\\b", "a\x1bc", "ada\u200b", "a\u202eb"]
)
def test_a_name_that_a_browser_or_terminal_would_obey_is_not_collected(room, hand_in, name):
    hand_in("one-step.ipynb")
    (said,) = collect(room, hand_in(f"../{name}/one-step.ipynb"), 1)
    assert isinstance(said, NotCollected) and "rename the folder" in said and said.isprintable()
    assert [path.name for path in (room.folder / "submitted").iterdir()] == ["ada"]


def test_of_several_attempts_the_newest_by_name_counts(room, hand_in):
    hand_in("one-step_attempt_2026-11-20-18-30-00.ipynb", b"\n")
    hand_in("one-step_attempt_2026-11-21-08-00-00.ipynb", b"\n\n")
    inbox = hand_in("one-step.ipynb", at=2e9)
    (said,) = collect(room, inbox, 1, times=True)
    assert "one-step_attempt_2026-11-21-08-00-00.ipynb of 2026-11-21 08:00 is the newest; left alone: " in said
    assert submitted(room) == {"one-step.ipynb": NOTEBOOK + b"\n\n", "timestamp.txt": b"2026-11-21 08:00:00 UTC\n"}
    assert len(list((inbox / "ada").iterdir())) == 3


def test_folders_of_attempts_are_told_apart_by_their_time(room, hand_in):
    hand_in("attempt_2026-11-20-18-30-00/one-step.ipynb", b"\n")
    inbox = hand_in("attempt_2026-11-19-18-30-00/one-step.ipynb", b"\n\n")
    (said,) = collect(room, inbox, 1)
    assert "2026-11-20 18:30 is the newest" in said and submitted(room)["one-step.ipynb"] == NOTEBOOK + b"\n"


def test_where_no_name_says_when_the_files_own_time_decides(room, hand_in):
    hand_in("one-step.ipynb", b"\n", at=1e9)
    inbox = hand_in("one-step (1).ipynb", b"\n\n", at=1.1e9)
    (said,) = collect(room, inbox, 1)
    assert "one-step (1).ipynb" in said and "left alone: one-step.ipynb" in said
    assert submitted(room) == {"one-step.ipynb": NOTEBOOK + b"\n\n"}, "a file's own time is no proof of lateness"


def test_another_notebook_beside_it_is_no_attempt(room, hand_in):
    hand_in("scratch.ipynb", at=2e9)
    assert collect(room, hand_in("one-step.ipynb", b"\n", at=1e9), 1) == []
    assert submitted(room) == {"one-step.ipynb": NOTEBOOK + b"\n"}


def test_a_notebook_under_another_name_is_known_by_its_exercises(room, hand_in):
    hand_in("scratch.ipynb").joinpath("ada", "scratch.ipynb").write_text("no notebook")
    (said,) = collect(room, hand_in("Untitled.ipynb"), 1)
    assert said == "ada: Untitled.ipynb was taken for one-step.ipynb." and submitted(room) == {
        "one-step.ipynb": NOTEBOOK
    }


def test_another_chapters_notebook_is_not_taken_for_this_ones(room, hand_in, tmp_path):
    before = tmp_path / "inbox" / "bo" / "the-graph.ipynb"
    before.parent.mkdir(parents=True)
    before.write_bytes(NOTEBOOK)
    (said,) = collect(room, hand_in("one-step.ipynb"), 3)
    assert "ada: the-graph.ipynb is missing (found: one-step.ipynb, without its exercises)" in said
    assert not any(room.submitted("ada", 3).iterdir())


@pytest.mark.parametrize(
    "files, words",
    [
        (["pyproject.toml", "tests/test.py"], "belongs to the course"),
        (["nbgrader_config.py", "tests/test.py"], "belongs to the course"),
        (["notes/todo.txt", "photos/a.png"], "No folder in .* holds one-step.ipynb"),
        (["class/ada/one-step.ipynb", "class/bo/one-step.ipynb"], "give .*class, or put the notebook directly into it"),
    ],
)
def test_a_folder_that_is_no_inbox_is_refused_and_nothing_is_made(room, tmp_path, files, words):
    for name in files:
        path = tmp_path / "folder" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(NOTEBOOK)
    with pytest.raises(CourseError, match=words):
        collect(room, tmp_path / "folder", 1)
    assert not room.folder.exists()


def test_a_student_who_is_called_like_a_chapter_stops_nobody(room, hand_in, tmp_path):
    hand_in("one-step.ipynb")
    (tmp_path / "inbox" / "chapter1").mkdir()
    (tmp_path / "inbox" / "chapter1" / "one-step.ipynb").write_bytes(NOTEBOOK)
    collect(room, tmp_path / "inbox", 1)
    assert room.students(1) == ["ada", "chapter1"]
    (tmp_path / "alone" / "chapter7").mkdir(parents=True)
    (tmp_path / "alone" / "chapter7" / "one-step.ipynb").write_bytes(NOTEBOOK)
    with pytest.raises(CourseError, match="for it holds chapter7"):
        collect(room, tmp_path / "alone", 1)
    collect(room, tmp_path / "alone", 1, ids={"chapter7 (41)": "chapter7"})
    assert "chapter7" in room.students(1)


@pytest.mark.parametrize("names", [["attempt1", "attempt2"], ["chapter1", "chapter2"], ["2026-11-20 18:30", "draft"]])
def test_one_student_with_several_attempts_is_a_class(room, hand_in, names):
    collect(room, [hand_in(f"{name}/one-step.ipynb") for name in names][0], 1)
    assert room.students(1) == ["ada"]


def test_a_student_whom_nbgrader_cannot_have_is_told_apart_from_what_was_guessed(room, hand_in, tmp_path):
    hand_in("my one-step.ipynb")
    (tmp_path / "inbox" / "b*").mkdir()
    told = {type(sentence) for sentence in collect(room, tmp_path / "inbox", 1) if "not collected" in sentence}
    assert told == {NotCollected} and room.students(1) == ["ada"]


def test_a_submission_that_was_collected_before_is_kept(room, hand_in):
    collect(room, hand_in("one-step.ipynb", b"\n"), 1)
    (said,) = collect(room, hand_in("one-step.ipynb", b"\n\n"), 1)
    (again,) = collect(room, hand_in("one-step.ipynb", b"\n\n\n"), 1)
    assert "handed in again" in said and submitted(room)["one-step.ipynb"] == NOTEBOOK + b"\n\n\n"
    kept = sorted((room.folder / "earlier").rglob("*.ipynb"))
    assert [path.read_bytes() for path in kept] == [NOTEBOOK + b"\n", NOTEBOOK + b"\n\n"]
    assert str(kept[0].parent) in said and room.students(1) == ["ada"]


def test_an_older_attempt_does_not_replace_a_newer_one(room, hand_in):
    new = hand_in("one-step_attempt_2026-11-21-08-00-00.ipynb", b"\n")
    collect(room, new, 1, times=True)
    (new / "ada" / "one-step_attempt_2026-11-21-08-00-00.ipynb").unlink()
    said = collect(room, hand_in("one-step_attempt_2026-11-20-08-00-00.ipynb"), 1, times=True)
    assert "a newer one, of 2026-11-21 08:00 UTC, is there already" in said[-1]
    assert submitted(room)["one-step.ipynb"] == NOTEBOOK + b"\n"


def test_a_folder_without_the_notebook_leaves_what_was_collected(room, hand_in, tmp_path):
    collect(room, hand_in("one-step.ipynb"), 1)
    (tmp_path / "second" / "ada").mkdir(parents=True)
    (tmp_path / "inbox" / "ada").rename(tmp_path / "second" / "bo")
    (said,) = collect(room, tmp_path / "second", 1)
    assert (
        "ada: " in said
        and "what was collected before stays" in said
        and submitted(room) == {"one-step.ipynb": NOTEBOOK}
    )


def test_nbgraders_time_stamp_comes_along(room, hand_in):
    hand_in("timestamp.txt", b"2026-11-21 03:00:00 Europe/Berlin")
    assert collect(room, hand_in("one-step.ipynb"), 1, times=True) == []
    assert submitted(room)["timestamp.txt"] == b"2026-11-21 02:00:00 UTC\n"
    assert collect(room, hand_in("one-step.ipynb"), 1) == [], "the same, collected again"


@pytest.mark.parametrize("stamp", [b"yesterday", b"\xff\xfe", b"9" * 500])
def test_a_time_that_is_none_is_said_and_left_out(room, hand_in, stamp):
    hand_in("timestamp.txt", stamp)
    (said,) = collect(room, hand_in("one-step.ipynb"), 1)
    assert "is no time" in said and submitted(room) == {"one-step.ipynb": NOTEBOOK}


def test_blackboards_zip_holds_every_attempt(room, tmp_path):
    path = tmp_path / "inbox.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for minute, mark in ((10, b"\n"), (50, b"\n\n"), (30, b"\n\n\n")):
            archive.writestr(f"Chapter 1_ada_attempt_2026-11-20-18-{minute}-00_one-step.ipynb", NOTEBOOK + mark)
    with unpacked(path) as (folder, left):
        (said,) = collect(room, folder, 1, left.times)
    assert left == [] and "2026-11-20 18:50 is the newest" in said
    assert submitted(room) == {"one-step.ipynb": NOTEBOOK + b"\n\n", "timestamp.txt": b"2026-11-20 18:50:00 UTC\n"}


def test_a_full_disk_leaves_what_was_collected(room, hand_in, monkeypatch):
    collect(room, hand_in("one-step.ipynb"), 1)
    inbox = hand_in("one-step.ipynb", b"\n")

    def half(path, data):
        with path.open("wb") as file:
            file.write(data[:100])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(Path, "write_bytes", half)
        with pytest.raises(OSError, match="No space left"):
            collect(room, inbox, 1)
    assert submitted(room) == {"one-step.ipynb": NOTEBOOK} and not list((room.folder / "earlier").rglob("*.ipynb"))
    assert not list(room.folder.rglob("*.part"))
    (said,) = collect(room, inbox, 1)
    assert "handed in again" in said and submitted(room) == {"one-step.ipynb": NOTEBOOK + b"\n"}


def test_what_was_handed_in_instead_of_a_notebook_is_named(room, hand_in, tmp_path):
    hand_in("one-step.ipynb")
    for name in ("one-step.ipynb.txt", "a.py", "b.py", "c.py"):
        path = tmp_path / "inbox" / "bo" / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    (said,) = collect(room, tmp_path / "inbox", 1)
    assert "bo: one-step.ipynb is missing (found: no notebook, but a.py, b.py, c.py, …)" in said


def test_of_two_of_the_same_time_the_one_with_the_chapters_name_counts(room, hand_in):
    for name in ("one-step (1).ipynb", "a one-step.ipynb"):
        hand_in(name, b"\n", at=1e9)
    collect(room, hand_in("one-step.ipynb", at=1e9), 1)
    assert submitted(room) == {"one-step.ipynb": NOTEBOOK}


def test_of_canvass_attempts_of_the_same_time_the_last_number_counts(room, hand_in):
    for number, name in enumerate(("one-step-2.ipynb", "one-step.ipynb", "one-step-10.ipynb", "one-step-x.ipynb")):
        hand_in(name, b"\n" * number, at=1e9)
    collect(room, hand_in("one-step-9.ipynb", b" ", at=1e9), 1)
    assert submitted(room) == {"one-step.ipynb": NOTEBOOK + b"\n\n"}


def test_a_notebook_beside_folders_of_drafts_is_one_students(room, hand_in):
    for name in ("draft/one-step.ipynb", "other/one-step.ipynb"):
        hand_in(name, b"\n", at=1e9)
    collect(room, hand_in("one-step.ipynb"), 1)
    assert room.students(1) == ["ada"] and submitted(room)["one-step.ipynb"] == NOTEBOOK


def test_a_link_is_followed_nowhere(room, hand_in, tmp_path):
    """A student's folder could name any file of the instructor's."""
    (tmp_path / "secret").write_bytes(NOTEBOOK)
    (tmp_path / "time").write_text("2026-11-21 03:00:00")
    inbox = hand_in("one-step.ipynb")
    (inbox / "ada" / "timestamp.txt").symlink_to(tmp_path / "time")
    (inbox / "bo").mkdir()
    (inbox / "bo" / "one-step.ipynb").symlink_to(tmp_path / "secret")
    (said,) = collect(room, inbox, 1)
    assert "(found: no notebook, but one-step.ipynb, a link, which is not followed)" in said
    assert not list(room.submitted("bo", 1).iterdir())
    assert submitted(room) == {"one-step.ipynb": NOTEBOOK}


def test_what_jupyter_and_a_file_manager_leave_is_nobodys(room, hand_in, tmp_path):
    hand_in(".ipynb_checkpoints/one-step-checkpoint.ipynb", b"\n", at=2e9)
    inbox = hand_in("one-step.ipynb", at=1e9)
    (inbox / ".Trash").mkdir()
    (inbox / ".Trash" / "one-step.ipynb").write_bytes(NOTEBOOK)
    assert collect(room, inbox, 1) == []
    assert room.students(1) == ["ada"] and submitted(room) == {"one-step.ipynb": NOTEBOOK}


def test_a_space_at_a_names_end_is_said(room, hand_in, tmp_path):
    (hand_in("one-step.ipynb") / "bo ").mkdir()
    (said,) = collect(room, tmp_path / "inbox", 1)
    assert isinstance(said, NotCollected) and said.startswith("'bo '") and "rename the folder" in said


@pytest.mark.parametrize(
    "name", ["one-step_attempt_2020-01-01-00-00-00.ipynb", "attempt_2020-01-01-00-00-00/one-step.ipynb"]
)
def test_a_time_that_a_student_wrote_is_not_believed(room, hand_in, name):
    hand_in("timestamp.txt", b"2020-01-01 00:00:00 UTC")
    collect(room, hand_in(name), 1)
    assert submitted(room) == {"one-step.ipynb": NOTEBOOK}


@pytest.mark.parametrize(
    "entry",
    [
        "Ada_1_assignsubmission_file_/one-step_attempt_2020-01-01-00-00-00.ipynb",
        "Ada_1_assignsubmission_file_/attempt_2020-01-01-00-00-00/one-step.ipynb",
        "ada_1_2_one-step_attempt_2020-01-01-00-00-00_x.ipynb",
        "Chapter 1_ada_attempt_2026-11-20-18-30-00_one-step_attempt_2020-01-01-00-00-00_x.ipynb",
    ],
)
def test_of_a_zips_times_the_lmss_own_is_believed(room, tmp_path, entry):
    with zipfile.ZipFile(tmp_path / "inbox.zip", "w") as archive:
        archive.writestr(entry, NOTEBOOK)
        archive.writestr("Ada_1_assignsubmission_file_/timestamp.txt", "2020-01-01 00:00:00 UTC")
    with unpacked(tmp_path / "inbox.zip") as (folder, left):
        collect(room, folder, 1, left.times)
    stamps = [path.read_text() for path in room.folder.rglob("timestamp.txt")]
    assert stamps == (["2026-11-20 18:30:00 UTC\n"] if entry.startswith("Chapter") else [])


def test_a_tree_that_nobody_can_walk_stops_nobody(room, hand_in, tmp_path):
    inbox = hand_in("one-step.ipynb")
    (inbox / "deep").mkdir()
    here = os.open(inbox / "deep", os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    os.mkfifo(inbox / "ada" / "pipe.ipynb")
    (inbox / "link").symlink_to(inbox / "ada")
    said = collect(room, inbox, 1)
    assert submitted(room) == {"one-step.ipynb": NOTEBOOK} and room.students(1) == ["ada", "deep"]
    assert any("deep: what is deeper than" in sentence for sentence in said)
    assert any("link: a link, which is not followed" in sentence for sentence in said)
    subprocess.run(["rm", "-r", inbox], check=True)  # pytest's own way is as deep as the tree


def test_a_file_that_is_too_large_is_left_out_and_said(room, hand_in):
    inbox = hand_in("one-step.ipynb")
    with open(inbox / "ada" / "my one-step.ipynb", "wb") as file:
        file.truncate(1 << 40)
    (said,) = collect(room, inbox, 1)
    assert "left out, because larger than 20 MB: my one-step.ipynb" in said
    assert submitted(room) == {"one-step.ipynb": NOTEBOOK}


def test_a_file_that_is_too_large_is_not_said_to_be_without_exercises(room, hand_in):
    inbox = hand_in("one-step.ipynb")
    (inbox / "bo").mkdir()
    with open(inbox / "bo" / "one-step.ipynb", "wb") as file:
        file.truncate(1 << 40)
    assert "bo: one-step.ipynb is missing (found: none of that size); it is not graded." in collect(room, inbox, 1)


def test_many_loose_notebooks_are_one_sentence(room, hand_in):
    inbox = hand_in("one-step.ipynb")
    for number in range(30):
        (inbox / f"{number:02}.ipynb").write_bytes(NOTEBOOK)
    (said,) = collect(room, inbox, 1)
    assert said.endswith("08.ipynb, 09.ipynb, …: left alone, because these 30 notebooks are in no student's folder.")


def test_what_is_handed_in_replaces_no_link_in_the_class(room, hand_in, tmp_path):
    (room.folder / "submitted" / "ada").mkdir(parents=True)
    (tmp_path / "mine").mkdir()
    room.submitted("ada", 1).symlink_to(tmp_path / "mine")
    (said,) = collect(room, hand_in("one-step.ipynb"), 1)
    assert (
        isinstance(said, NotCollected) and "ada/chapter1 is a link" in said and not list((tmp_path / "mine").iterdir())
    )


def test_of_large_notebooks_under_other_names_a_few_are_looked_into(tmp_path, monkeypatch):
    looked = []
    monkeypatch.setattr(collecting._Search, "_state", lambda _, path: looked.append(path.name))
    monkeypatch.setattr(collecting, "MOST_BYTES", 1000)
    for number in range(9):
        (tmp_path / f"page{number}.ipynb").write_text("x" * 300)
    said, attempts = collecting._Search(1, {}, {}, False).attempts(tmp_path)
    assert looked == ["page0.ipynb", "page1.ipynb", "page2.ipynb"] and attempts == []
    assert [isinstance(one, collecting.NotCollected) for one in said] == [True] and "6 notebooks" in said[0]


@pytest.fixture
def lay(tmp_path):
    """Write a file of ada's with these bytes; the later one is the newer. Returns the inbox."""
    times = itertools.count(1_700_000_000)

    def write(name, data):
        path = tmp_path / "inbox" / "ada" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, (at := next(times), at))
        return tmp_path / "inbox"

    return write


@pytest.mark.parametrize(
    "name",
    [
        "._one-step.ipynb",
        ".~lock.one-step.ipynb",
        ".virtual_documents/one-step.ipynb",
        ".Trash-1000/files/one-step.ipynb",
        ".ipynb_checkpoints/one-step-checkpoint.ipynb",
    ],
)
def test_what_a_program_hides_is_no_attempt(room, lay, name):
    lay("one-step.ipynb", DONE)
    assert collect(room, lay(name, NOTEBOOK), 1) == [] and submitted(room) == {"one-step.ipynb": DONE}


@pytest.mark.parametrize(
    "worse, words", [(b"", "cannot be read"), (DONE[:5000], "cannot be read"), (NOTEBOOK, "is as it was handed out")]
)
@pytest.mark.parametrize("other", ["one-step-1.ipynb", "final.ipynb", "final.IPYNB"])
def test_work_comes_before_what_is_newer_and_none(room, lay, worse, words, other):
    lay(other, DONE)
    (said,) = collect(room, lay("one-step.ipynb", worse), 1)
    assert (
        f"ada: {other} of " in said and f"is taken, because one-step.ipynb {words}; left alone: one-step.ipynb" in said
    )
    assert submitted(room) == {"one-step.ipynb": DONE}


def test_where_nothing_was_done_the_newest_counts(room, lay):
    lay("one-step.ipynb", b"")
    (said,) = collect(room, lay("one-step-1.ipynb", b"{}"), 1)
    assert "one-step-1.ipynb of" in said and "is the newest" in said and submitted(room) == {"one-step.ipynb": b"{}"}


def test_other_work_beside_that_with_the_chapters_name_is_said(room, lay):
    lay("one-step.ipynb", DONE)
    assert collect(room, lay("final.ipynb", DONE + b"\n"), 1) == [
        "ada: left alone, because another has the chapter's name: final.ipynb."
    ]
    assert submitted(room) == {"one-step.ipynb": DONE}


def test_a_time_in_one_files_name_does_not_beat_later_work(room, lay):
    lay("one-step 2023-11-01 10-00.ipynb", DONE)
    (said,) = collect(room, lay("one-step.ipynb", DONE + b"\n"), 1)
    assert "ada: one-step.ipynb of" in said and submitted(room) == {"one-step.ipynb": DONE + b"\n"}


@pytest.mark.parametrize("spellings", [("NFC", "NFD"), ("NFD", "NFC")])
def test_one_name_in_two_spellings_of_unicode_is_one_student(room, tmp_path, spellings):
    for number, form in enumerate(spellings):
        path = tmp_path / str(number) / unicodedata.normalize(form, "René Roy") / "one-step.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(DONE + b"\n" * number)
        collect(room, path.parents[1], 1)
    assert room.students(1) == [unicodedata.normalize("NFC", "René Roy")]
    assert (room.submitted(room.students(1)[0], 1) / "one-step.ipynb").read_bytes() == DONE + b"\n"


def test_of_two_folders_of_one_name_in_two_spellings_one_is_left_and_said(room, tmp_path):
    for form, data in (("NFC", DONE), ("NFD", NOTEBOOK)):
        path = tmp_path / "inbox" / unicodedata.normalize(form, "René") / "one-step.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
    (said,) = collect(room, tmp_path / "inbox", 1)
    assert isinstance(said, NotCollected) and "another spelling of Unicode" in said
    assert room.students(1) == ["René"]
    assert (room.submitted("René", 1) / "one-step.ipynb").read_bytes() == DONE  # not a newcomer's, who sorts before


def test_of_two_names_that_nobody_can_tell_apart_one_is_left_and_said(room, tmp_path):
    for name in ("Bo  Dahl", "Bo Dahl"):
        path = tmp_path / "inbox" / name / "one-step.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(DONE if name == "Bo Dahl" else NOTEBOOK)
    (said,) = collect(room, tmp_path / "inbox", 1)
    assert isinstance(said, NotCollected) and "with other spaces" in said
    assert (room.submitted("Bo Dahl", 1) / "one-step.ipynb").read_bytes() == DONE
