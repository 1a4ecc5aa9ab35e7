"""The picture of a module tells what the module holds."""

import minigrad
from grader.learner.draw import tree

nn = minigrad.nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(minigrad.ones(3))
        self.body = nn.Sequential(nn.Linear(2, 3, bias=False), nn.ReLU())


def test_every_module_and_parameter_has_a_box_and_a_row():
    shown = tree.modules(Net())
    drawn = shown.svg.split("</title>")[1]
    assert all(f">{text}<" in drawn for text in ("Net", "scale", "(3,)", "Sequential", "Linear", "(3, 2)", "ReLU"))
    assert shown.table.rows == [
        ("the module itself", "Net"),
        ("scale", "(3,)"),
        ("body", "Sequential"),
        ("body.0", "Linear"),
        ("body.0.weight", "(3, 2)"),
        ("body.1", "ReLU"),
    ]


def test_the_description_counts_them():
    assert tree.modules(Net()).alt == "A tree of modules: Net with 3 modules and 2 parameters inside."
