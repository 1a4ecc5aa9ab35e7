# ruff: noqa: F401 - patches use what is imported here
"""Chapter 3's ways of being wrong: about edges and nodes, counting in a graph, and the order of the traversal."""

from heapq import heappop, heappush

import minigrad
from minigrad import Tensor
from minigrad.core.function import accumulator, gradient_edge, next_number
from minigrad.rules.arithmetic import Add, Mul

from ...ask.bank import bank

MISCONCEPTIONS, about = bank(globals())

SKETCH = """
class Sketch:
    def __init__(self, array):
        self.array = array
        self.grad_fn = None

    def __mul__(self, other):
        return Sketch.apply(Mul, self, other)

    def __add__(self, other):
        return Sketch.apply(Add, self, other)

    @staticmethod
    def apply(operation, *inputs):
        node = operation()
        node.inputs = inputs
        out = Sketch(node.forward(*[x.array for x in inputs]))
        out.grad_fn = node
        return out
"""

about("sketch", "Sketch", "A first tensor", SKETCH)("""
sketch-forgets-its-node: What your Sketch.apply returns has no node: its grad_fn is still None, as in a sketch that
nobody computed.
-        out.grad_fn = node

sketch-forgets-inputs: The node that your Sketch.apply makes has nothing under the name inputs. The way back goes on
from a node to its inputs: node.inputs.
-        node.inputs = inputs

sketch-only-computes: Your operators give the right product and the right sum, but with no node, so nobody remembers
what made them. Hand back what apply returns.
-        return Sketch.apply(Mul, self, other)
+        return Sketch(self.array * other.array)
@
-        return Sketch.apply(Add, self, other)
+        return Sketch(self.array + other.array)

sketch-product-only-computes: Your multiplication gives the right product, but with no node, so nobody remembers what
made it. Hand back what apply returns.
-        return Sketch.apply(Mul, self, other)
+        return Sketch(self.array * other.array)

sketch-sum-only-computes: Your addition gives the right sum, but with no node, so nobody remembers what made it. Hand
back what apply returns.
-        return Sketch.apply(Add, self, other)
+        return Sketch(self.array + other.array)

sketch-grad-fn-is-the-class: Your Sketch.apply stores the class as grad_fn. All products share it: it cannot know what
this one was made from. The node is an object of the class.
-        out.grad_fn = node
+        out.grad_fn = operation

sketch-forward-lacks-an-argument: In your sketch, forward misses an argument. Is the node an object, made by calling
the operation's class? And the array of each input is an argument of its own: forward takes no list of them.
-        node = operation()
+        node = operation
or
-        out = Sketch(node.forward(*[x.array for x in inputs]))
+        out = Sketch(node.forward([x.array for x in inputs]))

sketch-forward-gets-sketches: In your sketch x * y leads to the same again, without end, until Python stops it. Does
forward get sketches, whose product calls apply once more? It works on their arrays.
-        out = Sketch(node.forward(*[x.array for x in inputs]))
+        out = Sketch(node.forward(*inputs))

sketch-applies-as-minigrad-does: Your sketch calls the apply of minigrad's operations, which is for tensors. A sketch
has an apply of its own, and you are writing it.
-        return Sketch.apply(Mul, self, other)
+        return Mul.apply(self, other)
@
-        return Sketch.apply(Add, self, other)
+        return Add.apply(self, other)
or
-        node = operation()
-        node.inputs = inputs
-        out = Sketch(node.forward(*[x.array for x in inputs]))
-        out.grad_fn = node
-        return out
+        return operation.apply(*inputs)

sketch-grad-fn-is-no-node: Your Sketch.apply stores something else than the node in grad_fn. Despite its name, grad_fn
is an object, the one whose forward has run.
-        out.grad_fn = node
+        out.grad_fn = node.forward
or
-        out.grad_fn = node
+        out.grad_fn = operation.__name__
or
-        out.grad_fn = node
+        out.grad_fn = node.name()

sketch-copies-its-inputs: The node of your sketch keeps other sketches than it was applied to, as copies would be. The
way down goes through the inputs themselves: keep these.
-        node.inputs = inputs
+        node.inputs = [Sketch(x.array) for x in inputs]

sketch-keeps-pairs: The node of your sketch keeps a tuple for each input: is it a pair, as next_functions shows them?
Here the inputs are asked for, and nothing beside them.
-        node.inputs = inputs
+        node.inputs = [(x, 0) for x in inputs]

sketch-keeps-arrays: The node of your sketch keeps the arrays of its inputs, and not the inputs. No array says which
node made it, so the way down ends here.
-        node.inputs = inputs
+        node.inputs = [x.array for x in inputs]

sketch-keeps-nodes: The node of your sketch keeps the nodes of its inputs. A sketch that you made yourself has none,
and the numbers, which the rules need, are lost.
-        node.inputs = inputs
+        node.inputs = [x.grad_fn for x in inputs]

sketch-keeps-each-input-once: The node of your sketch keeps an input once that it was given twice. In a * a both are
inputs, and both get a gradient.
-        node.inputs = inputs
+        node.inputs = list(dict.fromkeys(inputs))

sketch-keeps-the-first-input: The node of your sketch keeps only its first input, but each of them is on a way down.
-        node.inputs = inputs
+        node.inputs = inputs[:1]

sketch-returns-an-array: What your Sketch.apply returns is the array, which has no place for a grad_fn. Wrap it in a
sketch.
-        return out
+        return out.array
or
-        out = Sketch(node.forward(*[x.array for x in inputs]))
-        out.grad_fn = node
-        return out
+        return node.forward(*[x.array for x in inputs])

sketch-returns-the-node: Your Sketch.apply returns the node. Who computes x * y wants the result; the node is its
grad_fn.
-        return out
+        return node

sketch-returns-nothing: Your Sketch.apply returns nothing, so every product and every sum is None. Hand back the
result.
-        return out

sketch-operators-return-nothing: Your operators return nothing, so x * y is None. Is a return missing? What they hand
back is what apply returns.
-        return Sketch.apply(Mul, self, other)
+        Sketch.apply(Mul, self, other)
@
-        return Sketch.apply(Add, self, other)
+        Sketch.apply(Add, self, other)

sketch-marks-its-inputs: Your Sketch.apply stores the node in the inputs. grad_fn says which operation *made* a
sketch, and this one made the result.
-        out.grad_fn = node
+        for x in inputs:
+            x.grad_fn = node

sketch-marks-inputs-too: Your Sketch.apply stores the node in the result, and in the inputs as well. The inputs were
not made by this operation.
-        out.grad_fn = node
+        for x in (out, *inputs):
+            x.grad_fn = node

sketch-another-node: Your Sketch.apply runs forward on one object and stores another as grad_fn. What forward keeps on
the first is lost.
-        out.grad_fn = node
+        out.grad_fn = operation()
+        out.grad_fn.inputs = inputs

sketch-writes-into-its-input: Your Sketch.apply writes the result into its first input, whose own number is lost. An
operation makes a new sketch.
-        out = Sketch(node.forward(*[x.array for x in inputs]))
+        out = inputs[0]
+        out.array = node.forward(*[x.array for x in inputs])

sketch-swaps-its-inputs: Your operators hand over their operands in reverse. self stands on the left of the sign.
-        return Sketch.apply(Mul, self, other)
+        return Sketch.apply(Mul, other, self)
@
-        return Sketch.apply(Add, self, other)
+        return Sketch.apply(Add, other, self)

sketch-adds-with-mul: Your addition applies Mul.
-        return Sketch.apply(Add, self, other)
+        return Sketch.apply(Mul, self, other)

sketch-multiplies-with-add: Your multiplication applies Add.
-        return Sketch.apply(Mul, self, other)
+        return Sketch.apply(Add, self, other)

sketch-always-mul: Your Sketch.apply makes a Mul whatever it is asked for. Which operation it runs is its first
argument.
-        node = operation()
+        node = Mul()

sketch-two-inputs-only: Your Sketch.apply runs forward on two inputs, but an operation may have more of them, or one.
-        out = Sketch(node.forward(*[x.array for x in inputs]))
+        out = Sketch(node.forward(inputs[0].array, inputs[1].array))
""")

