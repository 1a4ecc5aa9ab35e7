# ruff: noqa: F401 - patches use what is imported here
"""Chapter 4's ways of being wrong: about transposes, the sigmoid's slope, overflow, and what a loss is given."""

import numpy as np

import minigrad
from minigrad.nn import functional as F  # noqa: N812 - as everybody calls it
from minigrad.rules import both
from minigrad.rules.linalg import Product
from minigrad.rules.loss import Loss

from ...ask.bank import bank

MISCONCEPTIONS, about = bank(globals())

about("matmul", "MatMul", "MatMul")("""
matmul-no-transposes: A rule of your MatMul multiplies without a transpose. On square matrices nothing complains; other
shapes do not meet.
=backward_x(grad, y): grad @ y
=backward_y(grad, x): x @ grad
or
=backward_x(grad, y): grad @ y
or
=backward_y(grad, x): x @ grad
or
=backward_x(grad, y): y @ grad
=backward_y(grad, x): grad @ x
or
=backward_x(grad, y): y @ grad
=backward_y(grad, x): x @ grad
or
=backward_x(grad, y): grad @ y
=backward_y(grad, x): grad @ x
or
=backward_x(grad, y): y @ grad
or
=backward_y(grad, x): grad @ x

matmul-result-transposed: A gradient of your MatMul is transposed: rows stand where columns should. Each gradient has
the shape of its input.
=backward_x(grad, y): y @ grad.mT
=backward_y(grad, x): grad.mT @ x
or
=backward_x(grad, y): y @ grad.mT
or
=backward_y(grad, x): grad.mT @ x

matmul-order-swapped: A rule of your MatMul has its factors in the wrong order: A @ B and B @ A are different matrices.
=backward_x(grad, y): y.mT @ grad
=backward_y(grad, x): grad @ x.mT
or
=backward_x(grad, y): y.mT @ grad
or
=backward_y(grad, x): grad @ x.mT

matmul-rules-exchanged: Your MatMul gives each input the gradient that belongs to the other: the gradient of x is made
with y, and that of y with x.
=backward_x(grad, x): x.mT @ grad
=backward_y(grad, y): grad @ y.mT

matmul-ignores-above: Your MatMul loses the gradient that arrives from above: it answers as if a plain sum followed
the product.
=backward_x(grad, y): np.ones_like(grad) @ y.mT
=backward_y(grad, x): x.mT @ np.ones_like(grad)

matmul-like-mul: A rule of your MatMul multiplies element by element, as in x * y. In a product of matrices, each number
meets a whole row or column.
=backward_x(grad, y): grad * y
=backward_y(grad, x): grad * x
or
=backward_x(grad, y): grad * y.mT
=backward_y(grad, x): x.mT * grad
or
=backward_x(grad, y): grad * y.mT
or
=backward_y(grad, x): x.mT * grad

matmul-forward-like-mul: Your forward multiplies element by element: x * y. The product of matrices is x @ y.
-        return x @ y
+        return x * y

matmul-reverses-the-batch: Your MatMul turns all axes round. With a batch in front, only the last two change places:
that is what .mT is for.
=backward_x(grad, y): grad @ y.T
=backward_y(grad, x): x.T @ grad
or
=backward_x(grad, y): grad @ y.T
or
=backward_y(grad, x): x.T @ grad
or
=backward_x(grad, y): grad @ y.transpose()
=backward_y(grad, x): x.transpose() @ grad
or
=backward_x(grad, y): np.dot(grad, y.T)
=backward_y(grad, x): np.dot(x.T, grad)

matmul-outer: Your MatMul takes an outer product of whole matrices. It is right where x is a single row; with more
rows, a product with a transpose adds theirs up.
=backward_y(grad, x): np.outer(x, grad)
or
=backward_x(grad, y): np.outer(grad, y)
=backward_y(grad, x): np.outer(x, grad)
or
=backward_x(grad, y): np.outer(grad, y)

matmul-dot: Your MatMul multiplies as np.dot does, which pairs every matrix of one batch with every matrix of the other.
The operator @ takes them one by one.
-        return x @ y
+        return np.dot(x, y)
@
-        return grad @ y.mT
+        return np.dot(grad, y.mT)
@
-        return x.mT @ grad
+        return np.dot(x.mT, grad)
or
=backward_x(grad, y): np.dot(grad, y.mT)
=backward_y(grad, x): np.dot(x.mT, grad)
""")

