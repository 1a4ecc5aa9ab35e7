"""The first lines that run in a student's process: give up what it may not use, then become a Jupyter kernel.

Started by file name under ``python -I -S``, so that neither the environment nor a ``.pth`` file has a say in the import
path. It runs before any line of the student's and is not trusted afterwards. `zygote.py` takes the first steps once for
many kernels, which `forked.py` makes.
"""

import ctypes
import json
import os
import platform
import resource
import sys

_libc = ctypes.CDLL(None, use_errno=True)
KEYCTL = {"x86_64": 250, "aarch64": 219}  # which the C library does not have
JOIN_NEW_KEYRING = 1
NO_NEW_PRIVILEGES, SET_FILTER, FILTER = 38, 22, 2  # of prctl(2)


def lower_limits(limits: dict[str, int]) -> None:
    """Set each ``RLIMIT_…`` for good: the hard limit too, but never above what the process already has."""
    for name, value in limits.items():
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))


def leave_keyring() -> None:
    """Take an empty keyring for this session: the one that it was born with is the grader's, and every student's."""
    number = KEYCTL.get(platform.machine())
    if sys.platform == "linux" and number:
        _libc.syscall(number, JOIN_NEW_KEYRING, None)  # Where keyrings are closed to us, they are to students.


class _Program(ctypes.Structure):
    """Linux's `struct sock_fprog`."""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def load_filter(program: str) -> None:
    """Live under a filter of system calls from now on, with all that is started from here.

    Args:
        program: what `seccomp.program` wrote, in hexadecimal digits; empty for none.

    Raises:
        OSError: Linux does not take it.
    """
    if not program:
        return
    code = bytes.fromhex(program)
    filters = _Program(len(code) // 8, code)
    arguments = (NO_NEW_PRIVILEGES, 1, 0, 0, 0), (SET_FILTER, FILTER, ctypes.byref(filters), 0, 0)
    for five in arguments:
        if _libc.prctl(*five) < 0:
            raise OSError(ctypes.get_errno(), f"prctl: {os.strerror(ctypes.get_errno())}")


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
    """Follow the plan in ``argv[1]`` (JSON: connection, course, site, limits, filter)."""
    plan = json.loads(sys.argv[1])
    lower_limits(plan["limits"])
    leave_keyring()
    load_filter(plan["filter"])
    set_path(plan)
    become_kernel(plan["connection"])


if __name__ == "__main__":
    main()
