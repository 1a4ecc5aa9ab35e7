"""`torch.utils`: data."""

from ..surface.namespace import absent
from . import data

__all__ = ["data"]
__getattr__ = absent("minigrad.utils")
