"""What can be moved, with ipywidgets, beside what stands still: on paper, in a terminal, where there are no widgets."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

VIEW = "application/vnd.jupyter.widget-view+json"


def bundle(still: dict[str, Any], moving: Callable[[Any], Any]) -> dict[str, Any]:
    """An output for a notebook: the widget where one can be had; all other readers find what stands still.

    Args:
        still: media type → content.
        moving: makes the widget; it gets the module ipywidgets, typed loosely because not every machine has it.
    """
    try:
        widgets = import_module("ipywidgets")
        shell = import_module("IPython").get_ipython()
    except ImportError:
        return still
    if getattr(shell, "kernel", None) is None:  # a terminal: nothing could be moved
        return still
    return still | {VIEW: moving(widgets)._repr_mimebundle_()[VIEW]}
