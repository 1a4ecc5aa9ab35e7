"""The loss modules: `nn.functional`'s losses, with their settings kept."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor
from . import functional
from .module import Module


class _Loss(Module):
    """A loss and how it is reduced."""

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction


class MSELoss(_Loss):
    """(input - target)²."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of `input` against `target`."""
        return functional.mse_loss(input, target, self.reduction)


class L1Loss(_Loss):
    """|input - target|."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of `input` against `target`."""
        return functional.l1_loss(input, target, self.reduction)


class SmoothL1Loss(_Loss):
    """A parabola near 0, a line beyond beta."""

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of `input` against `target`."""
        return functional.smooth_l1_loss(input, target, self.reduction, self.beta)


class _Weighted(_Loss):
    """A loss with weights that are saved with the module."""

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean", **settings: Any) -> None:
        super().__init__(reduction)
        self.register_buffer("weight", weight)
        self.settings = settings


class BCELoss(_Weighted):
    """Binary cross entropy of probabilities."""

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        super().__init__(weight, reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of `input` against `target`."""
        return functional.binary_cross_entropy(input, target, self.weight, self.reduction)


class BCEWithLogitsLoss(_Weighted):
    """Binary cross entropy of logits, stable."""

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean", pos_weight: Tensor | None = None) -> None:
        super().__init__(weight, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of `input` against `target`."""
        return functional.binary_cross_entropy_with_logits(input, target, self.weight, self.reduction, self.pos_weight)


class NLLLoss(_Weighted):
    """Minus the log-probability of the target's class."""

    def __init__(self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean") -> None:
        super().__init__(weight, reduction, ignore_index=ignore_index)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of `input` against `target`."""
        return functional.nll_loss(input, target, self.weight, reduction=self.reduction, **self.settings)


class CrossEntropyLoss(_Weighted):
    """Minus the log of the softmax at the target's class."""

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, reduction, ignore_index=ignore_index, label_smoothing=label_smoothing)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of `input` against `target`."""
        return functional.cross_entropy(input, target, self.weight, reduction=self.reduction, **self.settings)
