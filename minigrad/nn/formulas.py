"""Functions of `torch.nn.functional` that are made of tensors' own: elu … pad."""

import warnings
from typing import Any

import numpy as np

from ..core.tensor import Tensor, wrap
from ..surface.elementwise import where
from ..surface.formulas import norm


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x, or alpha * (exp(x) - 1) below 0."""
    below = input.clamp(max=0).expm1() * alpha
    out = where(input > 0, input, below)
    return input.copy_(out) if inplace else out


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """For each integer a row of zeros with a 1 at its place; RuntimeError for one that is not below num_classes."""
    labels = tensor._array
    if labels.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if labels.size and labels.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    count = int(labels.max()) + 1 if num_classes == -1 else num_classes
    if labels.size and labels.max() >= count:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return wrap((labels[..., None] == np.arange(count)).astype(np.int64))


def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,
    bias: Tensor | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """(x - mean) / √(variance + eps) of each feature, times weight, plus bias.

    `training` takes the batch's own mean and variance, and moves the running ones towards them by `momentum`.
    """
    shape = (1, -1, *(1,) * (input.ndim - 2))
    dims = (0, *range(2, input.ndim))
    if training:
        count = input.numel() // input.shape[1]
        if count <= 1:
            raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
        mean, variance = input.mean(dims), input.var(dims, unbiased=False)
        if running_mean is not None and running_var is not None:
            running_mean.copy_(running_mean + momentum * (mean.detach() - running_mean))
            running_var.copy_(running_var + momentum * (variance.detach() * (count / (count - 1)) - running_var))
    elif running_mean is None or running_var is None:
        raise ValueError("Expected running_mean and running_var to be defined when training=False")
    else:
        mean, variance = running_mean, running_var
    out = (input - mean.reshape(shape)) / (variance.reshape(shape) + eps).sqrt()
    out = out if weight is None else out * weight.reshape(shape)
    return out if bias is None else out + bias.reshape(shape)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """input divided by its norm along `dim`, which counts as at least eps."""
    return input / norm(input, p, dim, keepdim=True).clamp(min=eps).expand_as(input)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """x1 · x2 / (|x1| |x2|) along `dim`."""
    lengths = norm(x1, 2, dim).clamp(min=eps) * norm(x2, 2, dim).clamp(min=eps)
    return (x1 * x2).sum(dim) / lengths


def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """A number put around: `pad` says how much before and after, for the last dimension first."""
    if mode != "constant":
        raise NotImplementedError(f"minigrad pads with a constant; torch has the mode {mode!r}, too")
    before, after = list(pad[::2]), list(pad[1::2])
    missing = input.ndim - len(before)
    before, after = [0] * missing + before[::-1], [0] * missing + after[::-1]
    lengths = [a + n + b for a, n, b in zip(before, input.shape, after, strict=True)]
    out = wrap(np.full(lengths, value or 0, input._array.dtype))
    out[tuple(slice(a, a + n) for a, n in zip(before, input.shape, strict=True))] = input
    return out


def kl_div(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:  # fmt: skip
    """target (log target - input), where `input` is a logarithm of probabilities already."""
    reduction = legacy_reduction(reduction, size_average, reduce)
    if log_target:
        losses = target.exp() * (target - input)
    else:
        losses = target * target.masked_fill(target <= 0, 1.0).log() - target * input
    return (
        losses.sum() / (input.shape[0] if input.ndim else 1) if reduction == "batchmean" else reduced(losses, reduction)
    )


def reduced(losses: Tensor, reduction: str) -> Tensor:
    """The losses' mean, their sum, or all of them."""
    return losses.mean() if reduction == "mean" else losses.sum() if reduction == "sum" else losses


def legacy_reduction(reduction: str, size_average: Any, reduce: Any) -> str:
    """`reduction`, unless torch's first versions' two arguments are given: either overrides it, with a warning."""
    if size_average is None and reduce is None:
        return reduction
    reduction = "mean" if size_average is None or size_average else "sum"
    if not (reduce is None or reduce):
        reduction = "none"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
        UserWarning,
        stacklevel=3,
    )
    return reduction
