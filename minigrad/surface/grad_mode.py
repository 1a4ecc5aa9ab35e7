"""torch's switches around the core's grad mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.grad_mode import GradMode, state


def is_grad_enabled() -> bool:
    """True where operations are recorded (per thread, as in torch)."""
    return state.enabled


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