about("sigmoid", "Sigmoid", "Sigmoid")("""
sigmoid-slope-at-input: Your Sigmoid puts its input where its result belongs: the slope is σ(x)·(1 − σ(x)), not x·(1 −
x).
=backward_x(grad, x): grad * x * (1 - x)

sigmoid-half-a-slope: Your Sigmoid's slope has one factor where it needs two: it has to vanish at both ends, where σ
is near 0 and where it is near 1.
=backward_x(grad, out): grad * out
or
=backward_x(grad, out): grad * (1 - out)

sigmoid-no-slope: Your Sigmoid hands its gradient on as it came. Its own slope is one more factor of the chain rule.
=backward_x(grad): grad

sigmoid-ignores-above: Your Sigmoid returns its slope and loses the gradient that arrives from above.
=backward_x(grad, out): out * (1 - out)

sigmoid-slope-of-tanh: Your Sigmoid has the slope of another curve: 1 − out² belongs to tanh.
=backward_x(grad, out): grad * (1 - out * out)

sigmoid-slope-keeps-sign: Your Sigmoid's slope has the wrong sign: the sigmoid rises everywhere, so its slope is
positive.
=backward_x(grad, out): grad * out * (out - 1)

sigmoid-turned-round: Your forward falls where σ rises. Is the sign in its exponent right? The larger x is, the closer σ
has to come to 1.
=forward(x): 1 / (1 + np.exp(x))

sigmoid-overflows: Your forward divides infinity by infinity for large x, which is NaN. Write σ so that what overflows
stands below 1.
=forward(x): np.exp(x) / (1 + np.exp(x))
or
=forward(x): np.exp(x) / (np.exp(x) + 1)

sigmoid-too-steep: Your forward is too steep: it is σ(2x), twice as steep at 0.
=forward(x): (1 + np.tanh(x)) / 2
""")

