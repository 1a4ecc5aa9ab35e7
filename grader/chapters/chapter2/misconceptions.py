# ruff: noqa: ANN001, ANN201, ANN202, D101, D102, D103
"""Chapter 2's ways of being wrong: about shapes, counts, and the chain rule through two layers."""

import numpy as np

import minigrad
from minigrad.rules.reduce import Reduction

from ...ask.bank import Reference, collector

MISCONCEPTIONS, misconception, variant = collector()

# ---------------------------------------------------------------------- Div


@misconception(
    "div-keeps-sign",
    exercise="div",
    replaces="Div",
    section="Div",
    advice="Your Div has lost a sign: when y moves away from zero, x / y shrinks.",
)
class DivKeepsSign(Reference):
    def backward_y(self, grad, x, y):
        return grad * x / y**2


@misconception(
    "div-forgets-square",
    exercise="div",
    replaces="Div",
    section="Div",
    advice="Your Div divides by y once where its rule for y needs it twice: y⁻¹ goes down by one power.",
)
class DivForgetsSquare(Reference):
    def backward_y(self, grad, x, y):
        return -grad * x / y


@misconception(
    "div-precedence",
    exercise="div",
    replaces="Div",
    section="Div",
    advice="Your Div's rule for y divides by nothing in the end. Python reads / and * from left to right, so what ends "
    "with / y * y divides by y and multiplies by it again: put all that you divide by in parentheses.",
)
class DivPrecedence(Reference):
    def backward_y(self, grad, x, y):
        return -grad * x / y * y


@misconception(
    "div-forgets-numerator",
    exercise="div",
    replaces="Div",
    section="Div",
    advice="Your Div's rule for y leaves x out. It is the slope of 1 / y, and x / y is x times as large.",
)
class DivForgetsNumerator(Reference):
    def backward_y(self, grad, y):
        return -grad / y**2


@misconception(
    "div-like-mul",
    exercise="div",
    replaces="Div",
    section="Div",
    advice="Your Div multiplies x's gradient by y, as a product would. Hold y still: x / y is a straight line in x.",
)
class DivLikeMul(Reference):
    def backward_x(self, grad, y):
        return grad * y


@misconception(
    "div-ignores-above",
    exercise="div",
    replaces="Div",
    section="Div",
    advice="Your Div returns its local derivatives and loses the gradient that arrives from above.",
)
class DivIgnoresAbove(Reference):
    def backward_x(self, grad, y):
        return grad * 0 + 1 / y

    def backward_y(self, grad, x, y):
        return grad * 0 - x / y**2


@variant
class DivReturnsLocalDerivatives(Reference):
    def backward_x(self, grad, y):
        return 1 / y

    def backward_y(self, grad, x, y):
        return -x / y**2


# ---------------------------------------------------------------------- unbroadcast


@misconception(
    "unbroadcast-not-at-all",
    exercise="unbroadcast",
    replaces="unbroadcast",
    section="Different shapes",
    advice="Your unbroadcast gives the gradient back as it came. A bias that is updated with it grows to the size of "
    "the whole layer: the copies' gradients belong to one number, and must be added.",
)
def not_at_all(grad, shape):
    return grad


@misconception(
    "unbroadcast-new-axes-only",
    exercise="unbroadcast",
    replaces="unbroadcast",
    section="Different shapes",
    advice="Your unbroadcast sums over the axes that are new, but not over those that were stretched from length 1.",
)
def new_axes_only(grad, shape):
    return grad.sum(axis=tuple(range(grad.ndim - len(shape))))


@misconception(
    "unbroadcast-stretched-only",
    exercise="unbroadcast",
    replaces="unbroadcast",
    section="Different shapes",
    advice="Your unbroadcast sums over the axes that were stretched from length 1, but not over those that are new.",
)
def stretched_only(grad, shape):
    added = grad.ndim - len(shape)
    return grad.sum(axis=tuple(added + i for i, n in enumerate(shape) if n == 1), keepdims=True)


@misconception(
    "unbroadcast-drops-axes",
    exercise="unbroadcast",
    replaces="unbroadcast",
    section="Different shapes",
    advice="Your unbroadcast sums over the right axes and then loses those of length 1: the result must have the "
    "shape that was asked for.",
)
def drops_axes(grad, shape):
    added = grad.ndim - len(shape)
    return grad.sum(axis=(*range(added), *(added + i for i, n in enumerate(shape) if n == 1)))


