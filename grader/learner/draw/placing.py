"""Where boxes stand and arrows run: asked of Graphviz, or, where that is not to be had, of grandalf, in pure Python.

Both take sizes in pixels and give points in pixels, from the upper left corner.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import grandalf.graphs
from grandalf.graphs import Graph, Vertex
from grandalf.layouts import SugiyamaLayout, VertexViewer

Point = tuple[float, float]
LABEL = 17  # pixels: the height of an arrow's label
BETWEEN, APART = 22, 42  # pixels: between two boxes of a rank, and between two ranks
BESIDE = 14  # pixels: between two arrows with the same start and end


class Edge(NamedTuple):
    """An arrow that wants its way: from which box to which, the width of its label, or 0, and whether it has a head.

    One that is `heavy` should be short, and in line with its like.
    """

    start: Hashable
    end: Hashable
    label: float
    head: bool
    heavy: bool


class Route(NamedTuple):
    """An arrow's way: a Bézier curve's points, where it ends if that is beyond the curve, and its label's centre."""

    curve: Sequence[Point]
    tip: Point | None
    label: Point


class Placed(NamedTuple):
    """The size of a drawing, its boxes' centres, and the routes of its edges, in their order."""

    width: float
    height: float
    centres: dict[Hashable, Point]
    routes: list[Route]


Sizes = Mapping[Hashable, Point]


def place(sizes: Sizes, edges: Sequence[Edge], down: bool) -> Placed:
    """Place boxes of these sizes, from left to right or from top to bottom.

    Args:
        sizes: box → its width and height, in the order in which they should stand where the edges leave a choice.
        edges: between the boxes, in no circle.
        down: from top to bottom.
    """
    try:
        import pygraphviz  # noqa: F401, PLC0415  # which a browser has not
    except ImportError:
        return by_grandalf(sizes, edges, down)
    return by_graphviz(sizes, edges, down)


def by_graphviz(sizes: Sizes, edges: Sequence[Edge], down: bool) -> Placed:
    """What Graphviz's `dot` makes of it."""
    import pygraphviz  # noqa: PLC0415

    graph = pygraphviz.AGraph(directed=True, strict=False, rankdir="TB" if down else "LR", nodesep=0.3, ranksep=0.45)
    names = {key: str(i) for i, key in enumerate(sizes)}
    for key, (wide, high) in sizes.items():
        graph.add_node(names[key], shape="box", fixedsize=True, label="", width=wide / 72, height=high / 72)
    for i, edge in enumerate(edges):
        # An empty table takes the label's room: text would be measured in whatever fonts a machine has.
        room = f'width="{edge.label:.0f}" height="{LABEL}"'
        label = f'<<table border="0" fixedsize="true" {room}><tr><td></td></tr></table>>' if edge.label else ""
        look = {"dir": "forward" if edge.head else "none", "weight": 8 if edge.heavy else 1, "label": label}
        graph.add_edge(names[edge.start], names[edge.end], key=str(i), **look)
    graph.layout("dot")
    _, _, width, height = map(float, graph.graph_attr["bb"].split(","))

    def point(text: str) -> Point:  # Graphviz counts upwards
        x, y = map(float, text.split(","))
        return x, height - y

    def route(edge: Edge, i: int) -> Route:
        found = graph.get_edge(names[edge.start], names[edge.end], str(i)).attr
        points = found["pos"].split()
        tip = point(points.pop(0)[2:]) if points[0].startswith("e,") else None
        return Route([*map(point, points)], tip, point(found["lp"]) if edge.label else (0, 0))

    centres = {key: point(graph.get_node(name).attr["pos"]) for key, name in names.items()}
    return Placed(width, height, centres, [route(edge, i) for i, edge in enumerate(edges)])


