# ruff: noqa: F401 - patches use what is imported here
"""Chapter 6's ways of being wrong: about modes, versions, shared memory, frozen parameters and cut chains."""

import minigrad
from minigrad.core import grad_mode
from minigrad.core.function import FREED
from minigrad.core.grad_mode import state

from ...ask.bank import bank

MISCONCEPTIONS, about = bank(globals())

bce = minigrad.nn.functional.binary_cross_entropy_with_logits


def GradMode(mode: bool) -> object:  # noqa: N802 - the name in a notebook
    """A block of the class that is in the engine."""
    return grad_mode.GradMode(mode)


about("grad-mode", "GradMode", "A block without recording")("""
mode-turns-on-at-the-end: Your GradMode turns recording on at the end of every block. A block in a block must leave
the mode as it found it.
|def __exit__(self, *error):
|    state.enabled = True

mode-turns-over: Your GradMode ends a block with the opposite of its own mode. A no_grad inside a no_grad then records
again too early: put back what was there before.
|def __exit__(self, *error):
|    state.enabled = not self.mode

mode-not-after-an-error: Your GradMode restores the mode only where the block ends without an error. After one,
nothing would be recorded any more, and the next backward() fails far from the cause.
|def __exit__(self, kind, *error):
|    if kind is None:
|        state.enabled = self.before

mode-decorator-without-block: Your decorator puts the mode back only where the function ends without an error. A with
block would do it in any case.
|def __call__(self, function):
|
|    def inside(*args, **kwargs):
|        before = state.enabled
|        state.enabled = self.mode
|        result = function(*args, **kwargs)
|        state.enabled = before
|        return result
|    return inside

mode-swallows-errors: Your __exit__ returns something true, which tells Python that the block's error is dealt with:
it disappears. Return nothing.
         state.enabled = self.before
+        return True
or
         state.enabled = self.before
+        return self.before

mode-set-when-made: Your GradMode switches when it is made. A block can be made long before it begins, as a
decorator's is: the switch goes in __enter__.
|def __init__(self, mode):
|    self.mode = mode
|    self.before = state.enabled
|    state.enabled = mode
|def __enter__(self):
|    pass

mode-remembers-when-made: Your GradMode remembers the mode of the moment when it was made. What has to be put back is
the mode of the moment when the block begins.
|def __init__(self, mode):
|    self.mode = mode
|    self.before = state.enabled
|def __enter__(self):
|    state.enabled = self.mode

mode-remembers-its-first-entry: Your GradMode remembers the mode of its first entry for good. A block can be used
again where another mode holds: each entry has its own mode to put back.
-        self.before = state.enabled
+        if not hasattr(self, 'before'):
+            self.before = state.enabled

mode-one-memory-for-all: Your GradMode keeps one memory for all blocks, as an attribute of the class does: a block
inside another overwrites what the outer one remembered. Keep it in self.
-        self.before = state.enabled
+        type(self).before = state.enabled

mode-remembers-nothing: Your __enter__ does not note the mode that holds when the block begins, and __exit__ is to put
that one back. Keep it in self first.
-        self.before = state.enabled

mode-never-switches: Your __enter__ leaves state.enabled as it was, so that in a block the mode is the one around it.
-        state.enabled = self.mode
+        state.enabled == self.mode

mode-always-off: Your GradMode turns recording off whatever its mode is. enable_grad() is a GradMode too, with the
mode True.
-        state.enabled = self.mode
+        state.enabled = False

mode-never-restores: Your GradMode does not put the mode back when the block ends.
|def __exit__(self, *error):
|    pass

mode-no-decorator: Your GradMode works as a block, but not as a decorator: `@no_grad()` calls it with the function,
and takes what comes back for the function.
|class GradMode:
|    def __init__(self, mode):
|        self.mode = mode
|    def __enter__(self):
|        self.before = state.enabled
|        state.enabled = self.mode
|    def __exit__(self, *error):
|        state.enabled = self.before

mode-decorator-hands-back: The function that your decorator returns runs in no block of its own. The mode has to hold
whenever it is called, which needs a block inside a new function.
|def __call__(self, function):
|    with self:
|        return function

mode-decorator-calls: Your decorator calls the function without its arguments, as when that is done while decorating. It
has to return a new function, which calls the old one later, with all that it is given.
|def __call__(self, function, *args, **kwargs):
|    with GradMode(self.mode):
|        return function(*args, **kwargs)

mode-decorator-returns-nothing: Your decorator returns nothing: the name that was decorated is None now. What it has to
return is a new function.
|def __call__(self, function):
|
|    def inside(*args, **kwargs):
|        with GradMode(self.mode):
|            return function(*args, **kwargs)

mode-decorator-loses-the-result: Your decorated function calls the original and drops what that returns.
|def __call__(self, function):
|
|    def inside(*args, **kwargs):
|        with GradMode(self.mode):
|            function(*args, **kwargs)
|    return inside

mode-one-slot-for-all-calls: Your decorated function enters the same block at each call. When it calls itself, the
inner call overwrites what the outer one remembered: every call needs a block of its own.
|def __call__(self, function):
|
|    def inside(*args, **kwargs):
|        with self:
|            return function(*args, **kwargs)
|    return inside

mode-decorates-off-only: Your decorator runs the function without recording whatever the mode is; `@enable_grad()`
decorates too.
|def __call__(self, function):
|
|    def inside(*args, **kwargs):
|        with GradMode(False):
|            return function(*args, **kwargs)
|    return inside
""")

