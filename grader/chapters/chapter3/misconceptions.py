# ruff: noqa: ANN001, ANN201, ANN202, D101, D102, D103
"""Chapter 3's ways of being wrong: about edges and nodes, counting in a graph, and the order of the traversal."""

from heapq import heappop, heappush

import minigrad
from minigrad import Tensor
from minigrad.core.function import accumulator, gradient_edge, next_number

from ...ask.bank import collector

MISCONCEPTIONS, misconception, variant = collector()

# ---------------------------------------------------------------------- where a gradient flows


@misconception(
    "edge-leaf-has-none",
    exercise="gradient-edge",
    replaces="gradient_edge",
    section="Where a gradient flows",
    advice="Your gradient_edge gives the grad_fn of every tensor, and a leaf's grad_fn is None. A leaf that requires "
    "grad wants its gradient, too.",
)
def leaf_has_none(x):
    return x.grad_fn if isinstance(x, Tensor) else None


@variant
def leaf_has_none_nor_has_a_number(x):
    return x.grad_fn


@misconception(
    "edge-to-constants",
    exercise="gradient-edge",
    replaces="gradient_edge",
    section="Where a gradient flows",
    advice="Your gradient_edge gives a node to tensors that require no grad. Nothing should flow there.",
)
def to_constants(x):
    return (x.grad_fn or accumulator(x)) if isinstance(x, Tensor) else None


@variant
def to_constants_and_not_to_numbers(x):
    return x.grad_fn or accumulator(x)


@misconception(
    "edge-trips-over-numbers",
    exercise="gradient-edge",
    replaces="gradient_edge",
    section="Where a gradient flows",
    advice="Your gradient_edge asks a plain number for what only tensors have. An operation's input may be a number, "
    "as the 2 in x * 2.",
)
def trips_over_numbers(x):
    if x.requires_grad:
        return x.grad_fn or accumulator(x)
    return None


@variant
def trips_over_numbers_later(x):
    if x.grad_fn is not None:
        return x.grad_fn
    return accumulator(x) if x.requires_grad else None


@misconception(
    "edge-accumulates-results",
    exercise="gradient-edge",
    replaces="gradient_edge",
    section="Where a gradient flows",
    advice="Your gradient_edge gives an AccumulateGrad to results as well: the gradient would stop there and never "
    "reach the leaves.",
)
def accumulates_results(x):
    return accumulator(x) if isinstance(x, Tensor) and x.requires_grad else None


@misconception(
    "edge-new-node",
    exercise="gradient-edge",
    replaces="gradient_edge",
    section="Where a gradient flows",
    advice="Your gradient_edge makes a new AccumulateGrad each time. A leaf that is used twice is one node in the "
    "graph.",
)
def new_node(x):
    from minigrad.core.function import AccumulateGrad

    if isinstance(x, Tensor) and x.requires_grad:
        return x.grad_fn or AccumulateGrad(x)
    return None


@misconception(
    "edge-is-the-tensor",
    exercise="gradient-edge",
    replaces="gradient_edge",
    section="Where a gradient flows",
    advice="Your gradient_edge returns the leaf itself. The graph is made of nodes: a leaf is in it as its "
    "AccumulateGrad.",
)
def is_the_tensor(x):
    if isinstance(x, Tensor) and x.requires_grad:
        return x.grad_fn or x
    return None


@misconception(
    "edge-accumulator-not-called",
    exercise="gradient-edge",
    replaces="gradient_edge",
    section="Where a gradient flows",
    advice="Your gradient_edge returns accumulator itself, a function. Call it with the leaf: it returns the node.",
)
def accumulator_not_called(x):
    if isinstance(x, Tensor) and x.requires_grad:
        return x.grad_fn or accumulator
    return None


@misconception(
    "edge-is-a-pair",
    exercise="gradient-edge",
    replaces="gradient_edge",
    section="Where a gradient flows",
    advice="Your gradient_edge returns a pair, as in next_functions. That is only how edges are shown; an edge is the "
    "node itself.",
)
def is_a_pair(x):
    if isinstance(x, Tensor) and x.requires_grad:
        return x.grad_fn or accumulator(x), 0
    return None


@variant
def is_a_pair_always(x):
    if isinstance(x, Tensor) and x.requires_grad:
        return x.grad_fn or accumulator(x), 0
    return None, 0


