"""Run a program on both packages, statement by statement, and compare."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import torch

import minigrad

STOP = 40  # characters of an error message that must agree: torch's tails name kernels and shapes


def step(line: str, scope: dict[str, Any]) -> tuple[str, str]:
    """Run one statement: the class and the start of the message of what it raised, or two empty texts."""
    try:
        exec(line, scope)
    except Exception as problem:  # noqa: BLE001 - torch decides which it has to be
        return type(problem).__name__, str(problem)
    return "", ""


def start(message: str) -> str:
    """What must agree. (A slice of the whole is the tensor itself to torch, so "a view of" may be missing.)"""
    return message.removeprefix("a view of ")[:STOP]


def describe(x: Any, versioned: bool) -> tuple[Any, ...]:
    """All that can be seen of a tensor, but its numbers."""
    version = x._version if versioned else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        grad = x.grad
    return (
        tuple(x.shape), str(x.dtype), x.requires_grad, x.is_leaf, x.retains_grad, version, grad is None,
        x.grad_fn is None,
    )  # fmt: skip


def same_node(name: str, here: Any, there: Any) -> bool:
    """Whether the nodes have one name. (How a gradient was added up shows in its node, too.)

    torch has another one for a view whose base was written to, and none for a slice of the whole.
    """
    mine, theirs = (x.grad_fn and repr(x.grad_fn).split()[0] for x in (here, there))
    written = mine == "<CopySlices" and theirs in ("<CopyBackwards", "<FillBackward1", "<FillBackward2")
    return name.startswith("g") or mine == theirs or written or theirs == "<AsStridedBackward0"


def numbers(x: Any) -> np.ndarray:
    # A copy: torch may keep zeros without memory, which it does not list.
    return np.array(x.detach().clone().tolist(), dtype=np.float64)


def differ(mine: Any, theirs: Any) -> bool:
    return not np.allclose(numbers(mine), numbers(theirs), rtol=1e-6, atol=1e-9, equal_nan=True)


def compare(program: list[str]) -> str | None:
    """None when both agree after every statement, else what differs."""
    scopes: list[dict[str, Any]] = [{"t": minigrad}, {"t": torch}]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, line in enumerate(program):
            if is_undefined(line, scopes[1]):
                return None
            mine, theirs = (step(line, scope) for scope in scopes)
            if mine[0] != theirs[0]:
                return f"line {number}, {line}: minigrad {mine or 'succeeds'}, torch {theirs or 'succeeds'}"
            if mine[0] == "RuntimeError" and start(mine[1]) != start(theirs[1]):
                return f"line {number}, {line}: minigrad says {mine[1]!r}, torch {theirs[1]!r}"
            if mine[0] and "backward" in line:
                forget_grads(*scopes)
            problem = compare_scopes(*scopes)
            if problem:
                return f"after line {number}, {line}: {problem}"
    return None


def is_undefined(line: str, scope: dict[str, Any]) -> bool:
    """Whether torch's own answer hangs on the order of its writes, or on the last digit of a large number.

    That is a change in place by a smaller tensor on the same memory, read while it is written; and a sine's argument.
    """
    if found := re.search(r"(\w+)\.(?:add|sub|mul|div|copy)_\((\w+)\)", line):
        x, y = (scope.get(name) for name in found.groups())
        both = isinstance(x, torch.Tensor) and isinstance(y, torch.Tensor)
        return both and x.shape != y.shape and x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr()
    if found := re.search(r"t\.sin\((\w+)\)|(\w+)\.sin_\(", line):
        x = scope.get(found[1] or found[2])
        return isinstance(x, torch.Tensor) and x.numel() > 0 and bool(x.detach().abs().max() > 1e6)
    return False


def forget_grads(*scopes: dict[str, Any]) -> None:
    """After a backward pass that failed: which leaves had been reached by then is a matter of order."""
    for scope in scopes:
        for x in scope.values():
            if isinstance(x, torch.Tensor | minigrad.Tensor):
                x.grad = None


def compare_scopes(mine: dict[str, Any], theirs: dict[str, Any]) -> str | None:
    """Every variable: its value, flags and gradient. (How a gradient was added up shows in its memory's version.)"""
    gradients = [x._versions for name, x in mine.items() if name.startswith("g") and isinstance(x, minigrad.Tensor)]
    for name, there in theirs.items():
        if not isinstance(there, torch.Tensor):
            continue
        here = mine.get(name)
        if not isinstance(here, minigrad.Tensor):
            return f"{name} is {here!r}, torch has {there!r}"
        try:
            there.is_leaf  # noqa: B018 - torch refuses to look at a view made under no_grad whose base has changed
        except RuntimeError:
            continue
        versioned = all(here._versions is not counter for counter in gradients)
        if describe(here, versioned) != describe(there, versioned):
            return f"{name}: {describe(here, versioned)}, torch has {describe(there, versioned)}"
        if not same_node(name, here, there):
            return f"{name} comes from {here.grad_fn!r}, in torch from {there.grad_fn!r}"
        if differ(here, there):
            return f"{name} is {here!r}, torch has {there!r}"
        if there.grad is not None and differ(here.grad, there.grad):
            return f"{name}.grad is {here.grad!r}, torch has {there.grad!r}"
    return None


def shrink(program: list[str]) -> list[str]:
    """Leave out statements, as long as the packages still differ."""
    smaller = True
    while smaller:
        smaller = False
        for i in reversed(range(len(program))):
            shorter = program[:i] + program[i + 1 :]
            if compare(shorter) is not None:
                program, smaller = shorter, True
    return program


def snippet(program: list[str]) -> str:
    """A failing program as code to run on either package."""
    return "\n".join(["import torch as t  # or: import minigrad as t", *program])