about("softplus", "softplus", "A loss that overflows")("""
softplus-as-it-stands: Your softplus takes the exponential of large numbers: e to the power of 710 is infinite,
although the result is about z itself.
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    return np.log(1 + np.exp(z))
or
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    return np.log1p(np.exp(z))

softplus-log-of-one-plus: Your softplus answers 0 where z is far below 0, as when 1 + exp(z) is rounded to 1. np.log1p
keeps what is small.
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    return np.maximum(z, 0) + np.log(1 + np.exp(-np.abs(z)))

softplus-no-absolute-value: Your softplus is rearranged, but its exponent grows for negative z: it needs the distance
from 0.
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    return np.maximum(z, 0) + np.log1p(np.exp(-z))
or
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    return z + np.log1p(np.exp(-z))

softplus-wrong-sign: Your softplus takes the exponential of |z|; the exponent has to be negative, so that it can only
underflow, to 0.
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    return np.maximum(z, 0) + np.log1p(np.exp(np.abs(z)))

softplus-correction-only: Your softplus is only the correction, which vanishes for large |z|. The larger of z and 0
has to be added.
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    return np.log1p(np.exp(-np.abs(z)))

softplus-relu: Your softplus is only the larger of z and 0. Near 0 the curve is rounded: the logarithm is still
missing.
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    return np.maximum(z, 0)

softplus-adds-distance: Your softplus adds |z|. For negative z it has to go to 0: add the larger of z and 0.
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    return np.abs(z) + np.log1p(np.exp(-np.abs(z)))

softplus-python-max: Your softplus asks for one yes or no about a whole array, as max and if do. np.maximum compares
number by number.
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    return max(z, 0) + np.log1p(np.exp(-abs(z)))
or
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    return max(0, z) + np.log1p(np.exp(-abs(z)))
or
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    if z > 0:
+        return z + np.log1p(np.exp(-z))
+    return np.log1p(np.exp(z))

softplus-clips: From some z on your softplus stays flat, as when z is clipped so that nothing overflows. It should go on
growing.
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    return np.log(1 + np.exp(np.clip(z, -20, 20)))
or
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    return np.log(1 + np.exp(np.clip(z, -30, 30)))
or
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    return np.log(1 + np.exp(np.clip(z, -50, 50)))
or
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    return np.log(1 + np.exp(np.clip(z, -100, 100)))
or
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    return np.log(1 + np.exp(np.clip(z, -500, 500)))
or
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    return np.log(1 + np.exp(np.clip(z, -700, 700)))

softplus-cuts-too-early: Your softplus returns z itself from some number on. At 20 what is left out is still larger
than rounding: there is a formula that leaves out nothing.
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    return np.where(z > 20, z, np.log1p(np.exp(z)))
or
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    return np.where(z > 15, z, np.log1p(np.exp(z)))
or
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    return np.where(z > 10, z, np.log1p(np.exp(z)))

softplus-log-of-the-sum: Your softplus takes the logarithm of 1 more than it should: np.log1p(a) already is log(1 +
a).
-    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
+    return np.maximum(z, 0) + np.log1p(1 + np.exp(-np.abs(z)))
""")