about("gradient-edge", "gradient_edge", "Where a gradient flows")("""
edge-leaf-has-none: Your gradient_edge gives None for a leaf that requires grad. Its grad_fn is None, but it wants
its gradient, too.
|def gradient_edge(x):
|    return x.grad_fn if isinstance(x, Tensor) else None
or
|def gradient_edge(x):
|    return x.grad_fn

edge-to-constants: Your gradient_edge gives a node to tensors that require no grad. Nothing should flow there.
|def gradient_edge(x):
|    return x.grad_fn or accumulator(x) if isinstance(x, Tensor) else None
or
|def gradient_edge(x):
|    return x.grad_fn or accumulator(x)

edge-trips-over-numbers: Your gradient_edge asks a plain number for what only tensors have. An operation's input may
be a number, as the 2 in x * 2.
-    if isinstance(x, Tensor) and x._requires_grad:
+    if x.requires_grad:
or
|def gradient_edge(x):
|    if x.grad_fn is not None:
|        return x.grad_fn
|    return accumulator(x) if x.requires_grad else None

edge-accumulates-results: For a result your gradient_edge gives something else than its grad_fn. Is it an
AccumulateGrad, as for a leaf? The gradient would stop there and never reach the leaves.
|def gradient_edge(x):
|    return accumulator(x) if isinstance(x, Tensor) and x.requires_grad else None

edge-not-once-filled: Your gradient_edge says None for a leaf that has a .grad already. A later pass adds to it: its
edge leads to the same node as before.
-    if isinstance(x, Tensor) and x._requires_grad:
+    if isinstance(x, Tensor) and x.requires_grad and (x.grad_fn is not None or x.grad is None):

edge-walks-down: Your gradient_edge does not answer with a result's own grad_fn, as when it goes on to the nodes
below. The gradient of a result flows into its own node first.
-        return x.grad_fn or accumulator(x)
+        node = x.grad_fn or accumulator(x)
+        while node.edges:
+            node = next(below for below in node.edges if below is not None)
+        return node

edge-new-node: Your gradient_edge makes a new AccumulateGrad each time. A leaf that is used twice is one node in the
graph.
-    if isinstance(x, Tensor) and x._requires_grad:
-        return x.grad_fn or accumulator(x)
+    from minigrad.core.function import AccumulateGrad
+    if isinstance(x, Tensor) and x.requires_grad:
+        return x.grad_fn or AccumulateGrad(x)

edge-is-the-tensor: Your gradient_edge returns the leaf itself. The graph is made of nodes: a leaf is in it as its
AccumulateGrad.
-    if isinstance(x, Tensor) and x._requires_grad:
-        return x.grad_fn or accumulator(x)
+    if isinstance(x, Tensor) and x.requires_grad:
+        return x.grad_fn or x

edge-accumulator-not-called: Your gradient_edge returns accumulator itself, a function. Call it with the leaf: it
returns the node.
-    if isinstance(x, Tensor) and x._requires_grad:
-        return x.grad_fn or accumulator(x)
+    if isinstance(x, Tensor) and x.requires_grad:
+        return x.grad_fn or accumulator

edge-is-a-pair: Your gradient_edge returns a tuple. Is it a pair, as in next_functions? That is only how edges are
shown; an edge is the node itself.
-    if isinstance(x, Tensor) and x._requires_grad:
-        return x.grad_fn or accumulator(x)
+    if isinstance(x, Tensor) and x.requires_grad:
+        return (x.grad_fn or accumulator(x), 0)
or
|def gradient_edge(x):
|    if isinstance(x, Tensor) and x.requires_grad:
|        return (x.grad_fn or accumulator(x), 0)
|    return (None, 0)

edge-asks-is-leaf: Your gradient_edge gives a node to every leaf, also to constants, and none to results. Does it ask
whether x is a leaf? What counts is whether x requires grad.
-    if isinstance(x, Tensor) and x._requires_grad:
+    if isinstance(x, Tensor) and x.is_leaf:

edge-leaves-only: Your gradient_edge gives an edge to leaves alone. A result that requires grad has one, too: its
grad_fn.
-    if isinstance(x, Tensor) and x._requires_grad:
-        return x.grad_fn or accumulator(x)
+    if isinstance(x, Tensor) and x.requires_grad and (x.grad_fn is None):
+        return accumulator(x)
""")

