"""`torch.optim`: SGD, Adam, AdamW, RMSprop, Adagrad, and learning-rate schedules."""

from ..surface.namespace import absent
from . import lr_scheduler
from .adam import Adam, AdamW
from .optimizer import Optimizer
from .rmsprop import Adagrad, RMSprop
from .sgd import SGD

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]
__getattr__ = absent("minigrad.optim")
