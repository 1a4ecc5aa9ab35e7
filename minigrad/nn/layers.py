"""The layers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any

from .. import creation, random
from ..creation import empty
from ..tensor import Tensor
from . import functional, init
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
            init.fan_in_uniform_(parameter, self.in_features) if self.in_features else init.zeros_(parameter)

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


class Sequential(Module):
    """Modules one after the other."""

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        named = modules[0].items() if len(modules) == 1 and isinstance(modules[0], OrderedDict) else enumerate(modules)
        for name, module in named:
            self.add_module(str(name), module)

    def forward(self, x: Any) -> Any:
        """The last module's result."""
        for module in self._modules.values():
            x = module(x)
        return x

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return list(self._modules.values())[index]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def append(self, module: Module) -> Sequential:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self


class ModuleList(Module):
    """A list of modules whose parameters are found, unlike those in a plain list."""

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        super().__init__()
        self.extend(modules)

    def append(self, module: Module) -> ModuleList:
        """Add a module at the end."""
        if not isinstance(module, Module):
            raise TypeError(f"{type(module).__name__} is not a Module subclass")
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> ModuleList:
        """Add several modules at the end."""
        for module in modules:
            self.append(module)
        return self

    def __getitem__(self, index: Any) -> Any:
        found = list(self._modules.values())[index]
        return ModuleList(found) if isinstance(index, slice) else found

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())


class ReLU(Module):
    """max(x, 0)."""

    def forward(self, x: Tensor) -> Tensor:
        """Elementwise."""
        return functional.relu(x)


class Tanh(Module):
    """Hyperbolic tangent."""

    def forward(self, x: Tensor) -> Tensor:
        """Elementwise."""
        return functional.tanh(x)


class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def forward(self, x: Tensor) -> Tensor:
        """Elementwise."""
        return functional.sigmoid(x)


class GELU(Module):
    """x Φ(x)."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, x: Tensor) -> Tensor:
        """Elementwise."""
        return functional.gelu(x, self.approximate)

    def extra_repr(self) -> str:
        """Which formula."""
        return f"approximate={self.approximate!r}"


class Softmax(Module):
    """exp(x) / sum(exp(x)) along a dimension."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, x: Tensor) -> Tensor:
        """Along `dim`."""
        return functional.softmax(x, self.dim)

    def extra_repr(self) -> str:
        """The dimension."""
        return f"dim={self.dim}"


class Dropout(Module):
    """Each element zero with probability p while training."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        """Elementwise."""
        return functional.dropout(x, self.p, self.training)

    def extra_repr(self) -> str:
        """The probability."""
        return f"p={self.p}, inplace=False"


class Embedding(Module):
    """A table of vectors, read by integers: weight (num_embeddings, embedding_dim)."""

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        table = random.randn(num_embeddings, embedding_dim)
        if padding_idx is not None:
            table[padding_idx] = 0
        self.weight = Parameter(table)

    def forward(self, index: Tensor) -> Tensor:
        """Integers (…) to vectors (…, embedding_dim)."""
        return functional.embedding(index, self.weight, self.padding_idx)

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

    def forward(self, x: Tensor) -> Tensor:
        """Of x's own shape."""
        return functional.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """What it was made with."""
        affine = f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        return f"{self.normalized_shape}, eps={self.eps}, {affine}"
