"""Gradients of several results add up into a new sum, as all gradients do."""

from minigrad.surface.several import Slots


def test_a_sum_changes_neither_of_its_parts() -> None:
    first, second, third = (Slots([pair]) for pair in ((0, 1.0), (1, 2.0), (0, 4.0)))
    both = first + second
    assert (both + third).by_number() == {0: 5.0, 1: 2.0}
    assert (both + both).by_number() == {0: 2.0, 1: 4.0}
    assert (both + second).by_number() == {0: 1.0, 1: 4.0}
    assert [x.by_number() for x in (first, second, third, both)] == [{0: 1.0}, {1: 2.0}, {0: 4.0}, {0: 1.0, 1: 2.0}]
