# ruff: noqa: ANN001, ANN201, ANN202, D101, D102, D103
"""Chapter 9's ways of being wrong: about graphs of gradients, tables of derivatives, norms and masks."""

import numpy as np

import minigrad
from minigrad import tensor
from minigrad.autograd import grad

from ...ask.bank import Reference, collector

MISCONCEPTIONS, misconception, variant = collector()

# ---------------------------------------------------------------------- second derivatives


@misconception(
    "second-not-recorded",
    exercise="second-derivative",
    replaces="second_derivative",
    section="The slope of a slope",
    advice="Your first gradient has no history, so it cannot be differentiated: the backward pass that computed it was "
    "not recorded. To keep the graph of f (retain_graph) is not to record the graph of its gradient.",
)
def not_recorded(f, x):
    (first,) = grad(f(x).sum(), x)
    (second,) = grad(first.sum(), x)
    return second


@variant
def only_retained(f, x):
    (first,) = grad(f(x).sum(), x, retain_graph=True)
    return grad(first.sum(), x)[0]


@variant
def recorded_by_flag(f, x):
    (first,) = grad(f(x).sum(), x)
    first.requires_grad = True
    return grad(first.sum(), x)[0]


@misconception(
    "second-accumulates",
    exercise="second-derivative",
    replaces="second_derivative",
    section="Second derivatives",
    advice="Your second_derivative reads .grad after two backward passes, which holds f' + f'': backward adds to what "
    "it finds there.",
)
def accumulates(f, x):
    x.grad = None
    f(x).sum().backward(create_graph=True)
    x.grad.sum().backward()
    return x.grad


@variant
def accumulates_for_ever(f, x):
    f(x).sum().backward(create_graph=True)
    x.grad.sum().backward()
    return x.grad


@variant
def accumulates_part(f, x):
    f(x).sum().backward(create_graph=True)
    return grad(x.grad.sum(), x)[0]


@misconception(
    "second-squares",
    exercise="second-derivative",
    replaces="second_derivative",
    section="Second derivatives",
    advice="Your second_derivative squares the slope. d²y/dx² is the slope of the slope; the 2 is no power.",
)
def squares(f, x):
    (first,) = grad(f(x).sum(), x)
    return first**2


@misconception(
    "second-is-first",
    exercise="second-derivative",
    replaces="second_derivative",
    section="Second derivatives",
    advice="Your second_derivative returns the first derivative: it has to be differentiated once more.",
)
def is_first(f, x):
    (first,) = grad(f(x).sum(), x, create_graph=True)
    return first


@misconception(
    "second-of-a-vector",
    exercise="second-derivative",
    replaces="second_derivative",
    section="Second derivatives",
    advice="Your second_derivative starts a backward pass from many numbers at once. Without a gradient from above it "
    "can start from one only.",
)
def of_a_vector(f, x):
    (first,) = grad(f(x), x, create_graph=True)
    (second,) = grad(first, x)
    return second


@variant
def of_a_slope_vector(f, x):
    (first,) = grad(f(x).sum(), x, create_graph=True)
    return grad(first, x)[0]


@misconception(
    "second-averages",
    exercise="second-derivative",
    replaces="second_derivative",
    section="Second derivatives",
    advice="Your second_derivative starts from a mean: each element then counts for 1/N only. A sum leaves each slope "
    "as it is.",
)
def averages(f, x):
    (first,) = grad(f(x).mean(), x, create_graph=True)
    return grad(first.sum(), x)[0]


@variant
def averages_twice(f, x):
    (first,) = grad(f(x).mean(), x, create_graph=True)
    return grad(first.mean(), x)[0]


@misconception(
    "second-tuple",
    exercise="second-derivative",
    replaces="second_derivative",
    section="Second derivatives",
    advice="Your second_derivative takes what grad returns for a gradient. It is a tuple, which holds one gradient for "
    "each input: take the one out of it.",
)
def returns_tuple(f, x):
    (first,) = grad(f(x).sum(), x, create_graph=True)
    return grad(first.sum(), x)


@variant
def sums_tuple(f, x):
    first = grad(f(x).sum(), x, create_graph=True)
    return grad(first.sum(), x)[0]


# ---------------------------------------------------------------------- Hessian-vector products


@misconception(
    "hvp-multiplies",
    exercise="hvp",
    replaces="hvp",
    section="A Hessian times a vector",
    advice="Your hvp multiplies the gradient by v and stops there. That is how fast f changes along v; the product "
    "with the Hessian is how the gradient changes.",
)
def multiplies(f, x, v):
    (slope,) = grad(f(x), x)
    return slope * v


