"""Chapter 3, written in other ways."""

import heapq
from collections import Counter, defaultdict, deque
from functools import cache

import numpy as np

import minigrad
from minigrad import Tensor
from minigrad.core.function import AccumulateGrad, accumulator, gradient_edge, next_number
from minigrad.rules.arithmetic import Add, Mul

from ...ask.right import collector

RIGHT, right = collector()

# ---------------------------------------------------------------------- the sketch


@right(exercise="sketch", replaces="Sketch")
class WithAClassMethod:
    def __init__(self, array, grad_fn=None):
        self.array = array
        self.grad_fn = grad_fn

    def __mul__(self, other):
        return self.apply(Mul, self, other)

    def __add__(self, other):
        return self.apply(Add, self, other)

    @classmethod
    def apply(cls, operation, *inputs):
        node = operation()
        node.inputs = list(inputs)
        return cls(node.forward(*(x.array for x in inputs)), node)


@right(exercise="sketch", replaces="Sketch")
class ResultFirst:
    def __init__(self, array):
        self.array, self.grad_fn = array, None

    def __mul__(self, other):
        return type(self).apply(Mul, self, other)

    def __add__(self, other):
        return type(self).apply(Add, self, other)

    @staticmethod
    def apply(operation, *inputs):
        arrays = []
        for x in inputs:
            arrays.append(x.array)
        node = operation()
        array = node.forward(*arrays)
        out = type(inputs[0])(array)
        out.grad_fn, node.inputs = node, inputs
        return out


@right(exercise="sketch", replaces="Sketch")
class ApplyIsAFunction:
    def __init__(self, array):
        self.array = array
        self.grad_fn = None

    def apply(operation, *inputs):
        node = operation.__new__(operation)
        result = operation.forward(node, *map(lambda x: x.array, inputs))
        node.inputs = tuple(inputs)
        made = inputs[0].__class__(result)
        setattr(made, "grad_fn", node)  # noqa: B010
        return made

    __mul__ = lambda self, other: self.__class__.apply(Mul, self, other)  # noqa: E731
    __add__ = lambda self, other: self.__class__.apply(Add, self, other)  # noqa: E731


@right(exercise="sketch", replaces="Sketch")
class WithMoreThanAsked:
    def __init__(self, array):
        self.array = np.asarray(array, dtype=float)[()]
        self.grad_fn = None

    @property
    def is_leaf(self):
        return self.grad_fn is None

    def __repr__(self):
        return f"Sketch({self.array})"

    def __mul__(self, other):
        return WithMoreThanAsked.apply(Mul, self, other)

    def __add__(self, other):
        return WithMoreThanAsked.apply(Add, self, other)

    @staticmethod
    def apply(operation, *inputs):
        node = operation()
        node.inputs, node.name_of_operation = inputs, operation.__name__
        out = WithMoreThanAsked(node.forward(*[x.array if hasattr(x, "array") else x for x in inputs]))
        out.grad_fn = node
        return out


@right(exercise="sketch", replaces="Sketch")
class OperatorsByOneHelper:
    def __init__(self, array):
        self.array = array
        self.grad_fn = None

    def operator(operation):
        return lambda self, other: self.apply(operation, self, other)

    __mul__, __add__ = operator(Mul), operator(Add)

    @staticmethod
    def apply(operation, *inputs):
        out = OperatorsByOneHelper(None)
        out.grad_fn = operation()
        out.grad_fn.inputs = inputs
        out.array = out.grad_fn.forward(*[one.array for one in out.grad_fn.inputs])
        return out


# ---------------------------------------------------------------------- gradient_edge


@right(exercise="gradient-edge", replaces="gradient_edge")
def as_in_the_course(x):
    if isinstance(x, Tensor) and x.requires_grad:
        return x.grad_fn or accumulator(x)
    return None


@right(exercise="gradient-edge", replaces="gradient_edge")
def case_by_case(x):
    if not isinstance(x, minigrad.Tensor):
        return None
    if x.grad_fn is not None:
        return x.grad_fn
    if x.requires_grad:
        return accumulator(x)


@right(exercise="gradient-edge", replaces="gradient_edge")
def with_getattr(x):
    if not getattr(x, "requires_grad", False):
        return None
    return accumulator(x) if x.is_leaf else x.grad_fn


