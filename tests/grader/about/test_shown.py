"""Code on a feedback page has numbers, and an error its line; a wide graph stands upright on a phone."""

import re

import pytest

from grader.about.shown import numbered, scrolled, with_upright, wrong_line

SAID = "Your code stopped with NameError: name 'yy' is not defined at: return grad * yy (line 3). Nothing is called yy."
SOURCE = "def f(grad, y):\n    # a rule\n    return grad * yy\n"


@pytest.mark.parametrize(
    "source, said, line",
    [
        (SOURCE, [SAID], 3),
        (SOURCE, ["It differs.", "Your cell stopped with SyntaxError: expected ':' (line 1)."], 1),
        (f"# another\n{SOURCE}", [SAID], 0),  # an earlier cell's line
        (SOURCE, ["Your cell stopped with SyntaxError: expected ':' (line 9)."], 0),
        (SOURCE, [], 0),
    ],
)
def test_the_line_that_is_marked_is_the_answers_own(source, said, line):
    assert wrong_line(source, said) == line


def test_each_line_is_an_element_and_the_wrong_one_is_marked():
    made = numbered('<div><pre><span></span><span class="k">def</span>\n\nf\n</pre></div>', 3)
    assert made == (
        '<div><pre><span class="line"><span class="k">def</span></span>\n<span class="line"></span>\n'
        '<span class="line at">f</span>\n</pre></div>'
    )


def test_code_is_scrolled_by_keyboard_too():
    assert scrolled("<pre>x</pre>") == '<pre tabindex="0">x</pre>'


def test_a_wide_drawing_of_the_chapter_stands_upright_on_a_phone_and_any_other_stays():
    own, other = '<img alt="A > b" src="by-hand.svg">'.replace("> b", "&gt; b"), '<img src="cat.svg">'
    made = with_upright(f"{own}{other}", 1)
    assert re.fullmatch(rf'<picture><source media="[^"]+" srcset="data:image/svg[^"]+">{own}</picture>{other}', made)
