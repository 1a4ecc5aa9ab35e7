"""Which special situations the draws of an exercise contain: measured on its inputs, and on what its probe looks at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from grader.ask.exercise import ABOVE, Exercise
from grader.verdict.assess import expected

WORDS = {  # what a probe's places say
    "the same tensor twice": r"x [-+*/@] x\b|a \* a|same tensor",
    "steps of 0": r"steps=0|after 0 steps|each of 0 steps|depth of 0",
    "a second pass": r"retain_graph=True|second backward",
    "a change before saving": r"changed before",
    "a change of a saved result": r"result (of exp )?was changed",
    "frozen parameters": r"frozen|requires no grad|needs none|needs no gradient",
}


SEVERAL = ("leaves", "start")  # lists of inputs, which are no arrays themselves


def situations(exercise: Exercise, part: str, inputs: Any) -> set[str]:
    """The names of all situations that are in one draw for a part."""
    found: set[str] = set()
    for key, array in arrays(inputs):
        found |= in_numbers(key, array)
    seen = expected(exercise, {part: inputs})
    losses = [one.values for one in seen if "list of losses" in one.place and one.values is not None]
    found |= {"a loss that rises" for values in losses if (np.diff(values) > 0).any()}
    return found | {name for name, words in WORDS.items() if any(re.search(words, one.place) for one in seen)}


def in_numbers(key: str, array: np.ndarray) -> set[str]:
    """What is special about the numbers of one input."""
    if key in ("above", "gradient", "grads", "grad"):
        one, none = bool((array == 1).any()), bool((array == 0).any())
        names = dict(zip(ABOVE, (none, one, bool((~np.isin(array, (0, 1, -1))).any())), strict=True))
        each = array if key == "grads" and array.ndim else [array]  # one after the other
        names["nothing but 0 upstream"] = any(one.size and not one.any() for one in each)
        return {name for name, there in names.items() if there}
    names = {
        "a zero": bool((array == 0).any()),
        "a one": bool((array == 1).any()),
        "a negative number": bool((array < 0).any()),
        "a tie": np.unique(array).size < array.size,
        "a single number": array.ndim == 0,
        "an axis of length 1": 1 in array.shape,
        "nothing": array.size == 0,
        "a large number": bool((np.abs(array) >= 500).any()),
    }
    return {name for name, there in names.items() if there}


def arrays(value: Any, key: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """The arrays in JSON data, each with the nearest key above it."""
    if isinstance(value, dict):
        for name, own in value.items():
            yield from arrays(own, name)
    elif isinstance(value, float) or (is_array(value) and key not in SEVERAL):
        yield key, np.array(value, dtype=float)
    elif isinstance(value, list | tuple):
        for own in value:
            named = len(value) == 2 and isinstance(value[0], str)
            yield from arrays(own, value[0] if named else "" if key in SEVERAL else key)


def is_array(value: Any) -> bool:
    """Whether it is a nested list of floats of one shape."""
    if not isinstance(value, list):
        return False
    try:
        array = np.array(value)
    except ValueError:
        return False
    return array.dtype.kind == "f"
