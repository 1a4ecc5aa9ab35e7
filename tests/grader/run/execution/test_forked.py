"""A forked kernel, which has one thread, shows what ipykernel's application shows, also of other threads and processes."""

import pytest

from .conftest import SANDBOX, text

pytestmark = SANDBOX.marks
# Unsafe kernels are ipykernel's application; the others are forks.
KERNELS = pytest.mark.parametrize("unsafe", [False, True], ids=["forked", "ipykernel"])
ROOM = {"cell_seconds": 20, "total_seconds": 60, "output_bytes": 10**6, "output_total_bytes": 10**7}


@KERNELS
def test_what_was_printed_before_an_endless_loop_is_kept(run, unsafe):
    result = run("print('a')\nprint('b')\nwhile True: pass", unsafe=unsafe)[0]
    assert (result.state, text(result)) == ("timeout", "a\nb\n")


@KERNELS
def test_a_module_that_a_cell_writes_can_be_imported(run, unsafe):
    result = run("%%writefile helper.py\nanswer = 42", "import helper\nprint(helper.answer)", unsafe=unsafe, **ROOM)[-1]
    assert text(result) == "42\n"


@KERNELS
def test_cells_may_await_and_tasks_outlive_their_cell(run, unsafe):
    later = "import asyncio\ntask = asyncio.create_task(asyncio.sleep(0.01, 7))\nawait asyncio.sleep(0)"
    assert text(run(later, "print(await task)", unsafe=unsafe, **ROOM)[-1]) == "7\n"


@KERNELS
def test_the_traceback_of_an_error_is_shown(run, unsafe):
    result = run("def f():\n    1 / 0\nf()", unsafe=unsafe, **ROOM)[0]
    assert result.state == "error" and "ZeroDivisionError" in text(result) and "f()" in text(result)


@KERNELS
def test_no_display_of_many_is_lost(run, unsafe):
    count = 300 if unsafe else 3000  # ipykernel's application does not wait for who listens
    result = run(f"for number in range({count}): display(number)", "print('next')", unsafe=unsafe, **ROOM)
    assert [int(output.data["text/plain"]) for output in result[0].outputs] == list(range(count))
    assert result[0].state == "ok"
    assert text(result[1]) == "next\n"


@KERNELS
def test_matplotlib_may_be_asked_for_by_its_magic(run, unsafe):
    room = ROOM | {"cell_seconds": 60}
    shown = run("%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])", unsafe=unsafe, **room)[0]
    assert shown.state == "ok" and any("image/png" in output.get("data", {}) for output in shown.outputs)


@KERNELS
def test_what_a_cell_sets_for_its_context_holds_for_the_next(run, unsafe):
    setting = "import decimal, numpy as np\ndecimal.getcontext().prec = 5\nnp.set_printoptions(precision=2)"
    result = run(setting, "print(decimal.Decimal(1) / 3, np.array([1 / 3]))", unsafe=unsafe, **ROOM)[-1]
    assert text(result) == "0.33333 [0.33]\n"


@KERNELS
def test_half_of_a_surrogate_pair_costs_nobody_a_cell(run, unsafe):
    results = run(r"print('\ud800'); a = 1", "import time\ntime.sleep(0.5)\nprint(a)", unsafe=unsafe, **ROOM)
    assert [result.state for result in results] == ["ok", "ok"] and text(results[1]) == "1\n"


@KERNELS
def test_a_log_of_everything_does_not_hold_the_kernels_own(run, unsafe):
    setting = "import logging\nlogging.basicConfig(level=logging.DEBUG)"
    assert "MESSAGE" not in text(run(setting, "print(1)", unsafe=unsafe, **ROOM)[-1])


@KERNELS
def test_an_interrupt_ends_a_cell_that_awaits_and_nothing_else(run, unsafe):
    cell = "import asyncio, _thread, threading\na = 41\nthreading.Timer(0.2, _thread.interrupt_main).start()\n"
    results = run(cell + "await asyncio.sleep(5)", "print(a + 1)", unsafe=unsafe, **ROOM)
    assert results[0].state == "error" and text(results[1]) == "42\n"


@KERNELS
def test_a_breakpoint_that_was_left_costs_nobody_a_cell(run, unsafe):
    results = run("breakpoint()\na = 1", "print(a)", unsafe=unsafe, **ROOM)
    assert results[0].state == run("1", unsafe=unsafe)[0].state == "ok"


def test_what_a_signals_handler_shows_breaks_no_other_message(run):
    cell = """
import signal
count = 0
def handler(*_):
    global count
    count += 1
    display("signal")
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
for number in range(500): display(number)
signal.setitimer(signal.ITIMER_REAL, 0);
"""
    result, count = run(cell, "print(count)", **ROOM)
    shown = [output.data["text/plain"] for output in result.outputs]
    assert [word for word in shown if word != "'signal'"] == [str(number) for number in range(500)]
    assert shown.count("'signal'") == int(text(count)) > 10


