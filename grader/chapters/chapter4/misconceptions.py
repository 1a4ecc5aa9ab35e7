# ruff: noqa: ANN001, ANN201, ANN202, D101, D102, D103
"""Chapter 4's ways of being wrong: about transposes, the sigmoid's slope, overflow, and what a loss is given."""

import numpy as np

import minigrad
from minigrad.nn import functional as F  # noqa: N812 - as everybody calls it
from minigrad.rules import both
from minigrad.rules.linalg import Product
from minigrad.rules.loss import Loss

from ...ask.bank import Reference, collector

MISCONCEPTIONS, misconception, variant = collector()

# ---------------------------------------------------------------------- MatMul


@misconception(
    "matmul-no-transposes",
    exercise="matmul",
    replaces="MatMul",
    section="MatMul",
    advice="Your MatMul multiplies without a transpose. On square matrices nothing complains; other shapes do not "
    "meet.",
)
class NoTransposes(Reference):
    def backward_x(self, grad, y):
        return grad @ y

    def backward_y(self, grad, x):
        return x @ grad


@variant
class NoTransposeOfY(Reference):
    def backward_x(self, grad, y):
        return grad @ y


@variant
class NoTransposeOfX(Reference):
    def backward_y(self, grad, x):
        return x @ grad


@misconception(
    "matmul-result-transposed",
    exercise="matmul",
    replaces="MatMul",
    section="MatMul",
    advice="Your MatMul's gradients are transposed: rows stand where columns should. Each gradient has the shape of "
    "its input.",
)
class ResultTransposed(Reference):
    def backward_x(self, grad, y):
        return y @ grad.mT

    def backward_y(self, grad, x):
        return grad.mT @ x


@variant
class XTransposed(Reference):
    def backward_x(self, grad, y):
        return y @ grad.mT


@variant
class YTransposed(Reference):
    def backward_y(self, grad, x):
        return grad.mT @ x


@misconception(
    "matmul-order-swapped",
    exercise="matmul",
    replaces="MatMul",
    section="MatMul",
    advice="Your MatMul has its factors in the wrong order: A @ B and B @ A are different matrices.",
)
class OrderSwapped(Reference):
    def backward_x(self, grad, y):
        return y.mT @ grad

    def backward_y(self, grad, x):
        return grad @ x.mT


@variant
class OrderSwappedForX(Reference):
    def backward_x(self, grad, y):
        return y.mT @ grad


@variant
class OrderSwappedForY(Reference):
    def backward_y(self, grad, x):
        return grad @ x.mT


@misconception(
    "matmul-rules-exchanged",
    exercise="matmul",
    replaces="MatMul",
    section="MatMul",
    advice="Your MatMul gives each input the gradient that belongs to the other: the gradient of x is made with y, "
    "and that of y with x.",
)
class RulesExchanged(Reference):
    def backward_x(self, grad, x):
        return x.mT @ grad

    def backward_y(self, grad, y):
        return grad @ y.mT


@misconception(
    "matmul-ignores-above",
    exercise="matmul",
    replaces="MatMul",
    section="MatMul",
    advice="Your MatMul loses the gradient that arrives from above: it answers as if a plain sum followed the product.",
)
class MatMulIgnoresAbove(Reference):
    def backward_x(self, grad, y):
        return np.ones_like(grad) @ y.mT

    def backward_y(self, grad, x):
        return x.mT @ np.ones_like(grad)


@misconception(
    "matmul-like-mul",
    exercise="matmul",
    replaces="MatMul",
    section="MatMul",
    advice="Your MatMul's rules multiply element by element, as those of x * y. In a product of matrices, each "
    "number meets a whole row or column.",
)
class LikeMul(Reference):
    def backward_x(self, grad, y):
        return grad * y

    def backward_y(self, grad, x):
        return grad * x


@variant
class LikeMulTransposed(Reference):
    def backward_x(self, grad, y):
        return grad * y.mT

    def backward_y(self, grad, x):
        return x.mT * grad


@misconception(
    "matmul-forward-like-mul",
    exercise="matmul",
    replaces="MatMul",
    section="MatMul",
    advice="Your forward multiplies element by element: x * y. The product of matrices is x @ y.",
)
class ForwardLikeMul(Reference):
    def forward(self, x, y):
        self.ranks = x.ndim, y.ndim
        return x * y


@misconception(
    "matmul-reverses-the-batch",
    exercise="matmul",
    replaces="MatMul",
    section="MatMul",
    advice="Your MatMul turns all axes round. With a batch in front, only the last two change places: that is what "
    ".mT is for.",
)
class ReversesTheBatch(Reference):
    def backward_x(self, grad, y):
        return grad @ y.T

    def backward_y(self, grad, x):
        return x.T @ grad


@variant
class ReversesTheBatchOfY(Reference):
    def backward_x(self, grad, y):
        return grad @ y.T


@variant
class ReversesTheBatchOfX(Reference):
    def backward_y(self, grad, x):
        return x.T @ grad


@variant
class ReversesByTranspose(Reference):
    def backward_x(self, grad, y):
        return grad @ y.transpose()

    def backward_y(self, grad, x):
        return x.transpose() @ grad


@variant
class ReversesInDot(Reference):
    def backward_x(self, grad, y):
        return np.dot(grad, y.T)

    def backward_y(self, grad, x):
        return np.dot(x.T, grad)


