"""What runs in the learner's process: call the learner's code on given inputs, and describe what came back.

This file's text is sent to the process, so it stands alone: the standard library and numpy, nothing
of the grader. It holds no expected value and takes no decision. What it returns is JSON: for each
place that the probe looked at, an array with its dtype and shape, or what was found instead.
"""

import json
import re
import traceback

import numpy as np

MOST_NUMBERS = 100_000  # an array with more elements than any exercise asks for is not sent


def shortened(text, most):
    """The text, or its beginning up to the end of a word, and an ellipsis."""
    return text if len(text) <= most else text[: most - 2].rsplit(" ", 1)[0].rstrip(" ,;:") + " …"


def describe(value):
    """Describe one value as JSON data; a Tensor of minigrad or torch also by its flags."""
    if value is None:
        return {"kind": "none"}
    if hasattr(value, "detach") and hasattr(value, "requires_grad"):
        found = describe_array(value.detach().numpy())
        return {**found, "kind": "tensor", "requires_grad": bool(value.requires_grad), "is_leaf": bool(value.is_leaf)}
    if isinstance(value, bool | str):
        return {"kind": "flag", "value": value if isinstance(value, bool) else value[:200]}
    if isinstance(value, int | float | np.ndarray | np.generic):
        return {**describe_array(np.asarray(value)), "kind": "number" if np.ndim(value) == 0 else "array"}
    return {"kind": "other", "type": type(value).__name__[:80]}


def describe_array(array):
    """An array's dtype, shape and numbers; floats are written so that they are read back exactly."""
    array = np.asarray(array)
    if array.dtype.kind not in "fiub":
        return {"dtype": str(array.dtype)[:40], "shape": list(array.shape), "data": None}
    data = array.ravel().tolist() if array.size <= MOST_NUMBERS else None
    return {"dtype": str(array.dtype), "shape": list(array.shape), "data": data}


def describe_error(error):
    """An exception's class and message, and where in the learner's own cells it was raised."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__) if "ipykernel" in frame.f_code.co_filename]
    where = getattr(frames[-1].f_code, "co_qualname", frames[-1].f_code.co_name) if frames else ""
    lines = [
        f"{f.line} (line {f.lineno})" for f in traceback.extract_tb(error.__traceback__) if "ipykernel" in f.filename
    ]
    found = {
        "kind": "raised",
        "type": type(error).__name__[:80],
        "message": shortened(re.sub(r" at 0x[0-9a-fA-F]+", "", str(error)), 300),
    }
    found["not_done"] = isinstance(error, NotImplementedError)
    return {**found, "where": where[:80], "line": shortened(lines[-1], 200) if lines else ""}


class Names(dict):
    """The learner's names; one that is not there answers with what to do about it."""

    def __missing__(self, name):
        raise NotImplementedError(f"{name} is not defined: its cell was not run, or it stopped with an error.")


def observe(probe, torch, given, inputs):
    """Run `probe(torch, given, part, inputs)` for each part, and describe all that it yields."""
    seen = []
    for part, own in inputs.items():
        try:
            for place, value in probe(torch, given, part, own):
                seen.append([part, place, describe(value)])
        except Exception as error:
            seen.append([part, "", describe_error(error)])
    return json.dumps(seen)
