"""The warm process: it has imported what a notebook needs, and becomes a kernel in 0.1 s by forking.

It runs inside bubblewrap as process 2, before and apart from any line of a student's. It keeps two capabilities over
its own walls, with which each fork closes narrower ones around itself before it starts a kernel: own processes, own
/proc, own scratch, own sockets, no network, no capability, another user. A fork is the first process of its PID
namespace: when it ends, everything that it started has ended, and nothing that it wrote is left.

The grader's end of standard input is a socket of messages:
    → {"room": "7", "connection": {…}, "limits": {…}, "scratch_bytes": …, "filter": …} and the descriptor of a log
    ← "ready" once; "started", by the fork itself, so that the system names its process; its exit status, in digits
"""

import contextlib
import ctypes
import functools
import gc
import importlib
import json
import os
import re
import socket
import stat
import sys
import traceback
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypedDict


def beside(name: str) -> ModuleType:
    """Import what lies beside this file, in a folder that students' imports do not look into."""
    sys.path.insert(0, os.path.dirname(__file__))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)


boot = beside("boot")

# Small work at import is safe to fork; threads are not, and none of these starts one. Not matplotlib, which takes
# longer than all of them: no cell that is run needs it, and a student's own plot imports it then.
WARM = (
    *("ipykernel.debugger", "ipykernel.zmqshell", "tornado.platform.asyncio", "numpy.polynomial"),
    *("IPython.core.application", "IPython.core.completerlib", "IPython.core.debugger", "IPython.core.logger"),
    *("IPython.core.oinspect", "IPython.core.pylabtools", "IPython.extensions.storemagic"),
    *("minigrad", "minigrad.workshop", "minigrad.nn", "grader"),
)

_libc = ctypes.CDLL(None, use_errno=True)
NEW_MOUNTS, NEW_IPC, NEW_USER, NEW_PROCESSES, NEW_NETWORK = 0x20000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
READ_ONLY, NO_SUID, NO_DEVICES, NO_EXEC, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 2, 4, 8, 32, 0x1000, 0x4000, 0x40000
CAPABILITY_VERSION = 0x20080522
SCRATCH_FILES, SHARED_FILES, TERMINALS = 20_000, 1_000, 32
FAILED = 125
MACHINE = "/tmp/machine"
ASKED = (
    *("cpuinfo", "filesystems", "loadavg", "meminfo", "stat", "swaps", "uptime", "version", "vmstat"),
    *("sys/kernel/cap_last_cap", "sys/kernel/osrelease", "sys/kernel/ostype", "sys/kernel/pid_max"),
    "sys/vm/overcommit_memory",
)
COUNTERS = "stat", "vmstat"


def call(name: str, *arguments: object) -> None:
    """Call a function of the C library; -1 becomes an OSError."""
    if getattr(_libc, name)(*arguments) < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """mount(2)."""
    call("mount", source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode())


def listen(room: str, connection: dict[str, Any]) -> dict[str, int]:
    """Open the kernel's sockets in a folder that it never sees, for it is on the host's disk: channel → descriptor."""
    opened = {}
    for channel in "shell", "iopub":
        one = socket.socket(socket.AF_UNIX)
        one.bind(f"/student/rooms/{room}/{os.path.basename(connection['ip'])}-{connection[f'{channel}_port']}")
        one.listen(8)
        one.setblocking(False)
        opened[channel] = one.detach()
    return opened


