"""What an error means is said in a sentence, from the words that Python and NumPy themselves use."""

import numpy as np
import pytest

import minigrad
from grader.verdict.raised import MEANINGS, in_plain_words


def two(x, y):
    return x


def later():
    value = value + 1  # noqa: F821
    return value


def raises(what):
    raise what


def again(n):
    return again(n)


class Relu(minigrad.core.function.Function):
    def forward(self, x):
        return np.maximum(x, 0)

    def backward_x(self, grad, out):
        return grad * (out > 0)


class Kept:
    def __new__(cls, data):
        return super().__new__(cls)

    def __init__(self, data):
        super().__init__(data)


FLAG, THREE = True, 3
ERRORS = {
    "no brackets": (lambda: two < 3, "A function itself stands there"),
    "two sizes": (lambda: minigrad.ones(2) + minigrad.ones(3), "2 stands against 3"),
    "no error": (lambda: raises("text"), "What is raised there is no error"),
    "unknown_name": (lambda: unknown_name, "Nothing is called unknown_name there"),  # noqa: F821
    "too early": (later, "value is read before this function has given it a value"),
    "missing": (lambda: two(1), "Something is called without 'y'"),
    "too many": (lambda: two(1, 2, 3), "It is handed 3 values, and its first line names 2"),
    "setting": (lambda: two(1, 2, z=3), "two, as it is called there, takes no argument z"),
    "none": (lambda: None + 1, "A value there is None"),
    "attribute": (lambda: [].shapes, "of the kind list, which has no shapes"),
    "a number's": (lambda: (1.0).shapes, "A plain number comes there, which has no shapes"),
    "method not called": (lambda: 1.0 / Relu().name, "A function itself stands there"),
    "tensors' words": (lambda: np.ones(2).sum(dim=0), "NumPy's arrays say axis and keepdims"),
    "without self": (lambda: Relu() * 2.0, "A Relu itself stands before the *"),
    "none times": (lambda: None * 2.0, "A value there is None"),
    "an array's": (lambda: np.ones(2).grad, "and has no grad: tensors have"),
    "read only": (lambda: setattr(minigrad.ones(2), "_version", 3), "_version can be read, and not be set"),
    "place in a tuple": (lambda: np.float64(1).shape[0], "the shape of a single number, has none"),
    "module": (lambda: np.sigmoids, "numpy has nothing called sigmoids"),
    "shapes": (lambda: np.ones(3) + np.ones(2), r"The shapes (3,) and (2,) do not fit"),
    "product": (lambda: np.ones((2, 3)) @ np.ones((2, 3)), "is one of the two to be transposed?"),
    "number": (lambda: np.ones(2) @ 3.0, "A matrix product takes no single number"),
    "reshape": (lambda: np.ones(4).reshape(3), "An array of 4 numbers cannot take that shape"),
    "truth": (lambda: bool(np.ones(2)), "asked at once whether they are true"),
    "recursion": (lambda: again(1), "A function calls itself without an end"),
    "zero": (lambda: 1 / 0, "divided by 0"),
    "index": (lambda: [1][2], "an empty list has none"),
    "reshape of none": (lambda: np.ones((2, 0)).reshape(-1, 2, 0), "Beside a length of 0, a -1 cannot be worked out"),
    "reshape of none to some": (lambda: np.ones(0).reshape(2), "An array of 0 numbers cannot take that shape"),
    "axis": (lambda: np.ones(2).sum(axis=3), "Axis 3 is asked of an array that has one axis only"),
    "axis of a number": (lambda: np.array(2.0).sum(axis=1), "a single number, which has no axes"),
    "axis of a matrix": (lambda: np.ones((2, 2)).sum(axis=3), "an array that has 2 axes"),
    "axes": (lambda: np.ones((2, 2)).sum(axis=[0, 1]), "Several axes go to NumPy as a tuple"),
    "python's sum": (lambda: sum(np.array(2.0)), "A single number has no elements to go through"),
    "product of numbers": (lambda: np.float64(1) @ np.float64(2), "element by element it is `*`"),
    "an input of a node": (lambda: Relu().y, "backward_x(self, grad, y)"),
    "not set": (lambda: Relu().dims, "Nothing has set `dims` on this Relu when it is read"),
    "of a pair": (lambda: (1, 2).number, "take it apart first"),
    "a heap": (lambda: min(Relu(), Relu()), "let a number come first"),
    "taken apart": (lambda: [a for a, b in [THREE]], "of the kind int"),
    "a list for a number": (lambda: int([1]), "One number is needed there, and comes as list"),
    "key": (lambda: {}["lr"], "The dictionary has no key 'lr'"),
    "call": (lambda: FLAG(), "call what stands before them, a bool, which is no function"),
    "numpy on a tensor": (lambda: np.maximum(minigrad.ones(2), 0), "such as .relu()"),
    "numpy's sum": (lambda: np.sum(minigrad.ones(2)), "call the tensor's own, .sum()"),
    "a class called": (lambda: Relu(minigrad.ones(2)), "Relu(…) makes an object of the class"),
    "a class handed on": (
        lambda: minigrad.nn.functional.linear(Relu(), minigrad.ones(2, 2)),
        "a method of tensors: x.relu()",
    ),
    "a node called": (lambda: minigrad.nn.Linear(2, 2)(Relu()(minigrad.ones(2))), "a method of tensors: x.relu()"),
    "super": (lambda: Kept(3), "leave the call of super().__init__ out"),
    "length": (lambda: minigrad.ones(6).reshape(6 / 2, 2), "`//` keeps integers"),
    "rows of products": (lambda: minigrad.ones(2, 3, 5) @ minigrad.ones(2, 3, 5), "differ, 5 and 3"),
    "mask": (lambda: minigrad.ones(2).masked_fill(minigrad.ones(2), 0.0), "A mask is a comparison"),
    "pair": (lambda: np.ones((2, 3)) * (np.ones((2, 3)), np.ones((2, 1))), "is there a pair"),
    "numbers multiplied": (lambda: minigrad.tensor(1.0) @ minigrad.tensor(2.0), "multiply, and then sum"),
    "element": (lambda: THREE[0], "A value of the kind int has no elements"),
    "integer": (lambda: range(2.0), "An integer is needed there, and comes as float"),
    "hash": (lambda: {[]: 1}, "cannot be in a set"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_of_pythons_or_numpys(name):
    run, words = ERRORS[name]
    with pytest.raises(Exception) as caught:
        run()
    assert words in in_plain_words(type(caught.value).__name__, str(caught.value))


def test_what_says_enough_itself_is_left_alone():
    assert in_plain_words("ValueError", "x has to be positive") == ""


@pytest.mark.parametrize("pattern, meaning", MEANINGS)
def test_each_is_a_sentence(pattern, meaning):
    assert meaning[-1] in ".?" and meaning[0] in "ABCDEFGHIJKLMNOPQRSTUVWXYZ{`" and "  " not in meaning