@misconception(
    "matmul-outer",
    exercise="matmul",
    replaces="MatMul",
    section="MatMul",
    advice="Your MatMul takes an outer product of whole matrices. It is right where x is a single row; with more "
    "rows, a product with a transpose adds theirs up.",
)
class OuterForY(Reference):
    def backward_y(self, grad, x):
        return np.outer(x, grad)


@variant
class OuterForBoth(Reference):
    def backward_x(self, grad, y):
        return np.outer(grad, y)

    def backward_y(self, grad, x):
        return np.outer(x, grad)


@variant
class OuterForX(Reference):
    def backward_x(self, grad, y):
        return np.outer(grad, y)


@misconception(
    "matmul-dot",
    exercise="matmul",
    replaces="MatMul",
    section="MatMul",
    advice="Your MatMul calls np.dot, which pairs every matrix of one batch with every matrix of the other. The "
    "operator @ takes them one by one.",
)
class Dot(Product):
    def forward(self, x, y):
        self.ranks = x.ndim, y.ndim
        return np.dot(x, y)

    def backward_x(self, grad, y):
        return np.dot(grad, y.mT)

    def backward_y(self, grad, x):
        return np.dot(x.mT, grad)


@variant
class DotInTheRules(Reference):
    def backward_x(self, grad, y):
        return np.dot(grad, y.mT)

    def backward_y(self, grad, x):
        return np.dot(x.mT, grad)


# ---------------------------------------------------------------------- Sigmoid


@misconception(
    "sigmoid-slope-at-input",
    exercise="sigmoid",
    replaces="Sigmoid",
    section="Sigmoid",
    advice="Your Sigmoid puts its input where its result belongs: the slope is σ(x)·(1 − σ(x)), not x·(1 − x).",
)
class SlopeAtInput(Reference):
    def backward_x(self, grad, x):
        return grad * x * (1 - x)


@misconception(
    "sigmoid-half-a-slope",
    exercise="sigmoid",
    replaces="Sigmoid",
    section="Sigmoid",
    advice="Your Sigmoid's slope has one factor where it needs two: it has to vanish at both ends, where σ is near 0 "
    "and where it is near 1.",
)
class ForgetsOneMinus(Reference):
    def backward_x(self, grad, out):
        return grad * out


@variant
class ForgetsItself(Reference):
    def backward_x(self, grad, out):
        return grad * (1 - out)


@misconception(
    "sigmoid-no-slope",
    exercise="sigmoid",
    replaces="Sigmoid",
    section="Sigmoid",
    advice="Your Sigmoid hands its gradient on as it came. Its own slope is one more factor of the chain rule.",
)
class NoSlope(Reference):
    def backward_x(self, grad):
        return grad


@misconception(
    "sigmoid-ignores-above",
    exercise="sigmoid",
    replaces="Sigmoid",
    section="Sigmoid",
    advice="Your Sigmoid returns its slope and loses the gradient that arrives from above.",
)
class SigmoidIgnoresAbove(Reference):
    def backward_x(self, grad, out):
        return out * (1 - out)


@misconception(
    "sigmoid-slope-of-tanh",
    exercise="sigmoid",
    replaces="Sigmoid",
    section="Sigmoid",
    advice="Your Sigmoid has the slope of another curve: 1 − out² belongs to tanh.",
)
class SlopeOfTanh(Reference):
    def backward_x(self, grad, out):
        return grad * (1 - out * out)


@misconception(
    "sigmoid-slope-keeps-sign",
    exercise="sigmoid",
    replaces="Sigmoid",
    section="Sigmoid",
    advice="Your Sigmoid's slope has lost a sign: the sigmoid rises everywhere, and yours falls.",
)
class SlopeFalls(Reference):
    def backward_x(self, grad, out):
        return grad * out * (out - 1)


@misconception(
    "sigmoid-turned-round",
    exercise="sigmoid",
    replaces="Sigmoid",
    section="Sigmoid",
    advice="Your forward falls where σ rises: look at the sign in its exponent.",
)
class TurnedRound(Reference):
    def forward(self, x):
        return 1 / (1 + np.exp(x))

    def backward_x(self, grad, out):
        return grad * out * (1 - out)


@misconception(
    "sigmoid-overflows",
    exercise="sigmoid",
    replaces="Sigmoid",
    section="Sigmoid",
    advice="Your forward divides infinity by infinity for large x, which is NaN. Write σ so that what overflows "
    "stands below 1.",
)
class Overflows(Reference):
    def forward(self, x):
        return np.exp(x) / (1 + np.exp(x))

    def backward_x(self, grad, out):
        return grad * out * (1 - out)


@variant
class OverflowsToo(Reference):
    def forward(self, x):
        return np.exp(x) / (np.exp(x) + 1)

    def backward_x(self, grad, out):
        return grad * out * (1 - out)


@misconception(
    "sigmoid-too-steep",
    exercise="sigmoid",
    replaces="Sigmoid",
    section="Sigmoid",
    advice="Your forward is too steep: it is σ(2x), twice as steep at 0.",
)
class TooSteep(Reference):
    def forward(self, x):
        return (1 + np.tanh(x)) / 2

    def backward_x(self, grad, out):
        return grad * out * (1 - out)


# ---------------------------------------------------------------------- softplus