@misconception(
    "edge-asks-is-leaf",
    exercise="gradient-edge",
    replaces="gradient_edge",
    section="Where a gradient flows",
    advice="Your gradient_edge asks whether x is a leaf. A leaf may be a constant, and a result needs an edge as well: "
    "what counts is whether x requires grad.",
)
def asks_is_leaf(x):
    if isinstance(x, Tensor) and x.is_leaf:
        return x.grad_fn or accumulator(x)
    return None


@misconception(
    "edge-leaves-only",
    exercise="gradient-edge",
    replaces="gradient_edge",
    section="Where a gradient flows",
    advice="Your gradient_edge gives an edge to leaves alone. A result that requires grad has one, too: its grad_fn.",
)
def no_edge_for_results(x):
    if isinstance(x, Tensor) and x.requires_grad and x.grad_fn is None:
        return accumulator(x)
    return None


# ---------------------------------------------------------------------- recording


@misconception(
    "record-forgets-grad-fn",
    exercise="record",
    replaces="record",
    section="Recording",
    advice="Your record leaves the result without a grad_fn: it looks like a leaf, and nobody finds the node again.",
)
def forgets_grad_fn(self, inputs, out):
    self.edges = [gradient_edge(x) for x in inputs]
    self.number = next_number()


@misconception(
    "record-forgets-edges",
    exercise="record",
    replaces="record",
    section="Recording",
    advice="Your record gives the node no edges, so every way back ends at once.",
)
def forgets_edges(self, inputs, out):
    self.number = next_number()
    out.grad_fn = self


@misconception(
    "record-forgets-number",
    exercise="record",
    replaces="record",
    section="Recording",
    advice="Your record gives the node no number, so nobody can tell which of two nodes is newer.",
)
def forgets_number(self, inputs, out):
    self.edges = [gradient_edge(x) for x in inputs]
    out.grad_fn = self


@misconception(
    "record-numbers-first",
    exercise="record",
    replaces="record",
    section="Recording",
    advice="Your record takes the node's number before its edges. The first edge to a leaf makes the leaf's node, "
    "which then looks newer than the node above it.",
)
def numbers_first(self, inputs, out):
    self.number = next_number()
    self.edges = [gradient_edge(x) for x in inputs]
    out.grad_fn = self


@misconception(
    "record-skips-constants",
    exercise="record",
    replaces="record",
    section="Recording",
    advice="Your record leaves out the inputs that need no gradient. Edges and gradients are matched by their place, "
    "so such an input keeps its place, with None.",
)
def skips_constants(self, inputs, out):
    self.edges = [edge for edge in map(gradient_edge, inputs) if edge is not None]
    self.number = next_number()
    out.grad_fn = self


@misconception(
    "record-reversed",
    exercise="record",
    replaces="record",
    section="Recording",
    advice="Your record has the edges in the wrong order: the first edge belongs to the first input.",
)
def reversed_edges(self, inputs, out):
    self.edges = [gradient_edge(x) for x in inputs][::-1]
    self.number = next_number()
    out.grad_fn = self


@misconception(
    "record-each-node-once",
    exercise="record",
    replaces="record",
    section="Recording",
    advice="Your record keeps one edge where an input is used twice. In a * a both inputs have an edge, and both "
    "gradients flow to the same node.",
)
def each_node_once(self, inputs, out):
    self.edges = list(dict.fromkeys(gradient_edge(x) for x in inputs))
    self.number = next_number()
    out.grad_fn = self


@misconception(
    "record-first-input-only",
    exercise="record",
    replaces="record",
    section="Recording",
    advice="Your record keeps an edge for the first input only.",
)
def first_input_only(self, inputs, out):
    self.edges = [gradient_edge(inputs[0])]
    self.number = next_number()
    out.grad_fn = self


@misconception(
    "record-grad-fn-is-the-rule",
    exercise="record",
    replaces="record",
    section="Recording",
    advice="Your record stores a function in grad_fn. Despite its name, grad_fn is an object, the node: it has the "
    "rules, the edges and what was saved.",
)
def grad_fn_is_the_rule(self, inputs, out):
    self.edges = [gradient_edge(x) for x in inputs]
    self.number = next_number()
    out.grad_fn = self.backward


