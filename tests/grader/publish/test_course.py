"""Where the course is, and its secret."""

import errno
import os
from pathlib import Path

import pytest

from grader.errors import CourseError
from grader.publish import course
from grader.publish.course import read_secret


@pytest.fixture(autouse=True)
def no_secret_from_outside(monkeypatch):
    monkeypatch.delenv("MINIGRAD_SECRET", raising=False)


def test_a_class_has_one_secret_that_only_its_owner_reads(tmp_path):
    first = read_secret(tmp_path / "class")
    assert first == read_secret(tmp_path / "class") != read_secret(tmp_path / "other")
    assert (tmp_path / "class" / "secret").stat().st_mode & 0o077 == 0


def test_the_environments_secret_comes_first(tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGRAD_SECRET", "from outside")
    assert read_secret(tmp_path) == b"from outside" and not any(tmp_path.iterdir())


def test_an_empty_secret_is_none(tmp_path):
    (tmp_path / "secret").touch()
    with pytest.raises(CourseError, match="is empty: remove it, and the grader makes a new one"):
        read_secret(tmp_path)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_leaves_no_half_a_secret(tmp_path, monkeypatch):
    real = os.open

    def on_a_full_disk(path, *flags):
        os.close(real(path, *flags))
        return real("/dev/full", os.O_WRONLY)

    with monkeypatch.context() as patch:
        patch.setattr(course.os, "open", on_a_full_disk)
        with pytest.raises(OSError, match="No space left"):
            read_secret(tmp_path)
    assert read_secret(tmp_path)


def test_a_secret_that_cannot_be_opened_is_still_there(tmp_path, monkeypatch):
    before = read_secret(tmp_path)

    def too_many(*_):
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(course.os, "open", too_many)
        with pytest.raises(OSError, match="Too many open files"):
            read_secret(tmp_path)
    assert read_secret(tmp_path) == before
