"""`torch.autograd.functional`: whole Jacobians and Hessians."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.tensor import Tensor, wrap
from ..surface.creation import zeros_like
from ..surface.differentiate import grad
from ..surface.namespace import absent
from ..surface.shape import stack


def jacobian(func: Callable[..., Any], inputs: Any, create_graph: bool = False) -> Any:
    """All derivatives of `func` at `inputs`: of shape (*output.shape, *input.shape).

    Args:
        func: takes the tensors of `inputs`, returns a tensor or a tuple of tensors.
        inputs: a tensor, or a tuple of tensors.
        create_graph: the result can be differentiated.

    Returns:
        A tensor; a tuple of them for several inputs, and a tuple of those for several outputs.
    """
    several = isinstance(inputs, tuple)
    xs = [fresh(x, create_graph) for x in (inputs if several else (inputs,))]
    outputs = func(*xs)
    every = [output_jacobian(output, xs, create_graph) for output in sequence(outputs)]
    rows = [row if several else row[0] for row in every]
    return tuple(rows) if isinstance(outputs, tuple) else rows[0]


def output_jacobian(output: Tensor, xs: list[Tensor], create_graph: bool) -> tuple[Tensor, ...]:
    """The derivatives of one output with respect to each input, a backward pass an element."""
    columns: list[list[Tensor]] = [[] for _ in xs]
    for k in range(output._array.size):
        seed = np.zeros(output._array.shape, output._array.dtype)
        seed.flat[k] = 1
        grads: Any = [None] * len(xs)
        if output._requires_grad:
            grads = grad(output, xs, wrap(seed), retain_graph=True, create_graph=create_graph, allow_unused=True)
        for column, g, x in zip(columns, grads, xs, strict=True):
            column.append(zeros_like(x) if g is None else g)
    return tuple(stack(column).reshape(*output.shape, *x.shape) for column, x in zip(columns, xs, strict=True))


def hessian(func: Callable[..., Tensor], inputs: Any, create_graph: bool = False) -> Any:
    """All second derivatives of `func`, which returns one element: the Jacobian of its gradient."""
    several = isinstance(inputs, tuple)

    def gradient(*xs: Tensor) -> Any:
        out = func(*xs)
        if out._array.size != 1:
            raise RuntimeError("The Tensor returned by the function given to hessian should contain a single element")
        found = jacobian(lambda *ys: func(*ys).reshape(()), xs, create_graph=True)
        return tuple(found) if several else found[0]

    return jacobian(gradient, inputs, create_graph)


def fresh(x: Tensor, create_graph: bool) -> Tensor:
    """The input to differentiate at: the tensor itself where its history matters, else a leaf of its own."""
    if create_graph and x._requires_grad:
        return x.view_as(x)
    return x.detach().requires_grad_()


def sequence(outputs: Any) -> Any:
    """One tensor or several."""
    return outputs if isinstance(outputs, tuple) else (outputs,)


__getattr__ = absent("minigrad.autograd.functional")
