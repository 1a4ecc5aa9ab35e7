"""Where the course is, and its secret."""

import errno

import pytest

from grader import course
from grader.course import read_secret
from grader.errors import CourseError


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


def test_a_full_disk_leaves_no_half_a_secret(tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(course.secrets, "token_hex", full)
        with pytest.raises(OSError, match="No space left"):
            read_secret(tmp_path)
    assert read_secret(tmp_path)
