"""The finished engine at work, in chapter 0: the same on minigrad and on torch, and on torch where parts are missing."""

import base64
import re

import numpy as np
import pytest
import torch

import minigrad
from grader.learner import preview
from minigrad import workshop


@pytest.mark.parametrize("engine", [minigrad, torch], ids=lambda engine: engine.__name__)
def test_it_learns_digits_and_sums(engine, capsys):
    preview.show(engine, passes=2, steps=300)
    out = capsys.readouterr().out
    assert f"{engine.__name__} learns to read digits." in out and " % after pass 2 of 2\n" in out
    assert out.splitlines()[-1].startswith("It reads 4 images as 2, ")
    assert "After step 300 of 300:\n  two plus one is three\n  zero plus three is three\n  three plus three is " in out
    assert max(map(len, out.splitlines())) <= 40  # what a phone shows of a line


def test_a_notebook_shows_each_image_above_what_it_was_read_as():
    shown = preview.Digits(np.array([[0.0] * 63 + [1], [0.5] * 64]), (7, 3))._repr_mimebundle_()
    assert shown["text/plain"] == "It reads 2 images as 7, 3."
    drawn = [base64.b64decode(data).decode() for data in re.findall(r"base64,([^\"]+)", shown["text/html"])]
    assert [svg.count("<path") for svg in drawn] == [1, 64] and 'd="M 7 7 h 1 v 1 h -1 z"' in drawn[0]
    assert re.findall(r'alt="([^"]+)".*?(read as \d)', shown["text/html"]) == [
        ("A handwritten digit.", "read as 7"),
        ("A handwritten digit.", "read as 3"),
    ]


def test_both_engines_learn_the_same():
    [(mine, read)], [(theirs, too)] = (list(preview.digits(engine, 1)) for engine in (minigrad, torch))
    assert (mine, read.read) == (theirs, too.read)
    assert list(preview.sums(minigrad, 30)) == list(preview.sums(torch, 30))


def test_where_parts_are_taken_out_torch_takes_over(capsys):
    assert preview.engine() is minigrad
    workshop.open(0)
    try:
        assert preview.engine() is torch
    finally:
        workshop.places.clear(max(part.chapter for part in workshop.PARTS) + 1)
    assert preview.engine() is minigrad
