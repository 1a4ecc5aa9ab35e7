"""The first lines that run in a student's process: give up what it may not use, then become a Jupyter kernel.

Started by file name under ``python -I -S``, so that neither the environment nor a ``.pth`` file has a say in the import
path. It runs before any line of the student's and is not trusted afterwards. `zygote.py` takes the same steps, some of
them once for many kernels.
"""

import json
import resource
import sys


def lower_limits(limits: dict[str, int]) -> None:
    """Set each ``RLIMIT_…`` for good: the hard limit too, but never above what the process already has."""
    for name, value in limits.items():
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))


def set_path(plan: dict[str, str]) -> None:
    """Import the course, the standard library and the allowed packages, in this order."""
    sys.path[:] = [plan["course"], *sys.path, plan["site"]]

    import site

    site.sethelper()  # -S leaves out help(), which learners use.


def become_kernel(connection: str) -> None:
    """Run a kernel until it is told to end."""
    from ipykernel.iostream import OutStream
    from ipykernel.kernelapp import IPKernelApp
    from traitlets.config import Config

    global Stream  # ipykernel is told of the class by its name

    class Stream(OutStream):
        """A flush goes to another thread and back, four times a cell: only where something was written."""

        _written = False

        def write(self, string: str) -> int | None:
            self._written = True  # First, for another thread may flush as soon as the text is there
            written = super().write(string)
            self._written = True  # and again, for one may have flushed before it was.
            return written

        def flush(self) -> None:
            if self._written:
                self._written = False
                super().flush()

    class KernelApp(IPKernelApp):
        """ipykernel's application, without the parser of a command line, which is built even for an empty one."""

        def parse_command_line(self, argv: list[str] | None = None) -> None:
            pass

    settings = Config()
    # A kernel lives for one submission: a history database would be written and never read.
    settings.HistoryManager.enabled = False
    settings.KernelApp.outstream_class = f"{__name__}.Stream"
    # Messages that no handler prints are not made.
    settings.KernelApp.logging_config = {"loggers": {"KernelApp": {"level": "WARNING"}}}
    KernelApp.launch_instance(connection_file=connection, config=settings)


def main() -> None:
    """Follow the plan in ``argv[1]`` (JSON: connection, course, site, limits)."""
    plan = json.loads(sys.argv[1])
    lower_limits(plan["limits"])
    set_path(plan)
    become_kernel(plan["connection"])


if __name__ == "__main__":
    main()
