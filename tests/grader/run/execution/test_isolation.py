"""What a cell cannot reach from inside the sandbox."""

import ast
import os
import socket
import sys
from pathlib import Path

import pytest

from grader.run.execution import sandbox_problem

from .conftest import text

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(bool(sandbox_problem()), reason=str(sandbox_problem())),
]

PROJECT = Path(__file__).parents[4]
SITE = Path(pytest.__file__).parents[1]


@pytest.fixture
def value(run):
    """What an expression comes to inside (any literal)."""

    def _value(expression, setup="import os"):
        _, result = run(setup, f"print(repr({expression}))", cell_seconds=20)
        assert result.state == "ok", result.detail
        return ast.literal_eval(text(result))

    return _value


def test_no_network(run):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        socket.create_connection(("127.0.0.1", port)).close()  # It can be reached from here.
        [result] = run(f"import socket; socket.create_connection(('127.0.0.1', {port}), timeout=1)")
    assert result.state == "error"
    assert "Error" in result.detail


def test_only_a_loopback_interface(value):
    assert value("[name for _, name in socket.if_nameindex()]", "import socket") == ["lo"]


def test_no_other_process(value):
    assert value("os.getppid()") == 1
    assert len(value("[p for p in os.listdir('/proc') if p.isdigit()]")) <= 4


HIDDEN = [
    str(path)
    for path in (
        PROJECT,
        Path.home() / ".bashrc",
        "/home",
        "/var",
        "/root/.ssh",
        "/etc/passwd",
        "/etc/shadow",
        "/run",
        "/mnt",
        "/opt",
    )
]


def test_host_files_are_not_there(value):
    """One kernel looks for all of them."""
    assert value(f"[path for path in {HIDDEN!r} if os.path.exists(path)]") == []


def test_home_holds_nothing_of_the_hosts(value, tmp_path):
    secret = Path.home() / ".minigrad-isolation-test"
    secret.write_text("secret")
    try:
        assert value(f"os.path.exists({str(secret)!r})") is False
    finally:
        secret.unlink()
    (tmp_path / "other-submission").write_text("secret")
    assert value(f"os.path.exists({str(tmp_path / 'other-submission')!r})") is False


def test_torch_is_nowhere_even_by_path(value, run):
    assert value("[d for d, _, _ in os.walk('/') if os.path.basename(d) in ('torch', 'nbgrader', 'sympy')]") == []
    [result] = run(f"import sys; sys.path.append({str(SITE)!r}); import torch")
    assert "ModuleNotFoundError" in result.detail


def test_no_packages_but_the_allowed_ones_are_there(value):
    """Neither those of the grader's Python nor those of the system's own, which may be another."""
    found = value(
        "[name for prefix in {'/usr', '/usr/local', '/', sys.base_prefix}"
        " for name in glob.glob(prefix + '/lib*/python3*/*-packages/*')]",
        "import glob, sys",
    )
    assert found == []


def test_only_the_scratch_folder_can_be_written(run):
    """One kernel tries them all."""
    folders = ["/", "/student", "/student/course/minigrad", "/student/site", "/usr", "/etc", "/dev"]
    for result in run(*(f"open('{folder}/planted', 'w').write('x')" for folder in folders)):
        assert result.state == "error", result
        assert "Read-only file system" in result.detail or "Permission denied" in result.detail


def test_the_interpreter_cannot_be_written(run):
    [result] = run("import os; open(os.path.dirname(os.__file__) + '/planted.py', 'w')")
    assert "Read-only file system" in result.detail or "Permission denied" in result.detail


def test_scratch_is_private_to_a_kernel(run, value):
    run("open('/tmp/planted', 'w').write('x')")
    assert value("os.path.exists('/tmp/planted')") is False
    assert not os.path.exists("/tmp/planted")


def test_the_environment_has_no_secret(monkeypatch, value):
    monkeypatch.setenv("MINIGRAD_SECRET", "hunter2")
    environment = value("dict(os.environ)")
    assert "hunter2" not in str(environment)
    assert str(PROJECT) not in str(environment)
    assert not {"USER", "VIRTUAL_ENV", "SSH_AUTH_SOCK"} & set(environment)


def test_neither_the_grader_nor_the_project_is_importable_or_named(value):
    assert all(str(PROJECT) not in path and str(SITE) not in path for path in value("sys.path", "import sys"))
    assert value("importlib.util.find_spec('grader')", "import importlib.util") is None


def test_no_privilege(value):
    assert value("os.getuid()") == 1000
    status = value("open('/proc/self/status').read()")
    assert "CapEff:\t0000000000000000" in status
    assert "NoNewPrivs:\t1" in status


def test_limits_cannot_be_raised(run):
    results = run(
        "import resource",
        "resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)",
        "assert resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)",
    )
    assert [r.state for r in results] == ["ok", "error", "ok"]


def test_no_file_of_the_graders_is_open(value):
    files = value(
        "sorted(map(os.readlink, [f'/proc/self/fd/{n}' for n in os.listdir('/proc/self/fd') if int(n) > 2"
        " and os.path.lexists(f'/proc/self/fd/{n}')]))"
    )
    assert [name for name in files if name.startswith("/") and not name.startswith(("/dev", "/proc", "/tmp"))] == []


def test_the_interpreter_is_the_graders(value):
    assert tuple(value("list(sys.version_info[:3])", "import sys")) == sys.version_info[:3]
