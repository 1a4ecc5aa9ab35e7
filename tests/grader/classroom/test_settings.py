"""`course.toml`: what it may say, and what is said of anything else."""

import pytest

from grader.classroom.settings import Settings, read_settings
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
        ("\nfollow_through = 1", "line 2: follow_through is true or false, and not 1"),
        ("# x\n\nfollow = true", "line 3: there is no setting follow; there is follow_through"),
    ],
)
def test_what_it_cannot_say_is_refused_in_a_sentence(tmp_path, text, said):
    (tmp_path / "course.toml").write_text(text)
    with pytest.raises(CourseError, match=said):
        read_settings(tmp_path)
