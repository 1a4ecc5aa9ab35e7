"""The same walls for everything that starts kernels by kernel spec."""

import os
from importlib.metadata import entry_points
from pathlib import Path

import nbformat
import pytest
from jupyter_client import AsyncKernelManager, KernelManager
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from nbclient import NotebookClient

from grader.execution import provisioner as module
from grader.execution.provisioner import SandboxProvisioner

from .conftest import SANDBOX, UNSAFE, text

PROJECT = str(Path(__file__).parents[3])


class OneSpec(KernelSpecManager):
    """Knows a single kernel, whose command must not be run."""

    def get_kernel_spec(self, kernel_name):
        return KernelSpec(argv=["/bin/false", "{connection_file}"], display_name=kernel_name, language="python")


def _manager(kind=KernelManager, **options):
    manager = kind(kernel_spec_manager=OneSpec(), kernel_name="student")
    manager.provisioner = SandboxProvisioner(kernel_id="1", kernel_spec=manager.kernel_spec, parent=manager, **options)
    return manager


@pytest.fixture
def execute(course):
    """Run cells through nbclient, with the provisioner; the manager and the cells."""

    def _execute(*sources, unsafe=False):
        # nbclient waits for outputs without end if the manager's client is a blocking one.
        manager = _manager(AsyncKernelManager, course=str(course), unsafe=unsafe)
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
        client = NotebookClient(notebook, km=manager, allow_errors=True, timeout=10)
        return manager, client.execute(cleanup_kc=True).cells

    return _execute


@pytest.mark.parametrize("unsafe", [SANDBOX, UNSAFE])
def test_nbclient_runs_in_the_room(execute, unsafe, monkeypatch):
    monkeypatch.setenv("MINIGRAD_SECRET", "hunter2")
    manager, cells = execute(
        "import minigrad, os; print(minigrad.name)", "print(dict(os.environ))", "import torch", unsafe=unsafe
    )
    assert text(cells[0]) == "the course\n"
    assert "hunter2" not in text(cells[1])
    assert cells[2].outputs[0].ename == "ModuleNotFoundError"
    assert manager.transport == "ipc"


@pytest.mark.sandbox
@pytest.mark.parametrize("unsafe", [SANDBOX])
def test_the_project_is_out_of_sight(execute, unsafe):
    _, cells = execute(f"import os; print(os.path.exists({PROJECT!r}))", unsafe=unsafe)
    assert text(cells[0]) == "False\n"


@pytest.mark.parametrize("unsafe", [SANDBOX, UNSAFE])
def test_a_kernel_is_interrupted_by_message(course, unsafe):
    manager = _manager(course=str(course), unsafe=unsafe)
    manager.start_kernel()
    client = manager.client()
    try:
        client.start_channels()
        client.wait_for_ready(timeout=20)
        request = client.execute("print('started', flush=True)\nwhile True: pass")
        while client.get_iopub_msg(timeout=10)["msg_type"] != "stream":
            pass
        manager.interrupt_kernel()
        while (reply := client.get_shell_msg(timeout=10))["parent_header"]["msg_id"] != request:
            pass
        assert reply["content"]["ename"] == "KeyboardInterrupt"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


@pytest.mark.parametrize("unsafe", [SANDBOX, UNSAFE])
def test_a_manager_starts_restarts_and_leaves_nothing(course, tmp_path, monkeypatch, unsafe):
    monkeypatch.setattr(module.tempfile, "tempdir", str(tmp_path))
    manager = _manager(course=str(course), unsafe=unsafe)
    manager.start_kernel()
    manager.restart_kernel(now=True)
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=20)
    client.stop_channels()
    assert any(name.startswith("mg-") for name in os.listdir(tmp_path))
    manager.shutdown_kernel()
    assert os.listdir(tmp_path) == []
    assert not manager.is_alive()


def test_a_missing_course_is_said_so():
    manager = _manager(course="/nowhere", unsafe=True)
    with pytest.raises(RuntimeError, match="not a folder: '/nowhere'"):
        manager.start_kernel()


def test_it_is_registered():
    found = entry_points(group="jupyter_client.kernel_provisioners", name="minigrad-sandbox")
    if not found:
        pytest.skip("the project is not installed here, only on the path")
    assert next(iter(found)).load() is SandboxProvisioner
