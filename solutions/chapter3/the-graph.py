# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Tensors, Functions and the computational graph
#
# You write a first tensor, the recording that minigrad has done for you so far, and a traversal for graphs with more
# paths than anyone can walk.
#
# **The question:** You write `x * y`, and later the engine knows how to go back through it. What happened in
# between?
#
# **Time:** two sittings of 35 to 40 minutes.
#
# **Before you start:** chapters 1 and 2; Python's lists, sets and dictionaries.
#
# **Afterwards you can**
#
# - read `grad_fn` and `next_functions`, and name a graph's root and leaves;
# - say what happens between `x * y` and a node, and record an operation;
# - count nodes and paths, and say which makes a walk slow;
# - carry gradients back through any graph, each node once.

# %% [markdown]
# ## From earlier chapters
#
# Answer first, then unfold.
#
# **1.** Chapter 1: which gradients does the walk add up for $x^2 + x$?
#
# <details><summary>Answer</summary>
#
# $2x$ along one path, 1 along the other.
# </details>
#
# **2.** Chapter 2: `out` is the mean of six elements. What does each get?
#
# <details><summary>Answer</summary>
#
# A sixth of the gradient that arrives.
# </details>

# %% [markdown]
# ## What a result remembers
#
# An operation is a **Function**, a class such as your `Mul`. Applying it computes a result and makes an object of the
# class, a **node**; the result refers to it as `grad_fn`. A node holds its rules, what they need and, in
# `next_functions`, the nodes of its inputs.
#
# The next code cell goes down from the node of `out`, always via the first input. Predict: what is `x.grad_fn`? Which
# nodes are below that of `y * y`? Where does the path end?

# %% [markdown]
# ✎ **Your prediction** (double-click here to write): `x.grad_fn` is …; below `y * y`: …; the path ends at …

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "torch-snippet", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch

x = torch.tensor([-0.25, 0.75, -0.125], requires_grad=True)
y = x + 2
z = y * y * 3
out = z.mean()
print("x.grad_fn:", x.grad_fn)
print("y:", y)
print("out:", out)

node = out.grad_fn
while node.next_functions:
    below = [other and type(other).__name__ for other, _ in node.next_functions]
    print(type(node).__name__, "->", below)
    node = node.next_functions[0][0]
print(type(node).__name__)
del x, y, z, out, node, below  # so that no code of yours finds them by accident

# %% [markdown]
# <details><summary>Answer</summary>
#
# `x.grad_fn` is `None`: no operation made `x`. Below `y * y` is `AddBackward0`, the same object twice. The path ends
# at `AccumulateGrad`, the node of `x`. The 3 and the 2 need no gradient: `None`. (The computation is that of the
# tutorial *Autograd*.)
# </details>
#
# ![The five nodes of out, numbered from the newest, from left to right: 1, MeanBackward0, points to 2, the MulBackward0 of y · y · 3, and that to 3, the MulBackward0 of y · y, and to None. Two arrows lead from 3 to 4, AddBackward0, which points to 5, AccumulateGrad, and to None.](nodes.svg)
#
# Nodes and the arrows between them are a **directed acyclic graph**, a DAG: a node points only to nodes made
# before it. Back-propagation starts at the **root**, the output's node, and ends at the nodes of **leaves**.
#
# | word | what it is | in the picture |
# |---|---|---|
# | node | what an operation leaves behind: an object of its class | a box, such as 3, the MulBackward0 of `y * y`; pictures count from the newest, 1 |
# | `grad_fn` | how a result refers to its node | `out.grad_fn` is node 1, `y.grad_fn` node 4 |
# | edge | where the gradient of one input goes: a node, or `None` | an arrow: node 2 has two, to 3 and to `None` |
# | `next_functions` | a node's edges as PyTorch shows them: pairs of a node and a 0 to ignore | of node 3: `((4, 0), (4, 0))` |
# | `node.edges` | the same edges as minigrad keeps them, nodes alone, in a list; you use it from exercise 3 on | of node 3: `[4, 4]` |
# | AccumulateGrad | a leaf's node; what arrives is added to the leaf's `.grad` | node 5, of `x` |
# | path | a way along arrows, down to a leaf's node | two: 1, 2, 3, 4, 5, by either arrow from 3 to 4 |
#
# A leaf is a tensor that no *recorded* operation made. `torch.ones(5) + 3` is a leaf, too: its input needs no grad.

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
from heapq import heappop, heappush

