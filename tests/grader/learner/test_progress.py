"""How far a learner is: what was right when it was last checked, and where to go on."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.learner import progress
from grader.learner.progress import Progress, note


def notebook(title, exercises, minutes="10 minutes."):
    cells = [{"source": [f"# {title}\n", "\n", f"**Time:** {minutes}"]}]
    return json.dumps({"cells": cells + [{"source": f'check("{name}")'} for name in exercises]})


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course of three chapters, in whose first one the learner is."""
    monkeypatch.setenv("MY_MINIGRAD", str(tmp_path / "my_minigrad"))
    monkeypatch.setattr(progress, "shell", lambda: None)
    for number, (title, exercises) in enumerate([("One", "ab"), ("Two", "c"), ("Ten", "de")]):
        room = tmp_path / "notebooks" / f"chapter{number if title != 'Ten' else 10}"
        room.mkdir(parents=True)
        (room / f"{title.lower()}.ipynb").write_text(notebook(title, exercises))
    monkeypatch.chdir(tmp_path / "notebooks" / "chapter0")
    return tmp_path


def told(capsys):
    progress.progress()
    return capsys.readouterr().out.splitlines()


def test_it_counts_what_was_right_and_says_where_to_go_on(course, capsys):
    note(0, "a", True)
    note(10, "d", True)
    assert told(capsys) == [
        "0 · One: ●○ 1 of 2; 10 minutes",
        "1 · Two: ○ 0 of 1; 10 minutes",
        "10 · Ten: ●○ 1 of 2; 10 minutes",
        "Go on with chapter 0 · One, exercise “b”.",
    ]


def test_what_is_not_right_any_more_is_open_again(course, capsys):
    note(0, "a", True)
    note(0, "a", False)
    assert "Go on with chapter 0 · One, exercise “a”." in told(capsys)


def test_at_the_end_it_says_so(course, capsys):
    for chapter, names in [(0, "ab"), (1, "c"), (10, "de")]:
        for name in names:
            note(chapter, name, True)
    assert told(capsys)[-1] == "All exercises are done: the engine in my_minigrad/ is yours."


def test_each_chapter_is_a_link_from_the_notebook_that_shows_it(course):
    html = Progress(tuple(progress._chapters()), frozenset()).html()
    table, _, advice = html.partition("</table>")
    assert re.findall('href="(.*?)"', table) == ["one.ipynb", "../chapter1/two.ipynb", "../chapter10/ten.ipynb"]
    assert advice == '<p><a href="one.ipynb">Go on with chapter 0 · One, exercise “a”.</a></p>'


def test_the_next_chapter_is_marked_and_under_each_title_stand_its_time_and_how_far_it_is(course):
    html = Progress(tuple(progress._chapters()), frozenset({(0, "a"), (0, "b")})).html()
    text = [re.sub(r"<[^>]+>", "", row) for row in re.findall(r"<tr>(.*?)</tr>", html.replace("<br>", " / "))]
    assert text[1:] == [
        "0One / 10 minutes · ●● 2 of 2",
        "→ 1Two (next) / 10 minutes · ○ 0 of 1",
        "10Ten / 10 minutes · ○○ 0 of 2",
    ]


@pytest.mark.parametrize("damaged", ["", "{", "[1, 2]", '[["a", 1], [0, "a"]]', '{"a": 1}', "[" * 100_000])
def test_a_damaged_file_is_no_error(course, capsys, damaged):
    note(0, "b", True)
    (course / "my_minigrad" / "progress.json").write_text(damaged)
    assert len(told(capsys)) == 4
    note(0, "b", True)
    assert "●" in told(capsys)[0]


def test_a_notebook_that_is_none_and_other_files_are_left_out(course, capsys):
    (course / "notebooks" / "chapter1" / "two.ipynb").write_text("no notebook")
    (course / "notebooks" / "chapter2").mkdir()
    (course / "notebooks" / "chapter2" / "mine.ipynb").write_text(notebook("Mine", ""))
    assert [line[0] for line in told(capsys)[:-1]] == ["0", "1"]


def test_a_folder_without_chapters_is_a_sentence(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(progress, "shell", lambda: None)
    monkeypatch.setenv("MY_MINIGRAD", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert told(capsys) == ["There is no chapter here: progress() looks at the notebooks of the folder notebooks/."]


def test_a_folder_that_cannot_be_written_to_stops_no_check(course, monkeypatch):
    (course / "my_minigrad").write_text("a file in its place")
    note(0, "a", True)


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abc"), st.booleans()), max_size=12))
def test_the_last_check_of_an_exercise_counts(tmp_path_factory, checks):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MY_MINIGRAD", str(tmp_path_factory.mktemp("mine") / "my_minigrad"))
        for check in checks:
            note(*check)
        last = {(chapter, name): right for chapter, name, right in checks}
        assert set(progress._right()) == {way for way, right in last.items() if right}
