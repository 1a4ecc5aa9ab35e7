"""A few inputs of the fuzzer, the same each time; `make attack` runs others for as long as it is told."""

import pytest

from . import fuzz


@pytest.mark.parametrize("way", fuzz.WAYS, ids=lambda way: way.__name__)
def test_anything_that_is_handed_in_is_one_students_row(way):
    for seed in range(8):
        fuzz.one(seed, way)


def test_each_way_is_taken_and_the_limit_is_looked_at(monkeypatch):
    monkeypatch.setattr(fuzz, "SECONDS", 0.0)
    with pytest.raises(AssertionError, match="--seed 3 --inputs 1: evidence took"):
        fuzz.one(3, fuzz.evidence)
