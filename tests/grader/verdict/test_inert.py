"""Pictures are what they say, and so many pixels; fences are nobody's diagrams."""

import base64
import struct

import nbformat
import pytest
from nbconvert.filters import markdown2html

from grader.chapters import exercises
from grader.classroom.autograded import write_into
from grader.run.judge import Verdict
from grader.verdict import inert


def png(width, height):
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height)
    return base64.b64encode(head + b"\x08\0\0\0\0").decode()


def jpeg(width, height):
    segments = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x11\x08" + struct.pack(">HH", height, width)
    return base64.b64encode(segments + b"\x03").decode()


@pytest.mark.parametrize("kind, make", [("image/png", png), ("image/jpeg", jpeg)])
def test_a_picture_has_the_size_that_it_says(kind, make):
    assert inert.picture(kind, make(300, 200)) == make(300, 200) and inert.area(kind, make(300, 200)) == 60_000
    for data in make(0, 5), make(10_001, 5), base64.b64encode(b"<script>").decode(), "no base64", make(3, 4)[:12]:
        assert inert.picture(kind, data) == ""


def test_a_notebook_has_room_for_so_many_pixels():
    big, small = png(6_000, 6_000), png(600, 400)
    shown = [{"output_type": "display_data", "metadata": {}, "data": {"image/png": one}} for one in (big, big, small)]
    cell = nbformat.v4.new_code_cell("draw()")
    write_into(nbformat.v4.new_notebook(cells=[cell]), Verdict((), {0: shown}), exercises(1))
    assert [output.data.get("image/png", "") for output in cell.outputs] == [big, "", small]
    assert "too many pixels" in cell.outputs[1].data["text/plain"]


@pytest.mark.parametrize("space", ["", " ", "\t", "\x0b", "\x0c", "\x1c", "\x85", "\xa0", "\u2003", "\u2028", "\u3000"])
@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_no_fence_is_mermaids(fence, space):
    source = f"{fence}{space}mermaid\ngraph TD\n{fence}"
    assert "mermaid" in markdown2html("```mermaid\ngraph TD\n```").split(">")[0].lower()
    assert 'class="mermaid"' not in markdown2html(inert.markdown(source))