about("versions", "saved_tensors", "What a node remembers")("""
versions-never-looked-at: Your saved_tensors hands out arrays that were changed since they were saved. Are the versions
compared, and self.changed called? A gradient computed from changed numbers is wrong, and nobody is told.
-    for position, counter, version in self.versions:
-        if counter[0] != version:
-            self.changed(position, counter, version)

versions-turned-round: Your comparison is the wrong way round: it takes a tensor that was left alone for a changed
one.
-    for position, counter, version in self.versions:
-        if counter[0] != version:
-            self.changed(position, counter, version)
+    for _, counter, version in self.versions:
+        if counter[0] == version:
+            raise RuntimeError('modified')
or
-        if counter[0] != version:
+        if counter[0] == version:

versions-error-of-its-own: Your saved_tensors raises an error of its own making. Leave that to self.changed: it words
the error as PyTorch does, and raises none where a number was only looked at, as through .data.
-    for position, counter, version in self.versions:
+    for _, counter, version in self.versions:
@
-            self.changed(position, counter, version)
+            raise RuntimeError('a saved tensor was modified by an inplace operation')

versions-must-be-zero: Your saved_tensors refuses every tensor that was ever changed. A change before it was saved
does no harm: compare with the version at which it was saved.
-        if counter[0] != version:
+        if counter[0] != 0:

versions-counter-itself: Your saved_tensors takes every tensor for a changed one. Does it compare the counter itself?
That is a list, which never equals a number: its number is counter[0].
-        if counter[0] != version:
+        if counter != version:

versions-one-change-is-free: Your comparison lets one change pass and refuses the second only.
-        if counter[0] != version:
+        if counter[0] > version + 1:

versions-first-only: Your saved_tensors looks at the first saved tensor only. Any of them may have changed: look at
all before you return.
             self.changed(position, counter, version)
+        return self.saved

versions-counts-the-triples: Your saved_tensors hands self.changed a position that is counted among the triples. It
stands in the triple: a number that was saved has a position, and no triple.
-    for position, counter, version in self.versions:
+    for position, (_, counter, version) in enumerate(self.versions):

versions-stops-at-a-change: Your saved_tensors looks no further once it met a changed tensor. self.changed may return,
where it fetches the right numbers: the tensors after that one are to be looked at, too.
             self.changed(position, counter, version)
+            break
or
             self.changed(position, counter, version)
+            return self.saved

versions-empty-is-freed: Your saved_tensors takes an empty list for a graph that was freed. Some operations save
nothing: only None says that it was freed.
-    if self.saved is None:
+    if not self.saved:

versions-last-only: Your saved_tensors looks at the last saved tensor only. Any of them may have changed: compare each
of them, within the loop.
-        if counter[0] != version:
-            self.changed(position, counter, version)
+        pass
+    if counter[0] != version:
+        self.changed(position, counter, version)

versions-returns-nothing: Your saved_tensors returns nothing where all is well; backward needs the saved arrays.
-    return self.saved

versions-skips-freed: Your saved_tensors does not say that the graph was freed: where nothing is saved any
more, an error is asked for.
-    if self.saved is None:
-        raise RuntimeError(FREED)
""")

