# ruff: noqa: ANN001, ANN002, ANN003, ANN201, ANN202, ANN204, B006, D101, D102, D103, D105, D107
"""Chapter 6's ways of being wrong: about modes, versions, shared memory, frozen parameters and cut chains."""

import minigrad
from minigrad.core import grad_mode
from minigrad.core.function import FREED
from minigrad.core.grad_mode import state

from ...ask.bank import Reference, collector

MISCONCEPTIONS, misconception, variant = collector()
bce = minigrad.nn.functional.binary_cross_entropy_with_logits

# ---------------------------------------------------------------------- GradMode


def GradMode(mode):  # noqa: N802 - the name in a notebook
    """A block of the class that is in the engine."""
    return grad_mode.GradMode(mode)


@misconception(
    "mode-turns-on-at-the-end",
    exercise="grad-mode",
    replaces="GradMode",
    section="A block without recording",
    advice="Your GradMode turns recording on at the end of every block. A block in a block must leave the mode as "
    "it found it.",
)
class TurnsOnAtTheEnd(Reference):
    def __exit__(self, *error):
        state.enabled = True


@misconception(
    "mode-turns-over",
    exercise="grad-mode",
    replaces="GradMode",
    section="A block without recording",
    advice="Your GradMode ends a block with the opposite of its own mode. A no_grad inside a no_grad then records "
    "again too early: put back what was there before.",
)
class TurnsOver(Reference):
    def __exit__(self, *error):
        state.enabled = not self.mode


@misconception(
    "mode-not-after-an-error",
    exercise="grad-mode",
    replaces="GradMode",
    section="A block without recording",
    advice="Your GradMode restores the mode only where the block ends without an error. After one, nothing would be "
    "recorded any more, and the next backward() fails far from the cause.",
)
class NotAfterAnError(Reference):
    def __exit__(self, kind, *error):
        if kind is None:
            state.enabled = self.before


@misconception(
    "mode-decorator-without-block",
    exercise="grad-mode",
    replaces="GradMode",
    section="A block without recording",
    advice="Your decorator switches the mode by hand before and after the function. An error in the function skips "
    "the second switch; a with block would not.",
)
class DecoratorWithoutBlock(Reference):
    def __call__(self, function):
        def inside(*args, **kwargs):
            before = state.enabled
            state.enabled = self.mode
            result = function(*args, **kwargs)
            state.enabled = before
            return result

        return inside


@misconception(
    "mode-swallows-errors",
    exercise="grad-mode",
    replaces="GradMode",
    section="A block without recording",
    advice="Your __exit__ returns True, which tells Python that the block's error is dealt with: it disappears. "
    "Return nothing.",
)
class SwallowsErrors(Reference):
    def __exit__(self, *error):
        state.enabled = self.before
        return True


@misconception(
    "mode-set-when-made",
    exercise="grad-mode",
    replaces="GradMode",
    section="A block without recording",
    advice="Your GradMode switches when it is made. A block can be made long before it begins, as a decorator's is: "
    "the switch belongs into __enter__.",
)
class SetWhenMade(Reference):
    def __init__(self, mode):
        self.mode = mode
        self.before = state.enabled
        state.enabled = mode

    def __enter__(self):
        pass


@misconception(
    "mode-remembers-when-made",
    exercise="grad-mode",
    replaces="GradMode",
    section="A block without recording",
    advice="Your GradMode remembers the mode of the moment when it was made. What has to be put back is the mode of "
    "the moment when the block begins.",
)
class RemembersWhenMade(Reference):
    def __init__(self, mode):
        self.mode = mode
        self.before = state.enabled

    def __enter__(self):
        state.enabled = self.mode


@misconception(
    "mode-remembers-its-first-entry",
    exercise="grad-mode",
    replaces="GradMode",
    section="A block without recording",
    advice="Your GradMode remembers the mode of its first entry for good. A block can be used again where another mode "
    "holds: each entry has its own mode to put back.",
)
class RemembersItsFirstEntry(Reference):
    def __enter__(self):
        if not hasattr(self, "before"):
            self.before = state.enabled
        state.enabled = self.mode


@misconception(
    "mode-never-switches",
    exercise="grad-mode",
    replaces="GradMode",
    section="A block without recording",
    advice="Your __enter__ leaves state.enabled as it was, so that in a block the mode is the one around it.",
)
class NeverSwitches(Reference):
    def __enter__(self):
        self.before = state.enabled
        state.enabled == self.mode  # noqa: B015