@misconception(
    "softplus-as-it-stands",
    exercise="softplus",
    replaces="softplus",
    section="A loss that overflows",
    advice="Your softplus takes the exponential of large numbers: it is infinite from z = 710 on, although the "
    "result is about z itself.",
)
def as_it_stands(z):
    return np.log(1 + np.exp(z))


@variant
def with_log1p(z):
    return np.log1p(np.exp(z))


@misconception(
    "softplus-no-absolute-value",
    exercise="softplus",
    replaces="softplus",
    section="A loss that overflows",
    advice="Your softplus is rearranged, but its exponent grows for negative z: it needs the distance from 0.",
)
def no_absolute_value(z):
    return np.maximum(z, 0) + np.log1p(np.exp(-z))


@variant
def takes_it_out_everywhere(z):
    return z + np.log1p(np.exp(-z))


@misconception(
    "softplus-wrong-sign",
    exercise="softplus",
    replaces="softplus",
    section="A loss that overflows",
    advice="Your softplus takes the exponential of |z|; the exponent has to be negative, so that it can only "
    "underflow, to 0.",
)
def wrong_sign(z):
    return np.maximum(z, 0) + np.log1p(np.exp(np.abs(z)))


@misconception(
    "softplus-correction-only",
    exercise="softplus",
    replaces="softplus",
    section="A loss that overflows",
    advice="Your softplus is only the correction, which vanishes for large |z|. The larger of z and 0 has to be added.",
)
def correction_only(z):
    return np.log1p(np.exp(-np.abs(z)))


@misconception(
    "softplus-relu",
    exercise="softplus",
    replaces="softplus",
    section="A loss that overflows",
    advice="Your softplus is only the larger of z and 0. Near 0 the curve is rounded: the logarithm is still missing.",
)
def relu_only(z):
    return np.maximum(z, 0)


@misconception(
    "softplus-adds-distance",
    exercise="softplus",
    replaces="softplus",
    section="A loss that overflows",
    advice="Your softplus adds |z|. For negative z it has to go to 0: add the larger of z and 0.",
)
def adds_distance(z):
    return np.abs(z) + np.log1p(np.exp(-np.abs(z)))


@misconception(
    "softplus-python-max",
    exercise="softplus",
    replaces="softplus",
    section="A loss that overflows",
    advice="Your softplus asks Python to compare a whole array at once, by max or by if. np.maximum compares number "
    "by number.",
)
def python_max(z):
    return max(z, 0) + np.log1p(np.exp(-abs(z)))


@variant
def python_max_turned(z):
    return max(0, z) + np.log1p(np.exp(-abs(z)))


@variant
def python_if(z):
    if z > 0:
        return z + np.log1p(np.exp(-z))
    return np.log1p(np.exp(z))


@misconception(
    "softplus-clips",
    exercise="softplus",
    replaces="softplus",
    section="A loss that overflows",
    advice="Your softplus clips z so that nothing overflows. Beyond the limit it stays flat, where the loss should "
    "go on growing.",
)
def clips_20(z):
    return np.log(1 + np.exp(np.clip(z, -20, 20)))


@variant
def clips_30(z):
    return np.log(1 + np.exp(np.clip(z, -30, 30)))


@variant
def clips_50(z):
    return np.log(1 + np.exp(np.clip(z, -50, 50)))


@variant
def clips_100(z):
    return np.log(1 + np.exp(np.clip(z, -100, 100)))


@variant
def clips_500(z):
    return np.log(1 + np.exp(np.clip(z, -500, 500)))


@variant
def clips_700(z):
    return np.log(1 + np.exp(np.clip(z, -700, 700)))


@misconception(
    "softplus-cuts-too-early",
    exercise="softplus",
    replaces="softplus",
    section="A loss that overflows",
    advice="Your softplus returns z itself from some number on. At 20 what is left out is still larger than rounding: "
    "there is a formula that leaves out nothing.",
)
def cuts_at_20(z):
    return np.where(z > 20, z, np.log1p(np.exp(z)))


@variant
def cuts_at_15(z):
    return np.where(z > 15, z, np.log1p(np.exp(z)))


@variant
def cuts_at_10(z):
    return np.where(z > 10, z, np.log1p(np.exp(z)))


@misconception(
    "softplus-log-of-the-sum",
    exercise="softplus",
    replaces="softplus",
    section="A loss that overflows",
    advice="Your softplus puts 1 + z into the logarithm: np.log1p(a) already is log(1 + a).",
)
def adds_one_twice(z):
    return np.maximum(z, 0) + np.log1p(1 + np.exp(-np.abs(z)))


# ---------------------------------------------------------------------- BCE with logits


@misconception(
    "bce-extra-slope",
    exercise="bce-with-logits",
    replaces="BinaryCrossEntropyWithLogits",
    section="BCE with logits",
    advice="Your rule multiplies by the sigmoid's slope. That factor is already in σ(z) − y: log and σ together left "
    "no other.",
)
class ExtraSlope(Reference):
    def forward(self, z, y, *, reduction="mean"):
        return self.reduce(np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) - z * y, reduction)

    def backward_z(self, grad, z, y):
        return self.each(grad) * (both.sigmoid(z) - y) * both.sigmoid(z) * (1 - both.sigmoid(z))