about("bce-with-logits", "BinaryCrossEntropyWithLogits", "BCE with logits")("""
bce-extra-slope: Your rule multiplies by the sigmoid's slope. That factor is already in σ(z) − y: log and σ together
left no other.
=backward_z(grad, z, y): self.each(grad) * (both.sigmoid(z) - y) * both.sigmoid(z) * (1 - both.sigmoid(z))

bce-sigmoid-twice: Your loss takes probabilities where it should take logits: σ is applied to z once too often.
|class BinaryCrossEntropyWithLogits(Loss):
|    def forward(self, z, y, *, reduction='mean'):
|        z = both.sigmoid(z)
|        return self.reduce(np.log1p(np.exp(z)) - z * y, reduction)
|    def backward_z(self, grad, z, y):
|        return self.each(grad) * (both.sigmoid(both.sigmoid(z)) - y) * both.sigmoid(z) * (1 - both.sigmoid(z))
|    def backward_y(self, grad, z):
|        return self.each(grad) * -both.sigmoid(z)
or
|def forward(self, z, y, *, reduction='mean'):
|    z = both.sigmoid(z)
|    return self.reduce(np.log1p(np.exp(z)) - z * y, reduction)

bce-sign-slip: Your rule for z has its sign turned round: with it, training would make the loss grow.
=backward_z(grad, z, y): self.each(grad) * (y - both.sigmoid(z))

bce-precedence: Your rule for z subtracts y from the product, because * binds tighter than -. What arrives multiplies
the whole difference: put it in parentheses.
=backward_z(grad, z, y): self.each(grad) * both.sigmoid(z) - y

bce-chooses-a-term: Your loss chooses between two terms by the target, as by y == 1. A target may lie between 0 and 1:
then both terms count, each with its share.
=forward(z, y, *, reduction='mean'): self.reduce(np.where(y == 1, np.logaddexp(0, -z), np.logaddexp(0, z)), reduction)

bce-no-mean: A gradient of your loss lacks the 1/N that a mean of N losses passes on to each. self.each(grad) brings it,
where forward reduces by self.reduce.
=backward_z(grad, z, y): grad * (both.sigmoid(z) - y)
=backward_y(grad, z): grad * -z
or
=backward_z(grad, z, y): grad * (both.sigmoid(z) - y)
or
=backward_y(grad, z): grad * -z

bce-mean-twice: A rule of yours divides by the number of losses once more: self.each(grad) has the 1/N of the mean in
it already.
=backward_z(grad, z, y): self.each(grad) * (both.sigmoid(z) - y) / z.size
=backward_y(grad, z): self.each(grad) * -z / z.size
or
=backward_z(grad, z, y): self.each(grad) * (both.sigmoid(z) - y) / z.size

bce-always-mean: Your loss is always a mean. The caller chooses the reduction: self.reduce carries it out, and self.each
goes by it in the rules.
=forward(z, y, *, reduction='mean'): (np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) - z * y).mean()
or
|class BinaryCrossEntropyWithLogits(Loss):
|    def forward(self, z, y, *, reduction='mean'):
|        return (np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) - z * y).mean()
|    def backward_z(self, grad, z, y):
|        return grad * (both.sigmoid(z) - y) / z.size
|    def backward_y(self, grad, z):
|        return grad * -z / z.size

bce-divides-always: A rule of yours divides by the number of losses whatever the reduction. Only a mean does: self.each
knows what was asked for.
=backward_z(grad, z, y): grad * (both.sigmoid(z) - y) / z.size
=backward_y(grad, z): grad * -z / z.size
or
=backward_z(grad, z, y): grad * (both.sigmoid(z) - y) / z.size
or
=backward_y(grad, z): grad * -z / z.size

bce-numpy-in-a-rule: Your rule for z calls NumPy's exp, which takes no tensors: in chapter 9 rules run on tensors, too.
both.sigmoid takes both.
=backward_z(grad, z, y): self.each(grad) * (1 / (1 + np.exp(-z)) - y)

bce-no-reduction: Your loss returns one number for each logit, whatever the caller asked for. self.reduce makes the
mean or the sum of them.
|class BinaryCrossEntropyWithLogits(Loss):
|    def forward(self, z, y, *, reduction='mean'):
|        return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) - z * y
|    def backward_z(self, grad, z, y):
|        return grad * (both.sigmoid(z) - y)
|    def backward_y(self, grad, z):
|        return grad * -z

bce-overflows: Your loss overflows: e to the 1000 is infinite. It needs a softplus that takes the exponential of no
large number.
=forward(z, y, *, reduction='mean'): self.reduce(np.log(1 + np.exp(z)) - z * y, reduction)
or
=forward(z, y, *, reduction='mean'): self.reduce(np.log1p(np.exp(z)) - z * y, reduction)

bce-logarithms: Your loss takes logarithms of rounded probabilities: σ(1000) is exactly 1 in float64, and log(1 − 1)
is −∞.
|def forward(self, z, y, *, reduction='mean'):
|    p = both.sigmoid(z)
|    return self.reduce(-(y * np.log(p) + (1 - y) * np.log(1 - p)), reduction)

bce-no-sigmoid: Your rule compares the logit itself with y. The slope of softplus is σ(z), a probability.
=backward_z(grad, z, y): self.each(grad) * (z - y)

bce-no-target: Your rule for z leaves y out, as if every target were 0: the loss also has the term −z·y.
=backward_z(grad, z): self.each(grad) * both.sigmoid(z)

bce-forward-no-target: Your loss leaves y out, as if every target were 0.
=forward(z, y, *, reduction='mean'): self.reduce(np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))), reduction)

bce-target-sign: Your loss adds z·y. A target of 1 should make a large logit cheap, not dear.
=forward(z, y, *, reduction='mean'): self.reduce(np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) + z * y, reduction)

bce-ignores-above: A rule of yours loses the gradient that arrives from above.
=backward_z(grad, z, y): self.each(grad * 0 + 1) * (both.sigmoid(z) - y)
=backward_y(grad, z): self.each(grad * 0 + 1) * -z

bce-y-like-z: Your rule for y is that of z with its sign turned round. Hold z still: in y, the loss is a straight
line.
=backward_y(grad, z, y): self.each(grad) * (y - both.sigmoid(z))

bce-y-probability: Your rule for y has σ(z), a probability, where the logit belongs: in the loss, y is multiplied by z
itself.
=backward_y(grad, z): self.each(grad) * -both.sigmoid(z)

bce-y-sign: Your rule for y has the wrong sign: when a target grows, a positive logit costs less.
=backward_y(grad, z): self.each(grad) * z

bce-y-zero: Your rule for y returns zeros. Targets rarely need a gradient, but the loss does change with them.
=backward_y(grad, z): grad * 0 * z
""")

