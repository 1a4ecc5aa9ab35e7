"""A cell is read as IPython reads it."""

import ast
import functools
import time

import pytest

from grader.about.cells import TooMuch, magic, parts, text

NESTED = functools.reduce(lambda text, _: f"exec({text!r})", range(6), "1")


def names(source):
    return {node.id for node in parts(source) if isinstance(node, ast.Name)}


@pytest.mark.parametrize(
    "source",
    [
        "f(x)",
        "  f(x)\n  f(x)",
        ">>> f(x)",
        "In [1]: f(x)",
        "%time f(x)",
        "time f(x)",
        "y = %time f(x)",
        "%timeit -n 3 -r 1 f(x)",
        "%%time\n%%capture\nf(x)",
        "!ls\nf(x)",
        "exec('f(' + 'x)')",
        "eval('f(x)')",
        "%time exec('f(x)')",
    ],
)
def test_what_a_cell_runs_is_found(source):
    assert names(source) >= {"f", "x"} and "get_ipython" not in names(source)


def test_what_a_student_asks_of_ipython_is_found():
    assert "get_ipython" in names("get_ipython().kernel") and "get_ipython" in names(
        "get_ipython().run_line_magic(m, '')"
    )


@pytest.mark.parametrize("source", ["1 2 3", "def f(:\n    pass", "x\0", "!ls\ndef f(:"])
def test_what_python_cannot_run_is_none(source):
    assert parts(source) is None


@pytest.mark.parametrize(
    "source",
    ["-" * 90_000 + "1", "%time 1\n" + "x = 1\n" * 4_000, "!a\n" * 3_000, NESTED],
)
def test_what_may_run_unread_is_too_much(source):
    with pytest.raises(TooMuch):
        parts(source)


def test_without_leave_nothing_is_translated():
    assert parts("x = 1", most=0)
    with pytest.raises(TooMuch):
        parts("%time 1", most=0)


def test_a_magic_is_its_name_and_its_texts():
    called = [magic(node) for source in ("%run -i a.py", "!ls", "%%sh\nls") for node in parts(source) if magic(node)]
    assert called == [["run", "-i a.py"], ["!", "ls"], ["sh", "", "ls\n"]]


@pytest.mark.parametrize(
    "source, written", [("'a' + 'b' + 'c'", "abc"), ("'a' + ('b' + 'c')", "abc"), ("'a' + b", ""), ("1", "")]
)
def test_text_in_pieces_is_text(source, written):
    assert text(ast.parse(source, mode="eval").body) == written


def test_what_ipython_itself_stumbles_over_cannot_be_read():
    with pytest.raises(TooMuch):
        parts("=%\\")


def test_spaces_before_a_cell_are_not_looked_at_again_and_again():
    began = time.process_time()
    assert parts("!" + " \n" * 5_000 + "\n)") is None
    assert time.process_time() - began < 4
