"""What runs in the learner's process: call the learner's code on given inputs, and describe what came back.

This file's text is sent to the process, so it stands alone: the standard library and numpy, nothing
of the grader. It holds no expected value and takes no decision. What it returns is JSON: for each
place that the probe looked at, an array with its dtype and shape, or what was found instead.
"""

import contextlib
import decimal
import fractions
import functools
import io
import json
import re
import traceback

import numpy as np

FLAGS, EXACT = (bool, np.bool_, str), (fractions.Fraction, decimal.Decimal)
PLAIN = (float, int, str, type(None))  # what nobody can change
NUMBERS = (int, float, np.ndarray, np.generic)
QUARTERS = (0, 0.25, 0.5, 0.75, 1)
MOST_NUMBERS = 100_000  # an array with more elements than any exercise asks for is not sent


def shortened(text, most):
    """The text, or its beginning up to the end of a word, and an ellipsis."""
    return text if len(text) <= most else text[: most - 2].rsplit(" ", 1)[0].rstrip(" ,;:") + " …"


def describe(value):
    """Describe one value as JSON data, whatever it is; a Tensor of minigrad or torch also by its flag."""
    try:
        return described(value)
    except Exception:  # an object of the learner's may answer anything to any question
        return {"kind": "other", "type": type(value).__name__[:80]}


def described(value):
    """Describe a value that behaves like one."""
    if value is None:
        return {"kind": "none"}
    if hasattr(value, "detach") and hasattr(value, "requires_grad"):
        found = describe_array(value.detach().numpy())
        return {**found, "kind": "tensor", "requires_grad": bool(value.requires_grad)}
    if isinstance(value, FLAGS):
        return {"kind": "flag", "value": value[:200] if isinstance(value, str) else bool(value)}
    if isinstance(value, dict) and list(value) == ["drawn"]:  # at random: how its numbers are spread is what counts
        return {**describe_array(np.quantile(value["drawn"], QUARTERS)), "kind": "drawn"}
    if isinstance(value, EXACT):
        value = float(value)
    if isinstance(value, NUMBERS):
        return {**describe_array(value), "kind": "number" if np.ndim(value) == 0 else "array"}
    return {"kind": "other", "type": type(value).__name__[:80]}


def describe_array(array):
    """An array's dtype, shape and numbers; floats are written so that they are read back exactly."""
    array = np.asarray(array)
    if array.dtype.char == "g" or (array.dtype.char == "O" and isinstance(array[()], int)):
        array = array.astype(np.float64)  # JSON and the comparison have no longer one
    name, readable = read_as(array.dtype)
    data = array.ravel().tolist() if readable and array.size <= MOST_NUMBERS else None
    return {"dtype": name, "shape": list(array.shape), "data": data}


@functools.cache
def read_as(dtype):
    """The name of the dtype that numbers are read as, and whether they are numbers; NumPy takes long to say so."""
    if dtype == np.intp:
        dtype = np.dtype(np.int64)  # NumPy's own integers, which in a browser have 32 bits
    return str(dtype)[:40], dtype.kind in "fiub"


def in_cell(filename):
    """Whether a file's name is that of a notebook's cell, on a desktop or in a browser."""
    return "ipykernel" in filename or filename.startswith("<ipython-input-")


def describe_error(error):
    """An exception's class and message, and where in the learner's own cells it was raised."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__) if in_cell(frame.f_code.co_filename)]
    where = getattr(frames[-1].f_code, "co_qualname", frames[-1].f_code.co_name) if frames else ""
    lines = [f"{f.line} (line {f.lineno})" for f in traceback.extract_tb(error.__traceback__) if in_cell(f.filename)]
    found = {
        "kind": "raised",
        "type": type(error).__name__[:80],
        "message": shortened(re.sub(r" at 0x[0-9a-fA-F]+", "", str(error)), 300),
    }
    found["not_done"] = is_stub(error)
    return {**found, "where": where[:80], "line": shortened(lines[-1], 200) if lines else ""}


def is_stub(error):
    """Whether the course's own words stopped: what is to be replaced, or a part that is not there yet."""
    if not isinstance(error, NotImplementedError):
        return False
    innermost = [frame for frame, _ in traceback.walk_tb(error.__traceback__)][-1]
    engine = innermost.f_globals.get("__name__", "").startswith("minigrad")  # an operator refuses in the same way
    return type(error).__name__ == "NotWrittenYet" or not engine


class Names(dict):
    """The learner's names; one that is not there answers with what to do about it."""

    def __missing__(self, name):
        raise NotImplementedError(f"{name} is not defined: its cell was not run, or it stopped with an error.")


# ---------------------------------------------------------------------- around every call of the learner's


