# ruff: noqa: F401 - patches use what is imported here
"""Chapter 5's ways of being wrong: adding to leaves, starting, saving, freeing, and tables of derivatives."""

import numpy as np

import minigrad
from minigrad.core.engine import MISMATCH, NOT_SCALAR, one_like, run_hooks
from minigrad.core.function import owned
from minigrad.core.tensor import Tensor, wrap

from ...ask.bank import bank

MISCONCEPTIONS, about = bank(globals())

about("accumulate", "accumulate", "Adding to a leaf")("""
accumulate-overwrites: Your accumulate overwrites what the leaf already has. A second gradient is added to the first.
|def accumulate(leaf, grad):
|    leaf._grad = owned(grad)

accumulate-keeps-the-first: Your accumulate keeps the first gradient and loses those that come after it.
-    else:
-        leaf._grad += grad

accumulate-counts-the-first-twice: Your accumulate stores the first gradient and then adds it once more: storing and
adding are alternatives.
-    else:
-        leaf._grad += grad
+    leaf._grad += grad
or
-    else:
-        leaf._grad += grad
+    leaf._grad = leaf._grad + owned(grad)

accumulate-shares: Your accumulate keeps the very array that arrived. A sum hands one array to both of its inputs, and
then adding for one leaf changes the other, too.
-        leaf._grad = owned(grad)
+        leaf._grad = wrap(grad)
or
-        leaf._grad = owned(grad)
+        leaf._grad = wrap(np.asarray(grad))

accumulate-bare-array: Your accumulate gives .grad a bare array. It holds a tensor: one with a copy of the array that
arrives.
-        leaf._grad = owned(grad)
+        leaf._grad = grad
or
|def accumulate(leaf, grad):
|    if leaf.grad is None:
|        leaf.grad = grad
|    else:
|        leaf.grad += grad
or
-        leaf._grad = owned(grad)
+        leaf._grad = grad.copy()

accumulate-new-tensor: Your accumulate puts a new tensor into .grad each time. The sum is right, but whoever holds the
old tensor no longer sees it: add in place.
|def accumulate(leaf, grad):
|    leaf._grad = owned(grad) if leaf._grad is None else leaf._grad + grad

accumulate-subtracts: Your accumulate takes the later gradients off the first. Gradients that meet are added.
-        leaf._grad += grad
+        leaf._grad -= grad

accumulate-averages: Your accumulate takes the mean of what was there and what arrives. Gradients that meet are added.
         leaf._grad += grad
+        leaf._grad /= 2

accumulate-adds-to-nothing: Your accumulate adds to .grad while nothing is in it yet: before the first gradient, it is
None.
|def accumulate(leaf, grad):
|    leaf._grad += grad
or
|def accumulate(leaf, grad):
|    leaf.grad = leaf.grad + grad

accumulate-changes-the-leaf: Your accumulate adds the gradient to the leaf's own values. Only .grad changes here, not
the leaf.
|def accumulate(leaf, grad):
|    leaf._array = leaf._array + grad
""")

