# ruff: noqa: ANN001, ANN201, ANN202, D103
"""Chapter 5's ways of being wrong: adding to leaves, starting, saving, freeing, and tables of derivatives."""

import numpy as np

import minigrad
from minigrad.core.engine import MISMATCH, NOT_SCALAR, one_like, run_hooks
from minigrad.core.function import owned
from minigrad.core.tensor import Tensor, wrap

from ...ask.bank import collector

MISCONCEPTIONS, misconception, variant = collector()

# ---------------------------------------------------------------------- accumulate


@misconception(
    "accumulate-overwrites",
    exercise="accumulate",
    replaces="accumulate",
    section="Adding to a leaf",
    advice="Your accumulate overwrites what the leaf already has. A second gradient is added to the first.",
)
def overwrites(leaf, grad):
    leaf._grad = owned(grad)


@misconception(
    "accumulate-keeps-the-first",
    exercise="accumulate",
    replaces="accumulate",
    section="Adding to a leaf",
    advice="Your accumulate keeps the first gradient and loses those that come after it.",
)
def keeps_the_first(leaf, grad):
    if leaf._grad is None:
        leaf._grad = owned(grad)


@misconception(
    "accumulate-counts-the-first-twice",
    exercise="accumulate",
    replaces="accumulate",
    section="Adding to a leaf",
    advice="Your accumulate stores the first gradient and then adds it once more: storing and adding are alternatives.",
)
def counts_the_first_twice(leaf, grad):
    if leaf._grad is None:
        leaf._grad = owned(grad)
    leaf._grad += grad


@variant
def counts_the_first_twice_by_plus(leaf, grad):
    if leaf._grad is None:
        leaf._grad = owned(grad)
    leaf._grad = leaf._grad + owned(grad)


@misconception(
    "accumulate-shares",
    exercise="accumulate",
    replaces="accumulate",
    section="Adding to a leaf",
    advice="Your accumulate keeps the very array that arrived. A sum hands one array to both of its inputs, and then "
    "adding for one leaf changes the other, too.",
)
def shares(leaf, grad):
    if leaf._grad is None:
        leaf._grad = wrap(grad)
    else:
        leaf._grad += grad


@variant
def shares_through_an_array(leaf, grad):
    if leaf._grad is None:
        leaf._grad = wrap(np.asarray(grad))
    else:
        leaf._grad += grad


@misconception(
    "accumulate-bare-array",
    exercise="accumulate",
    replaces="accumulate",
    section="Adding to a leaf",
    advice="Your accumulate puts the bare array into .grad, which holds a tensor: one with a copy of the array.",
)
def bare_array(leaf, grad):
    if leaf._grad is None:
        leaf._grad = grad
    else:
        leaf._grad += grad


@variant
def bare_array_through_grad(leaf, grad):
    if leaf.grad is None:
        leaf.grad = grad
    else:
        leaf.grad += grad


@variant
def copied_bare_array(leaf, grad):
    if leaf._grad is None:
        leaf._grad = grad.copy()
    else:
        leaf._grad += grad


@misconception(
    "accumulate-new-tensor",
    exercise="accumulate",
    replaces="accumulate",
    section="Adding to a leaf",
    advice="Your accumulate puts a new tensor into .grad each time. The sum is right, but whoever holds the old tensor "
    "no longer sees it: add in place.",
)
def new_tensor(leaf, grad):
    leaf._grad = owned(grad) if leaf._grad is None else leaf._grad + grad


@misconception(
    "accumulate-averages",
    exercise="accumulate",
    replaces="accumulate",
    section="Adding to a leaf",
    advice="Your accumulate takes the mean of what was there and what arrives. Gradients that meet are added.",
)
def averages(leaf, grad):
    if leaf._grad is None:
        leaf._grad = owned(grad)
    else:
        leaf._grad += grad
        leaf._grad /= 2


@misconception(
    "accumulate-adds-to-nothing",
    exercise="accumulate",
    replaces="accumulate",
    section="Adding to a leaf",
    advice="Your accumulate adds to .grad while nothing is in it yet: before the first gradient, it is None.",
)
def adds_to_nothing(leaf, grad):
    leaf._grad += grad


@variant
def adds_to_nothing_by_plus(leaf, grad):
    leaf.grad = leaf.grad + grad


@misconception(
    "accumulate-changes-the-leaf",
    exercise="accumulate",
    replaces="accumulate",
    section="Adding to a leaf",
    advice="Your accumulate adds the gradient to the leaf's own values. Only .grad changes here, not the leaf.",
)
def changes_the_leaf(leaf, grad):
    leaf._array = leaf._array + grad


