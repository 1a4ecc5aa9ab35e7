"""Products of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import word
from ..function import Function, Plan
from ..tensor import Tensor, check_tensors, no_tensor, wrap
from . import both
from .shape import UnsafeView, expand


class Product(Function):
    """A product whose rules are for matrices only: a vector on the left is a row to them, on the right a column."""

    ranks: tuple[int, int]  # how many dimensions the two have; forward keeps it

    @classmethod
    def make_plan(cls, needs):
        """The rules, made to take vectors."""
        plan = super().make_plan(needs)
        rules = []
        for i, rule, takes in plan.rules:
            places = () if takes is None else (plan.saves[takes],) if isinstance(takes, int) else takes(plan.saves)
            rules.append((i, for_vectors_too(i, rule, places), takes))
        cls.plans[needs] = plan = Plan(plan.saves, tuple(rules))
        return plan

    def matrix(self, value, place=-1):
        """An input, or the result (-1), as a matrix."""
        if self.ranks[1] == 1 and place != 0:
            value = value[..., None]
        return value[..., None, :] if self.ranks[0] == 1 and place != 1 else value

    def name(self) -> str:
        """torch's name, of the last of its nodes."""
        names = {(1, 1): "DotBackward0", (2, 1): "MvBackward0", (1, 2): "SqueezeBackward4", (2, 2): "MmBackward0"}
        return names.get(self.ranks, "UnsafeViewBackward0")

    def explain(self, x: Any, y: Any) -> Exception:
        """torch's error for lengths that do not meet."""
        if x.ndim == 1 and y.ndim == 1:
            return RuntimeError(
                f"inconsistent tensor size, expected tensor [{x.shape[0]}] and src [{y.shape[0]}] to have the same "
                f"number of elements, but got {x.shape[0]} and {y.shape[0]} elements respectively"
            )
        if y.ndim == 1 and x.ndim == 2:
            return RuntimeError(
                f"size mismatch, got input ({x.shape[0]}), mat ({x.shape[0]}x{x.shape[1]}), vec ({y.shape[0]})"
            )
        if x.shape[-1] == y.shape[max(y.ndim - 2, 0)]:
            return super().explain(x, y)
        rows = x.shape[0] if x.ndim == 2 else int(np.prod(x.shape[:-1]))
        columns = 1 if y.ndim == 1 else y.shape[-1]
        if x.ndim <= 2 and y.ndim > 2 or x.ndim > 2 and y.ndim > 2:
            return of_batch(x, y)
        return RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({rows}x{x.shape[-1]} and "
            f"{y.shape[max(y.ndim - 2, 0)]}x{columns})"
        )


def of_batch(x: Any, y: Any) -> RuntimeError:
    """torch's error for a batch of matrices that does not fit the other."""
    return RuntimeError(
        "Expected size for first two dimensions of batch2 tensor to be: "
        f"[{int(np.prod(x.shape[:-2])) or 1}, {x.shape[-1]}] but got: "
        f"[{int(np.prod(y.shape[:-2]))}, {y.shape[-2]}]."
    )


def for_vectors_too(i: int, rule: Any, places: tuple[int, ...]) -> Any:
    """The rule of input i, handed a row or a column for each vector; what it returns becomes a vector again.

    Args:
        i: 0 or 1.
        rule: takes the gradient and saved values.
        places: for each saved value, which input it is; -1 for the result.
    """

    def lifted(self, grad, *saved):
        if 1 not in self.ranks:
            return rule(self, grad, *saved)
        below = rule(self, self.matrix(grad), *map(self.matrix, saved, places))
        if self.ranks[i] > 1 or below is None:
            return below
        return below[..., 0] if i else below[..., 0, :]

    lifted.__qualname__ = rule.__qualname__
    return lifted


class MatMul(Product):
    """x @ y: the gradients are grad @ yᵀ and xᵀ @ grad. Leading dimensions broadcast."""

    def forward(self, x, y):
        self.ranks = x.ndim, y.ndim
        return x @ y

    def backward_x(self, grad, y):
        return grad @ y.mT

    def backward_y(self, grad, x):
        return x.mT @ grad


class Mm(Function):
    """x @ wᵀ, the linear layer without a bias: w is (out, in)."""

    def forward(self, x, w):
        self.ndim = x.ndim
        out = rows(x) @ w.T
        return out if x.ndim == 2 else out.reshape((*x.shape[:-1], len(w)))

    def backward_x(self, grad, w):
        if grad.ndim == 2:
            return grad @ w
        return (rows(grad) @ w).reshape((*grad.shape[:-1], w.shape[-1]))

    def backward_w(self, grad, x):
        return rows(grad).T @ rows(x)

    def name(self) -> str:
        """torch's name, of the last of its nodes."""
        return {1: "SqueezeBackward4", 2: "MmBackward0"}.get(self.ndim, "UnsafeViewBackward0")

    def explain(self, *arrays: Any) -> Exception:
        """torch's error for lengths that do not meet."""
        x, w = arrays
        return RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({len(rows(x))}x{x.shape[-1]} and {w.shape[1]}x{w.shape[0]})"
        )


