"""The picture of a module tells what the module holds."""

import minigrad
from grader import tree

nn = minigrad.nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(minigrad.ones(3))
        self.body = nn.Sequential(nn.Linear(2, 3, bias=False), nn.ReLU())


def test_every_module_and_parameter_has_a_box_and_a_word():
    shown = tree.modules(Net())
    drawn = shown.svg.split("</title>")[1]
    assert all(text in drawn for text in ("Net", "scale", "(3,)", "Sequential", "Linear", "(3, 2)", "ReLU"))
    assert shown.alt == (
        "A tree of modules: Net with scale (3,) and body, a Sequential with 0, a Linear with weight (3, 2) and 1, a ReLU."
    )


def test_no_box_stands_on_another():
    boxes = tree._box("", Net())
    tree._place(boxes, 0, 0)
    places = [(round(box.x, 3), box.depth) for box in boxes.all()]
    assert len(set(places)) == len(places)
