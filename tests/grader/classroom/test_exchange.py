"""`nbgrader collect`: whatever lies in the exchange, the others are collected, and it is said what was not."""

import os
import pwd
from datetime import UTC, datetime, timedelta

import pytest
from nbgrader.apps import NbGraderAPI
from nbgrader.utils import parse_utc

from grader.classroom import exchange
from grader.classroom.classroom import Classroom
from grader.publish.database import alembic_here
from grader.run import folders

ME = pwd.getpwuid(os.getuid()).pw_name
ANOTHER = next(one.pw_name for one in pwd.getpwall() if one.pw_uid != os.getuid())
STAYS = "is not collected and stays in the exchange, because"


def now(**before):
    return f"{datetime.now(UTC).replace(tzinfo=None) - timedelta(**before)} UTC"


@pytest.fixture
def room(tmp_path):
    room = Classroom(tmp_path / "room")
    room.make_folder()
    (tmp_path / "exchange" / "minigrad" / "inbound").mkdir(parents=True)
    (tmp_path / "exchange").chmod(0o777)
    return room


@pytest.fixture
def hand_in(room, tmp_path):
    """Put a folder into the exchange, as a student can; returns it."""

    def put(student="ada", time=None, text="ada's", stamp=None, end="x"):
        time = time or now()
        folder = tmp_path / "exchange" / "minigrad" / "inbound" / f"{student}+chapter1+{time}+{end}"
        folder.mkdir()
        (folder / "one-step.ipynb").write_text(text)
        (folder / "timestamp.txt").write_text(stamp or time)
        return folder

    return put


@pytest.fixture
def collect(room, tmp_path):
    """Collect as formgrader's button does; returns what was said."""

    def run(**options):
        config = room.config()
        config.Exchange.root, config.NbGraderAPI.log_level = str(tmp_path / "exchange"), "INFO"
        config.ExchangeCollect.update(options)
        with alembic_here():
            result = NbGraderAPI(config=config).collect("chapter1", update=True)
        assert result["success"], result
        return result["log"]

    return run


def submitted(room):
    files = (room.folder / "submitted").rglob("one-step.ipynb")
    return {path.parts[-3]: path.read_text() for path in files}


def time_of(room, student="ada"):
    return parse_utc((room.submitted(student, 1) / "timestamp.txt").read_text().strip())


def test_an_honest_hand_in_is_collected_with_its_own_time_and_once(room, hand_in, collect):
    time = now(seconds=5)
    hand_in(ME, time)
    assert STAYS not in (said := collect()) and "WARN" not in said
    assert submitted(room) == {ME: "ada's"} and time_of(room, ME) == parse_utc(time)
    assert "No newer submission" in collect()
    hand_in(ME, text="newer")
    assert "Updating" in collect() and submitted(room) == {ME: "newer"}


def link(folder):
    (folder / "one-step.ipynb").unlink()
    (folder / "one-step.ipynb").symlink_to("/etc/passwd")


def linked_folder(folder):
    (folder / "data").symlink_to("/etc")


def dangling(folder):
    folder.rename(folder.with_name("moved"))
    folder.symlink_to("nowhere")


def pipe(folder):
    os.mkfifo(folder / "pipe")


def pipe_alone(folder):
    folder.rename(folder.with_name("moved"))
    os.mkfifo(folder)


def too_large(folder):
    with (folder / "data.bin").open("wb") as file:
        file.truncate(200_000_000)


def no_time(folder):
    folder.rename(folder.with_name("grace+chapter1+notatime+zz"))


def nobody(folder):
    folder.rename(folder.with_name(folder.name.replace("grace", "")))


def stamp_is_a_folder(folder):
    (folder / "timestamp.txt").unlink()
    (folder / "timestamp.txt").mkdir()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (link, "one-step.ipynb is a link, which is not followed: ask its student to hand in again."),
        (linked_folder, "data is a link, which is not followed"),
        (dangling, "it is no folder"),
        (pipe, "pipe is no file"),
        (pipe_alone, "it is no folder"),
        (too_large, "it is too large"),
        (no_time, "its name has no time that nbgrader can read"),
        (nobody, "nbgrader takes no name with"),
        (stamp_is_a_folder, "it cannot be copied (IsADirectoryError"),
    ],
)
def test_what_is_not_fit_stays_and_the_others_are_collected(room, hand_in, collect, change, why):
    hand_in()
    change(hand_in("grace"))
    said = collect()
    assert f"{STAYS} {why}" in said and said.count(STAYS) == 1
    assert submitted(room) == {"ada": "ada's"}