@variant
def sums_up(f, x, v):
    (slope,) = grad(f(x), x)
    return (slope * v).sum()


@misconception(
    "hvp-row-sums",
    exercise="hvp",
    replaces="hvp",
    section="A Hessian times a vector",
    advice="Your hvp multiplies by v after the second pass, element by element. By then each row of the Hessian has "
    "been added up: v has to come in before.",
)
def row_sums(f, x, v):
    (slope,) = grad(f(x), x, create_graph=True)
    (second,) = grad(slope.sum(), x)
    return second * v


@misconception(
    "hvp-without-v",
    exercise="hvp",
    replaces="hvp",
    section="A Hessian times a vector",
    advice="Your hvp never uses v: it returns the sums of the Hessian's rows.",
)
def without_v(f, x, v):
    (slope,) = grad(f(x), x, create_graph=True)
    (second,) = grad(slope.sum(), x)
    return second


@misconception(
    "hvp-not-recorded",
    exercise="hvp",
    replaces="hvp",
    section="The slope of a slope",
    advice="Your hvp computes a gradient that was not recorded, and then wants to differentiate it. Say so when you "
    "ask for the first one.",
)
def hvp_not_recorded(f, x, v):
    (slope,) = grad(f(x), x)
    return grad((slope * v).sum(), x)[0]


@variant
def hvp_only_retained(f, x, v):
    (slope,) = grad(f(x), x, retain_graph=True)
    return grad(slope, x, v)[0]


@misconception(
    "hvp-along-twice",
    exercise="hvp",
    replaces="hvp",
    section="A Hessian times a vector",
    advice="Your hvp adds up its result along v once more. The product with the Hessian has one element for each of x; "
    "you return the one number vᵀHv.",
)
def along_twice(f, x, v):
    (slope,) = grad(f(x), x, create_graph=True)
    (product,) = grad((slope * v).sum(), x)
    return (product * v).sum()


@misconception(
    "hvp-accumulates",
    exercise="hvp",
    replaces="hvp",
    section="Second derivatives",
    advice="Your hvp reads .grad after two backward passes, which holds the gradient and the product added together.",
)
def hvp_accumulates(f, x, v):
    x.grad = None
    f(x).backward(create_graph=True)
    (x.grad * v).sum().backward()
    return x.grad


@variant
def hvp_accumulates_for_ever(f, x, v):
    f(x).backward(create_graph=True)
    (x.grad * v).sum().backward()
    return x.grad


@misconception(
    "hvp-starts-from-v",
    exercise="hvp",
    replaces="hvp",
    section="A Hessian times a vector",
    advice="Your hvp weights the value of f by v, where it should weight the gradient. v belongs between the two "
    "backward passes.",
)
def starts_from_v(f, x, v):
    (slope,) = grad((f(x) * v).sum(), x, create_graph=True)
    (second,) = grad(slope.sum(), x)
    return second


@misconception(
    "hvp-tuple",
    exercise="hvp",
    replaces="hvp",
    section="A Hessian times a vector",
    advice="Your hvp takes what grad returns for a gradient. It is a tuple, which holds one gradient for each input.",
)
def hvp_returns_tuple(f, x, v):
    (slope,) = grad(f(x), x, create_graph=True)
    return grad((slope * v).sum(), x)


@variant
def hvp_multiplies_tuple(f, x, v):
    slope = grad(f(x), x, create_graph=True)
    return grad((slope * v).sum(), x)[0]


# ---------------------------------------------------------------------- Jacobians


@misconception(
    "numerical-one-sided",
    exercise="jacobians",
    replaces="numerical_jacobian",
    section="Two Jacobians",
    advice="Your differences are one-sided: the error of (f(x + h) - f(x)) / h shrinks like h, that of a step to both "
    "sides like h².",
)
def one_sided(f, x, eps=1e-6):
    jacobian = np.zeros((np.size(f(x)), x.size))
    for k in range(x.size):
        step = np.zeros(x.shape)
        step.flat[k] = eps
        jacobian[:, k] = np.ravel(f(x + step) - f(x)) / eps
    return jacobian


@variant
def one_sided_down(f, x, eps=1e-6):
    jacobian = np.zeros((np.size(f(x)), x.size))
    for k in range(x.size):
        step = np.zeros(x.shape)
        step.flat[k] = eps
        jacobian[:, k] = np.ravel(f(x) - f(x - step)) / eps
    return jacobian