about("record", "record", "Recording")("""
record-forgets-grad-fn: Your record leaves the result without a grad_fn: it looks like a leaf, and nobody finds the
node again.
|def record(self, inputs, out):
|    self.edges = [gradient_edge(x) for x in inputs]
|    self.number = next_number()

record-forgets-number: Your record gives the node no number, or not the next one in the row: next_number() counts down,
and that is how the traversal tells which of two nodes is newer.
|def record(self, inputs, out):
|    self.edges = [gradient_edge(x) for x in inputs]
|    out.grad_fn = self

record-numbers-first: In your record a node's number does not say that it is newer than the nodes below it. Take the
next number, as it comes, when the edges are there: the first edge to a leaf makes the leaf's node.
|def record(self, inputs, out):
|    self.number = next_number()
|    self.edges = [gradient_edge(x) for x in inputs]
|    out.grad_fn = self

record-grad-fn-is-the-rule: Your record stores something else than this node in grad_fn. Despite its name, grad_fn is
an object, the node: it has the rules, the edges and what was saved.
|def record(self, inputs, out):
|    self.edges = [gradient_edge(x) for x in inputs]
|    self.number = next_number()
|    out.grad_fn = self.backward
""")

RECORD_WRITTEN_OUT = """
def record(self, inputs, out):
    self.edges = list(map(gradient_edge, inputs))
    self.number = next_number()
    out.grad_fn = self
"""

about("record", "record", "Recording", RECORD_WRITTEN_OUT)("""
record-forgets-edges: Your record gives the node no edges, so every way back ends at once.
-    self.edges = list(map(gradient_edge, inputs))

record-edges-are-pairs: Your record makes a pair of each edge, as next_functions has them. self.edges holds the nodes
alone.
-    self.edges = list(map(gradient_edge, inputs))
+    self.edges = [(gradient_edge(x), 0) for x in inputs]

record-skips-constants: Your record leaves out the inputs that need no gradient. Edges and gradients are matched by
their place, so such an input keeps its place, with None.
-    self.edges = list(map(gradient_edge, inputs))
+    self.edges = [edge for edge in map(gradient_edge, inputs) if edge is not None]

record-reversed: Your record has the edges in the wrong order: the first edge belongs to the first input.
-    self.edges = list(map(gradient_edge, inputs))
+    self.edges = [gradient_edge(x) for x in inputs][::-1]

record-each-node-once: Your record keeps one edge where an input is used twice. In a * a both inputs have an edge, and
both gradients flow to the same node.
-    self.edges = list(map(gradient_edge, inputs))
+    self.edges = list(dict.fromkeys((gradient_edge(x) for x in inputs)))

record-first-input-only: Your record keeps an edge for the first input only.
-    self.edges = list(map(gradient_edge, inputs))
+    self.edges = [gradient_edge(inputs[0])]

record-keeps-tensors: Your record keeps the inputs themselves. An edge leads to a node; a graph of tensors would keep
every value in memory, needed or not.
-    self.edges = list(map(gradient_edge, inputs))
+    self.edges = list(inputs)
or
-    self.edges = list(map(gradient_edge, inputs))
+    self.edges = [x if isinstance(x, Tensor) and x.requires_grad else None for x in inputs]

record-edges-no-list: Your record puts the edges into a tuple, or makes them one by one when somebody asks, as map and
( … for … ) do. A list is asked for: [ … for … ].
-    self.edges = list(map(gradient_edge, inputs))
+    self.edges = tuple(map(gradient_edge, inputs))
or
-    self.edges = list(map(gradient_edge, inputs))
+    self.edges = map(gradient_edge, inputs)
or
-    self.edges = list(map(gradient_edge, inputs))
+    self.edges = (gradient_edge(x) for x in inputs)

record-edges-are-grad-fns: Your record takes the grad_fn of each input for its edge, and a leaf's grad_fn is None.
gradient_edge knows better.
-    self.edges = list(map(gradient_edge, inputs))
+    self.edges = [x.grad_fn if isinstance(x, Tensor) else None for x in inputs]
or
-    self.edges = list(map(gradient_edge, inputs))
+    self.edges = [x.grad_fn for x in inputs]
""")

