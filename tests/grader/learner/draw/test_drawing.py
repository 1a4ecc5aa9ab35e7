"""Boxes and arrows: nothing lies on anything else, everything can be read, and the bytes are the same each time."""

import itertools
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as xml

import pytest

from grader.learner.draw.drawing import WIDEST, Arrow, Box, Layout, Table, draw, size

SVG = "{http://www.w3.org/2000/svg}"
TABLE = Table(("box",), [("a <b>",)])


def chain(n):
    """n boxes in a row, each with a leaf beside it."""
    boxes = [box for i in range(n) for box in (Box(i, [f"{i} step", "value 1.234"]), Box((i, "w"), ["w"], "leaf"))]
    arrows = [Arrow(i, i + 1, "×2") for i in range(n - 1)] + [Arrow((i, "w"), i) for i in range(n)]
    return boxes, arrows


def rectangles(svg):
    found = [r for r in xml.fromstring(svg).iter(f"{SVG}rect") if r.get("x")]
    return [tuple(float(r.get(k)) for k in ("x", "y", "width", "height")) for r in found]


@pytest.mark.parametrize("n", [5, 30])  # 10 and 60 boxes
def test_boxes_do_not_touch_and_stay_inside(n):
    shown = draw(*chain(n), "A chain of boxes with a leaf at each.", TABLE)
    boxes = rectangles(shown.svg)
    assert len(boxes) == 2 * n
    for (x0, y0, w0, h0), (x1, y1, w1, h1) in itertools.combinations(boxes, 2):
        assert x0 + w0 < x1 or x1 + w1 < x0 or y0 + h0 < y1 or y1 + h1 < y0
    drawing = xml.fromstring(shown.svg)
    width, height = float(drawing.get("width")), float(drawing.get("height"))
    assert all(x >= 0 and y >= 0 and x + w <= width and y + h <= height for x, y, w, h in boxes)


def test_a_long_graph_goes_down_so_that_it_fits_a_page():
    short, long = Layout([chain(5)]), Layout([chain(30)])
    assert short.placed.height < short.placed.width <= WIDEST
    assert long.placed.width < WIDEST < long.placed.height


def test_a_box_has_room_for_its_widest_line():
    narrow, wide = size(Box("a", ["a"])), size(Box("a", ["a", "a much longer line of text"]))
    assert wide[0] > narrow[0] + 100 and wide[1] > narrow[1]


def test_drawings_on_one_layout_do_not_jump():
    boxes = [[Box("a", ["a", state]), Box("b", ["b"])] for state in ("now", "a much longer state")]
    arrows = [Arrow("a", "b")]
    layout = Layout([(some, arrows) for some in boxes])
    first, second = (rectangles(layout.svg(some, arrows, "The same boxes twice.")) for some in boxes)
    assert first == second


def test_meaning_is_never_by_colour_alone():
    """Each look differs from each other one in corners, in the line's width, or in dashes."""
    boxes = [Box(look, [look], look) for look in ("leaf", "data", "result", "freed", "running")]
    shown = draw(boxes, [], "A box of each look.", TABLE)
    found = [r for r in xml.fromstring(shown.svg).iter(f"{SVG}rect") if r.get("x")]
    looks = [tuple(r.get(k) for k in ("rx", "stroke-width", "stroke-dasharray")) for r in found]
    assert len(set(looks)) == len(boxes)


def test_it_paints_its_own_background():
    ground = xml.fromstring(draw(*chain(2), "A chain of boxes.", TABLE).svg).find(f"{SVG}rect")
    assert ground.get("fill") == "#ffffff" and ground.get("width") == "100%" == ground.get("height")


def test_a_page_shows_the_description_and_the_table_and_print_the_same_as_text():
    shown = draw([Box("a", ["a <b>"])], [], 'A box that says "a <b>".', TABLE)
    assert 'alt="A box that says &quot;a &lt;b&gt;&quot;."' in shown.html()
    assert '<th scope="col">box</th>' in shown.html() and "<td>a &lt;b&gt;</td>" in shown.html()
    assert str(shown) == 'A box that says "a <b>".\nbox\na <b>'
    assert xml.fromstring(shown.svg).find(f"{SVG}text").text == "a <b>"


def test_the_bytes_do_not_depend_on_the_fonts_of_the_machine(tmp_path):
    (tmp_path / "fonts.conf").write_text("<fontconfig></fontconfig>")  # no font at all
    code = "import sys, test_drawing as t; sys.stdout.write(t.draw(*t.chain(3), 'A chain of boxes.', t.TABLE).svg)"
    env = {**os.environ, "PYTHONIOENCODING": "utf-8", "FONTCONFIG_FILE": str(tmp_path / "fonts.conf")}
    env["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    made = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True).stdout.decode()
    assert made == draw(*chain(3), "A chain of boxes.", TABLE).svg