import minigrad
from grader import check
from minigrad import Tensor, workshop
from minigrad.core.function import accumulator, next_number
from minigrad.rules.arithmetic import Add, Mul
from minigrad.workshop import scaffold

workshop.open(3)

# %% [markdown]
# ## A first tensor
#
# Who makes the node? Try it in a sketch, apart from the engine. This tensor only computes. What can nobody find out
# from `z`?


# %%
class Forgetful:
    def __init__(self, array):
        self.array = array

    def __mul__(self, other):  # Python calls this for x * y
        return Forgetful(self.array * other.array)


z = Forgetful(3.0) * Forgetful(4.0)
print("z knows", vars(z))

# %% [markdown]
# <details><summary>What you saw</summary>
#
# Which operation made it, and from what. Without both, there is no way back.
# </details>
#
# **Exercise 1.** Write `Sketch`, a tensor that remembers. `Sketch.apply(operation, *inputs)` makes a node, an object of
# the class `operation`, and runs its `forward` on the inputs' arrays. The result is a new sketch with this node as its
# `grad_fn`, and `node.inputs` are the inputs. `x * y` and `x + y` call `apply` with your `Mul` and `Add`.
#
# - **Shapes:** any; the inputs and the result are sketches.
# - **Eight minutes, medium, 3 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# What does the way back need? The operation, and what it was applied to.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# `Mul()` is a node; `node.forward(3.0, 4.0)` is 12.0. `f(*[1, 2])` calls `f(1, 2)`.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# node = ...
# node.inputs = ...
# out = Sketch(node.forward(*[... for x in inputs]))
# ...  # the result refers to its node
# return ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "sketch", "locked": false, "schema_version": 3, "solution": true, "task": false}
class Sketch:
    """A first tensor: an array, and the node of the operation that made it; None where none did."""

    def __init__(self, array):
        self.array = array
        self.grad_fn = None

    def __mul__(self, other):
        ### BEGIN SOLUTION
        return Sketch.apply(Mul, self, other)
        ### END SOLUTION

    def __add__(self, other):
        ### BEGIN SOLUTION
        return Sketch.apply(Add, self, other)
        ### END SOLUTION

    @staticmethod
    def apply(operation, *inputs):
        """Run an operation, a class such as Mul, on sketches; the result is a sketch that knows its node."""
        ### BEGIN SOLUTION
        node = operation()
        node.inputs = inputs
        out = Sketch(node.forward(*[x.array for x in inputs]))
        out.grad_fn = node
        return out
        ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "sketch-graded", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("sketch")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# A result knows its node, the node its inputs, and so on down to the leaves. In minigrad, too, `x * y` is
# `Mul.apply(x, y)`.
# </details>
#
# The way down, in your sketch:


# %%
x, y = Sketch(3.0), Sketch(4.0)
node = (x * y + x).grad_fn
while node:
    print(node.name(), "of", [one.array for one in node.inputs])
    node = node.inputs[0].grad_fn

