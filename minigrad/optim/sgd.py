"""Stochastic gradient descent."""

from typing import Any

import numpy as np

from ..core.tensor import Tensor
from .optimizer import Formula


class SGD(Formula):
    """p ← p - lr · v, where v = momentum · v + grad (the gradient itself without momentum).

    foreach, fused: in torch, ways to compute the same faster; here they change nothing.
    """

    absent = ("differentiable",)
    settings = {
        "lr": 1e-3, "momentum": 0, "dampening": 0, "weight_decay": 0, "nesterov": False,
        "maximize": False, "foreach": None, "differentiable": False, "fused": None,
    }  # fmt: skip

    def check(self, settings: dict[str, Any]) -> None:
        """ValueError for a setting below 0, and for Nesterov's without momentum."""
        super().check(settings)
        if settings["nesterov"] and (settings["momentum"] <= 0 or settings["dampening"] != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")

    def change(self, p: Tensor, array: Any, grad: Any, group: dict[str, Any]) -> None:
        """One step of one parameter."""
        lr, momentum = group["lr"], group["momentum"]
        if not momentum:
            sgd_step(array, grad, {}, lr, momentum)
            return
        state = self.state[p]
        if not state:
            state["momentum_buffer"] = np.zeros_like(array)
        elif group["dampening"]:
            grad = (1 - group["dampening"]) * grad
        if not group["nesterov"]:
            sgd_step(array, grad, state, lr, momentum)
        else:  # p ← p - lr (grad + momentum · v): the two terms one after the other
            sgd_step(array, grad, state, lr * momentum, momentum)
            array -= lr * grad


def sgd_step(array: np.ndarray, grad: Any, state: dict[str, Any], lr: float, momentum: float) -> None:
    """One step of gradient descent: change array in place.

    grad: the gradient, of array's shape. lr, momentum: numbers.
    state: with momentum, state["momentum_buffer"] is the velocity: zeros before the first step.
    """
    velocity = grad
    if momentum:
        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
    array -= lr * velocity
