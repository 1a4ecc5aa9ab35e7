"""What functions take: errors, in torch's words, for arguments that are no tensor."""

from typing import Any

from ..core.tensor import Tensor


def one_number(tensor: Tensor) -> Any:
    """The only element, as `float()` and `int()` want it; ValueError when there is not exactly one."""
    if tensor._array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return tensor._array.item()


def check_tensors(function: str, **arguments: Any) -> None:
    """TypeError for an argument that is no tensor."""
    if not all([isinstance(value, Tensor) for value in arguments.values()]):
        raise no_tensor(function, **arguments)


def no_tensor(function: str, **arguments: Any) -> TypeError:
    """torch's error for the first of a function's arguments that is no tensor."""
    for place, (name, value) in enumerate(arguments.items(), start=1):
        if not isinstance(value, Tensor):
            return wrong_argument(function, name, place, value)
    return TypeError(f"{function}() cannot take these arguments")


def wrong_argument(function: str, name: str, place: int | None, value: Any) -> TypeError:
    """torch's error for an argument that is no tensor: given at a place, counted from 1, or by its name."""
    where = f" (position {place})" if place else ""
    return TypeError(f"{function}(): argument '{name}'{where} must be Tensor, not {kind_of(value)}")


def operation_name(operation: type) -> str:
    """The name under which an operation's class was written: in the graph it has torch's, see names.py."""
    return operation.__qualname__.rpartition(".")[2]


def kind_of(value: Any) -> str:
    """The name of a value's type, with its module unless that is Python's own."""
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
