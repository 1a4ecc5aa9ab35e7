"""`torch.optim`: SGD, Adam, AdamW, and learning-rate schedules."""

from ..surface.namespace import absent
from . import lr_scheduler
from .adam import Adam, AdamW
from .optimizer import Optimizer
from .sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "lr_scheduler"]
__getattr__ = absent("minigrad.optim")
