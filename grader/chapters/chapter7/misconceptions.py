# ruff: noqa: F401 - patches use what is imported here
"""Chapter 7's ways of being wrong: about a loss's slope, an optimizer's memory, and the order of a training loop."""

import numpy as np

import minigrad
from minigrad.rules.loss import Loss

from ...ask.bank import bank

MISCONCEPTIONS, about = bank(globals())

about("mse", "MseLoss", "Mean squared error")("""
mse-forgets-two: Your MseLoss leaves out the 2 that comes down from the square.
=backward_x(grad, x, y): self.each(grad) * (x - y)
=backward_y(grad, x, y): self.each(grad) * (y - x)

mse-forgets-count: Your MseLoss gives each element the whole gradient from above. Under a mean over N elements each
has a share of 1/N: self.each gives it that, if forward has left the mean to self.reduce.
=backward_x(grad, x, y): grad * 2 * (x - y)
=backward_y(grad, x, y): grad * 2 * (y - x)

mse-always-a-mean: Your MseLoss divides its gradients by the number of elements whatever the reduction is. Under a
sum, or without any reduction, an element has no share to divide by.
=backward_x(grad, x, y): grad * 2 * (x - y) / x.size
=backward_y(grad, x, y): grad * 2 * (y - x) / x.size

mse-signs-swapped: Your MseLoss has the signs of its gradients the wrong way round: where x is above y, a larger x
makes the loss larger, and a larger y makes it smaller.
=backward_x(grad, x, y): self.each(grad) * 2 * (y - x)
=backward_y(grad, x, y): self.each(grad) * 2 * (x - y)

mse-same-sign: Your MseLoss gives y the gradient that belongs to x. They pull in opposite directions: only their
difference counts.
=backward_y(grad, x, y): self.each(grad) * 2 * (x - y)

mse-ignores-above: Your MseLoss returns its local derivative and loses the gradient that arrives from above.
=backward_x(x, y): 2 * (x - y) / self.count
=backward_y(x, y): 2 * (y - x) / self.count
or
=backward_x(grad, x, y): 2 * (x - y) / self.count
=backward_y(grad, x, y): 2 * (y - x) / self.count

mse-not-squared: Your MseLoss takes the size of each difference and not its square.
|class MseLoss(Loss):
|    def forward(self, x, y, *, reduction='mean'):
|        return self.reduce(np.abs(x - y), reduction)
|    def backward_x(self, grad, x, y):
|        return self.each(grad) * np.sign(x - y)
|    def backward_y(self, grad, x, y):
|        return self.each(grad) * np.sign(y - x)
or
=forward(x, y, *, reduction='mean'): self.reduce(np.abs(x - y), reduction)

mse-without-reduce: Your MseLoss ends in the same way whichever reduction is asked for, and self.each does not know
how many elements there were. Hand the losses of all elements, and reduction, to self.reduce.
=forward(x, y, *, reduction='mean'): ((x - y) ** 2).mean()
or
=forward(x, y, *, reduction='mean'): (x - y) ** 2

mse-fixed-reduction: Your MseLoss always takes the mean, whatever reduction is asked for: hand reduction on to
self.reduce.
-        return self.reduce(difference * difference, reduction)
+        return self.reduce(difference * difference, 'mean')

mse-half: Your MseLoss is half of the mean square: some books put a 1/2 in front so that the 2 goes away. This one has
none.
|class MseLoss(Loss):
|    def forward(self, x, y, *, reduction='mean'):
|        return self.reduce((x - y) ** 2 / 2, reduction)
|    def backward_x(self, grad, x, y):
|        return self.each(grad) * (x - y)
|    def backward_y(self, grad, x, y):
|        return self.each(grad) * (y - x)

mse-square-of-mean: Your MseLoss squares the mean of the differences, where those above and below cancel. Square each
one first.
=forward(x, y, *, reduction='mean'): self.reduce(x - y, reduction) ** 2

mse-squares-y-alone: Your forward squares y alone, because ** binds tighter than -. Put the difference in brackets.
=forward(x, y, *, reduction='mean'): self.reduce(x - y ** 2, reduction)

mse-root: Your MseLoss takes the root of the mean square in the end; the mean squared error stays squared.
=forward(x, y, *, reduction='mean'): np.sqrt(self.reduce((x - y) ** 2, reduction))

mse-target-without-gradient: Your MseLoss leaves y without a gradient, or with zeros for one. A target seldom needs a
gradient, but a loss has two equal inputs: y's gradient goes the other way.
=backward_y(grad, x, y): 0 * (y - x)

mse-divides-twice: Your MseLoss divides by the number of elements once too often: self.reduce and self.each do it
already, where the reduction is a mean.
=backward_x(grad, x, y): self.each(grad) * 2 * (x - y) / x.size
=backward_y(grad, x, y): self.each(grad) * 2 * (y - x) / x.size
or
=backward_x(grad, x, y): self.each(grad) * 2 * (x - y) / self.count
=backward_y(grad, x, y): self.each(grad) * 2 * (y - x) / self.count
or
-        return self.reduce(difference * difference, reduction)
+        return self.reduce(difference * difference, reduction) / x.size
or
-        return self.reduce(difference * difference, reduction)
+        return self.reduce(difference * difference, reduction) / x.size
@
-        return self.each(grad) * 2 * (x - y)
+        return self.each(grad) * 2 * (x - y) / x.size
@
-        return self.each(grad) * 2 * (y - x)
+        return self.each(grad) * 2 * (y - x) / x.size
""")

