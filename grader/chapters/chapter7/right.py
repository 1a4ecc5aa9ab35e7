"""Right answers to chapter 7: other algebra, other orders, in place and not."""

import math

import numpy as np

import minigrad
from minigrad.rules.loss import Loss

from ...ask.right import collector

RIGHT, right = collector()

# ---------------------------------------------------------------------- mean squared error


@right(exercise="mse", replaces="MseLoss")
class MsePower(Loss):
    def forward(self, x, y, *, reduction="mean"):
        return self.reduce((x - y) ** 2, reduction)

    def backward_x(self, grad, x, y):
        return 2 * self.each(grad) * (x - y)

    def backward_y(self, grad, x, y):
        return -2 * self.each(grad) * (x - y)


@right(exercise="mse", replaces="MseLoss")
class MseExpanded(Loss):
    def forward(self, x, y, *, reduction="mean"):
        return self.reduce(x * x - 2 * x * y + y * y, reduction)

    def backward_x(self, grad, x, y):
        return self.each(grad) * (2 * x - 2 * y)

    def backward_y(self, grad, x, y):
        return -self.backward_x(grad, x, y)


@right(exercise="mse", replaces="MseLoss")
class MseKeepsTheDifference(Loss):
    def forward(self, x, y, *, reduction="mean"):
        self.difference = y - x
        return self.reduce(self.difference**2, reduction)

    def backward_x(self, grad):
        return -(self.difference + self.difference) * self.each(grad)

    def backward_y(self, grad):
        return (self.difference + self.difference) * self.each(grad)


@right(exercise="mse", replaces="MseLoss")
class MseWithCountsOfItsOwn(Loss):
    def forward(self, x, y, *, reduction="mean"):
        losses = np.square(np.abs(x - y))
        self.share = 1 / losses.size if reduction == "mean" else 1.0
        return losses if reduction == "none" else losses.sum() * self.share

    def backward_x(self, grad, x, y):
        return grad * (self.share * 2 * (x - y))

    def backward_y(self, grad, x, y):
        return grad * self.share * 2 * (y - x)


@right(exercise="mse", replaces="MseLoss")
class MseFromMinigradsMean(Loss):
    def forward(self, x, y, *, reduction="mean"):
        losses = (x - y) * (x - y)
        self.count = losses.size if reduction == "mean" else 1
        return {"mean": np.mean, "sum": np.sum, "none": np.asarray}[reduction](losses)

    def backward_x(self, grad, x, y):
        return (x - y) / self.count * grad * 2

    def backward_y(self, grad, x, y):
        return (y - x) / self.count * grad * 2


# ---------------------------------------------------------------------- SGD


@right(exercise="sgd", replaces="sgd_step")
def sgd_in_two_branches(array, grad, state, lr, momentum):
    if momentum == 0:
        array -= lr * grad
    else:
        state["momentum_buffer"] = grad + state["momentum_buffer"] * momentum
        array -= state["momentum_buffer"] * lr


@right(exercise="sgd", replaces="sgd_step")
def sgd_in_place(array, grad, state, lr, momentum):
    velocity = grad
    if momentum:
        velocity = state["momentum_buffer"]
        velocity *= momentum
        velocity += grad
    np.subtract(array, lr * velocity, out=array)


@right(exercise="sgd", replaces="sgd_step")
def sgd_element_by_element(array, grad, state, lr, momentum):
    for place in np.ndindex(array.shape):
        step = grad[place]
        if momentum:
            step = state["momentum_buffer"][place] = momentum * state["momentum_buffer"][place] + step
        array[place] -= lr * step


@right(exercise="sgd", replaces="sgd_step")
def sgd_without_a_question(array, grad, state, lr, momentum):
    velocity = state.get("momentum_buffer", 0) * momentum + grad
    state["momentum_buffer"] = velocity
    array[...] = array - lr * velocity


@right(exercise="sgd", replaces="sgd_step")
def sgd_adds_a_negative(array, grad, state, lr, momentum):
    velocity = grad.copy()
    if "momentum_buffer" in state:
        velocity += momentum * state["momentum_buffer"]
        state["momentum_buffer"] = velocity
    array += -lr * velocity


# ---------------------------------------------------------------------- clearing gradients


@right(exercise="clear-grad", replaces="clear_grad")
def clear_asks_first(p, set_to_none):
    if p.grad is None:
        return
    if not set_to_none:
        p.grad.zero_()
    else:
        p.grad = None


@right(exercise="clear-grad", replaces="clear_grad")
def clear_multiplies_in_place(p, set_to_none):
    if set_to_none:
        del p.grad
    elif p.grad is not None:
        p.grad.mul_(0).fill_(0)


@right(exercise="clear-grad", replaces="clear_grad")
def clear_through_a_name(p, set_to_none):
    grad = p.grad
    if grad is not None and not set_to_none:
        grad[...] = 0
    if set_to_none:
        p.grad = None


@right(exercise="clear-grad", replaces="clear_grad")
def clear_by_index(p, set_to_none):
    if set_to_none or p.grad is None:
        p.grad = None
    else:
        p.grad[...] = 0.0


@right(exercise="clear-grad", replaces="clear_grad")
def clear_copies_zeros(p, set_to_none):
    if set_to_none:
        p.grad = None
    elif p.grad is not None:
        p.grad.copy_(minigrad.zeros_like(p.grad))


