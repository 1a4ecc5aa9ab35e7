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
import sysconfig
import threading
from importlib.metadata import EntryPoint
from pathlib import Path
from subprocess import PIPE, Popen
from typing import TYPE_CHECKING, Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.launcher import launch_kernel
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

NAME = "minigrad-spare"
PROGRAM = Path(__file__).with_name("spare_kernel.py")
KERNEL = [sys.executable, "-m", "ipykernel_launcher"]  # what the spare can stand in for
# Nothing that a learner edits: minigrad, grader and my_minigrad are read when the notebook asks for them. In the order
# in which it is likely to. The last is what torch imports, in as long as torch itself takes, for the first optimizer.
LIBRARIES = ("ipykernel.kernelapp", "ipykernel.ipkernel", "torch", "matplotlib.pyplot", "torch._dynamo")
REST = 15.0  # seconds from one kernel's start to the next spare's: the first cells have the processor to themselves


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "grader.learner.spare"}]


def _load_jupyter_server_extension(server: ServerApp) -> None:
    """Start kernels by way of a spare, unless they are to start in a way of somebody's own; and the first spare now."""
    factory = KernelProvisionerFactory.instance(parent=server)
    if factory.default_provisioner_name == "local-provisioner":
        factory.provisioners[NAME] = EntryPoint(NAME, "grader.learner.spare:SpareProvisioner", factory.GROUP_NAME)
        factory.default_provisioner_name = NAME
        line.fill()


class Line:
    """Where the spare kernel waits."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spare: Popen[bytes] | None = None
        self._libraries = 0
        self._timer: threading.Timer | None = None

    def fill(self) -> None:
        """See that a spare is waiting, or will be soon."""
        if os.name == "nt":  # its pipes cannot be looked into
            return
        with self._lock:
            if self._spare is None or self._spare.poll() is not None:
                self._libraries = _installed()
                self._spare = launch_kernel([sys.executable, str(PROGRAM), *LIBRARIES], stdin=PIPE)

    def fill_later(self) -> None:
        """The same, after a rest."""
        with self._lock:
            if self._timer:
                self._timer.cancel()
            self._timer = threading.Timer(REST, self.fill)
            self._timer.daemon = True
            self._timer.start()

    def take(self) -> Popen[bytes] | None:
        """The spare, which is the caller's from now on; None if there is none that lives and has today's libraries."""
        with self._lock:
            spare, self._spare = self._spare, None
        if spare and self._libraries != _installed():
            _end(spare)
        return spare if spare and spare.poll() is None else None

    def close(self) -> None:
        """End the spare."""
        if spare := self.take():
            _end(spare)


line = Line()
atexit.register(line.close)


class SpareProvisioner(LocalProvisioner):
    """Starts a kernel of this Python by giving its orders to the spare; any other, or without a spare, as usual."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Start the kernel, and the next spare after a rest."""
        line.fill_later()
        spare = line.take() if self._could_be(cmd, kwargs) else None
        if spare is None or not _order(spare, cmd[len(KERNEL) :], kwargs):
            return await super().launch_kernel(cmd, **kwargs)
        self.process = spare
        self.pid = self.pgid = spare.pid  # it leads a session of its own, as every kernel
        self.cwd = kwargs.get("cwd") or os.getcwd()
        return self.connection_info

    def _could_be(self, cmd: list[str], kwargs: dict[str, Any]) -> bool:
        """Whether a spare would be the same kernel: an environment of its own comes too late for what is imported."""
        plain = kwargs.keys() <= {"cwd", "env", "kernel_id"}
        return cmd[: len(KERNEL)] == KERNEL and plain and not self.kernel_spec.env


def _order(spare: Popen[bytes], arguments: list[str], kwargs: dict[str, Any]) -> bool:
    """Tell the spare what to become; returns whether it heard."""
    env = kwargs.get("env") or dict(os.environ)
    orders = {"arguments": arguments, "cwd": str(kwargs.get("cwd") or os.getcwd()), "env": env}
    if spare.stdin:
        with contextlib.suppress(OSError), spare.stdin as pipe:
            pipe.write(json.dumps(orders).encode() + b"\n")
            return True
    _end(spare)
    return False


def _end(spare: Popen[bytes]) -> None:
    spare.kill()
    with spare:  # closes its pipe, and waits
        pass


def _installed() -> int:
    """What changes when a library is installed, replaced or removed."""
    return os.stat(sysconfig.get_path("purelib")).st_mtime_ns
