"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.tensor import Tensor, materialise
from .optimizer import Optimizer, check


class SGD(Optimizer):
    """p ← p - lr · v, where v = momentum · v + grad (the gradient itself without momentum).

    foreach, fused: in torch, ways to compute the same faster; here they change nothing.
    """

    absent = ("differentiable",)

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check("learning rate", lr)
        check("momentum value", momentum)
        check("weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        settings = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        settings |= {"nesterov": nesterov, "maximize": maximize}
        super().__init__(params, settings | {"foreach": foreach, "differentiable": differentiable, "fused": fused})

    def update(self, p: Tensor, grad: Any, group: dict[str, Any]) -> None:
        """One step of one parameter."""
        array = materialise(p)
        lr, momentum, dampening = group["lr"], group["momentum"], group["dampening"]
        if group["maximize"]:
            grad = -grad
        if group["weight_decay"]:
            grad = grad + group["weight_decay"] * array
        state = {}
        if momentum:
            state = self.state[p]
            if not state:
                state["momentum_buffer"] = np.zeros_like(array)
            elif dampening:
                grad = (1 - dampening) * grad
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