def contents(value, depth=2):
    """What somebody who has the value could change: its numbers, a tensor's flag, how many things a list holds."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, PLAIN):
        return
    elif hasattr(value, "_array") and hasattr(value, "requires_grad"):
        yield np.asarray(value._array)
        yield bool(value.requires_grad)
    elif isinstance(value, list | tuple | dict) and depth:
        yield len(value)
        for each in value.values() if isinstance(value, dict) else value:
            yield from contents(each, depth - 1)


def snapshot(value):
    """A copy of it."""
    return [np.array(one) if isinstance(one, np.ndarray) else one for one in contents(value)]


def unchanged(before, value):
    """Whether the value holds what it held when the snapshot was taken."""
    now = list(contents(value))
    return len(before) == len(now) and all(map(same, before, now))


def same(a, b):
    """Whether two of a value's contents are; an array's bytes say so soonest."""
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
        return type(a) is type(b) and a == b
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a.tobytes() == b.tobytes() or np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def watched(function, name, noticed, torch):
    """The function, which notes each argument that is another after a call, and whether a rule runs on tensors, too."""
    met: list = []

    @functools.wraps(function)
    def call(*args, **settings):
        handed = [*enumerate(args), *settings.items()]
        before = [snapshot(value) for _, value in handed]
        out = function(*args, **settings)
        for (place, value), was in zip(handed, before, strict=True):
            twice = sum(value is other for _, other in handed) > 1  # by which of its names it was written to?
            if was and not twice and not unchanged(was, value):
                names = function.__code__.co_varnames[: function.__code__.co_argcount]
                words = names[place] if place in range(len(names)) else str(place)
                flag = hasattr(value, "requires_grad") and same(was[0], next(contents(value)))
                noticed[f"{name}, argument {place}"] = {"kind": "changed", "value": words, "flag": flag}
        if " backward_" in name and not met:
            met.append(args)
            kept = describe(out)
            if not alike(describe(function(*args)), kept):
                noticed[f"the gradient from {name}"] = {"kind": "again"}
            if why := stops_on_tensors(function, args, torch):
                noticed[name] = {"kind": "tensors", "value": why}
        return out

    return call


def stops_on_tensors(rule, args, torch):
    """What a function of NumPy's in a rule that runs on arrays says to tensors; "" where there is none.

    What else such a rule may stop at, as at a part of the engine that is not there yet, does not count.
    """
    node, *values = args
    before = dict(vars(node))
    try:
        with torch.enable_grad():
            rule(node, *(torch.tensor(v, requires_grad=True) if is_floating(v) else v for v in values))
    except Exception as error:
        names = {frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__)}
        numpys = "ufunc" in str(error) or "numpy()" in str(error)
        return shortened(str(error).rstrip("."), 200) if numpys and not names & {"apply", "forward"} else ""
    finally:
        vars(node).clear()
        vars(node).update(before)
    return ""


def is_floating(value):
    """Whether it is an array, or a number of NumPy's, that can require a gradient."""
    return isinstance(value, np.ndarray | np.generic) and value.dtype in (np.float32, np.float64)


@contextlib.contextmanager
def watching(given, part, noticed, torch):
    """Run the block with the part's own functions watched: a rule, a forward, or a function that is called by name."""
    own = given.get(part)
    if isinstance(own, type):
        functions = {name: method for name, method in vars(own).items() if hasattr(method, "__code__")}
        methods = {name: functions[name] for name in functions if name.startswith(("forward", "backward"))}
        for name, method in methods.items():
            setattr(own, name, watched(method, f"the {name} of your {part}", noticed, torch))
        try:
            yield given
        finally:
            for name, method in methods.items():
                setattr(own, name, method)
    elif hasattr(own, "__code__"):
        yield Names({**given, part: watched(own, f"your {part}", noticed, torch)})
    else:
        yield given


def observe_part(probe, torch, given, part, inputs, goes_on=None):
    """Describe all that the probe yields for a part, and say what has changed when the probe is done.

    Where `goes_on(entry)` says no to what it yields, it is left there, and the answer is None.
    """
    seen, kept = [], []
    noticed: dict = {}
    with watching(given, part, noticed, torch) as names:
        try:
            for place, value in probe(torch, names, part, inputs):
                seen.append([part, place, describe(value)])
                kept.append((seen[-1], value))
                if goes_on and not goes_on(seen[-1]):
                    return None
        except Exception as error:
            seen.append([part, "", describe_error(error)])
    for entry, value in kept:
        if can_change(value) and not alike(describe(value), entry[2]):
            seen.append([part, entry[1], {"kind": "later"}])
    return seen + [[part, where, found] for where, found in sorted(noticed.items())]


def can_change(value):
    """Whether somebody could write into it: an array, or a tensor of minigrad's or torch's."""
    return isinstance(value, np.ndarray) or hasattr(value, "detach")


def alike(one, other):
    """Whether two descriptions are of the same, to rounding."""
    if one == other:
        return True
    if {**one, "data": 0} != {**other, "data": 0}:
        return False
    if one["kind"] == "drawn":
        return True
    mine, theirs = (np.array(found.get("data") or [], dtype=float) for found in (one, other))
    if mine.shape != theirs.shape:
        return False
    with np.errstate(all="ignore"):
        apart = np.abs(mine - theirs)
    if np.isfinite(apart).all():
        return bool((apart <= 1e-9 + 1e-7 * np.abs(theirs)).all())
    return np.allclose(mine, theirs, rtol=1e-7, atol=1e-9, equal_nan=True)


def observe(probe, torch, given, inputs, twice=False):
    """The JSON of what was `observed`."""
    return json.dumps(observed(probe, torch, given, inputs, twice))


def observed(probe, torch, given, inputs, twice=False):
    """Run `probe(torch, given, part, inputs)` for each part, and describe all that it yields.

    With `twice` it is asked again, silently: what differs then was left over from the first time.
    """
    seen = []
    for part, own in inputs.items():
        first = observe_part(probe, torch, given, part, own)
        seen += first
        if twice and not any(found["kind"] == "raised" for _, _, found in first):
            with contextlib.redirect_stdout(io.StringIO()):
                second = observe_part(probe, torch, given, part, own)
            pairs = zip(first, second)
            other = next((a for a, b in pairs if a[1] != b[1] or not alike(a[2], b[2])), None)
            if other or len(first) != len(second):
                seen.append([part, (other or first[-1])[1], {"kind": "again"}])
    return seen
