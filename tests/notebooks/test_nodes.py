"""The picture of a graph's nodes says what the graph holds, to every reader."""

import re
from xml.etree import ElementTree as xml

import minigrad
from grader import nodes

SVG = "{http://www.w3.org/2000/svg}"


def leaf():
    return minigrad.tensor([1.0, 2.0], requires_grad=True)


def test_every_node_and_edge_is_said():
    y = leaf() + 2
    assert nodes.below((y * y * 3).mean().grad_fn).alt == (
        "A graph of 5 nodes, newest first. 1: MeanBackward0, with edges to 2; 2: MulBackward0, with edges to 3 and None; "
        "3: MulBackward0, with edges to 4 and 4; 4: AddBackward0, with edges to 5 and None; 5: AccumulateGrad."
    )


def test_a_node_is_drawn_once_though_several_lead_to_it():
    x = leaf()
    y = x * x
    drawing = xml.fromstring(nodes.below((y * (y * 3)).grad_fn).svg)
    words = [text.text for text in drawing.iter(f"{SVG}text")]
    assert words.count("MulBackward0") == 3 and words.count("AccumulateGrad") == 1 and words.count("None") == 1


def test_a_leaf_alone_can_be_drawn():
    assert re.search(
        "1 node, newest first. 1: AccumulateGrad", nodes.below(minigrad.function.gradient_edge(leaf())).alt
    )
