# ruff: noqa: F401 - patches use what is imported here
"""Chapter 1's ways of being wrong: about the rules, the walk along the paths, and the use of the engine."""

import numpy as np

import minigrad
from minigrad.core.function import AccumulateGrad, Function

from ...ask.bank import bank

MISCONCEPTIONS, about = bank(globals())

about("add", "Add", "Add")("""
add-shares-out: Your Add shares the gradient out between its operands. Each of them moves the sum one for one, so each
receives all of what arrives.
=backward_x(grad): grad / 2
=backward_y(grad): grad / 2

add-ignores-above: Your Add returns its local derivative, 1, and loses what arrives from above. A rule multiplies the
incoming gradient by the local derivative.
=backward_x(grad): grad * 0 + 1
=backward_y(grad): grad * 0 + 1

add-like-mul: Your Add weighs the gradient with the other operand, as a product would. The slope of x + y does not
depend on the other operand's value.
=backward_x(grad, y): grad * y
=backward_y(grad, x): grad * x

add-in-place: Your forward writes into its input x, as x += y does. Return a new array.
|def forward(self, x, y):
|    x += y
|    return x
""")

about("mul", "Mul", "Mul")("""
mul-own-value: Your Mul hands each operand its own value. Hold y still and move x: it is the other operand that says
how fast the product moves.
=backward_x(grad, x): grad * x
=backward_y(grad, y): grad * y

mul-ignores-above: Your Mul returns its local derivative and loses what arrives from above: right where the gradient
from above is 1, and hardly anywhere else.
=backward_x(grad, y): grad * 0 + y
=backward_y(grad, x): grad * 0 + x
or
=backward_x(grad, y): y
=backward_y(grad, x): x

mul-by-both: Your Mul multiplies the gradient by the product of both operands. The slope in one operand is the other
one alone.
=backward_x(grad, x, y): grad * x * y
=backward_y(grad, x, y): grad * x * y

mul-grad-in-place: Your Mul writes into grad, as `grad *= …` does: it changes the array that arrived, which the other
rule is given, too. Return a new array.
|def backward_x(self, grad, y):
|    grad *= y
|    return grad
|def backward_y(self, grad, x):
|    grad *= x
|    return grad
or
|def backward_x(self, grad, y):
|    grad *= y
|    return grad

mul-kept-on-the-class: Your Mul keeps its inputs where all products share them, as on the class: an older product finds
those of the newest there. Name in each rule what it needs.
|def forward(self, x, y):
|    type(self).last = (x, y)
|    return x * y
|def backward_x(self, grad):
|    return grad * type(self).last[1]
|def backward_y(self, grad):
|    return grad * type(self).last[0]

mul-like-add: Your Mul passes the gradient on unchanged, as a sum would. The slope of a product depends on the
operands.
=backward_x(grad): grad
=backward_y(grad): grad

mul-divides-the-result: Your Mul gets the other operand back by dividing the product, which is 0/0 where what it
divides by is 0. Name the other operand in the rule: it is there.
=backward_x(grad, x, out): grad * (out / x)
=backward_y(grad, y, out): grad * (out / y)
""")

about("neg-sub", "Neg", "Neg and Sub")("""
neg-keeps-sign: Your Neg passes the gradient on with its sign unchanged. When x goes up, -x goes down.
=backward_x(grad): grad
""")

about("neg-sub", "Sub", "Neg and Sub")("""
sub-plus: Your Sub sends the same gradient to both operands. When y goes up, x - y goes down.
=backward_y(grad): grad

sub-swapped: Your Sub's rules give the minus sign to x where it belongs to y: when x goes up, x - y goes up; when y
goes up, it goes down.
=backward_x(grad): -grad
=backward_y(grad): grad

sub-wrong-order: Your forward subtracts the first input from the second; x - y is asked for.
=forward(x, y): y - x
or
|class Sub(Function):
|    def forward(self, x, y):
|        return y - x
|    def backward_x(self, grad):
|        return -grad
|    def backward_y(self, grad):
|        return grad
""")