@misconception(
    "unbroadcast-averages",
    exercise="unbroadcast",
    replaces="unbroadcast",
    section="Different shapes",
    advice="Your unbroadcast takes the mean over the copies. Each copy is a path of its own, and paths are added.",
)
def averages(grad, shape):
    added = grad.ndim - len(shape)
    axes = (*range(added), *(added + i for i, n in enumerate(shape) if n == 1))
    return grad.mean(axis=axes).reshape(shape) if axes else grad


@misconception(
    "unbroadcast-keeps-one-copy",
    exercise="unbroadcast",
    replaces="unbroadcast",
    section="Different shapes",
    advice="Your unbroadcast keeps the gradient of the first copy and drops the others. All of them count.",
)
def keeps_one_copy(grad, shape):
    added = grad.ndim - len(shape)
    return grad[(0,) * added][tuple(slice(0, n) for n in shape)]


@misconception(
    "unbroadcast-last-axes",
    exercise="unbroadcast",
    replaces="unbroadcast",
    section="Different shapes",
    advice="Your unbroadcast sums over new axes at the end. NumPy lines shapes up at their ends, so new axes come in "
    "front.",
)
def last_axes(grad, shape):
    grad = grad.sum(axis=tuple(range(len(shape), grad.ndim)))
    return grad.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


@misconception(
    "unbroadcast-forgets-the-shift",
    exercise="unbroadcast",
    replaces="unbroadcast",
    section="Different shapes",
    advice="Your unbroadcast takes an axis's number in shape for its number in grad. The new axes come in front and "
    "move all others along.",
)
def forgets_the_shift(grad, shape):
    added = grad.ndim - len(shape)
    stretched = [i for i, n in enumerate(shape) if n == 1 and grad.shape[i] != 1]
    return grad.sum(axis=(*range(added), *stretched)).reshape(shape)


@variant
def forgets_the_shift_of_a_set(grad, shape):
    added = grad.ndim - len(shape)
    axes = {*range(added), *(i for i, n in enumerate(shape) if n == 1)}
    return grad.sum(axis=tuple(axes)).reshape(shape)


@variant
def forgets_the_shift_and_keeps_axes(grad, shape):
    added = grad.ndim - len(shape)
    stretched = [i for i, n in enumerate(shape) if n == 1]
    return grad.sum(axis=tuple(stretched), keepdims=True).sum(axis=tuple(range(added)))


# ---------------------------------------------------------------------- Sum and Mean


@misconception(
    "sum-ignores-above",
    exercise="sum-mean",
    replaces="Sum",
    section="Sum and Mean",
    advice="Your Sum returns ones: its local derivative. A rule multiplies it by the gradient from above.",
)
class SumIgnoresAbove(Reference):
    def backward_x(self, grad):
        return np.ones(self.shape, grad.dtype)


@misconception(
    "sum-does-not-spread",
    exercise="sum-mean",
    replaces="Sum",
    section="Sum and Mean",
    advice="Your Sum hands its gradient back in the small shape of the result. Each element of x needs a gradient of "
    "its own: spread it out.",
)
class SumDoesNotSpread(Reference):
    def backward_x(self, grad):
        return grad


@misconception(
    "sum-averages",
    exercise="sum-mean",
    replaces="Sum",
    section="Sum and Mean",
    advice="Your Sum shares the gradient out among the elements, as a mean would. Each of them moves the sum one for "
    "one.",
)
class SumAverages(Reference):
    def backward_x(self, grad):
        return self.spread(grad / self.count())


@misconception(
    "sum-forgets-the-axis",
    exercise="sum-mean",
    replaces="Sum",
    section="Sum and Mean",
    advice="Your Sum repeats the gradient without putting the summed axis back in its place first: NumPy then lines "
    "the shapes up at their ends. self.spread does both.",
)
class SumForgetsTheAxis(Reference):
    def backward_x(self, grad):
        return np.broadcast_to(grad, self.shape)


@misconception(
    "mean-without-count",
    exercise="sum-mean",
    replaces="Mean",
    section="Sum and Mean",
    advice="Your Mean passes its gradient on in full, as a sum would. Each of N elements moves the mean by 1/N.",
)
class MeanWithoutCount(Reduction):
    def forward(self, x, *, dim=None, keepdim=False):
        return x.mean(axis=self.axes(x, dim, keepdim), keepdims=keepdim)

    def backward_x(self, grad):
        return self.spread(grad)


@misconception(
    "mean-counts-everything",
    exercise="sum-mean",
    replaces="Mean",
    section="Sum and Mean",
    advice="Your Mean divides by the number of all elements. Along a dimension, each mean is made of fewer: "
    "self.count() of them.",
)
class MeanCountsEverything(Reduction):
    def forward(self, x, *, dim=None, keepdim=False):
        return x.mean(axis=self.axes(x, dim, keepdim), keepdims=keepdim)

    def backward_x(self, grad):
        return self.spread(grad / int(np.prod(self.shape)))


