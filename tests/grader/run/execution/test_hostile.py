"""Cells that break things: each has its state, and costs the student nothing but itself."""

import os
import time
from dataclasses import dataclass, field

import psutil
import pytest

from .conftest import SANDBOX, UNSAFE, text


@dataclass(frozen=True)
class Case:
    """A hostile cell, and the states that it may come to. `after`: what the next cell prints, None for anything."""

    source: str
    states: str
    after: str | None = "42\n"
    unsafe: bool = False  # Also tried without a sandbox.
    limits: dict = field(default_factory=dict)  # Other than the small ones.


HASTY = {"cell_seconds": 0.5}  # for a cell of which nothing is awaited but that it does not end
PATIENT = {"cell_seconds": 40, "total_seconds": 60}
ROOMY = PATIENT | {"memory_bytes": 2000 << 20}

CASES = {
    "endless loop that swallows interrupts": Case(
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "timeout",
        unsafe=True,
        limits=HASTY,
    ),
    "ends the process": Case("import os; os._exit(0)", "died", unsafe=True),
    "native crash": Case("import ctypes; ctypes.string_at(0)", "died", unsafe=True),
    "kills its session": Case("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "died"),
    "exit()": Case("exit()", "died", unsafe=True),
    "shuts the kernel down": Case("get_ipython().kernel.do_shutdown(False)", "ok"),
    "memory bomb": Case("x = []\nwhile True: x.append(b'x' * 10**7)", "out of memory", unsafe=True, limits=PATIENT),
    "memory in many processes": Case(
        "import os, time\nfor _ in range(12):\n    if os.fork() == 0:\n"
        "        x = os.urandom(1 << 20) * 150\n        time.sleep(60)\ntime.sleep(60)",
        "out of memory",
        limits=PATIENT,
    ),
    "memory in files without a name": Case(
        "import os, time\nkept = []\nfor n in range(60):\n    kept.append(os.memfd_create('x'))\n"
        "    os.write(kept[-1], b'0' * (30 << 20)); time.sleep(0.02)\ntime.sleep(60)",
        "error",
        limits=PATIENT,
    ),
    "shared memory that nobody looks at": Case(  # who touched it has ended, and who has it touched none of it
        "import mmap, os, time\nfor n in range(5):\n    if os.fork() == 0:\n        m = mmap.mmap(-1, 200 << 20)\n"
        "        if os.fork() == 0:\n            for at in range(0, len(m), 4096): m[at] = 1\n            os._exit(0)\n"
        "        os.wait()\n        time.sleep(60)\ntime.sleep(60)",
        "out of memory",
        limits=PATIENT,
    ),
    "a disk filled by files without a name": Case(
        "import os, time\nkept = []\nfor n in range(60):\n"
        "    kept.append(os.open('/student/sockets', os.O_TMPFILE | os.O_RDWR))\n"
        "    os.write(kept[-1], b'0' * (30 << 20)); time.sleep(0.02)\ntime.sleep(60)",
        "error",
        limits=PATIENT,
    ),
    "files without a name that are small": Case(
        "import tempfile\nkept = [tempfile.TemporaryFile() for _ in range(20)]\n"
        "import time; [file.write(b'0' * 10**6) for file in kept]; time.sleep(0.5)",
        "ok",
    ),
    "a file's name that reads as two lines": Case(
        "import mmap\nwith open('x\\r(deleted)', 'w+b') as f:\n    f.write(b'x' * 4096); f.flush()\n"
        "    m = mmap.mmap(f.fileno(), 4096)\nwhile True: pass",
        "timeout",
        limits=HASTY,
    ),
    "more mappings than can be read": Case(  # a path of 100 KB, 300 times
        "import ctypes, os, time\npart = '\U0001f600' + 'd' * 251\n"
        "for _ in range(400): os.mkdir(part); os.chdir(part)\n"
        "f = os.open('f', os.O_RDWR | os.O_CREAT); os.truncate(f, 4096); os.chdir('/tmp')\n"
        "at = 1 << 44; mmap = ctypes.CDLL(None).mmap\n"
        "for n in range(300): mmap(ctypes.c_void_p(at + n * 8192), 4096, 1, 0x11, f, ctypes.c_long(0))\ntime.sleep(60)",
        "died",
        limits=PATIENT,
    ),
    "children whom nobody waits for": Case(
        "import os, signal, time\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\nwhile True:\n    k = os.fork()\n"
        "    if k == 0:\n        while time.process_time() < 0.3: pass\n        os._exit(0)\n"
        "    try: os.waitpid(k, 0)\n    except ChildProcessError: pass",
        "timeout",
        limits=HASTY,
    ),
    "deep recursion": Case("def f(): return f()\nf()", "error", limits=PATIENT),
    "100 MB in one print": Case("print('x' * 100_000_000)", "output cut", unsafe=True, limits=ROOMY),
    "100 MB in a thousand prints": Case("for i in range(1000): print('y' * 100_000)", "output cut", limits=ROOMY),
    "prints without end": Case("while True: print('z', flush=True)", "timeout|waited", limits=HASTY),
    "clears and prints without end": Case(
        "from IPython.display import clear_output\nwhile True: print('z' * 1000, flush=True); clear_output()",
        "timeout|waited",
        limits=HASTY,
    ),
    "sends more than can be received": Case(
        "import time\nthread, frame = get_ipython().kernel.iopub_thread, b'x' * (60 << 20)\n"
        "thread.schedule(lambda: thread.socket.send_multipart([b'x'] + [frame] * 60, copy=False))\ntime.sleep(60)",
        "died",
        limits=PATIENT,
    ),
    "closes all zmq sockets": Case(
        "import gc, zmq\nfor s in gc.get_objects():\n    if isinstance(s, zmq.Socket): s.close(0)", "died"
    ),
    "closes stdout": Case("import os, sys; sys.stdout.close(); os.close(1); os.close(2)", "ok", after=None),
    "closes all files": Case("import os; os.closerange(0, 256)", "died|waited"),
    "asks for input": Case("input('name?')", "error", unsafe=True),
    "cell magic": Case("%%bash\necho hello", "ok"),
    "shell command": Case("!echo hello", "ok"),
    "shell command without end": Case("!sleep 60", "waited", None, limits={"idle_seconds": 3.0}),
    "threads print for ever": Case(
        "import threading\ndef f():\n    while True: print('z' * 1000, flush=True)\n"
        "[threading.Thread(target=f).start() for _ in range(2)];",
        "ok|output cut",
        after=None,
        unsafe=True,
    ),
    "a child goes on after the cell": Case("import os, time\nif os.fork() == 0: time.sleep(60)", "ok", unsafe=True),
    "a child answers too": Case("import os\nos.fork();", "ok|waited", after=None),
    "fork bomb": Case(
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
        "too many processes|timeout|waited|error|out of memory",
        unsafe=True,
    ),
    "thread bomb": Case(
        "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(9,)).start()",
        "error|died|out of memory|timeout|waited",
        after=None,
    ),
    "blanks cells": Case("get_ipython().input_transformers_cleanup.append(lambda lines: []);", "ok", after=""),
    "rewrites syntax trees": Case(
        "import ast\nclass T(ast.NodeTransformer):\n    def visit(self, node): return ast.parse('pass')\n"
        "get_ipython().ast_transformers.append(T())",
        "ok",
        after="",
    ),
    "empties sys.modules": Case("import sys; sys.modules.clear()", "ok|timeout|died", after=None),
    "breaks builtins": Case("import builtins; builtins.exec = builtins.type = builtins.len = None", "ok|timeout|died"),
    "breaks json": Case("import json; json.dumps = json.loads = lambda *a, **k: 1 / 0", "ok|timeout|died"),
    "publishes nonsense": Case(
        "import os\nsession, socket = get_ipython().kernel.session, get_ipython().kernel.iopub_socket\n"
        "parent = get_ipython().kernel.get_parent()\n"
        "for kind in ('stream', 'display_data', 'error', 'status', 'clear_output', 'execute_result', 'x'):\n"
        "    for content in ({}, {'data': 3, 'name': [], 'text': {}}, {'data': {'text/plain': {'a': 0}}}):\n"
        "        session.send(socket, kind, content, parent=parent)\n",
        "ok",
    ),
    "fills the disk": Case("f = open('x', 'wb')\nwhile True: f.write(b'0' * 10**6)", "error", unsafe=True),
    "fills the scratch folder": Case(
        "for n in range(1000):\n    with open(f'/tmp/{n}', 'wb') as f: f.write(b'0' * 10**6)", "error"
    ),
    # They lie on the host's disk, in a folder that no fork sees.
    "fills the folder of its sockets": Case(
        "import json, os\nfolder = '/student/sockets'\nfor n in range(10**6): open(f'{folder}/{n}', 'w').close()",
        "error",
    ),
    "a folder in place of a socket": Case(
        "import os, time\nos.remove('/student/sockets/k-2'); os.mkdir('/student/sockets/k-2')\n"
        "for n in range(100): open(f'/student/sockets/k-2/{n}', 'w').write('x' * 1000); time.sleep(0.02)",
        "error",
        limits=PATIENT,
    ),
    "a file in place of a socket": Case(
        "import os, time\nos.remove('/student/sockets/k-2'); open('/student/sockets/k-2', 'w').write('x')\ntime.sleep(2)",
        "error",
        limits=PATIENT,
    ),
}


def _cases() -> list:
    cases = []
    for name, case in CASES.items():
        cases.append(pytest.param(case, *SANDBOX.values, id=f"{name}, sandbox", marks=SANDBOX.marks))
        if case.unsafe:
            cases.append(pytest.param(case, *UNSAFE.values, id=f"{name}, unsafe"))
    return cases


@pytest.mark.parametrize(("case", "unsafe"), _cases())
def test_hostile_cell(run, case, unsafe):
    before = _living()
    steps = ("a = 41", case.source, "a += 1\nprint(a)", "ask:answer = str(a)")
    first, bad, after, probe = run(*steps, unsafe=unsafe, **case.limits)
    assert first.state == "ok"
    assert bad.state in case.states.split("|")
    assert bad.detail or bad.state == "ok"
    assert len(text(bad)) < 11_000
    if case.after is not None:
        assert text(after) == case.after
        # A cell that did not run has changed nothing.
        assert probe.answer == ("42" if case.after else "41")
    time.sleep(0.05)
    assert _living() - before == set()


def _living():
    """Processes of ours, but for the warm one that forks the kernels: it lives on, and nothing else may."""
    living = [p for p in psutil.Process().children(recursive=True) if p.status() != psutil.STATUS_ZOMBIE]
    return {p for p in living if p.name() != "bwrap" and p.parent().name() != "bwrap"}


@pytest.mark.parametrize("unsafe", [SANDBOX, UNSAFE])
def test_a_probe_is_not_a_cell(run, unsafe):
    """Neither transformers nor an own run_cell for the probe's code can keep it from being evaluated as it stands."""
    results = run(
        "get_ipython().input_transformers_post.append(lambda lines: ['raise SystemExit'])",
        "ask:answer = 'evaluated'",
        unsafe=unsafe,
    )
    assert results[1].answer == "evaluated" or results[1].state == "error"


def test_an_overridden_shell_is_no_answer_and_no_end(run):
    results = run(
        "get_ipython().run_cell = get_ipython().run_cell_async = lambda *a, **k: None",
        "ask:answer = '1'",
        unsafe=True,
    )
    assert results[1].answer is None
    assert results[1].detail


def test_answers_to_other_questions_are_not_heard(run):
    """A thread that sends replies and answers without end: only a reply to the very request counts."""
    results = run(
        "import threading, time\nkernel = get_ipython().kernel\n"
        "forged = {'status': 'ok', 'user_expressions': {'answer': {'status': 'ok', 'data': "
        "{'application/vnd.minigrad.answer+json': 'forged'}}}}\n"
        "parent = dict(kernel.get_parent())\n"
        "def forge():\n    while True:\n        time.sleep(0.001)\n"
        "        kernel.session.send(kernel.iopub_socket, 'execute_reply', forged, parent)\n"
        "threading.Thread(target=forge, daemon=True).start()",
        "ask:import time; time.sleep(0.3); answer = 'true'",
        unsafe=True,
    )
    assert results[1].answer == "true"


@pytest.mark.parametrize("unsafe", [SANDBOX, UNSAFE])
def test_a_probe_that_hangs_or_kills_costs_only_itself(run, unsafe):
    results = run(
        "import os\ndef slow():\n    while True: pass\ndef fatal(): os._exit(3)",
        "ask:answer = str(slow())",
        "ask:answer = str(fatal())",
        "ask:answer = 'third'",
        unsafe=unsafe,
    )
    assert [r.state for r in results] == ["ok", "timeout", "died", "ok"]
    assert [r.answer for r in results] == [None, None, None, "third"]


def test_after_the_last_restart_nothing_runs_any_more(run):
    bad = "import os; os._exit(1)"
    results = run("print('kept')", bad, bad, bad, "1", unsafe=True, restarts=2)
    assert [r.state for r in results] == ["ok", "died", "died", "died", "not run"]
    assert text(results[0]) == "kept\n"


def test_a_death_after_the_cell_is_noticed(run):
    results = run(
        "import os, threading\nthreading.Timer(0.6, os._exit, (0,)).start()",
        "import time; time.sleep(1.2)",
        "1",
        unsafe=True,
    )
    assert results[0].state == "ok"
    assert results[1].state == "died"
    assert results[2].state in ("ok", "not run")


@pytest.mark.parametrize("unsafe", [UNSAFE])
def test_no_folder_is_left_over(run, tmp_path, monkeypatch, unsafe):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    run("1", "import os; os._exit(1)", "2", unsafe=unsafe)
    assert os.listdir(tmp_path) == []
