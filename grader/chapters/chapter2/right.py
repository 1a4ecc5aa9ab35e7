"""Chapter 2 in other words."""

import numpy as np

import minigrad
from minigrad.core.function import Function
from minigrad.rules.reduce import Reduction

from ...ask.right import collector

RIGHT, right = collector()

# ---------------------------------------------------------------------- Div


@right(exercise="div", replaces="Div")
class DivByPowers(Function):
    def forward(self, x, y):
        return x * y**-1.0

    def backward_x(self, grad, y):
        return grad * y**-1.0

    def backward_y(self, grad, x, y):
        return grad * x * -(y**-2.0)


@right(exercise="div", replaces="Div")
class DivByOut(Function):
    def forward(self, x, y):
        return x / y

    def backward_x(self, grad, y):
        return grad / y

    def backward_y(self, grad, y, out):
        return -grad * out / y


@right(exercise="div", replaces="Div")
class DivKeepsItself(Function):
    def forward(self, x, y):
        self.x, self.inverse = x, 1 / y
        return x * self.inverse

    def backward_x(self, grad):
        return grad * self.inverse

    def backward_y(self, grad):
        return -(grad * self.x) * self.inverse**2


@right(exercise="div", replaces="Div")
class DivBySquare(Function):
    def forward(self, x, y):
        return np.divide(x, y)

    def backward_x(self, grad, y):
        return 1 / y * grad

    def backward_y(self, grad, x, y):
        return grad * -x / y**2


@right(exercise="div", replaces="Div")
class DivByProducts(Function):
    def forward(self, x, y):
        return x / y

    def backward_x(self, grad, y):
        return grad * (y / (y * y))

    def backward_y(self, grad, x, y):
        return -1.0 * grad * x / (y * y)


# ---------------------------------------------------------------------- unbroadcast


@right(exercise="unbroadcast", replaces="unbroadcast")
def axis_by_axis(grad, shape):
    while grad.ndim > len(shape):
        grad = grad.sum(axis=0)
    for axis, length in enumerate(shape):
        if length == 1:
            grad = grad.sum(axis=axis, keepdims=True)
    return grad


@right(exercise="unbroadcast", replaces="unbroadcast")
def by_padding(grad, shape):
    padded = (1,) * (grad.ndim - len(shape)) + tuple(shape)
    axes = tuple(axis for axis in range(grad.ndim) if padded[axis] == 1)
    return grad.sum(axis=axes, keepdims=True).reshape(shape)


@right(exercise="unbroadcast", replaces="unbroadcast")
def by_adding_at(grad, shape):
    where = np.broadcast_to(np.arange(np.prod(shape, dtype=int)).reshape(shape), grad.shape)
    total = np.zeros(int(np.prod(shape, dtype=int)))
    np.add.at(total, where.ravel(), grad.ravel())
    return total.reshape(shape)


@right(exercise="unbroadcast", replaces="unbroadcast")
def from_the_end(grad, shape):
    shape = tuple(shape)
    for back in range(1, grad.ndim + 1):
        if back > len(shape) or shape[-back] == 1:
            grad = grad.sum(axis=-back, keepdims=True)
    return grad.reshape(shape)


@right(exercise="unbroadcast", replaces="unbroadcast")
def by_counting(grad, shape):
    where = np.broadcast_to(np.arange(int(np.prod(shape, dtype=int))).reshape(shape), grad.shape).ravel()
    counts = np.bincount(where, weights=grad.ravel(), minlength=int(np.prod(shape, dtype=int)))
    return counts.astype(float).reshape(shape)


# ---------------------------------------------------------------------- Sum and Mean


@right(exercise="sum-mean", replaces="Sum")
class SumTimesOnes(Reduction):
    def forward(self, x, *, dim=None, keepdim=False):
        return x.sum(axis=self.axes(x, dim, keepdim), keepdims=keepdim)

    def backward_x(self, grad, x):
        return self.spread(grad) * np.ones(x.shape)


@right(exercise="sum-mean", replaces="Sum")
class SumByNumpy(Reduction):
    def forward(self, x, *, dim=None, keepdim=False):
        return np.sum(x, axis=self.axes(x, dim, keepdim), keepdims=keepdim)

    def backward_x(self, grad):
        return 1 * self.spread(grad)


@right(exercise="sum-mean", replaces="Sum")
class SumWithoutSpread(Reduction):
    def forward(self, x, *, dim=None, keepdim=False):
        self.axis = self.axes(x, dim, keepdim)
        self.kept = keepdim
        return x.sum(axis=self.axis, keepdims=keepdim)

    def backward_x(self, grad, x):
        axes = range(x.ndim) if self.axis is None else np.atleast_1d(self.axis)
        lengths = [1 if axis in {a % max(x.ndim, 1) for a in axes} else n for axis, n in enumerate(x.shape)]
        return grad.reshape(tuple(lengths)) + 0 * x


@right(exercise="sum-mean", replaces="Sum")
class SumOfMeans(Reduction):
    def forward(self, x, *, dim=None, keepdim=False):
        axis = self.axes(x, dim, keepdim)
        return x.mean(axis=axis, keepdims=keepdim) * self.count()

    def backward_x(self, grad):
        return self.spread(grad / self.count()) * self.count()