# ---------------------------------------------------------------------- first_gradient


@misconception(
    "first-zeros",
    exercise="first-gradient",
    replaces="first_gradient",
    section="Where a pass starts",
    advice="Your first_gradient starts with 0. Everything below is multiplied by it, so every gradient would be 0: an "
    "output changes one for one with itself.",
)
def first_zeros(output, gradient, i):
    if gradient is None:
        if output.numel() != 1:
            raise RuntimeError(NOT_SCALAR)
        return one_like(output) * 0
    if gradient.shape != output.shape:
        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
    return gradient.to(output.dtype)


@misconception(
    "first-the-value",
    exercise="first-gradient",
    replaces="first_gradient",
    section="Where a pass starts",
    advice="Your first_gradient starts with the output's value. The value plays no part: the derivative of the output "
    "with respect to itself is 1.",
)
def first_the_value(output, gradient, i):
    if gradient is None:
        if output.numel() != 1:
            raise RuntimeError(NOT_SCALAR)
        return output.detach()
    if gradient.shape != output.shape:
        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
    return gradient.to(output.dtype)


@misconception(
    "first-sums-silently",
    exercise="first-gradient",
    replaces="first_gradient",
    section="Where a pass starts",
    advice="Your first_gradient starts with ones at an output of several elements, too. This differentiates their sum, "
    "which nobody asked for.",
)
def first_sums(output, gradient, i):
    if gradient is None:
        return one_like(output)
    if gradient.shape != output.shape:
        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
    return gradient.to(output.dtype)


@misconception(
    "first-lets-none-pass",
    exercise="first-gradient",
    replaces="first_gradient",
    section="Where a pass starts",
    advice="Your first_gradient starts at an output with no element at all. Without a gradient, exactly one element "
    "will do.",
)
def first_lets_none_pass(output, gradient, i):
    if gradient is None:
        if output.numel() > 1:
            raise RuntimeError(NOT_SCALAR)
        return one_like(output)
    if gradient.shape != output.shape:
        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
    return gradient.to(output.dtype)


@misconception(
    "first-scalars-only",
    exercise="first-gradient",
    replaces="first_gradient",
    section="Where a pass starts",
    advice="Your first_gradient refuses outputs of shape (1,) or (1, 1). What counts is the number of elements, not "
    "the number of axes.",
)
def first_scalars_only(output, gradient, i):
    if gradient is None:
        if output.ndim != 0:
            raise RuntimeError(NOT_SCALAR)
        return one_like(output)
    if gradient.shape != output.shape:
        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
    return gradient.to(output.dtype)


@misconception(
    "first-counts-rows",
    exercise="first-gradient",
    replaces="first_gradient",
    section="Where a pass starts",
    advice="Your first_gradient asks for len(output), the number of rows. A single number has none, and one row may "
    "hold several.",
)
def first_counts_rows(output, gradient, i):
    if gradient is None:
        if len(output) != 1:
            raise RuntimeError(NOT_SCALAR)
        return one_like(output)
    if gradient.shape != output.shape:
        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
    return gradient.to(output.dtype)


@misconception(
    "first-returns-the-error",
    exercise="first-gradient",
    replaces="first_gradient",
    section="Where a pass starts",
    advice="Your first_gradient returns an error instead of raising it, and the pass goes on with it.",
)
def first_returns_the_error(output, gradient, i):
    if gradient is None:
        if output.numel() != 1:
            return RuntimeError(NOT_SCALAR)
        return one_like(output)
    if gradient.shape != output.shape:
        return RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
    return gradient.to(output.dtype)


@misconception(
    "first-any-shape",
    exercise="first-gradient",
    replaces="first_gradient",
    section="Where a pass starts",
    advice="Your first_gradient takes a gradient of any shape. It has to have the output's own, a number for each of "
    "its elements.",
)
def first_any_shape(output, gradient, i):
    if gradient is None:
        if output.numel() != 1:
            raise RuntimeError(NOT_SCALAR)
        return one_like(output)
    return gradient.to(output.dtype)