@misconception(
    "bce-sigmoid-twice",
    exercise="bce-with-logits",
    replaces="BinaryCrossEntropyWithLogits",
    section="BCE with logits",
    advice="Your loss takes probabilities where it should take logits: σ is applied to z once too often.",
)
class SigmoidTwice(Loss):
    def forward(self, z, y, *, reduction="mean"):
        z = both.sigmoid(z)
        return self.reduce(np.log1p(np.exp(z)) - z * y, reduction)

    def backward_z(self, grad, z, y):
        return self.each(grad) * (both.sigmoid(both.sigmoid(z)) - y) * both.sigmoid(z) * (1 - both.sigmoid(z))

    def backward_y(self, grad, z):
        return self.each(grad) * -both.sigmoid(z)


@variant
class SigmoidTwiceForward(Reference):
    def forward(self, z, y, *, reduction="mean"):
        z = both.sigmoid(z)
        return self.reduce(np.log1p(np.exp(z)) - z * y, reduction)


@misconception(
    "bce-sign-slip",
    exercise="bce-with-logits",
    replaces="BinaryCrossEntropyWithLogits",
    section="BCE with logits",
    advice="Your rule for z has its sign turned round: with it, training would make the loss grow.",
)
class SignSlip(Reference):
    def forward(self, z, y, *, reduction="mean"):
        return self.reduce(np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) - z * y, reduction)

    def backward_z(self, grad, z, y):
        return self.each(grad) * (y - both.sigmoid(z))


@misconception(
    "bce-precedence",
    exercise="bce-with-logits",
    replaces="BinaryCrossEntropyWithLogits",
    section="BCE with logits",
    advice="Your rule for z subtracts y from the product, because * binds tighter than -. What arrives multiplies the "
    "whole difference: put it in parentheses.",
)
class BcePrecedence(Reference):
    def forward(self, z, y, *, reduction="mean"):
        return self.reduce(np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) - z * y, reduction)

    def backward_z(self, grad, z, y):
        return self.each(grad) * both.sigmoid(z) - y


@misconception(
    "bce-no-mean",
    exercise="bce-with-logits",
    replaces="BinaryCrossEntropyWithLogits",
    section="BCE with logits",
    advice="Your rules forget the reduction: a mean of N losses passes 1/N on to each. self.each(grad) is what "
    "arrives at each.",
)
class NoMean(Loss):
    def forward(self, z, y, *, reduction="mean"):
        return self.reduce(np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) - z * y, reduction)

    def backward_z(self, grad, z, y):
        return grad * (both.sigmoid(z) - y)

    def backward_y(self, grad, z):
        return grad * -z


@variant
class NoMeanForZ(Reference):
    def forward(self, z, y, *, reduction="mean"):
        return self.reduce(np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) - z * y, reduction)

    def backward_z(self, grad, z, y):
        return grad * (both.sigmoid(z) - y)


@variant
class NoMeanForY(Reference):
    def forward(self, z, y, *, reduction="mean"):
        return self.reduce(np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) - z * y, reduction)

    def backward_y(self, grad, z):
        return grad * -z


@misconception(
    "bce-mean-twice",
    exercise="bce-with-logits",
    replaces="BinaryCrossEntropyWithLogits",
    section="BCE with logits",
    advice="Your rules divide by the number of losses once more: self.each(grad) has the 1/N of the mean "
    "in it already.",
)
class MeanTwice(Loss):
    def forward(self, z, y, *, reduction="mean"):
        return self.reduce(np.logaddexp(0, z) - z * y, reduction)

    def backward_z(self, grad, z, y):
        return self.each(grad) * (both.sigmoid(z) - y) / z.size

    def backward_y(self, grad, z):
        return self.each(grad) * -z / z.size


@variant
class MeanTwiceForZ(Reference):
    def forward(self, z, y, *, reduction="mean"):
        return self.reduce(np.logaddexp(0, z) - z * y, reduction)

    def backward_z(self, grad, z, y):
        return self.each(grad) * (both.sigmoid(z) - y) / z.size


@misconception(
    "bce-always-mean",
    exercise="bce-with-logits",
    replaces="BinaryCrossEntropyWithLogits",
    section="BCE with logits",
    advice="Your loss is always a mean. The caller chooses the reduction, and self.reduce carries it out.",
)
class AlwaysMean(Loss):
    def forward(self, z, y, *, reduction="mean"):
        return (np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) - z * y).mean()

    def backward_z(self, grad, z, y):
        return grad * (both.sigmoid(z) - y) / z.size

    def backward_y(self, grad, z):
        return grad * -z / z.size


@misconception(
    "bce-no-reduction",
    exercise="bce-with-logits",
    replaces="BinaryCrossEntropyWithLogits",
    section="BCE with logits",
    advice="Your loss returns one number for each logit, whatever the caller asked for. self.reduce makes the mean "
    "or the sum of them.",
)
class NoReduction(Loss):
    def forward(self, z, y, *, reduction="mean"):
        return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) - z * y

    def backward_z(self, grad, z, y):
        return grad * (both.sigmoid(z) - y)

    def backward_y(self, grad, z):
        return grad * -z


@misconception(
    "bce-overflows",
    exercise="bce-with-logits",
    replaces="BinaryCrossEntropyWithLogits",
    section="BCE with logits",
    advice="Your loss overflows: e to the 1000 is infinite. You have a softplus that does not.",
)
class BceOverflows(Reference):
    def forward(self, z, y, *, reduction="mean"):
        return self.reduce(np.log(1 + np.exp(z)) - z * y, reduction)