about("pow", "Pow", "Pow")("""
pow-forgets-n: Your Pow lowers the exponent but does not bring it down in front as a factor.
=backward_x(grad, x, n): grad * x ** (n - 1)

pow-keeps-exponent: Your Pow brings the exponent down in front but does not lower it by one.
=backward_x(grad, x, n): grad * (n * x ** n)

pow-raises-n-too: Your Pow raises n * x to the power. Only x is raised to n - 1; n is a factor before it.
=backward_x(grad, x, n): grad * (n * x) ** (n - 1)

pow-whole-exponents: Your Pow cuts the exponent to a whole number, as int does. The slope of x ** 2.5 needs x ** 1.5.
=backward_x(grad, x, n): grad * (n * x ** int(n - 1))

pow-counts-to-n: Your forward takes the exponent for a count, as a loop would: a negative exponent is no count, and of
a fraction only the whole part is left.
|def forward(self, x, n):
|    z = np.ones_like(x)
|    for _ in range(int(n)):
|        z = z * x
|    return z

pow-ignores-above: Your Pow returns its local derivative and loses what arrives from above.
=backward_x(grad, x, n): grad * 0 + n * x ** (n - 1)

pow-precedence: Your Pow subtracts the 1 after the power is taken, as x ** n - 1 does: ** binds tighter than -. Put
the lowered exponent in parentheses.
=backward_x(grad, x, n): grad * (n * x ** n - 1)
or
=backward_x(grad, x, n): grad * n * x ** n - 1

pow-divides-by-x: Your Pow divides by x to lower the exponent. At x = 0 that is 0/0, where the slope of x² is 0.
=backward_x(grad, x, n): grad * n * x ** n / x
""")

about("paths", "backpropagate", "Path by path")("""
paths-overwrites: Your walk overwrites leaf.grad each time it arrives at a leaf. Several paths lead to one leaf, and
what they bring adds up.
-        leaf = node.variable
-        leaf.grad = grad if leaf.grad is None else leaf.grad + grad
+        node.variable.grad = grad

paths-forgets-earlier-walks: Your walk overwrites what an earlier backward pass has left in leaf.grad. What arrives is
added to that.
|def backpropagate(node, grad):
|    totals = {}
|    def walk(node, grad):
|        if isinstance(node, AccumulateGrad):
|            totals[node] = totals[node] + grad if node in totals else grad
|            return
|        for (below, _), below_grad in zip(node.next_functions, node.backward(grad)):
|            if below is not None:
|                walk(below, below_grad)
|    walk(node, grad)
|    for end, total in totals.items():
|        end.variable.grad = total

paths-hands-on-what-arrived: Your walk hands on the gradient that arrived at a node, unchanged. What goes on to each
input is what the node's own rule returned for it.
-    for (below, _), below_grad in zip(node.next_functions, node.backward(grad), strict=True):
+    for below, _ in node.next_functions:
@
-            backpropagate(below, below_grad)
+            backpropagate(below, grad)

paths-first-only: Your walk follows one input of each node and never comes to the others. Every path counts.
-            backpropagate(below, below_grad)
+            return backpropagate(below, below_grad)

paths-visits-once: Where both inputs of a node are the same, as in x * x, your walk goes there once. Each of the two
inputs is a path, and each brings its share.
         return
+    seen = []
@
-        if below is not None:
+        if below is not None and below not in seen:
+            seen.append(below)

paths-trips-over-constants: Your walk does not stop where an input needs no gradient: there the node before it is
None.
-        if below is not None:
-            backpropagate(below, below_grad)
+        backpropagate(below, below_grad)

paths-stops-at-constants: Your walk loses the inputs that come after one that needs no gradient. Skip that one, its
node and its gradient together, and go on with the others.
-        if below is not None:
-            backpropagate(below, below_grad)
+        if below is None:
+            return
+        backpropagate(below, below_grad)

paths-goes-past-the-leaf: Your walk calls backward on a leaf's node. An AccumulateGrad has no rule: a path ends there,
so keep what arrived, and return.
-    if isinstance(node, AccumulateGrad):
-        leaf = node.variable
-        leaf.grad = grad if leaf.grad is None else leaf.grad + grad
-        return

paths-goes-on-below-the-leaf: Your walk does not end at a leaf: what arrived is added, and the lines that follow add it
once more. After adding, return.
         leaf.grad = grad if leaf.grad is None else leaf.grad + grad
-        return

paths-takes-pairs-for-nodes: Your walk takes an entry of next_functions for a node. Each is a pair: the node below, and
a number that is not needed here.
-    for (below, _), below_grad in zip(node.next_functions, node.backward(grad), strict=True):
+    for below, below_grad in zip(node.next_functions, node.backward(grad), strict=True):

paths-asks-whether-it-is-true: Your walk asks whether leaf.grad is true. That is a question about its numbers, and of
several there is no answer. Ask whether there is anything: `is None`.
-        leaf.grad = grad if leaf.grad is None else leaf.grad + grad
+        leaf.grad = leaf.grad + grad if leaf.grad else grad
or
-        leaf.grad = grad if leaf.grad is None else leaf.grad + grad
+        leaf.grad = (leaf.grad or 0) + grad

paths-two-inputs-each: Your walk goes to two inputs at every node. Some operations have one, as -a has: go through
next_functions, however many there are.
-    for (below, _), below_grad in zip(node.next_functions, node.backward(grad), strict=True):
+    grads = node.backward(grad)
+    for i in range(2):
+        (below, _), below_grad = node.next_functions[i], grads[i]

paths-adds-to-nothing: Your walk adds two things of which one is None. Is it leaf.grad? There is nothing in it until
the first path arrives.
-        leaf.grad = grad if leaf.grad is None else leaf.grad + grad
+        leaf.grad = leaf.grad + grad
or
-        leaf.grad = grad if leaf.grad is None else leaf.grad + grad
+        leaf.grad = grad + leaf.grad

paths-adds-in-place: Your walk adds in place, as += does. A sum hands one and the same gradient to both of its inputs,
so two leaves share it, and adding to one changes the other. Make a new tensor instead.
-        leaf.grad = grad if leaf.grad is None else leaf.grad + grad
+        if leaf.grad is None:
+            leaf.grad = grad
+        else:
+            leaf.grad += grad

paths-multiplies-again: Your walk multiplies what a rule returns by the gradient that arrived at the node. The rule
has done that already.
-            backpropagate(below, below_grad)
+            backpropagate(below, grad * below_grad)

paths-stays-at-the-node: Your walk calls itself for the same node again and again, until Python stops it. A path goes
on to the node that the edge leads to.
-            backpropagate(below, below_grad)
+            backpropagate(node, below_grad)
""")