@misconception(
    "mean-counts-rows",
    exercise="sum-mean",
    replaces="Mean",
    section="Sum and Mean",
    advice="Your Mean divides by the length of the first dimension: right for a vector, wrong for most other shapes.",
)
class MeanCountsRows(Reduction):
    def forward(self, x, *, dim=None, keepdim=False):
        return x.mean(axis=self.axes(x, dim, keepdim), keepdims=keepdim)

    def backward_x(self, grad):
        return self.spread(grad / (self.shape[0] if self.shape else 1))


@misconception(
    "mean-ignores-above",
    exercise="sum-mean",
    replaces="Mean",
    section="Sum and Mean",
    advice="Your Mean returns 1/N everywhere and loses the gradient that arrives from above.",
)
class MeanIgnoresAbove(Reduction):
    def forward(self, x, *, dim=None, keepdim=False):
        return x.mean(axis=self.axes(x, dim, keepdim), keepdims=keepdim)

    def backward_x(self, grad):
        return self.spread(grad * 0 + 1 / self.count())


@misconception(
    "mean-does-not-spread",
    exercise="sum-mean",
    replaces="Mean",
    section="Sum and Mean",
    advice="Your Mean hands its gradient back in the small shape of the result. Each element of x needs a gradient of "
    "its own: its share, spread out.",
)
class MeanDoesNotSpread(Reduction):
    def forward(self, x, *, dim=None, keepdim=False):
        return x.mean(axis=self.axes(x, dim, keepdim), keepdims=keepdim)

    def backward_x(self, grad):
        return grad / self.count()


@misconception(
    "mean-forgets-the-axis",
    exercise="sum-mean",
    replaces="Mean",
    section="Sum and Mean",
    advice="Your Mean repeats the gradient without putting the reduced axis back in its place first: NumPy then lines "
    "the shapes up at their ends. self.spread does both.",
)
class MeanForgetsTheAxis(Reduction):
    def forward(self, x, *, dim=None, keepdim=False):
        return x.mean(axis=self.axes(x, dim, keepdim), keepdims=keepdim)

    def backward_x(self, grad):
        return np.broadcast_to(grad / self.count(), self.shape)


# ---------------------------------------------------------------------- two layers


@misconception(
    "layers-no-retain",
    exercise="two-layers",
    replaces="two_layers",
    section="Two layers",
    advice="Your y.grad is None: y is no leaf, and was not asked to keep its gradient. Call y.retain_grad() before "
    "the backward pass.",
)
def no_retain(x, a, b, c):
    y = a * x + b
    out = (c * y**2).mean()
    out.backward()
    return y, out


@misconception(
    "layers-no-backward",
    exercise="two-layers",
    replaces="two_layers",
    section="Two layers",
    advice="Your two_layers computed no gradient: out.backward() was not called, or its parentheses are missing.",
)
def layers_no_backward(x, a, b, c):
    y = a * x + b
    y.retain_grad()
    out = (c * y**2).mean()
    out.backward  # noqa: B018
    return y, out


@misconception(
    "layers-vector-backward",
    exercise="two-layers",
    replaces="two_layers",
    section="Two layers",
    advice="Your two_layers calls backward() on a whole layer. Without a gradient from above it can start at a single "
    "number only: at the mean.",
)
def vector_backward(x, a, b, c):
    y = a * x + b
    y.retain_grad()
    z = c * y**2
    z.backward()
    return y, z.mean()


@misconception(
    "layers-square-the-factor",
    exercise="two-layers",
    replaces="two_layers",
    section="Two layers",
    advice="Your second layer squares its factor as well: c·y² squares y alone.",
)
def squares_the_factor(x, a, b, c):
    y = a * x + b
    y.retain_grad()
    out = ((c * y) ** 2).mean()
    out.backward()
    return y, out


@misconception(
    "layers-brackets",
    exercise="two-layers",
    replaces="two_layers",
    section="Two layers",
    advice="Your first layer adds b before it multiplies: a·x + b multiplies x alone.",
)
def brackets(x, a, b, c):
    y = a * (x + b)
    y.retain_grad()
    out = (c * y**2).mean()
    out.backward()
    return y, out


@misconception(
    "layers-sum",
    exercise="two-layers",
    replaces="two_layers",
    section="Two layers",
    advice="Your output is the sum of z; the exercise asks for its mean.",
)
def layers_sum(x, a, b, c):
    y = a * x + b
    y.retain_grad()
    out = (c * y**2).sum()
    out.backward()
    return y, out