def by_grandalf(sizes: Sizes, edges: Sequence[Edge], down: bool) -> Placed:
    """What grandalf's Sugiyama layout makes of it. It goes from top to bottom; the axes are swapped for the other."""
    pairs = {(edge.start, edge.end): _Line() for edge in edges}  # edges beside each other are one to grandalf
    vertices = {key: Vertex(key) for key in sizes}
    for key, size in sizes.items():
        vertices[key].view = VertexViewer(*_along(size, down))
    lines = [grandalf.graphs.Edge(vertices[start], vertices[end], data=line) for (start, end), line in pairs.items()]
    for line in lines:
        line.view = line.data
    apart = APART + (LABEL if down else max((edge.label for edge in edges), default=0))
    right, bottom = _draw(Graph([*vertices.values()], lines), apart)
    centres = {key: _along(vertex.view.xy, down) for key, vertex in vertices.items()}
    beside: Counter[tuple[Hashable, Hashable]] = Counter((edge.start, edge.end) for edge in edges)
    seen: Counter[tuple[Hashable, Hashable]] = Counter()
    routes = []
    for edge in edges:
        pair = edge.start, edge.end
        shift = (seen[pair] - (beside[pair] - 1) / 2) * BESIDE
        seen[pair] += 1
        routes.append(_route(edge, pairs[pair].points, vertices, shift, down))
    return Placed(*_along((right, bottom), down), centres, routes)


class _Line:
    """Where grandalf leads an edge: through the middle of the boxes, and between those that it passes."""

    points: Sequence[Point] = ()

    def setpath(self, points: Sequence[Point]) -> None:
        self.points = points


def _along(point: Point, down: bool) -> Point:
    """A point or a size of grandalf's in the drawing, and the other way round."""
    return point if down else (point[1], point[0])


def _draw(graph: Graph, apart: float) -> Point:
    """Lay out what hangs together, one such piece beside the other; returns the size."""
    right = bottom = 0.0
    for piece in graph.C:
        layout = SugiyamaLayout(piece)
        layout.xspace, layout.yspace = BETWEEN, apart
        layout.init_all()
        layout.draw(8)
        views = [vertex.view for vertex in piece.sV]
        dummies = [point for edge in piece.sE for point in edge.view.points]
        left = min([*(view.xy[0] - view.w / 2 for view in views), *(x for x, _ in dummies)])
        top = min(view.xy[1] - view.h / 2 for view in views)
        for view in views:
            view.xy = view.xy[0] - left + right, view.xy[1] - top
        for edge in piece.sE:
            edge.view.points = [(x - left + right, y - top) for x, y in edge.view.points]
        bottom = max(bottom, *(view.xy[1] + view.h / 2 for view in views))
        right = BETWEEN + max(
            [*(view.xy[0] + view.w / 2 for view in views), *(x for edge in piece.sE for x, _ in edge.view.points)]
        )
    return right - BETWEEN, bottom


def _route(
    edge: Edge, through: Sequence[Point], vertices: Mapping[Hashable, Vertex], shift: float, down: bool
) -> Route:
    """From the side of one box to the side of the other, as a curve that leaves and arrives at a right angle."""
    start, end = vertices[edge.start].view, vertices[edge.end].view
    points = [
        (start.xy[0] + shift, start.xy[1] + start.h / 2),
        *((x + shift, y) for x, y in through[1:-1]),
        (end.xy[0] + shift, end.xy[1] - end.h / 2),
    ]
    curve = [points[0]]
    for (x, y), (to_x, to_y) in itertools.pairwise(points):
        middle = (y + to_y) / 2
        curve += [(x, middle), (to_x, middle), (to_x, to_y)]
    fans_out = len(vertices[edge.start].e_out()) > len(vertices[edge.end].e_in())
    (x, y), (to_x, to_y) = points[:2]
    label = (to_x, to_y - 0.4 * (to_y - y)) if fans_out else (x, y + 0.4 * (to_y - y))
    centre = _along(label, down)
    above = (edge.label / 2, 0) if down else (0, -LABEL / 2)
    return Route([_along(point, down) for point in curve], None, (centre[0] + above[0], centre[1] + above[1]))
