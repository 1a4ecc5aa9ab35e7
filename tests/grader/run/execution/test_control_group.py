"""The control group of a kernel: in a folder that stands for Linux's, and in Linux's own where it grants one."""

import os
import subprocess
import sys

import pytest

from grader.run.execution import Limits, control_group
from grader.run.execution.control_group import Group, NotGranted, granted, ready

LIMITS = Limits()


@pytest.fixture
def linux(tmp_path):
    """A tree of files like Linux's, in which this process is alone in the group /user/scope; returns `granted` of it."""
    group = tmp_path / "root" / "user" / "scope"
    group.mkdir(parents=True)
    (tmp_path / "own").write_text("4:memory:/x\n0::/user/scope\n")
    (group / "cgroup.controllers").write_text("cpu io memory pids\n")
    (group / "cgroup.procs").write_text(f"{os.getpid()}\n")
    (group / "cgroup.subtree_control").write_text("")
    return lambda: granted(tmp_path / "own", tmp_path / "root")


def test_a_group_that_is_the_graders_alone_is_made_ready(linux):
    group = ready(linux())
    assert group.name == "scope"
    assert (group / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"
    assert (group / "grader" / "cgroup.procs").read_text() == str(os.getpid())


def test_a_worker_in_the_graders_own_leaf_finds_the_same_group(linux, tmp_path):
    (tmp_path / "own").write_text("0::/user/scope/grader\n")
    assert linux().name == "scope"


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("cgroup.controllers", "cpu io\n", "no say over memory and pids"),
        ("cgroup.procs", "{own}\n1\n999999999\n", "other programs"),
        ("cgroup.procs", "no numbers\n", "not mounted"),
    ],
)
def test_a_group_that_is_not_the_graders_is_left_alone(linux, file, text, says):
    group = linux()
    (group / file).write_text(text.format(own=os.getpid()))
    with pytest.raises(NotGranted, match=says):
        linux()
    assert not (group / "grader").exists()


def test_what_all_its_processes_have_used_is_known(linux):
    group = Group(linux(), LIMITS)
    assert group.used == 0  # where Linux does not say
    (group.folder / "cpu.stat").write_text("usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\n")
    assert group.used == 2.5


def test_without_version_2_there_is_none(tmp_path):
    (tmp_path / "own").write_text("4:memory:/x\n")
    with pytest.raises(NotGranted, match="version 2"):
        granted(tmp_path / "own", tmp_path)


def test_a_kernels_group_has_bounds_and_is_full_when_linux_says_so(tmp_path):
    group = Group(tmp_path, LIMITS)
    said = {path.name: path.read_text() for path in group.folder.iterdir()}
    assert int(said["memory.max"]) > LIMITS.memory_bytes + LIMITS.scratch_bytes
    assert int(said["pids.max"]) > LIMITS.processes and said["memory.swap.max"] == "0" and said["cpu.weight"] == "50"
    assert not group.full
    (group.folder / "memory.events").write_text("low 0\noom 0\noom_kill 0\n")
    assert not group.full
    (group.folder / "memory.events").write_text("low 0\noom 1\noom_kill 3\n")
    assert group.full


def test_a_process_is_taken_with_what_it_started(tmp_path, monkeypatch):
    moved = []
    monkeypatch.setattr(control_group.Path, "write_text", lambda path, text: moved.append((path.name, text)))
    group = Group(tmp_path, LIMITS)
    moved.clear()
    waits = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(1, flush=True); input()'])"
    with subprocess.Popen([sys.executable, "-c", waits], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()  # now there are two
        group.take(process.pid)
        process.stdin.close()
    assert ("cgroup.procs", str(process.pid)) in moved and len(moved) == 2


def test_a_kernel_that_linux_ended_with_its_group_was_out_of_memory(run, monkeypatch, tmp_path):
    monkeypatch.setattr(control_group, "base", lambda: tmp_path)
    monkeypatch.setattr(Group, "full", property(lambda group: (tmp_path / "full").exists()))
    ends = "import os, signal; {}os.kill(os.getpid(), signal.SIGKILL)"
    fills = ends.format(f"open({str(tmp_path / 'full')!r}, 'w').close(); ")
    assert run(ends.format(""), unsafe=True)[0].state == "died"
    full = run(fills, unsafe=True)[0]
    assert full.state == "out of memory" and "all the memory that it may have" in full.detail
    assert all((group / "cgroup.procs").read_text().isdigit() for group in tmp_path.glob("kernel-*"))


@pytest.mark.skipif(control_group.base() is None, reason="Linux grants this process no control group")
def test_linux_bounds_what_no_process_maps(run):
    """`systemd-run --user --scope -p Delegate=yes python -m pytest …` grants one."""
    fills = (
        "import os\nends = [os.pipe() for _ in range(100)]\nblocks = []\nwhile True: blocks.append(bytearray(1 << 20))"
    )
    assert run(fills, unsafe=True, memory_bytes=100 << 20)[0].state in ("out of memory", "error")
    assert list(control_group.base().glob("kernel-*")) == []