def close_walls(scratch_bytes: int) -> None:
    """In the first process of new namespaces: see nothing of the warm process, of other forks, or of the past."""
    mount("none", "/", "none", RECURSIVE | PRIVATE)
    mount("tmpfs", "/student/rooms", "tmpfs", READ_ONLY | NO_SUID | NO_DEVICES)
    close_devices()
    mount("tmpfs", "/dev/shm", "tmpfs", NO_SUID | NO_DEVICES, f"mode=1777,size=1m,nr_inodes={SHARED_FILES}")
    own = os.open("/proc/self", os.O_DIRECTORY)
    # Read-only as a whole: with the grader run by root, the files of /proc/sys would be the student's to write.
    mount("proc", "/proc", "proc", READ_ONLY | NO_SUID | NO_DEVICES | NO_EXEC)
    hide_machine()
    mount("tmpfs", "/tmp", "tmpfs", NO_SUID | NO_DEVICES, f"mode=0755,size={scratch_bytes},nr_inodes={SCRATCH_FILES}")
    os.chdir("/tmp")  # The working folder so far is the warm process's own scratch, which all forks would share.
    call("unshare", NEW_USER)
    for file, text in ("setgroups", "deny"), ("uid_map", "1000 0 1"), ("gid_map", "1000 0 1"):
        with open(os.open(file, os.O_WRONLY, dir_fd=own), "w") as target:
            target.write(text)
    os.close(own)
    with contextlib.suppress(OSError):  # The paths of a machine are no secret that others rest on.
        hide_mounts()
    call("capset", (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)())


def write_down_machine() -> None:
    """Keep what programs ask /proc about the machine, its counters at 0, where nobody can change it."""
    os.mkdir(MACHINE)
    mount("tmpfs", MACHINE, "tmpfs", NO_SUID | NO_DEVICES | NO_EXEC, "mode=0755,size=4m")
    os.mkdir(f"{MACHINE}/folder")
    open(f"{MACHINE}/file", "w").close()
    for name in ASKED:
        with contextlib.suppress(OSError), open(f"/proc/{name}", "rb") as file:
            os.makedirs(os.path.dirname(f"{MACHINE}/{name}"), exist_ok=True)
            with open(f"{MACHINE}/{name}", "wb") as kept:
                kept.write(at_zero(file.read()) if name in COUNTERS else file.read())
    mount("none", MACHINE, "none", REMOUNT | READ_ONLY | NO_SUID | NO_DEVICES | NO_EXEC)


def at_zero(text: bytes) -> bytes:
    """The same with each number 0, but for the time at which the machine was started."""
    lines = text.splitlines(keepends=True)
    return b"".join(line if line.startswith(b"btime") else re.sub(rb"\b\d+\b", b"0", line) for line in lines)


def hide_machine() -> None:
    """Of /proc, leave the processes, and of the machine what was written down.

    Its counters go on from one student to the next, who could read there what the one before has counted to.
    """
    for entry in list(os.scandir("/proc")):
        if entry.name.isdigit() or entry.is_symlink():
            continue
        kept = f"{MACHINE}/{entry.name}"
        if not os.path.exists(kept):
            kept = f"{MACHINE}/folder" if entry.is_dir() else f"{MACHINE}/file"
        mount(kept, entry.path, "none", BIND)


def close_devices() -> None:
    """Make the host's devices read-only, which can be used all the same, and terminals this fork's alone.

    With the grader run by root, their owner, mode and times would be the student's to change, for the whole machine.
    """
    for device in os.scandir("/dev"):
        if stat.S_ISCHR(device.stat(follow_symlinks=False).st_mode):
            mount("none", device.path, "none", REMOUNT | BIND | READ_ONLY | NO_SUID | NO_EXEC)
    mount("devpts", "/dev/pts", "devpts", NO_SUID | NO_EXEC, f"newinstance,ptmxmode=0666,mode=0620,max={TERMINALS}")


def hide_mounts() -> None:
    """Show no mount in /proc, where each would be named by its folder on the host.

    A process is shown those of its namespace that lie below its root. This one's root stays in the namespace that it
    leaves, which goes on as long as the first process has it open.
    """
    os.open("/proc/self/ns/mnt", os.O_RDONLY)
    root = os.open("/", os.O_PATH | os.O_DIRECTORY)
    call("unshare", NEW_MOUNTS)
    os.fchdir(root)
    os.chroot(".")
    os.chdir("/tmp")
    os.close(root)


