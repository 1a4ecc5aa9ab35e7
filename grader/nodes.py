"""The picture of a recorded graph: its nodes and their edges, as `next_functions` has them.

    nodes.below(out.grad_fn)

Each box says what it is, and its place in the order of the way back: colour carries nothing.
"""

from __future__ import annotations

from typing import Any

import networkx as nx

from . import figure

COLUMN, ROW = 1.7, 1.0  # inches
NONE_BELOW = 0.5  # rows between a node and the None of an edge that it does not have


def below(root: Any) -> figure.Shown:
    """Draw the nodes below `root`, the newest at the left, each with an arrow for each of its edges."""
    order = _newest_first(root)
    edges = [(node, other) for node in order for other, _ in node.next_functions]
    places = _places(order, [pair for pair in edges if pair[1] is not None])
    columns, rows = (1 + max(place[i] for place in places.values()) for i in (0, 1))
    fig, ax = figure.new(width=columns * COLUMN, height=(rows + NONE_BELOW) * ROW)
    ax.set_axis_off()
    ax.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5 + NONE_BELOW, -0.5))
    for i, (node, other) in enumerate(edges):
        twins = edges.count((node, other)) > 1
        bend = 0.0 if not twins else 0.25 if (node, other) in edges[:i] else -0.25
        _arrow(ax, places[node], places.get(other), bend)
    for number, node in enumerate(order, start=1):
        frame = {"boxstyle": "round,pad=0.5", "facecolor": "white", "edgecolor": "#222222", "linewidth": 1.2}
        ax.text(*places[node], f"{number}\n{node.name()}", ha="center", va="center", fontsize=9, bbox=frame, zorder=2)
    count = "1 node" if len(order) == 1 else f"{len(order)} nodes"
    return figure.show(fig, f"A graph of {count}, newest first. {_said(order)}.")


def _newest_first(root: Any) -> list[Any]:
    found = [root]
    for node in found:
        found += [other for other in dict.fromkeys(node.edges) if other is not None and other not in found]
    return sorted(found, key=lambda node: node.number)


def _places(order: list[Any], edges: list[tuple[Any, Any]]) -> dict[Any, tuple[float, float]]:
    """Node -> its column and row: to the right of everything that has an edge to it."""
    graph = nx.DiGraph(edges)
    graph.add_nodes_from(order)
    columns = [sorted(nodes, key=order.index) for nodes in nx.topological_generations(graph)]
    tallest = max(map(len, columns))
    return {
        node: (column, row + (tallest - len(nodes)) / 2)
        for column, nodes in enumerate(columns)
        for row, node in enumerate(nodes)
    }


def _arrow(ax: Any, start: tuple[float, float], end: tuple[float, float] | None, bend: float) -> None:
    """An arrow, bent where a node has two edges to the same one; an edge that is None is short and dashed."""
    look = {"arrowstyle": "-|>", "color": "#333333", "linewidth": 1.2}
    if end is None:
        look |= {"shrinkA": 18, "shrinkB": 0, "linestyle": "--"}
        ax.annotate("", (start[0], start[1] + NONE_BELOW), start, arrowprops=look, zorder=1)
        ax.text(start[0], start[1] + NONE_BELOW, "None", ha="center", va="top", fontsize=9)
    else:
        look |= {"shrinkA": 40, "shrinkB": 44, "connectionstyle": f"arc3,rad={bend}"}
        ax.annotate("", end, start, arrowprops=look, zorder=1)


def _said(order: list[Any]) -> str:
    numbers = {node: str(number) for number, node in enumerate(order, start=1)}
    said = []
    for node in order:
        edges = [numbers.get(other, "None") for other, _ in node.next_functions]
        said.append(f"{numbers[node]}: {node.name()}" + (f", with edges to {' and '.join(edges)}" if edges else ""))
    return "; ".join(said)