about("sgd", "sgd_step", "A step downhill")("""
sgd-uphill: Your sgd_step goes uphill: the gradient points to where the loss grows, so a step is taken against it.
-    array -= lr * velocity
+    array += lr * velocity

sgd-no-rate: Your sgd_step leaves out the learning rate: it moves by the whole velocity, however steep the place is.
-    array -= lr * velocity
+    array -= velocity

sgd-steps-by-momentum: Your sgd_step has momentum where the learning rate belongs. lr says how far the array moves
along the velocity; momentum says how much of the old velocity stays.
-    array -= lr * velocity
+    array -= momentum * velocity
or
-    velocity = grad
@
-    array -= lr * velocity
+        array -= momentum * velocity
+    else:
+        array -= lr * grad

sgd-fades-by-the-rate: Your sgd_step lets the old velocity fade by the learning rate. How much of it stays is what
momentum says; lr is for the step alone.
-        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
+        velocity = state['momentum_buffer'] = lr * state['momentum_buffer'] + grad

sgd-rate-and-momentum-swapped: Your sgd_step has lr and momentum in each other's places: lr belongs to the step,
momentum to the old velocity.
-        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
-    array -= lr * velocity
+        velocity = state['momentum_buffer'] = lr * state['momentum_buffer'] + grad
+    array -= momentum * velocity
or
|def sgd_step(array, grad, state, lr, momentum):
|    if momentum:
|        velocity = state['momentum_buffer'] = lr * state['momentum_buffer'] + grad
|        array -= momentum * velocity
|    else:
|        array -= lr * grad

sgd-makes-a-new-array: Your sgd_step leaves the parameter's array as it was. Does it say `array = …`? That only gives
your name to something else: change the array that the parameter holds, in place.
-    array -= lr * velocity
+    array = array - lr * velocity
+    return array

sgd-always-a-velocity: Your sgd_step looks for a velocity even when momentum is 0. Then the optimizer keeps none:
state is empty.
|def sgd_step(array, grad, state, lr, momentum):
|    velocity = state['momentum_buffer'] = momentum * state['momentum_buffer'] + grad
|    array -= lr * velocity

sgd-velocity-not-kept: Your sgd_step has no memory: the velocity is not used, or not put back into
state["momentum_buffer"], so that the next step finds the zeros of the start.
-        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
+        velocity = momentum * state['momentum_buffer'] + grad

sgd-keeps-the-gradient: Your sgd_step keeps the last gradient instead of the velocity, so it remembers one step and no
further.
-        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
+        velocity = momentum * state['momentum_buffer'] + grad
+        state['momentum_buffer'] = grad.copy()

sgd-momentum-on-the-gradient: Your sgd_step multiplies the new gradient by momentum. It is the old velocity that
fades; the gradient comes in whole.
-        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
+        velocity = state['momentum_buffer'] = state['momentum_buffer'] + momentum * grad

sgd-running-mean: Your sgd_step takes a running mean: it scales the new gradient by 1 − momentum. Here the velocity is
a sum, and the gradient comes in whole.
-        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
+        velocity = state['momentum_buffer'] = momentum * state['momentum_buffer'] + (1 - momentum) * grad

sgd-velocity-never-fades: Your sgd_step adds up all gradients and lets none of them fade: the old velocity has to be
multiplied by momentum.
-        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
+        velocity = state['momentum_buffer'] = state['momentum_buffer'] + grad

sgd-rate-in-the-velocity: Your sgd_step puts the learning rate into the velocity. As long as lr stays the same the steps
are the same; when it changes, the old steps keep the old one.
|def sgd_step(array, grad, state, lr, momentum):
|    velocity = lr * grad
|    if momentum:
|        velocity = state['momentum_buffer'] = momentum * state['momentum_buffer'] + lr * grad
|    array -= velocity

sgd-rate-twice: Your sgd_step multiplies by the learning rate twice, in the velocity and in the step.
-    velocity = grad
+    velocity = lr * grad
@
-        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
+        velocity = state['momentum_buffer'] = momentum * state['momentum_buffer'] + lr * grad

sgd-changes-the-gradient: Your sgd_step changes grad itself: it is the parameter's .grad, which backward adds to and
which others want to read. A second name, as in `velocity = grad`, makes no second array.
|def sgd_step(array, grad, state, lr, momentum):
|    if momentum:
|        grad += momentum * state['momentum_buffer']
|        state['momentum_buffer'] = grad.copy()
|    grad *= lr
|    array -= grad
or
|def sgd_step(array, grad, state, lr, momentum):
|    if momentum:
|        grad += momentum * state['momentum_buffer']
|        state['momentum_buffer'] = grad.copy()
|    array -= lr * grad
or
-        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
+        velocity += momentum * state['momentum_buffer']
+        state['momentum_buffer'] = velocity

sgd-looks-ahead: Your sgd_step lets the new velocity fade once more and adds the gradient to it again, as Nesterov's
variant does. Step by the velocity itself.
-        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
+        state['momentum_buffer'] = momentum * state['momentum_buffer'] + grad
+        velocity = grad + momentum * state['momentum_buffer']

sgd-old-velocity: Your sgd_step moves by the old velocity and updates it only afterwards, so it is always one gradient
late.
-        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
+        velocity = state['momentum_buffer']
+        state['momentum_buffer'] = momentum * velocity + grad

sgd-steps-by-the-gradient: Your sgd_step keeps a velocity and then steps by the gradient alone: what is remembered
moves nothing.
|def sgd_step(array, grad, state, lr, momentum):
|    if momentum:
|        state['momentum_buffer'] = momentum * state['momentum_buffer'] + grad
|    array -= lr * grad

sgd-gradient-turned-round: Your sgd_step takes the gradient from the velocity where it should add it: the velocity is
a sum of gradients, and the minus belongs to the step alone.
-        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
+        velocity = state['momentum_buffer'] = momentum * state['momentum_buffer'] - grad
or
|def sgd_step(array, grad, state, lr, momentum):
|    if momentum:
|        velocity = state['momentum_buffer'] = momentum * state['momentum_buffer'] - grad
|        array += lr * velocity
|    else:
|        array -= lr * grad

sgd-another-name: The steps of your sgd_step are right, but it keeps its velocity in a place of its own:
state["momentum_buffer"], where everybody looks for it, stays at zero.
-        velocity = state["momentum_buffer"] = momentum * state["momentum_buffer"] + grad
+        velocity = state['velocity'] = momentum * state.get('velocity', 0) + grad
""")

