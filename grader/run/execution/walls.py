"""Which walls of a submission stand on this machine, each tried by itself: `grader doctor` says what is found."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from . import sandbox, seccomp

OLDER = "Linux 5.4 or newer has it"
# Tried in a process of its own, which says what came of it: the number of an error, or 0.
NAMESPACE = "import ctypes; c = ctypes.CDLL(None, use_errno=True); print(c.unshare(0x10000000) and ctypes.get_errno())"
INODES = """
import ctypes, os, sys
c = ctypes.CDLL(None, use_errno=True)
failed = c.mount(b"tmpfs", b"/tmp", b"tmpfs", ctypes.c_ulong(6), b"size=1048576,nr_inodes=100")
found = os.statvfs("/tmp")
print(ctypes.get_errno() or 1 if failed else int((found.f_files, found.f_blocks * found.f_frsize) != (100, 1 << 20)))
"""
# As `zygote.close_devices` does it: a device that nobody can change and everybody can use, and terminals of one's own.
DEVICES = """
import ctypes, errno, os
c = ctypes.CDLL(None, use_errno=True)
failed = c.mount(b"none", b"/dev/null", b"none", ctypes.c_ulong(32 | 4096 | 1 | 2 | 8), None)
failed = failed or c.mount(b"devpts", b"/dev/pts", b"devpts", ctypes.c_ulong(2 | 8), b"newinstance,ptmxmode=0666,max=1")
try:
    os.chmod("/dev/null", os.stat("/dev/null").st_mode & 0o7777)
    failed = True
except OSError as error:
    failed = failed or error.errno != errno.EROFS
print(int(failed or open("/dev/null", "wb", buffering=0).write(b"x") != 1 or not os.openpty()))
"""
CALLS = """
import ctypes, errno, json, sys
sys.path.insert(0, sys.argv[1])
import boot
boot.load_filter(sys.argv[2])
c = ctypes.CDLL(None, use_errno=True)
found = [(c.syscall(n, *a), ctypes.get_errno()) for n, a in json.loads(sys.argv[3])]
print(int(any(code not in (errno.EPERM, errno.ENOSYS) for said, code in found)))
"""
# io_uring_setup, userfaultfd and keyctl, with arguments that ask for nothing that stays.
NUMBERS = {"x86_64": (425, 323, 250), "aarch64": (425, 282, 219)}


@dataclass(frozen=True)
class Wall:
    """One wall.

    Attributes:
        stands: what is said where it does.
        missing: what to do where it does not; "" where it does.
    """

    stands: str
    missing: str = ""


def walls_here() -> Iterator[Wall]:
    """Each wall but the control groups, which are granted to a process and not to a machine."""
    yield user_namespaces()
    yield bounded_folders()
    yield unchanged_devices()
    yield filtered()
    yield unneeded_calls()
    yield handles()


def user_namespaces() -> Wall:
    """Whether a process may make itself a user of no importance."""
    stands = "User namespaces: a submission runs as a user of its own, who owns nothing."
    if not _failed([sys.executable, "-c", NAMESPACE]):
        return Wall(stands)
    advice = "`sysctl user.max_user_namespaces=15000 kernel.unprivileged_userns_clone=1` allows them on most systems"
    return Wall(stands, f"User namespaces are not allowed here, and the sandbox is made of them: {advice}.")


def bounded_folders() -> Wall:
    """Whether folders in memory can be bounded in bytes and in files, where bubblewrap lets one look."""
    stands = "Folders in memory: what a submission writes is bounded, in bytes and in files."
    if sandbox.sandbox_problem():
        words = "What a submission writes is bounded by the size of one file only, without bubblewrap"
        return Wall(stands, f"{words}: run `apt install bubblewrap`, or your system's command for it.")
    if not _failed(sandbox.inside(sandbox.KEEPER, INODES)):
        return Wall(stands)
    words = "How many files a submission writes is not bounded, for nothing can be mounted in the sandbox here"
    return Wall(stands, f"{words}: in a container, mounts in user namespaces have to be allowed from outside.")


def unchanged_devices() -> Wall:
    """Whether the machine's devices can be used and not changed, where bubblewrap lets one look."""
    stands = (
        "Devices: a submission can use /dev/null and the like, and change them for nobody; its terminals are its own."
    )
    if sandbox.sandbox_problem():
        return Wall("Devices: without bubblewrap, a submission can change what the grader's user can.")
    if not _failed(sandbox.inside(sandbox.KEEPER, DEVICES)):
        return Wall(stands)
    words = "The machine's devices, such as /dev/null, could be changed by a submission if root graded it"
    return Wall(stands, f"{words}, for nothing can be mounted in the sandbox here: grade as another user.")


def filtered() -> Wall:
    """Whether there is a filter of system calls."""
    stands = "seccomp: submissions run under a filter of system calls."
    missing = seccomp.missing()
    words = f"Submissions run without a filter of system calls, one wall of several: {missing}."
    return Wall(stands, words if missing else "")


def unneeded_calls() -> Wall:
    """Whether io_uring, userfaultfd and keyrings are out of reach."""
    stands = "io_uring, userfaultfd and keyrings are out of a submission's reach."
    numbers = NUMBERS.get(os.uname().machine)
    if numbers:
        calls = repr([[numbers[0], [8, 0]], [numbers[1], [1]], [numbers[2], [0, -3, 0]]])
        folder, program = str(Path(__file__).parent), seccomp.program().hex()
        if not _failed([sys.executable, "-c", CALLS, folder, program, calls]):
            return Wall(stands)
    advice = "`sysctl kernel.io_uring_disabled=2 vm.unprivileged_userfaultfd=0` closes two of the three"
    return Wall(
        stands, f"io_uring, userfaultfd or keyrings can be reached, without a filter of system calls: {advice}."
    )


def handles() -> Wall:
    """Whether a process can be ended by a handle, which never becomes another's as a number does."""
    stands = "pidfds: a submission's processes are ended by handles, which are never another's."
    try:
        handle = os.pidfd_open(os.getpid())
        signal.pidfd_send_signal(handle, 0)
        os.close(handle)
    except (AttributeError, OSError):
        return Wall(stands, f"A submission's processes are ended by their numbers, for there are no pidfds: {OLDER}.")
    return Wall(stands)


def _failed(command: list[str]) -> bool:
    """Whether a process did not say 0."""
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=20, cwd="/")
    except (OSError, subprocess.SubprocessError):
        return True
    return run.stdout.strip() != "0"
