"""Kernels that are forked from a warm process: as apart from it and from one another as if each were started alone."""

import ast
import ctypes
import os
import platform
import subprocess
import sys
import time

import psutil
import pytest

from grader.run.execution import Limits, Step, run_steps, sandbox_problem, warm

from .conftest import SMALL, text

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(bool(sandbox_problem()), reason=str(sandbox_problem())),
]


@pytest.fixture
def value(run):
    """What an expression comes to inside (any literal)."""

    def _value(expression, setup="import os"):
        _, result = run(setup, f"print(repr({expression}))", cell_seconds=20)
        assert result.state == "ok", result.detail
        return ast.literal_eval(text(result))

    return _value


def idle(course):
    return warm._idle.get(course, [])


def test_a_second_kernel_is_forked_from_the_same_process(run, course):
    run("1")
    [first] = idle(course)
    count = first._count
    run("1")
    assert idle(course) == [first]
    assert first._count == count + 1
    assert course not in warm._cold


def test_what_is_warm_is_imported_already(value):
    assert value("[n in sys.modules for n in ('numpy', 'ipykernel.debugger', 'minigrad')]", "import sys") == [True] * 3


def test_a_plot_of_a_students_own_is_shown(run):
    room = {"cell_seconds": 60, "total_seconds": 60, "output_bytes": 10**6, "output_total_bytes": 10**6}
    shown = run("import matplotlib.pyplot as plt\nplt.plot([1, 2])", **room)[-1]
    assert shown.state == "ok" and any("image/png" in output.get("data", {}) for output in shown.outputs)


def test_nothing_of_a_kernel_is_left_for_the_next(run, value):
    run(
        "open('/tmp/planted', 'w').write('x'); open('/dev/shm/planted', 'w').write('x')",
        "import os; open('/student/sockets/planted', 'w').write('x'); os.environ['PLANTED'] = 'x'",
        "import ctypes; assert ctypes.CDLL(None).shmget(7777, 4096, 0o1666) >= 0",
        "import numpy, builtins; numpy.planted = builtins.planted = 1",
        "print('said', file=open('/proc/1/fd/2', 'w'))",
    )
    assert value("[os.path.exists(d + '/planted') for d in ('/tmp', '/dev/shm', '/student/sockets')]") == [False] * 3
    assert value("'PLANTED' in os.environ") is False
    assert value("ctypes.CDLL(None).shmget(7777, 4096, 0)", "import ctypes") == -1
    assert value("hasattr(numpy, 'planted') or hasattr(builtins, 'planted')", "import numpy, builtins") is False
    assert "said" not in value("open('/proc/1/fd/2').read()")


DEVICES = "('null', 'zero', 'full', 'random', 'urandom', 'tty')"


def test_no_device_of_the_machines_can_be_changed(value):
    """Its owner inside is whoever grades; to whose own mode it would be changed here."""
    change = "lambda d: (os.chmod(d, os.stat(d).st_mode & 0o7777), os.utime(d, ns=(os.stat(d).st_atime_ns,) * 2))"
    setup = f"import errno, os\nchange = {change}\ndef attempt(d):\n    try: return change(d)\n    except OSError as e: return e.errno"
    assert value(f"[attempt('/dev/' + d) == errno.EROFS for d in {DEVICES}]", setup) == [True] * 6


def test_devices_can_be_used(value):
    read = "[len(open('/dev/' + d, 'rb').read(3)) for d in ('zero', 'full', 'random', 'urandom', 'null')]"
    assert value(f"{read} + [open('/dev/null', 'wb', buffering=0).write(b'abc')]") == [3, 3, 3, 3, 0, 3]


def test_terminals_are_a_students_own(run, value):
    held = run(
        "import os; os.chmod('/dev/pts/ptmx', 0); os.utime('/dev/pts/ptmx', (7, 7))",
        "os.chmod('/dev/pts/ptmx', 0o666)\nkept = []\nwhile True: kept.append(os.openpty())",
        "print(len(kept))",
    )
    assert [result.state for result in held] == ["ok", "error", "ok"] and int(text(held[2])) <= 32
    said = run("!echo hello")
    assert text(said[0]).strip() == "hello"
    assert value("os.stat('/dev/pts/ptmx').st_mtime > 1000 and oct(os.stat('/dev/pts/ptmx').st_mode)") == "0o20666"