@misconception(
    "first-counts-elements",
    exercise="first-gradient",
    replaces="first_gradient",
    section="Where a pass starts",
    advice="Your first_gradient compares how many elements there are. A gradient of shape (3, 2) does not fit an "
    "output of shape (2, 3).",
)
def first_counts_elements(output, gradient, i):
    if gradient is None:
        if output.numel() != 1:
            raise RuntimeError(NOT_SCALAR)
        return one_like(output)
    if gradient.numel() != output.numel():
        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
    return gradient.to(output.dtype)


@variant
def first_compares_axes(output, gradient, i):
    if gradient is None:
        if output.numel() != 1:
            raise RuntimeError(NOT_SCALAR)
        return one_like(output)
    if gradient.ndim != output.ndim:
        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
    return gradient.to(output.dtype)


@misconception(
    "first-broadcasts",
    exercise="first-gradient",
    replaces="first_gradient",
    section="Where a pass starts",
    advice="Your first_gradient broadcasts the gradient to the output's shape. Its shape has to be the output's own.",
)
def first_broadcasts(output, gradient, i):
    if gradient is None:
        if output.numel() != 1:
            raise RuntimeError(NOT_SCALAR)
        return one_like(output)
    try:
        return gradient.to(output.dtype).expand(*output.shape)
    except RuntimeError:
        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape)) from None


@misconception(
    "first-ignores-gradient",
    exercise="first-gradient",
    replaces="first_gradient",
    section="Where a pass starts",
    advice="Your first_gradient does not use the gradient that it is given.",
)
def first_ignores_gradient(output, gradient, i):
    if gradient is None and output.numel() != 1:
        raise RuntimeError(NOT_SCALAR)
    if gradient is not None and gradient.shape != output.shape:
        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
    return one_like(output)


@misconception(
    "first-unfilled-message",
    exercise="first-gradient",
    replaces="first_gradient",
    section="Where a pass starts",
    advice="Your first_gradient refuses as it should, but with another message: fill the braces of MISMATCH "
    "with format, in the order that is asked for.",
)
def first_unfilled_message(output, gradient, i):
    if gradient is None:
        if output.numel() != 1:
            raise RuntimeError(NOT_SCALAR)
        return one_like(output)
    if gradient.shape != output.shape:
        raise RuntimeError(MISMATCH)
    return gradient.to(output.dtype)


@variant
def first_wrongly_filled_message(output, gradient, i):
    if gradient is None:
        if output.numel() != 1:
            raise RuntimeError(NOT_SCALAR)
        return one_like(output)
    if gradient.shape != output.shape:
        raise RuntimeError(MISMATCH.format(i, output.shape, gradient.shape))
    return gradient.to(output.dtype)


@misconception(
    "first-keeps-dtype",
    exercise="first-gradient",
    replaces="first_gradient",
    section="Where a pass starts",
    advice="Your first_gradient leaves the gradient in its own dtype; the pass runs in the output's.",
)
def first_keeps_dtype(output, gradient, i):
    if gradient is None:
        if output.numel() != 1:
            raise RuntimeError(NOT_SCALAR)
        return one_like(output)
    if gradient.shape != output.shape:
        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
    return gradient


# ---------------------------------------------------------------------- save


@misconception(
    "save-place-0-is-out",
    exercise="save",
    replaces="save",
    section="What a node keeps",
    advice="Your save takes place 0 for the result. 0 is the first input; only -1 stands for out.",
)
def save_zero_is_out(self, places, inputs, out):
    self.saved, self.versions = [], []
    for i in places:
        value = inputs[i] if i > 0 else out
        if isinstance(value, Tensor):
            self.versions.append((len(self.saved), value._versions, value._versions[0]))
            value = value._array
        self.saved.append(value)


@misconception(
    "save-number-for-the-list",
    exercise="save",
    replaces="save",
    section="What a node keeps",
    advice="Your triples hold the version as a number twice. The list itself has to be in the middle: only there will "
    "the pass find a later number.",
)
def save_number_for_list(self, places, inputs, out):
    self.saved, self.versions = [], []
    for i in places:
        value = inputs[i] if i != -1 else out
        if isinstance(value, Tensor):
            self.versions.append((len(self.saved), value._versions[0], value._versions[0]))
            value = value._array
        self.saved.append(value)


@misconception(
    "save-last-input-for-out",
    exercise="save",
    replaces="save",
    section="What a node keeps",
    advice="Your save takes inputs[-1] where the place is -1. That is the last input; -1 stands for out, the result.",
)
def last_input_for_out(self, places, inputs, out):
    self.saved = saved = []
    self.versions = versions = []
    for i in places:
        value = inputs[i]
        if isinstance(value, Tensor):
            counter = value._versions
            versions.append((len(saved), counter, counter[0]))
            value = value._array
        saved.append(value)