about("clear-grad", "clear_grad", "Clearing the gradients")("""
clear-always-zeros: Your clear_grad always writes zeros. When set_to_none is true, p.grad has to be None: an optimizer
moves a parameter whose gradient is zero, and leaves one alone that has none.
|def clear_grad(p, set_to_none):
|    if p.grad is not None:
|        p.grad.zero_()

clear-always-none: Your clear_grad sets p.grad to None even when set_to_none is False; then zeros were asked for.
|def clear_grad(p, set_to_none):
|    p.grad = None

clear-other-way-round: Your clear_grad has the two cases the wrong way round: set_to_none says when p.grad becomes
None.
-    if set_to_none:
+    if not set_to_none:

clear-stumbles-over-none: Your clear_grad asks None to fill itself with zeros. Where p has no gradient yet, there is
nothing to clear.
-    elif p.grad is not None:
+    else:

clear-makes-new-zeros: Your clear_grad puts a new tensor in the gradient's place. Whoever holds the old one goes on
reading old numbers: fill the tensor that is there with zeros.
-        p.grad.zero_()
+        p.grad = minigrad.zeros_like(p.grad)
or
-        p.grad.zero_()
+        p.grad = p.grad * 0

clear-zeros-where-none-was: Your clear_grad gives zeros to a parameter that had no gradient. None says that no
backward pass reached it.
-    elif p.grad is not None:
+    elif p.grad is None:
+        p.grad = minigrad.zeros_like(p)
+    else:

clear-name-only: Your clear_grad leaves p.grad as it was where set_to_none is True. Only an assignment to p.grad makes
it None: a name of your own does not, nor does `==`.
|def clear_grad(p, set_to_none):
|    grad = p.grad
|    if set_to_none:
|        grad = None
|    elif grad is not None:
|        grad.zero_()

clear-zeros-the-parameter: Your clear_grad fills the parameter itself with zeros, and with it all that was learned.
-    elif p.grad is not None:
-        p.grad.zero_()
+    else:
+        p.detach().zero_()
or
-    elif p.grad is not None:
-        p.grad.zero_()
+    else:
+        p.zero_()

clear-multiplies: Your clear_grad multiplies the gradient by 0. Infinity times 0 is no number: fill it with zeros, as
zero_ does.
-        p.grad.zero_()
+        p.grad.mul_(0)

clear-nothing: Your clear_grad leaves the numbers of a gradient as they are where zeros are asked for. A method
without parentheses, as in zero_, is not called.
-        p.grad.zero_()
+        p.grad.zero_
""")

