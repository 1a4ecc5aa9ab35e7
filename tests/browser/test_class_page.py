"""An instructor reads the class's page: on a phone and on a desk, by day and by night."""

import pytest

from .accessibility import findings
from .test_feedback import DESK, PHONE


@pytest.fixture(params=[(PHONE, "dark"), (DESK, "light")], ids=["phone, dark", "desk, light"])
def page(browser, classroom, request):
    viewport, scheme = request.param
    page = browser.new_page(viewport=viewport, color_scheme=scheme)
    classroom.grader("report")
    page.goto((classroom.course / "classroom" / "report-chapter1.html").as_uri())
    yield page
    page.context.close()


def test_it_fits_and_nothing_hinders_anybody(page):
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    assert findings(page) == []


def test_what_was_found_opens_beside_the_points_and_fits(page):
    page.get_by_role("button").first.click()
    found = page.locator("[popover]:popover-open")
    assert "half-done" in found.inner_text()
    box = found.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= page.viewport_size["width"]
    assert findings(page) == []


def test_on_a_phone_a_students_name_and_points_have_a_line_of_their_own(page):
    row = page.locator(".map tbody tr", has_text="corrupt-file")
    tops = row.locator("th, td").evaluate_all("cells => cells.map(cell => cell.getBoundingClientRect().top)")
    if page.viewport_size == PHONE:
        assert min(tops[2:]) > max(tops[:2])
    else:
        assert len(set(tops)) == 1


def test_a_name_leads_to_the_students_page(page):
    page.click("text=half-done")
    assert "your feedback" in page.inner_text("h1")