# %% [markdown]
# ## Where a gradient flows
#
# Which **edge** an input gets depends on the input:
#
# | input | example | its gradient flows into |
# |---|---|---|
# | a leaf that requires grad | `x` in `x + 2` | its AccumulateGrad |
# | a result of such a leaf; it requires grad, too | `y` in `y * y` | its `grad_fn` |
# | a tensor that requires no grad | data | nothing: `None` |
# | a plain number | 3 in `y * 3` | nothing: `None` |
#
# **Exercise 2.** Write `gradient_edge(x)`. `accumulator(leaf)` returns the leaf's AccumulateGrad, the same node for all
# edges of a graph.
#
# - **Shapes:** any, or a number; returns a node or `None`.
# - **Four minutes, easy, 2 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Does `x` require grad? Did an operation make it?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# Two attributes decide: `x.requires_grad`, then `x.grad_fn`. A number has neither; `isinstance(x, Tensor)` tells
# tensors from numbers.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# if isinstance(x, Tensor) and ...:
#     return ... or ...
# return ...
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "gradient-edge", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
def gradient_edge(x):
    """The node that a gradient of x flows into; None if x needs no gradient.

    x: an input of an operation: a tensor, or a number.
    """
    ### BEGIN SOLUTION
    if isinstance(x, Tensor) and x._requires_grad:  # as x.requires_grad, but faster
        return x.grad_fn or accumulator(x)
    return None
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "gradient-edge-graded", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("gradient-edge")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# The way down stops at `None`: what needs no gradient is never visited.
# </details>
#
# ## Recording
#
# When an operation has computed `out`, and an input requires grad, the engine calls `record`, a method of
# `Function`; `self` is the new node. It sets, in this order:
#
# | attribute | to |
# |---|---|
# | `self.edges` | a list with the edge of each input; this may make the node of a leaf |
# | `self.number` | `next_number()`, which counts *down* from one node to the next, in all graphs: 0, −1, −2, … The pictures have numbers of their own, from 1 in each graph; in both, the smaller number is the newer node's. Set it after the edges, so that the new node of a leaf is older, too |
# | `out.grad_fn` | the node |
#
# **Exercise 3.** Write `record(self, inputs, out)`; `@workshop.part` makes it a method.
#
# - **Shapes:** `inputs` is a tuple of tensors and numbers; `out` is a tensor.
# - **Six minutes, easy, 3 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Exercise 2 handles one input.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# edges = [edge of the first input, edge of the second, …], `None` included.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# self.edges = edges = []
# for x in inputs:
#     ...
# self.number = ...
# ... = self
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "record", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
def record(self, inputs, out):
    """Make this node the grad_fn of out, with an edge for each input and a number of its own.

    inputs: a tuple: the operation's tensors and numbers.
    out: its result, a tensor. No result is asked for.
    """
    ### BEGIN SOLUTION
    self.edges = edges = []
    for x in inputs:
        edges.append(gradient_edge(x))
    self.number = next_number()
    out.grad_fn = self
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "record-graded", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("record")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# Every input has an edge, so each gradient finds its edge by position.
# </details>
#
# Now run the example on your recording. Will a rerun have the same nodes?


# %%
def run(x):
    y = x + 2
    z = y * y * 3
    return z.mean()


x = minigrad.tensor([-0.25, 0.75, -0.125], requires_grad=True)
root = node = gradient_edge(run(x))
while node.edges:
    print(node.name(), "->", [below and below.name() for below in node.edges])
    node = node.edges[0]
print(node.name())
print("a second run has the same root:", gradient_edge(run(x)) is root)

