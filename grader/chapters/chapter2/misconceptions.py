# ruff: noqa: F401 - patches use what is imported here
"""Chapter 2's ways of being wrong: about shapes, counts, and the chain rule through two layers."""

import numpy as np

import minigrad
from minigrad.rules.reduce import Reduction

from ...ask.bank import bank

MISCONCEPTIONS, about = bank(globals())

about("div", "Div", "Div")("""
div-keeps-sign: Your Div has lost a sign: when y moves away from zero, x / y shrinks.
=backward_y(grad, x, y): grad * x / y ** 2

div-forgets-square: In your Div the gradient of y is divided by y once in all, and has to be divided by it twice: y⁻¹
goes down by one power.
=backward_y(grad, x, y): -grad * x / y

div-precedence: Your Div's rule for y divides by nothing in the end. Python reads / and * from left to right, so what
ends with / y * y divides by y and multiplies by it again: put all that you divide by in parentheses.
=backward_y(grad, x, y): -grad * x / y * y

div-forgets-numerator: Your Div's rule for y leaves x out. It is the slope of 1 / y, and x / y is x times as large.
=backward_y(grad, y): -grad / y ** 2

div-like-mul: Your Div multiplies x's gradient by y, as a product would. Hold y still: x / y is a straight line in x.
=backward_x(grad, y): grad * y

div-ignores-above: Your Div returns its local derivatives and loses the gradient that arrives from above.
=backward_x(grad, y): grad * 0 + 1 / y
=backward_y(grad, x, y): grad * 0 - x / y ** 2
or
=backward_x(grad, y): 1 / y
=backward_y(grad, x, y): -x / y ** 2
""")

about("unbroadcast", "unbroadcast", "Different shapes")("""
unbroadcast-not-at-all: Your unbroadcast gives the gradient back as it came. A bias that is updated with it grows to
the size of the whole layer: the copies' gradients belong to one number, and must be added.
|def unbroadcast(grad, shape):
|    return grad

unbroadcast-new-axes-only: Your unbroadcast sums over the axes that are new, but not over those that were stretched
from length 1.
|def unbroadcast(grad, shape):
|    return grad.sum(axis=tuple(range(grad.ndim - len(shape))))

unbroadcast-stretched-only: Your unbroadcast sums over the axes that were stretched from length 1, but not over those
that are new.
-    stretched = [added + i for i, n in enumerate(shape) if n == 1 and grad.shape[added + i] != 1]
-    return grad.sum(axis=(*range(added), *stretched)).reshape(shape)
+    return grad.sum(axis=tuple((added + i for i, n in enumerate(shape) if n == 1)), keepdims=True)

unbroadcast-drops-axes: Your unbroadcast sums over the right axes and then loses those of length 1: the result must
have the shape that was asked for.
-    stretched = [added + i for i, n in enumerate(shape) if n == 1 and grad.shape[added + i] != 1]
-    return grad.sum(axis=(*range(added), *stretched)).reshape(shape)
+    return grad.sum(axis=(*range(added), *(added + i for i, n in enumerate(shape) if n == 1)))

unbroadcast-axes-move: Your unbroadcast sums one axis after another and drops each, so that the axes behind it move
forward and the next number means another one. keepdims=True keeps an axis, with length 1.
|def unbroadcast(grad, shape):
|    while grad.ndim > len(shape):
|        grad = grad.sum(axis=0)
|    for axis, n in enumerate(shape):
|        if n == 1:
|            grad = grad.sum(axis=axis)
|    return grad

unbroadcast-averages: Your unbroadcast takes the mean over the copies. Each copy is a path of its own, and paths are
added.
-    stretched = [added + i for i, n in enumerate(shape) if n == 1 and grad.shape[added + i] != 1]
-    return grad.sum(axis=(*range(added), *stretched)).reshape(shape)
+    axes = (*range(added), *(added + i for i, n in enumerate(shape) if n == 1))
+    return grad.mean(axis=axes).reshape(shape) if axes else grad

unbroadcast-keeps-one-copy: Your unbroadcast keeps the gradient of the first copy and drops the others. All of them
count.
-    stretched = [added + i for i, n in enumerate(shape) if n == 1 and grad.shape[added + i] != 1]
-    return grad.sum(axis=(*range(added), *stretched)).reshape(shape)
+    return grad[(0,) * added][tuple((slice(0, n) for n in shape))]

unbroadcast-last-axes: Your unbroadcast sums over new axes at the end. NumPy lines shapes up at their ends, so new
axes come in front.
|def unbroadcast(grad, shape):
|    grad = grad.sum(axis=tuple(range(len(shape), grad.ndim)))
|    return grad.sum(axis=tuple((i for i, n in enumerate(shape) if n == 1)), keepdims=True)

unbroadcast-forgets-the-shift: Your unbroadcast takes an axis's number in shape for its number in grad. The new axes
come in front and move all others along.
-    stretched = [added + i for i, n in enumerate(shape) if n == 1 and grad.shape[added + i] != 1]
+    stretched = [i for i, n in enumerate(shape) if n == 1 and grad.shape[i] != 1]
or
-    stretched = [added + i for i, n in enumerate(shape) if n == 1 and grad.shape[added + i] != 1]
-    return grad.sum(axis=(*range(added), *stretched)).reshape(shape)
+    axes = {*range(added), *(i for i, n in enumerate(shape) if n == 1)}
+    return grad.sum(axis=tuple(axes)).reshape(shape)
or
-    stretched = [added + i for i, n in enumerate(shape) if n == 1 and grad.shape[added + i] != 1]
-    return grad.sum(axis=(*range(added), *stretched)).reshape(shape)
+    stretched = [i for i, n in enumerate(shape) if n == 1]
+    return grad.sum(axis=tuple(stretched), keepdims=True).sum(axis=tuple(range(added)))
""")

