"""Opens notebooks sooner: JupyterLab keeps one spare kernel that has imported torch already.

A kernel takes a second to start, and torch two to five seconds to import. `make lab` enables this server extension,
which makes `SpareProvisioner` the way in which kernels start whose kernel spec names no other. On Windows, or when
there is no spare yet, a kernel starts as it always does.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import sys
import threading
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

from jupyter_client.launcher import launch_kernel
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

PROGRAM = Path(__file__).with_name("spare_kernel.py")
KERNEL = [sys.executable, "-m", "ipykernel_launcher"]  # what the spare can stand in for
# Nothing that a learner edits: minigrad, grader and my_minigrad are read when the notebook asks for them. In the order
# in which it is likely to. The last is what torch imports, in as long as torch itself takes, for the first optimizer.
LIBRARIES = ("ipykernel.kernelapp", "ipykernel.ipkernel", "torch", "matplotlib.pyplot", "torch._dynamo")
REST = 15.0  # seconds from one kernel's start to the next spare's: the first cells have the processor to themselves


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "grader.spare"}]


def _load_jupyter_server_extension(server: Any) -> None:
    """Start kernels by way of a spare, and the first spare now."""
    KernelProvisionerFactory.instance(parent=server).default_provisioner_name = "minigrad-spare"
    line.fill()


class Line:
    """Where the spare kernel waits."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spare: Popen[bytes] | None = None

    def fill(self) -> None:
        """See that a spare is waiting, or will be soon."""
        if os.name == "nt":  # its pipes cannot be looked into
            return
        with self._lock:
            if self._spare is None or self._spare.poll() is not None:
                self._spare = launch_kernel([sys.executable, str(PROGRAM), *LIBRARIES], stdin=PIPE)

    def fill_later(self) -> None:
        """The same, after a rest."""
        timer = threading.Timer(REST, self.fill)
        timer.daemon = True
        timer.start()

    def take(self) -> Popen[bytes] | None:
        """The spare, which is the caller's from now on; None if there is none that lives."""
        with self._lock:
            spare, self._spare = self._spare, None
        return spare if spare and spare.poll() is None else None

    def close(self) -> None:
        """End the spare."""
        if spare := self.take():
            spare.kill()
            spare.wait()


line = Line()
atexit.register(line.close)


class SpareProvisioner(LocalProvisioner):
    """Starts a kernel of this Python by giving its orders to the spare; any other, or without a spare, as usual."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> dict[str, Any]:
        """Start the kernel, and the next spare after a rest."""
        line.fill_later()
        spare = line.take() if self._could_be(cmd) else None
        if spare is None or not _order(spare, cmd[len(KERNEL) :], kwargs):
            return await super().launch_kernel(cmd, **kwargs)
        self.process, self.pid, self.pgid = spare, spare.pid, os.getpgid(spare.pid)
        self.cwd = kwargs.get("cwd") or os.getcwd()
        return self.connection_info

    def _could_be(self, cmd: list[str]) -> bool:
        """Whether a spare would be the same kernel: its own environment would come too late for what is imported."""
        return cmd[: len(KERNEL)] == KERNEL and not self.kernel_spec.env


def _order(spare: Popen[bytes], arguments: list[str], kwargs: dict[str, Any]) -> bool:
    """Tell the spare what to become; returns whether it heard."""
    orders = {"arguments": arguments, "cwd": str(kwargs.get("cwd") or os.getcwd()), "env": kwargs.get("env") or {}}
    with contextlib.suppress(OSError), spare.stdin as pipe:
        pipe.write(json.dumps(orders).encode() + b"\n")
        return True
    return False
