"""Lets any Jupyter client that starts kernels by kernel spec start them in the sandbox: nbclient, nbgrader, Jupyter.

Named by a kernel spec (``"metadata": {"kernel_provisioner": {"provisioner_name": "minigrad-sandbox"}}``) or, for all of
them, by ``c.KernelProvisionerFactory.default_provisioner_name = "minigrad-sandbox"``.
"""

import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from jupyter_client.provisioning import LocalProvisioner
from traitlets import Bool, Dict, Unicode

from grader.execution.guard import Guard
from grader.execution.limits import Limits
from grader.execution.sandbox import launch, sandbox_problem


class SandboxProvisioner(LocalProvisioner):
    """Starts ipykernel in the sandbox of `grader.execution.sandbox`, whatever command its kernel spec names."""

    course = Unicode(help="Folder of the packages that the kernel imports as the course.").tag(config=True)
    unsafe = Bool(False, help="Go on without a sandbox.").tag(config=True)
    limits = Dict(help="Fields of grader.execution.Limits to set, e.g. {'total_seconds': 60}.").tag(config=True)

    _room: Path | None = None
    _guard: Guard | None = None

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Put the connection on Unix sockets in a private folder, and the command behind walls.

        Raises:
            RuntimeError: there is no sandbox here and `unsafe` is not set, or no course folder is named.
        """
        problem = None if self.unsafe else sandbox_problem()
        if problem or not self.course or not Path(self.course).is_dir():
            raise RuntimeError(problem or f"SandboxProvisioner.course is not a folder: {self.course!r}.")
        self._room = self._room or Path(tempfile.mkdtemp(prefix="mg-"))
        sockets = self._fresh("s")
        # The kernel is interrupted by a message: a signal would end bubblewrap.
        self.kernel_spec.interrupt_mode = "message"
        manager = self.parent
        manager.transport, manager.ip = "ipc", str(sockets / "k")
        kwargs = await super().pre_launch(**kwargs)
        room, connection = self._fresh("room"), Path(manager.connection_file)
        plan = launch(room, sockets, connection, Path(self.course), self._bounds, self.unsafe)
        return kwargs | {"cmd": plan.command, "env": plan.env, "cwd": plan.cwd}

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> dict[str, Any]:
        """Start the kernel and the watch over it."""
        connection = await super().launch_kernel(cmd, **kwargs)
        end = time.monotonic() + self._bounds.total_seconds
        self._guard = Guard(self.process, self._room / "s", self._bounds, end)
        return connection

    async def shutdown_requested(self, restart: bool = False) -> None:
        """Kill it at once: nothing in it is worth saving, and asking it takes 0.7 s."""
        self._end()

    async def kill(self, restart: bool = False) -> None:
        """End the kernel with all its processes."""
        self._end()

    async def cleanup(self, restart: bool = False) -> None:
        """End the watch and remove the private folder."""
        self._end()
        if not restart and self._room:
            shutil.rmtree(self._room, ignore_errors=True)
            self._room = None
        await super().cleanup(restart)

    @property
    def _bounds(self) -> Limits:
        return Limits(**self.limits)

    def _fresh(self, name: str) -> Path:
        """An empty folder in the private one, also when the kernel is restarted."""
        folder = self._room / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def _end(self) -> None:
        if self._guard:
            self._guard.stop()
            self._guard = None
