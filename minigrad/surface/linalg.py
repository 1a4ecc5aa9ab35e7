"""Products of vectors and matrices."""

from typing import Any

import numpy as np

from ..core.tensor import Tensor, wrap
from ..rules.linalg import MatMul
from ..rules.shape import UnsafeView
from .arguments import check_tensors, no_tensor
from .dtypes import word
from .give import give
from .refusals import of_batch


def matmul(input: Tensor, other: Tensor) -> Tensor:
    """input @ other for every pair of ranks from 1 on; RuntimeError when lengths or dtypes differ."""
    try:
        m, n = input._array.ndim, other._array.ndim
    except AttributeError:
        raise no_tensor("matmul", input=input, other=other) from None
    if m == 0 or n == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {m}D and {n}D")
    check_dtypes(input, other)
    if m > 2 and n == 2:  # one large product, as torch does it
        product = MatMul.apply(input.reshape(-1, input.shape[-1]), other)
        return UnsafeView.apply(product, shape=(*input.shape[:-1], other.shape[-1]))
    return MatMul.apply(input, other)


def matmul_left(x: Tensor, y: Any) -> Any:
    """x @ y; Python's TypeError where y is no tensor."""
    return matmul(x, y) if isinstance(y, Tensor) else NotImplemented


def matmul_right(x: Tensor, y: Any) -> Any:
    """y @ x, for an ndarray y."""
    return matmul(wrap(y), x) if isinstance(y, np.ndarray) else NotImplemented


def check_dtypes(x: Tensor, y: Tensor) -> None:
    """Products do not promote: RuntimeError when the dtypes differ, in the words of torch's kernel."""
    a, b = x._array.dtype, y._array.dtype
    if a is b or a == b:
        return
    a, b, rank = word(x), word(y), y._array.ndim
    if rank == 1 and x._array.ndim == 1:
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {a} and {b}")
    if rank == 1:
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {b}, {a}, and {b}")
    if rank > 2:
        raise RuntimeError(f"expected scalar type {a} but found {b}")
    words = {"Float": "float", "Double": "double", "Long": "long int", "Bool": "bool"}
    raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {words[a]} != {words[b]}")


def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The inner product of two vectors; RuntimeError for other ranks."""
    check_tensors("dot", input=input, tensor=tensor)
    if input.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input.ndim}D and {tensor.ndim}D tensors")
    return matmul(input, tensor)


def mv(input: Tensor, vec: Tensor) -> Tensor:
    """A matrix times a vector; RuntimeError for other ranks."""
    check_tensors("mv", input=input, vec=vec)
    if input.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {input.ndim}, {vec.ndim}")
    return matmul(input, vec)


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """A matrix times a matrix; RuntimeError for other ranks."""
    check_tensors("mm", input=input, mat2=mat2)
    if input.ndim != 2 or mat2.ndim != 2:
        raise RuntimeError(f"{'self' if input.ndim != 2 else 'mat2'} must be a matrix")
    return matmul(input, mat2)


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """A batch of matrices times a batch of as many; RuntimeError for other shapes."""
    check_tensors("bmm", input=input, mat2=mat2)
    if input.ndim != 3 or mat2.ndim != 3:
        raise RuntimeError(f"batch{1 if input.ndim != 3 else 2} must be a 3D tensor")
    if len(input) != len(mat2):
        raise of_batch(input, mat2)
    return matmul(input, mat2)


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Every element of the vector input times every element of the vector vec2."""
    check_tensors("outer", input=input, vec2=vec2)
    for name, x in ("self", input), ("vec2", vec2):
        if x.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {x.ndim}-D")
    return input[:, None] * vec2


give(Tensor, matmul=matmul, __matmul__=matmul_left, __rmatmul__=matmul_right)
give(Tensor, dot=dot, mv=mv, mm=mm, bmm=bmm, outer=outer)
__all__ = ["bmm", "dot", "matmul", "mm", "mv", "outer"]
