"""Chapter 5 in other words: through .grad and in arrays, cases in another order, comprehensions, other ways to a row."""

import numpy as np

import minigrad
from minigrad.core.engine import MISMATCH, NOT_SCALAR, one_like, run_hooks, visit_and_keep
from minigrad.core.function import owned
from minigrad.core.tensor import Tensor, wrap

from ...ask.right import collector

RIGHT, right = collector()


@right(exercise="accumulate", replaces="accumulate")
def accumulate_through_grad(leaf, grad):
    if leaf.grad is None:
        leaf.grad = owned(grad)
    else:
        leaf.grad += grad


@right(exercise="accumulate", replaces="accumulate")
def accumulate_with_add(leaf, grad):
    if leaf._grad is not None:
        leaf._grad.add_(wrap(grad))
        return
    leaf._grad = minigrad.tensor(np.array(grad))


@right(exercise="accumulate", replaces="accumulate")
def accumulate_to_zeros(leaf, grad):
    if leaf._grad is None:
        leaf._grad = minigrad.zeros_like(leaf)
    leaf._grad += grad


@right(exercise="accumulate", replaces="accumulate")
def accumulate_without_grad_mode(leaf, grad):
    with minigrad.no_grad():
        leaf._grad = owned(grad) if leaf._grad is None else leaf._grad.add_(grad)


@right(exercise="accumulate", replaces="accumulate")
def accumulate_by_memory(leaf, grad):
    if leaf._grad is None:
        leaf._grad = minigrad.zeros_like(leaf)
    total = leaf._grad.numpy()
    total[...] = total + grad


@right(exercise="first-gradient", replaces="first_gradient")
def shape_first(output, gradient, i):
    if gradient is not None:
        if tuple(gradient.shape) != tuple(output.shape):
            raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
        return gradient.to(output.dtype)
    if np.prod(output.shape) == 1:
        return minigrad.ones_like(output)
    raise RuntimeError(NOT_SCALAR)


@right(exercise="first-gradient", replaces="first_gradient")
def by_cases(output, gradient, i):
    match gradient:
        case None if output.numel() == 1:
            return one_like(output)
        case None:
            raise RuntimeError(NOT_SCALAR)
        case Tensor() if gradient.shape == output.shape:
            return gradient.to(output.dtype)
    raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))


@right(exercise="first-gradient", replaces="first_gradient")
def refusals_first(output, gradient, i):
    if gradient is None and output.numel() != 1:
        raise RuntimeError(NOT_SCALAR)
    if gradient is not None and gradient.shape != output.shape:
        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
    return one_like(output) if gradient is None else gradient.to(output.dtype)


@right(exercise="first-gradient", replaces="first_gradient")
def one_made_of_the_output(output, gradient, i):
    if gradient is None:
        if output.detach().numpy().size != 1:
            raise RuntimeError(NOT_SCALAR)
        gradient = minigrad.ones(*output.shape)
    elif list(gradient.shape) != list(output.shape):
        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
    return gradient.to(output.dtype)


@right(exercise="first-gradient", replaces="first_gradient")
def with_else(output, gradient, i):
    if gradient is None:
        if output.numel() == 1:
            first = minigrad.tensor(np.ones(output.shape), dtype=output.dtype)
        else:
            raise RuntimeError(NOT_SCALAR)
    else:
        if gradient.shape == output.shape:
            first = gradient.detach().to(output.dtype)
        else:
            raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
    return first


@right(exercise="save", replaces="save")
def save_in_comprehensions(self, places, inputs, out):
    values = [out if i == -1 else inputs[i] for i in places]
    self.saved = [v._array if isinstance(v, Tensor) else v for v in values]
    self.versions = [(n, v._versions, v._versions[0]) for n, v in enumerate(values) if isinstance(v, Tensor)]


@right(exercise="save", replaces="save")
def save_from_all_values(self, places, inputs, out):
    self.saved, self.versions = [], []
    for place in places:
        value = (*inputs, out)[place]
        if isinstance(value, Tensor):
            self.versions += ((len(self.saved), value._versions, value._version),)
            self.saved += [value._array]
        else:
            self.saved += [value]


@right(exercise="save", replaces="save")
def save_with_else(self, places, inputs, out):
    self.saved = []
    self.versions = []
    for i in places:
        value = out if i == -1 else inputs[i]
        if isinstance(value, Tensor):
            self.versions.append((len(self.saved), value._versions, value._versions[0]))
            self.saved.append(value._array)
        else:
            self.saved.append(value)


