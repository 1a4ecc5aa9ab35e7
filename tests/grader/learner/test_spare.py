"""A notebook's kernel may be one that was started before, and nothing but its start tells."""

import importlib.util
import os
import time
from types import SimpleNamespace

import psutil
import pytest
from jupyter_client.manager import KernelManager
from jupyter_client.provisioning import KernelProvisionerFactory

from grader.learner import spare

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
        manager.start_kernel(cwd=str(tmp_path), env={**os.environ, "SAID": "to the kernel"})
        client = manager.client()
        managers.append((manager, client))
        client.start_channels()
        client.wait_for_ready(timeout=60)

        def value(expression):
            reply = client.execute_interactive("", user_expressions={"it": expression}, timeout=60)
            return reply["content"]["user_expressions"]["it"]["data"]["text/plain"]

        return SimpleNamespace(value=value, manager=manager, client=client)

    yield run
    for manager, client in managers:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def waiting(line):
    """The spare's process, when it has nothing to do but wait. One that only waits for a processor does not sleep."""
    process = psutil.Process(line._spare.pid)
    used = None
    while used != (used := process.cpu_times()) or process.status() != psutil.STATUS_SLEEPING:
        time.sleep(0.3)
    return process


MODULES, OS = "__import__('sys').modules", "__import__('os')"


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
    running = kernel.client.execute("print('running', flush=True)\nwhile True: pass")
    while kernel.client.get_iopub_msg(timeout=30)["msg_type"] != "stream":
        pass
    kernel.manager.interrupt_kernel()
    while (reply := kernel.client.get_shell_msg(timeout=30))["parent_header"]["msg_id"] != running:
        pass
    assert reply["content"]["ename"] == "KeyboardInterrupt"
    before = kernel.manager.provisioner.pid
    line.fill()
    fresh = line._spare.pid
    kernel.manager.restart_kernel(now=True)
    kernel.client.wait_for_ready(timeout=60)
    assert kernel.manager.provisioner.pid == fresh != before


def test_orders_that_come_early_are_followed_at_once(line, start, monkeypatch, tmp_path):
    (tmp_path / "as_long_as_it_takes.py").write_text("import select; select.select([0], [], [])")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(spare, "LIBRARIES", ("as_long_as_it_takes", LATE))
    spare._load_jupyter_server_extension(None)
    assert not imported(start(), LATE)


def test_a_figure_is_shown_by_a_kernel_that_imported_matplotlib_before(line, start, monkeypatch):
    monkeypatch.setattr(spare, "LIBRARIES", ("matplotlib.pyplot",))
    spare._load_jupyter_server_extension(None)
    waiting(line)
    kernel, shown = start(), []
    assert imported(kernel, "matplotlib.pyplot")
    draw = "import matplotlib.pyplot as plt\nplt.plot([1, 2]);"
    kernel.client.execute_interactive(
        draw, timeout=60, output_hook=lambda m: shown.extend(m["content"].get("data", ()))
    )
    assert "image/png" in shown


def test_what_only_the_spare_was_started_with_is_not_in_the_kernels_environment(line, start, monkeypatch):
    monkeypatch.setenv("NBGRADER_VALIDATING", "1")
    spare._load_jupyter_server_extension(None)
    waiting(line)
    monkeypatch.delenv("NBGRADER_VALIDATING")
    kernel = start()
    assert imported(kernel, LATE) and kernel.value(f"'NBGRADER_VALIDATING' in {OS}.environ") == "False"
    assert kernel.value(f"{OS}.environ['JPY_PARENT_PID']") == repr(str(os.getpid()))


def test_a_kernel_with_a_program_or_an_environment_of_its_own_starts_as_always():
    manager = KernelManager(kernel_name="python3")
    manager.kernel_spec.env = {"MPLBACKEND": "agg"}
    provisioner = spare.SpareProvisioner(kernel_spec=manager.kernel_spec, parent=manager)
    assert not provisioner._could_be([*spare.KERNEL, "-f", "kernel.json"], {})
    manager.kernel_spec.env = {}
    assert provisioner._could_be([*spare.KERNEL, "-f", "kernel.json"], {"cwd": ".", "env": {}})
    assert not provisioner._could_be([*spare.KERNEL, "-f", "kernel.json"], {"stdout": 1})
    assert not provisioner._could_be(["R", "--slave"], {})


def test_somebodys_own_way_to_start_kernels_is_left_alone(line, monkeypatch):
    monkeypatch.setenv("JUPYTER_DEFAULT_PROVISIONER_NAME", "minigrad-sandbox")
    spare._load_jupyter_server_extension(None)
    assert KernelProvisionerFactory.instance().default_provisioner_name == "minigrad-sandbox" and not line.take()


def test_a_spare_is_not_used_when_a_library_was_installed_since(line, start, monkeypatch):
    spare._load_jupyter_server_extension(None)
    waiting(line)
    monkeypatch.setattr(spare, "_installed", lambda: 0)
    assert not imported(start(), LATE)


@pytest.mark.parametrize("look", [lambda: 0, lambda: None], ids=["dead when it is taken", "dying"])
def test_without_a_spare_that_lives_a_kernel_starts_as_always(line, start, monkeypatch, look):
    spare._load_jupyter_server_extension(None)
    line._spare.kill()
    line._spare.wait()
    monkeypatch.setattr(line._spare, "poll", look)
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
