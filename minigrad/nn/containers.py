"""Modules and parameters by name: what holds them, and reads like a dict or a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping
from typing import Any

from .module import Module
from .parameter import Parameter


class ModuleDict(Module, MutableMapping[str, Any]):
    """A dict of modules whose parameters are found, unlike those in a plain dict."""

    def __init__(self, modules: Any = ()) -> None:
        super().__init__()
        self.update(modules or ())

    def __getitem__(self, name: str) -> Any:
        return self._modules[name]

    def __setitem__(self, name: str, module: Module) -> None:
        self.add_module(name, module)

    def __delitem__(self, name: str) -> None:
        del self._modules[name]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    __eq__, __hash__ = object.__eq__, object.__hash__  # a module is itself alone, whatever it holds


class ParameterList(Module):
    """A list of parameters; a tensor becomes one."""

    def __init__(self, values: Iterable[Any] = ()) -> None:
        super().__init__()
        self.extend(values)

    def append(self, value: Any) -> ParameterList:
        """Add one at the end."""
        name = str(len(self))
        self.register_parameter(name, value if isinstance(value, Parameter) else Parameter(value))
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Add several at the end."""
        for value in values:
            self.append(value)
        return self

    def __getitem__(self, index: int) -> Any:
        return list(self._parameters.values())[index]

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._parameters.values()))


class Identity(Module):
    """What comes in goes out; arguments are taken and not used."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """The input itself."""
        return input


class Flatten(Module):
    """Dimensions start_dim to end_dim made one: all but the batch's unless told otherwise."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Any) -> Any:
        """In one row an example."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """The dimensions."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """A dimension made several."""

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input: Any) -> Any:
        """In the shape asked for."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """The dimension and its lengths."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