# ---------------------------------------------------------------------- the loop


@right(exercise="train", replaces="train")
def train_clears_afterwards(optimizer, loss_of, steps):
    losses = []
    optimizer.zero_grad()
    for _ in range(steps):
        loss = loss_of()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


@right(exercise="train", replaces="train")
def train_clears_first(optimizer, loss_of, steps):
    losses = []
    while len(losses) < steps:
        optimizer.zero_grad()
        loss = loss_of()
        losses += [float(loss)]
        loss.backward()
        optimizer.step()
    return losses


@right(exercise="train", replaces="train")
def train_with_a_helper(optimizer, loss_of, steps):
    def one_step():
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        optimizer.step()
        return loss.item()

    return [one_step() for _ in range(steps)]


@right(exercise="train", replaces="train")
def train_keeps_arrays(optimizer, loss_of, steps):
    losses = [0.0] * steps
    for step in range(steps):
        loss = loss_of()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        losses[step] = loss.detach().numpy().item()
        optimizer.step()
    return losses


@right(exercise="train", replaces="train")
def train_clears_by_hand(optimizer, loss_of, steps):
    losses = []
    for _ in range(steps):
        for group in optimizer.param_groups:
            for p in group["params"]:
                p.grad = None
        loss = loss_of()
        loss.backward()
        losses.append(float(loss.detach()))
        optimizer.step()
    return losses


# ---------------------------------------------------------------------- Adam


@right(exercise="adam", replaces="adam_step")
def adam_as_in_the_paper(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    m_hat = m / (1 - beta1**t)
    v_hat = v / (1 - beta2**t)
    array -= lr * m_hat / (np.sqrt(v_hat) + eps)


@right(exercise="adam", replaces="adam_step")
def adam_in_place(array, grad, state, lr, betas, eps):
    state["step"] = t = state["step"] + 1
    for beta, name, new in zip(betas, ("exp_avg", "exp_avg_sq"), (grad, grad * grad), strict=True):
        state[name] *= beta
        state[name] += (1 - beta) * new
    change = np.sqrt(state["exp_avg_sq"])
    change /= math.sqrt(1 - betas[1] ** t)
    change += eps
    array -= state["exp_avg"] / change * (lr / (1 - betas[0] ** t))


@right(exercise="adam", replaces="adam_step")
def adam_element_by_element(array, grad, state, lr, betas, eps):
    state["step"] += 1
    for place in np.ndindex(array.shape):
        hats = []
        for beta, name, new in ((betas[0], "exp_avg", grad[place]), (betas[1], "exp_avg_sq", grad[place] ** 2)):
            state[name][place] = new + beta * (state[name][place] - new)
            hats.append(state[name][place] / (1 - beta ** state["step"]))
        array[place] -= lr * hats[0] / (math.sqrt(hats[1]) + eps)


@right(exercise="adam", replaces="adam_step")
def adam_with_one_rate(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t, m, v = state["step"], state["exp_avg"], state["exp_avg_sq"]
    m -= (1 - beta1) * (m - grad)
    v -= (1 - beta2) * (v - grad**2)
    root = math.sqrt(1 - beta2**t)
    array -= (lr * root / (1 - beta1**t)) * (m / (np.sqrt(v) + eps * root))


@right(exercise="adam", replaces="adam_step")
def adam_by_powers(array, grad, state, lr, betas, eps):
    t = state["step"] = state["step"] + 1
    state["exp_avg"] = np.add(betas[0] * state["exp_avg"], grad - betas[0] * grad)
    state["exp_avg_sq"] = np.add(betas[1] * state["exp_avg_sq"], np.square(grad) * (1 - betas[1]))
    below = (state["exp_avg_sq"] / (1 - np.power(betas[1], t))) ** 0.5 + eps
    array[...] = array - state["exp_avg"] / (1 - np.power(betas[0], t)) / below * lr


# ---------------------------------------------------------------------- a loop in the model


@right(exercise="layers", replaces="as_many_layers")
def layers_by_recursion(x, w, limit):
    if (x**2).sum() >= limit:
        return x, 0
    h, below = as_many_layers_below(w @ x, w, limit)
    return h, below + 1


def as_many_layers_below(x, w, limit):
    return layers_by_recursion(x, w, limit)


@right(exercise="layers", replaces="as_many_layers")
def layers_with_a_break(x, w, limit):
    layers = 0
    while True:
        if float((x * x).sum()) >= limit:
            break
        x = w @ x
        layers += 1
    return x, layers


@right(exercise="layers", replaces="as_many_layers")
def layers_in_a_list(x, w, limit):
    hidden = [x]
    while (hidden[-1] * hidden[-1]).sum().item() < limit:
        hidden.append(w.matmul(hidden[-1]))
    return hidden[-1], len(hidden) - 1


@right(exercise="layers", replaces="as_many_layers")
def layers_measured_outside_the_graph(x, w, limit):
    h, layers = x, 0
    while np.sum(h.detach().numpy() ** 2) < limit:
        h, layers = w @ h, layers + 1
    return h, layers


@right(exercise="layers", replaces="as_many_layers")
def layers_by_rows(x, w, limit):
    h, layers = x, 0
    while h @ h < limit:
        h = (w * h).sum(dim=1)
        layers += 1
    return [h, layers]
