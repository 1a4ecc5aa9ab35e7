"""RMSprop (Hinton 2012) and Adagrad (Duchi et al. 2011): steps divided by the size of the gradients before."""

from typing import Any

import numpy as np

from ..core.tensor import Tensor
from .optimizer import Formula


class RMSprop(Formula):
    """p ← p - lr · grad / (√v + eps), where v is a running mean of grad²; with momentum, of a velocity of those."""

    absent = ("capturable", "differentiable")
    settings = {
        "lr": 1e-2, "alpha": 0.99, "eps": 1e-8, "weight_decay": 0, "momentum": 0, "centered": False,
        "capturable": False, "foreach": None, "maximize": False, "differentiable": False,
    }  # fmt: skip
    order = ("lr", "momentum", "alpha", "eps", "centered", "weight_decay", *list(settings)[6:])

    def change(self, p: Tensor, array: Any, grad: Any, group: dict[str, Any]) -> None:
        """One step of one parameter."""
        state, alpha = self.state[p], group["alpha"]
        if not state:
            state.update(step=0, square_avg=np.zeros_like(array))
        state["step"] += 1
        v = state["square_avg"] = alpha * state["square_avg"] + (1 - alpha) * grad * grad
        if group["centered"]:
            mean = state["grad_avg"] = alpha * state.get("grad_avg", 0 * array) + (1 - alpha) * grad
            v = v - mean * mean
        step = grad / (np.sqrt(v) + group["eps"])
        if group["momentum"]:
            step = state["momentum_buffer"] = group["momentum"] * state.get("momentum_buffer", 0 * array) + step
        array -= group["lr"] * step


class Adagrad(Formula):
    """p ← p - lr / (1 + (t - 1) lr_decay) · grad / (√Σgrad² + eps)."""

    absent = ("differentiable",)
    settings = {
        "lr": 1e-2, "lr_decay": 0, "weight_decay": 0, "initial_accumulator_value": 0, "eps": 1e-10, "foreach": None,
        "maximize": False, "differentiable": False, "fused": None,
    }  # fmt: skip
    order = ("lr", "lr_decay", "eps", "weight_decay", "initial_accumulator_value", *list(settings)[5:])

    def change(self, p: Tensor, array: Any, grad: Any, group: dict[str, Any]) -> None:
        """One step of one parameter."""
        state = self.state[p]
        if not state:
            state.update(step=0, sum=np.full_like(array, group["initial_accumulator_value"]))
        state["step"] += 1
        state["sum"] += grad * grad
        lr = group["lr"] / (1 + (state["step"] - 1) * group["lr_decay"])
        array -= lr * grad / (np.sqrt(state["sum"]) + group["eps"])