def test_of_the_machine_proc_shows_what_it_was_before(value, run):
    """Else a student could count to a text, and the next one read it."""
    texts = "[open('/proc/' + n).read() for n in ('stat', 'vmstat', 'uptime', 'meminfo', 'loadavg')]"
    first = value(texts)
    assert all(first) and value(texts) == first
    assert {line.split()[1] for line in first[0].splitlines() if not line.startswith("btime")} == {"0"}
    assert {line.split()[1] for line in first[1].splitlines()} == {"0"}
    assert value("[os.listdir('/proc/' + n) for n in ('fs', 'bus')] + sorted(os.listdir('/proc/sys'))") == [
        *([], [], "kernel", "vm")
    ]
    for result in run(*(f"import os; os.{name}" for name in ("chmod('/proc/stat', 0o600)", "utime('/proc/vmstat')"))):
        assert result.state == "error" and "Read-only file system" in result.detail
    assert value("os.path.exists('/tmp/machine')") is False


def test_what_programs_ask_of_the_machine_is_answered(value):
    assert value("psutil.virtual_memory().total > 0 and psutil.Process().create_time() > 0", "import psutil") is True
    assert value("b'processor' in subprocess.check_output(['cat', '/proc/cpuinfo'])", "import subprocess") is True


def test_standard_input_is_opened_for_each(value):
    """What one sets on a file that is open is there for all who have it open."""
    flags = "(fcntl.fcntl(0, fcntl.F_GETFL) & os.O_NONBLOCK, fcntl.fcntl(0, fcntl.F_SETFL, os.O_NONBLOCK))"
    assert value(flags, "import fcntl, os") == value(flags, "import fcntl, os") == (0, 0)


def test_other_rooms_and_the_warm_process_are_out_of_sight(value):
    assert value("os.listdir('/student/rooms')") == []
    assert value("sorted(int(p) for p in os.listdir('/proc') if p.isdigit())") == [1, 2]
    assert value("os.getppid()") == 1
    held = value("{os.readlink(f'/proc/1/fd/{n}') for n in os.listdir('/proc/1/fd')}")
    own = {name for name in held if name == "/dev/null" or name.startswith("mnt:[")}
    assert held == own and len(own) == 2  # the last one keeps its mounts, and setns is refused
    assert (
        value(
            "[n for n in os.listdir('/proc/self/fd') if os.path.exists(f'/proc/self/fd/{n}') and os.readlink(f'/proc/self/fd/{n}').startswith('mnt:')]"
        )
        == []
    )


@pytest.mark.parametrize("who", ["self", "1"])
@pytest.mark.parametrize("name", ["mountinfo", "mounts", "mountstats"])
def test_no_mount_of_the_hosts_is_shown(value, who, name):
    assert value(f"open('/proc/{who}/{name}').read()") == ""


MOUNTS = "import ctypes, os; libc = ctypes.CDLL(None, use_errno=True)"


ATTEMPTS = (
    "libc.mount(b'tmpfs', b'/tmp', b'tmpfs', 0, None)",
    "libc.umount2(b'/tmp', 2)",
    "libc.umount2(b'/student/rooms', 2)",
    "libc.umount2(b'/proc', 2)",
    "libc.setuid(0)",
    "libc.sethostname(b'x', 1)",
)


def test_no_wall_can_be_opened(value):
    """One kernel tries all; none opens a wall for the next."""
    assert value(f"({', '.join(ATTEMPTS)})", MOUNTS) == (-1,) * len(ATTEMPTS)


