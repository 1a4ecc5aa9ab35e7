"""The picture of a graph says what the graph holds, to every reader."""

from xml.etree import ElementTree as xml

import pytest

import minigrad
from grader.learner.draw import picture

SVG = "{http://www.w3.org/2000/svg}"


def polynomial(x):
    return 2 * x**4 + x**3 + 3 * x**2 + 5 * x + 1


def test_values_and_gradients_are_those_of_the_graph():
    rows = {row[0]: row for row in picture.graph(polynomial, at=2.0).table.rows}
    assert rows["x"] == ("x", "x", "2", "93")
    assert rows["a"] == ("a", "a = x⁴", "16", "2")
    assert rows["b"] == ("b", "b = 2·a", "32", "1")
    assert rows["e"] == ("e", "e = x²", "4", "3")
    assert rows["y"] == ("y", "y = i + 1", "63", "1")


def test_paths_that_meet_again_are_added():
    def f(x):
        a = x * x
        return a * a - (-a)

    rows = {row[0]: row[3] for row in picture.graph(f, at=3.0).table.rows}
    assert rows == {"x": "114", "a": "19", "b": "1", "c": "−1", "y": "1"}


def test_no_step_takes_the_letter_of_a_leaf():
    rows = picture.graph(lambda a, b: a * b * a + b, at={"a": 2.0, "b": 3.0}).table.rows
    assert [row[0] for row in rows] == ["a", "b", "c", "d", "y"]


def test_only_what_the_output_depends_on_is_drawn():
    def f(x):
        weight = minigrad.tensor(5.0, requires_grad=True)
        _ = x * 7.0
        y = weight * x
        _ = y * 2.0
        return y

    assert picture.graph(f, at=2.0).table.rows == [("x", "x", "2", "5"), ("y", "y = 5·x", "10", "1")]


def test_many_steps_still_have_names_of_their_own():
    def f(x):
        for _ in range(60):
            x = x + 1.0
        return x

    names = [row[0] for row in picture.graph(f, at=0.0).table.rows]
    assert len(set(names)) == 61 and names[24:26] == ["z", "a₁"] and names[-1] == "y"


def test_drawing_table_and_page_say_the_same():
    made = picture.graph(polynomial, at=-1.5)
    words = " ".join(text.text for text in xml.fromstring(made.svg).iter(f"{SVG}text"))
    for _, formula, value, gradient in made.table.rows:
        for place in (words, str(made), made.html()):
            assert formula in place and value in place and gradient in place


def test_the_description_tells_where_it_starts_and_ends():
    made = picture.graph(polynomial, at=2.0)
    assert made.alt.startswith("Graph of 10 operations from x = 2 to y = 63. Gradients of the leaves: x 93.")
    assert xml.fromstring(made.svg).find(f"{SVG}title").text == made.alt and f'alt="{made.alt}"' in made.html()


def test_the_same_function_gives_the_same_bytes():
    assert picture.graph(polynomial, at=2.0).svg == picture.graph(polynomial, at=2.0).svg


def test_what_cannot_be_drawn_is_said():
    with pytest.raises(ValueError, match="records no operation"):
        picture.graph(lambda x: x, at=1.0)
    with pytest.raises(ValueError, match="one operand is an array"):
        picture.graph(lambda x: x * minigrad.tensor([1.0, 2.0]), at=1.0)
    with pytest.raises(ValueError, match="at most 3 rows and 4 columns"):
        picture.graph(lambda x: x * 2, at=[[1.0] * 5])


def test_drawing_leaves_the_engine_as_it_was():
    before = vars(minigrad.core.function.Function)["apply"]
    with pytest.raises(ZeroDivisionError):
        picture.graph(lambda x: 1 / 0, at=1.0)
    assert vars(minigrad.core.function.Function)["apply"] is before


def layers(x):
    return (2 * (3 * x + 2) ** 2).mean()


def test_small_tables_are_drawn_row_by_row_under_given_names():
    made = picture.graph(layers, at=[[1, 2, 3], [3, 2, 1]], names="u y v z out")
    rows = {row[0]: row[1:] for row in made.table.rows}
    assert list(rows) == ["x", "u", "y", "v", "z", "out"]
    assert rows["x"] == ("x", "[[1, 2, 3], [3, 2, 1]]", "[[10, 16, 22], [22, 16, 10]]")
    assert rows["y"][0] == "y = u + 2" and rows["y"][2] == "[[3.333, 5.333, 7.333], [7.333, 5.333, 3.333]]"
    assert rows["out"] == ("out = mean(z)", "140", "1")
    words = [text.text for text in xml.fromstring(made.svg).iter(f"{SVG}text")]
    assert words.count("10\u200216\u200222") == 1 and words.count("22\u200216\u200210") == 1
    assert {"×3", "×1", "×10 to 22", "×2", "×0.1667", "0.3333 each"} <= set(words)


def test_several_leaves_and_data_are_drawn():
    def layer(x, w, b):
        return x @ w + b

    made = picture.graph(layer, at={"w": [2.0, 3.0], "b": 1.0}, data={"x": [4.0, 5.0]}, names="u z")
    assert made.table.rows == [
        ("w", "w", "[2, 3]", "[4, 5]"),
        ("b", "b", "1", "1"),
        ("x", "x", "[4, 5]", "none"),
        ("u", "u = x @ w", "23", "1"),
        ("z", "z = u + b", "24", "1"),
    ]
    assert made.alt.startswith(
        "Graph of 2 operations from w = [2, 3], b = 1, x = [4, 5] to z = 24. Gradients of the leaves: w [4, 5], b 1."
    )
    words = [text.text for text in xml.fromstring(made.svg).iter(f"{SVG}text")]
    assert words.count("no gradient") == 1 and "×4 to 5" in words and None not in words


def test_gradients_of_tables_go_through_the_rules_and_not_through_local_factors():
    """Along a dimension, the two rows of x get different gradients although each local factor is 1."""

    def f(x):
        return (x.sum(dim=1) ** 2).sum()

    assert picture.graph(f, at=[[1, 2], [3, 4]]).table.rows[0][3] == "[[6, 6], [14, 14]]"
