"""Losses: each compares elementwise and then reduces, in one node, as in torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..function import Function
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
        return losses.sum() / self.count  # np.mean takes twice as long for a small array

    def explain(self, *arrays: Any, reduction: Any = "mean", **settings: Any) -> Exception:
        """torch's error for an unknown reduction, or for shapes that do not broadcast."""
        if reduction not in REDUCTIONS:
            return ValueError(f"{reduction} is not a valid value for reduction")
        return super().explain(*arrays, **settings)

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

    promotes = True

    def forward(self, x, y, *, reduction="mean"):
        self.reduction = reduction
        return self.reduce(np.abs(x - y), reduction)

    def backward_x(self, grad, x, y):
        return self.each(grad) * np.sign(raw(x) - raw(y))

    def backward_y(self, grad, x, y):
        return self.each(grad) * np.sign(raw(y) - raw(x))

    def name(self) -> str:
        """torch's name, of the last of its nodes."""
        return {"mean": "MeanBackward0", "sum": "SumBackward0", "none": "AbsBackward0"}[self.reduction]


class SmoothL1Loss(Loss):
    """A parabola where |x - y| < beta, |x - y| - beta / 2 beyond."""

    promotes = True

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

    promotes = True

    def forward(self, z, y, *, weight, pos_weight, reduction="mean"):
        self.weight, self.pos_weight = weight, pos_weight
        log_weight = 1 + (pos_weight - 1) * y
        return self.reduce(((1 - y) * z + log_weight * softplus(-z)) * weight, reduction)  # softplus(-z) = -log σ(z)

    def backward_z(self, grad, z, y):
        log_weight = 1 + (self.pos_weight - 1) * y
        return self.each(grad) * self.weight * (log_weight * both.sigmoid(z) - self.pos_weight * y)

    def backward_y(self, grad, z):
        log_sigmoid, log_other = -both.softplus(-z), -both.softplus(z)
        return self.each(grad) * self.weight * (log_other - self.pos_weight * log_sigmoid)

    def name(self) -> str:
        return "BinaryCrossEntropyWithLogitsBackward0"


class BinaryCrossEntropy(Loss):
    """-(y log x + (1 - y) log(1 - x)), the logarithms no less than -100."""

    promotes = True

    def forward(self, x, y, *, weight=None, reduction="mean"):
        self.weight = 1.0 if weight is None else weight
        losses = -(y * np.maximum(np.log(x), -100) + (1 - y) * np.maximum(np.log(1 - x), -100))
        return self.reduce(losses * self.weight, reduction)

    def backward_x(self, grad, x, y):
        limit = x * (1 - x)
        return self.each(grad) * self.weight * (x - y) / both.where(raw(limit) > 1e-12, limit, 1e-12)

    def backward_y(self, grad, x):
        return self.each(grad) * self.weight * (both.log(1 - x) - both.log(x))


class NllLoss(Loss):
    """-x at the target's class: the classes are dimension 1, or 0 of a vector. `ignore_index` None ignores nothing."""

    def forward(self, x, target, *, weight=None, ignore_index=-100, reduction="mean"):
        self.shape, self.reduction = x.shape, reduction
        if ignore_index is None and weight is None:  # the common case: every label counts alike
            label, self.weights, total = target, 1, target.size
        else:
            kept = target != ignore_index
            label = np.where(kept, target, 0)
            self.weights = kept.astype(x.dtype) if weight is None else kept * weight[label]
            total = self.weights.sum()
        if target.ndim > 1:
            first, *others = np.ogrid[tuple(map(slice, target.shape))]
            self.index = first, label, *others
        else:
            self.index = (np.arange(len(x)), label) if x.ndim > 1 else (label,)
        losses = x[self.index] * -self.weights
        if reduction != "mean":
            return self.reduce(losses, reduction)
        self.count = total
        return losses.sum() / total

    def backward_x(self, grad, target):  # the target is named, so that it is kept and freed as in torch
        return scatter(self.each(grad) * -self.weights, self.shape, self.index, once=True)

    def name(self) -> str:
        """torch's name: with a target of one dimension, and of more."""
        if len(self.shape) < 3:
            return "NllLossBackward0"
        return "ViewBackward0" if self.reduction == "none" else "NllLoss2DBackward0"
