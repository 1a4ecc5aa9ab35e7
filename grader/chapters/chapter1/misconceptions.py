# ruff: noqa: ANN001, ANN201, ANN202, D101, D102, D103
"""Chapter 1's ways of being wrong: about the rules, the walk along the paths, and the use of the engine."""

import minigrad
from minigrad.core.function import AccumulateGrad, Function

from ...ask.bank import Reference, collector

MISCONCEPTIONS, misconception, variant = collector()

# ---------------------------------------------------------------------- Add


@misconception(
    "add-shares-out",
    exercise="add",
    replaces="Add",
    section="Add",
    advice="Your Add shares the gradient out between its operands. Each of them moves the sum one for one, so "
    "each receives all of what arrives.",
)
class AddSharesOut(Reference):
    def backward_x(self, grad):
        return grad / 2

    def backward_y(self, grad):
        return grad / 2


@misconception(
    "add-ignores-above",
    exercise="add",
    replaces="Add",
    section="Add",
    advice="Your Add returns its local derivative, 1, and loses what arrives from above. A rule multiplies the "
    "incoming gradient by the local derivative.",
)
class AddIgnoresAbove(Reference):
    def backward_x(self, grad):
        return grad * 0 + 1

    def backward_y(self, grad):
        return grad * 0 + 1


@misconception(
    "add-like-mul",
    exercise="add",
    replaces="Add",
    section="Add",
    advice="Your Add weighs the gradient with the other operand, as a product would. The slope of x + y does not "
    "depend on the other operand's value.",
)
class AddLikeMul(Reference):
    def backward_x(self, grad, y):
        return grad * y

    def backward_y(self, grad, x):
        return grad * x


@misconception(
    "add-in-place",
    exercise="add",
    replaces="Add",
    section="Add",
    advice="Your forward changes its input: x += y writes into x itself. Return a new array.",
)
class AddInPlace(Reference):
    def forward(self, x, y):
        x += y
        return x


# ---------------------------------------------------------------------- Mul


@misconception(
    "mul-own-value",
    exercise="mul",
    replaces="Mul",
    section="Mul",
    advice="Your Mul hands each operand its own value. Hold y still and move x: it is the other operand that says "
    "how fast the product moves.",
)
class MulOwnValue(Reference):
    def backward_x(self, grad, x):
        return grad * x

    def backward_y(self, grad, y):
        return grad * y


@misconception(
    "mul-ignores-above",
    exercise="mul",
    replaces="Mul",
    section="Mul",
    advice="Your Mul returns its local derivative and loses what arrives from above: right where the gradient from "
    "above is 1, wrong everywhere else.",
)
class MulIgnoresAbove(Reference):
    def backward_x(self, grad, y):
        return grad * 0 + y

    def backward_y(self, grad, x):
        return grad * 0 + x


@variant
class MulReturnsTheOther(Reference):
    def backward_x(self, grad, y):
        return y

    def backward_y(self, grad, x):
        return x


@misconception(
    "mul-by-both",
    exercise="mul",
    replaces="Mul",
    section="Mul",
    advice="Your Mul multiplies by both operands. The slope in one operand is the other one alone.",
)
class MulByBoth(Reference):
    def backward_x(self, grad, x, y):
        return grad * x * y

    def backward_y(self, grad, x, y):
        return grad * x * y


@misconception(
    "mul-grad-in-place",
    exercise="mul",
    replaces="Mul",
    section="Mul",
    advice="Your Mul writes into grad: `grad *= …` changes the array that arrived, which the other rule is given, too. "
    "Return a new array.",
)
class MulGradInPlace(Reference):
    def backward_x(self, grad, y):
        grad *= y
        return grad

    def backward_y(self, grad, x):
        grad *= x
        return grad


@variant
class MulGradInPlaceForX(Reference):
    def backward_x(self, grad, y):
        grad *= y
        return grad


@misconception(
    "mul-like-add",
    exercise="mul",
    replaces="Mul",
    section="Mul",
    advice="Your Mul passes the gradient on unchanged, as a sum would. The slope of a product depends on the operands.",
)
class MulLikeAdd(Reference):
    def backward_x(self, grad):
        return grad

    def backward_y(self, grad):
        return grad