@misconception(
    "record-keeps-tensors",
    exercise="record",
    replaces="record",
    section="Recording",
    advice="Your record keeps the inputs themselves. An edge leads to a node; a graph of tensors would keep every "
    "value in memory, needed or not.",
)
def keeps_tensors(self, inputs, out):
    self.edges = list(inputs)
    self.number = next_number()
    out.grad_fn = self


@variant
def keeps_tensors_that_need_a_gradient(self, inputs, out):
    self.edges = [x if isinstance(x, Tensor) and x.requires_grad else None for x in inputs]
    self.number = next_number()
    out.grad_fn = self


@misconception(
    "record-edges-are-grad-fns",
    exercise="record",
    replaces="record",
    section="Recording",
    advice="Your record takes the grad_fn of each input for its edge, and a leaf's grad_fn is None. "
    "gradient_edge knows better.",
)
def edges_are_grad_fns(self, inputs, out):
    self.edges = [x.grad_fn if isinstance(x, Tensor) else None for x in inputs]
    self.number = next_number()
    out.grad_fn = self


@variant
def edges_are_grad_fns_of_numbers_too(self, inputs, out):
    self.edges = [x.grad_fn for x in inputs]
    self.number = next_number()
    out.grad_fn = self


# ---------------------------------------------------------------------- nodes and paths


@misconception(
    "count-every-visit",
    exercise="counting",
    replaces="count_nodes",
    section="Nodes and paths",
    advice="Your count_nodes counts a node again each time that it comes by. Remember the nodes that are counted.",
)
def every_visit(node):
    return 1 + sum(every_visit(below) for below, _ in node.next_functions if below is not None)


@variant
def every_visit_and_none(node):
    return 0 if node is None else 1 + sum(every_visit_and_none(below) for below, _ in node.next_functions)


@misconception(
    "count-operations-only",
    exercise="counting",
    replaces="count_nodes",
    section="Nodes and paths",
    advice="Your count_nodes leaves out the leaves' nodes. AccumulateGrad is a node of the graph, too.",
)
def operations_only(node):
    seen, waiting = set(), [node]
    while waiting:
        node = waiting.pop()
        if node is not None and node.next_functions and node not in seen:
            seen.add(node)
            waiting += [below for below, _ in node.next_functions]
    return len(seen)


@misconception(
    "count-leaves-only",
    exercise="counting",
    replaces="count_nodes",
    section="Nodes and paths",
    advice="Your count_nodes counts where the ways end. The nodes of the operations count as well.",
)
def leaves_only(node):
    found, waiting = set(), [node]
    while waiting:
        node = waiting.pop()
        if not node.next_functions:
            found.add(node)
        waiting += [below for below, _ in node.next_functions if below is not None]
    return len(found)


@misconception(
    "count-without-the-first",
    exercise="counting",
    replaces="count_nodes",
    section="Nodes and paths",
    advice="Your count_nodes leaves out the node that it starts at.",
)
def without_the_first(node):
    seen, waiting = set(), [below for below, _ in node.next_functions]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen.add(node)
            waiting += [below for below, _ in node.next_functions]
    return len(seen)


@misconception(
    "count-none-too",
    exercise="counting",
    replaces="count_nodes",
    section="Nodes and paths",
    advice="Your count_nodes counts None as a node. None says that there is no edge.",
)
def none_too(node):
    seen, waiting = set(), [node]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += [below for below, _ in node.next_functions] if node is not None else []
    return len(seen)


@misconception(
    "count-names",
    exercise="counting",
    replaces="count_nodes",
    section="Nodes and paths",
    advice="Your count_nodes takes two nodes of one name for the same. Each operation that ran has a node of its own.",
)
def names(node):
    seen, waiting = {}, [node]
    while waiting:
        node = waiting.pop()
        if node is not None and node.name() not in seen:
            seen[node.name()] = node
            waiting += [below for below, _ in node.next_functions]
    return len(seen)


@variant
def names_of_all(node):
    seen, waiting = set(), [node]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen.add(node)
            waiting += [below for below, _ in node.next_functions]
    return len({node.name() for node in seen})


