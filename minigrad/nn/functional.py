"""`torch.nn.functional`: activations, losses and layers as functions."""

import warnings
from typing import Any

import numpy as np

from ..core.tensor import Tensor, wrap
from ..rules import activation, linalg, loss
from ..rules.arithmetic import Mul
from ..rules.both import raw
from ..rules.elementwise import Relu
from ..rules.index import Embedding
from ..rules.reduce import LogSoftmax
from ..surface import linalg as products
from ..surface import random
from ..surface import reduce as reductions
from ..surface.arguments import no_tensor
from ..surface.dtypes import FLOAT32, check_float, float64, word
from ..surface.elementwise import sigmoid, tanh
from ..surface.namespace import absent, of_tensors
from .formulas import batch_norm, cosine_similarity, elu, kl_div, legacy_reduction, normalize, one_hot, pad, reduced


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0); written into the input itself if `inplace`."""
    return input.relu_() if inplace else Relu.apply(input)


@of_tensors
def softmax(input: Tensor, dim: int | None = None, *, dtype: Any = None) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`."""
    dim = implicit_dim("softmax", input) if dim is None else dim
    return reductions.softmax(input, dim, dtype=dtype)


@of_tensors
def log_softmax(input: Tensor, dim: int | None = None, *, dtype: Any = None) -> Tensor:
    """log(softmax(x)) along `dim`, stable."""
    dim = implicit_dim("log_softmax", input) if dim is None else dim
    return reductions.log_softmax(input, dim, dtype=dtype)


def implicit_dim(name: str, input: Tensor) -> int:
    """The dimension that torch chooses, with a warning, where none is given."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        UserWarning,
        stacklevel=3,
    )
    return 0 if input.ndim in (0, 1, 3) else 1


@of_tensors
def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold."""
    check_float(input._array, "softplus_cpu")
    return activation.Softplus.apply(input, beta=beta, threshold=threshold)


@of_tensors
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x Φ(x); `approximate="tanh"` for the approximation by tanh."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    check_float(input._array, "GeluKernelImpl")
    return activation.Gelu.apply(input) if approximate == "none" else activation.GeluTanh.apply(input)


@of_tensors
def silu(input: Tensor) -> Tensor:
    """x σ(x)."""
    check_float(input._array, "silu_cpu")
    return activation.Silu.apply(input)


@of_tensors
def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """x, or negative_slope x below 0."""
    check_float(input._array, "leaky_relu_cpu")
    return activation.LeakyRelu.apply(input, slope=negative_slope)


@of_tensors
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each element zero with probability p, the others divided by 1 - p; the input itself when not training."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return input
    keep = raw(random.rand(*input.shape, dtype=float64)) < 1 - p  # torch's numbers, but for Intel's processors
    scale = 0.0 if p == 1 else 1 / (1 - p)
    factor = wrap((keep * scale).astype(input._array.dtype))
    return input.mul_(factor) if inplace else Mul.apply(input, factor)


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x @ weightᵀ + bias: x (…, in), weight (out, in), bias (out,)."""
    try:
        dtype = input._array.dtype
        if weight._array.dtype != dtype or (bias is not None and bias._array.dtype != dtype):
            raise of_dtypes(input, weight, bias)
    except AttributeError:
        raise no_tensor("linear", input=input, weight=weight, bias=bias) from None
    if weight._array.ndim != 2 or not input._array.ndim:
        return with_vector(input, weight, bias)
    if bias is not None and bias._array.ndim > 1 and input._array.ndim > 2:
        return linalg.Mm.apply(input, weight) + bias
    return linalg.Mm.apply(input, weight) if bias is None else linalg.Addmm.apply(bias, input, weight)


def with_vector(input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """A linear layer of one output, which may do without that dimension; RuntimeError for other ranks."""
    m, n = input._array.ndim, weight._array.ndim
    if m == 0 or n == 0:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {m}D and {n}D")
    if n > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {n}D")
    if bias is not None:
        raise RuntimeError("mat2 must be a matrix, got 1-D tensor")
    return products.matmul(input, weight)


def of_dtypes(input: Tensor, weight: Tensor, bias: Tensor | None) -> RuntimeError:
    """torch's error for a linear layer of different dtypes."""
    if bias is None:
        products.check_dtypes(input, weight)
    name, other = ("mat1", input) if input.dtype is not weight.dtype else ("self", bias)
    return RuntimeError(f"{name} and mat2 must have the same dtype, but got {word(other)} and {word(weight)}")


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """The rows of `weight` (n, d) at the integers of `input`; IndexError for one out of range."""
    try:
        index, rows = input._array, len(weight._array)
    except AttributeError:
        raise no_tensor("embedding", weight=weight, indices=input) from None
    if index.dtype.kind != "i":
        raise RuntimeError("Expected tensor for argument #1 'indices' to have one of the following scalar types: Long")
    if index.size and (index.min() < 0 or index.max() >= rows):
        raise IndexError("index out of range in self")
    if padding_idx is not None:
        padding_idx = row_from_0(padding_idx, rows)
    return Embedding.apply(weight, (index,), padding_idx=padding_idx)


