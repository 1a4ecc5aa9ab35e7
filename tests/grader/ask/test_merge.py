"""Two wrong definitions make one that has both mistakes, unless both change the same place."""

import pytest

from grader.ask.merge import Clash, merged

RIGHT = "def f(x, w, b):\n    z = x @ w + b\n    z = (g(z) - x) / z.size\n    return (x, z)"
NO_BIAS = RIGHT.replace(" + b", "")
NO_MEAN = RIGHT.replace("(g(z) - x) / z.size", "g(z) - x")
NO_CALL = RIGHT.replace("g(z)", "z")
NEGATIVE = RIGHT.replace("(g(z) - x) / z.size", "-((g(z) - x) / z.size)")
SWAPPED = RIGHT.replace("(x, z)", "(z, x)")
ONE_MORE = RIGHT.replace("    return", "    z = z * 2\n    return")
SHORTER = RIGHT.replace("    z = (g(z) - x) / z.size\n", "")


@pytest.mark.parametrize(
    "one, other, both",
    [
        (NO_BIAS, SWAPPED, RIGHT.replace(" + b", "").replace("(x, z)", "(z, x)")),
        (NO_MEAN, NO_CALL, RIGHT.replace("(g(z) - x) / z.size", "z - x")),
        (NEGATIVE, NO_CALL, NEGATIVE.replace("g(z)", "z")),
        (ONE_MORE, NO_BIAS, ONE_MORE.replace(" + b", "")),
        (SHORTER, NO_BIAS, SHORTER.replace(" + b", "")),
        (RIGHT, NO_BIAS, NO_BIAS),
        (NO_BIAS, NO_BIAS, NO_BIAS),
    ],
)
def test_each_keeps_what_it_changes(one, other, both):
    assert merged(RIGHT, one, other) == merged(RIGHT, other, one) == both


@pytest.mark.parametrize("other", [NO_CALL.replace("(z - x)", "(h(z) - x)"), SHORTER])
def test_what_both_change_otherwise_is_refused(other):
    with pytest.raises(Clash):
        merged(RIGHT, NO_CALL, other)
