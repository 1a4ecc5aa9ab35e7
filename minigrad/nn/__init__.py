"""`torch.nn`: parameters, modules, layers and losses."""

from ..surface.namespace import absent
from . import functional, init, utils
from .layers import (
    GELU,
    Dropout,
    Embedding,
    LayerNorm,
    Linear,
    ModuleList,
    ReLU,
    Sequential,
    Sigmoid,
    Softmax,
    Tanh,
)
from .losses import BCELoss, BCEWithLogitsLoss, CrossEntropyLoss, L1Loss, MSELoss, NLLLoss, SmoothL1Loss
from .module import Module
from .parameter import Parameter

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CrossEntropyLoss", "Dropout", "Embedding", "GELU", "L1Loss", "LayerNorm", "Linear",
    "MSELoss", "Module", "ModuleList", "NLLLoss", "Parameter", "ReLU", "Sequential", "Sigmoid", "SmoothL1Loss",
    "Softmax", "Tanh", "functional", "init", "utils",
]  # fmt: skip
__getattr__ = absent("minigrad.nn")
