"""What a learner moves – the worksheet's fields and slider, the stepper's slider – by keyboard, on any screen."""

import pytest

from grader.publish.course import notebook_name

from .accessibility import findings
from .lab import Notebook

THEMES = ["JupyterLab Light", "JupyterLab Dark"]
NAMELESS = ["aria-input-field-name"]  # ipywidgets gives a slider's handle no name: the calls beside it say the same
BY_HAND = {"i": 1, "h": 1, "g": 1, "f": 1, "e": 3, "d": 1, "c": 1, "b": 1, "a": 2, "x": 93}


def fits(output):
    """Whether no sentence, field or drawing of an output is cut off at the right; a table may scroll by itself."""
    return output.evaluate("""node => [...node.querySelectorAll('img, input, [role=status]')].every(
        one => one.getBoundingClientRect().right <= node.getBoundingClientRect().right + 1)""")


@pytest.mark.parametrize("theme", THEMES)
def test_the_worksheet_judges_what_is_typed_and_its_slider_keeps_the_prediction(page, lab, theme):
    with Notebook(page, lab, f"notebooks/chapter1/{notebook_name(1)}") as notebook:
        notebook.theme(theme)
        notebook.run(notebook.number("by-hand"))
        shown = notebook.cell(notebook.number("by-hand")).locator(".jp-OutputArea-output")
        shown.get_by_label("gradient of i:").fill("2")
        page.keyboard.press("Enter")
        shown.get_by_text("✗ not 2. i goes into y = i + 1").wait_for()
        for name, gradient in BY_HAND.items():
            shown.get_by_label(f"gradient of {name}:").fill(str(gradient))
            page.keyboard.press("Enter")
        page.wait_for_function("() => document.body.innerText.split('✓ right').length === 12")
        shown.get_by_role("slider").focus()
        page.keyboard.press("ArrowRight")
        shown.get_by_text("Predicted change of y: 93 · 0.01 = 0.93.").wait_for()
        shown.evaluate("node => node.id = 'sheet'")
        assert findings(page, "#sheet", skip=NAMELESS) == []
        page.keyboard.press("Control+B")  # without the list of files
        page.set_viewport_size({"width": 390, "height": 900})
        assert fits(shown)


@pytest.mark.parametrize("theme", THEMES)
def test_the_stepper_goes_through_the_learners_pass_by_keyboard(page, lab, theme):
    with Notebook(page, lab, f"solutions/chapter3/{notebook_name(3)}") as notebook:
        notebook.theme(theme)
        notebook.run_all()
        shown = notebook.cell(notebook.number("your-traversal")).locator(".jp-OutputArea-output").last
        slider = shown.get_by_role("slider")
        slider.focus()
        page.keyboard.press("ArrowRight")
        shown.get_by_text("Step 2: node 2, MulBackward0, takes 4").wait_for()
        page.keyboard.press("ArrowLeft")
        shown.get_by_text("Step 1: node 1, MulBackward0, takes 1").wait_for()
        shown.get_by_text("The same as a table").click()
        shown.get_by_role("cell", name="1 of 2", exact=True).wait_for()
        shown.evaluate("node => node.id = 'steps'")
        assert findings(page, "#steps", skip=NAMELESS) == []
        page.keyboard.press("Control+B")  # without the list of files
        page.set_viewport_size({"width": 390, "height": 900})
        assert fits(shown)