@misconception(
    "count-remembers-the-last-call",
    exercise="counting",
    replaces="count_nodes",
    section="Nodes and paths",
    advice="Your count_nodes remembers the nodes of the last call: a default value such as seen=set() is made once, "
    "when the function is defined, and is the same set in every call.",
)
def remembers_the_last_call(node, seen=set()):  # noqa: B006 - that is the mistake
    if node is None or node in seen:
        return 0
    seen.add(node)
    return 1 + sum(remembers_the_last_call(below, seen) for below, _ in node.next_functions)


@misconception(
    "count-edges",
    exercise="counting",
    replaces="count_paths",
    section="Nodes and paths",
    advice="Your count_paths counts edges. A path is a whole way from the node down to a leaf, and two paths may share "
    "edges.",
)
def the_edges(node):
    seen, waiting = [], [node]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.append(node)
            waiting += [below for below, _ in node.next_functions if below is not None]
    return sum(below is not None for node in seen for below, _ in node.next_functions)


@misconception(
    "count-leaves-once",
    exercise="counting",
    replaces="count_paths",
    section="Nodes and paths",
    advice="Your count_paths passes each node once only, so it counts leaves. Two paths may meet and go on together: "
    "they are still two.",
)
def leaves_once(node):
    seen, waiting = [], [node]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.append(node)
            waiting += [below for below, _ in node.next_functions if below is not None]
    return sum(not node.next_functions for node in seen)


@misconception(
    "count-dead-ends",
    exercise="counting",
    replaces="count_paths",
    section="Nodes and paths",
    advice="Your count_paths counts a path to each constant, too. Where the edge is None, no path goes on.",
)
def dead_ends(node):
    if node is None or not node.next_functions:
        return 1
    return sum(dead_ends(below) for below, _ in node.next_functions)


@misconception(
    "count-steps",
    exercise="counting",
    replaces="count_paths",
    section="Nodes and paths",
    advice="Your count_paths adds one for each node on the way. Only the end of a path makes it count.",
)
def steps(node):
    return 1 + sum(steps(below) for below, _ in node.next_functions if below is not None)


@misconception(
    "count-two-edges-once",
    exercise="counting",
    replaces="count_paths",
    section="Nodes and paths",
    advice="Your count_paths follows two edges to one node as if they were one. In y * y each of them is a path.",
)
def two_edges_once(node):
    if not node.next_functions:
        return 1
    return sum(two_edges_once(below) for below in {below for below, _ in node.next_functions} if below is not None)


@misconception(
    "count-multiplies",
    exercise="counting",
    replaces="count_paths",
    section="Nodes and paths",
    advice="Your count_paths multiplies where a node has two inputs. A path goes on through one input or through the "
    "other: add.",
)
def multiplies(node):
    product = 1
    for below, _ in node.next_functions:
        product *= 1 if below is None else multiplies(below)
    return product


@misconception(
    "count-paths-from-nothing",
    exercise="counting",
    replaces="count_paths",
    section="Nodes and paths",
    advice="Your count_paths starts from 0 at a leaf's node, and sums of zeros stay zero. At the end of a path, there "
    "is one.",
)
def from_nothing(node):
    return sum(from_nothing(below) for below, _ in node.next_functions if below is not None)


# ---------------------------------------------------------------------- a diamond by hand


@misconception(
    "diamond-first-arrival",
    exercise="diamond",
    replaces="diamond",
    section="A diamond by hand",
    advice="Your y hands on what comes from p alone. Wait until all that y is used in has delivered its share.",
)
def first_arrival(a, b):
    y = a * a + b
    return b, b * 2 * a + y * y, b + y


@misconception(
    "diamond-second-arrival",
    exercise="diamond",
    replaces="diamond",
    section="A diamond by hand",
    advice="Your gradient of y has lost the share that comes from p = y·b.",
)
def second_arrival(a, b):
    y = a * a + b
    y_grad = 2 * y * a
    return y_grad, y_grad * 2 * a + y * y, y_grad + y


@misconception(
    "diamond-square-once",
    exercise="diamond",
    replaces="diamond",
    section="A diamond by hand",
    advice="Your gradient of y counts one of the two inputs of y·y. Both are y, and both bring their share.",
)
def square_once(a, b):
    y = a * a + b
    y_grad = b + y * a
    return y_grad, y_grad * 2 * a + y * y, y_grad + y


