"""Learning rates that change with the epoch."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ..namespace import absent
from .optimizer import Optimizer

TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call "
    "them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in "
    "PyTorch skipping the first value of the learning rate schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)


class LRScheduler:
    """Sets the learning rate of every group by the number of steps so far."""

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch + 1
        self._step_count = 1
        self._last_lr = [group["lr"] for group in optimizer.param_groups]

    def step(self) -> None:
        """Count one epoch, and set the learning rates; warns where the optimizer's first step is yet to come."""
        if self._step_count == 1 and not self.optimizer.stepped:
            warnings.warn(TOO_EARLY, UserWarning, stacklevel=2)
        self._step_count += 1
        self.last_epoch += 1
        for group, base in zip(self.optimizer.param_groups, self.base_lrs, strict=True):
            group["lr"] = self.rate(group["lr"], base)
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def rate(self, previous: float, base: float) -> float:
        """The learning rate at `last_epoch`: each schedule says."""
        raise NotImplementedError(f"{type(self).__name__} has no rate")

    def get_last_lr(self) -> list[float]:
        """The learning rate of each group, as the schedule last set it."""
        return self._last_lr

    def state_dict(self) -> dict[str, Any]:
        """All that it holds besides the optimizer."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take what another schedule's `state_dict` returned."""
        vars(self).update(state_dict)


class StepLR(LRScheduler):
    """Times gamma every `step_size` epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, previous: float, base: float) -> float:
        """From the previous rate, so that a rate changed by hand is kept."""
        return previous * self.gamma if self.last_epoch % self.step_size == 0 else previous


class CosineAnnealingLR(LRScheduler):
    """From the base rate to eta_min along half a cosine of T_max epochs (Loshchilov and Hutter 2016)."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:  # noqa: N803
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def rate(self, previous: float, base: float) -> float:
        """eta_min + (base - eta_min) (1 + cos(π t / T_max)) / 2."""
        return self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2


__all__: list[Any] = ["CosineAnnealingLR", "LRScheduler", "StepLR"]

__getattr__ = absent("minigrad.optim.lr_scheduler")
