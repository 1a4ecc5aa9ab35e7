"""A learner in JupyterLab: opens a chapter, answers wrongly, reads why, answers rightly, and validates."""

import time

import pytest

from grader.ask.exercise import AUTOGRAD
from grader.chapters import exercises
from grader.chapters.answers import BANK
from grader.classroom import demo
from grader.publish.course import chapters, notebook_name
from grader.verdict.render import plain

from ..grader.deserves import having
from .accessibility import findings
from .conftest import ROOT
from .lab import Notebook


def answers(chapter):
    """The chapter's first exercise, a right answer to it, and a wrong one with the sentence that explains it."""
    exercise = exercises(chapter)[0]
    (sample,) = having(BANK[exercise.name][:1], chapter).values()
    right = demo.notebook_of(demo.Sample("right", "", take=(exercise.name,), base="release"), chapter)
    source = next(cell.source for cell in right.cells if demo.grade_id(cell) == exercise.name)
    return exercise, source, sample.cells[exercise.name], sample.about


def agreed(exercise):
    """Part → what a right answer to it is the same as, as a check says it."""
    return {part: exercise.agrees.get(part, AUTOGRAD) for part in exercise.points}


def says_right(said, exercise):
    """Whether a card says of an exercise's first part that it is right, and nothing else."""
    words = next(iter(agreed(exercise).values()))
    return f"right. {words[:1].upper()}{words[1:]}" in said and "not right" not in said


@pytest.mark.parametrize("chapter", chapters(ROOT))
def test_a_chapter_opens_runs_and_answers(page, lab, chapter, capsys):
    exercise, right, wrong, why = answers(chapter)
    lab.wait_for_spare()
    with Notebook(page, lab, f"notebooks/chapter{chapter}/{notebook_name(chapter)}") as notebook:
        notebook.run_all()  # as far as the first check, which says that there is something to do
        solution, check = notebook.number(exercise.name), notebook.number(source=f'check("{exercise.name}")')
        assert "not done yet" in notebook.output(check)
        with capsys.disabled():
            print(f"\nchapter {chapter}: first check {time.monotonic() - notebook.began:.1f} s after it was opened")
        assert "NotRight: " in notebook.output(check)

        notebook.type(solution, wrong)
        said = notebook.run(check)
        assert "not right yet" in said and plain(why).replace("`", "") in said

        notebook.type(solution, right)
        said = notebook.run(check)
        assert says_right(said, exercise)
        assert "NotRight" not in said
        assert "Traceback" not in said


def test_the_first_notebook_leads_to_the_others_and_says_what_is_done(page, lab):
    with Notebook(page, lab, f"notebooks/chapter0/{notebook_name(0)}") as notebook:
        exercise, right, _, _ = answers(0)
        notebook.run(notebook.number("setup"))
        notebook.type(notebook.number(exercise.name), right)
        notebook.run(notebook.number(source=f'check("{exercise.name}")'))
        shown = notebook.number("progress")
        said = notebook.run(shown)
        assert "●○ 1 of 2" in said and "Go on with chapter 0 · Welcome, exercise “average”." in said
        assert len(said.splitlines()) >= 11
        notebook.cell(shown).get_by_role("link", name="Computing gradients").click()
        page.wait_for_function(
            "name => window.jupyterapp.shell.currentWidget?.context?.path?.endsWith(name)", arg=notebook_name(5)
        )


def test_what_instructors_do_with_notebooks_is_not_shown_to_learners(page, lab):
    with Notebook(page, lab, f"notebooks/chapter0/{notebook_name(0)}"):
        commands = page.evaluate("() => window.jupyterapp.commands.listCommands().filter(c => c.includes('nbgrader'))")
        assert "nbgrader:validate-assignment" in commands or page.get_by_text("Validate", exact=True).count()
        words = page.locator("body").inner_text()
        assert "Create Assignment" not in words and "Formgrader" not in words


