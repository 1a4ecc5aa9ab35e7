"""The student's page says what was found, in words; it loads nothing, and fits on a phone."""

import html
import os
import re
from html.parser import HTMLParser

import nbformat
import pytest
from nbconvert.filters.markdown_mistune import MarkdownWithMath
from traitlets.config import Config

from grader.about.feedback import Explain, FeedbackExporter, Renderer, Row, own_lines, summary, who
from grader.chapters import exercises
from grader.classroom.autograded import write_into
from grader.learner.draw.mathml import mathml
from grader.publish.course import release_notebook
from grader.publish.release import chapters
from grader.run.judge import Verdict
from grader.verdict.assess import Result, not_graded
from grader.verdict.finding import RIGHT, Finding, right_but_waiting

WRONG = Finding(
    "values",
    message="It differs.",
    cause="mul-own-value",
    advice="Your Mul hands each operand its own value.",
    section="Mul",
)
TODO = Finding("not done", message="Not done yet: Pow is built in chapter 1.")


def result(exercise, finding):
    right = exercise.max_score if finding.right else 0.0
    return Result(exercise.name, right, exercise.max_score, "graded", dict.fromkeys(exercise.points, finding))


def exported(nb, chapter=1):
    about = {"assignment": f"chapter{chapter}", "notebook": "n", "score": 0, "max_score": 1, "late_penalty": 0}
    for cell in nb.cells:
        if cell.metadata.get("nbgrader", {}).get("grade"):
            cell.metadata.nbgrader.score = cell.metadata.get("minigrad", {}).get("score", 0)
    nowhere = Config({"Judge": {"classroom": "no-class"}})  # whose release would be an older one
    nb, resources = Explain(config=nowhere).preprocess(nb, {"nbgrader": about})
    config = Config({"HTMLExporter": {"template_name": "feedback"}})  # as nbgrader asks for
    return FeedbackExporter(config=config).from_notebook_node(nb, resources)[0]


@pytest.fixture(scope="module")
def page():
    add, mul, neg, pow_, *others = exercises(1)
    found = [result(add, RIGHT), result(mul, WRONG), result(neg, RIGHT), result(pow_, TODO)]
    found += [not_graded(other, "not graded: it ran out of time") for other in others]
    nb = release_notebook(1)
    stub = next(cell for cell in nb.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == "pow")
    verdict = Verdict(found, {}, {})
    nb = write_into(nb, verdict, exercises(1))
    text = [
        "\x1b[31mCell In[8], line 2\x1b[39m\n    1 x\n--> 2 y",
        "File /student/course/minigrad/core/engine.py:1",
        "NameError: y",
    ]
    stub.outputs = [nbformat.v4.new_output("error", ename="NameError", evalue="y (7.py, line 2)", traceback=text)]
    return exported(nb)


def test_a_part_whose_cell_did_not_run_is_said_to_be_missing():
    said = "Not done yet: Pow is built in chapter 1, here: run the cell that defines it."
    polynomial = next(exercise for exercise in exercises(1) if exercise.name == "polynomial")
    text = summary([Row(result(polynomial, Finding("not done", message=said)), 0.0, polynomial.title)])
    assert "Not done yet.</span> Pow is not there: no cell that ran defines it." in text


def test_a_part_is_named_once():
    neg_sub = next(exercise for exercise in exercises(1) if exercise.name == "neg-sub")
    found = {"Neg": RIGHT, "Sub": Finding("not done", message="Not done yet: Sub.forward is still to be written.")}
    undone = {**found, "Sub": Finding("not done", message="Not done yet: Sub is still to be written.")}
    for findings, said in [(found, "Sub: Sub.forward is still"), (undone, "</span> Sub is still to be written.")]:
        assert said in summary([Row(Result("neg-sub", 1.0, 2.0, "graded", findings), 1.0, neg_sub.title)])


def test_what_did_not_end_is_a_sentence_that_says_what_to_do():
    mul = exercises(1)[1]
    hung = "not graded: your code for it was still running after 10 seconds of processor time"
    paths = next(exercise for exercise in exercises(1) if exercise.name == "paths")
    waiting = Row(result(paths, right_but_waiting(["Mul"])), 4.0, paths.title)
    text = summary([Row(not_graded(mul, hung), 0.0, mul.title), waiting])
    assert "<section class='start is-note'>" in text and "Path by path</a> waits for it." in text
    assert "Not graded.</span> Your code for it was still running after 10 seconds of processor time. Look for" in text
    other = summary([Row(not_graded(mul, "not graded: mul.py was damaged."), 0.0, mul.title)])
    assert "Not graded.</span> mul.py was damaged.</p>" in other and "Look for" not in other


