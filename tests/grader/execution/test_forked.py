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
    many = "for number in range(3000): display(number)" if not unsafe else "for number in range(300): display(number)"
    result = run(many, "print('next')", unsafe=unsafe, **ROOM)
    shown = [int(output.data["text/plain"]) for output in result[0].outputs]
    assert result[0].state == "ok" and shown == list(range(len(shown))) and len(shown) in (300, 3000)
    assert text(result[1]) == "next\n"


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


def test_what_forks_of_a_cell_print_is_shown(run):
    cell = """
import os, time
for number in range(3):
    if os.fork() == 0:
        print("child", number, flush=True)
        os._exit(0)
for _ in range(3): os.wait()
time.sleep(0.5)
"""
    assert sorted(text(run(cell, **ROOM)[0]).split("\n")) == ["", "child 0", "child 1", "child 2"]


def test_a_pool_of_processes_works(run):
    cell = "import multiprocessing\ndef f(x):\n    print(x)\n    return x * x\n"
    cell += "with multiprocessing.get_context('fork').Pool(2) as pool: print(sum(pool.map(f, range(5))))"
    result = run(cell, **ROOM)[0]
    assert result.state == "ok" and "30" in text(result).split()


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
