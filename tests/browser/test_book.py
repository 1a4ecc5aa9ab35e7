"""The book in a browser, from the disk: anybody can read it, search it and download from it, and it needs no server."""

import functools
import itertools
from pathlib import Path

import pytest

from grader.publish.book.site import build
from grader.publish.course import chapters, course_root, script

from .accessibility import findings

pytest.importorskip("sphinx", reason="`make browser` installs Sphinx")

ROOT = course_root()
NOTEBOOKS = {f"chapters/chapter{number}/{script(number).stem}": number for number in chapters()}
OTHERS = [
    "index",
    "search",
    *(f"engine/{name}" for name in ("tensor", "functions", "autograd", "nn", "optim", "workshop")),
    "tutorials",
    "verification",
    "scaling",
]
# The chapters are the learner's, or solved; the other pages are in both books.
PAGES = [("notebooks", name) for name in [*OTHERS, *NOTEBOOKS]] + [("solutions", name) for name in NOTEBOOKS]
# axe-core does not look at the contrast of what stands on a gradient, as a scroll shadow is.
PLAIN = ".bd-article * { background-image: none !important }"
SIZES = """['h2', 'h3', 'h4'].map(name => document.querySelector(`main ${name}`)).filter(heading => heading)
    .map(heading => parseFloat(getComputedStyle(heading).fontSize))"""