@right(exercise="gradient-edge", replaces="gradient_edge")
def with_try(x):
    try:
        wanted = x.requires_grad
    except AttributeError:
        wanted = False
    if wanted:
        node = x.grad_fn
        if node is None:
            node = accumulator(x)
        return node
    return None


@right(exercise="gradient-edge", replaces="gradient_edge")
def in_one_line(x):
    return (x.grad_fn or accumulator(x)) if type(x) is Tensor and x.requires_grad else None


# ---------------------------------------------------------------------- record


@right(exercise="record", replaces="record")
def with_map(self, inputs, out):
    self.edges = list(map(gradient_edge, inputs))
    self.number = next_number()
    out.grad_fn = self


@right(exercise="record", replaces="record")
def by_map(self, inputs, out):
    self.edges = list(map(gradient_edge, inputs))
    self.number = next_number()
    out.grad_fn = self


@right(exercise="record", replaces="record")
def with_a_loop(self, inputs, out):
    self.edges = []
    for x in inputs:
        self.edges.append(gradient_edge(x))
    self.number = next_number()
    out.grad_fn = self


@right(exercise="record", replaces="record")
def grad_fn_first(self, inputs, out):
    edges = [gradient_edge(x) if isinstance(x, Tensor) else None for x in inputs]
    out.grad_fn = self
    self.number, self.edges = next_number(), edges


@right(exercise="record", replaces="record")
def flagged_again(self, inputs, out):
    places = range(len(inputs))
    self.edges = [None for _ in places]
    for i in places:
        self.edges[i] = gradient_edge(inputs[i])
    self.number = next_number()
    out.grad_fn = self
    out.requires_grad = True


# ---------------------------------------------------------------------- counting


@right(exercise="counting", replaces="count_nodes")
def nodes_with_a_list(node):
    found = [node]
    for one in found:
        found += [below for below, _ in dict.fromkeys(one.next_functions) if below not in (None, *found)]
    return len(found)


@right(exercise="counting", replaces="count_nodes")
def nodes_with_calls(node, seen=None):
    seen = set() if seen is None else seen
    if node is None or node in seen:
        return 0
    seen.add(node)
    return 1 + sum(nodes_with_calls(below, seen) for below, _ in node.next_functions)


@right(exercise="counting", replaces="count_nodes")
def nodes_with_ids(node):
    seen = {}

    def look(one):
        seen[id(one)] = one
        for below, _ in one.next_functions:
            if below is not None and id(below) not in seen:
                look(below)

    look(node)
    return len(seen)


@right(exercise="counting", replaces="count_nodes")
def nodes_level_by_level(node):
    seen, level = {node}, {node}
    while level:
        level = {below for one in level for below, _ in one.next_functions} - seen - {None}
        seen |= level
    return len(seen)


@right(exercise="counting", replaces="count_nodes")
def nodes_in_a_row(node):
    row, seen = deque([node]), set()
    while row:
        one = row.popleft()
        if one is None or one in seen:
            continue
        seen.add(one)
        row.extend(below for below, _ in one.next_functions)
    return np.int64(len(seen))


@right(exercise="counting", replaces="count_paths")
def paths_with_calls(node):
    below = [edge for edge, _ in node.next_functions if edge is not None]
    return sum(map(paths_with_calls, below)) if below else 1


@right(exercise="counting", replaces="count_paths")
def paths_from_none(node):
    if node is None:
        return 0
    if isinstance(node, AccumulateGrad):
        return 1
    total = 0
    for below, _ in node.next_functions:
        total += paths_from_none(below)
    return total


@right(exercise="counting", replaces="count_paths")
def paths_remembered(node):
    @cache
    def count(one):
        return sum(count(below) for below, _ in one.next_functions if below) if one.next_functions else 1

    return count(node)


@right(exercise="counting", replaces="count_paths")
def paths_with_a_stack(node):
    found, stack = 0, [node]
    while stack:
        one = stack.pop()
        found += not one.next_functions
        stack += [below for below, _ in one.next_functions if below is not None]
    return found


@right(exercise="counting", replaces="count_paths")
def paths_from_above(node):
    arrived, found = Counter({node: 1}), 0
    while arrived:
        one = min(arrived, key=lambda other: other.number)
        count = arrived.pop(one)
        found += count * (not one.next_functions)
        for below, _ in one.next_functions:
            if below is not None:
                arrived[below] += count
    return found


# ---------------------------------------------------------------------- the diamond by hand