# %% [markdown]
# Each *run* makes a new graph, with or without `backward()`: the graph is **dynamic**, and `if` and `while` just work.
#
# ## Nodes and paths
#
# A path leads from a node down to a leaf's. For `z` above, without the mean, there are 4 nodes and 2 paths: both edges
# of `y * y` lead to the same node, and both count.
#
# **Exercise 4.** Write `count_nodes(node)` and `count_paths(node)`.
#
# - **Shapes:** from a node to an integer. The node itself counts; `None` does not. `count_nodes` visits no node twice.
# - **Ten minutes, medium, 4 points for both.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Nodes: keep a list of those to visit, and a set of those seen. Paths: ask each node below how many *it* has.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# paths(a leaf's node) = 1; paths(another) = the sum of paths(below) over its edges, without `None`.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# # count_nodes
# seen, waiting = set(), [node]
# while waiting:
#     one = waiting.pop()
#     if ...:
#         seen.add(one)
#         waiting += ...
# # count_paths
# if not node.edges:
#     return ...
# return sum(... for below in ... if ...)
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "counting", "locked": false, "schema_version": 3, "solution": true, "task": false}
def count_nodes(node):
    """The number of nodes that can be reached from node, with node itself."""
    ### BEGIN SOLUTION
    seen, waiting = set(), [node]
    while waiting:
        one = waiting.pop()
        if one is not None and one not in seen:
            seen.add(one)
            waiting += one.edges
    return len(seen)
    ### END SOLUTION


def count_paths(node):
    """The number of ways from node down to the nodes of leaves."""
    ### BEGIN SOLUTION
    if not node.edges:
        return 1
    return sum(count_paths(below) for below in node.edges if below is not None)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "counting-graded", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("counting")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# Where paths meet and part again, their numbers multiply; a node counts once.
# </details>
#
# ## Too many paths
#
# The cell repeats `y = y + y`, and counts the additions that chapter 1's walk, kept in `scaffold`, runs. Predict the
# number of nodes, paths and additions for 16 doublings.

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "too-many-paths", "locked": true, "schema_version": 3, "solution": false, "task": false}
from grader import figure


def doublings(engine, n):
    x = y = engine.tensor(1.0, dtype=engine.float64, requires_grad=True)
    for _ in range(n):
        y = y + y
    return x, y


class CountedAdd(Add):
    runs = 0

    def backward(self, grad):
        CountedAdd.runs += 1
        return super().backward(grad)


def runs(n, traversal):
    CountedAdd.runs = 0
    with workshop.using(Add=CountedAdd, run_backward=traversal):
        doublings(minigrad, n)[1].backward()
    return CountedAdd.runs


sizes = range(1, 17)
graphs = [doublings(minigrad, n)[1].grad_fn for n in sizes]
node_counts = [count_nodes(graph) for graph in graphs]
path_counts = [count_paths(graph) for graph in graphs]
walked = runs(16, scaffold.run_backward)
print(f"16 doublings: {node_counts[-1]} nodes, {path_counts[-1]} paths; the walk runs {walked} additions")

fig, ax = figure.new()
ax.semilogy(sizes, path_counts, label="paths")
ax.semilogy(sizes, node_counts, label="nodes")
ax.set_xlabel("doublings")
ax.set_ylabel("how many (logarithmic)")
ax.legend()
figure.show(
    fig,
    f"Paths and nodes of 1 to 16 doublings, on a logarithmic scale: {path_counts[0]} to {path_counts[-1]} paths, and "
    f"{node_counts[0]} to {node_counts[-1]} nodes.",
)

