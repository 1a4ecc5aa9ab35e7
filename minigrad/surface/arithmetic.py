"""`+ - * / **` and the comparisons, with a tensor or a number on either side."""

from typing import Any

import numpy as np

from ..core.function import FLOATS, NUMBERS
from ..core.tensor import Tensor, wrap
from ..rules.arithmetic import Add, Div, Mul, Neg, Pow, PowNumber, PowTensor, PowZero, Rsub, Sub
from ..rules.both import raw
from ..rules.elementwise import Reciprocal
from . import dtypes
from .arguments import no_tensor, wrong_argument
from .give import called, formula, give
from .refusals import explain

# Each function looks its class up when it is called: a class can be replaced. The functions behind operators may answer
# NotImplemented, for an operand that is no number; torch's own functions, below them, may not.


def difference(x: Any, y: Any) -> Any:
    """x - y; RuntimeError where one is of bools, for which torch has other operators."""
    if (is_bool(x) or is_bool(y)) and is_number(x) and is_number(y):
        raise of_bools(x, y)
    return Sub.apply(x, y)


def difference_right(x: Tensor, y: Any) -> Any:
    """y - x, for what stands on the left of a tensor."""
    if isinstance(y, np.ndarray) or is_bool(x) or is_bool(y):
        return difference(y, x)
    return Rsub.apply(x, y)


def is_bool(x: Any) -> bool:
    """Whether x is a tensor of bools, or a bool."""
    return x._array.dtype.kind == "b" if isinstance(x, Tensor) else type(x) is bool


def of_bools(x: Any, y: Any) -> RuntimeError:
    """torch's error for a difference of bools."""
    what, instead = "a bool tensor", "If you are trying to invert a mask, use the `~` or `logical_not()` operator"
    if is_bool(x) and is_bool(y):
        what, instead = "two bool tensors", "Use the `^` or `logical_xor()` operator"
    return RuntimeError(f"Subtraction, the `-` operator, with {what} is not supported. {instead} instead.")


def power(x: Any, n: Any) -> Any:
    """x ** n, where one is a tensor; RuntimeError for integers to a negative number."""
    if type(n) is not int and type(n) is not float:  # the others, which take longer to find
        if isinstance(n, Tensor):
            if is_bool(x) and is_bool(n):
                raise NotImplementedError("\"pow\" not implemented for 'Bool'")
            return PowTensor.apply(x, n) if isinstance(x, Tensor | np.ndarray) else PowNumber.apply(n, x)
        if isinstance(n, np.generic):
            n = n.item()
    if type(x._array) not in FLOATS and isinstance(n, int) and x._array.dtype.kind != "f":
        if n < 0:
            raise RuntimeError("Integers to negative integer powers are not allowed.")
        x = x.long()
    return PowZero.apply(x, n) if n == 0 else Pow.apply(x, n)


def is_number(x: Any) -> bool:
    """Whether x can be an operand: a tensor, an ndarray or a number."""
    return isinstance(x, Tensor | np.generic) or type(x) in NUMBERS


def of_numbers(out: Any, function: str, **operands: Any) -> Tensor:
    """`out`, which an operator made of the operands; TypeError, in torch's words, where it took one for no number."""
    if out is not NotImplemented:
        return out
    place = [is_number(x) for x in operands.values()].index(False)
    name, x = list(operands.items())[place]
    raise wrong_argument(function, name, place + 1, x)


def add(input: Any, other: Any, *, alpha: float = 1) -> Tensor:
    """input + alpha * other, broadcast."""
    return of_numbers(Add.apply(input, other if alpha == 1 else other * alpha), "add", input=input, other=other)


def sub(input: Any, other: Any, *, alpha: float = 1) -> Tensor:
    """input - alpha * other, broadcast; RuntimeError where one is of bools."""
    times_alpha = other if alpha == 1 or is_bool(other) else other * alpha
    return of_numbers(difference(input, times_alpha), "sub", input=input, other=other)


def mul(input: Any, other: Any) -> Tensor:
    """input * other, broadcast."""
    return of_numbers(Mul.apply(input, other), "mul", input=input, other=other)


def div(input: Any, other: Any) -> Tensor:
    """input / other, broadcast; the result is floating point."""
    return of_numbers(Div.apply(input, other), "div", input=input, other=other)