TRAIN = """
def train(optimizer, loss_of, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
"""

about("train", "train", "The loop", TRAIN)("""
train-no-zero-grad: Your train does not clear the gradients between its steps: each backward pass adds to those of all
steps before, and the steps overshoot.
-        optimizer.zero_grad()
or
     losses = []
+    optimizer.zero_grad()
@
-        optimizer.zero_grad()
or
-        optimizer.zero_grad()
+        optimizer.zero_grad

train-clears-at-the-end: Your train does not clear the gradients before its first step: those that the parameters have
from before train go into it.
-        optimizer.zero_grad()
@
         optimizer.step()
+        optimizer.zero_grad()
or
-        optimizer.zero_grad()
@
         losses.append(loss.item())
+        optimizer.zero_grad()

train-never-moves: Your train never moves a parameter: when step is called there is no gradient, because none was
computed yet or because it was cleared again, or step is not called at all.
|def train(optimizer, loss_of, steps):
|    losses = []
|    for _ in range(steps):
|        loss = loss_of()
|        loss.backward()
|        optimizer.zero_grad()
|        optimizer.step()
|        losses.append(loss.item())
|    return losses
or
|def train(optimizer, loss_of, steps):
|    return [loss_of().item() for _ in range(steps)]

train-step-too-early: Your train takes each step before the backward pass, with the gradient of the step before: it is
always one late.
|def train(optimizer, loss_of, steps):
|    losses = []
|    for _ in range(steps):
|        loss = loss_of()
|        optimizer.step()
|        optimizer.zero_grad()
|        loss.backward()
|        losses.append(loss.item())
|    return losses

train-loss-outside: Your train goes back through the same loss more than once. Is it computed before the loop? Each
step needs a loss of its own, from a forward pass with the new parameters.
     losses = []
+    loss = loss_of()
@
-        loss = loss_of()
or
     losses = []
+    loss = loss_of()
@
-        loss = loss_of()
@
-        loss.backward()
+        loss.backward(retain_graph=True)

train-keeps-the-graphs: Your train keeps the losses as tensors: each holds on to the graph of its whole step, so
memory grows with every step. Keep their numbers.
-        losses.append(loss.item())
+        losses.append(loss)

train-keeps-tensors: Your train keeps the losses as tensors. They hold no graph any more, but numbers are asked for: a
loss has a method that returns its number.
-        losses.append(loss.item())
+        losses.append(loss.detach())

train-loss-after-the-step: Your train computes a second loss after each step, and keeps that one. Keep the loss that
the step started from: it is there already.
-        losses.append(loss.item())
+        losses.append(loss_of().item())

train-loss-twice: Your train calls loss_of twice a step, once for the list and once to go back from. A call may take
other rows than the last: one call a step does both.
-        loss = loss_of()
+        losses.append(loss_of().item())
+        loss = loss_of()
@
-        losses.append(loss.item())

train-stops-early: Your train takes fewer steps where the loss no longer falls. Take each of them, whatever the loss
does.
-        losses.append(loss.item())
+        losses.append(loss.item())
+        if len(losses) > 1 and losses[-1] >= losses[-2]:
+            break
or
-        losses.append(loss.item())
+        losses.append(loss.item())
+        if len(losses) > 3 and min(losses[-3:]) >= min(losses[:-3]):
+            break

train-too-few-steps: Your train takes one step too few. A loop over range(1, steps) starts at 1 and stops before
steps.
-    for _ in range(steps):
+    for _ in range(1, steps):

train-too-many-steps: Your train takes one step too many. A loop over range(steps) runs steps times.
-    for _ in range(steps):
+    for _ in range(steps + 1):

train-returns-inside: Your train returns after its first step, as from inside the loop. Indent return less.
-    return losses
+        return losses

train-returns-nothing: Your train trains, and then returns nothing: end it by returning the list of the losses.
-    return losses

train-returns-the-last: Your train returns the last loss alone; it is asked for the list of all.
-    losses = []
@
-        losses.append(loss.item())
-    return losses
+    return loss.item()

train-list-inside: The list that your train returns holds the last loss alone, as one does that is made anew in every
step.
-    losses = []
@
     for _ in range(steps):
+        losses = []

train-backward-on-the-function: Your train takes loss_of for the loss. It is a function: call it, and it computes the
loss.
-        loss = loss_of()
@
-        loss.backward()
+        loss_of.backward()
@
-        losses.append(loss.item())
+        losses.append(loss_of.item())
or
-        loss = loss_of()
+        loss = loss_of
""")