# %% [markdown]
# The walk runs a node once for each path to it: $1 + 2 + 4 + \dots + 2^{15} = 65535$ additions. At a million a second,
# 60 doublings would take more than 36 000 years. If each node runs once, they are 60.
#
# **A good place to pause.**
#
# ## A diamond by hand
#
# In $y = x^2$, $u = 3y$, $\mathit{out} = y \cdot u$, two paths leave $\mathit{out}$ and meet at $y$: a **diamond**. At
# $x = 2$:
#
# ![The graph of the diamond at x = 2, from left to right: y = x² = 4 with local derivative 4, u = 3·y = 12 with 3, and out = y·u = 48, which y enters with local derivative 12 and u with 4. The gradients are those of the table: 1 at out, 4 at u, 24 at y and 96 at x.](diamond.svg)
#
# To **visit** $y$ (to run its rules) only once, wait until both users of $y$ have delivered:
#
# | visit, newest first | its gradient | passes down | still waiting |
# |---|---|---|---|
# | $\mathit{out} = y \cdot u$ | 1 | $u$: 4, $y$: 12 | $u$: 4, $y$: 12 |
# | $u = 3y$ | 4 | $y$: 12 | $y$: 12 + 12 = 24 |
# | $y = x^2$ | 24 | $x$: 24 · 4 = 96 | $x$: 96 |
# | $x$ | 96 | into `x.grad` | |
#
# Visited before $u$, $y$ would have only its first 12. These are your engine's nodes after the first visit, when $y$ has
# one of its two gradients:
#
# ![The diamond's four nodes after the first visit. Node 1, out, has run with 1; it passed 4 to node 2, u, which waits with 4, 1 of 1 here, and 12 to node 3, y, which waits with 12, 1 of 2 here. Node 4, of the leaf x, is not reached yet.](steps.svg)
#
# A larger diamond:
#
# $$u = a \cdot a,\quad y = u + b,\quad p = y \cdot b,\quad q = y \cdot y,\quad r = q \cdot a,\quad
# \mathit{out} = p + r.$$
#
# **Exercise 5.** Work out the gradients of $y$, $a$ and $b$ on paper, newest first, and write `diamond(a, b)`.
#
# - **Shapes:** `a`, `b` and each gradient are numbers, or arrays of one shape.
# - **Eight minutes, medium, 3 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# Make a table as above. Who uses $y$? Who uses $a$?
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# The gradient of $q$ is $a$. So $y$ gets $b$ from $p$, and $ya$ twice from $q$. $a$ gets a share from $r$, and two from
# $u$.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# y = ...
# y_grad = ... + 2 * ...
# a_grad = ... + y_grad * ...
# b_grad = ... + ...
# return y_grad, a_grad, b_grad
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "diamond", "locked": false, "schema_version": 3, "solution": true, "task": false}
def diamond(a, b):
    """The gradients of out = y·b + y·y·a, where y = a·a + b, with respect to y, a and b, in this order.

    By hand: the engine's recording is switched off while this is graded.
    """
    ### BEGIN SOLUTION
    y = a * a + b
    y_grad = b + 2 * y * a
    return y_grad, y * y + y_grad * 2 * a, y + y_grad
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "diamond-graded", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("diamond")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# Paths through $y$ are added at $y$, *before* they go on, so everything below $y$ is worked out once.
# </details>
#
# ## Newest first
#
# When have all of a node's gradients arrived? They come from newer nodes alone. So always take the *newest* waiting
# node: the others, and all below them, are older, and can send it nothing more.
#
# - `visit(node, grad)` runs a node and returns a list: for each of `node.edges`, the gradient that goes there, or
#   `None`. A leaf's node is visited, too: it writes `.grad`, and its list is empty.
# - A **heap** is a list that hands out its smallest entry, which is why numbers count down:
#   `heappush(queue, (below.number, below))` puts a pair in, `heappop(queue)` takes out the newest node's.
#
# **Exercise 6.** Write `run_backward(root, grad, visit)`, which `backward()` calls. Use a loop: a chain may be too long
# for recursion. Keep what has arrived at each waiting node in a dictionary. Add with `+`: `+=` would change an array
# that another node may hold.
#
# - **Shapes:** a gradient is an array in the shape of its node's result. (Chapter 1's walk carried tensors, as it wrote
#   `.grad` itself; now `visit` does.)
# - **Fifteen minutes, the hardest one, 4 points.**
#
# <details><summary>Hint 1: the idea</summary>
#
# The table above is the program. A node goes into the queue when its first gradient arrives, and only then.
# </details>
# <details><summary>Hint 2: the formula</summary>
#
# grads[below] ← grad, or grads[below] + grad where something waits. `grads.pop(node)` reads and removes.
# </details>
# <details><summary>Hint 3: a skeleton</summary>
#
# ```python
# grads = {root: ...}
# queue = [(root.number, root)]
# while queue:
#     _, node = ...
#     for below, passed in zip(..., visit(node, ...)):
#         if ...:  # nothing flows here
#             continue
#         if ...:  # not the first to arrive
#             grads[below] = ...
#         else:
#             grads[below] = ...
#             heappush(...)
# ```
# </details>