SEEN = "headings => headings.filter(h => h.checkVisibility()).map(h => +h.tagName[1])"
# What the book's theme and Sphinx's own extensions still use of an older Sphinx is theirs to mend
# (https://github.com/sphinx-doc/sphinx/issues/14270); what Sphinx warns of the book itself ends the build.
pytestmark = [
    pytest.mark.timeout(900),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the book whose chapters come from `notebooks` or `solutions`."""

    @functools.cache
    def built(room):
        return build(ROOT, tmp_path_factory.mktemp(room) / "site", solved=room == "solutions").parent

    return built


@pytest.fixture(params=["light", "dark"])
def opened(request, site, browser):
    """Opens a page of the book, of a reader whose system is set to light or dark."""
    page = browser.new_page(viewport={"width": 1280, "height": 1000}, color_scheme=request.param)
    page.set_default_timeout(60_000)

    def goto(room, name):
        page.goto((site(room) / f"{name}.html").as_uri())
        page.wait_for_function(f"document.documentElement.dataset.theme === '{request.param}'")
        page.evaluate("document.querySelectorAll('details').forEach(hint => hint.open = true)")
        return page

    yield goto
    page.context.close()


def test_these_are_all_pages(site):
    for room in ("notebooks", "solutions"):
        made = {path.relative_to(site(room)).with_suffix("").as_posix() for path in site(room).rglob("*.html")}
        assert {name for name in made if not name.startswith("_")} == {*OTHERS, *NOTEBOOKS}


@pytest.mark.parametrize("room, name", PAGES)
def test_anybody_can_read_it(opened, room, name):
    page = opened(room, name)
    page.add_style_tag(content=PLAIN)
    assert findings(page, skip=["empty-table-header"]) == []  # axe-core takes a formula for none
    levels = page.eval_on_selector_all("main :is(h1, h2, h3, h4, h5, h6)", SEEN)
    assert levels.count(1) == 1 and levels[0] == 1 and all(b - a <= 1 for a, b in zip(levels, levels[1:])), levels
    pictures = "[...document.querySelectorAll('main img')]"
    assert page.evaluate(f"{pictures}.every(image => image.complete && image.naturalWidth && image.alt)")
    sizes = page.evaluate(SIZES)
    assert sizes == sorted(sizes, reverse=True)
    assert not [label for label in page.locator("td > .label").all_text_contents() if "\\" in label]


@pytest.mark.parametrize("room, name", PAGES)
def test_it_loads_nothing_from_elsewhere_and_fits_every_screen(site, browser, room, name):
    page = browser.new_page(viewport={"width": 390, "height": 800})
    asked, wrong = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("requestfailed", lambda request: wrong.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((site(room) / f"{name}.html").as_uri(), wait_until="networkidle")
    assert [url for url in asked if not url.startswith((site(room).as_uri(), "data:"))] == []
    assert wrong == []
    for opened, width in itertools.product((False, True), (390, 900, 1440)):
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate(f"document.querySelectorAll('details').forEach(hint => hint.open = {str(opened).lower()})")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, (opened, width)
        assert page.locator("main h1:visible").bounding_box()["x"] >= 0
    page.context.close()


@pytest.mark.parametrize(
    "words, first, quoted",
    [
        ("broadcasting", "chapters/chapter2/multiple-steps.html#", "broadcast"),  # a section is called so
        ("clip_grad_norm_", "engine/nn.html#minigrad.nn.utils", ""),  # a definition
        ("Jacobian", "engine/autograd.html#minigrad.autograd.functional.jacobian", "jacobian"),
        ("Adam", "chapters/chapter7/training.html#adam", "Adam"),
        ("endless", "", "endless"),  # no title has it: the excerpt is from where it stands
    ],
)
def test_it_can_be_searched_from_the_keyboard(opened, words, first, quoted):
    page = opened("notebooks", "index")
    page.keyboard.press("Control+k")
    page.keyboard.type(words)
    page.keyboard.press("Enter")
    page.wait_for_selector("#search-results li a")
    page.get_by_text("Search finished").wait_for()
    found = page.locator("#search-results li a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert found[0].startswith(first), found
    said = page.locator("#search-results p.context").all_inner_texts()  # from disk, and of the page's own text
    assert said and not any("Ctrl" in text or "Search" in text for text in said)
    assert quoted.lower() in said[0].lower()
    assert findings(page) == []


def test_what_is_wider_than_a_phone_has_a_shadow_where_there_is_more(site, browser):
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto((site("notebooks") / "chapters/chapter1/one-step.html").as_uri())
    long = page.locator("main div.highlight pre").first
    assert long.evaluate("code => code.scrollWidth > code.clientWidth")
    assert "linear-gradient" in long.evaluate("code => getComputedStyle(code).backgroundImage")
    page.goto((site("notebooks") / "scaling.html").as_uri())
    assert page.evaluate(
        "[...document.querySelectorAll('main table')].every(t => t.parentElement.scrollWidth <= t.parentElement.clientWidth)"
    )
    page.context.close()


@pytest.mark.parametrize("width, narrow", [(390, True), (1280, False)])
def test_a_graph_stands_upright_on_a_narrow_screen(site, browser, width, narrow):
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto((site("notebooks") / "index.html").as_uri())
    shown = page.evaluate("[...document.querySelectorAll('main img.drawn')].map(e => [e.src, e.checkVisibility()])")
    assert [address.endswith("-narrow.svg") for address, visible in shown if visible] == [narrow]
    page.context.close()


def test_a_long_formula_is_scrolled_with_a_shadow_where_there_is_more(site, browser):
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto((site("notebooks") / "chapters/chapter7/training.html").as_uri())
    widths = page.eval_on_selector_all(".formula", "all => all.map(one => [one.scrollWidth, one.clientWidth])")
    assert any(whole > seen for whole, seen in widths)
    page.context.close()


def test_a_table_on_a_phone_says_what_each_number_is(site, browser):
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto((site("notebooks") / "chapters/chapter5/computing-gradients.html").as_uri())
    label = page.locator("main td > .label", has_text="places").first
    assert label.is_visible()
    page.set_viewport_size({"width": 1280, "height": 800})
    assert not label.is_visible()
    page.context.close()


def test_a_table_that_fits_on_a_phone_stays_one(site, browser):
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto((site("notebooks") / "chapters/chapter5/computing-gradients.html").as_uri())
    jacobian = page.locator("main table.fits").first
    assert jacobian.locator("thead").is_visible() and not jacobian.locator("td > .label").first.is_visible()
    assert jacobian.evaluate("table => table.scrollWidth <= table.parentElement.clientWidth")
    page.context.close()


def test_the_verification_is_three_screens_with_the_matrix_behind_it(site, browser):
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.goto((site("notebooks") / "verification.html").as_uri())
    assert page.evaluate("document.documentElement.scrollHeight") <= 3000
    row = page.locator("#the-kill-matrix").get_by_text("mul-own-value", exact=True)
    assert not row.is_visible()
    page.locator("#the-kill-matrix summary").click()
    assert row.is_visible()
    page.context.close()


@pytest.mark.parametrize("room", ["notebooks", "solutions"])
@pytest.mark.parametrize("name, number", NOTEBOOKS.items())
def test_each_notebook_can_be_downloaded_from_the_first_page_and_from_its_own(site, browser, room, name, number):
    file = f"{Path(name).name}.ipynb"
    original = (ROOT / room / f"chapter{number}" / file).read_bytes()
    page = browser.new_page()
    for start, link in (("index", f"a.download[href$='{file}']"), (name, "a.btn-download-source-button")):
        place = site(room) / f"{start}.html"
        page.goto(place.as_uri())
        assert (place.parent / page.locator(link).first.get_attribute("href")).read_bytes() == original
    page.context.close()
