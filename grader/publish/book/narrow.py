"""A graph for a narrow screen: the same boxes and arrows, from top to bottom."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ...learner.draw.drawing import LOOKS, Arrow, Box, Layout

SVG = "{http://www.w3.org/2000/svg}"
FITS = 360  # pixels: what a phone shows without making it smaller
NUMBER = re.compile(r"-?[\d.]+")


def narrow(svg: str) -> str:
    """The drawing from top to bottom, where it is too wide for a phone; "" where it fits, or is no such drawing."""
    root = ElementTree.fromstring(svg)
    if float(root.get("width", "0").removesuffix("pt")) <= FITS or root.find(f"{SVG}rect") is None:
        return ""
    boxes: list[Box] = []
    places: list[list[float]] = []
    arrows: list[Arrow] = []
    for element, lines in _pieces(root):
        if element.tag == f"{SVG}rect":
            places.append([float(element.get(name, "0")) for name in ("x", "y", "width", "height")])
            boxes.append(Box(len(boxes), lines, _look(element)))
    for element, lines in _pieces(root):
        if element.tag == f"{SVG}path" and places:
            numbers = [float(one) for one in NUMBER.findall(element.get("d", ""))]
            start, end = (_nearest(places, point) for point in (numbers[:2], numbers[-2:]))
            dashed, head = "stroke-dasharray" in element.attrib, "marker-end" in element.attrib
            arrows.append(Arrow(start, end, "".join(lines), dashed, head))
    title = root.find(f"{SVG}title")
    if not arrows or title is None or title.text is None or not all(box.lines for box in boxes):
        return ""
    return Layout([(boxes, arrows)], down=True).svg(boxes, arrows, title.text)


def _pieces(root: Element) -> Iterator[tuple[Element, list[str]]]:
    """Each box and each line, after the background, with the text that follows it."""
    found: list[tuple[Element, list[str]]] = []
    for element in list(root):
        if element.tag == f"{SVG}text" and found:
            found[-1][1].append(element.text or "")
        elif element.tag in (f"{SVG}rect", f"{SVG}path"):
            found.append((element, []))
    yield from (piece for piece in found if piece[0].get("width") != "100%")


def _look(rect: Element) -> str:
    """The name of a box's look."""
    own = {name: value for name, value in rect.attrib.items() if name not in ("x", "y", "width", "height")}
    looks = {name: dict(re.findall(r'([\w-]+)="([^"]*)"', look)) for name, look in LOOKS.items()}
    return next((name for name, look in looks.items() if look == own), "result")


def _nearest(places: list[list[float]], point: list[float]) -> int:
    """The box that an arrow's end touches."""

    def away(place: list[float]) -> float:
        left, top, wide, high = place
        return math.hypot(
            max(left - point[0], 0, point[0] - left - wide), max(top - point[1], 0, point[1] - top - high)
        )

    return min(range(len(places)), key=lambda i: away(places[i]))
