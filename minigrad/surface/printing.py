"""How a tensor prints: torch's algorithm, so that the text is the same.

One width for all elements, chosen from the largest; four decimals; whole numbers as `63.`; scientific
notation when the range is wide; long tensors summarised.
"""

import math
from typing import Any

import numpy as np

from . import dtypes
from .views import is_outdated


class _Options:
    precision = 4
    threshold: float = 1000
    edgeitems = 3
    linewidth = 80
    sci_mode: bool | None = None


options = _Options()


def set_printoptions(
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors print; what isn't given stays, except `sci_mode`, as in torch."""
    profiles = {"default": (4, 1000, 3, 80), "short": (2, 1000, 2, 80), "full": (4, math.inf, 3, 80)}
    if profile is not None:
        options.precision, options.threshold, options.edgeitems, options.linewidth = profiles[profile]
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    for name, value in given.items():
        if value is not None:
            setattr(options, name, value)
    options.sci_mode = sci_mode


class _Formatter:
    """One number's format, chosen from all numbers that are shown."""

    def __init__(self, shown: np.ndarray) -> None:
        self.floating = shown.dtype.kind == "f"
        self.whole = True
        self.scientific = False
        self.width = 1
        values = shown
        if self.floating:
            values = shown[np.isfinite(shown) & (shown != 0)].astype(np.float64)
            if values.size == 0:
                return
            smallest, largest = np.abs(values).min(), np.abs(values).max()
            self.whole = bool((values == np.ceil(values)).all())
            self.scientific = bool(largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4)
            if options.sci_mode is not None:
                self.scientific = options.sci_mode
        self.width = max([len(self._text(value)) for value in values.tolist()], default=1)

    def _text(self, value: Any) -> str:
        if not self.floating:
            return str(value)
        if self.scientific:
            return f"{value:.{options.precision}e}"
        if self.whole:
            return f"{value:.0f}" + ("." if math.isfinite(value) else "")
        return f"{value:.{options.precision}f}"

    def __call__(self, value: Any) -> str:
        return self._text(value).rjust(self.width)


def _summarised(array: np.ndarray) -> np.ndarray:
    """The elements that are shown."""
    edge = options.edgeitems
    for axis, length in enumerate(array.shape):
        if length > 2 * edge:
            array = np.take(array, [*range(edge), *range(length - edge, length)], axis=axis)
    return array


def _rows(array: np.ndarray, indent: int, summarise: bool, formatter: _Formatter) -> str:
    edge = options.edgeitems
    cut = summarise and array.ndim and len(array) > 2 * edge
    if array.ndim == 0:
        return formatter(array.item())
    if array.ndim == 1:
        per_line = max(1, (options.linewidth - indent) // (formatter.width + 2))
        values = array.tolist()
        words = [formatter(v) for v in values]
        if cut:
            words = [*words[:edge], " ...", *words[len(words) - edge :]]
        lines = [", ".join(words[i : i + per_line]) for i in range(0, len(words), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"

    def row(part: np.ndarray) -> list[str]:
        return [_rows(each, indent + 1, summarise, formatter) for each in part]

    blocks = [*row(array[:edge]), "...", *row(array[len(array) - edge :])] if cut else row(array)
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(blocks) + "]"


def tensor_repr(tensor: Any, opening: str = "tensor(") -> str:
    """The text of `repr(tensor)`."""
    array = np.asarray(tensor._array)
    suffixes = []
    if array.size == 0:
        text = "[]"
        if array.ndim != 1:
            suffixes.append(f"size={tuple(array.shape)}")
        if array.dtype != dtypes.default.numpy:
            suffixes.append(f"dtype={dtypes.of_numpy(array.dtype)}")
    else:
        summarise = array.size > options.threshold
        shown = _summarised(array) if summarise else array
        text = _rows(array, len(opening), summarise, _Formatter(shown.reshape(-1)))
        if array.dtype == dtypes.FLOAT64:
            suffixes.append("dtype=torch.float64")
    if is_outdated(tensor):
        suffixes.append("grad_fn=<Invalid>")
    elif tensor.grad_fn is not None:
        suffixes.append(f"grad_fn=<{tensor.grad_fn.name()}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    return _with_suffixes(opening + text, suffixes, len(opening))


def _with_suffixes(text: str, suffixes: list[str], indent: int) -> str:
    line = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if line + len(suffix) + 2 > options.linewidth:
            text += ",\n" + " " * indent + suffix
            line = indent + len(suffix)
        else:
            text += ", " + suffix
            line += len(suffix) + 2
    return text + ")"