@misconception(
    "save-everything",
    exercise="save",
    replaces="save",
    section="What a node keeps",
    advice="Your save keeps all inputs, whatever places says. The rules then find the wrong values, and the memory is "
    "held for nothing.",
)
def saves_everything(self, places, inputs, out):
    self.saved = saved = []
    self.versions = versions = []
    for value in (*inputs, out):
        if isinstance(value, Tensor):
            counter = value._versions
            versions.append((len(saved), counter, counter[0]))
            value = value._array
        saved.append(value)


@variant
def saves_all_inputs(self, places, inputs, out):
    self.saved = saved = []
    self.versions = versions = []
    for value in inputs:
        if isinstance(value, Tensor):
            counter = value._versions
            versions.append((len(saved), counter, counter[0]))
            value = value._array
        saved.append(value)


@misconception(
    "save-tensors",
    exercise="save",
    replaces="save",
    section="What a node keeps",
    advice="Your save keeps tensors. A node that holds its own result, which holds the node, is never given back by "
    "Python at once; and rules run on arrays.",
)
def saves_tensors(self, places, inputs, out):
    self.saved = saved = []
    self.versions = versions = []
    for i in places:
        value = inputs[i] if i >= 0 else out
        if isinstance(value, Tensor):
            counter = value._versions
            versions.append((len(saved), counter, counter[0]))
        saved.append(value)


@misconception(
    "save-copies",
    exercise="save",
    replaces="save",
    section="What a node keeps",
    advice="Your save copies the arrays, which doubles the memory. Keep the arrays themselves; the versions tell when "
    "one has changed.",
)
def saves_copies(self, places, inputs, out):
    self.saved = saved = []
    self.versions = versions = []
    for i in places:
        value = inputs[i] if i >= 0 else out
        if isinstance(value, Tensor):
            counter = value._versions
            versions.append((len(saved), counter, counter[0]))
            value = value._array.copy()
        saved.append(value)


@misconception(
    "save-no-versions",
    exercise="save",
    replaces="save",
    section="What a node keeps",
    advice="Your save does not note the versions, so a value that is changed after it was saved gives a wrong gradient "
    "without a word.",
)
def saves_no_versions(self, places, inputs, out):
    self.saved = saved = []
    for i in places:
        value = inputs[i] if i >= 0 else out
        saved.append(value._array if isinstance(value, Tensor) else value)


@misconception(
    "save-one-version",
    exercise="save",
    replaces="save",
    section="What a node keeps",
    advice="Your save notes the version of one tensor only; a change of the others goes unnoticed.",
)
def saves_one_version(self, places, inputs, out):
    self.saved = saved = []
    for i in places:
        value = inputs[i] if i >= 0 else out
        if isinstance(value, Tensor):
            counter = value._versions
            self.versions = [(len(saved), counter, counter[0])]
            value = value._array
        saved.append(value)


@misconception(
    "save-list-made-anew",
    exercise="save",
    replaces="save",
    section="What a node keeps",
    advice="Your save does not keep a value for each place: it starts a new list each time, stops early, or never "
    "appends.",
)
def list_made_anew(self, places, inputs, out):
    self.versions = versions = []
    for i in places:
        self.saved = saved = []
        value = inputs[i] if i >= 0 else out
        if isinstance(value, Tensor):
            counter = value._versions
            versions.append((len(saved), counter, counter[0]))
            value = value._array
        saved.append(value)


@misconception(
    "save-tensors-only",
    exercise="save",
    replaces="save",
    section="What a node keeps",
    advice="Your save keeps tensors' arrays and leaves out plain numbers, such as the exponent of x ** 3. A rule may "
    "need those, too.",
)
def saves_tensors_only(self, places, inputs, out):
    self.saved = saved = []
    self.versions = versions = []
    for i in places:
        value = inputs[i] if i >= 0 else out
        if isinstance(value, Tensor):
            counter = value._versions
            versions.append((len(saved), counter, counter[0]))
            saved.append(value._array)


@misconception(
    "save-forgets-self",
    exercise="save",
    replaces="save",
    section="What a node keeps",
    advice="Your save fills lists that nobody sees: the node looks for them in self.saved and self.versions.",
)
def forgets_self(self, places, inputs, out):
    saved, versions = [], []
    for i in places:
        value = inputs[i] if i >= 0 else out
        if isinstance(value, Tensor):
            counter = value._versions
            versions.append((len(saved), counter, counter[0]))
            value = value._array
        saved.append(value)


