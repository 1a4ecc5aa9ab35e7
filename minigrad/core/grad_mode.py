"""Whether operations are recorded: the switch behind `no_grad` and `enable_grad` (per thread, as in torch)."""

import functools
import threading
from collections.abc import Callable
from typing import Any


class _State(threading.local):
    enabled = True


state = _State()


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
        def inside(*args: Any, **kwargs: Any) -> Any:
            with GradMode(self.mode):
                return function(*args, **kwargs)

        return inside
