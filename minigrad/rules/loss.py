"""Losses: each compares elementwise and then reduces, in one node, as in torch."""

from typing import Any

import numpy as np

from ..core.function import Function
from . import both
from .both import raw
from .index import scatter

REDUCTIONS = ("mean", "sum", "none")


class Loss(Function):
    """An elementwise loss and its reduction: `mean`, `sum` or `none`."""

    count = 1  # of the elements that a mean was taken of

    def reduce(self, losses: Any, reduction: str) -> Any:
        """The losses reduced; how is kept for the rules."""
        if reduction not in REDUCTIONS:
            raise ValueError  # which `explain` words
        self.count = losses.size if reduction == "mean" else 1
        if reduction == "none":
            return losses
        return np.add.reduce(losses, axis=None) / self.count  # sum and mean are slower, and NumPy's lines would warn

    def each(self, grad: Any) -> Any:
        """What arrives at each elementwise loss."""
        return grad / self.count if self.count != 1 else grad


class MseLoss(Loss):
    """(x - y)²: the gradient is 2 (x - y)."""

    def forward(self, x, y, *, reduction="mean"):
        difference = x - y
        return self.reduce(difference * difference, reduction)

    def backward_x(self, grad, x, y):
        return self.each(grad) * 2 * (x - y)

    def backward_y(self, grad, x, y):
        return self.each(grad) * 2 * (y - x)


class L1Loss(Loss):
    """|x - y|, with gradient 0 at equality."""

    def forward(self, x, y, *, reduction="mean"):
        self.reduction = reduction
        return self.reduce(np.abs(x - y), reduction)

    def backward_x(self, grad, x, y):
        return self.each(grad) * both.sign(x - y)

    def backward_y(self, grad, x, y):
        return -self.backward_x(grad, x, y)


class SmoothL1Loss(Loss):
    """A parabola where |x - y| < beta, |x - y| - beta / 2 beyond."""

    def forward(self, x, y, *, reduction="mean", beta=1.0):
        self.beta = beta
        distance = np.abs(x - y)
        inner = distance < beta
        return self.reduce(np.where(inner, 0.5 * distance * distance / (beta or 1), distance - 0.5 * beta), reduction)

    def slope(self, x, y):
        """The derivative with respect to x."""
        difference = x - y
        inner = np.abs(raw(difference)) < self.beta
        return both.where(inner, difference / (self.beta or 1), np.sign(raw(difference)))

    def backward_x(self, grad, x, y):
        return self.each(grad) * self.slope(x, y)

    def backward_y(self, grad, x, y):
        return self.each(grad) * -self.slope(x, y)


def softplus(z: Any) -> Any:
    """log(1 + exp(z)) of an array, rearranged so that exp never overflows."""
    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))


class BinaryCrossEntropyWithLogits(Loss):
    """-(y log σ(z) + (1 - y) log(1 - σ(z))), which is softplus(z) - z y."""

    def forward(self, z, y, *, reduction="mean"):
        return self.reduce(softplus(z) - z * y, reduction)

    def backward_z(self, grad, z, y):
        return self.each(grad) * (both.sigmoid(z) - y)

    def backward_y(self, grad, z):
        return self.each(grad) * -z


class WeightedBinaryCrossEntropyWithLogits(Loss):
    """The same with a weight an element, and `pos_weight` times the loss where y is 1."""

    def forward(self, z, y, *, weight, pos_weight, reduction="mean"):
        self.weight, self.pos_weight = weight, pos_weight
        log_weight = 1 + (pos_weight - 1) * y
        losses = ((1 - y) * z + log_weight * softplus(-z)) * weight  # softplus(-z) = -log σ(z)
        check_weighted(losses, z)
        return self.reduce(losses, reduction)

    def backward_z(self, grad, z, y):
        log_weight = 1 + (self.pos_weight - 1) * y
        return self.each(grad) * self.weight * (log_weight * both.sigmoid(z) - self.pos_weight * y)

    def backward_y(self, grad, z):
        log_sigmoid, log_other = -both.softplus(-z), -both.softplus(z)
        return self.each(grad) * self.weight * (log_other - self.pos_weight * log_sigmoid)


def check_weighted(losses: Any, x: Any) -> None:
    """torch's error for weights whose shape is larger than that of x: each is of one loss."""
    if losses.shape != x.shape:
        raise RuntimeError(f"output with shape {list(x.shape)} doesn't match the broadcast shape {list(losses.shape)}")


class BinaryCrossEntropy(Loss):
    """-(y log x + (1 - y) log(1 - x)), the logarithms no less than -100."""

    def forward(self, x, y, *, weight=None, reduction="mean"):
        self.weight = 1.0 if weight is None else weight
        losses = (y - 1) * np.maximum(np.log1p(-x), -100) - y * np.maximum(np.log(x), -100)
        losses = losses * self.weight
        check_weighted(losses, x)
        return self.reduce(losses, reduction)

    def backward_x(self, grad, x, y):
        limit = x * (1 - x)
        return self.each(grad) * self.weight * (x - y) / both.where(raw(limit) > 1e-12, limit, 1e-12)

    def backward_y(self, grad, x):
        return self.each(grad) * self.weight * (both.log(1 - x) - both.log(x))


class NllLoss(Loss):
    """-x at the target's class: the classes are dimension 1, or 0 of a vector. `ignore_index` None ignores nothing."""

    def forward(self, x, target, *, weight=None, ignore_index=-100, reduction="mean"):
        self.shape, self.reduction = x.shape, reduction
        label, self.ignored, self.weights = target, None, None  # the common case: every label counts alike
        if ignore_index is not None:
            self.ignored = target == ignore_index
            label = np.where(self.ignored, 0, target)
            self.weights = (~self.ignored).astype(x.dtype)
        if weight is not None:
            self.weights = weight[label] if self.ignored is None else np.where(self.ignored, 0, weight[label])
        if target.ndim > 1:
            first, *others = np.ogrid[tuple(map(slice, target.shape))]
            self.index = first, label, *others
        else:
            self.index = (np.arange(len(x)), label) if x.ndim > 1 else (label,)
        losses = self.weighted(x[self.index])
        if reduction != "mean":
            return self.reduce(losses, reduction)
        self.count = target.size if self.weights is None else np.add.reduce(self.weights, axis=None)
        return np.add.reduce(losses, axis=None) / self.count

    def weighted(self, values):
        """Minus the values, each by its label's weight; 0 where the label is ignored, even of an infinite value."""
        values = -values
        if self.ignored is not None:
            values = both.where(self.ignored, 0, values)
        return values if self.weights is None else values * self.weights

    def backward_x(self, grad, target):  # the target is named, so that it is kept and freed as in torch
        return scatter(self.weighted(self.each(grad)), self.shape, self.index, once=True)
