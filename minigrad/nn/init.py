"""Starting values of parameters: each function fills a tensor in place and returns it."""

import math

import numpy as np

from ..core.tensor import Tensor
from ..surface.grad_mode import no_grad
from ..surface.namespace import absent


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0) -> Tensor:
    """Uniform in [a, b)."""
    with no_grad():
        return tensor.uniform_(a, b)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Normal."""
    with no_grad():
        return tensor.normal_(mean, std)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """One number everywhere."""
    with no_grad():
        return tensor.fill_(val)


def zeros_(tensor: Tensor) -> Tensor:
    """Zeros."""
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    """Ones."""
    return constant_(tensor, 1.0)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor that keeps the variance through an activation."""
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    gains = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3, "relu": math.sqrt(2.0)}
    if nonlinearity not in gains:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return gains[nonlinearity]


def fans(tensor: Tensor) -> tuple[int, int]:
    """(fan in, fan out) of a weight (out, in, …)."""
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = int(np.prod(tensor.shape[2:]))
    return tensor.shape[1] * field, tensor.shape[0] * field


def fan(tensor: Tensor, mode: str) -> int:
    """The fan that `mode` names; ValueError for another mode."""
    modes = ["fan_in", "fan_out"]
    if mode not in modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {modes}")
    return fans(tensor)[modes.index(mode)]


def fan_in_uniform_(tensor: Tensor, fan_in: int) -> Tensor:
    """Uniform in ±1/√fan_in: how a linear layer of `fan_in` inputs starts."""
    limit = 1 / math.sqrt(fan_in)
    return uniform_(tensor, -limit, limit)


def kaiming_uniform_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu") -> Tensor:
    """Uniform in ±gain √(3 / fan) (He et al. 2015)."""
    bound = calculate_gain(nonlinearity, a) * math.sqrt(3.0 / fan(tensor, mode))
    return uniform_(tensor, -bound, bound)


def kaiming_normal_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu") -> Tensor:
    """Normal with standard deviation gain / √fan (He et al. 2015)."""
    return normal_(tensor, 0.0, calculate_gain(nonlinearity, a) / math.sqrt(fan(tensor, mode)))


def xavier_uniform_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Uniform in ±gain √(6 / (fan in + fan out)) (Glorot and Bengio 2010)."""
    bound = gain * math.sqrt(6.0 / sum(fans(tensor)))
    return uniform_(tensor, -bound, bound)


def xavier_normal_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Normal with standard deviation gain √(2 / (fan in + fan out)) (Glorot and Bengio 2010)."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(fans(tensor))))


__getattr__ = absent("minigrad.nn.init")