def test_a_part_that_is_right_says_what_it_waits_for():
    paths = next(exercise for exercise in exercises(1) if exercise.name == "paths")
    text = summary([Row(result(paths, right_but_waiting(["Add"])), 4.0, paths.title)])
    assert "◔ Right:</span> tested with a correct Add; it will work with yours once Add is right.</p>" in text
    assert "4 of 4" in text
    both = summary([Row(result(paths, right_but_waiting(["Add", "Mul"])), 4.0, paths.title)])
    assert "it will work with yours once Add and Mul are right." in both


class Reader(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.loads, self.tags, self.levels = [], set(), [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags.add(tag)
        self.ids |= {found[name] for name in ("id", "name") if name in found}
        self.loads += [found[name] for name in ("src", "data", "srcset") if name in found]
        if tag == "link" or (tag == "a" and found.get("href", "").startswith("#")):
            self.links.append(found["href"].removeprefix("#"))
        if re.fullmatch(r"h\d", tag):
            self.levels.append(int(tag[1]))


def test_it_begins_with_words(page):
    top = page[: page.index('id="notebook"')]
    assert "4 of 16 points; 2 of 6 exercises are right." in top
    assert "Right:</span> the same as torch.autograd" in top
    assert "Not right yet.</span> Your Mul hands each operand its own value." in top
    assert "Read again" not in top, "Mul's own section, which its name leads to"
    assert "Your cell stopped with <code>NameError: y</code> (line 2)." in top
    assert top.count("It ran out of time.") == 1 and 'As for <a href="#section-path-by-path">' in top


def test_below_is_the_students_notebook_with_the_points_and_without_what_grading_needs(page):
    below = page[page.index('id="notebook"') :]
    words = html.unescape(re.sub("<.*?>", "", below))
    assert "Your answer" in words and 'check("' not in words and 'graded("' not in words
    assert "double-click" not in words and "Grade cell" not in words and "outside this process" not in words
    assert below.count('<a href="#top">↑ Back to the overview</a>') == len(exercises(1)) and "(Top)" not in below
    assert below.count("✗ Not right yet.</span> Your Mul hands each operand its own value.") == 1, "under the code"
    mul = re.search(r'id="mul-graded">(.*?)</p>', below, re.DOTALL)[1]
    assert re.sub(r"<.*?>|\s+", " ", mul).split() == ["0", "of", "2", "points."]


def test_it_says_whose_it_is_and_when_it_was_handed_in(tmp_path):
    (tmp_path / "timestamp.txt").write_text("2026-11-20 17:02:00 UTC")
    told = {"nbgrader": {"student": "<ada>"}, "metadata": {"path": str(tmp_path)}}
    assert who(told) == "<p class='who'>&lt;ada&gt;, handed in 2026-11-20 17:02:00 UTC</p>"
    assert who({"nbgrader": {"student": "ada"}, "metadata": {}}) == "<p class='who'>ada</p>"


def test_it_starts_with_the_first_mistake_and_what_waits_for_it():
    add, mul, neg, _, paths, polynomial = exercises(1)
    waits = right_but_waiting(["Mul"])
    rows = [Row(result(e, f), 0.0, e.title) for e, f in [(add, RIGHT), (mul, WRONG), (neg, WRONG)]]
    rows += [Row(result(e, waits), e.max_score, e.title) for e in (paths, polynomial)]
    text = summary(rows)
    start = text[text.index("<section class='start is-wrong'>") : text.index("</section>")]
    assert "Start here: <a" in start and "Your Mul hands each operand its own value." in start
    assert re.sub("<.*?>", "", start).endswith("Path by path and The polynomial wait for it.")


def test_another_section_is_named_to_be_read_again():
    mul = exercises(1)[1]
    finding = Finding("values", message="It differs.", section="Path by path")
    text = summary([Row(result(mul, finding), 0.0, mul.title)])
    assert 'Read again: the section <a href="#section-path-by-path">Path by path</a>' in text


def test_where_all_is_right_nothing_is_to_be_started_with():
    add, *_ = exercises(1)
    assert "Start here" not in summary([Row(result(add, RIGHT), 2.0, add.title)])


def test_points_given_by_hand_are_no_contradiction():
    mul = exercises(1)[1]
    text = re.sub("<.*?>", "", summary([Row(result(mul, WRONG), mul.max_score, mul.title)]))
    assert "By hand. Your instructor gave these points; the comparison had found:✗ Not right yet." in text
    assert "Start here" not in text


def test_the_bar_is_green_where_all_is_right():
    add, mul, *_ = exercises(1)
    right, wrong = Row(result(add, RIGHT), 2.0, add.title), Row(result(mul, WRONG), 0.0, mul.title)
    assert "class='bar is-right'" in summary([right]) and "class='bar is-note'" in summary([right, wrong])


def test_on_paper_it_has_margins_and_what_is_folded_is_left_out(page):
    assert "@page { margin" in page and "details:not([open]) { display: none; }" in page


@pytest.mark.parametrize("score, width", [(0.0, "0.0"), (1.0, "50.0"), (2.0, "100.0"), (3.0, "100.0")])
def test_a_bar_shows_the_points(score, width):
    add = exercises(1)[0]
    assert f"<div style='width: {width}%'>" in summary([Row(result(add, RIGHT), score, add.title)])


def test_every_link_leads_somewhere_and_headings_are_in_order(page):
    read = Reader(page)
    assert len(read.links) > 10 and set(read.links) <= read.ids
    assert read.levels[0] == 1 and read.levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(read.levels, read.levels[1:]))


def test_it_loads_nothing_and_is_made_for_phones(page):
    read = Reader(page)
    assert not read.tags & {"script", "link", "iframe", "object", "base"}
    loads = {one for one in read.loads if not one.startswith("data:image/svg+xml;base64,")}
    assert loads == {"by-hand.svg"} and "url(" not in page and "@import" not in page
    assert 'name="viewport"' in page and "prefers-color-scheme: dark" in page


def test_a_drawing_keeps_its_size_on_a_phone_and_is_scrolled_by_keyboard_too(page):
    assert re.search(r'<span class="scrolls" tabindex="0"[^>]*><picture>.*?<img [^>]*src="by-hand.svg"', page)
    assert ".scrolls { display: block; overflow-x: auto; }" in page and ".scrolls img { max-width: none; }" in page


def test_of_a_traceback_the_students_lines_are_left(page):
    assert "--&gt; 2 y" in page and "engine.py" not in page and "    1 x" not in page


def test_a_syntax_error_is_left_as_it_is():
    text = ["  Cell In[8], line 2\n    class Pow(Function)\n          ^\nSyntaxError: expected ':'"]
    assert own_lines(text) == text


def test_a_file_that_cannot_be_read_is_one_sentence():
    nb = release_notebook(1)
    reason = "one-step.ipynb cannot be read as a notebook (Notebook does not appear to be JSON: '{\\n …)"
    found = [not_graded(e, f"not graded: {reason}") for e in exercises(1)]
    nb = write_into(nb, Verdict(found, {}, {}), exercises(1))
    nb.metadata["minigrad"] = {"unreadable": reason}
    page = exported(nb)
    assert page.count("cannot be read") == 1 and "one-step.ipynb cannot be read as a notebook.</p>" in page
    assert page.index(">Not graded yet<") < page.index("cannot be read") < page.index("<ol>")
    assert page.index("<ol>") < page.index("Until then: 0 of 16 points.")
    assert "JSON" not in page and "<table" not in page


def test_a_submission_cannot_write_on_the_page():
    add = exercises(1)[0]
    bad = Finding("raised", message="It stopped with <script>alert(1)</script> & $x$")
    words = summary([Row(result(add, bad), 0, add.title, "E: <img src=x onerror=alert(1)>")])
    assert "<script" not in words and "<img" not in words and "$" not in words


@pytest.mark.parametrize("chapter", chapters())
def test_every_formula_of_the_course_becomes_mathml(chapter):
    for cell in release_notebook(chapter).cells:
        if cell.cell_type == "markdown":
            renderer = Renderer(escape=False)
            text = MarkdownWithMath(renderer=renderer).render(cell.source)
            assert all(formula.startswith("<math") for formula in renderer.formulas.values())
            assert not re.search(r"\$\S", re.sub(r"<(pre|code).*?</\1>", "", text, flags=re.DOTALL)), text
            assert not any("\\" in formula for formula in renderer.formulas.values())


@pytest.mark.parametrize(
    "latex",
    [r"\text{<script>alert(1)</script>}", r"\href{javascript:alert(1)}{x}", r"\style{color:red}{x}", "<img src=x>"],
)
def test_a_formula_runs_nothing(latex):
    made = mathml(latex, "inline")
    assert "<script" not in made and "href" not in made and "<img" not in made and "style" not in made.split(">")[0]


def test_it_fits_on_a_phone(page, tmp_path):
    driver = pytest.importorskip("playwright.sync_api")
    if not os.path.exists("/usr/bin/chromium"):
        pytest.skip("there is no Chromium")
    (tmp_path / "page.html").write_text(page)
    with driver.sync_playwright() as started:
        options = {"executable_path": "/usr/bin/chromium", "args": ["--no-sandbox", "--disable-gpu"]}
        shown = started.chromium.launch(**options).new_page(viewport={"width": 390, "height": 844})
        shown.goto(f"file://{tmp_path / 'page.html'}")
        assert shown.evaluate("document.documentElement.scrollWidth") == 390