@misconception(
    "diamond-one-share",
    exercise="diamond",
    replaces="diamond",
    section="A diamond by hand",
    advice="Your gradient of y is only what one of the two inputs of y·y brings. y is used in three places: go to each "
    "of them, and add what comes back.",
)
def one_share(a, b):
    y = a * a + b
    y_grad = y * a
    return y_grad, y_grad * 2 * a + y * y, y_grad + y


@variant
def one_share_in_y_alone(a, b):
    y = a * a + b
    y_grad = b + 2 * y * a
    return y * a, y_grad * 2 * a + y * y, y_grad + y


@misconception(
    "diamond-forgets-a",
    exercise="diamond",
    replaces="diamond",
    section="A diamond by hand",
    advice="Your gradient of a comes through y alone. a is also used in r = q·a.",
)
def forgets_a(a, b):
    y = a * a + b
    y_grad = b + 2 * y * a
    return y_grad, y_grad * 2 * a, y_grad + y


@misconception(
    "diamond-forgets-b",
    exercise="diamond",
    replaces="diamond",
    section="A diamond by hand",
    advice="Your gradient of b comes through y alone. b is also used in p = y·b.",
)
def forgets_b(a, b):
    y = a * a + b
    y_grad = b + 2 * y * a
    return y_grad, y_grad * 2 * a + y * y, y_grad


@misconception(
    "diamond-past-y-only",
    exercise="diamond",
    replaces="diamond",
    section="A diamond by hand",
    advice="Your gradients of a and b are only those of p and r. What y receives goes on through u and b as well.",
)
def past_y_only(a, b):
    y = a * a + b
    return b + 2 * y * a, y * y, y


@misconception(
    "diamond-other-order",
    exercise="diamond",
    replaces="diamond",
    section="A diamond by hand",
    advice="Your diamond returns the right gradients in another order; y, a, b is asked for.",
)
def other_order(a, b):
    y = a * a + b
    y_grad = b + 2 * y * a
    return y_grad * 2 * a + y * y, y_grad + y, y_grad


@misconception(
    "diamond-a-past-y-only",
    exercise="diamond",
    replaces="diamond",
    section="A diamond by hand",
    advice="Your gradient of a comes from r = q·a alone. What y receives goes on to a, through u = a·a.",
)
def a_past_y_only(a, b):
    y = a * a + b
    y_grad = b + 2 * y * a
    return y_grad, y * y, y_grad + y


@misconception(
    "diamond-b-past-y-only",
    exercise="diamond",
    replaces="diamond",
    section="A diamond by hand",
    advice="Your gradient of b comes from p = y·b alone. What y receives goes on to b, through y = u + b.",
)
def b_past_y_only(a, b):
    y = a * a + b
    y_grad = b + 2 * y * a
    return y_grad, y_grad * 2 * a + y * y, y


@misconception(
    "diamond-u-once",
    exercise="diamond",
    replaces="diamond",
    section="A diamond by hand",
    advice="Your gradient of a counts one of the two inputs of u = a·a. Both are a, and both bring their share.",
)
def u_once(a, b):
    y = a * a + b
    y_grad = b + 2 * y * a
    return y_grad, y_grad * a + y * y, y_grad + y


@misconception(
    "diamond-forgets-r",
    exercise="diamond",
    replaces="diamond",
    section="A diamond by hand",
    advice="Your gradient of y takes the slope of q = y·y as it stands. It has to be multiplied by what arrives at q, "
    "which comes through r = q·a.",
)
def forgets_r(a, b):
    y = a * a + b
    y_grad = b + 2 * y
    return y_grad, y_grad * 2 * a + y * y, y_grad + y


@misconception(
    "diamond-asks-the-engine",
    exercise="diamond",
    replaces="diamond",
    section="A diamond by hand",
    advice="Your diamond asks the engine, which records nothing while it is called. Work the gradients out on paper: "
    "products and sums are enough.",
)
def asks_the_engine(a, b):
    a, b = minigrad.tensor(a, requires_grad=True), minigrad.tensor(b, requires_grad=True)
    y = a * a + b
    y.retain_grad()
    (y * b + y * y * a).backward()
    return y.grad.numpy(), a.grad.numpy(), b.grad.numpy()


@variant
def asks_the_engine_without_y(a, b):
    a, b = minigrad.tensor(a, requires_grad=True), minigrad.tensor(b, requires_grad=True)
    y = a * a + b
    (y * b + y * y * a).sum().backward()
    return y.grad.numpy(), a.grad.numpy(), b.grad.numpy()


