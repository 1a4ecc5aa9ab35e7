"""What a learner's process sends is read as numbers, or not at all."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grader.verdict import probe
from grader.verdict.evidence import BadEvidence, read


def sent(value):
    (seen,) = read(json.dumps([["part", "place", probe.describe(value)]]))
    return seen


@given(hnp.arrays(np.float64, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0), elements=st.floats(width=64)))
def test_every_float_comes_back_bit_for_bit(array):
    seen = sent(array)
    assert seen.shape == array.shape and seen.dtype == "float64"
    np.testing.assert_array_equal(seen.values, array)


@given(hnp.arrays(hnp.floating_dtypes(endianness="=", sizes=(16, 32)), (3,)))
def test_smaller_floats_keep_their_dtype_and_their_value(array):
    seen = sent(array)
    assert seen.dtype == array.dtype.name
    np.testing.assert_array_equal(seen.values, array.astype(np.float64))


@pytest.mark.parametrize("value", [None, True, "text", object(), np.array(["text"]), np.array([object()])])
def test_what_is_no_number_has_no_values(value):
    assert sent(value).values is None


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(), lambda s: st.lists(s) | st.dictionaries(st.text(), s)
    )
)
def test_any_other_json_is_refused_in_a_sentence_or_harmless(data):
    try:
        for seen in read(json.dumps(data)):
            assert seen.values is None or seen.values.dtype == np.float64
    except BadEvidence as error:
        assert str(error)


ARRAY = {"kind": "array", "dtype": "float64", "shape": [2], "data": [1.0, 2.0]}


@pytest.mark.parametrize(
    "change",
    [
        {"shape": [3]},
        {"shape": [-2]},
        {"shape": [2.0]},
        {"shape": "2"},
        {"shape": [10**6] * 8},
        {"data": ["1", "2"]},
        {"data": [[1.0], [2.0]]},
        {"data": {"0": 1}},
        {"data": [10**400, 1]},
    ],
)
def test_a_forged_array_is_refused(change):
    with pytest.raises(BadEvidence):
        read(json.dumps([["part", "place", {**ARRAY, **change}]]))


@pytest.mark.parametrize("text", ["", "not json", "[" * 100_000, '{"a": 1}', "[[1, 2, 3]]", "x" * 5_000_000])
def test_what_is_not_a_list_of_observations_is_refused(text):
    with pytest.raises(BadEvidence):
        read(text)


def test_nan_and_infinity_are_numbers():
    values = sent(np.array([math.nan, math.inf])).values
    assert np.isnan(values[0]) and np.isinf(values[1])
