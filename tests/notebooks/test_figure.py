"""A plot: drawn once like any other time, described, and shown without pyplot's global state."""

from xml.etree import ElementTree

import pytest

from grader import figure

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