@misconception(
    "numerical-forgets-two",
    exercise="jacobians",
    replaces="numerical_jacobian",
    section="Two Jacobians",
    advice="Your differences are twice too large: from x - h to x + h the distance is 2h.",
)
def numerical_forgets_two(f, x, eps=1e-6):
    jacobian = np.zeros((np.size(f(x)), x.size))
    for k in range(x.size):
        step = np.zeros(x.shape)
        step.flat[k] = eps
        jacobian[:, k] = np.ravel(f(x + step) - f(x - step)) / eps
    return jacobian


@misconception(
    "numerical-multiplies-by-eps",
    exercise="jacobians",
    replaces="numerical_jacobian",
    section="Two Jacobians",
    advice="Your numerical_jacobian divides by 2 and then multiplies by eps: Python reads / 2 * eps from left to "
    "right. The distance 2 * eps belongs into brackets.",
)
def divides_then_multiplies(f, x, eps=1e-6):
    jacobian = np.zeros((np.size(f(x)), x.size))
    for k in range(x.size):
        step = np.zeros(x.shape)
        step.flat[k] = eps
        jacobian[:, k] = np.ravel(f(x + step) - f(x - step)) / 2 * eps
    return jacobian


@misconception(
    "numerical-own-step",
    exercise="jacobians",
    replaces="numerical_jacobian",
    section="Two Jacobians",
    advice="Your numerical_jacobian takes a step of its own instead of eps. Which step is right depends on f "
    "and on the dtype: the caller says it.",
)
def own_step(f, x, eps=1e-6):
    jacobian = np.zeros((np.size(f(x)), x.size))
    for k in range(x.size):
        step = np.zeros(x.shape)
        step.flat[k] = 2.0**-20
        jacobian[:, k] = np.ravel(f(x + step) - f(x - step)) * 2.0**19
    return jacobian


@misconception(
    "numerical-moves-all",
    exercise="jacobians",
    replaces="numerical_jacobian",
    section="Two Jacobians",
    advice="Your numerical_jacobian moves all elements of x at once, so each column holds the sum of all. Move one "
    "element, and leave the others where they are.",
)
def moves_all(f, x, eps=1e-6):
    jacobian = np.zeros((np.size(f(x)), x.size))
    for k in range(x.size):
        jacobian[:, k] = np.ravel(f(x + eps) - f(x - eps)) / (2 * eps)
    return jacobian


@misconception(
    "numerical-does-not-step-back",
    exercise="jacobians",
    replaces="numerical_jacobian",
    section="Two Jacobians",
    advice="Your numerical_jacobian leaves an element where the step has put it: the columns after it are measured at "
    "another point.",
)
def does_not_step_back(f, x, eps=1e-6):
    jacobian = np.zeros((np.size(f(x)), x.size))
    step = np.zeros(x.shape)
    for k in range(x.size):
        step.flat[k] = eps
        jacobian[:, k] = np.ravel(f(x + step) - f(x - step)) / (2 * eps)
    return jacobian


@variant
def stays_up(f, x, eps=1e-6):
    jacobian = np.zeros((np.size(f(x)), x.size))
    for k in range(x.size):
        x.flat[k] += eps
        above = f(x)
        x.flat[k] -= 2 * eps
        jacobian[:, k] = np.ravel(above - f(x)) / (2 * eps)
    return jacobian


@misconception(
    "numerical-transposed",
    exercise="jacobians",
    replaces="numerical_jacobian",
    section="Two Jacobians",
    advice="Your numerical_jacobian is transposed: an output has a row, an element of x a column.",
)
def numerical_transposed(f, x, eps=1e-6):
    rows = []
    for k in range(x.size):
        step = np.zeros(x.shape)
        step.flat[k] = eps
        rows.append(np.ravel(f(x + step) - f(x - step)) / (2 * eps))
    return np.stack(rows)


@misconception(
    "numerical-moves-a-row",
    exercise="jacobians",
    replaces="numerical_jacobian",
    section="Two Jacobians",
    advice="Your numerical_jacobian takes k for a row of x: step[k] is one number in a vector only. step.flat[k] is "
    "element k in any shape.",
)
def moves_a_row(f, x, eps=1e-6):
    jacobian = np.zeros((np.size(f(x)), x.size))
    for k in range(x.size):
        step = np.zeros(x.shape)
        step[k] = eps
        jacobian[:, k] = np.ravel(f(x + step) - f(x - step)) / (2 * eps)
    return jacobian


@misconception(
    "numerical-not-in-a-row",
    exercise="jacobians",
    replaces="numerical_jacobian",
    section="Two Jacobians",
    advice="Your numerical_jacobian puts f's outputs into a column in the shape that they have. A column is flat: lay "
    "them out in a row first.",
)
def not_in_a_row(f, x, eps=1e-6):
    jacobian = np.zeros((np.size(f(x)), x.size))
    for k in range(x.size):
        step = np.zeros(x.shape)
        step.flat[k] = eps
        jacobian[:, k] = (f(x + step) - f(x - step)) / (2 * eps)
    return jacobian


