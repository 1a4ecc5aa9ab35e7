"""What lies beside the engine in `my_minigrad/`: what it is, in which order to read it, and how it is installed."""

README = """# An engine of your own

This package is automatic differentiation as you have built it in the course *minigrad*. Above each definition that
the course asks you for stands whose it is:

- `# Yours, chapter 3.`: you wrote it, and it has passed its check;
- `# Lent by minigrad: chapter 5 builds it.`: it works, and you can still write it;
- `# Not there yet: chapter 9 builds it.`: to use it says so.

Everything else is minigrad's, and is there so that your definitions have something to stand on.
[READING.md](READING.md) says in which order to read it.

## Use it

In any notebook of the course:

```python
import my_minigrad as torch

x = torch.tensor(3.0, requires_grad=True)
(x * x).backward()
print(x.grad)
```

Anywhere else, once: `pip install ./my_minigrad` (from the folder that it lies in). It needs NumPy, and nothing of the
course.

## Change it

It is yours: change what you like, and add files. A check that passes later writes down its own part, and leaves what
you have changed as it is. Files that you have not changed may be written anew, when the course is.
"""

READING = """# How to read your engine

Two sittings are enough: the first is the engine itself, the second what makes it feel like PyTorch. Look for
`# Yours`.

## First sitting: the engine (an hour)

Read in this order. Each file needs only those above it.

1. **`core/tensor.py`.** A tensor is an array and four things that differentiation has to know: whether it requires a
   gradient, the gradient, the node that made it, and how often it was changed. Your `detach` (chapter 6) is here.
2. **`core/function.py`.** An operation and the node that it leaves are one object. Follow `x * y` through it: `apply`
   calls `forward`; `save` notes what the rules need, with its version (chapter 5); `record` makes an edge for each
   input (chapter 3), found by `gradient_edge`. At the far end is the leaf's node, whose `accumulate` adds to `.grad`
   (chapter 5). `saved_tensors` (chapter 6) refuses what has changed since.
3. **`core/engine.py`.** `run_backward` takes the newest node from a heap, until none is left (chapter 3).
   `visit_and_free` runs one node and gives its memory back; `first_gradient` says what the pass begins with (chapter
   5).
4. **`core/unbroadcast.py`**, some ten lines (chapter 2), and **`core/grad_mode.py`**, the switch behind `no_grad`
   (chapter 6).
5. **`rules/arithmetic.py`.** Each class is one line of mathematics forwards, and one for each input backwards.
   Nothing here knows of graphs: that is what the core is for.
6. **`rules/reduce.py`**, **`rules/linalg.py`**, **`rules/elementwise.py`**: the same, for sums, products of matrices
   and functions of one element. Choose one rule that you did *not* write, cover it, and derive it.
7. **`rules/loss.py`** and **`rules/activation.py`**: losses (chapters 4 and 7), and the norm of a layer (chapter 9).

Questions to take along: Where would you add an operation? Which line would break if nodes ran oldest first? Why does
no rule mention `requires_grad`?

## Second sitting: what it runs (an hour)

8. **`nn/parameter.py`, `nn/module.py`, `nn/init.py`, `nn/layers.py`.** How a module finds its parameters (chapter 8).
9. **`optim/sgd.py`, `optim/adam.py`.** A step is a formula (chapter 7); `optim/optimizer.py` remembers what it needs.
10. **`autograd/gradcheck.py`.** Two Jacobians, one measured and one from the rules (chapter 9).
11. **`surface/`** is PyTorch's way of saying all this: names, types, errors, printing, indexing, changes in place.
    You can leave it closed. If you open one file, let it be `surface/views.py`: what happens to history when two
    tensors share memory is the hardest question of the whole engine.

## And then

Write an operation that is missing, in `rules/`, in the form of its neighbours, and let `gradcheck` judge it. Compare
with PyTorch: its rules are in `tools/autograd/derivatives.yaml`, its traversal in `torch/csrc/autograd/engine.cpp`,
and you know by now what each of them is for.
"""

PYPROJECT = """[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "my-minigrad"
version = "1.0"
description = "Automatic differentiation, as I have built it"
requires-python = ">=3.11"
dependencies = ["numpy>=2.0"]

[tool.setuptools]
packages = {packages}
package-dir = {{ my_minigrad = "." }}
"""