about("first-gradient", "first_gradient", "Where a pass starts")("""
first-zeros: Your first_gradient starts with 0. Everything below is multiplied by it, so every gradient would be 0: an
output changes one for one with itself.
-        return one_like(output)
+        return one_like(output) * 0

first-the-value: Your first_gradient starts with the output's value. The value plays no part: the derivative of the
output with respect to itself is 1.
-        return one_like(output)
+        return output.detach()

first-sums-silently: Your first_gradient lets a pass start at an output of several elements without a gradient. With
ones, it differentiates their sum, which nobody asked for.
-        if output.numel() != 1:
-            raise RuntimeError(NOT_SCALAR)

first-lets-none-pass: Your first_gradient starts at an output with no element at all. Without a gradient, exactly one
element will do.
-        if output.numel() != 1:
+        if output.numel() > 1:

first-scalars-only: Your first_gradient refuses outputs of shape (1,) or (1, 1). What counts is the number of
elements, not the number of axes.
-        if output.numel() != 1:
+        if output.ndim != 0:

first-counts-rows: Your first_gradient asks for len(output), the number of rows. A single number has none, and one row
may hold several.
-        if output.numel() != 1:
+        if len(output) != 1:

first-compares-a-method: Your first_gradient compares a method with 1, which is never equal to it. numel needs its
brackets: output.numel().
-        if output.numel() != 1:
+        if output.numel != 1:

first-another-error: Your first_gradient refuses by an error of another kind. A RuntimeError is asked for, as PyTorch
raises it.
-            raise RuntimeError(NOT_SCALAR)
+            raise ValueError(NOT_SCALAR)
@
-        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
+        raise ValueError(MISMATCH.format(i, gradient.shape, output.shape))
or
-            raise RuntimeError(NOT_SCALAR)
+            raise ValueError(NOT_SCALAR)
or
-        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
+        raise ValueError(MISMATCH.format(i, gradient.shape, output.shape))

first-returns-the-error: Your first_gradient returns an error instead of raising it, and the pass goes on with it.
-            raise RuntimeError(NOT_SCALAR)
+            return RuntimeError(NOT_SCALAR)
@
-        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
+        return RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))

first-any-shape: Your first_gradient takes a gradient of any shape. It has to have the output's own, a number for each
of its elements.
-    if gradient.shape != output.shape:
-        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))

first-counts-elements: Your first_gradient lets a gradient of shape (3, 2) pass for an output of shape (2, 3), as when
only elements, or only axes, are counted. The two shapes have to be equal.
-    if gradient.shape != output.shape:
+    if gradient.numel() != output.numel():
or
-    if gradient.shape != output.shape:
+    if gradient.ndim != output.ndim:

first-broadcasts: Your first_gradient takes any gradient that can be broadcast to the output's shape. Its shape has to
be the output's own.
-    if gradient.shape != output.shape:
-        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
-    return gradient.to(output.dtype)
+    try:
+        return gradient.to(output.dtype).expand(*output.shape)
+    except RuntimeError:
+        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape)) from None

first-ignores-gradient: Your first_gradient returns ones in the place of the gradient that it is given.
|def first_gradient(output, gradient, i):
|    if gradient is None and output.numel() != 1:
|        raise RuntimeError(NOT_SCALAR)
|    if gradient is not None and gradient.shape != output.shape:
|        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
|    return one_like(output)

first-unfilled-message: Your first_gradient refuses as it should, but with another message: fill the braces of
MISMATCH with format, in the order that is asked for.
-        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
+        raise RuntimeError(MISMATCH)
or
-        raise RuntimeError(MISMATCH.format(i, gradient.shape, output.shape))
+        raise RuntimeError(MISMATCH.format(i, output.shape, gradient.shape))

first-keeps-dtype: Your first_gradient leaves the gradient in its own dtype; the pass runs in the output's.
-    return gradient.to(output.dtype)
+    return gradient
""")