COUNT_NODES = """
def count_nodes(node):
    seen, waiting = set(), [node]
    while waiting:
        one = waiting.pop()
        if one is not None and one not in seen:
            seen.add(one)
            waiting += [below for below, _ in one.next_functions]
    return len(seen)
"""

about("counting", "count_nodes", "Nodes and paths", COUNT_NODES)("""
count-follows-one-input: Your count_nodes follows the first edge of each node and never comes to what lies behind the
others.
-            waiting += [below for below, _ in one.next_functions]
+            waiting += [below for below, _ in one.next_functions[:1]]

count-every-visit: Your count_nodes counts a node again each time that it comes by. Remember the nodes that are
counted.
|def count_nodes(node):
|    return 1 + sum((count_nodes(below) for below, _ in node.next_functions if below is not None))
or
|def count_nodes(node):
|    return 0 if node is None else 1 + sum((count_nodes(below) for below, _ in node.next_functions))

count-walks-every-path: Your count_nodes counts right, but goes on from a node each time that a path leads to it. With
each y = y + y the number of paths doubles: after 40 of them, no computer comes to an end.
-        if one is not None and one not in seen:
+        if one is not None:

count-operations-only: Your count_nodes leaves out the leaves' nodes. AccumulateGrad is a node of the graph, too.
-        one = waiting.pop()
-        if one is not None and one not in seen:
-            seen.add(one)
-            waiting += [below for below, _ in one.next_functions]
+        node = waiting.pop()
+        if node is not None and node.next_functions and (node not in seen):
+            seen.add(node)
+            waiting += [below for below, _ in node.next_functions]

count-leaves-only: Your count_nodes counts where the ways end. The nodes of the operations count as well.
|def count_nodes(node):
|    found, waiting = (set(), [node])
|    while waiting:
|        node = waiting.pop()
|        if not node.next_functions:
|            found.add(node)
|        waiting += [below for below, _ in node.next_functions if below is not None]
|    return len(found)

count-without-the-first: Your count_nodes leaves out the node that it starts at.
|def count_nodes(node):
|    seen, waiting = (set(), [below for below, _ in node.next_functions])
|    while waiting:
|        node = waiting.pop()
|        if node is not None and node not in seen:
|            seen.add(node)
|            waiting += [below for below, _ in node.next_functions]
|    return len(seen)

count-none-too: Your count_nodes counts None as a node. None says that there is no edge.
-        one = waiting.pop()
-        if one is not None and one not in seen:
-            seen.add(one)
-            waiting += [below for below, _ in one.next_functions]
+        node = waiting.pop()
+        if node not in seen:
+            seen.add(node)
+            waiting += [below for below, _ in node.next_functions] if node is not None else []

count-names: Your count_nodes takes two nodes of one kind, such as two products, for the same. Each operation that ran
has a node of its own.
|def count_nodes(node):
|    seen, waiting = ({}, [node])
|    while waiting:
|        node = waiting.pop()
|        if node is not None and node.name() not in seen:
|            seen[node.name()] = node
|            waiting += [below for below, _ in node.next_functions]
|    return len(seen)
or
|def count_nodes(node):
|    seen, waiting = (set(), [node])
|    while waiting:
|        node = waiting.pop()
|        if node is not None and node not in seen:
|            seen.add(node)
|            waiting += [below for below, _ in node.next_functions]
|    return len({node.name() for node in seen})

count-remembers-the-last-call: Your count_nodes remembers the nodes of the last call. Is its set a default value, such
as seen=set()? That is made once, when the function is defined, and is the same set in every call.
|def count_nodes(node, seen=set()):
|    if node is None or node in seen:
|        return 0
|    seen.add(node)
|    return 1 + sum((count_nodes(below, seen) for below, _ in node.next_functions))
""")

COUNT_PATHS = """
def count_paths(node):
    if not node.next_functions:
        return 1
    return sum(count_paths(below) for below, _ in node.next_functions if below is not None)
"""

