"""What operations refuse, in torch's words: odd operands, shapes that do not go together, tensors changed since."""

import itertools
from typing import Any

import numpy as np

from ..core.function import Function
from ..core.tensor import wrap
from ..rules.activation import Normalisation
from ..rules.index import IndexPut
from ..rules.linalg import Addmm, Mm, Product, rows
from ..rules.loss import REDUCTIONS, Loss
from ..rules.reduce import Max
from . import dtypes
from .arguments import no_tensor, operation_name
from .give import give
from .graph import no_array
from .shape import expand

# What Python writes as an operator: a learner's own class of that name counts, too.
OPERATORS = {"Add", "Sub", "Rsub", "Mul", "Div", "Pow", "PowZero", "PowTensor", "PowNumber"}


def unusual(cls: type[Function], x: Any, inputs: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """The answer to an input that is no Tensor, ndarray or number of Python's.

    NumPy's scalars count as Python's numbers, as in torch. An operator leaves the rest to Python, which asks the other
    side; other operations take an index (a tuple) and None, and raise a TypeError for the rest.
    """
    if isinstance(x, np.generic):
        return cls.apply(*[v.item() if isinstance(v, np.generic) else v for v in inputs], **settings)
    if operation_name(cls) in OPERATORS:
        return NotImplemented
    if isinstance(x, tuple | None):
        return None
    raise TypeError(f"{operation_name(cls).lower()}(): argument must be Tensor or number, not {type(x).__name__}")


def refusal(node: Any, error: Exception, arrays: list[Any], settings: dict[str, Any], *returned: Any) -> Exception:
    """torch's error for what `forward` could not do, NumPy's ValueError being about shapes; or for what it returned."""
    if isinstance(error, ValueError) and "truth value" not in str(error):
        return node.explain(*arrays, **settings)
    if "boolean subtract" in str(error):
        return RuntimeError("Subtraction, the `-` operator, with two bool tensors is not supported.")
    if "boolean negative" in str(error):
        return RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, "
            "use the `~` or `logical_not()` operator instead."
        )
    if isinstance(error, AttributeError) and not any([hasattr(x, "dtype") for x in arrays]):
        return no_tensor(operation_name(type(node)).lower(), input=arrays[0])
    if returned:
        return no_array(f"{operation_name(type(node))}.forward", returned[0])
    return error


def modified(node: Any, array: Any, version: int, expected: int) -> Exception:
    """torch's error for a saved tensor that was changed in place."""
    kind = dtypes.type_name(dtypes.of_numpy(array.dtype))
    return RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{kind} {list(array.shape)}], saved by {node.name()}, is at version {version}; "
        f"expected version {expected} instead."
    )


def explain(node: Any, *arrays: Any, **settings: Any) -> Exception:
    """torch's error for shapes that do not broadcast."""
    shapes = [x.shape for x in arrays if isinstance(x, np.ndarray | np.generic)]
    for a, b in itertools.combinations(shapes, 2):
        for dim in range(-1, -min(len(a), len(b)) - 1, -1):
            if a[dim] != b[dim] and 1 not in (a[dim], b[dim]):
                return RuntimeError(
                    f"The size of tensor a ({a[dim]}) must match the size of tensor b ({b[dim]}) "
                    f"at non-singleton dimension {max(len(a), len(b)) + dim}"
                )
    return RuntimeError(f"{operation_name(type(node))} cannot take shapes {shapes} with {settings}")


def of_product(node: Any, x: Any, y: Any) -> Exception:
    """torch's error for lengths that do not meet."""
    if x.ndim == 1 and y.ndim == 1:
        return RuntimeError(
            f"inconsistent tensor size, expected tensor [{x.shape[0]}] and src [{y.shape[0]}] to have the same "
            f"number of elements, but got {x.shape[0]} and {y.shape[0]} elements respectively"
        )
    if y.ndim == 1 and x.ndim == 2:
        return RuntimeError(
            f"size mismatch, got input ({x.shape[0]}), mat ({x.shape[0]}x{x.shape[1]}), vec ({y.shape[0]})"
        )
    if x.shape[-1] == y.shape[max(y.ndim - 2, 0)]:
        return explain(node, x, y)
    count = x.shape[0] if x.ndim == 2 else int(np.prod(x.shape[:-1]))
    columns = 1 if y.ndim == 1 else y.shape[-1]
    if x.ndim <= 2 and y.ndim > 2 or x.ndim > 2 and y.ndim > 2:
        return of_batch(x, y)
    return RuntimeError(
        f"mat1 and mat2 shapes cannot be multiplied ({count}x{x.shape[-1]} and {y.shape[max(y.ndim - 2, 0)]}x{columns})"
    )