ONE_LAYER = """
def one_layer(x, y, w, b):
    w.requires_grad_(True)
    b.requires_grad_(True)
    z = x @ w + b
    loss = F.binary_cross_entropy_with_logits(z, y)
    loss.backward()
    return z, loss
"""

about("bce", "one_layer", "One layer", ONE_LAYER)("""
layer-asks-no-gradient: Nothing leads to w and b from where your backward() starts. Do both ask for a gradient before z
is computed? They come without requires_grad: mind its spelling.
-    w.requires_grad_(True)
-    b.requires_grad_(True)
or
|def one_layer(x, y, w, b):
|    z = x @ w + b
|    w.requires_grad_(True)
|    b.requires_grad_(True)
|    loss = F.binary_cross_entropy_with_logits(z, y)
|    loss.backward()
|    return (z, loss)

layer-calls-the-flag: Your one_layer calls requires_grad, which is True or False and cannot be called. The method has
an underscore at its end.
-    w.requires_grad_(True)
-    b.requires_grad_(True)
+    w.requires_grad(True)
+    b.requires_grad(True)

layer-asks-for-w-only: In your one_layer b gets no gradient: the bias is a parameter, too, and has to ask for one before
z is computed.
-    b.requires_grad_(True)

layer-asks-for-b-only: In your one_layer w gets no gradient: the weights are parameters, too, and have to ask for one
before z is computed.
-    w.requires_grad_(True)

layer-asks-for-data: Your one_layer asks for gradients of data. Only w and b are adjusted; x and y are what they are.
     b.requires_grad_(True)
+    x.requires_grad_(True)
or
     b.requires_grad_(True)
+    y.requires_grad_(True)
or
     b.requires_grad_(True)
+    x.requires_grad_(True)
+    y.requires_grad_(True)

layer-loss-of-x: Your loss is given x, the input, instead of z: there need not be as many inputs as targets, and w and b
play no part.
-    loss = F.binary_cross_entropy_with_logits(z, y)
+    loss = F.binary_cross_entropy_with_logits(x, y)

layer-sigmoid-before: Your one_layer applies the sigmoid before the loss. This loss takes logits and applies it
itself: σ(σ(z)) cannot get near 0 or 1.
-    loss = F.binary_cross_entropy_with_logits(z, y)
+    loss = F.binary_cross_entropy_with_logits(minigrad.sigmoid(z), y)
or
-    z = x @ w + b
+    z = minigrad.sigmoid(x @ w + b)
or
-    loss = F.binary_cross_entropy_with_logits(z, y)
+    loss = F.binary_cross_entropy_with_logits(1 / (1 + (-z).exp()), y)

layer-probabilities: Your one_layer goes over probabilities. At large logits they are rounded to 0 or 1, and what was
rounded away cannot come back.
-    loss = F.binary_cross_entropy_with_logits(z, y)
+    loss = F.binary_cross_entropy(minigrad.sigmoid(z), y)

layer-arguments-swapped: Your loss takes its arguments in the other order: logits first, then targets.
-    loss = F.binary_cross_entropy_with_logits(z, y)
+    loss = F.binary_cross_entropy_with_logits(y, z)

layer-sum: Your loss is the sum over all outputs; the exercise asks for the mean, which is what the function does by
itself.
-    loss = F.binary_cross_entropy_with_logits(z, y)
+    loss = F.binary_cross_entropy_with_logits(z, y, reduction='sum')

layer-squared-error: Your loss is the squared error; the exercise asks for binary cross entropy.
-    loss = F.binary_cross_entropy_with_logits(z, y)
+    loss = F.mse_loss(z, y)
or
-    loss = F.binary_cross_entropy_with_logits(z, y)
+    loss = F.mse_loss(minigrad.sigmoid(z), y)

layer-forgets-bias: Your z leaves the bias out.
-    z = x @ w + b
+    z = x @ w

layer-element-by-element: Your z multiplies x and w element by element, as * does. In a layer each output sums over all
inputs: x @ w.
-    z = x @ w + b
+    z = x * w + b

layer-factors-swapped: Your z multiplies in the wrong order: x is a row, so it stands on the left of w.
-    z = x @ w + b
+    z = w @ x + b

layer-no-backward: After your one_layer, w and b have no gradient. Is loss.backward() called, with its parentheses? And
a way has to lead from the loss to w and b.
-    loss.backward()

layer-backward-from-z: Your one_layer calls backward() on a tensor of several numbers, such as z, or a loss without its
mean. Start at the loss, which is one number.
-    loss.backward()
+    z.backward()

layer-new-leaves: In your one_layer another tensor asks for the gradient, such as a copy, and w.grad and b.grad stay
empty. w and b themselves have to ask.
-    w.requires_grad_(True)
-    b.requires_grad_(True)
+    w = w.clone().requires_grad_(True)
+    b = b.clone().requires_grad_(True)
or
-    w.requires_grad_(True)
-    b.requires_grad_(True)
+    w = w.detach().requires_grad_(True)
+    b = b.detach().requires_grad_(True)

layer-returned-swapped: Your one_layer returns the loss before z; it is asked for the pair z, loss.
-    return z, loss
+    return (loss, z)
""")

