"""Chapter 4 in other words: products by einsum and by rank, sigmoids, stable losses, the layer."""

import math

import numpy as np

import minigrad
from minigrad.core.function import Function
from minigrad.nn import functional as F  # noqa: N812 - as everybody calls it
from minigrad.rules import both
from minigrad.rules.linalg import Product
from minigrad.rules.loss import Loss

from ...ask.right import collector

RIGHT, right = collector()

# ---------------------------------------------------------------------- MatMul


@right(exercise="matmul", replaces="MatMul")
class ByEinsum(Product):
    def forward(self, x, y):
        self.ranks = x.ndim, y.ndim
        return np.matmul(x, y)

    def backward_x(self, grad, y):
        return (y @ grad.mT).mT

    def backward_y(self, grad, x):
        return (grad.mT @ x).mT


@right(exercise="matmul", replaces="MatMul")
class BySwappingAxes(Product):
    def forward(self, x, y):
        self.ranks = x.ndim, y.ndim
        return x @ y

    def backward_x(self, grad, y):
        return grad @ np.swapaxes(y, -1, -2)

    def backward_y(self, grad, x):
        return np.swapaxes(x, -1, -2) @ grad


@right(exercise="matmul", replaces="MatMul")
class TransposedTwice(Product):
    def forward(self, x, y):
        self.ranks = x.ndim, y.ndim
        return x @ y

    def backward_x(self, grad, y):
        return (y @ grad.mT).mT

    def backward_y(self, grad, x):
        return (grad.mT @ x).mT


@right(exercise="matmul", replaces="MatMul")
class AsksForMore(Product):
    def forward(self, x, y):
        self.ranks = x.ndim, y.ndim
        return x @ y

    def backward_x(self, grad, x, y, out):
        assert x.ndim > 1 and out.ndim > 1
        return grad @ y.mT

    def backward_y(self, grad, x, y):
        assert y.ndim > 1
        return x.mT @ grad


@right(exercise="matmul", replaces="MatMul")
class ByRank(Function):
    def forward(self, x, y):
        self.vectors = x.ndim == 1, y.ndim == 1
        return x @ y

    def backward_x(self, grad, y):
        row, column = self.vectors
        if column:
            return np.multiply.outer(grad, y)
        return grad @ y.mT if not row else (grad[..., None, :] @ y.mT)[..., 0, :]

    def backward_y(self, grad, x):
        row, column = self.vectors
        if column:
            return x * grad[..., None]
        return x.mT @ grad if not row else x[:, None] * grad[..., None, :]


# ---------------------------------------------------------------------- Sigmoid


@right(exercise="sigmoid", replaces="Sigmoid")
class AsItStands(Function):
    promotes = True

    def forward(self, x):
        return 1 / (1 + np.exp(-x))

    def backward_x(self, grad, out):
        return grad * (out - out**2)


@right(exercise="sigmoid", replaces="Sigmoid")
class InTwoBranches(Function):
    promotes = True

    def forward(self, x):
        small = np.exp(-np.abs(x))
        return np.where(x > 0, 1 / (1 + small), small / (1 + small))

    def backward_x(self, grad, x):
        small = both.exp(-abs(x))
        return grad * small / (1 + small) ** 2


@right(exercise="sigmoid", replaces="Sigmoid")
class HalfOfTanh(Function):
    promotes = True

    def forward(self, x):
        return (1 + np.tanh(x / 2)) / 2

    def backward_x(self, grad, out):
        return grad * (1 - (2 * out - 1) ** 2) / 4


@right(exercise="sigmoid", replaces="Sigmoid")
class AsksTheEngine(Function):
    promotes = True

    def forward(self, x):
        self.kept = both.sigmoid(x)
        return self.kept

    def backward_x(self, grad):
        return self.kept * (1 - self.kept) * grad


@right(exercise="sigmoid", replaces="Sigmoid")
class ThroughLogarithms(Function):
    promotes = True

    def forward(self, x):
        return np.exp(-np.logaddexp(0, -x))

    def backward_x(self, grad, x):
        return grad * both.sigmoid(x) * both.sigmoid(-x)


# ---------------------------------------------------------------------- softplus


@right(exercise="softplus", replaces="softplus")
def by_logaddexp(z):
    return np.logaddexp(0, z)


@right(exercise="softplus", replaces="softplus")
def by_halves(z):
    return (z + np.abs(z)) / 2 + np.log1p(np.exp(-np.abs(z)))


@right(exercise="softplus", replaces="softplus")
def by_choice(z):
    return np.where(z > 0, z + np.log1p(np.exp(-z)), np.log1p(np.exp(z)))


@right(exercise="softplus", replaces="softplus")
def beyond_a_limit(z):
    return np.where(z > 40, z, np.log1p(np.exp(np.minimum(z, 40))))


@right(exercise="softplus", replaces="softplus")
def number_by_number(z):
    result = np.zeros_like(z)
    for place in np.ndindex(z.shape):
        n = float(z[place])
        result[place] = n + math.log1p(math.exp(-n)) if n > 0 else math.log1p(math.exp(n))
    return result


# ---------------------------------------------------------------------- BCE with logits


@right(exercise="bce-with-logits", replaces="BinaryCrossEntropyWithLogits")
class ForNegativeLogits(Loss):
    def forward(self, z, y, *, reduction="mean"):
        return self.reduce((1 - y) * z + np.logaddexp(0, -z), reduction)

    def backward_z(self, grad, z, y):
        return (1 - both.sigmoid(-z) - y) * self.each(grad)

    def backward_y(self, grad, z):
        return -self.each(grad) * z