@misconception(
    "save-no-lists-of-its-own",
    exercise="save",
    replaces="save",
    section="What a node keeps",
    advice="Your save appends to lists that are not there: give the node lists of its own first, in self.saved and "
    "self.versions.",
)
def no_lists_of_its_own(self, places, inputs, out):
    for i in places:
        value = inputs[i] if i >= 0 else out
        if isinstance(value, Tensor):
            counter = value._versions
            self.versions.append((len(self.saved), counter, counter[0]))
            value = value._array
        self.saved.append(value)


@variant
def no_lists_of_its_own_either(self, places, inputs, out):
    for i in places:
        value = inputs[i] if i >= 0 else out
        self.saved.append(value._array if isinstance(value, Tensor) else value)


@misconception(
    "save-wrong-positions",
    exercise="save",
    replaces="save",
    section="What a node keeps",
    advice="The positions in your versions are not those of the values in saved: what is appended next goes to "
    "position len(saved).",
)
def positions_of_inputs(self, places, inputs, out):
    self.saved, self.versions = [], []
    for i in places:
        value = inputs[i] if i >= 0 else out
        if isinstance(value, Tensor):
            self.versions.append((i, value._versions, value._versions[0]))
            value = value._array
        self.saved.append(value)


@variant
def positions_one_too_far(self, places, inputs, out):
    self.saved, self.versions = [], []
    for i in places:
        value = inputs[i] if i >= 0 else out
        self.saved.append(value._array if isinstance(value, Tensor) else value)
        if isinstance(value, Tensor):
            self.versions.append((len(self.saved), value._versions, value._versions[0]))


@misconception(
    "save-takes-all-for-tensors",
    exercise="save",
    replaces="save",
    section="What a node keeps",
    advice="Your save takes every value for a tensor. Some are plain numbers, such as the 3 in x * 3.",
)
def takes_all_for_tensors(self, places, inputs, out):
    self.saved, self.versions = [], []
    for i in places:
        value = inputs[i] if i >= 0 else out
        self.versions.append((len(self.saved), value._versions, value._versions[0]))
        self.saved.append(value._array)


@variant
def takes_all_arrays_for_granted(self, places, inputs, out):
    self.saved, self.versions = [], []
    for i in places:
        value = inputs[i] if i >= 0 else out
        self.saved.append(value._array)


# ---------------------------------------------------------------------- visit_and_free


@misconception(
    "visit-frees-first",
    exercise="visit",
    replaces="visit_and_free",
    section="What a node gives back",
    advice="Your visit_and_free frees what the node saved before its rules have run; they need it.",
)
def frees_first(node, grad):
    if node.watched:
        grad = run_hooks(node, grad)
    if node.saved:
        node.free()
    return node.backward(grad)


@variant
def frees_every_node_first(node, grad):
    node.free()
    if node.watched:
        grad = run_hooks(node, grad)
    return node.backward(grad)


@misconception(
    "visit-frees-all-nodes",
    exercise="visit",
    replaces="visit_and_free",
    section="What a node gives back",
    advice="Your visit_and_free marks every node as freed. One that saved nothing, as in x + 1, has nothing to lose "
    "and can run again.",
)
def frees_all_nodes(node, grad):
    if node.watched:
        grad = run_hooks(node, grad)
    grads = node.backward(grad)
    node.free()
    return grads


@misconception(
    "visit-never-frees",
    exercise="visit",
    replaces="visit_and_free",
    section="What a node gives back",
    advice="Your visit_and_free frees nothing: a second backward runs where PyTorch refuses, and the memory "
    "stays taken.",
)
def never_frees(node, grad):
    if node.watched:
        grad = run_hooks(node, grad)
    return node.backward(grad)


@variant
def frees_after_return(node, grad):
    if node.watched:
        grad = run_hooks(node, grad)
    return node.backward(grad)
    node.free()


@variant
def names_free_without_calling(node, grad):
    if node.watched:
        grad = run_hooks(node, grad)
    grads = node.backward(grad)
    if node.saved:
        node.free  # noqa: B018
    return grads


@misconception(
    "visit-empties",
    exercise="visit",
    replaces="visit_and_free",
    section="What a node gives back",
    advice="Your visit_and_free empties what was saved instead of calling node.free(). An empty list looks like a node "
    "that saved nothing, and its rule stumbles.",
)
def empties(node, grad):
    if node.watched:
        grad = run_hooks(node, grad)
    grads = node.backward(grad)
    node.saved = []
    node.versions = ()
    return grads


