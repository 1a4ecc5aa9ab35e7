"""What a check says, as a card and as text: the same words, and nothing that a learner wrote is markup."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.learner.card import Card, Case
from grader.verdict.assess import Result
from grader.verdict.finding import RIGHT, Finding

WRONG = Finding(
    "values",
    "the gradient of x in x * y",
    "The gradient of x in x * y differs from torch's.",
    "largest difference: 1.4e+00; rounding explains 1e-14",
    "own-value",
    "Your Mul hands each operand its own value.",
    "Path by path",
)
UNDONE = Finding("not done", message="Not done yet: Sub.forward is still to be written.")
CASE = Case("the gradient of x in x * y", ["x = minigrad.tensor(2.0)", "out = x * 3"], "2.5", "3.5")
MARKUP = st.text(st.characters(exclude_characters="`"), max_size=60) | st.sampled_from(
    ["<script>alert(1)</script>", '"><img src=x onerror=y>', "</pre><b>"]
)


def card(found, **more):
    return Card(Result("some", 0.0, 2.0, "graded", found), **more)


class Reader(HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.text = [], ""
        self.feed(html)
        self.text = " ".join(self.text.split())

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += f" {data}"


def test_advice_comes_first_then_what_shows_it_and_numbers_are_folded_away():
    text = Reader(card({"Mul": WRONG}, cases={"Mul": CASE}).html()).text
    parts = [
        "Mul: not right yet.",
        WRONG.advice,
        "Read again",
        WRONG.message,
        "smallest case",
        "yours 2.5",
        "torch's 3.5",
        "Try it",
        "out = x * 3",
    ]
    assert [text.index(part) for part in parts] == sorted(text.index(part) for part in parts)
    assert text.endswith(f"The numbers {WRONG.comparison}")


def test_the_place_of_a_case_is_said_once():
    text = Reader(card({"Mul": WRONG}, cases={"Mul": CASE}).html()).text
    assert text.lower().count(CASE.place) == 1
    other = Case("the gradient of y", CASE.asked, "1", "2")
    assert "shows it – the gradient of y:" in Reader(card({"Mul": WRONG}, cases={"Mul": other}).html()).text


def test_the_section_is_a_link_to_its_heading():
    links = [attrs["href"] for tag, attrs in Reader(card({"Mul": WRONG}).html()).elements if tag == "a"]
    assert links == ["#Path-by-path"]


def test_text_says_the_same_as_the_card():
    notes = {"why": ["Your Mul is odd."], "first": ["Run its cell."], "last": ["Add is kept."]}
    whole = card({"Mul": WRONG, "Add": RIGHT}, cases={"Mul": CASE}, **notes)
    text, html = " ".join(str(whole).split()), Reader(whole.html()).text
    for words in (
        WRONG.message,
        WRONG.advice,
        WRONG.comparison,
        *CASE.asked,
        CASE.mine,
        *sum(notes.values(), []),
    ):
        assert " ".join(words.split()) in text and " ".join(words.split()) in html
    assert str(whole).startswith("Run its cell.") and str(whole).endswith("Add is kept.")
    assert whole._repr_mimebundle_() == {"text/plain": str(whole), "text/html": whole.html()}


def test_what_could_not_be_compared_is_one_box():
    found = Card(Result("mul", 0.0, 2.0, "not graded: no answer", {}))
    text = " ".join(Reader(found.html()).text.split())
    assert "mul: not graded. No answer." in text and str(found) == "not graded: no answer"


@pytest.mark.parametrize("place", ["message", "advice", "section", "comparison"])
@given(text=MARKUP)
def test_nothing_that_a_learner_wrote_is_markup(place, text):
    def made(words):
        return card({"f": Finding("raised", **{place: words})}, cases={"f": Case(words, [words], words, words)}).html()

    assert [tag for tag, _ in Reader(made(f"words {text}")).elements] == [
        tag for tag, _ in Reader(made("words")).elements
    ]


def test_no_formula_is_typeset_in_what_a_learner_wrote():
    assert "$" not in card({"f": Finding("raised", message=r"a $\frac{1}{2}$ b", advice="$$x$$")}).html()


def test_where_no_inputs_are_known_nothing_is_to_be_tried():
    finding = Finding("values", "the loss", "The loss differs from torch's.")
    result = Result("mul", 0.0, 2.0, "graded", {"Mul": finding})
    page = Card(result, {"Mul": Case("the loss", [], "1.", "2.")}).html()
    assert "Try it yourself" not in page and "<pre" not in page and "torch's" in page
