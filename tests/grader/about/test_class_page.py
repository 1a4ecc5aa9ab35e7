"""The class's page says all in words and signs, loads nothing, and nothing in it runs."""

from html.parser import HTMLParser

import pytest

from grader.about import class_page
from grader.about.report import Common, Row
from grader.about.weeks import weeks as by_week
from grader.chapters import exercises
from grader.classroom.classroom import Classroom

EVIL = "<script>alert(1)</script>"
HOW = {e.name: how for e, how in zip(exercises(1), ("waits", "not done", *["wrong"] * 9), strict=False)}


class Page(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data


@pytest.fixture
def page(tmp_path, monkeypatch):
    room, rows = Classroom(tmp_path), []
    room.feedback("ada", 1).parent.mkdir(parents=True)
    room.feedback("ada", 1).write_text("a page")
    for student in ("ada", EVIL, "cy"):
        for number, exercise in enumerate(exercises(1)):
            score = {"ada": exercise.max_score, EVIL: 0.0, "cy": number % 2}[student]
            state = "not graded" if student == "cy" and number == 3 else "graded"
            rows.append(Row(student, 1, exercise.name, score, exercise.max_score, state, f"said {EVIL}"))
    common = [Common("mul-swapped", 2, f"Your Mul {EVIL}.", ("ada", EVIL))]
    common += [Common("mul-both", 1, "Your Mul does `x * y`.", ("cy",))]
    weeks = by_week(1, common, {"ada": "2026-03-02", EVIL: "2026-03-09", "cy": ""})
    monkeypatch.setattr(class_page, "states", lambda room, student, chapter: HOW)
    path = class_page.write(tmp_path / "report-chapter1.html", room, rows, common, weeks)
    return Page(path.read_text("utf-8"))


def test_who_has_the_fewest_points_comes_first_and_every_cell_has_its_sign(page):
    students = page.text.partition("Students, fewest points first")[2]
    assert students.index(EVIL) < students.index("cy") < students.index("ada")
    assert all(sign in page.text for sign, _ in class_page.SIGNS.values())
    states = [attributes.get("class") for tag, attributes in page.tags if tag == "td"]
    assert {"is-right", "is-wrong", "is-open"} <= set(states)
    assert all(exercise.title in page.text for exercise in exercises(1))


def test_what_is_not_begun_waits_or_is_wrong_has_each_its_sign(page):
    states = [one["class"] for tag, one in page.tags if tag == "td" and "data-title" in one]
    assert states[:3] == ["is-waits", "is-not-done", "is-wrong"]


def test_what_was_found_opens_at_a_touch(page):
    buttons = [attributes for tag, attributes in page.tags if tag == "button"]
    opened = [one["popovertarget"] for one in buttons if "popovertargetaction" not in one]
    assert opened == [attributes["id"] for tag, attributes in page.tags if "popover" in attributes]
    assert len(opened) == len(set(opened)) > 0
    closed = [one["popovertarget"] for one in buttons if one.get("popovertargetaction") == "hide"]
    assert closed == opened and all(one["aria-label"] == "Close" for one in buttons if "popovertargetaction" in one)


def test_how_well_an_exercise_tells_students_apart_is_shown_where_enough_were_graded(page, tmp_path, monkeypatch):
    assert "From 5 graded students on" in page.text and "Discrimination" not in page.text
    monkeypatch.setattr(class_page, "states", lambda room, student, chapter: HOW)
    rows = [Row(f"s{n}", 1, e.name, float(n % 2), e.max_score, "graded", "") for n in range(5) for e in exercises(1)]
    shown = Page(class_page.write(tmp_path / "page.html", Classroom(tmp_path), rows, [], []).read_text("utf-8"))
    assert "Discrimination is the correlation" in shown.text


def test_who_was_not_graded_comes_last_with_the_reason_and_without_points(tmp_path, monkeypatch):
    monkeypatch.setattr(class_page, "states", lambda room, student, chapter: HOW)
    rows = [Row("ada", 1, e.name, 0.0, e.max_score, "not graded", "no notebook ('{)") for e in exercises(1)]
    rows += [Row("bo", 1, e.name, 1.0, e.max_score, "graded", "said") for e in exercises(1)]
    shown = Page(class_page.write(tmp_path / "page.html", Classroom(tmp_path), rows, [], []).read_text("utf-8"))
    assert (
        shown.text.index("bo") < shown.text.index("ada")
        and shown.text.count("no notebook") == 1
        and "('{)" not in shown.text
    )
    assert "mean of the 1 graded: 6.0 of 16." in shown.text
    assert [one["colspan"] for _, one in shown.tags if "colspan" in one] == [str(len(exercises(1)))]


def test_the_class_comes_before_the_students_and_who_has_all_right_is_a_name_in_one_line(tmp_path, monkeypatch):
    rows = [Row(who, 1, e.name, e.max_score, e.max_score, "graded", "") for who in ("ada", "bo") for e in exercises(1)]
    monkeypatch.setattr(class_page, "states", lambda *who: dict.fromkeys(HOW, "right"))
    shown = Page(class_page.write(tmp_path / "page.html", Classroom(tmp_path), rows, [], []).read_text("utf-8"))
    assert [one["id"] for tag, one in shown.tags if tag == "h2"] == ["mistakes", "exercises", "students"]
    assert "2, each with every exercise right" in shown.text and "ada, bo" in shown.text
    assert not [one for tag, one in shown.tags if one.get("class") == "map"]


def test_what_one_student_does_is_folded_and_code_is_code(page):
    folded = page.text.partition("1 mistake, in one student's work")[2]
    assert "mul-both" in folded and page.text.index("mul-swapped") < page.text.index("1 mistake,")
    assert [tag for tag, _ in page.tags].count("code") == 1 and "does x * y." in folded


def test_a_name_links_to_the_students_own_page_where_there_is_one(page):
    links = [attributes["href"] for tag, attributes in page.tags if tag == "a" and attributes["href"][0] != "#"]
    assert links == ["feedback/ada/chapter1/one-step.html"] * 2


def test_the_common_mistakes_stand_by_the_week_they_were_handed_in(page):
    assert "from 2026-03-02" in page.text and "from 2026-03-09" in page.text and "no date" in page.text


def test_nothing_in_it_runs_or_is_loaded(page):
    assert not {tag for tag, _ in page.tags} & {"script", "link", "img", "iframe", "object"}
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on") or name == "src"]
    assert "default-src 'none'" in str(page.tags)


def test_a_class_without_named_mistakes_is_said_to_be_one(tmp_path):
    rows = [Row("ada", 1, e.name, 0.0, e.max_score, "not graded", "no file") for e in exercises(1)]
    text = class_page.write(tmp_path / "page.html", Classroom(tmp_path), rows, [], []).read_text("utf-8")
    assert "No mistake of anybody's has a name." in text and "1 student: 0 graded" in text