about("counting", "count_paths", "Nodes and paths", COUNT_PATHS)("""
count-longest-path: Your count_paths measures how long the longest way to a leaf is; how many ways there are is asked.
|def count_paths(node):
|    return max([1 + count_paths(below) for below, _ in node.next_functions if below is not None], default=0)
or
|def count_paths(node):
|    return max([1 + count_paths(below) for below, _ in node.next_functions if below is not None], default=1)

count-edges: Your count_paths counts edges. A path is a whole way from the node down to a leaf, and two paths may
share edges.
|def count_paths(node):
|    seen, waiting = ([], [node])
|    while waiting:
|        node = waiting.pop()
|        if node not in seen:
|            seen.append(node)
|            waiting += [below for below, _ in node.next_functions if below is not None]
|    return sum((below is not None for node in seen for below, _ in node.next_functions))

count-leaves-once: Your count_paths counts leaves. Two paths may meet and go on to the same leaf together: they are
still two.
|def count_paths(node):
|    seen, waiting = ([], [node])
|    while waiting:
|        node = waiting.pop()
|        if node not in seen:
|            seen.append(node)
|            waiting += [below for below, _ in node.next_functions if below is not None]
|    return sum((not node.next_functions for node in seen))

count-dead-ends: Your count_paths counts a path to each constant, too. Where the edge is None, no path goes on.
|def count_paths(node):
|    if node is None or not node.next_functions:
|        return 1
|    return sum((count_paths(below) for below, _ in node.next_functions))

count-ends-at-none: Your count_paths takes an edge that is None for the end of a path. No path goes on there: it ends at
a leaf's node, which has no edges.
|def count_paths(node):
|    if node is None:
|        return 1
|    return sum((count_paths(below) for below, _ in node.next_functions))

count-remembers-nodes: Your count_paths remembers nodes from one call to the next, as a default such as seen=set() does,
and goes on from each once. Paths may meet and go on together: each counts.
|def count_paths(node, seen=set()):
|    if node in seen:
|        return 0
|    seen.add(node)
|    if not node.next_functions:
|        return 1
|    return sum((count_paths(below, seen) for below, _ in node.next_functions if below is not None))

count-steps: Your count_paths adds one at each step on the way. Only the end of a path makes it count.
|def count_paths(node):
|    return sum((1 + count_paths(below) for below, _ in node.next_functions if below is not None))
or
|def count_paths(node):
|    return 1 + sum((count_paths(below) for below, _ in node.next_functions if below is not None))

count-two-edges-once: Your count_paths follows two edges to one node as if they were one. In y * y each of them is a
path.
-    return sum(count_paths(below) for below, _ in node.next_functions if below is not None)
+    return sum((count_paths(below) for below in {below for below, _ in node.next_functions} if below is not None))

count-multiplies: Your count_paths never finds more than one path. Does it multiply what a node's inputs bring, or
return inside its loop? A path goes on through one input or through the other: add.
|def count_paths(node):
|    product = 1
|    for below, _ in node.next_functions:
|        product *= 1 if below is None else count_paths(below)
|    return product

count-paths-from-nothing: Your count_paths finds no path in any graph. Does it give 0 at a leaf's node? Sums of zeros
stay zero: at the end of a path, there is one.
-    if not node.next_functions:
-        return 1
""")

DIAMOND = """
def diamond(a, b):
    y = a * a + b
    y_grad = b + 2 * y * a
    return y_grad, y * y + y_grad * 2 * a, y + y_grad
"""

