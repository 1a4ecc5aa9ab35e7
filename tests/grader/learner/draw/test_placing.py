"""Where boxes stand and arrows run, asked of Graphviz and of grandalf: the same promises."""

import itertools
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.learner.draw.placing import Edge, by_grandalf, by_graphviz, place

BOTH = pytest.mark.parametrize("by", [by_graphviz, by_grandalf])


@st.composite
def graphs(draw):
    """Boxes of any size, and edges from earlier to later ones, some of them more than once."""
    count = draw(st.integers(1, 9))
    sizes = {i: (draw(st.integers(20, 160)), draw(st.integers(20, 90))) for i in range(count)}
    pairs = [pair for pair in itertools.combinations(range(count), 2)]
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=14)) if pairs else []
    label = st.sampled_from([0.0, 40.0])
    return sizes, [Edge(a, b, draw(label), draw(st.booleans()), draw(st.booleans())) for a, b in chosen]


@BOTH
@given(graph=graphs(), down=st.booleans())
@settings(max_examples=40)
def test_boxes_lie_apart_and_inside_and_arrows_run_one_way(by, graph, down):
    sizes, edges = graph
    placed = by(sizes, edges, down)
    corners = {key: _corners(placed.centres[key], size) for key, size in sizes.items()}
    for (left, top), (right, bottom) in corners.values():
        assert left >= -1 and top >= -1 and right <= placed.width + 1 and bottom <= placed.height + 1
    for one, other in itertools.combinations(corners.values(), 2):
        assert any(one[1][axis] <= other[0][axis] or other[1][axis] <= one[0][axis] for axis in (0, 1))
    assert len(placed.routes) == len(edges)
    for edge, route in zip(edges, placed.routes, strict=True):
        assert placed.centres[edge.start][down] < placed.centres[edge.end][down]
        assert len(route.curve) % 3 == 1


@BOTH
def test_an_arrow_goes_from_box_to_box_and_two_do_not_lie_on_each_other(by):
    sizes = {"x": (60, 40), "y": (80, 60)}
    edges = [Edge("x", "y", 30.0, True, True), Edge("x", "y", 30.0, True, True)]
    placed = by(sizes, edges, False)
    first, second = placed.routes
    for route in placed.routes:
        (right, y), (left, _) = route.curve[0], route.tip or route.curve[-1]
        assert abs(right - (placed.centres["x"][0] + 30)) <= 2 and abs(left - (placed.centres["y"][0] - 40)) <= 2
        assert abs(y - placed.centres["x"][1]) <= 20
    assert first.curve != second.curve and first.label != second.label


def test_graphviz_is_asked_where_it_is_there_and_grandalf_elsewhere(monkeypatch):
    sizes, edges = {"a": (50, 30), "b": (50, 30)}, [Edge("a", "b", 0.0, True, True)]
    graphviz, grandalf = by_graphviz(sizes, edges, False), by_grandalf(sizes, edges, False)
    assert place(sizes, edges, False) == graphviz != grandalf
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    assert place(sizes, edges, False) == grandalf


def _corners(centre, size):
    (x, y), (wide, high) = centre, size
    return (x - wide / 2, y - high / 2), (x + wide / 2, y + high / 2)
