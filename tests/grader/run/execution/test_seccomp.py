"""The filter of system calls, and what no wall but it would close; the same without bubblewrap and without warmth."""

import platform

import pytest

from grader.run.execution import sandbox_problem, seccomp, warm

from .conftest import SANDBOX, UNSAFE, text

pytestmark = pytest.mark.skipif(bool(seccomp.missing()), reason=seccomp.missing())
X86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86-64")
CALLS = {
    "a user namespace": "libc.unshare(0x10000000)",
    "a user namespace by clone": "libc.syscall(56, 0x10000011, 0, 0, 0, 0)",
    "io_uring": "libc.syscall(425, 8, ctypes.create_string_buffer(200))",
    "userfaultfd": "libc.syscall(323, 1)",
    "ptrace": "libc.ptrace(0, 0, 0, 0)",
    "a keyring": "libc.syscall(250, 0, -3, 1)",
    "a key": "libc.syscall(248, b'user', b'planted', b'x', 1, -3)",
    "shared memory": "libc.shmget(0, 4096, 0o1666)",
    "a queue": "libc.msgget(0, 0o1666)",
    "a file without a name": "libc.open(b'/tmp', 0x410002, 0o600)",
    "a file without a name by another call": "libc.syscall(437, -100, b'/tmp', ctypes.create_string_buffer(24), 24)",
    "memory in a file without a name": "libc.memfd_create(b'x', 0)",
    "space that nobody writes": "libc.fallocate(os.open('/tmp/x', os.O_CREAT | os.O_RDWR), 0, 0, 1000)",
    "a watch over files": "libc.inotify_init1(0)",
    "an older watch over files": "libc.syscall(253)",
    "asynchronous I/O": "libc.syscall(206, 100, ctypes.create_string_buffer(8))",
    "a timer": "libc.syscall(222, 0, None, ctypes.create_string_buffer(8))",
    "a signal with a message": "libc.syscall(129, os.getpid(), 17, ctypes.create_string_buffer(128))",
    "reading past the cache": "libc.open(os.__file__.encode(), 0x4000)",
    "writing what all have to the disk": "libc.syncfs(os.open('/tmp', 0))",
    "a lease on a file": "libc.fcntl(os.open('/tmp/l', os.O_CREAT), 1024, 0)",
    "a lease in half a register": "libc.syscall(72, os.open('/tmp/m', os.O_CREAT), ctypes.c_long(1024 | 1 << 32), 0)",
    "a watch over a folder": "libc.fcntl(os.open('/tmp', 0), 1026, 1)",
    "whose signal a descriptor sends": "libc.fcntl(0, 8, os.getpid())",
    "to which of its threads": "libc.fcntl(0, 15, ctypes.create_string_buffer(8))",
    "which signal a descriptor sends": "libc.fcntl(0, 10, 41)",
    "a hint on how long a file lives": "libc.fcntl(f, 1036, ctypes.create_string_buffer(8))",
    "an older hint on how long a file lives": "libc.fcntl(f, 1038, ctypes.create_string_buffer(8))",
    "a wait for the whole machine": "libc.syscall(324, 1, 0, 0)",
    "a larger pipe": "libc.fcntl(os.pipe()[0], 1031, 1 << 20)",
    "which pages are in memory": "libc.mincore(m, 4096, ctypes.create_string_buffer(1))",
    "reading what is in memory alone": "libc.preadv2(f, (ctypes.c_size_t * 2)(m.value, 1), 1, ctypes.c_long(0), 8)",
    "putting pages out of memory": "libc.madvise(m, 4096, 21)",
    "a lock that others see": "libc.flock(os.open('/tmp/n', os.O_CREAT), 1)",
    "a lock of a record": "libc.fcntl(os.open('/tmp/o', os.O_CREAT), 6, ctypes.create_string_buffer(32))",
    "vsock": "libc.socket(40, 1, 0)",
}


@X86
@pytest.mark.parametrize("unsafe", [SANDBOX, UNSAFE])
def test_calls_are_refused(run, unsafe):
    cells = [f"print(({call}, ctypes.get_errno())[0])" for call in CALLS.values()]
    setup = "import ctypes, mmap, os; libc = ctypes.CDLL(None, use_errno=True); libc.mmap.restype = ctypes.c_void_p"
    page = "m = ctypes.c_void_p(libc.mmap(None, 4096, 3, 34, -1, ctypes.c_long(0)))"
    page += "; f = os.open(os.__file__, os.O_RDONLY); os.read(f, 1)"
    results = run(setup, page, *cells, unsafe=unsafe)[2:]
    assert {name: text(result).strip() for name, result in zip(CALLS, results)} == dict.fromkeys(CALLS, "-1")


BY_OTHER_NUMBERS = """
import ctypes, mmap, os
page = mmap.mmap(-1, 4096, prot=7)
page.write(b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3")  # getpid, as a program of 32 bits asks for it
asks = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
for ask in asks, lambda: ctypes.CDLL(None).syscall(0x40000000 | 39):
    child = os.fork()
    if child == 0:
        ask()
        os._exit(0)
    print(os.waitpid(child, 0)[1] != 0)
"""


@X86
@pytest.mark.parametrize("unsafe", [SANDBOX, UNSAFE])
def test_no_call_goes_by_the_numbers_of_another_kind_of_program(run, unsafe):
    (result,) = run(BY_OTHER_NUMBERS, unsafe=unsafe)
    if "False" in text(result):  # where Linux has no such calls, they do nothing
        pytest.skip("no such calls here")
    assert text(result) == "True\n" * 2


@X86
@pytest.mark.sandbox
@pytest.mark.skipif(bool(sandbox_problem()), reason=str(sandbox_problem()))
def test_a_kernel_that_bubblewrap_starts_is_under_it_too(run, monkeypatch):
    def cold(course):
        raise warm.NotWarm("for this test")

    monkeypatch.setattr(warm, "take", cold)
    setup, namespace = run(
        "import ctypes; libc = ctypes.CDLL(None)", "print(libc.unshare(0x10000000))", cell_seconds=20
    )
    assert text(namespace).strip() == "-1", setup.detail


def test_what_learners_use_is_not_refused(run):
    results = run(
        "import subprocess; print(subprocess.check_output(['echo', 'hello']))",
        "import threading; t = threading.Thread(target=print); t.start(); t.join()",
        "import multiprocessing.shared_memory as s; m = s.SharedMemory(create=True, size=10); m.close(); m.unlink()",
        "import multiprocessing as m; p = m.get_context('fork').Process(target=print); p.start(); p.join()",
        "import asyncio; await asyncio.sleep(0.01)",
        "import socket; socket.socketpair(); socket.if_nameindex()",
        unsafe=bool(sandbox_problem()),
        cell_seconds=20,
    )
    assert [result.detail for result in results] == [""] * 6


def test_without_the_library_there_is_no_filter(run, monkeypatch):
    monkeypatch.setattr(seccomp, "program", lambda: b"")
    assert run("1", unsafe=True)[0].state == "ok"