about("detach", "detach", "detach")("""
detach-copies: Your detach makes a copy. A detached tensor looks at the same memory: it costs nothing, and a change of
one shows in the other.
|def detach(self):
|    return self.data.clone()
or
-    out = self.data
+    out = self.data.clone()

detach-calls-itself: Your detach calls itself, as by self.detach(), or by minigrad.tensor, which detaches the tensor it
is given. self.data is a new tensor already, on the same memory.
-    out = self.data
+    out = minigrad.tensor(self.data)

detach-own-counter: Your detach shares the memory, but not the version counter. Changes through it go unnoticed, as
they do through .data, and gradients are silently wrong.
|def detach(self):
|    return self.data

detach-counter-of-results-only: Your detach shares the version counter where there is a history, and not otherwise. A
leaf's numbers may be saved by a node, too: share its counter as well.
-    out._versions = self._versions
+    if self.grad_fn is not None:
+        out._versions = self._versions

detach-copies-the-version: Your detach copies the version of this moment into a counter of its own. From the next
change on the two differ: they must share one list.
-    out._versions = self._versions
+    out._versions = list(self._versions)

detach-sets-the-number: Your detach sets _version, which only shows a number. What two tensors share is the counter
itself: _versions, a list.
-    out._versions = self._versions
+    out._version = self._version

detach-counter-the-wrong-way: Your detach gives the original the new tensor's counter. The nodes that saved the
original hold the old one, which nobody counts on any more.
-    out._versions = self._versions
+    self._versions = out._versions

detach-cuts-the-original: Your detach takes the history off the tensor itself, as detach_() does. The original stays
in its graph; only the new tensor knows nothing of it.
|def detach(self):
|    self.grad_fn = None
|    self._requires_grad = False
|    return self
or
     out._versions = self._versions
+    self.detach_()

detach-returns-itself: Your detach returns the tensor itself, with its history. It has to make a new one.
|def detach(self):
|    return self

detach-unsets-the-flag: Your detach sets requires_grad of a tensor that has a history, which refuses it. Start from a
new tensor that has none.
|def detach(self):
|    self.requires_grad = False
|    return self.data

detach-keeps-the-flag: The tensor that your detach returns requires grad: it would be a new leaf that asks for gradients
of its own.
     out._versions = self._versions
+    out.requires_grad = self.requires_grad
""")

FINE_TUNE = """
def fine_tune(x, y, w1, b1, w2, b2):
    for parameter in (w1, b1):
        parameter.requires_grad_(False)
    hidden = (x @ w1 + b1).sigmoid()
    loss = ((hidden @ w2 + b2 - y) ** 2).mean()
    loss.backward()
    return hidden, loss
"""