def test_not_even_with_namespaces_of_its_own(value):
    """In a user namespace of its own, a process may mount; what the walls cover stays covered."""
    tried = (
        "(libc.unshare(0x10020000), libc.umount2(b'/student/rooms', 2), libc.umount2(b'/proc', 2),"
        " libc.umount2(b'/tmp', 2), os.listdir('/student/rooms'))"
    )
    assert value(tried, MOUNTS)[1:] == (-1, -1, -1, [])


def test_proc_is_read_only(run):
    files = ["sys/kernel/core_pattern", "sysrq-trigger", "self/uid_map", "self/oom_score_adj"]
    results = run(*(f"open('/proc/{file}', 'w').write('0')" for file in files))
    assert [result.state for result in results] == ["error"] * len(files)


def test_the_first_process_obeys_the_limits_too(value):
    limits = value("open('/proc/1/limits').read()")
    assert str(SMALL["memory_bytes"]) in limits


# As a user without a capability, in a user namespace that root can make as well as anybody.
USER = ["bwrap", "--unshare-user", "--uid", "1000", "--gid", "1000", "--dev-bind", "/", "/", "--", sys.executable]

AS_A_USER = """
from pathlib import Path
import os, sys
from grader import light
from grader.run.execution import Step, run_steps, warm
course = Path(sys.argv[1])
for number in range(2):
    print([result.state for result in run_steps([Step(0, "import minigrad"), Step(1, "open('/etc/x', 'w')")], course)])
print(os.getuid(), [zygote._count for zygote in warm._idle[course]])
"""


def test_an_ordinary_user_has_a_warm_process_too(course):
    said = subprocess.run([*USER, "-c", AS_A_USER, str(course)], capture_output=True, text=True)
    assert said.stdout.splitlines() == ["['ok', 'error']"] * 2 + ["1000 [2]"], said


SHUTS_THE_FOLDER = """
from pathlib import Path
import sys
from grader import light
from grader.run.execution import Step, run_steps, warm
def never(course):
    raise warm.NotWarm("for this test")
warm.take = never  # bubblewrap starts the kernel, which then makes its sockets itself
folder = "import json, os, time; folder = os.path.dirname(json.load(open('/student/kernel.json'))['ip'])"
cells = f"{folder}; os.chmod(folder, 0); time.sleep(5)", f"{folder}; open(folder + '/x', 'w'); time.sleep(5)", "1"
for result in run_steps([Step(n, cell) for n, cell in enumerate(cells)], Path(sys.argv[1])):
    print(result.state, result.detail)
"""


def test_who_shuts_the_folder_of_the_sockets_is_not_out_of_sight(course):
    """What root can list all the same, an ordinary user cannot: nothing else would be looked at any more."""
    said = subprocess.run([*USER, "-c", SHUTS_THE_FOLDER, str(course)], capture_output=True, text=True)
    assert said.stdout.splitlines() == [
        "died The kernel was stopped: it shut the folder of its sockets.",
        "died The kernel was stopped: files were written where none belong.",
        "ok ",
    ], said


def test_a_fork_sees_no_folder_of_the_hosts_disk(value):
    assert value("os.listdir('/student/sockets') + os.listdir('/student/rooms')") == []
    own = value("sorted({os.statvfs(d).f_fsid for d in ('/tmp', '/dev/shm')} & {os.statvfs('/usr/bin').f_fsid})")
    assert own == []
    places = "[d for d, _, _ in os.walk('/') if not d.startswith('/proc') and os.access(d, os.W_OK)]"
    assert {place for place in value(places) if not place.startswith(("/tmp", "/dev/"))} == set()


def test_without_a_warm_process_a_kernel_is_started_from_nothing(run, monkeypatch):
    def never(course):
        raise warm.NotWarm("not here")

    monkeypatch.setattr(warm, "take", never)
    [result] = run("import os; print(os.path.exists('/student/rooms'))")
    assert text(result) == "False\n"


@pytest.fixture
def elsewhere(tmp_path):
    """A course of no other test's."""
    yield tmp_path
    for zygote in idle(tmp_path):
        zygote.kill()
    warm._idle.pop(tmp_path, None)
    warm._cold.pop(tmp_path, None)


