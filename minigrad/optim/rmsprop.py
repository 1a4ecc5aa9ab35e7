"""RMSprop (Hinton 2012) and Adagrad (Duchi et al. 2011): steps divided by the size of the gradients before."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.tensor import Tensor, materialise
from .optimizer import Optimizer, check


class RMSprop(Optimizer):
    """p ← p - lr · grad / (√v + eps), where v is a running mean of grad²; with momentum, of a velocity of those."""

    absent = ("capturable", "differentiable")

    def __init__(
        self, params: Any, lr: float = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0,
        momentum: float = 0, centered: bool = False, capturable: bool = False, foreach: bool | None = None,
        maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        for name, value in (("learning rate", lr), ("epsilon value", eps), ("momentum value", momentum)):
            check(name, value)
        check("weight_decay value", weight_decay)
        check("alpha value", alpha)
        settings: dict[str, Any] = {"lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered}
        settings |= {"weight_decay": weight_decay, "capturable": capturable, "foreach": foreach}
        super().__init__(params, settings | {"maximize": maximize, "differentiable": differentiable})

    def update(self, p: Tensor, grad: Any, group: dict[str, Any]) -> None:
        """One step of one parameter."""
        array, state = materialise(p), self.state[p]
        grad = (-grad if group["maximize"] else grad) + group["weight_decay"] * array
        if not state:
            state.update(step=0, square_avg=np.zeros_like(array))
        state["step"] += 1
        alpha = group["alpha"]
        v = state["square_avg"] = alpha * state["square_avg"] + (1 - alpha) * grad * grad
        if group["centered"]:
            mean = state["grad_avg"] = alpha * state.get("grad_avg", 0 * array) + (1 - alpha) * grad
            v = v - mean * mean
        step = grad / (np.sqrt(v) + group["eps"])
        if group["momentum"]:
            step = state["momentum_buffer"] = group["momentum"] * state.get("momentum_buffer", 0 * array) + step
        array -= group["lr"] * step


class Adagrad(Optimizer):
    """p ← p - lr / (1 + (t - 1) lr_decay) · grad / (√Σgrad² + eps)."""

    absent = ("differentiable",)

    def __init__(
        self, params: Any, lr: float = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
        initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *,
        maximize: bool = False, differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        for name, value in (("learning rate", lr), ("lr_decay value", lr_decay), ("weight_decay value", weight_decay)):
            check(name, value)
        check("epsilon value", eps)
        settings: dict[str, Any] = {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay}
        settings |= {"initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "fused": fused}
        super().__init__(params, settings | {"maximize": maximize, "differentiable": differentiable})

    def update(self, p: Tensor, grad: Any, group: dict[str, Any]) -> None:
        """One step of one parameter."""
        array, state = materialise(p), self.state[p]
        grad = (-grad if group["maximize"] else grad) + group["weight_decay"] * array
        if not state:
            state.update(step=0, sum=np.full_like(array, group["initial_accumulator_value"]))
        state["step"] += 1
        state["sum"] += grad * grad
        lr = group["lr"] / (1 + (state["step"] - 1) * group["lr_decay"])
        array -= lr * grad / (np.sqrt(state["sum"]) + group["eps"])