about("frozen", "fine_tune", "Frozen parameters", FINE_TUNE)("""
frozen-sum: Your loss adds the squares up; the exercise asks for their mean.
-    loss = ((hidden @ w2 + b2 - y) ** 2).mean()
+    loss = ((hidden @ w2 + b2 - y) ** 2).sum()

frozen-divides-by-rows: Your loss divides the sum of the squares by the number of rows. There may be several outputs a
row: a mean is over all elements.
-    loss = ((hidden @ w2 + b2 - y) ** 2).mean()
+    loss = ((hidden @ w2 + b2 - y) ** 2).sum() / x.shape[0]

frozen-second-sigmoid: Your second layer ends in a sigmoid, which is asked for after the first layer alone.
-    loss = ((hidden @ w2 + b2 - y) ** 2).mean()
+    loss = (((hidden @ w2 + b2).sigmoid() - y) ** 2).mean()

frozen-square-of-the-mean: Your loss squares the mean of the differences, in which those of either sign cancel. Square
each one first, and take the mean of the squares.
-    loss = ((hidden @ w2 + b2 - y) ** 2).mean()
+    loss = (hidden @ w2 + b2 - y).mean() ** 2

frozen-squares-y-alone: Your loss squares y alone, because ** binds tighter than -. Put the difference in brackets.
-    loss = ((hidden @ w2 + b2 - y) ** 2).mean()
+    loss = (hidden @ w2 + b2 - y ** 2).mean()

frozen-without-the-sigmoid: Your fine_tune returns what goes into the sigmoid; hidden is what comes out of it.
-    return hidden, loss
+    return x @ w1 + b1, loss

frozen-no-sigmoid: Your first layer has no sigmoid: two layers without a bend between them are one.
-    hidden = (x @ w1 + b1).sigmoid()
+    hidden = x @ w1 + b1

frozen-after-forward: Your fine_tune freezes when the first layer has run already: it was recorded in vain. What is not
to be recorded has to be frozen before it runs.
-    for parameter in (w1, b1):
-        parameter.requires_grad_(False)
@
     loss = ((hidden @ w2 + b2 - y) ** 2).mean()
+    w1.requires_grad_(False)
+    b1.requires_grad_(False)

frozen-after-backward: Your fine_tune freezes after the backward pass, when the gradients are there already.
-    for parameter in (w1, b1):
-        parameter.requires_grad_(False)
@
     loss.backward()
+    w1.requires_grad_(False)
+    b1.requires_grad_(False)

frozen-by-clearing: After your fine_tune w1 and b1 have no .grad, but are not frozen: the first layer is recorded all
the same, and a later backward can fill .grad. Freezing is a matter of requires_grad.
-    for parameter in (w1, b1):
-        parameter.requires_grad_(False)
@
     loss.backward()
+    w1.grad = None
+    b1.grad = None

frozen-by-a-cut: When your fine_tune is done, the first layer's parameters still require grad: this pass has gone
round them, and the next one records them again.
-    for parameter in (w1, b1):
-        parameter.requires_grad_(False)
-    hidden = (x @ w1 + b1).sigmoid()
+    with minigrad.no_grad():
+        hidden = (x @ w1 + b1).sigmoid()
or
-    for parameter in (w1, b1):
-        parameter.requires_grad_(False)
@
-    loss = ((hidden @ w2 + b2 - y) ** 2).mean()
+    loss = ((hidden.detach() @ w2 + b2 - y) ** 2).mean()

frozen-weights-only: Your fine_tune freezes the weights of the first layer, and not its bias.
-    for parameter in (w1, b1):
-        parameter.requires_grad_(False)
+    w1.requires_grad_(False)

frozen-the-other-layer: Your fine_tune freezes the second layer and trains the first.
-    for parameter in (w1, b1):
-        parameter.requires_grad_(False)
+    w2.requires_grad_(False)
+    b2.requires_grad_(False)

frozen-by-a-typo: Your fine_tune sets an attribute that nobody reads: it is spelled requires_grad. Python lets you
give a tensor any attribute, and says nothing.
-    for parameter in (w1, b1):
-        parameter.requires_grad_(False)
+    w1.require_grad = False
+    b1.require_grad = False

frozen-assigns-to-the-method: Your fine_tune assigns to requires_grad_, which is a method: the assignment hides it,
and the flag stays as it was. The flag's name has no underscore at its end.
-    for parameter in (w1, b1):
-        parameter.requires_grad_(False)
+    w1.requires_grad_ = False
+    b1.requires_grad_ = False

frozen-not-at-all: Your fine_tune leaves requires_grad of the first layer's parameters as it was: nothing is frozen.
-    for parameter in (w1, b1):
-        parameter.requires_grad_(False)

frozen-no-backward: After your fine_tune w2 and b2 have no gradient. Is loss.backward() called, with its parentheses?
The loss alone brings none.
-    for parameter in (w1, b1):
-        parameter.requires_grad_(False)
+    w1.requires_grad_(False)
+    b1.requires_grad_(False)
@
-    loss.backward()
+    loss.backward

frozen-everything: Nothing leads to the second layer's parameters from where your backward() starts. Was nothing
recorded, or is every parameter frozen? The second layer has to be recorded.
|def fine_tune(x, y, w1, b1, w2, b2):
|    with minigrad.no_grad():
|        hidden = (x @ w1 + b1).sigmoid()
|        loss = ((hidden @ w2 + b2 - y) ** 2).mean()
|    loss.backward()
|    return (hidden, loss)
""")