about("save", "save", "What a node keeps")("""
save-place-0-is-out: Your save takes place 0 for the result. 0 is the first input; only -1 stands for out.
|def save(self, places, inputs, out):
|    self.saved, self.versions = ([], [])
|    for i in places:
|        value = inputs[i] if i > 0 else out
|        if isinstance(value, Tensor):
|            self.versions.append((len(self.saved), value._versions, value._versions[0]))
|            value = value._array
|        self.saved.append(value)

save-number-for-the-list: In the middle of your triples there is a number. The list itself has to be there: only in it
will the pass find a later number.
|def save(self, places, inputs, out):
|    self.saved, self.versions = ([], [])
|    for i in places:
|        value = inputs[i] if i != -1 else out
|        if isinstance(value, Tensor):
|            self.versions.append((len(self.saved), value._versions[0], value._versions[0]))
|            value = value._array
|        self.saved.append(value)

save-last-input-for-out: Your save takes inputs[-1] where the place is -1. That is the last input; -1 stands for out,
the result.
-        value = inputs[i] if i >= 0 else out
+        value = inputs[i]

save-last-input-and-no-versions: Your save takes inputs[-1] where the place is -1, which stands for out, the result. And
it puts no triples into self.versions, so a change after saving goes unnoticed.
|def save(self, places, inputs, out):
|    self.saved = [inputs[i]._array if isinstance(inputs[i], Tensor) else inputs[i] for i in places]
|    self.versions = []

save-everything: Your save keeps all inputs, whatever places says. The rules then find the wrong values, and the
memory is held for nothing.
-    for i in places:
-        value = inputs[i] if i >= 0 else out
+    for value in (*inputs, out):
or
-    for i in places:
-        value = inputs[i] if i >= 0 else out
+    for value in inputs:

save-tensors: Your save keeps tensors. A node that holds its own result, which holds the node, is never given back by
Python at once; and rules run on arrays.
-            value = value._array

save-copies: Your save copies the arrays, which doubles the memory. Keep the arrays themselves; the versions tell when
one has changed.
-            value = value._array
+            value = value._array.copy()

save-no-versions: Your save puts no triples into self.versions, so a value that is changed after it was saved gives a
wrong gradient without a word.
-            versions.append((len(saved), counter, counter[0]))
or
|def save(self, places, inputs, out):
|    self.saved = saved = []
|    for i in places:
|        value = inputs[i] if i >= 0 else out
|        saved.append(value._array if isinstance(value, Tensor) else value)

save-copies-the-counter: Your triples hold a copy of each tensor's counter, in which no later change arrives. Put the
list itself in, the tensor's _versions.
-            versions.append((len(saved), counter, counter[0]))
+            versions.append((len(saved), list(counter), counter[0]))
or
-            versions.append((len(saved), counter, counter[0]))
+            versions.append((len(saved), [counter[0]], counter[0]))

save-version-zero: Your triples end with 0 for every tensor. A tensor may have been changed before it is saved: note the
number that its counter holds then, counter[0].
-            versions.append((len(saved), counter, counter[0]))
+            versions.append((len(saved), counter, 0))

save-list-for-the-version: Your triples end with the counter, which is a list. Its number belongs there, the version of
this moment: counter[0].
-            versions.append((len(saved), counter, counter[0]))
+            versions.append((len(saved), counter, counter))

save-triples-run-together: What your save puts into versions is no triple, as when += puts three things in one by one.
One append of a tuple of three, for each tensor, is what is asked for.
-            versions.append((len(saved), counter, counter[0]))
+            versions += (len(saved), counter, counter[0])

save-one-version: Your save keeps the version of one tensor only; a change of the others goes unnoticed.
-    self.versions = versions = []
@
-            versions.append((len(saved), counter, counter[0]))
+            self.versions = [(len(saved), counter, counter[0])]

save-list-made-anew: Your save does not keep a value for each place. Does it start a new list each time, stop early, or
never append? All values go into one list.
-    self.saved = saved = []
@
     for i in places:
+        self.saved = saved = []

save-tensors-only: Your save keeps tensors' arrays and leaves out plain numbers, such as the exponent of x ** 3. A
rule may need those, too.
-            value = value._array
-        saved.append(value)
+            saved.append(value._array)

save-forgets-self: Nothing arrives in self.saved in your save. Does it fill a list of another name? The node looks for
its two lists in self.saved and self.versions.
-    self.saved = saved = []
-    self.versions = versions = []
+    saved, versions = ([], [])

save-no-lists-of-its-own: Your save appends where there is no list yet: give the node lists of its own first, in
self.saved and self.versions.
-    self.saved = saved = []
-    self.versions = versions = []
@
-            versions.append((len(saved), counter, counter[0]))
+            self.versions.append((len(self.saved), counter, counter[0]))
@
-        saved.append(value)
+        self.saved.append(value)
or
|def save(self, places, inputs, out):
|    for i in places:
|        value = inputs[i] if i >= 0 else out
|        self.saved.append(value._array if isinstance(value, Tensor) else value)

save-counts-tensors-only: The positions in your versions count the tensors alone. A number in self.saved takes a place,
too: a position is counted in self.saved.
-            versions.append((len(saved), counter, counter[0]))
+            versions.append((len(versions), counter, counter[0]))

save-each-once: Your save keeps a tensor once where two places ask for it, as in x * x. Each place has a value of its
own in self.saved.
-        if isinstance(value, Tensor):
+        if isinstance(value, Tensor):
+            if any(value._array is array for array in saved):
+                continue

save-a-triple-a-tensor: Your save puts one triple into versions for a tensor that stands at two places, as in x * x.
Each place has a triple of its own, with its own position.
-            versions.append((len(saved), counter, counter[0]))
+            if not any(known is counter for _, known, _ in versions):
+                versions.append((len(saved), counter, counter[0]))

save-wrong-positions: The positions in your versions are not those of the values in saved: what is appended next goes
to position len(saved).
|def save(self, places, inputs, out):
|    self.saved, self.versions = ([], [])
|    for i in places:
|        value = inputs[i] if i >= 0 else out
|        if isinstance(value, Tensor):
|            self.versions.append((i, value._versions, value._versions[0]))
|            value = value._array
|        self.saved.append(value)
or
|def save(self, places, inputs, out):
|    self.saved, self.versions = ([], [])
|    for i in places:
|        value = inputs[i] if i >= 0 else out
|        self.saved.append(value._array if isinstance(value, Tensor) else value)
|        if isinstance(value, Tensor):
|            self.versions.append((len(self.saved), value._versions, value._versions[0]))

save-takes-all-for-tensors: Your save takes a plain number for a tensor. Some values are numbers, such as the 3 in x *
3.
|def save(self, places, inputs, out):
|    self.saved, self.versions = ([], [])
|    for i in places:
|        value = inputs[i] if i >= 0 else out
|        self.versions.append((len(self.saved), value._versions, value._versions[0]))
|        self.saved.append(value._array)
or
|def save(self, places, inputs, out):
|    self.saved, self.versions = ([], [])
|    for i in places:
|        value = inputs[i] if i >= 0 else out
|        self.saved.append(value._array)
""")