@misconception(
    "mode-always-off",
    exercise="grad-mode",
    replaces="GradMode",
    section="A block without recording",
    advice="Your GradMode turns recording off whatever its mode is. enable_grad() is a GradMode too, with the mode "
    "True.",
)
class AlwaysOff(Reference):
    def __enter__(self):
        self.before = state.enabled
        state.enabled = False


@misconception(
    "mode-never-restores",
    exercise="grad-mode",
    replaces="GradMode",
    section="A block without recording",
    advice="Your GradMode does not put the mode back when the block ends.",
)
class NeverRestores(Reference):
    def __exit__(self, *error):
        pass


@misconception(
    "mode-no-decorator",
    exercise="grad-mode",
    replaces="GradMode",
    section="A block without recording",
    advice="Your GradMode works as a block, but not as a decorator: `@no_grad()` calls it with the function, and "
    "takes what comes back for the function.",
)
class NoDecorator:
    def __init__(self, mode):
        self.mode = mode

    def __enter__(self):
        self.before = state.enabled
        state.enabled = self.mode

    def __exit__(self, *error):
        state.enabled = self.before


@misconception(
    "mode-decorator-hands-back",
    exercise="grad-mode",
    replaces="GradMode",
    section="A block without recording",
    advice="Your decorator hands the function back as it came. The mode has to hold whenever it is called, which "
    "needs a new function around it.",
)
class DecoratorHandsBack(Reference):
    def __call__(self, function):
        with self:
            return function


@misconception(
    "mode-decorator-calls",
    exercise="grad-mode",
    replaces="GradMode",
    section="A block without recording",
    advice="Your decorator calls the function while it is being decorated. It has to return a new function, which "
    "calls the old one later.",
)
class DecoratorCalls(Reference):
    def __call__(self, function, *args, **kwargs):
        with GradMode(self.mode):
            return function(*args, **kwargs)


@misconception(
    "mode-decorator-returns-nothing",
    exercise="grad-mode",
    replaces="GradMode",
    section="A block without recording",
    advice="Your decorator makes a new function and does not return it: the name that was decorated is None now.",
)
class DecoratorReturnsNothing(Reference):
    def __call__(self, function):
        def inside(*args, **kwargs):
            with GradMode(self.mode):
                return function(*args, **kwargs)


@misconception(
    "mode-decorator-loses-the-result",
    exercise="grad-mode",
    replaces="GradMode",
    section="A block without recording",
    advice="Your decorated function calls the original and drops what that returns.",
)
class DecoratorLosesTheResult(Reference):
    def __call__(self, function):
        def inside(*args, **kwargs):
            with GradMode(self.mode):
                function(*args, **kwargs)

        return inside


