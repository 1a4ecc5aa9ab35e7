"""`torch.nn`: parameters, modules, layers and losses."""

from ..surface.namespace import absent
from . import functional, init, utils
from .containers import Flatten, Identity, ModuleDict, ParameterList, Unflatten
from .kept import *
from .layers import BatchNorm1d, Dropout, Embedding, LayerNorm, Linear, ModuleList, Sequential
from .module import Module
from .parameter import Parameter

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "CrossEntropyLoss", "Dropout", "ELU", "Embedding", "Flatten", "GELU",
    "HuberLoss", "Identity", "KLDivLoss", "L1Loss", "LayerNorm", "LeakyReLU", "Linear", "LogSigmoid", "LogSoftmax",
    "MSELoss", "Module", "ModuleDict", "ModuleList", "NLLLoss", "Parameter", "ParameterList", "ReLU", "Sequential",
    "SiLU", "Sigmoid", "SmoothL1Loss", "Softmax", "Softplus", "Tanh", "Unflatten", "functional", "init", "utils",
]  # fmt: skip
__getattr__ = absent("minigrad.nn")