ONE_LAYER = """
def one_layer(x, y, weights, bias):
    w = minigrad.tensor(weights, requires_grad=True)
    b = minigrad.tensor(bias, requires_grad=True)
    z = minigrad.matmul(x, w) + b
    bce(z, y).backward()
    z_det = z.detach()
    z_det.requires_grad_(True)
    bce(z_det, y).backward()
    return w, b, z_det
"""

about("loud", "one_layer", "Errors that speak", ONE_LAYER)("""
loud-no-second-loss: Your z_det has no gradient: it is to be run back from a loss of its own.
-    bce(z_det, y).backward()

loud-sigmoid-first: Your one_layer applies the sigmoid before the loss, which applies it itself.
-    bce(z, y).backward()
-    z_det = z.detach()
-    z_det.requires_grad_(True)
+    bce(z.sigmoid(), y).backward()
+    z_det = z.detach().requires_grad_(True)

loud-returns-gradients: Your one_layer returns the gradients. The leaves are asked for, each with its gradient in .grad.
-    return w, b, z_det
+    return w.grad, b.grad, z_det.grad

loud-loss-of-the-input: Your loss still compares the targets with the input x. Where the two have different sizes you
are told; where they have one size, the loss does not depend on w at all.
-    bce(z, y).backward()
-    z_det = z.detach()
-    z_det.requires_grad_(True)
+    bce(x, y).backward()
+    z_det = z.detach().requires_grad_(True)

loud-silent-typo: Your w and b ask for no gradient, so none arrives. Mind the spelling of requires_grad: as an argument
a misspelled name is refused; as an attribute it is silently accepted.
-    w = minigrad.tensor(weights, requires_grad=True)
-    b = minigrad.tensor(bias, requires_grad=True)
+    w = minigrad.tensor(weights)
+    b = minigrad.tensor(bias)
+    w.require_grad = True
+    b.require_grad = True
@
-    z_det = z.detach()
-    z_det.requires_grad_(True)
+    z_det = z.detach().requires_grad_(True)

loud-typo-left: The argument is still misspelled: tensor() knows requires_grad, with an s.
-    w = minigrad.tensor(weights, requires_grad=True)
-    b = minigrad.tensor(bias, requires_grad=True)
+    w = minigrad.tensor(weights, require_grad=True)
+    b = minigrad.tensor(bias, require_grad=True)
@
-    z_det = z.detach()
-    z_det.requires_grad_(True)
+    z_det = z.detach().requires_grad_(True)

loud-function-misspelled: A function's name is still misspelled: minigrad knows matmul, with a u.
-    z = minigrad.matmul(x, w) + b
+    z = minigrad.matml(x, w) + b
@
-    z_det = z.detach()
-    z_det.requires_grad_(True)
+    z_det = z.detach().requires_grad_(True)

loud-targets-first: Your bce gets the targets first. The logits come first, then the targets.
-    bce(z, y).backward()
-    z_det = z.detach()
-    z_det.requires_grad_(True)
+    bce(y, z).backward()
+    z_det = z.detach().requires_grad_(True)

loud-flag-called: You call requires_grad, which is True or False and no function. The method that sets it ends in an
underscore.
-    z_det.requires_grad_(True)
+    z_det.requires_grad(True)

loud-flag-not-set: A loss of your one_layer has no history at all. Does z_det require grad when its loss is computed?
The flag has to be set before.
-    z_det.requires_grad_(True)

loud-not-detached: Your z_det is not cut off from the graph of z, so the second loss reaches w and b once more.
-    bce(z, y).backward()
-    z_det = z.detach()
-    z_det.requires_grad_(True)
+    bce(z, y).backward(retain_graph=True)
+    z_det = z.requires_grad_(True)

loud-only-the-detached: In your one_layer w and b end without a gradient. No chain leads to them from the loss of
z_det: the loss of z itself has to run back, too, and what it brings is to stay.
-    bce(z, y).backward()
-    z_det = z.detach()
-    z_det.requires_grad_(True)
+    z_det = z.detach().requires_grad_(True)
""")