class Addmm(Mm):
    """b + x @ wᵀ, the linear layer in one node: b is (out,)."""

    def forward(self, b, x, w):
        self.ndim = x.ndim
        out = rows(x) @ w.T
        out += b  # the product is ours: adding in place saves a copy of it
        return out if x.ndim == 2 else out.reshape((*x.shape[:-1], len(w)))

    def backward_b(self, grad):
        grad = rows(grad)
        if isinstance(grad, Tensor) or len(self.edges[0].out_shape) > 1:  # a bias that has rows itself
            return grad
        return both.ones(len(grad), grad.dtype) @ grad  # BLAS adds rows faster than `sum`

    def explain(self, b: Any, x: Any, w: Any) -> Exception:
        """torch's error for lengths that do not meet, or for a bias that doesn't fit what is left."""
        if x.shape[-1] == w.shape[1]:
            try:
                expand(wrap(b), (len(rows(x)), len(w)))
            except RuntimeError as error:
                return error
        return super().explain(x, w)

    def name(self) -> str:
        return "AddmmBackward0" if self.ndim == 2 else "ViewBackward0"


def rows(x: Any) -> Any:
    """A matrix of the last dimension's vectors: one large product is faster than one per batch entry."""
    return x if x.ndim == 2 else x.reshape((-1, x.shape[-1]))


def matmul(input: Tensor, other: Tensor) -> Tensor:
    """input @ other for every pair of ranks from 1 on; RuntimeError when lengths or dtypes differ."""
    try:
        m, n = input._array.ndim, other._array.ndim
    except AttributeError:
        raise no_tensor("matmul", input=input, other=other) from None
    if m == 0 or n == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {m}D and {n}D")
    check_dtypes(input, other)
    if m > 2 and n == 2:  # one large product, as torch does it
        product = MatMul.apply(input.reshape(-1, input.shape[-1]), other)
        return UnsafeView.apply(product, shape=(*input.shape[:-1], other.shape[-1]))
    return MatMul.apply(input, other)


def matmul_left(x: Tensor, y: Any) -> Any:
    """x @ y; Python's TypeError where y is no tensor."""
    return matmul(x, y) if isinstance(y, Tensor) else NotImplemented


def matmul_right(x: Tensor, y: Any) -> Any:
    """y @ x, for an ndarray y."""
    return matmul(wrap(y), x) if isinstance(y, np.ndarray) else NotImplemented


def check_dtypes(x: Tensor, y: Tensor) -> None:
    """Products do not promote: RuntimeError when the dtypes differ, in the words of torch's kernel."""
    a, b = x._array.dtype, y._array.dtype
    if a is b or a == b:
        return
    a, b, rank = word(x), word(y), y._array.ndim
    if rank == 1 and x._array.ndim == 1:
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {a} and {b}")
    if rank == 1:
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {b}, {a}, and {b}")
    if rank > 2:
        raise RuntimeError(f"expected scalar type {a} but found {b}")
    words = {"Float": "float", "Double": "double", "Long": "long int", "Bool": "bool"}
    raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {words[a]} != {words[b]}")


def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The inner product of two vectors; RuntimeError for other ranks."""
    check_tensors("dot", input=input, tensor=tensor)
    if input.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input.ndim}D and {tensor.ndim}D tensors")
    return matmul(input, tensor)


def mv(input: Tensor, vec: Tensor) -> Tensor:
    """A matrix times a vector; RuntimeError for other ranks."""
    check_tensors("mv", input=input, vec=vec)
    if input.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {input.ndim}, {vec.ndim}")
    return matmul(input, vec)


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """A matrix times a matrix; RuntimeError for other ranks."""
    check_tensors("mm", input=input, mat2=mat2)
    if input.ndim != 2 or mat2.ndim != 2:
        raise RuntimeError(f"{'self' if input.ndim != 2 else 'mat2'} must be a matrix")
    return matmul(input, mat2)


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """A batch of matrices times a batch of as many; RuntimeError for other shapes."""
    check_tensors("bmm", input=input, mat2=mat2)
    if input.ndim != 3 or mat2.ndim != 3:
        raise RuntimeError(f"batch{1 if input.ndim != 3 else 2} must be a 3D tensor")
    if len(input) != len(mat2):
        raise of_batch(input, mat2)
    return matmul(input, mat2)


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Every element of the vector input times every element of the vector vec2."""
    check_tensors("outer", input=input, vec2=vec2)
    for name, x in ("self", input), ("vec2", vec2):
        if x.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {x.ndim}-D")
    return input[:, None] * vec2


Tensor.matmul, Tensor.__matmul__, Tensor.__rmatmul__ = matmul, matmul_left, matmul_right
Tensor.dot, Tensor.mv, Tensor.mm, Tensor.bmm, Tensor.outer = dot, mv, mm, bmm, outer
__all__ = ["bmm", "dot", "matmul", "mm", "mv", "outer"]