about("sum-mean", "Sum", "Sum and Mean")("""
sum-ignores-above: Your Sum returns ones: its local derivative. A rule multiplies it by the gradient from above.
=backward_x(grad): np.ones(self.shape, grad.dtype)

sum-does-not-spread: Your Sum hands its gradient back in the small shape of the result. Each element of x needs a
gradient of its own: spread it out.
=backward_x(grad): grad

sum-spreads-one: Your Sum spreads 1 out, its local derivative, and no array. What is to be spread is grad: what arrives
from above.
=backward_x(grad): self.spread(1)
or
=backward_x(grad): self.spread(1.0)

sum-without-axes: Your Sum never calls self.axes, and spread needs what that notes. Call self.axes(x, dim, keepdim) in
forward: it returns the axis for NumPy.
=forward(x, *, dim=None, keepdim=False): x.sum(axis=dim, keepdims=keepdim)

sum-forgets-keepdim: Your Sum's forward loses keepdim: with keepdim=True the axes that are summed stay, with length 1.
NumPy calls it keepdims.
=forward(x, *, dim=None, keepdim=False): x.sum(axis=self.axes(x, dim, keepdim))

sum-takes-all: Your Sum adds all of x up, whatever dim says. self.axes returns the axis to sum along.
|def forward(self, x, *, dim=None, keepdim=False):
|    self.axes(x, dim, keepdim)
|    return x.sum()
or
|def forward(self, x, *, dim=None, keepdim=False):
|    self.axes(x, dim, keepdim)
|    return x.sum(keepdims=keepdim)

sum-averages: Your Sum shares the gradient out among the elements, as a mean would. Each of them moves the sum one for
one.
=backward_x(grad): self.spread(grad / self.count())

sum-forgets-the-axis: Your Sum repeats the gradient without putting the summed axis back in its place first: NumPy
then lines the shapes up at their ends. self.spread does both.
=backward_x(grad): np.broadcast_to(grad, self.shape)
""")

