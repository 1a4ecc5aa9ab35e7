"""Kernels that start in a tenth of a second: forked from one process that has imported what no learner edits.

`kernelspecs(folder)` writes a kernel spec named python3 for JUPYTER_PATH. Its command is this file, a few lines that ask
that process for a fork, hand their standard streams over, and live as long as it does; the fork becomes ipykernel's own
application, with the arguments, the folder and the environment that it was asked with.

minigrad and grader are not imported before: each kernel finds them by its own environment.
"""

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading

LIBRARIES = (
    *("ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.zmqshell", "ipykernel.debugger", "ipywidgets"),
    *("IPython.core.pylabtools", "IPython.core.completerlib", "IPython.extensions.storemagic", "sklearn.datasets"),
    *("torch", "torch._dynamo", "matplotlib.pyplot", "matplotlib_inline.backend_inline"),
)
BACKEND = "module://matplotlib_inline.backend_inline"  # what ipykernel sets, and matplotlib reads as it is imported


@contextlib.contextmanager
def kernelspecs(folder):
    """A folder for JUPYTER_PATH, in which python3 is such a kernel; the process to fork from ends with the block."""
    address = str(folder / "kernels.sock")
    spec = {"argv": [sys.executable, "-IS", __file__, address, "-f", "{connection_file}"], "language": "python"}
    (folder / "kernels" / "python3").mkdir(parents=True)
    (folder / "kernels" / "python3" / "kernel.json").write_text(json.dumps({**spec, "display_name": "python3"}))
    quiet = {"JPY_PARENT_PID": "1", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}  # what ipykernel else says as it starts
    environment = {**os.environ, **quiet, "MPLBACKEND": BACKEND}
    command = [sys.executable, __file__, "serve", address]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as server:
        assert server.stdout.readline(), "it has ended before it could fork"
        try:
            yield folder
        finally:
            server.stdin.close()


def ask(address, *arguments):
    """In a kernel's place: ask for a fork, pass signals on to it, and end when it does."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(address)
        orders = {"arguments": arguments, "cwd": os.getcwd(), "env": dict(os.environ)}
        file = json.dumps(orders).encode()
        socket.send_fds(line, [len(file).to_bytes(4, "big")], [0, 1, 2])
        line.sendall(file)
        kernel = int.from_bytes(line.recv(4), "big")
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, frame: os.kill(kernel, number))
        line.recv(1)


def serve(address):
    """Import, then fork a kernel for whoever asks, until standard input ends."""
    del sys.path[0]  # this file's folder
    for name in LIBRARIES:
        importlib.import_module(name)
    gc.freeze()  # a collection in a fork would touch, and so copy, every page of what is shared
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen(16)
        print("ready", flush=True)
        while door in select.select([door, 0], [], [])[0]:
            line, _ = door.accept()
            if os.fork() == 0:
                door.close()
                become_kernel(line)
            line.close()
            bury(os.WNOHANG)
    bury(0)


def bury(options):
    """Wait for kernels that have ended, so that what they took counts as this process's."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, options)[0]:
            pass


def become_kernel(line):
    """Do as `python -m ipykernel_launcher` would where it was asked for, until whoever asked ends."""
    os.setsid()
    size, streams, *_ = socket.recv_fds(line, 4, 3)
    with line.makefile("rb") as file:
        orders = json.loads(file.read(int.from_bytes(size, "big")))
    for target, stream in enumerate(streams):
        os.dup2(stream, target)
        os.close(stream)
    line.sendall(os.getpid().to_bytes(4, "big"))
    threading.Thread(target=lambda: line.recv(1) or os._exit(1), daemon=True).start()
    os.chdir(orders["cwd"])
    os.environ.clear()
    os.environ.update(orders["env"])
    os.environ.setdefault("MPLBACKEND", BACKEND)
    sys.path[:0] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    sys.argv = ["ipykernel_launcher", *orders["arguments"]]
    from ipykernel import kernelapp

    kernelapp.launch_new_instance()
    os._exit(0)


if __name__ == "__main__":
    serve(sys.argv[2]) if sys.argv[1] == "serve" else ask(*sys.argv[1:])
