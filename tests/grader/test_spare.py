"""A notebook's kernel may be one that was started before, and nothing but its start tells."""

import importlib.util
import os
import time
from types import SimpleNamespace

import psutil
import pytest
from jupyter_client.manager import KernelManager
from jupyter_client.provisioning import KernelProvisionerFactory

from grader import spare

pytestmark = pytest.mark.skipif(os.name == "nt", reason="kernels start as they always do")
LATE = "colorsys"  # a small library that no kernel imports by itself


@pytest.fixture
def line(monkeypatch):
    """A line of its own, for kernels that are started as with the server extension."""
    monkeypatch.setattr(spare, "line", spare.Line())
    monkeypatch.setattr(spare, "LIBRARIES", (LATE,))
    monkeypatch.setattr(spare, "REST", 3600.0)
    KernelProvisionerFactory.clear_instance()
    yield spare.line
    spare.line.close()
    KernelProvisionerFactory.clear_instance()


@pytest.fixture
def start(tmp_path):
    """Starts a kernel in tmp_path; a function runs an expression there, and returns its value as text."""
    managers = []

    def run(**options):
        manager = KernelManager(kernel_name="python3", **options)
        managers.append(manager)
        manager.start_kernel(cwd=str(tmp_path), env={**os.environ, "SAID": "to the kernel"})
        client = manager.client()
        client.start_channels()
        client.wait_for_ready(timeout=60)

        def value(expression):
            reply = client.execute_interactive("", user_expressions={"it": expression}, timeout=60)
            return reply["content"]["user_expressions"]["it"]["data"]["text/plain"]

        return SimpleNamespace(value=value, manager=manager, client=client)

    yield run
    for manager in managers:
        manager.shutdown_kernel(now=True)


def waiting(line):
    """The spare's process, when it has nothing to do but wait."""
    process = psutil.Process(line._spare.pid)
    used = None
    while used != (used := process.cpu_times()):
        time.sleep(0.3)
    return process


MODULES = "__import__('importlib').import_module('sys').modules"


def imported(kernel, name):
    """Whether a kernel has imported it."""
    return kernel.value(f"{name!r} in {MODULES}") == "True"


def test_a_kernel_comes_from_the_spare_and_is_like_any_other(line, start):
    spare._load_jupyter_server_extension(None)
    process = waiting(line)
    mine, other = start(), start()
    assert mine.manager.provisioner.pid == process.pid != other.manager.provisioner.pid
    assert imported(mine, LATE) and not imported(other, LATE)
    assert not imported(mine, "minigrad") and not imported(mine, "grader")
    for about in ("sys.path", "os.getcwd()", "os.environ['SAID']", "os.environ['MPLBACKEND']", "sys.argv[1]"):
        looked_up = f"(lambda os, sys: {about})(*map(__import__, ('os', 'sys')))"
        assert mine.value(looked_up) == other.value(looked_up), about


def test_it_is_interrupted_and_restarted_like_any_other(line, start):
    spare._load_jupyter_server_extension(None)
    kernel = start()
    running = kernel.client.execute("while True: pass")
    time.sleep(0.5)
    kernel.manager.interrupt_kernel()
    reply = kernel.client.get_shell_msg(timeout=30)
    assert reply["parent_header"]["msg_id"] == running and reply["content"]["ename"] == "KeyboardInterrupt"
    before = kernel.manager.provisioner.pid
    line.fill()
    fresh = line._spare.pid
    kernel.manager.restart_kernel(now=True)
    kernel.client.wait_for_ready(timeout=60)
    assert kernel.manager.provisioner.pid == fresh != before


def test_orders_that_come_early_are_followed_at_once(line, start, monkeypatch):
    monkeypatch.setattr(spare, "LIBRARIES", (LATE, "torch"))
    spare._load_jupyter_server_extension(None)
    assert not imported(start(), "torch")


def test_a_kernel_with_a_program_or_an_environment_of_its_own_starts_as_always():
    manager = KernelManager(kernel_name="python3")
    manager.kernel_spec.env = {"MPLBACKEND": "agg"}
    provisioner = spare.SpareProvisioner(kernel_spec=manager.kernel_spec, parent=manager)
    assert not provisioner._could_be([*spare.KERNEL, "-f", "kernel.json"])
    manager.kernel_spec.env = {}
    assert provisioner._could_be([*spare.KERNEL, "-f", "kernel.json"])
    assert not provisioner._could_be(["R", "--slave"])


def test_without_a_spare_that_lives_a_kernel_starts_as_always(line, start):
    spare._load_jupyter_server_extension(None)
    dead = line._spare
    dead.kill()
    dead.wait()
    assert start().value("1 + 1") == "2"


def test_another_spare_stands_by_after_a_rest(line, start, monkeypatch):
    monkeypatch.setattr(spare, "REST", 0.1)
    spare._load_jupyter_server_extension(None)
    start()
    time.sleep(1)
    assert line._spare.poll() is None


def test_a_spare_ends_with_jupyterlab(line):
    line.fill()
    waiting(line)
    left = line._spare
    left.stdin.close()
    assert left.wait(30) == 0


def test_what_a_spare_imports_is_here_and_no_part_of_the_course():
    for name in spare.LIBRARIES:
        assert importlib.util.find_spec(name), name
        assert name.partition(".")[0] not in ("minigrad", "grader", "my_minigrad")