@variant
class BceOverflowsLog1p(Reference):
    def forward(self, z, y, *, reduction="mean"):
        return self.reduce(np.log1p(np.exp(z)) - z * y, reduction)


@misconception(
    "bce-logarithms",
    exercise="bce-with-logits",
    replaces="BinaryCrossEntropyWithLogits",
    section="BCE with logits",
    advice="Your loss takes logarithms of rounded probabilities: σ(1000) is exactly 1 in float64, and log(1 − 1) is "
    "−∞.",
)
class Logarithms(Reference):
    def forward(self, z, y, *, reduction="mean"):
        p = both.sigmoid(z)
        return self.reduce(-(y * np.log(p) + (1 - y) * np.log(1 - p)), reduction)


@misconception(
    "bce-no-sigmoid",
    exercise="bce-with-logits",
    replaces="BinaryCrossEntropyWithLogits",
    section="BCE with logits",
    advice="Your rule compares the logit itself with y. The slope of softplus is σ(z), a probability.",
)
class NoSigmoid(Reference):
    def forward(self, z, y, *, reduction="mean"):
        return self.reduce(np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) - z * y, reduction)

    def backward_z(self, grad, z, y):
        return self.each(grad) * (z - y)


@misconception(
    "bce-no-target",
    exercise="bce-with-logits",
    replaces="BinaryCrossEntropyWithLogits",
    section="BCE with logits",
    advice="Your rule for z leaves y out, as if every target were 0: the loss also has the term −z·y.",
)
class NoTarget(Reference):
    def forward(self, z, y, *, reduction="mean"):
        return self.reduce(np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) - z * y, reduction)

    def backward_z(self, grad, z):
        return self.each(grad) * both.sigmoid(z)


@misconception(
    "bce-forward-no-target",
    exercise="bce-with-logits",
    replaces="BinaryCrossEntropyWithLogits",
    section="BCE with logits",
    advice="Your loss leaves y out, as if every target were 0.",
)
class ForwardNoTarget(Reference):
    def forward(self, z, y, *, reduction="mean"):
        return self.reduce(np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))), reduction)


@misconception(
    "bce-target-sign",
    exercise="bce-with-logits",
    replaces="BinaryCrossEntropyWithLogits",
    section="BCE with logits",
    advice="Your loss adds z·y. A target of 1 should make a large logit cheap, not dear.",
)
class TargetSign(Reference):
    def forward(self, z, y, *, reduction="mean"):
        return self.reduce(np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) + z * y, reduction)


@misconception(
    "bce-ignores-above",
    exercise="bce-with-logits",
    replaces="BinaryCrossEntropyWithLogits",
    section="BCE with logits",
    advice="Your rules lose the gradient that arrives from above.",
)
class BceIgnoresAbove(Loss):
    def forward(self, z, y, *, reduction="mean"):
        return self.reduce(np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) - z * y, reduction)

    def backward_z(self, grad, z, y):
        return self.each(grad * 0 + 1) * (both.sigmoid(z) - y)

    def backward_y(self, grad, z):
        return self.each(grad * 0 + 1) * -z


@misconception(
    "bce-y-like-z",
    exercise="bce-with-logits",
    replaces="BinaryCrossEntropyWithLogits",
    section="BCE with logits",
    advice="Your rule for y is that of z with its sign turned round. Hold z still: in y, the loss is a straight line.",
)
class YLikeZ(Reference):
    def forward(self, z, y, *, reduction="mean"):
        return self.reduce(np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) - z * y, reduction)

    def backward_y(self, grad, z, y):
        return self.each(grad) * (y - both.sigmoid(z))


@misconception(
    "bce-y-sign",
    exercise="bce-with-logits",
    replaces="BinaryCrossEntropyWithLogits",
    section="BCE with logits",
    advice="Your rule for y has lost a sign: when a target grows, a positive logit costs less.",
)
class YSign(Reference):
    def forward(self, z, y, *, reduction="mean"):
        return self.reduce(np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) - z * y, reduction)

    def backward_y(self, grad, z):
        return self.each(grad) * z


@misconception(
    "bce-y-zero",
    exercise="bce-with-logits",
    replaces="BinaryCrossEntropyWithLogits",
    section="BCE with logits",
    advice="Your rule for y returns zeros. Targets rarely need a gradient, but the loss does change with them.",
)
class YZero(Reference):
    def forward(self, z, y, *, reduction="mean"):
        return self.reduce(np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) - z * y, reduction)

    def backward_y(self, grad, z):
        return grad * 0 * z


# ---------------------------------------------------------------------- one layer


@misconception(
    "layer-asks-no-gradient",
    exercise="bce",
    replaces="one_layer",
    section="One layer",
    advice="Nothing was recorded: w and b come without requires_grad (mind its spelling), and have to ask before z "
    "is computed.",
)
def asks_no_gradient(x, y, w, b):
    z = x @ w + b
    loss = F.binary_cross_entropy_with_logits(z, y)
    loss.backward()
    return z, loss


@variant
def asks_too_late(x, y, w, b):
    z = x @ w + b
    w.requires_grad_(True)
    b.requires_grad_(True)
    loss = F.binary_cross_entropy_with_logits(z, y)
    loss.backward()
    return z, loss


