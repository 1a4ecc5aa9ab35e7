"""`torch.autograd`: gradients by hand, custom functions, gradient checks."""

from ..surface.differentiate import backward, grad
from ..surface.grad_mode import enable_grad, no_grad, set_grad_enabled
from ..surface.namespace import absent
from . import functional
from .custom import Function
from .gradcheck import GradcheckError, gradcheck, gradgradcheck

__all__ = [
    "Function", "GradcheckError", "backward", "enable_grad", "functional", "grad", "gradcheck", "gradgradcheck",
    "no_grad", "set_grad_enabled",
]  # fmt: skip
__getattr__ = absent("minigrad.autograd")
