"""A computation by hand: the gradients are the learner's to fill in, and a nudge shows whether they come true.

    sheet = worksheet.Worksheet(x=2, a="x**4", b="2*a", y="b + 1")
    sheet                       # in a notebook: a field for each gradient, and a slider
    sheet.gradients(b=1, a=2)   # the same as calls: by keyboard, in a terminal, with a screen reader
    sheet.nudge(x=0.1)

It needs no engine: each formula is run as it stands.
"""

from __future__ import annotations

import contextlib
import html
import math
import re
from collections.abc import Mapping
from typing import Any

from . import drawing, live
from .figure import number
from .picture import RAISED

TINY = 1e-20  # f(x + TINY·i) has the slope of f at x as its imaginary part, divided by TINY: nothing is rounded away
NUDGES = (-0.5, 0.5, 0.01)  # the slider's least, most and step
CALLS = "Fill in a gradient with .gradients(name=number); then see what it predicts with .nudge(name=how far)."
LETTER = 8  # pixels, of a widget's description


class Worksheet:
    """Steps of single numbers, each from those above it; the last is the result, whose gradient is 1.

    Args:
        steps: name → the value of a leaf, or the formula of a step, as Python writes it.

    Raises:
        ValueError: a formula reads something that is no step above it.
    """

    def __init__(self, **steps: float | str) -> None:
        self.steps = steps
        self.result = list(steps)[-1]
        self.values = {name: value.real for name, value in self.computed({}).items()}
        self.filled: dict[str, float] = {self.result: 1.0}

    # ------------------------------------------------------------------ what is true

    def computed(self, nudges: Mapping[str, complex]) -> dict[str, complex]:
        """Each step's value, when some steps are nudged."""
        values: dict[str, complex] = {}
        for name in self.steps:
            values[name] = self.step(name, values) + nudges.get(name, 0)
        return values

    def step(self, name: str, values: Mapping[str, complex]) -> complex:
        """The step's formula, run on the values of those above it."""
        try:
            return complex(eval(str(self.steps[name]), {"__builtins__": {}}, dict(values)))
        except NameError as error:
            raise ValueError(f"{name} = {self.steps[name]} reads {error.name}, which is no step above it.") from None

    def slope(self, name: str) -> float:
        """The gradient of a step: how fast the result changes with it."""
        return self.computed({name: TINY * 1j})[self.result].imag / TINY

    def local(self, name: str, below: str) -> float:
        """The local derivative: how fast a step changes with one that it is made from."""
        return self.step(name, self.values | {below: self.values[below] + TINY * 1j}).imag / TINY

    def users(self, name: str) -> list[str]:
        """The steps whose formulas read this one."""
        return [user for user, formula in self.steps.items() if re.search(rf"\b{name}\b", str(formula))]

    # ------------------------------------------------------------------ what is said

    def formula(self, name: str) -> str:
        """`b = 2·a`; a leaf is its name."""
        if not isinstance(self.steps[name], str):
            return name
        powers = re.sub(r"\s*\*\*\s*(\d+)", lambda found: found[1].translate(RAISED), str(self.steps[name]))
        products = re.sub(r"\s*\*\s*", "·", powers)
        return f"{name} = {products}"

    def judged(self, name: str) -> str:
        """What is to be said of the gradient that was filled in."""
        if name not in self.filled:
            return "still to be filled in"
        mine = self.filled[name]
        if math.isclose(mine, self.slope(name), rel_tol=1e-6, abs_tol=1e-9):
            return "✓ right"
        users = self.users(name)
        ahead = [user for user in users if self.judged(user) != "✓ right"]
        if ahead:
            return f"✗ not {number(mine)}. Start at {self.result} and go back: {ahead[0]} comes first."
        if len(users) == 1:
            (user,) = users
            return (
                f"✗ not {number(mine)}. {name} goes into {self.formula(user)}: multiply the gradient of {user} by "
                f"its local derivative."
            )
        alone = [user for user in users if math.isclose(mine, self.slope(user) * self.local(user, name))]
        through = f"That comes through {alone[0]} alone. " if alone else ""
        listed = f"{', '.join(users[:-1])} and {users[-1]}"
        return f"✗ not {number(mine)}. {through}{name} goes into {listed}: add one product for each."

    def told(self, name: str, by: float) -> str:
        """What the learner's gradient predicts of a nudge, and what happens."""
        if name not in self.filled:
            return f"First fill in the gradient of {name}: it makes the prediction."
        mine, before, after = self.filled[name], self.values[self.result], self.computed({name: by})[self.result].real
        at = self.values[name]
        lines = [
            f"{name} goes from {number(at)} to {number(at + by)}.",
            f"Predicted change of {self.result}: {number(mine)} · {number(by)} = {number(mine * by)}.",
            f"Change of {self.result}: {number(after - before)}, from {number(before)} to {_precise(after)}.",
        ]
        if math.isclose(mine * by, after - before, rel_tol=1e-9, abs_tol=1e-12):
            return "\n".join([*lines, "The prediction came true."])
        if self.judged(name) != "✓ right":
            return "\n".join([*lines, "They differ: look at this gradient once more."])
        rate = f"That is {number((after - before) / by)} for each 1 of the nudge;"
        return "\n".join([*lines, f"{rate} the smaller the nudge, the closer to {number(mine)}."])

    # ------------------------------------------------------------------ as calls

    def gradients(self, **mine: float) -> None:
        """Fill in gradients, name=number, and print what is right so far.

        Raises:
            ValueError: there is no such step.
        """
        self.known(mine)
        self.filled |= mine
        print(self.table().text())

    def nudge(self, **by: float) -> None:
        """Nudge steps, name=how far, one after the other; print what your gradient predicts, and what happens.

        Raises:
            ValueError: there is no such step.
        """
        self.known(by)
        for name, far in by.items():
            print(self.told(name, far))

    def known(self, names: Mapping[str, float]) -> None:
        """Refuse names that are no steps.

        Raises:
            ValueError: there is no such step.
        """
        for name in names:
            if name not in self.steps:
                raise ValueError(f"There is no step {name}; the steps are {', '.join(self.steps)}.")

    # ------------------------------------------------------------------ as a picture, a table and fields

    def table(self) -> drawing.Table:
        """The steps from the result down, with what was filled in."""
        rows = [
            (self.formula(name), number(self.values[name]), self.flows(name), self.shown(name), self.judged(name))
            for name in reversed(self.steps)
        ]
        return drawing.Table(("step", "value", "goes into", "your gradient", "is it right?"), rows)

    def flows(self, name: str) -> str:
        """Where a step goes, with the local derivatives: `d (×1)`."""
        return ", ".join(f"{user} (×{number(self.local(user, name))})" for user in self.users(name)) or "–"

    def shown(self, name: str) -> str:
        """The gradient that was filled in."""
        return number(self.filled[name]) if name in self.filled else "…"

    def picture(self) -> drawing.Drawing:
        """The graph with values and local derivatives, and without gradients."""
        looks = {name: "result" if isinstance(formula, str) else "leaf" for name, formula in self.steps.items()}
        boxes = [
            drawing.Box(name, [self.formula(name), f"value {number(self.values[name])}"], looks[name])
            for name in self.steps
        ]
        arrows = [
            drawing.Arrow(name, user, f"×{number(self.local(user, name))}")
            for user in self.steps
            for name in self.steps
            if user in self.users(name)
        ]
        end = f"{self.result} = {number(self.values[self.result])}"
        alt = f"A graph of {len(self.steps)} steps, the last of which is {end}. A table says what is in it."
        return drawing.draw(boxes, arrows, alt, self.table())

    def __str__(self) -> str:
        return f"{self.table().text()}\n{CALLS}"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """The table, the picture and, where it can be had, the widget."""
        page = f"{self.table().html()}<p>{CALLS}</p>"
        still = {"text/plain": str(self), "text/html": page, "image/svg+xml": self.picture().svg}
        return live.bundle(still, self.fields)

    def fields(self, widgets: Any) -> Any:
        """A field for each gradient, from the result down, and a slider that nudges one step."""
        says = {name: widgets.HTML(_said(self.judged(name)), layout=BESIDE) for name in self.steps}
        nudged = widgets.Dropdown(options=list(self.steps), description="Nudge", layout={"width": "150px"})
        least, most, step = NUDGES
        slider = widgets.FloatSlider(
            min=least, max=most, step=step, description="by", readout_format=".2f", continuous_update=True
        )
        happens = widgets.HTML()
        wide = LETTER * max(len(f"gradient of {name}") for name in self.steps)  # all fields below one another

        def look(change: object = None) -> None:
            for name, said in says.items():
                said.value = _said(self.judged(name))
            happens.value = _said(self.told(nudged.value, slider.value) if slider.value else "Move the slider.")

        def row(name: str) -> Any:
            field = widgets.Text(
                value=self.shown(name).replace("…", ""),
                description=f"gradient of {name}:",
                disabled=name == self.result,
                continuous_update=False,
                style={"description_width": f"{wide}px"},
                layout={"width": f"{wide + 100}px"},
            )

            def fill(change: dict[str, str]) -> None:
                self.filled.pop(name, None)
                with contextlib.suppress(ValueError):
                    self.filled[name] = float(change["new"].replace("−", "-").replace(",", "."))
                look()
                if change["new"].strip() and name not in self.filled:
                    says[name].value = _said("✗ write a number, such as 2 or 0.5")

            field.observe(fill, "value")
            value = f", value {number(self.values[name])}"
            into = f"; goes into {self.flows(name)}" if self.users(name) else ""
            step = widgets.HTML(f"<b>{self.formula(name)}</b>{value}{into}", layout={"width": "270px"})
            return widgets.HBox([step, field, says[name]], layout=WRAP)

        nudged.observe(look, "value")
        slider.observe(look, "value")
        look()
        return widgets.VBox([*map(row, reversed(self.steps)), widgets.HBox([nudged, slider], layout=WRAP), happens])


BESIDE = {"flex": "1 1 11em"}  # what is said stays right of its field, in lines of its own, as long as there is room
WRAP = {"flex_flow": "row wrap", "align_items": "center"}  # on a narrow screen, one below the other


def _said(text: str) -> str:
    """A sentence for a widget, which a screen reader says when it changes."""
    return f'<div role="status" style="line-height: 1.5; white-space: pre-line">{html.escape(text)}</div>'


def _precise(value: float) -> str:
    """A result in six digits: a small change of it should be seen."""
    return f"{value:.6g}".replace("-", "−")