@misconception(
    "analytical-not-in-a-row",
    exercise="jacobians",
    replaces="analytical_jacobian",
    section="Two Jacobians",
    advice="Your analytical_jacobian puts a gradient into a row in the shape of x. A row is flat: lay it out first.",
)
def gradient_not_in_a_row(output, x):
    jacobian = np.zeros((output.numel(), x.numel()))
    for k in range(output.numel()):
        above = np.zeros(output.shape)
        above.flat[k] = 1
        (row,) = grad(output, x, tensor(above), retain_graph=True)
        jacobian[k] = row.numpy()
    return jacobian


@misconception(
    "analytical-all-ones",
    exercise="jacobians",
    replaces="analytical_jacobian",
    section="Two Jacobians",
    advice="Your analytical_jacobian sends ones back from every output, so each row holds the sum of all rows. Let one "
    "output speak at a time.",
)
def all_ones(output, x):
    jacobian = np.zeros((output.numel(), x.numel()))
    for k in range(output.numel()):
        (row,) = grad(output, x, tensor(np.ones(output.shape)), retain_graph=True)
        jacobian[k] = row.numpy().ravel()
    return jacobian


@variant
def sum_of_all(output, x):
    jacobian = np.zeros((output.numel(), x.numel()))
    for k in range(output.numel()):
        jacobian[k] = grad(output.sum(), x, retain_graph=True)[0].numpy().ravel()
    return jacobian


@misconception(
    "analytical-accumulates",
    exercise="jacobians",
    replaces="analytical_jacobian",
    section="Two Jacobians",
    advice="Your analytical_jacobian reads .grad after each backward pass, and backward adds: each row holds all rows "
    "before it as well.",
)
def analytical_accumulates(output, x):
    jacobian = np.zeros((output.numel(), x.numel()))
    for k in range(output.numel()):
        above = np.zeros(output.shape)
        above.flat[k] = 1
        output.backward(tensor(above), retain_graph=True)
        jacobian[k] = x.grad.numpy().ravel()
    return jacobian


@variant
def ones_pile_up(output, x):
    jacobian = np.zeros((output.numel(), x.numel()))
    above = np.zeros(output.shape)
    for k in range(output.numel()):
        above.flat[k] = 1
        jacobian[k] = grad(output, x, tensor(above), retain_graph=True)[0].numpy().ravel()
    return jacobian


@misconception(
    "analytical-frees",
    exercise="jacobians",
    replaces="analytical_jacobian",
    section="Two Jacobians",
    advice="Your analytical_jacobian lets the first row free the graph, and the second row needs it again.",
)
def frees(output, x):
    jacobian = np.zeros((output.numel(), x.numel()))
    for k in range(output.numel()):
        above = np.zeros(output.shape)
        above.flat[k] = 1
        (row,) = grad(output, x, tensor(above))
        jacobian[k] = row.numpy().ravel()
    return jacobian


@misconception(
    "analytical-nothing-arrives",
    exercise="jacobians",
    replaces="analytical_jacobian",
    section="Two Jacobians",
    advice="Your analytical_jacobian fails where an element does not depend on x. Nothing arrives there, and the row "
    "is zeros: materialize_grads=True makes them.",
)
def nothing_arrives(output, x):
    jacobian = np.zeros((output.numel(), x.numel()))
    for k in range(output.numel()):
        above = np.zeros(output.shape)
        above.flat[k] = 1
        (row,) = grad(output, x, tensor(above), retain_graph=True)
        jacobian[k] = np.ravel(row.numpy())
    return jacobian


@misconception(
    "analytical-transposed",
    exercise="jacobians",
    replaces="analytical_jacobian",
    section="Two Jacobians",
    advice="Your analytical_jacobian is transposed: what one backward pass brings is a row.",
)
def analytical_transposed(output, x):
    jacobian = np.zeros((x.numel(), output.numel()))
    for k in range(output.numel()):
        above = np.zeros(output.shape)
        above.flat[k] = 1
        (row,) = grad(output, x, tensor(above), retain_graph=True)
        jacobian[:, k] = row.numpy().ravel()
    return jacobian


# ---------------------------------------------------------------------- LayerNorm


@misconception(
    "norm-takes-both-for-constants",
    exercise="layer-norm",
    replaces="NativeLayerNorm",
    section="LayerNorm",
    advice="Your rule for x takes the mean and the variance for constants. Both move when x moves, and send gradients "
    "back, too.",
)
class TakesBothForConstants(Reference):
    def backward_x(self, grad, x, weight):
        _, rstd = self.normalised(x)
        return rstd * grad * weight