about("diamond", "diamond", "A diamond by hand", DIAMOND)("""
diamond-first-arrival: Your y hands on what comes from p alone. Wait until all that y is used in has delivered its
share.
-    y_grad = b + 2 * y * a
-    return y_grad, y * y + y_grad * 2 * a, y + y_grad
+    return (b, y * y + b * 2 * a, y + b)

diamond-second-arrival: Your gradient of y has lost the share that comes from p = y·b.
-    y_grad = b + 2 * y * a
-    return y_grad, y * y + y_grad * 2 * a, y + y_grad
+    y_grad = 2 * y * a
+    return (y_grad, y * y + y_grad * 2 * a, y + y_grad)

diamond-square-once: Your gradient of y counts one of the two inputs of y·y. Both are y, and both bring their share.
-    y_grad = b + 2 * y * a
-    return y_grad, y * y + y_grad * 2 * a, y + y_grad
+    y_grad = b + y * a
+    return (y_grad, y * y + y_grad * 2 * a, y + y_grad)

diamond-one-share: Your gradient of y is only what one of the two inputs of y·y brings. y is used in three places: go
to each of them, and add what comes back.
-    y_grad = b + 2 * y * a
-    return y_grad, y * y + y_grad * 2 * a, y + y_grad
+    y_grad = y * a
+    return (y_grad, y * y + y_grad * 2 * a, y + y_grad)
or
-    return y_grad, y * y + y_grad * 2 * a, y + y_grad
+    return (y * a, y * y + y_grad * 2 * a, y + y_grad)

diamond-a-too-early: Your gradient of a takes along only a part of what arrives at y. Wait until all that y is used in
has delivered its share: y hands on the whole of it.
-    return y_grad, y * y + y_grad * 2 * a, y + y_grad
+    return (y_grad, y * y + b * 2 * a, y + y_grad)
or
-    return y_grad, y * y + y_grad * 2 * a, y + y_grad
+    return (y_grad, y * y + 2 * y * a * 2 * a, y + y_grad)

diamond-forgets-a: Your gradient of a lacks the share that r = q·a brings. a is used there, and not only in u = a·a.
-    return y_grad, y * y + y_grad * 2 * a, y + y_grad
+    return (y_grad, y_grad * 2 * a, y + y_grad)

diamond-forgets-b: Your gradient of b lacks the share that p = y·b brings. b is used there, and not only in y = u + b.
-    return y_grad, y * y + y_grad * 2 * a, y + y_grad
+    return (y_grad, y * y + y_grad * 2 * a, y_grad)

diamond-past-y-only: Your gradients of a and b lack what comes through y. What y receives goes on to both: to b at
once, and to a by way of u.
-    y_grad = b + 2 * y * a
-    return y_grad, y * y + y_grad * 2 * a, y + y_grad
+    return (b + 2 * y * a, y * y, y)

diamond-other-order: Your diamond returns the right gradients in another order; y, a, b is asked for.
-    return y_grad, y * y + y_grad * 2 * a, y + y_grad
+    return (y * y + y_grad * 2 * a, y + y_grad, y_grad)

diamond-a-past-y-only: Your gradient of a lacks what comes through u = a·a: what y receives goes on to a there. The
share of r = q·a is right.
-    return y_grad, y * y + y_grad * 2 * a, y + y_grad
+    return (y_grad, y * y, y + y_grad)

diamond-b-past-y-only: Your gradient of b lacks what comes through y = u + b: what y receives goes on to b there. The
share of p = y·b is right.
-    return y_grad, y * y + y_grad * 2 * a, y + y_grad
+    return (y_grad, y * y + y_grad * 2 * a, y)

diamond-u-once: Your gradient of a counts one of the two inputs of u = a·a. Both are a, and both bring their share.
-    return y_grad, y * y + y_grad * 2 * a, y + y_grad
+    return (y_grad, y_grad * a + y * y, y + y_grad)

diamond-forgets-r: Your gradient of y takes the slope of q = y·y as it stands. It has to be multiplied by what arrives
at q, which comes through r = q·a.
-    y_grad = b + 2 * y * a
-    return y_grad, y * y + y_grad * 2 * a, y + y_grad
+    y_grad = b + 2 * y
+    return (y_grad, y * y + y_grad * 2 * a, y + y_grad)

diamond-asks-the-engine: Your diamond asks the engine, whose recording is off while it is called. Work the gradients
out on paper: products and sums are enough.
|def diamond(a, b):
|    a, b = (minigrad.tensor(a, requires_grad=True), minigrad.tensor(b, requires_grad=True))
|    y = a * a + b
|    y.retain_grad()
|    (y * b + y * y * a).backward()
|    return (y.grad.numpy(), a.grad.numpy(), b.grad.numpy())
or
|def diamond(a, b):
|    a, b = (minigrad.tensor(a, requires_grad=True), minigrad.tensor(b, requires_grad=True))
|    y = a * a + b
|    (y * b + y * y * a).sum().backward()
|    return (y.grad.numpy(), a.grad.numpy(), b.grad.numpy())
""")