@misconception(
    "visit-cuts-the-edges",
    exercise="visit",
    replaces="visit_and_free",
    section="What a node gives back",
    advice="Your visit_and_free takes the graph apart. Nodes and edges stay as long as the output does; only what was "
    "saved is dropped.",
)
def cuts_the_edges(node, grad):
    if node.watched:
        grad = run_hooks(node, grad)
    grads = node.backward(grad)
    if node.saved:
        node.free()
    node.edges = ()
    return grads


@misconception(
    "visit-returns-nothing",
    exercise="visit",
    replaces="visit_and_free",
    section="What a node gives back",
    advice="Your visit_and_free returns nothing; the traversal waits for the gradients of the node's inputs.",
)
def returns_nothing(node, grad):
    if node.watched:
        grad = run_hooks(node, grad)
    node.backward(grad)
    if node.saved:
        node.free()


@misconception(
    "visit-forgets-the-watchers",
    exercise="visit",
    replaces="visit_and_free",
    section="What a node gives back",
    advice="Your visit_and_free leaves out the first two lines of visit_and_keep: without run_hooks, retain_grad keeps "
    "nothing.",
)
def forgets_the_watchers(node, grad):
    grads = node.backward(grad)
    if node.saved:
        node.free()
    return grads


@misconception(
    "visit-drops-what-hooks-return",
    exercise="visit",
    replaces="visit_and_free",
    section="What a node gives back",
    advice="Your visit_and_free drops what run_hooks returns: a hook may change the gradient.",
)
def drops_what_hooks_return(node, grad):
    if node.watched:
        run_hooks(node, grad)
    grads = node.backward(grad)
    if node.saved:
        node.free()
    return grads


@misconception(
    "visit-runs-twice",
    exercise="visit",
    replaces="visit_and_free",
    section="What a node gives back",
    advice="Your visit_and_free runs the node again after freeing it; keep the gradients of the first run, and return "
    "them.",
)
def runs_twice(node, grad):
    if node.watched:
        grad = run_hooks(node, grad)
    node.backward(grad)
    if node.saved:
        node.free()
    return node.backward(grad)


# ---------------------------------------------------------------------- jacobian


@misconception(
    "jacobian-transposed",
    exercise="jacobian",
    replaces="jacobian",
    section="A Jacobian row by row",
    advice="Your jacobian is transposed: each backward pass gives a row, one number for each element of x.",
)
def transposed(f, x):
    leaf = minigrad.tensor(x, requires_grad=True)
    y = f(leaf)
    rows = []
    for v in np.eye(y.numel()):
        leaf.grad = None
        y.backward(minigrad.tensor(v.reshape(y.shape)), retain_graph=True)
        rows.append(leaf.grad.numpy().ravel())
    return np.stack(rows, axis=1)


@misconception(
    "jacobian-no-retain",
    exercise="jacobian",
    replaces="jacobian",
    section="A Jacobian row by row",
    advice="Your jacobian runs the same graph again after its first pass has freed it. Say that the graph is to "
    "be kept.",
)
def no_retain(f, x):
    leaf = minigrad.tensor(x, requires_grad=True)
    y = f(leaf)
    rows = []
    for v in np.eye(y.numel()):
        leaf.grad = None
        y.backward(minigrad.tensor(v.reshape(y.shape)))
        rows.append(leaf.grad.numpy().ravel())
    return np.stack(rows)


@misconception(
    "jacobian-zeroes-nothing",
    exercise="jacobian",
    replaces="jacobian",
    section="A Jacobian row by row",
    advice="Your jacobian clears .grad before the first pass by zero_(), when there is none yet: it is None.",
)
def zeroes_nothing(f, x):
    leaf = minigrad.tensor(x, requires_grad=True)
    y = f(leaf)
    rows = []
    for v in np.eye(y.numel()):
        leaf.grad.zero_()
        y.backward(minigrad.tensor(v.reshape(y.shape)), retain_graph=True)
        rows.append(leaf.grad.numpy().ravel())
    return np.stack(rows)