# %% nbgrader={"grade": false, "grade_id": "traversal", "locked": false, "schema_version": 3, "solution": true, "task": false}
@workshop.part
def run_backward(root, grad, visit):
    """Send grad from root to every node below it; each node is visited once, when all of its gradients are there.

    root: the node to start at, and grad: the gradient that arrives there, an array.
    visit: visit(node, grad) runs a node; returns a gradient or None for each of node.edges.
    """
    ### BEGIN SOLUTION
    grads = {root: grad}
    queue = [(root.number, root)]
    while queue:
        _, node = heappop(queue)
        for below, grad in zip(node.edges, visit(node, grads.pop(node))):
            if grad is None:
                continue
            if below in grads:
                grads[below] = grads[below] + grad
            else:
                grads[below] = grad
                heappush(queue, (below.number, below))
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "traversal-graded", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("traversal")

# %% [markdown]
# <details><summary>Why it works</summary>
#
# `pop` frees a gradient's memory as it is passed on. `.grad` is written where a leaf is visited.
# </details>
#
# A loop whose length depends on the data:


# %%
def grow(x):
    y = x
    while y.item() < 100:
        y = y * y
    return y


for start in (2.0, 5.0, 20.0):
    x = minigrad.tensor(start, requires_grad=True)
    y = grow(x)
    print(f"from {start}: {count_nodes(y.grad_fn)} nodes", end=", ")
    y.backward()
    print(f"y = {y.item():.0f}, slope {x.grad.item():.0f}")

# %% [markdown]
# ## Your graph
#
# Both computations, drawn from your graphs.

# %% tags=["demonstration"] picture="nodes.svg" nbgrader={"grade": false, "grade_id": "your-nodes", "locked": true, "schema_version": 3, "solution": false, "task": false}
from grader import nodes

x = minigrad.tensor([-0.25, 0.75, -0.125], requires_grad=True)
out = run(x)
print(count_nodes(out.grad_fn), "nodes and", count_paths(out.grad_fn), "paths")
nodes.draw(out, x=x)

# %% tags=["demonstration"] picture="diamond.svg" nbgrader={"grade": false, "grade_id": "your-diamond", "locked": true, "schema_version": 3, "solution": false, "task": false}
from grader import picture


def steps(x):
    y = x**2
    u = 3 * y
    return y * u


x = minigrad.tensor(2.0, requires_grad=True)
out = steps(x)
print(count_nodes(out.grad_fn), "nodes and", count_paths(out.grad_fn), "paths")
picture.graph(steps, at=2.0, names="y u out")

# %% [markdown]
# Your traversal, one visit in each step: move the slider, or `print(passed.step(2))`. In a cell of your own, try the
# larger diamond, and later `too_early`.

# %% tags=["demonstration"] picture="steps.svg" nbgrader={"grade": false, "grade_id": "your-traversal", "locked": true, "schema_version": 3, "solution": false, "task": false}
x = minigrad.tensor(2.0, requires_grad=True)
y = x**2
u = 3 * y
out = y * u
with workshop.using(run_backward=run_backward):  # another traversal can take its place
    passed = nodes.backward(out, x=x, y=y, u=u, out=out)
passed

# %% [markdown]
# ## The same in PyTorch
#
# The gradient of $a$ in the larger diamond, found in four ways; then sixty doublings.

# %% tags=["demonstration"] nbgrader={"grade": false, "grade_id": "torch-comparison", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch


def larger_diamond(a, b):
    y = a * a + b
    return y * b + y * y * a


