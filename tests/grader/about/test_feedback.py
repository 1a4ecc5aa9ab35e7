"""The student's page says what was found, in words; it loads nothing, and fits on a phone."""

import html
import os
import re
from dataclasses import replace
from html.parser import HTMLParser

import nbformat
import pytest
from nbconvert.filters.markdown_mistune import MarkdownWithMath
from traitlets.config import Config

from grader.about.feedback import Explain, FeedbackExporter, Renderer, Row, own_lines, summary, who
from grader.chapters import exercises
from grader.classroom.autograded import write_into
from grader.learner.card import Card
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


def row(exercise, finding):
    found = result(exercise, finding)
    number = exercises(exercise.chapter).index(exercise) + 1
    return Row(found, found.score, exercise.title, number)


def words(text):
    """What is read of a page."""
    inline = re.sub(r"</?(?:a|code|span|strong)\b.*?>", "", text)
    return " ".join(html.unescape(re.sub("<.*?>", " ", inline)).split())


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
    text = words(summary([row(polynomial, Finding("not done", message=said))]))
    assert "not done yet. Pow is not there: no cell that ran defines it." in text


def test_it_goes_by_exercises_and_their_parts_in_the_notebooks_order():
    nb = release_notebook(2)
    rows = [row(exercise, RIGHT) for exercise in exercises(2)]
    found = {"Sum": TODO, "Mean": RIGHT}
    results = [r.result if r.result.exercise != "sum-mean" else replace(r.result, findings=found) for r in rows]
    nb = nbformat.reads(nbformat.writes(write_into(nb, Verdict(results, {}, {}), exercises(2))), as_version=4)
    top = words(exported(nb, 2).partition('id="notebook"')[0])
    parts = [
        "Exercise 1 · Div",
        "Exercise 2",
        "Exercise 3 · Sum and Mean",
        "Sum: not done",
        "Mean: right",
        "Exercise 4",
    ]
    top = top[top.index("compared with torch.autograd") :]
    assert [top.index(part) for part in parts] == sorted(top.index(part) for part in parts)


def test_what_did_not_end_is_a_sentence_that_says_what_to_do():
    mul = exercises(1)[1]
    hung = "not graded: your code for it was still running after 10 seconds of processor time"
    paths = next(exercise for exercise in exercises(1) if exercise.name == "paths")
    text = summary([Row(not_graded(mul, hung), 0.0, mul.title, 2), row(paths, right_but_waiting(["Mul"]))])
    assert "<section class='start'>" in text and "○&nbsp;</span>Not graded</strong>" in text
    assert "Path by path</a> waits for it." in text
    said = "Mul: not graded. Your code for it was still running after 10 seconds of processor time. Look for"
    assert said in words(text)
    other = words(summary([Row(not_graded(mul, "not graded: mul.py was damaged."), 0.0, mul.title, 2)]))
    assert "Mul: not graded. mul.py was damaged." in other and "Look for" not in other


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
    assert "Pow: not right yet.</strong> Your cell stopped with <code>NameError: y</code> (line 2)." in top
    said = words(top)
    assert "Exercise 1 · Add ✓ Right 2 of 2 points" in said, "a line is enough"
    assert said.count("Mul: not right yet. Your Mul hands each operand its own value.") == 1
    assert said.count("It ran out of time.") == 1 and "not graded. As for Exercise 5 · Path by path." in said


def test_a_verdict_is_the_box_that_a_check_answers_with(page):
    check = Card(result(exercises(1)[1], WRONG)).html()
    assert check.replace('href="#Mul"', 'href="#section-mul"') in page


def test_below_is_the_students_notebook_with_the_points_and_without_what_grading_needs(page):
    below = page[page.index('id="notebook"') :]
    said = html.unescape(re.sub("<.*?>", "", below))
    assert "Your answer" in said and 'check("' not in said and 'graded("' not in said
    assert "double-click" not in said and "Grade cell" not in said and "outside this process" not in said
    assert below.count('<a href="#top">↑ Back to the overview</a>') == len(exercises(1)) and "(Top)" not in below
    mul = re.search(r'id="mul-graded">(.*?)</p>', below, re.DOTALL)[1]
    assert words(mul) == "✗ Not right yet: 0 of 2 points. What was found" and "href='#found-mul'" in mul
    assert "hands each operand" not in below, "it is said at the top"