about("traversal", "run_backward", "Newest first")("""
traversal-overwrites: Your traversal overwrites the gradient that is waiting for a node. Where several arrive, they
are added.
-        for below, grad in zip(node.edges, visit(node, grads.pop(node))):
+        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
@
-            if below in grads:
-                grads[below] = grads[below] + grad
-            else:
-                grads[below] = grad
+            if below not in grads:
@
                 heappush(queue, (below.number, below))
+            grads[below] = grad

traversal-pairs-for-nodes: Your traversal takes pairs for nodes, as node.next_functions gives them. The nodes below are
in node.edges, as they are.
-        for below, grad in zip(node.edges, visit(node, grads.pop(node))):
+        for below, grad in zip(node.next_functions, visit(node, grads.pop(node))):

traversal-heap-of-nodes: Your traversal puts bare nodes into a heap, which asks which of two is smaller: nodes do not
say. Put pairs in, (node.number, node), and take them apart again.
-    queue = [(root.number, root)]
+    queue = [root]
@
-        _, node = heappop(queue)
+        node = heappop(queue)
@
-                heappush(queue, (below.number, below))
+                heappush(queue, below)

traversal-too-early: Your traversal visits a node before all of its gradients have arrived, and not again. What
arrives later is lost: wait until every node that uses it has been visited.
|def run_backward(root, grad, visit):
|    grads, seen, stack = ({root: grad}, {root}, [root])
|    while stack:
|        node = stack.pop()
|        for below, grad in zip(node.edges, visit(node, grads[node]), strict=True):
|            if grad is None:
|                continue
|            grads[below] = grads[below] + grad if below in grads else grad
|            if below not in seen:
|                seen.add(below)
|                stack.append(below)
or
|def run_backward(root, grad, visit):
|    grads, seen, row = ({root: grad}, {root}, [root])
|    while row:
|        node = row.pop(0)
|        for below, grad in zip(node.edges, visit(node, grads[node]), strict=True):
|            if grad is None:
|                continue
|            grads[below] = grads[below] + grad if below in grads else grad
|            if below not in seen:
|                seen.add(below)
|                row.append(below)
or
|def run_backward(root, grad, visit, seen=None):
|    seen = set() if seen is None else seen
|    seen.add(root)
|    for below, below_grad in zip(root.edges, visit(root, grad), strict=True):
|        if below_grad is not None and below not in seen:
|            run_backward(below, below_grad, visit, seen)

traversal-path-by-path: Your traversal follows every path on its own, so a node runs once for each path that leads to
it. Add what arrives at a node first, and run it once.
|def run_backward(root, grad, visit):
|    for below, below_grad in zip(root.edges, visit(root, grad), strict=True):
|        if below_grad is not None:
|            run_backward(below, below_grad, visit)
or
|def run_backward(root, grad, visit):
|    stack = [(root, grad)]
|    while stack:
|        node, grad = stack.pop()
|        stack += [pair for pair in zip(node.edges, visit(node, grad), strict=True) if pair[1] is not None]
or
|def run_backward(root, grad, visit):
|    row = [(root, grad)]
|    for node, grad in row:
|        row += [pair for pair in zip(node.edges, visit(node, grad), strict=True) if pair[1] is not None]

traversal-last-in-first-out: Your traversal visits a node before all of its gradients are there, and again when more
arrive. Does it take nodes by when they were put into the queue? Take the one that was made last.
|def run_backward(root, grad, visit):
|    grads, stack = ({root: grad}, [root])
|    while stack:
|        node = stack.pop()
|        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
|            if grad is None:
|                continue
|            if below not in grads:
|                stack.append(below)
|            grads[below] = grads[below] + grad if below in grads else grad
or
|def run_backward(root, grad, visit):
|    grads, row = ({root: grad}, [root])
|    while row:
|        node = row.pop(0)
|        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
|            if grad is None:
|                continue
|            if below not in grads:
|                row.append(below)
|            grads[below] = grads[below] + grad if below in grads else grad

traversal-oldest-first: Your traversal takes the oldest node first. Numbers go down, so the smallest one is the
newest, and the newest has to come first.
|def run_backward(root, grad, visit):
|    grads = {root: grad}
|    queue = [(-root.number, root)]
|    while queue:
|        _, node = heappop(queue)
|        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
|            if grad is None:
|                continue
|            if below not in grads:
|                heappush(queue, (-below.number, below))
|            grads[below] = grads[below] + grad if below in grads else grad

traversal-queues-twice: Your traversal asks for the gradient of a node where none waits, or no new one. Does each node
enter the queue only once? That is when its first gradient is put into the table.
|def run_backward(root, grad, visit):
|    grads = {root: grad}
|    queue = [(root.number, id(root), root)]
|    while queue:
|        node = heappop(queue)[-1]
|        for below, grad in zip(node.edges, visit(node, grads[node]), strict=True):
|            if grad is None:
|                continue
|            grads[below] = grads[below] + grad if below in grads else grad
|            heappush(queue, (below.number, id(below), below))
or
-        for below, grad in zip(node.edges, visit(node, grads.pop(node))):
+        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
@
-            if below in grads:
-                grads[below] = grads[below] + grad
-            else:
-                grads[below] = grad
-                heappush(queue, (below.number, below))
+            grads[below] = grads[below] + grad if below in grads else grad
+            heappush(queue, (below.number, below))

traversal-calls-itself: In your traversal a function calls itself for each node below, and Python allows about a
thousand calls inside each other. A chain of operations can be much longer: use a loop.
|def run_backward(root, grad, visit):
|    order = []
|    def sort(node):
|        if node is not None and node not in order:
|            for below in node.edges:
|                sort(below)
|            order.append(node)
|    sort(root)
|    grads = {root: grad}
|    for node in reversed(order):
|        if node in grads:
|            for below, grad in zip(node.edges, visit(node, grads[node]), strict=True):
|                if grad is not None:
|                    grads[below] = grads[below] + grad if below in grads else grad

traversal-trips-over-none: Your traversal goes on with a gradient that is None: visit returns None wherever no
gradient flows on. Skip it.
|def run_backward(root, grad, visit):
|    grads = {root: grad}
|    queue = [(root.number, root)]
|    while queue:
|        _, node = heappop(queue)
|        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
|            if below not in grads:
|                heappush(queue, (below.number, below))
|            grads[below] = grads[below] + grad if below in grads else grad
or
-        for below, grad in zip(node.edges, visit(node, grads.pop(node))):
-            if grad is None:
-                continue
+        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
or
|def run_backward(root, grad, visit):
|    grads = {root: grad}
|    queue = [(root.number, root)]
|    while queue:
|        _, node = heappop(queue)
|        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
|            if below is None:
|                continue
|            if below not in grads:
|                heappush(queue, (below.number, below))
|            grads[below] = grads[below] + grad if below in grads else grad

traversal-stops-at-none: In your traversal, inputs that come after one that needs no gradient get nothing. Skip that
one, its edge and its gradient together, and go on with the others.
|def run_backward(root, grad, visit):
|    grads = {root: grad}
|    queue = [(root.number, root)]
|    while queue:
|        _, node = heappop(queue)
|        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
|            if grad is None:
|                break
|            if below not in grads:
|                heappush(queue, (below.number, below))
|            grads[below] = grads[below] + grad if below in grads else grad

traversal-drops-zeros: Your traversal does not send on a gradient that is zero everywhere. Zero is a gradient, too:
the nodes below wait for it, and a leaf's .grad would stay None.
-            if grad is None:
+            if grad is None or not grad.any():

traversal-hands-on-what-arrived: Your traversal hands on the gradient that arrived at a node. What goes on is what
visit returned, one gradient for each input.
|def run_backward(root, grad, visit):
|    grads = {root: grad}
|    queue = [(root.number, root)]
|    while queue:
|        _, node = heappop(queue)
|        arrived = grads.pop(node)
|        visit(node, arrived)
|        for below in node.edges:
|            if below is None:
|                continue
|            if below not in grads:
|                heappush(queue, (below.number, below))
|            grads[below] = grads[below] + arrived if below in grads else arrived

traversal-skips-leaves: Your traversal does not visit the leaves' nodes. AccumulateGrad is visited like any other
node; that is how a leaf gets its .grad.
|def run_backward(root, grad, visit):
|    grads = {root: grad}
|    queue = [(root.number, root)]
|    while queue:
|        _, node = heappop(queue)
|        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
|            if grad is None or not below.edges:
|                continue
|            if below not in grads:
|                heappush(queue, (below.number, below))
|            grads[below] = grads[below] + grad if below in grads else grad

traversal-adds-in-place: Your traversal adds in place, as += does. A sum hands one and the same array to both of its
inputs, so adding to one changes the other. Make a new array instead.
-        for below, grad in zip(node.edges, visit(node, grads.pop(node))):
+        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
@
-                grads[below] = grads[below] + grad
+                grads[below] += grad

traversal-starts-from-one: Your traversal starts from 1 instead of the gradient that it is given.
|def run_backward(root, grad, visit):
|    grads = {root: grad * 0 + 1}
|    queue = [(root.number, root)]
|    while queue:
|        _, node = heappop(queue)
|        for below, grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
|            if grad is None:
|                continue
|            if below not in grads:
|                heappush(queue, (below.number, below))
|            grads[below] = grads[below] + grad if below in grads else grad

traversal-goes-round-visit: Your traversal calls node.backward itself. visit does that, and also what belongs to a
visit: it calls hooks, keeps what retain_grad asked for, and frees.
-        for below, grad in zip(node.edges, visit(node, grads.pop(node))):
+        for below, grad in zip(node.edges, node.backward(grads.pop(node))):
@
-            if below in grads:
-                grads[below] = grads[below] + grad
-            else:
-                grads[below] = grad
+            if below not in grads:
@
                 heappush(queue, (below.number, below))
+            grads[below] = grads[below] + grad if below in grads else grad

traversal-hands-on-the-first: Your traversal hands on the gradient that it was called with, at every node. What goes
on is what visit returned, one gradient for each input.
|def run_backward(root, grad, visit):
|    grads = {root: grad}
|    queue = [(root.number, root)]
|    while queue:
|        _, node = heappop(queue)
|        for below, below_grad in zip(node.edges, visit(node, grads.pop(node)), strict=True):
|            if below_grad is None:
|                continue
|            if below not in grads:
|                heappush(queue, (below.number, below))
|            grads[below] = grads[below] + grad if below in grads else grad
or
|def run_backward(root, grad, visit):
|    grads = {root: grad}
|    queue = [(root.number, root)]
|    while queue:
|        _, node = heappop(queue)
|        for below, _ in zip(node.edges, visit(node, grads.pop(node)), strict=True):
|            if below is None:
|                continue
|            if below not in grads:
|                heappush(queue, (below.number, below))
|            grads[below] = grads[below] + grad if below in grads else grad

traversal-visits-with-another: Your traversal visits a node with a gradient that a variable still holds, from the call
or from the node before. The sum that waits for this node is in your table.
|def run_backward(root, grad, visit):
|    grads = {root: grad}
|    queue = [(root.number, root)]
|    while queue:
|        _, node = heappop(queue)
|        for below, below_grad in zip(node.edges, visit(node, grad), strict=True):
|            if below_grad is None:
|                continue
|            if below not in grads:
|                heappush(queue, (below.number, below))
|            grads[below] = grads[below] + below_grad if below in grads else below_grad
or
-        for below, grad in zip(node.edges, visit(node, grads.pop(node))):
+        for below, grad in zip(node.edges, visit(node, grad), strict=True):
@
-            if below in grads:
-                grads[below] = grads[below] + grad
-            else:
-                grads[below] = grad
+            if below not in grads:
@
                 heappush(queue, (below.number, below))
+            grads[below] = grads[below] + grad if below in grads else grad
""")