LAYER_BY_HAND = """
def layer_by_hand(x, y, w, b):
    z = x @ w + b
    z_grad = (1 / (1 + np.exp(-z)) - y) / z.size
    return np.outer(x, z_grad), z_grad
"""

about("layer-by-hand", "layer_by_hand", "By hand", LAYER_BY_HAND)("""
layer-hand-no-mean: Your layer_by_hand leaves out the mean: each of the N losses counts for 1/N.
-    z_grad = (1 / (1 + np.exp(-z)) - y) / z.size
+    z_grad = 1 / (1 + np.exp(-z)) - y

layer-hand-mean-twice: Your layer_by_hand brings the mean into the gradient of w twice: the 1/N is in z's gradient
already.
-    return np.outer(x, z_grad), z_grad
+    return np.outer(x, z_grad) / z.size, z_grad

layer-hand-overflows: Your layer_by_hand divides infinity by infinity where a logit is large, which is NaN. Write the
sigmoid so that what overflows stands below 1.
-    z_grad = (1 / (1 + np.exp(-z)) - y) / z.size
+    z_grad = (np.exp(z) / (1 + np.exp(z)) - y) / z.size

layer-hand-sign: Your layer_by_hand has its signs turned round, as by y − σ(z): its gradients point the wrong way.
-    z_grad = (1 / (1 + np.exp(-z)) - y) / z.size
+    z_grad = (y - 1 / (1 + np.exp(-z))) / z.size

layer-hand-outer-turned: Your layer_by_hand builds the outer product the other way round: its rows belong to the
inputs, its columns to the outputs.
-    return np.outer(x, z_grad), z_grad
+    return (np.outer(z_grad, x), z_grad)

layer-hand-no-outer-product: Your layer_by_hand stops at shapes that do not fit. Is it where x and the gradient of z
meet? A vector has no rows and columns, and .T leaves it as it is: each number has to meet each.
-    return np.outer(x, z_grad), z_grad
+    return (x.T @ z_grad, z_grad)
or
-    return np.outer(x, z_grad), z_grad
+    return (np.dot(x.T, z_grad), z_grad)
or
-    return np.outer(x, z_grad), z_grad
+    return (x * z_grad, z_grad)
or
-    return np.outer(x, z_grad), z_grad
+    return (x.mT @ z_grad, z_grad)
or
-    return np.outer(x, z_grad), z_grad
+    return (x.reshape(-1, 1) @ z_grad, z_grad)

layer-hand-factors-swapped: Your layer_by_hand multiplies w and x in the wrong order: x is a row, so it stands on the
left of w.
-    z = x @ w + b
+    z = w @ x + b

layer-hand-forgets-x: Your layer_by_hand gives every row of w the gradient of z. That is right where x is 1, and x is
not always 1.
-    return np.outer(x, z_grad), z_grad
+    return (np.tile(z_grad, (len(x), 1)), z_grad)

layer-hand-extra-slope: Your layer_by_hand multiplies by the sigmoid's slope, which is already in σ(z) − y.
-    z_grad = (1 / (1 + np.exp(-z)) - y) / z.size
+    z_grad = (1 / (1 + np.exp(-z)) - y) * 1 / (1 + np.exp(-z)) * (1 - 1 / (1 + np.exp(-z))) / z.size

layer-hand-no-sigmoid: Your layer_by_hand compares the logits themselves with y: their probabilities, σ(z), are meant.
-    z_grad = (1 / (1 + np.exp(-z)) - y) / z.size
+    z_grad = (z - y) / z.size

layer-hand-no-target: Your layer_by_hand leaves y out. That is right where every target is 0.
-    z_grad = (1 / (1 + np.exp(-z)) - y) / z.size
+    z_grad = 1 / (1 + np.exp(-z)) / z.size

layer-hand-counts-inputs: Your layer_by_hand divides by the number of inputs, or of weights. The mean is over the
outputs: z.size of them.
-    z_grad = (1 / (1 + np.exp(-z)) - y) / z.size
+    z_grad = (1 / (1 + np.exp(-z)) - y) / len(x)
or
-    z_grad = (1 / (1 + np.exp(-z)) - y) / z.size
+    z_grad = (1 / (1 + np.exp(-z)) - y) / w.size

layer-hand-divides-by-three: Your layer_by_hand divides by 3 whatever the shape: that is right for three outputs only.
-    z_grad = (1 / (1 + np.exp(-z)) - y) / z.size
+    z_grad = (1 / (1 + np.exp(-z)) - y) / 3

layer-hand-forgets-bias: Your layer_by_hand leaves the bias out of z.
-    z = x @ w + b
+    z = x @ w

layer-hand-one-number-for-b: Your layer_by_hand makes one number of b's gradient. b has an element for each output,
and its gradient, too: nothing is added up or averaged over the outputs.
-    return np.outer(x, z_grad), z_grad
+    return (np.outer(x, z_grad), z_grad.mean())
or
-    return np.outer(x, z_grad), z_grad
+    return (np.outer(x, z_grad), z_grad.sum())

layer-hand-swapped: Your layer_by_hand returns the gradient of b before that of w; w comes first.
-    return np.outer(x, z_grad), z_grad
+    return (z_grad, np.outer(x, z_grad))

layer-hand-asks-the-engine: Your layer_by_hand asks the engine, which records nothing while it is called. Compute with
NumPy alone: then each way tests the other.
|def layer_by_hand(x, y, w, b):
|    w, b = (minigrad.tensor(w, requires_grad=True), minigrad.tensor(b, requires_grad=True))
|    z = minigrad.tensor(x) @ w + b
|    F.binary_cross_entropy_with_logits(z, minigrad.tensor(y)).backward()
|    return (w.grad.numpy(), b.grad.numpy())
""")
