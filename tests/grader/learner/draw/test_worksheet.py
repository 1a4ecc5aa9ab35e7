"""The worksheet knows each gradient, judges what is filled in, and compares what it predicts with what happens."""

import ipywidgets
import numpy as np
import pytest

from grader.learner.draw import live, worksheet


def sheet():
    """Chapter 1's polynomial, shorter: y = 2x⁴ + 5x + 1 at x = 2."""
    return worksheet.Worksheet(x=2, a="x**4", b="2*a", c="5*x", d="b + c", y="d + 1")


def judged(own):
    return {name: own.judged(name) for name in own.steps}


def test_values_slopes_and_local_derivatives():
    own = sheet()
    assert own.values == {"x": 2, "a": 16, "b": 32, "c": 10, "d": 42, "y": 43}
    assert {name: own.slope(name) for name in own.steps} == {"x": 69, "a": 2, "b": 1, "c": 1, "d": 1, "y": 1}
    assert own.local("a", "x") == 32 and own.local("c", "x") == 5
    assert own.users("x") == ["a", "c"] and own.users("y") == []


def test_slopes_are_those_of_finite_differences():
    for name in (own := sheet()).steps:
        h = 1e-4
        ends = [own.computed({name: by})[own.result].real for by in (h, -h)]
        np.testing.assert_allclose(own.slope(name), (ends[0] - ends[1]) / (2 * h), rtol=1e-6)


def test_at_first_the_result_alone_has_its_gradient():
    assert judged(sheet()) == dict.fromkeys("xabcd", "still to be filled in") | {"y": "✓ right"}


def test_what_is_filled_in_is_judged(capsys):
    own = sheet()
    own.gradients(d=1, b=1, c=1, a=4, x=5)
    assert own.judged("b") == "✓ right"
    assert own.judged("a") == "✗ not 4. a goes into b = 2·a: multiply the gradient of b by its local derivative."
    assert own.judged("x") == "✗ not 5. Start at y and go back: a comes first."
    told = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("b = 2·a"))
    assert told.split() == ["b", "=", "2·a", "32", "d", "(×1)", "1", "✓", "right"]
    own.gradients(a=2, x=64)
    assert own.judged("x") == "✗ not 64. That comes through a alone. x goes into a and c: add one product for each."
    own.gradients(x=70)
    assert own.judged("x") == "✗ not 70. x goes into a and c: add one product for each."
    own.gradients(x=69)
    assert set(judged(own).values()) == {"✓ right"}


def test_a_nudge_needs_a_gradient_and_then_shows_whether_it_came_true(capsys):
    own = sheet()
    own.nudge(x=0.1)
    assert capsys.readouterr().out == "First fill in the gradient of x: it makes the prediction.\n"
    own.filled |= {"b": 1, "c": 2, "x": 69}
    own.nudge(b=0.5, c=0.5, x=0.1)
    lines = capsys.readouterr().out.splitlines()
    straight, wrong, bent = lines[:4], lines[4:8], lines[8:]
    assert straight == [
        "b goes from 32 to 32.5.",
        "Predicted change of y: 1 · 0.5 = 0.5.",
        "Change of y: 0.5, from 43 to 43.5.",
        "The prediction came true.",
    ]
    assert wrong[-1] == "They differ: look at this gradient once more."
    assert bent[1].endswith("69 · 0.1 = 6.9.") and bent[3].endswith("the smaller the nudge, the closer to 69.")


def test_a_smaller_nudge_comes_closer():
    own = sheet()
    far, near = (abs((own.computed({"x": by})["y"].real - 43) / by - 69) for by in (0.1, 0.01))
    assert near < far / 5


def test_what_is_no_step_is_said():
    with pytest.raises(ValueError, match="no step q; the steps are x, a, b, c, d, y"):
        sheet().gradients(q=1)
    with pytest.raises(ValueError, match="no step q"):
        sheet().nudge(q=1)
    with pytest.raises(ValueError, match="a = 2\\*b reads b, which is no step above it"):
        worksheet.Worksheet(x=2, a="2*b", b="x + 1")


def test_the_picture_has_local_derivatives_and_no_gradients():
    drawing = sheet().picture()
    assert "×32" in drawing.svg and "value 16" in drawing.svg
    assert "gradient" not in drawing.svg and "69" not in drawing.svg


def test_without_widgets_it_is_a_table_and_says_which_calls_there_are(monkeypatch):
    shown = sheet()._repr_mimebundle_()
    assert set(shown) == {"text/plain", "text/html", "image/svg+xml"}
    assert shown["text/plain"].endswith(worksheet.CALLS) and shown["text/html"].count("<tr>") == 7
    assert "<details" not in shown["text/html"] and "69" not in shown["text/html"]


# ---------------------------------------------------------------------- the fields


def parts(own, kind):
    """The widgets of a kind, in the order in which they stand."""

    def walk(box):
        for child in getattr(box, "children", ()):
            yield child
            yield from walk(child)

    return [child for child in walk(own) if type(child) is kind]


def test_fields_judge_what_is_typed():
    own = sheet()
    box = own.fields(ipywidgets)
    fields = {field.description: field for field in parts(box, ipywidgets.Text)}
    assert list(fields) == [f"gradient of {name}:" for name in "ydcbax"] and fields["gradient of y:"].disabled
    fields["gradient of d:"].value = "1"
    fields["gradient of c:"].value = "−1,5"
    assert own.filled == {"y": 1, "d": 1, "c": -1.5}
    fields["gradient of b:"].value = "one"
    told = [said.value for said in parts(box, ipywidgets.HTML)]
    assert any("✗ not −1.5." in one for one in told) and any("write a number" in one for one in told)
    fields["gradient of c:"].value = ""
    assert own.filled == {"y": 1, "d": 1}


def test_the_slider_nudges_the_step_that_is_chosen():
    own = sheet()
    own.filled["c"] = 1
    box = own.fields(ipywidgets)
    (choice,), (slider,) = parts(box, ipywidgets.Dropdown), parts(box, ipywidgets.FloatSlider)
    happens = box.children[-1]
    assert "Move the slider" in happens.value
    slider.value = 0.25
    assert "First fill in the gradient of x" in happens.value
    choice.value = "c"
    assert "c goes from 10 to 10.25." in happens.value and "came true" in happens.value


# ---------------------------------------------------------------------- where there are widgets, and where not


def test_a_notebook_gets_the_widget_and_what_stands_still(monkeypatch):
    monkeypatch.setattr("IPython.get_ipython", lambda: type("Shell", (), {"kernel": object()}))
    shown = live.bundle({"text/plain": "still"}, lambda widgets: widgets.IntSlider())
    assert set(shown) == {"text/plain", live.VIEW}


def test_without_ipywidgets_nothing_fails(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ipywidgets", None)
    assert live.bundle({"text/plain": "still"}, lambda widgets: 1 / 0) == {"text/plain": "still"}


def test_a_terminal_gets_what_stands_still(monkeypatch):
    monkeypatch.setattr("IPython.get_ipython", lambda: None)
    assert live.bundle({"text/plain": "still"}, lambda widgets: 1 / 0) == {"text/plain": "still"}
