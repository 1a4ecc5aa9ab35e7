"""Adam (Kingma and Ba 2014) and AdamW (Loshchilov and Hutter 2017)."""

from typing import Any

import numpy as np

from ..core.tensor import Tensor
from .optimizer import Formula


class Adam(Formula):
    """p ← p - lr · m̂ / (√v̂ + eps): running means of the gradient and its square, corrected for their start at 0.

    foreach, fused: in torch, ways to compute the same faster; here they change nothing.
    """

    absent = ("amsgrad", "capturable", "differentiable")
    settings = {
        "lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0, "amsgrad": False,
        "maximize": False, "foreach": None, "capturable": False, "differentiable": False, "fused": None,
        "decoupled_weight_decay": False,
    }  # fmt: skip

    def check(self, settings: dict[str, Any]) -> None:
        """ValueError for a setting below 0, or a beta that is none."""
        super().check(settings)
        for i, beta in enumerate(settings["betas"]):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}")

    def change(self, p: Tensor, array: Any, grad: Any, group: dict[str, Any]) -> None:
        """One step of one parameter."""
        state = self.state[p]
        if not state:
            state.update(step=0, exp_avg=np.zeros_like(array), exp_avg_sq=np.zeros_like(array))
        adam_step(array, grad, state, group["lr"], group["betas"], group["eps"])


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

    settings = Adam.settings | {"weight_decay": 1e-2, "decoupled_weight_decay": True}