@misconception(
    "norm-takes-variance-for-constant",
    exercise="layer-norm",
    replaces="NativeLayerNorm",
    section="LayerNorm",
    advice="Your rule for x leaves out the path through the variance: the part of the gradient along x̂.",
)
class TakesVarianceForConstant(Reference):
    def backward_x(self, grad, x, weight):
        _, rstd = self.normalised(x)
        hat_grad = grad * weight
        return rstd * (hat_grad - self.mean(hat_grad))


@misconception(
    "norm-takes-mean-for-constant",
    exercise="layer-norm",
    replaces="NativeLayerNorm",
    section="LayerNorm",
    advice="Your rule for x leaves out the path through the mean.",
)
class TakesMeanForConstant(Reference):
    def backward_x(self, grad, x, weight):
        hat, rstd = self.normalised(x)
        hat_grad = grad * weight
        return rstd * (hat_grad - hat * self.mean(hat_grad * hat))


@misconception(
    "norm-forgets-weight",
    exercise="layer-norm",
    replaces="NativeLayerNorm",
    section="LayerNorm",
    advice="Your rule for x leaves γ out. The gradient reaches x̂ through the product with it.",
)
class ForgetsWeight(Reference):
    def backward_x(self, grad, x):
        hat, rstd = self.normalised(x)
        return rstd * (grad - self.mean(grad) - hat * self.mean(grad * hat))


@misconception(
    "norm-weight-last",
    exercise="layer-norm",
    replaces="NativeLayerNorm",
    section="LayerNorm",
    advice="Your rule for x multiplies by γ at the end. It differs from element to element, so it belongs inside the "
    "means: on the way back the product with γ comes first.",
)
class WeightLast(Reference):
    def backward_x(self, grad, x, weight):
        hat, rstd = self.normalised(x)
        return weight * rstd * (grad - self.mean(grad) - hat * self.mean(grad * hat))


@misconception(
    "norm-forgets-rstd",
    exercise="layer-norm",
    replaces="NativeLayerNorm",
    section="LayerNorm",
    advice="Your rule for x leaves rstd out. What the forward pass multiplies by, the way back multiplies by, too.",
)
class ForgetsRstd(Reference):
    def backward_x(self, grad, x, weight):
        hat, _ = self.normalised(x)
        hat_grad = grad * weight
        return hat_grad - self.mean(hat_grad) - hat * self.mean(hat_grad * hat)


@misconception(
    "norm-means-without-weight",
    exercise="layer-norm",
    replaces="NativeLayerNorm",
    section="LayerNorm",
    advice="Your rule for x takes a mean of the gradient as it arrived. γ differs from element to element: what is "
    "averaged is the gradient that has come through the product with it.",
)
class MeansWithoutWeight(Reference):
    def backward_x(self, grad, x, weight):
        hat, rstd = self.normalised(x)
        hat_grad = grad * weight
        return rstd * (hat_grad - self.mean(grad) - hat * self.mean(grad * hat))


@variant
class FirstMeanWithoutWeight(Reference):
    def backward_x(self, grad, x, weight):
        hat, rstd = self.normalised(x)
        hat_grad = grad * weight
        return rstd * (hat_grad - self.mean(grad) - hat * self.mean(hat_grad * hat))


@variant
class SecondMeanWithoutWeight(Reference):
    def backward_x(self, grad, x, weight):
        hat, rstd = self.normalised(x)
        hat_grad = grad * weight
        return rstd * (hat_grad - self.mean(hat_grad) - hat * self.mean(grad * hat))


@misconception(
    "norm-unbiased",
    exercise="layer-norm",
    replaces="NativeLayerNorm",
    section="LayerNorm",
    advice="Your variance divides by N - 1. LayerNorm describes the row that it has, and divides by N.",
)
class Unbiased(Reference):
    def normalise(self, x):
        centred = x - self.mean(x)
        count = minigrad.ones(*x.shape).sum().item() / self.mean(x).reshape((-1,)).shape[0]
        rstd = (self.mean(centred * centred) * (count / (count - 1)) + self.eps) ** -0.5
        return centred * rstd, rstd


@misconception(
    "norm-variance-by-difference",
    exercise="layer-norm",
    replaces="NativeLayerNorm",
    section="LayerNorm",
    advice="Your variance is the mean of the squares minus the square of the mean. Where the mean is large, these are "
    "two huge numbers, and their difference is mostly rounding: take the mean off first, and then square.",
)
class VarianceByDifference(Reference):
    def normalise(self, x):
        rstd = (self.mean(x * x) - self.mean(x) ** 2 + self.eps) ** -0.5
        return (x - self.mean(x)) * rstd, rstd


