# ruff: noqa: ANN001, ANN201, ANN202, D101, D102, D103
"""Chapter 7's ways of being wrong: about a loss's slope, an optimizer's memory, and the order of a training loop."""

import numpy as np

import minigrad
from minigrad.rules.loss import Loss

from ...ask.bank import Reference, collector

MISCONCEPTIONS, misconception, variant = collector()

# ---------------------------------------------------------------------- mean squared error


@misconception(
    "mse-forgets-two",
    exercise="mse",
    replaces="MseLoss",
    section="Mean squared error",
    advice="Your MseLoss leaves out the 2 that comes down from the square.",
)
class MseForgetsTwo(Reference):
    def backward_x(self, grad, x, y):
        return self.each(grad) * (x - y)

    def backward_y(self, grad, x, y):
        return self.each(grad) * (y - x)


@misconception(
    "mse-forgets-count",
    exercise="mse",
    replaces="MseLoss",
    section="Mean squared error",
    advice="Your MseLoss gives each element the whole gradient from above. Under a mean over N elements each has a "
    "share of 1/N: self.each knows it.",
)
class MseForgetsCount(Reference):
    def backward_x(self, grad, x, y):
        return grad * 2 * (x - y)

    def backward_y(self, grad, x, y):
        return grad * 2 * (y - x)


@misconception(
    "mse-always-a-mean",
    exercise="mse",
    replaces="MseLoss",
    section="Mean squared error",
    advice="Your MseLoss divides its gradients by the number of elements whatever the reduction is. Under a sum, or "
    "without any reduction, an element has no share to divide by.",
)
class MseAlwaysAMean(Reference):
    def backward_x(self, grad, x, y):
        return grad * 2 * (x - y) / x.size

    def backward_y(self, grad, x, y):
        return grad * 2 * (y - x) / x.size


@misconception(
    "mse-signs-swapped",
    exercise="mse",
    replaces="MseLoss",
    section="Mean squared error",
    advice="Your MseLoss has the signs of its two gradients swapped: where x is above y, a larger x makes the loss "
    "larger. With these signs each step leads away from the target.",
)
class MseSignsSwapped(Reference):
    def backward_x(self, grad, x, y):
        return self.each(grad) * 2 * (y - x)

    def backward_y(self, grad, x, y):
        return self.each(grad) * 2 * (x - y)


@misconception(
    "mse-same-sign",
    exercise="mse",
    replaces="MseLoss",
    section="Mean squared error",
    advice="Your MseLoss gives y the same gradient as x. They pull in opposite directions: only their difference "
    "counts.",
)
class MseSameSign(Reference):
    def backward_y(self, grad, x, y):
        return self.each(grad) * 2 * (x - y)


@misconception(
    "mse-ignores-above",
    exercise="mse",
    replaces="MseLoss",
    section="Mean squared error",
    advice="Your MseLoss returns its local derivative and loses the gradient that arrives from above.",
)
class MseIgnoresAbove(Reference):
    def backward_x(self, x, y):
        return 2 * (x - y) / self.count

    def backward_y(self, x, y):
        return 2 * (y - x) / self.count


@variant
class MseIgnoresGrad(Reference):
    def backward_x(self, grad, x, y):
        return 2 * (x - y) / self.count

    def backward_y(self, grad, x, y):
        return 2 * (y - x) / self.count


@misconception(
    "mse-not-squared",
    exercise="mse",
    replaces="MseLoss",
    section="Mean squared error",
    advice="Your MseLoss takes the size of each difference and not its square.",
)
class MseNotSquared(Loss):
    def forward(self, x, y, *, reduction="mean"):
        return self.reduce(np.abs(x - y), reduction)

    def backward_x(self, grad, x, y):
        return self.each(grad) * np.sign(x - y)

    def backward_y(self, grad, x, y):
        return self.each(grad) * np.sign(y - x)


@variant
class MseAbsWithSquaresSlope(Reference):
    def forward(self, x, y, *, reduction="mean"):
        return self.reduce(np.abs(x - y), reduction)


@misconception(
    "mse-without-reduce",
    exercise="mse",
    replaces="MseLoss",
    section="Mean squared error",
    advice="Your MseLoss does not ask self.reduce for the mean, so self.each does not know how many elements it was "
    "taken of, and another reduction than the one that you wrote is never done.",
)
class MseWithoutReduce(Reference):
    def forward(self, x, y, *, reduction="mean"):
        return ((x - y) ** 2).mean()


@variant
class MseUnreduced(Reference):
    def forward(self, x, y, *, reduction="mean"):
        return (x - y) ** 2


@misconception(
    "mse-fixed-reduction",
    exercise="mse",
    replaces="MseLoss",
    section="Mean squared error",
    advice="Your MseLoss always takes the mean, whatever reduction is asked for: hand reduction on to self.reduce.",
)
class MseFixedReduction(Reference):
    def forward(self, x, y, *, reduction="mean"):
        difference = x - y
        return self.reduce(difference * difference, "mean")


@misconception(
    "mse-half",
    exercise="mse",
    replaces="MseLoss",
    section="Mean squared error",
    advice="Your MseLoss is half of the mean square: some books put a 1/2 in front so that the 2 goes away. This one "
    "has none.",
)
class MseHalf(Loss):
    def forward(self, x, y, *, reduction="mean"):
        return self.reduce((x - y) ** 2 / 2, reduction)

    def backward_x(self, grad, x, y):
        return self.each(grad) * (x - y)

    def backward_y(self, grad, x, y):
        return self.each(grad) * (y - x)