# ---------------------------------------------------------------------- the traversal


@misconception(
    "traversal-overwrites",
    exercise="traversal",
    replaces="run_backward",
    section="Newest first",
    advice="Your traversal overwrites the gradient that is waiting for a node. Where several arrive, they are added.",
)
def overwrites_the_table(root, grad, visit):
    grads = {root: grad}
    queue = [(root.number, root)]
    while queue:
        _, node = heappop(queue)
        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
            if grad is None:
                continue
            if below not in grads:
                heappush(queue, (below.number, below))
            grads[below] = grad


@misconception(
    "traversal-too-early",
    exercise="traversal",
    replaces="run_backward",
    section="Newest first",
    advice="Your traversal visits a node as soon as something has arrived, and not again. What arrives later is lost: "
    "wait until every node that uses it has been visited.",
)
def too_early(root, grad, visit):
    grads, seen, stack = {root: grad}, {root}, [root]
    while stack:
        node = stack.pop()
        for below, grad in zip(node.edges, visit(node, grads[node]), strict=True):
            if grad is None:
                continue
            grads[below] = grads[below] + grad if below in grads else grad
            if below not in seen:
                seen.add(below)
                stack.append(below)


@variant
def too_early_in_a_row(root, grad, visit):
    grads, seen, row = {root: grad}, {root}, [root]
    while row:
        node = row.pop(0)
        for below, grad in zip(node.edges, visit(node, grads[node]), strict=True):
            if grad is None:
                continue
            grads[below] = grads[below] + grad if below in grads else grad
            if below not in seen:
                seen.add(below)
                row.append(below)


@variant
def too_early_with_calls(root, grad, visit, seen=None):
    seen = set() if seen is None else seen
    seen.add(root)
    for below, below_grad in zip(root.edges, visit(root, grad), strict=True):
        if below_grad is not None and below not in seen:
            too_early_with_calls(below, below_grad, visit, seen)


@misconception(
    "traversal-path-by-path",
    exercise="traversal",
    replaces="run_backward",
    section="Newest first",
    advice="Your traversal follows every path on its own, so a node runs once for each path that leads to it. Add what "
    "arrives at a node first, and run it once.",
)
def path_by_path(root, grad, visit):
    for below, below_grad in zip(root.edges, visit(root, grad), strict=True):
        if below_grad is not None:
            path_by_path(below, below_grad, visit)


@variant
def path_by_path_with_a_stack(root, grad, visit):
    stack = [(root, grad)]
    while stack:
        node, grad = stack.pop()
        stack += [pair for pair in zip(node.edges, visit(node, grad), strict=True) if pair[1] is not None]


@variant
def path_by_path_in_a_row(root, grad, visit):
    row = [(root, grad)]
    for node, grad in row:
        row += [pair for pair in zip(node.edges, visit(node, grad), strict=True) if pair[1] is not None]


@misconception(
    "traversal-last-in-first-out",
    exercise="traversal",
    replaces="run_backward",
    section="Newest first",
    advice="Your traversal takes a node because of when it was put into the queue. That says nothing about whether all "
    "of its gradients are there; take the one that was made last.",
)
def last_in_first_out(root, grad, visit):
    grads, stack = {root: grad}, [root]
    while stack:
        node = stack.pop()
        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
            if grad is None:
                continue
            if below not in grads:
                stack.append(below)
            grads[below] = grads[below] + grad if below in grads else grad


@variant
def first_in_first_out(root, grad, visit):
    grads, row = {root: grad}, [root]
    while row:
        node = row.pop(0)
        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
            if grad is None:
                continue
            if below not in grads:
                row.append(below)
            grads[below] = grads[below] + grad if below in grads else grad


@misconception(
    "traversal-oldest-first",
    exercise="traversal",
    replaces="run_backward",
    section="Newest first",
    advice="Your traversal takes the oldest node first. Numbers go down, so the smallest one is the newest, and the "
    "newest has to come first.",
)
def oldest_first(root, grad, visit):
    grads = {root: grad}
    queue = [(-root.number, root)]
    while queue:
        _, node = heappop(queue)
        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
            if grad is None:
                continue
            if below not in grads:
                heappush(queue, (-below.number, below))
            grads[below] = grads[below] + grad if below in grads else grad