def states(course):
    return [result.state for result in run_steps([Step(0, "1")], course, Limits(**SMALL))]


def test_where_no_fork_succeeds_no_more_warm_processes_are_started(elsewhere, monkeypatch):
    begun = []
    monkeypatch.setattr(warm.Zygote, "_expect", refuses(warm.Zygote._expect, begun))
    assert [states(elsewhere) for _ in range(3)] == [["ok"]] * 3
    assert len(begun) == 1 and elsewhere in warm._cold


def test_one_fork_that_fails_is_an_accident(elsewhere, monkeypatch):
    assert states(elsewhere) == ["ok"]
    with monkeypatch.context() as patch:
        patch.setattr(warm.Zygote, "_expect", refuses(warm.Zygote._expect, []))
        assert states(elsewhere) == ["ok"]
    assert elsewhere not in warm._cold
    assert states(elsewhere) == ["ok"] and idle(elsewhere)


def refuses(expect, begun):
    """`Zygote._expect` where every fork says that its walls cannot be closed."""

    def _expect(self, word, seconds):
        if word == b"ready":
            begun.append(self)
            return expect(self, word, seconds)
        with self._or_dead():
            raise OSError("it said b'125'")

    return _expect


def test_a_warm_process_that_died_is_replaced(run, course):
    run("1")
    [zygote] = idle(course)
    psutil.Process(zygote._process.pid).kill()
    zygote._process.wait()
    assert [r.state for r in run("1")] == ["ok"]
    assert idle(course) and idle(course) != [zygote]


def test_one_that_dies_under_a_kernel_costs_a_restart(course):
    def end(result):
        if result.index == 0:
            for process in psutil.Process().children():
                if process.name() == "bwrap":
                    process.kill()
            time.sleep(0.3)

    results = run_steps([Step(0, "a = 1"), Step(1, "print(a)")], course, Limits(**SMALL), on_step=end)
    assert [r.state for r in results] == ["ok", "ok"]
    assert text(results[1]) == "1\n"


def test_it_ends_with_the_grader(run, course):
    run("1")
    [zygote] = idle(course)
    process, room = psutil.Process(zygote._process.pid), zygote._room
    family = [process, *process.children(recursive=True)]
    warm.end_all()
    time.sleep(0.1)
    assert not any(member.is_running() and member.status() != psutil.STATUS_ZOMBIE for member in family)
    assert not os.path.exists(room)


@pytest.mark.parametrize("place", ["/proc/1/cwd", "/proc/1/root/tmp", "/proc/self/cwd", "/tmp"])
def test_nothing_is_left_in_the_first_process_folder(run, value, place):
    """The warm process keeps a scratch of its own, which all of its forks would see as that of process 1."""
    run(f"open('{place}/planted.py', 'w').write('x')")
    assert (
        value("sorted(p for p in ('/proc/1/cwd', '/tmp', '/proc/1/root/tmp') if 'planted.py' in os.listdir(p))") == []
    )


KEYS = "import ctypes; key = lambda number, *a: ctypes.CDLL(None).syscall(number, *a)"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86-64")
def test_no_key_is_left_for_the_next(run, value, monkeypatch):
    """Not even where there is no filter: each kernel has a keyring of its own."""
    monkeypatch.setattr("grader.run.execution.seccomp.program", lambda: b"")
    warm.end_all()
    ctypes.CDLL(None).syscall(250, 1, None)  # a session's own keyring, as a login gives one
    made = run(
        KEYS, *(f"print(key(248, b'user', b'planted', b'x', 1, -{ring}))" for ring in (3, 4, 5)), cell_seconds=20
    )
    assert int(text(made[1])) > 0
    assert value("[key(250, 10, -ring, b'user', b'planted', 0) for ring in (3, 4, 5)]", KEYS) == [-1] * 3


def test_the_number_of_files_is_bounded(run):
    [result] = run("for n in range(10**5): open(f'/tmp/{n}', 'w').close()", cell_seconds=20)
    assert result.state == "error" and "No space left" in result.detail
