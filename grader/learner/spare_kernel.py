"""A spare kernel: imports what takes long, waits for its orders, and becomes the kernel of the next notebook.

Started by `spare.py`, by file name, with the names of the libraries. Its orders are one line of JSON on standard input:
the kernel's arguments, folder and environment. No line, but the end of the input, says that JupyterLab has ended.
"""

import contextlib
import importlib
import json
import os
import select
import sys

BACKEND = "module://matplotlib_inline.backend_inline"  # what ipykernel sets, and matplotlib reads as it is imported


def wanted() -> bool:
    """Whether the orders are here."""
    return bool(select.select([0], [], [], 0)[0])


def main(libraries: list[str]) -> None:
    """Import until there are orders, and follow them."""
    if not sys.flags.safe_path:
        del sys.path[0]  # this file's folder
    began_with = set(os.environ)
    os.environ.setdefault("MPLBACKEND", BACKEND)
    for name in libraries:
        if wanted():
            break
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    line = sys.stdin.buffer.readline()
    if line:
        orders = json.loads(line)
        for name in began_with - {*orders["env"], "JPY_PARENT_PID"}:
            del os.environ[name]
        become_kernel(**orders)


def become_kernel(arguments: list[str], cwd: str, env: dict[str, str]) -> None:
    """Do as `python -m ipykernel_launcher` with these arguments, in this folder and environment, until told to end."""
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.chdir(cwd)
    os.environ.update(env)
    sys.argv = ["ipykernel_launcher", *arguments]
    from ipykernel import kernelapp

    kernelapp.launch_new_instance()


if __name__ == "__main__":
    main(sys.argv[1:])