def row_from_0(padding_idx: int, rows: int) -> int:
    """The row `padding_idx`, which may be counted from the end, counted from 0."""
    if not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx % rows


def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """(x - mean) / √(var + eps) over the last dimensions (`normalized_shape`), times weight, plus bias."""
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    try:
        found = input._array.shape[-len(shape) :]
    except AttributeError:
        raise no_tensor("layer_norm", input=input) from None
    if found != shape:
        star = ", ".join(map(str, shape))
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, {star}], but got input of size"
            f"{list(input.shape)}"
        )
    if weight is not None and weight._array.dtype != input._array.dtype:
        wanted = "expect parameter to have scalar type of Float"
        if input._array.dtype != FLOAT32:
            wanted = "all inputs must share same datatype."
        raise RuntimeError(f"mixed dtype (CPU): {wanted}")
    scale, shift = 1.0 if weight is None else weight, 0.0 if bias is None else bias
    check_float(input._array, "LayerNormKernelImpl")
    return activation.NativeLayerNorm.apply(input, scale, shift, dims=len(shape), eps=eps)


def mse_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Tensor:
    """(input - target)², reduced; warns when the sizes differ."""
    reduction = legacy_reduction(reduction, size_average, reduce)
    input, target = alike(input, target)
    check_float(input._array, "mse_cpu")
    return loss.MseLoss.apply(input, target, reduction=reduction)


def l1_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Tensor:
    """|input - target|, reduced; warns when the sizes differ."""
    reduction = legacy_reduction(reduction, size_average, reduce)
    return loss.L1Loss.apply(*alike(input, target), reduction=reduction)


def smooth_l1_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:  # fmt: skip
    """A parabola near 0, |input - target| - beta / 2 beyond beta; warns when the sizes differ."""
    reduction = legacy_reduction(reduction, size_average, reduce)
    input, target = alike(input, target)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    check_float(input._array, "smooth_l1_cpu")
    if beta == 0:
        return loss.L1Loss.apply(input, target, reduction=reduction)
    return loss.SmoothL1Loss.apply(input, target, reduction=reduction, beta=beta)


