"""Chapter 1 in other words: rules by other algebra, made by functions, and walks in another order."""

import numpy as np

import minigrad
from minigrad.core.function import AccumulateGrad, Function
from minigrad.rules import both

from ...ask.right import collector

RIGHT, right = collector()


def scaled_by(sign):
    def rule(self, grad):
        return grad * sign

    return rule


# ---------------------------------------------------------------------- Add


@right(exercise="add", replaces="Add")
class AddByRulesMade(Function):
    def forward(self, x, y):
        return x + y

    backward_x, backward_y = scaled_by(1), scaled_by(1)


@right(exercise="add", replaces="Add")
class AddTheOtherWay(Function):
    def forward(self, x, y):
        return y + x

    def backward_x(self, grad):
        return +grad

    def backward_y(self, grad):
        return grad * 1.0


@right(exercise="add", replaces="Add")
class AddAsDifference(Function):
    def forward(self, x, y):
        return x - (-y)

    def backward_x(self, grad):
        return grad + 0

    def backward_y(self, grad):
        return 0 - (0 - grad)


@right(exercise="add", replaces="Add")
class AddAsksForMore(Function):
    def forward(self, x, y):
        self.kept = x, y
        return np.add(x, y)

    def backward_x(self, grad, x, y, out):
        return grad

    def backward_y(self, grad, x):
        return grad.copy()


@right(exercise="add", replaces="Add")
class AddHalves(Function):
    def forward(self, x, y):
        return 2 * (x / 2 + y / 2)

    def backward_x(self, grad):
        return grad / 2 + grad / 2

    backward_y = backward_x


# ---------------------------------------------------------------------- Mul


@right(exercise="mul", replaces="Mul")
class MulTheOtherWay(Function):
    def forward(self, x, y):
        return np.multiply(y, x)

    def backward_x(self, grad, y):
        return y * grad

    def backward_y(self, grad, x):
        return x * grad


@right(exercise="mul", replaces="Mul")
class MulKeepsItself(Function):
    def forward(self, x, y):
        self.x, self.y = x, y
        return x * y

    def backward_x(self, grad):
        return grad * self.y

    def backward_y(self, grad):
        return grad * self.x


@right(exercise="mul", replaces="Mul")
class MulLessOne(Function):
    def forward(self, x, y):
        return x * (y - 1) + x

    def backward_x(self, grad, y):
        return grad * (y - 1) + grad

    def backward_y(self, grad, x):
        return grad * (x + 1) - grad


@right(exercise="mul", replaces="Mul")
class MulBySquares(Function):
    def forward(self, x, y):
        return x * y

    def backward_x(self, grad, y):
        return ((grad + y) ** 2 - (grad - y) ** 2) / 4

    def backward_y(self, grad, x):
        return 0.5 * (grad * x + x * grad)


@right(exercise="mul", replaces="Mul")
class MulByEinsum(Function):
    def forward(self, x, y):
        return np.einsum("...,...->...", x, y)

    def backward_x(self, grad, y):
        return -(grad * -y)

    def backward_y(self, grad, x):
        return x * grad * 1


# ---------------------------------------------------------------------- Neg and Sub


@right(exercise="neg-sub", replaces="Neg")
class NegFromZero(Function):
    def forward(self, x):
        return 0 - x

    def backward_x(self, grad):
        return 0 - grad


@right(exercise="neg-sub", replaces="Neg")
class NegTimes(Function):
    def forward(self, x):
        return x * -1

    backward_x = scaled_by(-1)


@right(exercise="neg-sub", replaces="Neg")
class NegByNumpy(Function):
    def forward(self, x):
        return np.negative(x)

    def backward_x(self, grad):
        return grad - (grad + grad)


@right(exercise="neg-sub", replaces="Neg")
class NegTwiceLess(Function):
    def forward(self, x):
        return x - 2 * x

    def backward_x(self, grad):
        return grad - 2 * grad


@right(exercise="neg-sub", replaces="Neg")
class NegDivides(Function):
    def forward(self, x):
        return x / -1

    def backward_x(self, grad):
        return grad / -1


@right(exercise="neg-sub", replaces="Sub")
class SubAsSum(Function):
    def forward(self, x, y):
        return x + (-y)

    backward_x, backward_y = scaled_by(1), scaled_by(-1)


@right(exercise="neg-sub", replaces="Sub")
class SubTurnedRound(Function):
    def forward(self, x, y):
        return -(y - x)

    def backward_x(self, grad):
        return grad

    def backward_y(self, grad):
        return 0 - grad


@right(exercise="neg-sub", replaces="Sub")
class SubByNumpy(Function):
    def forward(self, x, y):
        return np.subtract(x, y)

    def backward_x(self, grad):
        return +grad

    def backward_y(self, grad):
        return -(+grad)


@right(exercise="neg-sub", replaces="Sub")
class SubInPlace(Function):
    def forward(self, x, y):
        result = x + 0 * y
        result -= y
        return result

    def backward_x(self, grad):
        return grad

    def backward_y(self, grad):
        return grad - 2 * grad


@right(exercise="neg-sub", replaces="Sub")
class SubAsksForAll(Function):
    def forward(self, x, y):
        return x - y

    def backward_x(self, grad, x, y, out):
        return grad

    def backward_y(self, grad, x, y, out):
        return -1.0 * grad


# ---------------------------------------------------------------------- Pow


@right(exercise="pow", replaces="Pow")
class PowBySlope(Function):
    def forward(self, x, n):
        return np.float_power(x, n)

    def backward_x(self, grad, x, n):
        slope = x ** (n - 1.0) * n
        return slope * grad


