"""Gradients against finite differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine import grad, sequence
from ..tensor import Tensor, materialise, wrap


class GradcheckError(RuntimeError):
    """A gradient differs from its finite difference."""


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Compare the Jacobian by backward with central differences, (f(x + eps) - f(x - eps)) / 2 eps.

    Args:
        func: takes `inputs`, returns a tensor or several.
        inputs: tensors; those that require grad are checked, and should be float64.
        eps: the step.
        atol: absolute tolerance.
        rtol: relative tolerance.
        raise_exception: raise GradcheckError instead of returning False.
    """
    inputs = sequence(inputs)
    checked = [x for x in inputs if x._requires_grad]
    if not checked:
        raise ValueError("gradcheck expects at least one input tensor to require gradient")
    for i, x in enumerate(inputs):
        if x._requires_grad and x._array.dtype != np.float64:
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex. ",
                UserWarning,
                stacklevel=2,
            )
    try:
        for o, output in enumerate(sequence(func(*inputs))):
            for i, x in enumerate(checked):
                by_rules = analytical(output, x)
                by_differences = numerical(func, inputs, o, x, eps)
                if not np.allclose(by_rules, by_differences, rtol, atol):
                    raise GradcheckError(
                        f"Jacobian mismatch for output {o} with respect to input {i},\n"
                        f"numerical:{wrap(by_differences.T)}\nanalytical:{wrap(by_rules.T)}\n"
                    )
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def analytical(output: Tensor, x: Tensor) -> np.ndarray:
    """The Jacobian (outputs × inputs), a row a backward pass."""
    rows = np.zeros((output._array.size, x._array.size))
    for k in range(len(rows)):
        seed = np.zeros(output._array.shape, output._array.dtype)
        seed.flat[k] = 1
        (row,) = grad(output, x, wrap(seed), retain_graph=True, allow_unused=True)
        if row is not None:
            rows[k] = np.ravel(row._array)
    return rows


def numerical(func: Callable[..., Any], inputs: list[Any], o: int, x: Tensor, eps: float) -> np.ndarray:
    """The Jacobian (outputs × inputs), a column for a step in each element."""
    flat = materialise(x).reshape(-1)
    columns = []
    for k in range(flat.size):
        kept = flat[k]
        values = []
        for step in (eps, -eps):
            flat[k] = kept + step
            values.append(np.ravel(sequence(func(*inputs))[o]._array).astype(np.float64))
        flat[k] = kept
        columns.append((values[0] - values[1]) / (2 * eps))
    return np.stack(columns, axis=1) if columns else np.zeros((0, 0))


def gradgradcheck(func: Callable[..., Any], inputs: Any, grad_outputs: Any = None, **settings: Any) -> bool:
    """`gradcheck` of the gradient itself: second derivatives."""
    inputs = sequence(inputs)
    outputs = sequence(func(*inputs))
    if grad_outputs is None:
        draw = np.random.default_rng(0)
        grad_outputs = [wrap(np.asarray(draw.standard_normal(y._array.shape))) for y in outputs]
        for g in grad_outputs:
            g.requires_grad = True
    grad_outputs = sequence(grad_outputs)

    def gradient(*args: Tensor) -> Any:
        xs, seeds = args[: len(inputs)], args[len(inputs) :]
        wanted = [x for x in xs if x._requires_grad]
        found = grad(sequence(func(*xs)), wanted, seeds, create_graph=True, allow_unused=True)
        return [g for g in found if g is not None and g._requires_grad]

    return gradcheck(gradient, [*inputs, *grad_outputs], **settings)