def of_batch(x: Any, y: Any) -> RuntimeError:
    """torch's error for a batch of matrices that does not fit the other."""
    return RuntimeError(
        "Expected size for first two dimensions of batch2 tensor to be: "
        f"[{int(np.prod(x.shape[:-2])) or 1}, {x.shape[-1]}] but got: "
        f"[{int(np.prod(y.shape[:-2]))}, {y.shape[-2]}]."
    )


def of_mm(node: Any, x: Any, w: Any) -> Exception:
    """torch's error for lengths that do not meet in a linear layer."""
    return RuntimeError(
        f"mat1 and mat2 shapes cannot be multiplied ({len(rows(x))}x{x.shape[-1]} and {w.shape[1]}x{w.shape[0]})"
    )


def of_addmm(node: Any, b: Any, x: Any, w: Any) -> Exception:
    """torch's error for lengths that do not meet, or for a bias that doesn't fit what is left."""
    if x.shape[-1] == w.shape[1]:
        try:
            expand(wrap(b), (len(rows(x)), len(w)))
        except RuntimeError as error:
            return error
    return of_mm(node, x, w)


def of_normalisation(node: Any, x: Any, weight: Any, bias: Any, *, dims: int, **settings: Any) -> Exception:
    """torch's error for a weight or a bias that has not the shape of the normalised dimensions."""
    shape = list(x.shape[-dims:])
    for name, found in (("weight", list(np.shape(weight))), ("bias", list(np.shape(bias)))):
        if found and found != shape:
            what = f"Expected {name} to be of same shape as normalized_shape"
            return RuntimeError(f"{what}, but got {name} of shape {found} and normalized_shape = {shape}")
    return explain(node, x, weight, bias, dims=dims, **settings)


SPECIFY = "Specify the reduction dim with the 'dim' argument."


def no_element(name: str, dim: Any) -> IndexError:
    """torch's error for the largest or the smallest of no elements."""
    what = "to be specified for input.numel() == 0" if dim is None else f"{dim} to have non-zero size"
    return IndexError(f"{name}(): Expected reduction dim {what}.")


def of_extreme(node: Any, x: Any, *, dim: Any = None, keepdim: bool = False) -> Exception:
    """torch's error for an empty tensor."""
    name = operation_name(type(node)).lower()
    return no_element(name, dim) if dim is not None else RuntimeError(f"{no_element(name, dim)} {SPECIFY}")


def of_index_put(node: Any, x: Any, value: Any, index: Any) -> Exception:
    """torch's error for a value of another shape."""
    return RuntimeError(
        f"shape mismatch: value tensor of shape {list(np.shape(value))} cannot be broadcast to indexing result of "
        f"shape {list(x[index].shape)}"
    )


def of_loss(
    node: Any, *arrays: Any, reduction: Any = "mean", weight: Any = None, pos_weight: Any = None, **settings: Any
) -> Exception:
    """torch's error for an unknown reduction, or for shapes that do not broadcast."""
    if reduction not in REDUCTIONS:
        return ValueError(f"{reduction} is not a valid value for reduction")
    return explain(node, pos_weight, *arrays, weight, **settings)


EXPLAINED: dict[type[Function], Any] = {
    Function: explain,
    Product: of_product,
    Mm: of_mm,
    Addmm: of_addmm,
    Normalisation: of_normalisation,
    Max: of_extreme,
    IndexPut: of_index_put,
    Loss: of_loss,
}
for _operation, _explain in EXPLAINED.items():
    give(_operation, explain=_explain)
give(Function, unusual=classmethod(unusual), refusal=refusal, modified=modified)