@misconception(
    "jacobian-no-requires-grad",
    exercise="jacobian",
    replaces="jacobian",
    section="A Jacobian row by row",
    advice="Your jacobian runs f on a tensor that requires no grad, so nothing is recorded.",
)
def no_requires_grad(f, x):
    leaf = minigrad.tensor(x)
    y = f(leaf)
    rows = []
    for v in np.eye(y.numel()):
        leaf.grad = None
        y.backward(minigrad.tensor(v.reshape(y.shape)), retain_graph=True)
        rows.append(leaf.grad.numpy().ravel())
    return np.stack(rows)


@misconception(
    "jacobian-array-for-gradient",
    exercise="jacobian",
    replaces="jacobian",
    section="A Jacobian row by row",
    advice="Your jacobian hands backward an array; it takes a tensor.",
)
def array_for_gradient(f, x):
    leaf = minigrad.tensor(x, requires_grad=True)
    y = f(leaf)
    rows = []
    for v in np.eye(y.numel()):
        leaf.grad = None
        y.backward(v.reshape(y.shape), retain_graph=True)
        rows.append(leaf.grad.numpy().ravel())
    return np.stack(rows)


@misconception(
    "jacobian-returns-early",
    exercise="jacobian",
    replaces="jacobian",
    section="A Jacobian row by row",
    advice="Your jacobian returns within its loop, after the first row.",
)
def returns_early(f, x):
    leaf = minigrad.tensor(x, requires_grad=True)
    y = f(leaf)
    rows = []
    for v in np.eye(y.numel()):
        y.backward(minigrad.tensor(v.reshape(y.shape)), retain_graph=True)
        rows.append(leaf.grad.numpy().ravel())
        return np.stack(rows)


@misconception(
    "jacobian-a-pass-for-each-input",
    exercise="jacobian",
    replaces="jacobian",
    section="A Jacobian row by row",
    advice="Your jacobian makes a pass for each element of x. There is one for each element of f(x).",
)
def a_pass_for_each_input(f, x):
    leaf = minigrad.tensor(x, requires_grad=True)
    y = f(leaf)
    rows = []
    for v in np.eye(x.size):
        leaf.grad = None
        y.backward(minigrad.tensor(v.reshape(y.shape)), retain_graph=True)
        rows.append(leaf.grad.numpy().ravel())
    return np.stack(rows)


@misconception(
    "jacobian-adds-rows-up",
    exercise="jacobian",
    replaces="jacobian",
    section="A Jacobian row by row",
    advice="Your jacobian does not clear the leaf's .grad between its passes, so each row also holds those before it.",
)
def adds_rows_up(f, x):
    leaf = minigrad.tensor(x, requires_grad=True)
    y = f(leaf)
    rows = []
    for v in np.eye(y.numel()):
        y.backward(minigrad.tensor(v.reshape(y.shape)), retain_graph=True)
        rows.append(leaf.grad.numpy().ravel().copy())
    return np.stack(rows)


@misconception(
    "jacobian-same-memory",
    exercise="jacobian",
    replaces="jacobian",
    section="A Jacobian row by row",
    advice="Your rows all share the memory of .grad, which the next pass changes in place: copy each row, or let each "
    "pass start without a .grad.",
)
def same_memory(f, x):
    leaf = minigrad.tensor(x, requires_grad=True)
    y = f(leaf)
    rows = []
    for v in np.eye(y.numel()):
        if leaf.grad is not None:
            leaf.grad.zero_()
        y.backward(minigrad.tensor(v.reshape(y.shape)), retain_graph=True)
        rows.append(leaf.grad.numpy().reshape(-1))
    return np.stack(rows)


@misconception(
    "jacobian-sum-in-every-row",
    exercise="jacobian",
    replaces="jacobian",
    section="A Jacobian row by row",
    advice="Each of your rows is the sum of all rows. Either each pass starts with ones everywhere, or all rows share "
    "the memory of a .grad that is never cleared.",
)
def all_ones(f, x):
    leaf = minigrad.tensor(x, requires_grad=True)
    y = f(leaf)
    rows = []
    for _ in range(y.numel()):
        leaf.grad = None
        y.backward(minigrad.ones_like(y), retain_graph=True)
        rows.append(leaf.grad.numpy().ravel())
    return np.stack(rows)


@variant
def same_memory_and_sums(f, x):
    leaf = minigrad.tensor(x, requires_grad=True)
    y = f(leaf)
    rows = []
    for v in np.eye(y.numel()):
        y.backward(minigrad.tensor(v.reshape(y.shape)), retain_graph=True)
        rows.append(leaf.grad.numpy().reshape(-1))
    return np.stack(rows)


