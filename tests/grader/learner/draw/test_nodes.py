"""The picture of a tensor's graph, and of a pass through it, says what there is, to every reader."""

from xml.etree import ElementTree as xml

import ipywidgets
import pytest

import minigrad
from grader.learner.draw import nodes
from minigrad import workshop

SVG = "{http://www.w3.org/2000/svg}"


def leaf(value=(1.0, 2.0)):
    return minigrad.tensor(value, requires_grad=True)


def rows(drawing):
    return [list(row) for row in drawing.table.rows]


def words(svg):
    return [text.text for text in xml.fromstring(svg).iter(f"{SVG}text")]


# ---------------------------------------------------------------------- a graph


def test_every_node_edge_value_and_saved_tensor_is_said():
    x = leaf()
    y = x + 2
    drawing = nodes.draw((y * y * 3).mean(), x=x, y=y)
    assert rows(drawing) == [
        ["1 MeanBackward0", "2", "value = 37.5", "saves nothing", "–"],
        ["2 MulBackward0", "3 and None", "shape (2,), not kept", "saves input 2 = 3", "–"],
        ["3 MulBackward0", "4 and 4", "shape (2,), not kept", "saves y = [3, 4]", "–"],
        ["4 AddBackward0", "5 and None", "y = [3, 4]", "saves nothing", "–"],
        ["5 AccumulateGrad", "–", "leaf: x = [1, 2]", "–", "no gradient yet"],
    ]
    drawn = words(drawing.svg)
    for title, _, *cells in drawing.table.rows:
        assert title in drawn and all(cell in drawn for cell in cells if cell != "–")
    assert drawn.count("None") == 2


def test_a_saved_value_without_a_name_is_told_by_the_node_that_made_it():
    x = leaf()
    assert rows(nodes.draw(x.exp().sin()))[:2] == [
        ["1 SinBackward0", "2", "value = [0.4108, 0.8939]", "saves value of 2 = [2.718, 7.389]", "–"],
        ["2 ExpBackward0", "3", "value = [2.718, 7.389]", "saves its value = [2.718, 7.389]", "–"],
    ]


def test_of_many_numbers_the_shape_is_shown():
    w = minigrad.ones(3, 4, requires_grad=True)
    drawing = nodes.draw((w * w).sum(), w=w)
    assert rows(drawing)[1][3] == "saves w, shape (3, 4)" and rows(drawing)[2][2] == "leaf: w, shape (3, 4)"


def test_gradients_and_freed_parts_show_after_backward():
    x = leaf()
    y = x * x
    y.retain_grad()
    out = (y + 1).sum()
    out.backward()
    drawing = nodes.draw(out, y=y)
    assert [row[3:] for row in rows(drawing)] == [
        ["saves nothing", "–"],
        ["saves nothing", "–"],
        ["freed what it saved", "gradient = [1, 1]"],
        ["–", "gradient = [2, 4]"],
    ]
    assert drawing.alt.startswith(
        "A graph of 4 nodes, the newest first, that ends at 1 leaf; freed is what 1 node saved."
    )
    dashed = [r for r in xml.fromstring(drawing.svg).iter(f"{SVG}rect") if r.get("stroke-dasharray")]
    assert len(dashed) == 1


def test_a_saved_value_that_was_changed_in_place_is_said():
    x = leaf()
    y = x + 1
    out = y * y
    y += 1
    assert rows(nodes.draw(out))[0][3] == "saved a value that has changed"


def test_a_node_is_drawn_once_though_several_lead_to_it():
    x = leaf()
    y = x * x
    drawn = words(nodes.draw(y * (y * 3)).svg)
    titles = [text for text in drawn if text.endswith(("Backward0", "AccumulateGrad"))]
    assert len(titles) == len(set(titles)) == 4


def test_a_leaf_alone_can_be_drawn():
    assert rows(nodes.draw(leaf())) == [["1 AccumulateGrad", "–", "leaf: value = [1, 2]", "–", "no gradient yet"]]


