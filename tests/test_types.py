"""What type checkers see: the stub of Tensor names what the running class has, and a program is checked by it."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import minigrad

STUB = Path(minigrad.__file__).parent / "core" / "tensor.pyi"

RIGHT = """
import minigrad as torch

x: torch.Tensor = torch.tensor([1.0, 2.0], requires_grad=True)
layer = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
loss = ((2 * x + 1) @ layer.weight.T - x.sum() ** 2).mean()
loss.backward()
optimizer.step()
gradients = torch.autograd.grad((x * x).sum(), x)
number: float = loss.item()
axes: int = x.ndim
shape: tuple[int, ...] = x.reshape(2, 1).shape
assert x.grad is not None
x.grad.zero_()
"""

WRONG = {
    "x.summ()": "attr-defined",
    "x + 'one'": "operator",
    "x.transpose('a', 0)": "arg-type",
    "n: int = x.exp()": "assignment",
    "x.shape = (2,)": "misc",
}


def public(names):
    return {name for name in names if not name.startswith("_")}


def test_the_stub_and_the_running_class_have_the_same_public_names():
    (tensor,) = [node for node in ast.parse(STUB.read_text("utf-8")).body if getattr(node, "name", "") == "Tensor"]
    declared = {node.name for node in tensor.body if isinstance(node, ast.FunctionDef)}
    declared |= {node.target.id for node in tensor.body if isinstance(node, ast.AnnAssign)}
    assert public(declared) == public(vars(minigrad.Tensor))
    assert {name for name in declared if name.startswith("__")} <= set(dir(minigrad.Tensor))


@pytest.fixture(scope="module")
def complaints(tmp_path_factory):
    """What mypy says of two programs that use minigrad, told in one breath, for it reads NumPy first: lines of errors."""
    folder = tmp_path_factory.mktemp("programs")
    (folder / "right.py").write_text(RIGHT, "utf-8")
    lines = ["import minigrad as torch", "x = torch.tensor([1.0])", *WRONG]
    (folder / "wrong.py").write_text("\n".join(lines), "utf-8")
    options = ["--strict", "--follow-imports=silent", "--config-file=", "right.py", "wrong.py"]
    environment = os.environ | {"MYPYPATH": str(STUB.parents[2])}
    command = [sys.executable, "-m", "mypy", *options]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)
    return [line for line in done.stdout.splitlines() if "error:" in line]


def test_a_right_program_passes(complaints):
    assert [line for line in complaints if not line.startswith("wrong.py:")] == []


def test_wrong_lines_do_not(complaints):
    for number, (line, code) in enumerate(WRONG.items(), 3):
        assert any(said.startswith(f"wrong.py:{number}:") and f"[{code}]" in said for said in complaints), (
            line,
            complaints,
        )
