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


def test_a_name_leads_to_the_students_page(page):
    page.click("text=half-done")
    assert "your feedback" in page.inner_text("h1")