def test_operations_of_ones_own_can_be_drawn():
    class Double(minigrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    assert rows(nodes.draw(Double.apply(leaf())))[0][:1] == ["1 DoubleBackward"]


def test_drawing_changes_nothing():
    x = leaf()
    out = (x * x).sum()
    nodes.draw(out)
    out.backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_what_cannot_be_drawn_is_said():
    with pytest.raises(ValueError, match="the tensor requires no gradient"):
        nodes.draw(minigrad.tensor(1.0))
    with pytest.raises(ValueError, match="w is not in this graph"):
        nodes.draw(leaf() * 2, w=minigrad.tensor(1.0))
    with pytest.raises(ValueError, match="w is not in this graph"):
        nodes.draw(leaf() * 2, w=leaf())
    y = leaf(1.0)
    for _ in range(nodes.MOST_NODES):
        y = y + 1
    with pytest.raises(ValueError, match="a picture of more than 150 cannot be read"):
        nodes.draw(y)


# ---------------------------------------------------------------------- a backward pass


def diamond(x):
    y = x**2
    return y * (3 * y)


def test_a_pass_is_told_step_by_step():
    assert str(nodes.backward(diamond(leaf(2.0)))).splitlines() == [
        "Step 1: node 1, MulBackward0, takes 1; it passes 12 to node 3 and 4 to node 2.",
        "Step 2: node 2, MulBackward0, takes 4; it passes 12 to node 3.",
        "Step 3: node 3, PowBackward0, takes 24; it passes 96 to node 4.",
        "Step 4: node 4, AccumulateGrad, takes 96; it adds that to the leaf's gradient.",
    ]


def test_each_drawing_shows_what_waits_runs_has_run_and_is_freed():
    second = words(nodes.backward(diamond(leaf(2.0))).frames[1].svg)
    assert second.count("12") == 1  # on the arrow
    assert [text for text in second if "freed" in text or "run" in text or "wait" in text or "reached" in text] == [
        "freed what it saved",
        "has run",
        "freed what it saved",
        "▶ runs with 4",
        "waits with 24, 2 of 2 here",
        "not reached yet",
    ]


def test_a_step_says_what_was_visited_and_how_many_gradients_are_here():
    x = leaf(2.0)
    passed = nodes.backward(diamond(x), x=x)
    assert [list(row) for row in passed.step(1).table.rows] == [
        ["1 MulBackward0", "1", "–", "▶ runs with 1"],
        ["2 MulBackward0", "–", "1 of 1", "waits with 4, 1 of 1 here"],
        ["3 PowBackward0", "–", "1 of 2", "waits with 12, 1 of 2 here"],
        ["4 AccumulateGrad: x", "–", "0 of 1", "not reached yet"],
    ]
    assert [row[1] for row in passed.step(4).table.rows] == ["1", "2", "3", "4"]
    with pytest.raises(ValueError, match="no step 5: this pass has the steps 1 to 4"):
        passed.step(5)


def test_the_slider_goes_forward_and_back():
    passed = nodes.backward(diamond(leaf(2.0)))
    slider, shown = passed.slider(ipywidgets).children
    assert (slider.min, slider.max) == (1, 4) and "Step 1: node 1" in shown.value
    slider.value = 3
    assert "Step 3: node 3, PowBackward0, takes 24" in shown.value and "<img" in shown.value
    slider.value = 2
    assert "Step 2: node 2" in shown.value and "2 of 2" in shown.value


def test_the_pass_is_a_real_one():
    x = leaf(2.0)
    out = diamond(x)
    nodes.backward(out, retain_graph=True)
    nodes.backward(out)
    assert x.grad.item() == 192
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        nodes.backward(out)


def test_it_starts_where_backward_starts():
    x = leaf()
    with pytest.raises(RuntimeError, match="only for scalar outputs"):
        nodes.backward(x * 2)
    nodes.backward(x * 2, minigrad.tensor([1.0, 10.0]))
    assert x.grad.tolist() == [2.0, 20.0]


def test_it_shows_the_traversal_that_the_engine_has():
    def too_early(root, grad, visit):
        row, arrived = [root], {root: grad}
        for node in row:
            for below, passed in zip(node.edges, visit(node, arrived[node])):
                if passed is not None:
                    arrived[below] = arrived.get(below, 0) + passed
                    row += [below] if below not in row else []

    with workshop.using(run_backward=too_early):
        told = str(nodes.backward(diamond(leaf(2.0))))
    assert "Step 2: node 3, PowBackward0, takes 12" in told


def test_of_a_walk_along_each_path_the_first_steps_are_shown():
    def walk(node, grad, visit):
        for below, passed in zip(node.edges, visit(node, grad)):
            if passed is not None:
                walk(below, passed, visit)

    y = leaf(1.0)
    for _ in range(8):
        y = y + y
    with workshop.using(run_backward=walk):
        told = str(nodes.backward(y)).splitlines()
    assert len(told) == nodes.MOST_STEPS and told[-1].endswith(f"{2**9 - 1 - nodes.MOST_STEPS} more steps follow.")


def test_steps_are_opened_one_by_one():
    page = nodes.backward(diamond(leaf(2.0)))._repr_mimebundle_()["text/html"]
    assert page.count("<details name") == page.count("<img") == 4 and page.count(" open>") == 1
    assert "<summary>Step 1: node 1, MulBackward0, takes 1;" in page
    assert nodes.backward(diamond(leaf(2.0))).html() == page


def test_a_traversal_that_visits_no_nodes_is_said():
    with (
        workshop.using(run_backward=lambda root, grad, visit: None),
        pytest.raises(ValueError, match="walk of chapters"),
    ):
        nodes.backward(diamond(leaf(2.0)))


def test_a_pass_goes_through_operations_of_several_outputs():
    class SumAndProduct(minigrad.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return x + y, x * y

        @staticmethod
        def backward(ctx, of_sum, of_product):
            x, y = ctx.saved_tensors
            return of_sum + of_product * y, of_sum + of_product * x

    x, y = leaf(2.0), leaf(3.0)
    total, product = SumAndProduct.apply(x, y)
    told = str(nodes.backward(total * product))
    assert (x.grad.item(), y.grad.item()) == (21.0, 16.0)
    assert "takes 21; it adds that" in told and "takes 16; it adds that" in told