ADAM_STEP_WRITTEN_OUT = """
def adam_step(array, grad, state, lr, betas, eps):
    beta1, beta2 = betas
    state["step"] += 1
    t = state["step"]
    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
    m_hat = m / (1 - beta1**t)
    v_hat = v / (1 - beta2**t)
    array -= lr * m_hat / (np.sqrt(v_hat) + eps)
"""

about("adam", "adam_step", "Adam", ADAM_STEP_WRITTEN_OUT)("""
adam-no-correction: Your adam_step does not correct its running means for their start at zero: its first step is some
3.16 times too long with the usual betas.
-    m_hat = m / (1 - beta1**t)
-    v_hat = v / (1 - beta2**t)
+    m_hat, v_hat = m, v

adam-betas-swapped: Your adam_step has its two betas swapped: the first belongs to the mean of the gradient, the
second, which remembers for longer, to the mean of its square.
-    beta1, beta2 = betas
+    beta2, beta1 = betas

adam-old-and-new-swapped: Your adam_step multiplies the old means by 1 − beta and the new values by beta: so nearly
all of what was remembered is lost at once.
-    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
+    m = state["exp_avg"] = (1 - beta1) * state["exp_avg"] + beta1 * grad
@
-    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
+    v = state["exp_avg_sq"] = (1 - beta2) * state["exp_avg_sq"] + beta2 * grad**2

adam-counts-from-zero: Your adam_step counts its first step as step 0, and 1 − beta⁰ is 0: it divides by zero. Count
first.
|def adam_step(array, grad, state, lr, betas, eps):
|    beta1, beta2 = betas
|    t = state['step']
|    m = state['exp_avg'] = beta1 * state['exp_avg'] + (1 - beta1) * grad
|    v = state['exp_avg_sq'] = beta2 * state['exp_avg_sq'] + (1 - beta2) * grad ** 2
|    with np.errstate(invalid='ignore', divide='ignore'):
|        array -= lr * (m / (1 - beta1 ** t)) / (np.sqrt(v / (1 - beta2 ** t)) + eps)
|    state['step'] += 1
or
|def adam_step(array, grad, state, lr, betas, eps):
|    beta1, beta2 = betas
|    t = state['step']
|    m = state['exp_avg'] = beta1 * state['exp_avg'] + (1 - beta1) * grad
|    v = state['exp_avg_sq'] = beta2 * state['exp_avg_sq'] + (1 - beta2) * grad ** 2
|    array -= lr / (1 - beta1 ** t) * m / (np.sqrt(v / (1 - beta2 ** t)) + eps)
|    state['step'] += 1

adam-count-stands-still: Your adam_step takes every step for the first: its count does not grow in state, or the power
is missing, so the means are corrected as if they had just begun.
-    state["step"] += 1
-    t = state["step"]
+    t = state["step"] + 1

adam-keeps-the-corrected: Your adam_step keeps a corrected mean in state, and corrects it again at the next step.
What is kept is the mean as it runs.
-    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
+    m = state["exp_avg"] = (beta1 * state["exp_avg"] + (1 - beta1) * grad) / (1 - beta1**t)
@
-    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
+    v = state["exp_avg_sq"] = (beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2) / (1 - beta2**t)
@
-    m_hat = m / (1 - beta1**t)
+    m_hat = m
@
-    v_hat = v / (1 - beta2**t)
+    v_hat = v
or
-    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
+    m = state["exp_avg"] = (beta1 * state["exp_avg"] + (1 - beta1) * grad) / (1 - beta1**t)
@
-    m_hat = m / (1 - beta1**t)
+    m_hat = m
or
-    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
+    v = state["exp_avg_sq"] = (beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2) / (1 - beta2**t)
@
-    v_hat = v / (1 - beta2**t)
+    v_hat = v

adam-means-not-kept: In your adam_step nothing of an old running mean is left in the new one, as if state held zeros
at each step. Store each new mean in state, with beta times the old one in it.
-    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
+    m = beta1 * state["exp_avg"] + (1 - beta1) * grad
@
-    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
+    v = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
or
-    state["step"] += 1
-    t = state["step"]
+    t = state["step"] + 1
@
-    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
+    m = beta1 * state["exp_avg"] + (1 - beta1) * grad
@
-    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
+    v = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
or
-    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
+    m = state["exp_avg"]
+    m += (1 - beta1) * grad - m
@
-    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
+    v = state["exp_avg_sq"]
+    v += (1 - beta2) * grad**2 - v
or
-    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
+    m = state["exp_avg"]
+    m += (1 - beta1) * grad - m
or
-    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
+    v = state["exp_avg_sq"]
+    v += (1 - beta2) * grad**2 - v

adam-gradient-whole: Your adam_step adds the new values in full, as momentum does. In a running mean the new one has
the share 1 − beta.
-    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
+    m = state["exp_avg"] = beta1 * state["exp_avg"] + grad
@
-    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
+    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + grad**2

adam-uses-the-gradient: Your adam_step divides the gradient itself by the root; the step follows the running mean of
the gradient.
-    m_hat = m / (1 - beta1**t)
+    m_hat = grad

adam-betas-hard-coded: Your adam_step has its own betas, 0.9 and 0.999, whatever betas says.
-    beta1, beta2 = betas
+    beta1, beta2 = 0.9, 0.999

adam-eps-hard-coded: Your adam_step adds an eps of its own, whatever eps says.
-    array -= lr * m_hat / (np.sqrt(v_hat) + eps)
+    array -= lr * m_hat / (np.sqrt(v_hat) + 1e-8)

adam-one-size: Your adam_step takes one root for the whole parameter. Each of its numbers has a mean of squares of its
own, and so a step of its own.
-    array -= lr * m_hat / (np.sqrt(v_hat) + eps)
+    array -= lr * m_hat / (np.sqrt(v_hat.mean()) + eps)
or
-    array -= lr * m_hat / (np.sqrt(v_hat) + eps)
+    array -= lr * m_hat / (np.sqrt(v_hat).mean() + eps)

adam-variance: Your adam_step keeps the mean of (grad − m)², a variance. What is kept is the mean of grad² itself.
-    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
+    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * (grad - m) ** 2

adam-squares-the-distance: Your adam_step squares how far the gradient is from v. What v follows is grad²: square the
gradient alone, and let v go a share of the way from where it is to that.
-    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
+    v = state["exp_avg_sq"]
+    v += (1 - beta2) * (grad - v) ** 2
or
-    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
+    v = state["exp_avg_sq"]
+    v = state["exp_avg_sq"] = beta2 * v + (1 - beta2) * (grad - v) ** 2

adam-corrects-the-mean-only: Your adam_step corrects the mean of the gradient for its start at zero, but not the mean
of its square.
-    v_hat = v / (1 - beta2**t)
+    v_hat = v

adam-corrects-the-square-only: Your adam_step corrects the mean of the squares for its start at zero, but not the mean
of the gradient.
-    m_hat = m / (1 - beta1**t)
+    m_hat = m

adam-eps-inside: Your adam_step adds eps under the square root; it is added to the root.
-    array -= lr * m_hat / (np.sqrt(v_hat) + eps)
+    array -= lr * m_hat / np.sqrt(v_hat + eps)

adam-eps-corrected: Your adam_step corrects eps together with the root: the correction belongs to the mean of the
squares alone.
-    array -= lr * m_hat / (np.sqrt(v_hat) + eps)
+    array -= lr * m_hat / (np.sqrt(v_hat) + eps / np.sqrt(1 - beta2**t))

adam-eps-after-division: Your adam_step divides by the root alone and adds eps to the step: the sum below the line
needs brackets.
-    array -= lr * m_hat / (np.sqrt(v_hat) + eps)
+    with np.errstate(invalid="ignore"):
+        array -= lr * m_hat / np.sqrt(v_hat) + eps
or
-    array -= lr * m_hat / (np.sqrt(v_hat) + eps)
+    with np.errstate(invalid="ignore"):
+        array -= lr * (m_hat / np.sqrt(v_hat) + eps)

adam-no-eps: Your adam_step leaves eps out: where a gradient has always been zero, it divides 0 by 0.
-    array -= lr * m_hat / (np.sqrt(v_hat) + eps)
+    with np.errstate(invalid="ignore"):
+        array -= lr * m_hat / np.sqrt(v_hat)

adam-no-root: Your adam_step divides by the mean of the squares itself. Its root has the size of a gradient.
-    array -= lr * m_hat / (np.sqrt(v_hat) + eps)
+    array -= lr * m_hat / (v_hat + eps)

adam-not-squared: Your adam_step's second mean is of the gradient itself and not of its square: the root of a negative
number is no number.
-    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
+    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad
@
-    array -= lr * m_hat / (np.sqrt(v_hat) + eps)
+    with np.errstate(invalid="ignore"):
+        array -= lr * m_hat / (np.sqrt(v_hat) + eps)

adam-squares-the-mean: Your adam_step squares the running mean of the gradient; the second mean is over the squares of
the gradients themselves.
-    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
+    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * m**2

adam-beta-times-count: Your adam_step multiplies beta by the number of steps; a mean that kept the share beta t times
has kept beta to the power of t.
-    m_hat = m / (1 - beta1**t)
+    m_hat = m / (1 - beta1 * t)
@
-    v_hat = v / (1 - beta2**t)
+    v_hat = v / (1 - beta2 * t)
@
-    array -= lr * m_hat / (np.sqrt(v_hat) + eps)
+    with np.errstate(invalid="ignore"):
+        array -= lr * m_hat / (np.sqrt(v_hat) + eps)

adam-uphill: Your adam_step goes uphill: it adds what it should subtract.
-    array -= lr * m_hat / (np.sqrt(v_hat) + eps)
+    array += lr * m_hat / (np.sqrt(v_hat) + eps)

adam-makes-a-new-array: Your adam_step leaves the parameter's array as it was: change array in place, as in sgd_step.
-    array -= lr * m_hat / (np.sqrt(v_hat) + eps)
+    array = array - lr * m_hat / (np.sqrt(v_hat) + eps)
+    return array

adam-missing-brackets: Your adam_step divides by 1 and then subtracts: without brackets, m / 1 - beta**t is (m / 1) -
beta**t.
-    m_hat = m / (1 - beta1**t)
+    m_hat = m / 1 - beta1**t
@
-    v_hat = v / (1 - beta2**t)
+    v_hat = v / 1 - beta2**t
@
-    array -= lr * m_hat / (np.sqrt(v_hat) + eps)
+    with np.errstate(invalid="ignore"):
+        array -= lr * m_hat / (np.sqrt(v_hat) + eps)
or
-    m_hat = m / (1 - beta1**t)
+    m_hat = m / 1 - beta1**t
or
-    v_hat = v / (1 - beta2**t)
+    v_hat = v / 1 - beta2**t
@
-    array -= lr * m_hat / (np.sqrt(v_hat) + eps)
+    with np.errstate(invalid="ignore"):
+        array -= lr * m_hat / (np.sqrt(v_hat) + eps)

adam-one-beta: Your adam_step uses one of its two betas where the other belongs: beta1 is for the mean of the gradient
and its correction, beta2 for the mean of the squares and its own.
-    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
+    v = state["exp_avg_sq"] = beta1 * state["exp_avg_sq"] + (1 - beta1) * grad**2
@
-    v_hat = v / (1 - beta2**t)
+    v_hat = v / (1 - beta1**t)
or
-    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
+    v = state["exp_avg_sq"] = beta1 * state["exp_avg_sq"] + (1 - beta1) * grad**2
or
-    v_hat = v / (1 - beta2**t)
+    v_hat = v / (1 - beta1**t)
or
-    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
+    m = state["exp_avg"] = beta2 * state["exp_avg"] + (1 - beta2) * grad
@
-    m_hat = m / (1 - beta1**t)
+    m_hat = m / (1 - beta2**t)
or
-    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
+    m = state["exp_avg"] = beta2 * state["exp_avg"] + (1 - beta2) * grad
or
-    m_hat = m / (1 - beta1**t)
+    m_hat = m / (1 - beta2**t)
or
-    m_hat = m / (1 - beta1**t)
+    m_hat = m / (1 - beta2**t)
@
-    v_hat = v / (1 - beta2**t)
+    v_hat = v / (1 - beta1**t)

adam-divides-by-the-power: Your adam_step divides by beta to the power of t, the share of the zeros. What has been
filled is the rest, 1 minus that.
-    m_hat = m / (1 - beta1**t)
+    m_hat = m / beta1**t
@
-    v_hat = v / (1 - beta2**t)
+    v_hat = v / beta2**t

adam-adds-to-the-old: Your adam_step keeps an old mean whole and adds beta times the old one as well, as where `+=`
stands for `=`.
-    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
+    m = state["exp_avg"] = state["exp_avg"] + beta1 * state["exp_avg"] + (1 - beta1) * grad
@
-    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
+    v = state["exp_avg_sq"] = state["exp_avg_sq"] + beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
or
-    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
+    m = state["exp_avg"] = state["exp_avg"] + beta1 * state["exp_avg"] + (1 - beta1) * grad
or
-    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
+    v = state["exp_avg_sq"] = state["exp_avg_sq"] + beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2

adam-never-fades: Your adam_step adds the new share to a running mean that keeps all of the old: nothing fades, and
what was to be a mean is a sum.
-    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
+    m = state["exp_avg"] = state["exp_avg"] + (1 - beta1) * grad
@
-    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
+    v = state["exp_avg_sq"] = state["exp_avg_sq"] + (1 - beta2) * grad**2
or
-    m = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * grad
+    m = state["exp_avg"] = state["exp_avg"] + (1 - beta1) * grad
or
-    v = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad**2
+    v = state["exp_avg_sq"] = state["exp_avg_sq"] + (1 - beta2) * grad**2

adam-no-rate: Your adam_step leaves out the learning rate: each step is about 1 long, and not lr.
-    array -= lr * m_hat / (np.sqrt(v_hat) + eps)
+    array -= m_hat / (np.sqrt(v_hat) + eps)
""")

