"""The filter of system calls that a student's process lives under: what no cell of a course needs, and attacks do.

It is written with libseccomp (through pyseccomp, an extra of the course) by the grader, as the program that the kernel
takes; the student's process loads it before its first cell (`boot.py`), and no process ever gets rid of it. Where the
library is missing, the other walls stand, and `grader doctor` says so.
"""

import ctypes.util
import errno
import os
import tempfile
from functools import lru_cache

NEW_NAMESPACES = (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
NO_NAME, PAST_THE_CACHE = 0x400000, getattr(os, "O_DIRECT", 0x4000)  # of O_TMPFILE
LAST_FAMILY = 16  # AF_NETLINK, by which a process lists its interfaces; above are the host's: vsock, AF_ALG, XDP …
# Commands of fcntl's: whoever opens the file waits; an older watch; memory of the kernel's.
WITH_OTHERS = ("F_SETLEASE", "F_NOTIFY", "F_SETPIPE_SZ")
# Locks, which are signs for who has the same file open, as `flock` is.
LOCKS = ("F_GETLK", "F_SETLK", "F_SETLKW", "F_OFD_GETLK", "F_OFD_SETLK", "F_OFD_SETLKW")
# Signs on what others have open: of descriptors that are passed on, and of any file, for as long as it is in memory.
# Python has no name for them: F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SET_RW_HINT, F_SET_FILE_RW_HINT.
SIGNS = (8, 10, 15, 1036, 1038)
COLD, PAGEOUT = 20, 21  # of MADV_…, which put pages of files out of memory
# Refused as if a privilege were missing.
FORBIDDEN = (
    *("unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "fsopen", "fsmount", "move_mount", "open_tree"),
    *("mount_setattr", "fspick", "fsconfig"),
    *("ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "process_madvise"),
    *("add_key", "request_key", "keyctl"),
    *("shmget", "shmat", "shmctl", "semget", "semop", "semtimedop", "semctl", "msgget", "msgsnd", "msgrcv", "msgctl"),
    *("mq_open", "mq_unlink"),
    *("inotify_init", "inotify_init1", "fanotify_init"),  # of which the grader's user has few, with all that it runs
    *("io_setup", "timer_create", "sync", "syncfs", "rt_sigqueueinfo", "rt_tgsigqueueinfo"),  # or the machine
    *("io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd", "perf_event_open", "bpf"),
    # Which pages of shared files are in memory is a sign for the next student: nobody sees it, nobody chooses it.
    "membarrier",  # which waits for the whole machine, and looks as if it read from a disk
    *("mincore", "cachestat", "readahead", "fadvise64", "flock"),
    *("open_by_handle_at", "name_to_handle_at", "quotactl", "swapon", "swapoff", "reboot", "kexec_load"),
    *("init_module", "finit_module", "delete_module", "personality", "vmsplice", "memfd_secret"),
)


@lru_cache(maxsize=1)
def program() -> bytes:
    """The filter as Linux takes it, an array of `struct sock_filter`; empty where it cannot be written."""
    if missing():
        return b""
    import fcntl  # here, since Windows has none

    import pyseccomp as seccomp

    rules = seccomp.SyscallFilter(seccomp.ALLOW)
    refuse, unsupported = seccomp.ERRNO(errno.EPERM), seccomp.ERRNO(errno.EOPNOTSUPP)
    for name in FORBIDDEN:
        try:
            rules.add_rule(refuse, name)
        except (OSError, ValueError):  # a call that this library or this machine does not have
            continue
    for flag in NEW_NAMESPACES:
        rules.add_rule(refuse, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, flag, flag))
    for command in (*(getattr(fcntl, name) for name in WITH_OTHERS + LOCKS), *SIGNS):
        # The kernel reads the lower half of its register. A call of 32 bits, by another number, ends the process.
        rules.add_rule(refuse, "fcntl", seccomp.Arg(1, seccomp.MASKED_EQ, 0xFFFFFFFF, command))
    for advice in COLD, PAGEOUT:
        rules.add_rule(refuse, "madvise", seccomp.Arg(2, seccomp.MASKED_EQ, 0xFFFFFFFF, advice))
    # Its flags lie in memory, where no filter can look; the C library then takes `clone`.
    rules.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
    # Files without a name, which no look into a folder finds, and space that is taken without being written.
    for call, flags in ("open", 1), ("openat", 2):
        for flag in NO_NAME, PAST_THE_CACHE:
            rules.add_rule(unsupported, call, seccomp.Arg(flags, seccomp.MASKED_EQ, flag, flag))
    rules.add_rule(unsupported, "fallocate")
    for name in "openat2", "memfd_create", "preadv2", "pwritev2":  # RWF_NOWAIT reads what is in memory alone
        rules.add_rule(seccomp.ERRNO(errno.ENOSYS), name)
    rules.add_rule(refuse, "socket", seccomp.Arg(0, seccomp.GT, LAST_FAMILY))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


@lru_cache(maxsize=1)
def missing() -> str:
    """What to install for the filter; "" if it can be written."""
    if not ctypes.util.find_library("seccomp"):
        return "run `apt install libseccomp2`, or your system's command for it"
    try:
        import pyseccomp  # noqa: F401
    except (ImportError, OSError, RuntimeError):
        return "run `pip install 'minigrad[walls]'`, which installs pyseccomp"
    return ""
