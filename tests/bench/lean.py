"""The leanest engine of minigrad's shape: what its behaviour costs is its time over this one's.

A node an operation, which records, saves with versions, is freed, and leaves `.grad` to the nodes of
leaves; the traversal is minigrad's. It knows nothing else: no grad mode, dtypes, hooks, views, second
derivatives or errors, and only the operations of the benchmark. As a peer it has torch's names.
"""

from __future__ import annotations

import itertools
import weakref
from heapq import heappop, heappush
from types import SimpleNamespace
from typing import Any

import numpy as np

next_number = itertools.count(0, -1).__next__


class Tensor:
    """An array, its version, and the node that made it."""

    grad_fn: Any = None
    grad: Tensor | None = None
    accumulator: Any = None
    requires_grad = False

    def __init__(self, array: Any) -> None:
        self.array = array
        self.version = [0]

    def __add__(self, other: Any) -> Tensor:
        return Add.apply(self, other)

    def __mul__(self, other: Any) -> Tensor:
        return Mul.apply(self, other)

    def __pow__(self, n: float) -> Tensor:
        return Pow.apply(self, n)

    __radd__, __rmul__ = __add__, __mul__

    def mean(self) -> Tensor:
        """The mean of all elements."""
        return Mean.apply(self)

    def backward(self) -> None:
        """Send 1 down the graph."""
        run_backward(self.grad_fn, np.float32(1))


def tensor(data: Any, requires_grad: bool = False) -> Tensor:
    """A leaf: numbers are NumPy scalars, as in minigrad."""
    out = Tensor(np.float32(data) if isinstance(data, float) else np.array(data, np.float32))
    if requires_grad:
        out.requires_grad = True
    return out


class Function:
    """A node: `forward` on arrays; `backward` gives a gradient for each input."""

    saves: tuple[int, ...] = ()  # positions in (*inputs, out); -1 is the result
    saved: Any = ()
    versions: Any = ()
    edges: Any = ()
    shape: tuple[int, ...]
    number: int

    @classmethod
    def apply(cls, *inputs: Any) -> Tensor:
        """Compute, and record where an input requires grad."""
        node = cls()
        arrays, edges, recorded = [], [], False
        for x in inputs:
            below = None
            if isinstance(x, Tensor):
                if x.requires_grad:
                    below = x.grad_fn or accumulator(x)
                    recorded = True
                x = x.array
            arrays.append(x)
            edges.append(below)
        array = node.forward(*arrays)
        out = Tensor(array)
        if recorded:
            node.edges = edges
            node.shape = array.shape
            node.number = next_number()
            out.requires_grad = True
            out.grad_fn = node
            if cls.saves:
                node.saved = saved = []
                node.versions = versions = []
                for i in cls.saves:
                    x = inputs[i] if i >= 0 else out
                    if isinstance(x, Tensor):
                        versions.append((x.version, x.version[0]))
                        x = x.array
                    saved.append(x)
        return out

    def forward(self, *inputs: Any) -> Any:
        """Each operation says how."""
        raise NotImplementedError

    def backward(self, grad: Any) -> tuple[Any, ...]:
        """Each operation says how."""
        raise NotImplementedError


def accumulator(leaf: Tensor) -> AccumulateGrad:
    """The node of a leaf."""
    node = leaf.accumulator and leaf.accumulator()
    if node is None:
        node = AccumulateGrad(leaf)
        leaf.accumulator = weakref.ref(node)
    return node


class AccumulateGrad(Function):
    """The node of a leaf."""

    def __init__(self, leaf: Tensor) -> None:
        self.leaf, self.shape, self.number = leaf, leaf.array.shape, next_number()

    def backward(self, grad: Any) -> tuple[Any, ...]:
        leaf = self.leaf
        if leaf.grad is None:
            leaf.grad = Tensor(grad.copy())
        else:
            leaf.grad.array += grad
        return ()


