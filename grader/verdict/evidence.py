"""Reading what a learner's process sent back. Nothing in it is believed but its numbers.

The trusted side of `probe.py`: it parses JSON of a limited size into plain, exact data, and answers
anything else with `BadEvidence`. It never unpickles, evaluates or imports what it was sent.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .inert import writable
from .probe import MOST_NUMBERS

DTYPES = {
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "bool",
}
NUMBERS = {int, float, bool}
WITH_NUMBERS = {"tensor", "array", "number", "drawn"}
DESCRIBED = {"kind", "data", "shape", "dtype"}
MOST_CHARACTERS = 4_000_000
MOST_PLACES = 2_000


class BadEvidence(ValueError):
    """What came back is not evidence: malformed, oversized or of an unknown form."""


@dataclass(frozen=True)
class Seen:
    """One value that the probe looked at.

    Attributes:
        part: the part of the exercise that it belongs to.
        place: where it was seen, in words.
        kind: `tensor`, `array`, `number`, `none`, `flag`, `other` or `raised`; `drawn`, an array of random numbers;
            `changed`, `later`, `again` or `tensors` where something was noticed around the calls (see
            `probe.observe`).
        values: its numbers as float64 in their shape; None when there are none.
        dtype: its dtype's name, "" when it has none.
        flags: what else was seen: `requires_grad`; an error's `type`, `message`, `line`.
    """

    part: str
    place: str
    kind: str
    values: np.ndarray | None
    dtype: str
    flags: dict[str, bool | str]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the numbers."""
        return () if self.values is None else self.values.shape


def read(text: str) -> list[Seen]:
    """Parse what a process sent.

    Raises:
        BadEvidence: it is not the JSON that a probe writes.
    """
    if len(text) > MOST_CHARACTERS:
        raise BadEvidence("the answer is larger than any exercise needs")
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        raise BadEvidence("the answer is not JSON") from None
    if not isinstance(entries, list) or len(entries) > MOST_PLACES:
        raise BadEvidence("the answer is not a list of observations")
    return entries_of(entries)


def entries_of(entries: list[Any]) -> list[Seen]:
    """Observations that are JSON data already: what `read` parses, and what a probe in this process found.

    Raises:
        BadEvidence: one has another form than the probe gives it.
    """
    return [_entry(entry) for entry in entries]


def _entry(entry: Any) -> Seen:
    part, place, found = entry if isinstance(entry, list) and len(entry) == 3 else (None, None, None)
    if not isinstance(part, str) or not isinstance(place, str) or not isinstance(found, dict):
        raise BadEvidence("an observation has an unknown form")
    if not isinstance(kind := found.get("kind"), str):
        raise BadEvidence("an observation has an unknown form")
    values = _array(found) if kind in WITH_NUMBERS else None
    flags = {k: v for k, v in found.items() if k not in DESCRIBED and _plain(v)}
    flags = {writable(k): writable(v) if isinstance(v, str) else v for k, v in flags.items()}
    dtype = found.get("dtype", "")
    dtype = writable(dtype[:40]) if isinstance(dtype, str) else ""
    return Seen(writable(part[:80]), writable(place[:200]), writable(kind[:40]), values, dtype, flags)


def _plain(value: object) -> bool:
    return isinstance(value, bool) or (isinstance(value, str) and len(value) <= 400)


def _array(found: dict[str, Any]) -> np.ndarray | None:
    dtype, shape, data = found.get("dtype"), found.get("shape"), found.get("data")
    if not isinstance(dtype, str) or dtype not in DTYPES or data is None:
        return None
    if not (isinstance(shape, list) and len(shape) <= 8 and all(type(n) is int and 0 <= n <= 10**6 for n in shape)):
        raise BadEvidence("an array's shape is not a short list of sizes")
    # A length of 0 makes the array empty, and the others are still what a sum over its axes would need.
    if math.prod(n for n in shape if n) > MOST_NUMBERS:
        raise BadEvidence("an array's shape is larger than any exercise needs")
    if not (isinstance(data, list) and NUMBERS.issuperset(map(type, data))):
        raise BadEvidence("an array's data is not a list of numbers")
    try:
        flat = np.array(data, dtype=np.float64)
    except (OverflowError, ValueError):
        raise BadEvidence("an array's data does not fit float64") from None
    if flat.size != math.prod(shape):
        raise BadEvidence("an array's data does not fill its shape")
    return flat.reshape(shape)