@misconception(
    "jacobian-one-pass",
    exercise="jacobian",
    replaces="jacobian",
    section="A Jacobian row by row",
    advice="Your jacobian makes one pass, which gives one row: the sum of all. Each row needs a pass of its own.",
)
def one_pass(f, x):
    leaf = minigrad.tensor(x, requires_grad=True)
    y = f(leaf)
    y.backward(minigrad.ones_like(y))
    return leaf.grad.numpy().reshape(1, -1)


@misconception(
    "jacobian-no-gradient",
    exercise="jacobian",
    replaces="jacobian",
    section="A Jacobian row by row",
    advice="Your jacobian calls backward without a gradient on an output of several elements: say which row you want.",
)
def no_gradient(f, x):
    leaf = minigrad.tensor(x, requires_grad=True)
    y = f(leaf)
    rows = []
    for _ in range(y.numel()):
        leaf.grad = None
        y.backward(retain_graph=True)
        rows.append(leaf.grad.numpy().ravel())
    return np.stack(rows)


@misconception(
    "jacobian-runs-f-again",
    exercise="jacobian",
    replaces="jacobian",
    section="A Jacobian row by row",
    advice="Your jacobian is right, but runs f once for each row. One graph is enough if it is kept.",
)
def runs_f_again(f, x):
    count = None
    rows = []
    while count is None or len(rows) < count:
        leaf = minigrad.tensor(x, requires_grad=True)
        y = f(leaf)
        count = y.numel()
        v = np.eye(count)[len(rows)]
        y.backward(minigrad.tensor(v.reshape(y.shape)))
        rows.append(leaf.grad.numpy().ravel())
    return np.stack(rows)


@variant
def asks_for_the_size_first(f, x):
    size = f(minigrad.tensor(x)).numel()
    rows = []
    for v in np.eye(size):
        leaf = minigrad.tensor(x, requires_grad=True)
        y = f(leaf)
        y.backward(minigrad.tensor(v.reshape(y.shape)))
        rows.append(leaf.grad.numpy().ravel())
    return np.stack(rows)


@misconception(
    "jacobian-counts-rows-of-y",
    exercise="jacobian",
    replaces="jacobian",
    section="A Jacobian row by row",
    advice="Your jacobian counts len(y), the rows of y. There is a row of the table for each element, and y may have "
    "any shape.",
)
def counts_rows_of_y(f, x):
    leaf = minigrad.tensor(x, requires_grad=True)
    y = f(leaf)
    rows = []
    for v in np.eye(len(y)):
        leaf.grad = None
        y.backward(minigrad.tensor(v), retain_graph=True)
        rows.append(leaf.grad.numpy().ravel())
    return np.stack(rows)


@misconception(
    "jacobian-flat-gradient",
    exercise="jacobian",
    replaces="jacobian",
    section="A Jacobian row by row",
    advice="Your jacobian hands backward a flat row of numbers. A gradient has the output's own shape.",
)
def flat_gradient(f, x):
    leaf = minigrad.tensor(x, requires_grad=True)
    y = f(leaf)
    rows = []
    for v in np.eye(y.numel()):
        leaf.grad = None
        y.backward(minigrad.tensor(v), retain_graph=True)
        rows.append(leaf.grad.numpy().ravel())
    return np.stack(rows)


@misconception(
    "jacobian-rows-not-flat",
    exercise="jacobian",
    replaces="jacobian",
    section="A Jacobian row by row",
    advice="Your rows keep the shape of x. The table has two axes: one column for each element of x.",
)
def rows_not_flat(f, x):
    leaf = minigrad.tensor(x, requires_grad=True)
    y = f(leaf)
    rows = []
    for v in np.eye(y.numel()):
        leaf.grad = None
        y.backward(minigrad.tensor(v.reshape(y.shape)), retain_graph=True)
        rows.append(leaf.grad.numpy())
    return np.stack(rows)


@misconception(
    "jacobian-measures",
    exercise="jacobian",
    replaces="jacobian",
    section="A Jacobian row by row",
    advice="Your jacobian measures slopes by finite differences: close, but not to rounding, and f runs twice for each "
    "element of x.",
)
def measures(f, x, h=1e-5):
    columns = []
    for place in np.ndindex(x.shape):
        nudge = np.zeros(x.shape)
        nudge[place] = h
        up, down = (f(minigrad.tensor(x + n)).numpy() for n in (nudge, -nudge))
        columns.append(np.ravel(up - down) / (2 * h))
    return np.stack(columns, axis=1)