def run_backward(root: Function, grad: Any) -> None:
    """Each node once, the newest first; what it saved is checked before, and dropped after."""
    grads = {root: grad}
    queue = [(root.number, root)]
    while queue:
        _, node = heappop(queue)
        if node.saved is None:
            raise RuntimeError("freed")
        for version, seen in node.versions:
            if version[0] != seen:
                raise RuntimeError("modified in place")
        for below, grad in zip(node.edges, node.backward(grads.pop(node))):  # noqa: B905 - this line is hot
            if below is None or grad is None:
                continue
            if grad.shape != below.shape:
                grad = unbroadcast(grad, below.shape)
            if below in grads:
                grads[below] = grads[below] + grad
            else:
                grads[below] = grad
                heappush(queue, (below.number, below))
        if node.saved:
            node.saved = None
            node.versions = ()


def unbroadcast(grad: Any, shape: tuple[int, ...]) -> Any:
    """The sum over leading dimensions that a bias lacks."""
    return grad.sum(tuple(range(grad.ndim - len(shape)))).reshape(shape)


class Add(Function):
    def forward(self, x, y):
        return x + y

    def backward(self, grad):
        return grad, grad


class Mul(Function):
    saves = 0, 1

    def forward(self, x, y):
        return x * y

    def backward(self, grad):
        x, y = self.saved
        to_x, to_y = self.edges
        return to_x and grad * y, to_y and grad * x


class Pow(Function):
    saves = 0, 1

    def forward(self, x, n):
        return x**n

    def backward(self, grad):
        x, n = self.saved
        return grad * (n * x ** (n - 1)), None


class Mean(Function):
    def forward(self, x):
        self.of = x
        return x.sum() / x.size

    def backward(self, grad):
        return (np.full(self.of.shape, grad / self.of.size, self.of.dtype),)


class MatMul(Function):
    saves = 0, 1

    def forward(self, x, w):
        return x @ w

    def backward(self, grad):
        x, w = self.saved
        to_x, to_w = self.edges
        return to_x and grad @ w.T, to_w and (x.T @ grad if x.ndim > 1 else x[:, None] * grad)


class Linear(Function):
    saves = 0, 1

    def forward(self, x, w, b):
        out = x @ w.T
        out += b
        return out

    def backward(self, grad):
        x, w = self.saved
        return self.edges[0] and grad @ w, grad.T @ x, grad.sum(0)


class Relu(Function):
    saves = (-1,)

    def forward(self, x):
        return np.maximum(x, 0)

    def backward(self, grad):
        return (grad * (self.saved[0] > 0),)


class BinaryCrossEntropyWithLogits(Function):
    saves = 0, 1

    def forward(self, z, y):
        return (np.maximum(z, 0) - z * y + np.log1p(np.exp(-np.abs(z)))).sum() / z.size

    def backward(self, grad):
        z, y = self.saved
        return (1 / (1 + np.exp(-z)) - y) * (grad / z.size), None


class CrossEntropy(Function):
    saves = 0, 1

    def forward(self, z, y):
        z = z - z.max(1, keepdims=True)
        e = np.exp(z)
        total = e.sum(1, keepdims=True)
        self.rows = np.arange(len(y))
        self.p = e / total
        return -(z[self.rows, y] - np.log(total[:, 0])).sum() / len(y)

    def backward(self, grad):
        _, y = self.saved
        g = self.p
        g[self.rows, y] -= 1
        g *= grad / len(y)
        return g, None


def matmul(x: Tensor, w: Tensor) -> Tensor:
    """x @ w."""
    return MatMul.apply(x, w)


nn = SimpleNamespace(
    functional=SimpleNamespace(binary_cross_entropy_with_logits=lambda z, y: BinaryCrossEntropyWithLogits.apply(z, y))
)


def training_step(parameters: list[Tensor], x: Tensor, y: Tensor) -> None:
    """A step of a network of two linear layers: no modules, and no optimizer."""
    w1, b1, w2, b2 = parameters
    for p in parameters:
        p.grad = None
    hidden = Relu.apply(Linear.apply(x, w1, b1))
    CrossEntropy.apply(Linear.apply(hidden, w2, b2), y).backward()
    for p in parameters:
        p.array -= 0.1 * p.grad.array
        p.version[0] += 1
