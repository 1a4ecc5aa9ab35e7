"""Adam (Kingma and Ba 2014) and AdamW (Loshchilov and Hutter 2017)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.tensor import Tensor, materialise
from .optimizer import Optimizer, check


class Adam(Optimizer):
    """p ← p - lr · m̂ / (√v̂ + eps): running means of the gradient and its square, corrected for their start at 0.

    foreach, fused: in torch, ways to compute the same faster; here they change nothing.
    """

    absent = ("amsgrad", "capturable", "differentiable")
    decoupled = False  # AdamW: the decay acts on the parameter, not through the gradient
    default_decay: float = 0

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float | None = None,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check("learning rate", lr)
        check("epsilon value", eps)
        for i, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
        weight_decay = self.default_decay if weight_decay is None else weight_decay
        check("weight_decay value", weight_decay)
        settings: dict[str, Any] = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        settings |= {"amsgrad": amsgrad, "maximize": maximize, "foreach": foreach, "capturable": capturable}
        settings |= {"differentiable": differentiable, "fused": fused, "decoupled_weight_decay": self.decoupled}
        super().__init__(params, settings)

    def update(self, p: Tensor, grad: Any, group: dict[str, Any]) -> None:
        """One step of one parameter."""
        array = materialise(p)
        lr, weight_decay = group["lr"], group["weight_decay"]
        if group["maximize"]:
            grad = -grad
        if weight_decay and self.decoupled:
            array *= 1 - lr * weight_decay
        elif weight_decay:
            grad = grad + weight_decay * array
        state = self.state[p]
        if not state:
            state.update(step=0, exp_avg=np.zeros_like(array), exp_avg_sq=np.zeros_like(array))
        adam_step(array, grad, state, lr, group["betas"], group["eps"])


def adam_step(
    array: np.ndarray, grad: Any, state: dict[str, Any], lr: float, betas: tuple[float, float], eps: float
) -> None:
    """One step of Adam: change array in place, by about lr wherever the gradient keeps its sign.

    grad: the gradient, of array's shape. lr, eps: numbers. betas: beta1 and beta2, how much the running means keep.
    state: "step", the steps so far; "exp_avg" and "exp_avg_sq", the running means of grad and of its square.
    """
    beta1, beta2 = betas
    state["step"] += 1
    t, m, v = state["step"], state["exp_avg"], state["exp_avg_sq"]
    m += (1 - beta1) * (grad - m)
    v += (1 - beta2) * (grad * grad - v)
    scale = np.sqrt(v / (1 - beta2**t)) + eps
    array -= lr / (1 - beta1**t) * m / scale


class AdamW(Adam):
    """Adam with decoupled weight decay: p ← p (1 - lr · weight_decay) first."""

    decoupled = True
    default_decay = 1e-2
