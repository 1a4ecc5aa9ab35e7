"""How a wrong class is written down: only what it gets wrong, on `Reference`."""

import subprocess
import sys

from grader.ask.bank import Reference, changed, collector
from minigrad import workshop

FOUND, misconception, variant = collector()


@misconception("mul-adds", exercise="mul", replaces="Mul", section="Mul", advice="Your Mul …")
class MulAdds(Reference):
    def backward_x(self, grad):
        return grad


@variant
class MulAddsForY(Reference):
    def backward_y(self, grad):
        return grad


@misconception("sigmoid-halves", exercise="sigmoid", replaces="Sigmoid", section="Sigmoid", advice="Your Sigmoid …")
class SigmoidHalves(Reference):
    def backward_x(self, grad, out):
        return grad / 2


@misconception("sigmoid-of-float64", exercise="sigmoid", replaces="Sigmoid", section="Sigmoid", advice="Your Sigmoid …")
class SigmoidDoesNotPromote(Reference):
    promotes = False


@misconception("mode-stays", exercise="grad-mode", replaces="GradMode", section="A block", advice="Your GradMode …")
class ModeStays(Reference):
    def __exit__(self, *error):
        pass


RIGHT = workshop.own_parts(9)
MUL, SIGMOID, UNPROMOTED, MODE = FOUND


def test_what_is_not_written_is_as_in_minigrad():
    for one in FOUND:
        wrong, right = one.definition, RIGHT[one.replaces]
        assert wrong.__name__ == right.__name__ and wrong.__bases__ == right.__bases__
        assert wrong.__init__ is right.__init__
    assert [set(changed(d, RIGHT["Mul"])) for d in MUL.definitions] == [{"backward_x"}, {"backward_y"}]
    assert MUL.definition.backward_x.__qualname__ == "Mul.backward_x"
    assert MUL.definition.names == ["x", "y"] and MUL.definition.plans is not RIGHT["Mul"].plans


def test_settings_are_kept_unless_they_are_written():
    assert SIGMOID.definition.promotes and not UNPROMOTED.definition.promotes


def test_its_text_is_the_whole_class_without_annotations():
    assert MUL.text() == (
        "class Mul(Function):\n\n"
        "    def forward(self, x, y):\n        return x * y\n\n"
        "    def backward_x(self, grad):\n        return grad\n\n"
        "    def backward_y(self, grad, x):\n        return grad * x"
    )
    assert UNPROMOTED.text().startswith("class Sigmoid(Function):\n    promotes = False\n")
    assert "@functools.wraps" in MODE.text() and "->" not in MODE.text() and "mode:" not in MODE.text()


def test_the_bank_is_the_same_when_a_chapter_is_open(tmp_path):
    """`from grader import check` may come after `workshop.open`, when Mul is not there."""
    code = (
        "from minigrad import workshop; workshop.open(1)\n"
        "from grader.chapters.answers import BANK\n"
        "assert BANK['mul'][0].definition.__bases__ == workshop.own_parts(1)['Mul'].__bases__"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True)