def test_an_earlier_hand_in_counts_where_the_newest_is_not_fit(room, hand_in, collect):
    hand_in(time=now(seconds=30), text="the first", end="a")
    link(hand_in(end="b"))
    assert STAYS in collect() and submitted(room) == {"ada": "the first"}


def test_another_students_name_replaces_nothing(room, hand_in, collect):
    folder = hand_in(ANOTHER, text="not theirs")
    assert f"it claims to be {ANOTHER}'s, and belongs to {ME}" in collect() and submitted(room) == {}
    assert folder.is_dir()
    assert STAYS not in collect(check_owner=False) and submitted(room) == {ANOTHER: "not theirs"}


def test_where_there_is_no_such_account_it_is_collected_and_said(room, hand_in, collect):
    hand_in("ada")
    assert "this machine has no account of that name" in collect() and submitted(room) == {"ada": "ada's"}


@pytest.mark.parametrize("time", ["2020-01-01 00:00:00 UTC", "2999-01-01 00:00:00 UTC"])
def test_a_time_that_cannot_be_is_the_last_changes(room, hand_in, collect, time):
    folder = hand_in(time=time)
    said = collect()
    assert f"its name says {time}, but it was last changed at" in said
    assert time_of(room).replace(tzinfo=UTC).timestamp() == pytest.approx(folders.last_change(folder), abs=1e-3)
    assert "No newer submission" in collect()


def test_a_timestamp_that_says_another_time_than_the_name_does_not_count(room, hand_in, collect):
    time = now()
    hand_in(time=time, stamp="2020-01-01 00:00:00 UTC")
    assert "its timestamp.txt says 2020-01-01 00:00:00 UTC, and" in collect() and time_of(room) == parse_utc(time)


def test_a_timestamp_whose_zone_is_a_pipe_holds_nobody_up(room, hand_in, collect, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    hand_in(time=(time := now()), stamp=f"2020-01-01 00:00:00 {tmp_path / 'pipe'}")
    collect()
    assert time_of(room) == parse_utc(time)


def test_a_file_that_is_written_anew_in_its_place_is_a_later_hand_in(hand_in, tmp_path):
    folder = hand_in()
    while (at := (folder / "one-step.ipynb").stat().st_ctime) <= folder.stat().st_ctime:
        (folder / "one-step.ipynb").write_text("later")
    assert folders.last_change(folder) == folders.copy(folder, tmp_path / "copy", 100_000) == at


def test_what_changes_while_it_is_collected_waits(room, hand_in, collect, monkeypatch):
    """A link that takes a file's place after the look is not followed."""
    folder, copied = hand_in(), folders.copy

    def late(*arguments):
        link(folder)
        return copied(*arguments)

    monkeypatch.setattr(exchange, "copy", late)
    assert STAYS in collect() and submitted(room) == {}
    monkeypatch.setattr(exchange, "copy", lambda *arguments: copied(*arguments) + 1)
    (folder / "one-step.ipynb").unlink()
    assert "it was changed while it was collected: collect again" in collect()


def test_no_name_commands_the_terminal(room, hand_in, collect):
    hand_in("\x1bceve")
    pipe(hand_in("mal\nlory\x1bc"))
    said = collect()
    assert "\x1b" not in said and r"\x1bceve" in said and r"mal lory\x1bc" in said


def test_a_time_that_was_collected_before_and_is_none_is_said(room, hand_in, collect):
    hand_in()
    collect()
    (room.submitted("ada", 1) / "timestamp.txt").write_text("no time")
    hand_in("bo")
    said = collect()
    assert "timestamp.txt is no time: write it as 2026-11-30 18:00 UTC, or remove the file." in said
    assert set(submitted(room)) == {"ada", "bo"}