AS_MANY_LAYERS_WRITTEN_OUT = """
def as_many_layers(x, w, limit):
    h, layers = x, 0
    while np.sum(h.detach().numpy() ** 2) < limit:
        h, layers = w @ h, layers + 1
    return h, layers
"""

about("layers", "as_many_layers", "A loop in the model", AS_MANY_LAYERS_WRITTEN_OUT)("""
layers-if: Your as_many_layers applies one layer at most, as an if does. While the question is answered with yes,
there is another layer.
-    while np.sum(h.detach().numpy() ** 2) < limit:
+    if (h * h).sum() < limit:

layers-at-least-one: Your as_many_layers applies a layer before it asks: an x that is long enough needs none.
-    h, layers = x, 0
-    while np.sum(h.detach().numpy() ** 2) < limit:
+    h, layers = (w @ x, 1)
+    while (h * h).sum() < limit:

layers-at-the-limit: Your as_many_layers goes on when the sum is equal to the limit; it should go on while the sum is
less.
-    while np.sum(h.detach().numpy() ** 2) < limit:
+    while (h * h).sum() <= limit:

layers-unrecorded: The h of your as_many_layers has no graph to go back through. Were its layers not recorded, or was
something detached? Compute h from x and w themselves, by w @ h.
-    while np.sum(h.detach().numpy() ** 2) < limit:
-        h, layers = w @ h, layers + 1
+    with minigrad.no_grad():
+        while (h * h).sum() < limit:
+            h, layers = (w @ h, layers + 1)
or
-    h, layers = x, 0
-    while np.sum(h.detach().numpy() ** 2) < limit:
+    h, layers = (x.detach(), 0)
+    w = w.detach()
+    while (h * h).sum() < limit:
or
-    while np.sum(h.detach().numpy() ** 2) < limit:
+    while (h * h).sum() < limit:
@
-    return h, layers
+    return (h.detach(), layers)

layers-element-by-element: Your as_many_layers multiplies element by element, with *. A layer is a product of
matrices: w @ h.
-    while np.sum(h.detach().numpy() ** 2) < limit:
-        h, layers = w @ h, layers + 1
+    while (h * h).sum() < limit and layers < 100:
+        h, layers = (w * h, layers + 1)

layers-sum-of-elements: Your as_many_layers compares the sum of the elements with the limit; it is asked for the sum
of their squares.
-    while np.sum(h.detach().numpy() ** 2) < limit:
+    while h.sum() < limit and layers < 100:

layers-length-itself: Your as_many_layers compares the length with the limit; it is asked for its square, without the
root.
-    while np.sum(h.detach().numpy() ** 2) < limit:
+    while (h * h).sum() ** 0.5 < limit:

layers-other-way-round: Your as_many_layers goes on while h is large enough; it should go on while h is too small.
-    while np.sum(h.detach().numpy() ** 2) < limit:
+    while (h * h).sum() > limit and layers < 100:
""")

