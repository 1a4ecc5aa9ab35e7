"""A plot: drawn once like any other time, described, and shown without pyplot's global state."""

from xml.etree import ElementTree

import numpy as np
import pytest

import minigrad
from grader.learner.draw import figure

ALT = "A straight line from 0 to 1, above a dashed one."


def drawn():
    fig, ax = figure.new()
    ax.plot([0, 1], [0, 1], label="first")
    ax.plot([0, 1], [0, 0.5], label="second")
    ax.legend()
    return figure.show(fig, ALT)


def test_the_same_plot_gives_the_same_bytes():
    assert drawn().svg == drawn().svg


def test_the_description_goes_with_the_drawing():
    bundle = drawn()._repr_mimebundle_()
    svg = ElementTree.fromstring(bundle["image/svg+xml"])
    assert svg.find("{http://www.w3.org/2000/svg}title").text == ALT
    assert f'alt="{ALT}"' in bundle["text/html"] and bundle["text/plain"] == ALT


def test_lines_differ_in_more_than_colour():
    _, ax = figure.new()
    styles = [ax.plot([0, 1])[0].get_linestyle() for _ in range(4)]
    assert len(set(styles)) == 4


def test_a_figure_needs_a_description():
    fig, _ = figure.new()
    with pytest.raises(ValueError, match="needs a description"):
        figure.show(fig, "plot")


# ---------------------------------------------------------------------- the comparison


def test_a_comparison_says_how_many_numbers_differ_and_where_most():
    mine, theirs = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[1.0, 2.5, 3.0], [4.0, -5.0, 6.0]]
    shown = figure.compare(minigrad.tensor(mine, requires_grad=True), np.array(theirs))
    assert str(shown) == (
        "Two tables of 6 numbers: yours and PyTorch's differ in 2 of them, most in row 2, column 2: 5 and −5."
    )
    words = [text.text for text in ElementTree.fromstring(shown.svg).iter("{http://www.w3.org/2000/svg}text")]
    assert [word for word in words if "≠" in word] == ["≠ 2", "≠ 5", "≠ 2.5", "≠ −5"]


def test_a_comparison_says_that_all_agree_up_to_rounding():
    assert figure.compare([1.0, 1 / 3], [1.0, 0.33333333]).alt == (
        "Two tables of 2 numbers: yours and PyTorch's agree."
    )


def test_numbers_that_are_none_differ_from_others_and_agree_with_themselves():
    nan = float("nan")
    assert "agree" in figure.compare([nan, 1.0], [nan, 1.0]).alt
    assert "most in row 1, column 2: nan and 1" in figure.compare([2.0, nan], [1.0, 1.0]).alt


def test_what_cannot_be_compared_is_said():
    with pytest.raises(ValueError, match=r"yours has shape \(2,\), and PyTorch's \(3,\)"):
        figure.compare([1.0, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="1 to 12 rows and columns"):
        figure.compare(np.ones(13), np.ones(13))


def test_a_drawing_follows_the_theme_and_the_book_does_not_change_it_twice():
    fig, ax = figure.new()
    ax.plot([1, 2])
    page = figure.show(fig, "A line that rises from one to two.").html()
    assert page.startswith(f"<style>{figure.THEMES} {{ {figure.DARK} }}</style><img ")
    assert 'class="minigrad-drawing dark-light"' in page
    assert all(
        f"{theme} .minigrad-drawing" in figure.THEMES for theme in ("[data-jp-theme-light=false]", "[data-theme=dark]")
    )
