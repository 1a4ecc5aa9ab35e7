"""`torch.nn`: parameters, modules, layers and losses."""

from ..surface.namespace import absent
from . import functional, init, kept, utils
from .containers import Flatten, Identity, ModuleDict, ParameterList, Unflatten
from .kept import *
from .layers import BatchNorm1d, Dropout, Embedding, LayerNorm, Linear, ModuleList, Sequential
from .module import Module
from .parameter import Parameter

__all__ = [
    *kept.__all__, "BatchNorm1d", "Dropout", "Embedding", "Flatten", "Identity", "LayerNorm", "Linear", "Module",
    "ModuleDict", "ModuleList", "Parameter", "ParameterList", "Sequential", "Unflatten", "functional", "init", "utils",
]  # fmt: skip
__getattr__ = absent("minigrad.nn")