@right(exercise="bce-with-logits", replaces="BinaryCrossEntropyWithLogits")
class TargetByTarget(Loss):
    def forward(self, z, y, *, reduction="mean"):
        return self.reduce(y * np.logaddexp(0, -z) + (1 - y) * np.logaddexp(0, z), reduction)

    def backward_z(self, grad, z, y):
        p = both.sigmoid(z)
        return self.each(grad) * (-y * (1 - p) + (1 - y) * p)

    def backward_y(self, grad, z):
        return self.each(grad) * (-z / 2 - z / 2)


@right(exercise="bce-with-logits", replaces="BinaryCrossEntropyWithLogits")
class KeepsItsSlope(Loss):
    def forward(self, z, y, *, reduction="mean"):
        self.slope = both.sigmoid(z) - y
        return self.reduce(np.maximum(z, 0) - z * y + np.log1p(np.exp(-np.abs(z))), reduction)

    def backward_z(self, grad):
        return self.each(grad) * self.slope

    def backward_y(self, grad, z):
        return self.each(grad) * (-1 * z)


@right(exercise="bce-with-logits", replaces="BinaryCrossEntropyWithLogits")
class ReducesByItself(Function):
    def forward(self, z, y, *, reduction="mean"):
        self.share = 1 / z.size if reduction == "mean" else 1
        losses = np.logaddexp(0, z) - z * y
        return losses if reduction == "none" else losses.sum() * self.share

    def backward_z(self, grad, z, y):
        return grad * self.share * (both.sigmoid(z) - y)

    def backward_y(self, grad, z):
        return grad * self.share * -z


@right(exercise="bce-with-logits", replaces="BinaryCrossEntropyWithLogits")
class ByTanh(Loss):
    def forward(self, z, y, *, reduction="mean"):
        return self.reduce(np.where(z > 0, z, 0) + np.log1p(np.exp(-abs(z))) - y * z, reduction=reduction)

    def backward_z(self, grad, z, y):
        return 0.5 * self.each(grad) * (1 + (2 * both.sigmoid(z) - 1) - 2 * y)

    def backward_y(self, grad, z):
        return (0 - z) * self.each(grad)


# ---------------------------------------------------------------------- one layer


@right(exercise="bce", replaces="one_layer")
def sets_the_flags(x, y, w, b):
    w.requires_grad = True
    b.requires_grad = True
    z = minigrad.matmul(x, w) + b
    loss = F.binary_cross_entropy_with_logits(z, y)
    loss.backward()
    return [z, loss]


@right(exercise="bce", replaces="one_layer")
def divides_the_sum(x, y, w, b):
    w.requires_grad_()
    b.requires_grad_()
    z = b + x @ w
    loss = F.binary_cross_entropy_with_logits(z, y, reduction="sum") / z.numel()
    loss.backward()
    return z, loss


@right(exercise="bce", replaces="one_layer")
def takes_the_mean(x, y, w, b):
    for parameter in (w, b):
        parameter.requires_grad_(True)
    z = x.matmul(w) + b
    loss = F.binary_cross_entropy_with_logits(input=z, target=y, reduction="none").mean()
    minigrad.autograd.backward(loss)
    return z, loss


@right(exercise="bce", replaces="one_layer")
def through_a_linear_layer(x, y, w, b):
    w, b = w.requires_grad_(), b.requires_grad_()
    z = F.linear(x, w.mT, b)
    loss = F.binary_cross_entropy_with_logits(z, y)
    loss.backward()
    return z, loss


@right(exercise="bce", replaces="one_layer")
def gives_the_gradient_of_one(x, y, w, b):
    w.requires_grad_(True), b.requires_grad_(True)
    z = x @ w
    z = z + b
    loss = F.binary_cross_entropy_with_logits(z, y)
    loss.backward(minigrad.ones_like(loss), retain_graph=True)
    return z, loss


# ---------------------------------------------------------------------- by hand


@right(exercise="layer-by-hand", replaces="layer_by_hand")
def by_broadcasting(x, y, w, b):
    z_grad = (0.5 * np.tanh(0.5 * (w.T @ x + b)) + 0.5 - y) / len(y)
    return x[:, None] * z_grad, z_grad


@right(exercise="layer-by-hand", replaces="layer_by_hand")
def by_rows_and_columns(x, y, w, b):
    z = x.reshape(1, -1) @ w + b
    z_grad = (1 / (1 + np.exp(-z)) - y.reshape(1, -1)) / y.size
    return x.reshape(-1, 1) @ z_grad, z_grad.sum(axis=0)


@right(exercise="layer-by-hand", replaces="layer_by_hand")
def by_hand_einsum(x, y, w, b):
    z = np.einsum("i,ij->j", x, w) + b
    z_grad = (1 / (1 + np.exp(-z)) - y) / z.shape[0]
    return np.einsum("i,j->ij", x, z_grad), z_grad


@right(exercise="layer-by-hand", replaces="layer_by_hand")
def by_hand_engine_sigmoid(x, y, w, b):
    share = np.full_like(y, 1 / y.size)
    z_grad = share * (both.sigmoid(np.dot(x, w) + b) - y)
    return np.array([n * z_grad for n in x]), z_grad.copy()


@right(exercise="layer-by-hand", replaces="layer_by_hand")
def by_hand_loops(x, y, w, b):
    w_grad, b_grad = np.zeros_like(w), np.zeros_like(b)
    for j in range(len(b)):
        z = b[j]
        for i in range(len(x)):
            z += x[i] * w[i, j]
        b_grad[j] = (1 / (1 + np.exp(-z)) - y[j]) / len(b)
        for i in range(len(x)):
            w_grad[i, j] = x[i] * b_grad[j]
    return w_grad, b_grad