about("visit", "visit_and_free", "What a node gives back")("""
visit-frees-first: When the rules run in your visit_and_free, what they need is freed already. Run them once, keep what
they return, and free after that.
-    grads = node.backward(grad)
@
-    return grads
+    return node.backward(grad)
or
|def visit_and_free(node, grad):
|    node.free()
|    if node.watched:
|        grad = run_hooks(node, grad)
|    return node.backward(grad)

visit-frees-all-nodes: Your visit_and_free marks every node as freed. One that saved nothing, as in x + 1, has nothing
to lose and can run again.
-    if node.saved:
-        node.free()
+    node.free()

visit-never-frees: Your visit_and_free frees nothing: a second backward runs where PyTorch refuses, and the memory
stays taken.
|def visit_and_free(node, grad):
|    if node.watched:
|        grad = run_hooks(node, grad)
|    return node.backward(grad)
or
|def visit_and_free(node, grad):
|    if node.watched:
|        grad = run_hooks(node, grad)
|    return node.backward(grad)
|    node.free()
or
-        node.free()
+        node.free

visit-empties: Your visit_and_free empties what was saved instead of calling node.free(). An empty list looks like a
node that saved nothing, and its rule stumbles.
-    if node.saved:
-        node.free()
+    node.saved = []
+    node.versions = ()

visit-cuts-the-edges: Your visit_and_free takes the graph apart. Nodes and edges stay as long as the output does; only
what was saved is dropped.
         node.free()
+    node.edges = ()

visit-returns-nothing: Your visit_and_free returns nothing; the traversal waits for the gradients of the node's
inputs.
-    grads = node.backward(grad)
+    node.backward(grad)
@
-    return grads

visit-forgets-the-watchers: Your visit_and_free does not run the hooks, as visit_and_keep does: without run_hooks,
retain_grad keeps nothing.
-    if node.watched:
-        grad = run_hooks(node, grad)

visit-drops-what-hooks-return: In your visit_and_free the rules do not get what run_hooks returns: a hook may change the
gradient, and the rules go on with the changed one.
-        grad = run_hooks(node, grad)
+        run_hooks(node, grad)

visit-passes-zeros-by: Your visit_and_free gives the inputs no gradient where nothing but 0 arrives. Zeros are a
gradient, too: run the rules on them.
-    grads = node.backward(grad)
+    grads = node.backward(grad) if grad.any() else [None] * len(node.edges)

visit-keeps-zeros: Your visit_and_free does not free a node whose saved numbers are 0. They were saved, and the rules
need them: ask how many there are, and not what they are.
-    if node.saved:
+    if any(np.any(value) for value in node.saved):

visit-runs-twice: Your visit_and_free runs the node again after freeing it; keep the gradients of the first run, and
return them.
-    grads = node.backward(grad)
+    node.backward(grad)
@
-    return grads
+    return node.backward(grad)
""")

