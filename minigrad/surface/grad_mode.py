"""torch's switches around the core's grad mode."""

import functools
import inspect
from collections.abc import Callable, Generator
from typing import Any

from ..core.grad_mode import GradMode, state
from .give import give


def decorate(mode: GradMode, function: Callable[..., Any]) -> Callable[..., Any]:
    """A block as a decorator, also of a function that yields: each of its steps is in a block of its own."""
    if not inspect.isgeneratorfunction(function):
        return of_function(mode, function)

    @functools.wraps(function)
    def steps(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        running = function(*args, **kwargs)
        step, given = running.send, None
        while True:
            try:
                with GradMode(mode.mode):
                    found = step(given)
            except StopIteration as end:
                return end.value
            try:
                step, given = running.send, (yield found)
            except BaseException as error:  # also GeneratorExit, which closes it
                step, given = running.throw, error

    return steps


of_function = GradMode.__call__
give(GradMode, __call__=decorate)


def is_grad_enabled() -> bool:
    """True where operations are recorded (per thread, as in torch)."""
    return state.enabled


def no_grad(function: Callable[..., Any] | None = None) -> Any:
    """Nothing that is computed inside is recorded: `with no_grad():`, `@no_grad()` or `@no_grad`."""
    return GradMode(False) if function is None else GradMode(False)(function)


def inference_mode(mode: Any = True) -> Any:
    """`no_grad`, for programs that only compute; `inference_mode(False)` changes nothing."""
    if callable(mode):
        return no_grad(mode)
    return no_grad() if mode else GradMode(state.enabled)


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
