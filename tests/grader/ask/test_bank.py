"""How a wrong definition is written down: a sentence, and a patch to the right one."""

import subprocess
import sys

import pytest

from grader.ask.bank import BadPatch, Misconception, bank, blends, changed
from grader.chapters.answers import BANK
from minigrad import workshop

FOUND, about = bank(globals())

about("mul", "Mul", "Mul")("""
mul-adds: Your Mul adds,
in a sentence of two lines.
=backward_x(grad): grad
or
=backward_y(grad): grad
""")
about("sigmoid", "Sigmoid", "Sigmoid")("""
sigmoid-halves: Your Sigmoid …
=backward_x(grad, out): grad / 2

sigmoid-of-float64: Your Sigmoid …
§The squashed number
=promotes = False
""")
about("grad-mode", "GradMode", "A block")("""
mode-stays: Your GradMode …
|def __exit__(self, *error):
|    pass
""")
HALVE = """
def halve(x):
    # what is a comment, or blank, is not part of it

    y = x
    return y / 2
"""
about("halving", "halve", "Halves", HALVE)("""
halve-thrice: Your halve …
     y = x
-    return y / 2
+    return y / 3
or
|def halve(x):
|    return x / 3

halve-both: Your halve …
-    y = x
+    y = -x
@
-    return y / 2
+    return y
""")

RIGHT = workshop.own_parts(9)
MUL, SIGMOID, UNPROMOTED, MODE, HALVED, BOTH = FOUND


def test_an_entry_is_a_name_a_sentence_and_ways_to_be_wrong():
    assert (MUL.name, MUL.exercise, MUL.replaces) == ("mul-adds", "mul", "Mul")
    assert MUL.advice == "Your Mul adds, in a sentence of two lines."
    assert [len(one.definitions) for one in FOUND] == [2, 1, 1, 1, 2, 1]
    assert [one.section for one in FOUND] == ["Mul", "Sigmoid", "The squashed number", "A block", "Halves", "Halves"]


def test_what_is_not_written_is_as_in_minigrad():
    for one in FOUND[:4]:
        wrong, right = one.definition, RIGHT[one.replaces]
        assert wrong.__name__ == right.__qualname__ and wrong.__bases__ == right.__bases__
        assert wrong.__init__ is right.__init__
    assert [set(changed(d, RIGHT["Mul"])) for d in MUL.definitions] == [{"backward_x"}, {"backward_y"}]
    assert MUL.definition.backward_x.__qualname__ == "Mul.backward_x"
    assert MUL.definition.names == ["x", "y"] and MUL.definition.plans is not RIGHT["Mul"].plans


def test_settings_are_kept_unless_they_are_written():
    assert SIGMOID.definition.promotes and not UNPROMOTED.definition.promotes


def test_lines_are_changed_as_diff_writes_it():
    assert [definition(6) for definition in HALVED.definitions] == [2, 2]
    assert BOTH.definition(6) == -6
    assert HALVED.text() == "def halve(x):\n    y = x\n    return y / 3"


def test_its_text_is_the_whole_class_without_annotations():
    assert MUL.text() == (
        "class Mul(Function):\n\n"
        "    def forward(self, x, y):\n        return x * y\n\n"
        "    def backward_x(self, grad):\n        return grad\n\n"
        "    def backward_y(self, grad, x):\n        return grad * x"
    )
    assert UNPROMOTED.text().startswith("class Sigmoid(Function):\n    promotes = False\n")
    assert "@functools.wraps" in MODE.text() and "->" not in MODE.text() and "mode:" not in MODE.text()


@pytest.mark.parametrize(
    "entry, says",
    [
        ("-    z = x\n+    z = 0", "stands 0 times in halve"),
        ("-    y = x\n-    y = x\n+    y = 0", "stands 0 times"),
    ],
)
def test_a_patch_that_does_not_match_exactly_once_is_refused(entry, says):
    found, group = bank(globals())
    group("halving", "halve", "Halves", HALVE)(f"halve-not: Your halve …\n{entry}\n")
    with pytest.raises(BadPatch, match=f"halve-not: .*{says}"):
        found[0].text()


def test_a_line_that_stands_twice_is_refused():
    found, group = bank(globals())
    group("halving", "halve", "Halves", "def halve(x):\n    x = x\n    x = x\n    return x\n")(
        "halve-not: Your halve …\n-    x = x\n+    x = 0\n"
    )
    with pytest.raises(BadPatch, match="stands 2 times"):
        found[0].text()


@pytest.mark.parametrize("entry", ["no-colon", "no-patch: A sentence.", "odd-mark: A sentence.\n+x\n?y"])
def test_an_entry_without_a_sentence_or_a_patch_is_refused(entry):
    _, group = bank(globals())
    with pytest.raises(BadPatch, match="an entry is its name, a colon, its sentence, and then a patch"):
        group("halving", "halve", "Halves", HALVE)(entry)


PAIRS, pairs = bank(globals())
pairs("mul", "Mul", "Mul")("""
both-rules: Both rules are wrong.
=backward_x(grad): grad
=backward_y(grad): grad

one-rule: One rule is wrong.
=backward_y(grad, x): -grad * x

all-of-it: All of it is wrong.
=forward(x, y): x + y
=backward_x(grad): 2 * grad
""")


def test_of_two_mistakes_a_half_says_where_it_stands_and_the_forward_pass_is_no_rule():
    found = list(blends(PAIRS, RIGHT["Mul"]))
    said = {one.name: one.advice for one in found if one.of}
    assert said["both-rules and one-rule"] == (
        "Two mistakes at once. Both rules are wrong. It is so in backward_x. And: One rule is wrong."
    )
    first = next(one for one in found if one.of)
    assert first.name == "all-of-it and one-rule" and "It is so" not in first.advice
    spoilt = [set(changed(one.definition, RIGHT["Mul"])) for one in found if "all-of-it" in one.name]
    assert all("forward" in methods for methods in spoilt)


EVERY = [one for exercise in BANK.values() for one in exercise]


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.name)
def test_every_patch_of_the_bank_matches(one: Misconception):
    assert all(one.definitions)
    assert len({way.text for way in one.ways}) == len(one.ways), "each way is written otherwise"


def test_the_bank_is_the_same_when_a_chapter_is_open(tmp_path):
    """`from grader import check` may come after `workshop.open`, when Mul is not there."""
    code = (
        "from minigrad import workshop; workshop.open(1)\n"
        "from grader.chapters.answers import BANK\n"
        "assert BANK['mul'][0].definition.__bases__ == workshop.own_parts(1)['Mul'].__bases__"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True)


def test_two_names_for_one_mistake_are_refused():
    _, group = bank(globals())
    twins = "\n\n".join(
        f"{name}: Your halve …\n-    return y / 2\n+    return y / 3\n" for name in ("a-third", "no-half")
    )
    with pytest.raises(BadPatch, match="no-half and a-third are the same patch"):
        group("halving", "halve", "Halves", HALVE)(twins)