about("sum-mean", "Mean", "Sum and Mean")("""
mean-without-count: Your Mean passes its gradient on in full, as a sum would. Each of N elements moves the mean by
1/N.
=backward_x(grad): self.spread(grad)

mean-counts-everything: The gradient from your Mean is divided by the number of all elements. Along a dimension, each
mean is made of fewer: self.count() of them.
=backward_x(grad): self.spread(grad / int(np.prod(self.shape)))

mean-counts-rows: The gradient from your Mean is divided by the length of the first dimension: right for a vector,
wrong for most other shapes.
=backward_x(grad): self.spread(grad / (self.shape[0] if self.shape else 1))

mean-ignores-above: Your Mean returns 1/N everywhere and loses the gradient that arrives from above.
=backward_x(grad): self.spread(grad * 0 + 1 / self.count())

mean-spreads-a-number: Your Mean spreads 1/N out, its local derivative, and no array. What is to be spread is grad
divided by N: each element's share of what arrives from above.
=backward_x(grad): self.spread(1 / self.count())

mean-without-axes: Your Mean asks for spread or count before self.axes was called, which notes what both need. Call
self.axes(x, dim, keepdim) first in forward: it returns the axis for NumPy.
=forward(x, *, dim=None, keepdim=False): x.mean(axis=dim, keepdims=keepdim)
or
=forward(x, *, dim=None, keepdim=False): x.sum(axis=dim, keepdims=keepdim) / self.count()

mean-forgets-keepdim: Your Mean's forward loses keepdim: with keepdim=True the axes that are averaged stay, with length
1. NumPy calls it keepdims.
=forward(x, *, dim=None, keepdim=False): x.mean(axis=self.axes(x, dim, keepdim))

mean-takes-all: Your Mean is that of all of x, whatever dim says. self.axes returns the axis to take the mean along.
|def forward(self, x, *, dim=None, keepdim=False):
|    self.axes(x, dim, keepdim)
|    return x.mean()
or
|def forward(self, x, *, dim=None, keepdim=False):
|    self.axes(x, dim, keepdim)
|    return x.mean(keepdims=keepdim)

mean-does-not-spread: Your Mean hands its gradient back in the small shape of the result. Each element of x needs a
gradient of its own: its share, spread out.
=backward_x(grad): grad / self.count()

mean-forgets-the-axis: Your Mean repeats the gradient without putting the reduced axis back in its place first: NumPy
then lines the shapes up at their ends. self.spread does both.
=backward_x(grad): np.broadcast_to(grad / self.count(), self.shape)
""")

TWO_LAYERS = """
def two_layers(x, a, b, c):
    y = a * x + b
    y.retain_grad()
    z = c * y**2
    out = z.mean()
    out.backward()
    return y, out
"""

about("two-layers", "two_layers", "Two layers", TWO_LAYERS)("""
layers-no-retain: Your y.grad is None. y is no leaf: it keeps its gradient only where y.retain_grad() is called before
the backward pass, and where z is computed from this very y.
-    y.retain_grad()

layers-no-backward: Neither x nor y gets a gradient in your two_layers. Is out.backward() called, with its
parentheses? It reaches them only where out was computed from this very x and this very y.
-    out.backward()
+    out.backward

layers-vector-backward: Your two_layers calls backward() on several numbers, as a whole layer is. Without a gradient
from above it can start at a single number only: at the mean.
-    out = z.mean()
-    out.backward()
-    return y, out
+    z.backward()
+    return (y, z.mean())

layers-another-x: y gets a gradient in your two_layers, and x gets none: y was computed from another tensor, such as
one made of x's numbers. Compute it from x itself.
-    y = a * x + b
+    y = a * x.detach().requires_grad_() + b

layers-returns-z: Your two_layers returns z in y's place. y is the first layer's result, a·x + b.
-    return y, out
+    return z, out

layers-square-the-factor: Your second layer squares its factor as well: c·y² squares y alone.
-    z = c * y**2
+    z = (c * y) ** 2

layers-brackets: Your first layer multiplies b by a as well, as a·(x + b) does: in a·x + b, x alone is multiplied.
-    y = a * x + b
+    y = a * (x + b)

layers-sum: Your output is the sum of z; the exercise asks for its mean.
-    out = z.mean()
+    out = z.sum()

layers-swapped: Your two_layers returns out before y; it is asked for the pair y, out.
-    return y, out
+    return out, y
""")