@misconception(
    "layer-calls-the-flag",
    exercise="bce",
    replaces="one_layer",
    section="One layer",
    advice="Your one_layer calls requires_grad, which is True or False and cannot be called. The method has an "
    "underscore at its end.",
)
def calls_the_flag(x, y, w, b):
    w.requires_grad(True)
    b.requires_grad(True)
    z = x @ w + b
    loss = F.binary_cross_entropy_with_logits(z, y)
    loss.backward()
    return z, loss


@misconception(
    "layer-asks-for-w-only",
    exercise="bce",
    replaces="one_layer",
    section="One layer",
    advice="Your one_layer asks for the gradient of w only. The bias is a parameter, too.",
)
def asks_for_w_only(x, y, w, b):
    w.requires_grad_(True)
    z = x @ w + b
    loss = F.binary_cross_entropy_with_logits(z, y)
    loss.backward()
    return z, loss


@misconception(
    "layer-asks-for-b-only",
    exercise="bce",
    replaces="one_layer",
    section="One layer",
    advice="Your one_layer asks for the gradient of b only. The weights are parameters, too.",
)
def asks_for_b_only(x, y, w, b):
    b.requires_grad_(True)
    z = x @ w + b
    loss = F.binary_cross_entropy_with_logits(z, y)
    loss.backward()
    return z, loss


@misconception(
    "layer-asks-for-data",
    exercise="bce",
    replaces="one_layer",
    section="One layer",
    advice="Your one_layer asks for gradients of data. Only w and b are adjusted; x and y are what they are.",
)
def asks_for_x(x, y, w, b):
    w.requires_grad_(True)
    b.requires_grad_(True)
    x.requires_grad_(True)
    z = x @ w + b
    loss = F.binary_cross_entropy_with_logits(z, y)
    loss.backward()
    return z, loss


@variant
def asks_for_y(x, y, w, b):
    w.requires_grad_(True)
    b.requires_grad_(True)
    y.requires_grad_(True)
    z = x @ w + b
    loss = F.binary_cross_entropy_with_logits(z, y)
    loss.backward()
    return z, loss


@variant
def asks_for_all(x, y, w, b):
    w.requires_grad_(True)
    b.requires_grad_(True)
    x.requires_grad_(True)
    y.requires_grad_(True)
    z = x @ w + b
    loss = F.binary_cross_entropy_with_logits(z, y)
    loss.backward()
    return z, loss


@misconception(
    "layer-loss-of-x",
    exercise="bce",
    replaces="one_layer",
    section="One layer",
    advice="Your loss is given x, the input, instead of z: the sizes cannot be the same, and w and b play no part.",
)
def loss_of_x(x, y, w, b):
    w.requires_grad_(True)
    b.requires_grad_(True)
    z = x @ w + b
    loss = F.binary_cross_entropy_with_logits(x, y)
    loss.backward()
    return z, loss


@misconception(
    "layer-sigmoid-before",
    exercise="bce",
    replaces="one_layer",
    section="One layer",
    advice="Your one_layer applies the sigmoid before the loss. This loss takes logits and applies it itself: "
    "σ(σ(z)) cannot get near 0 or 1.",
)
def sigmoid_before(x, y, w, b):
    w.requires_grad_(True)
    b.requires_grad_(True)
    z = x @ w + b
    loss = F.binary_cross_entropy_with_logits(minigrad.sigmoid(z), y)
    loss.backward()
    return z, loss


@variant
def sigmoid_in_z(x, y, w, b):
    w.requires_grad_(True)
    b.requires_grad_(True)
    z = minigrad.sigmoid(x @ w + b)
    loss = F.binary_cross_entropy_with_logits(z, y)
    loss.backward()
    return z, loss


@misconception(
    "layer-probabilities",
    exercise="bce",
    replaces="one_layer",
    section="One layer",
    advice="Your one_layer goes over probabilities. At large logits they are rounded to 0 or 1, and what was rounded "
    "away cannot come back.",
)
def over_probabilities(x, y, w, b):
    w.requires_grad_(True)
    b.requires_grad_(True)
    z = x @ w + b
    loss = F.binary_cross_entropy(minigrad.sigmoid(z), y)
    loss.backward()
    return z, loss


@misconception(
    "layer-arguments-swapped",
    exercise="bce",
    replaces="one_layer",
    section="One layer",
    advice="Your loss takes its arguments in the other order: logits first, then targets.",
)
def arguments_swapped(x, y, w, b):
    w.requires_grad_(True)
    b.requires_grad_(True)
    z = x @ w + b
    loss = F.binary_cross_entropy_with_logits(y, z)
    loss.backward()
    return z, loss


@misconception(
    "layer-sum",
    exercise="bce",
    replaces="one_layer",
    section="One layer",
    advice="Your loss is the sum over all outputs; the exercise asks for the mean, which is what the function does "
    "by itself.",
)
def summed(x, y, w, b):
    w.requires_grad_(True)
    b.requires_grad_(True)
    z = x @ w + b
    loss = F.binary_cross_entropy_with_logits(z, y, reduction="sum")
    loss.backward()
    return z, loss


@misconception(
    "layer-squared-error",
    exercise="bce",
    replaces="one_layer",
    section="One layer",
    advice="Your loss is the squared error; the exercise asks for binary cross entropy.",
)
def squared_error(x, y, w, b):
    w.requires_grad_(True)
    b.requires_grad_(True)
    z = x @ w + b
    loss = F.mse_loss(z, y)
    loss.backward()
    return z, loss


