"""Learning rates that change with the epoch."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ..core.tensor import Tensor
from ..surface.namespace import absent
from .optimizer import Optimizer

TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call "
    "them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in "
    "PyTorch skipping the first value of the learning rate schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
ASKED = "To get the last learning rate computed by the scheduler, please use `get_last_lr()`."
NO_INITIAL = (
    "param 'initial_lr' is not specified in param_groups[{}] when resuming scheduler with last_epoch >= 0.\n"
    "This typically happens when:\n"
    "1. You're trying to resume training from a checkpoint but haven't properly loaded the optimizer state\n"
    "2. You're using last_epoch >= 0 for a fresh training run (not recommended)"
)


class LRScheduler:
    """Sets the learning rate of every group: from what it is now, so that schedules, and changes by hand, combine.

    Args:
        optimizer: whose groups' `lr` to set.
        last_epoch: the epochs already done when training is resumed, less one.

    Raises:
        TypeError: something that is not an optimizer.
        KeyError: resumed with groups that do not say their `initial_lr`.
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(NO_INITIAL.format(i))
        self.base_lrs = [copied(group["initial_lr"]) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        optimizer.stepped = optimizer.scheduled and optimizer.stepped  # what counts is a step since the first schedule
        optimizer.scheduled = True
        self._step_count = 0
        self._is_initial = True  # an underscored name is one of torch's, which a `state_dict` shows
        self.step()
        self._is_initial = False

    def step(self) -> None:
        """Count one epoch, and set the learning rates; warns where the optimizer's first step is yet to come."""
        if self._step_count == 1 and not self.optimizer.stepped:
            warnings.warn(TOO_EARLY, UserWarning, stacklevel=2)
        self._step_count += 1
        self.last_epoch += 1
        self._get_lr_called_within_step = True
        rates = self.get_lr()
        self._get_lr_called_within_step = False
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(lr)
            else:
                group["lr"] = lr
        self._last_lr = [copied(group["lr"]) for group in self.optimizer.param_groups]

    def get_lr(self) -> list[float | Tensor]:
        """The learning rate of each group at `last_epoch`, which `step` sets: each schedule says."""
        raise NotImplementedError

    def present(self) -> list[float | Tensor]:
        """The learning rates that `get_lr` goes on from; warns unless it is `step` that asks."""
        if not self._get_lr_called_within_step:
            warnings.warn(ASKED, UserWarning, stacklevel=2)
        return [group["lr"] for group in self.optimizer.param_groups]

    def get_last_lr(self) -> list[float | Tensor]:
        """The learning rate of each group, as the schedule last set it."""
        return self._last_lr

    def state_dict(self) -> dict[str, Any]:
        """All that it holds besides the optimizer."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take what another schedule's `state_dict` returned."""
        vars(self).update(state_dict)


def copied(lr: float | Tensor) -> float | Tensor:
    """A learning rate of its own: one that is a Tensor is changed in place."""
    return lr.clone() if isinstance(lr, Tensor) else lr


class StepLR(LRScheduler):
    """Times gamma every `step_size` epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float | Tensor]:
        """Every `step_size` epochs the present rates times gamma."""
        rates = self.present()
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return rates
        return [lr * self.gamma for lr in rates]


class CosineAnnealingLR(LRScheduler):
    """From the base rate to eta_min along half a cosine of T_max epochs (Loshchilov and Hutter 2016)."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:  # noqa: N803
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float | Tensor]:
        """eta_min + (base - eta_min) (1 + cos(π t / T_max)) / 2, by its ratio to the epoch before.

        Where the epoch before is at eta_min, that ratio is infinite: there the first step of the way back is added.
        """
        rates, t, low = self.present(), self.last_epoch, self.eta_min
        if self._is_initial:
            return rates
        if (t - 1 - self.T_max) % (2 * self.T_max) == 0:
            rise = 1 - math.cos(math.pi / self.T_max)
            return [lr + (base - low) * rise / 2 for base, lr in zip(self.base_lrs, rates, strict=True)]
        ratio = (1 + math.cos(math.pi * t / self.T_max)) / (1 + math.cos(math.pi * (t - 1) / self.T_max))
        return [ratio * (lr - low) + low for lr in rates]


__all__: list[Any] = ["CosineAnnealingLR", "LRScheduler", "StepLR"]

__getattr__ = absent("minigrad.optim.lr_scheduler")
