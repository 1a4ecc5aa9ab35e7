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


class set_grad_enabled:  # noqa: N801 - torch's name
    """Switch recording on or off: a function call, a context or a decorator."""

    def __init__(self, mode: bool) -> None:
        self.previous = state.enabled
        self.mode = bool(mode)
        state.enabled = self.mode

    def __enter__(self) -> None:
        state.enabled = self.mode

    def __exit__(self, *exc: object) -> None:
        state.enabled = self.previous

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate: the mode holds while `function` runs."""
        state.enabled = self.previous  # the call made to decorate is not a switch
        mode = self.mode

        @functools.wraps(function)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            with set_grad_enabled(mode):
                return function(*args, **kwargs)

        return decorated


class no_grad(set_grad_enabled):  # noqa: N801
    """Nothing that is computed inside is recorded."""

    def __init__(self) -> None:
        self.previous = state.enabled
        self.mode = False

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        """`no_grad()` makes a context; `@no_grad` alone decorates, too."""
        return super().__new__(cls) if function is None else cls()(function)

    def __enter__(self) -> None:
        self.previous = state.enabled
        state.enabled = self.mode


class enable_grad(no_grad):  # noqa: N801
    """Record again, inside a `no_grad` block."""

    def __init__(self) -> None:
        self.previous = state.enabled
        self.mode = True