@misconception(
    "mul-divides-the-result",
    exercise="mul",
    replaces="Mul",
    section="Mul",
    advice="Your Mul gets the other operand back by dividing the product. Where an operand is 0, that is 0/0. Name "
    "the other operand in the rule: it is there.",
)
class MulDividesTheResult(Reference):
    def backward_x(self, grad, x, out):
        return grad * (out / x)

    def backward_y(self, grad, y, out):
        return grad * (out / y)


# ---------------------------------------------------------------------- Neg and Sub


@misconception(
    "neg-keeps-sign",
    exercise="neg-sub",
    replaces="Neg",
    section="Neg and Sub",
    advice="Your Neg passes the gradient on with its sign unchanged. When x goes up, -x goes down.",
)
class NegKeepsSign(Reference):
    def backward_x(self, grad):
        return grad


@misconception(
    "sub-plus",
    exercise="neg-sub",
    replaces="Sub",
    section="Neg and Sub",
    advice="Your Sub sends the same gradient to both operands. When y goes up, x - y goes down.",
)
class SubPlus(Reference):
    def backward_y(self, grad):
        return grad


@misconception(
    "sub-swapped",
    exercise="neg-sub",
    replaces="Sub",
    section="Neg and Sub",
    advice="Your Sub has its two operands the wrong way round: the minus sign belongs to the second one.",
)
class SubSwapped(Reference):
    def backward_x(self, grad):
        return -grad

    def backward_y(self, grad):
        return grad


@misconception(
    "sub-wrong-order",
    exercise="neg-sub",
    replaces="Sub",
    section="Neg and Sub",
    advice="Your forward subtracts the first input from the second; x - y is asked for.",
)
class SubWrongOrder(Reference):
    def forward(self, x, y):
        return y - x


@variant
class SubWrongOrderThroughout(Function):
    def forward(self, x, y):
        return y - x

    def backward_x(self, grad):
        return -grad

    def backward_y(self, grad):
        return grad


# ---------------------------------------------------------------------- Pow


@misconception(
    "pow-forgets-n",
    exercise="pow",
    replaces="Pow",
    section="Pow",
    advice="Your Pow lowers the exponent but does not bring it down in front as a factor.",
)
class PowForgetsN(Reference):
    def backward_x(self, grad, x, n):
        return grad * x ** (n - 1)


@misconception(
    "pow-keeps-exponent",
    exercise="pow",
    replaces="Pow",
    section="Pow",
    advice="Your Pow brings the exponent down in front but does not lower it by one.",
)
class PowKeepsExponent(Reference):
    def backward_x(self, grad, x, n):
        return grad * (n * x**n)


@misconception(
    "pow-ignores-above",
    exercise="pow",
    replaces="Pow",
    section="Pow",
    advice="Your Pow returns its local derivative and loses what arrives from above.",
)
class PowIgnoresAbove(Reference):
    def backward_x(self, grad, x, n):
        return grad * 0 + n * x ** (n - 1)


@misconception(
    "pow-precedence",
    exercise="pow",
    replaces="Pow",
    section="Pow",
    advice="Your Pow subtracts the 1 after taking the power, because ** binds tighter than -. Put the lowered exponent "
    "in parentheses.",
)
class PowPrecedence(Reference):
    def backward_x(self, grad, x, n):
        return grad * (n * x**n - 1)


@variant
class PowPrecedenceThroughout(Reference):
    def backward_x(self, grad, x, n):
        return grad * n * x**n - 1


@misconception(
    "pow-divides-by-x",
    exercise="pow",
    replaces="Pow",
    section="Pow",
    advice="Your Pow divides by x to lower the exponent. At x = 0 that is 0/0, where the slope of x² is 0.",
)
class PowDividesByX(Reference):
    def backward_x(self, grad, x, n):
        return grad * n * x**n / x


# ---------------------------------------------------------------------- path by path


@misconception(
    "paths-overwrites",
    exercise="paths",
    replaces="backpropagate",
    section="Path by path",
    advice="Your walk overwrites leaf.grad each time it arrives at a leaf. Several paths lead to one leaf, and what "
    "they bring adds up.",
)
def overwrites(node, grad):
    if isinstance(node, AccumulateGrad):
        node.variable.grad = grad
        return
    for (below, _), below_grad in zip(node.next_functions, node.backward(grad), strict=True):
        if below is not None:
            overwrites(below, below_grad)