DESCEND = """
def descend(w, x, y, rate, steps):
    losses = []
    for _ in range(steps):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with minigrad.no_grad():
            w -= rate * w.grad
        w.grad = None
    return losses
"""

about("silent", "descend", "Errors that keep silent", DESCEND)("""
descend-sum: Your descend adds the squares up; the exercise asks for their mean.
-        loss = ((x @ w - y) ** 2).mean()
+        loss = ((x @ w - y) ** 2).sum()

descend-loss-after-the-step: Your descend lists the losses after each step. Keep the loss that the step starts from.
-        losses.append(loss.item())
@
-        w.grad = None
+        w.grad = None
+        losses.append(((x @ w - y) ** 2).mean().item())

descend-stops-early: Your descend takes fewer steps where the loss no longer falls. Take each of them, whatever the loss
does.
-        losses.append(loss.item())
+        losses.append(loss.item())
+        if len(losses) > 1 and losses[-1] >= losses[-2]:
+            break
or
-        losses.append(loss.item())
+        if losses and loss.item() > losses[-1]:
+            break
+        losses.append(loss.item())

descend-a-step-too-few: Your descend takes one step too few.
-    for _ in range(steps):
+    for _ in range(1, steps):

descend-repaired-by-the-flag: Your w never moves, and the loss stays what it is. Either no gradient of the loss comes to
w, and loss.requires_grad = True would make no way for one; or w.grad is cleared before the step reads it.
-        loss = ((x @ w - y) ** 2).mean()
+        with minigrad.no_grad():
+            loss = ((x @ w - y) ** 2).mean()
+        loss.requires_grad = True
@
-        with minigrad.no_grad():
-            w -= rate * w.grad
-        w.grad = None
+        if w.grad is not None:
+            with minigrad.no_grad():
+                w -= rate * w.grad
+            w.grad = None
or
-        loss = ((x @ w - y) ** 2).mean()
+        loss = minigrad.tensor(((x @ w - y) ** 2).mean().item(), requires_grad=True)
@
-        with minigrad.no_grad():
-            w -= rate * w.grad
-        w.grad = None
+        if w.grad is not None:
+            with minigrad.no_grad():
+                w -= rate * w.grad
+            w.grad = None
or
-        losses.append(loss.item())
+        losses.append(loss.item())
+        w.grad.zero_()

descend-steps-without-a-gradient: w.grad is None where your step needs it. Was it cleared too early, was backward() not
called, or does nothing lead from the loss to w? Clear it after the step.
|def descend(w, x, y, rate, steps):
|    losses = []
|    for _ in range(steps):
|        loss = ((x @ w - y) ** 2).mean()
|        loss.backward()
|        losses.append(loss.item())
|        w.grad = None
|        with minigrad.no_grad():
|            w -= rate * w.grad
|    return losses

descend-loses-the-leaf: The leaf that was handed in to your descend is never changed. Is there a w = w - …? That makes a
new tensor and calls it w, one that gets no gradient: change the leaf in place.
-        with minigrad.no_grad():
-            w -= rate * w.grad
-        w.grad = None
+        if w.grad is not None:
+            w = w - rate * w.grad
or
-        with minigrad.no_grad():
-            w -= rate * w.grad
-        w.grad = None
+        w = w - rate * w.grad
or
-            w -= rate * w.grad
-        w.grad = None
+            w = w - rate * w.grad

descend-trains-another: Your losses fall, but the w that was handed in does not move: your steps move another tensor.
An optimizer that holds the old one would wait forever.
-        with minigrad.no_grad():
-            w -= rate * w.grad
-        w.grad = None
+        w = (w - rate * w.grad).detach().requires_grad_(True)

descend-in-place-and-recorded: You change a leaf in place while operations are recorded. The engine refuses that: an
update is no part of the function whose gradient you ask for.
-        with minigrad.no_grad():
-            w -= rate * w.grad
+        w -= rate * w.grad

descend-does-not-clear: Your gradients pile up: backward adds to w.grad, and no step clears it.
-        w.grad = None

descend-keeps-the-graphs: Your list holds tensors, and each of them keeps its graph alive: over a long training,
memory runs full. Take the number out of each loss.
-        losses.append(loss.item())
+        losses.append(loss)

descend-keeps-tensors: Your list holds tensors. They hold no graph any more, but numbers are asked for: a loss has a
method that returns its number.
-        losses.append(loss.item())
+        losses.append(loss.detach())

descend-climbs: Your steps go up the slope: a step against the gradient is subtracted.
-            w -= rate * w.grad
+            w += rate * w.grad
""")