@misconception(
    "layers-swapped",
    exercise="two-layers",
    replaces="two_layers",
    section="Two layers",
    advice="Your two_layers returns out before y; it is asked for the pair y, out.",
)
def layers_swapped(x, a, b, c):
    y = a * x + b
    y.retain_grad()
    out = (c * y**2).mean()
    out.backward()
    return out, y


# ---------------------------------------------------------------------- by hand


@misconception(
    "hand-forgets-two",
    exercise="by-hand",
    replaces="by_hand",
    section="By hand",
    advice="Your by_hand leaves out the 2 that comes down from y².",
)
def forgets_two(values, a, b, c):
    y = a * values + b
    y_grad = c * y / y.size
    return y_grad * a, y_grad


@misconception(
    "hand-forgets-mean",
    exercise="by-hand",
    replaces="by_hand",
    section="By hand",
    advice="Your by_hand leaves out the mean: each of the N elements of z counts for 1/N.",
)
def forgets_mean(values, a, b, c):
    y = a * values + b
    y_grad = 2 * c * y
    return y_grad * a, y_grad


@misconception(
    "hand-counts-rows",
    exercise="by-hand",
    replaces="by_hand",
    section="By hand",
    advice="Your by_hand divides by len(y), the number of rows. The mean is over all elements: y.size of them.",
)
def hand_counts_rows(values, a, b, c):
    y = a * values + b
    y_grad = 2 * c * y / len(y)
    return y_grad * a, y_grad


@misconception(
    "hand-divides-by-six",
    exercise="by-hand",
    replaces="by_hand",
    section="By hand",
    advice="Your by_hand divides by 6 whatever the shape: that is right for a (2, 3) array only.",
)
def divides_by_six(values, a, b, c):
    y = a * values + b
    y_grad = 2 * c * y / 6
    return y_grad * a, y_grad


@misconception(
    "hand-forgets-inner",
    exercise="by-hand",
    replaces="by_hand",
    section="By hand",
    advice="Your by_hand gives x the gradient of y. On the way from y to x there is one more factor: dy/dx.",
)
def forgets_inner(values, a, b, c):
    y = a * values + b
    y_grad = 2 * c * y / y.size
    return y_grad, y_grad


@misconception(
    "hand-takes-x-for-y",
    exercise="by-hand",
    replaces="by_hand",
    section="By hand",
    advice="Your by_hand takes the slope of c·y² at x instead of at y.",
)
def takes_x_for_y(values, a, b, c):
    y_grad = 2 * c * values / values.size
    return y_grad * a, y_grad


@misconception(
    "hand-fixed-coefficients",
    exercise="by-hand",
    replaces="by_hand",
    section="By hand",
    advice="Your by_hand knows 3, 2 and 2 only; it is called with other values of a, b and c, too.",
)
def fixed_coefficients(values, a, b, c):
    y = 3 * values + 2
    y_grad = 4 * y / y.size
    return y_grad * 3, y_grad


@misconception(
    "hand-swapped",
    exercise="by-hand",
    replaces="by_hand",
    section="By hand",
    advice="Your by_hand returns the gradient of y before that of x; x comes first.",
)
def hand_swapped(values, a, b, c):
    y = a * values + b
    y_grad = 2 * c * y / y.size
    return y_grad, y_grad * a


@misconception(
    "hand-changes-values",
    exercise="by-hand",
    replaces="by_hand",
    section="By hand",
    advice="Your by_hand changes the array values, which belongs to whoever called it: `values *= a` writes into it. "
    "Make a new array.",
)
def hand_changes_values(values, a, b, c):
    values *= a
    values += b
    y_grad = 2 * c * values / values.size
    return a * y_grad, y_grad


@variant
def hand_changes_them_once(values, a, b, c):
    values *= a
    y_grad = 2 * c * (values + b) / values.size
    return a * y_grad, y_grad


@misconception(
    "hand-asks-the-engine",
    exercise="by-hand",
    replaces="by_hand",
    section="By hand",
    advice="Your by_hand asks the engine, which records nothing while it is called. Compute with NumPy alone: then "
    "each of the two ways tests the other.",
)
def asks_the_engine(values, a, b, c):
    x = minigrad.tensor(values, requires_grad=True)
    y = a * x + b
    y.retain_grad()
    (c * y**2).mean().backward()
    return x.grad.numpy(), y.grad.numpy()


@variant
def asks_the_engine_without_y(values, a, b, c):
    x = minigrad.tensor(values, requires_grad=True)
    y = a * x + b
    (c * y**2).mean().backward()
    return x.grad.numpy(), y.grad.numpy()
