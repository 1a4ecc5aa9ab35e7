"""Adam (Kingma and Ba 2014) and AdamW (Loshchilov and Hutter 2017)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..tensor import Tensor, materialise
from .optimizer import Optimizer, check


class Adam(Optimizer):
    """p ← p - lr · m̂ / (√v̂ + eps): running means of the gradient and its square, corrected for their start at 0."""

    decoupled = False  # AdamW: the decay acts on the parameter, not through the gradient
    default_decay = 0.0

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float | None = None,
        *,
        maximize: bool = False,
    ) -> None:
        check("learning rate", lr)
        check("epsilon value", eps)
        for i, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
        weight_decay = self.default_decay if weight_decay is None else weight_decay
        check("weight_decay value", weight_decay)
        super().__init__(
            params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        )

    def update(
        self,
        p: Tensor,
        grad: Any,
        state: dict[str, Any],
        *,
        lr: float,
        betas: tuple[float, float],
        eps: float,
        weight_decay: float,
        maximize: bool,
        **_: Any,
    ) -> None:
        """One step of one parameter."""
        array = materialise(p)
        beta1, beta2 = betas
        if maximize:
            grad = -grad
        if weight_decay and self.decoupled:
            array *= 1 - lr * weight_decay
        elif weight_decay:
            grad = grad + weight_decay * array
        t = state["step"] = state.get("step", 0) + 1
        if t == 1:
            state["exp_avg"], state["exp_avg_sq"] = np.zeros_like(array), np.zeros_like(array)
        m, v = state["exp_avg"], state["exp_avg_sq"]
        m *= beta1  # m ← beta1 m + (1 - beta1) grad, in place, as all here: new arrays cost more than the sums
        m += (1 - beta1) * grad
        v *= beta2
        square = grad * grad
        square *= 1 - beta2
        v += square
        change = np.sqrt(v)
        change /= math.sqrt(1 - beta2**t)
        change += eps
        np.divide(m, change, out=change)
        change *= lr / (1 - beta1**t)
        array -= change


class AdamW(Adam):
    """Adam with decoupled weight decay: p ← p (1 - lr · weight_decay) first."""

    decoupled = True
    default_decay = 1e-2