@misconception(
    "norm-eps-outside",
    exercise="layer-norm",
    replaces="NativeLayerNorm",
    section="LayerNorm",
    advice="Your ε stands outside the root. Inside it, it also keeps the slope of the root finite where the variance "
    "is 0.",
)
class EpsOutside(Reference):
    def normalise(self, x):
        centred = x - self.mean(x)
        rstd = 1 / (self.mean(centred * centred) ** 0.5 + self.eps)
        return centred * rstd, rstd


@misconception(
    "norm-without-eps",
    exercise="layer-norm",
    replaces="NativeLayerNorm",
    section="LayerNorm",
    advice="Your LayerNorm leaves ε out: a row of equal numbers would be divided by 0.",
)
class WithoutEps(Reference):
    def normalise(self, x):
        centred = x - self.mean(x)
        rstd = self.mean(centred * centred) ** -0.5
        return centred * rstd, rstd


@misconception(
    "norm-no-root",
    exercise="layer-norm",
    replaces="NativeLayerNorm",
    section="LayerNorm",
    advice="Your LayerNorm divides by the variance; the root of it has the unit of x.",
)
class NoRoot(Reference):
    def normalise(self, x):
        centred = x - self.mean(x)
        rstd = (self.mean(centred * centred) + self.eps) ** -1
        return centred * rstd, rstd


@misconception(
    "norm-not-centred",
    exercise="layer-norm",
    replaces="NativeLayerNorm",
    section="LayerNorm",
    advice="Your normalise scales x without taking its mean away: the variance is the mean square of what is centred.",
)
class NotCentred(Reference):
    def normalise(self, x):
        rstd = (self.mean(x * x) + self.eps) ** -0.5
        return x * rstd, rstd


@variant
class ScalesUncentred(Reference):
    def normalise(self, x):
        centred = x - self.mean(x)
        rstd = (self.mean(centred * centred) + self.eps) ** -0.5
        return x * rstd, rstd


@misconception(
    "norm-weight-from-x",
    exercise="layer-norm",
    replaces="NativeLayerNorm",
    section="LayerNorm",
    advice="Your rule for γ multiplies by x. What γ is multiplied by in the forward pass is x̂.",
)
class WeightFromX(Reference):
    def backward_weight(self, grad, x):
        return grad * x


@misconception(
    "norm-bias-times-weight",
    exercise="layer-norm",
    replaces="NativeLayerNorm",
    section="LayerNorm",
    advice="Your rule for β multiplies by γ. β is added at the very end, after the product.",
)
class BiasTimesWeight(Reference):
    def backward_bias(self, grad, weight):
        return grad * weight


@misconception(
    "norm-sums-itself",
    exercise="layer-norm",
    replaces="NativeLayerNorm",
    section="LayerNorm",
    advice="Your rule for γ or β takes a sum or a mean itself. The engine undoes broadcasting after every rule, and "
    "knows where there is only one row.",
)
class SumsItself(Reference):
    def backward_bias(self, grad):
        return grad.sum(axis=0)


@variant
class SumsBothItself(Reference):
    def backward_weight(self, grad, x):
        hat, _ = self.normalised(x)
        return (grad * hat).sum(axis=0)

    def backward_bias(self, grad):
        return grad.sum(axis=0)


@misconception(
    "norm-last-axis-only",
    exercise="layer-norm",
    replaces="NativeLayerNorm",
    section="LayerNorm",
    advice="Your LayerNorm takes means over the last axis, whatever a row is. It may span several axes, and self.mean "
    "knows which.",
)
class LastAxisOnly(Reference):
    def normalise(self, x):
        centred = x - x.mean(axis=-1, keepdims=True)
        rstd = ((centred * centred).mean(axis=-1, keepdims=True) + self.eps) ** -0.5
        return centred * rstd, rstd


@variant
class LastAxisInTheRuleToo(Reference):
    def normalise(self, x):
        centred = x - x.mean(axis=-1, keepdims=True)
        rstd = ((centred * centred).mean(axis=-1, keepdims=True) + self.eps) ** -0.5
        return centred * rstd, rstd

    def backward_x(self, grad, x, weight):
        hat, rstd = self.normalised(x)
        g = grad * weight
        return rstd * (g - g.mean(axis=-1, keepdims=True) - hat * (g * hat).mean(axis=-1, keepdims=True))


