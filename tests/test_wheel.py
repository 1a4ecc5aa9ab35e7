"""What `pip install minigrad` gives: an engine that needs NumPy alone, built here and used in an environment of its own."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("minigrad", "grader", "pyproject.toml", "README.md", "LICENSE", "LICENSE-TEXT")


def run(*command, cwd, **environment):
    """A command's exit status and what it printed, without this environment's packages in its way."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | environment
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, encoding="utf-8")
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of a copy of the sources: nothing is written into the project."""
    folder = tmp_path_factory.mktemp("wheel")
    archive = folder / "sources.tar"
    with tarfile.open(archive, "w") as packed:
        for name in SOURCES:
            packed.add(ROOT / name, name, filter=lambda one: None if "__pycache__" in one.name else one)
    with tarfile.open(archive) as packed:
        packed.extractall(folder / "sources", filter="data")
    build = "import setuptools.build_meta as build; print(build.build_wheel('..'))"
    status, said = run(sys.executable, "-c", build, cwd=folder / "sources")
    assert status == 0, said
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The Python of an environment that holds NumPy, copied from this one, and the wheel: no network is needed."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    site = next(folder.rglob("site-packages"))
    for lent in Path(np.__file__).parent.parent.glob("numpy*"):
        shutil.copytree(lent, site / lent.name)
    pip = (sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check")
    status, said = run(
        *pip, "install", "--no-index", str(wheel), cwd=folder
    )  # which fails where more than NumPy is asked for
    assert status == 0, said
    return python


def in_it(installed, code, cwd):
    return run(installed, "-c", code, cwd=cwd)


def test_the_wheel_asks_for_numpy_alone(wheel):
    with zipfile.ZipFile(wheel) as packed:
        about = next(name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
        lines = packed.read(about).decode().splitlines()
    wanted = [line.removeprefix("Requires-Dist: ") for line in lines if line.startswith("Requires-Dist: ")]
    assert [one for one in wanted if "extra ==" not in one] == ["numpy>=2.0"]
    assert any(one.startswith("torch==2.13.0") for one in wanted), "the extra `course` is there"


def test_no_annotation_that_python_evaluates_asks_for_more_than_numpy_2_0_has():
    """There, ndarray and dtype alone of what is annotated here take brackets."""
    for path in (ROOT / "minigrad").rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        if any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body):
            continue
        said = [getattr(node, "annotation", None) or getattr(node, "returns", None) for node in ast.walk(tree)]
        names = [name for one in said if one for name in re.findall(r"\bnp\.(\w+)\[", ast.unparse(one))]
        assert set(names) <= {"ndarray", "dtype"}, path


def test_the_wheel_says_that_it_has_types(wheel):
    with zipfile.ZipFile(wheel) as packed:
        assert "minigrad/py.typed" in packed.namelist()


def test_the_engine_runs_with_numpy_alone(installed, tmp_path):
    code = (
        "import minigrad\n"
        "x = minigrad.tensor(2.0, requires_grad=True)\n"
        "(2 * x**4 + x**3 + 3 * x**2 + 5 * x + 1).backward()\n"
        "print(minigrad.__version__, x.grad)"
    )
    import minigrad

    status, said = in_it(installed, code, tmp_path)
    assert (status, said.strip()) == (0, f"{minigrad.__version__} tensor(93.)")


def test_a_network_learns_with_numpy_alone(installed, tmp_path):
    code = (
        "import minigrad as torch\n"
        "from minigrad import nn, optim\n"
        "net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))\n"
        "x, y = torch.tensor([[0., 0], [0, 1], [1, 0], [1, 1]]), torch.tensor([[0.], [1], [1], [0]])\n"
        "optimizer = optim.Adam(net.parameters(), lr=0.05)\n"
        "losses = []\n"
        "for _ in range(300):\n"
        "    optimizer.zero_grad()\n"
        "    loss = nn.functional.mse_loss(net(x), y)\n"
        "    loss.backward()\n"
        "    optimizer.step()\n"
        "    losses.append(loss.item())\n"
        "print(losses[-1] < losses[0] / 2)"
    )
    assert in_it(installed, code, tmp_path) == (0, "True\n")


def test_the_grader_says_what_it_needs(installed, tmp_path):
    status, said = run(installed, "-m", "grader", "report", cwd=tmp_path)
    assert status == 2 and "Traceback" not in said
    assert "minigrad[course]" in said


def test_the_grader_outside_a_course_says_so(tmp_path):
    status, said = run(sys.executable, "-m", "grader", "report", "--chapter", "1", cwd=tmp_path, PYTHONPATH=str(ROOT))
    assert status != 0 and "Traceback" not in said
    assert "There is no course in" in said


def test_only_what_is_meant_is_public():
    import minigrad

    assert not {"np", "Any", "annotations", "once", "warnings"} & set(minigrad.__all__)
    assert all(hasattr(minigrad, name) for name in minigrad.__all__)