@misconception(
    "traversal-queues-twice",
    exercise="traversal",
    replaces="run_backward",
    section="Newest first",
    advice="Your traversal puts a node into the queue each time that a gradient arrives, so it comes up again after it "
    "has run. It needs one place in the queue.",
)
def queues_twice(root, grad, visit):
    grads = {root: grad}
    queue = [(root.number, id(root), root)]
    while queue:
        node = heappop(queue)[-1]
        for below, grad in zip(node.edges, visit(node, grads[node]), strict=True):
            if grad is None:
                continue
            grads[below] = grads[below] + grad if below in grads else grad
            heappush(queue, (below.number, id(below), below))


@variant
def queues_twice_and_forgets(root, grad, visit):
    grads = {root: grad}
    queue = [(root.number, root)]
    while queue:
        _, node = heappop(queue)
        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
            if grad is None:
                continue
            grads[below] = grads[below] + grad if below in grads else grad
            heappush(queue, (below.number, below))


@misconception(
    "traversal-calls-itself",
    exercise="traversal",
    replaces="run_backward",
    section="Newest first",
    advice="Your traversal calls itself for each node below, and Python allows about a thousand calls inside each "
    "other. A chain of operations can be much longer: use a loop.",
)
def calls_itself(root, grad, visit):
    order = []

    def sort(node):
        if node is not None and node not in order:
            for below in node.edges:
                sort(below)
            order.append(node)

    sort(root)
    grads = {root: grad}
    for node in reversed(order):
        if node in grads:
            for below, grad in zip(node.edges, visit(node, grads[node]), strict=True):
                if grad is not None:
                    grads[below] = grads[below] + grad if below in grads else grad


@misconception(
    "traversal-trips-over-none",
    exercise="traversal",
    replaces="run_backward",
    section="Newest first",
    advice="Your traversal does not skip what is None: visit returns None wherever no gradient flows on.",
)
def trips_over_none(root, grad, visit):
    grads = {root: grad}
    queue = [(root.number, root)]
    while queue:
        _, node = heappop(queue)
        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
            if below not in grads:
                heappush(queue, (below.number, below))
            grads[below] = grads[below] + grad if below in grads else grad


@variant
def trips_over_none_in_the_table(root, grad, visit):
    grads = {root: grad}
    queue = [(root.number, root)]
    while queue:
        _, node = heappop(queue)
        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
            if below in grads:
                grads[below] = grads[below] + grad
            else:
                grads[below] = grad
                heappush(queue, (below.number, below))


@variant
def skips_edges_alone(root, grad, visit):
    grads = {root: grad}
    queue = [(root.number, root)]
    while queue:
        _, node = heappop(queue)
        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
            if below is None:
                continue
            if below not in grads:
                heappush(queue, (below.number, below))
            grads[below] = grads[below] + grad if below in grads else grad


@misconception(
    "traversal-stops-at-none",
    exercise="traversal",
    replaces="run_backward",
    section="Newest first",
    advice="Your traversal leaves a node at its first input that needs no gradient, and forgets the inputs after it.",
)
def stops_at_none(root, grad, visit):
    grads = {root: grad}
    queue = [(root.number, root)]
    while queue:
        _, node = heappop(queue)
        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
            if grad is None:
                break
            if below not in grads:
                heappush(queue, (below.number, below))
            grads[below] = grads[below] + grad if below in grads else grad


@misconception(
    "traversal-hands-on-what-arrived",
    exercise="traversal",
    replaces="run_backward",
    section="Newest first",
    advice="Your traversal hands on the gradient that arrived at a node. What goes on is what visit returned, one "
    "gradient for each input.",
)
def hands_it_on(root, grad, visit):
    grads = {root: grad}
    queue = [(root.number, root)]
    while queue:
        _, node = heappop(queue)
        arrived = grads.pop(node)
        visit(node, arrived)
        for below in node.edges:
            if below is None:
                continue
            if below not in grads:
                heappush(queue, (below.number, below))
            grads[below] = grads[below] + arrived if below in grads else arrived