@misconception(
    "norm-root-of-numpy",
    exercise="layer-norm",
    replaces="NativeLayerNorm",
    section="By hand",
    advice="Your LayerNorm calls a function of NumPy's, which tensors refuse. When the backward pass is recorded, "
    "normalise and the rules run on tensors: operators work on both, and a root is a power.",
)
class RootOfNumpy(Reference):
    def normalise(self, x):
        centred = x - self.mean(x)
        rstd = 1 / np.sqrt(self.mean(centred * centred) + self.eps)
        return centred * rstd, rstd


@variant
class MeanOfNumpy(Reference):
    def normalise(self, x):
        centred = x - self.mean(x)
        rstd = (np.mean(centred**2, axis=-1, keepdims=True) + self.eps) ** -0.5
        return centred * rstd, rstd


@variant
class VarianceOfNumpy(Reference):
    def normalise(self, x):
        rstd = (x.var(axis=-1, keepdims=True) + self.eps) ** -0.5
        return (x - self.mean(x)) * rstd, rstd


@misconception(
    "norm-of-all",
    exercise="layer-norm",
    replaces="NativeLayerNorm",
    section="LayerNorm",
    advice="Your LayerNorm takes the variance of the whole array. Each row has its own.",
)
class NormOfAll(Reference):
    def normalise(self, x):
        centred = x - self.mean(x)
        rstd = ((centred**2).mean() + self.eps) ** -0.5
        return centred * rstd, rstd


@misconception(
    "norm-second-pass-forgets",
    exercise="layer-norm",
    replaces="NativeLayerNorm",
    section="LayerNorm",
    advice="Your rules are right once, and wrong when differentiated again: what they use was kept as bare arrays, "
    "with no way back to x. Ask self.normalised(x) for it.",
)
class SecondPassForgets(Reference):
    def backward_x(self, grad, x, weight):
        hat, rstd = self.kept
        hat_grad = grad * weight
        return rstd * (hat_grad - self.mean(hat_grad) - hat * self.mean(hat_grad * hat))

    def backward_weight(self, grad, x):
        hat, _ = self.kept
        return grad * hat


@variant
class KeepsItsOwn(Reference):
    def normalise(self, x):
        centred = x - self.mean(x)
        rstd = (self.mean(centred * centred) + self.eps) ** -0.5
        self.hat, self.rstd = centred * rstd, rstd
        return self.hat, self.rstd

    def backward_x(self, grad, weight):
        hat_grad = grad * weight
        return self.rstd * (hat_grad - self.mean(hat_grad) - self.hat * self.mean(hat_grad * self.hat))

    def backward_weight(self, grad):
        return grad * self.hat


# ---------------------------------------------------------------------- attention


@misconception(
    "attention-no-scale",
    exercise="attention",
    replaces="attention",
    section="Attention",
    advice="Your attention does not divide its scores by √d: with many numbers in a key the softmax gets too sharp to "
    "learn.",
)
def no_scale(q, k, v):
    scores = q @ k.mT
    future = minigrad.ones(*scores.shape[-2:]).tril() == 0
    return scores.masked_fill(future, float("-inf")).softmax(-1) @ v


@misconception(
    "attention-scale-without-root",
    exercise="attention",
    replaces="attention",
    section="Attention",
    advice="Your attention divides by d where √d belongs: the size of a sum of d products of either sign grows like "
    "the root of d.",
)
def scale_without_root(q, k, v):
    scores = q @ k.mT / q.shape[-1]
    future = minigrad.ones(*scores.shape[-2:]).tril() == 0
    return scores.masked_fill(future, float("-inf")).softmax(-1) @ v


@misconception(
    "attention-scale-by-length",
    exercise="attention",
    replaces="attention",
    section="Attention",
    advice="Your attention divides by the root of the number of words. d is the number of numbers in a query: the last "
    "axis.",
)
def scale_by_length(q, k, v):
    scores = q @ k.mT / q.shape[-2] ** 0.5
    future = minigrad.ones(*scores.shape[-2:]).tril() == 0
    return scores.masked_fill(future, float("-inf")).softmax(-1) @ v


@misconception(
    "attention-wrong-axis",
    exercise="attention",
    replaces="attention",
    section="Attention",
    advice="Your softmax runs over the words that ask. The weights of one asking word must add up to 1: along its row.",
)
def wrong_axis(q, k, v):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    future = minigrad.ones(*scores.shape[-2:]).tril() == 0
    return scores.masked_fill(future, float("-inf")).softmax(-2) @ v