def alike(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both in the wider dtype, in which a 0-d target counts in full; warns of a target of another size."""
    if input._array.shape != target._array.shape:
        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will "
            "likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            UserWarning,
            stacklevel=3,
        )
    a, b = input.dtype, target.dtype
    if a is b:
        return input, target
    wider = max(a, b, key=lambda d: (d.category, d.numpy.itemsize))
    return input.to(wider), target.to(wider)


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """-(y log x + (1 - y) log(1 - x)), reduced, for probabilities x; ValueError when the sizes differ."""
    reduction = legacy_reduction(reduction, size_average, reduce)
    if input._array.shape != target._array.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. "
            "Please ensure they have the same size."
        )
    if input._array.dtype != target._array.dtype:
        raise RuntimeError(f"Found dtype {word(target)} but expected {word(input)}")
    check_float(input._array, "binary_cross_entropy")
    x, y = input._array, target._array
    within = (x >= 0) & (x <= 1)
    if not (within & (y >= 0) & (y <= 1)).all():
        raise RuntimeError(f"all elements of {'target' if within.all() else 'input'} should be between 0 and 1")
    weight = None if weight is None else raw(weight.to(input.dtype))
    return loss.BinaryCrossEntropy.apply(input, target, weight=weight, reduction=reduction)


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean", pos_weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Sigmoid and binary cross entropy in one, finite at ±1000; ValueError when the sizes differ."""
    reduction = legacy_reduction(reduction, size_average, reduce)
    if input._array.shape != target._array.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    check_float(input._array, "log_sigmoid_cpu")
    if target._array.dtype != input._array.dtype:
        input = in_dtype_of(target, input)
    if weight is None and pos_weight is None:
        return loss.BinaryCrossEntropyWithLogits.apply(input, target, reduction=reduction)
    own, positive = (1.0 if w is None else raw(w.to(target.dtype)) for w in (weight, pos_weight))
    return loss.WeightedBinaryCrossEntropyWithLogits.apply(
        input, target, weight=own, pos_weight=positive, reduction=reduction
    )


def in_dtype_of(target: Tensor, input: Tensor) -> Tensor:
    """The logits in the target's dtype, in which torch computes; RuntimeError for a target that is not of floats."""
    if target._array.dtype.kind == "b":
        raise RuntimeError("Subtraction, the `-` operator, with two bool tensors is not supported.")
    if target._array.dtype.kind == "i":
        raise RuntimeError(f"result type {word(input)} can't be cast to the desired output type {word(target)}")
    return input.to(target.dtype)


def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None,
    ignore_index: int | None = -100, reduce: Any = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """-input at the target's class: input (N, C, …) of log-probabilities, target (N, …) of integers."""
    reduction = legacy_reduction(reduction, size_average, reduce)
    try:
        ignore_index = None if check_classes(input, target, ignore_index) else ignore_index
    except AttributeError:
        raise no_tensor("nll_loss_nd", input=input, target=target) from None
    check_float(input._array, "nll_loss_out_frame" if input._array.ndim < 3 else "nll_loss2d_forward_out_frame")
    if weight is not None:
        check_class_weight(input, weight)
    return loss.NllLoss.apply(
        input, np.asarray(target._array), weight=raw(weight), ignore_index=ignore_index, reduction=reduction
    )


def check_classes(input: Tensor, target: Tensor, ignore_index: Any) -> bool:
    """Errors for a target that doesn't fit, in torch's words; True when no label is the one to ignore."""
    labels = target._array
    if labels.dtype.kind != "i":
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {word(target)}")
    shape = input._array.shape
    if labels.shape != ((shape[0], *shape[2:]) if len(shape) > 1 else ()):
        check_labels_shape(shape, labels.shape)
    classes = shape[1] if len(shape) > 1 else shape[0]
    if labels.size and labels.view(np.uint64).max() < classes:  # unsigned, a negative label is a very large one
        return not 0 <= ignore_index < classes
    labels = labels[labels != ignore_index]
    if labels.size and (labels.min() < 0 or labels.max() >= classes):
        wrong = labels[(labels < 0) | (labels >= classes)][0]
        raise IndexError(f"Target {wrong} is out of bounds.")
    return False


def check_labels_shape(shape: tuple[int, ...], labels: tuple[int, ...]) -> None:
    """torch's error for labels that are not one for each input; a vector of classes also takes (1,) and ()."""
    if len(shape) > 1 and labels and shape[0] != labels[0]:
        raise ValueError(f"Expected input batch_size ({shape[0]}) to match target batch_size ({labels[0]}).")
    if len(shape) > 2:
        raise RuntimeError(f"Expected target size {[shape[0], *shape[2:]]}, got {list(labels)}")
    if len(shape) > 1 or len(labels) > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if labels not in ((), (1,)):
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {labels[0]}")


def check_class_weight(input: Tensor, weight: Tensor, prefix: str = "") -> None:
    """torch's error for weights that are not one for each class, in the input's dtype."""
    classes = input._array.shape[1 if input._array.ndim > 1 else 0]
    if weight._array.shape != (classes,):
        raise RuntimeError(
            f"{prefix}weight tensor should be defined either for all {classes} classes or no classes but got weight "
            f"tensor of shape: {list(weight.shape)}"
        )
    if weight._array.dtype != input._array.dtype and not prefix:
        raise RuntimeError(f"expected scalar type {word(input)} but found {word(weight)}")


def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None,
    ignore_index: int = -100, reduce: Any = None, reduction: str = "mean", label_smoothing: float = 0.0,
) -> Tensor:  # fmt: skip
    """log_softmax over the classes, then nll_loss; the target may also be probabilities of input's shape."""
    reduction = legacy_reduction(reduction, size_average, reduce)
    try:
        shape, of_probabilities = input._array.shape, input._array.shape == target._array.shape
    except AttributeError:
        raise no_tensor("cross_entropy_loss", input=input, target=target) from None
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    classes = 1 if len(shape) > 1 else 0
    check_float(input._array, "log_softmax_lastdim_kernel_impl")
    logp = LogSoftmax.apply(input, dim=classes)
    if of_probabilities:
        return probability_loss(logp, target, weight, classes, reduction, label_smoothing)
    sharp = nll_loss(logp, target, weight, None, ignore_index, None, reduction)
    if not label_smoothing:
        return sharp
    kept = target._array != ignore_index
    weights = np.ones(1, logp._array.dtype) if weight is None else raw(weight)
    shape = [1] * logp._array.ndim
    shape[classes] = -1
    smooth = -(logp * wrap(weights.reshape(shape))).sum(classes).masked_fill(wrap(~kept), 0.0)
    if reduction != "none":
        smooth = smooth.sum()
    if reduction == "mean":
        label = np.where(kept, target._array, 0)
        smooth = smooth / float((weights[label] * kept).sum() if weight is not None else kept.sum())
    share = label_smoothing / input._array.shape[classes]
    return sharp * (1 - label_smoothing) + smooth * share


