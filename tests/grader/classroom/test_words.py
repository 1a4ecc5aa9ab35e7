"""Counts and times in words."""

import pytest

from grader.classroom.words import counted, how_late


def test_one_is_no_plural():
    assert [counted(n, "mark") for n in (0, 1, 1.0, 1.5, 1200)] == [
        "0 marks", "1 mark", "1 mark", "1.5 marks", "1,200 marks"
    ]  # fmt: skip
    assert counted(2, "mark that counts", "marks that count") == "2 marks that count"


@pytest.mark.parametrize(
    "seconds, words", [(0, "0 min"), (1, "1 min"), (61, "2 min"), (3600, "1 h"), (3601, "1 h 1 min")]
)
def test_minutes_that_have_begun_count(seconds, words):
    assert how_late(seconds) == words