@misconception(
    "mode-one-slot-for-all-calls",
    exercise="grad-mode",
    replaces="GradMode",
    section="A block without recording",
    advice="Your decorated function enters the same block at each call. When it calls itself, the inner call "
    "overwrites what the outer one remembered: every call needs a block of its own.",
)
class OneSlotForAllCalls(Reference):
    def __call__(self, function):
        def inside(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return inside


@misconception(
    "mode-decorates-off-only",
    exercise="grad-mode",
    replaces="GradMode",
    section="A block without recording",
    advice="Your decorator runs the function without recording whatever the mode is; `@enable_grad()` decorates too.",
)
class DecoratesOffOnly(Reference):
    def __call__(self, function):
        def inside(*args, **kwargs):
            with GradMode(False):
                return function(*args, **kwargs)

        return inside


# ---------------------------------------------------------------------- saved_tensors


@misconception(
    "versions-never-looked-at",
    exercise="versions",
    replaces="saved_tensors",
    section="What a node remembers",
    advice="Your saved_tensors hands out what was saved without looking at the versions: a gradient computed from "
    "changed numbers is wrong, and nobody is told.",
)
def never_looked_at(self):
    if self.saved is None:
        raise RuntimeError(FREED)
    return self.saved


@misconception(
    "versions-turned-round",
    exercise="versions",
    replaces="saved_tensors",
    section="What a node remembers",
    advice="Your comparison is the wrong way round: it takes a tensor that was left alone for a changed one.",
)
def turned_round(self):
    if self.saved is None:
        raise RuntimeError(FREED)
    for _, counter, version in self.versions:
        if counter[0] == version:
            raise RuntimeError("modified")
    return self.saved


@variant
def turned_round_and_handed_on(self):
    if self.saved is None:
        raise RuntimeError(FREED)
    for position, counter, version in self.versions:
        if counter[0] == version:
            self.changed(position, counter, version)
    return self.saved


@misconception(
    "versions-error-of-its-own",
    exercise="versions",
    replaces="saved_tensors",
    section="What a node remembers",
    advice="Your saved_tensors raises an error of its own making. Leave that to self.changed: it also knows the "
    "number that was only looked at, through .data or detach(), and has moved to an array.",
)
def complains_itself(self):
    if self.saved is None:
        raise RuntimeError(FREED)
    for _, counter, version in self.versions:
        if counter[0] != version:
            raise RuntimeError("a saved tensor was modified by an inplace operation")
    return self.saved


@misconception(
    "versions-must-be-zero",
    exercise="versions",
    replaces="saved_tensors",
    section="What a node remembers",
    advice="Your saved_tensors refuses every tensor that was ever changed. A change before it was saved does no harm: "
    "compare with the version at which it was saved.",
)
def must_be_zero(self):
    if self.saved is None:
        raise RuntimeError(FREED)
    for position, counter, version in self.versions:
        if counter[0] != 0:
            self.changed(position, counter, version)
    return self.saved


@misconception(
    "versions-counter-itself",
    exercise="versions",
    replaces="saved_tensors",
    section="What a node remembers",
    advice="Your comparison takes every tensor for a changed one: the counter is a list, which never equals a number. "
    "Its number is counter[0].",
)
def counter_itself(self):
    if self.saved is None:
        raise RuntimeError(FREED)
    for position, counter, version in self.versions:
        if counter != version:
            self.changed(position, counter, version)
    return self.saved


@misconception(
    "versions-one-change-is-free",
    exercise="versions",
    replaces="saved_tensors",
    section="What a node remembers",
    advice="Your comparison lets one change pass and refuses the second only.",
)
def one_change_is_free(self):
    if self.saved is None:
        raise RuntimeError(FREED)
    for position, counter, version in self.versions:
        if counter[0] > version + 1:
            self.changed(position, counter, version)
    return self.saved


@misconception(
    "versions-first-only",
    exercise="versions",
    replaces="saved_tensors",
    section="What a node remembers",
    advice="Your saved_tensors looks at the first saved tensor only. Any of them may have changed: look at all before "
    "you return.",
)
def first_only(self):
    if self.saved is None:
        raise RuntimeError(FREED)
    for position, counter, version in self.versions:
        if counter[0] != version:
            self.changed(position, counter, version)
        return self.saved
    return self.saved


@misconception(
    "versions-last-only",
    exercise="versions",
    replaces="saved_tensors",
    section="What a node remembers",
    advice="Your saved_tensors looks at the last saved tensor only: the comparison stands after the loop, not in it.",
)
def last_only(self):
    if self.saved is None:
        raise RuntimeError(FREED)
    for position, counter, version in self.versions:  # noqa: B007
        pass
    if counter[0] != version:
        self.changed(position, counter, version)
    return self.saved


@misconception(
    "versions-returns-nothing",
    exercise="versions",
    replaces="saved_tensors",
    section="What a node remembers",
    advice="Your saved_tensors returns nothing after the loop; backward needs the saved arrays.",
)
def returns_nothing(self):
    if self.saved is None:
        raise RuntimeError(FREED)
    for position, counter, version in self.versions:
        if counter[0] != version:
            self.changed(position, counter, version)


@misconception(
    "versions-skips-freed",
    exercise="versions",
    replaces="saved_tensors",
    section="What a node remembers",
    advice="Your saved_tensors has lost the first two lines, which say that the graph was freed.",
)
def skips_freed(self):
    for position, counter, version in self.versions:
        if counter[0] != version:
            self.changed(position, counter, version)
    return self.saved


# ---------------------------------------------------------------------- detach


@misconception(
    "detach-copies",
    exercise="detach",
    replaces="detach",
    section="detach",
    advice="Your detach makes a copy. A detached tensor looks at the same memory: it costs nothing, and a change of "
    "one shows in the other.",
)
def detach_copies(self):
    return self.data.clone()


@variant
def copies_and_shares_the_counter(self):
    out = self.data.clone()
    out._versions = self._versions
    return out


@misconception(
    "detach-own-counter",
    exercise="detach",
    replaces="detach",
    section="detach",
    advice="Your detach shares the memory, but not the version counter. Changes through it go unnoticed, as they do "
    "through .data, and gradients are silently wrong.",
)
def own_counter(self):
    return self.data


@misconception(
    "detach-copies-the-version",
    exercise="detach",
    replaces="detach",
    section="detach",
    advice="Your detach copies the version of this moment into a counter of its own. From the next change on the two "
    "differ: they must share one list.",
)
def copies_the_version(self):
    out = self.data
    out._versions = list(self._versions)
    return out


@misconception(
    "detach-counter-too-early",
    exercise="detach",
    replaces="detach",
    section="detach",
    advice="Your detach takes the counter before it reads .data. A single number has to move to an array before its "
    "memory can be shared, and gets a new counter then: read .data first.",
)
def counter_too_early(self):
    counter = self._versions
    out = self.data
    out._versions = counter
    return out


@misconception(
    "detach-counter-the-wrong-way",
    exercise="detach",
    replaces="detach",
    section="detach",
    advice="Your detach gives the original the new tensor's counter. The nodes that saved the original hold the old "
    "one, which nobody counts on any more.",
)
def counter_the_wrong_way(self):
    out = self.data
    self._versions = out._versions
    return out


@misconception(
    "detach-cuts-the-original",
    exercise="detach",
    replaces="detach",
    section="detach",
    advice="Your detach takes the history off the tensor itself, as detach_() does. The original stays in its graph; "
    "only the new tensor knows nothing of it.",
)
def cuts_the_original(self):
    self.grad_fn = None
    self._requires_grad = False
    return self


@variant
def cuts_the_original_too(self):
    out = self.data
    out._versions = self._versions
    self.detach_()
    return out


@misconception(
    "detach-returns-itself",
    exercise="detach",
    replaces="detach",
    section="detach",
    advice="Your detach returns the tensor itself, with its history. It has to make a new one.",
)
def returns_itself(self):
    return self


@misconception(
    "detach-unsets-the-flag",
    exercise="detach",
    replaces="detach",
    section="detach",
    advice="Your detach sets requires_grad of the tensor itself, which a result refuses and a leaf should keep.",
)
def unsets_the_flag(self):
    self.requires_grad = False
    return self.data


@misconception(
    "detach-keeps-the-flag",
    exercise="detach",
    replaces="detach",
    section="detach",
    advice="Your detach hands requires_grad on to the new tensor: it would be a new leaf that asks for gradients of "
    "its own.",
)
def keeps_the_flag(self):
    out = self.data
    out._versions = self._versions
    out.requires_grad = self.requires_grad
    return out


# ---------------------------------------------------------------------- frozen parameters


@misconception(
    "frozen-after-forward",
    exercise="frozen",
    replaces="fine_tune",
    section="Frozen parameters",
    advice="Your fine_tune freezes after the forward pass: the first layer was recorded in vain. What is not to be "
    "recorded has to be frozen before it runs.",
)
def after_forward(x, y, w1, b1, w2, b2):
    hidden = (x @ w1 + b1).sigmoid()
    loss = ((hidden @ w2 + b2 - y) ** 2).mean()
    w1.requires_grad_(False)
    b1.requires_grad_(False)
    loss.backward()
    return hidden, loss


@misconception(
    "frozen-after-backward",
    exercise="frozen",
    replaces="fine_tune",
    section="Frozen parameters",
    advice="Your fine_tune freezes after the backward pass, when the gradients are there already.",
)
def after_backward(x, y, w1, b1, w2, b2):
    hidden = (x @ w1 + b1).sigmoid()
    loss = ((hidden @ w2 + b2 - y) ** 2).mean()
    loss.backward()
    w1.requires_grad_(False)
    b1.requires_grad_(False)
    return hidden, loss


@misconception(
    "frozen-by-clearing",
    exercise="frozen",
    replaces="fine_tune",
    section="Frozen parameters",
    advice="Your fine_tune only clears .grad. The first layer is recorded and computed all the same, and the next "
    "backward fills it again: freezing is a matter of requires_grad.",
)
def by_clearing(x, y, w1, b1, w2, b2):
    hidden = (x @ w1 + b1).sigmoid()
    loss = ((hidden @ w2 + b2 - y) ** 2).mean()
    loss.backward()
    w1.grad = None
    b1.grad = None
    return hidden, loss


@misconception(
    "frozen-by-a-cut",
    exercise="frozen",
    replaces="fine_tune",
    section="Frozen parameters",
    advice="Your fine_tune cuts the graph once and leaves the parameters as they are: they still require grad, and "
    "the next forward pass records them again.",
)
def by_a_cut(x, y, w1, b1, w2, b2):
    with minigrad.no_grad():
        hidden = (x @ w1 + b1).sigmoid()
    loss = ((hidden @ w2 + b2 - y) ** 2).mean()
    loss.backward()
    return hidden, loss


@variant
def by_a_cut_in_the_loss(x, y, w1, b1, w2, b2):
    hidden = (x @ w1 + b1).sigmoid()
    loss = ((hidden.detach() @ w2 + b2 - y) ** 2).mean()
    loss.backward()
    return hidden, loss


@misconception(
    "frozen-weights-only",
    exercise="frozen",
    replaces="fine_tune",
    section="Frozen parameters",
    advice="Your fine_tune freezes the weights of the first layer, and forgets its bias.",
)
def weights_only(x, y, w1, b1, w2, b2):
    w1.requires_grad_(False)
    hidden = (x @ w1 + b1).sigmoid()
    loss = ((hidden @ w2 + b2 - y) ** 2).mean()
    loss.backward()
    return hidden, loss


@misconception(
    "frozen-the-other-layer",
    exercise="frozen",
    replaces="fine_tune",
    section="Frozen parameters",
    advice="Your fine_tune freezes the second layer and trains the first.",
)
def the_other_layer(x, y, w1, b1, w2, b2):
    w2.requires_grad_(False)
    b2.requires_grad_(False)
    hidden = (x @ w1 + b1).sigmoid()
    loss = ((hidden @ w2 + b2 - y) ** 2).mean()
    loss.backward()
    return hidden, loss


@misconception(
    "frozen-by-a-typo",
    exercise="frozen",
    replaces="fine_tune",
    section="Frozen parameters",
    advice="Your fine_tune sets an attribute that nobody reads: it is spelled requires_grad. Python lets you give a "
    "tensor any attribute, and says nothing.",
)
def by_a_typo(x, y, w1, b1, w2, b2):
    w1.require_grad = False
    b1.require_grad = False
    hidden = (x @ w1 + b1).sigmoid()
    loss = ((hidden @ w2 + b2 - y) ** 2).mean()
    loss.backward()
    return hidden, loss


@misconception(
    "frozen-assigns-to-the-method",
    exercise="frozen",
    replaces="fine_tune",
    section="Frozen parameters",
    advice="Your fine_tune assigns to requires_grad_, which is a method: the assignment hides it, and the flag stays "
    "as it was. The flag's name has no underscore at its end.",
)
def assigns_to_the_method(x, y, w1, b1, w2, b2):
    w1.requires_grad_ = False
    b1.requires_grad_ = False
    hidden = (x @ w1 + b1).sigmoid()
    loss = ((hidden @ w2 + b2 - y) ** 2).mean()
    loss.backward()
    return hidden, loss


@misconception(
    "frozen-not-at-all",
    exercise="frozen",
    replaces="fine_tune",
    section="Frozen parameters",
    advice="Your fine_tune leaves requires_grad of the first layer's parameters as it was: nothing is frozen.",
)
def not_at_all(x, y, w1, b1, w2, b2):
    hidden = (x @ w1 + b1).sigmoid()
    loss = ((hidden @ w2 + b2 - y) ** 2).mean()
    loss.backward()
    return hidden, loss


@misconception(
    "frozen-no-backward",
    exercise="frozen",
    replaces="fine_tune",
    section="Frozen parameters",
    advice="Your fine_tune computes the loss, and no gradient: loss.backward() was not called, or its parentheses are "
    "missing.",
)
def no_backward(x, y, w1, b1, w2, b2):
    w1.requires_grad_(False)
    b1.requires_grad_(False)
    hidden = (x @ w1 + b1).sigmoid()
    loss = ((hidden @ w2 + b2 - y) ** 2).mean()
    loss.backward  # noqa: B018
    return hidden, loss


@misconception(
    "frozen-everything",
    exercise="frozen",
    replaces="fine_tune",
    section="Frozen parameters",
    advice="Your fine_tune runs both layers without recording: nothing leads from the loss to the second layer.",
)
def everything(x, y, w1, b1, w2, b2):
    with minigrad.no_grad():
        hidden = (x @ w1 + b1).sigmoid()
        loss = ((hidden @ w2 + b2 - y) ** 2).mean()
    loss.backward()
    return hidden, loss


# ---------------------------------------------------------------------- errors that speak


@misconception(
    "loud-loss-of-the-input",
    exercise="loud",
    replaces="one_layer",
    section="Errors that speak",
    advice="Your loss still compares the targets with the input x. Where the two have different sizes you are told; "
    "where they have one size, the loss does not depend on w at all.",
)
def loss_of_the_input(x, y, weights, bias):
    w = minigrad.tensor(weights, requires_grad=True)
    b = minigrad.tensor(bias, requires_grad=True)
    z = minigrad.matmul(x, w) + b
    bce(x, y).backward()
    z_det = z.detach().requires_grad_(True)
    bce(z_det, y).backward()
    return w, b, z_det


@misconception(
    "loud-silent-typo",
    exercise="loud",
    replaces="one_layer",
    section="Errors that speak",
    advice="Your w and b get an attribute require_grad that nobody reads. As an argument the misspelled name is "
    "refused; as an attribute it is silently accepted.",
)
def silent_typo(x, y, weights, bias):
    w = minigrad.tensor(weights)
    b = minigrad.tensor(bias)
    w.require_grad = True
    b.require_grad = True
    z = minigrad.matmul(x, w) + b
    bce(z, y).backward()
    z_det = z.detach().requires_grad_(True)
    bce(z_det, y).backward()
    return w, b, z_det


@misconception(
    "loud-typo-left",
    exercise="loud",
    replaces="one_layer",
    section="Errors that speak",
    advice="The argument is still misspelled: tensor() knows requires_grad, with an s.",
)
def typo_left(x, y, weights, bias):
    w = minigrad.tensor(weights, require_grad=True)
    b = minigrad.tensor(bias, require_grad=True)
    z = minigrad.matmul(x, w) + b
    bce(z, y).backward()
    z_det = z.detach().requires_grad_(True)
    bce(z_det, y).backward()
    return w, b, z_det


@misconception(
    "loud-function-misspelled",
    exercise="loud",
    replaces="one_layer",
    section="Errors that speak",
    advice="A function's name is still misspelled: minigrad knows matmul, with a u.",
)
def function_misspelled(x, y, weights, bias):
    w = minigrad.tensor(weights, requires_grad=True)
    b = minigrad.tensor(bias, requires_grad=True)
    z = minigrad.matml(x, w) + b
    bce(z, y).backward()
    z_det = z.detach().requires_grad_(True)
    bce(z_det, y).backward()
    return w, b, z_det


@misconception(
    "loud-targets-first",
    exercise="loud",
    replaces="one_layer",
    section="Errors that speak",
    advice="Your bce gets the targets first. The logits come first, then the targets.",
)
def targets_first(x, y, weights, bias):
    w = minigrad.tensor(weights, requires_grad=True)
    b = minigrad.tensor(bias, requires_grad=True)
    z = minigrad.matmul(x, w) + b
    bce(y, z).backward()
    z_det = z.detach().requires_grad_(True)
    bce(z_det, y).backward()
    return w, b, z_det


@misconception(
    "loud-flag-called",
    exercise="loud",
    replaces="one_layer",
    section="Errors that speak",
    advice="You call requires_grad, which is True or False and no function. The method that sets it ends in an "
    "underscore.",
)
def flag_called(x, y, weights, bias):
    w = minigrad.tensor(weights, requires_grad=True)
    b = minigrad.tensor(bias, requires_grad=True)
    z = minigrad.matmul(x, w) + b
    bce(z, y).backward()
    z_det = z.detach()
    z_det.requires_grad(True)
    bce(z_det, y).backward()
    return w, b, z_det


@misconception(
    "loud-flag-not-set",
    exercise="loud",
    replaces="one_layer",
    section="Errors that speak",
    advice="Your z_det does not require grad when its loss is computed, so that loss has no history at all.",
)
def flag_not_set(x, y, weights, bias):
    w = minigrad.tensor(weights, requires_grad=True)
    b = minigrad.tensor(bias, requires_grad=True)
    z = minigrad.matmul(x, w) + b
    bce(z, y).backward()
    z_det = z.detach()
    bce(z_det, y).backward()
    return w, b, z_det


@misconception(
    "loud-not-detached",
    exercise="loud",
    replaces="one_layer",
    section="Errors that speak",
    advice="Your z_det is z itself, so the second loss reaches w and b once more.",
)
def not_detached(x, y, weights, bias):
    w = minigrad.tensor(weights, requires_grad=True)
    b = minigrad.tensor(bias, requires_grad=True)
    z = minigrad.matmul(x, w) + b
    bce(z, y).backward(retain_graph=True)
    z_det = z.requires_grad_(True)
    bce(z_det, y).backward()
    return w, b, z_det


@misconception(
    "loud-only-the-detached",
    exercise="loud",
    replaces="one_layer",
    section="Errors that speak",
    advice="Only the detached result has a loss in your one_layer; no chain leads from there to w and b. The loss of "
    "z itself has to run back first.",
)
def only_the_detached(x, y, weights, bias):
    w = minigrad.tensor(weights, requires_grad=True)
    b = minigrad.tensor(bias, requires_grad=True)
    z = minigrad.matmul(x, w) + b
    z_det = z.detach().requires_grad_(True)
    bce(z_det, y).backward()
    return w, b, z_det


# ---------------------------------------------------------------------- errors that keep silent


@misconception(
    "descend-repaired-by-the-flag",
    exercise="silent",
    replaces="descend",
    section="Errors that keep silent",
    advice="Your forward pass is still not recorded. loss.requires_grad = True only asks for a gradient of "
    "the loss, a leaf here: the error is gone, but no way leads from the loss to w.",
)
def repaired_by_the_flag(w, x, y, rate, steps):
    losses = []
    for _ in range(steps):
        with minigrad.no_grad():
            loss = ((x @ w - y) ** 2).mean()
        loss.requires_grad = True
        loss.backward()
        losses.append(loss.item())
        if w.grad is not None:
            with minigrad.no_grad():
                w -= rate * w.grad
            w.grad = None
    return losses


@variant
def a_leaf_made_of_the_item(w, x, y, rate, steps):
    losses = []
    for _ in range(steps):
        loss = minigrad.tensor(((x @ w - y) ** 2).mean().item(), requires_grad=True)
        loss.backward()
        losses.append(loss.item())
        if w.grad is not None:
            with minigrad.no_grad():
                w -= rate * w.grad
            w.grad = None
    return losses


@misconception(
    "descend-steps-without-a-gradient",
    exercise="silent",
    replaces="descend",
    section="Errors that keep silent",
    advice="w.grad is None where your step needs it. Either it was cleared before it was used, or nothing leads from "
    "the loss to w.",
)
def cleared_before_use(w, x, y, rate, steps):
    losses = []
    for _ in range(steps):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        w.grad = None
        with minigrad.no_grad():
            w -= rate * w.grad
    return losses


@misconception(
    "descend-loses-the-leaf",
    exercise="silent",
    replaces="descend",
    section="Errors that keep silent",
    advice="w = w - … makes a new tensor and calls it w: a result, and no leaf, whose .grad stays None. The leaf that "
    "was handed in is never changed.",
)
def loses_the_leaf(w, x, y, rate, steps):
    losses = []
    for _ in range(steps):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        if w.grad is not None:
            w = w - rate * w.grad
    return losses


@variant
def loses_the_leaf_without_if(w, x, y, rate, steps):
    losses = []
    for _ in range(steps):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        w = w - rate * w.grad
    return losses


@variant
def loses_the_leaf_in_a_block(w, x, y, rate, steps):
    losses = []
    for _ in range(steps):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with minigrad.no_grad():
            w = w - rate * w.grad
    return losses


@misconception(
    "descend-trains-another",
    exercise="silent",
    replaces="descend",
    section="Errors that keep silent",
    advice="Your losses fall, but the w that was handed in does not move: each step makes a new leaf. An optimizer "
    "that holds the old one would wait forever.",
)
def trains_another(w, x, y, rate, steps):
    losses = []
    for _ in range(steps):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        w = (w - rate * w.grad).detach().requires_grad_(True)
    return losses


@misconception(
    "descend-in-place-and-recorded",
    exercise="silent",
    replaces="descend",
    section="Errors that keep silent",
    advice="You change a leaf in place while operations are recorded. The engine refuses that: an update is no part "
    "of the function whose gradient you ask for.",
)
def in_place_and_recorded(w, x, y, rate, steps):
    losses = []
    for _ in range(steps):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        w -= rate * w.grad
        w.grad = None
    return losses


@misconception(
    "descend-does-not-clear",
    exercise="silent",
    replaces="descend",
    section="Errors that keep silent",
    advice="Your gradients pile up: backward adds to w.grad, and no step clears it.",
)
def does_not_clear(w, x, y, rate, steps):
    losses = []
    for _ in range(steps):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with minigrad.no_grad():
            w -= rate * w.grad
    return losses


@misconception(
    "descend-keeps-the-graphs",
    exercise="silent",
    replaces="descend",
    section="Errors that keep silent",
    advice="Your list holds tensors, and each of them keeps its graph alive: over a long training, memory runs full. "
    "Take the number out of each loss.",
)
def keeps_the_graphs(w, x, y, rate, steps):
    losses = []
    for _ in range(steps):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        losses.append(loss)
        with minigrad.no_grad():
            w -= rate * w.grad
        w.grad = None
    return losses


@misconception(
    "descend-keeps-tensors",
    exercise="silent",
    replaces="descend",
    section="Errors that keep silent",
    advice="Your list holds tensors. They hold no graph any more, but numbers are asked for: a loss has a "
    "method that returns its number.",
)
def keeps_tensors(w, x, y, rate, steps):
    losses = []
    for _ in range(steps):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        losses.append(loss.detach())
        with minigrad.no_grad():
            w -= rate * w.grad
        w.grad = None
    return losses


@misconception(
    "descend-climbs",
    exercise="silent",
    replaces="descend",
    section="Errors that keep silent",
    advice="Your steps go up the slope: a step against the gradient is subtracted.",
)
def climbs(w, x, y, rate, steps):
    losses = []
    for _ in range(steps):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with minigrad.no_grad():
            w += rate * w.grad
        w.grad = None
    return losses


@misconception(
    "centred-through-data",
    exercise="silent",
    replaces="centred",
    section="Errors that keep silent",
    advice="Your centred changes h through .data before the backward pass. Its nodes saved h, and compute with the "
    "changed numbers: nobody notices, and w.grad is wrong.",
)
def through_data(x, w):
    h = (x @ w).sigmoid()
    loss = (h * h).mean()
    h.data -= h.data.mean()
    loss.backward()
    return h.data


@misconception(
    "centred-through-detach",
    exercise="silent",
    replaces="centred",
    section="Errors that keep silent",
    advice="Your centred changes h in place, itself or through a detached tensor on its memory. The engine notices "
    "and refuses: take the mean off in a new tensor.",
)
def through_detach(x, w):
    h = (x @ w).sigmoid()
    loss = (h * h).mean()
    values = h.detach()
    values -= values.mean()
    loss.backward()
    return values


@misconception(
    "centred-tracked",
    exercise="silent",
    replaces="centred",
    section="Errors that keep silent",
    advice="Your report still hangs on the graph: it requires grad, and keeps all that was saved alive.",
)
def tracked(x, w):
    h = (x @ w).sigmoid()
    loss = (h * h).mean()
    loss.backward()
    return h - h.mean()


@misconception(
    "centred-cuts-the-loss",
    exercise="silent",
    replaces="centred",
    section="Errors that keep silent",
    advice="Your centred detaches h before the loss is computed from it: no way leads from the loss to w.",
)
def cuts_the_loss(x, w):
    h = (x @ w).sigmoid().detach().requires_grad_(True)
    loss = (h * h).mean()
    loss.backward()
    return h.detach() - h.detach().mean()


@variant
def cuts_the_loss_and_fails(x, w):
    h = (x @ w).sigmoid().detach()
    loss = (h * h).mean()
    loss.backward()
    return h - h.mean()
