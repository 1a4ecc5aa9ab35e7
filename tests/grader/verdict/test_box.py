"""A verdict has one form, wherever it is shown: a mark and words, what to do, what was seen, and folded numbers."""

import html
import re

import pytest

from grader.verdict.assess import Result
from grader.verdict.box import SIDES, SIGNS, box, boxes, reason, shown
from grader.verdict.finding import RIGHT, Finding, right_but_waiting

KNOWN = Finding("values", message="It differs.", cause="own", advice="Yours does this.", section="Some part")
UNKNOWN = Finding("values", message="It differs.", comparison="largest difference: 1", advice="It is twice torch's.")
UNDONE = Finding("not done", message="Not done yet: Sub.forward is still to be written.")


def made(found):
    return boxes(Result("some", 0.0, 2.0, "graded", found), "Some", str.upper)


def words(text):
    """The text, a box a line."""
    lines = text.replace("&nbsp;", " ").replace("</p>", " ").replace("</summary>", " ").replace("</div>", "\n")
    return [" ".join(html.unescape(line).split()) for line in re.sub("<.*?>", "", lines).splitlines()]


@pytest.mark.parametrize(
    "finding, said",
    [
        (RIGHT, "✓ f: right. The same as torch.autograd, to rounding."),
        (UNDONE, "✎ f: not done yet. Sub.forward is still to be written."),
        (KNOWN, "✗ f: not right yet. Yours does this. Read again: the section “Some part”. It differs."),
        (UNKNOWN, "✗ f: not right yet. It differs. It is twice torch's. The numbers largest difference: 1"),
    ],
)
def test_a_mark_and_words_come_first_then_what_to_do(finding, said):
    assert words(made({"f": finding})) == [said]


@pytest.mark.parametrize("names, are", [(["Add"], "Add is"), (["Add", "Mul"], "Add and Mul are")])
def test_a_part_that_is_right_says_what_it_waits_for(names, are):
    (said,) = words(made({"f": right_but_waiting(names)}))
    waited = " and ".join(names)
    assert said.startswith(f"◔ f: right, but waits for {waited}. Tested with a correct {waited}; ")
    assert said.endswith(f"it will work with yours once {are} right.")


def test_the_numbers_are_folded_away():
    assert re.search("<details><summary>The numbers</summary>.*largest.*</details></div>$", made({"f": UNKNOWN}))


def test_the_section_is_a_link_to_where_it_is():
    assert '<a href="#SOME PART">“Some part”</a>' in made({"f": KNOWN})


def test_a_mark_and_what_it_is_about_stay_in_one_line_and_are_not_read_aloud_as_a_sign():
    assert '<span aria-hidden="true">✗&nbsp;</span>f: not right yet.' in made({"f": KNOWN})


def test_boxes_are_in_the_order_of_the_parts_and_those_that_say_the_same_are_one():
    said = words(made({"one": RIGHT, "two": UNDONE, "three": RIGHT}))
    assert [line.split(":")[0] for line in said] == ["✓ one and three", "✎ two"]


def test_what_is_told_by_colour_is_told_by_a_sign_words_and_more_than_one_line_too():
    assert SIGNS.keys() == SIDES.keys()
    assert len({sign for sign, _ in SIGNS.values()}) == len(SIGNS) == len({words for _, words in SIGNS.values()})
    assert len({SIDES[state].split()[0] for state in ("right", "waits", "not done")}) == 3


def test_where_nothing_was_found_the_exercise_itself_has_a_box():
    said = boxes(Result("some", 0.0, 2.0, "not graded: its cell was not reached", {}), "Some", str)
    assert words(said) == ["○ Some: not graded. Its cell was not reached."]


@pytest.mark.parametrize(
    "state, said",
    [
        ("not graded: your code was stopped", "Your code was stopped."),
        ("not graded: mul.py was damaged.", "mul.py was damaged."),
        ("not graded yet: a run was stopped", "A run was stopped."),
    ],
)
def test_why_there_is_no_verdict_is_a_sentence(state, said):
    assert reason(state) == said


def test_an_errors_words_and_its_line_are_code_and_so_is_what_stands_in_backticks():
    said = "Your code stopped with NameError: name 'y' is not defined at: return `y` (line 3). Nothing is called `y`."
    assert shown(said) == (
        "Your code stopped with <code>NameError: name &#x27;y&#x27; is not defined</code> at "
        "<code>return `y`</code> (line 3). Nothing is called <code>y</code>."
    )
    assert shown("stopped with E: x (line 2).") == "stopped with <code>E: x</code> (line 2)."
    assert shown("It differs (line 2).") == "It differs (line 2)."


def test_what_a_learner_wrote_is_no_markup():
    assert "<script" not in box("wrong", "<script>", ["<script>`<script>`"], words="<script>")