@misconception(
    "mse-square-of-mean",
    exercise="mse",
    replaces="MseLoss",
    section="Mean squared error",
    advice="Your MseLoss squares the mean of the differences, where those above and below cancel. Square each one "
    "first.",
)
class MseSquareOfMean(Reference):
    def forward(self, x, y, *, reduction="mean"):
        return self.reduce(x - y, reduction) ** 2


@misconception(
    "mse-root",
    exercise="mse",
    replaces="MseLoss",
    section="Mean squared error",
    advice="Your MseLoss takes the root of the mean square in the end; the mean squared error stays squared.",
)
class MseRoot(Reference):
    def forward(self, x, y, *, reduction="mean"):
        return np.sqrt(self.reduce((x - y) ** 2, reduction))


@misconception(
    "mse-target-without-gradient",
    exercise="mse",
    replaces="MseLoss",
    section="Mean squared error",
    advice="Your MseLoss has no rule for y. A target seldom needs a gradient, but a loss has two equal inputs: y's "
    "gradient goes the other way.",
)
class MseTargetWithoutGradient(Reference):
    def backward_y(self, grad, x, y):
        return 0 * (y - x)


@misconception(
    "mse-divides-twice",
    exercise="mse",
    replaces="MseLoss",
    section="Mean squared error",
    advice="Your MseLoss divides by the number of elements twice: self.reduce and self.each do it already, where the "
    "reduction is a mean.",
)
class MseDividesTwice(Reference):
    def backward_x(self, grad, x, y):
        return self.each(grad) * 2 * (x - y) / x.size

    def backward_y(self, grad, x, y):
        return self.each(grad) * 2 * (y - x) / x.size


@variant
class MseSharesTwice(Reference):
    def backward_x(self, grad, x, y):
        return self.each(grad) * 2 * (x - y) / self.count

    def backward_y(self, grad, x, y):
        return self.each(grad) * 2 * (y - x) / self.count


@variant
class MseDividesTheLossTwice(Reference):
    def forward(self, x, y, *, reduction="mean"):
        difference = x - y
        return self.reduce(difference * difference, reduction) / x.size


@variant
class MseDividesAllTwice(Loss):
    def forward(self, x, y, *, reduction="mean"):
        difference = x - y
        return self.reduce(difference * difference, reduction) / x.size

    def backward_x(self, grad, x, y):
        return self.each(grad) * 2 * (x - y) / x.size

    def backward_y(self, grad, x, y):
        return self.each(grad) * 2 * (y - x) / x.size


# ---------------------------------------------------------------------- SGD


@misconception(
    "sgd-uphill",
    exercise="sgd",
    replaces="sgd_step",
    section="A step downhill",
    advice="Your sgd_step goes uphill: the gradient points to where the loss grows, so a step is taken against it.",
)
def sgd_uphill(array, grad, state, lr, momentum):
    velocity = grad
    if momentum:
        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
    array += lr * velocity


@misconception(
    "sgd-no-rate",
    exercise="sgd",
    replaces="sgd_step",
    section="A step downhill",
    advice="Your sgd_step leaves out the learning rate: it moves by the whole velocity, however steep the place is.",
)
def sgd_no_rate(array, grad, state, lr, momentum):
    velocity = grad
    if momentum:
        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
    array -= velocity


@misconception(
    "sgd-steps-by-momentum",
    exercise="sgd",
    replaces="sgd_step",
    section="A step downhill",
    advice="Your sgd_step has momentum where the learning rate belongs. lr says how far the array moves along the "
    "velocity; momentum says how much of the old velocity stays.",
)
def sgd_steps_by_momentum(array, grad, state, lr, momentum):
    velocity = grad
    if momentum:
        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
    array -= momentum * velocity


@variant
def sgd_steps_by_momentum_if_there_is_some(array, grad, state, lr, momentum):
    if momentum:
        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
        array -= momentum * velocity
    else:
        array -= lr * grad


@misconception(
    "sgd-fades-by-the-rate",
    exercise="sgd",
    replaces="sgd_step",
    section="A step downhill",
    advice="Your sgd_step lets the old velocity fade by the learning rate. How much of it stays is what momentum says; "
    "lr is for the step alone.",
)
def sgd_fades_by_the_rate(array, grad, state, lr, momentum):
    velocity = grad
    if momentum:
        velocity = state["momentum_buffer"] = lr * state["momentum_buffer"] + grad
    array -= lr * velocity


@misconception(
    "sgd-rate-and-momentum-swapped",
    exercise="sgd",
    replaces="sgd_step",
    section="A step downhill",
    advice="Your sgd_step has lr and momentum in each other's places: lr belongs to the step, momentum to the old "
    "velocity.",
)
def sgd_rate_and_momentum_swapped(array, grad, state, lr, momentum):
    velocity = grad
    if momentum:
        velocity = state["momentum_buffer"] = lr * state["momentum_buffer"] + grad
    array -= momentum * velocity


@variant
def sgd_swapped_if_there_is_momentum(array, grad, state, lr, momentum):
    if momentum:
        velocity = state["momentum_buffer"] = lr * state["momentum_buffer"] + grad
        array -= momentum * velocity
    else:
        array -= lr * grad


