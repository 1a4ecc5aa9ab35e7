"""Warnings that torch gives once a process."""

import functools
import warnings


@functools.cache  # which remembers what was said
def warn_once(message: str, stacklevel: int) -> None:
    """Warn the first time; `stacklevel` counts callers as in `warnings.warn`: 2 is the line that calls this."""
    warnings.warn(message, UserWarning, stacklevel=stacklevel)
