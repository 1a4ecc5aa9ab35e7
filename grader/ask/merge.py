"""Two wrong definitions of one thing made into one that has both mistakes: what each changes in the right tree."""

from __future__ import annotations

import ast
from typing import Any


class Clash(Exception):
    """Both change the same place, each in its own way."""


def merged(right: str, one: str, other: str) -> str:
    """The text of a definition in which all that tells each of two wrong ones from the right one is changed.

    Raises:
        Clash: both change the same place.
    """
    both = _merge(*(ast.parse(text) for text in (right, one, other)))
    return ast.unparse(ast.fix_missing_locations(both))


def _merge(right: Any, one: Any, other: Any) -> Any:
    if _same(right, one) or _same(one, other):
        return other
    if _same(right, other):
        return one
    if isinstance(right, list) and isinstance(one, list) and isinstance(other, list):
        return _merge_lists(right, one, other)
    if not isinstance(right, ast.AST):
        raise Clash
    if (found := _around(right, one, other) or _around(right, other, one)) is not None:
        return found
    if not type(right) is type(one) is type(other):
        raise Clash
    fields = {name: _merge(getattr(right, name), getattr(one, name), getattr(other, name)) for name in right._fields}
    return type(right)(**fields)


def _merge_lists(right: list[Any], one: list[Any], other: list[Any]) -> list[Any]:
    """Element by element; where one list is longer or shorter, what is alike at both of its ends stays in place."""
    if len(right) == len(one) == len(other):
        return [_merge(*three) for three in zip(right, one, other, strict=True)]
    if len(right) == len(one):
        one, other = other, one
    if len(right) != len(other):
        raise Clash
    shorter = min(len(right), len(one))
    head = next((i for i in range(shorter) if not _same(right[i], one[i])), shorter)
    tail = next((i for i in range(shorter - head) if not _same(right[-1 - i], one[-1 - i])), shorter - head)
    end = len(right) - tail
    if not _same(right[head:end], other[head:end]):
        raise Clash
    return [*other[:head], *one[head : len(one) - tail], *other[end:]]


def _around(right: ast.AST, one: Any, other: Any) -> Any:
    """For one that leaves out what is around a part of the right tree, or puts something around it; None otherwise."""
    if not isinstance(right, ast.expr) or not isinstance(one, ast.expr):
        return None
    for name, value in ast.iter_fields(right):
        if isinstance(value, ast.expr) and _same(value, one) and type(other) is type(right):
            if any(not _same(getattr(other, rest), part) for rest, part in ast.iter_fields(right) if rest != name):
                raise Clash  # what the other changes there would be left out with it
            return getattr(other, name)
    for name, value in ast.iter_fields(one):
        if isinstance(value, ast.expr) and _same(value, right):
            return type(one)(**{**dict(ast.iter_fields(one)), name: other})
    return None


def _same(one: Any, other: Any) -> bool:
    return bool(_written(one) == _written(other))


def _written(tree: Any) -> Any:
    if isinstance(tree, list):
        return [_written(each) for each in tree]
    return ast.dump(tree) if isinstance(tree, ast.AST) else tree