for a, b in [(1.5, -0.5), (-0.75, 2.0)]:
    h = 1e-5
    measured = (larger_diamond(a + h, b) - larger_diamond(a - h, b)) / (2 * h)
    print(f"a = {a}, b = {b}: by hand {diamond(a, b)[1]:.8f}, measured {measured:.8f}", end="")
    for engine in (minigrad, torch):
        leaves = [engine.tensor(v, dtype=engine.float64, requires_grad=True) for v in (a, b)]
        larger_diamond(*leaves).backward()
        print(f", {engine.__name__} {leaves[0].grad.item():.8f}", end="")
    print()
for engine in (minigrad, torch):
    x, y = doublings(engine, 60)
    y.backward()
    print(f"60 doublings in {engine.__name__}: slope {x.grad.item():.0f}, right: {x.grad.item() == 2**60}")
print("additions that your traversal runs for them:", runs(60, run_backward))

# %% [markdown]
# ## Break it
#
# `too_early` also visits each node once, but in order of first arrival. Below, it goes back through a chain,
# $(3x + 1)^2$, and the first diamond. Which will show the mistake? Decide before you run it.


# %%
def first_diamond(x):
    y = x**2
    return y * (3 * y)


def too_early(root, grad, visit):
    row, arrived = [root], {root: grad}
    for node in row:
        for below, passed in zip(node.edges, visit(node, arrived[node])):
            if passed is not None:
                arrived[below] = arrived.get(below, 0) + passed
                if below not in row:
                    row.append(below)


def slope(f, traversal):
    x = minigrad.tensor(2.0, requires_grad=True)
    with workshop.using(run_backward=traversal):
        f(x).backward()
    return x.grad.item()


for name, f in [("chain", lambda x: (3 * x + 1) ** 2), ("diamond", first_diamond)]:
    print(f"{name}: yours {slope(f, run_backward)}, too early {slope(f, too_early)}")

# %% [markdown]
# <details><summary>What you saw</summary>
#
# Only the diamond: $y$ was visited with the first 12; the second came too late. No error, but half the slope.
# </details>
#
# ## Recap
#
# - Each operation may double the paths; it adds one node.
# - Newest first: each node once, with all of its gradients.
#
# ## Exit questions
#
# **1.** In $(x + c) \cdot c$ only $x$ requires grad. How many nodes are there?
#
# <details><summary>Answer</summary>
#
# Three: the product's, the sum's, and that of $x$. Both edges to $c$ are `None`.
# </details>
#
# **2.** Someone says: "after each `backward()`, autograd starts a new graph". What do you answer?
#
# <details><summary>Answer</summary>
#
# The *computation* records a new graph, each time it runs; `backward()` only reads one.
# </details>
#
# **3.** Is every operation differentiable? What is the `grad_fn` of `x > 0`?
#
# <details><summary>Answer</summary>
#
# No. A comparison is true or false, and is not recorded: its `grad_fn` is `None`. So is that of `x.argmax()`.
# </details>
#
# **Find the bug.** A chain of ten operations gives the right gradient. What is wrong, and which graph shows it?
#
# ```python
# while queue:
#     _, node = heappop(queue)
#     for below, grad in zip(node.edges, visit(node, grads.pop(node))):
#         if grad is not None:
#             grads[below] = grad
#             heappush(queue, (below.number, below))
# ```
#
# <details><summary>Answer</summary>
#
# The second gradient replaces the first, and the node enters the queue twice. At its second turn nothing is
# left to pop: a `KeyError`. A diamond shows both.
# </details>
#
# **In your own words.** What happens between `x * y` and a node? Two or three sentences; then compare.
#
# <details><summary>One answer</summary>
#
# Python calls the tensor's multiply method, which applies `Mul`: a node is made, and its `forward` multiplies the
# arrays. Because an input requires grad, `record` gives the node an edge for each input and a number, and the result
# refers to it as `grad_fn`.
# </details>
#
# ## What comes next
#
# `my_minigrad/` now holds your recording and traversal. Chapter 4 puts a first network on your graph.
