"""The first lines that run in a student's process: give up what it may not use, then become a Jupyter kernel.

Started by file name under ``python -I -S``, so that neither the environment nor a ``.pth`` file has a say in the import
path. It runs before any line of the student's and is not trusted afterwards. `zygote.py` takes the first steps once for
many kernels, which `forked.py` makes.
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
    """Where to import from: the course, the notebook's folder, the standard library, the allowed packages."""
    sys.path[:] = [plan["course"], "", *sys.path, plan["site"]]

    import site

    site.sethelper()  # -S leaves out help(), which learners use.


def become_kernel(connection: str) -> None:
    """Run a kernel until it is told to end."""
    from ipykernel.kernelapp import IPKernelApp
    from traitlets.config import Config

    settings = Config()
    # A kernel lives for one submission: a history database would be written and never read.
    settings.HistoryManager.enabled = False
    IPKernelApp.launch_instance(argv=[], connection_file=connection, config=settings)


def main() -> None:
    """Follow the plan in ``argv[1]`` (JSON: connection, course, site, limits)."""
    plan = json.loads(sys.argv[1])
    lower_limits(plan["limits"])
    set_path(plan)
    become_kernel(plan["connection"])


if __name__ == "__main__":
    main()