@misconception(
    "traversal-skips-leaves",
    exercise="traversal",
    replaces="run_backward",
    section="Newest first",
    advice="Your traversal does not visit the leaves' nodes. AccumulateGrad is visited like any other node; that is "
    "how a leaf gets its .grad.",
)
def skips_leaves(root, grad, visit):
    grads = {root: grad}
    queue = [(root.number, root)]
    while queue:
        _, node = heappop(queue)
        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
            if grad is None or not below.edges:
                continue
            if below not in grads:
                heappush(queue, (below.number, below))
            grads[below] = grads[below] + grad if below in grads else grad


@misconception(
    "traversal-adds-in-place",
    exercise="traversal",
    replaces="run_backward",
    section="Newest first",
    advice="Your traversal adds in place, with +=. A sum hands one and the same array to both of its inputs, so adding "
    "to one changes the other. Make a new array instead.",
)
def adds_to_the_array(root, grad, visit):
    grads = {root: grad}
    queue = [(root.number, root)]
    while queue:
        _, node = heappop(queue)
        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
            if grad is None:
                continue
            if below in grads:
                grads[below] += grad
            else:
                grads[below] = grad
                heappush(queue, (below.number, below))


@misconception(
    "traversal-starts-from-one",
    exercise="traversal",
    replaces="run_backward",
    section="Newest first",
    advice="Your traversal starts from 1 instead of the gradient that it is given.",
)
def starts_from_one(root, grad, visit):
    grads = {root: grad * 0 + 1}
    queue = [(root.number, root)]
    while queue:
        _, node = heappop(queue)
        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
            if grad is None:
                continue
            if below not in grads:
                heappush(queue, (below.number, below))
            grads[below] = grads[below] + grad if below in grads else grad


@misconception(
    "traversal-goes-round-visit",
    exercise="traversal",
    replaces="run_backward",
    section="Newest first",
    advice="Your traversal calls node.backward itself. visit does that, and also what belongs to a visit: it calls "
    "hooks, keeps what retain_grad asked for, and frees.",
)
def goes_round_visit(root, grad, visit):
    grads = {root: grad}
    queue = [(root.number, root)]
    while queue:
        _, node = heappop(queue)
        for below, grad in zip(node.edges, node.backward(grads.pop(node))):  # noqa: B905
            if grad is None:
                continue
            if below not in grads:
                heappush(queue, (below.number, below))
            grads[below] = grads[below] + grad if below in grads else grad


@misconception(
    "traversal-hands-on-the-first",
    exercise="traversal",
    replaces="run_backward",
    section="Newest first",
    advice="Your traversal puts the gradient that it was called with into the table at every node. What goes on is "
    "what visit returned, one gradient for each input.",
)
def hands_on_the_first(root, grad, visit):
    grads = {root: grad}
    queue = [(root.number, root)]
    while queue:
        _, node = heappop(queue)
        for below, below_grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
            if below_grad is None:
                continue
            if below not in grads:
                heappush(queue, (below.number, below))
            grads[below] = grads[below] + grad if below in grads else grad


@variant
def hands_on_the_first_along_edges(root, grad, visit):
    grads = {root: grad}
    queue = [(root.number, root)]
    while queue:
        _, node = heappop(queue)
        for below, _ in zip(node.edges, visit(node, grads.pop(node)), strict=True):
            if below is None:
                continue
            if below not in grads:
                heappush(queue, (below.number, below))
            grads[below] = grads[below] + grad if below in grads else grad


@misconception(
    "traversal-visits-with-another",
    exercise="traversal",
    replaces="run_backward",
    section="Newest first",
    advice="Your traversal visits a node with whatever is in the variable grad. The sum that waits for this node is in "
    "your table.",
)
def visits_with_the_first(root, grad, visit):
    grads = {root: grad}
    queue = [(root.number, root)]
    while queue:
        _, node = heappop(queue)
        for below, below_grad in zip(node.edges, visit(node, grad), strict=True):
            if below_grad is None:
                continue
            if below not in grads:
                heappush(queue, (below.number, below))
            grads[below] = grads[below] + below_grad if below in grads else below_grad


@variant
def visits_with_the_last(root, grad, visit):
    grads = {root: grad}
    queue = [(root.number, root)]
    while queue:
        _, node = heappop(queue)
        for below, grad in zip(node.edges, visit(node, grad), strict=True):  # noqa: B020 - that is the mistake
            if grad is None:
                continue
            if below not in grads:
                heappush(queue, (below.number, below))
            grads[below] = grads[below] + grad if below in grads else grad
