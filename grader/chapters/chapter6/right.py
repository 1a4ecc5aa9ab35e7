"""Chapter 6 in other words."""

import minigrad
from minigrad.core.function import FREED
from minigrad.core.grad_mode import state
from minigrad.core.tensor import materialise, wrap

from ...ask.right import collector

RIGHT, right = collector()

# ---------------------------------------------------------------------- GradMode


@right(exercise="grad-mode", replaces="GradMode")
class WithAStack:
    def __init__(self, mode):
        self.mode = mode
        self.stack = []

    def __enter__(self):
        self.stack.append(minigrad.is_grad_enabled())
        minigrad.set_grad_enabled(self.mode)

    def __exit__(self, kind, value, trace):
        minigrad.set_grad_enabled(self.stack.pop())

    def __call__(self, function):
        def inside(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return inside


@right(exercise="grad-mode", replaces="GradMode")
class WithFinally:
    def __init__(self, mode):
        self.mode = mode

    def __enter__(self):
        self.found, state.enabled = state.enabled, self.mode
        return self

    def __exit__(self, *error):
        state.enabled = self.found
        return False

    def __call__(self, function):
        def inside(*args, **kwargs):
            found, state.enabled = state.enabled, self.mode
            try:
                return function(*args, **kwargs)
            finally:
                state.enabled = found

        return inside


@right(exercise="grad-mode", replaces="GradMode")
class WithSetGradEnabled:
    def __init__(self, mode):
        self.mode = mode

    def __enter__(self):
        self.before = minigrad.is_grad_enabled()
        minigrad.set_grad_enabled(self.mode)

    def __exit__(self, *error):
        minigrad.set_grad_enabled(self.before)

    def __call__(self, function):
        def inside(*args, **kwargs):
            with minigrad.set_grad_enabled(self.mode):
                return function(*args, **kwargs)

        return inside


@right(exercise="grad-mode", replaces="GradMode")
class WithTypeOfSelf:
    def __init__(self, mode):
        self.mode = mode
        self.before = None

    def __enter__(self):
        if self.mode:
            self.before, state.enabled = state.enabled, True
        else:
            self.before, state.enabled = state.enabled, False

    def __exit__(self, kind, value, trace):
        state.enabled = self.before
        return None

    def __call__(self, function):
        make = type(self)
        mode = self.mode

        def inside(*args, **kwargs):
            with make(mode):
                result = function(*args, **kwargs)
            return result

        return inside


@right(exercise="grad-mode", replaces="GradMode")
class EnteredByHand:
    def __init__(self, mode):
        self.mode = mode

    def __enter__(self):
        self.before = bool(state.enabled)
        state.enabled = bool(self.mode)

    def __exit__(self, *error):
        state.enabled = self.before

    def __call__(self, function):
        def inside(*args, **kwargs):
            block = EnteredByHand(self.mode)
            block.__enter__()
            try:
                return function(*args, **kwargs)
            finally:
                block.__exit__(None, None, None)

        return inside


# ---------------------------------------------------------------------- saved_tensors


@right(exercise="versions", replaces="saved_tensors")
def from_the_last_to_the_first(self):
    if self.saved is None:
        raise RuntimeError(FREED)
    changed = [triple for triple in self.versions if triple[1][0] != triple[2]]
    while changed:
        self.changed(*changed.pop())
    return self.saved


@right(exercise="versions", replaces="saved_tensors")
def gathers_first(self):
    if self.saved is None:
        raise RuntimeError(FREED)
    for suspect in [(p, counter, v) for p, counter, v in self.versions if counter[0] > v]:
        self.changed(*suspect)
    return self.saved


@right(exercise="versions", replaces="saved_tensors")
def counts_on_an_index(self):
    if self.saved is None:
        raise RuntimeError(FREED)
    for i in range(len(self.versions)):
        now, then = self.versions[i][1][0], self.versions[i][2]
        if now != then:
            self.changed(*self.versions[i])
    return self.saved


@right(exercise="versions", replaces="saved_tensors")
def skips_what_is_unchanged(self):
    if self.saved is None:
        raise RuntimeError(FREED)
    for position, counter, version in self.versions:
        if counter[0] == version:
            continue
        self.changed(position, counter, version)
    return self.saved


@right(exercise="versions", replaces="saved_tensors")
def takes_the_difference(self):
    if self.saved is None:
        raise RuntimeError(FREED)
    for triple in list(self.versions):
        position, counter, version = triple
        (now, *_) = counter
        if now - version:
            self.changed(position, counter, version)
    saved = self.saved
    return saved


# ---------------------------------------------------------------------- detach


@right(exercise="detach", replaces="detach")
def wraps_the_memory(self):
    out = wrap(materialise(self))
    out._versions = self._versions
    return out


@right(exercise="detach", replaces="detach")
def takes_data_in_one_line(self):
    out, out._versions = self.data, None
    out._versions = self._versions
    return out


@right(exercise="detach", replaces="detach")
def clears_what_data_has_not(self):
    out = self.data
    out.grad_fn = None
    out.requires_grad_(False)
    setattr(out, "_versions", self._versions)  # noqa: B010
    return out


@right(exercise="detach", replaces="detach")
def asks_data_twice(self):
    assert self.data is not None
    counter = self._versions
    out = self.data
    out._versions = counter
    return out


@right(exercise="detach", replaces="detach")
def makes_the_tensor_itself(self):
    array = materialise(self)
    out = object.__new__(minigrad.Tensor)
    out._array, out._versions = array, self._versions
    return out


# ---------------------------------------------------------------------- fine_tune


@right(exercise="frozen", replaces="fine_tune")
def flags_by_assignment(x, y, w1, b1, w2, b2):
    w1.requires_grad = b1.requires_grad = False
    hidden = (x.matmul(w1) + b1).sigmoid()
    error = y - b2 - hidden.matmul(w2)
    loss = (error * error).sum() / error.numel()
    loss.backward()
    return [hidden, loss]


@right(exercise="frozen", replaces="fine_tune")
def frozen_in_place_and_in_a_block(x, y, w1, b1, w2, b2):
    w1.detach_()
    b1.detach_()
    with minigrad.no_grad():
        hidden = (x @ w1 + b1).sigmoid()
    loss = (hidden @ w2 + b2 - y).pow(2).mean()
    minigrad.autograd.backward(loss)
    return hidden, loss


@right(exercise="frozen", replaces="fine_tune")
def one_flag_after_the_other(x, y, w1, b1, w2, b2):
    w1.requires_grad_(False)
    b1.requires_grad_(False)
    hidden = 1 / (1 + (-(x @ w1) - b1).exp())
    loss = ((hidden @ w2 + b2 - y) ** 2).mean()
    loss.backward()
    return hidden, loss


@right(exercise="frozen", replaces="fine_tune")
def freezes_again_and_clears(x, y, w1, b1, w2, b2):
    frozen = [w1, b1]
    for p in frozen:
        p.requires_grad = False
        p.grad = None
    hidden = x.matmul(w1).add(b1).sigmoid()
    z = hidden.detach().matmul(w2) + b2
    loss = (z - y).square().mean()
    loss.backward(retain_graph=True)
    return hidden, loss


@right(exercise="frozen", replaces="fine_tune")
def writes_the_gradients_itself(x, y, w1, b1, w2, b2):
    list(map(lambda p: p.requires_grad_(False), (w1, b1)))
    hidden = (x @ w1 + b1).sigmoid()
    loss = ((y - hidden @ w2 - b2) ** 2).sum() / y.numel()
    loss.backward(inputs=[w2, b2])
    return hidden, loss


# ---------------------------------------------------------------------- one_layer


@right(exercise="loud", replaces="one_layer")
def flags_afterwards(x, y, weights, bias):
    bce = minigrad.nn.functional.binary_cross_entropy_with_logits
    w, b = minigrad.tensor(weights).requires_grad_(), minigrad.tensor(bias).requires_grad_()
    z = x @ w + b
    z_det = z.detach().clone().requires_grad_()
    (bce(z, y) + bce(z_det, y)).backward()
    return [w, b, z_det]


@right(exercise="loud", replaces="one_layer")
def attributes_spelled_right(x, y, weights, bias):
    w, b = minigrad.tensor(weights), minigrad.tensor(bias)
    w.requires_grad = True
    b.requires_grad = True
    z = minigrad.matmul(x, w) + b
    loss = minigrad.nn.functional.binary_cross_entropy_with_logits(z, y)
    loss.backward()
    z_det = z.detach()
    z_det.requires_grad = True
    minigrad.nn.functional.binary_cross_entropy_with_logits(z_det, y).backward()
    return w, b, z_det


@right(exercise="loud", replaces="one_layer")
def from_numpy_and_at(x, y, weights, bias):
    bce = minigrad.nn.functional.binary_cross_entropy_with_logits
    w = minigrad.from_numpy(weights).requires_grad_()
    b = minigrad.from_numpy(bias).requires_grad_()
    z = b + x @ w
    bce(z, y).backward()
    z_det = z.data.requires_grad_()
    bce(z_det, y).backward()
    return w, b, z_det


@right(exercise="loud", replaces="one_layer")
def the_detached_first(x, y, weights, bias):
    bce = minigrad.nn.functional.binary_cross_entropy_with_logits
    w = minigrad.tensor(weights, requires_grad=True)
    b = minigrad.tensor(bias, requires_grad=True)
    z = x @ w + b
    z_det = z.detach().requires_grad_(True)
    loss_det = bce(z_det, y)
    loss_det.backward()
    loss = bce(z, y)
    loss.backward()
    return w, b, z_det


@right(exercise="loud", replaces="one_layer")
def computed_again(x, y, weights, bias):
    bce = minigrad.nn.functional.binary_cross_entropy_with_logits
    w = minigrad.tensor(weights, requires_grad=True)
    b = minigrad.tensor(bias, requires_grad=True)
    bce(x.matmul(w) + b, y).backward()
    with minigrad.no_grad():
        z_det = x.matmul(w) + b
    z_det.requires_grad_()
    bce(z_det, y).backward()
    return w, b, z_det


# ---------------------------------------------------------------------- descend and centred


@right(exercise="silent", replaces="descend")
def steps_through_data(w, x, y, rate, steps):
    losses = []
    for step in range(steps):
        if step:
            w.grad.zero_()
        error = x @ w - y
        loss = (error * error).mean()
        loss.backward()
        w.data = w.data - rate * w.grad
        losses.append(float(loss.detach()))
    return losses


@right(exercise="silent", replaces="descend")
def steps_through_detach(w, x, y, rate, steps):
    losses = []
    while len(losses) < steps:
        loss = ((y - x @ w) ** 2).sum() / y.numel()
        (slope,) = minigrad.autograd.grad(loss, w)
        losses.append(loss.item())
        w.detach().sub_(slope, alpha=rate)
    return losses


@right(exercise="silent", replaces="centred")
def reports_before_backward(x, w):
    h = (x @ w).sigmoid()
    values = h.detach().clone()
    values -= values.mean()
    (h**2).mean().backward()
    return values


@right(exercise="silent", replaces="centred")
def reports_in_a_block(x, w):
    h = minigrad.sigmoid(x @ w)
    with minigrad.no_grad():
        report = h - h.mean()
    (h * h).mean().backward()
    return report


@right(exercise="silent", replaces="descend")
def steps_in_a_block(w, x, y, rate, steps):
    losses = []
    for _ in range(steps):
        w.grad = None
        z = x @ w
        loss = (z - y).pow(2).mean()
        loss.backward()
        losses.append(loss.item())
        with minigrad.no_grad():
            w.sub_(rate * w.grad)
    return losses


@right(exercise="silent", replaces="descend")
def steps_with_the_switch(w, x, y, rate, steps):
    losses = []
    for _ in range(steps):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        losses += [loss.item()]
        minigrad.set_grad_enabled(False)
        w += -rate * w.grad
        minigrad.set_grad_enabled(True)
        w.grad.zero_()
    return losses


@right(exercise="silent", replaces="descend")
def a_step_of_its_own(w, x, y, rate, steps):
    @minigrad.no_grad()
    def step():
        w.copy_(w - rate * w.grad)
        w.grad = None

    losses = []
    for _ in range(steps):
        loss = ((y - x.matmul(w)) ** 2).mean()
        loss.backward()
        losses.append(float(loss.item()))
        step()
    return list(losses)


@right(exercise="silent", replaces="centred")
def changes_after_backward(x, w):
    h = (x @ w).sigmoid()
    loss = (h * h).mean()
    loss.backward()
    values = h.detach()
    values -= values.mean()
    return values


@right(exercise="silent", replaces="centred")
def through_data_after_backward(x, w):
    h = (x @ w).sigmoid()
    (h * h).mean().backward()
    return h.data - h.data.mean()


@right(exercise="silent", replaces="centred")
def detaches_the_report(x, w):
    h = (x @ w).sigmoid()
    report = (h - h.mean()).detach()
    (h.pow(2).sum() / h.numel()).backward()
    return report