CENTRED = """
def centred(x, w):
    h = (x @ w).sigmoid()
    loss = (h * h).mean()
    loss.backward()
    values = h.detach()
    return values - values.mean()
"""

about("silent", "centred", "Errors that keep silent", CENTRED)("""
centred-loss-of-the-centred: Your centred takes the mean off before the loss, so w.grad belongs to another loss.
-    loss = (h * h).mean()
+    centred = h - h.mean()
+    loss = (centred * centred).mean()

centred-not-at-all: Your centred returns h with its mean still in it.
-    return values - values.mean()
+    return values

centred-through-data: Your centred changes h unnoticed before the backward pass, as through .data. Its nodes saved h,
and compute with the changed numbers: w.grad is wrong.
     loss = (h * h).mean()
+    h.data -= h.data.mean()
@
-    values = h.detach()
-    return values - values.mean()
+    return h.data

centred-through-detach: Your centred changes h in place, itself or through a detached tensor on its memory. The engine
notices and refuses: take the mean off in a new tensor.
     loss = (h * h).mean()
+    values = h.detach()
+    values -= values.mean()
@
-    values = h.detach()
-    return values - values.mean()
+    return values

centred-tracked: What your centred returns still hangs on the graph: it requires grad, and keeps the nodes alive.
-    values = h.detach()
-    return values - values.mean()
+    return h - h.mean()

centred-cuts-the-loss: No gradient reaches w in your centred. Was h detached before the loss was computed from it, or
was no backward pass run? The chain from the loss to w has to be whole.
|def centred(x, w):
|    h = (x @ w).sigmoid().detach().requires_grad_(True)
|    loss = (h * h).mean()
|    loss.backward()
|    return h.detach() - h.detach().mean()
or
|def centred(x, w):
|    h = (x @ w).sigmoid().detach()
|    loss = (h * h).mean()
|    loss.backward()
|    return h - h.mean()
""")