def test_it_says_whose_it_is_and_when_it_was_handed_in(tmp_path):
    (tmp_path / "timestamp.txt").write_text("2026-11-20 17:02:00 UTC")
    told = {"nbgrader": {"student": "<ada>"}, "metadata": {"path": str(tmp_path)}}
    assert who(told) == "<p class='who'>&lt;ada&gt;, handed in 2026-11-20 17:02:00 UTC</p>"
    assert who({"nbgrader": {"student": "ada"}, "metadata": {}}) == "<p class='who'>ada</p>"


def test_it_starts_with_the_first_mistake_and_what_waits_for_it():
    add, mul, neg, _, paths, polynomial = exercises(1)
    waits = right_but_waiting(["Mul"])
    rows = [row(add, RIGHT), row(mul, WRONG), row(neg, WRONG), row(paths, waits), row(polynomial, waits)]
    text = summary(rows)
    start = text[text.index("<section class='start'>") : text.index("</section>")]
    follow = "Exercise 5 · Path by path and Exercise 6 · The polynomial wait for it."
    assert words(start) == f"Start here: Exercise 2 · Mul ✗ Not right yet. {follow}"
    assert "Start here: <a href='#found-mul'>" in start


def test_the_section_to_read_again_is_a_link_to_it():
    finding = Finding("values", message="It differs.", section="Path by path")
    text = summary([row(exercises(1)[1], finding)])
    assert 'Read again: the section <a href="#section-path-by-path">“Path by path”</a>' in text


def test_where_all_is_right_nothing_is_to_be_started_with():
    add, *_ = exercises(1)
    assert "Start here" not in summary([row(add, RIGHT)])


def test_points_given_by_hand_are_no_contradiction():
    mul = exercises(1)[1]
    text = words(summary([Row(result(mul, WRONG), mul.max_score, mul.title, 2)]))
    assert "By hand: your instructor gave these points. The comparison had found: ✗ Mul: not right yet." in text
    assert "Start here" not in text


def test_the_bar_is_green_where_all_is_right():
    add, mul, *_ = exercises(1)
    right, wrong = row(add, RIGHT), row(mul, WRONG)
    assert "class='bar is-right'" in summary([right]) and "class='bar is-note'" in summary([right, wrong])


def test_on_paper_it_has_margins_and_what_is_folded_is_left_out(page):
    assert "@page { margin" in page and "details:not([open]) { display: none; }" in page


@pytest.mark.parametrize("score, width", [(0.0, "0.0"), (1.0, "50.0"), (2.0, "100.0"), (3.0, "100.0")])
def test_a_bar_shows_the_points(score, width):
    add = exercises(1)[0]
    assert f"<div style='width: {width}%'>" in summary([Row(result(add, RIGHT), score, add.title, 1)])


def test_every_link_leads_somewhere_and_headings_are_in_order(page):
    read = Reader(page)
    assert len(read.links) > 10 and set(read.links) <= read.ids
    assert read.levels[0] == 1 and read.levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(read.levels, read.levels[1:]))


def test_it_loads_nothing_and_is_made_for_phones(page):
    read = Reader(page)
    assert not read.tags & {"script", "link", "iframe", "object", "base"}
    loads = {one for one in read.loads if not one.startswith("data:image/svg+xml;base64,")}
    assert loads == {"by-hand.svg"} and "@import" not in page
    assert re.findall(r"url\(.{20}", page) == ["url(data:font/woff;base6"], "the font of formulas, and no other"
    assert "font-src data:" in page
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
    text = summary([Row(result(add, bad), 0, add.title, 1, "E: <img src=x onerror=alert(1)>")])
    assert "<script" not in text and "<img" not in text and "$" not in text


@pytest.mark.parametrize("chapter", chapters())
def test_every_formula_of_the_course_becomes_mathml(chapter):
    for cell in release_notebook(chapter).cells:
        if cell.cell_type == "markdown":
            renderer = Renderer(escape=False)
            text = MarkdownWithMath(renderer=renderer).render(cell.source)
            assert all(formula.startswith("<math") for formula in renderer.formulas.values())
            assert not re.search(r"\$\S", re.sub(r"<(pre|code).*?</\1>", "", text, flags=re.DOTALL)), text
            assert not any("\\" in formula for formula in renderer.formulas.values())
            assert not any("<mi>&amp;</mi>" in formula for formula in renderer.formulas.values()), (
                "lines of an environment"
            )


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