@right(exercise="sum-mean", replaces="Sum")
class SumSpreadsHalves(Reduction):
    def forward(self, x, *, dim=None, keepdim=False):
        return 2 * (x / 2).sum(axis=self.axes(x, dim, keepdim), keepdims=keepdim)

    def backward_x(self, grad):
        return self.spread(grad / 2) * 2


@right(exercise="sum-mean", replaces="Mean")
class MeanByNumpy(Reduction):
    def forward(self, x, *, dim=None, keepdim=False):
        return np.mean(x, axis=self.axes(x, dim, keepdim), keepdims=keepdim)

    def backward_x(self, grad):
        return self.spread(grad) / self.count()


@right(exercise="sum-mean", replaces="Mean")
class MeanOfShares(Reduction):
    def forward(self, x, *, dim=None, keepdim=False):
        axis = self.axes(x, dim, keepdim)
        return (x / self.count()).sum(axis=axis, keepdims=keepdim)

    def backward_x(self, grad):
        return self.spread(1 / self.count() * grad)


@right(exercise="sum-mean", replaces="Mean")
class MeanCountsBySizes(Reduction):
    def forward(self, x, *, dim=None, keepdim=False):
        return x.mean(axis=self.axes(x, dim, keepdim), keepdims=keepdim)

    def backward_x(self, grad, x, out):
        return self.spread(grad * (out.size / x.size))


@right(exercise="sum-mean", replaces="Mean")
class MeanRemembersTheCount(Reduction):
    def forward(self, x, *, dim=None, keepdim=False):
        total = x.sum(axis=self.axes(x, dim, keepdim), keepdims=keepdim)
        self.share = total.size / x.size
        return total * self.share

    def backward_x(self, grad):
        return self.spread(grad) * self.share


@right(exercise="sum-mean", replaces="Mean")
class MeanOfOnes(Reduction):
    def forward(self, x, *, dim=None, keepdim=False):
        axis = self.axes(x, dim, keepdim)
        self.elements = np.ones(x.shape).sum(axis=axis, keepdims=keepdim)
        return x.sum(axis=axis, keepdims=keepdim) / self.elements

    def backward_x(self, grad):
        return self.spread(grad / self.elements)


# ---------------------------------------------------------------------- two layers


@right(exercise="two-layers", replaces="two_layers")
def with_products(x, a, b, c):
    y = x * a + b
    y.retain_grad()
    out = (y * y * c).mean()
    out.backward()
    return y, out


@right(exercise="two-layers", replaces="two_layers")
def with_a_sum(x, a, b, c):
    y = b + a * x
    z = c * y**2
    out = z.sum() / z.numel()
    y.retain_grad()
    out.backward()
    return y, out


@right(exercise="two-layers", replaces="two_layers")
def with_a_gradient(x, a, b, c):
    y = a * x + b
    y.retain_grad()
    out = minigrad.mean(c * y**2)
    out.backward(minigrad.tensor(1.0, dtype=minigrad.float64))
    return [y, out]


@right(exercise="two-layers", replaces="two_layers")
def with_a_scaled_square(x, a, b, c):
    y = a * x - (-b)
    y.retain_grad()
    out = c * (y**2).mean()
    out.backward()
    return (y, out)


@right(exercise="two-layers", replaces="two_layers")
def with_names(x, a, b, c):
    def layer(x):
        y = a * x + b
        y.retain_grad()
        return y

    def loss(y):
        return (y**2 * c).mean()

    y = layer(x)
    out = loss(y)
    out.backward()
    return y, out


# ---------------------------------------------------------------------- by hand


@right(exercise="by-hand", replaces="by_hand")
def step_by_step(values, a, b, c):
    y = a * values + b
    z_grad = np.full(values.shape, 1 / values.size)
    y_grad = z_grad * c * 2 * y
    return y_grad * a, y_grad


@right(exercise="by-hand", replaces="by_hand")
def expanded(values, a, b, c):
    x_grad = 2 * a * c / values.size * (a * values + b)
    return x_grad, 2 * c / values.size * (a * values + b)


@right(exercise="by-hand", replaces="by_hand")
def element_by_element(values, a, b, c):
    x_grad, y_grad = np.zeros(values.shape), np.zeros(values.shape)
    for place in np.ndindex(values.shape):
        y_grad[place] = 2 * c * (a * values[place] + b) / values.size
        x_grad[place] = y_grad[place] * a
    return x_grad, y_grad


@right(exercise="by-hand", replaces="by_hand")
def by_jacobians(values, a, b, c):
    flat = values.ravel()
    y = a * flat + b
    y_grad = np.diag(2 * c * y).T @ np.full(flat.size, 1 / flat.size)
    x_grad = np.diag(np.full(flat.size, a)).T @ y_grad
    return x_grad.reshape(values.shape), y_grad.reshape(values.shape)


@right(exercise="by-hand", replaces="by_hand")
def doubled_later(values, a, b, c):
    half = c * (values * a + b) / values.size
    return (half + half) * a, half + half