@right(exercise="diamond", replaces="diamond")
def step_by_step(a, b):
    y = a * a + b
    q = y * y
    p_grad = r_grad = 1.0
    q_grad, a_grad = r_grad * a, r_grad * q
    y_grad = q_grad * y
    y_grad = y_grad + q_grad * y
    y_grad, b_grad = y_grad + p_grad * b, p_grad * y
    b_grad = b_grad + y_grad
    return y_grad, a_grad + y_grad * a + y_grad * a, b_grad


@right(exercise="diamond", replaces="diamond")
def multiplied_out(a, b):
    y_grad = b + 2 * a**3 + 2 * a * b
    return [y_grad, (a**2 + b) ** 2 + 2 * a * y_grad, a**2 + b + y_grad]


@right(exercise="diamond", replaces="diamond")
def with_numpy(a, b):
    y = np.square(a) + b
    y_grad = np.add(b, 2 * np.multiply(y, a))
    return y_grad, np.square(y) + 2 * np.multiply(a, y_grad), np.add(y, y_grad)


@right(exercise="diamond", replaces="diamond")
def factored(a, b):
    y = b + a * a
    y_grad = 2 * a * y + b
    a_grad = y * y + 2 * y_grad * a
    return y_grad, a_grad, y_grad + y


@right(exercise="diamond", replaces="diamond")
def with_partial_derivatives(a, b):
    y = a * a + b
    dout_dy, dout_da, dout_db = b + 2 * y * a, y**2, y
    dy_da, dy_db = 2 * a, 1
    return dout_dy, dout_da + dout_dy * dy_da, dout_db + dout_dy * dy_db


# ---------------------------------------------------------------------- the traversal


@right(exercise="traversal", replaces="run_backward")
def with_else(root, grad, visit):
    grads, queue = {root: grad}, [(root.number, root)]
    while queue:
        node = heapq.heappop(queue)[1]
        for below, passed in zip(node.edges, visit(node, grads.pop(node)), strict=True):
            if passed is None or below is None:
                continue
            if below in grads:
                grads[below] = grads[below] + passed
            else:
                grads[below] = passed
                heapq.heappush(queue, (below.number, below))


@right(exercise="traversal", replaces="run_backward")
def counting_first(root, grad, visit):
    missing, stack, seen = Counter(), [root], {root}
    while stack:
        for below in stack.pop().edges:
            if below is not None:
                missing[below] += 1
                if below not in seen:
                    seen.add(below)
                    stack.append(below)
    arrived, ready = {root: grad}, [root]
    while ready:
        node = ready.pop()
        grad = arrived.pop(node, None)
        passed = visit(node, grad) if grad is not None else [None] * len(node.edges)
        for below, share in zip(node.edges, passed, strict=True):
            if below is None:
                continue
            if share is not None:
                arrived[below] = arrived[below] + share if below in arrived else share
            missing[below] -= 1
            if not missing[below]:
                ready.append(below)


@right(exercise="traversal", replaces="run_backward")
def smallest_of_all(root, grad, visit):
    waiting = {root: grad}
    while waiting:
        node = min(waiting, key=lambda one: one.number)
        grad = waiting.pop(node)
        for i, passed in enumerate(visit(node, grad)):
            below = node.edges[i]
            if passed is not None:
                waiting[below] = passed if below not in waiting else waiting[below] + passed


@right(exercise="traversal", replaces="run_backward")
def sorted_once(root, grad, visit):
    order = [root]
    seen = set(order)
    for node in order:
        for below in node.edges:
            if below is not None and below not in seen:
                seen.add(below)
                order.append(below)
    arrived = defaultdict(list)
    arrived[root].append(grad)
    for node in sorted(order, key=lambda one: one.number):
        grads = arrived.pop(node, None)
        if grads:
            total = grads[0]
            for other in grads[1:]:
                total = total + other
            for below, passed in zip(node.edges, visit(node, total), strict=True):
                if passed is not None:
                    arrived[below].append(passed)


@right(exercise="traversal", replaces="run_backward")
def through_next_functions(root, grad, visit):
    grads, numbers = {root.number: (root, grad)}, [root.number]
    while numbers:
        node, grad = grads.pop(heapq.heappop(numbers))
        for (below, _), passed in zip(node.next_functions, visit(node, grad), strict=True):
            if passed is not None:
                if below.number not in grads:
                    heapq.heappush(numbers, below.number)
                    grads[below.number] = below, passed
                else:
                    grads[below.number] = below, grads[below.number][1] + passed
