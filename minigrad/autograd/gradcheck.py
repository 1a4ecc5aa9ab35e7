"""Gradients against finite differences."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.tensor import Tensor, materialise, wrap
from ..surface.creation import tensor
from ..surface.differentiate import grad, sequence


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
    checked = [x for x in inputs if isinstance(x, Tensor) and x._requires_grad]
    if not checked:
        raise ValueError("gradcheck expects at least one input tensor to require gradient")
    for i, x in enumerate(inputs):
        if isinstance(x, Tensor) and x._requires_grad and x._array.dtype != np.float64:
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex. ",
                UserWarning,
                stacklevel=2,
            )
    try:
        outputs = sequence(func(*inputs))
        if not any(output._requires_grad for output in outputs):
            check_constant(func, inputs, len(outputs), checked, eps)
        for o, output in enumerate(outputs):
            for i, x in enumerate(checked if output._requires_grad else []):
                by_rules = analytical_jacobian(output, x)
                by_differences = numerical_jacobian(on_arrays(func, inputs, o, x), x.detach().numpy().copy(), eps)
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


def check_constant(
    func: Callable[..., Any], inputs: list[Any], outputs: int, checked: list[Tensor], eps: float
) -> None:
    """GradcheckError where an output that requires no grad depends on an input."""
    for o in range(outputs):
        for x in checked:
            if numerical_jacobian(on_arrays(func, inputs, o, x), x.detach().numpy().copy(), eps).any():
                raise GradcheckError("Numerical gradient for function expected to be zero")


def numerical_jacobian(f: Callable[[Any], Any], x: Any, eps: float = 1e-6) -> Any:
    """The Jacobian of f at x by central differences: a row for each output of f, a column for each element of x.

    Args:
        f: takes an array like x, returns an array.
        x: an array.
        eps: the step.
    """
    jacobian = np.zeros((np.size(f(x)), x.size))
    for i in range(x.size):
        step = np.zeros(x.shape)
        step.flat[i] = eps
        jacobian[:, i] = np.ravel(f(x + step) - f(x - step)) / (2 * eps)
    return jacobian


def analytical_jacobian(output: Tensor, x: Tensor) -> Any:
    """The Jacobian of `output` with respect to x by the rules, a backward pass for each row.

    Args:
        output: a tensor that depends on x.
        x: a tensor that requires grad.
    """
    jacobian = np.zeros((output.numel(), x.numel()))
    for k in range(output.numel()):
        above = np.zeros(output.shape)
        above.flat[k] = 1
        (row,) = grad(output, x, tensor(above), retain_graph=True, materialize_grads=True)
        jacobian[k] = row.numpy().ravel()  # type: ignore[union-attr] # zeros in place of None
    return jacobian


def on_arrays(func: Callable[..., Any], inputs: list[Any], o: int, x: Tensor) -> Callable[[Any], Any]:
    """`func` as a function of the array of x alone, and with output `o` alone.

    x itself holds the array while `func` runs: a `func` that does not use its arguments sees it, too.
    """
    memory = materialise(x)

    def f(array: Any) -> Any:
        kept = memory.copy()
        memory[...] = array
        try:
            return sequence(func(*inputs))[o]._array.astype(np.float64)
        finally:
            memory[...] = kept

    return f


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