AS_MANY_LAYERS = """
def as_many_layers(x, w, limit):
    h, layers = x, 0
    while (h * h).sum() < limit:
        h = w @ h
        layers += 1
    return h, layers
"""

about("layers", "as_many_layers", "A loop in the model", AS_MANY_LAYERS)("""
layers-one-too-many: Your as_many_layers applies one layer more than it should, as one does that looks at the length
of h from before the layer.
|def as_many_layers(x, w, limit):
|    h, layers = (x, 0)
|    while True:
|        large = (h * h).sum() >= limit
|        h, layers = (w @ h, layers + 1)
|        if large:
|            return (h, layers)

layers-one-too-few: Your as_many_layers returns the h from before the last layer: the last one that is still too
short.
-        h = w @ h
-        layers += 1
+        before, h, layers = (h, w @ h, layers + 1)
+        if (h * h).sum() >= limit:
+            return (before, layers - 1)

layers-detached: Your as_many_layers cuts the graph between its layers, so that only the last of them is heard of:
values are right, gradients are not. Comparing h with a limit needs no detach; handing it on must not have one.
-        h = w @ h
-        layers += 1
+        h, layers = (w @ h.detach(), layers + 1)
or
-        h = w @ h
-        layers += 1
+        h = minigrad.tensor(h.detach().numpy())
+        h, layers = (w @ h, layers + 1)

layers-transposed: Your as_many_layers uses the columns of w, as h @ w and w.T @ h do. A layer is w @ h, which uses
the rows.
-        h = w @ h
-        layers += 1
+        h, layers = (h @ w, layers + 1)

layers-pair-swapped: Your as_many_layers returns the pair the other way round: h comes first, then the number of
layers.
-        h = w @ h
-        layers += 1
-    return h, layers
+        h, layers = (w @ h, layers + 1)
+    return (layers, h)

layers-h-alone: What your as_many_layers returns is no pair. Is it h alone? It is asked for two things, h and the
number of layers.
|def as_many_layers(x, w, limit):
|    h = x
|    while (h * h).sum() < limit:
|        h = w @ h
|    return h
""")