@variant
def squared_error_of_probabilities(x, y, w, b):
    w.requires_grad_(True)
    b.requires_grad_(True)
    z = x @ w + b
    loss = F.mse_loss(minigrad.sigmoid(z), y)
    loss.backward()
    return z, loss


@misconception(
    "layer-forgets-bias",
    exercise="bce",
    replaces="one_layer",
    section="One layer",
    advice="Your z leaves the bias out.",
)
def forgets_bias(x, y, w, b):
    w.requires_grad_(True)
    b.requires_grad_(True)
    z = x @ w
    loss = F.binary_cross_entropy_with_logits(z, y)
    loss.backward()
    return z, loss


@misconception(
    "layer-factors-swapped",
    exercise="bce",
    replaces="one_layer",
    section="One layer",
    advice="Your z multiplies in the wrong order: x is a row, so it stands on the left of w.",
)
def factors_swapped(x, y, w, b):
    w.requires_grad_(True)
    b.requires_grad_(True)
    z = w @ x + b
    loss = F.binary_cross_entropy_with_logits(z, y)
    loss.backward()
    return z, loss


@misconception(
    "layer-no-backward",
    exercise="bce",
    replaces="one_layer",
    section="One layer",
    advice="Your one_layer computed no gradient: loss.backward() was not called, or its parentheses are missing.",
)
def never_backward(x, y, w, b):
    w.requires_grad_(True)
    b.requires_grad_(True)
    z = x @ w + b
    loss = F.binary_cross_entropy_with_logits(z, y)
    return z, loss


@misconception(
    "layer-backward-from-z",
    exercise="bce",
    replaces="one_layer",
    section="One layer",
    advice="Your one_layer calls backward() on z, which is several numbers. Start at the loss, which is one.",
)
def backward_from_z(x, y, w, b):
    w.requires_grad_(True)
    b.requires_grad_(True)
    z = x @ w + b
    loss = F.binary_cross_entropy_with_logits(z, y)
    z.backward()
    return z, loss


@misconception(
    "layer-new-leaves",
    exercise="bce",
    replaces="one_layer",
    section="One layer",
    advice="Your one_layer makes new tensors, and the gradients land in those. w and b themselves have to ask.",
)
def new_leaves(x, y, w, b):
    w = w.clone().requires_grad_(True)
    b = b.clone().requires_grad_(True)
    z = x @ w + b
    loss = F.binary_cross_entropy_with_logits(z, y)
    loss.backward()
    return z, loss


@variant
def new_leaves_by_detach(x, y, w, b):
    w = w.detach().requires_grad_(True)
    b = b.detach().requires_grad_(True)
    z = x @ w + b
    loss = F.binary_cross_entropy_with_logits(z, y)
    loss.backward()
    return z, loss


@misconception(
    "layer-returned-swapped",
    exercise="bce",
    replaces="one_layer",
    section="One layer",
    advice="Your one_layer returns the loss before z; it is asked for the pair z, loss.",
)
def returned_swapped(x, y, w, b):
    w.requires_grad_(True)
    b.requires_grad_(True)
    z = x @ w + b
    loss = F.binary_cross_entropy_with_logits(z, y)
    loss.backward()
    return loss, z


# ---------------------------------------------------------------------- by hand


@misconception(
    "layer-hand-no-mean",
    exercise="layer-by-hand",
    replaces="layer_by_hand",
    section="By hand",
    advice="Your layer_by_hand leaves out the mean: each of the N losses counts for 1/N.",
)
def hand_no_mean(x, y, w, b):
    z = x @ w + b
    z_grad = 1 / (1 + np.exp(-z)) - y
    return np.outer(x, z_grad), z_grad


@misconception(
    "layer-hand-sign",
    exercise="layer-by-hand",
    replaces="layer_by_hand",
    section="By hand",
    advice="Your layer_by_hand has y − σ(z): its gradients point the wrong way.",
)
def hand_sign(x, y, w, b):
    z = x @ w + b
    z_grad = (y - 1 / (1 + np.exp(-z))) / z.size
    return np.outer(x, z_grad), z_grad


@misconception(
    "layer-hand-outer-turned",
    exercise="layer-by-hand",
    replaces="layer_by_hand",
    section="By hand",
    advice="Your layer_by_hand builds the outer product the other way round: its rows belong to the inputs, its "
    "columns to the outputs.",
)
def outer_turned(x, y, w, b):
    z = x @ w + b
    z_grad = (1 / (1 + np.exp(-z)) - y) / z.size
    return np.outer(z_grad, x), z_grad


@misconception(
    "layer-hand-no-outer-product",
    exercise="layer-by-hand",
    replaces="layer_by_hand",
    section="By hand",
    advice="Your layer_by_hand multiplies two vectors of different lengths. They have no rows and columns to meet: "
    ".T of a vector is the vector itself.",
)
def inner_product(x, y, w, b):
    z = x @ w + b
    z_grad = (1 / (1 + np.exp(-z)) - y) / z.size
    return x.T @ z_grad, z_grad


@variant
def dot_product(x, y, w, b):
    z = x @ w + b
    z_grad = (1 / (1 + np.exp(-z)) - y) / z.size
    return np.dot(x.T, z_grad), z_grad


@variant
def elementwise_product(x, y, w, b):
    z = x @ w + b
    z_grad = (1 / (1 + np.exp(-z)) - y) / z.size
    return x * z_grad, z_grad


