"""Whether operations are recorded: the switch behind `no_grad` and `enable_grad`."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any


class _State(threading.local):
    enabled = True


state = _State()


def is_grad_enabled() -> bool:
    """True where operations are recorded (per thread, as in torch)."""
    return state.enabled


class GradMode:
    """A block in which operations are recorded, or are not: a context and a decorator."""

    def __init__(self, mode: bool) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        self.before = state.enabled
        state.enabled = self.mode

    def __exit__(self, *error: object) -> None:
        state.enabled = self.before

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate: each call of `function` runs in a block of its own."""

        @functools.wraps(function)
        def inside(*args, **kwargs):  # noqa: ANN002, ANN003, ANN202 - as it is written in the chapter
            with GradMode(self.mode):
                return function(*args, **kwargs)

        return inside


def no_grad(function: Callable[..., Any] | None = None) -> Any:
    """Nothing that is computed inside is recorded: `with no_grad():`, `@no_grad()` or `@no_grad`."""
    return GradMode(False) if function is None else GradMode(False)(function)


def enable_grad(function: Callable[..., Any] | None = None) -> Any:
    """Record again, inside a `no_grad` block."""
    return GradMode(True) if function is None else GradMode(True)(function)


class set_grad_enabled:  # noqa: N801 - torch's name
    """Switch recording on or off at once: a function call, a context or a decorator."""

    def __init__(self, mode: bool) -> None:
        self.before = state.enabled
        self.mode = bool(mode)
        state.enabled = self.mode

    def __enter__(self) -> None:
        state.enabled = self.mode

    def __exit__(self, *error: object) -> None:
        state.enabled = self.before

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate: the call that was made to decorate is not a switch."""
        state.enabled = self.before
        return GradMode(self.mode)(function)