@misconception(
    "attention-no-mask",
    exercise="attention",
    replaces="attention",
    section="Attention",
    advice="Your attention has no mask: each word sees those that it should predict.",
)
def no_mask(q, k, v):
    return (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v


@misconception(
    "attention-sees-the-future",
    exercise="attention",
    replaces="attention",
    section="Attention",
    advice="Your mask is transposed: it hides the past and shows the future. Row t is who asks, column s who answers.",
)
def sees_the_future(q, k, v):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    hidden = minigrad.ones(*scores.shape[-2:]).triu() == 0
    return scores.masked_fill(hidden, float("-inf")).softmax(-1) @ v


@misconception(
    "attention-hides-the-past",
    exercise="attention",
    replaces="attention",
    section="Attention",
    advice="Your mask is the wrong way round: masked_fill puts its value where the mask is true, and you let it hide "
    "what may be seen.",
)
def hides_the_past(q, k, v):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    past = minigrad.ones(*scores.shape[-2:]).tril() == 1
    return scores.masked_fill(past, float("-inf")).softmax(-1) @ v


@misconception(
    "attention-hides-itself",
    exercise="attention",
    replaces="attention",
    section="Attention",
    advice="Your mask hides a word from itself, so the first word has nothing to look at: 0 divided by 0.",
)
def hides_itself(q, k, v):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    hidden = minigrad.ones(*scores.shape[-2:]).triu() == 1
    return scores.masked_fill(hidden, float("-inf")).softmax(-1) @ v


@misconception(
    "attention-mask-after",
    exercise="attention",
    replaces="attention",
    section="Attention",
    advice="Your mask comes after the softmax: the weights that are left do not add up to 1, and the future has had "
    "its say in them.",
)
def mask_after(q, k, v):
    weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
    future = minigrad.ones(*weights.shape[-2:]).tril() == 0
    return weights.masked_fill(future, 0.0) @ v


@misconception(
    "attention-mask-renormalised",
    exercise="attention",
    replaces="attention",
    section="Attention",
    advice="Your attention hides the future after the softmax and divides by what is left: 0 by 0, when the future had "
    "all the weight.",
)
def mask_renormalised(q, k, v):
    weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
    weights = weights * minigrad.ones(*weights.shape[-2:]).tril()
    return weights / weights.sum(-1, keepdim=True) @ v


@misconception(
    "attention-mask-with-zero",
    exercise="attention",
    replaces="attention",
    section="Attention",
    advice="Your mask puts 0 into the scores, and the softmax makes e⁰ of it: still a weight. Only -∞ gives none.",
)
def mask_with_zero(q, k, v):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    return (scores * minigrad.ones(*scores.shape[-2:]).tril()).softmax(-1) @ v


@misconception(
    "attention-mask-not-low-enough",
    exercise="attention",
    replaces="attention",
    section="Attention",
    advice="Your mask hides the future behind a number that is low, but not low enough: a score can be lower still, "
    "and then the future gets all of the weight. Only -∞ is below every score.",
)
def mask_not_low_enough(q, k, v):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    future = minigrad.ones(*scores.shape[-2:]).tril() == 0
    return scores.masked_fill(future, -1e4).softmax(-1) @ v


@variant
def mask_of_a_thousand(q, k, v):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    future = minigrad.ones(*scores.shape[-2:]).tril() == 0
    return scores.masked_fill(future, -1e3).softmax(-1) @ v


@variant
def mask_of_a_hundred(q, k, v):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    future = minigrad.ones(*scores.shape[-2:]).tril() == 0
    return scores.masked_fill(future, -100.0).softmax(-1) @ v


@misconception(
    "attention-infinity-times-zero",
    exercise="attention",
    replaces="attention",
    section="Attention",
    advice="Your mask multiplies -∞ by 0 where nothing should be hidden, and that is NaN. Put -∞ only where it "
    "belongs.",
)
def infinity_times_zero(q, k, v):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    future = minigrad.ones(*scores.shape[-2:]).triu(1)
    return (scores + future * float("-inf")).softmax(-1) @ v


@misconception(
    "attention-overflows",
    exercise="attention",
    replaces="attention",
    section="Attention",
    advice="Your own softmax overflows where scores are large: e to the 1000 is more than a number can hold.",
)
def overflows(q, k, v):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    weights = scores.exp() * minigrad.ones(*scores.shape[-2:]).tril()
    return weights / weights.sum(-1, keepdim=True) @ v


@misconception(
    "attention-roles-swapped",
    exercise="attention",
    replaces="attention",
    section="Attention",
    advice="Your scores let the keys ask and the queries answer: they are transposed.",
)
def roles_swapped(q, k, v):
    scores = k @ q.mT / q.shape[-1] ** 0.5
    future = minigrad.ones(*scores.shape[-2:]).tril() == 0
    return scores.masked_fill(future, float("-inf")).softmax(-1) @ v