JACOBIAN = """
def jacobian(f, x):
    leaf = minigrad.tensor(x, requires_grad=True)
    y = f(leaf)
    rows = []
    for v in np.eye(y.numel()):
        leaf.grad = None
        y.backward(minigrad.tensor(v.reshape(y.shape)), retain_graph=True)
        rows.append(leaf.grad.numpy().ravel())
    return np.stack(rows)
"""

about("jacobian", "jacobian", "A Jacobian row by row", JACOBIAN)("""
jacobian-transposed: Your jacobian is transposed: each backward pass gives a row, one number for each element of x.
-    return np.stack(rows)
+    return np.stack(rows, axis=1)

jacobian-returns-a-list: Your jacobian returns a list of its rows; one array is asked for, which np.stack makes of them.
-    return np.stack(rows)
+    return rows

jacobian-no-retain: Your jacobian runs the same graph again after its first pass has freed it. Say that the graph is
to be kept.
-        y.backward(minigrad.tensor(v.reshape(y.shape)), retain_graph=True)
+        y.backward(minigrad.tensor(v.reshape(y.shape)))

jacobian-zeroes-nothing: Your jacobian calls zero_() on a .grad that is None, as it is before the first pass: there is
nothing to clear yet.
-        leaf.grad = None
+        leaf.grad.zero_()

jacobian-no-requires-grad: Nothing leads back from where your jacobian starts a pass. Does f run on a tensor that
requires grad? Only then is it recorded.
-    leaf = minigrad.tensor(x, requires_grad=True)
+    leaf = minigrad.tensor(x)

jacobian-array-for-gradient: Your jacobian hands backward an array; it takes a tensor.
-        y.backward(minigrad.tensor(v.reshape(y.shape)), retain_graph=True)
+        y.backward(v.reshape(y.shape), retain_graph=True)

jacobian-returns-early: Your jacobian has the first row alone, as one has that returns from within its loop.
-        leaf.grad = None
@
-    return np.stack(rows)
+        return np.stack(rows)

jacobian-a-pass-for-each-input: Your jacobian counts the elements of x where those of f(x) count: there is a pass for
each of them, with a gradient of that many numbers.
-    for v in np.eye(y.numel()):
+    for v in np.eye(x.size):

jacobian-adds-rows-up: Your jacobian does not clear the leaf's .grad between its passes, so each row also holds those
before it.
-        leaf.grad = None
@
-        rows.append(leaf.grad.numpy().ravel())
+        rows.append(leaf.grad.numpy().ravel().copy())

jacobian-same-memory: All your rows are the last one, as when they share the memory of .grad, which the next pass
changes in place: copy each row, or let each pass start without a .grad.
-        leaf.grad = None
+        if leaf.grad is not None:
+            leaf.grad.zero_()
@
-        rows.append(leaf.grad.numpy().ravel())
+        rows.append(leaf.grad.numpy().reshape(-1))

jacobian-clears-what-it-kept: All your rows are 0, as when they share the memory of .grad and zero_() then clears it:
copy each row, or let each pass start without a .grad.
-        leaf.grad = None
@
-        rows.append(leaf.grad.numpy().ravel())
+        rows.append(leaf.grad.numpy().ravel())
+        leaf.grad.zero_()

jacobian-sum-in-every-row: Each of your rows is the sum of all rows. Does each pass start with ones everywhere, or do
all rows share the memory of a .grad that is never cleared? Each row needs numbers of its own.
-    for v in np.eye(y.numel()):
+    for _ in range(y.numel()):
@
-        y.backward(minigrad.tensor(v.reshape(y.shape)), retain_graph=True)
+        y.backward(minigrad.ones_like(y), retain_graph=True)
or
-        leaf.grad = None
@
-        rows.append(leaf.grad.numpy().ravel())
+        rows.append(leaf.grad.numpy().reshape(-1))

jacobian-one-pass: Your jacobian has one row, the sum of all, as one pass with ones everywhere gives it. Each row needs
a pass of its own.
|def jacobian(f, x):
|    leaf = minigrad.tensor(x, requires_grad=True)
|    y = f(leaf)
|    y.backward(minigrad.ones_like(y))
|    return leaf.grad.numpy().reshape(1, -1)

jacobian-no-gradient: Your jacobian calls backward without a gradient on an output of several elements: say which row
you want.
-    for v in np.eye(y.numel()):
+    for _ in range(y.numel()):
@
-        y.backward(minigrad.tensor(v.reshape(y.shape)), retain_graph=True)
+        y.backward(retain_graph=True)

jacobian-runs-f-again: Your jacobian is right, but runs f more than once. One graph is enough if it is kept.
|def jacobian(f, x):
|    count = None
|    rows = []
|    while count is None or len(rows) < count:
|        leaf = minigrad.tensor(x, requires_grad=True)
|        y = f(leaf)
|        count = y.numel()
|        v = np.eye(count)[len(rows)]
|        y.backward(minigrad.tensor(v.reshape(y.shape)))
|        rows.append(leaf.grad.numpy().ravel())
|    return np.stack(rows)
or
|def jacobian(f, x):
|    size = f(minigrad.tensor(x)).numel()
|    rows = []
|    for v in np.eye(size):
|        leaf = minigrad.tensor(x, requires_grad=True)
|        y = f(leaf)
|        y.backward(minigrad.tensor(v.reshape(y.shape)))
|        rows.append(leaf.grad.numpy().ravel())
|    return np.stack(rows)

jacobian-counts-rows-of-y: Your jacobian counts the rows of y, as len(y) does. There is a row of the table for each
element, and y may have any shape.
-    for v in np.eye(y.numel()):
+    for v in np.eye(len(y)):
@
-        y.backward(minigrad.tensor(v.reshape(y.shape)), retain_graph=True)
+        y.backward(minigrad.tensor(v), retain_graph=True)

jacobian-flat-gradient: Your jacobian hands backward a flat row of numbers. A gradient has the output's own shape.
-        y.backward(minigrad.tensor(v.reshape(y.shape)), retain_graph=True)
+        y.backward(minigrad.tensor(v), retain_graph=True)

jacobian-rows-not-flat: Your rows keep the shape of x. The table has two axes: one column for each element of x.
-        rows.append(leaf.grad.numpy().ravel())
+        rows.append(leaf.grad.numpy())

jacobian-measures: Your jacobian measures slopes by finite differences: close, but not to rounding, and f runs twice
for each element of x.
|def jacobian(f, x, h=1e-05):
|    columns = []
|    for place in np.ndindex(x.shape):
|        nudge = np.zeros(x.shape)
|        nudge[place] = h
|        up, down = (f(minigrad.tensor(x + n)).numpy() for n in (nudge, -nudge))
|        columns.append(np.ravel(up - down) / (2 * h))
|    return np.stack(columns, axis=1)
""")