Serve = Callable[[dict[str, Any], dict[str, int]], None]


class Request(TypedDict):
    """What the grader asks for.

    Attributes:
        room: the folder of the kernel's sockets, a name.
        connection: Jupyter's connection information.
        limits: ``RLIMIT_…`` → value.
        scratch_bytes: size of the scratch folder.
        filter: the filter of system calls, in hexadecimal digits; "" for none.
    """

    room: str
    connection: dict[str, Any]
    limits: dict[str, int]
    scratch_bytes: int
    filter: str


def live(request: Request, control: socket.socket, serve: Serve) -> int:
    """The life of a fork: walls, a kernel in a child, and its end. Returns the kernel's exit status."""
    os.setsid()
    os.closerange(3, control.fileno())
    os.closerange(control.fileno() + 1, 1 << 16)
    sockets = listen(request["room"], request["connection"])
    close_walls(request["scratch_bytes"])
    open_nothing()
    boot.lower_limits(request["limits"])
    boot.leave_keyring()
    boot.load_filter(request["filter"])
    control.send(b"started")
    control.close()
    kernel = os.fork()
    if kernel == 0:
        for name in os.listdir("/proc/self/fd"):  # The namespace of its mounts is the first process's to keep.
            if int(name) > 2 and int(name) not in sockets.values():
                with contextlib.suppress(OSError):
                    os.close(int(name))
        serve(request["connection"], sockets)
        return 0
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 2)  # The log is a file of the host's, which its child could open by way of /proc.
    for descriptor in sockets.values():
        os.close(descriptor)
    while (ended := os.wait())[0] != kernel:  # Orphans are the first process's to bury.
        pass
    status = os.waitstatus_to_exitcode(ended[1])
    return 128 - status if status < 0 else status


def open_nothing() -> None:
    """Standard input and output anew: what all forks had open would keep what one of them set, such as a signal."""
    with open(os.devnull, "r+b", buffering=0) as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(nothing.fileno(), 1)


def fork(request: Request, log: int, control: socket.socket, serve: Serve) -> int:
    """Fork a kernel, and wait for its end; returns its exit status."""
    own = os.open("/proc/self/ns/pid", os.O_RDONLY)
    call("unshare", NEW_PROCESSES)  # It is for children alone: the next one is the first process in it.
    child = os.fork()
    if child == 0:
        status = FAILED
        try:
            os.dup2(log, 2)
            call("unshare", NEW_MOUNTS | NEW_IPC | NEW_NETWORK)
            status = live(request, control, serve)
        except BaseException:
            os.write(2, traceback.format_exc().encode())
        finally:
            os._exit(status)
    call("setns", own, NEW_PROCESSES)
    os.close(own)
    os.close(log)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main() -> None:
    """Follow the plan in ``argv[1]`` (JSON: course, site) until the grader hangs up."""
    plan = json.loads(sys.argv[1])
    boot.set_path(plan)
    sys.modules["debugpy"] = None  # type: ignore[assignment]  # Nobody debugs here, and ipykernel would import it.
    forked = beside("forked")
    sys.argv[1:] = []
    control = socket.socket(fileno=os.dup(0))
    with open(os.devnull, "r+b") as nothing:
        os.dup2(nothing.fileno(), 0)  # No fork may hold the grader's socket.
    for name in WARM:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    write_down_machine()
    serve = functools.partial(forked.serve, forked.made())
    gc.collect()
    gc.freeze()  # A collection in a fork would touch, and so copy, every page of what is shared.
    control.send(b"ready")
    while True:
        message, descriptors, *_ = socket.recv_fds(control, 1 << 16, 1)
        if not message:
            return
        control.send(str(fork(json.loads(message), descriptors[0], control, serve)).encode())


if __name__ == "__main__":
    main()