@right(exercise="pow", replaces="Pow")
class PowByNumpy(Function):
    def forward(self, x, n):
        return np.power(np.asarray(x, dtype=float), n)

    def backward_x(self, grad, x, n):
        return n * grad * x ** (-1 + n)


@right(exercise="pow", replaces="Pow")
class PowTheOtherWay(Function):
    def forward(self, x, n):
        return x**n

    def backward_x(self, grad, n, x):
        local = n * x ** (n - 1)
        return local * grad


@right(exercise="pow", replaces="Pow")
class PowOneLess(Function):
    def forward(self, x, n):
        return x * x ** (n - 1)

    def backward_x(self, grad, x, n):
        return grad * (x ** (n - 1) + (n - 1) * x ** (n - 1))


@right(exercise="pow", replaces="Pow")
class PowRemembers(Function):
    def forward(self, x, n):
        self.slope = n * x ** (n - 1)
        return x**n

    def backward_x(self, grad):
        return grad * self.slope


# ---------------------------------------------------------------------- the walk


def arrive(leaf, grad):
    leaf.grad = grad if leaf.grad is None else leaf.grad + grad


@right(exercise="paths", replaces="backpropagate")
def with_a_stack(node, grad):
    stack = [(node, grad)]
    while stack:
        node, grad = stack.pop()
        if hasattr(node, "variable"):
            arrive(node.variable, grad)
            continue
        edges = zip(node.next_functions, node.backward(grad), strict=True)
        stack.extend((below, g) for (below, _), g in edges if below is not None)


@right(exercise="paths", replaces="backpropagate")
def with_a_queue(node, grad):
    queue = [(node, grad)]
    for node, grad in queue:
        if isinstance(node, AccumulateGrad):
            arrive(node.variable, grad)
        else:
            for (below, _), g in zip(node.next_functions, node.backward(grad), strict=True):
                if below is not None:
                    queue.append((below, g))


@right(exercise="paths", replaces="backpropagate")
def leaf_last(node, grad):
    if not isinstance(node, AccumulateGrad):
        grads = node.backward(grad)
        for i, pair in enumerate(node.next_functions):
            if pair[0] is not None:
                leaf_last(pair[0], grads[i])
    elif node.variable.grad is None:
        node.variable.grad = grad
    else:
        node.variable.grad = node.variable.grad + grad


@right(exercise="paths", replaces="backpropagate")
def last_input_first(node, grad):
    if isinstance(node, AccumulateGrad):
        arrive(node.variable, grad)
        return
    for (below, _), g in reversed(list(zip(node.next_functions, node.backward(grad), strict=True))):
        if below is not None:
            last_input_first(below, g)


@right(exercise="paths", replaces="backpropagate")
def paths_first(node, grad):
    def paths(node, grad):
        if isinstance(node, AccumulateGrad):
            yield node.variable, grad
        else:
            for (below, _), g in zip(node.next_functions, node.backward(grad), strict=True):
                if below is not None:
                    yield from paths(below, g)

    for leaf, found in list(paths(node, grad)):
        arrive(leaf, found)


# ---------------------------------------------------------------------- the polynomial


@right(exercise="polynomial", replaces="polynomial")
def horner(x):
    return (((2 * x + 1) * x + 3) * x + 5) * x + 1


@right(exercise="polynomial", replaces="polynomial")
def by_products(x):
    square = x * x
    return 2 * square * square + square * x + 3 * square + 5 * x + 1


@right(exercise="polynomial", replaces="polynomial")
def from_a_list(x):
    total = 1 + 5 * x
    for power, coefficient in ((2, 3), (3, 1), (4, 2)):
        total = total + coefficient * x**power
    return total


@right(exercise="polynomial", replaces="polynomial")
def backwards(x):
    return 1 + x * 5 + x**2 * 3 + x**3 + x**4 * 2


@right(exercise="polynomial", replaces="polynomial")
def with_minus(x):
    return 2 * x**4 - (-(x**3)) - (-3 * x**2 - 5 * x) + 1


@right(exercise="polynomial", replaces="differentiate")
def by_grad_fn(f, at):
    x = minigrad.tensor(at, dtype=minigrad.float64, requires_grad=True)
    y = f(x)
    y.backward(minigrad.tensor(1.0, dtype=minigrad.float64))
    return (y.item(), x.grad.item())


@right(exercise="polynomial", replaces="differentiate")
def as_list(f, at):
    x = minigrad.tensor(at, dtype=minigrad.float64).requires_grad_()
    y = f(x)
    y.backward()
    return [float(y), float(x.grad)]


@right(exercise="polynomial", replaces="differentiate")
def from_an_array(f, at):
    x = minigrad.tensor(np.array(at), requires_grad=True)
    y = f(x)
    y.backward()
    return both.raw(y).item(), x.grad.numpy().item()


@right(exercise="polynomial", replaces="differentiate")
def with_one_element(f, at):
    x = minigrad.tensor([at], dtype=minigrad.float64)
    x.requires_grad_(True)
    y = f(x)
    y.backward()
    return float(y.detach().numpy()[0]), float(x.grad.numpy()[0])


@right(exercise="polynomial", replaces="differentiate")
def value_on_its_own(f, at):
    value = f(minigrad.tensor(at, dtype=minigrad.float64)).item()
    x = minigrad.tensor(at, dtype=minigrad.float64, requires_grad=True)
    f(x).backward()
    return value, x.grad.tolist()