def pow(input: Any, exponent: Any) -> Tensor:  # noqa: A001 - torch's name
    """input ** exponent, broadcast; RuntimeError for integers to a negative number."""
    if not isinstance(input, Tensor) and not isinstance(exponent, Tensor):
        raise no_tensor("pow", input=input)
    return of_numbers(power(input, exponent), "pow", input=input, exponent=exponent)


reciprocal = formula("reciprocal", "1 / input; floating point.", lambda input: Reciprocal.apply(input))
neg = formula("neg", "-input.", lambda input: Neg.apply(input))

give(Tensor, __add__=lambda x, y: Add.apply(x, y), __radd__=lambda x, y: Add.apply(x, y))
give(Tensor, __mul__=lambda x, y: Mul.apply(x, y), __rmul__=lambda x, y: Mul.apply(x, y))
give(Tensor, __sub__=difference, __rsub__=difference_right, __truediv__=lambda x, y: Div.apply(x, y))
give(Tensor, __rtruediv__=lambda x, y: Mul.apply(Reciprocal.apply(x), y))
give(Tensor, __pow__=power, __rpow__=lambda x, y: power(y, x), __neg__=neg, __pos__=lambda x: x)
give(Tensor, add=add, sub=sub, mul=mul, div=div, pow=pow)


def comparison(ufunc: Any, name: str, doc: str) -> Any:
    """A function that compares elementwise, and its operator; the result has no gradient."""

    def compare(input: Tensor, other: Any) -> Tensor:
        if not is_number(other):
            raise wrong_argument(name, "other", 2, other)
        x, y = raw(input), other.item() if isinstance(other, np.generic) else raw(other)
        try:
            if hasattr(x, "dtype") and hasattr(y, "dtype") and x.dtype != y.dtype:
                common = dtypes.result_type(x, y).numpy  # 0.7 in float64 is greater than 0.7 in float32
                x, y = x.astype(common), y.astype(common)
            return wrap(ufunc(x, y))
        except ValueError:
            raise explain(Add(), x, y) from None

    def operator(x: Tensor, y: Any) -> Any:
        if is_number(y):
            return compare(x, y)
        return NotImplemented  # Python asks the other side, and then says: == is False, < a TypeError

    give(Tensor, **{name: called(name, doc, compare), f"__{name}__": operator})
    return compare


def bitwise(ufunc: Any, name: str) -> Any:
    """An operator on bools and integers, bit by bit; NotImplementedError for floating point."""
    compare = comparison(ufunc, f"bitwise_{name}", f"x {name} y, bit by bit.")

    def operator(x: Tensor, y: Any) -> Tensor:
        for operand in x, y:
            if isinstance(operand, float) or isinstance(operand, Tensor) and operand.is_floating_point():
                raise NotImplementedError(f"\"bitwise_{name}_cpu\" not implemented for 'Float'")
        return compare(x, y)

    give(Tensor, **{f"__{name}__": operator, f"__r{name}__": operator})
    return compare


eq = comparison(np.equal, "eq", "x == y, elementwise.")
ne = comparison(np.not_equal, "ne", "x != y, elementwise.")
lt = comparison(np.less, "lt", "x < y, elementwise.")
le = comparison(np.less_equal, "le", "x <= y, elementwise.")
gt = comparison(np.greater, "gt", "x > y, elementwise.")
ge = comparison(np.greater_equal, "ge", "x >= y, elementwise.")
logical_and = comparison(np.logical_and, "logical_and", "x and y, elementwise.")
logical_or = comparison(np.logical_or, "logical_or", "x or y, elementwise.")
bitwise_and, bitwise_or = bitwise(np.bitwise_and, "and"), bitwise(np.bitwise_or, "or")
bitwise_xor = bitwise(np.bitwise_xor, "xor")
give(Tensor, __invert__=lambda x: wrap(np.invert(x._array)))
give(Tensor, __hash__=object.__hash__)  # `==` compares elements, but a tensor is a key by identity

__all__ = [
    "add", "bitwise_and", "bitwise_or", "bitwise_xor", "div", "eq", "ge", "gt", "le",
    "logical_and", "logical_or", "lt", "mul", "ne", "neg", "pow", "reciprocal", "sub",
]  # fmt: skip