@misconception(
    "sgd-makes-a-new-array",
    exercise="sgd",
    replaces="sgd_step",
    section="A step downhill",
    advice="Your sgd_step computes a new array and the parameter never hears of it: `array = …` only gives your name "
    "to something else. Change the array that the parameter holds, in place.",
)
def sgd_makes_a_new_array(array, grad, state, lr, momentum):
    velocity = grad
    if momentum:
        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
    array = array - lr * velocity
    return array


@misconception(
    "sgd-always-a-velocity",
    exercise="sgd",
    replaces="sgd_step",
    section="A step downhill",
    advice="Your sgd_step looks for a velocity even when momentum is 0. Then the optimizer keeps none: state is empty.",
)
def sgd_always_a_velocity(array, grad, state, lr, momentum):
    velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
    array -= lr * velocity


@misconception(
    "sgd-velocity-not-kept",
    exercise="sgd",
    replaces="sgd_step",
    section="A step downhill",
    advice="Your sgd_step has no memory: the velocity is not used, or not put back into "
    'state["momentum_buffer"], so '
    "that the next step finds the zeros of the start.",
)
def sgd_velocity_not_kept(array, grad, state, lr, momentum):
    velocity = grad
    if momentum:
        velocity = momentum * state["momentum_buffer"] + grad
    array -= lr * velocity


@misconception(
    "sgd-keeps-the-gradient",
    exercise="sgd",
    replaces="sgd_step",
    section="A step downhill",
    advice="Your sgd_step keeps the last gradient instead of the velocity, so it remembers one step and no further.",
)
def sgd_keeps_the_gradient(array, grad, state, lr, momentum):
    velocity = grad
    if momentum:
        velocity = momentum * state["momentum_buffer"] + grad
        state["momentum_buffer"] = grad.copy()
    array -= lr * velocity


@misconception(
    "sgd-momentum-on-the-gradient",
    exercise="sgd",
    replaces="sgd_step",
    section="A step downhill",
    advice="Your sgd_step multiplies the new gradient by momentum. It is the old velocity that fades; the gradient "
    "comes in whole.",
)
def sgd_momentum_on_the_gradient(array, grad, state, lr, momentum):
    velocity = grad
    if momentum:
        velocity = state["momentum_buffer"] = state["momentum_buffer"] + momentum * grad
    array -= lr * velocity


@misconception(
    "sgd-running-mean",
    exercise="sgd",
    replaces="sgd_step",
    section="A step downhill",
    advice="Your sgd_step takes a running mean: it scales the new gradient by 1 − momentum. Here the velocity is a "
    "sum, and the gradient comes in whole.",
)
def sgd_running_mean(array, grad, state, lr, momentum):
    velocity = grad
    if momentum:
        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + (1 - momentum) * grad
    array -= lr * velocity


@misconception(
    "sgd-velocity-never-fades",
    exercise="sgd",
    replaces="sgd_step",
    section="A step downhill",
    advice="Your sgd_step adds up all gradients and lets none of them fade: the old velocity has to be multiplied by "
    "momentum.",
)
def sgd_velocity_never_fades(array, grad, state, lr, momentum):
    velocity = grad
    if momentum:
        velocity = state["momentum_buffer"] = state["momentum_buffer"] + grad
    array -= lr * velocity


@misconception(
    "sgd-rate-in-the-velocity",
    exercise="sgd",
    replaces="sgd_step",
    section="A step downhill",
    advice="Your sgd_step puts the learning rate into the velocity. As long as lr stays the same nobody notices; when "
    "it changes, the old steps keep the old one.",
)
def sgd_rate_in_the_velocity(array, grad, state, lr, momentum):
    velocity = lr * grad
    if momentum:
        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + lr * grad
    array -= velocity


@misconception(
    "sgd-rate-twice",
    exercise="sgd",
    replaces="sgd_step",
    section="A step downhill",
    advice="Your sgd_step multiplies by the learning rate twice, in the velocity and in the step.",
)
def sgd_rate_twice(array, grad, state, lr, momentum):
    velocity = lr * grad
    if momentum:
        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + lr * grad
    array -= lr * velocity


@misconception(
    "sgd-changes-the-gradient",
    exercise="sgd",
    replaces="sgd_step",
    section="A step downhill",
    advice="Your sgd_step changes grad itself: it is the parameter's .grad, which backward adds to and which others "
    "want to read.",
)
def sgd_changes_the_gradient(array, grad, state, lr, momentum):
    if momentum:
        grad += momentum * state["momentum_buffer"]
        state["momentum_buffer"] = grad.copy()
    grad *= lr
    array -= grad


@variant
def sgd_changes_it_with_momentum(array, grad, state, lr, momentum):
    if momentum:
        grad += momentum * state["momentum_buffer"]
        state["momentum_buffer"] = grad.copy()
    array -= lr * grad


@misconception(
    "sgd-looks-ahead",
    exercise="sgd",
    replaces="sgd_step",
    section="A step downhill",
    advice="Your sgd_step adds the gradient once more to the new velocity, as Nesterov's variant does. Step by the "
    "velocity itself.",
)
def sgd_looks_ahead(array, grad, state, lr, momentum):
    velocity = grad
    if momentum:
        state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
        velocity = grad + momentum * state["momentum_buffer"]
    array -= lr * velocity


