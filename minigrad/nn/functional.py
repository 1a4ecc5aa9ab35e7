"""`torch.nn.functional`: activations, losses and layers as functions."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .. import random
from ..ops import linalg
from ..ops.activation import Gelu, GeluTanh, LeakyRelu, NativeLayerNorm, Silu, Softplus
from ..ops.arithmetic import Mul
from ..ops.both import raw
from ..ops.elementwise import relu, sigmoid, tanh
from ..ops.index import Embedding
from ..ops.loss import (
    BinaryCrossEntropy,
    BinaryCrossEntropyWithLogits,
    L1Loss,
    MseLoss,
    NllLoss,
    SmoothL1Loss,
    WeightedBinaryCrossEntropyWithLogits,
)
from ..ops.reduce import log_softmax, softmax
from ..tensor import Tensor, wrap

# ---------------------------------------------------------------------- activations


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta x)) / beta; x itself where beta x > threshold."""
    return Softplus.apply(input, beta=beta, threshold=threshold)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x Φ(x); `approximate="tanh"` for the approximation by tanh."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return Gelu.apply(input) if approximate == "none" else GeluTanh.apply(input)


def silu(input: Tensor) -> Tensor:
    """x σ(x)."""
    return Silu.apply(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """x, or negative_slope x below 0."""
    return LeakyRelu.apply(input, slope=negative_slope)


def dropout(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Each element zero with probability p, the others divided by 1 - p; the input itself when not training."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return input
    keep = raw(random.rand(*input.shape)) >= p
    scale = 0.0 if p == 1 else 1 / (1 - p)
    return Mul.apply(input, wrap((keep * scale).astype(input._array.dtype)))


# ---------------------------------------------------------------------- layers


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x @ weightᵀ + bias: x (…, in), weight (out, in), bias (out,)."""
    linalg.check_dtypes(input, weight)
    return linalg.Addmm.apply(input, weight, bias)


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """The rows of `weight` (n, d) at the integers of `input`; IndexError for one out of range."""
    index = input._array
    if index.dtype.kind == "f":
        raise RuntimeError("Expected tensor for argument #1 'indices' to have one of the following scalar types: Long")
    if index.size and (index.min() < 0 or index.max() >= len(weight._array)):
        raise IndexError("index out of range in self")
    return Embedding.apply(weight, (index,), padding_idx=padding_idx)


def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """(x - mean) / √(var + eps) over the last dimensions (`normalized_shape`), times weight, plus bias."""
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if input._array.shape[-len(shape) :] != shape:
        star = ", ".join(map(str, shape))
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, {star}], but got input of size"
            f"{list(input.shape)}"
        )
    weight, bias = 1.0 if weight is None else weight, 0.0 if bias is None else bias
    return NativeLayerNorm.apply(input, weight, bias, dims=len(shape), eps=eps)


# ---------------------------------------------------------------------- losses


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """(input - target)², reduced; warns when the sizes differ."""
    warn_sizes(input, target)
    return MseLoss.apply(*of_one_dtype(input, target), reduction=reduction)


def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """|input - target|, reduced; warns when the sizes differ."""
    warn_sizes(input, target)
    return L1Loss.apply(*of_one_dtype(input, target), reduction=reduction)


def smooth_l1_loss(input: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """A parabola near 0, |input - target| - beta / 2 beyond beta; warns when the sizes differ."""
    if beta < 0:
        raise ValueError(f"beta must be greater than 0, but got {beta}.")
    warn_sizes(input, target)
    return SmoothL1Loss.apply(*of_one_dtype(input, target), reduction=reduction, beta=beta)


def warn_sizes(input: Tensor, target: Tensor) -> None:
    """torch's warning before it broadcasts a target of another size."""
    if input._array.shape != target._array.shape:
        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will "
            "likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            UserWarning,
            stacklevel=3,
        )


def of_one_dtype(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both in the wider dtype: torch broadcasts before it promotes, so that a 0-d target counts in full."""
    a, b = input.dtype, target.dtype
    if a is b:
        return input, target
    wider = max(a, b, key=lambda d: (d.category, d.numpy.itemsize))
    return input.to(wider), target.to(wider)


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """-(y log x + (1 - y) log(1 - x)), reduced, for probabilities x; ValueError when the sizes differ."""
    if input._array.shape != target._array.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. "
            "Please ensure they have the same size."
        )
    if not ((input._array >= 0) & (input._array <= 1)).all():
        raise RuntimeError("all elements of input should be between 0 and 1")
    return BinaryCrossEntropy.apply(input, target, weight=raw(weight), reduction=reduction)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Sigmoid and binary cross entropy in one, finite at ±1000; ValueError when the sizes differ."""
    if input._array.shape != target._array.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    if weight is None and pos_weight is None:
        return BinaryCrossEntropyWithLogits.apply(input, target, reduction=reduction)
    weight = 1.0 if weight is None else raw(weight)
    pos_weight = 1.0 if pos_weight is None else raw(pos_weight)
    return WeightedBinaryCrossEntropyWithLogits.apply(
        input, target, weight=weight, pos_weight=pos_weight, reduction=reduction
    )


def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean"
) -> Tensor:
    """-input at the target's class: input (N, C, …) of log-probabilities, target (N, …) of integers."""
    if check_classes(input, target, ignore_index):
        ignore_index = None
    return NllLoss.apply(input, target._array, weight=raw(weight), ignore_index=ignore_index, reduction=reduction)


def check_classes(input: Tensor, target: Tensor, ignore_index: int) -> bool:
    """Errors for a target that doesn't fit, in torch's words; True when no label is the one to ignore."""
    labels = target._array
    if labels.dtype.kind != "i":
        name = {"float32": "Float", "float64": "Double", "bool": "Bool"}[labels.dtype.name]
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {name}")
    shape = input._array.shape
    if labels.shape != (*shape[:1], *shape[2:]) and len(shape) > 1:
        if labels.ndim and shape[0] != labels.shape[0]:
            raise ValueError(f"Expected input batch_size ({shape[0]}) to match target batch_size ({labels.shape[0]}).")
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    classes = shape[1] if len(shape) > 1 else shape[0]
    if labels.size and labels.view(np.uint64).max() < classes:  # unsigned, a negative label is a very large one
        return not 0 <= ignore_index < classes
    labels = labels[labels != ignore_index]
    if labels.size and (labels.min() < 0 or labels.max() >= classes):
        wrong = labels[(labels < 0) | (labels >= classes)][0]
        raise IndexError(f"Target {wrong} is out of bounds.")
    return False


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """log_softmax over the classes, then nll_loss; the target may also be probabilities of input's shape."""
    classes = 1 if input._array.ndim > 1 else 0
    logp = log_softmax(input, classes)
    if target._array.dtype.kind == "f":
        return probability_loss(logp, target, weight, classes, reduction, label_smoothing)
    loss = nll_loss(logp, target, weight, ignore_index, reduction)
    if not label_smoothing:
        return loss
    kept = target._array != ignore_index
    weights = np.ones(1, logp._array.dtype) if weight is None else raw(weight)
    shape = [1] * logp._array.ndim
    shape[classes] = -1
    smooth = -(logp * wrap(weights.reshape(shape))).sum(classes) * wrap(kept.astype(logp._array.dtype))
    if reduction != "none":
        smooth = smooth.sum()
    if reduction == "mean":
        label = np.where(kept, target._array, 0)
        smooth = smooth / float((weights[label] * kept).sum() if weight is not None else kept.sum())
    share = label_smoothing / input._array.shape[classes]
    return loss * (1 - label_smoothing) + smooth * share


def probability_loss(
    logp: Tensor, target: Tensor, weight: Tensor | None, classes: int, reduction: str, label_smoothing: float
) -> Tensor:
    """Cross entropy against probabilities."""
    if logp.shape != target.shape:
        raise RuntimeError(f"size mismatch (got input: {list(logp.shape)}, target: {list(target.shape)})")
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / logp._array.shape[classes]
    if weight is not None:
        shape = [1] * logp._array.ndim
        shape[classes] = -1
        target = target * weight.reshape(*shape)
    losses = -(logp * target).sum(classes)
    if reduction == "mean":
        return losses.sum() / (losses._array.size or 1)
    return losses.sum() if reduction == "sum" else losses


__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "dropout", "embedding", "gelu",
    "l1_loss", "layer_norm", "leaky_relu", "linear", "log_softmax", "mse_loss", "nll_loss", "relu", "sigmoid", "silu",
    "smooth_l1_loss", "softmax", "softplus", "tanh",
]  # fmt: skip
