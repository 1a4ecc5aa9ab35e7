"""A student reads the feedback page: on a phone and on a desk, by day and by night, and without a mouse."""

import re

import pytest

from .accessibility import findings

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 1000}


@pytest.fixture(params=[(PHONE, "dark"), (DESK, "light")], ids=["phone, dark", "desk, light"])
def feedback(browser, classroom, request):
    """Opens a student's page; nothing is loaded from anywhere but its own folder."""
    viewport, scheme = request.param
    page = browser.new_page(viewport=viewport, color_scheme=scheme)
    asked = []
    page.on("request", lambda request: asked.append(request.url))

    def open_page(student):
        page.goto(classroom.feedback(student).as_uri())
        assert all(url.startswith(("file:", "data:")) for url in asked)
        return page

    yield open_page
    page.context.close()


STUDENTS = ("corrupt-file", "half-done", "raises-an-error", "right-with-a-stack", "wrong-mul-own-value")


@pytest.mark.parametrize("student", STUDENTS)
def test_it_fits_and_nothing_hinders_anybody(feedback, student):
    page = feedback(student)
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    assert findings(page) == []


def test_what_hinders_somebody_is_found(feedback):
    page = feedback("half-done")
    page.evaluate("document.querySelector('img').removeAttribute('alt')")
    page.evaluate("document.querySelector('.points').style.color = 'var(--line)'")
    assert [found.split()[0] for found in findings(page)] == ["color-contrast", "image-alt"]


def test_every_link_leads_to_what_is_then_in_view(feedback):
    page = feedback("wrong-mul-own-value")
    links = page.locator("a[href^='#']")
    assert links.count() > 6
    for link in links.all():
        link.click()
        target = page.locator(link.get_attribute("href"))
        assert re.fullmatch("h[1-6]|main", target.evaluate("element => element.localName"))
        assert -1 <= target.bounding_box()["y"] < page.viewport_size["height"]


def test_the_keyboard_reaches_each_link_and_each_hidden_answer(feedback):
    page = feedback("wrong-mul-own-value")
    wanted = page.locator("a[href], summary").count()
    reached = 0
    for _ in range(3 * wanted):
        page.keyboard.press("Tab")
        reached += page.evaluate("document.activeElement.matches('a[href], summary')")
        if page.evaluate("document.activeElement === [...document.querySelectorAll('a[href], summary')].pop()"):
            break
    assert reached == wanted
    page.keyboard.press("Enter")  # the last one opens
    assert page.evaluate("document.activeElement.parentElement.open")


def test_an_error_is_shown_in_the_students_own_lines(feedback, classroom):
    page = feedback("raises-an-error")
    assert "Your code stopped with NameError: name 'yy' is not defined" in page.inner_text("main")
    errors = page.locator(".output_error").all_inner_texts()
    assert any("SyntaxError: expected ':'" in text for text in errors)
    for text in errors:
        assert "site-packages" not in text and "minigrad/" not in text and str(classroom.course) not in text


def test_on_a_phone_a_graph_stands_upright_and_no_part_of_it_is_cut_off(feedback):
    page = feedback("wrong-mul-own-value")
    drawn = page.locator("#notebook img[src='by-hand.svg']")
    upright = drawn.evaluate("image => image.currentSrc.startsWith('data:')")
    assert upright == (page.viewport_size == PHONE)
    assert drawn.evaluate("image => image.getBoundingClientRect().right <= innerWidth")


def test_the_line_that_raised_is_marked_in_the_answer(feedback):
    page = feedback("raises-an-error")
    assert [text.strip() for text in page.locator(".line.at").all_inner_texts()][0] == "return grad * yy"


def test_it_is_printed_in_dark_letters_on_white_whatever_the_screen_shows(feedback):
    page = feedback("wrong-mul-own-value")
    page.emulate_media(media="print")
    colours = page.evaluate("(({color, backgroundColor}) => [color, backgroundColor])(getComputedStyle(document.body))")
    assert colours == ["rgb(27, 31, 36)", "rgb(255, 255, 255)"]
    assert page.locator("#notebook img").first.evaluate("image => getComputedStyle(image).filter") == "none"


def test_the_picture_of_a_feedback_page(browser, classroom, pictures):
    page = browser.new_page(viewport={"width": 720, "height": 1300}, color_scheme="light")
    page.goto(classroom.feedback("wrong-mul-own-value").as_uri())
    found = page.locator(".verdict").last.bounding_box()
    clip = {"x": 0, "y": 0, "width": 720, "height": found["y"] + found["height"] + 16}
    pictures(page, "about/pictures/feedback.png", clip=clip)
    page.context.close()
