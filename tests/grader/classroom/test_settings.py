"""`course.toml`: what it may say, and what is said of anything else."""

import textwrap
from datetime import datetime, timedelta

import pytest

from grader.classroom import settings as settings_module
from grader.classroom.settings import Settings, extend, read_settings
from grader.errors import CourseError


def test_without_the_file_a_class_is_graded_as_usual(tmp_path):
    assert read_settings(tmp_path) == Settings(follow_through=True)


def test_the_file_is_read(tmp_path):
    (tmp_path / "course.toml").write_text("# ours\nfollow_through = false\n")
    assert read_settings(tmp_path) == Settings(follow_through=False)


@pytest.mark.parametrize(
    "text, said",
    [
        ("follow_through =", "cannot be read"),
        ("points = " + "[" * 100_000, "cannot be read"),
        ("\nfollow_through = 1", "line 2: follow_through is true or false, and not 1"),
        ("# x\n\nfollow = true", "line 3: there is no setting follow; there is follow_through"),
    ],
)
def test_what_it_cannot_say_is_refused_in_a_sentence(tmp_path, text, said):
    (tmp_path / "course.toml").write_text(text)
    with pytest.raises(CourseError, match=said):
        read_settings(tmp_path)


WHOLE = """
follow_through = false

[due]
chapter1 = 2026-11-30T18:00:00+01:00
"chapter2" = "2026-12-07 18:00 UTC"

[extensions.chapter1]
ada = 2026-12-02T18:00:00Z

[more_time]
bo = 48

[late]
per_day = 0.1
most = 0.25
grace_minutes = 15
"""


def test_dates_and_what_lateness_costs_are_read(tmp_path):
    (tmp_path / "course.toml").write_text(WHOLE)
    settings = read_settings(tmp_path)
    due = datetime(2026, 11, 30, 17)
    assert settings.due == {1: due, 2: datetime(2026, 12, 7, 18)} and not settings.follow_through
    assert settings.extension(1, "ada", due) == timedelta(days=2, hours=1)
    assert settings.extension(1, "bo", due) == settings.extension(7, "bo", due) == timedelta(days=2)
    assert settings.extension(1, "cy", due) is None and settings.extension(2, "ada", due) is None
    late = [settings.late.share(hours * 3600) for hours in (0.25, 0.3, 24, 25, 1000)]
    assert late == [0.0, 0.1, 0.1, 0.2, 0.25]


def test_the_documented_file_is_read(tmp_path):
    text = textwrap.dedent(settings_module.__doc__.partition("left out:")[2])
    (tmp_path / "course.toml").write_text(text)
    found = read_settings(tmp_path)
    assert found.due[1] and found.extensions[1]["ada"] and found.more_time["bo"] and found.late.per_day


@pytest.mark.parametrize(
    "text, said",
    [
        ("[due]\nchapter1 = 2026-11-30T18:00:00Z\nchapter12 = 2026-11-30T18:00:00Z", "line 3: there is no chapter12"),
        ("[due]\n\nchapter1 = 2026-11-30", "line 3: chapter1 is a time, such as .* and not 2026-11-30"),
        ("[extensions.chapter1]\nada = true", "line 2: ada is a time"),
        ("[due]\nchapter1 = 9999-12-31T23:00:00Z", "line 2: chapter1 is a time"),
        ("[extensions]\nada = 1", "line 2: there is no ada; chapters are called chapter0 to"),
        ("due = 3", "line 1: due is a table, .due., and not 3"),
        ("[more_time]\nbo = '48'", "line 2: bo is a number of hours, and not '48'"),
        ("[late]\nper_day = 10", "line 2: per_day is a share of the points, 0 to 1, and not 10"),
        (
            "follow_through = true\n[late]\nper_week = 1",
            "line 3: there is no setting per_week in .late.; there is per_day",
        ),
    ],
)
def test_what_dates_cannot_be_is_refused_with_the_line(tmp_path, text, said):
    (tmp_path / "course.toml").write_text(text)
    with pytest.raises(CourseError, match=said):
        read_settings(tmp_path)


@pytest.mark.parametrize("student, until", [("m\udcfcller", "2026-12-01"), ("ada", "9999-12-31T23:00:00")])
def test_what_no_file_can_say_leaves_it_as_it_is(tmp_path, student, until):
    (tmp_path / "course.toml").write_text("anonymous = true\n")
    with pytest.raises(CourseError, match="yourself|is a time"):
        extend(tmp_path, 1, student, until)
    assert (tmp_path / "course.toml").read_text() == "anonymous = true\n"


def test_more_time_is_written_into_the_file_and_nothing_else_is_touched(tmp_path):
    file = tmp_path / "course.toml"
    until = datetime(2026, 12, 2, 18)
    assert extend(tmp_path, 1, "ada", "2026-12-02 18:00 UTC") == until
    extend(tmp_path, 2, 'o\'neill, "zoe"', "2026-12-02T19:00+01:00")
    file.write_text("# ours\n" + file.read_text() + "\n[late]\nper_day = 0.5  # strict\n")
    extend(tmp_path, 1, "bo", "2026-12-02 18:00")
    extend(tmp_path, 1, "ada", "2026-12-03 18:00 UTC")
    found = read_settings(tmp_path)
    assert found.extensions == {1: {"ada": until + timedelta(days=1), "bo": until}, 2: {'o\'neill, "zoe"': until}}
    assert file.read_text().startswith("# ours\n") and "per_day = 0.5  # strict" in file.read_text()


def test_more_time_until_no_time_is_a_sentence(tmp_path):
    with pytest.raises(CourseError, match="--until is a time, such as 2026-11-30T18:00:00Z"):
        extend(tmp_path, 1, "ada", "tomorrow")
    assert not list(tmp_path.iterdir())


def test_a_file_in_another_style_is_left_alone(tmp_path):
    text = "extensions = {chapter1 = {ada = 2026-12-02T18:00:00Z}}\n"
    (tmp_path / "course.toml").write_text(text)
    with pytest.raises(CourseError, match="written in another way: add `bo = 2026-12-02T18:00:00Z` to"):
        extend(tmp_path, 1, "bo", "2026-12-02 18:00 UTC")
    assert (tmp_path / "course.toml").read_text() == text