@variant
def transposes_a_vector(x, y, w, b):
    z = x @ w + b
    z_grad = (1 / (1 + np.exp(-z)) - y) / z.size
    return x.mT @ z_grad, z_grad


@misconception(
    "layer-hand-forgets-x",
    exercise="layer-by-hand",
    replaces="layer_by_hand",
    section="By hand",
    advice="Your layer_by_hand gives every row of w the gradient of z. That is right where x is 1, and x is not "
    "always 1.",
)
def forgets_x(x, y, w, b):
    z = x @ w + b
    z_grad = (1 / (1 + np.exp(-z)) - y) / z.size
    return np.tile(z_grad, (len(x), 1)), z_grad


@misconception(
    "layer-hand-extra-slope",
    exercise="layer-by-hand",
    replaces="layer_by_hand",
    section="By hand",
    advice="Your layer_by_hand multiplies by the sigmoid's slope, which is already in σ(z) − y.",
)
def hand_extra_slope(x, y, w, b):
    z = x @ w + b
    z_grad = (1 / (1 + np.exp(-z)) - y) * 1 / (1 + np.exp(-z)) * (1 - 1 / (1 + np.exp(-z))) / z.size
    return np.outer(x, z_grad), z_grad


@misconception(
    "layer-hand-no-sigmoid",
    exercise="layer-by-hand",
    replaces="layer_by_hand",
    section="By hand",
    advice="Your layer_by_hand compares the logits themselves with y: their probabilities, σ(z), are meant.",
)
def hand_no_sigmoid(x, y, w, b):
    z = x @ w + b
    z_grad = (z - y) / z.size
    return np.outer(x, z_grad), z_grad


@misconception(
    "layer-hand-no-target",
    exercise="layer-by-hand",
    replaces="layer_by_hand",
    section="By hand",
    advice="Your layer_by_hand leaves y out. That is right where every target is 0.",
)
def hand_no_target(x, y, w, b):
    z = x @ w + b
    z_grad = 1 / (1 + np.exp(-z)) / z.size
    return np.outer(x, z_grad), z_grad


@misconception(
    "layer-hand-counts-inputs",
    exercise="layer-by-hand",
    replaces="layer_by_hand",
    section="By hand",
    advice="Your layer_by_hand divides by the number of inputs. The mean is over the outputs: z.size of them.",
)
def hand_counts_inputs(x, y, w, b):
    z = x @ w + b
    z_grad = (1 / (1 + np.exp(-z)) - y) / len(x)
    return np.outer(x, z_grad), z_grad


@variant
def hand_counts_weights(x, y, w, b):
    z = x @ w + b
    z_grad = (1 / (1 + np.exp(-z)) - y) / w.size
    return np.outer(x, z_grad), z_grad


@misconception(
    "layer-hand-divides-by-three",
    exercise="layer-by-hand",
    replaces="layer_by_hand",
    section="By hand",
    advice="Your layer_by_hand divides by 3 whatever the shape: that is right for three outputs only.",
)
def divides_by_three(x, y, w, b):
    z = x @ w + b
    z_grad = (1 / (1 + np.exp(-z)) - y) / 3
    return np.outer(x, z_grad), z_grad


@misconception(
    "layer-hand-forgets-bias",
    exercise="layer-by-hand",
    replaces="layer_by_hand",
    section="By hand",
    advice="Your layer_by_hand leaves the bias out of z.",
)
def hand_forgets_bias(x, y, w, b):
    z = x @ w
    z_grad = (1 / (1 + np.exp(-z)) - y) / z.size
    return np.outer(x, z_grad), z_grad


@misconception(
    "layer-hand-one-number-for-b",
    exercise="layer-by-hand",
    replaces="layer_by_hand",
    section="By hand",
    advice="Your layer_by_hand makes one number of b's gradient. b has an element for each output, and its gradient, "
    "too: nothing is added up or averaged over the outputs.",
)
def one_number_for_b(x, y, w, b):
    z = x @ w + b
    z_grad = (1 / (1 + np.exp(-z)) - y) / z.size
    return np.outer(x, z_grad), z_grad.mean()


@variant
def b_summed(x, y, w, b):
    z = x @ w + b
    z_grad = (1 / (1 + np.exp(-z)) - y) / z.size
    return np.outer(x, z_grad), z_grad.sum()


@misconception(
    "layer-hand-swapped",
    exercise="layer-by-hand",
    replaces="layer_by_hand",
    section="By hand",
    advice="Your layer_by_hand returns the gradient of b before that of w; w comes first.",
)
def hand_swapped(x, y, w, b):
    z = x @ w + b
    z_grad = (1 / (1 + np.exp(-z)) - y) / z.size
    return z_grad, np.outer(x, z_grad)


@misconception(
    "layer-hand-asks-the-engine",
    exercise="layer-by-hand",
    replaces="layer_by_hand",
    section="By hand",
    advice="Your layer_by_hand asks the engine, which records nothing while it is called. Compute with NumPy alone: "
    "then each way tests the other.",
)
def asks_for_help(x, y, w, b):
    w, b = minigrad.tensor(w, requires_grad=True), minigrad.tensor(b, requires_grad=True)
    z = minigrad.tensor(x) @ w + b
    F.binary_cross_entropy_with_logits(z, minigrad.tensor(y)).backward()
    return w.grad.numpy(), b.grad.numpy()