@misconception(
    "sgd-old-velocity",
    exercise="sgd",
    replaces="sgd_step",
    section="A step downhill",
    advice="Your sgd_step moves by the old velocity and updates it only afterwards, so it is always one gradient late.",
)
def sgd_old_velocity(array, grad, state, lr, momentum):
    velocity = grad
    if momentum:
        velocity = state["momentum_buffer"]
        state["momentum_buffer"] = momentum * velocity + grad
    array -= lr * velocity


@misconception(
    "sgd-steps-by-the-gradient",
    exercise="sgd",
    replaces="sgd_step",
    section="A step downhill",
    advice="Your sgd_step keeps a velocity and then steps by the gradient alone: what is remembered moves nothing.",
)
def sgd_steps_by_the_gradient(array, grad, state, lr, momentum):
    if momentum:
        state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
    array -= lr * grad


@misconception(
    "sgd-gradient-turned-round",
    exercise="sgd",
    replaces="sgd_step",
    section="A step downhill",
    advice="Your sgd_step takes the gradient from the velocity where it should add it: the velocity is a sum of "
    "gradients, and the minus belongs to the step alone.",
)
def sgd_gradient_turned_round(array, grad, state, lr, momentum):
    velocity = grad
    if momentum:
        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] - grad
    array -= lr * velocity


@variant
def sgd_velocity_downhill(array, grad, state, lr, momentum):
    if momentum:
        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] - grad
        array += lr * velocity
    else:
        array -= lr * grad


@misconception(
    "sgd-another-name",
    exercise="sgd",
    replaces="sgd_step",
    section="A step downhill",
    advice="Your sgd_step keeps its velocity under a name of its own. The steps are right; but "
    'state["momentum_buffer"], where everybody looks for it, stays at zero.',
)
def sgd_another_name(array, grad, state, lr, momentum):
    velocity = grad
    if momentum:
        velocity = state["velocity"] = momentum * state.get("velocity", 0) + grad
    array -= lr * velocity


# ---------------------------------------------------------------------- clearing gradients


@misconception(
    "clear-always-zeros",
    exercise="clear-grad",
    replaces="clear_grad",
    section="Clearing the gradients",
    advice="Your clear_grad always writes zeros. When set_to_none is true, p.grad has to be None: an optimizer moves "
    "a parameter whose gradient is zero, and leaves one alone that has none.",
)
def clear_always_zeros(p, set_to_none):
    if p.grad is not None:
        p.grad.zero_()


@misconception(
    "clear-always-none",
    exercise="clear-grad",
    replaces="clear_grad",
    section="Clearing the gradients",
    advice="Your clear_grad sets p.grad to None even when set_to_none is False; then zeros were asked for.",
)
def clear_always_none(p, set_to_none):
    p.grad = None


@misconception(
    "clear-other-way-round",
    exercise="clear-grad",
    replaces="clear_grad",
    section="Clearing the gradients",
    advice="Your clear_grad has the two cases the wrong way round: set_to_none says when p.grad becomes None.",
)
def clear_other_way_round(p, set_to_none):
    if not set_to_none:
        p.grad = None
    elif p.grad is not None:
        p.grad.zero_()


@misconception(
    "clear-stumbles-over-none",
    exercise="clear-grad",
    replaces="clear_grad",
    section="Clearing the gradients",
    advice="Your clear_grad asks None to fill itself with zeros: before the first backward pass there is no gradient.",
)
def clear_stumbles_over_none(p, set_to_none):
    if set_to_none:
        p.grad = None
    else:
        p.grad.zero_()


@misconception(
    "clear-makes-new-zeros",
    exercise="clear-grad",
    replaces="clear_grad",
    section="Clearing the gradients",
    advice="Your clear_grad puts a new tensor of zeros in the gradient's place. Whoever holds the old one goes on "
    "reading old numbers: fill the tensor that is there.",
)
def clear_makes_new_zeros(p, set_to_none):
    if set_to_none:
        p.grad = None
    elif p.grad is not None:
        p.grad = minigrad.zeros_like(p.grad)


@variant
def clear_multiplies_by_zero(p, set_to_none):
    if set_to_none:
        p.grad = None
    elif p.grad is not None:
        p.grad = p.grad * 0


@misconception(
    "clear-zeros-where-none-was",
    exercise="clear-grad",
    replaces="clear_grad",
    section="Clearing the gradients",
    advice="Your clear_grad gives zeros to a parameter that had no gradient. None says that no backward pass reached "
    "it.",
)
def clear_zeros_where_none_was(p, set_to_none):
    if set_to_none:
        p.grad = None
    elif p.grad is None:
        p.grad = minigrad.zeros_like(p)
    else:
        p.grad.zero_()


@misconception(
    "clear-name-only",
    exercise="clear-grad",
    replaces="clear_grad",
    section="Clearing the gradients",
    advice="Your clear_grad leaves p.grad as it was: a name of your own becomes None, or `==` compares where `=` would "
    "assign.",
)
def clear_name_only(p, set_to_none):
    grad = p.grad
    if set_to_none:
        grad = None
    elif grad is not None:
        grad.zero_()


@misconception(
    "clear-zeros-the-parameter",
    exercise="clear-grad",
    replaces="clear_grad",
    section="Clearing the gradients",
    advice="Your clear_grad fills the parameter itself with zeros, and with it all that was learned.",
)
def clear_zeros_the_parameter(p, set_to_none):
    if set_to_none:
        p.grad = None
    else:
        p.detach().zero_()


@variant
def clear_zeros_the_leaf(p, set_to_none):
    if set_to_none:
        p.grad = None
    else:
        p.zero_()


