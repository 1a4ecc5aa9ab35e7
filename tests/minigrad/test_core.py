"""The engine in two sizes: core and rules differentiate alone, and nothing that they need lies above them."""

import ast
import graphlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "minigrad"
ROOMS = [
    "core",
    "rules",
    "surface",
    "nn",
    "optim",
    "autograd",
    "utils",
    "saving",
    "flat",
    "workshop",
]  # each may use those before it
SMALL = """
import numpy as np
from small.core import engine
from small.core.tensor import wrap
from small.rules.arithmetic import Add, Mul, Pow
from small.rules.linalg import MatMul
from small.rules.loss import BinaryCrossEntropyWithLogits
from small.rules.reduce import Mean


def leaf(values):
    x = wrap(np.asarray(values, dtype=np.float64)[()])
    x._requires_grad = True
    return x


def terms(*factors):
    total = factors[0]
    for term in factors[1:]:
        total = Add.apply(total, term)
    return total
"""


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Run a program on core and rules in a package of their own, which has no surface."""
    folder = tmp_path_factory.mktemp("alone")
    for room in ("core", "rules"):
        shutil.copytree(PACKAGE / room, folder / "small" / room, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "small" / "__init__.py").write_text("")

    def run(program):
        done = subprocess.run([sys.executable, "-c", SMALL + program], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return [float(number) for number in done.stdout.split()]

    return run


def test_the_polynomial(alone):
    found = alone("""
x = leaf(2.0)
y = terms(Mul.apply(Pow.apply(x, 4), 2), Pow.apply(x, 3), Mul.apply(Pow.apply(x, 2), 3), Mul.apply(x, 5), 1)
engine.backward(y)
print(y._array, x.grad._array)
""")
    assert found == [63, 93]


def test_several_steps_on_two_rows_of_three(alone):
    import torch

    x = torch.tensor([[1.0, 2, 3], [4, 5, 6]], dtype=torch.float64, requires_grad=True)
    ((x + 2) * (x + 2) * 3).mean().backward()
    found = alone("""
x = leaf([[1.0, 2, 3], [4, 5, 6]])
y = Add.apply(x, 2)
engine.backward(Mean.apply(Mul.apply(Mul.apply(y, y), 3)))
print(*x.grad._array.ravel())
""")
    assert found == pytest.approx(x.grad.ravel().tolist(), rel=1e-14)


def test_a_layer_under_binary_cross_entropy(alone):
    import torch

    x, y = torch.ones(5, dtype=torch.float64), torch.zeros(3, dtype=torch.float64)
    w = (torch.arange(15, dtype=torch.float64).reshape(5, 3) / 10).requires_grad_()
    b = torch.tensor([0.1, -0.2, 0.3], dtype=torch.float64, requires_grad=True)
    torch.nn.functional.binary_cross_entropy_with_logits(x @ w + b, y).backward()
    found = alone("""
w, b = leaf(np.arange(15.0).reshape(5, 3) / 10), leaf([0.1, -0.2, 0.3])
z = Add.apply(MatMul.apply(np.ones(5), w), b)
engine.backward(BinaryCrossEntropyWithLogits.apply(z, np.zeros(3)))
print(*w.grad._array.ravel(), *b.grad._array)
""")
    assert found == pytest.approx([*w.grad.ravel().tolist(), *b.grad.tolist()], rel=1e-14)


def test_a_second_pass_adds_to_the_gradient(alone):
    found = alone("""
x = leaf([1.0, 2.0])
for _ in range(2):
    engine.backward(Mean.apply(Mul.apply(x, x)))
print(*x.grad._array)
""")
    assert found == [2, 4]


def imported(path):
    """The modules of minigrad that a file imports, wherever in it the import stands."""
    here = path.relative_to(PACKAGE).with_suffix("").parts
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = (*here[: len(here) - node.level], *(node.module.split(".") if node.module else ()))
            for name in node.names:
                file = PACKAGE.joinpath(*base, name.name)
                yield (*base, name.name) if file.with_suffix(".py").is_file() or file.is_dir() else base


FILES = {path.relative_to(PACKAGE).with_suffix("").parts: path for path in PACKAGE.rglob("*.py")}


def test_arrows_run_one_way():
    for name, path in FILES.items():
        for target in imported(path) if len(name) > 1 else ():
            assert target and ROOMS.index(target[0]) <= ROOMS.index(name[0]), f"{'/'.join(name)} imports {target}"


def test_no_files_go_round_in_a_circle():
    names = {name[:-1] if name[-1] == "__init__" else name: path for name, path in FILES.items()}
    arrows = {name: {target for target in imported(path) if target != name} for name, path in names.items() if name}
    graphlib.TopologicalSorter(arrows).prepare()


def test_a_circle_would_be_seen():
    with pytest.raises(graphlib.CycleError):
        graphlib.TopologicalSorter({"a": {"b"}, "b": {"a"}}).prepare()
