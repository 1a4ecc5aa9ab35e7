"""Learning rates that change with the epoch."""

import math
import warnings
from collections import Counter
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
            group["lr"] = group["lr"].fill_(lr) if isinstance(group["lr"], Tensor) else lr
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
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def times(self) -> int:
        """How often the present rates are multiplied by gamma in this epoch."""
        return int(self.last_epoch != 0 and self.last_epoch % self.step_size == 0)

    def get_lr(self) -> list[float | Tensor]:
        """The present rates, times gamma where it is time."""
        return [lr * self.gamma ** self.times() if self.times() else lr for lr in self.present()]


class ExponentialLR(StepLR):
    """Times gamma every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        super().__init__(optimizer, 1, gamma, last_epoch)
        del self.step_size  # which torch's has not

    def times(self) -> int:
        """Once, but for the first."""
        return int(not self._is_initial)


class MultiStepLR(StepLR):
    """Times gamma at each of the milestones, which are epochs."""

    def __init__(self, optimizer: Optimizer, milestones: Any, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        LRScheduler.__init__(self, optimizer, last_epoch)

    def times(self) -> int:
        """As often as the epoch is named."""
        return self.milestones[self.last_epoch]


class CosineAnnealingLR(LRScheduler):
    """From the base rate to eta_min along half a cosine of T_max epochs (Loshchilov and Hutter 2016)."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:  # noqa: N803
        self.T_max, self.eta_min = T_max, eta_min
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


class LambdaLR(LRScheduler):
    """The base rate times what a function says of the epoch: one function, or one a group."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        groups = len(optimizer.param_groups)
        self.lr_lambdas = list(lr_lambda) if isinstance(lr_lambda, list | tuple) else [lr_lambda] * groups
        if len(self.lr_lambdas) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float | Tensor]:
        """The base rates times the functions' values."""
        self.present()
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """All that it holds besides the optimizer and the functions."""
        return super().state_dict() | {"lr_lambdas": [None] * len(self.lr_lambdas)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take what another schedule's `state_dict` returned; the functions stay."""
        super().load_state_dict(state_dict | {"lr_lambdas": self.lr_lambdas})


class ReduceLROnPlateau:
    """Times `factor` when a measure has not got better for more than `patience` epochs.

    Better is less, or with mode "max" more, by a share (`threshold_mode` "rel") or an amount ("abs") of `threshold`.
    """

    def __init__(
        self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10, threshold: float = 1e-4,
        threshold_mode: str = "rel", cooldown: int = 0, min_lr: float = 0, eps: float = 1e-8,
    ) -> None:  # fmt: skip
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.optimizer, self.mode, self.factor, self.patience = optimizer, mode, factor, patience
        self.threshold, self.threshold_mode, self.cooldown = threshold, threshold_mode, cooldown
        self.min_lr, self.eps = min_lr, eps
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = self.cooldown_counter = self.last_epoch = 0

    def step(self, metrics: Any) -> None:
        """Count one epoch, whose measure this is."""
        current = float(metrics)
        self.last_epoch += 1
        if self.is_better(current):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            for group in self.optimizer.param_groups:
                lower = max(group["lr"] * self.factor, self.min_lr)
                group["lr"] = lower if group["lr"] - lower > self.eps else group["lr"]
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0

    def is_better(self, current: float) -> bool:
        """Whether a measure is better than the best before."""
        sign = -1 if self.mode == "min" else 1
        if self.threshold_mode == "rel":
            return sign * current > sign * self.best * (1 + sign * self.threshold)
        return sign * current > sign * self.best + self.threshold

    def get_last_lr(self) -> list[float]:
        """The learning rate of each group."""
        return [group["lr"] for group in self.optimizer.param_groups]


__all__: list[Any] = [
    "CosineAnnealingLR", "ExponentialLR", "LRScheduler", "LambdaLR", "MultiStepLR", "ReduceLROnPlateau", "StepLR",
]  # fmt: skip

__getattr__ = absent("minigrad.optim.lr_scheduler")