def test_validate_lists_what_is_still_to_be_done(page, lab):
    with Notebook(page, lab, f"notebooks/chapter0/{notebook_name(0)}") as notebook:
        first, *others = exercises(0)
        notebook.type(notebook.number(first.name), answers(0)[1])
        said = notebook.validate()
        assert f'check("{first.name}")' not in said
        for other in others:
            assert f'check("{other.name}")' in said and "NotRight: " in said
        assert "Traceback" not in said


def test_a_notebook_that_another_program_changed_is_not_lost(page, lab, course):
    path = f"notebooks/chapter0/{notebook_name(0)}"
    with Notebook(page, lab, path) as notebook:
        notebook.type(notebook.number(exercises(0)[0].name), "mine = 1")
        changed = (course / path).read_text("utf-8").replace("Shift+Enter", "Control+Enter")
        time.sleep(1)  # the file's time is what JupyterLab compares
        (course / path).write_text(changed, "utf-8")
        page.keyboard.press("Control+S")
        dialogue = page.locator(".jp-Dialog-content")
        dialogue.wait_for()
        assert "changed" in dialogue.inner_text()
        dialogue.get_by_role("button", name="Cancel").click()
        assert (course / path).read_text("utf-8") == changed


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast"])
def test_the_card_of_a_check_can_be_read_by_everybody(page, lab, theme):
    with Notebook(page, lab, f"notebooks/chapter1/{notebook_name(1)}") as notebook:
        notebook.theme(theme)
        notebook.run(notebook.number("setup"))
        notebook.type(notebook.number("add"), answers(1)[1])
        assert "right. The same" in notebook.run(done := notebook.number(source='check("add")'))
        notebook.cell(done).locator(".jp-OutputArea-output").first.evaluate("node => node.id = 'right'")
        assert findings(page, "#right") == []
        check = notebook.number(source='check("mul")')
        notebook.type(notebook.number("mul"), having(BANK["mul"], 1)["mul-own-value"].cells["mul"])
        notebook.run(check)
        card = notebook.cell(check).locator(".jp-OutputArea-output").first  # below it, the line of NotRight
        card.get_by_text("The numbers").click()
        assert "largest difference" in card.inner_text()
        card.evaluate("node => node.id = 'card'")
        assert findings(page, "#card") == []
        page.keyboard.press("Control+B")  # without the list of files
        for width in (1280, 600):
            page.set_viewport_size({"width": width, "height": 900})
            words = card.locator("p").first
            assert words.evaluate("node => node.scrollWidth <= node.clientWidth")
        card.get_by_role("link", name="“Mul”").click()
        page.wait_for_function(
            "() => [...document.querySelectorAll('h2')].some(h => h.textContent.startsWith('Mul')"
            " && h.getBoundingClientRect().top >= 0 && h.getBoundingClientRect().top < innerHeight)"
        )


def test_the_picture_of_a_check(page, lab, pictures):
    page.set_viewport_size({"width": 1240, "height": 1400})
    with Notebook(page, lab, f"notebooks/chapter1/{notebook_name(1)}") as notebook:
        notebook.theme("JupyterLab Light")
        notebook.run(notebook.number("setup"))
        solution, check = notebook.number("mul"), notebook.number(source='check("mul")')
        wrong = having(BANK["mul"], 1)["mul-own-value"].cells["mul"]
        notebook.type(solution, wrong)
        assert "hands each operand its own value" in notebook.run(check)
        page.keyboard.press("Control+B")  # without the list of files
        notebook.cell(notebook.number("mul-graded"))
        boxes = [page.locator(f".jp-Cell[data-windowed-list-index='{n}']").bounding_box() for n in (solution, check)]
        top, bottom = boxes[0]["y"] - 4, boxes[1]["y"] + boxes[1]["height"] + 4
        pictures(page, "learner/pictures/check.png", clip={**boxes[0], "y": top, "height": bottom - top})