@misconception(
    "clear-nothing",
    exercise="clear-grad",
    replaces="clear_grad",
    section="Clearing the gradients",
    advice="Your clear_grad calls nothing: the parentheses after zero_ are missing.",
)
def clear_without_parentheses(p, set_to_none):
    if set_to_none:
        p.grad = None
    elif p.grad is not None:
        p.grad.zero_  # noqa: B018


# ---------------------------------------------------------------------- the loop


@misconception(
    "train-no-zero-grad",
    exercise="train",
    replaces="train",
    section="The loop",
    advice="Your train never clears the gradients: each backward pass adds to those of all steps before, and the "
    "steps overshoot.",
)
def train_no_zero_grad(optimizer, loss_of, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@variant
def train_clears_once(optimizer, loss_of, steps):
    losses = []
    optimizer.zero_grad()
    for _ in range(steps):
        loss = loss_of()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@variant
def train_clears_without_parentheses(optimizer, loss_of, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of()
        optimizer.zero_grad  # noqa: B018
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@misconception(
    "train-never-moves",
    exercise="train",
    replaces="train",
    section="The loop",
    advice="Your train never moves a parameter: when step is called there is no gradient, because none was computed "
    "yet or because it was cleared again, or step is not called at all.",
)
def train_clears_before_the_step(optimizer, loss_of, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of()
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
        losses.append(loss.item())
    return losses


@variant
def train_no_step(optimizer, loss_of, steps):
    return [loss_of().item() for _ in range(steps)]


@misconception(
    "train-step-too-early",
    exercise="train",
    replaces="train",
    section="The loop",
    advice="Your train takes each step before the backward pass, with the gradient of the step before: it is always "
    "one late.",
)
def train_step_too_early(optimizer, loss_of, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of()
        optimizer.step()
        optimizer.zero_grad()
        loss.backward()
        losses.append(loss.item())
    return losses


@misconception(
    "train-loss-outside",
    exercise="train",
    replaces="train",
    section="The loop",
    advice="Your train computes the loss once, before the loop. The graph of that loss is used up by the first "
    "backward pass; each step needs a forward pass with the new parameters.",
)
def train_loss_outside(optimizer, loss_of, steps):
    losses = []
    loss = loss_of()
    for _ in range(steps):
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@variant
def train_loss_outside_retained(optimizer, loss_of, steps):
    losses = []
    loss = loss_of()
    for _ in range(steps):
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()
        losses.append(loss.item())
    return losses


@misconception(
    "train-keeps-the-graphs",
    exercise="train",
    replaces="train",
    section="The loop",
    advice="Your train keeps the losses as tensors: each holds on to the graph of its whole step, so memory grows "
    "with every step. Keep their numbers.",
)
def train_keeps_the_graphs(optimizer, loss_of, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses


@misconception(
    "train-keeps-tensors",
    exercise="train",
    replaces="train",
    section="The loop",
    advice="Your train keeps the losses as tensors. They hold no graph any more, but numbers are asked for: a loss has "
    "a method that returns its number.",
)
def train_keeps_tensors(optimizer, loss_of, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses


@misconception(
    "train-loss-after-the-step",
    exercise="train",
    replaces="train",
    section="The loop",
    advice="Your train computes a second loss after each step, and keeps that one. Keep the loss that the step "
    "started from: it is there already.",
)
def train_loss_after_the_step(optimizer, loss_of, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss_of().item())
    return losses


@misconception(
    "train-too-few-steps",
    exercise="train",
    replaces="train",
    section="The loop",
    advice="Your train takes one step too few: range(1, steps) starts at 1 and stops before steps.",
)
def train_too_few_steps(optimizer, loss_of, steps):
    losses = []
    for _ in range(1, steps):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@misconception(
    "train-returns-inside",
    exercise="train",
    replaces="train",
    section="The loop",
    advice="Your train returns from inside the loop, after its first step. Indent return less.",
)
def train_returns_inside(optimizer, loss_of, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        return losses


@misconception(
    "train-returns-nothing",
    exercise="train",
    replaces="train",
    section="The loop",
    advice="Your train trains, and then returns nothing: the list of the losses is missing after the loop.",
)
def train_returns_nothing(optimizer, loss_of, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())


@misconception(
    "train-returns-the-last",
    exercise="train",
    replaces="train",
    section="The loop",
    advice="Your train returns the last loss alone; it is asked for the list of all.",
)
def train_returns_the_last(optimizer, loss_of, steps):
    for _ in range(steps):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


@misconception(
    "train-list-inside",
    exercise="train",
    replaces="train",
    section="The loop",
    advice="Your train makes a new list in every step, so that only the last loss is left in it.",
)
def train_list_inside(optimizer, loss_of, steps):
    for _ in range(steps):
        losses = []
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@misconception(
    "train-backward-on-the-function",
    exercise="train",
    replaces="train",
    section="The loop",
    advice="Your train takes loss_of for the loss. It is a function: call it, and it computes the loss.",
)
def train_backward_on_the_function(optimizer, loss_of, steps):
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss_of.backward()
        optimizer.step()
        losses.append(loss_of.item())
    return losses


@variant
def train_item_of_the_function(optimizer, loss_of, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# ---------------------------------------------------------------------- Adam


@misconception(
    "adam-no-correction",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step does not correct its running means for their start at zero: its first step is some 3.16 "
    "times too long with the usual betas.",
)
def adam_no_correction(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * m / (np.sqrt(v) + eps)


@misconception(
    "adam-corrects-the-mean-only",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step corrects the mean of the gradient for its start at zero, but not the mean of its square.",
)
def adam_corrects_the_mean_only(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * m / (1 - beta1**t) / (np.sqrt(v) + eps)


@misconception(
    "adam-corrects-the-square-only",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step corrects the mean of the squares for its start at zero, but not the mean of the gradient.",
)
def adam_corrects_the_square_only(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * m / (np.sqrt(v / (1 - beta2**t)) + eps)


@misconception(
    "adam-betas-swapped",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step has its two betas swapped: the first belongs to the mean of the gradient, the second, "
    "which remembers for longer, to the mean of its square.",
)
def adam_betas_swapped(array, grad, state, lr, betas, eps):
    beta2, beta1 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@misconception(
    "adam-old-and-new-swapped",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step multiplies the old means by 1 − beta and the new values by beta: so nearly all of what was "
    "remembered is lost at once.",
)
def adam_old_and_new_swapped(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = (1 - beta1) * state["exp_avg"] + beta1 * grad
    v = state["exp_avg_sq"] = (1 - beta2) * state["exp_avg_sq"] + beta2 * grad**2
    array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@misconception(
    "adam-eps-inside",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step adds eps under the square root; it is added to the root.",
)
def adam_eps_inside(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * (m / (1 - beta1**t)) / np.sqrt(v / (1 - beta2**t) + eps)


@misconception(
    "adam-eps-corrected",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step corrects eps together with the root: the correction belongs to the mean of the squares "
    "alone.",
)
def adam_eps_corrected(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * np.sqrt(1 - beta2**t) / (1 - beta1**t) * m / (np.sqrt(v) + eps)


@misconception(
    "adam-eps-after-division",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step divides by the root alone and adds eps to the step: the sum below the line needs brackets.",
)
def adam_eps_after_division(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    with np.errstate(invalid="ignore"):
        array -= lr * (m / (1 - beta1**t)) / np.sqrt(v / (1 - beta2**t)) + eps


@variant
def adam_adds_eps_times_rate(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    with np.errstate(invalid="ignore"):
        array -= lr * ((m / (1 - beta1**t)) / np.sqrt(v / (1 - beta2**t)) + eps)


@misconception(
    "adam-no-eps",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step leaves eps out: where a gradient has always been zero, it divides 0 by 0.",
)
def adam_no_eps(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    with np.errstate(invalid="ignore"):
        array -= lr * (m / (1 - beta1**t)) / np.sqrt(v / (1 - beta2**t))


@misconception(
    "adam-no-root",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step divides by the mean of the squares itself. Its root has the size of a gradient.",
)
def adam_no_root(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * (m / (1 - beta1**t)) / (v / (1 - beta2**t) + eps)


@misconception(
    "adam-not-squared",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step's second mean is of the gradient itself and not of its square: the root of a negative "
    "number is no number.",
)
def adam_not_squared(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad
    with np.errstate(invalid="ignore"):
        array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@misconception(
    "adam-squares-the-mean",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step squares the running mean of the gradient; the second mean is over the squares of the "
    "gradients themselves.",
)
def adam_squares_the_mean(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * m**2
    array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@misconception(
    "adam-counts-from-zero",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step counts its first step as step 0, and 1 − beta⁰ is 0: it divides by zero. Count first.",
)
def adam_counts_from_zero(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    with np.errstate(invalid="ignore", divide="ignore"):
        array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)
    state["step"] += 1


@variant
def adam_divides_a_number_by_zero(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr / (1 - beta1**t) * m / (np.sqrt(v / (1 - beta2**t)) + eps)
    state["step"] += 1


@misconception(
    "adam-count-stands-still",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step takes every step for the first: its count does not grow in state, or the power is missing, "
    "so the means are corrected as if they had just begun.",
)
def adam_count_stands_still(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    t = state["step"] + 1
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@misconception(
    "adam-beta-times-count",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step multiplies beta by the number of steps; a mean that kept the share beta t times has kept "
    "beta to the power of t.",
)
def adam_beta_times_count(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    with np.errstate(invalid="ignore"):
        array -= lr * (m / (1 - beta1 * t)) / (np.sqrt(v / (1 - beta2 * t)) + eps)


@misconception(
    "adam-keeps-the-corrected",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step keeps the corrected means in state, and corrects them again at the next step. What is kept "
    "is the mean as it runs.",
)
def adam_keeps_the_corrected(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = (beta1 * state["exp_avg"] + (1 - beta1) * grad) / (1 - beta1**t)
    v = state["exp_avg_sq"] = (beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2) / (1 - beta2**t)
    array -= lr * m / (np.sqrt(v) + eps)


@misconception(
    "adam-means-not-kept",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step does not keep its running means: `m = …` names a new array, so that the next step finds "
    "zeros in state again, or `m += …` takes the old mean away whole, for want of brackets.",
)
def adam_means_not_kept(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@variant
def adam_keeps_nothing(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    t, m, v = state["step"], state["exp_avg"], state["exp_avg_sq"]
    t += 1
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad**2
    array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@variant
def adam_takes_both_means_away(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t, m, v = state["step"], state["exp_avg"], state["exp_avg_sq"]
    m += (1 - beta1) * grad - m
    v += (1 - beta2) * grad**2 - v
    array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@variant
def adam_takes_the_mean_away(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t, m, v = state["step"], state["exp_avg"], state["exp_avg_sq"]
    m += (1 - beta1) * grad - m
    v += (1 - beta2) * (grad**2 - v)
    array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@variant
def adam_takes_the_squares_away(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t, m, v = state["step"], state["exp_avg"], state["exp_avg_sq"]
    m += (1 - beta1) * (grad - m)
    v += (1 - beta2) * grad**2 - v
    array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@misconception(
    "adam-gradient-whole",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step adds the new values in full, as momentum does. In a running mean the new one has the share "
    "1 − beta.",
)
def adam_gradient_whole(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + grad**2
    array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@misconception(
    "adam-uses-the-gradient",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step divides the gradient itself by the root; the step follows the running mean of the gradient.",
)
def adam_uses_the_gradient(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * grad / (np.sqrt(v / (1 - beta2**t)) + eps)


@misconception(
    "adam-uphill",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step goes uphill: it adds what it should subtract.",
)
def adam_uphill(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array += lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@misconception(
    "adam-makes-a-new-array",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step computes a new array and the parameter keeps its old one: change array in place, as in "
    "sgd_step.",
)
def adam_makes_a_new_array(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array = array - lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)
    return array


@misconception(
    "adam-missing-brackets",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step divides by 1 and then subtracts: without brackets, m / 1 - beta**t is (m / 1) - beta**t.",
)
def adam_missing_brackets(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    with np.errstate(invalid="ignore"):
        array -= lr * (m / 1 - beta1**t) / (np.sqrt(v / 1 - beta2**t) + eps)


@variant
def adam_missing_brackets_of_the_mean(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * (m / 1 - beta1**t) / (np.sqrt(v / (1 - beta2**t)) + eps)


@variant
def adam_missing_brackets_of_the_squares(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    with np.errstate(invalid="ignore"):
        array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / 1 - beta2**t) + eps)


@misconception(
    "adam-one-beta",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step uses one of its two betas where the other belongs: beta1 is for the mean of the gradient "
    "and its correction, beta2 for the mean of the squares and its own.",
)
def adam_one_beta(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta1 * state["exp_avg_sq"] + (1 - beta1) * grad**2
    array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta1**t)) + eps)


@variant
def adam_first_beta_for_the_squares(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta1 * state["exp_avg_sq"] + (1 - beta1) * grad**2
    array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@variant
def adam_first_beta_corrects_the_squares(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta1**t)) + eps)


@variant
def adam_second_beta_throughout(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta2 * state["exp_avg"] + (1 - beta2) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * (m / (1 - beta2**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@variant
def adam_second_beta_for_the_mean(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta2 * state["exp_avg"] + (1 - beta2) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@variant
def adam_second_beta_corrects_the_mean(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * (m / (1 - beta2**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@variant
def adam_corrections_swapped(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * (m / (1 - beta2**t)) / (np.sqrt(v / (1 - beta1**t)) + eps)


@misconception(
    "adam-divides-by-the-power",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step divides by beta to the power of t, the share of the zeros. What has been filled is the "
    "rest, 1 minus that.",
)
def adam_divides_by_the_power(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * (m / beta1**t) / (np.sqrt(v / beta2**t) + eps)


@misconception(
    "adam-adds-to-the-old",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step keeps an old mean whole and adds beta times the old one as well: where `=` belongs, "
    "there is `+=`.",
)
def adam_adds_to_the_old(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = state["exp_avg"] + beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = state["exp_avg_sq"] + beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@variant
def adam_adds_to_the_old_mean(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = state["exp_avg"] + beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@variant
def adam_adds_to_the_old_squares(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = state["exp_avg_sq"] + beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@misconception(
    "adam-never-fades",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step adds the new share to a running mean that keeps all of the old: nothing fades, and what was "
    "to be a mean is a sum.",
)
def adam_never_fades(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@variant
def adam_mean_never_fades(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@variant
def adam_squares_never_fade(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


@misconception(
    "adam-no-rate",
    exercise="adam",
    replaces="adam_step",
    section="Adam",
    advice="Your adam_step leaves out the learning rate: each step is about 1 long, and not lr.",
)
def adam_no_rate(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    array -= (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)


# ---------------------------------------------------------------------- a loop in the model


@misconception(
    "layers-if",
    exercise="layers",
    replaces="as_many_layers",
    section="A loop in the model",
    advice="Your as_many_layers asks once and applies one layer at most: that is an if. While the question is "
    "answered with yes, there is another layer.",
)
def layers_if(x, w, limit):
    h, layers = x, 0
    if (h * h).sum() < limit:
        h, layers = w @ h, layers + 1
    return h, layers


@misconception(
    "layers-at-least-one",
    exercise="layers",
    replaces="as_many_layers",
    section="A loop in the model",
    advice="Your as_many_layers applies a layer before it asks: an x that is long enough needs none.",
)
def layers_at_least_one(x, w, limit):
    h, layers = w @ x, 1
    while (h * h).sum() < limit:
        h, layers = w @ h, layers + 1
    return h, layers


@misconception(
    "layers-at-the-limit",
    exercise="layers",
    replaces="as_many_layers",
    section="A loop in the model",
    advice="Your as_many_layers goes on when the sum is equal to the limit; it should go on while the sum is less.",
)
def layers_at_the_limit(x, w, limit):
    h, layers = x, 0
    while (h * h).sum() <= limit:
        h, layers = w @ h, layers + 1
    return h, layers


@misconception(
    "layers-one-too-many",
    exercise="layers",
    replaces="as_many_layers",
    section="A loop in the model",
    advice="Your as_many_layers applies one layer more than it should: it looks at the length of h from before the "
    "layer.",
)
def layers_one_too_many(x, w, limit):
    h, layers = x, 0
    while True:
        large = (h * h).sum() >= limit
        h, layers = w @ h, layers + 1
        if large:
            return h, layers


@misconception(
    "layers-one-too-few",
    exercise="layers",
    replaces="as_many_layers",
    section="A loop in the model",
    advice="Your as_many_layers returns the h from before the last layer: the last one that is still too short.",
)
def layers_one_too_few(x, w, limit):
    h, layers = x, 0
    while (h * h).sum() < limit:
        before, h, layers = h, w @ h, layers + 1
        if (h * h).sum() >= limit:
            return before, layers - 1
    return h, layers


@misconception(
    "layers-detached",
    exercise="layers",
    replaces="as_many_layers",
    section="A loop in the model",
    advice="Your as_many_layers cuts the graph between its layers, so that only the last of them is heard of: values "
    "are right, gradients are not. Comparing h with a limit needs no detach; handing it on must not have one.",
)
def layers_detached(x, w, limit):
    h, layers = x, 0
    while (h * h).sum() < limit:
        h, layers = w @ h.detach(), layers + 1
    return h, layers


@variant
def layers_through_numpy(x, w, limit):
    h, layers = x, 0
    while (h * h).sum() < limit:
        h = minigrad.tensor(h.detach().numpy())
        h, layers = w @ h, layers + 1
    return h, layers


@misconception(
    "layers-unrecorded",
    exercise="layers",
    replaces="as_many_layers",
    section="A loop in the model",
    advice="Your as_many_layers computes its layers where nothing is recorded: the result has no graph to go back "
    "through.",
)
def layers_unrecorded(x, w, limit):
    h, layers = x, 0
    with minigrad.no_grad():
        while (h * h).sum() < limit:
            h, layers = w @ h, layers + 1
    return h, layers


@variant
def layers_of_detached(x, w, limit):
    h, layers = x.detach(), 0
    w = w.detach()
    while (h * h).sum() < limit:
        h, layers = w @ h, layers + 1
    return h, layers


@variant
def layers_result_detached(x, w, limit):
    h, layers = x, 0
    while (h * h).sum() < limit:
        h, layers = w @ h, layers + 1
    return h.detach(), layers


@misconception(
    "layers-transposed",
    exercise="layers",
    replaces="as_many_layers",
    section="A loop in the model",
    advice="Your as_many_layers multiplies from the wrong side: h @ w uses the columns of w where w @ h uses its rows.",
)
def layers_transposed(x, w, limit):
    h, layers = x, 0
    while (h * h).sum() < limit:
        h, layers = h @ w, layers + 1
    return h, layers


@misconception(
    "layers-element-by-element",
    exercise="layers",
    replaces="as_many_layers",
    section="A loop in the model",
    advice="Your as_many_layers multiplies element by element, with *. A layer is a product of matrices: w @ h.",
)
def layers_element_by_element(x, w, limit):
    h, layers = x, 0
    while (h * h).sum() < limit and layers < 100:
        h, layers = w * h, layers + 1
    return h, layers


@misconception(
    "layers-sum-of-elements",
    exercise="layers",
    replaces="as_many_layers",
    section="A loop in the model",
    advice="Your as_many_layers compares the sum of the elements with the limit; it is asked for the sum of their "
    "squares.",
)
def layers_sum_of_elements(x, w, limit):
    h, layers = x, 0
    while h.sum() < limit and layers < 100:
        h, layers = w @ h, layers + 1
    return h, layers


@misconception(
    "layers-length-itself",
    exercise="layers",
    replaces="as_many_layers",
    section="A loop in the model",
    advice="Your as_many_layers compares the length with the limit; it is asked for its square, without the root.",
)
def layers_length_itself(x, w, limit):
    h, layers = x, 0
    while (h * h).sum() ** 0.5 < limit:
        h, layers = w @ h, layers + 1
    return h, layers


@misconception(
    "layers-other-way-round",
    exercise="layers",
    replaces="as_many_layers",
    section="A loop in the model",
    advice="Your as_many_layers goes on while h is large enough; it should go on while h is too small.",
)
def layers_other_way_round(x, w, limit):
    h, layers = x, 0
    while (h * h).sum() > limit and layers < 100:
        h, layers = w @ h, layers + 1
    return h, layers


@misconception(
    "layers-pair-swapped",
    exercise="layers",
    replaces="as_many_layers",
    section="A loop in the model",
    advice="Your as_many_layers returns the pair the other way round: h comes first, then the number of layers.",
)
def layers_pair_swapped(x, w, limit):
    h, layers = x, 0
    while (h * h).sum() < limit:
        h, layers = w @ h, layers + 1
    return layers, h


@misconception(
    "layers-h-alone",
    exercise="layers",
    replaces="as_many_layers",
    section="A loop in the model",
    advice="Your as_many_layers returns h alone; it is asked for a pair, h and the number of layers.",
)
def layers_h_alone(x, w, limit):
    h = x
    while (h * h).sum() < limit:
        h = w @ h
    return h