@right(exercise="save", replaces="save")
def save_with_hasattr(self, places, inputs, out):
    values = [*inputs, out]
    self.saved, self.versions = [None] * len(places), []
    for position, place in enumerate(places):
        self.saved[position] = value = values[place]
        if hasattr(value, "_array"):
            self.saved[position] = value._array
            self.versions += [(position, value._versions, value._versions[0])]


@right(exercise="save", replaces="save")
def save_only_notes_versions_if_any(self, places, inputs, out):
    saved, versions = [], []
    for i in places:
        value = out if i < 0 else inputs[i]
        if not isinstance(value, Tensor):
            saved.append(value)
            continue
        versions.append((len(saved), value._versions, value._versions[0]))
        saved.append(value._array)
    self.saved = saved
    if versions:
        self.versions = versions


@right(exercise="visit", replaces="visit_and_free")
def visit_with_keep(node, grad):
    grads = visit_and_keep(node, grad)
    if node.saved:
        node.free()
    return grads


@right(exercise="visit", replaces="visit_and_free")
def visit_by_assignment(node, grad):
    if node.watched:
        grad = run_hooks(node, grad)
    grads = list(node.backward(grad))
    if len(node.saved or ()) > 0:
        node.saved, node.versions = None, ()
    return grads


@right(exercise="visit", replaces="visit_and_free")
def visit_and_always_look(node, grad):
    try:
        return visit_and_keep(node, grad)
    finally:
        if node.saved:
            node.free()


@right(exercise="visit", replaces="visit_and_free")
def visit_with_hooks_at_all_times(node, grad):
    grads = node.backward(run_hooks(node, grad))
    if bool(node.saved):
        node.free()
    return grads


@right(exercise="visit", replaces="visit_and_free")
def visit_with_a_condition(node, grad):
    grad = run_hooks(node, grad) if node.watched else grad
    saved = node.saved
    grads = node.backward(grad)
    return grads if not saved else (node.free(), grads)[1]


@right(exercise="jacobian", replaces="jacobian")
def jacobian_in_a_table(f, x):
    leaf = minigrad.tensor(x, requires_grad=True)
    y = f(leaf)
    table = np.empty((y.numel(), x.size))
    for row, place in enumerate(np.ndindex(*y.shape)):
        v = minigrad.zeros_like(y)
        v[place] = 1.0
        if leaf.grad is not None:
            leaf.grad.zero_()
        y.backward(v, retain_graph=True)
        table[row] = leaf.grad.numpy().reshape(-1)
    return table


@right(exercise="jacobian", replaces="jacobian")
def jacobian_of_a_flat_output(f, x):
    leaf = minigrad.tensor(x, requires_grad=True)
    y = f(leaf).reshape(-1)
    rows = [minigrad.autograd.grad(element, leaf, retain_graph=True)[0] for element in y]
    return np.array([row.numpy().ravel() for row in rows])


@right(exercise="jacobian", replaces="jacobian")
def jacobian_from_differences_of_grad(f, x):
    leaf = minigrad.tensor(x, requires_grad=True)
    y = f(leaf)
    rows, before = [], np.zeros(x.shape)
    for v in np.eye(y.numel()):
        y.backward(minigrad.tensor(v.reshape(y.shape)), retain_graph=True)
        rows.append((leaf.grad.numpy() - before).ravel())
        before = leaf.grad.numpy().copy()
    return np.stack(rows)


@right(exercise="jacobian", replaces="jacobian")
def jacobian_freed_in_its_last_pass(f, x):
    leaf = minigrad.tensor(x, requires_grad=True)
    y = f(leaf)
    n = y.numel()
    rows = np.zeros((n, leaf.numel()))
    for r in range(n):
        v = np.zeros(n)
        v[r] = 1
        (row,) = minigrad.autograd.grad(y, leaf, minigrad.tensor(v.reshape(tuple(y.shape))), retain_graph=r < n - 1)
        rows[r] = row.numpy().flatten()
    return rows


@right(exercise="jacobian", replaces="jacobian")
def jacobian_from_copies(f, x):
    leaf = minigrad.tensor(x.copy())
    leaf.requires_grad_()
    y = f(leaf)
    rows = []
    for v in np.eye(y.numel()).reshape(-1, *y.shape):
        y.backward(gradient=minigrad.from_numpy(np.array(v)), retain_graph=True)
        rows.append(leaf.grad.tolist())
        leaf.grad.zero_()
    return np.array(rows).reshape(len(rows), -1)