BY_HAND = """
def by_hand(values, a, b, c):
    y = a * values + b
    y_grad = 2 * c * y / y.size
    return a * y_grad, y_grad
"""

about("by-hand", "by_hand", "By hand", BY_HAND)("""
hand-forgets-two: Your by_hand leaves out the 2 that comes down from y².
-    y_grad = 2 * c * y / y.size
+    y_grad = c * y / y.size

hand-forgets-mean: Your by_hand leaves out the mean: each of the N elements of z counts for 1/N.
-    y_grad = 2 * c * y / y.size
+    y_grad = 2 * c * y

hand-counts-rows: Your by_hand divides by the number of rows, as len(y) and y.shape[0] give it. The mean is over all
elements: y.size of them.
-    y_grad = 2 * c * y / y.size
+    y_grad = 2 * c * y / len(y)
or
-    y_grad = 2 * c * y / y.size
+    y_grad = 2 * c * y / y.shape[0]

hand-divides-by-six: Your by_hand divides by 6 whatever the shape: that is right for six numbers only.
-    y_grad = 2 * c * y / y.size
+    y_grad = 2 * c * y / 6

hand-forgets-inner: Your by_hand gives x the gradient of y. On the way from y to x there is one more factor: dy/dx.
-    return a * y_grad, y_grad
+    return (y_grad, y_grad)

hand-takes-x-for-y: Your by_hand takes the slope of c·y² at x instead of at y.
-    y_grad = 2 * c * y / y.size
+    y_grad = 2 * c * values / values.size

hand-fixed-coefficients: Your by_hand has fixed numbers in it, as for a = 3, b = 2 and c = 2, where a, b and c
themselves belong: it is called with other values of them, too.
-    y_grad = 2 * c * y / y.size
+    y_grad = 4 * y / y.size
or
-    y_grad = 2 * c * y / y.size
-    return a * y_grad, y_grad
+    y_grad = 4 * y / y.size
+    return 3 * y_grad, y_grad
or
|def by_hand(values, a, b, c):
|    y = 3 * values + 2
|    y_grad = 4 * y / y.size
|    return (y_grad * 3, y_grad)

hand-swapped: Your by_hand returns the gradient of y before that of x; x comes first.
-    return a * y_grad, y_grad
+    return y_grad, a * y_grad

hand-changes-values: Your by_hand changes the array values, which belongs to whoever called it, as `values *= a`
would: it writes into it. Make a new array.
-    y = a * values + b
-    y_grad = 2 * c * y / y.size
+    values *= a
+    values += b
+    y_grad = 2 * c * values / values.size
or
-    y = a * values + b
-    y_grad = 2 * c * y / y.size
+    values *= a
+    y_grad = 2 * c * (values + b) / values.size

hand-asks-the-engine: Your by_hand asks the engine, which records nothing while it is called. Compute with NumPy
alone: then each of the two ways tests the other.
|def by_hand(values, a, b, c):
|    x = minigrad.tensor(values, requires_grad=True)
|    y = a * x + b
|    y.retain_grad()
|    (c * y ** 2).mean().backward()
|    return (x.grad.numpy(), y.grad.numpy())
or
|def by_hand(values, a, b, c):
|    x = minigrad.tensor(values, requires_grad=True)
|    y = a * x + b
|    (c * y ** 2).mean().backward()
|    return (x.grad.numpy(), y.grad.numpy())
""")