def test_lines_of_several_threads_are_whole(run):
    cell = """
import threading
def say(name):
    for _ in range(200): print(name * 20 + "\\n", end="")
threads = [threading.Thread(target=say, args=[name]) for name in "abcd"]
[thread.start() for thread in threads]
[thread.join() for thread in threads];
"""
    result = run(cell, **ROOM)[0]
    assert sorted(text(result).split()) == [name * 20 for name in "abcd" for _ in range(200)]


def test_lines_of_several_forks_are_whole(run):
    cell = """
import os, time
for number in range(3):
    if os.fork() == 0:
        for line in range(300): print("child", number, "line", line)
        print("last", number, flush=True, end="!\\n" * 2)
        os._exit(0)
for _ in range(3): os.wait()
time.sleep(0.5)
"""
    expected = [f"child {number} line {line}" for number in range(3) for line in range(300)]
    expected += [f"last {number}!" for number in range(3)] + ["!"] * 3
    assert sorted(text(run(cell, **ROOM)[0]).splitlines()) == sorted(expected)


def test_a_line_that_a_fork_left_unfinished_is_shown(run):
    cell = "import os, time\nchild = os.fork()\nif child: os.waitpid(child, 0)\nelse: print('unfinished', end='')"
    assert "unfinished" in "".join(text(result) for result in run(cell, "time.sleep(0.5)", **ROOM))


def test_a_pool_of_processes_works(run):
    cell = "import multiprocessing\ndef f(x):\n    print(x)\n    return x * x\n"
    total = "sum(pool.map(f, range(5)))"  # in one piece: the pool's own lines are written in between
    cell += f"with multiprocessing.get_context('fork').Pool(2) as pool: print(f'\\n{{{total}}}\\n', end='')"
    result = run(cell, **ROOM)[0]
    assert result.state == "ok" and "\n30\n" in text(result)


def test_a_fork_that_goes_on_as_a_kernel_is_ended(run):
    cell = "import os\nmine = os.getpid()\nchild = os.fork()"
    after = "import time\ntime.sleep(0.2)\nprint(os.getpid() == mine, os.waitpid(child, os.WNOHANG)[0] == child)"
    assert text(run(cell, after, **ROOM)[-1]) == "True True\n"


def test_a_thread_that_floods_between_cells_loses_nobody_a_cell(run):
    flood = """
import threading
from IPython.display import display
def f():
    while True: display("x" * 1000)
threading.Thread(target=f, daemon=True).start()
"""
    results = run(flood, "a = 41", "a += 1", "ask:answer = str(a)", **ROOM)
    assert results[-1].answer == "42"


def test_what_other_programs_print_is_there_when_the_cell_ends(run):
    cells = ["import os, subprocess, sys"] + [f"os.write(1, b'{n} \\xc3\\xa9'); os.write(2, b'!');" for n in range(20)]
    results = run(*cells, "subprocess.run(['echo', 'shown'], stdout=sys.stdout);", **ROOM)
    assert [text(result) for result in results[1:-1]] == [f"{n} é!" for n in range(20)]
    assert text(results[-1]) == "shown\n"


@KERNELS
def test_a_display_that_is_updated_shows_its_last_state(run, unsafe):
    later = "handle.update('three')\n_ = display('new', display_id='x')\ndisplay('newer', display_id='x', update=True);"
    results = run("handle = display('one', display_id=True)\nhandle.update('two')", later, unsafe=unsafe, **ROOM)
    assert [text(result) for result in results] == ["'three'", "'newer'"]


@KERNELS
def test_a_result_that_cannot_be_shown_is_an_error_with_a_name(run, unsafe):
    cell = "class Odd:\n    def __repr__(self): raise ValueError('bad repr')\nOdd()"
    result = run(cell, unsafe=unsafe, **ROOM)[0]
    assert (result.state, result.detail) == ("error", "ValueError: bad repr")


def test_a_first_cell_finds_what_ipykernel_leaves_there(run):
    """A fork's kernel has answered before, when it was its warm process's: nothing of that is left."""
    own = "[name for name in sorted(globals()) if not name.startswith('__')]"
    cell = f"print({own}, In, Out, get_ipython().execution_count)"
    forked, ipykernels = (run(cell, "1 / 0", unsafe=unsafe, **ROOM) for unsafe in (False, True))
    assert text(forked[0]) == text(ipykernels[0]) and "'In'" in text(forked[0])
    assert text(forked[1]) == text(ipykernels[1])


@KERNELS
def test_the_source_of_a_cells_function_can_be_read(run, unsafe):
    asked = "import inspect\nprint(inspect.getsource(f), f.__code__.co_filename.rpartition('/')[0])"
    shown = text(run("def f():\n    return '\\ud800é'", asked, unsafe=unsafe, **ROOM)[-1])
    assert shown.startswith("def f():\n    return") and "ipykernel_" in shown


@KERNELS
def test_what_a_cell_stores_can_be_read_back(run, unsafe):
    assert text(run("a = 6\n%store a\ndel a", "%store -r\nprint(a * 7)", unsafe=unsafe, **ROOM)[-1]) == "42\n"