def probability_loss(
    logp: Tensor, target: Tensor, weight: Tensor | None, classes: int, reduction: str, label_smoothing: float
) -> Tensor:
    """Cross entropy against probabilities."""
    if reduction not in loss.REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if not target.is_floating_point():
        raise RuntimeError(f"Expected floating point type for target with class probabilities, got {word(target)}")
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / logp._array.shape[classes]
    if weight is not None:
        check_class_weight(logp, weight, "cross_entropy: ")
        shape = [1] * logp._array.ndim
        shape[classes] = -1
        target = target * weight.reshape(*shape)
    losses = -(logp * target).sum(classes)
    return losses.sum() / (losses._array.size or 1) if reduction == "mean" else reduced(losses, reduction)


def logsigmoid(input: Tensor) -> Tensor:
    """log(σ(x)), stable."""
    return -softplus(-input)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: float | None = None,
) -> Tensor:  # fmt: skip
    """softmax(query @ keyᵀ · scale + mask) @ value: what each query finds among the keys (Vaswani et al. 2017).

    Args:
        query: (…, L, E).
        key: (…, S, E).
        value: (…, S, V).
        attn_mask: bools, True where a query may look; or numbers that are added.
        dropout_p: how many of the weights are dropped.
        is_causal: a query looks at keys up to its own place.
        scale: of the products; 1/√E unless told otherwise.
    """
    scores = query @ key.transpose(-2, -1) * (query.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError("Explicit attn_mask should not be set when is_causal=True")
        attn_mask = wrap(np.tri(query.shape[-2], key.shape[-2], dtype=bool))
    if attn_mask is not None and attn_mask._array.dtype == bool:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    elif attn_mask is not None:
        scores = scores + attn_mask
    return dropout(reductions.softmax(scores, -1), dropout_p) @ value


def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    """(x - y)² / 2 where |x - y| < delta, else delta (|x - y| - delta / 2)."""
    return smooth_l1_loss(input, target, reduction=reduction, beta=delta) * delta


__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "dropout", "embedding", "gelu",
    "l1_loss", "layer_norm", "leaky_relu", "linear", "log_softmax", "mse_loss", "nll_loss", "relu", "sigmoid", "silu",
    "smooth_l1_loss", "softmax", "softplus", "tanh", "batch_norm", "cosine_similarity", "elu", "huber_loss", "kl_div",
    "logsigmoid", "normalize", "one_hot", "pad", "scaled_dot_product_attention",
]  # fmt: skip

__getattr__ = absent("minigrad.nn.functional")