@misconception(
    "paths-hands-on-what-arrived",
    exercise="paths",
    replaces="backpropagate",
    section="Path by path",
    advice="Your walk hands on the gradient that arrived at a node, unchanged. What goes on to each input is what "
    "the node's own rule returned for it.",
)
def hands_on_what_arrived(node, grad):
    if isinstance(node, AccumulateGrad):
        leaf = node.variable
        leaf.grad = grad if leaf.grad is None else leaf.grad + grad
        return
    for below, _ in node.next_functions:
        if below is not None:
            hands_on_what_arrived(below, grad)


@misconception(
    "paths-first-only",
    exercise="paths",
    replaces="backpropagate",
    section="Path by path",
    advice="Your walk follows the first input of each node and never comes to the others. Every path counts.",
)
def first_only(node, grad):
    if isinstance(node, AccumulateGrad):
        leaf = node.variable
        leaf.grad = grad if leaf.grad is None else leaf.grad + grad
        return
    for (below, _), below_grad in zip(node.next_functions, node.backward(grad), strict=True):
        if below is not None:
            return first_only(below, below_grad)


@misconception(
    "paths-visits-once",
    exercise="paths",
    replaces="backpropagate",
    section="Path by path",
    advice="Your walk skips an input that it has already been to from the same node. In x * x both inputs are x, and "
    "each of the two paths brings its share.",
)
def visits_once(node, grad):
    if isinstance(node, AccumulateGrad):
        leaf = node.variable
        leaf.grad = grad if leaf.grad is None else leaf.grad + grad
        return
    seen = []
    for (below, _), below_grad in zip(node.next_functions, node.backward(grad), strict=True):
        if below is not None and below not in seen:
            seen.append(below)
            visits_once(below, below_grad)


@misconception(
    "paths-trips-over-constants",
    exercise="paths",
    replaces="backpropagate",
    section="Path by path",
    advice="Your walk does not stop where an input needs no gradient: there the node before it is None.",
)
def trips_over_constants(node, grad):
    if isinstance(node, AccumulateGrad):
        leaf = node.variable
        leaf.grad = grad if leaf.grad is None else leaf.grad + grad
        return
    for (below, _), below_grad in zip(node.next_functions, node.backward(grad), strict=True):
        trips_over_constants(below, below_grad)


@misconception(
    "paths-stops-at-constants",
    exercise="paths",
    replaces="backpropagate",
    section="Path by path",
    advice="Your walk ends at the first input that needs no gradient. Skip that input, and go on with the others.",
)
def stops_at_constants(node, grad):
    if isinstance(node, AccumulateGrad):
        leaf = node.variable
        leaf.grad = grad if leaf.grad is None else leaf.grad + grad
        return
    for (below, _), below_grad in zip(node.next_functions, node.backward(grad), strict=True):
        if below is None:
            return
        stops_at_constants(below, below_grad)


@misconception(
    "paths-goes-past-the-leaf",
    exercise="paths",
    replaces="backpropagate",
    section="Path by path",
    advice="Your walk goes on past the leaf and asks its AccumulateGrad for a rule. A path ends there: keep what "
    "arrived, and return.",
)
def goes_past_the_leaf(node, grad):
    for (below, _), below_grad in zip(node.next_functions, node.backward(grad), strict=True):
        if below is not None:
            goes_past_the_leaf(below, below_grad)


@misconception(
    "paths-adds-to-nothing",
    exercise="paths",
    replaces="backpropagate",
    section="Path by path",
    advice="Your walk adds to leaf.grad when there is nothing in it yet: it is None until the first path arrives.",
)
def adds_to_nothing(node, grad):
    if isinstance(node, AccumulateGrad):
        leaf = node.variable
        leaf.grad = leaf.grad + grad
        return
    for (below, _), below_grad in zip(node.next_functions, node.backward(grad), strict=True):
        if below is not None:
            adds_to_nothing(below, below_grad)


@variant
def adds_to_nothing_from_the_right(node, grad):
    if isinstance(node, AccumulateGrad):
        leaf = node.variable
        leaf.grad = grad + leaf.grad
        return
    for (below, _), below_grad in zip(node.next_functions, node.backward(grad), strict=True):
        if below is not None:
            adds_to_nothing_from_the_right(below, below_grad)


