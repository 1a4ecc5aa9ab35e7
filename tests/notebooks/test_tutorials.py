"""The table that leads from the tutorials to the chapters names what is there."""

import re

import pytest
from course import CHAPTERS, ROOT, headings, marks, source

PAGE = (ROOT / "TUTORIALS.md").read_text("utf-8")
ROWS = [line.strip("|").split("|") for line in PAGE.splitlines() if re.match(r"\| (?!what it says)", line)]
TUTORIALS = re.findall(r"^## (.*)$", PAGE, re.MULTILINE)


def places(cell):
    return [place.strip() for place in cell.split("; ") if not place.strip().startswith("left out:")]


NAMED = sorted({place for row in ROWS for place in places(row[-1])})


@pytest.mark.parametrize("place", NAMED)
def test_each_place_is_there(place):
    chapter, name = re.fullmatch(r"(\d) · (.+)", place).groups()
    nb = source(int(chapter))
    cells = {f"`{marks(cell)['grade_id']}`" for cell in nb.cells if marks(cell)}
    assert name in cells | {text for _, text in headings(nb)}


def test_the_table_is_whole():
    assert len(TUTORIALS) == 5
    assert all(len(row) == 2 for row in ROWS) and len(ROWS) > 80
    assert {int(place[0]) for place in NAMED} == set(CHAPTERS) - {9}, "chapter 9 goes beyond the tutorials"
