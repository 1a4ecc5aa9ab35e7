"""The layers."""

from __future__ import annotations

import functools
import itertools
import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any

from ..core.tensor import Tensor
from ..surface import creation, random
from ..surface.creation import empty
from . import functional
from .init import fan_in_uniform_, zeros_
from .module import Module
from .parameter import Parameter


class InOut(Module):
    """A layer's sizes, its fresh starts and its text: what a linear layer is besides its parameters."""

    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.register_parameter("weight", None)
        self.register_parameter("bias", None)

    def reset_parameters(self) -> None:
        """Uniform in ±1/√in_features, weight and bias alike; zeros where there is no input."""
        for parameter in self.parameters():
            fan_in_uniform_(parameter, self.in_features) if self.in_features else zeros_(parameter)

    def extra_repr(self) -> str:
        """The numbers it was made with."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Linear(InOut):
    """x @ weightᵀ + bias: weight (out_features, in_features), bias (out_features,)."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        super().__init__(in_features, out_features)
        self.weight = Parameter(empty(out_features, in_features))
        if bias:
            self.bias = Parameter(empty(out_features))
        self.reset_parameters()

    def forward(self, x: Tensor) -> Tensor:
        """x (…, in_features) to (…, out_features)."""
        return functional.linear(x, self.weight, self.bias)


class Numbered(Module):
    """Modules named 0, 1, …: what Sequential and ModuleList share."""

    def name_at(self, index: int) -> str:
        """The name at an index, which may count from the end; IndexError where there is none."""
        index = operator.index(index)
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return list(self._modules)[index]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.part(index)
        return self._modules[self.name_at(index)]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self.name_at(index), module)

    def __delitem__(self, index: Any) -> None:
        names = list(self._modules)[index] if isinstance(index, slice) else [self.name_at(index)]
        self.renumber([module for name, module in self._modules.items() if name not in names])

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def renumber(self, modules: list[Any]) -> None:
        """Hold these modules, named 0, 1, …, in place of those that were held."""
        self._modules.clear()
        self.extend(modules)

    def append(self, module: Module) -> Numbered:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Any) -> Numbered:
        """Add several modules at the end."""
        if not isinstance(modules, Iterable):
            kind = type(self).__name__
            raise TypeError(f"{kind}.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in list(modules):
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """Add a module before the one at an index."""
        modules = list(self)
        modules.insert(index, module)
        self.renumber(modules)

    def pop(self, index: int = -1) -> Module:
        """Remove the module at an index, and return it."""
        module = self[index]
        del self[index]
        return module


class Sequential(Numbered):
    """Modules one after the other."""

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        named = modules[0].items() if len(modules) == 1 and isinstance(modules[0], OrderedDict) else enumerate(modules)
        for name, module in named:
            self.add_module(str(name), module)

    def forward(self, input: Any) -> Any:
        """The last module's result."""
        for module in self._modules.values():
            input = module(input)
        return input

    def insert(self, index: int, module: Module) -> Any:
        """Add a module before the one at an index; IndexError where there is none."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        super().insert(index, module)
        return self

    def part(self, index: slice) -> Sequential:
        """Those of a slice, under their names."""
        return type(self)(OrderedDict(list(self._modules.items())[index]))


class ModuleList(Numbered):
    """A list of modules whose parameters are found, unlike those in a plain list."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def part(self, index: slice) -> ModuleList:
        """Those of a slice, numbered anew."""
        return type(self)(list(self)[index])

    def children_repr(self) -> list[str]:
        """A text for each module, and one for several that follow each other and look alike."""
        texts, first = [], 0
        for text, alike in itertools.groupby(map(repr, self)):
            count = len(list(alike))
            texts.append(f"({first}-{first + count - 1}): {count} x {text}" if count > 1 else f"({first}): {text}")
            first += count
        return texts


class Dropout(Module):
    """Each element zero with probability p while training."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return functional.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """The probability, and whether it works in place."""
        return f"p={self.p}, inplace={self.inplace}"


class Embedding(Module):
    """A table of vectors, read by integers: weight (num_embeddings, embedding_dim)."""

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = None if padding_idx is None else functional.row_from_0(padding_idx, num_embeddings)
        table = random.randn(num_embeddings, embedding_dim)
        if padding_idx is not None:
            table[padding_idx] = 0
        self.weight = Parameter(table)

    def forward(self, input: Tensor) -> Tensor:
        """Integers (…) to vectors (…, embedding_dim)."""
        return functional.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        """The sizes."""
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"


class LayerNorm(Module):
    """Mean 0 and variance 1 over the last dimensions, times weight, plus bias."""

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True
    ) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        shape = self.normalized_shape
        self.register_parameter("weight", Parameter(creation.ones(*shape)) if elementwise_affine else None)
        self.register_parameter("bias", Parameter(creation.zeros(*shape)) if elementwise_affine and bias else None)

    def forward(self, input: Tensor) -> Tensor:
        """Of x's own shape."""
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """What it was made with."""
        affine = f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        return f"{self.normalized_shape}, eps={self.eps}, {affine}"


class BatchNorm1d(Module):
    """Each feature with mean 0 and variance 1 over the batch, times weight, plus bias; evaluating uses running means.

    Input (batch, features) or (batch, features, length). Ioffe and Szegedy 2015.
    """

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self.register_parameter("weight", Parameter(creation.ones(num_features)) if affine else None)
        self.register_parameter("bias", Parameter(creation.zeros(num_features)) if affine and bias else None)
        tracked = track_running_stats
        self.register_buffer("running_mean", creation.zeros(num_features) if tracked else None)
        self.register_buffer("running_var", creation.ones(num_features) if tracked else None)
        self.register_buffer("num_batches_tracked", creation.tensor(0) if tracked else None)

    def forward(self, input: Tensor) -> Tensor:
        """Of the input's own shape."""
        if input.ndim not in (2, 3):
            raise ValueError(f"expected 2D or 3D input (got {input.ndim}D input)")
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            momentum = 1 / self.num_batches_tracked.item() if self.momentum is None else momentum
        batch = self.training or self.running_mean is None
        means, variances = self.running_mean, self.running_var
        return functional.batch_norm(input, means, variances, self.weight, self.bias, batch, momentum, self.eps)

    def extra_repr(self) -> str:
        """What it was made with."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


def with_place(layer: type[Module]) -> None:
    """Let a layer take torch's `device` and `dtype`."""
    begin: Any = vars(layer)["__init__"]

    @functools.wraps(begin)
    def __init__(self: Module, *args: Any, device: Any = None, dtype: Any = None, **named: Any) -> None:
        begin(self, *args, **named)
        if device is not None or dtype is not None:
            self.to(device=device, dtype=dtype)

    type.__setattr__(layer, "__init__", __init__)


for _layer in (Linear, Embedding, LayerNorm, BatchNorm1d):
    if "__init__" in vars(_layer):  # a learner's may be yet to be written
        with_place(_layer)
