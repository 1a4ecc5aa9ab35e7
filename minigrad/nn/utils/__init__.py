"""`torch.nn.utils`: clipping of gradients."""

from typing import Any

import numpy as np

from ...core.tensor import Tensor, wrap
from ...surface.namespace import absent


@np.errstate(all="ignore")  # NumPy would warn of an overflow from its own module, and torch doesn't
def clip_grad_norm_(
    parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> Tensor:
    """Scale all gradients together, in place, so that their norm is at most `max_norm`.

    Returns:
        The norm before.
    """
    parameters = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    grads = [p._grad for p in parameters if p._grad is not None]
    norm_type = float(norm_type)
    dtype = np.result_type(*[g._array.dtype for g in grads]) if grads else np.float32
    norms = np.array([np.linalg.norm(np.ravel(g._array), norm_type) for g in grads], dtype)
    total = np.linalg.norm(norms, norm_type).astype(dtype) if grads else np.float32(0)
    if error_if_nonfinite and not np.isfinite(total):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    factor = float(np.minimum(float(max_norm) / (total + 1e-6), 1))  # nan stays nan, which Python's min drops
    for grad in grads:
        grad.detach().mul_(factor)
    return wrap(total)


__getattr__ = absent("minigrad.nn.utils")