POLYNOMIAL = """
def polynomial(x):
    return 2 * x**4 + x**3 + 3 * x**2 + 5 * x + 1
"""

about("polynomial", "polynomial", "The polynomial", POLYNOMIAL)("""
polynomial-drops-constant: Your polynomial leaves out its constant term. The slope does not notice, but the value
does.
-    return 2 * x**4 + x**3 + 3 * x**2 + 5 * x + 1
+    return 2 * x ** 4 + x ** 3 + 3 * x ** 2 + 5 * x
""")

DIFFERENTIATE = """
def differentiate(f, at):
    x = minigrad.tensor(at, dtype=minigrad.float64, requires_grad=True)
    y = f(x)
    y.backward()
    return y.item(), x.grad.item()
"""

about("polynomial", "differentiate", "The polynomial", DIFFERENTIATE)("""
differentiate-float32: Your leaf is float32, the default, so its slope is right to seven digits only. Make the leaf
with dtype=minigrad.float64.
-    x = minigrad.tensor(at, dtype=minigrad.float64, requires_grad=True)
+    x = minigrad.tensor(at, requires_grad=True)

differentiate-swapped: Your differentiate returns the slope first and the value second; it is asked for (value,
slope).
-    return y.item(), x.grad.item()
+    return (x.grad.item(), y.item())

differentiate-grad-is-none: What your differentiate takes the slope from is None. y.backward(), with its parentheses,
comes first and returns nothing itself: it leaves the slope in the leaf's .grad, not in the result's.
-    y.backward()
+    y.backward

differentiate-no-grad-required: No way back starts at the tensor on which your differentiate calls backward(). Make
the leaf with requires_grad=True, and call backward() on what f returns for it.
-    x = minigrad.tensor(at, dtype=minigrad.float64, requires_grad=True)
+    x = minigrad.tensor(at, dtype=minigrad.float64)

differentiate-by-differences: Your slope is a finite difference: close, but off by the step and by rounding. Let your
engine's backward() compute it.
|def differentiate(f, at):
|    step = 1e-06
|    x = minigrad.tensor(at, dtype=minigrad.float64)
|    return (f(x).item(), (f(x + step).item() - f(x - step).item()) / (2 * step))
""")
