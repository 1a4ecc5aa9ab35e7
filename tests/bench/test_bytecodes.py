"""The count of bytecodes counts."""

from minigrad import tensor
from tests.bench.bytecodes import count


def test_a_chain_of_twice_the_length_runs_twice_as_many():
    def links(n: int) -> int:
        def step() -> None:
            x = tensor(1.0)
            for _ in range(n):
                x = x * 2.0

        step()
        counts = count(step)
        assert counts["<apply of Mul>:apply"] + counts["function.py:apply"] > 0
        return counts.total()

    two, four, six = links(2), links(4), links(6)
    assert four - two == six - four > 0