@misconception(
    "paths-adds-in-place",
    exercise="paths",
    replaces="backpropagate",
    section="Path by path",
    advice="Your walk adds in place, with +=. A sum hands one and the same gradient to both of its inputs, so two "
    "leaves share it, and adding to one changes the other. Make a new tensor instead.",
)
def adds_in_place(node, grad):
    if isinstance(node, AccumulateGrad):
        leaf = node.variable
        if leaf.grad is None:
            leaf.grad = grad
        else:
            leaf.grad += grad
        return
    for (below, _), below_grad in zip(node.next_functions, node.backward(grad), strict=True):
        if below is not None:
            adds_in_place(below, below_grad)


@misconception(
    "paths-multiplies-again",
    exercise="paths",
    replaces="backpropagate",
    section="Path by path",
    advice="Your walk multiplies what a rule returns by the gradient that arrived at the node. The rule has done that "
    "already.",
)
def multiplies_again(node, grad):
    if isinstance(node, AccumulateGrad):
        leaf = node.variable
        leaf.grad = grad if leaf.grad is None else leaf.grad + grad
        return
    for (below, _), below_grad in zip(node.next_functions, node.backward(grad), strict=True):
        if below is not None:
            multiplies_again(below, grad * below_grad)


@misconception(
    "paths-stays-at-the-node",
    exercise="paths",
    replaces="backpropagate",
    section="Path by path",
    advice="Your walk calls itself for the same node again and again, until Python stops it. A path goes on to "
    "the node that the edge leads to.",
)
def stays_at_the_node(node, grad):
    if isinstance(node, AccumulateGrad):
        leaf = node.variable
        leaf.grad = grad if leaf.grad is None else leaf.grad + grad
        return
    for (below, _), below_grad in zip(node.next_functions, node.backward(grad), strict=True):
        if below is not None:
            stays_at_the_node(node, below_grad)


# ---------------------------------------------------------------------- the polynomial


@misconception(
    "polynomial-drops-constant",
    exercise="polynomial",
    replaces="polynomial",
    section="The polynomial",
    advice="Your polynomial leaves out its constant term. The slope does not notice, but the value does.",
)
def drops_constant(x):
    return 2 * x**4 + x**3 + 3 * x**2 + 5 * x


@misconception(
    "differentiate-float32",
    exercise="polynomial",
    replaces="differentiate",
    section="The polynomial",
    advice="Your leaf is float32, the default, so its slope is right to seven digits only. Make the leaf with "
    "dtype=minigrad.float64.",
)
def in_float32(f, at):
    x = minigrad.tensor(at, requires_grad=True)
    y = f(x)
    y.backward()
    return y.item(), x.grad.item()


@misconception(
    "differentiate-swapped",
    exercise="polynomial",
    replaces="differentiate",
    section="The polynomial",
    advice="Your differentiate returns the slope first and the value second; it is asked for (value, slope).",
)
def swapped(f, at):
    x = minigrad.tensor(at, dtype=minigrad.float64, requires_grad=True)
    y = f(x)
    y.backward()
    return x.grad.item(), y.item()


@misconception(
    "differentiate-grad-is-none",
    exercise="polynomial",
    replaces="differentiate",
    section="The polynomial",
    advice="The .grad that your differentiate reads is still None: call y.backward(), with its parentheses, and then "
    "read the leaf's .grad, not the result's.",
)
def no_call(f, at):
    x = minigrad.tensor(at, dtype=minigrad.float64, requires_grad=True)
    y = f(x)
    y.backward  # noqa: B018
    return y.item(), x.grad.item()


@misconception(
    "differentiate-no-grad-required",
    exercise="polynomial",
    replaces="differentiate",
    section="The polynomial",
    advice="Your leaf was made without requires_grad=True, so nothing was recorded and there is nothing to walk back.",
)
def nothing_required(f, at):
    x = minigrad.tensor(at, dtype=minigrad.float64)
    y = f(x)
    y.backward()
    return y.item(), x.grad.item()


@misconception(
    "differentiate-by-differences",
    exercise="polynomial",
    replaces="differentiate",
    section="The polynomial",
    advice="Your slope is a finite difference: close, but off by the step and by rounding. Let your engine's "
    "backward() compute it.",
)
def by_differences(f, at):
    step = 1e-6
    x = minigrad.tensor(at, dtype=minigrad.float64)
    return f(x).item(), (f(x + step).item() - f(x - step).item()) / (2 * step)
