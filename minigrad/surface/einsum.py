"""`einsum`: sums over products, spelled with letters."""

import string
from typing import Any

from ..core.tensor import Tensor
from ..rules.einsum import Einsum
from . import dtypes
from .dtypes import WORDS
from .views import view

ELLIPSIS = "..."
SYMBOLS = set(string.ascii_letters) | set(" .,")


def einsum(equation: str, *operands: Any) -> Tensor:
    """The sum over products that the equation spells.

    `"ij,jk->ik"` is a product of matrices, `"ii->i"` a diagonal, `"ii"` a trace; `...` stands for the dimensions
    that have no letter, which broadcast. Without `->`, the result has these, then each letter that occurs once.

    Raises:
        RuntimeError: the equation cannot be read, or does not fit the operands.
    """
    operands = tuple(operands[0]) if len(operands) == 1 and isinstance(operands[0], tuple | list) else operands
    for i, x in enumerate(operands):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 1, but got {type(x).__name__}")
    if not operands:
        raise ValueError("einsum(): must specify the equation string and at least one operand")
    terms, result = spelled_out(equation, [x.ndim for x in operands])
    check_sizes(terms, [x._array.shape for x in operands], set(equation))
    is_sum = any(letter not in result for letter in "".join(terms))
    operands = tuple(of_one_dtype(operands, is_sum))
    if len(operands) == 1 and not is_sum:
        return view(Einsum, operands[0], terms=terms, result=result)
    return Einsum.apply(*operands, terms=terms, result=result)


def spelled_out(equation: str, ranks: list[int]) -> tuple[list[str], str]:
    """The terms and the result, with letters that the equation does not use in place of each `...`."""
    check_symbols(equation)
    left, arrow, result = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        many = "fewer" if len(ranks) < len(terms) else "more"
        raise RuntimeError(f"einsum(): {many} operands were provided than specified in the equation")
    covered = [dimensions_covered(term, rank, i) for i, (term, rank) in enumerate(zip(terms, ranks, strict=True))]
    spare = [letter for letter in string.ascii_letters if letter not in equation]
    names = "".join(spare[: max(covered)])
    if not arrow:
        result = ELLIPSIS + "".join(sorted(letter for letter in set(left) - set(".,") if left.count(letter) == 1))
    check_result(result, left)
    terms = [term.replace(ELLIPSIS, names[len(names) - n :]) for term, n in zip(terms, covered, strict=True)]
    return terms, result.replace(ELLIPSIS, names)


def dimensions_covered(term: str, rank: int, i: int) -> int:
    """How many dimensions of operand i its `...` stands for; RuntimeError when the term does not fit its rank."""
    check_dots(term, f"operand {i}", "any ellipsis", f"operand {i} for which an ellipsis was already found")
    letters = len(term.replace(ELLIPSIS, ""))
    counts = f"the number of subscripts in the equation ({letters})"
    if ELLIPSIS not in term and letters != rank:
        raise RuntimeError(
            f"einsum(): {counts} does not match the number of dimensions ({rank}) for operand {i} and no ellipsis was "
            "given"
        )
    if letters > rank:
        raise RuntimeError(f"einsum(): {counts} is more than the number of dimensions ({rank}) for operand {i}")
    return rank - letters


def check_symbols(equation: str) -> None:
    """RuntimeError for a symbol that has no meaning: there are letters, `...`, commas before one arrow, and spaces."""
    arrow = equation.find("->")
    for i, symbol in enumerate(equation):
        of_arrow = arrow >= 0 and i in (arrow, arrow + 1)
        if not of_arrow and (symbol not in SYMBOLS or symbol == "," and 0 <= arrow < i):
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {i} in the equation string, subscripts must be in [a-zA-Z]"
            )


def check_dots(term: str, where: str, ellipsis: str, again: str) -> None:
    """RuntimeError for a dot outside an ellipsis, and for a second ellipsis."""
    if "." in term.replace(ELLIPSIS, ""):
        raise RuntimeError(f"einsum(): found '.' for {where} that is not part of {ellipsis}")
    if term.count(ELLIPSIS) > 1:
        raise RuntimeError(f"einsum(): found '.' for {again}")


def check_result(result: str, left: str) -> None:
    """RuntimeError for a result with a letter twice, or with one that no term has."""
    check_dots(result, "output", "any ellipsis (...)", "output but an ellipsis (...) was already found")
    for letter in result.replace(ELLIPSIS, ""):
        if result.count(letter) > 1:
            raise RuntimeError(f"einsum(): output subscript {letter} appears more than once in the output")
        if letter not in left:
            raise RuntimeError(
                f"einsum(): output subscript {letter} does not appear in the equation for any input operand"
            )


def check_sizes(terms: list[str], shapes: list[tuple[int, ...]], spelled: set[str]) -> None:
    """RuntimeError where a letter, or a dimension that `...` covers, has two lengths, neither of them 1."""
    seen: dict[str, int] = {}
    for i, (term, shape) in enumerate(zip(terms, shapes, strict=True)):
        own: dict[str, int] = {}
        for letter, size in zip(term, shape, strict=True):
            if own.setdefault(letter, size) != size:
                raise RuntimeError(
                    f"einsum(): subscript {letter} is repeated for operand {i} but the sizes don't match, "
                    f"{size} != {own[letter]}"
                )
            before = seen.get(letter, 1)
            if 1 not in (before, size) and before != size:
                raise mismatch(letter, size, before, i, [letter for letter in term if letter not in spelled])
            if size != 1:
                seen[letter] = size


def mismatch(letter: str, size: int, before: int, i: int, covered: list[str]) -> RuntimeError:
    """torch's error for two lengths, in its words down to a missing space."""
    if letter not in covered:
        return RuntimeError(
            f"einsum(): subscript {letter} has size {size} for operand {i} which does not broadcast with previously "
            f"seen size {before}"
        )
    return RuntimeError(
        f"einsum(): dimension {covered.index(letter)} covered by ellipsis in operand {i}has size {size} which does not "
        f"broadcast with previously seen ellipsis with size {before} for the respective dimension"
    )


def of_one_dtype(operands: Any, is_sum: bool) -> list[Tensor]:
    """The operands in one dtype: products promote, sums over products do not."""
    kinds = [x.dtype for x in operands]
    if is_sum and kinds[0] is dtypes.bool_:
        if len(operands) > 1:
            raise NotImplementedError("\"bmm\" not implemented for 'Bool'")
        return [operands[0].to(dtypes.int64)]
    if all(kind is kinds[0] for kind in kinds):
        return list(operands)
    if is_sum:
        other = next(kind for kind in kinds if kind is not kinds[0])
        raise RuntimeError(f"expected scalar type {WORDS[kinds[0].name]} but found {WORDS[other.name]}")
    common = dtypes.result_type(*[x._array for x in operands])
    return [x.to(common) for x in operands]


__all__ = ["einsum"]
