"""Products of vectors and matrices."""

from typing import Any

from ..core.function import Function, Plan
from ..core.tensor import Tensor
from . import both


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


def rows(x: Any) -> Any:
    """A matrix of the last dimension's vectors: one large product is faster than one per batch entry."""
    return x if x.ndim == 2 else x.reshape((-1, x.shape[-1]))
