"""The doctor finds what is wrong, says it in a sentence, and never faints."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from grader.classroom import doctor
from grader.classroom.doctor import FINE, NOTE, WRONG
from grader.learner import here, notebook, why
from grader.run.execution import control_group, walls
from grader.verdict import pinned

ROOT = Path(__file__).resolve().parents[3]


def only(found):
    """The one thing that was found: its state and sentence."""
    (one,) = list(found)
    assert one.says[0].isupper() or one.says.startswith(("torch", "numpy", "notebooks", "environment.yml", "jupytext"))
    assert one.says.endswith((".", ")"))
    return one.state, one.says


def versions(monkeypatch, **others):
    real = pinned.installed
    for module in (doctor, pinned):
        monkeypatch.setattr(module, "installed", lambda name: others.get(name, real(name)))


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course")
    for name in ("solutions", "notebooks"):
        shutil.copytree(ROOT / name / "chapter1", folder / name / "chapter1")
    for name in ("pyproject.toml", "environment.yml", "nbgrader_config.py"):
        shutil.copy(ROOT / name, folder)
    return folder


def test_the_pinned_torch_is_the_one_that_is_named():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert f"torch=={doctor.TORCH}" in project["optional-dependencies"]["course"]


def test_old_python(monkeypatch):
    assert only(doctor.python())[0] == FINE
    monkeypatch.setattr(doctor.platform, "python_version_tuple", lambda: ("3", "10", "2"))
    assert only(doctor.python())[0] == WRONG


@pytest.mark.parametrize("version, state", [("2.13.0", FINE), ("2.13.0+cpu", FINE), ("2.4.1", NOTE), (None, WRONG)])
def test_torch_missing_or_of_another_version(monkeypatch, version, state):
    versions(monkeypatch, torch=version)
    found = doctor.torch()
    assert found.state == state
    assert state == FINE or "pip install torch==2.13.0" in found.says


def test_packages_missing_or_old(monkeypatch):
    versions(monkeypatch, jupytext=None, nbgrader="0.8.0", torch="2.13.0", latex2mathml="3.81.1")
    found = {one.says.split()[0]: one.state for one in doctor.packages(ROOT)}
    assert found == {"jupytext": WRONG, "nbgrader": NOTE, "torch": FINE}


def test_a_package_that_does_not_start(monkeypatch, tmp_path):
    (tmp_path / "numpy.py").write_text("raise OSError('libblas is not there')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    versions(monkeypatch, torch=None)
    state, words = only(doctor.numbers())
    assert state == WRONG and "OSError: libblas is not there" in words


@pytest.mark.parametrize("program, says", [(None, "apt install bubblewrap"), ("/usr/bin/bwrap", "sysctl user.max")])
def test_no_sandbox(monkeypatch, program, says):
    monkeypatch.setattr("grader.run.execution.sandbox_problem", lambda: "The sandbox does not work.")
    monkeypatch.setattr(doctor.sys, "platform", "linux")
    monkeypatch.setattr(doctor.shutil, "which", lambda name: program)
    monkeypatch.setattr(doctor, "_setting", lambda name: "0" if name == "user.max_user_namespaces" else "")
    state, words = only(doctor.sandbox())
    assert state == NOTE and says in words and "--unsafe" in words


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")


def wall(name):
    return [found for found in doctor.walls() if found.says.startswith(name)]


@LINUX
def test_every_wall_is_named():
    words = " ".join(found.says for found in doctor.walls())
    for name in (
        "ser namespaces",
        "bounded",
        "Devices",
        "filter of system calls",
        "io_uring",
        "pidfds",
        "Control groups",
    ):
        assert name in words, name
    assert len(list(doctor.walls())) == 7


@LINUX
@pytest.mark.parametrize("missing, state", [("", FINE), ("run `pip install 'minigrad[walls]'`", NOTE)])
def test_a_sandbox_without_a_filter_of_system_calls_is_named(monkeypatch, missing, state):
    monkeypatch.setattr("grader.run.execution.seccomp.missing", lambda: missing)
    found = next(one for one in doctor.walls() if "filter of system calls" in one.says and "io_uring" not in one.says)
    assert found.state == state and missing in found.says


@LINUX
def test_what_no_filter_closes_is_named(monkeypatch):
    """Whatever this machine lets a process call: a filter that refuses nothing stands for a missing one."""
    monkeypatch.setattr(walls, "NUMBERS", {})
    (found,) = wall("io_uring")
    assert found.state == NOTE and "sysctl kernel.io_uring_disabled=2" in found.says


@LINUX
@pytest.mark.parametrize(
    "program, name, says",
    [
        ("print(1)", "NAMESPACE", "sysctl user.max_user_namespaces"),
        ("print(28)", "NAMESPACE", "not allowed"),
        ("raise SystemExit(1)", "NAMESPACE", "not allowed"),
    ],
)
def test_without_user_namespaces_it_says_what_allows_them(monkeypatch, program, name, says):
    monkeypatch.setattr(walls, name, program)
    (found,) = wall("User namespaces")
    assert found.state == NOTE and says in found.says


@LINUX
def test_folders_without_bounds_and_processes_without_handles_are_named(monkeypatch):
    monkeypatch.setattr(walls.sandbox, "sandbox_problem", lambda: "There is none.")
    monkeypatch.delattr(walls.os, "pidfd_open")
    (folders,), (handles,) = wall("What a submission writes"), wall("A submission's processes")
    assert "apt install bubblewrap" in folders.says and "Linux 5.4" in handles.says


@LINUX
@pytest.mark.skipif(bool(walls.sandbox.sandbox_problem()), reason="tried inside bubblewrap")
@pytest.mark.parametrize("program, state", [("print(0)", FINE), ("print(1)", NOTE), ("1 / 0", NOTE)])
def test_devices_that_root_would_lend_are_named(monkeypatch, program, state):
    monkeypatch.setattr(walls, "DEVICES", program)
    (found,) = (one for one in doctor.walls() if "/dev/null" in one.says)
    assert found.state == state and ("grade as another user" in found.says) == (state == NOTE)


@LINUX
def test_control_groups_that_are_granted_or_not_are_named(monkeypatch):
    def refused():
        raise control_group.NotGranted("nobody grants them")

    monkeypatch.setattr(control_group, "granted", refused)
    (found,) = wall("Control groups")
    assert found.state == NOTE and "nobody grants them" in found.says and "-p Delegate=yes grader" in found.says
    monkeypatch.setattr(control_group, "granted", lambda: None)
    assert wall("Control groups")[0].state == FINE


def test_kernels(monkeypatch, tmp_path):
    from jupyter_client.kernelspec import KernelSpecManager

    assert only(doctor.kernel())[0] == FINE
    spec = KernelSpecManager().get_kernel_spec("python3")
    spec.argv = [str(tmp_path / "python"), "-m", "ipykernel_launcher"]
    monkeypatch.setattr(KernelSpecManager, "get_kernel_spec", lambda self, name: spec)
    assert "is not there" in only(doctor.kernel())[1]
    (tmp_path / "python").touch()
    assert "another Python" in only(doctor.kernel())[1]
    monkeypatch.undo()
    monkeypatch.setattr(KernelSpecManager, "_find_spec_directory", lambda self, name: None)
    monkeypatch.setattr(KernelSpecManager, "ensure_native_kernel", False)
    state, words = only(doctor.kernel())
    assert state == WRONG and "ipykernel install" in words


def test_a_folder_that_cannot_be_written(monkeypatch, tmp_path):
    monkeypatch.delenv("MY_MINIGRAD", raising=False)
    (tmp_path / "file").touch()
    states = [one.state for one in doctor.folders(tmp_path, tmp_path / "file" / "class")]
    assert states == [FINE, WRONG, FINE]
    assert not (tmp_path / "my_minigrad").exists(), "a look leaves nothing behind"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(tmp_path):
    tmp_path.chmod(0o500)
    assert doctor.unwritable(tmp_path)


def test_alembic(monkeypatch):
    assert only(doctor.alembic())[0] == FINE
    monkeypatch.setattr(doctor.shutil, "which", lambda name, path: None if name == "alembic" else name)
    assert only(doctor.alembic())[0] == WRONG


def test_a_port_in_use():
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]
        assert only(doctor.port(number))[0] == NOTE
    assert only(doctor.port(number))[0] == FINE


def test_notebooks(course):
    release = course / "notebooks" / "chapter1" / "one-step.ipynb"
    text = release.read_text()
    assert only(doctor.notebooks(course))[0] == FINE
    release.write_text(text[:200] + "\n<<<<<<< HEAD\n" + text[200:])
    state, words = only(doctor.notebooks(course))
    assert state == WRONG and "two versions were merged" in words
    broken = json.loads(text)
    broken["cells"] = [
        cell for cell in broken["cells"] if cell["metadata"].get("nbgrader", {}).get("grade_id") != "setup"
    ]
    release.write_text(json.dumps(broken))
    state, words = only(doctor.notebooks(course))
    assert state == NOTE and "(setup)" in words
    release.unlink()
    state, words = only(doctor.notebooks(course))
    assert state == WRONG and "make notebooks" in words
    release.write_text(text)


@pytest.mark.parametrize(
    "name",
    ["one-step.yours.ipynb", "one-step (Ada's conflicted copy).ipynb", "one-step-Copy1.ipynb", "one-step.ipynb.orig"],
)
def test_copies_of_two_tools(course, name):
    copy = course / "notebooks" / "chapter1" / name
    copy.touch()
    state, words = only(doctor.notebooks(course))
    copy.unlink()
    assert state == NOTE and name in words


def test_no_course_and_no_environment(tmp_path, course):
    assert only(doctor.notebooks(tmp_path))[0] == WRONG
    assert only(doctor.conda(course))[0] == FINE
    listed = (course / "environment.yml").read_text()
    (tmp_path / "environment.yml").write_text(listed.replace("      - numpy~=2.4\n", ""))
    shutil.copy(course / "pyproject.toml", tmp_path)
    assert "lacks numpy~=2.4" in only(doctor.conda(tmp_path))[1]


def test_an_examination_that_fails_does_not_stop_the_others(monkeypatch, capsys):
    def fails():
        raise ValueError("something else")
        yield

    monkeypatch.setattr(doctor, "sandbox", fails)
    monkeypatch.setattr(doctor, "numbers", lambda: ())
    assert doctor.main() == 1
    said = capsys.readouterr().out
    assert "ValueError: something else" in said and "Port" in said


@pytest.mark.parametrize("missing", ["typer", "numpy", "jupyter_client", "nbformat"])
def test_the_command_runs_where_a_package_is_missing(tmp_path, missing):
    (tmp_path / f"{missing}.py").write_text(f"raise ModuleNotFoundError('No module named {missing}', name='{missing}')")
    path = os.pathsep.join([str(tmp_path), str(ROOT), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-m", "grader", "doctor"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert run.returncode == (0 if missing == "typer" else 1)
    assert "Traceback" not in run.stdout + run.stderr and not run.stderr
    if missing == "typer":
        other = [sys.executable, "-m", "grader", "report"]
        run = subprocess.run(other, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
        assert run.returncode == 2 and run.stdout.startswith("grader: typer cannot be imported")


def test_another_torch_is_a_line_of_the_check(monkeypatch, capsys):
    versions(monkeypatch, torch="2.4.1")
    monkeypatch.setattr(notebook, "stale", lambda exercise: [])
    for module in (here, why):
        monkeypatch.setattr(module, "names_here", dict)
    with pytest.raises(notebook.NotRight):
        notebook.check("square")
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("torch 2.4.1 is installed, but the course is tested with 2.13.0")


@pytest.mark.skipif(sys.platform != "linux", reason="control groups are Linux's")
@pytest.mark.parametrize(
    "bounds, state",
    [
        ({"a/b/memory.max": "1073741824\n", "a/memory.max": "max\n"}, "ok"),
        ({"a/b/memory.max": "max\n", "a/memory.max": "2147483648\n"}, "ok"),
        ({"a/b/memory.max": "max\n"}, "note"),
        ({}, "note"),
    ],
)
def test_a_control_group_that_bounds_memory_is_found(tmp_path, bounds, state):
    for name, text in bounds.items():
        (tmp_path / "groups" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "groups" / name).write_text(text)
    (tmp_path / "own").write_text("4:memory:/x\n0::/a/b\n")
    (found,) = doctor.memory(tmp_path / "own", tmp_path / "groups")
    assert found.state == state and ("systemd-run" in found.says) == (state == "note")
